/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * repeats.h - which of very many positions were there before, by ply, in memory that does not grow.
 *
 * The order of the data is that of the games' numbers and of the plies in them, whatever the order
 * in which threads bring them: of each key the table keeps its first place. When it is full, only
 * keys whose mixed bits begin with one more zero stay, so that what is left is a sample of whole
 * keys: exact until then, afterwards one in 2^level of the different positions, with all of their
 * occurrences. The result does not depend on threads.
 * Source: P. Gibbons, "Distinct Sampling for Highly-Accurate Answers" (VLDB 2001).
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REPEATS_PLIES = 4096, /* later plies count as the last of these */
    REPEATS_CLASSES = 40  /* levels that there can be */
};

typedef struct Repeats Repeats;

/* A table of at most `memory` bytes. */
Status repeats_new(Repeats **repeats, size_t memory, Error *err);
void repeats_free(Repeats *repeats);

/* Memory that a thread uses again for each game. Zeroed is empty. */
typedef struct RepeatsScratch {
    uint64_t *keys; /* [capacity] */
    size_t slots, capacity;
} RepeatsScratch;

void repeats_scratch_free(RepeatsScratch *scratch);

/*
 * Counts the positions of a game. Thread-safe.
 *
 *   game   its place in the data, below 2^43, each once
 *   keys   [count] of the positions after 0, 1, ... plies; spent
 */
Status repeats_add(Repeats *repeats, RepeatsScratch *scratch, uint64_t game, uint64_t *keys,
                   size_t count, Error *err);

typedef struct RepeatCount {
    uint64_t positions; /* all                                                       */
    uint64_t counted;   /* of them in the sample; the rest is about these            */
    uint64_t repeats;   /* were there before, in the game or in an earlier one       */
    uint64_t earlier;   /* were in an earlier game, the first time in this one       */
    uint64_t distinct;  /* keys whose first place is here                            */
} RepeatCount;

/* After everything was added: what there is after `ply` plies. *level as above. */
void repeats_count(Repeats *repeats, RepeatCount counts[REPEATS_PLIES], unsigned *level);
