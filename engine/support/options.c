/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.c - one table for struct, parser, range check, configuration keys and help.
 *
 * The order of work: defaults; a first look along the command line, which refuses unknown names
 * (argp would guess abbreviations and print its own complaints), finds --config and answers
 * --help; the configuration file; then argp with the command line.
 */
#include "support/options.h"

#include "support/files.h"
#include "support/version.h"

#include <argp.h>
#include <errno.h>
#include <ini.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_HELP = 'h', KEY_VERSION = 'V', KEY_FIRST_ROW = 1000 };

/* Memory that a struct of values points into, kept until options_free. */
typedef struct Owned {
    const void *values;
    void *memory;
    bool is_given; /* memory is bool [count of the table]: rows that the command line has set */
    struct Owned *next;
} Owned;
static Owned *owned;

static void *own(const void *values, void *memory)
{
    Owned *entry = memory ? malloc(sizeof *entry) : NULL;
    if (!entry) {
        free(memory);
        return NULL;
    }
    *entry = (Owned){values, memory, false, owned};
    owned = entry;
    return memory;
}

static void disown_all(const void *values)
{
    for (Owned **link = &owned; *link;) {
        Owned *entry = *link;
        if (entry->values == values) {
            *link = entry->next;
            free(entry->memory);
            free(entry);
        } else {
            link = &entry->next;
        }
    }
}

/* The C locale, whatever the program has chosen: a number is written with a dot everywhere. */
static locale_t c_locale(void)
{
    static locale_t locale;
    if (!locale)
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return locale;
}

/* --- names ----------------------------------------------------------------------------------- */

/* Equal, where a dash and an underscore are the same character. */
static bool same_name(const char *a, const char *b, size_t b_length)
{
    size_t i = 0;
    for (; i < b_length && a[i]; i++) {
        char x = a[i] == '_' ? '-' : a[i], y = b[i] == '_' ? '-' : b[i];
        if (x != y)
            return false;
    }
    return i == b_length && a[i] == '\0';
}

static const Option *find_row(const OptionTable *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++)
        if (same_name(table->rows[i].name, name, length))
            return &table->rows[i];
    return NULL;
}

/* "opening_plies" -> "opening-plies" into a buffer that is large enough for any of our names. */
static void dashed(const char *name, char *out, size_t size)
{
    size_t i = 0;
    for (; name[i] && i + 1 < size; i++)
        out[i] = name[i] == '_' ? '-' : name[i];
    out[i] = '\0';
}

/* --- values ---------------------------------------------------------------------------------- */

static void format_real(double value, char *text, size_t size)
{
    locale_t before = uselocale(c_locale());
    /* The shortest of the forms that read back as the same number. */
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) /* the thread's locale is C here */
            break;
    }
    uselocale(before);
}

static void format_bound(const Option *row, double bound, char *text, size_t size)
{
    if (row->kind == OPTION_int)
        snprintf(text, size, "%lld", (long long)bound);
    else
        format_real(bound, text, size);
}

static bool has_range(const Option *row)
{
    return (row->kind == OPTION_int || row->kind == OPTION_real) &&
           (row->min != 0 || row->max != 0); /* 0, 0: any number */
}

static bool parse_flag(const char *text, bool *value)
{
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcmp(text, yes[i]) == 0)
            return *value = true, true;
        if (strcmp(text, no[i]) == 0)
            return *value = false, true;
    }
    return false;
}

static Status out_of_range(const Option *row, const char *prefix, const char *name,
                           const char *text, Error *err)
{
    char low[40], high[40];
    format_bound(row, row->min, low, sizeof low);
    format_bound(row, row->max, high, sizeof high);
    return error_set(err, STATUS_ARGUMENT, "%s%s: %s is out of range, expected %s to %s", prefix,
                     name, text, low, high);
}

static Status set_int(const Option *row, void *target, const char *prefix, const char *name,
                      const char *text, Error *err)
{
    errno = 0;
    char *end;
    long long value = strtoll(text, &end, 10);
    /* strtoll would skip blanks before the number. */
    bool starts_well = *text == '-' || (*text >= '0' && *text <= '9');
    if (!starts_well || end == text || *end)
        return error_set(err, STATUS_ARGUMENT, "%s%s: '%s' is not a whole number", prefix, name,
                         text);
    bool within = !has_range(row) ||
                  ((double)value >= row->min && (double)value <= row->max);
    if (errno == ERANGE && !has_range(row))
        return error_set(err, STATUS_ARGUMENT, "%s%s: %s is too large", prefix, name, text);
    if (errno == ERANGE || !within)
        return out_of_range(row, prefix, name, text, err);
    *(option_int *)target = value;
    return STATUS_OK;
}

