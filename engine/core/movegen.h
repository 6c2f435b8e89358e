/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * movegen.h - legal moves by pins and check masks, one atom at a time.
 *
 * A piece that is made of several atoms (a Cardinal is bishop + knight) is visited once for each;
 * no two atoms of a piece reach the same square, so every move comes up once. One body serves
 * lists, bulk counts and sets: `Sink` stores moves, adds up the sizes of target sets, or keeps them.
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
    if (!has_king(p, side)) {
        *legality = (Legality){.targets = ~own & ALL_SQUARES};
        return;
    }
    Bitboard sliders = sliders_towards(p, king) & enemy;
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
    CHECKERS_WITH_ATOM(ATOM_LEAP_TWO_ROOK)
    CHECKERS_WITH_ATOM(ATOM_LEAP_TWO_BISHOP)
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
typedef enum MoveClass { MOVES_ALL, MOVES_NOISY, MOVES_QUIET } MoveClass;

/* The forms of a move from one square to another: 0 = plain, n = the n-th promotion. */
enum { MOVE_FORMS = 1 + (PROMOTION_IS_NAMED ? NAMED_PROMOTIONS : 1) };

/* Moves as sets of targets, by origin (as in a Move: drops behind the squares) and form. Only
 * entries of the side's own pieces and of what it has in hand are valid. */
typedef struct MoveSets {
    Bitboard targets[SQUARES + HAND_KINDS][MOVE_FORMS];
} MoveSets;

/* What becomes of generated moves; a constant at every call. */
typedef enum SinkMode { SINK_LIST, SINK_COUNT, SINK_SETS } SinkMode;

typedef struct Sink {
    Move *next;     /* SINK_LIST: where the next move goes */
    uint64_t count; /* SINK_COUNT                          */
    MoveSets *sets; /* SINK_SETS                           */
    const Bitboard *attacked; /* SINK_SETS: all squares that the enemy attacks, if known (not NULL) */
    const Bitboard *reach;    /* SINK_SETS: [square] what the piece of the side to move there
                                 attacks, if known (not NULL)                        */
} Sink;

