/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loss.c - cross-entropy of the expected score over rows. */
#include "loss.h"

#include "chain.h"
#include "support/exactmath.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Status name_bad_row(const Rows *rows, size_t row, size_t count, const double *scores, double slope,
                    const char *what, Error *err)
{
    for (size_t i = 0; i < count; i++) {
        const Row *at = &rows->rows[row + i];
        double z = scores[i] * slope * LOGIT_PER_CP, t = (double)rows->targets[row + i];
        if (isfinite(((z > 0 ? z : 0) - t * z) * at->mass))
            continue;
        Origin origin = rows_origin(rows, row + i);
        return error_set(err, STATUS_NOT_FINITE,
                         "position %zu (game or line %u, ply %u): target %g, score %g, "
                         "expected numbers",
                         row + i, origin.game, origin.ply, t, scores[i]);
    }
    return error_set(err, STATUS_NOT_FINITE, "%s", what);
}

void rows_scores(const Rows *rows, const double *x, int threads, double *scores)
{
    Lanes lanes;
    rows_lanes(rows, MAX_LANES, &lanes);
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int lane = 0; lane < lanes.count; lane++) {
        size_t row = lanes.row[lane];
        const uint16_t *changes = rows->changes + lanes.change[lane];
        for (size_t c = lanes.chain[lane]; c < lanes.chain[lane + 1]; c++) {
            const Chain *chain = &rows->chains[c];
            chain_scores(rows->rows + row, chain->rows, changes, x, scores + row);
            row += chain->rows;
            changes += chain->changes;
        }
    }
}

/* Sum of mass * loss for given scores. */
static double sum_loss(const Rows *rows, const double *scores, double slope, int threads,
                       double *mass)
{
    double sums[MAX_LANES], masses[MAX_LANES], scale = slope * LOGIT_PER_CP;
    Lanes lanes;
    rows_lanes(rows, MAX_LANES, &lanes);
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int lane = 0; lane < lanes.count; lane++) {
        double z[CHAIN_MOST], p[CHAIN_MOST], q[CHAIN_MOST];
        size_t row = lanes.row[lane];
        sums[lane] = masses[lane] = 0;
        for (size_t c = lanes.chain[lane]; c < lanes.chain[lane + 1]; c++) {
            size_t count = rows->chains[c].rows;
            for (size_t i = 0; i < count; i++)
                z[i] = scores[row + i] * scale;
            exact_logistic(z, count, p, q);
            sums[lane] += chain_loss(rows->rows + row, rows->targets + row, count, z, q);
            for (size_t i = 0; i < count; i++)
                masses[lane] += rows->rows[row + i].mass;
            row += count;
        }
    }
    double total = 0;
    *mass = 0;
    for (int lane = 0; lane < lanes.count; lane++) {
        total += sums[lane];
        *mass += masses[lane];
    }
    return total;
}

Status scores_loss(const Rows *rows, const double *scores, double slope, int threads, double *loss,
                   Error *err)
{
    if (!rows->count)
        return error_set(err, STATUS_ARGUMENT, "no positions to compute a loss of");
    double mass, sum = sum_loss(rows, scores, slope, threads, &mass);
    if (!isfinite(sum))
        return name_bad_row(rows, 0, rows->count, scores, slope, "the loss is not finite", err);
    *loss = sum / mass;
    return STATUS_OK;
}

Status rows_loss(const Rows *rows, const double *x, double slope, int threads, double *loss,
                 Error *err)
{
    double *scores = malloc((rows->count ? rows->count : 1) * sizeof *scores);
    if (!scores)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu scores", rows->count);
    rows_scores(rows, x, threads, scores);
    Status status = scores_loss(rows, scores, slope, threads, loss, err);
    free(scores);
    return status;
}

/* --- slope --------------------------------------------------------------------------------------
 */

typedef struct SlopeProblem {
    const Rows *rows;
    const double *scores;
    int threads;
} SlopeProblem;