bool decimal_parse(const char *text, double *value)
{
    char *end;
    if (*text == '+' || text[strspn(text, "+-.0123456789eE")])
        return false;
    *value = strtod_l(text, &end, c_locale());
    return end != text && !*end;
}

static Status set_real(const Option *row, void *target, const char *prefix, const char *name,
                       const char *text, Error *err)
{
    double value;
    if (!decimal_parse(text, &value))
        return error_set(err, STATUS_ARGUMENT, "%s%s: '%s' is not a number%s", prefix, name, text,
                         strchr(text, ',') ? " (write a decimal point, not a comma)" : "");
    if (!isfinite(value))
        return error_set(err, STATUS_ARGUMENT, "%s%s: %s is too large", prefix, name, text);
    if (has_range(row) && !(value >= row->min && value <= row->max))
        return out_of_range(row, prefix, name, text, err);
    *(option_real *)target = value;
    return STATUS_OK;
}

static Status list_append(const void *values, OptionList *list, const char *text, Error *err)
{
    /* The older array stays with the owner: lists are short, and this keeps one rule for all. */
    const char **items = own(values, malloc((list->count + 1) * sizeof *items));
    if (!items)
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    if (list->count)
        memcpy(items, list->items, list->count * sizeof *items);
    items[list->count] = text;
    *list = (OptionList){items, list->count + 1};
    return STATUS_OK;
}

/*
 * Sets one value from text, which has to live as long as the values.
 * `prefix` and `name` open a message: "--" "nodes", or "" "nodes" in a file.
 */
static Status set_value(void *values, const Option *row, const char *prefix, const char *name,
                        const char *text, Error *err)
{
    void *target = (char *)values + row->offset;
    switch (row->kind) {
    case OPTION_int:
        return set_int(row, target, prefix, name, text, err);
    case OPTION_real:
        return set_real(row, target, prefix, name, text, err);
    case OPTION_text:
    case OPTION_list:
        if (!*text) /* a file without a name, a list without items: a slip, a variable not set */
            return error_set(err, STATUS_ARGUMENT, "%s%s: expected %s, found nothing", prefix, name,
                             row->metavar);
        if (row->kind == OPTION_list)
            return list_append(values, target, text, err);
        *(option_text *)target = text;
        return STATUS_OK;
    case OPTION_flag:
        if (!parse_flag(text, target))
            return error_set(err, STATUS_ARGUMENT,
                             "%s%s: '%s' is neither true nor false", prefix, name, text);
        return STATUS_OK;
    }
    return error_set(err, STATUS_ARGUMENT, "%s%s: unknown kind of option", prefix, name);
}

static Status set_default(void *values, const Option *row, Error *err)
{
    void *target = (char *)values + row->offset;
    switch (row->kind) {
    case OPTION_int:
        *(option_int *)target = 0;
        break;
    case OPTION_real:
        *(option_real *)target = 0;
        break;
    case OPTION_text:
        *(option_text *)target = NULL;
        break;
    case OPTION_flag:
        *(option_flag *)target = false;
        break;
    case OPTION_list:
        *(option_list *)target = (OptionList){NULL, 0};
        break;
    }
    return row->initial ? set_value(values, row, "default of ", row->name, row->initial, err)
                        : STATUS_OK;
}

/* --- configuration file ---------------------------------------------------------------------- */

typedef struct Reading {
    const OptionTable *table;
    void *values;
    bool *given; /* [count]: rows that this source has set; a first list item replaces the list */
    OptionList *positional;
    Status status;
    Error error;
} Reading;

static bool is_first_of_list(const Reading *reading, const Option *row)
{
    return row->kind == OPTION_list && !reading->given[row - reading->table->rows];
}

static int on_config_line(void *user, const char *section, const char *key, const char *value)
{
    (void)section; /* sections only group keys for the reader */
    Reading *reading = user;
    const Option *row = find_row(reading->table, key, strlen(key));
    if (!row || strcmp(row->name, "config") == 0) {
        reading->status = error_set(&reading->error, STATUS_ARGUMENT,
                                    row ? "key '%s' may only stand on the command line"
                                        : "unknown key '%s'",
                                    key);
        return 0;
    }
    bool *given = &reading->given[row - reading->table->rows];
    if (*given && row->kind != OPTION_list) {
        reading->status =
            error_set(&reading->error, STATUS_ARGUMENT, "key '%s' is given twice", key);
        return 0;
    }
    if (is_first_of_list(reading, row))
        *(OptionList *)(void *)((char *)reading->values + row->offset) = (OptionList){NULL, 0};
    *given = true;
    char *copy = own(reading->values, strdup(value));
    reading->status = copy ? set_value(reading->values, row, "", key, copy, &reading->error)
                           : error_set(&reading->error, STATUS_NO_MEMORY, "out of memory");
    return reading->status == STATUS_OK;
}

