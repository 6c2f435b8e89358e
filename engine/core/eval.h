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
    GUARD_COUNTS = 9, /* own pieces next to a king                 */
    SAFE_STEPS = 4    /* safe squares ahead of a king: 0 .. 3      */
};
_Static_assert(KING == KINDS - 1, "the king is the last kind");

static const char *const ring_hand_names[RING_HANDS] = {"HAND_0", "HAND_1", "HAND_2", "HAND_3_4", "HAND_5_UP"};
enum { HAND_0, HAND_1, HAND_2, HAND_3_4, HAND_5_UP };

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
 *   king_guard            own pieces next to the own king
 *   own_king_distance     by king moves from a piece to the own king
 *   enemy_king_distance   the same to the enemy king
 *   hanging               an enemy piece that is attacked and not defended
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
    X(king_guard, 1, 1, GUARD_COUNTS, [GUARD_COUNTS], NULL, 0)                                     \
    X(own_king_distance, ARMY, 1, DISTANCES, [ARMY][DISTANCES], kind_name, 0)                      \
    X(enemy_king_distance, ARMY, 1, DISTANCES, [ARMY][DISTANCES], kind_name, 0)                    \
    X(hanging, ARMY, 1, 1, [ARMY], kind_name, 0)                                                   \
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
        for (int own = 1; own <= DISTANCES; own++)
            for (int enemy = 1; enemy <= DISTANCES; enemy++) {
                Pair value = out->weights[TERM(own_king_distance) + (size_t)(kind * DISTANCES + own - 1)] +
                             out->weights[TERM(enemy_king_distance) + (size_t)(kind * DISTANCES + enemy - 1)];
                out->values.near[PIECE(kind, SIDE_WHITE)][own][enemy] = value;
                out->values.near[PIECE(kind, SIDE_BLACK)][enemy][own] = -value;
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
        if (kind != KING && has_king(p, SIDE_WHITE) && has_king(p, SIDE_BLACK)) {
            size_t own = tables.distance[square][p->king[side]], enemy = tables.distance[square][p->king[!side]];
            eval_add(sink, TERM(own_king_distance) + kind * DISTANCES + own - 1, sign, true);
            eval_add(sink, TERM(enemy_king_distance) + kind * DISTANCES + enemy - 1, sign, true);
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

/*
 * All terms but the sums. Attack maps of both sides first, kind by kind, so that each kind's
 * attack function is a constant; then the terms that need both maps.
 */
static inline __attribute__((always_inline)) void eval_walk(const Position *p, EvalSink *sink, const bool tracing)
{
    if (!has_king(p, SIDE_WHITE) || !has_king(p, SIDE_BLACK))
        return;
    Bitboard all = occupied(p), reached[2] = {0, 0}, held[2];
    Bitboard ring[2] = {tables.king_steps[p->king[0]], tables.king_steps[p->king[1]]};

    for (int side = 0; side < 2; side++) {
        reached[side] = ring[side];
        held[side] = 0;
    }
#define WALK_KIND(kind, text, alias, captures, quiets, promoted, base)                             \
    if (kind != KING && attacks_ahead(kind))                                                       \
        for (int side = 0; side < 2; side++)                                                       \
            held[side] |= eval_attacks_ahead(p, sink, kind, side, ring[!side], tracing);           \
    if (kind != KING && !attacks_ahead(kind))                                                      \
        for (Bitboard pieces = p->kinds[kind]; pieces;) {                                          \
            int square = pop_lowest(&pieces), side = (int)SIDE_OF(p->board[square]);               \
            int sign = side ? -1 : 1;                                                              \
            Bitboard attacks = kind_attacks(kind, side, square, all);                              \
            held[side] |= attacks;                                                                 \
            eval_add(sink, TERM(mobility) + kind, sign * count_bits(attacks & ~p->sides[side]), tracing); \
            eval_add(sink, TERM(ring_attack) + kind, sign * count_bits(attacks & ring[!side]), tracing); \
        }
    PIECES(WALK_KIND)
#undef WALK_KIND
    for (int side = 0; side < 2; side++)
        reached[side] |= held[side];

    for (int side = 0; side < 2; side++) {
        int sign = side ? -1 : 1, king = p->king[side], enemy_king = p->king[!side];
        Bitboard own = p->sides[side], enemy = p->sides[!side];
        int in_hand = 0;
        for (int kind = 0; kind < HAND_KINDS; kind++)
            in_hand += p->hand[side][kind];

        int pressure = count_bits((ring[!side] | BIT(enemy_king)) & held[side] & ~held[!side]);
        eval_add(sink, TERM(ring_pressure) + ring_hand_class(in_hand) * RING_COUNTS + (size_t)pressure, sign, tracing);
        eval_add(sink, TERM(king_guard) + (size_t)count_bits(ring[side] & own), sign, tracing);

        for (Bitboard hanging = enemy & held[side] & ~reached[!side]; hanging;)
            eval_add(sink, TERM(hanging) + (size_t)KIND_OF(p->board[pop_lowest(&hanging)]), sign, tracing);

        if (HAS_HANDS && in_hand) {
            Bitboard safe = ~all & ~reached[!side];
            Bitboard knight = tables.leaps[ATOM_LEAP_KNIGHT][side][enemy_king] & safe;
            Bitboard straight = rook_attacks(enemy_king, all) & safe, diagonal = bishop_attacks(enemy_king, all) & safe;
            for (int kind = 0; kind < HAND_KINDS; kind++) {
                if (!p->hand[side][kind])
                    continue;
                uint32_t atoms = kind_captures[kind];
                Bitboard checks = (atoms & LEAP_KNIGHT ? knight : 0) | (atoms & SLIDE_ROOK ? straight : 0) |
                                  (atoms & SLIDE_BISHOP ? diagonal : 0);
                eval_add(sink, TERM(drop_check) + (size_t)kind, sign * count_bits(checks), tracing);
            }
        }
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

static int game_evaluate(Game *game, const Weight *flat)
{
    const EvalTables *eval = &default_tables;
    EvalTables *own = NULL;
    if (flat) {
        own = malloc(sizeof *own);
        if (!own)
            return 0;
        eval_prepare(own, flat);
        eval = own;
    }
    Position p = game->position;
    position_set_values(&p, &eval->values);
    int score = evaluate_white(&p, eval);
    free(own);
    return score;
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
