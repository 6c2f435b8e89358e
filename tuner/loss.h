/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loss.h - cross-entropy of the expected score over rows, with derivatives.
 *
 * A row of score s (centipawns, White's view) predicts p = 1 / (1 + 10^(-slope * s / 400)) and
 * costs -(t log p + (1 - t) log(1 - p)) nats for its target t. The loss is the mean over the rows
 * by mass; a row that was filtered is not there and dilutes nothing.
 *
 * All sums are made in lanes, fixed runs of rows that depend on the number of rows only, which
 * are combined in order: the same bits for any number of threads. x is as in rows.h. Functions
 * are thread-safe on different objects; `threads` is the number of OpenMP threads to use.
 * Source: A. Grant, "Evaluation & Tuning in Chess Engines" (linear trace, tapered gradient).
 */
#pragma once

#include "shared.h"

/* Scores of all rows, [rows->count] centipawns. */
void rows_scores(const Rows *rows, const double *x, int threads, double *scores);

/*
 * Mean loss of given scores.
 *
 *   loss   out, nats a position; left alone on failure
 *
 * STATUS_NOT_FINITE names the first row whose score or target is no number.
 */
Status scores_loss(const Rows *rows, const double *scores, double slope, int threads, double *loss,
                   Error *err);

/* The same for weights. STATUS_ARGUMENT if there are no rows. */
Status rows_loss(const Rows *rows, const double *x, double slope, int threads, double *loss,
                 Error *err);

/*
 * The slope that fits the given scores best, by GSL's minimiser on a bracket.
 *
 * STATUS_ARGUMENT if the loss has no minimum inside [SLOPE_MIN, SLOPE_MAX]: scores that say
 * nothing about the results, or results that never contradict them.
 */
#define SLOPE_MIN 0.02
#define SLOPE_MAX 20.0
Status slope_fit(const Rows *rows, const double *scores, int threads, double *slope, Error *err);

/* Predicted against scored, in bins of equal width of the prediction. */
enum { CALIBRATION_BINS = 10 };
typedef struct Calibration {
    double mass[CALIBRATION_BINS], predicted[CALIBRATION_BINS], scored[CALIBRATION_BINS];
} Calibration;
void rows_calibration(const Rows *rows, const double *scores, double slope,
                      Calibration *calibration);

/* --- the objective of the fit ------------------------------------------------------------------
 */

/*
 * F(y) = loss(x(y)) + ridge / 2 * sum over j of metric[j] * (y[j] - prior[j])^2.
 *
 * y holds the coefficients of shared.h and x the weights that they add up to. metric[j] is the
 * square of the unit in which y[j] is standardised: how far, in logits, a centipawn of it moves
 * the predictions. So F's Hessian is at least ridge times the metric, which gives the bound of
 * the gap in the certificate.
 */
typedef struct Objective {
    const Rows *rows;
    const Shared *shared; /* borrowed; NULL: y is x                                  */
    size_t n;             /* length of y                                             */
    size_t n_weights;     /* length of x = 2 * weights                               */
    double slope, ridge;
    const double *prior; /* [n], borrowed                                            */
    double *metric;      /* [n]                                                      */
    int threads;
    double mass; /* of all rows */
    /* Of each row at the last point that was evaluated. */
    double *scores, *curvature;
    double *lane_sums;                /* [lanes][2 n_weights]                        */
    double *x, *sums;                 /* [n_weights], [2 n_weights] scratch          */
    size_t *lane_rows, *lane_entries; /* [lanes + 1] where each begins               */
    int lanes;
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

typedef struct ObjectiveValue {
    double total; /* loss + penalty */
    double loss, penalty;
} ObjectiveValue;

/*
 * Value, gradient ([n]) and diagonal of the Hessian ([n], for a preconditioner: what entries of one
 * coefficient have in common is left out) at y. The point becomes the one that
 * objective_hessian_times and objective_along refer to. STATUS_NOT_FINITE names the row.
 */
Status objective_evaluate(Objective *objective, const double *y, ObjectiveValue *value,
                          double *gradient, double *diagonal, Error *err);

/* product = Hessian * direction, at the last point evaluated. */
void objective_hessian_times(const Objective *objective, const double *direction, double *product);

/* The Hessian itself, [n][n], both triangles. STATUS_NO_MEMORY. */
Status objective_hessian(const Objective *objective, double *hessian, Error *err);

/* Scores of all rows for coefficients y, as rows_scores. */
void objective_scores(const Objective *objective, const double *y, double *scores);

/* Value at y + step * direction, y being the last point evaluated and `change` the scores of the
 * direction (objective_scores). A step that leads to no number is infinitely bad. */
double objective_along(const Objective *objective, const double *y, const double *direction,
                       const double *change, double step);
