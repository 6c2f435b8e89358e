/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pgn_comment.h - what the comments of a PGN say about a ply, written and read.
 *
 *     +0.31/9 0.120s      score of the side that moved, in pawns (depth and time are not kept)
 *     -M3                 it is mated in 3 moves
 *     [%eval -1.25]       score of the position after the move, White's view; [%eval #4]: mate in 4
 *     +0.31 sampled       a flag of dataset.h: random, book, sampled, played-out
 *
 * A mate score is kept by moves: in set-up phases, and where the sign does not fit the number of
 * plies, it comes back with another number of plies.
 */
#pragma once

#include "dataset.h"

enum { PGN_COMMENT_SIZE = 80 };

/* Score and flags of a ply as the comment behind it; "" if there is nothing to say. */
void pgn_comment_write(char text[PGN_COMMENT_SIZE], const PlyRecord *ply, Side mover);

/* "[%eval ...]" */
void pgn_comment_write_eval(char text[PGN_COMMENT_SIZE], int score_white_cp);

typedef struct PgnFacts {
    int score_white_cp; /* of the search before the move, SCORE_NONE = not said  */
    int eval_white_cp;  /* of the position after it, SCORE_NONE = not said       */
    uint8_t flags;      /* PLY_...                                               */
} PgnFacts;

/* Reads a comment behind a move of `mover` after which `side` is to move. Other texts say nothing.
 */
PgnFacts pgn_comment_read(const char *text, Side mover, Side side);
