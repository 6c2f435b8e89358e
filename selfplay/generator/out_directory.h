/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * out_directory.h - how a run is cut into shards, and what an output directory holds already.
 *
 * Shards are cut at multiples of their size, counted from game 0, so that runs of different
 * ranges of games fit together: game n is in shard n / shard_games, wherever it is played.
 */
#pragma once

#include "dataset.h"

/* The games of a run. */
typedef struct GameRange {
    uint64_t first, count; /* game numbers first .. first + count - 1                            */
    uint64_t shard_games;  /* games of a shard; the first and the last one may have fewer        */
} GameRange;

enum { SHARD_NUMBERS = 1000000 }; /* six digits */

/* The shards of a range, count > 0: numbers first .. first + count - 1. */
void range_shards(const GameRange *range, unsigned *first, size_t *count);
/* Sets first_game and game_count of `info` to what the run puts into a shard. */
void range_of_shard(const GameRange *range, unsigned shard, ShardInfo *info);

/*
 * Says whether a run may write to `directory`. Reads only; a directory that is not there is fine.
 *
 *   resume   false: any shard in it, finished or partial, is refused.
 *            true: each must come from the same engine, weights, seed and configuration as
 *            `info` says, and hold the same games as this run would put into it.
 *
 * STATUS_ARGUMENT names the file and the difference.
 */
Status out_directory_check(const char *directory, bool resume, const ShardInfo *info,
                           const GameRange *range, Error *err);

/*
 * Compares what made two shards; the first difference in words, or false if there is none. `text`
 * has room for `size` bytes. Ranges, commit and compiler are not compared: what a build plays is
 * its bench signature.
 */
bool shard_origin_differs(const ShardInfo *there, const ShardInfo *here, char *text, size_t size);
