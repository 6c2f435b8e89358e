/* pgn.h - games as PGN text in PyChess's dialect (DESIGN section 13). */
#pragma once

#include "dataset.h"

typedef struct PgnTags {
    const char *event, *site, *date, *round, *white, *black; /* NULL = "?"                     */
    const char *time_control, *termination;                  /* NULL = tag left out            */
    /* Comment after each move ("+0.31/9 0.12s"), [plies of the game]; NULL = scores if any. */
    const char *const *comments;
} PgnTags;

/* Writes one game with an empty line after it. STATUS_IO if the stream fails. */
Status pgn_write(FILE *stream, const Engine *engine, const GameRecord *record, const PgnTags *tags,
                 Error *err);
