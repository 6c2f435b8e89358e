/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_fit.c - the optimum: planted weights, case C05, gauge, threads, states that are refused. */
#include "test.h"

#include "fit.h"
#include "synthetic.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>

enum { N = 2 * SMALL_WEIGHTS };

static FitOptions options(int threads)
{
    return (FitOptions){
        .lambda = 1, .ridge = 1e-8, .rare = 0, .threads = threads, .optimise = OPTIMISE_DEFAULTS};
}

/* The objective that fit() makes, from rows with soft targets. */
static void optimum(const Rows *rows, double ridge, size_t dense_limit, double *x,
                    Certificate *certificate)
{
    static const double zero[N];
    Occurrence occurrence;
    Objective objective;
    assert_int_equal(occurrence_count(rows, SMALL_WEIGHTS, &occurrence, NULL), STATUS_OK);
    assert_int_equal(objective_init(&objective, rows, SMALL_WEIGHTS, NULL, 1, ridge,
                                    occurrence.mean_square, zero, 2, NULL),
                     STATUS_OK);
    OptimiseOptions how = OPTIMISE_DEFAULTS;
    how.dense_limit = dense_limit;
    memset(x, 0, N * sizeof *x);
    Error err = {0};
    Status status = optimise(&objective, &how, x, certificate, NULL, NULL, &err);
    if (status != STATUS_OK)
        fail_msg("%s", err.message);
    objective_free(&objective);
    occurrence_free(&occurrence);
}

/* Another start ends at the same point, and a gradient that were wrong would be seen. */
static void a_second_start_agrees(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    synthetic_weights(planted, 80, 51);
    synthetic_rows(&rows, 6000, planted, 51, 0);
    static const double zero[N];
    double y[N] = {0};
    Occurrence occurrence;
    Objective objective;
    Certificate certificate;
    Cross cross;
    OptimiseOptions how = OPTIMISE_DEFAULTS;
    occurrence_count(&rows, SMALL_WEIGHTS, &occurrence, NULL);
    assert_int_equal(objective_init(&objective, &rows, SMALL_WEIGHTS, NULL, 1, 1e-3,
                                    occurrence.mean_square, zero, 2, NULL),
                     STATUS_OK);
    assert_int_equal(optimise(&objective, &how, y, &certificate, NULL, NULL, NULL), STATUS_OK);
    assert_int_equal(certify(&objective, &how, y, 7, &cross, NULL), STATUS_OK);
    assert_true(fabs(cross.other_total - certificate.value.total) < 2e-10);
    assert_true(cross.apart > 0 && cross.apart < 1e-3);
    assert_true(fabs(cross.slope) > 1e-4);
    assert_true(fabs(cross.slope - cross.difference) < 1e-8);

    /* What is not the optimum is far from where the second start ends. */
    y[2 * SMALL_MATERIAL] += 50;
    assert_int_equal(certify(&objective, &how, y, 7, &cross, NULL), STATUS_OK);
    assert_true(cross.apart > 0.1);
    objective_free(&objective);
    occurrence_free(&occurrence);
    rows_free(&rows);
}

/* 3,000 rows of nothing but tempo, in chains of 10; results by chance. */
static void tempo_rows(Rows *rows, uint64_t seed)
{
    Rng rng = rng_from(seed, 9);
    Trace *trace = calloc(1, sizeof *trace);
    trace->phase = PHASE_MAX / 2;
    trace->count = 1;
    for (int i = 0; i < 3000; i++) {
        trace->entries[0] = (TraceEntry){SMALL_TEMPO, i % 2 ? 1 : -1};
        double p = i % 2 ? 0.6 : 0.4;
        Origin origin = {.game = (uint32_t)(i / 10), .ply = (uint16_t)(i % 10)};
        assert_int_equal(rows_add(rows, NULL, trace, &origin, NULL), STATUS_OK);
        rows->targets[i] = rng_real(&rng) < p;
    }
    free(trace);
}

static Status keep(void *context, const double *y, double *x, Error *err)
{
    (void)context;
    (void)err;
    memcpy(x, y, N * sizeof *x);
    return STATUS_OK;
}