static Status read_config(const OptionTable *table, void *values, const char *path, Error *err)
{
    char *text;
    size_t size;
    Status status = file_read_up_to(path, FILE_TEXT_MOST, &text, &size, err);
    if (status != STATUS_OK)
        return status;
    bool *given = calloc(table->count ? table->count : 1, sizeof *given);
    if (!given) {
        free(text);
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    }

    /* Continuation lines would turn an indented key into more of the value above it; comments
     * after a value would silently cut a text that holds a semicolon. Neither is wanted here. */
    ini_allow_multiline = false;
    ini_allow_inline_comments = false;
    ini_stop_on_first_error = true;
    ini_use_stack = false; /* lines of any length */
    ini_allow_realloc = true;
    ini_max_line = 1 << 20;

    Reading reading = {.table = table, .values = values, .given = given};
    if (strlen(text) != size) {
        status = error_set(err, STATUS_FORMAT, "%s: not a text file (it has a zero byte)", path);
    } else {
        int line = ini_parse_string(text, on_config_line, &reading);
        if (reading.status != STATUS_OK)
            status = error_set(err, reading.status, "%s:%d: %s", path, line,
                               reading.error.message);
        else if (line > 0)
            status = error_set(err, STATUS_FORMAT, "%s:%d: expected 'key = value'", path, line);
        else if (line < 0)
            status = error_set(err, STATUS_NO_MEMORY, "%s: out of memory", path);
    }
    free(given);
    free(text);
    return status;
}

/* --- command line ---------------------------------------------------------------------------- */

/* What the first look along the command line found. */
typedef struct Glance {
    bool help, version;
    const char *config;
} Glance;

static Status glance_at(const OptionTable *table, int argc, char **argv, Glance *glance, Error *err)
{
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        if (strcmp(argument, "--") == 0)
            break;
        if (argument[0] != '-' || argument[1] == '\0')
            continue;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            glance->help = true;
            return STATUS_OK;
        }
        if (strcmp(argument, "--version") == 0 || strcmp(argument, "-V") == 0) {
            glance->version = true;
            return STATUS_OK;
        }
        size_t length = strcspn(argument, "=");
        const Option *row = argument[1] == '-' ? find_row(table, argument + 2, length - 2) : NULL;
        if (!row || memchr(argument, '_', length)) /* one spelling on the command line */
            return error_set(err, STATUS_ARGUMENT, "unknown option '%.*s' (see --help)",
                             (int)length, argument);
        const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
        if (row->kind != OPTION_flag && !value) {
            if (i + 1 == argc)
                return error_set(err, STATUS_ARGUMENT, "option '%s' needs a value (see --help)",
                                 argument);
            value = argv[++i];
        }
        if (strcmp(row->name, "config") == 0)
            glance->config = value;
    }
    return STATUS_OK;
}

static error_t on_argument(int key, char *argument, struct argp_state *state)
{
    Reading *reading = state->input;
    if (key == ARGP_KEY_ARG) {
        if (reading->positional)
            reading->status =
                list_append(reading->positional, reading->positional, argument, &reading->error);
        else
            reading->status = error_set(&reading->error, STATUS_ARGUMENT,
                                        "unexpected argument '%s' (see --help)", argument);
        return reading->status == STATUS_OK ? 0 : EINVAL;
    }
    if (key < KEY_FIRST_ROW || (size_t)(key - KEY_FIRST_ROW) >= reading->table->count)
        return ARGP_ERR_UNKNOWN;
    const Option *row = &reading->table->rows[key - KEY_FIRST_ROW];
    if (is_first_of_list(reading, row)) /* the command line's items replace the file's */
        *(OptionList *)(void *)((char *)reading->values + row->offset) = (OptionList){NULL, 0};
    reading->given[row - reading->table->rows] = true;
    char name[64];
    dashed(row->name, name, sizeof name);
    reading->status = set_value(reading->values, row, "--", name, argument ? argument : "true",
                                &reading->error);
    return reading->status == STATUS_OK ? 0 : EINVAL;
}

