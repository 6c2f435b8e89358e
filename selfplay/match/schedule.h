/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule.h - a whole match: pairs of games on several threads, saved and counted in order.
 *
 * Pair n is played from opening n of the book (in the book's order or in a shuffled one that
 * follows from the seed), each thread with two engine processes of its own. Pairs enter the
 * statistics and the PGN in order of their number, whoever finishes first: a quick pair must not
 * count before a long one, and at fixed nodes the outcome of the match, its SPRT included, does
 * not depend on how many games are played at the same time.
 */
#pragma once

#include "book.h"
#include "results.h"

typedef struct MatchConfig {
    const Engine *engine; /* the rules                                                    */
    EngineSpec engines[2];
    MoveLimits limits; /* of engines that have none of their own                       */
    uint64_t games;    /* 0 = until the SPRT decides                                   */
    bool has_sprt;
    SprtSpec sprt;
    int concurrency;   /* games at the same time, at least 1                           */
    const Book *book;  /* NULL = the start position                                    */
    bool random_order; /* of the openings                                              */
    uint64_t seed;
    const char *pgn;   /* NULL = none is written                                       */
    const char *state; /* NULL = nothing is saved                                      */
    bool resume;
    bool recover;         /* restart an engine that crashed or stalled and go on          */
    double start_seconds; /* for each step of an engine's start                           */
    ArbiterRules rules;
} MatchConfig;

/* Counts, from the first engine's view. */
typedef struct MatchTotals {
    uint64_t games, wins, draws, losses; /* unfinished games are among the draws            */
    uint64_t unfinished;
    uint64_t pairs[PENTANOMIAL_CELLS]; /* whole pairs that scored 0, 1/2, ..., 2          */
    uint64_t plies;
    uint64_t by_rule[END_REASON_COUNT]; /* games ended by a rule, by reason                */
    uint64_t endings[TERMINATION_COUNT];
    uint64_t faults[2][TERMINATION_COUNT]; /* games lost by an engine's fault, by engine    */
} MatchTotals;

typedef struct MatchSummary {
    MatchTotals totals;
    double llr, llr_lower, llr_upper; /* with an SPRT                                       */
    Verdict verdict;                  /* VERDICT_NONE without one                           */
    /* Of this run, without what was read back: */
    uint64_t plies_now;
    double seconds;     /* wall time                                          */
    double overhead_ms; /* per ply, between a bestmove and the next go        */
} MatchSummary;

/* Called one at a time, from any thread; must not call back. Members may be NULL. */
typedef struct MatchObserver {
    void *context;
    void (*notice)(void *context, const char *text); /* one line for the user               */
    void (*pair)(void *context, const MatchTotals *totals, double llr); /* a pair was counted */
} MatchObserver;

/*
 * Plays the match. SIGINT and SIGTERM (interrupt.h) end it: STATUS_INTERRUPTED.
 *
 *   summary   out: filled in every case, with all games that are finished
 *
 * Fails with STATUS_IO if an engine does not start, or crashes or stalls without `recover` (that
 * game is counted and saved); see state_file_open for STATUS_ARGUMENT and STATUS_FORMAT. When it
 * returns, all engines have ended and are reaped.
 */
Status match_run(const MatchConfig *config, const MatchObserver *observer, MatchSummary *summary,
                 Error *err);

/* The Elo sample of a match: pairs, or games while there is no whole pair. */
Sample match_sample(const MatchTotals *totals);
