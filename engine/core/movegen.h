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
    CHECKERS_WITH_ATOM(ATOM_FORWARD_DIAGONAL)
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

/* The pieces that may promote when they move: limited kinds only while there is none on the board. */
static inline Bitboard promotable_pieces(const Position *p, int side)
{
    Bitboard promotable = 0;
    for (int kind = 0; kind < KINDS; kind++)
        if ((promotable_kinds >> kind & 1) &&
            !((limited_kinds >> kind_promoted[kind] & 1) && (p->kinds[kind_promoted[kind]] & p->sides[side])))
            promotable |= p->kinds[kind];
    return promotable;
}

/* The pieces that capture or move with an atom; `atom` is a constant at every call. */
static inline Bitboard movers_with(const Position *p, int atom)
{
    Bitboard movers = p->atoms[atom];
    for (int kind = 0; kind < KINDS; kind++)
        if ((kind_quiets[kind] & ~kind_captures[kind]) >> atom & 1)
            movers |= p->kinds[kind];
    return movers;
}

/* Where a kind may go with an atom that not all pieces use both to capture and to move. */
static inline Bitboard allowed_targets(Kind kind, int atom, Bitboard enemy)
{
    Bitboard allowed = ~(Bitboard)0;
    if (!(kind_captures[kind] >> atom & 1))
        allowed &= ~enemy;
    if (!(kind_quiets[kind] >> atom & 1))
        allowed &= enemy;
    return allowed;
}

/* The squares where a piece on `from` can only arrive promoted. */
static inline Bitboard forced_promotions(const Position *p, int side, int from, Bitboard promoting)
{
    if (PROMOTION_IS_FORCED)
        return promoting;
    bool stuck = PAWN_STUCK_ON_LAST_RANK && KIND_OF(p->board[from]) == PAWN;
    return stuck ? tables.last_ranks[side][1] : 0;
}

/* Both forms of moves to `targets`, of which those to `promoting` may promote. */
static inline __attribute__((always_inline)) void
sink_promotions(const Position *p, Sink *sink, int from, Bitboard targets, Bitboard promoting, Bitboard enemy,
                const MoveClass wanted, const bool counting)
{
    Bitboard plain = targets & ~forced_promotions(p, p->side, from, promoting);
    promoting &= targets;
    if (wanted == MOVES_NOISY)
        plain &= enemy;
    if (wanted == MOVES_QUIET) {
        plain &= ~enemy;
        promoting = 0;
    }
    sink_targets(sink, from, MOVE_PROMOTES, promoting, counting);
    sink_targets(sink, from, 0, plain, counting);
}

/* Two squares ahead for pawns on their second rank. */
static void generate_double_steps(const Position *p, const Legality *legality, Sink *sink, const bool counting)
{
    int side = p->side, ahead = side ? -BOARD_FILES : BOARD_FILES;
    Bitboard all = occupied(p), home = tables.first_ranks[side][2] & ~tables.first_ranks[side][1];
    for (Bitboard pawns = pieces_of(p, side, PAWN) & home; pawns;) {
        int from = pop_lowest(&pawns), to = from + 2 * ahead;
        Bitboard target = BIT(to) & legality->targets & ~all;
        if (legality->pinned >> from & 1)
            target &= legality->pin[from];
        if (!(all >> (from + ahead) & 1))
            sink_targets(sink, from, 0, target, counting);
    }
}

/* True if capturing en passant from `from` leaves the own king safe: two pieces leave their squares,
 * so the general masks do not serve. */
static bool en_passant_is_safe(const Position *p, int from)
{
    int side = p->side, to = p->en_passant, captured = to + (side ? BOARD_FILES : -BOARD_FILES);
    Bitboard occupation = (occupied(p) ^ BIT(from) ^ BIT(captured)) | BIT(to);
    return !(attackers_of(p, p->king[side], !side, occupation) & ~BIT(captured));
}

static void generate_en_passant(const Position *p, Sink *sink, const bool counting)
{
    Bitboard pawns = tables.leaps[ATOM_FORWARD_DIAGONAL][!p->side][p->en_passant] & pieces_of(p, p->side, PAWN);
    while (pawns) {
        int from = pop_lowest(&pawns);
        if (en_passant_is_safe(p, from))
            sink_targets(sink, from, 0, BIT(p->en_passant), counting);
    }
}

/* True if the king, not in check, may castle: the right is there, the squares between king and rook
 * are empty, the king's path is not attacked. */
static bool castling_is_legal(const Position *p, bool is_long)
{
    int side = p->side, king = castle_home(side, KING_FILE), rook = castle_rook_from(side, is_long);
    if (!(p->castling & castle_right(side, is_long)) || (tables.between[king][rook] & occupied(p)))
        return false;
    int step = is_long ? -1 : 1;
    return !is_attacked(p, king + step, !side, occupied(p)) && !is_attacked(p, king + 2 * step, !side, occupied(p));
}

