/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loss.h - cross-entropy of the expected score over rows.
 *
 * A row of score s (centipawns, White's view) predicts p = 1 / (1 + 10^(-slope * s / 400)) and
 * costs -(t log p + (1 - t) log(1 - p)) nats for its target t. The loss is the mean over the rows
 * by mass; a row that was filtered is not there and dilutes nothing.
 *
 * All sums are made in lanes (rows.h): the same bits for any number of threads. x is as in rows.h
 * and aligned as malloc does. Functions are thread-safe on different objects; `threads` is the
 * number of OpenMP threads to use.
 * Source: A. Grant, "Evaluation & Tuning in Chess Engines" (linear trace, tapered gradient).
 */
#pragma once

#include "rows.h"

#define LOGIT_PER_CP (2.302585092994045684 / 400) /* ln 10 / 400 */

/* STATUS_NOT_FINITE with the place of the first row of a chain whose loss is no number. */
Status name_bad_chain(const Rows *rows, size_t chain, const double *x, double slope, Error *err);

/*
 * Mean loss of weights.
 *
 *   loss   out, nats a position; left alone on failure
 *
 * STATUS_ARGUMENT if there are no rows; STATUS_NOT_FINITE names the first row whose score or target
 * is no number.
 */
Status rows_loss(const Rows *rows, const double *x, double slope, int threads, double *loss,
                 Error *err);

/*
 * The slope that fits the scores of given weights best, by GSL's minimiser on a bracket.
 *
 * STATUS_ARGUMENT if the loss has no minimum inside [SLOPE_MIN, SLOPE_MAX]: scores that say
 * nothing about the results, or results that never contradict them.
 */
#define SLOPE_MIN 0.02
#define SLOPE_MAX 20.0
Status slope_fit(const Rows *rows, const double *x, int threads, double *slope, Error *err);

/* Predicted against scored, in bins of equal width of the prediction; `mass` in positions. */
enum { CALIBRATION_BINS = 10 };
typedef struct Calibration {
    double mass[CALIBRATION_BINS], predicted[CALIBRATION_BINS], scored[CALIBRATION_BINS];
} Calibration;
void rows_calibration(const Rows *rows, const double *x, double slope, Calibration *calibration);
