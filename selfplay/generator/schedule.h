/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule.h - plays the games of a run on several threads and writes them in order.
 *
 * Games are handed out by number across the whole run, so a long game at the end of a shard keeps
 * no core waiting: the shards after it are open meanwhile, and each is written, in game order,
 * when its last game is done.
 */
#pragma once

#include "generator/game.h"
#include "generator/out_directory.h"

typedef struct RunPlan {
    GameConfig game;
    const Weight *weights; /* NULL = default                                                     */
    size_t hash_mib;
    const char *directory;
    ShardInfo info; /* of each shard, but for its range                                          */
    GameRange range;
    int threads; /* > 0                                                                          */
} RunPlan;

/* What was played in this run; games that an earlier run had finished are not in it. */
typedef struct RunStat {
    uint64_t games, plies, searched_plies;
    uint64_t kept_games;  /* of the range, finished by an earlier run              */
    uint64_t outcomes[4]; /* by Outcome                                            */
    uint64_t reasons[REASON_UNKNOWN + 1]; /* by EndReason and GameReason                         */
    uint64_t adjudication_checked;    /* verdicts that were played out to an ending            */
    uint64_t adjudication_errors;     /* ... which was another one                             */
    uint64_t adjudication_unresolved; /* verdicts played on to the ply cap                     */
    /* Estimated from a sample beyond half a million games (data/key_set.h). */
    uint64_t duplicate_games;    /* with start and moves of another game of this run      */
    uint64_t duplicate_openings; /* with the position after the opening of another one    */
    uint64_t redraws;            /* openings thrown away                                  */
    uint64_t nodes, nodes_max;   /* searched; by one search at most                       */
} RunStat;

/*
 * Plays what is missing of the plan's range. Shards that are there are taken as done, partial
 * ones are loaded and completed (out_directory_check comes first).
 *
 * STATUS_INTERRUPTED after a signal (interrupt.h). Then, and after any failure, the games in play
 * are dropped and the finished games of unfinished shards are kept as partial shards where
 * possible. `stat` is filled in every case. Shows progress.
 */
Status schedule_run(const RunPlan *plan, RunStat *stat, Error *err);
