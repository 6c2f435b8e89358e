/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statistics_test.c - Elo and SPRT against values known from other implementations and from
 * reports of runners that failed on games without draws.
 */
#include "../test.h"

#include "statistics.h"

#include <math.h>

static const SprtSpec zero_ten = {0.0, 10.0, 0.05, 0.05, ELO_LOGISTIC};

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.6f, expected %.6f within %g", value, expected, tolerance);
}

static void games_without_draws(void **state)
{
    (void)state;
    const struct {
        uint64_t wins, losses;
        double llr;
    } rows[] = {{60, 20, 1.118}, {220, 180, 0.986}, {20, 0, 0.567}, {0, 20, -0.584}, {1, 0, 0.028}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Sample sample = sample_from_games(rows[i].wins, 0, rows[i].losses);
        double llr = sprt_llr(&sample, &zero_ten);
        assert_near(llr, rows[i].llr, 0.001);
        assert_int_equal(sprt_verdict(&zero_ten, llr), VERDICT_INCONCLUSIVE);
    }
}

static void games_with_draws(void **state)
{
    (void)state;
    SprtSpec spec = {0.0, 5.0, 0.05, 0.10, ELO_LOGISTIC};
    Sample sample = sample_from_games(520, 1030, 450);
    assert_near(sprt_llr(&sample, &spec), 1.651, 0.001);
    EloEstimate elo = elo_estimate(&sample);
    assert_near(elo.elo, 12.17, 0.01);
    assert_near(elo.elo_error, 10.61, 0.01);
    double lower, upper;
    sprt_bounds(&spec, &lower, &upper);
    assert_near(lower, -2.251, 0.001);
    assert_near(upper, 2.890, 0.001);
    sprt_bounds(&zero_ten, &lower, &upper);
    assert_near(lower, -2.944, 0.001);
    assert_near(upper, 2.944, 0.001);
}

static void elo_and_its_interval(void **state)
{
    (void)state;
    Sample sample = sample_from_games(220, 0, 180);
    EloEstimate elo = elo_estimate(&sample);
    assert_near(elo.elo, 34.86, 0.01);
    assert_near(elo.elo_error, 34.33, 0.01);
    assert_near(elo.los, 0.9778, 0.0001);

    sample = sample_from_games(20, 0, 0);
    elo = elo_estimate(&sample);
    assert_true(isinf(elo.elo) && elo.elo > 0);
    assert_true(isnan(elo.elo_error));
    assert_near(elo.los, 1.0, 0.0);

    sample = sample_from_games(0, 0, 0);
    assert_true(isnan(elo_estimate(&sample).elo));
    assert_near(sprt_llr(&sample, &zero_ten), 0.0, 0.0);
}

/* Pairs whose games are independent say the same as their games, nearly. */
static void pairs_agree_with_games(void **state)
{
    (void)state;
    /* 400 pairs of games won with chance 0.55: 81, 198, 121 */
    uint64_t pairs[5] = {81, 0, 198, 0, 121};
    Sample by_pair = sample_from_pairs(pairs), by_game = sample_from_games(440, 0, 360);
    assert_near(sprt_llr(&by_pair, &zero_ten), sprt_llr(&by_game, &zero_ten), 0.05);
    assert_near(elo_estimate(&by_pair).elo, elo_estimate(&by_game).elo, 1e-9);
    assert_near(elo_estimate(&by_pair).elo_error, elo_estimate(&by_game).elo_error, 0.3);
    assert_near(elo_estimate(&by_pair).normalized, elo_estimate(&by_game).normalized, 0.5);
    assert_near(elo_estimate(&by_pair).pair_ratio, 121.0 / 81.0, 1e-9);
}

/* The two models differ by the deviation of a game, 1/2 without draws: near zero, n Elo in one
 * are n * (1/2 * ln(10) / 400 * 800 / ln(10)) = n in the other there. */
static void models_agree_without_draws(void **state)
{
    (void)state;
    SprtSpec normalized = zero_ten;
    normalized.model = ELO_NORMALIZED;
    Sample sample = sample_from_games(2200, 0, 2000);
    assert_near(sprt_llr(&sample, &normalized), sprt_llr(&sample, &zero_ten), 0.02);
    EloEstimate elo = elo_estimate(&sample);
    assert_near(elo.elo, elo.normalized, 0.1);
}

/* Every small sample, and lopsided large ones, in both models: a finite number, and one that
 * does not fall when a result gets better. */
static void always_finite(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 2, 7, 1000, 1000000};
    const int n = sizeof sizes / sizeof *sizes;
    SprtSpec specs[] = {zero_ten,
                        zero_ten,
                        {-3, 1, .05, .05, ELO_LOGISTIC},
                        {0, 600, .01, .01, ELO_LOGISTIC},
                        {0, 600, .01, .01, ELO_NORMALIZED}};
    specs[1].model = ELO_NORMALIZED;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        for (int code = 0; code < n * n * n * n * n; code++) {
            uint64_t pairs[5];
            for (int i = 0, rest = code; i < 5; i++, rest /= n)
                pairs[i] = sizes[rest % n];
            Sample sample = sample_from_pairs(pairs);
            double llr = sprt_llr(&sample, &specs[s]);
            if (!isfinite(llr))
                fail_msg("%d %d %d %d %d: not finite", (int)pairs[0], (int)pairs[1], (int)pairs[2],
                         (int)pairs[3], (int)pairs[4]);
        }
        for (uint64_t wins = 0; wins < 40; wins++) {
            Sample less = sample_from_games(wins, 3, 40 - wins);
            Sample more = sample_from_games(wins + 1, 3, 39 - wins);
            if (specs[s].elo1 < 100)
                assert_true(sprt_llr(&more, &specs[s]) > sprt_llr(&less, &specs[s]));
        }
    }
}

/* Pairs that are all alike have no variance at all. */
static void pairs_all_alike(void **state)
{
    (void)state;
    for (int model = 0; model < ELO_MODEL_COUNT; model++) {
        SprtSpec spec = zero_ten;
        spec.model = (EloModel)model;
        uint64_t pairs[5] = {0, 0, 5000, 0, 0};
        Sample sample = sample_from_pairs(pairs);
        assert_true(sprt_llr(&sample, &spec) < 0.0);
        EloEstimate elo = elo_estimate(&sample);
        assert_near(elo.elo, 0.0, 0.0);
        assert_true(isnan(elo.elo_error) && isnan(elo.normalized));
        assert_near(elo.los, 0.5, 0.0);

        uint64_t won[5] = {0, 0, 0, 0, 5000};
        sample = sample_from_pairs(won);
        assert_int_equal(sprt_verdict(&spec, sprt_llr(&sample, &spec)), VERDICT_H1);
        uint64_t lost[5] = {5000, 0, 0, 0, 0};
        sample = sample_from_pairs(lost);
        assert_int_equal(sprt_verdict(&spec, sprt_llr(&sample, &spec)), VERDICT_H0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_without_draws),
        cmocka_unit_test(games_with_draws),
        cmocka_unit_test(elo_and_its_interval),
        cmocka_unit_test(pairs_agree_with_games),
        cmocka_unit_test(models_agree_without_draws),
        cmocka_unit_test(always_finite),
        cmocka_unit_test(pairs_all_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
