/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows.c - positions as chains of changes. */
#include "rows.h"

#include "support/exactmath.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rows_free(Rows *rows)
{
    void *arrays[] = {rows->rows, rows->targets, rows->scores,
                      rows->keys, rows->changes, rows->chains};
    const char *scratch = rows->scratch;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        store_free(scratch, arrays[i]);
    words_free(rows->words);
    memset(rows, 0, sizeof *rows);
    rows->scratch = scratch;
}

Status rows_reserve(Rows *rows, size_t more_rows, size_t more_changes, size_t more_chains,
                    Error *err)
{
    size_t count = rows->count + more_rows, changes = rows->change_count + more_changes;
    size_t chains = rows->chain_count + more_chains;
    const char *scratch = rows->scratch;
    Status status = STATUS_OK;
    if (count > rows->capacity) {
        if ((status = STORE_RESIZE(scratch, rows->rows, count, err)) != STATUS_OK ||
            (status = STORE_RESIZE(scratch, rows->targets, count, err)) != STATUS_OK ||
            (status = STORE_RESIZE(scratch, rows->keys, count, err)) != STATUS_OK ||
            (status = STORE_RESIZE(scratch, rows->scores, count, err)) != STATUS_OK)
            return status;
        rows->capacity = count;
    }
    if (changes > rows->change_capacity) {
        if ((status = STORE_RESIZE(scratch, rows->changes, changes, err)) != STATUS_OK)
            return status;
        rows->change_capacity = changes;
    }
    if (chains > rows->chain_capacity) {
        if ((status = STORE_RESIZE(scratch, rows->chains, chains, err)) != STATUS_OK)
            return status;
        rows->chain_capacity = chains;
    }
    return STATUS_OK;
}

/* How much to reserve for `more`: nothing if it fits, else half as much again as there is. */
static size_t step(size_t count, size_t capacity, size_t more, size_t least)
{
    return count + more <= capacity ? 0 : count / 2 + more + least;
}

/* The same in steps that grow, so that what is appended is seldom moved. */
static Status room(Rows *rows, size_t more_rows, size_t more_changes, size_t more_chains,
                   Error *err)
{
    return rows_reserve(rows, step(rows->count, rows->capacity, more_rows, 64),
                        step(rows->change_count, rows->change_capacity, more_changes, 1024),
                        step(rows->chain_count, rows->chain_capacity, more_chains, 16), err);
}

/* --- appending ---------------------------------------------------------------------------------
 */

/* Plain changes that make up an amount, each as large as possible; `to` NULL: only their number. */
static size_t put_amount(uint16_t *to, unsigned weight, int amount)
{
    size_t count = 0;
    bool minus = amount < 0;
    for (unsigned left = (unsigned)abs(amount), size; left; left -= 1U << size) {
        size = left >= 4 ? 2 : left / 2; /* its amount is 1 << size */
        if (to)
            to[count] = (uint16_t)change_of(size * ROWS_MAX_WEIGHTS + weight, minus);
        count++;
    }
    return count;
}

/* The changes from one trace to the next; `to` NULL: only their number. */
static size_t put_changes(uint16_t *to, const Trace *before, const Trace *trace)
{
    size_t count = 0, i = 0, j = 0, old = before ? before->count : 0;
    while (i < old || j < trace->count) {
        const TraceEntry *a = i < old ? &before->entries[i] : NULL;
        const TraceEntry *b = j < trace->count ? &trace->entries[j] : NULL;
        bool take_old = a && (!b || a->weight <= b->weight);
        bool take_new = b && (!a || b->weight <= a->weight);
        int amount = (take_new ? b->count : 0) - (take_old ? a->count : 0);
        count += put_amount(to ? to + count : NULL, take_new ? b->weight : a->weight, amount);
        i += take_old;
        j += take_new;
    }
    for (; !count || count % 2; count++)
        if (to)
            to[count] = (uint16_t)change_of(PLAIN_NOTHING, false);
    if (to)
        to[count - 1] |= CHANGE_LAST;
    return count;
}

void rows_widen(Rows *rows, unsigned weights, unsigned most)
{
    rows->weights = weights > rows->weights ? weights : rows->weights;
    rows->most = most > rows->most ? most : rows->most;
}

