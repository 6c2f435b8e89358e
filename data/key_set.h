/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * key_set.h - how many of very many positions are repeats, in memory that does not grow.
 *
 * Keeps the keys whose mixed bits begin with `level` zeros and raises the level when the table
 * fills: exact up to KEY_SET_LIMIT different keys, a sample of whole keys above. The result does
 * not depend on the order of the keys.
 * Source: P. Gibbons, "Distinct Sampling for Highly-Accurate Answers" (VLDB 2001).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_SET_LIMIT = 1 << 19 };

typedef struct KeySet {
    uint64_t *keys; /* [2 * KEY_SET_LIMIT], 0 = free; hashed with open addressing */
    uint32_t *seen;
    size_t count;
    unsigned level;
} KeySet;

/* False when out of memory. */
bool key_set_init(KeySet *set);
void key_set_free(KeySet *set);
void key_set_add(KeySet *set, uint64_t key);

/* Share of the keys that were there before, 0 to 1; 0 without any. */
double key_set_repeats(const KeySet *set);
