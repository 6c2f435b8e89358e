/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus.c - reads the fixtures of the rules tests. */
#include "corpus.h"

#include "support/files.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { MAX_COLUMNS = 8, MAX_PLACE = 400 };

/* Decompresses a whole file of one frame into malloc'ed text with a NUL after it. */
static Status read_compressed(const char *path, char **text, Error *err)
{
    char *packed = NULL;
    size_t packed_size;
    Status status = file_read_all(path, &packed, &packed_size, err);
    if (status)
        return status;
    unsigned long long size = ZSTD_getFrameContentSize(packed, packed_size);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
        free(packed);
        return error_set(err, STATUS_FORMAT, "%s: not a zstd frame of known size", path);
    }
    char *content = malloc(size + 1);
    size_t got = content ? ZSTD_decompress(content, size, packed, packed_size) : 0;
    free(packed);
    if (!content)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for %llu bytes", path, size);
    if (ZSTD_isError(got)) {
        free(content);
        return error_set(err, STATUS_FORMAT, "%s: %s", path, ZSTD_getErrorName(got));
    }
    content[got] = '\0';
    *text = content;
    return STATUS_OK;
}

Status corpus_read_json(const char *path, size_t stride, JsonRow use, void *context, Error *err)
{
    char *text = NULL, *rest = NULL, place[MAX_PLACE];
    Status status = read_compressed(path, &text, err);
    if (status)
        return status;
    size_t number = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (number++ % stride)
            continue;
        json_error_t trouble;
        json_t *row = json_loads(line, 0, &trouble);
        snprintf(place, sizeof place, "%s:%zu", path, number);
        if (!row) {
            status = error_set(err, STATUS_FORMAT, "%s: %s", place, trouble.text);
            break;
        }
        use(context, place, row);
        json_decref(row);
    }
    free(text);
    return status;
}

Status corpus_read_table(const char *path, TableRow use, void *context, Error *err)
{
    char *text = NULL, *rest, place[MAX_PLACE];
    size_t size, number = 0;
    Status status = file_read_all(path, &text, &size, err);
    if (status)
        return status;
    rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        number++;
        if (!*line || *line == '#')
            continue;
        char *columns[MAX_COLUMNS], *tail = line;
        size_t count = 0;
        while (tail && count < MAX_COLUMNS)
            columns[count++] = strsep(&tail, "\t");
        snprintf(place, sizeof place, "%s:%zu", path, number);
        use(context, place, columns, count);
    }
    free(text);
    return STATUS_OK;
}

const char *corpus_text(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}
