/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * position.h - a position, its moves made and unmade, and the history that repetition needs.
 *
 * A Position owns no memory: its undo stack and its table of seen keys belong to whoever plays on
 * it (a Game or a search Worker). Make and unmake copy nothing large.
 */
#pragma once

#include "core/attacks.h"
#include "engine.h"

#include <string.h>

/* --- moves: to, from (or SQUARES + kind for a drop), promotion --------------------------------- */
enum {
    SQUARE_BITS = SQUARES <= 64 ? 6 : 7,
    PROMOTION_SHIFT = SQUARE_BITS + 7,
    MOVE_PROMOTES = 1 << PROMOTION_SHIFT
};

static inline int move_to(Move move) { return move & ((1 << SQUARE_BITS) - 1); }
static inline int move_from(Move move) { return move >> SQUARE_BITS & 127; }
static inline bool move_promotes(Move move) { return (move >> PROMOTION_SHIFT) != 0; }
static inline bool move_is_drop(Move move) { return HAS_HANDS && move_from(move) >= SQUARES; }
static inline Kind move_drop_kind(Move move) { return (Kind)(move_from(move) - SQUARES); }
static inline Move move_make(int from, int to, int promotion)
{
    return (Move)(to | from << SQUARE_BITS | promotion);
}
static inline Move move_drop(int kind, int to) { return move_make(SQUARES + kind, to, 0); }

/* --- two values in one: middlegame in the upper half, endgame in the lower ---------------------- */
typedef int64_t Pair;
#define PAIR(middlegame, endgame) ((Pair)((uint64_t)(int64_t)(middlegame) << 32) + (endgame))
static inline int pair_endgame(Pair pair) { return (int)(int32_t)(uint32_t)(uint64_t)pair; }
static inline int pair_middlegame(Pair pair)
{
    return (int)((pair + (Pair)0x80000000) >> 32);
}

/* What making a move keeps up to date for the evaluation: see eval.h, which fills it. */
typedef struct PieceValues {
    Pair board[PIECES_ON_BOARD][SQUARES];                   /* White's view                        */
    Pair hand[2][HAND_KINDS ? HAND_KINDS : 1][HAND_MAX + 1]; /* of having exactly n, White's view  */
} PieceValues;

typedef struct Undo {
    uint64_t key;
    Pair value;
    Move move;
    uint16_t clock;
    uint8_t captured; /* piece or NO_PIECE */
    uint8_t moved;    /* piece before the move (promotion), or dropped */
} Undo;

/* Counts of keys on the stack by their low bits: a count of one proves that a key is new. */
enum { SEEN_SIZE = 4096, SEEN_MASK = SEEN_SIZE - 1 };

typedef struct Position {
    Bitboard sides[2];
    Bitboard kinds[KINDS];
    Bitboard atoms[ATOM_COUNT]; /* the pieces that capture with an atom */
    uint8_t board[SQUARES];
    uint8_t hand[2][HAND_KINDS ? HAND_KINDS : 1];
    uint8_t king[2];
    uint8_t side;
    uint16_t clock;
    int fullmove;
    uint64_t key;
    Pair value;                /* sums of `values`                     */
    const PieceValues *values; /* NULL = nothing is summed             */
    Undo *undo;                /* next free entry of the stack         */
    Undo *first;               /* its bottom                           */
    uint8_t *seen;             /* [SEEN_SIZE], saturating at 255       */
} Position;

static struct {
    uint64_t board[PIECES_ON_BOARD][SQUARES];
    uint64_t hand[2][HAND_KINDS ? HAND_KINDS : 1][HAND_MAX + 1];
    uint64_t black_to_move;
} zobrist;

static inline Bitboard occupied(const Position *p) { return p->sides[0] | p->sides[1]; }
static inline Bitboard pieces_of(const Position *p, int side, Kind kind)
{
    return p->sides[side] & p->kinds[kind];
}

