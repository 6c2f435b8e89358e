/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * history.h - what the search has learnt: which moves cut off, and how far the static evaluation is
 * from the truth. A drop has an origin of its own for each kind (SQUARES + kind), so drops and board
 * moves never share a cell.
 */
#pragma once

#include "core/tt.h"

enum { ORIGINS = SQUARES + HAND_KINDS, HISTORY_MAX = 16384 };

typedef int16_t PieceToHistory[KINDS][SQUARES];

/*
 * The correction history of a side: how much better than its static evaluation the search has found
 * positions with the same pawns, with the same squares of the other pieces of each side and its king,
 * and after the same move. Cells are centipawns in 1/CORRECTION_ONE.
 */
enum { CORRECTION_BITS = 14, CORRECTION_ONE = 256, CORRECTION_WEIGHT = 256, CORRECTION_DEPTH = 16, CORRECTION_LIMIT = 250 };

typedef struct Corrections {
    int32_t pawns[1 << CORRECTION_BITS], pieces[2][1 << CORRECTION_BITS], after[KINDS][SQUARES], after_null;
} Corrections;

typedef struct Histories {
    int16_t butterfly[2][ORIGINS][SQUARES];
    int16_t capture[KINDS][SQUARES][KINDS];
    Move counter[2][KINDS][SQUARES];
    PieceToHistory continuation[2][KINDS][SQUARES]; /* [side that moves next][kind, to of an earlier move] */
    Corrections corrections[2];                     /* [side to move] */
} Histories;

/* A place in a table of corrections for a set of squares. */
static inline size_t correction_place(Bitboard squares, uint64_t salt)
{
    uint64_t low = (uint64_t)squares, high = (uint64_t)(squares >> sizeof squares * 4);
    uint64_t z = low * 0x9e3779b97f4a7c15u ^ (high * 0xd6e8feb86659fd93u + (low >> 32)) ^ salt * 0xff51afd7ed558ccdu;
    return (size_t)((z ^ z >> 29) * 0xbf58476d1ce4e5b9u >> (64 - CORRECTION_BITS));
}

/* Moves a cell towards the bonus; it stays within +-HISTORY_MAX. */
static inline void history_update(int16_t *cell, int bonus)
{
    int magnitude = bonus < 0 ? -bonus : bonus;
    *cell = (int16_t)(*cell + bonus - *cell * magnitude / HISTORY_MAX);
}

/* The kind that stands on the target square after a move: the mover before promotion, or the drop. */
static inline Kind moving_kind(const Position *p, Move move)
{
    return move_is_drop(move) ? move_drop_kind(move) : KIND_OF(p->board[move_from(move)]);
}
