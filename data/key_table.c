/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * key_table.c - an exact set of keys (see key_table.h).
 *
 * A key belongs to the slot that the top bits of its hash number, or the next free one. So the
 * table is in the order of the hashes, but for small shifts, and doubling it reads the old and
 * writes the new one from the beginning to the end.
 */
#include "key_table.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 4096, PAGE_SLOTS = 512 };

static uint64_t home_of(uint64_t slots, uint64_t key)
{
    /* Slots are a power of two: the top bits of a product with an odd number. */
    return (key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - __builtin_ctzll(slots));
}

static void close_file(KeyTable *table)
{
    free(table->page);
    table->page = NULL;
    spill_close(&table->spill);
}

void key_table_free(KeyTable *table)
{
    free(table->keys);
    close_file(table);
    *table = (KeyTable){0};
}

/* --- slots ----------------------------------------------------------------------------------- */

static Status page_write(KeyTable *table, Error *err)
{
    enum { PAGE_BYTES = PAGE_SLOTS * sizeof(uint64_t) };
    if (!table->page_dirty)
        return STATUS_OK;
    table->page_dirty = false;
    return spill_write(&table->spill, table->page_number * PAGE_BYTES, table->page, PAGE_BYTES,
                       err);
}

/* Where a slot is in memory, until the next call. */
static Status slot_at(KeyTable *table, uint64_t slot, uint64_t **place, Error *err)
{
    enum { PAGE_BYTES = PAGE_SLOTS * sizeof(uint64_t) };
    if (table->keys) {
        *place = &table->keys[slot];
        return STATUS_OK;
    }
    uint64_t number = slot / PAGE_SLOTS;
    if (number != table->page_number) {
        Status status = page_write(table, err);
        if (status == STATUS_OK)
            status = spill_read(&table->spill, number * PAGE_BYTES, table->page, PAGE_BYTES, err);
        if (status != STATUS_OK)
            return status;
        table->page_number = number;
    }
    *place = &table->page[slot % PAGE_SLOTS];
    return STATUS_OK;
}

/* Puts a key that is not 0 into the table, which has room; *fresh = it was not there. */
static Status put(KeyTable *table, uint64_t key, bool *fresh, Error *err)
{
    for (uint64_t slot = home_of(table->slots, key);; slot = (slot + 1) & (table->slots - 1)) {
        uint64_t *place = NULL;
        Status status = slot_at(table, slot, &place, err);
        if (status != STATUS_OK)
            return status;
        if (*place == key) {
            *fresh = false;
            return STATUS_OK;
        }
        if (*place == 0) {
            *place = key;
            table->page_dirty = true;
            table->count++;
            *fresh = true;
            return STATUS_OK;
        }
    }
}

/* --- growth ---------------------------------------------------------------------------------- */

static Status open_slots(KeyTable *table, uint64_t slots, bool in_memory, Error *err)
{
    *table = (KeyTable){.memory_slots = table->memory_slots, .slots = slots};
    if (in_memory) {
        table->keys = calloc((size_t)slots, sizeof *table->keys);
        return table->keys ? STATUS_OK
                           : error_set(err, STATUS_NO_MEMORY, "no memory for %llu keys",
                                       (unsigned long long)slots);
    }
    table->page = calloc(PAGE_SLOTS, sizeof *table->page); /* page 0 of an empty table */
    if (!table->page)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a page of keys");
    Status status = spill_open(&table->spill, err);
    return status == STATUS_OK ? spill_resize(&table->spill, slots * sizeof(uint64_t), err)
                               : status;
}

static Status grow(KeyTable *table, Error *err)
{
    size_t limit = table->memory_slots ? table->memory_slots : KEY_TABLE_MEMORY_SLOTS;
    uint64_t slots = table->slots ? 2 * table->slots : SLOTS_MIN;
    KeyTable larger = *table;
    Status status = open_slots(&larger, slots, slots <= limit, err);
    for (uint64_t i = 0; i < table->slots && status == STATUS_OK; i++) {
        uint64_t *place = NULL;
        bool fresh;
        status = slot_at(table, i, &place, err);
        if (status == STATUS_OK && *place)
            status = put(&larger, *place, &fresh, err);
    }
    KeyTable *spent = status == STATUS_OK ? table : &larger;
    free(spent->keys);
    close_file(spent);
    if (status == STATUS_OK)
        *table = larger;
    return status;
}

Status key_table_add(KeyTable *table, uint64_t key, bool *fresh, Error *err)
{
    Status status = 2 * (table->count + 1) > table->slots ? grow(table, err) : STATUS_OK;
    return status == STATUS_OK ? put(table, key ? key : 1, fresh, err) : status;
}
