/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shared.c - what weights have in common, as coefficients of their own. */
#include "shared.h"

#include <stdlib.h>
#include <string.h>

/*
 * Chosen by the validation loss of first generations from zero (3,000 Mansindam games of 400
 * nodes); they differ by orders of magnitude, and a factor of 2 is hardly seen.
 */
static const double EASE_PIECE = 0.01;  /* what a piece is worth                             */
static const double EASE_PLACE = 0.1;   /* more on the board than in hand, or the other way  */
static const double EASE_SINGLE = 0.03; /* one weight for each item: mobility, threats       */
static const double EASE_LINE = 0.1;    /* ranks, files, columns                             */
static const double EASE_CELL = 1;      /* a single cell of a table                          */

void shared_free(Shared *shared)
{
    free(shared->first);
    free(shared->weight);
    free(shared->factor);
    free(shared->ease);
    memset(shared, 0, sizeof *shared);
}

/* While it is being built. */
typedef struct Builder {
    Shared shared;
    size_t links, capacity, coefficients;
    bool failed;
} Builder;

static bool grow(void **array, size_t count, size_t size)
{
    void *grown = realloc(*array, count * size);
    if (grown)
        *array = grown;
    return grown != NULL;
}

/* Begins a coefficient; links follow. */
static void begin(Builder *builder, double ease)
{
    Shared *shared = &builder->shared;
    if (builder->failed)
        return;
    if ((size_t)shared->count + 2 > builder->coefficients) {
        size_t more = 2 * builder->coefficients + 64;
        if (!grow((void **)&shared->first, more, sizeof *shared->first) ||
            !grow((void **)&shared->ease, (size_t)shared->weights + more, sizeof *shared->ease)) {
            builder->failed = true;
            return;
        }
        builder->coefficients = more;
    }
    shared->ease[shared->weights + shared->count] = ease;
    shared->first[shared->count++] = (int)builder->links;
    shared->first[shared->count] = (int)builder->links;
}

static void link_weight(Builder *builder, const Engine *engine, int weight, double factor)
{
    Shared *shared = &builder->shared;
    if (builder->failed || (engine->weight_exists && !engine->weight_exists[weight]))
        return;
    if (builder->links == builder->capacity) {
        size_t more = 2 * builder->capacity + 1024;
        if (!grow((void **)&shared->weight, more, sizeof *shared->weight) ||
            !grow((void **)&shared->factor, more, sizeof *shared->factor)) {
            builder->failed = true;
            return;
        }
        builder->capacity = more;
    }
    shared->weight[builder->links] = weight;
    shared->factor[builder->links++] = factor;
    shared->first[shared->count] = (int)builder->links;
}

static int cells_of(const TermGroup *group)
{
    return group->rows * group->columns;
}

static void set_ease(Builder *builder, const TermGroup *group, int item, double ease)
{
    for (int i = 0; !builder->failed && i < cells_of(group); i++)
        builder->shared.ease[group->first + item * cells_of(group) + i] = ease;
}

static int item_named(const TermGroup *group, const char *name)
{
    for (int i = 0; group && group->item_names && i < group->items; i++)
        if (!strcmp(group->item_names[i], name))
            return i;
    return -1;
}

/* The value of a kind in hand, and with its material. */
static void share_hand(Builder *builder, const Engine *engine, const TermGroup *hand,
                       const TermGroup *material)
{
    for (int item = 0; item < hand->items; item++) {
        int first = hand->first + item * cells_of(hand);
        int partner = hand->item_names ? item_named(material, hand->item_names[item]) : -1;
        begin(builder, partner >= 0 ? EASE_PLACE : EASE_PIECE);
        for (int c = 0; c < hand->columns; c++)
            link_weight(builder, engine, first + c, c + 1);
        if (partner < 0)
            continue;
        set_ease(builder, material, partner, EASE_PLACE);
        begin(builder, EASE_PIECE);
        link_weight(builder, engine, material->first + partner, 1);
        for (int c = 0; c < hand->columns; c++)
            link_weight(builder, engine, first + c, c + 1);
    }
}

