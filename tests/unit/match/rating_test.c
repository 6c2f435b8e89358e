/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rating_test.c - ratings of pools whose truth is known. */
#include "../test.h"

#include "rating.h"
#include "statistics.h"
#include "support/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLAYERS = 8, POOLS = 200 };

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9f, expected %.9f within %g", value, expected, tolerance);
}

/* The rating of a player by name. */
static const Rating *rating_of(const RatingPool *pool, const RatingFit *fit, const char *name)
{
    size_t player = rating_pool_find(pool, name);
    for (size_t i = 0; i < pool->player_count; i++)
        if (fit->ratings[i].player == player)
            return &fit->ratings[i];
    fail_msg("no %s", name);
    return NULL;
}

static void add(RatingPool *pool, const char *first, const char *second, uint64_t wins,
                uint64_t draws, uint64_t losses)
{
    Error error;
    RatingScore score = {.wins = wins, .draws = draws, .losses = losses};
    assert_int_equal(rating_pool_add(pool, first, second, score, &error), STATUS_OK);
}

/* Scores that are exactly what given ratings expect give these ratings. */
static void exact_scores(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d"};
    RatingPool pool = {0};
    RatingFit fit;
    Error error;
    /* Elo 0, 400 log10(3), and twice that: 1:3, 1:9, 1:3 */
    add(&pool, names[0], names[1], 250, 0, 750);
    add(&pool, names[2], names[0], 900, 0, 100);
    add(&pool, names[1], names[2], 250, 0, 750);
    add(&pool, names[3], names[0], 0, 77, 0); /* as strong as a */
    RatingOptions options = {.anchor = "b", .anchor_elo = 1000.0};
    assert_int_equal(rating_fit(&pool, &options, &fit, &error), STATUS_OK);
    const double step = 400.0 * log10(3.0);
    assert_near(rating_of(&pool, &fit, "a")->elo, 1000.0 - step, 1e-6);
    assert_near(rating_of(&pool, &fit, "b")->elo, 1000.0, 0.0);
    assert_near(rating_of(&pool, &fit, "b")->error, 0.0, 0.0);
    assert_near(rating_of(&pool, &fit, "c")->elo, 1000.0 + step, 1e-6);
    assert_near(rating_of(&pool, &fit, "d")->elo, 1000.0 - step, 1e-6);
    assert_string_equal(pool.names[fit.ratings[0].player], "c");
    assert_true(fit.ratings[0].los > 0.999999);
    assert_true(isnan(fit.ratings[3].los));
    assert_int_equal(rating_of(&pool, &fit, "a")->score.wins, 350);
    rating_fit_free(&fit);

    /* Another origin: the mean. Differences stay. */
    options = (RatingOptions){0};
    assert_int_equal(rating_fit(&pool, &options, &fit, &error), STATUS_OK);
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        sum += fit.ratings[i].elo;
    assert_near(sum, 0.0, 1e-6);
    assert_near(rating_of(&pool, &fit, "c")->elo - rating_of(&pool, &fit, "a")->elo, 2 * step,
                1e-6);
    assert_true(fit.gradient < 1e-6);
    rating_fit_free(&fit);
    rating_pool_free(&pool);
}

/* Plays `games` games of each pairing that is wanted; the truth is 60 Elo a player. */
static void play_pool(RatingPool *pool, Rng *rng, double draws, bool chain, uint64_t games)
{
    for (int a = 0; a < PLAYERS; a++) {
        for (int b = a + 1; b < PLAYERS && (!chain || b == a + 1); b++) {
            char first[16], second[16];
            snprintf(first, sizeof first, "p%d", a);
            snprintf(second, sizeof second, "p%d", b);
            /* Draws take the same share of wins and losses. */
            double score = score_from_elo(60.0 * (a - b));
            RatingScore sum = {0, 0, 0};
            for (uint64_t i = 0; i < games; i++) {
                double at = rng_real(rng);
                double half = draws * fmin(score, 1.0 - score);
                sum.wins += at < score - half;
                sum.draws += at >= score - half && at < score + half;
                sum.losses += at >= score + half;
            }
            Error error;
            assert_int_equal(rating_pool_add(pool, first, second, sum, &error), STATUS_OK);
        }
    }
}

