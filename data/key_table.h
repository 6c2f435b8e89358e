/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * key_table.h - keys that were seen before, exactly. (key_set.h samples.)
 *
 * A table of 8-byte slots, half of which are free. It grows in memory up to a limit, and beyond
 * that in a temporary file (spill.h), so that any number of keys is fine; then a key costs a read
 * and a write of a page.
 */
#pragma once

#include "spill.h"

/* Zeroed is empty, with the default limit. */
typedef struct KeyTable {
    size_t
        memory_slots; /* the most of them in memory, a power of two; 0 = KEY_TABLE_MEMORY_SLOTS */
    uint64_t *keys;   /* open addressing, 0 = free; NULL when in a file */
    uint64_t count, slots;
    Spill spill;
    uint64_t *page; /* the one page of the file that is in memory */
    uint64_t page_number;
    bool page_dirty;
} KeyTable;

enum { KEY_TABLE_MEMORY_SLOTS = 1 << 19 /* 4 MiB, 262,144 keys */ };

void key_table_free(KeyTable *table);
/* Adds a key; *fresh = it was not there. */
Status key_table_add(KeyTable *table, uint64_t key, bool *fresh, Error *err);
