/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.h - what the parts of the reading side share. */
#pragma once

#include "block.h"
#include "dataset.h"

/* Turns ranks into moves by replaying the game, and checks its values and start position.
 * STATUS_FORMAT names path, block, game and ply. */
Status record_replay(const Engine *engine, Game *game, GameRecord *record, const RankList *ranks,
                     const char *path, uint64_t offset, Error *err);

/* The numbers of the shards NNNNNN.cmpd in a directory, ascending (malloc'ed). */
Status shard_numbers(const char *directory, unsigned **numbers, size_t *count, Error *err);
