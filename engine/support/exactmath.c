/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exactmath.c - exp and log with the same bits on every machine.
 *
 * exp: x = k ln 2 + r with |r| <= ln 2 / 2, then the Taylor series of exp(r).
 * log: x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); with s = f / (2 + f) the series
 * of 2 artanh(s) gives log(1 + f) = f - (f^2/2 - s (f^2/2 + R)), R = 2 s^2/3 + 2 s^4/5 + ...,
 * where the large term f carries no rounding error.
 */
#include "support/exactmath.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts: k * LN2_HIGH is exact for |k| < 2^20. */
static const double LN2_HIGH = 0x1.62e42fee00000p-1;
static const double LN2_LOW = 0x1.a39ef35793c76p-33;
static const double LOG2_E = 0x1.71547652b82fep+0;

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2 to the k for normal results. */
static double power_of_two(int k)
{
    return from_bits((uint64_t)(k + 1023) << 52);
}

/* (exp(r) - 1 - r) / r^2 */
static const double inverse_factorial[] = {
    1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
    1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0,
};
enum { EXP_TERMS = sizeof inverse_factorial / sizeof *inverse_factorial };

double exact_exp(double x)
{
    if (isnan(x))
        return x;
    if (x > 709.79)
        return (double)INFINITY;
    if (x < -745.2)
        return 0.0;

    int k = (int)(x * LOG2_E + (x < 0 ? -0.5 : 0.5));
    double high = x - k * LN2_HIGH, low = k * LN2_LOW;
    double r = high - low;
    /* What the subtraction above rounded away. */
    double lost = (high - r) - low;

    double series = 0;
    for (int i = EXP_TERMS - 1; i >= 0; i--)
        series = series * r + inverse_factorial[i];
    double value = 1 + (r + (r * r * series + lost));

    if (k > 1023)
        return value * 2 * power_of_two(k - 1);
    if (k < -1022)
        return value * power_of_two(k + 54) * 0x1p-54;
    return value * power_of_two(k);
}

/* log(1 + f + lost) + k ln 2 for |f| < 0.42 and a tiny `lost`. */
static double log_reduced(double f, double lost, int k)
{
    static const double odd[] = {
        2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
        2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23,
    };
    double s = f / (2 + f), z = s * s, half_square = 0.5 * f * f;
    double series = 0;
    for (int i = (int)(sizeof odd / sizeof *odd) - 1; i >= 0; i--)
        series = series * z + odd[i];
    double tail = half_square - (s * (half_square + z * series) + (k * LN2_LOW + lost));
    return k * LN2_HIGH - (tail - f);
}

/* Splits a positive normal x into 2^k (1 + f); returns f, which is exact. */
static double split(double x, int *k)
{
    uint64_t bits = bits_of(x);
    *k = (int)(bits >> 52) - 1023;
    double m = from_bits((bits & 0xfffffffffffffu) | (UINT64_C(1023) << 52));
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++*k;
    }
    return m - 1;
}

double exact_log(double x)
{
    if (isnan(x) || x < 0)
        return (double)NAN;
    if (x == 0)
        return (double)-INFINITY;
    if (isinf(x))
        return x;
    int offset = 0, k;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        offset = 54;
    }
    double f = split(x, &k);
    return log_reduced(f, 0, k - offset);
}

double exact_log1p(double x)
{
    if (isnan(x) || x < -1)
        return (double)NAN;
    if (x == -1)
        return (double)-INFINITY;
    if (isinf(x))
        return x;
    if (fabs(x) < 0x1p-54)
        return x;
    if (x > -0.29 && x < 0.41)
        return log_reduced(x, 0, 0);
    double u = 1 + x;
    /* What the addition rounded away; log(u + d) is log(u) + d / u to first order. */
    double d = x < 1 ? x - (u - 1) : 1 - (u - x);
    int k;
    double f = split(u, &k);
    return log_reduced(f, d / u, k);
}

/* --- several at a time ---------------------------------------------------------------------------
 */

enum { WIDTH = 4 };
typedef double Vector __attribute__((vector_size(8 * WIDTH)));
typedef int64_t VectorBits __attribute__((vector_size(8 * WIDTH)));

/* WIDTH of them, as exact_exp does it; the power of two comes from the low bits of k + 1.5 * 2^52.
 */
static inline void logistic_vector(const double *from, double *p, double *q)
{
    static const double MAGIC = 0x1.8p52;
    const Vector least = {-708, -708, -708, -708}, one = {1, 1, 1, 1};
    Vector z;
    memcpy(&z, from, sizeof z);
    Vector x = (Vector)((VectorBits)z | INT64_MIN); /* -|z| */
    VectorBits small = x < least;
    x = (Vector)(((VectorBits)x & ~small) | ((VectorBits)least & small));
    Vector shifted = x * LOG2_E + MAGIC, k = shifted - MAGIC;
    Vector high = x - k * LN2_HIGH, low = k * LN2_LOW;
    Vector r = high - low, lost = (high - r) - low;
    Vector series = {0, 0, 0, 0};
    for (int i = EXP_TERMS - 1; i >= 0; i--)
        series = series * r + inverse_factorial[i];
    Vector power = (Vector)(((VectorBits)shifted << 52) + ((int64_t)1023 << 52));
    Vector e = (1 + (r + (r * r * series + lost))) * power, sum = 1 + e;
    VectorBits positive = z >= 0;
    Vector top = (Vector)(((VectorBits)one & positive) | ((VectorBits)e & ~positive));
    Vector quotient = top / sum;
    memcpy(p, &quotient, sizeof quotient);
    memcpy(q, &sum, sizeof sum);
}

void exact_logistic(const double *z, size_t count, double *p, double *q)
{
    size_t whole = count / WIDTH * WIDTH;
    for (size_t i = 0; i < whole; i += WIDTH)
        logistic_vector(z + i, p + i, q + i);
    if (whole < count) {
        double rest[3][WIDTH] = {{0}};
        memcpy(rest[0], z + whole, (count - whole) * sizeof *z);
        logistic_vector(rest[0], rest[1], rest[2]);
        memcpy(p + whole, rest[1], (count - whole) * sizeof *p);
        memcpy(q + whole, rest[2], (count - whole) * sizeof *q);
    }
}
