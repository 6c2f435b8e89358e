/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spsa_test.c - numbers found by games, where the answer is known. */
#include "../test.h"

#include "spsa.h"
#include "support/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* C13: ranges of starts at, near and below 0 are not empty and contain the start. */
static void ranges(void **state)
{
    (void)state;
    static const struct {
        double start, least, most;
    } cases[] = {{0, -6, 6}, {2, 0, 12}, {-3, -12, 0}, {100, 0, 200}, {-100, -200, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double least, most;
        spsa_range(cases[i].start, &least, &most);
        assert_true(least == cases[i].least && most == cases[i].most);
        assert_true(least <= cases[i].start && cases[i].start <= most);
    }
}

/* The value after a thousand iterations on -(x - 5)^2 without noise. */
static SpsaParameter climb(double step)
{
    SpsaParameter x = {
        .name = (char[]){"x"}, .start = 3, .value = 3, .least = -6, .most = 20, .step = step};
    const SpsaGains gains = {.iterations = 1000, .rate = 0.02};
    for (uint64_t k = 1; k <= gains.iterations; k++) {
        SpsaTrial trial;
        spsa_try(&x, 1, &gains, 1, k, &trial);
        double first = (double)trial.first - 5.0, second = (double)trial.second - 5.0;
        spsa_learn(&x, 1, &gains, k, &trial, second * second - first * first);
    }
    return x;
}

/* C11: with steps that round away nothing is learnt, and it shows; with larger ones 5 is found. */
static void small_steps(void **state)
{
    (void)state;
    SpsaParameter x = climb(0.2);
    assert_true(x.alike > 0);
    assert_true(x.value == 3.0);
    x = climb(0.3);
    assert_true(x.alike > 0);
    x = climb(1.0);
    if (!(fabs(x.value - 5.0) < 0.5))
        fail_msg("%f, expected 5", x.value);
}

/* Several numbers at once from games that are won with a chance; values stay in their ranges. */
static void noisy_games(void **state)
{
    (void)state;
    const double best[] = {120, 40, 700};
    SpsaParameter x[] = {
        {.start = 60, .value = 60, .least = 0, .most = 200, .step = 10},
        {.start = 80, .value = 80, .least = 0, .most = 100, .step = 6},
        {.start = 500, .value = 500, .least = 0, .most = 600, .step = 40},
    };
    const SpsaGains gains = {.iterations = 6000, .rate = 0.02};
    Rng rng = rng_from(3, 0);
    for (uint64_t k = 1; k <= gains.iterations; k++) {
        SpsaTrial trials[3];
        spsa_try(x, 3, &gains, 7, k, trials);
        double elo = 0.0;
        for (size_t i = 0; i < 3; i++) {
            double first = ((double)trials[i].first - best[i]) / x[i].step,
                   second = ((double)trials[i].second - best[i]) / x[i].step;
            elo += 4.0 * (second * second - first * first);
            assert_true(trials[i].first >= (long long)x[i].least &&
                        trials[i].first <= (long long)x[i].most);
            assert_true(trials[i].second >= (long long)x[i].least &&
                        trials[i].second <= (long long)x[i].most);
        }
        double win = 1.0 / (1.0 + pow(10.0, -elo / 400.0)), score = 0.0;
        for (int game = 0; game < 4; game++)
            score += rng_real(&rng) < win ? 1.0 : -1.0;
        spsa_learn(x, 3, &gains, k, trials, score);
    }
    assert_true(fabs(x[0].value - 120.0) < 12.0);
    assert_true(fabs(x[1].value - 40.0) < 8.0);
    assert_true(x[2].value > 560.0 && x[2].value <= 600.0); /* the end of its range */
}

/* The same seed and iteration give the same versions, others do not. */
static void repeatable(void **state)
{
    (void)state;
    SpsaParameter x[16];
    for (size_t i = 0; i < 16; i++)
        x[i] = (SpsaParameter){.value = 50, .least = 0, .most = 100, .step = 5};
    const SpsaGains gains = {.iterations = 10, .rate = 0.01};
    SpsaTrial once[16], again[16], other[16];
    spsa_try(x, 16, &gains, 9, 4, once);
    spsa_try(x, 16, &gains, 9, 4, again);
    spsa_try(x, 16, &gains, 9, 5, other);
    bool differs = false;
    for (size_t i = 0; i < 16; i++) {
        assert_true(once[i].sign == again[i].sign && once[i].first == again[i].first);
        assert_true(once[i].first - 50 == 50 - once[i].second);
        differs |= once[i].sign != other[i].sign;
    }
    assert_true(differs);
}

static SpsaKnown known(void *context, const char *name)
{
    (void)context;
    if (strcmp(name, "Tune margin") == 0)
        return (SpsaKnown){true, true, 250, 50, 800};
    if (strcmp(name, "free") == 0)
        return (SpsaKnown){true, false, 2, 0, 0};
    return (SpsaKnown){0};
}

static void expect_parsed(const char *text, double start, double least, double most, double step)
{
    SpsaParameter x = {0};
    Error error;
    if (spsa_parameter_parse(text, known, NULL, &x, &error) != STATUS_OK)
        fail_msg("%s: %s", text, error.message);
    assert_true(x.start == start && x.value == start && x.least == least && x.most == most &&
                x.step == step);
    free(x.name);
}

static void expect_refused(const char *text, const char *message)
{
    SpsaParameter x = {0};
    Error error;
    assert_int_equal(spsa_parameter_parse(text, known, NULL, &x, &error), STATUS_ARGUMENT);
    assert_null(x.name);
    if (!strstr(error.message, message))
        fail_msg("%s: '%s', expected '%s'", text, error.message, message);
}

static void parsing(void **state)
{
    (void)state;
    expect_parsed("Tune margin", 250, 50, 800, 37.5);
    expect_parsed("Tune margin,start=300,min=100,max=500,step=8", 300, 100, 500, 8);
    expect_parsed("free", 2, 0, 12, 0.6);
    expect_refused("nothing", "no such option");
    expect_refused("Tune margin,begin=3", "unknown key 'begin'");
    expect_refused("Tune margin,start=3x", "start='3x': expected a number");
    expect_refused("Tune margin,start=900", "the start 900 is not in the range");
    expect_refused("Tune margin,max=900", "not within the engine's");
    expect_refused("free,min=5,max=5", "empty");
    expect_refused("free,step=-1", "step above 0");
    expect_refused("free,step=0", "step above 0");
    expect_refused("free,step=nan", "expected a number");
    expect_refused("free,step=1,step=2", "'step' is given twice");
    expect_refused("free,", "expected key=value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),     cmocka_unit_test(small_steps), cmocka_unit_test(noisy_games),
        cmocka_unit_test(repeatable), cmocka_unit_test(parsing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