/* --- putting and taking pieces; `tracked` is a constant at every call --------------------------- */
static inline void flip_bits(Position *p, int piece, int square)
{
    Bitboard bit = BIT(square);
    Kind kind = KIND_OF(piece);
    p->sides[SIDE_OF(piece)] ^= bit;
    p->kinds[kind] ^= bit;
    uint32_t atoms = kind_captures[kind];
    do {
        p->atoms[__builtin_ctz(atoms)] ^= bit;
        atoms &= atoms - 1;
    } while (atoms);
}

static inline void put_piece(Position *p, int piece, int square, const bool tracked)
{
    flip_bits(p, piece, square);
    p->board[square] = (uint8_t)piece;
    if (tracked) {
        p->key ^= zobrist.board[piece][square];
        if (p->values)
            p->value += p->values->board[piece][square];
    }
}

static inline void take_piece(Position *p, int piece, int square, const bool tracked)
{
    flip_bits(p, piece, square);
    p->board[square] = NO_PIECE;
    if (tracked) {
        p->key ^= zobrist.board[piece][square];
        if (p->values)
            p->value -= p->values->board[piece][square];
    }
}

static inline void change_hand(Position *p, int side, int kind, int change, const bool tracked)
{
    int before = p->hand[side][kind], after = before + change;
    p->hand[side][kind] = (uint8_t)after;
    if (tracked) {
        p->key ^= zobrist.hand[side][kind][before] ^ zobrist.hand[side][kind][after];
        if (p->values)
            p->value += p->values->hand[side][kind][after] - p->values->hand[side][kind][before];
    }
}

/* --- making and unmaking ------------------------------------------------------------------------ */

/*
 * Makes a legal move. With `tracked` the key, the evaluation sums and the seen keys follow;
 * perft does without. The undo stack must have room.
 */
static inline __attribute__((always_inline)) void make_move_as(Position *p, Move move, const bool tracked)
{
    Undo *undo = p->undo++;
    int side = p->side, to = move_to(move);
    undo->key = p->key;
    undo->value = p->value;
    undo->move = move;
    undo->clock = p->clock++;
    undo->captured = NO_PIECE;
    if (move_is_drop(move)) {
        Kind kind = move_drop_kind(move);
        undo->moved = PIECE(kind, side);
        change_hand(p, side, (int)kind, -1, tracked);
        put_piece(p, PIECE(kind, side), to, tracked);
        p->clock = 0;
    } else {
        int from = move_from(move), moved = p->board[from], captured = p->board[to];
        Kind kind = KIND_OF(moved);
        undo->moved = (uint8_t)moved;
        undo->captured = (uint8_t)captured;
        if (captured != NO_PIECE) {
            take_piece(p, captured, to, tracked);
            if (HAS_HANDS)
                change_hand(p, side, kind_base[KIND_OF(captured)], 1, tracked);
            p->clock = 0;
        }
        take_piece(p, moved, from, tracked);
        if (move_promotes(move)) {
            put_piece(p, PIECE(kind_promoted[kind], side), to, tracked);
            p->clock = 0;
        } else {
            put_piece(p, moved, to, tracked);
            if (kind == KING)
                p->king[side] = (uint8_t)to;
            if (CLOCK_RESET_BY_PAWN && kind == PAWN)
                p->clock = 0;
        }
    }
    p->fullmove += side;
    p->side = (uint8_t)!side;
    if (tracked) {
        p->key ^= zobrist.black_to_move;
        uint8_t *seen = &p->seen[p->key & SEEN_MASK];
        *seen = (uint8_t)(*seen + (*seen != 255));
    }
}

static inline __attribute__((always_inline)) void unmake_move_as(Position *p, const bool tracked)
{
    if (tracked) {
        uint8_t *seen = &p->seen[p->key & SEEN_MASK];
        *seen = (uint8_t)(*seen - (*seen != 255));
    }
    Undo *undo = --p->undo;
    Move move = undo->move;
    int side = !p->side, to = move_to(move);
    p->side = (uint8_t)side;
    p->fullmove -= side;
    p->clock = undo->clock;
    if (move_is_drop(move)) {
        take_piece(p, undo->moved, to, false);
        change_hand(p, side, (int)move_drop_kind(move), 1, false);
    } else {
        int from = move_from(move);
        take_piece(p, p->board[to], to, false);
        put_piece(p, undo->moved, from, false);
        if (KIND_OF(undo->moved) == KING)
            p->king[side] = (uint8_t)from;
        if (undo->captured != NO_PIECE) {
            put_piece(p, undo->captured, to, false);
            if (HAS_HANDS)
                change_hand(p, side, kind_base[KIND_OF(undo->captured)], -1, false);
        }
    }
    p->key = undo->key;
    p->value = undo->value;
}