/* The spread is that of theory, 1 / sqrt(n p (1 - p)) logits, and the rows are what they were. */
static void bootstrap_finds_the_spread(void **state)
{
    (void)state;
    Rows rows = {0};
    Objective objective;
    OptimiseOptions how = OPTIMISE_DEFAULTS;
    Certificate certificate;
    CurvePoint curve[CURVE_POINTS];
    static double units[N], zero[N], y[N], errors[N];
    tempo_rows(&rows, 1);
    Rows all = {0}; /* the same once more: what the masses do does not reach it */
    tempo_rows(&all, 1);
    units[2 * SMALL_TEMPO] = 1;
    rows.rows[7].mass = 3;
    assert_int_equal(
        objective_init(&objective, &rows, SMALL_WEIGHTS, NULL, 1, 1e-6, units, zero, 2, NULL),
        STATUS_OK);
    assert_int_equal(optimise(&objective, &how, y, &certificate, NULL, NULL, NULL), STATUS_OK);
    assert_int_equal(bootstrap_errors(&objective, &rows, &how, y, 60, 5, keep, NULL, errors, NULL),
                     STATUS_OK);
    double theory = 400 / log(10) / sqrt(3002 * 0.24);
    assert_true(fabs(errors[2 * SMALL_TEMPO] / theory - 1) < 0.35); /* 3.8 times 1 / sqrt(2 * 59) */
    assert_true(errors[2 * SMALL_MATERIAL] == 0);
    assert_true(rows.rows[7].mass == 3 && rows.rows[8].mass == 1 && objective.mass == 3002);

    assert_int_equal(learning_curve(&objective, &rows, &all, &how, y, 5, curve, NULL), STATUS_OK);
    assert_int_equal(curve[CURVE_POINTS - 1].games, 300);
    assert_true(fabs(curve[CURVE_POINTS - 1].train - certificate.value.loss) < 1e-6);
    for (int i = 0; i + 1 < CURVE_POINTS; i++) {
        double expected = 300 * curve[i].share, games = (double)curve[i].games;
        assert_true(fabs(games - expected) < 4 * sqrt(expected));
        assert_true(curve[i].games < curve[i + 1].games);
        assert_true(curve[i].validation > curve[CURVE_POINTS - 1].validation - 2e-7);
    }
    assert_true(curve[0].validation > curve[CURVE_POINTS - 1].validation + 1e-6);
    assert_true(rows.rows[7].mass == 3 && objective.mass == 3002);
    objective_free(&objective);
    rows_free(&rows);
    rows_free(&all);
}

/* Without noise the planted weights come back, up to the mean that material and table share. */
static void planted_weights_are_recovered(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    synthetic_weights(planted, 60, 11);
    synthetic_rows(&rows, 20000, planted, 11, 1);
    double x[N], y[N], truth[N];
    Certificate cg, dense;
    optimum(&rows, 1e-9, 0, x, &cg);
    optimum(&rows, 1e-9, 1000, y, &dense);
    assert_false(cg.dense);
    assert_true(dense.dense);
    assert_true(cg.gap_bound <= 1e-10 && dense.gap_bound <= 1e-10);
    assert_true(dense.products == 0 && cg.products > 0);

    coefficients_from_weights(&small_engine, planted, truth);
    Occurrence occurrence;
    assert_int_equal(occurrence_count(&rows, SMALL_WEIGHTS, &occurrence, NULL), STATUS_OK);
    int moved;
    double *vectors[] = {x, y, truth};
    for (int v = 0; v < 3; v++) {
        assert_int_equal(gauge(&small_engine, &rows, &occurrence, vectors[v], &moved, NULL),
                         STATUS_OK);
        assert_int_equal(moved, 3);
    }
    occurrence_free(&occurrence);
    /* King squares: only differences count, so compare with their mean taken out. */
    for (int v = 0; v < 3; v++)
        for (int which = 0; which < 2; which++) {
            double sum = 0;
            for (int i = 18; i < 27; i++)
                sum += small_exists[SMALL_SQUARES + i] ? vectors[v][2 * (SMALL_SQUARES + i) + which]
                                                       : 0;
            for (int i = 18; i < 27; i++)
                vectors[v][2 * (SMALL_SQUARES + i) + which] -= sum / 8;
        }
    for (int j = 0; j < N; j++) {
        if (!small_exists[j / 2])
            continue;
        /* 0.1: material is made whole, which moves a table by less than half a centipawn. */
        bool table = j / 2 < SMALL_HAND;
        if (fabs(x[j] - truth[j]) > (table ? 1.01 : 0.1) ||
            fabs(x[j] - y[j]) > (table ? 1.01 : 0.1)) {
            char name[64];
            weight_name(&small_engine, j / 2, name, sizeof name);
            fail_msg("%s: planted %g, found %g and %g", name, truth[j], x[j], y[j]);
        }
    }
    rows_free(&rows);
}

