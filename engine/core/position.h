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
/* Which of the named promotions a move makes; 0 = none, and 1 = to what the piece's row says. */
static inline int move_promotion(Move move) { return move >> PROMOTION_SHIFT; }
static inline bool move_promotes(Move move) { return (move >> PROMOTION_SHIFT) != 0; }
static inline bool move_is_drop(Move move) { return HAS_HANDS && move_from(move) >= SQUARES; }
static inline Kind move_drop_kind(Move move) { return (Kind)(move_from(move) - SQUARES); }
static inline Move move_make(int from, int to, int promotion)
{
    return (Move)(to | from << SQUARE_BITS | promotion);
}
static inline Move move_drop(int kind, int to) { return move_make(SQUARES + kind, to, 0); }

/* The kind that a promoting move puts on the board. */
static inline Kind promoted_kind(Kind kind, Move move)
{
    return (Kind)(PROMOTION_IS_NAMED ? named_promotions[move_promotion(move) - 1] : kind_promoted[kind]);
}

/* On the board and in the hands together; a FEN has room for so many (ENGINE_MAX_FEN). */
enum { MAX_PIECES = 127 };

/* --- castling: rights, and what moves where ------------------------------------------------------ */
enum { CASTLE_WHITE_SHORT = 1, CASTLE_WHITE_LONG = 2, CASTLE_BLACK_SHORT = 4, CASTLE_BLACK_LONG = 8, CASTLE_RIGHTS = 4 };
enum { KING_FILE = 4 };

static inline int castle_home(int side, int file) { return square_at(file, side ? BOARD_RANKS - 1 : 0); }
static inline int castle_rook_from(int side, bool is_long) { return castle_home(side, is_long ? 0 : BOARD_FILES - 1); }
static inline int castle_rook_to(int side, bool is_long) { return castle_home(side, is_long ? KING_FILE - 1 : KING_FILE + 1); }
static inline int castle_right(int side, bool is_long) { return 1 << (side * 2 + is_long); }

/* True if a king's move is a castling. */
static inline bool is_castling(Kind kind, int from, int to)
{
    return HAS_CASTLING && kind == KING && (to == from + 2 || from == to + 2);
}

/* --- two values in one: middlegame in the upper half, endgame in the lower ---------------------- */
typedef int64_t Pair;
#define PAIR(middlegame, endgame) ((Pair)((uint64_t)(int64_t)(middlegame) << 32) + (endgame))
static inline int pair_endgame(Pair pair) { return (int)(int32_t)(uint32_t)(uint64_t)pair; }
static inline int pair_middlegame(Pair pair)
{
    return (int)((pair + (Pair)0x80000000) >> 32);
}

/* How far a square is from another, as one number: files and ranks cannot be mistaken for each other. */
enum {
    OFFSET_RANK = 2 * BOARD_FILES - 1,
    OFFSET_NONE = (BOARD_RANKS - 1) * OFFSET_RANK + BOARD_FILES - 1,
    OFFSETS = 2 * OFFSET_NONE + 1
};
static inline int square_offset(int square, int other)
{
    return OFFSET_NONE + (rank_of_square(square) - rank_of_square(other)) * OFFSET_RANK + file_of(square) - file_of(other);
}


/* What making a move keeps up to date for the evaluation: see eval.h, which fills it. */
typedef struct PieceValues {
    Pair board[PIECES_ON_BOARD][SQUARES];                   /* White's view                        */
    Pair near[2][PIECES_ON_BOARD][OFFSETS];                /* [whose king][..][from it]; kings: 0 */
    Pair hand[2][HAND_KINDS ? HAND_KINDS : 1][MAX_PIECES + 1]; /* of having exactly n, White's view  */
} PieceValues;

typedef struct Undo {
    uint64_t key;
    Pair value;
    Move move;
    uint16_t clock;
    uint8_t captured; /* piece or NO_PIECE */
    uint8_t moved;    /* piece before the move (promotion), or dropped */
    uint8_t castling, en_passant;
    uint8_t count_limit;
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
    uint8_t castling;   /* set of CASTLE_...                                  */
    uint8_t en_passant; /* square that a pawn can capture on, or NO_SQUARE    */
    uint8_t count_limit; /* plies that a lone king has to survive, 0 = no count; `clock` counts them */
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
    uint64_t hand[2][HAND_KINDS ? HAND_KINDS : 1][MAX_PIECES + 1];
    uint64_t black_to_move;
    uint64_t castling[1 << CASTLE_RIGHTS], en_passant[SQUARES];
} zobrist;

