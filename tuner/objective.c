/* SPDX-License-Identifier: GPL-3.0-or-later */
/* objective.c - what the fit minimises, with derivatives. */
#include "objective.h"

#include "comm.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Curvatures are kept in steps of 1/4 of 2^-16: they only shape the steps, not the optimum. */
static const double CURVATURE_UNIT = 4 * 65535.0;

enum { HESSIAN_LANES = 8 }; /* a dense Hessian is large, so there are fewer of them */

void objective_free(Objective *objective)
{
    free(objective->metric);
    free(objective->active);
    free(objective->weight_place);
    if (objective->rows)
        store_free(objective->rows->scratch, objective->curvature);
    free(objective->lane_sums);
    free(objective->word_sums);
    chain_values_free(&objective->values);
    free(objective->x);
    free(objective->sums);
    memset(objective, 0, sizeof *objective);
}

void objective_weigh(Objective *objective)
{
    objective->mass = 0;
    for (size_t i = 0; i < objective->rows->count; i++)
        objective->mass += objective->rows->rows[i].mass;
}

static void list_active(Objective *objective, const double *unit_square)
{
    for (size_t c = 0; c < objective->n / 2; c++) {
        bool occurs = unit_square[2 * c] > 0 || unit_square[2 * c + 1] > 0;
        if (c < objective->n_weights / 2)
            objective->weight_place[c] = occurs ? (int)objective->active_count / 2 : -1;
        if (occurs) {
            objective->active[objective->active_count++] = (int)(2 * c);
            objective->active[objective->active_count++] = (int)(2 * c + 1);
        }
    }
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
                           .threads = rows_threads(rows, threads)};
    rows_lanes(rows, MAX_LANES, &objective.lanes);
    objective.lane_begin = (int)comm_share((size_t)objective.lanes.count, comm_rank());
    objective.lane_end = (int)comm_share((size_t)objective.lanes.count, comm_rank() + 1);
    size_t n = objective.n, width = objective.n_weights;
    objective.metric = malloc(n * sizeof(double));
    Status status = STORE_RESIZE(rows->scratch, objective.curvature, rows->count, err);
    if (status == STATUS_OK)
        status = chain_values_new(&objective.values, rows, err);
    objective.lane_sums = malloc(width * (size_t)objective.lanes.count * sizeof(double));
    objective.word_sums =
        malloc((size_t)objective.threads * rows_words(rows)->count * sizeof *objective.word_sums);
    objective.x = malloc(width * sizeof(double));
    objective.sums = malloc(width * sizeof(double));
    objective.active = malloc(n * sizeof(int));
    objective.weight_place = malloc(width / 2 * sizeof(int));
    if (status != STATUS_OK) {
        objective_free(&objective);
        return status;
    }
    if (!objective.metric || !objective.lane_sums || !objective.word_sums || !objective.x ||
        !objective.sums || !objective.active || !objective.weight_place) {
        objective_free(&objective);
        return error_set(err, STATUS_NO_MEMORY,
                         "no memory to fit %zu coefficients to %zu positions", n, rows->count);
    }
    objective_weigh(&objective);
    list_active(&objective, unit_square);
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

/* Of a row at the last point that was evaluated, by mass: the loss's second derivative by its
 * logit. */
static double row_curvature(const Objective *objective, size_t row)
{
    return objective->rows->rows[row].mass * (objective->curvature[row] / CURVATURE_UNIT);
}

/* Adds the lanes' sums, those of other processes too, in order; several threads share the columns.
 */
static void combine(const Objective *objective)
{
    size_t width = objective->n_weights;
    comm_gather(objective->lane_sums, NULL, (size_t)objective->lanes.count, width * sizeof(double));
#pragma omp parallel for schedule(static) num_threads(objective->threads)
    for (size_t begin = 0; begin < width; begin += 256) {
        size_t end = begin + 256 < width ? begin + 256 : width;
        memset(objective->sums + begin, 0, (end - begin) * sizeof(double));
        for (int lane = 0; lane < objective->lanes.count; lane++)
            for (size_t j = begin; j < end; j++)
                objective->sums[j] += objective->lane_sums[(size_t)lane * width + j];
    }
}

