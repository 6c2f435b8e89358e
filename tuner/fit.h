/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit.h - from a sample of positions to weights: slope, targets, optimum, gauge, rounding.
 */
#pragma once

#include "certify.h"
#include "load.h"
#include "resample.h"
#include "weighting.h"

typedef struct FitOptions {
    double lambda; /* share of the result in the target, the rest is the score's               */
    double slope;  /* K; 0 = fitted to the prior's scores (needs weights that are not all 0)   */
    double ridge;  /* pull towards the prior, standardised units; 0 = chosen on validation     */
    double rare;   /* added to the mean square of each coefficient's count, for its unit: what
                      occurs less often is pulled as if it occurred that often                 */
    /*
     * Unit of the weights: where positive, they are multiplied so that a piece on the board is
     * worth this many centipawns on average, and the slope is divided by the same factor. No
     * prediction changes. For weights from zero, where K = 1 gives small numbers (early games say
     * little about the result) that rounding would hurt and a search's margins do not expect.
     */
    double anchor_cp;
    bool cross_check; /* minimise from a second start, too */
    uint64_t seed;    /* of that start, and of the next two */
    int bootstrap;    /* samples for standard errors, 0 = none, at least 2 */
    bool curve;       /* fit to parts of the games, too    */
    Weighting weighting;
    int rare_below; /* weights that fewer positions count are listed; 0 = RARELY */
    /* Positions that choose the ridge by their results, whatever lambda is, in place of the
     * sample's validation part: settled rows (fit_settle) of the same variant, borrowed; NULL. */
    const Rows *judge;
    int threads;
    OptimiseOptions optimise;
} FitOptions;

/* The ridges that are tried, from strong to weak, and what is taken where nothing is held out. */
#define RIDGE_STRONGEST 100.0
#define RIDGE_FACTOR    0.31622776601683794 /* 10^-1/2 */
#define RIDGE_DEFAULT   0.01
enum { RIDGE_STEPS = 17 };

typedef struct FitLosses {
    double before, exact, rounded; /* of the prior, the optimum, the weights as integers */
} FitLosses;

typedef struct FitResult {
    Weight *weights;      /* [weight_count], owned */
    double slope, ridge;  /* the slope belongs to `weights` */
    double *errors;       /* [2 * weight_count] standard errors of middlegame and endgame, in
                             centipawns of `weights`, owned; NULL = not asked for */
    double anchor_factor; /* by which the weights were multiplied; 1 = not at all */
    /* Losses along the ridges that were tried; path_length 0 = the ridge was given. */
    struct {
        double ridge, train, validation;
    } path[RIDGE_STEPS];
    int path_length, path_steps; /* steps: Newton's on the way, counted in the certificate too */
    double judged; /* loss of the chosen ridge on the validation rows or `judge`, NAN without */
    Certificate certificate;
    bool crossed;
    Cross cross; /* if crossed */
    int curve_length;
    CurvePoint curve[CURVE_POINTS];
    uint64_t *occurred;           /* [weight_count] training positions that count a weight, owned */
    FitLosses losses[PART_COUNT]; /* NAN where there are no positions                   */
    uint64_t positions[PART_COUNT]; /* used, duplicates counted                           */
    uint64_t rows[PART_COUNT];      /* different ones                                     */
    Part calibration_part;          /* validation where there is one                      */
    Calibration calibration;
    size_t bytes;                     /* memory of the rows                                 */
    int seen, rarely, never, clamped; /* weights; rarely: in fewer than rare_below positions */
    int rare_below;
    int gauged; /* tables whose mean went into material               */
} FitResult;

enum { RARELY = 50 };

/* Gives rows their targets and masses, merges duplicates, *merged of them, and writes changes in
 * words. */
Status fit_settle(Rows *rows, double lambda, double slope, const Weighting *weighting, int threads,
                  size_t *merged, Error *err);

/*
 * Fits. The prior ([weight_count]) is both the start and what the ridge pulls to. Targets and
 * duplicates of the sample are settled here, so a sample is good for one fit.
 *
 * STATUS_ARGUMENT: no training positions, no slope, no convergence; STATUS_NOT_FINITE;
 * STATUS_INTERRUPTED. `result` is untouched then.
 */
Status fit(Sample *sample, const Weight *prior, const FitOptions *options, FitResult *result,
           OptimiseReport report, void *context, Error *err);
void fit_result_free(FitResult *result);

/*
 * Moves the mean of each table into the material of the piece it belongs to, where the rows say
 * that the two cannot be told apart (the table's coefficients always add up to the material's):
 * the scores of the rows stay what they are, and material means the value of a piece. Material
 * becomes whole, so only the tables are rounded. Cells that never occur keep their value.
 * *moved (may be NULL) gets the number of tables.
 */
Status gauge(const Engine *engine, const Rows *rows, const Occurrence *occurrence, double *x,
             int *moved, Error *err);

/* True if all weights are 0. */
bool weights_are_zero(const Engine *engine, const Weight *weights);