static uint8_t castle_rights_at[SQUARES]; /* the rights that end when something moves from or to it */

static inline Bitboard occupied(const Position *p) { return p->sides[0] | p->sides[1]; }
static inline Bitboard pieces_of(const Position *p, int side, Kind kind)
{
    return p->sides[side] & p->kinds[kind];
}

/* False while the king of a side is still to be placed. */
static inline bool has_king(const Position *p, int side) { return !HAS_SETUP || p->king[side] != NO_SQUARE; }

static inline bool has_both_kings(const Position *p) { return has_king(p, SIDE_WHITE) && has_king(p, SIDE_BLACK); }

/* What a piece adds to the sums for where it stands to both kings; nothing until both are there. */
static inline Pair near_value(const Position *p, int piece, int square)
{
    if (!has_both_kings(p))
        return 0;
    return p->values->near[SIDE_WHITE][piece][square_offset(square, p->king[SIDE_WHITE])] +
           p->values->near[SIDE_BLACK][piece][square_offset(square, p->king[SIDE_BLACK])];
}

/* What all pieces add for where they stand to one king. */
static Pair near_king_values(const Position *p, int side)
{
    Pair sum = 0;
    for (Bitboard pieces = occupied(p); pieces;) {
        int square = pop_lowest(&pieces);
        sum += p->values->near[side][p->board[square]][square_offset(square, p->king[side])];
    }
    return sum;
}

/* Notes that a king stands elsewhere, or that it has been placed. */
static inline void place_king(Position *p, int side, int square, const bool tracked)
{
    const bool is_new = !has_king(p, side);
    if (tracked && p->values && !is_new && has_both_kings(p))
        p->value -= near_king_values(p, side);
    p->king[side] = (uint8_t)square;
    if (tracked && p->values && has_both_kings(p))
        p->value += near_king_values(p, side) + (is_new ? near_king_values(p, !side) : 0);
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
            p->value += p->values->board[piece][square] + near_value(p, piece, square);
    }
}

