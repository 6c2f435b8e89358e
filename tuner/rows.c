/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows.c - positions as sparse rows of coefficients. */
#include "rows.h"

#include "support/exactmath.h"
#include "support/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rows_free(Rows *rows)
{
    free(rows->rows);
    free(rows->origins);
    free(rows->weights);
    free(rows->counts);
    memset(rows, 0, sizeof *rows);
}

static bool resize(void **array, size_t count, size_t size)
{
    void *grown = realloc(*array, (count ? count : 1) * size);
    if (!grown)
        return false;
    *array = grown;
    return true;
}

static Status reserve(Rows *rows, size_t more_rows, size_t more_entries, Error *err)
{
    size_t need = rows->count + more_rows, need_entries = rows->entry_count + more_entries;
    if (need > rows->capacity) {
        size_t capacity = rows->capacity + rows->capacity / 2 + 64;
        if (capacity < need)
            capacity = need;
        if (!resize((void **)&rows->rows, capacity, sizeof *rows->rows) ||
            !resize((void **)&rows->origins, capacity, sizeof *rows->origins))
            return error_set(err, STATUS_NO_MEMORY, "no memory for %zu positions", capacity);
        rows->capacity = capacity;
    }
    if (need_entries > rows->entry_capacity) {
        size_t capacity = rows->entry_capacity + rows->entry_capacity / 2 + 4096;
        if (capacity < need_entries)
            capacity = need_entries;
        if (!resize((void **)&rows->weights, capacity, sizeof *rows->weights) ||
            !resize((void **)&rows->counts, capacity, sizeof *rows->counts))
            return error_set(err, STATUS_NO_MEMORY, "no memory for %zu coefficients", capacity);
        rows->entry_capacity = capacity;
    }
    return STATUS_OK;
}

Status rows_add(Rows *rows, const Trace *trace, const Origin *origin, Error *err)
{
    size_t entries = 0;
    for (size_t i = 0; i < trace->count; i++)
        entries += (size_t)((abs(trace->entries[i].count) + INT8_MAX - 1) / INT8_MAX);
    if (entries > UINT16_MAX)
        return error_set(err, STATUS_ARGUMENT, "a position with %zu coefficients, at most %d",
                         entries, UINT16_MAX);
    Status status = reserve(rows, 1, entries, err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < trace->count; i++) {
        int left = trace->entries[i].count;
        while (left) {
            int part = left > INT8_MAX ? INT8_MAX : left < -INT8_MAX ? -INT8_MAX : left;
            rows->weights[rows->entry_count] = trace->entries[i].weight;
            rows->counts[rows->entry_count++] = (int8_t)part;
            left -= part;
        }
    }
    rows->origins[rows->count] = *origin;
    rows->rows[rows->count++] = (Row){.target = (float)origin->half_points / 2,
                                      .mass = 1,
                                      .phase = (uint16_t)trace->phase,
                                      .entries = (uint16_t)entries};
    return STATUS_OK;
}

Status rows_append(Rows *rows, Rows *from, Error *err)
{
    if (!from->count)
        return STATUS_OK;
    Status status = reserve(rows, from->count, from->entry_count, err);
    if (status != STATUS_OK)
        return status;
    memcpy(rows->rows + rows->count, from->rows, from->count * sizeof *rows->rows);
    memcpy(rows->origins + rows->count, from->origins, from->count * sizeof *rows->origins);
    if (from->entry_count) {
        memcpy(rows->weights + rows->entry_count, from->weights,
               from->entry_count * sizeof *rows->weights);
        memcpy(rows->counts + rows->entry_count, from->counts,
               from->entry_count * sizeof *rows->counts);
    }
    rows->count += from->count;
    rows->entry_count += from->entry_count;
    rows_free(from);
    return STATUS_OK;
}

void rows_truncate(Rows *rows, size_t count)
{
    while (rows->count > count)
        rows->entry_count -= rows->rows[--rows->count].entries;
}