static void make_move(Position *p, Move move) { make_move_as(p, move, true); }
static void unmake_move(Position *p) { unmake_move_as(p, true); }

/* The null move of the search: the other side is to move. */
static inline void make_null_move(Position *p)
{
    Undo *undo = p->undo++;
    undo->key = p->key;
    undo->value = p->value;
    undo->move = MOVE_NONE;
    undo->clock = p->clock++;
    undo->captured = undo->moved = NO_PIECE;
    p->fullmove += p->side;
    p->side = !p->side;
    p->key ^= zobrist.black_to_move;
    uint8_t *seen = &p->seen[p->key & SEEN_MASK];
    *seen = (uint8_t)(*seen + (*seen != 255));
}

static inline void unmake_null_move(Position *p)
{
    uint8_t *seen = &p->seen[p->key & SEEN_MASK];
    *seen = (uint8_t)(*seen - (*seen != 255));
    Undo *undo = --p->undo;
    p->side = !p->side;
    p->fullmove -= p->side;
    p->clock = undo->clock;
    p->key = undo->key;
}

/* The key after a legal move, without making it. */
static inline uint64_t key_after(const Position *p, Move move)
{
    int side = p->side, to = move_to(move);
    uint64_t key = p->key ^ zobrist.black_to_move;
    if (move_is_drop(move)) {
        int kind = (int)move_drop_kind(move), held = p->hand[side][kind];
        return key ^ zobrist.hand[side][kind][held] ^ zobrist.hand[side][kind][held - 1] ^
               zobrist.board[PIECE(kind, side)][to];
    }
    int from = move_from(move), moved = p->board[from], captured = p->board[to];
    if (captured != NO_PIECE) {
        key ^= zobrist.board[captured][to];
        if (HAS_HANDS) {
            int base = kind_base[KIND_OF(captured)], held = p->hand[side][base];
            key ^= zobrist.hand[side][base][held] ^ zobrist.hand[side][base][held + 1];
        }
    }
    int placed = move_promotes(move) ? PIECE(kind_promoted[KIND_OF(moved)], side) : moved;
    return key ^ zobrist.board[moved][from] ^ zobrist.board[placed][to];
}

/*
 * How often a key stands in the history below the top of the stack (the current position is not
 * on the stack yet, so ask with key_after for a move, or subtract nothing for the current one).
 * `current` adds the current position itself.
 */
static int occurrences(const Position *p, uint64_t key)
{
    if (p->seen[key & SEEN_MASK] == 0)
        return 0;
    int count = p->key == key;
    for (const Undo *undo = p->undo; undo-- > p->first;)
        count += undo->key == key;
    return count;
}

/* True if the move would make a position occur for the third time where that is forbidden. */
static inline bool move_repeats(const Position *p, Move move)
{
    if (!REPETITION_IS_FORBIDDEN)
        return false;
    uint64_t key = key_after(p, move);
    return p->seen[key & SEEN_MASK] >= 2 && occurrences(p, key) >= 2;
}

/* --- attacks on squares --------------------------------------------------------------------------- */

/* The pieces of `by` that attack a square, given an occupation. */
static inline Bitboard attackers_of(const Position *p, int square, int by, Bitboard occupation)
{
    Bitboard attackers = 0;
#define ATTACKERS_WITH_ATOM(atom)                                                                  \
    if (CAPTURE_ATOMS >> atom & 1)                                                                 \
        attackers |= atom_attacks(atom, !by, square, occupation) & p->atoms[atom];
    ATOMS(ATTACKERS_WITH_ATOM)
#undef ATTACKERS_WITH_ATOM
    return attackers & p->sides[by];
}