/* With drawn results the fit beats the truth on what it has seen, and errors are as large as the
 * inverse Hessian says: their squares, in its units, average about 1. */
static void noise_has_the_size_it_should(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    synthetic_weights(planted, 60, 12);
    synthetic_rows(&rows, 40000, planted, 12, 0);
    double x[N], truth[N], gradient[N], away[N], product[N], best, true_loss;
    Certificate certificate;
    optimum(&rows, 1e-8, 0, x, &certificate);
    coefficients_from_weights(&small_engine, planted, truth);
    rows_loss(&rows, x, 1, 2, &best, NULL);
    rows_loss(&rows, truth, 1, 2, &true_loss, NULL);
    assert_true(best < true_loss);

    static const double zero[N];
    Occurrence occurrence;
    Objective objective;
    ObjectiveValue value;
    occurrence_count(&rows, SMALL_WEIGHTS, &occurrence, NULL);
    objective_init(&objective, &rows, SMALL_WEIGHTS, NULL, 1, 1e-8, occurrence.mean_square, zero, 2,
                   NULL);
    objective_evaluate(&objective, x, &value, gradient, NULL);
    for (int j = 0; j < N; j++)
        away[j] = x[j] - truth[j];
    objective_hessian_times(&objective, away, product);
    double square = 0;
    for (int j = 0; j < N; j++)
        square += away[j] * product[j];
    square *= objective.mass;
    /* chi-square with one degree of freedom for each coefficient that can be told: all but the
     * five pairs of missing weights and the three pairs that share a mean. */
    int degrees = N - 2 * 4 - 2 * 3;
    assert_true(square > degrees - 4 * sqrt(2.0 * degrees));
    assert_true(square < degrees + 4 * sqrt(2.0 * degrees));
    objective_free(&objective);
    occurrence_free(&occurrence);
    rows_free(&rows);
}

static void pawn_sample(Sample *sample, int wins, int losses, int draws)
{
    Trace *trace = calloc(1, sizeof *trace);
    *sample = (Sample){.engine = &small_engine};
    trace->phase = PHASE_MAX / 2;
    trace->count = 1;
    trace->entries[0] = (TraceEntry){SMALL_MATERIAL, 1};
    for (int i = 0; i < wins + losses + draws; i++) {
        Origin origin = {.key = 77, .half_points = i < wins ? 2 : i < wins + losses ? 0 : 1};
        assert_int_equal(rows_add(&sample->parts[PART_TRAIN], NULL, trace, &origin, NULL),
                         STATUS_OK);
    }
    free(trace);
}

/* Case C05: three wins and a loss with a pawn more make it worth 400 log10(3). */
static void a_pawn_that_wins_three_of_four(void **state)
{
    (void)state;
    Sample sample;
    FitResult result;
    FitOptions how = options(1);
    pawn_sample(&sample, 3, 1, 0);
    assert_int_equal(fit(&sample, small_zero, &how, &result, NULL, NULL, NULL), STATUS_OK);
    assert_true(result.slope == 1);
    assert_int_equal(result.positions[PART_TRAIN], 4);
    assert_int_equal(result.rows[PART_TRAIN], 1); /* merged */
    assert_int_equal(result.weights[0].middlegame, 191);
    assert_int_equal(result.weights[0].endgame, 191);
    assert_true(fabs(result.losses[PART_TRAIN].exact - 0.562335144618808) < 1e-9);
    assert_true(fabs(result.losses[PART_TRAIN].before - log(2)) < 1e-15);
    /* One pawn in hand has never been seen: it is taken for about as much. */
    assert_true(result.weights[SMALL_HAND].middlegame > 100);
    assert_true(result.weights[SMALL_HAND + 1].middlegame > 200);
    for (int w = 1; w < SMALL_HAND; w++)
        assert_true(result.weights[w].middlegame == 0 && result.weights[w].endgame == 0);
    fit_result_free(&result);

    /* In other units, with the same predictions. */
    sample_free(&sample);
    pawn_sample(&sample, 3, 1, 0);
    how.anchor_cp = 100;
    assert_int_equal(fit(&sample, small_zero, &how, &result, NULL, NULL, NULL), STATUS_OK);
    assert_int_equal(result.weights[0].middlegame, 100);
    assert_true(fabs(result.slope - 1.9085) < 1e-3);
    assert_true(fabs(result.losses[PART_TRAIN].rounded - 0.562335144618808) < 1e-9);
    how.anchor_cp = 0;
    fit_result_free(&result);
    sample_free(&sample);

    pawn_sample(&sample, 0, 0, 4);
    assert_int_equal(fit(&sample, small_zero, &how, &result, NULL, NULL, NULL), STATUS_OK);
    assert_int_equal(result.weights[0].middlegame, 0);
    fit_result_free(&result);
    sample_free(&sample);
}

