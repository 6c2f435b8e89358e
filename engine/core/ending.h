/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ending.h - whether and why a game is over, in the order of reasons that RULES section 0 fixes. */
#pragma once

#include "core/notation.h"

/* Takes forbidden repetitions out of a list of history-free legal moves; returns what is left. */
static size_t drop_forbidden(const Position *p, Move *moves, size_t count)
{
    if (!REPETITION_IS_FORBIDDEN)
        return count;
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (!move_repeats(p, moves[i]))
            moves[left++] = moves[i];
    return left;
}

static Outcome outcome_of_win(int side) { return side == SIDE_WHITE ? OUTCOME_WHITE : OUTCOME_BLACK; }

/* The moves of a position whose game campmate has not ended, wherever the kings stand. */
static bool has_reply(const Position *p)
{
    Legality legality;
    Sink sink = {.next = NULL};
    legality_compute(p, &legality);
    generate_board_moves(p, &legality, &sink, MOVES_ALL, true);
    generate_drops(p, &legality, &sink, true);
    return sink.count != 0;
}

enum { FIFTY_PLIES = 100 };

/* True if the material that is left can never win. */
static bool is_insufficient(const Position *p)
{
    if (!BARE_KINGS_DRAW || (occupied(p) & ~p->kinds[KING]))
        return false;
    for (int kind = 0; kind < HAND_KINDS; kind++)
        if (p->hand[SIDE_WHITE][kind] + p->hand[SIDE_BLACK][kind])
            return false;
    return true;
}

static Ending position_ending(const Position *p)
{
    Outcome loss = outcome_of_win(!p->side);
    if (!has_reply(p)) {
        if (in_check(p))
            return (Ending){END_MATE, loss};
        return (Ending){END_STALEMATE, STALEMATE_RESULT == LOSS ? loss : OUTCOME_DRAW};
    }
    if (is_campmated(p))
        return (Ending){END_CAMPMATE, loss};
    if (REPETITION_IS_FORBIDDEN) {
        /* The ban can only take every move away where some key has been seen twice already. */
        Move moves[ENGINE_MAX_MOVES];
        size_t count = legal_moves(p, moves);
        for (size_t i = 0; i < count; i++)
            if (!move_repeats(p, moves[i]))
                return (Ending){END_NONE, OUTCOME_NONE};
        return (Ending){END_REPETITION, loss};
    }
    if (!REPETITION_IS_FORBIDDEN && p->seen[p->key & SEEN_MASK] >= 3 && occurrences(p, p->key) >= 3)
        return (Ending){END_REPETITION, OUTCOME_DRAW};
    if (HAS_FIFTY_MOVE_RULE && p->clock >= FIFTY_PLIES)
        return (Ending){END_FIFTY, OUTCOME_DRAW};
    if (is_insufficient(p))
        return (Ending){END_INSUFFICIENT, OUTCOME_DRAW};
    return (Ending){END_NONE, OUTCOME_NONE};
}
