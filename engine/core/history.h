/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * history.h - what earlier cutoffs say about moves. A drop has an origin of its own for each kind
 * (SQUARES + kind), so drops and board moves never share a cell.
 */
#pragma once

#include "core/tt.h"

enum { ORIGINS = SQUARES + HAND_KINDS, HISTORY_MAX = 16384 };

typedef int16_t PieceToHistory[KINDS][SQUARES];

typedef struct Histories {
    int16_t butterfly[2][ORIGINS][SQUARES];
    int16_t capture[KINDS][SQUARES][KINDS];
    Move counter[2][KINDS][SQUARES];
    PieceToHistory continuation[2][KINDS][SQUARES]; /* [side that moves next][kind, to of an earlier move] */
} Histories;

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
