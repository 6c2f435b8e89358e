/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * order.h - how likely each legal move is, by a frozen measure: datasets code a move by its share
 * of it (data/FORMAT.md, "Shares of moves").
 *
 * A move's weight is 2^(sum / 16), where the sum adds one entry of a table for each of ORDER_TERMS:
 * what moves from where to where, what it takes, how both squares are attacked and guarded, how far
 * the kings are. The table (engine/orders/) is fitted to games once and then never changes: every
 * stored move depends on it. It knows nothing of the evaluation, nor of the order in which moves
 * are generated: moves ascend by origin (drops behind the squares, by kind), form and target.
 *
 * `order_terms` spells the sum out for one move; the shares are computed from the same terms put
 * together beforehand (OrderSums), a set of targets at a time.
 */
#pragma once

#include "core/ending.h"

/* X(name, entries): the table's parts. The indexes are spelt out in order_terms. */
#define ORDER_TERMS(X)                                                                             \
    X(TO, KINDS *SQUARES)            /* [kind][target, as the mover sees it]               */      \
    X(FROM, KINDS *SQUARES)          /* [kind][origin, as the mover sees it], board moves  */      \
    X(EXPOSURE, KINDS * 8)           /* [kind][origin attacked, guarded, attacked by a pawn] */    \
    X(SPOT, 3 * KINDS * 2 * 12)      /* [form][kind][captures][danger][guarded]            */      \
    X(CHECK, 3 * 2 * 2 * 2 * 6)      /* [form][checks][captures][near][hits][guarded]      */      \
    X(VICTIM, KINDS *KINDS * 6)      /* [kind][victim][hits][guarded]                      */      \
    X(ENEMY_KING, 2 * KINDS * 5)     /* [drop][kind][distance]                             */      \
    X(OWN_KING, 2 * KINDS * 5)                                                                     \
    X(LAST_TARGET, 2 * 5)            /* [drop][distance to the target of the last move]    */      \
    X(REPLY, 2 * KINDS * 6)          /* [last move captured][kind][hits][guarded], only on it */   \
    X(HANGING, 2 * 2 * 2 * 2)        /* [any piece hangs][this one][checks][captures]      */

#define ORDER_PART(name, entries) ORDER_##name##_BEGIN, ORDER_##name##_LAST = ORDER_##name##_BEGIN + (entries) - 1,
enum { ORDER_TERMS(ORDER_PART) ORDER_ENTRIES };
#undef ORDER_PART
#define ORDER_PART_NUMBER(name, entries) ORDER_NUMBER_##name,
enum { ORDER_TERMS(ORDER_PART_NUMBER) ORDER_PARTS };
#undef ORDER_PART_NUMBER

#include ORDER_HEADER /* static const int8_t order_table[ORDER_ENTRIES], in 1/16 bit */

_Static_assert((int)ORDER_PARTS <= (int)ENGINE_MAX_ORDER_TERMS, "the terms of a move fit their list");

enum {
    FORM_PLAIN,
    FORM_PROMOTION,
    FORM_DROP,
    FAR = 4,          /* distances end here                                             */
    SPOTS = 24,       /* code of a square: hits * 8 + by a pawn * 4 + guarded * 2 + near */
    PLACES = 125,     /* distances to both kings and to the last target                 */
    SQUARE_BYTES = (SQUARES + 7) / 8 * 8,
    ORDER_SUM_MAX = 127 * ORDER_PARTS
};

/* --- entries put together ------------------------------------------------------------------------ */

static struct {
    uint32_t weights[2 * ORDER_SUM_MAX + 1];     /* [sum + ORDER_SUM_MAX]                  */
    int16_t spot[3][KINDS][2][2][SPOTS];         /* [form][kind][checks][captures]         */
    int16_t place[2][KINDS][PLACES];             /* [drop]                                 */
    int16_t to[2][KINDS][SQUARES];               /* [side][kind][square]                   */
    int16_t from[2][KINDS][SQUARES];
    int16_t exposure[KINDS][SPOTS];
    uint8_t hangs[SPOTS];                        /* 4 for what is hit and not guarded      */
    uint8_t place_part[3][SQUARES + 1][SQUARE_BYTES]; /* distance from a square, or from none,
                                                    times 25, 5, 1                         */
    uint64_t spread[256];                        /* a bit in each byte                     */
} order_sums;

