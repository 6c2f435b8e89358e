/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_loss.c - values and derivatives of the loss, slope, merging. */
#include "test.h"

#include "loss.h"
#include "synthetic.h"

#include <math.h>
#include <stdlib.h>

enum { N = 2 * SMALL_WEIGHTS, MOST = 400 /* with what they share */ };

static double prior[MOST];

static void make_objective(Objective *objective, const Rows *rows, const Shared *shared,
                           int threads)
{
    double square[MOST], units[MOST];
    Shared own = {.weights = SMALL_WEIGHTS, .first = (int[]){0}};
    const Shared *all = shared ? shared : &own;
    int coefficients = all->weights + all->count;
    assert_true(2 * coefficients <= MOST);
    assert_int_equal(shared_mean_square(all, rows, square, NULL), STATUS_OK);
    for (int c = 0; c < coefficients; c++)
        units[2 * c] = units[2 * c + 1] = square[c] > 0 ? square[c] + 0.02 : 0;
    Error err = {0};
    assert_int_equal(objective_init(objective, rows, SMALL_WEIGHTS, shared, 1.25, 0.01, units,
                                    prior, threads, &err),
                     STATUS_OK);
}

static void random_point(double *x, uint64_t seed)
{
    Rng rng = rng_from(seed, 3);
    for (int j = 0; j < MOST; j++)
        x[j] = 40 * rng_real(&rng) - 20;
}

static void check_gradient(const Rows *rows, const Shared *shared)
{
    Objective objective;
    make_objective(&objective, rows, shared, 1);
    double y[MOST], gradient[MOST], scratch[MOST];
    ObjectiveValue value;
    random_point(y, 4);
    assert_int_equal(objective_evaluate(&objective, y, &value, gradient, NULL), STATUS_OK);
    for (size_t j = 0; j < objective.n; j++) {
        const double step = 1e-3;
        double z[MOST];
        ObjectiveValue above, below;
        memcpy(z, y, sizeof z);
        z[j] = y[j] + step;
        objective_evaluate(&objective, z, &above, scratch, NULL);
        z[j] = y[j] - step;
        objective_evaluate(&objective, z, &below, scratch, NULL);
        double difference = (above.total - below.total) / (2 * step);
        if (fabs(difference - gradient[j]) > 1e-9)
            fail_msg("coefficient %zu: gradient %.12g, finite difference %.12g", j, gradient[j],
                     difference);
    }
    objective_free(&objective);
}

static void gradient_is_the_derivative(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    Shared shared;
    synthetic_weights(planted, 80, 1);
    synthetic_rows(&rows, 700, planted, 1, 0);
    rows.rows[7].mass = 5;
    rows.targets[8] = 0.25f;
    assert_int_equal(shared_new(&shared, &small_engine, NULL), STATUS_OK);
    check_gradient(&rows, NULL);
    check_gradient(&rows, &shared);
    shared_free(&shared);
    rows_free(&rows);
}

/* Sums of steps are sums of doubles, whatever the size of the numbers. */
static void check_fast_scores(const Rows *rows, const double *x, const double *scores)
{
    static const double scales[] = {1, 1e-200, 1e200, 0x1p-30};
    static double fast[3 * CHAIN_MOST + 7];
    ChainValues values;
    assert_int_equal(chain_values_new(&values, rows, NULL), STATUS_OK);
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        double scaled[MOST];
        for (int j = 0; j < MOST; j++)
            scaled[j] = x[j] * scales[s];
        chain_values_set(&values, rows, scaled);
        assert_true(values.finite);
        const uint16_t *changes = rows->changes;
        size_t row = 0;
        for (size_t c = 0; c < rows->chain_count; row += rows->chains[c++].rows) {
            chain_scores(&values, rows->rows + row, &rows->chains[c], changes, fast + row);
            changes += rows->chains[c].changes;
        }
        for (size_t i = 0; i < rows->count; i++)
            assert_true(fabs(fast[i] - scores[i] * scales[s]) < 1e-10 * scales[s]);
    }
    double infinite[MOST];
    memcpy(infinite, x, sizeof infinite);
    infinite[5] = (double)INFINITY;
    chain_values_set(&values, rows, infinite);
    assert_false(values.finite);
    chain_values_free(&values);
}