void rows_set_targets(Rows *rows, double lambda, double slope)
{
    double scale = slope * (2.302585092994045684 / 400);
    for (size_t i = 0; i < rows->count; i++) {
        const Origin *origin = &rows->origins[i];
        double target = origin->half_points / 2.0;
        if (lambda < 1) {
            double e = exact_exp(-fabs(origin->score_white * scale));
            double p = origin->score_white >= 0 ? 1 / (1 + e) : e / (1 + e);
            target = lambda * target + (1 - lambda) * p;
        }
        rows->rows[i].target = (float)target;
    }
}

/* Positions with one rule key have one trace; the cheap comparison guards against two positions
 * that share a key by accident. */
static bool same_position(const Rows *rows, size_t a, size_t b)
{
    return rows->origins[a].key == rows->origins[b].key &&
           rows->rows[a].phase == rows->rows[b].phase &&
           rows->rows[a].entries == rows->rows[b].entries;
}

Status rows_merge(Rows *rows, size_t *merged, Error *err)
{
    if (rows->count >= UINT32_MAX / 2)
        return error_set(err, STATUS_ARGUMENT, "%zu positions, at most %u", rows->count,
                         UINT32_MAX / 2);
    size_t slots = 16;
    while (slots < 2 * rows->count)
        slots *= 2;
    uint32_t *table = calloc(slots, sizeof *table); /* index of a kept row plus 1, 0 = free */
    if (!table)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a table of %zu positions", slots);

    /* Targets are sums until the end: sums of half points are exact. */
    size_t kept = 0, kept_entries = 0, entry = 0;
    for (size_t i = 0; i < rows->count; i++) {
        Row row = rows->rows[i];
        size_t slot = (size_t)(rows->origins[i].key * UINT64_C(0x9e3779b97f4a7c15) >> 20);
        for (slot &= slots - 1;; slot = (slot + 1) & (slots - 1)) {
            if (!table[slot]) {
                table[slot] = (uint32_t)kept + 1;
                memmove(rows->weights + kept_entries, rows->weights + entry,
                        row.entries * sizeof *rows->weights);
                memmove(rows->counts + kept_entries, rows->counts + entry,
                        row.entries * sizeof *rows->counts);
                rows->origins[kept] = rows->origins[i];
                rows->rows[kept] = row;
                rows->rows[kept++].target = row.target * row.mass;
                kept_entries += row.entries;
                break;
            }
            /* Compare before anything of row i is overwritten: kept rows lie below i. */
            size_t other = table[slot] - 1;
            if (same_position(rows, other, i)) {
                rows->rows[other].target += row.target * row.mass;
                rows->rows[other].mass += row.mass;
                break;
            }
        }
        entry += row.entries;
    }
    free(table);
    for (size_t i = 0; i < kept; i++)
        rows->rows[i].target /= rows->rows[i].mass;
    if (merged)
        *merged = rows->count - kept;
    rows->count = kept;
    rows->entry_count = kept_entries;
    return STATUS_OK;
}

/* --- occurrence ---------------------------------------------------------------------------- */

void occurrence_free(Occurrence *occurrence)
{
    free(occurrence->seen);
    free(occurrence->mean_square);
    free(occurrence->total);
    memset(occurrence, 0, sizeof *occurrence);
}

