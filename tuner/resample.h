/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resample.h - the fit again on other samples of the same games: how far can it be trusted?
 *
 * Whole games are drawn, as positions of one game say much the same. A game counts as often as it
 * was drawn, by the masses of its rows. Both functions change the masses of the training rows and
 * the objective's point, and leave the masses as they were.
 */
#pragma once

#include "load.h"
#include "optimise.h"

/* What becomes of coefficients y before they are compared, [2 * weights] into x. */
typedef Status (*Finish)(void *context, const double *y, double *x, Error *err);

/*
 * Standard errors by the bootstrap: `samples` (at least 2) times each game is drawn as often as
 * chance (Poisson with mean 1, by `seed`) will have it, and the objective minimised from y.
 *
 *   rows     the objective's own
 *   errors   [n_weights] out: standard deviations of what `finish` makes of the optima
 */
Status bootstrap_errors(Objective *objective, Rows *rows, const OptimiseOptions *options,
                        const double *y, int samples, uint64_t seed, Finish finish, void *context,
                        double *errors, Error *err);

/* The fit with part of the games: the larger parts contain the smaller ones. */
enum { CURVE_POINTS = 5 };
typedef struct CurvePoint {
    double share; /* of the training games */
    uint64_t games;
    double train, validation; /* losses; validation NAN where there is none */
} CurvePoint;

Status learning_curve(Objective *objective, Rows *rows, const Rows *validation,
                      const OptimiseOptions *options, const double *y, uint64_t seed,
                      CurvePoint points[CURVE_POINTS], Error *err);