/* --- a minimiser of somebody else's ------------------------------------------------------------
 */

/* The objective in standardised units, z[j] = y[j] * sqrt(metric[j]). */
static void value_and_gradient(const gsl_vector *z, void *context, double *value,
                               gsl_vector *gradient)
{
    Objective *objective = context;
    double y[N], slopes[N];
    ObjectiveValue made;
    for (size_t j = 0; j < N; j++)
        y[j] = gsl_vector_get(z, j) / sqrt(objective->metric[j]);
    assert_int_equal(objective_evaluate(objective, y, &made, slopes, NULL), STATUS_OK);
    *value = made.total;
    for (size_t j = 0; j < N; j++)
        gsl_vector_set(gradient, j, slopes[j] / sqrt(objective->metric[j]));
}

static double value_only(const gsl_vector *z, void *context)
{
    double value, memory[N];
    gsl_vector_view ignored = gsl_vector_view_array(memory, N);
    value_and_gradient(z, context, &value, &ignored.vector);
    return value;
}

static void gradient_only(const gsl_vector *z, void *context, gsl_vector *gradient)
{
    double value;
    value_and_gradient(z, context, &value, gradient);
}

/* GSL's BFGS, which knows nothing of Hessians, chains of changes or bounds, ends where we end. */
static void gsl_finds_the_same_optimum(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    static const double zero[N];
    synthetic_weights(planted, 80, 61);
    synthetic_rows(&rows, 5000, planted, 61, 0);
    double y[N];
    Certificate certificate;
    optimum(&rows, 1e-2, 1500, y, &certificate);

    Occurrence occurrence;
    Objective objective;
    assert_int_equal(occurrence_count(&rows, SMALL_WEIGHTS, &occurrence, NULL), STATUS_OK);
    assert_int_equal(objective_init(&objective, &rows, SMALL_WEIGHTS, NULL, 1, 1e-2,
                                    occurrence.mean_square, zero, 1, NULL),
                     STATUS_OK);
    gsl_multimin_function_fdf function = {value_only, gradient_only, value_and_gradient, N,
                                          &objective};
    gsl_multimin_fdfminimizer *minimizer =
        gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, N);
    gsl_vector *start = gsl_vector_calloc(N);
    gsl_multimin_fdfminimizer_set(minimizer, &function, start, 0.1, 0.1);
    for (int i = 0; i < 1000 && gsl_multimin_fdfminimizer_iterate(minimizer) == GSL_SUCCESS; i++)
        if (gsl_multimin_test_gradient(gsl_multimin_fdfminimizer_gradient(minimizer), 1e-8) ==
            GSL_SUCCESS)
            break;
    double theirs = gsl_multimin_fdfminimizer_minimum(minimizer), ours = certificate.value.total;
    if (fabs(theirs - ours) > certificate.gap_bound + 1e-12)
        fail_msg("GSL's minimum is %.15g, ours %.15g", theirs, ours);
    const gsl_vector *z = gsl_multimin_fdfminimizer_x(minimizer);
    for (size_t j = 0; j < N; j++)
        assert_true(fabs(gsl_vector_get(z, j) - y[j] * sqrt(objective.metric[j])) < 1e-4);
    gsl_vector_free(start);
    gsl_multimin_fdfminimizer_free(minimizer);
    objective_free(&objective);
    occurrence_free(&occurrence);
    rows_free(&rows);
}

