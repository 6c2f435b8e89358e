/* SPDX-License-Identifier: GPL-3.0-or-later */
/* repeats.c - counts positions that were there before (see repeats.h). */
#include "repeats.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STRIPES = 64, SLOTS_MIN = 1024, PLY_BITS = 21 };

typedef struct Slot {
    uint64_t key;   /* mixed; 0 = free                               */
    uint64_t first; /* game << PLY_BITS | ply of its first occurrence */
} Slot;

/* A part of the table, by bits of the mixed key, so that threads seldom wait for each other. */
typedef struct Stripe {
    pthread_mutex_t mutex;
    Slot *slots; /* [Repeats.slots], open addressing */
    size_t count;
    unsigned level;
} Stripe;

struct Repeats {
    Stripe stripes[STRIPES];
    size_t slots, limit; /* of a stripe */
    pthread_mutex_t mutex;
    /* By ply and by the zeros that a mixed key begins with: how many positions, and how many of
     * them had been in the same game before. */
    uint64_t (*positions)[REPEATS_CLASSES], (*again)[REPEATS_CLASSES];
};

/* The finalizer of splitmix64: a bijection, so different keys stay different. */
static uint64_t mix(uint64_t key)
{
    key += 0x9e3779b97f4a7c15;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
    key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
    key ^= key >> 31;
    return key ? key : 1;
}

static unsigned class_of(uint64_t mixed)
{
    unsigned zeros = (unsigned)__builtin_clzll(mixed);
    return zeros < REPEATS_CLASSES ? zeros : REPEATS_CLASSES - 1;
}

Status repeats_new(Repeats **repeats, size_t memory, Error *err)
{
    Repeats *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return error_set(err, STATUS_NO_MEMORY, "no memory to count repeats");
    pthread_mutex_init(&fresh->mutex, NULL);
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&fresh->stripes[i].mutex, NULL);
    fresh->slots = SLOTS_MIN;
    while (2 * fresh->slots * STRIPES * sizeof(Slot) <= memory)
        fresh->slots *= 2;
    fresh->limit = fresh->slots / 4 * 3;
    fresh->positions = calloc(REPEATS_PLIES, sizeof *fresh->positions);
    fresh->again = calloc(REPEATS_PLIES, sizeof *fresh->again);
    bool ok = fresh->positions && fresh->again;
    for (int i = 0; i < STRIPES && ok; i++)
        ok = (fresh->stripes[i].slots = calloc(fresh->slots, sizeof(Slot))) != NULL;
    if (!ok) {
        repeats_free(fresh);
        return error_set(err, STATUS_NO_MEMORY, "no memory to count repeats");
    }
    *repeats = fresh;
    return STATUS_OK;
}

void repeats_free(Repeats *repeats)
{
    if (!repeats)
        return;
    for (int i = 0; i < STRIPES; i++) {
        pthread_mutex_destroy(&repeats->stripes[i].mutex);
        free(repeats->stripes[i].slots);
    }
    pthread_mutex_destroy(&repeats->mutex);
    free(repeats->positions);
    free(repeats->again);
    free(repeats);
}

/* --- the table ------------------------------------------------------------------------------- */

static void put(Slot *slots, size_t slot_count, Slot slot, size_t *count)
{
    size_t at = (size_t)(slot.key & (slot_count - 1));
    while (slots[at].key && slots[at].key != slot.key)
        at = (at + 1) & (slot_count - 1);
    if (!slots[at].key) {
        slots[at] = slot;
        ++*count;
    } else if (slot.first < slots[at].first) {
        slots[at].first = slot.first;
    }
}

/* Leaves out the keys below a level. */
static Status thin_out(const Repeats *repeats, Stripe *stripe, unsigned level, Error *err)
{
    Slot *fewer = calloc(repeats->slots, sizeof *fewer);
    if (!fewer)
        return error_set(err, STATUS_NO_MEMORY, "no memory to count repeats");
    stripe->level = level;
    stripe->count = 0;
    for (size_t i = 0; i < repeats->slots; i++)
        if (stripe->slots[i].key && class_of(stripe->slots[i].key) >= level)
            put(fewer, repeats->slots, stripe->slots[i], &stripe->count);
    free(stripe->slots);
    stripe->slots = fewer;
    return STATUS_OK;
}