Status rows_add(Rows *rows, const Trace *before, const Trace *trace, const Origin *origin,
                Error *err)
{
    Chain *chain = rows->chain_count ? &rows->chains[rows->chain_count - 1] : NULL;
    unsigned step = 0;
    if (before && chain)
        step = (unsigned)origin->ply - chain->last_ply;
    bool same_game =
        before && chain && chain->game == origin->game && chain->half_points == origin->half_points;
    if (!same_game || chain->rows == CHAIN_MOST || step > CHAIN_STEP_MOST) {
        before = NULL;
        chain = NULL;
        step = 0;
    }
    size_t changes = put_changes(NULL, before, trace);
    if (changes > UINT16_MAX ||
        (trace->count && trace->entries[trace->count - 1].weight >= ROWS_MAX_WEIGHTS))
        return error_set(err, STATUS_ARGUMENT,
                         "a position with %zu changes of weights up to %u: at most %d and %d",
                         changes, trace->count ? trace->entries[trace->count - 1].weight : 0,
                         UINT16_MAX, ROWS_MAX_WEIGHTS - 1);
    Status status = room(rows, 1, changes, 1, err);
    if (status != STATUS_OK)
        return status;
    if (!chain) {
        chain = &rows->chains[rows->chain_count++];
        *chain =
            (Chain){.game = origin->game, .ply = origin->ply, .half_points = origin->half_points};
    } else {
        chain = &rows->chains[rows->chain_count - 1]; /* it may have moved */
    }
    put_changes(rows->changes + rows->change_count, before, trace);
    unsigned sum = 0;
    for (size_t i = 0; i < trace->count; i++)
        sum += (unsigned)abs(trace->entries[i].count);
    rows_widen(rows, trace->count ? trace->entries[trace->count - 1].weight + 1U : 1, sum);
    rows->change_count += changes;
    chain->changes += (uint32_t)changes;
    chain->rows++;
    chain->last_ply = origin->ply;
    rows->keys[rows->count] = origin->key;
    rows->scores[rows->count] = origin->score_white;
    rows->targets[rows->count] = (float)origin->half_points / 2;
    rows->rows[rows->count++] =
        (Row){.mass = 1, .phase_step = (uint16_t)((unsigned)trace->phase | step << 9)};
    return STATUS_OK;
}

/* Copies the rows of `from` behind those of `to`, which has room. */
static void put_rows(Rows *rows, const Rows *from)
{
    if (!from->count)
        return;
    rows_widen(rows, from->weights, from->most);
    memcpy(rows->rows + rows->count, from->rows, from->count * sizeof *rows->rows);
    memcpy(rows->targets + rows->count, from->targets, from->count * sizeof *rows->targets);
    memcpy(rows->keys + rows->count, from->keys, from->count * sizeof *rows->keys);
    memcpy(rows->scores + rows->count, from->scores, from->count * sizeof *rows->scores);
    memcpy(rows->chains + rows->chain_count, from->chains,
           from->chain_count * sizeof *rows->chains);
    if (from->change_count)
        memcpy(rows->changes + rows->change_count, from->changes,
               from->change_count * sizeof *rows->changes);
    rows->count += from->count;
    rows->change_count += from->change_count;
    rows->chain_count += from->chain_count;
}

Status rows_append(Rows *rows, Rows *from, Error *err)
{
    if (!from->count)
        return STATUS_OK;
    Status status = room(rows, from->count, from->change_count, from->chain_count, err);
    if (status != STATUS_OK)
        return status;
    put_rows(rows, from);
    rows_free(from);
    return STATUS_OK;
}

Status rows_copy(Rows *to, const Rows *from, Error *err)
{
    *to = (Rows){.scratch = from->scratch, .unit = from->unit};
    Status status = rows_reserve(to, from->count, from->change_count, from->chain_count, err);
    if (status == STATUS_OK)
        put_rows(to, from);
    else
        rows_free(to);
    return status;
}

void rows_truncate(Rows *rows, size_t count)
{
    while (rows->count > count) {
        Chain *chain = &rows->chains[rows->chain_count - 1];
        const Row *row = &rows->rows[--rows->count];
        size_t begin = rows->change_count - chain->changes, end = rows->change_count;
        while (--end > begin && !(rows->changes[end - 1] & CHANGE_LAST))
            ;
        chain->changes = (uint32_t)(end - begin);
        rows->change_count = end;
        chain->last_ply = (uint16_t)(chain->last_ply - row_step(row));
        if (!--chain->rows)
            rows->chain_count--;
    }
}

