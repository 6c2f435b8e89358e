/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loss.c - cross-entropy of the expected score over rows. */
#include "loss.h"

#include "chain.h"
#include "comm.h"
#include "support/exactmath.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Status name_bad_chain(const Rows *rows, size_t bad, const double *x, double slope, Error *err)
{
    size_t row = 0, change = 0;
    double scores[CHAIN_MOST];
    for (size_t c = 0; c < bad; c++) {
        row += rows->chains[c].rows;
        change += rows->chains[c].changes;
    }
    size_t count = rows->chains[bad].rows;
    chain_scores_plain(rows_words(rows), rows->rows + row, count, rows->changes + change, x,
                       scores);
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
    return error_set(err, STATUS_NOT_FINITE, "the loss is not finite");
}

/* What a lane adds to the loss. */
typedef struct LaneLoss {
    double sum, mass;
    size_t bad; /* the first chain without a number, plus 1; 0 = all have one */
} LaneLoss;

static void lane_loss(const Rows *rows, const Lanes *lanes, int lane, const ChainValues *values,
                      double scale, LaneLoss *out)
{
    double z[CHAIN_MOST], p[CHAIN_MOST], q[CHAIN_MOST];
    size_t row = lanes->row[lane];
    const uint16_t *changes = rows->changes + lanes->change[lane];
    *out = (LaneLoss){0, 0, 0};
    for (size_t c = lanes->chain[lane]; c < lanes->chain[lane + 1]; c++) {
        size_t count = rows->chains[c].rows;
        chain_scores(values, rows->rows + row, &rows->chains[c], changes, z);
        for (size_t i = 0; i < count; i++)
            z[i] *= scale;
        exact_logistic(z, count, p, q);
        double sum = chain_loss(rows->rows + row, rows->targets + row, count, z, q);
        if (!isfinite(sum) && !out->bad)
            out->bad = c + 1;
        out->sum += sum;
        for (size_t i = 0; i < count; i++)
            out->mass += rows->rows[row + i].mass;
        row += count;
        changes += rows->chains[c].changes;
    }
}

/* Sum of mass * loss; *bad as in LaneLoss. */
static double sum_loss(const Rows *rows, const ChainValues *values, double slope, int threads,
                       double *mass, size_t *bad)
{
    LaneLoss losses[MAX_LANES];
    Lanes lanes;
    rows_lanes(rows, MAX_LANES, &lanes);
    int begin = (int)comm_share((size_t)lanes.count, comm_rank());
    int end = (int)comm_share((size_t)lanes.count, comm_rank() + 1);
    threads = rows_threads(rows, threads);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int lane = begin; lane < end; lane++)
        lane_loss(rows, &lanes, lane, values, slope * LOGIT_PER_CP, &losses[lane]);
    comm_gather(losses, NULL, (size_t)lanes.count, sizeof *losses);
    double total = 0;
    *mass = 0;
    *bad = 0;
    for (int lane = 0; lane < lanes.count; lane++) {
        total += losses[lane].sum;
        *mass += losses[lane].mass;
        if (!*bad)
            *bad = losses[lane].bad;
    }
    return total;
}

/* The loss at the point that is set. */
static Status loss_of_values(const Rows *rows, const ChainValues *values, double slope, int threads,
                             double *loss, Error *err)
{
    double mass;
    size_t bad;
    double sum = sum_loss(rows, values, slope, threads, &mass, &bad);
    if (bad)
        return name_bad_chain(rows, bad - 1, values->x, slope, err);
    if (!isfinite(sum))
        return error_set(err, STATUS_NOT_FINITE, "the loss is not finite");
    *loss = sum / mass;
    return STATUS_OK;
}

/* Values at x: the caller's to free. */
static Status set_values(ChainValues *values, const Rows *rows, const double *x, Error *err)
{
    if (!rows->count)
        return error_set(err, STATUS_ARGUMENT, "no positions to compute a loss of");
    Status status = chain_values_new(values, rows, err);
    if (status == STATUS_OK)
        chain_values_set(values, rows, x);
    return status;
}

Status rows_loss(const Rows *rows, const double *x, double slope, int threads, double *loss,
                 Error *err)
{
    ChainValues values;
    Status status = set_values(&values, rows, x, err);
    if (status != STATUS_OK)
        return status;
    status = loss_of_values(rows, &values, slope, threads, loss, err);
    chain_values_free(&values);
    return status;
}

/* --- slope --------------------------------------------------------------------------------------
 */

typedef struct SlopeProblem {
    const Rows *rows;
    const ChainValues *values;
    int threads;
} SlopeProblem;

static double slope_loss(double slope, void *context)
{
    const SlopeProblem *problem = context;
    double mass;
    size_t bad;
    double sum = sum_loss(problem->rows, problem->values, slope, problem->threads, &mass, &bad);
    return sum / mass;
}

static Status fit_slope(const Rows *rows, const ChainValues *values, int threads, double *slope,
                        Error *err)
{
    double start;
    Status status = loss_of_values(rows, values, 1, threads, &start, err);
    if (status != STATUS_OK)
        return status;
    SlopeProblem problem = {rows, values, threads};

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

Status slope_fit(const Rows *rows, const double *x, int threads, double *slope, Error *err)
{
    ChainValues values;
    Status status = set_values(&values, rows, x, err);
    if (status != STATUS_OK)
        return status;
    status = fit_slope(rows, &values, threads, slope, err);
    chain_values_free(&values);
    return status;
}

void rows_calibration(const Rows *rows, const double *x, double slope, Calibration *calibration)
{
    double z[CHAIN_MOST], p[CHAIN_MOST], q[CHAIN_MOST];
    const uint16_t *changes = rows->changes;
    size_t row = 0;
    memset(calibration, 0, sizeof *calibration);
    for (size_t c = 0; c < rows->chain_count; c++) {
        size_t count = rows->chains[c].rows;
        chain_scores_plain(rows_words(rows), rows->rows + row, count, changes, x, z);
        for (size_t i = 0; i < count; i++)
            z[i] *= slope * LOGIT_PER_CP;
        exact_logistic(z, count, p, q);
        for (size_t i = 0; i < count; i++) {
            double mass = rows->rows[row + i].mass;
            int bin = (int)(p[i] * CALIBRATION_BINS);
            bin = bin < 0 ? 0 : bin >= CALIBRATION_BINS ? CALIBRATION_BINS - 1 : bin;
            calibration->mass[bin] += mass;
            calibration->predicted[bin] += mass * p[i];
            calibration->scored[bin] += mass * (double)rows->targets[row + i];
        }
        row += count;
        changes += rows->chains[c].changes;
    }
    for (int bin = 0; bin < CALIBRATION_BINS; bin++)
        if (calibration->mass[bin] > 0) {
            calibration->predicted[bin] /= calibration->mass[bin];
            calibration->scored[bin] /= calibration->mass[bin];
            calibration->mass[bin] /= rows_unit(rows);
        }
}