/* The cells of `items` tables from `item` on in row `row` (or -1: any) and column `column`. */
static void share_cells(Builder *builder, const Engine *engine, const TermGroup *group, int item,
                        int items, int row, int column)
{
    begin(builder, EASE_LINE);
    for (int i = item; i < item + items; i++)
        for (int r = 0; r < group->rows; r++)
            for (int c = 0; c < group->columns; c++)
                if ((row < 0 || r == row) && (column < 0 || c == column))
                    link_weight(builder, engine,
                                group->first + i * cells_of(group) + r * group->columns + c, 1);
}

static void share_lines(Builder *builder, const Engine *engine, const TermGroup *group)
{
    /* Of each item, and, where there are several, of all of them. */
    for (int item = 0; item <= group->items; item++) {
        bool all = item == group->items;
        if (all && group->items == 1)
            break;
        for (int row = 0; group->columns > 1 && row < group->rows; row++)
            share_cells(builder, engine, group, all ? 0 : item, all ? item : 1, row, -1);
        for (int column = 0; group->rows > 1 && column < group->columns; column++)
            share_cells(builder, engine, group, all ? 0 : item, all ? item : 1, -1, column);
    }
}

static void share_columns(Builder *builder, const Engine *engine, const TermGroup *group)
{
    for (int column = 0; group->items > 1 && column < group->columns; column++)
        share_cells(builder, engine, group, 0, group->items, -1, column);
    for (int item = 0; item < group->items; item++) {
        begin(builder, EASE_LINE);
        for (int column = 0; column < group->columns; column++)
            link_weight(builder, engine, group->first + item * group->columns + column,
                        column - (group->columns - 1) / 2.0);
    }
}

Status shared_new(Shared *shared, const Engine *engine, Error *err)
{
    Builder builder = {.shared.weights = engine->weight_count};
    builder.coefficients = 64;
    builder.shared.first = calloc(64, sizeof(int));
    builder.shared.ease = calloc((size_t)engine->weight_count + 64, sizeof(double));
    builder.failed = !builder.shared.first || !builder.shared.ease;

    const TermGroup *material = NULL;
    for (int g = 0; g < engine->term_group_count; g++)
        if (!strcmp(engine->term_groups[g].name, "material"))
            material = &engine->term_groups[g];
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        bool single = cells_of(group) == 1;
        for (int item = 0; item < group->items; item++)
            set_ease(&builder, group, item,
                     group == material ? EASE_PIECE
                     : single          ? EASE_SINGLE
                                       : EASE_CELL);
    }
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        if (!strcmp(group->name, "hand") && group->rows == 1)
            share_hand(&builder, engine, group, material);
        else if (group->rows > 1)
            share_lines(&builder, engine, group);
        else if (group->columns > 1)
            share_columns(&builder, engine, group);
    }
    if (builder.failed) {
        shared_free(&builder.shared);
        return error_set(err, STATUS_NO_MEMORY, "no memory for shared coefficients");
    }
    *shared = builder.shared;
    return STATUS_OK;
}

void shared_expand(const Shared *shared, const double *y, double *x)
{
    memcpy(x, y, 2 * (size_t)shared->weights * sizeof *x);
    for (int c = 0; c < shared->count; c++) {
        const double *pair = y + 2 * (shared->weights + c);
        for (int i = shared->first[c]; i < shared->first[c + 1]; i++) {
            x[2 * shared->weight[i]] += shared->factor[i] * pair[0];
            x[2 * shared->weight[i] + 1] += shared->factor[i] * pair[1];
        }
    }
}

void shared_reduce(const Shared *shared, const double *x, double *y, bool squared)
{
    memcpy(y, x, 2 * (size_t)shared->weights * sizeof *y);
    for (int c = 0; c < shared->count; c++) {
        double pair[2] = {0, 0};
        for (int i = shared->first[c]; i < shared->first[c + 1]; i++) {
            double factor = squared ? shared->factor[i] * shared->factor[i] : shared->factor[i];
            pair[0] += factor * x[2 * shared->weight[i]];
            pair[1] += factor * x[2 * shared->weight[i] + 1];
        }
        y[2 * (shared->weights + c)] = pair[0];
        y[2 * (shared->weights + c) + 1] = pair[1];
    }
}