/* What chains say of each row is what its trace said, beyond the longest chain too. */
static void chains_add_up_to_the_traces(void **state)
{
    (void)state;
    enum { COUNT = 3 * CHAIN_MOST + 7 };
    static Trace traces[COUNT];
    Rng rng = rng_from(21, 4);
    Rows rows = {0};
    for (int i = 0; i < COUNT; i++) {
        synthetic_trace(&rng, &traces[i]);
        if (i % 50 == 49)
            traces[i].count = 0; /* nothing is there */
        if (i % 9 == 8)
            traces[i] = traces[i - 1]; /* nothing changes */
        Origin origin = {.key = 5, .game = 3, .ply = (uint16_t)(i * 3 + (i > 700 ? 200 : 0))};
        assert_int_equal(rows_add(&rows, i ? &traces[i - 1] : NULL, &traces[i], &origin, NULL),
                         STATUS_OK);
        assert_int_equal(rows_origin(&rows, (size_t)i).ply, origin.ply);
    }
    assert_int_equal(rows.chain_count, 4); /* two full ones, the ends of them, a gap of 203 plies */

    double x[MOST];
    static double scores[COUNT], gradient[N], expected[N];
    random_point(x, 22);
    synthetic_scores(&rows, x, scores);
    check_fast_scores(&rows, x, scores);
    RowsWalk walk;
    assert_int_equal(rows_walk_init(&walk, &rows, SMALL_WEIGHTS, 0, 0, 0, NULL), STATUS_OK);
    for (int i = 0; i < COUNT; i++) {
        const Row *row = rows_walk_next(&walk);
        int counts[SMALL_WEIGHTS] = {0}, active = 0;
        double score = 0, h = row_phase(row);
        for (size_t k = 0; k < traces[i].count; k++) {
            int w = traces[i].entries[k].weight;
            counts[w] = traces[i].entries[k].count;
            active += counts[w] != 0;
            score += counts[w] * (x[2 * w] + h * x[2 * w + 1]);
        }
        assert_memory_equal(walk.counts, counts, sizeof counts);
        assert_int_equal(walk.active_count, active);
        assert_true(fabs(score - scores[i]) < 1e-9);
        double p = 1 / (1 + exact_exp(-score * log(10) / 400 * 1.25)), t = (double)rows.targets[i];
        for (int w = 0; w < SMALL_WEIGHTS; w++) {
            expected[2 * w] += counts[w] * (p - t) * log(10) / 400 * 1.25 / COUNT;
            expected[2 * w + 1] += counts[w] * h * (p - t) * log(10) / 400 * 1.25 / COUNT;
        }
    }
    assert_null(rows_walk_next(&walk));
    rows_walk_free(&walk);

    Objective objective;
    ObjectiveValue value;
    make_objective(&objective, &rows, NULL, 2);
    assert_int_equal(objective_evaluate(&objective, x, &value, gradient, NULL), STATUS_OK);
    for (int j = 0; j < N; j++) {
        double pull = 0.01 * objective.metric[j] * (x[j] - prior[j]);
        assert_true(fabs(gradient[j] - pull - expected[j]) < 1e-12);
    }
    objective_free(&objective);
    rows_truncate(&rows, 702);
    assert_int_equal(rows.chain_count, 3);
    assert_int_equal(rows_origin(&rows, 701).ply, 701 * 3 + 200);
    rows_free(&rows);
}

static void check_hessian(const Rows *rows, const Shared *shared)
{
    Objective objective;
    make_objective(&objective, rows, shared, 1);
    size_t n = objective.n;
    double x[MOST], direction[MOST], product[MOST], here[MOST], above[MOST];
    double below[MOST], y[MOST];
    ObjectiveValue value;
    random_point(x, 5);
    random_point(direction, 6);
    const double step = 1e-4;
    for (size_t j = 0; j < n; j++)
        y[j] = x[j] + step * direction[j];
    objective_evaluate(&objective, y, &value, above, NULL);
    for (size_t j = 0; j < n; j++)
        y[j] = x[j] - step * direction[j];
    objective_evaluate(&objective, y, &value, below, NULL);
    objective_evaluate(&objective, x, &value, here, NULL);
    objective_hessian_times(&objective, direction, product);
    static double hessian[MOST * MOST];
    assert_int_equal(objective_hessian(&objective, hessian, NULL), STATUS_OK);
    size_t m = objective.active_count;
    assert_true(m > 2 * 30 && m < n); /* some squares do not exist */
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(product[i] - (above[i] - below[i]) / (2 * step)) < 1e-7);
    for (size_t i = 0; i < m; i++) {
        double row = 0;
        for (size_t j = 0; j < m; j++)
            row += hessian[i * m + j] * direction[objective.active[j]];
        assert_true(fabs(product[objective.active[i]] - row) < 1e-10);
    }

    /* The diagonal, exact for what is not shared. */
    assert_int_equal(objective_diagonal(&objective, y, NULL), STATUS_OK);
    for (size_t i = 0; i < m; i++) {
        size_t j = (size_t)objective.active[i];
        if (j < objective.n_weights)
            assert_true(fabs(y[j] - hessian[i * m + i]) < 1e-12);
    }
    objective_free(&objective);
}

