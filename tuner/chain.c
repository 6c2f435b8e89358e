/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain.c - the two passes over a chain. */
#include "chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Status chain_values_new(ChainValues *values, const Rows *rows, Error *err)
{
    memset(values, 0, sizeof *values);
    values->steps = malloc((size_t)CHANGE_CODES * ROWS_MAX_WEIGHTS * sizeof *values->steps);
    if (!values->steps)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the changes of %u weights",
                         rows->weights);
    return STATUS_OK;
}

void chain_values_free(ChainValues *values)
{
    free(values->steps);
    memset(values, 0, sizeof *values);
}

void chain_values_set(ChainValues *values, const Rows *rows, const double *x)
{
    double largest = 0;
    values->x = x;
    values->finite = true;
    for (size_t j = 0; j < 2 * (size_t)rows->weights; j++) {
        values->finite = values->finite && isfinite(x[j]);
        largest = fmax(largest, fabs(x[j]));
    }
    /* |score| <= largest * most < 2^(exponent + bits); what the sums pass through does not matter.
     */
    int exponent = 0, bits = 0;
    frexp(largest, &exponent);
    while (rows->most >> bits)
        bits++;
    int power = 61 - exponent - bits;
    values->finite = values->finite && power < 1023 && power > -1023;
    if (!values->finite)
        return;
    double scale = ldexp(1, power);
    values->step = ldexp(1, -power);
    for (size_t w = 0; w < rows->weights; w++) {
        Steps one = {(uint64_t)(int64_t)rint(x[2 * w] * scale),
                     (uint64_t)(int64_t)rint(x[2 * w + 1] * scale)};
        for (size_t code = 0; code < CHANGE_CODES; code++)
            values->steps[code * ROWS_MAX_WEIGHTS + w] = one * (uint64_t)change_amounts[code];
    }
}

void chain_scores_plain(const Row *rows, size_t count, const uint16_t *changes, const double *x,
                        double *scores)
{
    const Duo *weights = (const Duo *)(const void *)x;
    Duo sum = {0, 0};
    for (size_t i = 0; i < count; i++) {
        Duo change = {0, 0};
        for (const uint16_t *end = changes + rows[i].changes; changes < end; changes++)
            change += change_factors[change_code(*changes)] * weights[change_weight(*changes)];
        sum += change;
        scores[i] = sum[0] + row_phase(&rows[i]) * sum[1];
    }
}
