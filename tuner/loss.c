/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loss.c - cross-entropy of the expected score over rows, with derivatives. */
#include "loss.h"

#include "support/exactmath.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_LANES = 64,   /* sums that are made side by side and combined in order           */
    LANE_LEAST = 256, /* rows below which a further lane is not worth it                  */
    HESSIAN_LANES = 8 /* a dense Hessian is large, so there are fewer of them             */
};

static const double LOGIT_PER_CP = 2.302585092994045684 / 400; /* ln 10 / 400 */

/* Rows [first, first + count) of lane l of `lanes`. */
static size_t lane_begin(size_t rows, int lanes, int lane)
{
    size_t each = rows / (size_t)lanes, rest = rows % (size_t)lanes, l = (size_t)lane;
    return each * l + (l < rest ? l : rest);
}

static int lanes_of(const Rows *rows)
{
    size_t lanes = rows->count / LANE_LEAST;
    return lanes < 1 ? 1 : lanes > MAX_LANES ? MAX_LANES : (int)lanes;
}

/* Where the entries of each lane begin, [lanes + 1]. */
static void lane_bounds(const Rows *rows, int lanes, size_t *first_row, size_t *first_entry)
{
    size_t entry = 0, row = 0;
    for (int lane = 0; lane <= lanes; lane++) {
        first_row[lane] = lane_begin(rows->count, lanes, lane);
        for (; row < first_row[lane]; row++)
            entry += rows->rows[row].entries;
        first_entry[lane] = entry;
    }
}

static double phase_of(const Row *row)
{
    return row->phase / (double)PHASE_MAX - 0.5;
}

static inline double row_dot(const uint16_t *weights, const int8_t *counts, int entries, double h,
                             const double *x)
{
    double mean = 0, difference = 0;
    for (int k = 0; k < entries; k++) {
        const double *pair = x + 2 * (size_t)weights[k];
        double c = counts[k];
        mean += c * pair[0];
        difference += c * pair[1];
    }
    return mean + h * difference;
}

static inline void row_scatter(const uint16_t *weights, const int8_t *counts, int entries, double h,
                               double factor, double *sums)
{
    double factor_h = factor * h;
    for (int k = 0; k < entries; k++) {
        double *pair = sums + 2 * (size_t)weights[k];
        double c = counts[k];
        pair[0] += c * factor;
        pair[1] += c * factor_h;
    }
}

/* Loss of logit z for target t, and the prediction. Never forms log(0). */
static inline double row_loss(double z, double t, double *p)
{
    double e = exact_exp(-fabs(z));
    *p = z >= 0 ? 1 / (1 + e) : e / (1 + e);
    return (z > 0 ? z : 0) - t * z + exact_log1p(e);
}

static Status name_row(const Rows *rows, size_t row, double score, Error *err)
{
    return error_set(
        err, STATUS_NOT_FINITE,
        "position %zu (game or line %u, ply %u): target %g, mass %g, score %g, expected "
        "numbers",
        row, rows->origins[row].game, rows->origins[row].ply, (double)rows->rows[row].target,
        (double)rows->rows[row].mass, score);
}

void rows_scores(const Rows *rows, const double *x, int threads, double *scores)
{
    size_t first_row[MAX_LANES + 1], first_entry[MAX_LANES + 1];
    int lanes = lanes_of(rows);
    lane_bounds(rows, lanes, first_row, first_entry);
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int lane = 0; lane < lanes; lane++) {
        size_t entry = first_entry[lane];
        for (size_t i = first_row[lane]; i < first_row[lane + 1]; i++) {
            const Row *row = &rows->rows[i];
            scores[i] = row_dot(rows->weights + entry, rows->counts + entry, row->entries,
                                phase_of(row), x);
            entry += row->entries;
        }
    }
}