static void hessian_is_the_derivative_of_the_gradient(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    Shared shared;
    synthetic_weights(planted, 80, 2);
    synthetic_rows(&rows, 2000, planted, 2, 0);
    assert_int_equal(shared_new(&shared, &small_engine, NULL), STATUS_OK);
    check_hessian(&rows, NULL);
    check_hessian(&rows, &shared);
    shared_free(&shared);
    rows_free(&rows);
}

/* Weights are sums of coefficients, and coefficients count what their weights count. */
static void shared_coefficients_add_up(void **state)
{
    (void)state;
    Shared shared;
    assert_int_equal(shared_new(&shared, &small_engine, NULL), STATUS_OK);
    double y[MOST], x[N], seen[MOST] = {0}, square[MOST];
    int n = shared.weights + shared.count;
    for (int c = 0; c < n; c++)
        assert_true(shared.ease[c] > 0);
    /* One of them is the value of a pawn, on the board and in hand. */
    int pawn = -1;
    for (int c = 0; c < shared.count; c++)
        if (shared.weight[shared.first[c]] == SMALL_MATERIAL)
            pawn = c;
    assert_true(pawn >= 0);
    memset(y, 0, sizeof y);
    y[2 * (SMALL_WEIGHTS + pawn)] = 100;
    shared_expand(&shared, y, x);
    assert_true(x[2 * SMALL_MATERIAL] == 100);
    for (int count = 1; count <= 4; count++)
        assert_true(x[2 * (SMALL_HAND + count - 1)] == 100 * count);
    assert_true(x[2 * SMALL_TEMPO] == 0 && x[2 * (SMALL_MATERIAL + 1)] == 0);
    /* Nothing reaches a square that does not exist. */
    for (int j = 0; j < 2 * n; j++)
        y[j] = j < N ? 0 : 1;
    shared_expand(&shared, y, x);
    for (int w = 0; w < SMALL_WEIGHTS; w++)
        assert_true(small_exists[w] || x[2 * w] == 0);

    Weight planted[SMALL_WEIGHTS] = {{0, 0}};
    Rows rows = {0};
    synthetic_rows(&rows, 200, planted, 5, 0);
    assert_int_equal(shared_mean_square(&shared, &rows, square, NULL), STATUS_OK);
    RowsWalk walk;
    assert_int_equal(rows_walk_init(&walk, &rows, SMALL_WEIGHTS, 0, 0, 0, NULL), STATUS_OK);
    while (rows_walk_next(&walk)) {
        double counts[MOST] = {0}, sums[MOST];
        for (int w = 0; w < SMALL_WEIGHTS; w++)
            counts[2 * w] = walk.counts[w];
        shared_reduce(&shared, counts, sums, false);
        for (int c = 0; c < n; c++)
            seen[c] += sums[2 * c] * sums[2 * c] / (double)rows.count;
    }
    for (int c = 0; c < n; c++)
        assert_true(fabs(seen[c] - square[c]) < 1e-9 * (1 + seen[c]));
    rows_walk_free(&walk);
    rows_free(&rows);
    shared_free(&shared);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    synthetic_weights(planted, 80, 3);
    synthetic_rows(&rows, 20000, planted, 3, 0);
    double x[MOST], first[MOST], gradient[MOST], product[MOST], first_product[MOST];
    Shared shared;
    assert_int_equal(shared_new(&shared, &small_engine, NULL), STATUS_OK);
    size_t bytes = 2 * (size_t)(shared.weights + shared.count) * sizeof(double);
    ObjectiveValue value, first_value = {0};
    random_point(x, 7);
    for (int threads = 1; threads <= 3; threads++) {
        Objective objective;
        make_objective(&objective, &rows, &shared, threads);
        objective_evaluate(&objective, x, &value, gradient, NULL);
        objective_hessian_times(&objective, x, product);
        if (threads == 1) {
            memcpy(first, gradient, bytes);
            memcpy(first_product, product, bytes);
            first_value = value;
        }
        assert_memory_equal(first, gradient, bytes);
        assert_memory_equal(first_product, product, bytes);
        assert_memory_equal(&first_value, &value, sizeof value);
        objective_free(&objective);
    }
    shared_free(&shared);
    rows_free(&rows);
}

