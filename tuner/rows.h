/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows.h - positions as sparse rows of coefficients.
 *
 * A weight has two coefficients that are fitted, x[2w] its mean of middlegame and endgame and
 * x[2w + 1] their difference (middlegame minus endgame), both in centipawns. With the phase as
 * h = phase / PHASE_MAX - 1/2 a row's score is
 *
 *     sum over entries of count * (x[2w] + h * x[2w + 1]),
 *
 * which is the tapered evaluation. This basis is better conditioned than (middlegame, endgame),
 * and shrinking it lets a weight that is seen in one phase only guess the other from it.
 *
 * Memory: 36 bytes a row and 3 bytes an entry; while duplicates are merged 8 to 16 bytes a row
 * more for the table.
 */
#pragma once

#include "engine.h"

#include <stdio.h>

/* Which games the fit sees, which choose its settings, and which judge it at the very end. */
typedef enum Part { PART_TRAIN, PART_VALIDATION, PART_TEST, PART_COUNT } Part;

typedef struct Row {
    float target; /* expected score of White, 0 .. 1                      */
    float mass;   /* how many positions this row stands for               */
    uint16_t phase, entries;
} Row;

/* Where a row came from. */
typedef struct Origin {
    uint64_t key;  /* rule key of the position                              */
    uint32_t game; /* index of the game, or number of the line in a text    */
    uint16_t ply;
    int16_t score_white; /* centipawns, SCORE_NONE = none                         */
    uint8_t half_points; /* of White: 0, 1, 2                                     */
} Origin;

typedef struct Rows {
    size_t count, capacity;
    Row *rows;
    Origin *origins;
    size_t entry_count, entry_capacity;
    uint16_t *weights; /* [entry_count] index of the weight                      */
    int8_t *counts;    /* [entry_count] White's count minus Black's; a larger one
                          is stored as several entries                           */
} Rows;

/* An empty set is all zero. */
void rows_free(Rows *rows);

/* Appends a position; its target is its result and its mass 1. */
Status rows_add(Rows *rows, const Trace *trace, const Origin *origin, Error *err);

/* Appends all rows of `from` and frees it. On failure both are as they were. */
Status rows_append(Rows *rows, Rows *from, Error *err);

/* Keeps the first `count` rows. */
void rows_truncate(Rows *rows, size_t count);

/*
 * Sets every target to lambda * result + (1 - lambda) * p(score), p with the given slope. Rows
 * need a score that is no mate score unless lambda is 1. Before rows_merge.
 */
void rows_set_targets(Rows *rows, double lambda, double slope);

/*
 * Merges rows with the same rule key: the targets are averaged, the masses added, the place is
 * that of the first. *merged (may be NULL) gets the number of rows that went away.
 */
Status rows_merge(Rows *rows, size_t *merged, Error *err);

/* How often and how strongly each weight occurs. */
typedef struct Occurrence {
    uint64_t *seen;      /* [weights] positions in which it has a coefficient, by mass     */
    double *mean_square; /* [2 * weights] of the coefficients of x                         */
    double *total;       /* [weights] sum of |count|, by mass                              */
} Occurrence;

Status occurrence_count(const Rows *rows, int weight_count, Occurrence *occurrence, Error *err);
void occurrence_free(Occurrence *occurrence);

/* x ([2 * weight_count]) from weights and back, rounded to the nearest and clamped to int16;
 * weights that do not exist become 0. Returns how many values had to be clamped. */
void coefficients_from_weights(const Engine *engine, const Weight *weights, double *x);
int weights_from_coefficients(const Engine *engine, const double *x, Weight *weights);

/* "piece_square[PAWN][3][4]" (row and column from 0) into `text`. */
void weight_name(const Engine *engine, int weight, char *text, size_t size);

/*
 * Compares the evaluation of a position with the dot product of its trace, for `weights` and for
 * arbitrary weights of every group. STATUS_FORMAT names `record`, the FEN and the terms that
 * differ by more than a centipawn.
 */
typedef struct TraceCheck TraceCheck;
Status trace_check_new(TraceCheck **check, const Engine *engine, const Weight *weights, Error *err);
Status trace_check(TraceCheck *check, Game *game, const char *record, Error *err);
void trace_check_free(TraceCheck *check);

/* The score of a trace with given weights, centipawns, White's view, not rounded. */
double trace_score(const Trace *trace, const Weight *weights);