/* Sum of mass * loss; *bad is the first row that gives no number, SIZE_MAX if none. */
static double sum_loss(const Rows *rows, const double *scores, const double *change, double step,
                       double scale, int threads, double *mass, size_t *bad)
{
    double sums[MAX_LANES], masses[MAX_LANES];
    size_t bads[MAX_LANES];
    int lanes = lanes_of(rows);
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int lane = 0; lane < lanes; lane++) {
        double sum = 0, lane_mass = 0;
        size_t lane_bad = SIZE_MAX, end = lane_begin(rows->count, lanes, lane + 1);
        for (size_t i = lane_begin(rows->count, lanes, lane); i < end; i++) {
            const Row *row = &rows->rows[i];
            double score = change ? scores[i] + step * change[i] : scores[i], p;
            double loss = row_loss(score * scale, (double)row->target, &p);
            loss *= (double)row->mass;
            if (!isfinite(loss) && lane_bad == SIZE_MAX)
                lane_bad = i;
            sum += loss;
            lane_mass += (double)row->mass;
        }
        sums[lane] = sum;
        masses[lane] = lane_mass;
        bads[lane] = lane_bad;
    }
    double total = 0;
    *mass = 0;
    *bad = SIZE_MAX;
    for (int lane = lanes - 1; lane >= 0; lane--)
        if (bads[lane] != SIZE_MAX)
            *bad = bads[lane];
    for (int lane = 0; lane < lanes; lane++) {
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
    double mass;
    size_t bad;
    double sum = sum_loss(rows, scores, NULL, 0, slope * LOGIT_PER_CP, threads, &mass, &bad);
    if (bad != SIZE_MAX)
        return name_row(rows, bad, scores[bad], err);
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
    double mass;
    size_t bad;
    return sum_loss(problem->rows, problem->scores, NULL, 0, slope * LOGIT_PER_CP, problem->threads,
                    &mass, &bad) /
           mass;
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
        double p, mass = (double)rows->rows[i].mass;
        row_loss(scores[i] * slope * LOGIT_PER_CP, 0, &p);
        int bin = (int)(p * CALIBRATION_BINS);
        bin = bin < 0 ? 0 : bin >= CALIBRATION_BINS ? CALIBRATION_BINS - 1 : bin;
        calibration->mass[bin] += mass;
        calibration->predicted[bin] += mass * p;
        calibration->scored[bin] += mass * (double)rows->rows[i].target;
    }
    for (int bin = 0; bin < CALIBRATION_BINS; bin++)
        if (calibration->mass[bin] > 0) {
            calibration->predicted[bin] /= calibration->mass[bin];
            calibration->scored[bin] /= calibration->mass[bin];
        }
}

/* --- the objective of the fit ------------------------------------------------------------------
 */

void objective_free(Objective *objective)
{
    free(objective->metric);
    free(objective->scores);
    free(objective->curvature);
    free(objective->lane_sums);
    free(objective->x);
    free(objective->sums);
    free(objective->lane_rows);
    free(objective->lane_entries);
    memset(objective, 0, sizeof *objective);
}

Status objective_init(Objective *out, const Rows *rows, int weight_count, const Shared *shared,
                      double slope, double ridge, const double *unit_square, const double *prior,
                      int threads, Error *err)
{
    if (!rows->count)
        return error_set(err, STATUS_ARGUMENT, "no positions to fit");
    if (!(ridge > 0) || !(slope > 0))
        return error_set(err, STATUS_ARGUMENT, "ridge %g, slope %g: expected above 0", ridge,
                         slope);
    Objective objective = {.rows = rows,
                           .shared = shared,
                           .n = 2 * ((size_t)weight_count + (shared ? (size_t)shared->count : 0)),
                           .n_weights = 2 * (size_t)weight_count,
                           .slope = slope,
                           .ridge = ridge,
                           .prior = prior,
                           .threads = threads,
                           .lanes = lanes_of(rows)};
    size_t n = objective.n, n_weights = objective.n_weights, lanes = (size_t)objective.lanes;
    objective.metric = malloc(n * sizeof(double));
    objective.scores = malloc(rows->count * sizeof(double));
    objective.curvature = malloc(rows->count * sizeof(double));
    objective.lane_sums = malloc(2 * n_weights * lanes * sizeof(double));
    objective.x = malloc(n_weights * sizeof(double));
    objective.sums = malloc(2 * n_weights * sizeof(double));
    objective.lane_rows = malloc((lanes + 1) * sizeof(size_t));
    objective.lane_entries = malloc((lanes + 1) * sizeof(size_t));
    if (!objective.metric || !objective.scores || !objective.curvature || !objective.lane_sums ||
        !objective.x || !objective.sums || !objective.lane_rows || !objective.lane_entries) {
        objective_free(&objective);
        return error_set(err, STATUS_NO_MEMORY,
                         "no memory to fit %zu coefficients to %zu positions", n, rows->count);
    }
    lane_bounds(rows, objective.lanes, objective.lane_rows, objective.lane_entries);
    for (size_t i = 0; i < rows->count; i++)
        objective.mass += (double)rows->rows[i].mass;
    double scale = slope * LOGIT_PER_CP;
    for (size_t j = 0; j < n; j++)
        objective.metric[j] = unit_square[j] > 0 ? scale * scale * unit_square[j] : 1;
    *out = objective;
    return STATUS_OK;
}

