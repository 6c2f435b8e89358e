/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rescore.h - the games of datasets with new scores, by a search of each position.
 *
 * What a game's scores are depends on the game, the build, the weights, the hash size and the
 * limits only: tables are cleared before each game. So the shards are the same for any number of
 * threads, and each of them can be made by itself, anywhere.
 */
#pragma once

#include "derive.h"

typedef struct RescorePlan {
    const DeriveInput *input;
    const char
        *out; /* directory; shards that it has already are kept if they are as they would be */
    const char *note;      /* for the configuration: see derive_info      */
    const Weight *weights; /* NULL = default */
    size_t hash_mib;
    SearchLimits limits;
    bool scored_only; /* plies without a score stay so */
    int threads;
} RescorePlan;

typedef struct RescoreStat {
    uint64_t shards, kept_shards; /* made now; found in `out`                        */
    uint64_t games, positions;    /* of the shards made now; positions searched      */
    uint64_t nodes;
} RescoreStat;

/*
 * Searches and writes; games that are searched at the same time may be of different shards. The
 * manifest is the caller's. STATUS_ARGUMENT if `out` has shards of another origin, with the
 * difference; STATUS_INTERRUPTED after a signal: finished shards stay.
 */
Status rescore_run(const RescorePlan *plan, RescoreStat *stat, Error *err);

/*
 * Which of the sources' shards are in `out` already, [source_count]: read to the end, and found to
 * be of this plan and of the source's games. Otherwise as rescore_run, which begins with it.
 */
Status rescore_find_kept(const RescorePlan *plan, bool *kept, Error *err);

/* Seconds that a position takes, from a few of the first game. */
Status rescore_estimate(const RescorePlan *plan, double *seconds, Error *err);
