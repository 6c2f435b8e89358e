/*
 * pgn.h - games as PGN text in PyChess's dialect.
 *
 * Tag `Variant` has a capital first letter; `FEN` and `SetUp` stand only where a game does not
 * begin at the variant's start position. Drops are `P@e4`, promotions name the new piece (`Ba6=A`).
 * Move numbers follow the FEN's fullmove field.
 */
#pragma once

#include "dataset.h"

typedef struct PgnTags {
    const char *event, *site, *date, *round, *white, *black; /* NULL = "?"                     */
    const char *time_control, *termination;                  /* NULL = tag left out            */
    /* Comment after each move ("+0.31/9 0.12s"), [plies of the game]; NULL = scores if any, as
     * seen by the side that moved. */
    const char *const *comments;
} PgnTags;

/* Writes one game with an empty line after it. `tags` may be NULL. STATUS_IO if the stream fails.
 */
Status pgn_write(FILE *stream, const Engine *engine, const GameRecord *record, const PgnTags *tags,
                 Error *err);