Status occurrence_count(const Rows *rows, int weight_count, Occurrence *occurrence, Error *err)
{
    size_t n = (size_t)weight_count;
    Occurrence made = {calloc(n, sizeof *made.seen), calloc(2 * n, sizeof *made.mean_square),
                       calloc(n, sizeof *made.total)};
    /* Counts of one weight in one row that are split over several entries belong together. */
    int *count = calloc(n, sizeof *count);
    if (!made.seen || !made.mean_square || !made.total || !count) {
        occurrence_free(&made);
        free(count);
        return error_set(err, STATUS_NO_MEMORY, "no memory for the statistics of %zu weights", n);
    }
    const uint16_t *weights = rows->weights;
    const int8_t *counts = rows->counts;
    double mass = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const Row *row = &rows->rows[i];
        double h = row->phase / (double)PHASE_MAX - 0.5;
        mass += row->mass;
        for (int k = 0; k < row->entries; k++)
            count[weights[k]] += counts[k];
        for (int k = 0; k < row->entries; k++) {
            size_t w = weights[k];
            double c = count[w];
            if (count[w] == 0)
                continue;
            count[w] = 0;
            made.seen[w] += (uint64_t)row->mass;
            made.total[w] += row->mass * fabs(c);
            made.mean_square[2 * w] += row->mass * c * c;
            made.mean_square[2 * w + 1] += row->mass * c * c * h * h;
        }
        weights += row->entries;
        counts += row->entries;
    }
    for (size_t j = 0; mass > 0 && j < 2 * n; j++)
        made.mean_square[j] /= mass;
    free(count);
    *occurrence = made;
    return STATUS_OK;
}

/* --- weights --------------------------------------------------------------------------------- */

void coefficients_from_weights(const Engine *engine, const Weight *weights, double *x)
{
    for (int w = 0; w < engine->weight_count; w++) {
        x[2 * w] = (weights[w].middlegame + weights[w].endgame) / 2.0;
        x[2 * w + 1] = weights[w].middlegame - weights[w].endgame;
    }
}

static int16_t rounded(double value, int *clamped)
{
    double nearest = floor(value + 0.5);
    if (nearest > INT16_MAX || nearest < INT16_MIN)
        ++*clamped;
    return (int16_t)(nearest > INT16_MAX ? INT16_MAX : nearest < INT16_MIN ? INT16_MIN : nearest);
}

int weights_from_coefficients(const Engine *engine, const double *x, Weight *weights)
{
    int clamped = 0;
    for (int w = 0; w < engine->weight_count; w++) {
        if (engine->weight_exists && !engine->weight_exists[w]) {
            weights[w] = (Weight){0, 0};
            continue;
        }
        weights[w].middlegame = rounded(x[2 * w] + x[2 * w + 1] / 2, &clamped);
        weights[w].endgame = rounded(x[2 * w] - x[2 * w + 1] / 2, &clamped);
    }
    return clamped;
}

void weight_name(const Engine *engine, int weight, char *text, size_t size)
{
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        int offset = weight - group->first, cells = group->rows * group->columns;
        if (offset < 0 || offset >= group->items * cells)
            continue;
        const char *item = group->item_names ? group->item_names[offset / cells] : NULL;
        int row = offset % cells / group->columns, column = offset % group->columns;
        char where[32] = "";
        if (group->rows > 1)
            snprintf(where, sizeof where, "[%d][%d]", row, column);
        else if (group->columns > 1)
            snprintf(where, sizeof where, "[%d]", column);
        if (item)
            snprintf(text, size, "%s[%s]%s", group->name, item, where);
        else
            snprintf(text, size, "%s%s", group->name, where);
        return;
    }
    snprintf(text, size, "weight %d", weight);
}

double trace_score(const Trace *trace, const Weight *weights)
{
    int64_t sum = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const Weight *weight = &weights[trace->entries[i].weight];
        sum += (int64_t)trace->entries[i].count *
               (trace->phase * weight->middlegame + (PHASE_MAX - trace->phase) * weight->endgame);
    }
    return (double)sum / PHASE_MAX;
}

/* --- is the trace the evaluation? ------------------------------------------------------------ */

struct TraceCheck {
    const Engine *engine;
    Weight *given, *arbitrary, *probe; /* [weight_count] */
    Trace trace;
};

void trace_check_free(TraceCheck *check)
{
    if (!check)
        return;
    free(check->given);
    free(check->arbitrary);
    free(check->probe);
    free(check);
}