/* One position with one pawn more, a given number of wins and losses. */
static void pawn_rows(Rows *rows, int wins, int losses, int draws)
{
    Trace *trace = calloc(1, sizeof *trace);
    trace->phase = PHASE_MAX / 2;
    trace->count = 1;
    trace->entries[0] = (TraceEntry){SMALL_MATERIAL, 1};
    for (int i = 0; i < wins + losses + draws; i++) {
        Origin origin = {.key = (uint64_t)i,
                         .half_points = i < wins            ? 2
                                        : i < wins + losses ? 0
                                                            : 1};
        assert_int_equal(rows_add(rows, NULL, trace, &origin, NULL), STATUS_OK);
    }
    free(trace);
}

/* Huge scores cost what they should and never a NaN (case C07). */
static void extreme_scores_stay_finite(void **state)
{
    (void)state;
    Rows rows = {0};
    pawn_rows(&rows, 1, 0, 0);
    double x[N] = {0}, *score = &x[2 * SMALL_MATERIAL], loss = -1;
    *score = 1e9;
    assert_int_equal(rows_loss(&rows, x, 1, 1, &loss, NULL), STATUS_OK);
    assert_true(loss == 0);
    *score = -31990;
    assert_int_equal(rows_loss(&rows, x, 1, 1, &loss, NULL), STATUS_OK);
    assert_true(fabs(loss - 31990 * log(10) / 400) < 1e-9);
    *score = 0;
    assert_int_equal(rows_loss(&rows, x, 1, 1, &loss, NULL), STATUS_OK);
    assert_true(fabs(loss - log(2)) < 1e-15);

    loss = 7;
    Error err = {0};
    *score = NAN;
    assert_int_equal(rows_loss(&rows, x, 1, 1, &loss, &err), STATUS_NOT_FINITE);
    assert_true(loss == 7);
    assert_non_null(strstr(err.message, "position 0"));
    *score = INFINITY; /* a win scored +infinity: 0 * infinity is no number */
    assert_int_equal(rows_loss(&rows, x, 1, 1, &loss, &err), STATUS_NOT_FINITE);
    rows_free(&rows);
}

/* Equal positions are one row with their mean result; the loss is that of all of them. */
static void merging_keeps_the_loss(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    synthetic_weights(planted, 80, 4);
    synthetic_rows(&rows, 500, planted, 4, 0);
    synthetic_rows(&rows, 500, planted, 4, 0);
    synthetic_rows(&rows, 200, planted, 9, 0);
    for (size_t i = 500; i < 800; i++)
        rows.targets[i] = 0.5f;
    for (size_t i = 1000; i < 1200; i++)
        rows.keys[i] += UINT64_C(1) << 40;
    double x[MOST], before, after;
    random_point(x, 8);
    assert_int_equal(rows_loss(&rows, x, 1, 1, &before, NULL), STATUS_OK);
    size_t merged;
    assert_int_equal(rows_merge(&rows, &merged, NULL), STATUS_OK);
    assert_int_equal(merged, 500);
    assert_true(rows.rows[0].mass == 2 && rows.rows[500].mass == 0 && rows.rows[1199].mass == 1);
    assert_int_equal(rows_loss(&rows, x, 1, 1, &after, NULL), STATUS_OK);
    assert_true(fabs(before - after) < 1e-12);
    rows_free(&rows);
}