/* This thread's sums by word, all 0. */
static Duo *begin_words(const Objective *objective)
{
    size_t count = objective->values.words->count;
    Duo *sums = objective->word_sums + (size_t)omp_get_thread_num() * count;
    memset(sums, 0, count * sizeof *sums);
    return sums;
}

/* They become a lane's sums by weight. */
static void end_words(const Objective *objective, int lane, Duo *word_sums)
{
    double *sums = objective->lane_sums + (size_t)lane * objective->n_weights;
    memset(sums, 0, objective->n_weights * sizeof *sums);
    chain_spread(objective->values.words, word_sums, sums, objective->n_weights / 2);
}

/* Loss and gradient by x of the chains of a lane; false if a row gives no number, which *bad then
 * names. */
static bool evaluate_lane(Objective *objective, int lane, double *loss, size_t *bad)
{
    const Rows *rows = objective->rows;
    const Lanes *lanes = &objective->lanes;
    Duo *sums = begin_words(objective);
    double scale = objective->slope * LOGIT_PER_CP;
    double z[CHAIN_MOST], p[CHAIN_MOST], q[CHAIN_MOST];
    const uint16_t *changes = rows->changes + lanes->change[lane];
    size_t row = lanes->row[lane];
    *loss = 0;
    for (size_t c = lanes->chain[lane]; c < lanes->chain[lane + 1]; c++) {
        const Chain *chain = &rows->chains[c];
        const Row *first = rows->rows + row;
        const float *targets = rows->targets + row;
        uint16_t *curvature = objective->curvature + row;
        size_t count = chain->rows;
        chain_scores(&objective->values, first, chain, changes, z);
        for (size_t i = 0; i < count; i++)
            z[i] *= scale;
        exact_logistic(z, count, p, q);
        double chain_sum = chain_loss(first, targets, count, z, q);
        if (!isfinite(chain_sum)) {
            *bad = c;
            return false;
        }
        *loss += chain_sum;
        for (size_t i = 0; i < count; i++) {
            curvature[i] = (uint16_t)(p[i] * (1 - p[i]) * CURVATURE_UNIT + 0.5);
            p[i] = first[i].mass * (p[i] - (double)targets[i]);
        }
        chain_scatter(first, chain, changes, p, sums);
        changes += chain->changes;
        row += count;
    }
    end_words(objective, lane, sums);
    return true;
}

Status objective_evaluate(Objective *objective, const double *y, ObjectiveValue *value,
                          double *gradient, Error *err)
{
    double loss = 0, penalty = 0;
    struct {
        double loss;
        size_t bad;
        bool fine;
    } made[MAX_LANES];
    int lanes = objective->lanes.count;
    expand(objective, y, objective->x);
    chain_values_set(&objective->values, objective->rows, objective->x);
#pragma omp parallel for schedule(dynamic, 1) num_threads(objective->threads)
    for (int lane = objective->lane_begin; lane < objective->lane_end; lane++)
        made[lane].fine = evaluate_lane(objective, lane, &made[lane].loss, &made[lane].bad);
    comm_gather(made, NULL, (size_t)lanes, sizeof *made);
    for (int lane = 0; lane < lanes; lane++) {
        if (!made[lane].fine)
            return name_bad_chain(objective->rows, made[lane].bad, objective->x, objective->slope,
                                  err);
        loss += made[lane].loss;
    }
    combine(objective);
    reduce(objective, objective->sums, gradient, false);

    double per_mass = objective->slope * LOGIT_PER_CP / objective->mass;
    for (size_t j = 0; j < objective->n; j++) {
        double pull = objective->ridge * objective->metric[j], away = y[j] - objective->prior[j];
        gradient[j] = gradient[j] * per_mass + pull * away;
        penalty += pull * away * away / 2;
    }
    *value = (ObjectiveValue){loss / objective->mass + penalty, loss / objective->mass, penalty};
    if (!isfinite(value->total))
        return error_set(err, STATUS_NOT_FINITE, "the loss is %g with penalty %g", value->loss,
                         penalty);
    return STATUS_OK;
}

