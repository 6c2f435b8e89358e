/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_set.h - a growing set of 64-bit keys, for counting what comes twice. */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as all zeros. */
typedef struct KeySet {
    uint64_t *slots; /* 0 = empty */
    size_t capacity; /* a power of two */
    size_t count;
} KeySet;

/* Adds a key; *fresh tells if it was not there yet. STATUS_NO_MEMORY leaves the set as it was.
 * (Key 0 is kept as key 1.) */
Status key_set_add(KeySet *set, uint64_t key, bool *fresh, Error *err);
void key_set_free(KeySet *set);
