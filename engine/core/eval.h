/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * eval.h - the static evaluation: linear in its weights and tapered between middlegame and endgame.
 *
 * EVAL_TERMS is the one list of terms; it makes the struct that the generated header fills, the
 * flat array that the tuner fits and the names that are printed. One body, eval_walk, either adds
 * weights or notes coefficients, so the trace cannot differ from the evaluation.
 */
#pragma once

#include "core/game.h"

enum {
    ARMY = KINDS - 1, /* all kinds but the king, which is the last */
    HAND_STEPS = 8,   /* counts in hand that are told apart        */
    RING_COUNTS = 10, /* attacked squares next to a king: 0 .. 9   */
    RING_HANDS = 5,   /* classes of the attacker's hand            */
    RING_PIECES = 8,  /* pieces that reach next to a king: 0 .. 7  */
    ESCAPES = 9,      /* squares that a king can step to: 0 .. 8   */
    GUARD_COUNTS = 9, /* own pieces next to a king                 */
    AHEAD_MOST = 6,   /* ranks ahead of a king that are told apart */
    OFFSET_ROWS = 2 * AHEAD_MOST + 1,
    OFFSET_FILES = 6, /* files aside of a king: 0 .. 5             */
    LINE_HANDS = 12,  /* ways to check from afar, by hand: 3 * 4   */
    LINE_SQUARES = 12, /* squares to check from: 0 .. 11           */
    SAFE_STEPS = 4    /* safe squares ahead of a king: 0 .. 3      */
};
_Static_assert(KING == KINDS - 1, "the king is the last kind");

static const char *const ring_hand_names[RING_HANDS] = {"HAND_0", "HAND_1", "HAND_2", "HAND_3_4", "HAND_5_UP"};
enum { HAND_0, HAND_1, HAND_2, HAND_3_4, HAND_5_UP };

/* How a dropped piece can check from afar, by how many such pieces are in hand. */
static const char *const line_hand_names[LINE_HANDS] = {
    "STRAIGHT_0", "STRAIGHT_1", "STRAIGHT_2", "STRAIGHT_3_UP", "DIAGONAL_0", "DIAGONAL_1",
    "DIAGONAL_2", "DIAGONAL_3_UP", "LEAP_0", "LEAP_1", "LEAP_2", "LEAP_3_UP"};
enum {
    STRAIGHT_0, STRAIGHT_1, STRAIGHT_2, STRAIGHT_3_UP, DIAGONAL_0, DIAGONAL_1, DIAGONAL_2, DIAGONAL_3_UP,
    LEAP_0, LEAP_1, LEAP_2, LEAP_3_UP,
    LINE_HAND_MAX = 3 /* more in hand count as so many */
};

/*
 * X(name, items, rows, columns, shape, names of the items, rows are ranks)
 *
 *   material              a piece on the board
 *   piece_square          by the square as its owner sees it; first row = the owner's last rank
 *   hand                  of having exactly 1, 2, ... of a kind in hand (the last: or more)
 *   tempo                 to be on move
 *   mobility              each square that a piece reaches and no own piece stands on
 *   ring_attack           each square next to the enemy king that a piece reaches
 *   ring_pressure         by hand of the attacker and number of squares next to the enemy king
 *                         (its own included) that the attacker reaches and the king does not hold
 *   ring_attackers        by hand of the attacker and number of its pieces that reach such squares,
 *                         those aside that only attack ahead
 *   king_guard            by hand of the enemy, own pieces next to the own king
 *   king_escape           by hand of the enemy, squares that the own king can step to
 *   king_lines            by what the enemy has in hand, empty squares on the lines to the own king (or
 *                         a knight's leap away), whether they are safe or not
 *   own_king_offset       a piece, by where it stands seen from the own king: rows = ranks ahead, from 6 or
 *                         more to 6 or more behind; columns = files aside on either side, the last: or more
 *   enemy_king_offset     the same from the enemy king, ahead as the piece's owner sees it
 *   hanging               an enemy piece that is attacked and not defended
 *   attacked              an enemy piece that is attacked, and defended
 *   pawn_threat           an enemy piece that a pawn attacks
 *   loose                 an own piece that no own piece defends
 *   drop_check            squares where a kind in hand can be dropped with check and not be taken
 *   king_path             by the king's rank and the squares ahead of it that the enemy does not hold
 */