static void generate_castling(const Position *p, Sink *sink, const bool counting)
{
    int king = p->king[p->side];
    for (int is_long = 0; is_long < 2; is_long++)
        if (castling_is_legal(p, is_long))
            sink_targets(sink, king, 0, BIT(is_long ? king - 2 : king + 2), counting);
}

static inline __attribute__((always_inline)) void
generate_board_moves(const Position *p, const Legality *legality, Sink *sink, const MoveClass wanted,
                     const bool counting)
{
    int side = p->side, king = p->king[side];
    Bitboard own = p->sides[side], enemy = p->sides[!side], all = own | enemy;
    Bitboard promotable = promotable_pieces(p, side);

    if (!more_than_one(legality->checkers)) {
#define MOVES_WITH_ATOM(atom)                                                                      \
    if (MOVE_ATOMS >> atom & 1)                                                                    \
        for (Bitboard movers = movers_with(p, atom) & own & ~BIT(king); movers;) {                 \
            int from = pop_lowest(&movers);                                                        \
            Bitboard targets = atom_attacks(atom, side, from, all) & legality->targets;            \
            if (SPLIT_ATOMS >> atom & 1)                                                           \
                targets &= allowed_targets(KIND_OF(p->board[from]), atom, enemy);                  \
            if (legality->pinned >> from & 1)                                                      \
                targets &= legality->pin[from];                                                    \
            if (counting && PROMOTION_IS_FORCED) {                                                 \
                sink_targets(sink, from, 0, targets, true);                                        \
                continue;                                                                          \
            }                                                                                      \
            Bitboard promoting = promotable >> from & 1 ? promotion_targets(side, from) : 0;       \
            sink_promotions(p, sink, from, targets, promoting, enemy, wanted, counting);           \
        }
        ATOMS(MOVES_WITH_ATOM)
#undef MOVES_WITH_ATOM
        if (HAS_DOUBLE_STEP && wanted != MOVES_NOISY)
            generate_double_steps(p, legality, sink, counting);
        if (HAS_DOUBLE_STEP && wanted != MOVES_QUIET && p->en_passant != NO_SQUARE)
            generate_en_passant(p, sink, counting);
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
    if (HAS_CASTLING && p->castling && wanted != MOVES_NOISY && !legality->checkers)
        generate_castling(p, sink, counting);
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

/* True if a piece reaches a square with its ordinary moves, checks aside. */
static inline bool tables_reach(const Position *p, Kind kind, int from, int to)
{
    Bitboard reach = 0, all = occupied(p);
    uint32_t atoms = p->board[to] == NO_PIECE ? kind_quiets[kind] : kind_captures[kind];
#define REACH_OF_ATOM(atom)                                                                        \
    if ((MOVE_ATOMS >> atom & 1) && (atoms >> atom & 1))                                           \
        reach |= atom_attacks(atom, p->side, from, all);
    ATOMS(REACH_OF_ATOM)
#undef REACH_OF_ATOM
    return reach >> to & 1;
}

/* Double steps and captures en passant. */
static bool special_pawn_move_is_legal(const Position *p, const Legality *legality, Kind kind, int from, int to)
{
    int side = p->side, ahead = side ? -BOARD_FILES : BOARD_FILES;
    if (!HAS_DOUBLE_STEP || kind != PAWN)
        return false;
    if (to == p->en_passant)
        return (tables.leaps[ATOM_FORWARD_DIAGONAL][side][from] >> to & 1) && en_passant_is_safe(p, from);
    return to == from + 2 * ahead && relative_rank(side, from) == 1 && !(occupied(p) >> (from + ahead) & 1) &&
           !(occupied(p) >> to & 1) && (legality->targets >> to & 1) &&
           !((legality->pinned >> from & 1) && !(legality->pin[from] >> to & 1));
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
    if (!(tables_reach(p, kind, from, to) || is_castling(kind, from, to)))
        return special_pawn_move_is_legal(p, legality, kind, from, to) && !move_promotes(move);
    bool may = (promotable_pieces(p, side) >> from & 1) && (promotion_targets(side, from) >> to & 1);
    bool must = may && (forced_promotions(p, side, from, promotion_targets(side, from)) >> to & 1);
    if (move_promotes(move) ? !may : must)
        return false;
    if (is_castling(kind, from, to))
        return !legality->checkers && castling_is_legal(p, to < from);
    if (kind == KING)
        return !is_attacked(p, to, !side, all ^ BIT(from));
    return (legality->targets >> to & 1) &&
           !((legality->pinned >> from & 1) && !(legality->pin[from] >> to & 1));
}