static void expand(const Objective *objective, const double *y, double *x)
{
    if (objective->shared)
        shared_expand(objective->shared, y, x);
    else
        memcpy(x, y, objective->n_weights * sizeof *x);
}

static void reduce(const Objective *objective, const double *x, double *y, bool squared)
{
    if (objective->shared)
        shared_reduce(objective->shared, x, y, squared);
    else
        memcpy(y, x, objective->n_weights * sizeof *y);
}

void objective_scores(const Objective *objective, const double *y, double *scores)
{
    expand(objective, y, objective->x);
    rows_scores(objective->rows, objective->x, objective->threads, scores);
}

/* Adds the lanes' sums, [width] each, in order; several threads share the columns. */
static void combine(const Objective *objective, size_t width, double *total)
{
    int lanes = objective->lanes;
    const double *sums = objective->lane_sums;
#pragma omp parallel for schedule(static) num_threads(objective->threads)
    for (size_t j = 0; j < width; j++) {
        double sum = 0;
        for (int lane = 0; lane < lanes; lane++)
            sum += sums[(size_t)lane * 2 * objective->n_weights + j];
        total[j] = sum;
    }
}

Status objective_evaluate(Objective *objective, const double *y, ObjectiveValue *value,
                          double *gradient, double *diagonal, Error *err)
{
    const Rows *rows = objective->rows;
    size_t n = objective->n, width = objective->n_weights;
    int lanes = objective->lanes;
    double scale = objective->slope * LOGIT_PER_CP;
    const double *x = objective->x;
    expand(objective, y, objective->x);
    double losses[MAX_LANES];
    size_t bads[MAX_LANES];
#pragma omp parallel for schedule(dynamic, 1) num_threads(objective->threads)
    for (int lane = 0; lane < lanes; lane++) {
        double *sums = objective->lane_sums + (size_t)lane * 2 * width, *squares = sums + width;
        memset(sums, 0, 2 * width * sizeof(double));
        double loss_sum = 0;
        size_t bad = SIZE_MAX, entry = objective->lane_entries[lane];
        for (size_t i = objective->lane_rows[lane]; i < objective->lane_rows[lane + 1]; i++) {
            const Row *row = &rows->rows[i];
            const uint16_t *weights = rows->weights + entry;
            const int8_t *counts = rows->counts + entry;
            double h = phase_of(row), mass = (double)row->mass, t = (double)row->target, p;
            double score = row_dot(weights, counts, row->entries, h, x);
            double loss = mass * row_loss(score * scale, t, &p);
            if (!isfinite(loss) && bad == SIZE_MAX)
                bad = i;
            loss_sum += loss;
            row_scatter(weights, counts, row->entries, h, mass * (p - t), sums);
            double curvature = mass * p * (1 - p), curvature_h = curvature * h * h;
            for (int k = 0; k < row->entries; k++) {
                double *pair = squares + 2 * (size_t)weights[k];
                double square = (double)counts[k] * counts[k];
                pair[0] += square * curvature;
                pair[1] += square * curvature_h;
            }
            objective->scores[i] = score;
            objective->curvature[i] = curvature;
            entry += row->entries;
        }
        losses[lane] = loss_sum;
        bads[lane] = bad;
    }
    double loss = 0, penalty = 0;
    for (int lane = 0; lane < lanes; lane++) {
        if (bads[lane] != SIZE_MAX)
            return name_row(rows, bads[lane], objective->scores[bads[lane]], err);
        loss += losses[lane];
    }
    combine(objective, 2 * width, objective->sums);
    reduce(objective, objective->sums, gradient, false);
    reduce(objective, objective->sums + width, diagonal, true);

    double per_mass = scale / objective->mass, curve = scale * scale / objective->mass;
    for (size_t j = 0; j < n; j++) {
        double pull = objective->ridge * objective->metric[j], away = y[j] - objective->prior[j];
        gradient[j] = gradient[j] * per_mass + pull * away;
        diagonal[j] = diagonal[j] * curve + pull;
        penalty += pull * away * away / 2;
    }
    *value = (ObjectiveValue){loss / objective->mass + penalty, loss / objective->mass, penalty};
    if (!isfinite(value->total))
        return error_set(err, STATUS_NOT_FINITE, "the loss is %g with penalty %g", value->loss,
                         penalty);
    return STATUS_OK;
}

