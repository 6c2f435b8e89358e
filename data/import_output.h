/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_output.h - the dataset that `campmate-data import` writes: in a directory of its own
 * beside the one that is wanted, which gets its name when everything is done.
 */
#pragma once

#include "dataset.h"
#include "output_directory.h"

typedef struct ImportOutput {
    OutputDirectory place;
    ShardInfo info; /* its strings are the caller's */
    uint64_t games_per_shard, next_game;
    unsigned shards;
    ShardWriter *writer; /* NULL between shards */
} ImportOutput;

/*
 * Begins a dataset. `info` says what every shard's header does; its range is filled in here.
 * STATUS_ARGUMENT if `directory` is there and not empty: it is not touched.
 */
Status import_output_open(ImportOutput *output, const char *directory, const ShardInfo *info,
                          uint64_t first_game, uint64_t games_per_shard, Error *err);

/* Adds a game under the next number. */
Status import_output_add(ImportOutput *output, GameRecord *record, Error *err);

/* Writes the manifest and gives the directory its name. Spent in either case. */
Status import_output_close(ImportOutput *output, ShardStat *stat, Error *err);

/* Removes what was written. Safe on a zeroed or spent one. */
void import_output_abandon(ImportOutput *output);
