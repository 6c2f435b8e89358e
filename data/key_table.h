/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_table.h - keys that were seen before, exactly: it grows with them. (key_set.h samples.) */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty. */
typedef struct KeyTable {
    uint64_t *keys; /* open addressing, 0 = free */
    size_t count, slots;
} KeyTable;

void key_table_free(KeyTable *table);
/* Adds a key; *fresh = it was not there. */
Status key_table_add(KeyTable *table, uint64_t key, bool *fresh, Error *err);