static double slope_loss(double slope, void *context)
{
    const SlopeProblem *problem = context;
    double mass, sum = sum_loss(problem->rows, problem->scores, slope, problem->threads, &mass);
    return sum / mass;
}

Status slope_fit(const Rows *rows, const double *scores, int threads, double *slope, Error *err)
{
    double start;
    Status status = scores_loss(rows, scores, 1, threads, &start, err);
    if (status != STATUS_OK)
        return status;
    SlopeProblem problem = {rows, scores, threads};

    /* The loss is convex in the slope: walk in factors of 1.5 until it rises on both sides. */
    double low = SLOPE_MIN, middle = SLOPE_MIN, high = SLOPE_MIN;
    double at_low = slope_loss(SLOPE_MIN, &problem), at_middle = at_low, at_high = at_low;
    bool bracketed = false;
    while (!bracketed && high < SLOPE_MAX) {
        double next = high * 1.5 < SLOPE_MAX ? high * 1.5 : SLOPE_MAX;
        low = middle, at_low = at_middle;
        middle = high, at_middle = at_high;
        high = next, at_high = slope_loss(high, &problem);
        bracketed = at_middle < at_low && at_middle < at_high;
    }
    if (!bracketed)
        return error_set(err, STATUS_ARGUMENT,
                         "the slope K has no best value between %g and %g: at %g the loss is %.6f, "
                         "at %g %.6f; are the starting weights sensible, and were both sides "
                         "beaten?",
                         SLOPE_MIN, SLOPE_MAX, SLOPE_MIN, slope_loss(SLOPE_MIN, &problem),
                         SLOPE_MAX, slope_loss(SLOPE_MAX, &problem));

    gsl_min_fminimizer *minimizer = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    if (!minimizer)
        return error_set(err, STATUS_NO_MEMORY, "no memory to fit the slope");
    gsl_function function = {slope_loss, &problem};
    int code = gsl_min_fminimizer_set_with_values(minimizer, &function, middle, at_middle, low,
                                                  at_low, high, at_high);
    for (int i = 0; code == GSL_SUCCESS && i < 100; i++) {
        code = gsl_min_fminimizer_iterate(minimizer);
        if (code != GSL_SUCCESS)
            break;
        code = gsl_min_test_interval(gsl_min_fminimizer_x_lower(minimizer),
                                     gsl_min_fminimizer_x_upper(minimizer), 0, 1e-6);
        if (code == GSL_SUCCESS)
            break;
        code = code == GSL_CONTINUE ? GSL_SUCCESS : code;
    }
    double best = gsl_min_fminimizer_x_minimum(minimizer);
    gsl_min_fminimizer_free(minimizer);
    if (code != GSL_SUCCESS)
        return error_set(err, STATUS_ARGUMENT, "fitting the slope K: %s", gsl_strerror(code));
    *slope = best;
    return STATUS_OK;
}

void rows_calibration(const Rows *rows, const double *scores, double slope,
                      Calibration *calibration)
{
    memset(calibration, 0, sizeof *calibration);
    for (size_t i = 0; i < rows->count; i++) {
        double z = scores[i] * slope * LOGIT_PER_CP, mass = rows->rows[i].mass, p, q;
        exact_logistic(&z, 1, &p, &q);
        int bin = (int)(p * CALIBRATION_BINS);
        bin = bin < 0 ? 0 : bin >= CALIBRATION_BINS ? CALIBRATION_BINS - 1 : bin;
        calibration->mass[bin] += mass;
        calibration->predicted[bin] += mass * p;
        calibration->scored[bin] += mass * (double)rows->targets[i];
    }
    for (int bin = 0; bin < CALIBRATION_BINS; bin++)
        if (calibration->mass[bin] > 0) {
            calibration->predicted[bin] /= calibration->mass[bin];
            calibration->scored[bin] /= calibration->mass[bin];
        }
}
