/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * totals.h - what the games of two engines add up to, from the first engine's view.
 */
#pragma once

#include "results.h"
#include "statistics.h"

typedef struct MatchTotals {
    uint64_t games, wins, draws, losses;
    uint64_t unfinished; /* by the ply cap: in none of the three                           */
    uint64_t pairs[PENTANOMIAL_CELLS]; /* whole pairs that scored 0, 1/2, ..., 2, where an
                                          unfinished game scores 1/2                       */
    uint64_t plies;
    uint64_t by_rule[END_REASON_COUNT]; /* games ended by a rule, by reason                */
    uint64_t endings[TERMINATION_COUNT];
    uint64_t faults[2][TERMINATION_COUNT]; /* games lost by an engine's fault, by engine    */
} MatchTotals;

/* Adds the games of a pair that are done. */
void match_totals_add(MatchTotals *totals, const MatchPair *pair);
/* Adds up totals of different engines; faults are left alone. */
void match_totals_sum(MatchTotals *totals, const MatchTotals *more);

/* The Elo sample: pairs, or games while there is no whole pair. */
Sample match_sample(const MatchTotals *totals);

/* Twice the points of the first engine, an unfinished game being half a point. */
uint64_t match_totals_points(const MatchTotals *totals);
