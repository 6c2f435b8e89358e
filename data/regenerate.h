/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * regenerate.h - plays games of a dataset again from their numbers and compares them.
 *
 * A game of self-play is a function of build, weights, configuration, seed and number, all of
 * which a shard pins: what is stored has to come out again.
 */
#pragma once

#include "dataset.h"

#include <jansson.h>

typedef struct Regeneration Regeneration;

typedef struct RegenerationPlan {
    uint64_t games; /* to draw, without replacement; all where there are not so many */
    uint64_t seed;  /* of the draw                                                    */
    int threads;
} RegenerationPlan;

/*
 * Finds out what the games of every shard were played with. The datasets have to stay open.
 *
 *   eval_file, book   of the games, NULL = the built-in weights, no book
 *
 * STATUS_ARGUMENT names the first shard whose games this build cannot play again, and each
 * difference. Not thread-safe.
 */
Status regeneration_open(Regeneration **regeneration, Dataset *const *datasets, size_t count,
                         const char *eval_file, const char *book, Error *err);
void regeneration_close(Regeneration *regeneration); /* NULL is fine */

/*
 * Draws games, plays them again and appends a text to `findings` for each that differs: shard,
 * game, ply, what is stored and what was played. In order of shard and game, for any number of
 * threads. *games = how many were compared. Shows progress. STATUS_INTERRUPTED after a signal.
 */
Status regeneration_run(const Regeneration *regeneration, const RegenerationPlan *plan,
                        json_t *findings, uint64_t *games, Error *err);
