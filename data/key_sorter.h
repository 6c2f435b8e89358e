/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * key_sorter.h - sorts any number of keys with a value each in bounded memory.
 *
 * What fits stays in memory; beyond that sorted runs go to a temporary file (spill.h) and are
 * merged while they are read.
 * Source: D. Knuth, "The Art of Computer Programming", volume 3, section 5.4.
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct KeyPair {
    uint64_t key, value;
} KeyPair;

typedef struct KeySorter KeySorter;

/* Uses at most about `memory` bytes (but 1 MiB in any case). */
Status key_sorter_new(KeySorter **sorter, size_t memory, Error *err);
void key_sorter_free(KeySorter *sorter);

/* Adds pairs, from one thread at a time. */
Status key_sorter_add(KeySorter *sorter, const KeyPair *pairs, size_t count, Error *err);
/* How many were added. */
uint64_t key_sorter_count(const KeySorter *sorter);

/* Ends the adding and begins the reading; once. */
Status key_sorter_sort(KeySorter *sorter, Error *err);
/* The next pair in order of key, then of value; *end = true when there is none. */
Status key_sorter_next(KeySorter *sorter, KeyPair *pair, bool *end, Error *err);
/* True if something had to be written to a temporary file. */
bool key_sorter_spilled(const KeySorter *sorter);