#define EVAL_TERMS(X)                                                                              \
    X(material, ARMY, 1, 1, [ARMY], kind_name, 0)                                                  \
    X(piece_square, KINDS, BOARD_RANKS, BOARD_FILES, [KINDS][BOARD_RANKS][BOARD_FILES], kind_name, 1) \
    X(hand, HAND_KINDS, 1, HAND_STEPS, [HAND_KINDS][HAND_STEPS], kind_name, 0)                     \
    X(tempo, 1, 1, 1, , NULL, 0)                                                                   \
    X(mobility, ARMY, 1, 1, [ARMY], kind_name, 0)                                                  \
    X(ring_attack, ARMY, 1, 1, [ARMY], kind_name, 0)                                               \
    X(ring_pressure, RING_HANDS, 1, RING_COUNTS, [RING_HANDS][RING_COUNTS], ring_hand_names, 0)    \
    X(ring_attackers, RING_HANDS, 1, RING_PIECES, [RING_HANDS][RING_PIECES], ring_hand_names, 0)   \
    X(king_guard, RING_HANDS, 1, GUARD_COUNTS, [RING_HANDS][GUARD_COUNTS], ring_hand_names, 0)     \
    X(king_escape, RING_HANDS, 1, ESCAPES, [RING_HANDS][ESCAPES], ring_hand_names, 0)              \
    X(king_lines, LINE_HANDS, 1, LINE_SQUARES, [LINE_HANDS][LINE_SQUARES], line_hand_names, 0)     \
    X(own_king_offset, ARMY, OFFSET_ROWS, OFFSET_FILES, [ARMY][OFFSET_ROWS][OFFSET_FILES], kind_name, 0) \
    X(enemy_king_offset, ARMY, OFFSET_ROWS, OFFSET_FILES, [ARMY][OFFSET_ROWS][OFFSET_FILES], kind_name, 0) \
    X(hanging, ARMY, 1, 1, [ARMY], kind_name, 0)                                                   \
    X(attacked, ARMY, 1, 1, [ARMY], kind_name, 0)                                                  \
    X(pawn_threat, ARMY, 1, 1, [ARMY], kind_name, 0)                                               \
    X(loose, ARMY, 1, 1, [ARMY], kind_name, 0)                                                     \
    X(drop_check, HAND_KINDS, 1, 1, [HAND_KINDS], kind_name, 0)                                    \
    X(king_path, 1, BOARD_RANKS, SAFE_STEPS, [BOARD_RANKS][SAFE_STEPS], NULL, 0)

typedef struct EvalWeights {
#define TERM_MEMBER(name, items, rows, columns, shape, names, board) Weight name shape;
    EVAL_TERMS(TERM_MEMBER)
#undef TERM_MEMBER
} EvalWeights;

#define S(middlegame, endgame) {(middlegame), (endgame)}
#include WEIGHTS_HEADER

/* What a search with the weights scores against how its games end, in thousandths: the chance to
 * win is 1 / (1 + 10^(-slope * centipawns / 400)). For headers that do not say it. */
#ifndef WEIGHTS_SCORE_SLOPE
#define WEIGHTS_SCORE_SLOPE 400
#endif
#undef S

/* TERM(mobility): index of the first weight of a term in the flat array. */
#define TERM(name) (offsetof(EvalWeights, name) / sizeof(Weight))
enum { WEIGHT_COUNT = sizeof(EvalWeights) / sizeof(Weight) };

