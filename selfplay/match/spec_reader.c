/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spec_reader.c - lists of key=value: see spec_reader.h. */
#include "spec_reader.h"

#include <stdlib.h>
#include <string.h>

Status spec_reader_open(SpecReader *reader, const char *what, const char *text, Error *err)
{
    *reader = (SpecReader){.what = what, .text = text, .at = text};
    reader->key = malloc(strlen(text) + 1);
    reader->value = malloc(strlen(text) + 1);
    reader->seen = malloc(strlen(text) + 1); /* each key is followed by a '=' there */
    if (!reader->key || !reader->value || !reader->seen)
        return error_set(err, STATUS_NO_MEMORY, "%s: out of memory", what);
    return STATUS_OK;
}

void spec_reader_close(SpecReader *reader)
{
    free(reader->key);
    free(reader->value);
    free(reader->seen);
}

/* Notes a key; false if it has been there. */
static bool note_key(SpecReader *reader)
{
    for (size_t at = 0; at < reader->seen_size; at += strlen(reader->seen + at) + 1)
        if (strcmp(reader->seen + at, reader->key) == 0)
            return false;
    size_t size = strlen(reader->key) + 1;
    memcpy(reader->seen + reader->seen_size, reader->key, size);
    reader->seen_size += size;
    return true;
}

Status spec_reader_next(SpecReader *reader, bool *end, Error *err)
{
    const char *at = reader->at;
    *end = *at == '\0' && at != reader->text;
    if (*end)
        return STATUS_OK;

    reader->column = (size_t)(at - reader->text) + 1;
    size_t length = strcspn(at, "=,");
    if (at[length] != '=' || length == 0)
        return error_set(err, STATUS_ARGUMENT, "%s: column %zu: expected key=value, found '%.40s'",
                         reader->what, reader->column, at);
    memcpy(reader->key, at, length);
    reader->key[length] = '\0';
    at += length + 1;
    if (!note_key(reader))
        return error_set(err, STATUS_ARGUMENT, "%s: column %zu: '%s' is given twice", reader->what,
                         reader->column, reader->key);

    char *out = reader->value;
    if (*at == '"' || *at == '\'') {
        const char quote = *at++;
        while (*at && *at != quote) {
            if (quote == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
                at++;
            *out++ = *at++;
        }
        if (!*at)
            return error_set(err, STATUS_ARGUMENT,
                             "%s: column %zu: the quote of '%s' is not closed", reader->what,
                             reader->column, reader->key);
        at++;
        if (*at && *at != ',')
            return error_set(
                err, STATUS_ARGUMENT,
                "%s: column %zu: expected a comma after the quoted value, found '%.40s'",
                reader->what, (size_t)(at - reader->text) + 1, at);
    } else {
        while (*at && *at != ',')
            *out++ = *at++;
    }
    *out = '\0';
    if (*at == ',') {
        at++;
        if (!*at)
            return error_set(err, STATUS_ARGUMENT, "%s: column %zu: nothing after the last comma",
                             reader->what, (size_t)(at - reader->text));
    }
    reader->at = at;
    return STATUS_OK;
}

Status spec_bad_value(const SpecReader *reader, const char *expected, Error *err)
{
    return error_set(err, STATUS_ARGUMENT, "%s: column %zu: %s='%s': expected %s", reader->what,
                     reader->column, reader->key, reader->value, expected);
}
