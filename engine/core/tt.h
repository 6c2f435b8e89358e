/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tt.h - the transposition table: buckets of four entries in one cache line, replaced by depth and
 * age. Entries are two words, key ^ data and data, so threads share them without locks: a torn
 * entry fails its key test.
 * Source: R. Hyatt and T. Mann, "A lock-less transposition table implementation".
 */
#pragma once

#include "core/see.h"
#include "support/memory.h"

#include <stdatomic.h>

enum { BUCKET_ENTRIES = 4, AGE_STEP = 8, AGE_MASK = 0xf8, NO_EVAL = 32766 };

typedef struct Bucket {
    _Alignas(64) struct {
        _Atomic uint64_t check, data;
    } entries[BUCKET_ENTRIES];
} Bucket;

typedef struct Table {
    Bucket *buckets;
    size_t count; /* buckets */
    uint8_t age;
} Table;

typedef struct TableEntry {
    Move move;
    int score, eval, depth; /* score as stored: mates count from the node */
    ScoreBound bound;
    uint8_t age;
} TableEntry;

/* Room for mib MiB; false when there is none, the table is untouched then. */
static bool table_resize(Table *table, size_t mib)
{
    size_t count = mib * (size_t)1024 * 1024 / sizeof(Bucket);
    Bucket *buckets = memory_large(count * sizeof(Bucket));
    if (!buckets)
        return false;
    memory_large_free(table->buckets, table->count * sizeof(Bucket));
    *table = (Table){buckets, count, 0};
    return true;
}

static void table_clear(Table *table)
{
    memset((void *)table->buckets, 0, table->count * sizeof(Bucket));
    table->age = 0;
}

static inline Bucket *table_bucket(const Table *table, uint64_t key)
{
    __extension__ typedef unsigned __int128 Wide;
    return &table->buckets[(size_t)((Wide)key * table->count >> 64)];
}

static inline void table_prefetch(const Table *table, uint64_t key)
{
    __builtin_prefetch(table_bucket(table, key));
}

static inline uint64_t entry_pack(TableEntry entry)
{
    return (uint64_t)entry.move | (uint64_t)(uint16_t)(int16_t)entry.score << 16 |
           (uint64_t)(uint16_t)(int16_t)entry.eval << 32 | (uint64_t)(uint8_t)entry.depth << 48 |
           (uint64_t)(entry.age | (uint8_t)entry.bound) << 56;
}

static inline TableEntry entry_unpack(uint64_t data)
{
    return (TableEntry){(Move)(data & 0xffff), (int16_t)(data >> 16 & 0xffff), (int16_t)(data >> 32 & 0xffff),
                        (int)(int8_t)(data >> 48 & 0xff), (ScoreBound)(data >> 56 & 3), (uint8_t)(data >> 56 & AGE_MASK)};
}

static inline bool table_probe(const Table *table, uint64_t key, TableEntry *entry)
{
    Bucket *bucket = table_bucket(table, key);
    for (int i = 0; i < BUCKET_ENTRIES; i++) {
        uint64_t data = atomic_load_explicit(&bucket->entries[i].data, memory_order_relaxed);
        uint64_t check = atomic_load_explicit(&bucket->entries[i].check, memory_order_relaxed);
        if ((check ^ data) == key && data) {
            *entry = entry_unpack(data);
            return true;
        }
    }
    return false;
}

static void table_store(const Table *table, uint64_t key, TableEntry entry)
{
    Bucket *bucket = table_bucket(table, key);
    int slot = 0, worst = 1 << 30;
    for (int i = 0; i < BUCKET_ENTRIES; i++) {
        uint64_t data = atomic_load_explicit(&bucket->entries[i].data, memory_order_relaxed);
        uint64_t check = atomic_load_explicit(&bucket->entries[i].check, memory_order_relaxed);
        TableEntry old = entry_unpack(data);
        if ((check ^ data) == key && data) {
            if (entry.move == MOVE_NONE)
                entry.move = old.move;
            if (entry.bound != BOUND_EXACT && entry.depth + 3 < old.depth && old.age == table->age)
                return;
            slot = i;
            break;
        }
        int worth = data ? old.depth - (uint8_t)(table->age - old.age) : -1000;
        if (worth < worst) {
            worst = worth;
            slot = i;
        }
    }
    entry.age = table->age;
    uint64_t data = entry_pack(entry);
    atomic_store_explicit(&bucket->entries[slot].data, data, memory_order_relaxed);
    atomic_store_explicit(&bucket->entries[slot].check, key ^ data, memory_order_relaxed);
}

/* Permille of a sample that holds entries of this search. */
static int table_hashfull(const Table *table)
{
    int used = 0;
    size_t sample = table->count < 250 ? table->count : 250;
    for (size_t i = 0; i < sample; i++)
        for (int j = 0; j < BUCKET_ENTRIES; j++) {
            uint64_t data = atomic_load_explicit(&table->buckets[i].entries[j].data, memory_order_relaxed);
            used += data && entry_unpack(data).age == table->age;
        }
    return sample ? used * 1000 / (int)(sample * BUCKET_ENTRIES) : 0;
}

/*
 * The key of a position in the table: the rule key, and what else its value depends on where games
 * can end by a clock: the limit of a running count, and how far the count or the fifty-move clock
 * has come, in steps, so that a score from long before the draw is not believed close to it.
 */
enum { CLOCK_WITHOUT_STEPS = 16, CLOCK_STEP = 8, COUNT_STEP = 4 };

static inline uint64_t table_key(const Position *p)
{
    if (!HAS_FIFTY_MOVE_RULE && !HAS_COUNTING)
        return p->key;
    bool counting = HAS_COUNTING && p->count_limit;
    if (!counting && p->clock < CLOCK_WITHOUT_STEPS)
        return p->key;
    uint64_t step = (uint64_t)p->clock / (counting ? COUNT_STEP : CLOCK_STEP);
    uint64_t z = ((uint64_t)(counting ? p->count_limit : 0) << 32 | (step + 1)) * 0x9e3779b97f4a7c15u;
    return p->key ^ (z ^ z >> 29) * 0xd6e8feb86659fd93u;
}

/* Mate scores are stored as counted from the node and read as counted from the root. */
static inline int score_to_table(int score, int ply)
{
    return score >= SCORE_MATE_BOUND ? score + ply : score <= -SCORE_MATE_BOUND ? score - ply : score;
}

static inline int score_from_table(int score, int ply)
{
    return score >= SCORE_MATE_BOUND ? score - ply : score <= -SCORE_MATE_BOUND ? score + ply : score;
}