#define TERM_GROUP(name, items, rows, columns, shape, names, board)                                \
    {#name, (int)TERM(name), items, rows, columns, names, board},
static const TermGroup term_groups[] = {EVAL_TERMS(TERM_GROUP)};
enum { TERM_GROUP_COUNT = sizeof term_groups / sizeof term_groups[0] };

/* Weights in the form that the search uses; derived from flat weights by eval_prepare. */
typedef struct EvalTables {
    Pair weights[WEIGHT_COUNT];
    PieceValues values;
    int exchange[KINDS + 1];       /* centipawns that a capture of a kind swings, for SEE; last 0 */
    int order[KINDS + 1];          /* the same on the scale of EXCHANGE_MEAN, for move ordering   */
    int unit;                      /* scale of these weights: MARGIN_ONE where the mean exchange
                                      is EXCHANGE_MEAN                                            */
    uint8_t by_exchange[KINDS];    /* kinds in ascending order of that, the king last             */
} EvalTables;

/* The square's place in a board table, as the piece's owner sees it. */
static inline int table_square(int side, int square)
{
    int own = side ? turned_square(square) : square;
    return (BOARD_RANKS - 1 - rank_of_square(own)) * BOARD_FILES + file_of(own);
}

/* The place in an offset table of a square so many ranks and files from a king, as the owner of the
 * piece there sees it. */
static inline size_t table_offset(int side, int ranks, int files)
{
    int ahead = side ? -ranks : ranks, aside = files < 0 ? -files : files;
    ahead = ahead > AHEAD_MOST ? AHEAD_MOST : ahead < -AHEAD_MOST ? -AHEAD_MOST : ahead;
    aside = aside < OFFSET_FILES ? aside : OFFSET_FILES - 1;
    return (size_t)((AHEAD_MOST - ahead) * OFFSET_FILES + aside);
}

static inline int hand_step(int count) { return (count < HAND_STEPS ? count : HAND_STEPS) - 1; }

/* 1 where a pawn could stand, and everything else. */
static uint8_t weight_exists[WEIGHT_COUNT];

static void weight_exists_fill(void)
{
    memset(weight_exists, 1, sizeof weight_exists);
    const size_t forbidden = PAWN_FORBIDDEN_RANKS * BOARD_FILES;
    memset(weight_exists + TERM(piece_square) + PAWN * SQUARES, 0, forbidden);
    for (size_t kind = 0; kind < KINDS; kind++)
        for (int square = 0; square < SQUARES; square++)
            if (!(tables.live >> square & 1))
                weight_exists[TERM(piece_square) + kind * SQUARES + (size_t)table_square(SIDE_WHITE, square)] = 0;
}

enum { EXCHANGE_EQUAL = 100, EXCHANGE_KING = 30000, EXCHANGE_MEAN = 1200, EXCHANGE_LEAST_SHARE = 24, MARGIN_ONE = 256 };

/* What capturing each kind is worth in an exchange: the piece itself and what it is in hand; never
 * less than a small share of the mean. All equal while the weights know no values. */
static void eval_prepare_exchange(EvalTables *out, const Weight *flat)
{
    const EvalWeights *given = (const EvalWeights *)(const void *)flat;
    bool known = false;
    int sum = 0;
    for (int kind = 0; kind < ARMY; kind++)
        known = known || given->material[kind].middlegame || given->material[kind].endgame;
    for (int kind = 0; kind < ARMY; kind++) {
        int value = (given->material[kind].middlegame + given->material[kind].endgame) / 2;
        if (CAPTURES_GO_TO_HAND) {
            const Weight *held = given->hand[kind_base[kind]];
            value += (held[0].middlegame + held[0].endgame) / 2;
        }
        out->exchange[kind] = !known ? EXCHANGE_EQUAL : value;
        sum += value > 0 && known ? value : known ? 0 : EXCHANGE_EQUAL;
    }
    int mean = sum / ARMY > 1 ? sum / ARMY : 1, least = mean / EXCHANGE_LEAST_SHARE + 1;
    for (int kind = 0; kind < ARMY; kind++) {
        if (out->exchange[kind] < least)
            out->exchange[kind] = least;
        out->order[kind] = out->exchange[kind] * EXCHANGE_MEAN / mean;
    }
    out->unit = mean * MARGIN_ONE / EXCHANGE_MEAN > 1 ? mean * MARGIN_ONE / EXCHANGE_MEAN : 1;
    out->order[KING] = EXCHANGE_KING;
    out->order[NO_KIND] = 0;
    out->exchange[KING] = EXCHANGE_KING;
    out->exchange[NO_KIND] = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        int place = kind;
        for (; place > 0 && out->exchange[out->by_exchange[place - 1]] > out->exchange[kind]; place--)
            out->by_exchange[place] = out->by_exchange[place - 1];
        out->by_exchange[place] = (uint8_t)kind;
    }
}

