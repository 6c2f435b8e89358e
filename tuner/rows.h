/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows.h - positions as chains of changes.
 *
 * A weight has two coefficients that are fitted, x[2w] its mean of middlegame and endgame and
 * x[2w + 1] their difference (middlegame minus endgame), both in centipawns. With the phase as
 * h = phase / PHASE_MAX - 1/2 a row's score is
 *
 *     sum over weights of count * (x[2w] + h * x[2w + 1]),
 *
 * which is the tapered evaluation. This basis is better conditioned than (middlegame, endgame),
 * and shrinking it lets a weight that is seen in one phase only guess the other from it.
 *
 * Positions of one game follow each other, and a move changes few counts (about 30 of 90), so a
 * row holds what has changed since the row before: scores are prefix sums along a chain, gradients
 * suffix sums (chain.h). A chain begins with all counts 0. Changes that come together are written
 * as one (words.h) once the set is complete, which halves their number.
 *
 * Memory: 8 bytes a row, 2 a change, 16 a chain; until duplicates are merged 10 bytes a row more
 * for scores and keys. It may be in files (store.h).
 */
#pragma once

#include "engine.h"
#include "store.h"
#include "words.h"

/* Which games the fit sees, which choose its settings, and which judge it at the very end. */
typedef enum Part { PART_TRAIN, PART_VALIDATION, PART_TEST, PART_COUNT } Part;

typedef struct Row {
    uint16_t mass;       /* weight of the positions it stands for; 0 = only a step of the chain */
    uint16_t phase_step; /* phase, and 512 times the plies since the row before            */
} Row;

/* Positions of one game, or part of one. */
typedef struct Chain {
    uint32_t game; /* number of the game, or of the line in a text  */
    uint32_t changes;
    uint16_t rows;
    uint16_t ply, last_ply; /* of the first and the last row        */
    uint8_t half_points;    /* of White: 0, 1, 2                    */
} Chain;

enum {
    CHAIN_MOST = 512,     /* rows of one chain                                           */
    CHAIN_STEP_MOST = 127 /* plies between two of them                                   */
};

typedef struct Rows {
    const char *scratch; /* directory for files that hold all this, borrowed; NULL = memory */
    unsigned unit;       /* mass of a position of weight 1; 0 is 1                          */
    unsigned weights;    /* that rows may name: the highest one and 1                       */
    unsigned most;       /* no row's |counts| add up to more                                */
    size_t count, capacity;
    Row *rows;
    float *targets;  /* expected score of White, 0 .. 1                                  */
    int16_t *scores; /* centipawns of White, SCORE_NONE = none; NULL after rows_merge    */
    uint64_t *keys;  /* rule keys; NULL after rows_merge                                 */
    size_t change_count, change_capacity;
    uint16_t *changes;
    Words *words; /* what changes mean; NULL: the plain ones                              */
    size_t chain_count, chain_capacity;
    Chain *chains;
} Rows;

/* Where a position comes from. */
typedef struct Origin {
    uint64_t key;  /* rule key of the position                              */
    uint32_t game; /* number of the game, or of the line in a text          */
    uint16_t ply;
    int16_t score_white; /* centipawns, SCORE_NONE = none                         */
    uint8_t half_points; /* of White: 0, 1, 2                                     */
} Origin;

/* An empty set is all zero, but for `scratch`. */
void rows_free(Rows *rows);

/* Room for so many more; what is appended then does not move what is there. */
Status rows_reserve(Rows *rows, size_t more_rows, size_t more_changes, size_t more_chains,
                    Error *err);

/*
 * Appends a position; its target is its result and its mass 1.
 *
 *   before   trace of the position that was appended last; NULL begins a chain, as does another
 *            game, another result or a gap of many plies
 *
 * Traces name each weight once, in ascending order. STATUS_ARGUMENT for a weight that a change
 * cannot name.
 */
Status rows_add(Rows *rows, const Trace *before, const Trace *trace, const Origin *origin,
                Error *err);

/* Appends all rows of `from` and frees it. On failure both are as they were. */
Status rows_append(Rows *rows, Rows *from, Error *err);

/* Rows may name so many weights, and their |counts| may add up to `most`. */
void rows_widen(Rows *rows, unsigned weights, unsigned most);

/* Makes `to` (an empty set, or anything: it is overwritten) a copy of `from`, with the same scratch
 * directory. Before rows_merge. On failure `to` is empty. */
Status rows_copy(Rows *to, const Rows *from, Error *err);

/* Keeps the first `count` rows. */
void rows_truncate(Rows *rows, size_t count);