/* A feature that always wins has no finite optimum; the ridge gives it one. */
static void separable_data_stay_finite(void **state)
{
    (void)state;
    Sample sample;
    FitResult result;
    FitOptions how = options(1);
    how.ridge = 1e-4;
    pawn_sample(&sample, 50, 0, 0);
    assert_int_equal(fit(&sample, small_zero, &how, &result, NULL, NULL, NULL), STATUS_OK);
    assert_true(result.weights[0].middlegame > 500 && result.weights[0].middlegame < 3000);
    fit_result_free(&result);
    sample_free(&sample);
}

/* What never occurs, and shares nothing with what does, keeps the weight it had (case C17), and
 * rarely seen weights stay closer to it the larger `rare` is. */
static void unseen_weights_keep_their_prior(void **state)
{
    (void)state;
    Weight prior[SMALL_WEIGHTS] = {{0, 0}};
    prior[0] = (Weight){100, 100};
    prior[SMALL_HAND + 4] = (Weight){123, 45};
    prior[SMALL_TEMPO] = (Weight){-7, 9};
    int previous = 400;
    for (double rare = 0; rare <= 2e5; rare = rare * 100 + 10) {
        Sample sample;
        FitResult result;
        FitOptions how = options(1);
        how.ridge = 0.1;
        how.rare = rare;
        how.slope = 1;
        pawn_sample(&sample, 40, 10, 0);
        assert_int_equal(fit(&sample, prior, &how, &result, NULL, NULL, NULL), STATUS_OK);
        assert_memory_equal(&result.weights[SMALL_HAND + 4], &prior[SMALL_HAND + 4],
                            sizeof(Weight));
        assert_memory_equal(&result.weights[SMALL_TEMPO], &prior[SMALL_TEMPO], sizeof(Weight));
        assert_true(result.weights[0].middlegame >= 100);
        assert_true(result.weights[0].middlegame < previous);
        previous = result.weights[0].middlegame;
        assert_int_equal(result.seen, 1);
        fit_result_free(&result);
        sample_free(&sample);
    }
}

static void synthetic_sample(Sample *sample, uint64_t seed)
{
    Weight planted[SMALL_WEIGHTS];
    *sample = (Sample){.engine = &small_engine, .split = true};
    synthetic_weights(planted, 60, seed);
    synthetic_rows(&sample->parts[PART_TRAIN], 12000, planted, seed, 0);
    synthetic_rows(&sample->parts[PART_VALIDATION], 2000, planted, seed + 50, 0);
}

static void threads_do_not_change_the_weights(void **state)
{
    (void)state;
    Weight first[SMALL_WEIGHTS];
    Certificate certificate = {0};
    for (int threads = 1; threads <= 3; threads++) {
        Sample sample;
        FitResult result;
        FitOptions how = options(threads);
        how.rare = 100;
        synthetic_sample(&sample, 21);
        assert_int_equal(fit(&sample, small_zero, &how, &result, NULL, NULL, NULL), STATUS_OK);
        if (threads == 1) {
            memcpy(first, result.weights, sizeof first);
            certificate = result.certificate;
        }
        assert_memory_equal(first, result.weights, sizeof first);
        assert_true(certificate.gap_bound == result.certificate.gap_bound);
        assert_true(certificate.value.total == result.certificate.value.total);
        assert_true(result.losses[PART_VALIDATION].rounded < result.losses[PART_VALIDATION].before);
        assert_true(isnan(result.losses[PART_TEST].rounded));
        assert_true(fabs(result.losses[PART_TRAIN].rounded - result.losses[PART_TRAIN].exact) <
                    1e-4);
        fit_result_free(&result);
        sample_free(&sample);
    }
}