/* A large count is split over changes and means the same. */
static void large_counts_are_split(void **state)
{
    (void)state;
    Rows rows = {0};
    Trace *trace = calloc(1, sizeof *trace);
    trace->phase = PHASE_MAX;
    trace->count = 2;
    trace->entries[0] = (TraceEntry){SMALL_HAND, -128};
    trace->entries[1] = (TraceEntry){SMALL_TEMPO, 300};
    Origin origin = {.half_points = 2};
    assert_int_equal(rows_add(&rows, NULL, trace, &origin, NULL), STATUS_OK);
    assert_int_equal(rows.chains[0].changes, 75 + 32 + 1); /* and one for an even number */
    double x[N] = {0}, score;
    x[2 * SMALL_TEMPO] = 2;
    x[2 * SMALL_TEMPO + 1] = 1;
    x[2 * SMALL_HAND] = 1;
    synthetic_scores(&rows, x, &score);
    assert_true(score == 300 * 2.5 - 128);
    Occurrence occurrence;
    assert_int_equal(occurrence_count(&rows, SMALL_WEIGHTS, &occurrence, NULL), STATUS_OK);
    assert_true(occurrence.mean_square[2 * SMALL_TEMPO] == 90000);
    assert_int_equal(occurrence.seen[SMALL_TEMPO], 1);
    occurrence_free(&occurrence);

    static double hessian[N * N];
    double direction[N] = {0}, product[N], gradient[N];
    Objective objective;
    ObjectiveValue value;
    make_objective(&objective, &rows, NULL, 1);
    objective_evaluate(&objective, x, &value, gradient, NULL);
    objective_hessian(&objective, hessian, NULL);
    direction[2 * SMALL_TEMPO + 1] = 1;
    objective_hessian_times(&objective, direction, product);
    assert_int_equal(objective.active_count, 4); /* a hand and tempo */
    for (int i = 0; i < 4; i++)
        assert_true(fabs(product[objective.active[i]] - hessian[i * 4 + 3]) < 1e-15);
    objective_free(&objective);
    free(trace);
    rows_free(&rows);
}

static void slope_is_found_or_refused(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    synthetic_weights(planted, 80, 5);
    synthetic_rows(&rows, 20000, planted, 5, 1);
    double x[N], slope = -1;
    double *scores = malloc(rows.count * sizeof *scores);
    coefficients_from_weights(&small_engine, planted, x);
    for (int j = 0; j < N; j++)
        x[j] *= 0.5; /* weights half as large need twice the slope */
    synthetic_scores(&rows, x, scores);
    assert_int_equal(slope_fit(&rows, x, 2, &slope, NULL), STATUS_OK);
    assert_true(fabs(slope - 2) < 1e-4);

    slope = -1;
    Error err = {0};
    for (size_t i = 0; i < rows.count; i++) /* separable: the steeper the better */
        rows.targets[i] = scores[i] > 0;
    assert_int_equal(slope_fit(&rows, x, 2, &slope, &err), STATUS_ARGUMENT);
    memset(x, 0, sizeof x); /* nothing to see in the scores */
    assert_int_equal(slope_fit(&rows, x, 2, &slope, &err), STATUS_ARGUMENT);
    assert_non_null(strstr(err.message, "slope K"));
    assert_true(slope == -1);
    free(scores);
    rows_free(&rows);
}

static void targets_blend_result_and_score(void **state)
{
    (void)state;
    Rows rows = {0};
    pawn_rows(&rows, 1, 1, 0);
    rows.scores[0] = 400;
    rows.scores[1] = -800;
    rows_set_targets(&rows, 0.25, 1);
    assert_true(fabs((double)rows.targets[0] - (0.25 + 0.75 * 10.0 / 11)) < 1e-7);
    assert_true(fabs((double)rows.targets[1] - 0.75 / 101) < 1e-7);
    rows_set_targets(&rows, 1, 1);
    assert_true(rows.targets[0] == 1 && rows.targets[1] == 0);
    rows_free(&rows);
}

static void calibration_counts_every_position(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    synthetic_weights(planted, 80, 6);
    synthetic_rows(&rows, 5000, planted, 6, 1);
    double x[N], total = 0;
    coefficients_from_weights(&small_engine, planted, x);
    Calibration calibration;
    rows_calibration(&rows, x, 1, &calibration);
    for (int bin = 0; bin < CALIBRATION_BINS; bin++) {
        total += calibration.mass[bin];
        assert_true(fabs(calibration.predicted[bin] - calibration.scored[bin]) < 1e-6);
        if (calibration.mass[bin] > 0)
            assert_true(calibration.predicted[bin] >= bin / 10.0 &&
                        calibration.predicted[bin] <= (bin + 1) / 10.0);
    }
    assert_true(total == 5000);
    rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_the_derivative),
        cmocka_unit_test(chains_add_up_to_the_traces),
        cmocka_unit_test(hessian_is_the_derivative_of_the_gradient),
        cmocka_unit_test(shared_coefficients_add_up),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(extreme_scores_stay_finite),
        cmocka_unit_test(merging_keeps_the_loss),
        cmocka_unit_test(large_counts_are_split),
        cmocka_unit_test(slope_is_found_or_refused),
        cmocka_unit_test(targets_blend_result_and_score),
        cmocka_unit_test(calibration_counts_every_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
