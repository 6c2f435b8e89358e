/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chain.h - the two passes over a chain: scores forwards, gradients backwards.
 *
 * The count of a weight in a row is the sum of its changes up to there. So the scores are sums of
 * changes, each once, and what a row contributes to a gradient reaches each change at or before it:
 * going backwards, a change takes the sum of all rows that follow. Either pass touches a change
 * once. Mean and difference lie side by side and are added as one vector.
 */
#pragma once

#include "rows.h"
#include "support/exactmath.h"

typedef double Duo __attribute__((vector_size(16), may_alias)); /* mean and difference */

static const Duo change_duos[CHANGE_CODES] = {{1, 1}, {-1, -1}, {2, 2}, {-2, -2},
                                              {3, 3}, {-3, -3}, {4, 4}, {-4, -4}};

/* scores[i] of the rows of a chain, for x (aligned as malloc does). */
static inline void chain_scores(const Row *rows, size_t count, const uint16_t *changes,
                                const double *x, double *scores)
{
    const Duo *weights = (const Duo *)(const void *)x;
    Duo sum = {0, 0};
    for (size_t i = 0; i < count; i++) {
        Duo change = {0, 0}; /* apart from the sum: rows do not wait for each other */
        for (const uint16_t *end = changes + rows[i].changes; changes < end; changes++)
            change += change_duos[*changes % CHANGE_CODES] * weights[*changes >> CHANGE_SHIFT];
        sum += change;
        scores[i] = sum[0] + row_phase(&rows[i]) * sum[1];
    }
}

/* Adds factors[i] times the counts of row i, for all rows of a chain, to sums; `changes` is the end
 * of the chain's. */
static inline void chain_scatter(const Row *rows, size_t count, const uint16_t *changes,
                                 const double *factors, double *sums)
{
    Duo *weights = (Duo *)(void *)sums, suffix = {0, 0};
    for (size_t i = count; i-- > 0;) {
        Duo part = {factors[i], factors[i] * row_phase(&rows[i])};
        suffix += part;
        for (const uint16_t *begin = changes - rows[i].changes; changes > begin;) {
            unsigned change = *--changes;
            weights[change >> CHANGE_SHIFT] += change_duos[change % CHANGE_CODES] * suffix;
        }
    }
}

/*
 * Sum of mass * loss over a chain of logits z, with q as exact_logistic gives it. The logarithms of
 * single positions are one of a product: at most 2^CHAIN_MOST.
 */
static inline double chain_loss(const Row *rows, const float *targets, size_t count,
                                const double *z, const double *q)
{
    double sum = 0, product = 1;
    for (size_t i = 0; i < count; i++) {
        double mass = rows[i].mass, t = (double)targets[i];
        sum += mass * ((z[i] > 0 ? z[i] : 0) - t * z[i]);
        if (rows[i].mass == 1)
            product *= q[i];
        else if (rows[i].mass != 0)
            sum += mass * exact_log(q[i]);
    }
    return sum + exact_log(product);
}
