/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_weighting.c - positions that count more than others, and weights that are one. */
#include "test.h"

#include "fit.h"
#include "synthetic.h"
#include "tie.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

enum { N = 2 * SMALL_WEIGHTS };

/* Games of 4, 600 and 20 positions of tempo alone, a ply each; the second is longer than a chain.
 */
static void three_games(Rows *rows)
{
    static const int lengths[] = {4, 600, 20};
    static Trace trace = {.count = 1, .entries = {{SMALL_TEMPO, 1}}};
    for (uint32_t game = 0; game < 3; game++)
        for (int ply = 0; ply < lengths[game]; ply++) {
            Origin origin = {.key = game * 1000 + (uint64_t)ply,
                             .game = game,
                             .ply = (uint16_t)ply,
                             .half_points = game == 1 ? 2 : 0};
            assert_int_equal(rows_add(rows, ply ? &trace : NULL, &trace, &origin, NULL), STATUS_OK);
        }
}

static double mass_of(const Rows *rows, size_t begin, size_t end)
{
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += rows->rows[i].mass;
    return sum / rows_unit(rows);
}

static void each_game_weighs_the_same(void **state)
{
    (void)state;
    Rows rows = {0};
    Weighting weighting = {.by_game = true};
    three_games(&rows);
    assert_int_equal(rows.chain_count, 4);
    rows_weigh(&rows, &weighting);
    /* 624 positions: 208 for each game, but no position more than 16, in steps of 1/64. */
    assert_true(mass_of(&rows, 0, 4) == 64);
    assert_true(fabs(mass_of(&rows, 4, 604) / 208 - 1) < 0.03);
    assert_true(fabs(mass_of(&rows, 604, 624) / 208 - 1) < 0.001);

    /* The loss is that of the weighted mean, and merging keeps it. */
    double x[N] = {0}, before, after;
    x[2 * SMALL_TEMPO] = 400 / log(10) * 2;
    assert_int_equal(rows_loss(&rows, x, 1, 2, &before, NULL), STATUS_OK);
    double won = mass_of(&rows, 4, 604), lost = mass_of(&rows, 0, 4) + mass_of(&rows, 604, 624);
    double expected = (won * log1p(exp(-2)) + lost * log1p(exp(2))) / (won + lost);
    assert_true(fabs(before - expected) < 1e-12);
    rows.keys[4] = rows.keys[604] = rows.keys[0]; /* weights 16, about 1/3 and 10.4 */
    assert_int_equal(rows_merge(&rows, NULL, NULL), STATUS_OK);
    assert_int_equal(rows_loss(&rows, x, 1, 2, &after, NULL), STATUS_OK);
    assert_true(fabs(before - after) < 1e-9);

    Occurrence occurrence;
    assert_int_equal(occurrence_count(&rows, SMALL_WEIGHTS, &occurrence, NULL), STATUS_OK);
    assert_true(fabs((double)occurrence.seen[SMALL_TEMPO] - won - lost) < 1);
    occurrence_free(&occurrence);
    Calibration calibration;
    rows_calibration(&rows, x, 1, &calibration);
    assert_true(fabs(calibration.mass[8] - won - lost) < 1e-9);
    rows_free(&rows);
}

static void early_plies_weigh_less(void **state)
{
    (void)state;
    Rows rows = {0};
    Weighting weighting = {.early_loss = 0.75, .early_plies = 12};
    three_games(&rows);
    rows_weigh(&rows, &weighting);
    assert_int_equal(rows.unit, 64);
    for (size_t i = 0; i < 600; i++) {
        double expected = i < 12 ? 0.25 + 0.75 * (double)i / 12 : 1;
        assert_true(fabs(rows.rows[4 + i].mass / 64.0 - expected) <= 0.5 / 64);
    }
    rows_free(&rows);

    /* All alike: nothing changes, and a mass is a position. */
    Weighting alike = {.early_plies = 12};
    three_games(&rows);
    rows_weigh(&rows, &alike);
    assert_true(rows_unit(&rows) == 1 && rows.rows[0].mass == 1);
    rows_free(&rows);
}

/* --- ties ---------------------------------------------------------------------------------- */

