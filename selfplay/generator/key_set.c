/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_set.c - a growing set of 64-bit keys, by open addressing. */
#include "generator/key_set.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 1024 };

/* The slot that holds the key, or the empty one where it belongs. */
static size_t slot_of(const uint64_t *slots, size_t capacity, uint64_t key)
{
    size_t mask = capacity - 1;
    size_t slot = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & mask;
    while (slots[slot] != 0 && slots[slot] != key)
        slot = (slot + 1) & mask;
    return slot;
}

static Status grow(KeySet *set, Error *err)
{
    size_t capacity = set->capacity > 0 ? set->capacity * 2 : FIRST_CAPACITY;
    uint64_t *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a set of %zu keys", capacity);
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slots[i] != 0)
            slots[slot_of(slots, capacity, set->slots[i])] = set->slots[i];
    }
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    return STATUS_OK;
}

Status key_set_add(KeySet *set, uint64_t key, bool *fresh, Error *err)
{
    if (2 * (set->count + 1) > set->capacity) {
        Status status = grow(set, err);
        if (status != STATUS_OK)
            return status;
    }
    if (key == 0)
        key = 1;
    size_t slot = slot_of(set->slots, set->capacity, key);
    *fresh = set->slots[slot] == 0;
    if (*fresh) {
        set->slots[slot] = key;
        set->count++;
    }
    return STATUS_OK;
}

void key_set_free(KeySet *set)
{
    free(set->slots);
    *set = (KeySet){0};
}