/* 2^(i / 16) in units of 2^-30. */
static const uint32_t order_roots[16] = {
    1073741824, 1121280436, 1170923762, 1222764986, 1276901417, 1333434672, 1392470869, 1454120821,
    1518500250, 1585729993, 1655936265, 1729250827, 1805811301, 1885761398, 1969251188, 2056437387,
};

/* round(2^(10 + sum / 16)), at least 1 and at most 2^20. */
static uint32_t order_weight(int sum)
{
    if (sum <= -160)
        return 1;
    if (sum >= 160)
        return 1u << 20;
    int whole = (sum + 160) / 16, part = (sum + 160) % 16; /* 2^(whole + part / 16) */
    int shift = 30 - whole;
    return (uint32_t)(((uint64_t)order_roots[part] + ((uint64_t)1 << (shift - 1))) >> shift);
}

static int order_distance(int a, int b)
{
    return a < SQUARES && b < SQUARES ? (tables.distance[a][b] < FAR ? tables.distance[a][b] : FAR) : FAR;
}

static int order_entry(int begin, int index) { return order_table[begin + index]; }

static void order_fill(void)
{
    for (int sum = -ORDER_SUM_MAX; sum <= ORDER_SUM_MAX; sum++)
        order_sums.weights[sum + ORDER_SUM_MAX] = order_weight(sum);
    for (int form = 0; form < 3; form++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int checks = 0; checks < 2; checks++)
                for (int captures = 0; captures < 2; captures++)
                    for (int spot = 0; spot < SPOTS; spot++) {
                        int hits = spot >> 3, guarded = spot >> 1 & 1, near = spot & 1;
                        order_sums.spot[form][kind][checks][captures][spot] = (int16_t)(
                            order_entry(ORDER_SPOT_BEGIN, ((form * KINDS + kind) * 2 + captures) * 12 + (spot >> 1)) +
                            order_entry(ORDER_CHECK_BEGIN,
                                        (((form * 2 + checks) * 2 + captures) * 2 + near) * 6 + hits * 2 + guarded));
                    }
    for (int drop = 0; drop < 2; drop++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int place = 0; place < PLACES; place++)
                order_sums.place[drop][kind][place] =
                    (int16_t)(order_entry(ORDER_ENEMY_KING_BEGIN, (drop * KINDS + kind) * 5 + place / 25) +
                              order_entry(ORDER_OWN_KING_BEGIN, (drop * KINDS + kind) * 5 + place / 5 % 5) +
                              order_entry(ORDER_LAST_TARGET_BEGIN, drop * 5 + place % 5));
    for (int side = 0; side < 2; side++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int square = 0; square < SQUARES; square++) {
                int index = kind * SQUARES + (side ? turned_square(square) : square);
                order_sums.to[side][kind][square] = (int16_t)order_entry(ORDER_TO_BEGIN, index);
                order_sums.from[side][kind][square] = (int16_t)order_entry(ORDER_FROM_BEGIN, index);
            }
    for (int spot = 0; spot < SPOTS; spot++) {
        int hit = spot >> 3 != 0, by_pawn = spot >> 2 & 1, guarded = spot >> 1 & 1;
        for (int kind = 0; kind < KINDS; kind++)
            order_sums.exposure[kind][spot] =
                (int16_t)order_entry(ORDER_EXPOSURE_BEGIN, kind * 8 + hit * 4 + guarded * 2 + by_pawn);
        order_sums.hangs[spot] = hit && !guarded ? 4 : 0;
    }
    for (int a = 0; a <= SQUARES; a++)
        for (int b = 0; b < SQUARES; b++)
            for (int part = 0, factor = 25; part < 3; part++, factor /= 5)
                order_sums.place_part[part][a][b] = (uint8_t)(order_distance(a, b) * factor);
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                order_sums.spread[byte] |= (uint64_t)1 << (8 * bit);
}

