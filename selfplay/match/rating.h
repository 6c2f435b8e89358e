/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rating.h - ratings of a pool of engines from the games between them.
 *
 * The model is that of Bradley and Terry: A scores 1 / (1 + 10^((Elo of B - Elo of A) / 400)) on
 * average, a draw being half a win. The ratings are the most likely ones for all games together, so
 * that engines which never met are compared through others. What is known of them is the Fisher
 * information: exact for games without draws, on the safe side with draws.
 *
 *     RatingPool pool = {0};
 *     rating_pool_add(&pool, "a", "b", (RatingScore){.wins = 60, .losses = 40}, &err);
 *     rating_fit(&pool, &options, &fit, &err);
 *
 * Sources: R. A. Bradley, M. E. Terry, "Rank Analysis of Incomplete Block Designs I"; L. R. Ford,
 * "Solution of a Ranking Problem from Binary Comparisons" (when there is a finite solution).
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Games of a first player against a second one. */
typedef struct RatingScore {
    uint64_t wins, draws, losses;
} RatingScore;

typedef struct RatingPairing {
    size_t first, second; /* players; first < second */
    RatingScore score;
} RatingPairing;

typedef struct RatingPool {
    char **names; /* [player_count], in the order of their first game */
    size_t player_count, player_capacity;
    RatingPairing *pairings; /* [pairing_count], each two players once */
    size_t pairing_count, pairing_capacity;
    size_t last; /* the pairing found last */
} RatingPool;

void rating_pool_free(RatingPool *pool);

/* Adds games; names are copied. STATUS_ARGUMENT if both names are the same. */
Status rating_pool_add(RatingPool *pool, const char *first, const char *second, RatingScore score,
                       Error *err);

/* The number of a player; player_count if there is none of that name. */
size_t rating_pool_find(const RatingPool *pool, const char *name);

typedef struct RatingOptions {
    const char *anchor; /* whose Elo is anchor_elo; NULL = the mean of all is */
    double anchor_elo;
    double prior; /* draws added to each pairing that was played */
} RatingOptions;

typedef struct Rating {
    size_t player;
    double elo;
    double error; /* half of the 95 % interval of the difference to the anchor, or to the mean of
                     all; 0 for the anchor                                                       */
    double los;   /* likelihood of being stronger than the next in the list; NaN for the last    */
    RatingScore score;
} Rating;

typedef struct RatingFit {
    Rating *ratings; /* [pool's player_count], the best first, owned */
    double log_likelihood;
    double gradient; /* the largest part of it left, in points */
    int steps;
} RatingFit;

void rating_fit_free(RatingFit *fit);

/*
 * Finds the most likely ratings.
 *
 * STATUS_ARGUMENT if there is no answer, with the names of those concerned: fewer than two players,
 * an anchor that is not among them, groups that never met, and without a prior players that took
 * every point from the others, or lost every one to them (their rating would be infinite).
 */
Status rating_fit(const RatingPool *pool, const RatingOptions *options, RatingFit *fit, Error *err);
