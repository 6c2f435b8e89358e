/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spec_reader.h - reads lists of key=value that a user writes, separated by commas.
 *
 * A value may stand in double quotes (then \" and \\ mean the character) or single quotes (nothing
 * is special). No key comes twice. Errors are STATUS_ARGUMENT and name the column.
 *
 *     SpecReader reader;
 *     bool end;
 *     Status status = spec_reader_open(&reader, "--sprt", text, err);
 *     while (status == STATUS_OK && (status = spec_reader_next(&reader, &end, err)) == STATUS_OK &&
 * !end)
 *         ... reader.key, reader.value ...
 *     spec_reader_close(&reader);
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct SpecReader {
    const char *what; /* "--engine", for messages          */
    const char *text;
    const char *at; /* where reading goes on             */
    size_t column;  /* 1-based, where the last key began */
    char *key, *value;
    char *seen; /* the keys so far, each ended by '\0' */
    size_t seen_size;
} SpecReader;

/* `what` and `text` must stay valid. To be closed also after a failure. */
Status spec_reader_open(SpecReader *reader, const char *what, const char *text, Error *err);
void spec_reader_close(SpecReader *reader);

/* Puts the next key and value into the reader; *end when there is none. An empty text has one that
 * is wrong. */
Status spec_reader_next(SpecReader *reader, bool *end, Error *err);

/* The error that the value of the last key is not what was expected. */
Status spec_bad_value(const SpecReader *reader, const char *expected, Error *err);