Status trace_check_new(TraceCheck **out, const Engine *engine, const Weight *weights, Error *err)
{
    size_t n = (size_t)engine->weight_count;
    TraceCheck *check = calloc(1, sizeof *check);
    if (check) {
        check->engine = engine;
        check->given = calloc(n, sizeof(Weight));
        check->arbitrary = calloc(n, sizeof(Weight));
        check->probe = calloc(n, sizeof(Weight));
    }
    if (!check || !check->given || !check->arbitrary || !check->probe) {
        trace_check_free(check);
        return error_set(err, STATUS_NO_MEMORY, "no memory to check the trace");
    }
    memcpy(check->given, weights, n * sizeof(Weight));
    /* All weights 0 would prove nothing, so a second set is drawn: small enough for the sum of a
     * position to stay far from the limits of a score. */
    Rng rng = rng_from(20, 26);
    for (size_t w = 0; w < n; w++) {
        if (engine->weight_exists && !engine->weight_exists[w])
            continue;
        check->arbitrary[w].middlegame = (int16_t)((int)rng_below(&rng, 121) - 60);
        check->arbitrary[w].endgame = (int16_t)((int)rng_below(&rng, 121) - 60);
    }
    *out = check;
    return STATUS_OK;
}

static bool differs(TraceCheck *check, Game *game, const Weight *weights, int *evaluation,
                    double *dot)
{
    *evaluation = check->engine->evaluate(game, weights);
    *dot = trace_score(&check->trace, weights);
    return !(fabs(*dot - *evaluation) <= 1.0);
}

/* The names of the groups that differ when only they have weights. */
static void blame(TraceCheck *check, Game *game, char *names, size_t size)
{
    const Engine *engine = check->engine;
    size_t used = 0;
    names[0] = '\0';
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        int cells = group->rows * group->columns;
        for (int item = 0; item < group->items; item++) {
            int first = group->first + item * cells;
            memset(check->probe, 0, (size_t)engine->weight_count * sizeof(Weight));
            memcpy(check->probe + first, check->arbitrary + first, (size_t)cells * sizeof(Weight));
            int evaluation;
            double dot;
            if (!differs(check, game, check->probe, &evaluation, &dot) || used >= size)
                continue;
            const char *name = group->item_names ? group->item_names[item] : NULL;
            int length = snprintf(names + used, size - used, "%s%s%s%s%s (%.2f, not %d)",
                                  used ? ", " : "", group->name, name ? "[" : "", name ? name : "",
                                  name ? "]" : "", dot, evaluation);
            used += length > 0 ? (size_t)length : 0;
        }
    }
    if (!names[0])
        snprintf(names, size, "the sum of all terms");
}

Status trace_check(TraceCheck *check, Game *game, const char *record, Error *err)
{
    const Engine *engine = check->engine;
    engine->trace(game, &check->trace);
    if (check->trace.phase < 0 || check->trace.phase > PHASE_MAX)
        return error_set(err, STATUS_FORMAT, "%s: the trace has phase %d, expected 0 to %d", record,
                         check->trace.phase, PHASE_MAX);
    for (size_t i = 0; i < check->trace.count; i++) {
        int w = check->trace.entries[i].weight;
        if (w >= engine->weight_count || (engine->weight_exists && !engine->weight_exists[w]))
            return error_set(err, STATUS_FORMAT,
                             "%s: the trace names weight %d, which cannot occur", record, w);
    }
    int evaluation;
    double dot;
    if (!differs(check, game, check->given, &evaluation, &dot) &&
        !differs(check, game, check->arbitrary, &evaluation, &dot))
        return STATUS_OK;
    char fen[ENGINE_MAX_FEN], names[160];
    engine->game_fen(game, fen);
    blame(check, game, names, sizeof names);
    return error_set(err, STATUS_FORMAT,
                     "%s: trace times weights is %.2f, the evaluation %d; terms: %s; %s", record,
                     dot, evaluation, names, fen);
}
