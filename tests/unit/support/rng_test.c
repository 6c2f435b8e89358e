/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rng_test.c - the random numbers are those of every other machine. */
#include "test.h"

#include "support/rng.h"

/* xoshiro256** from the state {1, 2, 3, 4}: values of the authors' reference code. */
static void test_reference_values(void **state)
{
    (void)state;
    static const uint64_t expected[] = {
        UINT64_C(11520), UINT64_C(0), UINT64_C(1509978240), UINT64_C(1215971899390074240),
        UINT64_C(1216172134540287360), UINT64_C(607988272756665600),
    };
    Rng rng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(rng_next(&rng), expected[i]);
}

/* Datasets are reproduced from these streams, so their first values are frozen. */
static void test_frozen_streams(void **state)
{
    (void)state;
    Rng a = rng_from(1, 0), b = rng_from(1, 1), c = rng_from(2, 0), again = rng_from(1, 0);
    uint64_t first[] = {rng_next(&a), rng_next(&b), rng_next(&c)};
    assert_int_equal(first[0], UINT64_C(15127443473077725464));
    assert_int_equal(first[1], UINT64_C(16180526282594016293));
    assert_int_equal(first[2], UINT64_C(4427797969929148723));
    assert_int_equal(rng_next(&again), first[0]);
}

static void test_seed_and_stream_do_not_commute(void **state)
{
    (void)state;
    Rng a = rng_from(3, 5), b = rng_from(5, 3);
    assert_int_not_equal(rng_next(&a), rng_next(&b));
}

static void test_below_is_even(void **state)
{
    (void)state;
    enum { BOUND = 7, DRAWS = 70000 };
    unsigned seen[BOUND] = {0};
    Rng rng = rng_from(42, 0);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t x = rng_below(&rng, BOUND);
        assert_true(x < BOUND);
        seen[x]++;
    }
    double chi_squared = 0, mean = (double)DRAWS / BOUND;
    for (int i = 0; i < BOUND; i++)
        chi_squared += (seen[i] - mean) * (seen[i] - mean) / mean;
    assert_true(chi_squared < 22.5); /* 6 degrees of freedom: beyond it once in a thousand seeds */
    assert_int_equal(rng_below(&rng, 1), 0);
    assert_true(rng_below(&rng, UINT64_MAX) < UINT64_MAX);
}

static void test_real_is_in_the_unit_interval(void **state)
{
    (void)state;
    Rng rng = rng_from(42, 1);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        double x = rng_real(&rng);
        assert_true(x >= 0 && x < 1);
        sum += x;
    }
    assert_true(sum > 4900 && sum < 5100);
}

static void test_seed_from_os(void **state)
{
    (void)state;
    uint64_t a = rng_seed_from_os(), b = rng_seed_from_os();
    assert_true(a > 0 && a < (UINT64_C(1) << 53));
    assert_int_not_equal(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_values),
        cmocka_unit_test(test_frozen_streams),
        cmocka_unit_test(test_seed_and_stream_do_not_commute),
        cmocka_unit_test(test_below_is_even),
        cmocka_unit_test(test_real_is_in_the_unit_interval),
        cmocka_unit_test(test_seed_from_os),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
