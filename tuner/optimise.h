/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * optimise.h - the minimum of the objective, with proof.
 *
 * Newton's method with a line search. The step is solved by conjugate gradients on
 * Hessian-vector products with the diagonal as preconditioner, or, for few coefficients, by
 * GSL's Cholesky decomposition of the whole Hessian. The objective is strongly convex (ridge), so
 * there is one minimum and the distance to it is bounded by the gradient:
 *
 *     F(x) - F(best) <= 1/2 * |gradient|^2 / ridge        (standardised units)
 *
 * Source: J. Nocedal, S. Wright, "Numerical Optimization", chapters 3, 5 and 7.
 */
#pragma once

#include "objective.h"

typedef struct OptimiseOptions {
    double tolerance;   /* bound of the gap to reach, nats          */
    int max_iterations; /* Newton steps                             */
    size_t dense_limit; /* coefficients that occur, up to which Cholesky is used */
} OptimiseOptions;

#define OPTIMISE_DEFAULTS ((OptimiseOptions){1e-10, 100, 600})

typedef struct Certificate {
    ObjectiveValue value;
    double gradient_norm; /* largest component, standardised units         */
    double gap_bound;     /* nats above the best possible value, at most   */
    double decrement;     /* Newton decrement at the end, sqrt(g H^-1 g)   */
    int iterations;       /* Newton steps                                  */
    int products;         /* Hessian-vector products                       */
    bool dense;
} Certificate;

/* Called after each step, for progress. */
typedef void (*OptimiseReport)(void *context, int iteration, double total, double gap_bound);

/*
 * Minimises from x ([objective->n]) in place. `report` may be NULL.
 *
 * STATUS_NOT_FINITE names a position without a number; STATUS_ARGUMENT if the tolerance is not
 * reached (the message says how far it came); STATUS_INTERRUPTED. On failure x is untouched.
 */
Status optimise(Objective *objective, const OptimiseOptions *options, double *x,
                Certificate *certificate, OptimiseReport report, void *context, Error *err);
