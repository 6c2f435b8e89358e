/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus.h - reads the fixtures of the rules tests: compressed JSON lines and tables of text. */
#pragma once

#include "support/error.h"

#include <jansson.h>

/* Called for each row; `place` is "file:line". */
typedef void (*JsonRow)(void *context, const char *place, const json_t *row);
typedef void (*TableRow)(void *context, const char *place, char **columns, size_t count);

/* Calls `use` for every `stride`-th object, from the first on, of a zstd file of JSON lines. */
Status corpus_read_json(const char *path, size_t stride, JsonRow use, void *context, Error *err);

/* Calls `use` for every line of a file of tab-separated columns; `#` begins a comment line. */
Status corpus_read_table(const char *path, TableRow use, void *context, Error *err);

/* The text under a key, "" if there is none. */
const char *corpus_text(const json_t *row, const char *key);
