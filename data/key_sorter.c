/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_sorter.c - an external merge sort (see key_sorter.h). */
#include "key_sorter.h"

#include "spill.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 128, PAIRS_MIN = 1 << 15 };

/* A sorted piece of the file that is being read. */
typedef struct Run {
    uint64_t at, end; /* bytes in the file: what is not in the window yet */
    KeyPair *window;  /* a slice of the sorter's memory                   */
    size_t next, held;
} Run;

struct KeySorter {
    KeyPair *pairs; /* [capacity] */
    size_t capacity, held, next;
    uint64_t count;
    Spill spill;
    uint64_t written; /* bytes in the file */
    Run runs[RUNS_MAX + 1];
    size_t run_count;
    size_t heap[RUNS_MAX + 1]; /* indexes of runs, the one with the least pair on top */
    size_t heap_size, window;
};

static int compare_pairs(const void *a, const void *b)
{
    const KeyPair *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

Status key_sorter_new(KeySorter **sorter, size_t memory, Error *err)
{
    KeySorter *fresh = calloc(1, sizeof *fresh);
    /* Half of the memory is for qsort, which sorts into a copy. */
    size_t capacity = memory / 2 / sizeof(KeyPair);
    if (fresh) {
        fresh->capacity = capacity < PAIRS_MIN ? PAIRS_MIN : capacity;
        fresh->pairs = malloc(fresh->capacity * sizeof *fresh->pairs);
    }
    if (!fresh || !fresh->pairs) {
        free(fresh);
        return error_set(err, STATUS_NO_MEMORY, "no memory to sort %zu keys", capacity);
    }
    *sorter = fresh;
    return STATUS_OK;
}

void key_sorter_free(KeySorter *sorter)
{
    if (!sorter)
        return;
    spill_close(&sorter->spill);
    free(sorter->pairs);
    free(sorter);
}

static void sort_held(KeySorter *sorter)
{
    if (sorter->held > 1)
        qsort(sorter->pairs, sorter->held, sizeof *sorter->pairs, compare_pairs);
}

/* --- reading runs ---------------------------------------------------------------------------- */

static Status refill(KeySorter *sorter, Run *run, Error *err)
{
    uint64_t left = (run->end - run->at) / sizeof(KeyPair);
    size_t count = left < sorter->window ? (size_t)left : sorter->window;
    Status status = spill_read(&sorter->spill, run->at, run->window, count * sizeof(KeyPair), err);
    run->at += count * sizeof(KeyPair);
    run->next = 0;
    run->held = count;
    return status;
}

static bool is_less(const KeySorter *sorter, size_t a, size_t b)
{
    const Run *x = &sorter->runs[a], *y = &sorter->runs[b];
    return compare_pairs(&x->window[x->next], &y->window[y->next]) < 0;
}

static void sift_down(KeySorter *sorter, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= sorter->heap_size)
            return;
        if (child + 1 < sorter->heap_size &&
            is_less(sorter, sorter->heap[child + 1], sorter->heap[child]))
            child++;
        if (!is_less(sorter, sorter->heap[child], sorter->heap[at]))
            return;
        size_t moved = sorter->heap[child];
        sorter->heap[child] = sorter->heap[at];
        sorter->heap[at] = moved;
        at = child;
    }
}

/* Begins to merge all runs, each through a slice of [pairs, pairs + room). */
static Status merge_open(KeySorter *sorter, size_t room, Error *err)
{
    sorter->window = room / sorter->run_count;
    sorter->heap_size = 0;
    for (size_t i = 0; i < sorter->run_count; i++) {
        sorter->runs[i].window = sorter->pairs + i * sorter->window;
        Status status = refill(sorter, &sorter->runs[i], err);
        if (status != STATUS_OK)
            return status;
        sorter->heap[sorter->heap_size++] = i;
    }
    for (size_t i = sorter->heap_size / 2; i-- > 0;)
        sift_down(sorter, i);
    return STATUS_OK;
}

static Status merge_next(KeySorter *sorter, KeyPair *pair, bool *end, Error *err)
{
    *end = sorter->heap_size == 0;
    if (*end)
        return STATUS_OK;
    Run *run = &sorter->runs[sorter->heap[0]];
    *pair = run->window[run->next++];
    Status status = STATUS_OK;
    if (run->next == run->held) {
        if (run->at < run->end)
            status = refill(sorter, run, err);
        else
            sorter->heap[0] = sorter->heap[--sorter->heap_size];
    }
    if (status == STATUS_OK)
        sift_down(sorter, 0);
    return status;
}

/* --- writing runs ---------------------------------------------------------------------------- */

/* Makes one run of all, so that there is room for more. */
static Status join_runs(KeySorter *sorter, Error *err)
{
    size_t chunk = sorter->capacity / 4, filled = 0;
    KeyPair *out = sorter->pairs + sorter->capacity - chunk;
    uint64_t begin = sorter->written;
    bool end = false;
    Status status = merge_open(sorter, sorter->capacity - chunk, err);
    while (status == STATUS_OK && !end) {
        status = merge_next(sorter, &out[filled], &end, err);
        if (status == STATUS_OK && !end)
            filled++;
        if (status == STATUS_OK && (filled == chunk || end)) {
            status = spill_write(&sorter->spill, sorter->written, out, filled * sizeof *out, err);
            sorter->written += filled * sizeof *out;
            filled = 0;
        }
    }
    sorter->runs[0] = (Run){.at = begin, .end = sorter->written};
    sorter->run_count = 1;
    return status;
}

/* Writes what is held as a run. */
static Status write_run(KeySorter *sorter, Error *err)
{
    Status status = sorter->spill.is_open ? STATUS_OK : spill_open(&sorter->spill, err);
    if (status != STATUS_OK)
        return status;
    sort_held(sorter);
    size_t size = sorter->held * sizeof *sorter->pairs;
    status = spill_write(&sorter->spill, sorter->written, sorter->pairs, size, err);
    if (status != STATUS_OK)
        return status;
    sorter->runs[sorter->run_count++] = (Run){.at = sorter->written, .end = sorter->written + size};
    sorter->written += size;
    sorter->held = 0;
    return sorter->run_count == RUNS_MAX ? join_runs(sorter, err) : STATUS_OK;
}

Status key_sorter_add(KeySorter *sorter, const KeyPair *pairs, size_t count, Error *err)
{
    while (count > 0) {
        size_t room = sorter->capacity - sorter->held, part = count < room ? count : room;
        memcpy(sorter->pairs + sorter->held, pairs, part * sizeof *pairs);
        sorter->held += part;
        sorter->count += part;
        pairs += part;
        count -= part;
        Status status = sorter->held == sorter->capacity ? write_run(sorter, err) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

uint64_t key_sorter_count(const KeySorter *sorter)
{
    return sorter->count;
}

bool key_sorter_spilled(const KeySorter *sorter)
{
    return sorter->spill.is_open;
}

Status key_sorter_sort(KeySorter *sorter, Error *err)
{
    if (!sorter->spill.is_open) {
        sort_held(sorter);
        return STATUS_OK;
    }
    Status status = sorter->held ? write_run(sorter, err) : STATUS_OK;
    return status == STATUS_OK ? merge_open(sorter, sorter->capacity, err) : status;
}

Status key_sorter_next(KeySorter *sorter, KeyPair *pair, bool *end, Error *err)
{
    if (sorter->spill.is_open)
        return merge_next(sorter, pair, end, err);
    *end = sorter->next == sorter->held;
    if (!*end)
        *pair = sorter->pairs[sorter->next++];
    return STATUS_OK;
}