/* --- what a position says ------------------------------------------------------------------------ */

typedef struct OrderView {
    const Position *position;
    int side, enemy_king, own_king, last_target; /* SQUARES = there is none                */
    Bitboard last_square;                        /* the same as a set                      */
    bool last_captured;
    Bitboard hit, hit_twice, hit_by_pawn;        /* by the enemy                           */
    Bitboard guarded, guarded_twice;             /* by the side to move                    */
    Bitboard near;                               /* at most one step from the enemy king   */
    Bitboard hanging;                            /* own pieces hit and not guarded         */
    Bitboard reach[SQUARES];                     /* [square] what the mover's piece there attacks */
    Bitboard checks[KINDS];                      /* from where a kind attacks the enemy king */
} OrderView;

/* The squares that a side's pieces attack, those that at least two of them do, and, if `reach` is
 * not NULL, what each attacks. */
static inline __attribute__((always_inline)) void
order_attacks(const Position *p, int side, Bitboard *once, Bitboard *twice, Bitboard *reach)
{
    Bitboard all = occupied(p), first = 0, second = 0;
    if (reach)
        for (Bitboard pieces = p->sides[side]; pieces;)
            reach[pop_lowest(&pieces)] = 0;
#define ATTACKS_WITH_ATOM(atom)                                                                    \
    if (CAPTURE_ATOMS >> atom & 1)                                                                 \
        for (Bitboard pieces = p->atoms[atom] & p->sides[side]; pieces;) {                         \
            int square = pop_lowest(&pieces);                                                      \
            Bitboard attacks = atom_attacks(atom, side, square, all);                              \
            second |= first & attacks;                                                             \
            first |= attacks;                                                                      \
            if (reach)                                                                             \
                reach[square] |= attacks;                                                          \
        }
    ATOMS(ATTACKS_WITH_ATOM)
#undef ATTACKS_WITH_ATOM
    *once = first;
    *twice = second;
}

/* What all pawns of a side attack. */
static inline Bitboard order_pawn_attacks(const Position *p, int side)
{
    Bitboard pawns = pieces_of(p, side, PAWN), attacks = 0;
    if (kind_captures[PAWN] & FORWARD)
        attacks |= steps_ahead(pawns, side);
    if (kind_captures[PAWN] & FORWARD_DIAGONAL)
        attacks |= steps_ahead_west(pawns, side) | steps_ahead_east(pawns, side);
    return attacks;
}

static void order_look(const Position *p, OrderView *view)
{
    int side = p->side;
    view->position = p;
    view->side = side;
    view->own_king = has_king(p, side) ? p->king[side] : SQUARES;
    view->enemy_king = has_king(p, !side) ? p->king[!side] : SQUARES;
    bool moved = p->undo > p->first;
    view->last_target = moved ? move_to(p->undo[-1].move) : SQUARES;
    view->last_square = moved ? BIT(view->last_target) : 0;
    view->last_captured = moved && p->undo[-1].captured != NO_PIECE;
    order_attacks(p, !side, &view->hit, &view->hit_twice, NULL);
    order_attacks(p, side, &view->guarded, &view->guarded_twice, view->reach);
    view->hit_by_pawn = order_pawn_attacks(p, !side);
    view->near = view->enemy_king < SQUARES ? tables.king_steps[view->enemy_king] | BIT(view->enemy_king) : 0;
    view->hanging = p->sides[side] & view->hit & ~view->guarded;
    Bitboard reach[ATOM_COUNT] = {0};
#define REACH_OF_ATOM(atom)                                                                        \
    if ((CAPTURE_ATOMS >> atom & 1) && view->enemy_king < SQUARES)                                 \
        reach[atom] = atom_attacks(atom, !side, view->enemy_king, occupied(p));
    ATOMS(REACH_OF_ATOM)
#undef REACH_OF_ATOM
#define CHECKS_OF_ATOM(atom)                                                                       \
    if ((CAPTURE_ATOMS >> atom & 1) && (kind_captures[kind] >> atom & 1))                          \
        view->checks[kind] |= reach[atom];
#pragma GCC unroll 32
    for (int kind = 0; kind < KINDS; kind++) {
        view->checks[kind] = 0;
        ATOMS(CHECKS_OF_ATOM)
    }
#undef CHECKS_OF_ATOM
}