/* Fills the tables from flat weights [WEIGHT_COUNT]. */
static void eval_prepare(EvalTables *out, const Weight *flat)
{
    for (size_t i = 0; i < WEIGHT_COUNT; i++)
        out->weights[i] = PAIR(flat[i].middlegame, flat[i].endgame);
    for (int kind = 0; kind < KINDS; kind++)
        for (int side = 0; side < 2; side++)
            for (int square = 0; square < SQUARES; square++) {
                Pair value = out->weights[TERM(piece_square) + (size_t)(kind * SQUARES + table_square(side, square))];
                if (kind != KING)
                    value += out->weights[TERM(material) + (size_t)kind];
                out->values.board[PIECE(kind, side)][square] = side ? -value : value;
            }
    memset(out->values.near, 0, sizeof out->values.near);
    for (int kind = 0; kind < ARMY; kind++)
        for (int side = 0; side < 2; side++)
            for (int ranks = 1 - BOARD_RANKS; ranks < BOARD_RANKS; ranks++)
                for (int files = 1 - BOARD_FILES; files < BOARD_FILES; files++) {
                    size_t place = (size_t)kind * OFFSET_ROWS * OFFSET_FILES + table_offset(side, ranks, files);
                    Pair own = out->weights[TERM(own_king_offset) + place], enemy = out->weights[TERM(enemy_king_offset) + place];
                    int offset = OFFSET_NONE + ranks * OFFSET_RANK + files;
                    out->values.near[side][PIECE(kind, side)][offset] = side ? -own : own;
                    out->values.near[!side][PIECE(kind, side)][offset] = side ? -enemy : enemy;
                }
    for (int kind = 0; kind < HAND_KINDS; kind++)
        for (int side = 0; side < 2; side++) {
            out->values.hand[side][kind][0] = 0;
            for (int count = 1; count <= MAX_PIECES; count++) {
                Pair value = out->weights[TERM(hand) + (size_t)(kind * HAND_STEPS + hand_step(count))];
                out->values.hand[side][kind][count] = side ? -value : value;
            }
        }
    eval_prepare_exchange(out, flat);
}

/* 0 .. PHASE_MAX by the pieces on the board; what is not there is in the hands or gone. */
static inline int eval_phase(const Position *p)
{
    int phase = (count_bits(occupied(p)) - PHASE_EMPTY_BOARD) * PHASE_MAX / (PHASE_FULL_BOARD - PHASE_EMPTY_BOARD);
    return phase < 0 ? 0 : phase > PHASE_MAX ? PHASE_MAX : phase;
}

static inline int eval_taper(Pair value, int phase)
{
    return (pair_middlegame(value) * phase + pair_endgame(value) * (PHASE_MAX - phase)) / PHASE_MAX;
}

/* Where the walk leaves its findings: a sum, or counts. */
typedef struct EvalSink {
    const Pair *weights;
    Pair sum;
    int16_t *counts; /* [WEIGHT_COUNT] when tracing */
} EvalSink;

static inline __attribute__((always_inline)) void eval_add(EvalSink *sink, size_t weight, int count, const bool tracing)
{
    if (tracing)
        sink->counts[weight] = (int16_t)(sink->counts[weight] + count);
    else
        sink->sum += sink->weights[weight] * count;
}