Origin rows_origin(const Rows *rows, size_t row)
{
    size_t first = 0, c = 0;
    while (row - first >= rows->chains[c].rows)
        first += rows->chains[c++].rows;
    const Chain *chain = &rows->chains[c];
    Origin origin = {.game = chain->game,
                     .half_points = chain->half_points,
                     .key = rows->keys ? rows->keys[row] : 0,
                     .score_white = (int16_t)(rows->scores ? rows->scores[row] : SCORE_NONE)};
    unsigned ply = chain->ply;
    for (size_t i = first; i <= row; i++)
        ply += row_step(&rows->rows[i]);
    origin.ply = (uint16_t)ply;
    return origin;
}

size_t rows_bytes(const Rows *rows)
{
    size_t each = sizeof(Row) + sizeof *rows->targets;
    if (rows->keys)
        each += sizeof *rows->keys + sizeof *rows->scores;
    return rows->capacity * each + rows->change_capacity * sizeof *rows->changes +
           rows->chain_capacity * sizeof *rows->chains +
           (rows->words ? words_bytes(rows->words) : 0);
}

/* --- targets and duplicates ----------------------------------------------------------------------
 */

void rows_set_targets(Rows *rows, double lambda, double slope)
{
    double scale = slope * (2.302585092994045684 / 400);
    size_t row = 0;
    for (size_t c = 0; c < rows->chain_count; c++)
        for (size_t end = row + rows->chains[c].rows; row < end; row++) {
            double target = rows->chains[c].half_points / 2.0;
            if (lambda < 1) {
                double score = rows->scores[row], e = exact_exp(-fabs(score * scale));
                double p = score >= 0 ? 1 / (1 + e) : e / (1 + e);
                target = lambda * target + (1 - lambda) * p;
            }
            rows->targets[row] = (float)target;
        }
}

/* Positions with one rule key have one trace; the phase guards a little against two that share a
 * key by accident. */
static bool mergeable(const Rows *rows, size_t a, size_t b)
{
    return rows->keys[a] == rows->keys[b] &&
           row_phase(&rows->rows[a]) == row_phase(&rows->rows[b]) &&
           rows->rows[a].mass + rows->rows[b].mass <= UINT16_MAX;
}

/* Gives back what was reserved too much; failing to shrink does no harm. */
static void trim(Rows *rows)
{
    const char *scratch = rows->scratch;
    if (STORE_RESIZE(scratch, rows->rows, rows->count, NULL) == STATUS_OK &&
        STORE_RESIZE(scratch, rows->targets, rows->count, NULL) == STATUS_OK)
        rows->capacity = rows->count;
    if (STORE_RESIZE(scratch, rows->changes, rows->change_count, NULL) == STATUS_OK)
        rows->change_capacity = rows->change_count;
    if (STORE_RESIZE(scratch, rows->chains, rows->chain_count, NULL) == STATUS_OK)
        rows->chain_capacity = rows->chain_count;
}

Status rows_merge(Rows *rows, size_t *merged, Error *err)
{
    const char *scratch = rows->scratch;
    if (rows->count >= UINT32_MAX / 2)
        return error_set(err, STATUS_ARGUMENT, "%zu positions, at most %u", rows->count,
                         UINT32_MAX / 2);
    size_t slots = 16;
    while (slots < 2 * rows->count)
        slots *= 2;
    /* Index of a row plus 1, 0 = free. */
    uint32_t *table = store_zeros(scratch, slots * sizeof *table, err);
    double *targets = table ? store_zeros(scratch, (rows->count + 1) * sizeof *targets, err) : NULL;
    if (!table || !targets) {
        store_free(scratch, table);
        return scratch ? STATUS_IO : STATUS_NO_MEMORY;
    }
    /* Targets are sums until the end: sums of half points are exact. */
    size_t gone = 0;
    for (size_t i = 0; i < rows->count; i++) {
        Row *row = &rows->rows[i];
        size_t slot = (size_t)(rows->keys[i] * UINT64_C(0x9e3779b97f4a7c15) >> 20);
        for (slot &= slots - 1;; slot = (slot + 1) & (slots - 1)) {
            size_t other = table[slot] - (size_t)1;
            if (!table[slot]) {
                table[slot] = (uint32_t)i + 1;
                targets[i] = (double)rows->targets[i] * row->mass;
                break;
            }
            if (mergeable(rows, other, i)) {
                targets[other] += (double)rows->targets[i] * row->mass;
                rows->rows[other].mass = (uint16_t)(rows->rows[other].mass + row->mass);
                row->mass = 0;
                gone++;
                break;
            }
        }
    }
    for (size_t i = 0; i < rows->count; i++)
        if (rows->rows[i].mass > 0)
            rows->targets[i] = (float)(targets[i] / rows->rows[i].mass);
    store_free(scratch, table);
    store_free(scratch, targets);
    store_free(scratch, rows->keys);
    store_free(scratch, rows->scores);
    rows->keys = NULL;
    rows->scores = NULL;
    trim(rows);
    if (merged)
        *merged = gone;
    return STATUS_OK;
}