/* The errors are those that are seen: 95 of 100 intervals hold the truth, more with draws. */
static void intervals_hold_the_truth(void **state)
{
    (void)state;
    const struct {
        double draws;
        bool chain;
        double least, most; /* share of intervals that hold the truth; 1,600 of them, not quite
                               independent: three standard errors are some two percent */
    } rows[] = {{0.0, false, 0.925, 0.975}, {0.0, true, 0.925, 0.975}, {0.6, false, 0.975, 1.0}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        int inside = 0, all = 0, next = 0;
        double bias = 0.0;
        for (int i = 0; i < POOLS; i++) {
            RatingPool pool = {0};
            RatingFit fit;
            Error error = {STATUS_OK, ""};
            Rng rng = rng_from(77 + row, (uint64_t)i);
            play_pool(&pool, &rng, rows[row].draws, rows[row].chain, 100);
            RatingOptions options = {.anchor = row == 1 ? "p0" : NULL};
            if (rating_fit(&pool, &options, &fit, &error) != STATUS_OK)
                fail_msg("%s", error.message);
            for (int p = options.anchor ? 1 : 0; p < PLAYERS; p++) {
                char name[16];
                snprintf(name, sizeof name, "p%d", p);
                const Rating *r = rating_of(&pool, &fit, name);
                double truth = 60.0 * (options.anchor ? p : p - (PLAYERS - 1) / 2.0);
                inside += fabs(r->elo - truth) <= r->error;
                bias += r->elo - truth;
                all++;
            }
            /* The best is found, nearly always. */
            next += strcmp(pool.names[fit.ratings[0].player], "p7") == 0;
            rating_fit_free(&fit);
            rating_pool_free(&pool);
        }
        double share = (double)inside / all;
        print_message("draws %.1f %s: %.4f of %d intervals hold the truth, mean error %+.2f Elo\n",
                      rows[row].draws, rows[row].chain ? "chain" : "all  ", share, all, bias / all);
        assert_true(share >= rows[row].least && share <= rows[row].most);
        assert_true(next > POOLS * 8 / 10);
        assert_true(fabs(bias / all) < 10.0);
    }
}

/* In a pool of two the result is that of a match. */
static void agrees_with_a_match(void **state)
{
    (void)state;
    RatingPool pool = {0};
    RatingFit fit;
    Error error;
    add(&pool, "a", "b", 220, 0, 180);
    RatingOptions options = {.anchor = "b"};
    assert_int_equal(rating_fit(&pool, &options, &fit, &error), STATUS_OK);
    Sample sample = sample_from_games(220, 0, 180);
    EloEstimate elo = elo_estimate(&sample);
    assert_near(fit.ratings[0].elo, elo.elo, 1e-6);
    assert_near(fit.ratings[0].error, elo.elo_error, 0.3);
    assert_near(fit.ratings[0].los, elo.los, 1e-3);
    rating_fit_free(&fit);
    rating_pool_free(&pool);
}

static void refused(RatingPool *pool, const RatingOptions *options, const char *message)
{
    RatingFit fit = {0};
    Error error = {STATUS_OK, ""};
    assert_int_equal(rating_fit(pool, options, &fit, &error), STATUS_ARGUMENT);
    if (!strstr(error.message, message))
        fail_msg("'%s', expected '%s'", error.message, message);
    assert_null(fit.ratings);
}

static void pools_without_an_answer(void **state)
{
    (void)state;
    RatingPool pool = {0};
    RatingFit fit;
    Error error;
    RatingOptions none = {0}, prior = {.prior = 1.0}, anchor = {.anchor = "nobody"};
    refused(&pool, &none, "found 0 players");
    assert_int_equal(rating_pool_add(&pool, "a", "a", (RatingScore){1, 1, 1}, &error),
                     STATUS_ARGUMENT);
    add(&pool, "a", "b", 3, 0, 0);
    refused(&pool, &none, "(a) never lost a point to (b)");
    refused(&pool, &anchor, "'nobody' has played no game");
    /* A cycle of wins is fine, a second group above it is not. */
    add(&pool, "b", "c", 3, 0, 0);
    add(&pool, "c", "a", 3, 0, 0);
    assert_int_equal(rating_fit(&pool, &none, &fit, &error), STATUS_OK);
    for (int i = 0; i < 3; i++)
        assert_near(fit.ratings[i].elo, 0.0, 1e-6);
    rating_fit_free(&fit);
    add(&pool, "d", "e", 2, 0, 2);
    refused(&pool, &none, "no game links (a, b, c) to (d, e)");
    refused(&pool, &prior, "no game links (a, b, c) to (d, e)");
    add(&pool, "d", "c", 7, 0, 0);
    refused(&pool, &none, "(d, e) never lost a point to (a, b, c)");
    assert_int_equal(rating_fit(&pool, &prior, &fit, &error), STATUS_OK);
    assert_true(rating_of(&pool, &fit, "d")->elo > rating_of(&pool, &fit, "c")->elo + 300.0);
    rating_fit_free(&fit);
    add(&pool, "d", "c", 0, 1, 0);
    assert_int_equal(rating_fit(&pool, &none, &fit, &error), STATUS_OK);
    rating_fit_free(&fit);
    rating_pool_free(&pool);
}

/* A pool as lopsided as generations are: each beats the one before by 300 Elo in 4,000 games. */
static void far_apart(void **state)
{
    (void)state;
    RatingPool pool = {0};
    RatingFit fit;
    Error error = {STATUS_OK, ""};
    for (int i = 0; i < 40; i++) {
        char first[16], second[16];
        snprintf(first, sizeof first, "g%02d", i + 1);
        snprintf(second, sizeof second, "g%02d", i);
        add(&pool, first, second, 3400, 0, 600);
    }
    RatingOptions options = {.anchor = "g00"};
    if (rating_fit(&pool, &options, &fit, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_near(fit.ratings[0].elo, 40 * elo_from_score(0.85), 1e-3);
    /* Variances of a chain add up. */
    assert_near(fit.ratings[0].error, sqrt(40.0) * fit.ratings[39].error, 1e-3);
    rating_fit_free(&fit);
    rating_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_scores),        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(agrees_with_a_match), cmocka_unit_test(pools_without_an_answer),
        cmocka_unit_test(far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
