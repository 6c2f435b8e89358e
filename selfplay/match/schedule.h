/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule.h - a whole match or tournament: pairs of games on several threads, saved and counted in
 * order.
 *
 * Pair n is played from opening n of the book (in the book's order or in a shuffled one that
 * follows from the seed; in a tournament, pair n / encounters), each thread with two engine
 * processes of its own. Pairs enter the
 * statistics and the PGN in order of their number, whoever finishes first: a quick pair must not
 * count before a long one, and at fixed nodes the outcome of the match, its SPRT included, does
 * not depend on how many games are played at the same time.
 */
#pragma once

#include "book.h"
#include "tournament.h"

typedef struct MatchConfig {
    const Engine *engine; /* the rules                                                    */
    EngineSpec *engines;  /* [engine_count]; ponder and restart are set                    */
    size_t engine_count;
    Tournament tournament;
    const Encounter *encounters; /* [encounter_count]                                     */
    size_t encounter_count;
    MoveLimits limits; /* of engines that have none of their own                       */
    uint64_t games;    /* of each encounter; 0 = until the SPRT decides                */
    bool has_sprt;     /* in a match of two engines only                               */
    SprtSpec sprt;
    int concurrency;       /* games at the same time, at least 1                           */
    const cpu_set_t *cpus; /* [concurrency] for the engines of each game; NULL = any      */
    const Book *book;      /* NULL = the start position                                    */
    bool random_order;     /* of the openings                                              */
    uint64_t seed;
    const char *pgn;   /* NULL = none is written                                       */
    const char *state; /* NULL = nothing is saved                                      */
    bool resume;
    bool recover;         /* restart an engine that crashed or stalled and go on          */
    double start_seconds; /* for each step of an engine's start                           */
    ArbiterRules rules;
} MatchConfig;

typedef struct MatchSummary {
    MatchTotals *totals; /* [encounter_count], malloc'ed; NULL when out of memory           */
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
    /* A pair was counted; totals: [encounter_count]. */
    void (*pair)(void *context, const MatchTotals *totals, double llr);
} MatchObserver;

/* Tells books with other openings, or in another order, apart; NULL is a book too. */
uint64_t book_hash(const Book *book);

/*
 * Plays the match. Signals (interrupt.h) end it: STATUS_INTERRUPTED.
 *
 *   summary   out: filled in every case, with all games that are finished
 *
 * Fails with STATUS_IO if an engine does not start, or crashes or stalls without `recover` (that
 * game is counted and saved); see state_file_open for STATUS_ARGUMENT and STATUS_FORMAT. When it
 * returns, all engines have ended and are reaped.
 */
Status match_run(const MatchConfig *config, const MatchObserver *observer, MatchSummary *summary,
                 Error *err);
