/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perft.h - counts leaves: bulk counting, no hash, history-free. */
#pragma once

#include "core/movegen.h"

static uint64_t perft_count(Position *p, int depth)
{
    if (depth == 1)
        return count_moves(p);
    Move moves[ENGINE_MAX_MOVES];
    size_t count = legal_moves(p, moves);
    uint64_t leaves = 0;
    for (size_t i = 0; i < count; i++) {
        make_move_as(p, moves[i], false);
        leaves += perft_count(p, depth - 1);
        unmake_move_as(p, false);
    }
    return leaves;
}
