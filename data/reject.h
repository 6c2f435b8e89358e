/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reject.h - why a game or position of a text is not taken, and how often.
 *
 * One list for every format: readers say which, `campmate-data import` counts them.
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stdint.h>

/* X(id, key in JSON, for people) */
#define REJECTS(X)                                                                                 \
    X(REJECT_SYNTAX, "syntax", "not readable")                                                     \
    X(REJECT_TRUNCATED, "truncated", "cut off")                                                    \
    X(REJECT_ZERO, "zero_byte", "zero bytes")                                                      \
    X(REJECT_VARIANT, "variant", "another game")                                                   \
    X(REJECT_POSITION, "position", "not a position of the game")                                   \
    X(REJECT_HANDS, "hands", "hands do not follow from the move before")                           \
    X(REJECT_MOVE, "illegal_move", "illegal move")                                                 \
    X(REJECT_AFTER_END, "after_end", "a move after the end of the game")                           \
    X(REJECT_RESULT, "result", "no result, or an unreadable one")                                  \
    X(REJECT_DRAW, "draw", "a draw, but this game knows none")                                     \
    X(REJECT_CONTRADICTION, "contradiction", "the result contradicts the board or itself")         \
    X(REJECT_SCORE, "score", "no readable score")                                                  \
    X(REJECT_SCORE_HIGH, "score_above", "score above 32000")                                       \
    X(REJECT_SCORE_LOW, "score_below", "score below -32000")                                       \
    X(REJECT_CHECK, "in_check", "a lone position in check: its score says nothing")
#define REJECT_NAME(id, key, text) id,
typedef enum Reject { REJECTS(REJECT_NAME) REJECT_COUNT } Reject;
#undef REJECT_NAME

const char *reject_key(Reject reject);
const char *reject_text(Reject reject);

/* Counts by reason, each with the message of the first. Zeroed is empty. */
typedef struct RejectTally {
    uint64_t counts[REJECT_COUNT];
    char *first[REJECT_COUNT]; /* malloc'ed; NULL if none (or no memory for it) */
} RejectTally;

void reject_tally_free(RejectTally *tally);
void reject_tally_add(RejectTally *tally, Reject reject, uint64_t count, const char *message);
/* Adds the counts of `from`, which stands behind what is in `into`, and empties it. */
void reject_tally_move(RejectTally *into, RejectTally *from);
uint64_t reject_tally_total(const RejectTally *tally);

/* Makes a message fit for a terminal and for JSON: a byte that cannot be printed, or is not of
 * valid UTF-8, becomes '?'. reject_set and reject_tally_add do so. */
void reject_clean(char *message);

/* Fills err and *reject and returns STATUS_FORMAT: readers leave with one line. */
Status reject_set(Reject *reject, Reject why, Error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