void objective_hessian_times(const Objective *objective, const double *direction, double *product)
{
    const Rows *rows = objective->rows;
    size_t n = objective->n, width = objective->n_weights;
    int lanes = objective->lanes;
    const double *x = objective->x;
    expand(objective, direction, objective->x);
#pragma omp parallel for schedule(dynamic, 1) num_threads(objective->threads)
    for (int lane = 0; lane < lanes; lane++) {
        double *sums = objective->lane_sums + (size_t)lane * 2 * width;
        memset(sums, 0, width * sizeof(double));
        size_t entry = objective->lane_entries[lane];
        for (size_t i = objective->lane_rows[lane]; i < objective->lane_rows[lane + 1]; i++) {
            const Row *row = &rows->rows[i];
            const uint16_t *weights = rows->weights + entry;
            const int8_t *counts = rows->counts + entry;
            double h = phase_of(row);
            double change = row_dot(weights, counts, row->entries, h, x);
            row_scatter(weights, counts, row->entries, h, objective->curvature[i] * change, sums);
            entry += row->entries;
        }
    }
    combine(objective, width, objective->sums);
    reduce(objective, objective->sums, product, false);
    double scale = objective->slope * LOGIT_PER_CP, curve = scale * scale / objective->mass;
    for (size_t j = 0; j < n; j++)
        product[j] = product[j] * curve + objective->ridge * objective->metric[j] * direction[j];
}

/*
 * The Hessian by x, [n_weights][n_weights] into rows of length n. With c the counts and h the
 * phase of a row, its part for weights a and b is curvature * c_a * c_b times [1 h; h h^2]: three
 * sums for each pair of weights.
 */