static inline void take_piece(Position *p, int piece, int square, const bool tracked)
{
    flip_bits(p, piece, square);
    p->board[square] = NO_PIECE;
    if (tracked) {
        p->key ^= zobrist.board[piece][square];
        if (p->values)
            p->value -= p->values->board[piece][square] + near_value(p, piece, square);
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

/* Rights and e.p. square are few enough to keep the key even where nothing else is tracked. */
static inline void set_castling(Position *p, int rights)
{
    p->key ^= zobrist.castling[p->castling] ^ zobrist.castling[rights];
    p->castling = (uint8_t)rights;
}

static inline void set_en_passant(Position *p, int square)
{
    if (p->en_passant != NO_SQUARE)
        p->key ^= zobrist.en_passant[p->en_passant];
    if (square != NO_SQUARE)
        p->key ^= zobrist.en_passant[square];
    p->en_passant = (uint8_t)square;
}

/* Records the square that a pawn of `side` has stepped over, if an enemy pawn stands ready. */
static inline void note_double_step(Position *p, int square, int side)
{
    if (tables.leaps[ATOM_FORWARD_DIAGONAL][side][square] & p->sides[!side] & p->kinds[PAWN])
        set_en_passant(p, square);
}

static inline void move_castling_rook(Position *p, int side, bool is_long, const bool tracked)
{
    take_piece(p, PIECE(ROOK, side), castle_rook_from(side, is_long), tracked);
    put_piece(p, PIECE(ROOK, side), castle_rook_to(side, is_long), tracked);
}

/* True while a side has pieces to place. */
static inline bool has_placements(const Position *p, int side)
{
    if (!HAS_SETUP)
        return false;
    int held = 0;
    for (int kind = 0; kind < HAND_KINDS; kind++)
        held += p->hand[side][kind];
    return held != 0;
}

/* True if the side that plays a move plays the next one too: it has more pieces to place. */
static inline bool keeps_turn(const Position *p, Move move)
{
    if (SETUP_PHASE != SETUP_IN_TURN || !move_is_drop(move))
        return false;
    int held = 0;
    for (int kind = 0; kind < HAND_KINDS; kind++)
        held += p->hand[p->side][kind];
    return held > 1;
}

/* Who is to move after a move of `side`, and the number of that move. */
static inline void pass_turn(Position *p, int side)
{
    if (SETUP_PHASE == SETUP_IN_TURN && move_is_drop(p->undo[-1].move)) {
        p->side = (uint8_t)(has_placements(p, side) ? side : !side);
        return;
    }
    p->fullmove += side;
    p->side = (uint8_t)!side;
}

/* The count against a lone king, as the rules of the variant have it; 0 = none begins. */
static int count_that_begins(const Position *p, int bare);

/* After a move: a running count goes on and nothing stops it; else one may begin. */
static inline void follow_count(Position *p, const Undo *undo)
{
    if (p->count_limit) {
        p->clock = (uint16_t)(undo->clock + 1);
        return;
    }
    int limit = count_that_begins(p, !SIDE_OF(undo->moved));
    if (limit) {
        p->count_limit = (uint8_t)limit;
        p->clock = 0;
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
    undo->castling = p->castling;
    undo->en_passant = p->en_passant;
    undo->count_limit = p->count_limit;
    if (HAS_DOUBLE_STEP)
        set_en_passant(p, NO_SQUARE);
    if (move_is_drop(move)) {
        Kind kind = move_drop_kind(move);
        undo->moved = PIECE(kind, side);
        change_hand(p, side, (int)kind, -1, tracked);
        put_piece(p, PIECE(kind, side), to, tracked);
        if (HAS_SETUP && kind == KING)
            place_king(p, side, to, tracked);
        p->clock = 0;
    } else {
        int from = move_from(move), moved = p->board[from];
        int captured = PROMOTION_STYLE == PROMOTE_AS_MOVE && from == to ? NO_PIECE : p->board[to];
        Kind kind = KIND_OF(moved);
        int captured_on = to;
        if (HAS_DOUBLE_STEP && kind == PAWN && to == undo->en_passant) {
            captured_on = to + (side ? BOARD_FILES : -BOARD_FILES);
            captured = p->board[captured_on];
        }
        undo->moved = (uint8_t)moved;
        undo->captured = (uint8_t)captured;
        if (captured != NO_PIECE) {
            take_piece(p, captured, captured_on, tracked);
            if (CAPTURES_GO_TO_HAND)
                change_hand(p, side, kind_base[KIND_OF(captured)], 1, tracked);
            p->clock = 0;
        }
        take_piece(p, moved, from, tracked);
        if (move_promotes(move)) {
            put_piece(p, PIECE(promoted_kind(kind, move), side), to, tracked);
            p->clock = 0;
        } else {
            put_piece(p, moved, to, tracked);
            if (kind == KING)
                place_king(p, side, to, tracked);
            if (CLOCK_RESET_BY_PAWN && kind == PAWN)
                p->clock = 0;
            if (is_castling(kind, from, to))
                move_castling_rook(p, side, to < from, tracked);
            if (HAS_DOUBLE_STEP && kind == PAWN && (to - from == 2 * BOARD_FILES || from - to == 2 * BOARD_FILES))
                note_double_step(p, (from + to) / 2, side);
        }
        if (HAS_CASTLING && p->castling)
            set_castling(p, p->castling & ~(castle_rights_at[from] | castle_rights_at[to]));
    }
    if (HAS_COUNTING)
        follow_count(p, undo);
    pass_turn(p, side);
    if (tracked) {
        if (p->side != side)
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
    int side = SETUP_PHASE == SETUP_IN_TURN ? (int)SIDE_OF(undo->moved) : !p->side, to = move_to(move);
    if (!(SETUP_PHASE == SETUP_IN_TURN && move_is_drop(move)))
        p->fullmove -= side;
    p->side = (uint8_t)side;
    p->clock = undo->clock;
    p->count_limit = undo->count_limit;
    if (move_is_drop(move)) {
        take_piece(p, undo->moved, to, false);
        change_hand(p, side, (int)move_drop_kind(move), 1, false);
        if (HAS_SETUP && move_drop_kind(move) == KING)
            p->king[side] = NO_SQUARE;
    } else {
        int from = move_from(move);
        take_piece(p, p->board[to], to, false);
        put_piece(p, undo->moved, from, false);
        if (KIND_OF(undo->moved) == KING)
            p->king[side] = (uint8_t)from;
        if (undo->captured != NO_PIECE) {
            bool en_passant = HAS_DOUBLE_STEP && KIND_OF(undo->moved) == PAWN && to == undo->en_passant;
            put_piece(p, undo->captured, en_passant ? to + (side ? BOARD_FILES : -BOARD_FILES) : to, false);
            if (CAPTURES_GO_TO_HAND)
                change_hand(p, side, kind_base[KIND_OF(undo->captured)], -1, false);
        }
        if (is_castling(KIND_OF(undo->moved), from, to)) {
            bool is_long = to < from;
            take_piece(p, PIECE(ROOK, side), castle_rook_to(side, is_long), false);
            put_piece(p, PIECE(ROOK, side), castle_rook_from(side, is_long), false);
        }
    }
    p->castling = undo->castling;
    p->en_passant = undo->en_passant;
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
    undo->castling = p->castling;
    undo->en_passant = p->en_passant;
    if (HAS_DOUBLE_STEP)
        set_en_passant(p, NO_SQUARE);
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
    p->en_passant = undo->en_passant;
    p->key = undo->key;
}

/* The part of key_after that castling rights, the castling rook and the e.p. square make up. */
static inline uint64_t key_change_of_rights(const Position *p, int side, Kind kind, int from, int to)
{
    uint64_t change = 0;
    if (HAS_CASTLING && p->castling) {
        int rights = p->castling & ~(castle_rights_at[from] | castle_rights_at[to]);
        change ^= zobrist.castling[p->castling] ^ zobrist.castling[rights];
        if (is_castling(kind, from, to))
            change ^= zobrist.board[PIECE(ROOK, side)][castle_rook_from(side, to < from)] ^
                      zobrist.board[PIECE(ROOK, side)][castle_rook_to(side, to < from)];
    }
    if (HAS_DOUBLE_STEP && kind == PAWN && (to - from == 2 * BOARD_FILES || from - to == 2 * BOARD_FILES) &&
        (tables.leaps[ATOM_FORWARD_DIAGONAL][side][(from + to) / 2] & p->sides[!side] & p->kinds[PAWN]))
        change ^= zobrist.en_passant[(from + to) / 2];
    return change;
}

/* The key after a legal move, without making it. */
static inline uint64_t key_after(const Position *p, Move move)
{
    int side = p->side, to = move_to(move);
    uint64_t key = p->key ^ (keeps_turn(p, move) ? 0 : zobrist.black_to_move);
    if (HAS_DOUBLE_STEP && p->en_passant != NO_SQUARE)
        key ^= zobrist.en_passant[p->en_passant];
    if (move_is_drop(move)) {
        int kind = (int)move_drop_kind(move), held = p->hand[side][kind];
        return key ^ zobrist.hand[side][kind][held] ^ zobrist.hand[side][kind][held - 1] ^
               zobrist.board[PIECE(kind, side)][to];
    }
    int from = move_from(move), moved = p->board[from], captured_on = to;
    Kind kind = KIND_OF(moved);
    if (HAS_DOUBLE_STEP && kind == PAWN && to == p->en_passant)
        captured_on = to + (side ? BOARD_FILES : -BOARD_FILES);
    int captured = PROMOTION_STYLE == PROMOTE_AS_MOVE && from == to ? NO_PIECE : p->board[captured_on];
    if (captured != NO_PIECE) {
        key ^= zobrist.board[captured][captured_on];
        if (CAPTURES_GO_TO_HAND) {
            int base = kind_base[KIND_OF(captured)], held = p->hand[side][base];
            key ^= zobrist.hand[side][base][held] ^ zobrist.hand[side][base][held + 1];
        }
    }
    if (HAS_CASTLING || HAS_DOUBLE_STEP)
        key ^= key_change_of_rights(p, side, kind, from, to);
    int placed = move_promotes(move) ? PIECE(promoted_kind(kind, move), side) : moved;
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

/* The piece that a move captures, NO_PIECE if none. */
static inline int victim_of(const Position *p, Move move)
{
    if (move_is_drop(move))
        return NO_PIECE;
    int from = move_from(move), to = move_to(move);
    if (HAS_DOUBLE_STEP && to == p->en_passant && KIND_OF(p->board[from]) == PAWN)
        return PIECE(PAWN, !p->side);
    return PROMOTION_STYLE == PROMOTE_AS_MOVE && from == to ? NO_PIECE : p->board[to];
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

/* The pieces of both sides that would reach a square by a slide if nothing stood between. */
static inline Bitboard sliders_towards(const Position *p, int square)
{
    Bitboard sliders = (tables.rook_lines[square] & p->atoms[ATOM_SLIDE_ROOK]) |
                       (tables.bishop_lines[square] & p->atoms[ATOM_SLIDE_BISHOP]);
    if (SHORT_SLIDE_RANGE > 0)
        sliders |= (tables.short_rook_lines[square] & p->atoms[ATOM_SHORT_ROOK]) |
                   (tables.short_bishop_lines[square] & p->atoms[ATOM_SHORT_BISHOP]);
    return sliders;
}

/* True if `by` attacks the square; cheaper than asking who does. */
static inline bool is_attacked(const Position *p, int square, int by, Bitboard occupation)
{
    Bitboard leapers = 0;
#define LEAPERS_WITH_ATOM(atom)                                                                    \
    if ((CAPTURE_ATOMS & ~ALL_SLIDES) >> atom & 1)                                                 \
        leapers |= tables.leaps[atom][!by][square] & p->atoms[atom];
    LEAPERS_WITH_ATOM(ATOM_FORWARD)
    LEAPERS_WITH_ATOM(ATOM_FORWARD_DIAGONAL)
    LEAPERS_WITH_ATOM(ATOM_STEP_ROOK)
    LEAPERS_WITH_ATOM(ATOM_STEP_BISHOP)
    LEAPERS_WITH_ATOM(ATOM_LEAP_KNIGHT)
    LEAPERS_WITH_ATOM(ATOM_LEAP_TWO_ROOK)
    LEAPERS_WITH_ATOM(ATOM_LEAP_TWO_BISHOP)
#undef LEAPERS_WITH_ATOM
    if (leapers & p->sides[by])
        return true;
    Bitboard sliders = sliders_towards(p, square) & p->sides[by];
    while (sliders)
        if (!(tables.between[square][pop_lowest(&sliders)] & occupation))
            return true;
    return false;
}

static inline Bitboard checkers_of(const Position *p)
{
    return has_king(p, p->side) ? attackers_of(p, p->king[p->side], !p->side, occupied(p)) : 0;
}

static inline bool in_check(const Position *p)
{
    return has_king(p, p->side) && is_attacked(p, p->king[p->side], !p->side, occupied(p));
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
    for (int side = 0; side < 2 && HAS_CASTLING; side++)
        for (int is_long = 0; is_long < 2; is_long++) {
            castle_rights_at[castle_home(side, KING_FILE)] |= (uint8_t)castle_right(side, is_long);
            castle_rights_at[castle_rook_from(side, is_long)] |= (uint8_t)castle_right(side, is_long);
        }
}

/* Makes `values` the tables that are summed, and sums them afresh. */
static void position_set_values(Position *p, const PieceValues *values)
{
    p->values = values;
    p->value = 0;
    for (int square = 0; square < SQUARES; square++)
        if (p->board[square] != NO_PIECE)
            p->value += values->board[p->board[square]][square] + near_value(p, p->board[square], square);
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
    if (HAS_CASTLING)
        p->key ^= zobrist.castling[p->castling];
    if (HAS_DOUBLE_STEP && p->en_passant != NO_SQUARE)
        p->key ^= zobrist.en_passant[p->en_passant];
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
    p->en_passant = NO_SQUARE;
    p->fullmove = 1;
}
