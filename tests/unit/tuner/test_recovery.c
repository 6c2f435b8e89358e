/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_recovery.c - planted weights out of drawn results, and data that say less than they seem to.
 */
#include "test.h"

#include "fit.h"
#include "synthetic.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

enum { N = 2 * SMALL_WEIGHTS };

static const double zero[N];

static void make_objective(const Rows *rows, double ridge, Objective *objective)
{
    Occurrence occurrence;
    assert_int_equal(occurrence_count(rows, SMALL_WEIGHTS, &occurrence, NULL), STATUS_OK);
    assert_int_equal(objective_init(objective, rows, SMALL_WEIGHTS, NULL, 1, ridge,
                                    occurrence.mean_square, zero, 2, NULL),
                     STATUS_OK);
    occurrence_free(&occurrence);
}

/* Where a coefficient of a weight that occurs stands among those that do. */
static int place_of(const Objective *objective, int coefficient)
{
    return 2 * objective->weight_place[coefficient / 2] + coefficient % 2;
}

/* One coefficient for each weight that can be told: tables without their first cell, which together
 * with the material of the piece says the same as the others. */
static int free_coefficients(int *index)
{
    int count = 0;
    for (int w = 0; w < SMALL_WEIGHTS; w++) {
        bool first_cell = w >= SMALL_SQUARES && w < SMALL_HAND && (w - SMALL_SQUARES) % 9 == 0;
        if (small_exists[w] && !first_cell) {
            index[count++] = 2 * w;
            index[count++] = 2 * w + 1;
        }
    }
    return count;
}

/* Takes the first cell's value out of each table (and into the material, where there is one). */
static void fix_first_cells(double *x)
{
    for (int piece = 0; piece < 3; piece++)
        for (int which = 0; which < 2; which++) {
            double first = x[2 * (SMALL_SQUARES + 9 * piece) + which];
            for (int i = 0; i < 9; i++)
                x[2 * (SMALL_SQUARES + 9 * piece + i) + which] -= first;
            x[2 * (SMALL_MATERIAL + piece) + which] += first;
        }
}

/*
 * 40,000 positions with drawn results, three times: at least 95 % of the coefficients lie within
 * two standard errors of the truth (of the inverse Hessian), in all, and the sum of squares in
 * units of the errors is a chi-square.
 */
static void planted_weights_within_two_errors(void **state)
{
    (void)state;
    int index[N], n = free_coefficients(index), within = 0, all = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Weight planted[SMALL_WEIGHTS];
        Rows rows = {0};
        Objective objective;
        ObjectiveValue value;
        Certificate certificate;
        OptimiseOptions how = OPTIMISE_DEFAULTS;
        static double x[N], truth[N], gradient[N], hessian[N * N];
        synthetic_weights(planted, 60, 100 + seed);
        synthetic_rows(&rows, 40000, planted, 100 + seed, 0);
        make_objective(&rows, 1e-8, &objective);
        memset(x, 0, sizeof x);
        assert_int_equal(optimise(&objective, &how, x, &certificate, NULL, NULL, NULL), STATUS_OK);
        objective_evaluate(&objective, x, &value, gradient, NULL);
        assert_int_equal(objective_hessian(&objective, hessian, NULL), STATUS_OK);
        coefficients_from_weights(&small_engine, planted, truth);
        fix_first_cells(x);
        fix_first_cells(truth);
        gsl_matrix *covariance = gsl_matrix_alloc((size_t)n, (size_t)n);
        double square = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                size_t row = (size_t)place_of(&objective, index[i]) * objective.active_count;
                double part =
                    hessian[row + (size_t)place_of(&objective, index[j])] * objective.mass;
                gsl_matrix_set(covariance, (size_t)i, (size_t)j, part);
                square += (x[index[i]] - truth[index[i]]) * part * (x[index[j]] - truth[index[j]]);
            }
        assert_int_equal(gsl_linalg_cholesky_decomp1(covariance), 0);
        assert_int_equal(gsl_linalg_cholesky_invert(covariance), 0);
        for (int i = 0; i < n; i++) {
            double error = sqrt(gsl_matrix_get(covariance, (size_t)i, (size_t)i));
            within += fabs(x[index[i]] - truth[index[i]]) <= 2 * error;
            all++;
        }
        assert_true(square > gsl_cdf_chisq_Pinv(0.0005, n));
        assert_true(square < gsl_cdf_chisq_Pinv(0.9995, n));
        gsl_matrix_free(covariance);
        objective_free(&objective);
        rows_free(&rows);
    }
    assert_true(all > 150);
    if (within < 0.95 * all)
        fail_msg("%d of %d within two standard errors", within, all);
}