/* "search limit of each move, in nodes (5000; 1 to 10000000)" */
static char *help_text(const Option *row)
{
    char range[96] = "";
    if (has_range(row)) {
        char low[40], high[40];
        format_bound(row, row->min, low, sizeof low);
        format_bound(row, row->max, high, sizeof high);
        snprintf(range, sizeof range, "%s to %s", low, high);
    }
    const char *more = row->kind == OPTION_list ? "; may be given more than once" : "";
    if (!row->initial && !*range)
        return text_format("%s%s", row->help, more);
    return text_format("%s%s (%s%s%s%s)", row->help, more, row->initial ? "default " : "",
                       row->initial ? row->initial : "", row->initial && *range ? "; " : "", range);
}

/* argp's own tables, made from ours; the strings in them are freed by free_argp. */
static Status make_argp(const OptionTable *table, struct argp *argp, Error *err)
{
    struct argp_option *options = calloc(table->count + 3, sizeof *options);
    char *doc = text_format("%s\v%s", table->summary, table->details ? table->details : "");
    *argp = (struct argp){
        .options = options, .parser = on_argument, .args_doc = table->usage, .doc = doc};
    bool ok = options && doc;
    for (size_t i = 0; ok && i < table->count; i++) {
        const Option *row = &table->rows[i];
        char name[64];
        dashed(row->name, name, sizeof name);
        options[i] = (struct argp_option){
            .name = strdup(name),
            .key = KEY_FIRST_ROW + (int)i,
            .arg = row->kind == OPTION_flag ? "BOOL" : row->metavar,
            .flags = row->kind == OPTION_flag ? OPTION_ARG_OPTIONAL : 0,
            .doc = help_text(row),
            .group = (int)i + 1, /* keeps the order of the table */
        };
        ok = options[i].name && options[i].doc;
    }
    if (ok) {
        options[table->count] = (struct argp_option){
            .name = strdup("help"), .key = KEY_HELP, .doc = strdup("print this help"), .group = -1};
        options[table->count + 1] = (struct argp_option){.name = strdup("version"),
                                                         .key = KEY_VERSION,
                                                         .doc = strdup("print the version"),
                                                         .group = -1};
        for (size_t i = table->count; i < table->count + 2; i++)
            ok = ok && options[i].name && options[i].doc;
    }
    return ok ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "out of memory");
}

static void free_argp(const OptionTable *table, struct argp *argp)
{
    for (size_t i = 0; argp->options && i < table->count + 2; i++) {
        free((void *)(uintptr_t)argp->options[i].name);
        free((void *)(uintptr_t)argp->options[i].doc);
    }
    free((void *)(uintptr_t)argp->options);
    free((void *)(uintptr_t)argp->doc);
}

static void print_version(const OptionTable *table)
{
    printf("%s %s\ncommit    %s\ncompiler  %s\nlevel     %s\n", table->program, version_number(),
           version_commit(), version_compiler(), version_level());
    if (table->variants)
        printf("variants  %s\n", table->variants());
}

OptionsVerdict options_parse(const OptionTable *table, int argc, char **argv, void *values,
                             OptionList *positional, Error *err)
{
    Error unheard;
    if (!err)
        err = &unheard;
    OptionsVerdict verdict = OPTIONS_WRONG;
    struct argp argp = {0};
    Reading reading = {.table = table, .values = values, .positional = positional};
    if (positional)
        *positional = (OptionList){NULL, 0};
    disown_all(values); /* an earlier use of the same memory */
    for (size_t i = 0; i < table->count; i++)
        if (set_default(values, &table->rows[i], err) != STATUS_OK)
            return OPTIONS_WRONG;

    Glance glance = {0};
    if (glance_at(table, argc, argv, &glance, err) != STATUS_OK)
        goto cleanup;
    if (make_argp(table, &argp, err) != STATUS_OK)
        goto cleanup;
    if (glance.help || glance.version) {
        char name[64];
        snprintf(name, sizeof name, "%s", table->program);
        if (glance.help)
            argp_help(&argp, stdout,
                      ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC,
                      name);
        else
            print_version(table);
        verdict = OPTIONS_DONE;
        goto cleanup;
    }
    if (glance.config && read_config(table, values, glance.config, err) != STATUS_OK)
        goto cleanup;

    reading.given = own(values, calloc(table->count ? table->count : 1, sizeof *reading.given));
    if (!reading.given) {
        error_set(err, STATUS_NO_MEMORY, "out of memory");
        goto cleanup;
    }
    owned->is_given = true;
    error_t code = argp_parse(&argp, argc, argv,
                              ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP | ARGP_IN_ORDER, NULL,
                              &reading);
    if (reading.status != STATUS_OK)
        error_set(err, reading.status, "%s", reading.error.message);
    else if (code != 0)
        error_set(err, STATUS_ARGUMENT, "cannot read the command line (see --help)");
    else
        verdict = OPTIONS_RUN;

cleanup:
    free_argp(table, &argp);
    if (verdict != OPTIONS_RUN)
        options_free(table, values, positional);
    return verdict;
}