/* The entries of the table that a legal move adds up, as indexes; returns their number. */
static size_t order_terms(const Position *p, Move move, uint16_t *terms)
{
    OrderView view;
    order_look(p, &view);
    int side = p->side, from = move_from(move), to = move_to(move);
    bool drop = move_is_drop(move);
    int form = drop ? FORM_DROP : move_promotes(move) ? FORM_PROMOTION : FORM_PLAIN;
    int kind = drop ? (int)move_drop_kind(move) : (int)KIND_OF(p->board[from]);
    Kind after = form == FORM_PROMOTION ? promoted_kind((Kind)kind, move) : (Kind)kind;
    int victim = victim_of(p, move);
    int captures = victim != NO_PIECE;
    int hits = (int)(view.hit >> to & 1) + (int)(view.hit_twice >> to & 1);
    int guarded = (int)((drop ? view.guarded : view.guarded_twice) >> to & 1);
    int danger = hits * 2 + (int)(view.hit_by_pawn >> to & 1);
    int checks = (int)(view.checks[after] >> to & 1);
    int near = (int)(view.near >> to & 1);
    int origin_hangs = drop ? 0 : (int)(view.hanging >> from & 1);
    size_t count = 0;
#define TERM_AT(part, index) terms[count++] = (uint16_t)(ORDER_##part##_BEGIN + (index))
    TERM_AT(TO, kind * SQUARES + (side ? turned_square(to) : to));
    if (!drop) {
        TERM_AT(FROM, kind * SQUARES + (side ? turned_square(from) : from));
        TERM_AT(EXPOSURE, kind * 8 + (int)(view.hit >> from & 1) * 4 + (int)(view.guarded >> from & 1) * 2 +
                              (int)(view.hit_by_pawn >> from & 1));
    }
    TERM_AT(SPOT, ((form * KINDS + kind) * 2 + captures) * 12 + danger * 2 + guarded);
    TERM_AT(CHECK, (((form * 2 + checks) * 2 + captures) * 2 + near) * 6 + hits * 2 + guarded);
    if (captures)
        TERM_AT(VICTIM, (kind * KINDS + (int)KIND_OF(victim)) * 6 + hits * 2 + guarded);
    TERM_AT(ENEMY_KING, ((int)drop * KINDS + kind) * 5 + order_distance(view.enemy_king, to));
    TERM_AT(OWN_KING, ((int)drop * KINDS + kind) * 5 + order_distance(view.own_king, to));
    TERM_AT(LAST_TARGET, (int)drop * 5 + order_distance(view.last_target, to));
    if (to == view.last_target)
        TERM_AT(REPLY, ((int)view.last_captured * KINDS + kind) * 6 + hits * 2 + guarded);
    TERM_AT(HANGING, (view.hanging ? 8 : 0) + origin_hangs * 4 + checks * 2 + captures);
#undef TERM_AT
    return count;
}

/* --- shares -------------------------------------------------------------------------------------- */

/* The moves of one piece, or one kind in hand, in one form. */
typedef struct OrderRun {
    uint8_t from, kind, form, promotion; /* `promotion` as in MoveSets                     */
    Bitboard targets;
    Bitboard checking, capturing; /* targets that give check, that capture                 */
    int own;                      /* what all its moves add, HANGING aside                 */
    int hanging;                  /* begin of its entries of HANGING                       */
    uint32_t weight;              /* of all its moves                                      */
} OrderRun;