/* Material holds the mean, tables have none, and no score has moved. */
static void gauge_moves_means_and_no_scores(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    Rows rows = {0};
    synthetic_weights(planted, 300, 31);
    synthetic_rows(&rows, 3000, planted, 31, 0);
    double x[N];
    double *before = malloc(rows.count * sizeof *before),
           *after = malloc(rows.count * sizeof *after);
    coefficients_from_weights(&small_engine, planted, x);
    synthetic_scores(&rows, x, before);
    Occurrence occurrence;
    occurrence_count(&rows, SMALL_WEIGHTS, &occurrence, NULL);
    int moved;
    assert_int_equal(gauge(&small_engine, &rows, &occurrence, x, &moved, NULL), STATUS_OK);
    synthetic_scores(&rows, x, after);
    for (size_t i = 0; i < rows.count; i++)
        assert_true(fabs(before[i] - after[i]) < 1e-9);
    for (int piece = 0; piece < 2; piece++) {
        double mean = 0, mass = 0;
        for (int w = SMALL_SQUARES + 9 * piece; w < SMALL_SQUARES + 9 * piece + 9; w++) {
            mean += occurrence.total[w] * x[2 * w];
            mass += occurrence.total[w];
        }
        assert_true(fabs(mean / mass) <= 0.5); /* what makes material whole */
        double middlegame = x[2 * piece] + x[2 * piece + 1] / 2;
        assert_true(fabs(middlegame - floor(middlegame + 0.5)) < 1e-9);
    }

    /* A table that does not add up to the material is left alone. */
    rows.changes[0] ^= CHANGE_MINUS; /* the other sign */
    assert_int_equal(gauge(&small_engine, &rows, &occurrence, x, &moved, NULL), STATUS_OK);
    assert_int_equal(moved, 2);
    occurrence_free(&occurrence);
    free(before);
    free(after);
    rows_free(&rows);
}

/* A state that is no state leaves the result alone, so no header can come of it (case C07). */
static void bad_states_are_refused(void **state)
{
    (void)state;
    Sample sample;
    FitResult result = {.slope = -5}, untouched = result;
    FitOptions how = options(2);
    Error err = {0};
    Rows rows = {0};
    Weight planted[SMALL_WEIGHTS];
    synthetic_weights(planted, 80, 41);
    synthetic_rows(&rows, 12000, planted, 41, 0);
    rows.targets[4711] = NAN;
    double zero[N] = {0}, units[N], x[N] = {1}, start[N] = {1};
    for (int j = 0; j < N; j++)
        units[j] = 1;
    Objective objective;
    Certificate certificate;
    assert_int_equal(
        objective_init(&objective, &rows, SMALL_WEIGHTS, NULL, 1, 1e-3, units, zero, 2, &err),
        STATUS_OK);
    assert_int_equal(optimise(&objective, &how.optimise, x, &certificate, NULL, NULL, &err),
                     STATUS_NOT_FINITE);
    assert_non_null(strstr(err.message, "position 4711"));
    assert_non_null(strstr(err.message, "235")); /* its game */
    assert_memory_equal(x, start, sizeof x);
    objective_free(&objective);
    rows_free(&rows);

    /* Too few steps. */
    synthetic_sample(&sample, 42);
    how.optimise.max_iterations = 1;
    assert_int_equal(fit(&sample, small_zero, &how, &result, NULL, NULL, &err), STATUS_ARGUMENT);
    assert_non_null(strstr(err.message, "no convergence after 1 step"));
    assert_memory_equal(&result, &untouched, sizeof result);
    sample_free(&sample);

    /* Nothing left. */
    sample = (Sample){.engine = &small_engine, .plies = 12};
    assert_int_equal(fit(&sample, small_zero, &how, &result, NULL, NULL, &err), STATUS_ARGUMENT);
    assert_non_null(strstr(err.message, "12 plies"));
    assert_memory_equal(&result, &untouched, sizeof result);
    sample_free(&sample);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_weights_are_recovered),
        cmocka_unit_test(a_second_start_agrees),
        cmocka_unit_test(bootstrap_finds_the_spread),
        cmocka_unit_test(noise_has_the_size_it_should),
        cmocka_unit_test(a_pawn_that_wins_three_of_four),
        cmocka_unit_test(gsl_finds_the_same_optimum),
        cmocka_unit_test(separable_data_stay_finite),
        cmocka_unit_test(unseen_weights_keep_their_prior),
        cmocka_unit_test(threads_do_not_change_the_weights),
        cmocka_unit_test(gauge_moves_means_and_no_scores),
        cmocka_unit_test(bad_states_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
