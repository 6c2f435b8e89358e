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

enum { FIFTY_PLIES = 100 };

/* The side's pieces of a set of kinds. */
static inline Bitboard pieces_of_kinds(const Position *p, int side, uint32_t kinds)
{
    Bitboard pieces = 0;
    for (int kind = 0; kind < KINDS; kind++)
        if (kinds >> kind & 1)
            pieces |= p->kinds[kind];
    return pieces & p->sides[side];
}

/*
 * The limit of the count that begins when `bare`, now to move, has only its king, no pawn is left
 * and the other side has a piece that counts: that of its best kind.
 */
static int count_that_begins(const Position *p, int bare)
{
#define LIMIT_OF_KIND(kind, plies) {kind, plies},
    static const struct {
        uint8_t kind, plies;
    } limits[] = {COUNT_LIMITS(LIMIT_OF_KIND){NO_KIND, 0}};
#undef LIMIT_OF_KIND
    if (!HAS_COUNTING || more_than_one(p->sides[bare]) || p->kinds[PAWN] || has_placements(p, bare) ||
        has_placements(p, !bare))
        return 0;
    for (int i = 0; limits[i].kind != NO_KIND; i++) {
        if (!(p->sides[!bare] & p->kinds[limits[i].kind]))
            continue;
        bool rook_alone = limits[i].kind == ROOK && count_bits(p->sides[!bare]) == 2;
        if (COUNT_OF_CORNERED_KING && rook_alone && (tables.corners_and_centre >> p->king[bare] & 1))
            return COUNT_OF_CORNERED_KING;
        return limits[i].plies;
    }
    return 0;
}

/*
 * True if a side cannot win where NEITHER_CAN_MATE is the rule: it has no piece that mates, and its
 * minor pieces or pawns cannot do it with what is left.
 */
static bool cannot_win(const Position *p, int side)
{
    if (pieces_of_kinds(p, side, MATING_KINDS))
        return false;
    uint32_t helpers = HELPING_KINDS, weak = WEAK_KINDS;
    Bitboard own_weak = pieces_of_kinds(p, side, weak);
    Bitboard all_weak = own_weak | pieces_of_kinds(p, !side, weak);
    Bitboard own_helpers = pieces_of_kinds(p, side, helpers);
    Bitboard all_helpers = own_helpers | pieces_of_kinds(p, !side, helpers);
    bool one_colour = !(all_weak & tables.light) || !(all_weak & ~tables.light);
    bool one_piece = count_bits(occupied(p) & ~p->kinds[KING]) == 1;
    return (!own_weak || (one_colour && !all_helpers)) && (!own_helpers || one_piece);
}

/* True if the material that is left can never win. */
static bool is_insufficient(const Position *p)
{
    if (INSUFFICIENT_MATERIAL == NEVER_INSUFFICIENT)
        return false;
    for (int kind = 0; kind < HAND_KINDS; kind++)
        if (p->hand[SIDE_WHITE][kind] + p->hand[SIDE_BLACK][kind])
            return false;
    if (INSUFFICIENT_MATERIAL == BARE_KINGS_INSUFFICIENT)
        return !(occupied(p) & ~p->kinds[KING]);
    return cannot_win(p, SIDE_WHITE) && cannot_win(p, SIDE_BLACK);
}

/* True if a side not in check has king and one pawn, and nothing to play but promotions. */
static bool is_promotion_choice(const Position *p)
{
    if (!HAS_PROMOTION_CHOICE_DRAW || count_bits(p->sides[p->side]) != 2 || !pieces_of(p, p->side, PAWN) || in_check(p))
        return false;
    Move moves[ENGINE_MAX_MOVES];
    size_t count = legal_moves(p, moves);
    for (size_t i = 0; i < count; i++)
        if (!move_promotes(moves[i]))
            return false;
    return count > 0;
}

/* The end that clocks and material make of a position with moves; END_NONE if they do not. */
static EndReason end_without_mate(const Position *p)
{
    if (HAS_COUNTING && p->count_limit && p->clock > p->count_limit)
        return END_COUNT;
    if (HAS_FIFTY_MOVE_RULE && !p->count_limit && p->clock >= FIFTY_PLIES)
        return END_FIFTY;
    if (is_promotion_choice(p))
        return END_PROMOCHOICE;
    return is_insufficient(p) ? END_INSUFFICIENT : END_NONE;
}

static Ending position_ending(const Position *p)
{
    Outcome loss = outcome_of_win(!p->side);
    if (!count_replies(p)) {
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
    EndReason reason = end_without_mate(p);
    return (Ending){reason, reason == END_NONE ? OUTCOME_NONE : OUTCOME_DRAW};
}