/* Writes a lane in words where it begins; returns how many changes it has then. */
static size_t encode_lane(Rows *rows, const Lanes *lanes, int lane, const Coder *coder)
{
    const uint16_t *from = rows->changes + lanes->change[lane];
    uint16_t *begin = rows->changes + lanes->change[lane], *to = begin;
    for (size_t c = lanes->chain[lane]; c < lanes->chain[lane + 1]; c++) {
        Chain *chain = &rows->chains[c];
        size_t made = coder_write(coder, from, chain->changes, to);
        from += chain->changes;
        to += made;
        chain->changes = (uint32_t)made;
    }
    return (size_t)(to - begin);
}

Status rows_encode(Rows *rows, int threads, Error *err)
{
    if (rows->words || !rows->count)
        return STATUS_OK;
    Coder *coder;
    Status status = coder_new(&coder, rows->changes, rows->change_count, err);
    if (status != STATUS_OK)
        return status;
    Lanes lanes;
    size_t made[MAX_LANES];
    rows_lanes(rows, MAX_LANES, &lanes);
    threads = rows_threads(rows, threads);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int lane = 0; lane < lanes.count; lane++)
        made[lane] = encode_lane(rows, &lanes, lane, coder);
    rows->change_count = 0;
    for (int lane = 0; lane < lanes.count; lane++) {
        memmove(rows->changes + rows->change_count, rows->changes + lanes.change[lane],
                made[lane] * sizeof *rows->changes);
        rows->change_count += made[lane];
    }
    rows->words = coder_take_words(coder);
    coder_free(coder);
    trim(rows);
    return STATUS_OK;
}

void rows_lanes(const Rows *rows, int most, Lanes *lanes)
{
    /* Rows below which a further lane is not worth its sums by word; the first few are, as they
     * keep the cores of a small machine busy. */
    enum { LANE_LEAST = 16384, SMALL_LEAST = 4096, SMALL_LANES = 4 };
    size_t small = rows->count / SMALL_LEAST, wanted = rows->count / LANE_LEAST;
    small = small < SMALL_LANES ? small : SMALL_LANES;
    wanted = wanted > small ? wanted : small;
    lanes->count = wanted < 1 ? 1 : wanted > (size_t)most ? most : (int)wanted;
    size_t chain = 0, row = 0, change = 0;
    for (int lane = 0; lane <= lanes->count; lane++) {
        size_t goal =
            lane == lanes->count ? rows->count : rows->count / (size_t)lanes->count * (size_t)lane;
        for (; row < goal; chain++) {
            row += rows->chains[chain].rows;
            change += rows->chains[chain].changes;
        }
        lanes->chain[lane] = chain;
        lanes->row[lane] = row;
        lanes->change[lane] = change;
    }
}

int rows_threads(const Rows *rows, int threads)
{
    enum { THREAD_LEAST = 8192 }; /* rows: a third of a millisecond, waking a thread a hundredth */
    size_t most = rows->count / THREAD_LEAST + 1;
    return (size_t)threads < most ? threads : (int)most;
}

/* --- rows one by one ----------------------------------------------------------------------------
 */

Status rows_walk_init(RowsWalk *walk, const Rows *rows, int weight_count, size_t chain, size_t row,
                      size_t change, Error *err)
{
    size_t n = (size_t)weight_count;
    *walk = (RowsWalk){
        .rows = rows, .words = rows_words(rows), .chain = chain, .row = row, .change = change};
    walk->counts = calloc(n, sizeof *walk->counts);
    walk->active = calloc(n, sizeof *walk->active);
    walk->place = calloc(n, sizeof *walk->place);
    if (walk->counts && walk->active && walk->place)
        return STATUS_OK;
    rows_walk_free(walk);
    return error_set(err, STATUS_NO_MEMORY, "no memory for the counts of %zu weights", n);
}

void rows_walk_free(RowsWalk *walk)
{
    free(walk->counts);
    free(walk->active);
    free(walk->place);
    memset(walk, 0, sizeof *walk);
}

static void walk_change(RowsWalk *walk, unsigned weight, int amount)
{
    int before = walk->counts[weight], after = before + amount;
    walk->counts[weight] = after;
    if (before == 0 && after != 0) {
        walk->place[weight] = (uint16_t)walk->active_count;
        walk->active[walk->active_count++] = (uint16_t)weight;
    } else if (before != 0 && after == 0) {
        uint16_t last = walk->active[--walk->active_count];
        walk->active[walk->place[weight]] = last;
        walk->place[last] = walk->place[weight];
    }
}

