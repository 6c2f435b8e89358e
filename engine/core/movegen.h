/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * movegen.h - legal moves by pins and check masks, one atom at a time.
 *
 * A piece that is made of several atoms (a Cardinal is bishop + knight) is visited once for each;
 * no two atoms of a piece reach the same square, so every move comes up once. One body serves
 * lists and bulk counts: `Sink` either stores moves or adds up the sizes of target sets.
 */
#pragma once

#include "core/position.h"

/* What restricts the side to move; computed once a node. */
typedef struct Legality {
    Bitboard checkers;
    Bitboard targets;          /* squares that a piece other than the king may go to          */
    Bitboard pinned;
    Bitboard pin[SQUARES];     /* [pinned square]: squares that keep the king covered         */
} Legality;

static inline void legality_compute(const Position *p, Legality *legality)
{
    int side = p->side, king = p->king[side];
    Bitboard own = p->sides[side], enemy = p->sides[!side], all = own | enemy;
    Bitboard sliders = ((tables.rook_lines[king] & p->atoms[ATOM_SLIDE_ROOK]) |
                        (tables.bishop_lines[king] & p->atoms[ATOM_SLIDE_BISHOP])) & enemy;
    Bitboard checkers = 0, leapers = 0, blocks = 0;
    legality->pinned = 0;
    while (sliders) {
        int slider = pop_lowest(&sliders);
        Bitboard between = tables.between[king][slider], blockers = between & all;
        if (!blockers) {
            checkers |= BIT(slider);
            blocks = between | BIT(slider);
        } else if (!more_than_one(blockers) && (blockers & own)) {
            legality->pinned |= blockers;
            legality->pin[lowest(blockers)] = between | BIT(slider);
        }
    }
#define CHECKERS_WITH_ATOM(atom)                                                                   \
    if ((CAPTURE_ATOMS & ~ALL_SLIDES) >> atom & 1)                                                 \
        leapers |= tables.leaps[atom][side][king] & p->atoms[atom];
    CHECKERS_WITH_ATOM(ATOM_FORWARD)
    CHECKERS_WITH_ATOM(ATOM_STEP_ROOK)
    CHECKERS_WITH_ATOM(ATOM_STEP_BISHOP)
    CHECKERS_WITH_ATOM(ATOM_LEAP_KNIGHT)
#undef CHECKERS_WITH_ATOM
    leapers &= enemy;
    checkers |= leapers;
    legality->checkers = checkers;
    if (!checkers)
        legality->targets = ~own & ALL_SQUARES;
    else if (more_than_one(checkers))
        legality->targets = 0;
    else
        legality->targets = leapers ? leapers : blocks;
}

/* Which moves are wanted; noisy = captures and promotions, quiet = the rest. */
typedef enum MoveClass { MOVES_ALL, MOVES_NOISY, MOVES_QUIET, MOVES_DROPS_ONLY } MoveClass;

typedef struct Sink {
    Move *next;     /* where the next move goes; NULL = only count */
    uint64_t count; /* when counting                               */
} Sink;

static inline void sink_targets(Sink *sink, int from, int promotion, Bitboard targets, const bool counting)
{
    if (counting) {
        sink->count += (uint64_t)count_bits(targets);
        return;
    }
    Move base = move_make(from, 0, promotion);
    for (uint64_t low = LOW_HALF(targets); low; low &= low - 1)
        *sink->next++ = (Move)(base | __builtin_ctzll(low));
    if (sizeof(Bitboard) > 8)
        for (uint64_t high = HIGH_HALF(targets); high; high &= high - 1)
            *sink->next++ = (Move)(base | (64 + __builtin_ctzll(high)));
}

/* The squares where a move of a promotable piece from `from` promotes. */
static inline Bitboard promotion_targets(int side, int from)
{
    Bitboard camp = tables.last_ranks[side][PROMOTION_RANKS];
    return camp >> from & 1 ? ALL_SQUARES : camp;
}

static inline __attribute__((always_inline)) void
generate_board_moves(const Position *p, const Legality *legality, Sink *sink, const MoveClass wanted,
                     const bool counting)
{
    int side = p->side, king = p->king[side];
    Bitboard own = p->sides[side], enemy = p->sides[!side], all = own | enemy;
    Bitboard promotable = 0;
    for (int kind = 0; kind < KINDS; kind++)
        if (promotable_kinds >> kind & 1)
            promotable |= p->kinds[kind];

    if (!more_than_one(legality->checkers)) {
#define MOVES_WITH_ATOM(atom)                                                                      \
    if (CAPTURE_ATOMS >> atom & 1)                                                                 \
        for (Bitboard movers = p->atoms[atom] & own & ~BIT(king); movers;) {                       \
            int from = pop_lowest(&movers);                                                        \
            Bitboard targets = atom_attacks(atom, side, from, all) & legality->targets;            \
            if (legality->pinned >> from & 1)                                                      \
                targets &= legality->pin[from];                                                    \
            if (counting) {                                                                        \
                sink_targets(sink, from, 0, targets, true);                                        \
                continue;                                                                          \
            }                                                                                      \
            Bitboard promoting = promotable >> from & 1 ? promotion_targets(side, from) : 0;       \
            if (wanted == MOVES_NOISY)                                                             \
                targets &= enemy | promoting;                                                      \
            if (wanted == MOVES_QUIET)                                                             \
                targets &= ~(enemy | promoting);                                                   \
            sink_targets(sink, from, MOVE_PROMOTES, targets & promoting, false);                   \
            sink_targets(sink, from, 0, targets & ~promoting, false);                              \
        }
        ATOMS(MOVES_WITH_ATOM)
#undef MOVES_WITH_ATOM
    }
    Bitboard steps = tables.king_steps[king] & ~own;
    if (wanted == MOVES_NOISY)
        steps &= enemy;
    if (wanted == MOVES_QUIET)
        steps &= ~enemy;
    Bitboard safe = 0;
    while (steps) {
        int to = pop_lowest(&steps);
        if (!is_attacked(p, to, !side, all ^ BIT(king)))
            safe |= BIT(to);
    }
    sink_targets(sink, king, 0, safe, counting);
}

