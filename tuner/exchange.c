/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange.c - the positions of all processes to all of them. */
#include "exchange.h"

#include "comm.h"

#include <stdlib.h>

static Status exchange_rows(Rows *rows, Error *err)
{
    unsigned long long totals[3] = {rows->count, rows->change_count, rows->chain_count};
    comm_sum(totals, 3);
    Status status = rows_reserve(rows, totals[0] - rows->count, totals[1] - rows->change_count,
                                 totals[2] - rows->chain_count, err);
    if ((status = comm_agree(status, err)) != STATUS_OK || !totals[0])
        return status;
    comm_gather_parts(rows->rows, rows->count, sizeof *rows->rows);
    comm_gather_parts(rows->targets, rows->count, sizeof *rows->targets);
    comm_gather_parts(rows->keys, rows->count, sizeof *rows->keys);
    comm_gather_parts(rows->scores, rows->count, sizeof *rows->scores);
    comm_gather_parts(rows->changes, rows->change_count, sizeof *rows->changes);
    comm_gather_parts(rows->chains, rows->chain_count, sizeof *rows->chains);
    unsigned *ranges = calloc((size_t)comm_size(), 2 * sizeof *ranges);
    status = ranges ? STATUS_OK
                    : error_set(err, STATUS_NO_MEMORY, "no memory for %d processes", comm_size());
    if ((status = comm_agree(status, err)) != STATUS_OK) {
        free(ranges);
        return status;
    }
    ranges[2 * comm_rank()] = rows->weights;
    ranges[2 * comm_rank() + 1] = rows->most;
    comm_gather(ranges, NULL, (size_t)comm_size(), 2 * sizeof *ranges);
    for (int rank = 0; rank < comm_size(); rank++)
        rows_widen(rows, ranges[2 * rank], ranges[2 * rank + 1]);
    free(ranges);
    rows->count = totals[0];
    rows->change_count = totals[1];
    rows->chain_count = totals[2];
    return STATUS_OK;
}

Status exchange_parts(Sample *sample, Status status, Error *err)
{
    if (comm_size() == 1 || (status = comm_agree(status, err)) != STATUS_OK)
        return status;
    for (int part = 0; part < PART_COUNT && status == STATUS_OK; part++)
        status = exchange_rows(&sample->parts[part], err);
    unsigned long long counts[SKIP_COUNT + 3] = {sample->games, sample->plies, sample->checked};
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        counts[3 + skip] = sample->skipped[skip];
    comm_sum(counts, SKIP_COUNT + 3);
    sample->games = counts[0];
    sample->plies = counts[1];
    sample->checked = counts[2];
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        sample->skipped[skip] = counts[3 + skip];
    return status;
}
