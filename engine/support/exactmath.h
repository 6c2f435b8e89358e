/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exactmath.h - exp and log with the same bits on every machine.
 *
 * The C library picks its versions of exp and log by the CPU it runs on, and their last bits
 * differ. Whatever is stored (fitted weights, statistics in a header) uses these instead: plain
 * additions, multiplications and divisions in a fixed order, which IEEE 754 defines to the bit
 * as long as the compiler does not contract them (the project builds with -ffp-contract=off).
 * Errors stay below 1.5 units in the last place. Thread-safe, no errno, no rounding mode but
 * to nearest.
 */
#pragma once

#include <stddef.h>

/* e to the x. Overflows to infinity, underflows gradually to 0; NaN gives NaN. */
double exact_exp(double x);

/* Natural logarithm. -infinity at 0, NaN below. */
double exact_log(double x);

/* log(1 + x) without the loss of digits for small x. -infinity at -1, NaN below. */
double exact_log1p(double x);

/*
 * For each z: *p = 1 / (1 + e^-z) and *q = 1 + e^-|z|, so that -log p = max(-z, 0) + log q.
 * Several at a time; e^-|z| is at least e^-708. NaN gives NaN. The arrays may not overlap.
 */
void exact_logistic(const double *z, size_t count, double *p, double *q);
