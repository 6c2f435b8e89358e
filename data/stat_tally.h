/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_tally.h - what `campmate-data stat` counts: sums of whole numbers, so that parts of a
 * dataset can be counted side by side and added up in any order; and how they are shown.
 */
#pragma once

#include "command.h"
#include "repeats.h"

enum {
    TALLY_REASONS = 64,
    TALLY_PLIES = 4096,   /* longer games count as of so many plies in `lengths`              */
    SCORE_BIN_CP = 100,   /* scores from -SCORE_TAIL_CP to below SCORE_TAIL_CP in such bins   */
    SCORE_TAIL_CP = 1000, /* ... and one bin for what is beyond on either side                */
    SLOPE_REACH_CP = 8000, /* scores beyond are no help for the slope */
    SCORE_BINS = 2 * SCORE_TAIL_CP / SCORE_BIN_CP + 2,
    SLOPE_BIN_CP = 20, /* what the slope of the scores is fitted to: finer bins */
    SLOPE_BINS = 2 * SLOPE_REACH_CP / SLOPE_BIN_CP + 1,
    REPEATS_FROM_PLY = 12
};

typedef struct Tally {
    uint64_t games, plies, outcomes[4], reasons[TALLY_REASONS];
    uint64_t longest, lengths[TALLY_PLIES + 1];    /* games by plies                            */
    uint64_t own_starts;                           /* games from another position than usual    */
    uint64_t scored, mates[2], scores[SCORE_BINS]; /* plies; mate scores by side are no bins */
    uint64_t judged[SLOPE_BINS], half_points[SLOPE_BINS]; /* scored plies of games with a result,
                                                             and what White got in them      */
    uint64_t flags[8];                             /* plies by bit of their flags            */
    uint64_t adjudicated, checked, wrong, unresolved;    /* games: see GameRecord.adjudication  */
    uint64_t positions, branching[ENGINE_MAX_MOVES + 1]; /* positions by legal moves         */
} Tally;

/* Counts what the record itself says. */
void tally_game(Tally *tally, const Engine *engine, const GameRecord *record);
void tally_add(Tally *sum, const Tally *part);

/*
 * The slope K with which the chances 1 / (1 + 10^(-K s / 400)) fit the results best, over all plies
 * with a score s that is no mate (maximum likelihood); 0 where there is no best one.
 */
double tally_score_slope(const Tally *tally);

/* An opening that many games have reached. */
typedef struct Opening {
    uint64_t first; /* the first of its games, by place in the data */
    uint64_t games, outcomes[4];
    uint64_t number; /* of that game */
    char fen[ENGINE_MAX_FEN];
} Opening;

/* All there is to show. */
typedef struct StatReport {
    const Engine *engine;
    Tally tally;
    uint64_t shards, bytes;
    char digest[33];
    bool brief;           /* nothing of what follows */
    RepeatCount *repeats; /* [REPEATS_PLIES] */
    unsigned repeats_level;
    size_t opening_ply;
    uint64_t opening_games, opening_distinct;
    Opening *openings; /* [opening_count] most frequent first */
    size_t opening_count;
} StatReport;

json_t *stat_report_json(const StatReport *report);
void stat_report_print(const StatReport *report);
