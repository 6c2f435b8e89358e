/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain.c - the two passes over a chain. */
#include "chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Status chain_values_new(ChainValues *values, const Rows *rows, Error *err)
{
    memset(values, 0, sizeof *values);
    values->words = rows_words(rows);
    values->steps = malloc(2 * (size_t)values->words->count * sizeof *values->steps);
    if (!values->steps)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %u words of changes",
                         values->words->count);
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
    const Words *words = values->words;
    for (unsigned word = 0; word < words->count; word++) {
        Steps sum = {0, 0};
        if (word >= words->singles) {
            sum = values->steps[words->pairs[word].first * 2] +
                  values->steps[words->pairs[word].second];
        } else if (words->begins[word] < words->begins[word + 1]) {
            Delta delta = words->deltas[words->begins[word]];
            if (delta.weight >= rows->weights)
                continue; /* no row has it */
            const double *pair = x + 2 * (size_t)delta.weight;
            sum = (Steps){(uint64_t)(int64_t)rint(pair[0] * scale),
                          (uint64_t)(int64_t)rint(pair[1] * scale)} *
                  (uint64_t)delta.amount;
        }
        values->steps[2 * word] = sum;
        values->steps[2 * word + 1] = -sum;
    }
}

void chain_scores_plain(const Words *words, const Row *rows, size_t count, const uint16_t *changes,
                        const double *x, double *scores)
{
    const Duo *weights = (const Duo *)(const void *)x;
    Duo sum = {0, 0};
    Delta deltas[DELTAS_ROOM];
    for (size_t i = 0; i < count; i++) {
        Duo row = {0, 0};
        do {
            size_t found = read_deltas(words, &changes, deltas);
            for (size_t k = 0; k < found; k++)
                row += (double)deltas[k].amount * weights[deltas[k].weight];
        } while (!(changes[-1] & CHANGE_LAST));
        sum += row;
        scores[i] = sum[0] + row_phase(&rows[i]) * sum[1];
    }
}

void chain_spread(const Words *words, Duo *word_sums, double *sums, size_t weights)
{
    for (unsigned word = words->count; word-- > words->singles;) {
        WordPair pair = words->pairs[word];
        Duo sum = word_sums[word];
        word_sums[pair.first] += sum;
        word_sums[pair.second / 2] += pair.second & 1 ? -sum : sum;
    }
    for (unsigned word = 0; word < words->singles; word++)
        for (uint32_t i = words->begins[word]; i < words->begins[word + 1]; i++) {
            Delta delta = words->deltas[i];
            if (delta.weight < weights)
                ((Duo *)(void *)sums)[delta.weight] += word_sums[word] * (double)delta.amount;
        }
}
