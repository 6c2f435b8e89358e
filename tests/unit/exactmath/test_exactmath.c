/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_exactmath.c - exp, log and log1p against long double, at the edges, and to the bit. */
#include "test.h"

#include "support/exactmath.h"
#include "support/rng.h"

#include <math.h>
#include <string.h>

static double units(double got, long double expected)
{
    double nearest = fabs((double)expected);
    double unit = nextafter(nearest, (double)INFINITY) - nearest;
    return (double)(fabsl((long double)got - expected) / (long double)unit);
}

static void errors_are_below_a_unit_and_a_half(void **state)
{
    (void)state;
    Rng rng = rng_from(1, 1);
    for (int i = 0; i < 500000; i++) {
        double x = (rng_real(&rng) - 0.5) * 1400 * rng_real(&rng);
        assert_true(units(exact_exp(x), expl((long double)x)) < 1.5);
        double y = exact_exp((rng_real(&rng) - 0.5) * 60 * rng_real(&rng) * rng_real(&rng));
        assert_true(units(exact_log(y), logl((long double)y)) < 1.5);
        double z = exact_exp((rng_real(&rng) - 0.9) * 40);
        assert_true(units(exact_log1p(z), log1pl((long double)z)) < 1.5);
        if (z < 1)
            assert_true(units(exact_log1p(-z), log1pl(-(long double)z)) < 1.5);
    }
}

static void edges_are_right(void **state)
{
    (void)state;
    assert_true(exact_exp(0) == 1 && exact_log(1) == 0 && exact_log1p(0) == 0);
    assert_true(isinf(exact_exp(710)) && exact_exp(-746) == 0);
    assert_true(exact_exp(-744) > 0 && exact_exp(709.7) < INFINITY);
    assert_true(exact_log(0) == -INFINITY && exact_log1p(-1) == -INFINITY);
    assert_true(isnan(exact_log(-1)) && isnan(exact_log1p(-2)) && isnan(exact_exp(NAN)));
    assert_true(exact_log(INFINITY) == INFINITY && exact_log1p(INFINITY) == INFINITY);
    assert_true(units(exact_log(5e-324), logl((long double)5e-324)) < 1.5);
    assert_true(exact_log1p(1e-300) == 1e-300);
}

/* Several at once, of every count: as one by one, whatever stands beside it. */
static void logistic_is_right(void **state)
{
    (void)state;
    Rng rng = rng_from(3, 1);
    double z[11], p[11], q[11];
    for (int round = 0; round < 20000; round++) {
        size_t count = rng_below(&rng, 12);
        for (size_t i = 0; i < count; i++)
            z[i] = (rng_real(&rng) - 0.5) * 80 * rng_real(&rng);
        exact_logistic(z, count, p, q);
        for (size_t i = 0; i < count; i++) {
            long double e = expl(-fabsl((long double)z[i]));
            assert_true(units(q[i], 1 + e) < 1.5);
            assert_true(units(p[i], (z[i] >= 0 ? 1 : e) / (1 + e)) < 4);
        }
    }
    const double edges[] = {0, -0.0, 1e9, -1e9, INFINITY, -INFINITY, 1e-320, NAN};
    exact_logistic(edges, 8, p, q);
    assert_true(p[0] == 0.5 && p[1] == 0.5 && q[0] == 2 && q[1] == 2 && p[6] == 0.5);
    assert_true(p[2] == 1 && p[4] == 1 && q[2] == 1 && q[4] == 1 && q[3] == 1 && q[5] == 1);
    assert_true(p[3] > 0 && p[3] < 1e-300 && p[5] > 0 && p[5] < 1e-300);
    assert_true(isnan(p[7]) && isnan(q[7]));
}

/* What is stored must not change with the compiler: these bits are part of the project. */
static void bits_are_fixed(void **state)
{
    (void)state;
    uint64_t sum = 0;
    Rng rng = rng_from(2, 1);
    for (int i = 0; i < 100000; i++) {
        double x = (rng_real(&rng) - 0.5) * 50;
        double values[3] = {exact_exp(x), exact_log(fabs(x)), exact_log1p(fabs(x))};
        for (int k = 0; k < 3; k++) {
            uint64_t bits;
            memcpy(&bits, &values[k], sizeof bits);
            sum = (sum ^ bits) * UINT64_C(0x100000001b3);
        }
    }
    assert_int_equal(sum, UINT64_C(0xc5ed5ca4c29f4164));

    enum { COUNT = 1003 };
    double z[COUNT], p[COUNT], q[COUNT];
    for (int i = 0; i < COUNT; i++)
        z[i] = (rng_real(&rng) - 0.5) * 50;
    exact_logistic(z, COUNT, p, q);
    for (int i = 0; i < COUNT; i++) {
        uint64_t bits[2];
        memcpy(&bits[0], &p[i], sizeof bits[0]);
        memcpy(&bits[1], &q[i], sizeof bits[1]);
        sum = (sum ^ bits[0] ^ bits[1] << 1) * UINT64_C(0x100000001b3);
    }
    assert_int_equal(sum, UINT64_C(0x2ce17d55f82887c1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_below_a_unit_and_a_half),
        cmocka_unit_test(edges_are_right),
        cmocka_unit_test(logistic_is_right),
        cmocka_unit_test(bits_are_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
