/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange.c - the positions of all processes to all of them. */
#include "exchange.h"

#include "comm.h"

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
