/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_set.c - counts repeats among many keys (see key_set.h). */
#include "key_set.h"

#include <stdlib.h>

enum { SLOTS = 2 * KEY_SET_LIMIT };

/* The finalizer of splitmix64: a bijection, so different keys stay different. */
static uint64_t mix(uint64_t key)
{
    key += 0x9e3779b97f4a7c15;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
    key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
    key ^= key >> 31;
    return key ? key : 1; /* 0 marks a free slot */
}

bool key_set_init(KeySet *set)
{
    *set = (KeySet){.keys = calloc(SLOTS, sizeof *set->keys),
                    .seen = calloc(SLOTS, sizeof *set->seen)};
    if (set->keys && set->seen)
        return true;
    key_set_free(set);
    return false;
}

void key_set_free(KeySet *set)
{
    free(set->keys);
    free(set->seen);
    *set = (KeySet){0};
}

static bool is_kept(const KeySet *set, uint64_t mixed)
{
    return set->level == 0 || mixed >> (64 - set->level) == 0;
}

static void put(KeySet *set, uint64_t mixed, uint32_t seen)
{
    size_t slot = (size_t)(mixed & (SLOTS - 1));
    while (set->keys[slot] && set->keys[slot] != mixed)
        slot = (slot + 1) & (SLOTS - 1);
    set->count += set->keys[slot] == 0;
    set->keys[slot] = mixed;
    if (set->seen[slot] <= UINT32_MAX - seen)
        set->seen[slot] += seen;
}

/* Raises the level by one: about half of the keys stay. */
static void thin_out(KeySet *set)
{
    KeySet fuller = *set;
    KeySet thinner;
    if (!key_set_init(&thinner)) {
        /* Without memory for a second table the first one goes on as it is, cut short. */
        set->level = 64;
        return;
    }
    thinner.level = set->level + 1;
    for (size_t i = 0; i < SLOTS; i++)
        if (fuller.keys[i] && is_kept(&thinner, fuller.keys[i]))
            put(&thinner, fuller.keys[i], fuller.seen[i]);
    key_set_free(&fuller);
    *set = thinner;
}

void key_set_add(KeySet *set, uint64_t key)
{
    uint64_t mixed = mix(key);
    if (set->level >= 64 || !is_kept(set, mixed))
        return;
    put(set, mixed, 1);
    while (set->count > KEY_SET_LIMIT && set->level < 64)
        thin_out(set);
}

double key_set_repeats(const KeySet *set)
{
    uint64_t total = 0;
    for (size_t i = 0; i < SLOTS; i++)
        total += set->seen[i];
    return total ? (double)(total - set->count) / (double)total : 0;
}