static inline void sink_targets(Sink *sink, int from, int promotion, Bitboard targets, const SinkMode mode)
{
    if (mode == SINK_COUNT) {
        sink->count += (uint64_t)count_bits(targets);
        return;
    }
    if (mode == SINK_SETS) {
        sink->sets->targets[from][promotion >> PROMOTION_SHIFT] |= targets;
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
    Bitboard promotable = PROMOTION_STYLE == PROMOTE_TO_NAMED ? p->kinds[PAWN] : 0;
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

/* The pieces whose quiet moves and captures differ. */
static inline Bitboard split_movers(const Position *p)
{
    Bitboard movers = 0;
    for (int kind = 0; kind < KINDS; kind++)
        if (kind_quiets[kind] != kind_captures[kind])
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
    if (PROMOTION_IS_FORCED || PROMOTION_IS_NAMED)
        return promoting;
    return KIND_OF(p->board[from]) == PAWN ? tables.last_ranks[side][PAWN_FORBIDDEN_RANKS] : 0;
}

/* Both forms of moves to `targets`, of which those to `promoting` may promote. */
static inline __attribute__((always_inline)) void
sink_promotions(const Position *p, Sink *sink, int from, Bitboard targets, Bitboard promoting, Bitboard enemy,
                const MoveClass wanted, const SinkMode mode)
{
    Bitboard plain = targets & ~forced_promotions(p, p->side, from, promoting);
    promoting &= targets;
    if (wanted == MOVES_NOISY)
        plain &= enemy;
    if (wanted == MOVES_QUIET) {
        plain &= ~enemy;
        promoting = 0;
    }
    for (int promotion = 1; promotion <= (PROMOTION_IS_NAMED ? NAMED_PROMOTIONS : 1); promotion++)
        sink_targets(sink, from, promotion << PROMOTION_SHIFT, promoting, mode);
    sink_targets(sink, from, 0, plain, mode);
}

/* Two squares ahead for pawns on their second rank. */
static void generate_double_steps(const Position *p, const Legality *legality, Sink *sink, const SinkMode mode)
{
    int side = p->side, ahead = side ? -BOARD_FILES : BOARD_FILES;
    Bitboard all = occupied(p), home = tables.first_ranks[side][2] & ~tables.first_ranks[side][1];
    for (Bitboard pawns = pieces_of(p, side, PAWN) & home; pawns;) {
        int from = pop_lowest(&pawns), to = from + 2 * ahead;
        Bitboard target = BIT(to) & legality->targets & ~all;
        if (legality->pinned >> from & 1)
            target &= legality->pin[from];
        if (!(all >> (from + ahead) & 1))
            sink_targets(sink, from, 0, target, mode);
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

static void generate_en_passant(const Position *p, Sink *sink, const SinkMode mode)
{
    Bitboard pawns = tables.leaps[ATOM_FORWARD_DIAGONAL][!p->side][p->en_passant] & pieces_of(p, p->side, PAWN);
    while (pawns) {
        int from = pop_lowest(&pawns);
        if (en_passant_is_safe(p, from))
            sink_targets(sink, from, 0, BIT(p->en_passant), mode);
    }
}

/* The squares on which a pawn of a side may be promoted as a move of its own: the far halves of the
 * two long diagonals, and any square for the last pawn where the rules say so. */
static inline Bitboard own_move_promotion_squares(const Position *p, int side)
{
    Bitboard pawns = pieces_of(p, side, PAWN);
    if (LAST_PAWN_PROMOTES_ANYWHERE && pawns && !more_than_one(pawns))
        return ALL_SQUARES;
    return tables.diagonals & tables.last_ranks[side][BOARD_RANKS / 2];
}

/*
 * True if a pawn may be promoted from `from` to `to` (the same or a diagonal neighbour): the target
 * is free, the own king stays safe, the new piece attacks nothing and no line is opened to the
 * enemy king.
 */
static bool own_move_promotion_is_legal(const Position *p, int from, int to)
{
    int side = p->side;
    Bitboard pawn = BIT(from), occupation = (occupied(p) ^ pawn) | BIT(to);
    if (from != to && (occupied(p) >> to & 1))
        return false;
    if (tables.leaps[ATOM_STEP_BISHOP][side][to] & p->sides[!side])
        return false;
    if (attackers_of(p, p->king[side], !side, occupation) & ~BIT(to))
        return false;
    return !has_king(p, !side) || !(attackers_of(p, p->king[!side], side, occupation) & ~pawn);
}

/* Promotions as a move of their own; none while the side has such a piece. */
static void generate_promotions(const Position *p, Sink *sink, const SinkMode mode)
{
    int side = p->side;
    if (pieces_of(p, side, (Kind)named_promotions[0]))
        return;
    for (Bitboard pawns = pieces_of(p, side, PAWN) & own_move_promotion_squares(p, side); pawns;) {
        int from = pop_lowest(&pawns);
        for (Bitboard targets = BIT(from) | tables.leaps[ATOM_STEP_BISHOP][side][from]; targets;) {
            int to = pop_lowest(&targets);
            if (own_move_promotion_is_legal(p, from, to))
                sink_targets(sink, from, MOVE_PROMOTES, BIT(to), mode);
        }
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

static void generate_castling(const Position *p, Sink *sink, const SinkMode mode)
{
    int king = p->king[p->side];
    for (int is_long = 0; is_long < 2; is_long++)
        if (castling_is_legal(p, is_long))
            sink_targets(sink, king, 0, BIT(is_long ? king - 2 : king + 2), mode);
}

static inline __attribute__((always_inline)) void
generate_board_moves(const Position *p, const Legality *legality, Sink *sink, const MoveClass wanted,
                     const SinkMode mode)
{
    int side = p->side, king = p->king[side];
    Bitboard own = p->sides[side], enemy = p->sides[!side], all = own | enemy;
    Bitboard promotable = promotable_pieces(p, side);

    if (!more_than_one(legality->checkers)) {
        Bitboard left = own & ~BIT(king);
        if (mode == SINK_SETS && sink->reach) {
            Bitboard known = left & ~split_movers(p);
            left &= ~known;
            while (known) {
                int from = pop_lowest(&known);
                Bitboard targets = sink->reach[from] & legality->targets;
                if (legality->pinned >> from & 1)
                    targets &= legality->pin[from];
                Bitboard promoting = promotable >> from & 1 ? promotion_targets(side, from) : 0;
                sink_promotions(p, sink, from, targets, promoting, enemy, wanted, mode);
            }
        }
#define MOVES_WITH_ATOM(atom)                                                                      \
    if (MOVE_ATOMS >> atom & 1)                                                                    \
        for (Bitboard movers = movers_with(p, atom) & left; movers;) {                             \
            int from = pop_lowest(&movers);                                                        \
            Bitboard targets = atom_attacks(atom, side, from, all) & legality->targets;            \
            if (SPLIT_ATOMS >> atom & 1)                                                           \
                targets &= allowed_targets(KIND_OF(p->board[from]), atom, enemy);                  \
            if (legality->pinned >> from & 1)                                                      \
                targets &= legality->pin[from];                                                    \
            if (mode == SINK_COUNT && PROMOTION_IS_FORCED) {                                       \
                sink_targets(sink, from, 0, targets, SINK_COUNT);                                  \
                continue;                                                                          \
            }                                                                                      \
            Bitboard promoting = promotable >> from & 1 ? promotion_targets(side, from) : 0;       \
            sink_promotions(p, sink, from, targets, promoting, enemy, wanted, mode);               \
        }
        ATOMS(MOVES_WITH_ATOM)
#undef MOVES_WITH_ATOM
        if (HAS_DOUBLE_STEP && wanted != MOVES_NOISY)
            generate_double_steps(p, legality, sink, mode);
        if (HAS_DOUBLE_STEP && wanted != MOVES_QUIET && p->en_passant != NO_SQUARE)
            generate_en_passant(p, sink, mode);
        if (PROMOTION_STYLE == PROMOTE_AS_MOVE && wanted != MOVES_QUIET)
            generate_promotions(p, sink, mode);
    }
    Bitboard steps = tables.king_steps[king] & ~own;
    if (wanted == MOVES_NOISY)
        steps &= enemy;
    if (wanted == MOVES_QUIET)
        steps &= ~enemy;
    Bitboard safe = 0;
    if (mode == SINK_SETS && sink->attacked && !legality->checkers) {
        safe = steps & ~*sink->attacked; /* the king hides nothing where nothing attacks it */
        steps = 0;
    }
    while (steps) {
        int to = pop_lowest(&steps);
        if (!is_attacked(p, to, !side, all ^ BIT(king)))
            safe |= BIT(to);
    }
    sink_targets(sink, king, 0, safe, mode);
    if (HAS_CASTLING && p->castling && wanted != MOVES_NOISY && !legality->checkers)
        generate_castling(p, sink, mode);
}

/* The squares of `region` where a kind in hand may be dropped. */
static inline Bitboard drop_squares(const Position *p, int side, Kind kind, Bitboard region)
{
    if (ROOK_DROP_RANKS < DROP_RANKS && kind == ROOK)
        region &= tables.first_ranks[side][ROOK_DROP_RANKS];
    if (HAS_SETUP && kind == KING)
        for (Bitboard squares = region; squares;) {
            int square = pop_lowest(&squares);
            if (is_attacked(p, square, !side, occupied(p)))
                region &= ~BIT(square);
        }
    if (kind != PAWN)
        return region;
    region &= ~tables.last_ranks[side][PAWN_FORBIDDEN_RANKS];
    if (PAWN_DROP_ONE_PER_FILE)
        for (Bitboard pawns = pieces_of(p, side, PAWN); pawns;)
            region &= ~tables.files[file_of(pop_lowest(&pawns))];
    return region;
}

/* The empty squares where a side may drop at all, checks aside. */
static inline Bitboard drop_region(const Position *p, int side)
{
    Bitboard region = tables.live & ~occupied(p);
    if (DROP_RANKS < BOARD_RANKS)
        region &= tables.first_ranks[side][DROP_RANKS];
    if (sizeof SETUP_SQUARES > 1)
        region &= tables.setup_squares[side];
    return region;
}

static inline __attribute__((always_inline)) void
generate_drops(const Position *p, const Legality *legality, Sink *sink, const SinkMode mode)
{
    int side = p->side;
    if (!HAS_HANDS || more_than_one(legality->checkers))
        return;
    Bitboard region = drop_region(p, side) & legality->targets;
    if (!region)
        return;
    for (int kind = 0; kind < HAND_KINDS; kind++)
        if (p->hand[side][kind])
            sink_targets(sink, SQUARES + kind, 0, drop_squares(p, side, (Kind)kind, region), mode);
}

/* All moves of one class, a ban on stalemating aside; during a placement only drops. */
static inline __attribute__((always_inline)) void
generate_class(const Position *p, const Legality *legality, Sink *sink, const MoveClass wanted, const SinkMode mode)
{
    bool placing = has_placements(p, p->side);
    if (!placing)
        generate_board_moves(p, legality, sink, wanted, mode);
    if (wanted != MOVES_NOISY && (!HAS_SETUP || placing))
        generate_drops(p, legality, sink, mode);
}

/* The number of legal moves, campmate and a ban on stalemating aside. */
static inline uint64_t count_replies(const Position *p)
{
    Legality legality;
    Sink sink = {.next = NULL};
    legality_compute(p, &legality);
    generate_class(p, &legality, &sink, MOVES_ALL, SINK_COUNT);
    return sink.count;
}

/* True if a legal move leaves the other side without a move and not in check. */
static bool move_stalemates(const Position *p, Move move)
{
    Undo undo[1];
    Position after = *p;
    after.first = after.undo = undo;
    make_move_as(&after, move, false);
    return !in_check(&after) && !count_replies(&after);
}

/*
 * Pieces of the other side that can move whatever is played, unless they are captured: they reach a
 * square that is not their own, and stand on no line with their king, so that nothing can pin them.
 * A slider's first step is free or a capture even if the rest of its way is closed. Kinds that move
 * and capture differently do not count: what stands before them matters.
 */
static Bitboard sure_movers(const Position *p)
{
    int other = !p->side;
    if (!has_king(p, other) || has_placements(p, other))
        return 0;
    int king = p->king[other];
    Bitboard off_lines = p->sides[other] & ~(tables.rook_lines[king] | tables.bishop_lines[king] | BIT(king));
    Bitboard sure = 0, all = occupied(p);
    while (off_lines) {
        int square = pop_lowest(&off_lines);
        Kind kind = KIND_OF(p->board[square]);
        if (kind_captures[kind] == kind_quiets[kind] && (kind_attacks(kind, other, square, all) & ~p->sides[other]))
            sure |= BIT(square);
    }
    return sure;
}

/* True if the other side has a piece that can answer the move, as sure_movers tells. */
static inline bool is_surely_answered(Bitboard sure, Move move)
{
    return (sure & ~BIT(move_to(move))) != 0;
}

/* Takes stalemating moves out of a list of legal moves, unless a side has no others at all. */
static size_t drop_stalemating(const Position *p, const Legality *legality, Move *moves, size_t count)
{
    size_t left = 0;
    Move kept[ENGINE_MAX_MOVES];
    Bitboard sure = sure_movers(p);
    if (more_than_one(sure))
        return count;
    for (size_t i = 0; i < count; i++)
        if (is_surely_answered(sure, moves[i]) || !move_stalemates(p, moves[i]))
            kept[left++] = moves[i];
    if (left == count)
        return count;
    if (left == 0) {
        Move all[ENGINE_MAX_MOVES];
        Sink sink = {.next = all};
        generate_class(p, legality, &sink, MOVES_ALL, SINK_LIST);
        const Move *move = all;
        while (move < sink.next && move_stalemates(p, *move))
            move++;
        if (move == sink.next)
            return count;
    }
    memcpy(moves, kept, left * sizeof *moves);
    return left;
}

/* Writes the wanted history-free legal moves to a list of ENGINE_MAX_MOVES; returns their number. */
static size_t generate_moves(const Position *p, const Legality *legality, MoveClass wanted, Move *moves)
{
    Sink sink = {.next = moves};
    if (is_campmated(p))
        return 0;
    switch (wanted) {
    case MOVES_ALL:
        generate_class(p, legality, &sink, MOVES_ALL, SINK_LIST);
        break;
    case MOVES_NOISY:
        generate_class(p, legality, &sink, MOVES_NOISY, SINK_LIST);
        break;
    case MOVES_QUIET:
        generate_class(p, legality, &sink, MOVES_QUIET, SINK_LIST);
        break;
    }
    size_t count = (size_t)(sink.next - moves);
    return STALEMATING_IS_FORBIDDEN ? drop_stalemating(p, legality, moves, count) : count;
}

static size_t legal_moves(const Position *p, Move *moves)
{
    Legality legality;
    legality_compute(p, &legality);
    return generate_moves(p, &legality, MOVES_ALL, moves);
}

/* The history-free legal moves as sets; `attacked` and `reach` as in Sink. */
static void legal_move_sets(const Position *p, const Bitboard *attacked, const Bitboard *reach, MoveSets *sets)
{
    int side = p->side;
    for (Bitboard own = p->sides[side]; own;)
        memset(sets->targets[pop_lowest(&own)], 0, sizeof sets->targets[0]);
    for (int kind = 0; kind < HAND_KINDS; kind++)
        memset(sets->targets[SQUARES + kind], 0, sizeof sets->targets[0]);
    if (STALEMATING_IS_FORBIDDEN) {
        Move moves[ENGINE_MAX_MOVES];
        size_t count = legal_moves(p, moves);
        for (size_t i = 0; i < count; i++)
            sets->targets[move_from(moves[i])][move_promotion(moves[i])] |= BIT(move_to(moves[i]));
    } else if (!is_campmated(p)) {
        Legality legality;
        Sink sink = {.sets = sets, .attacked = attacked, .reach = reach};
        legality_compute(p, &legality);
        generate_class(p, &legality, &sink, MOVES_ALL, SINK_SETS);
    }
}

/* The number of history-free legal moves. */
static inline uint64_t count_moves(const Position *p)
{
    if (is_campmated(p))
        return 0;
    if (STALEMATING_IS_FORBIDDEN && !more_than_one(sure_movers(p))) {
        Move moves[ENGINE_MAX_MOVES];
        return legal_moves(p, moves);
    }
    return count_replies(p);
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

/* As move_is_legal, a ban on stalemating aside. */
static bool move_is_allowed(const Position *p, const Legality *legality, Move move)
{
    int side = p->side, from = move_from(move), to = move_to(move);
    Bitboard own = p->sides[side], all = occupied(p);
    if (move == MOVE_NONE || to >= SQUARES || from >= SQUARES + HAND_KINDS ||
        move_promotion(move) > (PROMOTION_IS_NAMED ? NAMED_PROMOTIONS : 1) || is_campmated(p) ||
        (HAS_SETUP && move_is_drop(move) != has_placements(p, side)))
        return false;
    if (move_is_drop(move)) {
        Kind kind = move_drop_kind(move);
        Bitboard region = drop_region(p, side) & legality->targets;
        return !move_promotes(move) && p->hand[side][kind] && !more_than_one(legality->checkers) &&
               (region >> to & 1) && (drop_squares(p, side, kind, region) >> to & 1);
    }
    if (!(own >> from & 1))
        return false;
    Kind kind = KIND_OF(p->board[from]);
    if (PROMOTION_STYLE == PROMOTE_AS_MOVE && move_promotes(move))
        return kind == PAWN && !pieces_of(p, side, (Kind)named_promotions[0]) && !more_than_one(legality->checkers) &&
               (own_move_promotion_squares(p, side) >> from & 1) &&
               (from == to || (tables.leaps[ATOM_STEP_BISHOP][side][from] >> to & 1)) &&
               own_move_promotion_is_legal(p, from, to);
    if (own >> to & 1)
        return false;
    if (!(tables_reach(p, kind, from, to) || is_castling(kind, from, to)))
        return special_pawn_move_is_legal(p, legality, kind, from, to) && !move_promotes(move);
    Bitboard promoting = promotable_pieces(p, side) >> from & 1 ? promotion_targets(side, from) : 0;
    bool may = promoting >> to & 1, must = may && (forced_promotions(p, side, from, promoting) >> to & 1);
    if (move_promotes(move) ? !may : must)
        return false;
    if (is_castling(kind, from, to))
        return !legality->checkers && castling_is_legal(p, to < from);
    if (kind == KING)
        return !is_attacked(p, to, !side, all ^ BIT(from));
    return (legality->targets >> to & 1) &&
           !((legality->pinned >> from & 1) && !(legality->pin[from] >> to & 1));
}

/* True if a move (from a hash table, say, so any 16 bits) is a history-free legal move here. */
static bool move_is_legal(const Position *p, const Legality *legality, Move move)
{
    if (!move_is_allowed(p, legality, move))
        return false;
    if (!STALEMATING_IS_FORBIDDEN || is_surely_answered(sure_movers(p), move) || !move_stalemates(p, move))
        return true;
    Move moves[ENGINE_MAX_MOVES];
    size_t count = generate_moves(p, legality, MOVES_ALL, moves);
    for (size_t i = 0; i < count; i++)
        if (moves[i] == move)
            return true;
    return false;
}
