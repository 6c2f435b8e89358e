/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_table.c - an exact set of keys (see key_table.h). */
#include "key_table.h"

#include <stdlib.h>

static size_t slot_of(const uint64_t *keys, size_t slots, uint64_t key)
{
    size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (slots - 1);
    while (keys[slot] && keys[slot] != key)
        slot = (slot + 1) & (slots - 1);
    return slot;
}

void key_table_free(KeyTable *table)
{
    free(table->keys);
    *table = (KeyTable){0};
}

static Status grow(KeyTable *table, Error *err)
{
    size_t slots = table->slots ? 2 * table->slots : 4096;
    uint64_t *keys = calloc(slots, sizeof *keys);
    if (!keys)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu positions", slots);
    for (size_t i = 0; i < table->slots; i++)
        if (table->keys[i])
            keys[slot_of(keys, slots, table->keys[i])] = table->keys[i];
    free(table->keys);
    table->keys = keys;
    table->slots = slots;
    return STATUS_OK;
}

Status key_table_add(KeyTable *table, uint64_t key, bool *fresh, Error *err)
{
    Status status = 2 * (table->count + 1) > table->slots ? grow(table, err) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    key = key ? key : 1;
    size_t slot = slot_of(table->keys, table->slots, key);
    *fresh = table->keys[slot] == 0;
    table->keys[slot] = key;
    table->count += *fresh;
    return STATUS_OK;
}