/* What is in the sums of the position, noted for the trace. */
static void trace_sums(const Position *p, EvalSink *sink)
{
    for (int square = 0; square < SQUARES; square++) {
        int piece = p->board[square];
        if (piece == NO_PIECE)
            continue;
        Kind kind = KIND_OF(piece);
        int side = (int)SIDE_OF(piece), sign = side ? -1 : 1;
        if (kind != KING)
            eval_add(sink, TERM(material) + kind, sign, true);
        for (int whose = 0; whose < 2 && kind != KING && has_both_kings(p); whose++) {
            int ranks = rank_of_square(square) - rank_of_square(p->king[whose]), files = file_of(square) - file_of(p->king[whose]);
            eval_add(sink, (whose == side ? TERM(own_king_offset) : TERM(enemy_king_offset)) +
                               kind * OFFSET_ROWS * OFFSET_FILES + table_offset(side, ranks, files), sign, true);
        }
        eval_add(sink, TERM(piece_square) + kind * SQUARES + (size_t)table_square(side, square), sign, true);
    }
    for (int side = 0; side < 2; side++)
        for (size_t kind = 0; kind < HAND_KINDS; kind++)
            if (p->hand[side][kind])
                eval_add(sink, TERM(hand) + kind * HAND_STEPS + (size_t)hand_step(p->hand[side][kind]), side ? -1 : 1, true);
}

static inline size_t ring_hand_class(int pieces_in_hand)
{
    return pieces_in_hand <= 2 ? (size_t)pieces_in_hand : pieces_in_hand <= 4 ? HAND_3_4 : HAND_5_UP;
}

/* True of kinds that only attack ahead: what all of a side attack is found at once. */
static inline bool attacks_ahead(Kind kind)
{
    return (kind_captures[kind] & ~(FORWARD | FORWARD_DIAGONAL)) == 0;
}

/* Adds what the pieces of such a kind reach by one of their steps, and returns it. */
static inline __attribute__((always_inline)) Bitboard
eval_reach_ahead(const Position *p, EvalSink *sink, Kind kind, int side, Bitboard attacks, Bitboard ring, const bool tracing)
{
    int sign = side ? -1 : 1;
    eval_add(sink, TERM(mobility) + kind, sign * count_bits(attacks & ~p->sides[side]), tracing);
    eval_add(sink, TERM(ring_attack) + kind, sign * count_bits(attacks & ring), tracing);
    return attacks;
}

static inline __attribute__((always_inline)) Bitboard
eval_attacks_ahead(const Position *p, EvalSink *sink, Kind kind, int side, Bitboard ring, const bool tracing)
{
    Bitboard pieces = pieces_of(p, side, kind), attacks = 0;
    if (kind_captures[kind] & FORWARD)
        attacks |= eval_reach_ahead(p, sink, kind, side, steps_ahead(pieces, side), ring, tracing);
    if (kind_captures[kind] & FORWARD_DIAGONAL) {
        attacks |= eval_reach_ahead(p, sink, kind, side, steps_ahead_west(pieces, side), ring, tracing);
        attacks |= eval_reach_ahead(p, sink, kind, side, steps_ahead_east(pieces, side), ring, tracing);
    }
    return attacks;
}

/* What a side has in hand, as far as the terms ask. */
typedef struct EvalHand {
    int pieces, lines[3]; /* all, and those that check straight, diagonally, by a leap: at most LINE_HAND_MAX */
} EvalHand;

static inline EvalHand eval_hand(const Position *p, int side)
{
    EvalHand hand = {0, {0, 0, 0}};
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        int count = p->hand[side][kind];
        hand.pieces += count;
        hand.lines[0] += kind_captures[kind] & SLIDE_ROOK ? count : 0;
        hand.lines[1] += kind_captures[kind] & SLIDE_BISHOP ? count : 0;
        hand.lines[2] += kind_captures[kind] & LEAP_KNIGHT ? count : 0;
    }
    for (int line = 0; line < 3; line++)
        hand.lines[line] = hand.lines[line] < LINE_HAND_MAX ? hand.lines[line] : LINE_HAND_MAX;
    return hand;
}

