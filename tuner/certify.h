/* SPDX-License-Identifier: GPL-3.0-or-later */
/* certify.h - checks of an optimum that do not trust what found it. */
#pragma once

#include "optimise.h"

typedef struct Cross {
    /* Gradient and values, in a random direction of units, half way to a random point: the gradient
     * there and the central difference of values, nats for each unit. */
    double slope, difference;
    /* A second minimisation, begun at that random point. */
    double other_total; /* its value, nats                                                   */
    double apart;       /* largest difference of a coefficient, in units (logits)            */
} Cross;

/*
 * Minimises again from a point a few units away in every coefficient, drawn by `seed`, and compares
 * with the optimum y ([objective->n]); compares the gradient with differences of values. The
 * objective's point moves. Errors are those of optimise().
 */
Status certify(Objective *objective, const OptimiseOptions *options, const double *y, uint64_t seed,
               Cross *cross, Error *err);
