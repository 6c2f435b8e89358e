/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * out_directory.h - how a run is cut into shards, and what an output directory holds already.
 *
 * Shards are cut at multiples of their size, counted from game 0, so that runs of different
 * ranges of games fit together: game n is in shard n / shard_games, wherever it is played.
 */
#pragma once

#include "generator/origin.h"

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
 *   resume       false: any shard in it is refused, be it finished, partial, or games that a killed
 *                process left.
 *                true: each must come from the same variant, weights, seed, configuration and build
 *                as `info` says, and hold the same games as this run would put into it.
 *   scope        ORIGIN_GAMES: commit and compiler may be others
 *   difference   out, malloc'ed lines of all that differs in the first shard that was made
 *                otherwise, NULL if that is not the reason
 *
 * STATUS_ARGUMENT names the file.
 */
Status out_directory_check(const char *directory, bool resume, OriginScope scope,
                           const ShardInfo *info, const GameRange *range, char **difference,
                           Error *err);

/*
 * Removes what is of no more use beside finished shards: partials, leftovers and locks of processes
 * that were killed when they had just finished them.
 */
void out_directory_tidy(const char *directory);

/*
 * The seed of the run in `directory`, by the header of any of its shards: finished, partial, or
 * left by a process that was killed. *seed = 0 if there is none.
 */
Status out_directory_seed(const char *directory, uint64_t *seed, Error *err);
