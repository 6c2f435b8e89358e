/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tie.c - weights that are the same weight, as the game looks the same in a mirror. */
#include "tie.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 16 };

/* Reads a rank of a FEN's board into what stands on each file ('+' and letter, or 0 for nothing);
 * returns the text after it, and the number of files in *files. */
static const char *read_rank(const char *text, int rank[FILES_MOST], int *files)
{
    int promoted = 0;
    for (*files = 0; *text && *text != '/' && *text != ' ' && *text != '['; text++) {
        if (isdigit((unsigned char)*text)) {
            int run = *text - '0';
            if (isdigit((unsigned char)text[1]))
                run = run * 10 + *++text - '0';
            for (int i = 0; i < run && *files < FILES_MOST; i++)
                rank[(*files)++] = 0;
        } else if (*text == '+') {
            promoted = '+' << 8;
        } else if (*files < FILES_MOST) {
            rank[(*files)++] = promoted | (unsigned char)*text;
            promoted = 0;
        }
    }
    return text;
}

Status tie_check(const Engine *engine, Error *err)
{
    const char *text = engine->start_fen;
    for (int number = engine->ranks; number > 0; number--) {
        int rank[FILES_MOST], files;
        text = read_rank(text, rank, &files);
        text += *text == '/';
        for (int file = 0; file < files / 2; file++)
            if (rank[file] != rank[files - 1 - file])
                return error_set(err, STATUS_ARGUMENT,
                                 "--tie: rank %d of the start position of %s is not its own mirror "
                                 "image from left to right, so its squares are not worth the same",
                                 number, engine->name);
    }
    return STATUS_OK;
}

Status tie_new(uint16_t **out, const Engine *engine, Error *err)
{
    Status status = tie_check(engine, err);
    if (status != STATUS_OK)
        return status;
    uint16_t *stands = malloc((size_t)engine->weight_count * sizeof *stands);
    if (!stands)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %d weights", engine->weight_count);
    for (int w = 0; w < engine->weight_count; w++)
        stands[w] = (uint16_t)w;
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        for (int row = 0; group->is_board && row < group->items * group->rows; row++)
            for (int column = group->columns / 2; column < group->columns; column++)
                stands[group->first + row * group->columns + column] =
                    (uint16_t)(group->first + row * group->columns + group->columns - 1 - column);
    }
    *out = stands;
    return STATUS_OK;
}

static int by_weight(const void *a, const void *b)
{
    return ((const TraceEntry *)a)->weight - ((const TraceEntry *)b)->weight;
}

void tie_trace(const uint16_t *stands, Trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        trace->entries[i].weight = stands[trace->entries[i].weight];
    qsort(trace->entries, trace->count, sizeof *trace->entries, by_weight);
    size_t kept = 0;
    for (size_t i = 0; i < trace->count;) {
        TraceEntry entry = trace->entries[i++];
        for (; i < trace->count && trace->entries[i].weight == entry.weight; i++)
            entry.count = (int16_t)(entry.count + trace->entries[i].count);
        if (entry.count)
            trace->entries[kept++] = entry;
    }
    trace->count = kept;
}
