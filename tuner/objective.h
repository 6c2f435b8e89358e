/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * objective.h - what the fit minimises, with derivatives.
 *
 *     F(y) = loss(x(y)) + ridge / 2 * sum over j of metric[j] * (y[j] - prior[j])^2
 *
 * y holds the coefficients of shared.h and x the weights that they add up to. metric[j] is the
 * square of the unit in which y[j] is standardised: how far, in logits, a centipawn of it moves
 * the predictions. So F's Hessian is at least ridge times the metric, which gives the bound of the
 * gap in the certificate.
 */
#pragma once

#include "chain.h"
#include "loss.h"
#include "shared.h"

typedef struct Objective {
    const Rows *rows;
    const Shared *shared; /* borrowed; NULL: y is x                                  */
    size_t n;             /* length of y                                             */
    size_t n_weights;     /* length of x = 2 * weights                               */
    double slope, ridge;
    const double *prior; /* [n], borrowed                                            */
    double *metric;      /* [n]                                                      */
    int threads;
    double mass;         /* of all rows                                                 */
    uint16_t *curvature; /* [rows] p (1 - p) at the last point, see objective.c      */
    double *lane_sums;   /* [lanes][n_weights]                                         */
    Duo *word_sums;      /* [threads][words] scratch                                   */
    double *x, *sums;    /* [n_weights] scratch                                         */
    ChainValues values;  /* at x                                                        */
    Lanes lanes;
    int lane_begin, lane_end; /* those of this process */
    /* Coefficients that occur, in pairs, ascending: of weights first. The others only feel the
     * pull. */
    size_t active_count;
    int *active;
    int *weight_place; /* [weights] number among the weights that occur, -1 = it does not */
} Objective;

/*
 *   unit_square  [n] squares of the units of y, from mean squares of the counts; 0 = a
 *                coefficient that never occurs: it has no gradient and keeps its prior
 *
 * STATUS_ARGUMENT if there are no rows, ridge <= 0 or slope <= 0.
 */
Status objective_init(Objective *objective, const Rows *rows, int weight_count,
                      const Shared *shared, double slope, double ridge, const double *unit_square,
                      const double *prior, int threads, Error *err);
void objective_free(Objective *objective);

/* Adds up the masses again, after rows were given others. */
void objective_weigh(Objective *objective);

typedef struct ObjectiveValue {
    double total; /* loss + penalty */
    double loss, penalty;
} ObjectiveValue;

/*
 * Value and gradient ([n]) at y. The point becomes the one that the functions below refer to.
 * STATUS_NOT_FINITE names the row.
 */
Status objective_evaluate(Objective *objective, const double *y, ObjectiveValue *value,
                          double *gradient, Error *err);

/* Diagonal of the Hessian ([n], for a preconditioner: what weights of one shared coefficient have
 * in common is left out). STATUS_NO_MEMORY. */
Status objective_diagonal(Objective *objective, double *diagonal, Error *err);

/* product = Hessian * direction. */
void objective_hessian_times(const Objective *objective, const double *direction, double *product);

/* The Hessian itself by the coefficients that occur, [active_count][active_count], both triangles.
 * STATUS_NO_MEMORY. */
Status objective_hessian(const Objective *objective, double *hessian, Error *err);