/* The measure of one position. */
typedef struct Order {
    OrderView view;
    bool even; /* all moves weigh 1 */
    uint32_t total;
    size_t count;
    uint8_t spots[2][SQUARE_BYTES]; /* [drop] */
    uint8_t places[SQUARE_BYTES];
    MoveSets sets;
    OrderRun runs[SQUARES * MOVE_FORMS + HAND_KINDS];
} Order;

static void order_code_squares(Order *order)
{
    const OrderView *view = &order->view;
    for (int at = 0; at < SQUARE_BYTES; at += 8) {
#define SPREAD(set) order_sums.spread[(uint8_t)((set) >> at)]
        uint64_t common = 8 * (SPREAD(view->hit) + SPREAD(view->hit_twice)) + 4 * SPREAD(view->hit_by_pawn) +
                          SPREAD(view->near);
        uint64_t board = common + 2 * SPREAD(view->guarded_twice), drop = common + 2 * SPREAD(view->guarded);
#undef SPREAD
        memcpy(order->spots[0] + at, &board, 8);
        memcpy(order->spots[1] + at, &drop, 8);
    }
    const uint8_t *enemy = order_sums.place_part[0][view->enemy_king];
    const uint8_t *own = order_sums.place_part[1][view->own_king];
    const uint8_t *last = order_sums.place_part[2][view->last_target];
    for (int square = 0; square < SQUARE_BYTES; square++)
        order->places[square] = (uint8_t)(enemy[square] + own[square] + last[square]);
}

/* The weight of one move of a run. */
static uint32_t order_weight_at(const Order *order, const OrderRun *run, int to)
{
    const OrderView *view = &order->view;
    bool drop = run->form == FORM_DROP;
    int checks = (int)(run->checking >> to & 1), captures = (int)(run->capturing >> to & 1);
    int spot = order->spots[drop][to], code = (spot >> 3) * 2 + (spot >> 1 & 1);
    int sum = run->own + order_table[run->hanging + checks * 2 + captures] +
              order_sums.spot[run->form][run->kind][checks][captures][spot] +
              order_sums.place[drop][run->kind][order->places[to]] + order_sums.to[view->side][run->kind][to];
    if (captures) {
        int taken = view->position->board[to], victim = taken == NO_PIECE ? (int)PAWN : (int)KIND_OF(taken); /* e.p. */
        sum += order_entry(ORDER_VICTIM_BEGIN, (run->kind * KINDS + victim) * 6 + code);
    }
    if (to == view->last_target)
        sum += order_entry(ORDER_REPLY_BEGIN, ((int)view->last_captured * KINDS + run->kind) * 6 + code);
    return order_sums.weights[ORDER_SUM_MAX + sum];
}

/* The weight of moves that neither capture nor go to the last target, and all or none of which give
 * check: most moves, so quickly. */
static inline __attribute__((always_inline)) uint32_t
order_weigh_plain(const Order *order, const OrderRun *run, const int form, const bool checks, Bitboard targets)
{
    const bool drop = form == FORM_DROP;
    const uint32_t *weights =
        order_sums.weights + ORDER_SUM_MAX + run->own + order_table[run->hanging + checks * 2];
    const int16_t *spot = order_sums.spot[form][run->kind][checks][0];
    const int16_t *place = order_sums.place[drop][run->kind];
    const int16_t *to = order_sums.to[order->view.side][run->kind];
    const uint8_t *spots = order->spots[drop], *places = order->places;
    uint32_t sum = 0;
    while (targets) {
        int square = pop_lowest(&targets);
        sum += weights[spot[spots[square]] + place[places[square]] + to[square]];
    }
    return sum;
}

static inline __attribute__((always_inline)) void
order_weigh(Order *order, OrderRun *run, const int form)
{
    if (order->even) {
        run->weight = (uint32_t)count_bits(run->targets);
        return;
    }
    const OrderView *view = &order->view;
    Bitboard special = run->capturing | view->last_square;
    Bitboard plain = run->targets & ~special, checking = plain & run->checking;
    special &= run->targets;
    run->weight = order_weigh_plain(order, run, form, false, plain & ~checking);
    if (checking)
        run->weight += order_weigh_plain(order, run, form, true, checking);
    while (special)
        run->weight += order_weight_at(order, run, pop_lowest(&special));
}

