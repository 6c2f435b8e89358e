/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * see.h - static exchange evaluation, and which moves give check. The value of a capture is that
 * of the piece and of what it becomes in the captor's hand (EvalTables.exchange).
 */
#pragma once

#include "core/eval.h"

/*
 * True if the exchanges that a legal move begins on its target square win at least `threshold`
 * centipawns for its maker, both sides taking with the least valuable piece first and stopping
 * when they like. Pins are ignored.
 */
static bool see_ge(const Position *p, const EvalTables *eval, Move move, int threshold)
{
    const int *exchange = eval->exchange;
    int to = move_to(move), side = p->side, balance, next_victim;
    Bitboard occupation = occupied(p);
    if (move_is_drop(move)) {
        balance = -threshold;
        next_victim = exchange[move_drop_kind(move)];
        occupation |= BIT(to);
    } else {
        int from = move_from(move);
        Kind kind = KIND_OF(p->board[from]), victim = KIND_OF(victim_of(p, move));
        balance = exchange[victim] - threshold;
        next_victim = exchange[kind];
        if (move_promotes(move)) {
            int gain = exchange[promoted_kind(kind, move)] - exchange[kind];
            balance += gain;
            next_victim += gain;
        }
        occupation = (occupation ^ BIT(from)) | BIT(to);
    }
    if (balance < 0)
        return false;
    balance -= next_victim;
    if (balance >= 0)
        return true;
    /* From here `balance` is what the side that has just moved has won if the other one takes. */
    if (!is_attacked(p, to, !side, occupation))
        return true;
    bool maker_wins = true;
    for (;;) {
        side = !side;
        Bitboard takers = attackers_of(p, to, side, occupation) & occupation;
        if (!takers)
            return maker_wins;
        maker_wins = !maker_wins;
        Kind taker = KING;
        for (int i = 0; i < KINDS; i++) {
            Bitboard candidates = takers & p->kinds[eval->by_exchange[i]];
            if (candidates) {
                taker = (Kind)eval->by_exchange[i];
                occupation ^= candidates & (~candidates + 1);
                break;
            }
        }
        if (taker == KING) /* a king may only take what nobody defends */
            return attackers_of(p, to, !side, occupation) & occupation ? !maker_wins : maker_wins;
        balance = -balance - 1 - exchange[taker];
        if (balance >= 0)
            return maker_wins;
    }
}

/* What a check by the side to move needs; computed once a node. */
typedef struct CheckInfo {
    Bitboard squares[ATOM_COUNT]; /* from where an atom reaches the enemy king           */
    Bitboard blockers;            /* own pieces that alone cover the enemy king          */
    int king;
} CheckInfo;

static inline void check_info_compute(const Position *p, CheckInfo *info)
{
    int side = p->side, king = p->king[!side];
    Bitboard all = occupied(p), own = p->sides[side];
    if (!has_king(p, !side)) {
        memset(info, 0, sizeof *info);
        return;
    }
    info->king = king;
#define CHECK_SQUARES_OF_ATOM(atom)                                                                \
    info->squares[atom] = CAPTURE_ATOMS >> atom & 1 ? atom_attacks(atom, !side, king, all) : 0;
    ATOMS(CHECK_SQUARES_OF_ATOM)
#undef CHECK_SQUARES_OF_ATOM
    info->blockers = 0;
    Bitboard sliders = sliders_towards(p, king) & own;
    while (sliders) {
        Bitboard between = tables.between[king][pop_lowest(&sliders)] & all;
        if (between && !more_than_one(between))
            info->blockers |= between & own;
    }
}

static inline Bitboard check_squares_of_kind(const CheckInfo *info, Kind kind)
{
    Bitboard squares = 0;
    for (uint32_t atoms = kind_captures[kind]; atoms; atoms &= atoms - 1)
        squares |= info->squares[__builtin_ctz(atoms)];
    return squares;
}

/* True if two squares stand in one line with a third, on the same side of it, and no piece stands
 * between them: a leap may end behind the slider that was blocked. */
static inline bool same_ray(int from, int to, int king, Bitboard all)
{
    return (tables.between[king][from] >> to & 1) ||
           ((tables.between[king][to] >> from & 1) && !(tables.between[from][to] & all));
}

/* True if a slider of the side to move sees the enemy king once both pawns have left their squares. */
static bool en_passant_uncovers(const Position *p, int king, int from)
{
    int to = p->en_passant, captured = to + (p->side ? BOARD_FILES : -BOARD_FILES);
    Bitboard occupation = (occupied(p) ^ BIT(from) ^ BIT(captured)) | BIT(to);
    return is_attacked(p, king, p->side, occupation);
}

/* True if the rook, after castling, sees the enemy king along a line that the king has left. */
static bool castling_rook_sees(const Position *p, int king, bool is_long)
{
    int side = p->side, home = castle_home(side, KING_FILE), to = is_long ? home - 2 : home + 2;
    Bitboard occupation = (occupied(p) ^ BIT(home) ^ BIT(castle_rook_from(side, is_long))) | BIT(to);
    return rook_attacks(castle_rook_to(side, is_long), occupation) >> king & 1;
}

/* True if a legal move gives check. */
static inline bool gives_check(const Position *p, const CheckInfo *info, Move move)
{
    int to = move_to(move);
    if (move_is_drop(move))
        return !keeps_turn(p, move) && (check_squares_of_kind(info, move_drop_kind(move)) >> to & 1);
    int from = move_from(move);
    Kind kind = KIND_OF(p->board[from]);
    if (move_promotes(move))
        kind = promoted_kind(kind, move);
    if (kind != KING && (check_squares_of_kind(info, kind) >> to & 1))
        return true;
    /* It may become a slider whose line to the king its own old square is on. */
    if (move_promotes(move) && kind != KING && (tables.between[info->king][to] >> from & 1) &&
        (kind_attacks(kind, p->side, to, occupied(p) ^ BIT(from)) >> info->king & 1))
        return true;
    if ((info->blockers >> from & 1) && from != to && !same_ray(from, to, info->king, occupied(p)))
        return true;
    if (HAS_CASTLING && is_castling(kind, from, to))
        return castling_rook_sees(p, info->king, to < from);
    if (HAS_DOUBLE_STEP && kind == PAWN && to == p->en_passant)
        return en_passant_uncovers(p, info->king, from);
    /* A slider that moves away from the king along its line of attack uncovers nothing new, but
     * one that moves along a line it blocked itself may: covered by same_ray. */
    return false;
}