/* True if `by` attacks the square; cheaper than asking who does. */
static inline bool is_attacked(const Position *p, int square, int by, Bitboard occupation)
{
    Bitboard leapers = 0;
#define LEAPERS_WITH_ATOM(atom)                                                                    \
    if ((CAPTURE_ATOMS & ~ALL_SLIDES) >> atom & 1)                                                 \
        leapers |= tables.leaps[atom][!by][square] & p->atoms[atom];
    LEAPERS_WITH_ATOM(ATOM_FORWARD)
    LEAPERS_WITH_ATOM(ATOM_STEP_ROOK)
    LEAPERS_WITH_ATOM(ATOM_STEP_BISHOP)
    LEAPERS_WITH_ATOM(ATOM_LEAP_KNIGHT)
#undef LEAPERS_WITH_ATOM
    if (leapers & p->sides[by])
        return true;
    Bitboard sliders = ((tables.rook_lines[square] & p->atoms[ATOM_SLIDE_ROOK]) |
                        (tables.bishop_lines[square] & p->atoms[ATOM_SLIDE_BISHOP])) &
                       p->sides[by];
    while (sliders)
        if (!(tables.between[square][pop_lowest(&sliders)] & occupation))
            return true;
    return false;
}

static inline Bitboard checkers_of(const Position *p)
{
    return attackers_of(p, p->king[p->side], !p->side, occupied(p));
}

static inline bool in_check(const Position *p)
{
    return is_attacked(p, p->king[p->side], !p->side, occupied(p));
}

/* True if the side not to move has its king on its last rank and has thereby won. */
static inline bool is_campmated(const Position *p)
{
    return HAS_CAMPMATE && (tables.last_ranks[!p->side][1] >> p->king[!p->side] & 1);
}

/* --- setting up ------------------------------------------------------------------------------------ */

static void zobrist_fill(void)
{
    uint64_t state = 0x9e3779b97f4a7c15u; /* splitmix64: fixed, so keys are the same everywhere */
    uint64_t *all = &zobrist.board[0][0];
    for (size_t i = 0; i < sizeof zobrist / sizeof(uint64_t); i++) {
        uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        all[i] = z ^ z >> 31;
    }
    for (int side = 0; side < 2; side++)
        for (int kind = 0; kind < HAND_KINDS; kind++)
            zobrist.hand[side][kind][0] = 0;
}

/* Makes `values` the tables that are summed, and sums them afresh. */
static void position_set_values(Position *p, const PieceValues *values)
{
    p->values = values;
    p->value = 0;
    for (int square = 0; square < SQUARES; square++)
        if (p->board[square] != NO_PIECE)
            p->value += values->board[p->board[square]][square];
    for (int side = 0; side < 2; side++)
        for (int kind = 0; kind < HAND_KINDS; kind++)
            p->value += values->hand[side][kind][p->hand[side][kind]];
}

/* Key of the pieces that are there; the history begins here. Nothing is summed yet. */
static void position_restart(Position *p)
{
    p->key = p->side ? zobrist.black_to_move : 0;
    for (int square = 0; square < SQUARES; square++) {
        int piece = p->board[square];
        if (piece != NO_PIECE)
            p->key ^= zobrist.board[piece][square];
    }
    for (int side = 0; side < 2; side++)
        for (int kind = 0; kind < HAND_KINDS; kind++)
            p->key ^= zobrist.hand[side][kind][p->hand[side][kind]];
    p->undo = p->first;
    memset(p->seen, 0, SEEN_SIZE);
    p->seen[p->key & SEEN_MASK] = 1;
}

/* An empty board of a side to move, without history. `first` and `seen` stay. */
static void position_clear(Position *p)
{
    Undo *first = p->first;
    uint8_t *seen = p->seen;
    memset(p, 0, sizeof *p);
    memset(p->board, NO_PIECE, sizeof p->board);
    p->first = p->undo = first;
    p->seen = seen;
    p->king[0] = p->king[1] = NO_SQUARE;
    p->fullmove = 1;
}
