/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_option.c - the `option` lines with which an engine says what can be set. */
#include "uci_option.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char BLANKS[] = " \t";

bool uci_number(const char *text, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno == 0 && end != text && !*end;
}

bool uci_option_is(const UciOption *option, const char *type)
{
    return strcmp(option->type, type) == 0;
}

bool uci_option_has(const UciOption *option, const char *value)
{
    for (size_t i = 0; i < option->value_count; i++)
        if (strcmp(option->values[i], value) == 0)
            return true;
    return false;
}

/* Keeps the first mistake. */
__attribute__((format(printf, 2, 3))) static void mistake(UciOption *option, const char *format,
                                                          ...)
{
    if (option->mistake[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(option->mistake, sizeof option->mistake, format, arguments);
    va_end(arguments);
}

/* The next word at or behind `at`, its length in *length; NULL at the end. */
static char *next_word(char *at, size_t *length)
{
    at += strspn(at, BLANKS);
    *length = strcspn(at, BLANKS);
    return *length ? at : NULL;
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return length == strlen(word) && strncmp(at, word, length) == 0;
}

/* Cuts the text behind a keyword off at `end` and at blanks on both sides. */
static char *cut(char *text, char *end)
{
    while (end > text && strchr(BLANKS, end[-1]))
        end--;
    *end = '\0';
    return text + strspn(text, BLANKS);
}

/* The words behind the type: keywords, each with a text up to the next. */
static Status read_fields(UciOption *option, char *at, Error *err)
{
    static const char *const keywords[] = {"default", "min", "max", "var"};
    const bool is_string = uci_option_is(option, "string");
    const char **field = NULL;
    char *begin = NULL, *word;
    size_t length;
    while ((word = next_word(at, &length))) {
        /* A string's default is all that follows. */
        if (is_string && field == &option->initial)
            break;
        at = word + length;
        size_t keyword = 0;
        while (keyword < 4 && !is_word(word, length, keywords[keyword]))
            keyword++;
        if (keyword == 4) {
            if (!field)
                mistake(option, "'%.*s' is no keyword", (int)(length < 40 ? length : 40), word);
            continue;
        }
        if (field)
            *field = cut(begin, word);
        begin = at;
        if (keyword < 3) {
            const char **fields[] = {&option->initial, &option->min_text, &option->max_text};
            field = fields[keyword];
            if (*field)
                mistake(option, "'%s' stands there twice", keywords[keyword]);
        } else {
            size_t bytes = (option->value_count + 1) * sizeof *option->values;
            const char **grown = realloc(option->values, bytes);
            if (!grown)
                return error_set(err, STATUS_NO_MEMORY, "out of memory");
            option->values = grown;
            field = &option->values[option->value_count++];
        }
        *field = "";
    }
    if (field)
        *field = cut(begin, begin + strlen(begin));
    return STATUS_OK;
}

static void check_fields(UciOption *option)
{
    static const char *const types[] = {"check", "spin", "combo", "button", "string"};
    size_t type = 0;
    while (type < 5 && !uci_option_is(option, types[type]))
        type++;
    const char *initial = option->initial;
    option->min = LLONG_MIN;
    option->max = LLONG_MAX;
    if (option->min_text && !uci_number(option->min_text, &option->min)) {
        option->min = LLONG_MIN;
        mistake(option, "min '%s' is no number", option->min_text);
    }
    if (option->max_text && !uci_number(option->max_text, &option->max)) {
        option->max = LLONG_MAX;
        mistake(option, "max '%s' is no number", option->max_text);
    }
    if (!option->name[0])
        mistake(option, "it has no name");
    if (type == 5)
        mistake(option, "type '%s': expected check, spin, combo, button or string", option->type);
    if (!uci_option_is(option, "spin") && (option->min_text || option->max_text))
        mistake(option, "a %s has no min and max", option->type);
    if (!uci_option_is(option, "combo") && option->value_count)
        mistake(option, "a %s has no var", option->type);

    if (uci_option_is(option, "button")) {
        if (initial)
            mistake(option, "a button has no default");
    } else if (!initial && !uci_option_is(option, "string")) {
        mistake(option, "it has no default");
    } else if (uci_option_is(option, "check")) {
        if (strcmp(initial, "true") != 0 && strcmp(initial, "false") != 0)
            mistake(option, "default '%s': expected true or false", initial);
    } else if (uci_option_is(option, "combo")) {
        if (!uci_option_has(option, initial))
            mistake(option, "default '%s' is none of its values", initial);
    } else if (uci_option_is(option, "spin")) {
        long long number;
        if (!option->min_text || !option->max_text)
            mistake(option, "a spin needs min and max");
        if (!uci_number(initial, &number))
            mistake(option, "default '%s' is no number", initial);
        else if (number < option->min || number > option->max)
            mistake(option, "default %lld is not from min %lld to max %lld", number, option->min,
                    option->max);
    }
}

Status uci_option_read(UciOption *option, const char *line, Error *err)
{
    *option = (UciOption){.text = strdup(line), .name = "", .type = ""};
    if (!option->text)
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    /* A name may have blanks and so goes on to " type ". */
    char *at = strstr(option->text, "name ");
    char *type = at ? strstr(at, " type ") : NULL;
    Status status = STATUS_OK;
    if (!type) {
        mistake(option, "expected option name NAME type TYPE");
        return STATUS_OK;
    }
    option->name = cut(at + strlen("name "), type);
    size_t length;
    char *word = next_word(type + strlen(" type "), &length);
    if (word) {
        bool more = word[length] != '\0';
        word[length] = '\0';
        option->type = word;
        if (more)
            status = read_fields(option, word + length + 1, err);
    }
    if (status != STATUS_OK) {
        uci_option_free(option);
        return status;
    }
    check_fields(option);
    return STATUS_OK;
}

Status uci_option_check(const UciOption *option, const char *engine, const char *name,
                        const char *value, Error *err)
{
    long long number;
    if (!option || !option->text)
        return error_set(err, STATUS_ARGUMENT, "engine %s has no option '%s'", engine, name);
    if (!uci_option_is(option, "spin") ||
        (uci_number(value, &number) && number >= option->min && number <= option->max))
        return STATUS_OK;
    if (!option->min_text && !option->max_text)
        return error_set(err, STATUS_ARGUMENT, "engine %s, option '%s': '%s' is no number", engine,
                         name, value);
    return error_set(err, STATUS_ARGUMENT,
                     "engine %s, option '%s': '%s' is not in its range from %lld to %lld", engine,
                     name, value, option->min, option->max);
}

void uci_option_free(UciOption *option)
{
    free(option->values);
    free(option->text);
    *option = (UciOption){0};
}