/* Sums of curvature * count^2 over the rows of a lane. */
static void diagonal_lane(const Objective *objective, int lane, int *counts, double *sums)
{
    const Rows *rows = objective->rows;
    const Lanes *lanes = &objective->lanes;
    const uint16_t *changes = rows->changes + lanes->change[lane];
    size_t row = lanes->row[lane];
    for (size_t c = lanes->chain[lane]; c < lanes->chain[lane + 1]; c++) {
        const Chain *chain = &rows->chains[c];
        Suffix suffixes[CHAIN_MOST];
        double curvatures[CHAIN_MOST];
        for (size_t i = 0; i < chain->rows; i++)
            curvatures[i] = row_curvature(objective, row + i);
        chain_suffixes(rows->rows + row, chain->rows, curvatures, suffixes);
        memset(counts, 0, objective->n_weights / 2 * sizeof *counts);
        changes = chain_squares(rows_words(rows), chain, changes, suffixes, counts, sums, NULL);
        row += chain->rows;
    }
}

Status objective_diagonal(Objective *objective, double *diagonal, Error *err)
{
    size_t width = objective->n_weights;
    int lanes = objective->lanes.count;
    int *counts = calloc((size_t)lanes * width / 2, sizeof *counts);
    if (!counts)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a diagonal of %zu", objective->n);
    memset(objective->lane_sums, 0, (size_t)lanes * width * sizeof(double));
#pragma omp parallel for schedule(dynamic, 1) num_threads(objective->threads)
    for (int lane = objective->lane_begin; lane < objective->lane_end; lane++)
        diagonal_lane(objective, lane, counts + (size_t)lane * width / 2,
                      objective->lane_sums + (size_t)lane * width);
    free(counts);
    combine(objective);
    for (size_t j = 0; j < width; j++) /* rounding may leave less than nothing */
        objective->sums[j] = objective->sums[j] > 0 ? objective->sums[j] : 0;
    reduce(objective, objective->sums, diagonal, true);
    double scale = objective->slope * LOGIT_PER_CP, curve = scale * scale / objective->mass;
    for (size_t j = 0; j < objective->n; j++)
        diagonal[j] = diagonal[j] * curve + objective->ridge * objective->metric[j];
    return STATUS_OK;
}

void objective_hessian_times(const Objective *objective, const double *direction, double *product)
{
    const Rows *rows = objective->rows;
    const Lanes *lanes = &objective->lanes;
    expand(objective, direction, objective->x);
    ChainValues values = objective->values;
    chain_values_set(&values, rows, objective->x);
#pragma omp parallel for schedule(dynamic, 1) num_threads(objective->threads)
    for (int lane = objective->lane_begin; lane < objective->lane_end; lane++) {
        Duo *sums = begin_words(objective);
        double scores[CHAIN_MOST];
        const uint16_t *changes = rows->changes + lanes->change[lane];
        size_t row = lanes->row[lane];
        for (size_t c = lanes->chain[lane]; c < lanes->chain[lane + 1]; c++) {
            const Chain *chain = &rows->chains[c];
            chain_scores(&values, rows->rows + row, chain, changes, scores);
            for (size_t i = 0; i < chain->rows; i++)
                scores[i] *= row_curvature(objective, row + i);
            chain_scatter(rows->rows + row, chain, changes, scores, sums);
            changes += chain->changes;
            row += chain->rows;
        }
        end_words(objective, lane, sums);
    }
    combine(objective);
    reduce(objective, objective->sums, product, false);
    double scale = objective->slope * LOGIT_PER_CP, curve = scale * scale / objective->mass;
    for (size_t j = 0; j < objective->n; j++)
        product[j] = product[j] * curve + objective->ridge * objective->metric[j] * direction[j];
}

/* --- the Hessian as a whole ----------------------------------------------------------------------
 */

/*
 * Adds the rows of a lane. With c the counts and h the phase of a row, its part for weights a and b
 * is curvature * c_a * c_b times [1 h; h h^2]: three sums for each pair a >= b.
 */