/* The squares where a kind in hand may be dropped, checks aside. */
static inline Bitboard drop_squares(const Position *p, int side, Kind kind, Bitboard region)
{
    if (kind != PAWN)
        return region;
    if (PAWN_STUCK_ON_LAST_RANK)
        region &= ~tables.last_ranks[side][1];
    if (PAWN_DROP_ONE_PER_FILE)
        for (Bitboard pawns = pieces_of(p, side, PAWN); pawns;)
            region &= ~tables.files[file_of(pop_lowest(&pawns))];
    return region;
}

static inline __attribute__((always_inline)) void
generate_drops(const Position *p, const Legality *legality, Sink *sink, const bool counting)
{
    int side = p->side;
    if (!HAS_HANDS || more_than_one(legality->checkers))
        return;
    Bitboard region = ALL_SQUARES & ~occupied(p) & legality->targets;
    if (DROP_RANKS < BOARD_RANKS)
        region &= tables.first_ranks[side][DROP_RANKS];
    if (!region)
        return;
    for (int kind = 0; kind < HAND_KINDS; kind++)
        if (p->hand[side][kind])
            sink_targets(sink, SQUARES + kind, 0, drop_squares(p, side, (Kind)kind, region), counting);
}

/* Writes the wanted history-free legal moves to a list of ENGINE_MAX_MOVES; returns their number. */
static size_t generate_moves(const Position *p, const Legality *legality, MoveClass wanted, Move *moves)
{
    Sink sink = {.next = moves};
    if (is_campmated(p))
        return 0;
    switch (wanted) {
    case MOVES_ALL:
        generate_board_moves(p, legality, &sink, MOVES_ALL, false);
        generate_drops(p, legality, &sink, false);
        break;
    case MOVES_NOISY:
        generate_board_moves(p, legality, &sink, MOVES_NOISY, false);
        break;
    case MOVES_QUIET:
        generate_board_moves(p, legality, &sink, MOVES_QUIET, false);
        generate_drops(p, legality, &sink, false);
        break;
    case MOVES_DROPS_ONLY:
        generate_drops(p, legality, &sink, false);
        break;
    }
    return (size_t)(sink.next - moves);
}

static size_t legal_moves(const Position *p, Move *moves)
{
    Legality legality;
    legality_compute(p, &legality);
    return generate_moves(p, &legality, MOVES_ALL, moves);
}

/* The number of history-free legal moves. */
static inline uint64_t count_moves(const Position *p)
{
    if (is_campmated(p))
        return 0;
    Legality legality;
    Sink sink = {.next = NULL};
    legality_compute(p, &legality);
    generate_board_moves(p, &legality, &sink, MOVES_ALL, true);
    generate_drops(p, &legality, &sink, true);
    return sink.count;
}

/* True if a move (from a hash table, say, so any 16 bits) is a history-free legal move here. */
static bool move_is_legal(const Position *p, const Legality *legality, Move move)
{
    int side = p->side, from = move_from(move), to = move_to(move);
    Bitboard own = p->sides[side], all = occupied(p);
    if (move == MOVE_NONE || to >= SQUARES || from >= SQUARES + HAND_KINDS || (own >> to & 1) ||
        is_campmated(p) || (move >> PROMOTION_SHIFT) > 1)
        return false;
    if (move_is_drop(move)) {
        Kind kind = move_drop_kind(move);
        Bitboard region = ALL_SQUARES & ~all & legality->targets;
        if (DROP_RANKS < BOARD_RANKS)
            region &= tables.first_ranks[side][DROP_RANKS];
        return !move_promotes(move) && p->hand[side][kind] && !more_than_one(legality->checkers) &&
               (region >> to & 1) && (drop_squares(p, side, kind, region) >> to & 1);
    }
    if (!(own >> from & 1))
        return false;
    Kind kind = KIND_OF(p->board[from]);
    bool promotes = (promotable_kinds >> kind & 1) && (promotion_targets(side, from) >> to & 1);
    if (move_promotes(move) != promotes || !(kind_attacks(kind, side, from, all) >> to & 1))
        return false;
    if (kind == KING)
        return !is_attacked(p, to, !side, all ^ BIT(from));
    return (legality->targets >> to & 1) &&
           !((legality->pinned >> from & 1) && !(legality->pin[from] >> to & 1));
}