/* Where a row comes from; what is not kept (a key, a score) is 0 or SCORE_NONE. Slow. */
Origin rows_origin(const Rows *rows, size_t row);

/* Bytes in use, in memory or in files. */
size_t rows_bytes(const Rows *rows);

/*
 * Sets every target to lambda * result + (1 - lambda) * p(score), p with the given slope. Rows
 * need a score that is no mate score unless lambda is 1. Before rows_merge.
 */
void rows_set_targets(Rows *rows, double lambda, double slope);

/*
 * Merges rows with the same rule key: the targets are averaged, the masses added (as far as they
 * go: what is more begins another row), the place is that of the first; the others stay as steps
 * with mass 0. *merged (may be NULL) gets their number. Gives back the memory of keys and scores
 * and what was reserved too much.
 */
Status rows_merge(Rows *rows, size_t *merged, Error *err);

/*
 * Writes the changes in words that are learned from them, and gives back the memory that was
 * saved. Nothing can be appended then. Does nothing the second time. On failure the rows are as
 * they were.
 */
Status rows_encode(Rows *rows, int threads, Error *err);

/* What the changes mean. */
static inline const Words *rows_words(const Rows *rows)
{
    return rows->words ? rows->words : words_plain();
}

/*
 * Runs of whole chains whose sums are made side by side and combined in order, so that a result
 * depends on the rows only and not on the number of threads.
 */
enum { MAX_LANES = 64 };
typedef struct Lanes {
    int count;
    size_t chain[MAX_LANES + 1], row[MAX_LANES + 1], change[MAX_LANES + 1]; /* where each begins */
} Lanes;
void rows_lanes(const Rows *rows, int most, Lanes *lanes);

/* How many of `threads` threads a pass is worth. */
int rows_threads(const Rows *rows, int threads);

/* --- rows one by one ----------------------------------------------------------------------------
 */

/* All counts of a row, for what cannot be told from changes. */
typedef struct RowsWalk {
    const Rows *rows;
    const Words *words;
    size_t chain, row, change; /* the next ones                                          */
    uint32_t left;             /* rows of the current chain                              */
    int *counts;               /* [weights]                                              */
    uint16_t *active;          /* [active_count] weights that are not 0, in no order     */
    uint16_t *place;           /* [weights] where in it                                  */
    int active_count;
} RowsWalk;

/* Before the row with which a chain begins. */
Status rows_walk_init(RowsWalk *walk, const Rows *rows, int weight_count, size_t chain, size_t row,
                      size_t change, Error *err);
void rows_walk_free(RowsWalk *walk);

/* To the next row; NULL at the end. */
const Row *rows_walk_next(RowsWalk *walk);

/* How often and how strongly each weight occurs. */
typedef struct Occurrence {
    uint64_t *seen;      /* [weights] positions in which it has a coefficient, duplicates counted
                            and weighted                                                   */
    double *mean_square; /* [2 * weights] of the coefficients of x                         */
    double *total;       /* [weights] sum of |count|, by mass                              */
} Occurrence;

Status occurrence_count(const Rows *rows, int weight_count, Occurrence *occurrence, Error *err);
void occurrence_free(Occurrence *occurrence);

/* What a row of a chain and all that follow add up to. */
typedef struct Suffix {
    double mass, square; /* of the masses, and of the phases' squares times them */
} Suffix;

/* suffixes[i] of the `count` rows of a chain, for masses of any kind. */
void chain_suffixes(const Row *rows, size_t count, const double *masses, Suffix *suffixes);

/*
 * Adds the sums over the rows of a chain of mass * count^2, by coefficient: a count that changes
 * from a to b from some row on adds (b^2 - a^2) times the suffix of that row. `counts` are scratch,
 * all 0; `also` (may be NULL) gets what is seen, and how strongly. Returns where the changes of the
 * next chain begin.
 */
const uint16_t *chain_squares(const Words *words, const Chain *chain, const uint16_t *changes,
                              const Suffix *suffixes, int *counts, double *squares,
                              Occurrence *also);

static inline double row_phase(const Row *row)
{
    return (row->phase_step & 511) / (double)PHASE_MAX - 0.5;
}

static inline unsigned row_step(const Row *row)
{
    return row->phase_step >> 9;
}

static inline unsigned rows_unit(const Rows *rows)
{
    return rows->unit ? rows->unit : 1;
}

/* Is this chain of the same game as the one before? Chains of one game follow each other. */
static inline bool chain_goes_on(const Rows *rows, size_t c)
{
    const Chain *chain = &rows->chains[c];
    return c > 0 && chain->game == chain[-1].game && chain->ply > chain[-1].last_ply;
}