static void a_lopsided_start_is_not_tied(void **state)
{
    (void)state;
    static const struct {
        const char *fen, *rank; /* NULL: it is its own mirror image */
    } starts[] = {
        {"knk/ppp/KNK[] w - - 0 1", NULL},  {"knn/ppp/KNK[] w - - 0 1", "rank 3"},
        {"*k*/3/*K*[Pp] w - - 0 1", NULL},  {"+pk+p/3/PKP w - - 0 1", NULL},
        {"+pkp/3/PKP w - - 0 1", "rank 3"}, {"3/3/KN1[] w - - 0 1", "rank 1"},
        {"1k1/p1p/1K1 w - - 0 1", NULL},    {"3/2p/3 w - - 0 1", "rank 2"},
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        Engine engine = small_engine;
        uint16_t *stands = NULL;
        Error err = {0};
        engine.start_fen = starts[i].fen;
        Status status = tie_new(&stands, &engine, &err);
        assert_int_equal(status, starts[i].rank ? STATUS_ARGUMENT : STATUS_OK);
        if (starts[i].rank)
            assert_non_null(strstr(err.message, starts[i].rank));
        free(stands);
    }
}

static void tied_squares_get_one_weight(void **state)
{
    (void)state;
    Engine engine = small_engine;
    Weight planted[SMALL_WEIGHTS], prior[SMALL_WEIGHTS];
    engine.start_fen = "1k1/ppp/1K1 w - - 0 1";
    Sample sample = {.engine = &engine};
    assert_int_equal(tie_new(&sample.stands, &engine, NULL), STATUS_OK);
    assert_int_equal(sample.stands[SMALL_SQUARES + 2], SMALL_SQUARES);
    assert_int_equal(sample.stands[SMALL_SQUARES + 1], SMALL_SQUARES + 1);
    assert_int_equal(sample.stands[SMALL_HAND + 2], SMALL_HAND + 2);
    synthetic_weights(planted, 60, 81);
    synthetic_weights(prior, 30, 82);

    /* The same positions, tied, and their traces are still their scores if weights are equal. */
    Rng rng = rng_from(83, 1);
    Rows *rows = &sample.parts[PART_TRAIN];
    static Trace trace;
    Weight equal[SMALL_WEIGHTS];
    for (int w = 0; w < SMALL_WEIGHTS; w++)
        equal[w] = planted[sample.stands[w]];
    for (uint64_t i = 0; i < 6000; i++) {
        synthetic_trace(&rng, &trace);
        double score = trace_score(&trace, equal);
        tie_trace(sample.stands, &trace);
        assert_true(trace_score(&trace, equal) == score);
        for (size_t k = 0; k < trace.count; k++) {
            assert_true(trace.entries[k].count != 0);
            assert_true(!k || trace.entries[k].weight > trace.entries[k - 1].weight);
        }
        double p = 1 / (1 + exact_exp(-score * log(10) / 400));
        Origin origin = {.key = i, .game = (uint32_t)i, .half_points = rng_real(&rng) < p ? 2 : 0};
        assert_int_equal(rows_add(rows, NULL, &trace, &origin, NULL), STATUS_OK);
    }
    FitOptions how = {
        .lambda = 1, .ridge = 1e-3, .slope = 1, .threads = 2, .optimise = OPTIMISE_DEFAULTS};
    FitResult result;
    Error err = {0};
    if (fit(&sample, prior, &how, &result, NULL, NULL, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    int differ = 0;
    for (int w = 0; w < SMALL_WEIGHTS; w++) {
        assert_memory_equal(&result.weights[w], &result.weights[sample.stands[w]], sizeof(Weight));
        assert_int_equal(result.occurred[w], result.occurred[sample.stands[w]]);
        differ += prior[w].middlegame != result.weights[w].middlegame;
    }
    assert_true(differ > 20);
    assert_true(result.losses[PART_TRAIN].rounded < result.losses[PART_TRAIN].before);
    fit_result_free(&result);
    sample_free(&sample);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_game_weighs_the_same),
        cmocka_unit_test(early_plies_weigh_less),
        cmocka_unit_test(a_lopsided_start_is_not_tied),
        cmocka_unit_test(tied_squares_get_one_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