/* --- the rest -------------------------------------------------------------------------------- */

static bool is_named(const Option *row, const char *const *names)
{
    for (; names && *names; names++)
        if (same_name(row->name, *names, strlen(*names)))
            return true;
    return false;
}

bool options_given(const OptionTable *table, const void *values, const char *name)
{
    const Option *row = find_row(table, name, strlen(name));
    for (const Owned *entry = owned; entry; entry = entry->next)
        if (row && entry->values == values && entry->is_given)
            return ((const bool *)entry->memory)[row - table->rows];
    return false;
}

Status options_only(const OptionTable *table, const void *values, const char *const *names,
                    const char *where, Error *err)
{
#define COMMON_NAME(kind, name, initial, min, max, metavar, help) #name,
    static const char *const common[] = {COMMON_OPTIONS(COMMON_NAME) NULL};
#undef COMMON_NAME
    for (size_t i = 0; i < table->count; i++) {
        const Option *row = &table->rows[i];
        if (is_named(row, common) || is_named(row, names) ||
            !options_given(table, values, row->name))
            continue;
        char name[64];
        dashed(row->name, name, sizeof name);
        return error_set(err, STATUS_ARGUMENT, "--%s means nothing %s (see --help)", name, where);
    }
    return STATUS_OK;
}

char *options_effective(const OptionTable *table, const void *values, const char *const *omit)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < table->count; i++) {
        const Option *row = &table->rows[i];
        const void *source = (const char *)values + row->offset;
        char name[64], number[40];
        dashed(row->name, name, sizeof name);
        if (is_named(row, omit) || strcmp(row->name, "config") == 0)
            continue; /* what the file said is in the other values */
        switch (row->kind) {
        case OPTION_int:
            fprintf(out, "%s = %lld\n", name, (long long)*(const option_int *)source);
            break;
        case OPTION_real:
            format_real(*(const option_real *)source, number, sizeof number);
            fprintf(out, "%s = %s\n", name, number);
            break;
        case OPTION_text:
            if (*(const option_text *)source)
                fprintf(out, "%s = %s\n", name, *(const option_text *)source);
            break;
        case OPTION_flag:
            fprintf(out, "%s = %s\n", name, *(const option_flag *)source ? "true" : "false");
            break;
        case OPTION_list: {
            const OptionList *list = source;
            for (size_t item = 0; item < list->count; item++)
                fprintf(out, "%s = %s\n", name, list->items[item]);
            break;
        }
        }
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

Status options_from_text(const OptionTable *table, const char *text, void *values, Error *err)
{
    disown_all(values); /* an earlier use of the same memory */
    Status status = STATUS_OK;
    for (size_t i = 0; i < table->count && status == STATUS_OK; i++)
        status = set_default(values, &table->rows[i], err);
    while (*text && status == STATUS_OK) {
        size_t length = strcspn(text, "\n"), key = 0;
        while (key + 3 <= length && memcmp(text + key, " = ", 3) != 0)
            key++;
        const Option *row = key + 3 <= length ? find_row(table, text, key) : NULL;
        if (row) {
            char name[64];
            dashed(row->name, name, sizeof name);
            char *value = own(values, strndup(text + key + 3, length - key - 3));
            status = value ? set_value(values, row, "", name, value, err)
                           : error_set(err, STATUS_NO_MEMORY, "out of memory");
        }
        text += length + (text[length] == '\n');
    }
    return status;
}

int options_exit_code(OptionsVerdict verdict, const Error *err)
{
    if (verdict == OPTIONS_DONE)
        return 0;
    return err->status == STATUS_IO || err->status == STATUS_NO_MEMORY ? 1 : 2;
}

int options_threads(int64_t threads)
{
    if (threads > 0)
        return (int)threads;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more cores than cpu_set_t has room for */
    return online > 0 ? (int)online : 1;
}

void options_free(const OptionTable *table, void *values, OptionList *positional)
{
    (void)table;
    disown_all(values);
    if (positional) {
        disown_all(positional);
        *positional = (OptionList){NULL, 0};
    }
}