static Status hessian_lane(const Objective *objective, const Lanes *lanes, int lane, double *sums,
                           Error *err)
{
    RowsWalk walk;
    Status status = rows_walk_init(&walk, objective->rows, (int)(objective->n_weights / 2),
                                   lanes->chain[lane], lanes->row[lane], lanes->change[lane], err);
    if (status != STATUS_OK)
        return status;
    while (walk.row < lanes->row[lane + 1]) {
        const Row *row = rows_walk_next(&walk);
        double h = row_phase(row), curvature = row_curvature(objective, walk.row - 1);
        for (int k = 0; curvature > 0 && k < walk.active_count; k++) {
            size_t a = (size_t)objective->weight_place[walk.active[k]];
            double factor = curvature * walk.counts[walk.active[k]];
            for (int l = 0; l <= k; l++) {
                size_t b = (size_t)objective->weight_place[walk.active[l]];
                double product = factor * walk.counts[walk.active[l]];
                double *triple = sums + 3 * (a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a);
                triple[0] += product;
                triple[1] += product * h;
                triple[2] += product * h * h;
            }
        }
    }
    rows_walk_free(&walk);
    return STATUS_OK;
}

/* The Hessian by the `w` weights that occur, into rows of length n. */
static Status weight_hessian(const Objective *objective, size_t w, double *hessian, Error *err)
{
    size_t n = objective->active_count, pairs = w * (w + 1) / 2;
    Lanes lanes;
    rows_lanes(objective->rows, HESSIAN_LANES, &lanes);
    double *sums = calloc((size_t)lanes.count * pairs * 3 + 1, sizeof *sums);
    if (!sums)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the Hessian of %zu coefficients", n);
    Status statuses[HESSIAN_LANES];
    /* These lanes are others: everybody does all of them. */
    comm_gather(objective->curvature, objective->lanes.row, (size_t)objective->lanes.count,
                sizeof *objective->curvature);
#pragma omp parallel for schedule(dynamic, 1) num_threads(objective->threads)
    for (int lane = 0; lane < lanes.count; lane++)
        statuses[lane] =
            hessian_lane(objective, &lanes, lane, sums + (size_t)lane * pairs * 3, NULL);
    for (int lane = 0; lane < lanes.count; lane++)
        if (statuses[lane] != STATUS_OK) {
            free(sums);
            return error_set(err, statuses[lane], "no memory for the Hessian");
        }
    double scale = objective->slope * LOGIT_PER_CP, curve = scale * scale / objective->mass;
    for (size_t a = 0; a < w; a++)
        for (size_t b = 0; b <= a; b++) {
            double triple[3] = {0, 0, 0};
            for (int lane = 0; lane < lanes.count; lane++)
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

/* One of the two rows of shared coefficient `c`: sums over the rows of its weights that occur.
 * `stride` leads from one of `count` elements to the next, `length` from row to row; exchanged they
 * make a column of columns. */
static void add_links(const Objective *objective, size_t c, size_t which, double *to,
                      const double *from, size_t stride, size_t length, size_t count)
{
    const Shared *shared = objective->shared;
    for (size_t j = 0; j < count; j++)
        to[j * stride] = 0;
    for (int i = shared->first[c]; i < shared->first[c + 1]; i++) {
        int place = objective->weight_place[shared->weight[i]];
        const double *row = from + (2 * (size_t)(place > 0 ? place : 0) + which) * length;
        for (size_t j = 0; place >= 0 && j < count; j++)
            to[j * stride] += shared->factor[i] * row[j * stride];
    }
}

Status objective_hessian(const Objective *objective, double *hessian, Error *err)
{
    size_t n = objective->active_count, width = 0;
    while (width < n && (size_t)objective->active[width] < objective->n_weights)
        width++;
    Status status = weight_hessian(objective, width / 2, hessian, err);
    if (status != STATUS_OK)
        return status;
    /* Rows of shared coefficients are sums of the weights' rows; then the same for columns. */
    for (size_t i = width; i < n; i++) {
        size_t j = (size_t)objective->active[i] - objective->n_weights;
        add_links(objective, j / 2, j % 2, hessian + i * n, hessian, 1, n, width);
    }
    for (size_t i = width; i < n; i++) {
        size_t j = (size_t)objective->active[i] - objective->n_weights;
        add_links(objective, j / 2, j % 2, hessian + i, hessian, n, 1, n);
    }
    for (size_t i = 0; i < n; i++)
        hessian[i * n + i] += objective->ridge * objective->metric[objective->active[i]];
    return STATUS_OK;
}
