/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random_games.h - games of a random mover with scores and flags, and scratch directories. */
#pragma once

#include "dataset.h"

/* Game `number` of a stream that depends on the seed: at most max_plies plies, ended by the rules
 * or by the cap. Every third one starts from a position of its own. */
void random_game(const Engine *engine, uint64_t seed, uint64_t number, size_t max_plies,
                 GameRecord *record);

void assert_records_equal(const GameRecord *a, const GameRecord *b);

/* A description of a shard for `count` games from `first` on. */
ShardInfo sample_info(const Engine *engine, uint64_t first, uint64_t count);

/* Writes a shard of random games; the status of the close. */
Status write_random_shard(const Engine *engine, const char *directory, unsigned shard,
                          uint64_t seed, uint64_t first, uint64_t count, size_t max_plies,
                          ShardStat *stat);

/* A fresh directory below TMPDIR, removed with all its files (one level) by scratch_remove. */
char *scratch_make(void);
void scratch_remove(char *directory);