static Status add_key(Repeats *repeats, uint64_t mixed, uint64_t first, Error *err)
{
    Stripe *stripe = &repeats->stripes[mixed >> 16 & (STRIPES - 1)];
    Status status = STATUS_OK;
    pthread_mutex_lock(&stripe->mutex);
    if (class_of(mixed) >= stripe->level)
        put(stripe->slots, repeats->slots, (Slot){mixed, first}, &stripe->count);
    while (status == STATUS_OK && stripe->count > repeats->limit &&
           stripe->level < REPEATS_CLASSES - 1)
        status = thin_out(repeats, stripe, stripe->level + 1, err);
    pthread_mutex_unlock(&stripe->mutex);
    return status;
}

/* --- games ----------------------------------------------------------------------------------- */

static size_t ply_slot(size_t ply)
{
    return ply < REPEATS_PLIES ? ply : REPEATS_PLIES - 1;
}

/* Empty slots for `count` keys, at most half of which get filled. */
static Status scratch_clear(RepeatsScratch *scratch, size_t count, Error *err)
{
    size_t slots = 256;
    while (slots < 2 * count)
        slots *= 2;
    if (scratch->capacity < slots) {
        free(scratch->keys);
        scratch->capacity = 0;
        scratch->keys = malloc(slots * sizeof *scratch->keys);
        if (!scratch->keys)
            return error_set(err, STATUS_NO_MEMORY, "no memory for a game of %zu plies", count);
        scratch->capacity = slots;
    }
    memset(scratch->keys, 0, slots * sizeof *scratch->keys);
    scratch->slots = slots;
    return STATUS_OK;
}

void repeats_scratch_free(RepeatsScratch *scratch)
{
    free(scratch->keys);
    *scratch = (RepeatsScratch){0};
}

/* True if a key of the game was there before in it. */
static bool was_there(RepeatsScratch *scratch, uint64_t mixed)
{
    size_t at = (size_t)(mixed & (scratch->slots - 1));
    while (scratch->keys[at] && scratch->keys[at] != mixed)
        at = (at + 1) & (scratch->slots - 1);
    bool found = scratch->keys[at] == mixed;
    scratch->keys[at] = mixed;
    return found;
}

Status repeats_add(Repeats *repeats, RepeatsScratch *scratch, uint64_t game, uint64_t *keys,
                   size_t count, Error *err)
{
    Status status = scratch_clear(scratch, count, err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        uint64_t mixed = mix(keys[i]);
        bool again = was_there(scratch, mixed);
        keys[i] = class_of(mixed) << 1 | again;
        if (!again)
            status = add_key(repeats, mixed, game << PLY_BITS | i, err);
    }
    if (status != STATUS_OK)
        return status;
    pthread_mutex_lock(&repeats->mutex);
    for (size_t i = 0; i < count; i++) {
        repeats->positions[ply_slot(i)][keys[i] >> 1]++;
        repeats->again[ply_slot(i)][keys[i] >> 1] += keys[i] & 1;
    }
    pthread_mutex_unlock(&repeats->mutex);
    return STATUS_OK;
}

void repeats_count(Repeats *repeats, RepeatCount counts[REPEATS_PLIES], unsigned *level)
{
    *level = 0;
    for (int i = 0; i < STRIPES; i++)
        if (repeats->stripes[i].level > *level)
            *level = repeats->stripes[i].level;
    for (size_t ply = 0; ply < REPEATS_PLIES; ply++) {
        RepeatCount count = {0};
        uint64_t again = 0;
        for (unsigned i = 0; i < REPEATS_CLASSES; i++) {
            count.positions += repeats->positions[ply][i];
            count.counted += i >= *level ? repeats->positions[ply][i] : 0;
            again += i >= *level ? repeats->again[ply][i] : 0;
        }
        count.earlier = count.counted - again; /* less the distinct ones, below */
        counts[ply] = count;
    }
    for (int i = 0; i < STRIPES; i++)
        for (size_t j = 0; j < repeats->slots; j++) {
            Slot slot = repeats->stripes[i].slots[j];
            if (slot.key && class_of(slot.key) >= *level)
                counts[ply_slot(slot.first & ((1u << PLY_BITS) - 1))].distinct++;
        }
    for (size_t ply = 0; ply < REPEATS_PLIES; ply++) {
        counts[ply].earlier -= counts[ply].distinct;
        counts[ply].repeats = counts[ply].counted - counts[ply].distinct;
    }
}