const Row *rows_walk_next(RowsWalk *walk)
{
    const Rows *rows = walk->rows;
    if (!walk->left) {
        if (walk->chain == rows->chain_count)
            return NULL;
        while (walk->active_count)
            walk->counts[walk->active[--walk->active_count]] = 0;
        walk->left = rows->chains[walk->chain++].rows;
    }
    walk->left--;
    const uint16_t *change = rows->changes + walk->change;
    Delta deltas[DELTAS_ROOM];
    do {
        size_t count = read_deltas(walk->words, &change, deltas);
        for (size_t k = 0; k < count; k++)
            walk_change(walk, deltas[k].weight, deltas[k].amount);
    } while (!(change[-1] & CHANGE_LAST));
    walk->change = (size_t)(change - rows->changes);
    return &rows->rows[walk->row++];
}

/* --- occurrence ---------------------------------------------------------------------------- */

void occurrence_free(Occurrence *occurrence)
{
    free(occurrence->seen);
    free(occurrence->mean_square);
    free(occurrence->total);
    memset(occurrence, 0, sizeof *occurrence);
}

void chain_suffixes(const Row *rows, size_t count, const double *masses, Suffix *suffixes)
{
    Suffix sum = {0, 0};
    for (size_t i = count; i-- > 0;) {
        double h = row_phase(&rows[i]), mass = masses[i];
        sum.mass += mass;
        sum.square += mass * h * h;
        suffixes[i] = sum;
    }
}

const uint16_t *chain_squares(const Words *words, const Chain *chain, const uint16_t *changes,
                              const Suffix *suffixes, int *counts, double *squares,
                              Occurrence *also)
{
    Delta deltas[DELTAS_ROOM];
    for (const Suffix *suffix = suffixes; suffix < suffixes + chain->rows; suffix++)
        do {
            size_t count = read_deltas(words, &changes, deltas);
            for (size_t k = 0; k < count; k++) {
                size_t w = deltas[k].weight;
                int before = counts[w], after = before + deltas[k].amount;
                double more = (double)after * after - (double)before * before;
                counts[w] = after;
                squares[2 * w] += more * suffix->mass;
                squares[2 * w + 1] += more * suffix->square;
                if (!also)
                    continue;
                also->seen[w] += (uint64_t)(((after != 0) - (before != 0)) * (int64_t)suffix->mass);
                also->total[w] += (abs(after) - abs(before)) * suffix->mass;
            }
        } while (!(changes[-1] & CHANGE_LAST));
    return changes;
}

Status occurrence_count(const Rows *rows, int weight_count, Occurrence *occurrence, Error *err)
{
    size_t n = (size_t)weight_count;
    Occurrence made = {calloc(n, sizeof *made.seen), calloc(2 * n, sizeof *made.mean_square),
                       calloc(n, sizeof *made.total)};
    int *counts = calloc(n, sizeof *counts);
    if (!made.seen || !made.mean_square || !made.total || !counts) {
        occurrence_free(&made);
        free(counts);
        return error_set(err, STATUS_NO_MEMORY, "no memory for the statistics of %zu weights", n);
    }
    const Words *words = rows_words(rows);
    const uint16_t *changes = rows->changes;
    size_t row = 0;
    double mass = 0;
    for (size_t c = 0; c < rows->chain_count; c++) {
        const Chain *chain = &rows->chains[c];
        Suffix suffixes[CHAIN_MOST];
        double masses[CHAIN_MOST];
        for (size_t i = 0; i < chain->rows; i++)
            masses[i] = rows->rows[row + i].mass;
        chain_suffixes(rows->rows + row, chain->rows, masses, suffixes);
        memset(counts, 0, n * sizeof *counts);
        changes = chain_squares(words, chain, changes, suffixes, counts, made.mean_square, &made);
        row += chain->rows;
        mass += suffixes[0].mass;
    }
    for (size_t j = 0; mass > 0 && j < 2 * n; j++)
        made.mean_square[j] = made.mean_square[j] > 0 ? made.mean_square[j] / mass : 0;
    uint64_t unit = rows_unit(rows);
    for (size_t w = 0; unit > 1 && w < n; w++)
        made.seen[w] = (made.seen[w] + unit - 1) / unit; /* seen at all stays seen */
    free(counts);
    *occurrence = made;
    return STATUS_OK;
}