/* Adds the run of a piece or a kind in hand, if it has moves. */
static inline __attribute__((always_inline)) void
order_add(Order *order, int from, int kind, int promotion, const int form)
{
    Bitboard targets = order->sets.targets[from][promotion];
    if (!targets)
        return;
    const OrderView *view = &order->view;
    const Position *p = view->position;
    OrderRun *run = &order->runs[order->count++];
    run->from = (uint8_t)from;
    run->kind = (uint8_t)kind;
    run->form = (uint8_t)form;
    run->promotion = (uint8_t)promotion;
    run->targets = targets;
    run->capturing = 0;
    run->own = 0;
    if (!order->even) {
        Kind after = promotion ? promoted_kind((Kind)kind, (Move)(promotion << PROMOTION_SHIFT)) : (Kind)kind;
        run->checking = view->checks[after];
        run->hanging = ORDER_HANGING_BEGIN + (view->hanging ? 8 : 0);
        if (form != FORM_DROP) {
            run->capturing = p->sides[!view->side];
            if (HAS_DOUBLE_STEP && kind == PAWN && p->en_passant != NO_SQUARE)
                run->capturing |= BIT(p->en_passant);
            int spot = order->spots[1][from];
            run->hanging += order_sums.hangs[spot];
            run->own = order_sums.from[view->side][kind][from] + order_sums.exposure[kind][spot];
        }
    }
    order_weigh(order, run, form);
    order->total += run->weight;
}

/* Fills the measure of a position; total 0 without a legal move. */
static void order_measure(const Position *p, bool even, Order *order)
{
    order->even = even;
    order->total = 0;
    order->count = 0;
    order->view.position = p;
    if (!even) {
        order_look(p, &order->view);
        order_code_squares(order);
    }
    legal_move_sets(p, even ? NULL : &order->view.hit, even ? NULL : order->view.reach, &order->sets);
    for (Bitboard own = p->sides[p->side]; own;) {
        int from = pop_lowest(&own), kind = (int)KIND_OF(p->board[from]);
        order_add(order, from, kind, 0, FORM_PLAIN);
        for (int promotion = 1; promotion < MOVE_FORMS; promotion++)
            order_add(order, from, kind, promotion, FORM_PROMOTION);
    }
    for (int kind = 0; kind < HAND_KINDS; kind++)
        if (p->hand[p->side][kind])
            order_add(order, SQUARES + kind, kind, 0, FORM_DROP);
}

/* The move whose share holds `value` (below the total). */
static Move order_move_at(const Order *order, uint32_t value, MoveShare *share)
{
    share->total = order->total;
    share->begin = 0;
    const OrderRun *run = order->runs;
    while (value - share->begin >= run->weight)
        share->begin += run++->weight;
    for (Bitboard targets = run->targets;;) {
        int to = pop_lowest(&targets);
        share->size = order->even ? 1 : order_weight_at(order, run, to);
        if (value - share->begin < share->size)
            return move_make(run->from, to, run->promotion << PROMOTION_SHIFT);
        share->begin += share->size;
    }
}

/* The share of a move; size 0 if it is not legal. */
static MoveShare order_share_of(const Order *order, Move move)
{
    MoveShare share = {.total = order->total};
    int to = move_to(move);
    for (const OrderRun *run = order->runs; run < order->runs + order->count; run++) {
        if (run->from != move_from(move) || run->promotion != move_promotion(move)) {
            share.begin += run->weight;
            continue;
        }
        if (to >= SQUARES || !(run->targets >> to & 1))
            break;
        for (Bitboard targets = run->targets & (BIT(to) - 1); targets;) {
            int square = pop_lowest(&targets);
            share.begin += order->even ? 1 : order_weight_at(order, run, square);
        }
        share.size = order->even ? 1 : order_weight_at(order, run, to);
        break;
    }
    return share;
}
