/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * configuration.h - from options, or from what a shard says of itself, to what games are played
 * with.
 *
 * The configuration of a shard is the effective options as `key = value` lines, without those that
 * do not change a game; of a book and of weights only the digests are kept, since paths differ
 * between machines. So a shard tells enough to play its games again.
 */
#pragma once

#include "generator/game.h"
#include "generator/options.h"

extern const OptionTable selfplay_options;

/* Score slopes K. Below the least, scores of sure wins would be more centipawns than a score can
 * have; those measured for weights are brought into the range. */
#define SCORE_SLOPE_LEAST 0.05
#define SCORE_SLOPE_MOST  2.5

/* Replaces the values that depend on others (those of -1). Not the seed. */
void selfplay_settle(SelfplayOptions *options);

/* What games are played with; what is read from files is owned. */
typedef struct PlaySetup {
    GameConfig game; /* points to `book`, so a setup stays where it is */
    Book book;
    Weight *weights; /* NULL = default */
    size_t hash_mib;
} PlaySetup;

void play_setup_free(PlaySetup *setup);

/*
 * Reads book and weights of settled options and fills the origin of the shards in `info` (build,
 * weights, configuration, seed; not the bench signature and no range). Both are to be freed by the
 * caller, also on failure (zero them first).
 */
Status play_setup(PlaySetup *setup, ShardInfo *info, const SelfplayOptions *options, Error *err);

/*
 * What the games of a shard were played with, from its own configuration.
 *
 *   eval_file, book   where the weights and the book are on this machine, NULL = the built-in
 *                     weights, no book; their digests have to be those of the shard
 *   bench             signature of a build with these weights, 0 = not known yet: found, and kept
 *   difference        out, malloc'ed lines of what differs, NULL if that is not the reason
 *
 * STATUS_ARGUMENT if this build cannot play the games again: they were not made by self-play
 * alone, or by another build, other weights, or another book. Not thread-safe.
 */
Status play_setup_of_shard(PlaySetup *setup, const ShardInfo *shard, const char *eval_file,
                           const char *book, uint64_t *bench, char **difference, Error *err);