/* Two weights that always count the same share what they are worth, wherever the start is. */
static void duplicated_features_share(void **state)
{
    (void)state;
    Rows rows = {0};
    Rng rng = rng_from(5, 5);
    static Trace trace;
    for (uint64_t i = 0; i < 4000; i++) {
        int16_t count = (int16_t)((int)rng_below(&rng, 5) - 2);
        trace.phase = (int)rng_below(&rng, PHASE_MAX + 1);
        trace.count = 0;
        if (count) {
            trace.entries[trace.count++] = (TraceEntry){SMALL_MATERIAL, count};
            trace.entries[trace.count++] = (TraceEntry){SMALL_MATERIAL + 1, count};
        }
        double p = 1 / (1 + exp(-count * 100 * log(10) / 400));
        Origin origin = {.key = i, .game = (uint32_t)i, .half_points = rng_real(&rng) < p ? 2 : 0};
        assert_int_equal(rows_add(&rows, NULL, &trace, &origin, NULL), STATUS_OK);
    }
    Objective objective;
    OptimiseOptions how = OPTIMISE_DEFAULTS;
    make_objective(&rows, 1e-4, &objective);
    for (int start = 0; start < 2; start++) {
        double x[N] = {0};
        Certificate certificate;
        x[0] = start ? 300 : 0;
        Error err = {0};
        if (optimise(&objective, &how, x, &certificate, NULL, NULL, &err) != STATUS_OK)
            fail_msg("%s", err.message);
        assert_true(fabs(x[0] - x[2]) < 0.05);
        assert_true(x[0] + x[2] > 85 && x[0] + x[2] < 115);
        assert_true(certificate.gap_bound <= 1e-10);
    }
    objective_free(&objective);
    rows_free(&rows);
}

/* Nothing but draws from nothing: all weights 0, whatever the ridge. */
static void draws_alone_say_nothing(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Sample sample = {.engine = &small_engine};
    FitResult result;
    synthetic_weights(planted, 60, 61);
    synthetic_rows(&sample.parts[PART_TRAIN], 3000, planted, 61, 0);
    for (size_t c = 0; c < sample.parts[PART_TRAIN].chain_count; c++)
        sample.parts[PART_TRAIN].chains[c].half_points = 1;
    FitOptions how = {.lambda = 1,
                      .ridge = 1e-6,
                      .threads = 2,
                      .cross_check = true,
                      .optimise = OPTIMISE_DEFAULTS};
    assert_int_equal(fit(&sample, small_zero, &how, &result, NULL, NULL, NULL), STATUS_OK);
    assert_memory_equal(result.weights, small_zero, sizeof small_zero);
    assert_true(fabs(result.losses[PART_TRAIN].rounded - log(2)) < 1e-12);
    assert_true(result.slope == 1);
    fit_result_free(&result);
    sample_free(&sample);
}

/*
 * Case C15: a fit that goes on past what the games can tell is stopped. Noise alone, 39 weights and
 * few games: with a weaker ridge training falls and validation rises, so the path ends early and
 * the ridge with the best validation loss stands.
 */
static void validation_stops_the_path(void **state)
{
    (void)state;
    Sample sample = {.engine = &small_engine, .split = true};
    FitResult result;
    synthetic_rows(&sample.parts[PART_TRAIN], 400, small_zero, 62, 0);
    synthetic_rows(&sample.parts[PART_VALIDATION], 2000, small_zero, 63, 0);
    FitOptions how = {.lambda = 1, .threads = 2, .optimise = OPTIMISE_DEFAULTS};
    assert_int_equal(fit(&sample, small_zero, &how, &result, NULL, NULL, NULL), STATUS_OK);
    assert_true(result.path_length >= 3 && result.path_length < RIDGE_STEPS);
    int chosen = result.path_length - 3;
    assert_true(result.ridge == result.path[chosen].ridge);
    for (int i = chosen; i + 1 < result.path_length; i++) {
        assert_true(result.path[i + 1].train < result.path[i].train);
        assert_true(result.path[i + 1].validation > result.path[chosen].validation);
    }
    assert_true(fabs(result.judged - result.path[chosen].validation) < 1e-4);
    fit_result_free(&result);
    sample_free(&sample);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_weights_within_two_errors),
        cmocka_unit_test(duplicated_features_share),
        cmocka_unit_test(draws_alone_say_nothing),
        cmocka_unit_test(validation_stops_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