/* The links of `shared` by weight: those of weight w are begins[w] .. begins[w + 1]. */
typedef struct Owners {
    int *begins;    /* [weights + 3]           */
    int *owner;     /* the coefficient ...     */
    double *factor; /* ... and how many times  */
} Owners;

static void owners_free(Owners *owners)
{
    free(owners->begins);
    free(owners->owner);
    free(owners->factor);
}

static bool owners_new(const Shared *shared, Owners *owners)
{
    size_t links = (size_t)shared->first[shared->count];
    *owners = (Owners){calloc((size_t)shared->weights + 3, sizeof(int)),
                       calloc(links + 1, sizeof(int)), calloc(links + 1, sizeof(double))};
    if (!owners->begins || !owners->owner || !owners->factor)
        return false;
    /* Counts two places on, sums one place on, and when all are placed begins[w] is right. */
    for (size_t i = 0; i < links; i++)
        owners->begins[shared->weight[i] + 2]++;
    for (int w = 0; w < shared->weights; w++)
        owners->begins[w + 2] += owners->begins[w + 1];
    for (int c = 0; c < shared->count; c++)
        for (int i = shared->first[c]; i < shared->first[c + 1]; i++) {
            int place = owners->begins[shared->weight[i] + 1]++;
            owners->owner[place] = shared->weights + c;
            owners->factor[place] = shared->factor[i];
        }
    return true;
}

/* A coefficient's count changes by `amount` from rows of mass `suffix` on. Factors are halves, so
 * that all of this is exact. */
static void change_count(double *value, double *mean_square, double amount, double suffix)
{
    double before = *value, after = before + amount;
    *value = after;
    *mean_square += (after * after - before * before) * suffix;
}

/* The same for weights and all that they are shared by. */
static void change_counts(const Owners *owners, const Delta *deltas, size_t count, double suffix,
                          double *values, double *mean_square)
{
    for (size_t k = 0; k < count; k++) {
        unsigned w = deltas[k].weight;
        double amount = deltas[k].amount;
        change_count(&values[w], &mean_square[w], amount, suffix);
        for (int i = owners->begins[w]; i < owners->begins[w + 1]; i++)
            change_count(&values[owners->owner[i]], &mean_square[owners->owner[i]],
                         owners->factor[i] * amount, suffix);
    }
}

Status shared_mean_square(const Shared *shared, const Rows *rows, double *mean_square, Error *err)
{
    size_t n = (size_t)shared->weights + (size_t)shared->count;
    Owners owners;
    double *values = calloc(n, sizeof *values);
    if (!owners_new(shared, &owners) || !values) {
        owners_free(&owners);
        free(values);
        return error_set(err, STATUS_NO_MEMORY, "no memory for the units of %zu coefficients", n);
    }
    memset(mean_square, 0, n * sizeof *mean_square);
    double mass = 0;
    const Words *words = rows_words(rows);
    const uint16_t *changes = rows->changes;
    Delta deltas[DELTAS_ROOM];
    size_t row = 0;
    for (size_t c = 0; c < rows->chain_count; c++) {
        const Chain *chain = &rows->chains[c];
        double left = 0; /* mass from here on: a sum of whole numbers, exact */
        for (size_t i = row; i < row + chain->rows; i++)
            left += rows->rows[i].mass;
        mass += left;
        memset(values, 0, n * sizeof *values);
        for (size_t end = row + chain->rows; row < end; row++) {
            do {
                size_t count = read_deltas(words, &changes, deltas);
                change_counts(&owners, deltas, count, left, values, mean_square);
            } while (!(changes[-1] & CHANGE_LAST));
            left -= rows->rows[row].mass;
        }
    }
    for (size_t j = 0; mass > 0 && j < n; j++)
        mean_square[j] = mean_square[j] > 0 ? mean_square[j] / mass : 0;
    owners_free(&owners);
    free(values);
    return STATUS_OK;
}