static inline __attribute__((always_inline)) void eval_line(EvalSink *sink, size_t row, Bitboard squares, int sign, const bool tracing)
{
    int count = count_bits(squares);
    eval_add(sink, TERM(king_lines) + row * LINE_SQUARES + (size_t)(count < LINE_SQUARES ? count : LINE_SQUARES - 1), sign, tracing);
}

/* Adds a weight for each piece of a set, by its kind. */
static inline __attribute__((always_inline)) void
eval_each(const Position *p, EvalSink *sink, size_t term, Bitboard pieces, int sign, const bool tracing)
{
    while (pieces)
        eval_add(sink, term + KIND_OF(p->board[pop_lowest(&pieces)]), sign, tracing);
}

/*
 * All terms but the sums. Attack maps of both sides first, kind by kind, so that each kind's
 * attack function is a constant; then the terms that need both maps.
 */
static inline __attribute__((always_inline)) void eval_walk(const Position *p, EvalSink *sink, const bool tracing)
{
    if (!has_both_kings(p))
        return;
    Bitboard all = occupied(p), reached[2] = {0, 0}, held[2], pawns[2] = {0, 0};
    int attackers[2] = {0, 0};
    Bitboard ring[2] = {tables.king_steps[p->king[0]], tables.king_steps[p->king[1]]};

    for (int side = 0; side < 2; side++) {
        reached[side] = ring[side];
        held[side] = 0;
    }
#define WALK_KIND(kind, text, alias, captures, quiets, promoted, base)                             \
    if (kind != KING && attacks_ahead(kind))                                                       \
        for (int side = 0; side < 2; side++) {                                                     \
            Bitboard attacks = eval_attacks_ahead(p, sink, kind, side, ring[!side], tracing);      \
            held[side] |= attacks;                                                                 \
            pawns[side] |= (kind) == PAWN ? attacks : 0;                                           \
        }                                                                                          \
    if (kind != KING && !attacks_ahead(kind))                                                      \
        for (Bitboard pieces = p->kinds[kind]; pieces;) {                                          \
            int square = pop_lowest(&pieces), side = (int)SIDE_OF(p->board[square]);               \
            int sign = side ? -1 : 1;                                                              \
            Bitboard attacks = kind_attacks(kind, side, square, all);                              \
            held[side] |= attacks;                                                                 \
            attackers[side] += (attacks & ring[!side]) != 0;                                       \
            eval_add(sink, TERM(mobility) + kind, sign * count_bits(attacks & ~p->sides[side]), tracing); \
            eval_add(sink, TERM(ring_attack) + kind, sign * count_bits(attacks & ring[!side]), tracing); \
        }
    PIECES(WALK_KIND)
#undef WALK_KIND
    for (int side = 0; side < 2; side++)
        reached[side] |= held[side];

    for (int side = 0; side < 2; side++) {
        const int sign = side ? -1 : 1, king = p->king[side], enemy_king = p->king[!side];
        const Bitboard own = p->sides[side], enemy = p->sides[!side];
        const EvalHand hand = eval_hand(p, side);
        const size_t hand_class = ring_hand_class(hand.pieces);

        /* The enemy king: what reaches its surroundings, and what a drop could do. */
        int pressure = count_bits((ring[!side] | BIT(enemy_king)) & held[side] & ~held[!side]);
        int reaching = attackers[side] < RING_PIECES ? attackers[side] : RING_PIECES - 1;
        eval_add(sink, TERM(ring_pressure) + hand_class * RING_COUNTS + (size_t)pressure, sign, tracing);
        eval_add(sink, TERM(ring_attackers) + hand_class * RING_PIECES + (size_t)reaching, sign, tracing);
        eval_add(sink, TERM(king_guard) + hand_class * GUARD_COUNTS + (size_t)count_bits(ring[!side] & enemy), -sign, tracing);
        eval_add(sink, TERM(king_escape) + hand_class * ESCAPES + (size_t)count_bits(ring[!side] & ~enemy & ~held[side]), -sign, tracing);
        const Bitboard straight = rook_attacks(enemy_king, all) & ~all, diagonal = bishop_attacks(enemy_king, all) & ~all;
        const Bitboard leap = tables.leaps[ATOM_LEAP_KNIGHT][side][enemy_king] & ~all;
        eval_line(sink, (size_t)(STRAIGHT_0 + hand.lines[0]), straight, -sign, tracing);
        eval_line(sink, (size_t)(DIAGONAL_0 + hand.lines[1]), diagonal, -sign, tracing);
        eval_line(sink, (size_t)(LEAP_0 + hand.lines[2]), leap, -sign, tracing);
        if (HAS_HANDS && hand.pieces) {
            const Bitboard safe = ~reached[!side];
            for (int kind = 0; kind < HAND_KINDS; kind++) {
                if (!p->hand[side][kind])
                    continue;
                uint32_t atoms = kind_captures[kind];
                Bitboard checks = (atoms & LEAP_KNIGHT ? leap : 0) | (atoms & SLIDE_ROOK ? straight : 0) |
                                  (atoms & SLIDE_BISHOP ? diagonal : 0);
                eval_add(sink, TERM(drop_check) + (size_t)kind, sign * count_bits(checks & safe), tracing);
            }
        }

        /* The enemy's pieces, and what the own ones leave alone. */
        const Bitboard prey = enemy & ~BIT(enemy_king);
        eval_each(p, sink, TERM(hanging), prey & held[side] & ~reached[!side], sign, tracing);
        eval_each(p, sink, TERM(attacked), prey & held[side] & reached[!side], sign, tracing);
        eval_each(p, sink, TERM(pawn_threat), prey & pawns[side], sign, tracing);
        eval_each(p, sink, TERM(loose), own & ~BIT(king) & ~reached[side], sign, tracing);

        int rank = relative_rank(side, king);
        Bitboard ahead = rank + 1 < BOARD_RANKS
                    ? ring[side] & tables.ranks[rank_of_square(king) + (side ? -1 : 1)] & ~own & ~reached[!side] : 0;
        eval_add(sink, TERM(king_path) + (size_t)((BOARD_RANKS - 1 - rank) * SAFE_STEPS + count_bits(ahead)), sign, tracing);
    }
    eval_add(sink, TERM(tempo), p->side ? -1 : 1, tracing);
}