static Status weight_hessian(const Objective *objective, double *hessian, Error *err)
{
    const Rows *rows = objective->rows;
    size_t n = objective->n, w = objective->n_weights / 2, pairs = w * (w + 1) / 2;
    int lanes = objective->lanes < HESSIAN_LANES ? objective->lanes : HESSIAN_LANES;
    double *sums = calloc((size_t)lanes * pairs * 3, sizeof *sums);
    if (!sums)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the Hessian of %zu coefficients", n);
    size_t first_row[HESSIAN_LANES + 1], first_entry[HESSIAN_LANES + 1];
    lane_bounds(rows, lanes, first_row, first_entry);
#pragma omp parallel for schedule(dynamic, 1) num_threads(objective->threads)
    for (int lane = 0; lane < lanes; lane++) {
        double *lane_sums = sums + (size_t)lane * pairs * 3;
        size_t entry = first_entry[lane];
        for (size_t i = first_row[lane]; i < first_row[lane + 1]; i++) {
            const Row *row = &rows->rows[i];
            const uint16_t *weights = rows->weights + entry;
            const int8_t *counts = rows->counts + entry;
            double h = phase_of(row), curvature = objective->curvature[i];
            for (int k = 0; k < row->entries; k++) {
                double factor = curvature * counts[k];
                for (int l = 0; l <= k; l++) {
                    size_t a = weights[k], b = weights[l];
                    /* A count split over two entries meets itself in both orders. */
                    double product = factor * counts[l] * (a == b && k != l ? 2 : 1);
                    size_t place = a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
                    double *triple = lane_sums + 3 * place;
                    triple[0] += product;
                    triple[1] += product * h;
                    triple[2] += product * h * h;
                }
            }
            entry += row->entries;
        }
    }
    double scale = objective->slope * LOGIT_PER_CP, curve = scale * scale / objective->mass;
    for (size_t a = 0; a < w; a++)
        for (size_t b = 0; b <= a; b++) {
            double triple[3] = {0, 0, 0};
            for (int lane = 0; lane < lanes; lane++)
                for (int q = 0; q < 3; q++)
                    triple[q] += sums[((size_t)lane * pairs + a * (a + 1) / 2 + b) * 3 + (size_t)q];
            double mm = triple[0] * curve, md = triple[1] * curve, dd = triple[2] * curve;
            size_t i = 2 * a, j = 2 * b;
            hessian[i * n + j] = hessian[j * n + i] = mm;
            hessian[i * n + j + 1] = hessian[(j + 1) * n + i] = md;
            hessian[(i + 1) * n + j] = hessian[j * n + i + 1] = md;
            hessian[(i + 1) * n + j + 1] = hessian[(j + 1) * n + i + 1] = dd;
        }
    free(sums);
    return STATUS_OK;
}

Status objective_hessian(const Objective *objective, double *hessian, Error *err)
{
    size_t n = objective->n, width = objective->n_weights;
    Status status = weight_hessian(objective, hessian, err);
    if (status != STATUS_OK)
        return status;
    const Shared *shared = objective->shared;
    /* Rows of shared coefficients are sums of the weights' rows; then the same for columns. */
    for (int c = 0; shared && c < shared->count; c++)
        for (size_t which = 0; which < 2; which++) {
            double *row = hessian + (width + 2 * (size_t)c + which) * n;
            memset(row, 0, n * sizeof *row);
            for (int i = shared->first[c]; i < shared->first[c + 1]; i++) {
                const double *from = hessian + (2 * (size_t)shared->weight[i] + which) * n;
                for (size_t j = 0; j < width; j++)
                    row[j] += shared->factor[i] * from[j];
            }
        }
    for (size_t i = 0; shared && i < n; i++)
        for (int c = 0; c < shared->count; c++)
            for (size_t which = 0; which < 2; which++) {
                double sum = 0;
                for (int k = shared->first[c]; k < shared->first[c + 1]; k++)
                    sum +=
                        shared->factor[k] * hessian[i * n + 2 * (size_t)shared->weight[k] + which];
                hessian[i * n + width + 2 * (size_t)c + which] = sum;
            }
    for (size_t j = 0; j < n; j++)
        hessian[j * n + j] += objective->ridge * objective->metric[j];
    return STATUS_OK;
}

double objective_along(const Objective *objective, const double *y, const double *direction,
                       const double *change, double step)
{
    double mass, penalty = 0;
    size_t bad;
    double loss = sum_loss(objective->rows, objective->scores, change, step,
                           objective->slope * LOGIT_PER_CP, objective->threads, &mass, &bad);
    for (size_t j = 0; j < objective->n; j++) {
        double away = y[j] + step * direction[j] - objective->prior[j];
        penalty += objective->ridge * objective->metric[j] * away * away / 2;
    }
    double total = loss / mass + penalty;
    return bad != SIZE_MAX || !isfinite(total) ? (double)INFINITY : total;
}
