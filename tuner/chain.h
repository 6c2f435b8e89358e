/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chain.h - the two passes over a chain: scores forwards, gradients backwards.
 *
 * The count of a weight in a row is the sum of its changes up to there. So the scores are sums of
 * changes, each once, and what a row contributes to a gradient reaches each change at or before it:
 * a change takes the sum of its row and all that follow. Either pass touches a change once, in one
 * loop over all changes of the chain without a branch in it. Mean and difference lie side by side
 * and are added as one vector. Both passes know words only (words.h): what one adds to a score is
 * listed before, and gradients by words become gradients by weights afterwards.
 *
 * Scores are summed as integers, modulo 2^64 in steps of about 2^-61 of the largest score that is
 * possible: an addition waits for the one before, and one of integers takes less time.
 */
#pragma once

#include "rows.h"
#include "support/exactmath.h"

typedef double Duo __attribute__((vector_size(16), may_alias)); /* mean and difference */
typedef uint64_t Steps __attribute__((vector_size(16), may_alias));

/* An element of 16 bytes by twice its index: processors add 8 times a number to an address. */
static inline void *at_twice(const void *array, size_t twice)
{
    return (char *)(uintptr_t)array + twice * 8;
}

/* What each change adds to a score, for one x. */
typedef struct ChainValues {
    const Words *words;
    Steps *steps; /* by change / 2: by word and sign */
    double step;  /* centipawns */
    const double *x;
    bool finite; /* false: some x is no number; scores are sums of x itself then */
} ChainValues;

/* Room for the words of rows, borrowed; once they are all there. STATUS_NO_MEMORY. */
Status chain_values_new(ChainValues *values, const Rows *rows, Error *err);
void chain_values_free(ChainValues *values);

/* For x, as in rows.h; borrowed until the next time. */
void chain_values_set(ChainValues *values, const Rows *rows, const double *x);

/* scores[i] of the rows of a chain by sums of doubles: the plain way. x is aligned as malloc does.
 */
void chain_scores_plain(const Words *words, const Row *rows, size_t count, const uint16_t *changes,
                        const double *x, double *scores);

/* The same by steps. */
static inline void chain_scores(const ChainValues *values, const Row *rows, const Chain *chain,
                                const uint16_t *changes, double *scores)
{
    if (!values->finite) {
        chain_scores_plain(values->words, rows, chain->rows, changes, values->x, scores);
        return;
    }
    Steps sums[CHAIN_MOST], even = {0, 0}, odd = {0, 0}; /* two sums: half the waiting */
    size_t at = 0;                                       /* twice the row */
    for (const uint16_t *end = changes + chain->changes; changes < end; changes += 2) {
        size_t one = changes[0], two = changes[1], last = two & CHANGE_LAST;
        even += *(const Steps *)at_twice(values->steps, one);
        odd += *(const Steps *)at_twice(values->steps, two - last);
        *(Steps *)at_twice(sums, at) = even + odd; /* again and again, until the row ends */
        at += last * 2;
    }
    for (size_t i = 0; i < chain->rows; i++)
        scores[i] =
            ((double)(int64_t)sums[i][0] + row_phase(&rows[i]) * (double)(int64_t)sums[i][1]) *
            values->step;
}

/* Adds a part to the sum of a change's word; parts are of a row, with either sign. */
static inline void add_change(Duo *sums, size_t change, const Duo *parts)
{
    *(Duo *)((char *)sums + (change & ~(size_t)3) * 4) += parts[change / CHANGE_MINUS & 1];
}

/* Adds factors[i] times the counts of row i, for all rows of a chain, to sums by word. */
static inline void chain_scatter(const Row *rows, const Chain *chain, const uint16_t *changes,
                                 const double *factors, Duo *sums)
{
    Duo suffixes[2 * CHAIN_MOST + 2], suffix = {0, 0}; /* of a row: itself, and with minus */
    for (size_t i = chain->rows; i-- > 0;) {
        suffix += (Duo){factors[i], factors[i] * row_phase(&rows[i])};
        suffixes[2 * i] = suffix;
        suffixes[2 * i + 1] = -suffix;
    }
    const Duo *parts = suffixes;
    for (const uint16_t *end = changes + chain->changes; changes < end; changes += 2) {
        size_t one = changes[0], two = changes[1];
        add_change(sums, one, parts);
        add_change(sums, two, parts);
        parts += (two & CHANGE_LAST) * 2;
    }
}

/* Adds sums by word (which are lost) to sums by weight; `weights` of them, plain words name more.
 */
void chain_spread(const Words *words, Duo *word_sums, double *sums, size_t weights);

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