/* Static evaluation of a position whose sums are of the same tables; White's view, centipawns. */
static int evaluate_white(const Position *p, const EvalTables *eval)
{
    EvalSink sink = {.weights = eval->weights, .sum = p->value};
    eval_walk(p, &sink, false);
    return eval_taper(sink.sum, eval_phase(p));
}

/* --- the calls of engine.h ------------------------------------------------------------------------ */

static EvalTables default_tables; /* of the compiled header, filled by core_init */

/* By weights of the caller's: the tables are on the stack, so that nothing can fail. */
static __attribute__((noinline)) int evaluate_by(Position *p, const Weight *flat)
{
    EvalTables own;
    eval_prepare(&own, flat);
    position_set_values(p, &own.values);
    return evaluate_white(p, &own);
}

static int game_evaluate(Game *game, const Weight *flat)
{
    Position p = game->position;
    if (flat)
        return evaluate_by(&p, flat);
    position_set_values(&p, &default_tables.values);
    return evaluate_white(&p, &default_tables);
}

static void game_trace(Game *game, Trace *trace)
{
    int16_t counts[WEIGHT_COUNT] = {0};
    EvalSink sink = {.counts = counts};
    trace_sums(&game->position, &sink);
    eval_walk(&game->position, &sink, true);
    trace->phase = eval_phase(&game->position);
    trace->count = 0;
    for (size_t i = 0; i < WEIGHT_COUNT; i++)
        if (counts[i])
            trace->entries[trace->count++] = (TraceEntry){(uint16_t)i, counts[i]};
}
