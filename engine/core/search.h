/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search.h - principal variation search of one worker: alpha-beta with the transposition table,
 * quiescence and the usual pruning. Read `search_node` top to bottom; searcher.h drives it.
 *
 * Repetition is a rule of each game. Where a third occurrence is forbidden such a move is skipped
 * like any illegal one; what follows from that depends on the path, so such a node is not stored.
 */
#pragma once

#include "core/movepick.h"

#include <assert.h>

enum {
    MAX_PLY = 160,
    FRAMES_BEFORE_ROOT = 4,
    SCORE_INFINITE = 32600,
    MAX_QUIETS_TRIED = 64,
    LMR_SIZE = 64
};

typedef struct Frame {
    Move move, excluded, killers[2];
    PieceToHistory *continuation; /* of the move that is being searched from here */
    int static_eval;
    bool in_check;
    int pv_length;
    Move pv[MAX_PLY + 1];
} Frame;

typedef struct RootMove {
    Move move;
    int score, previous_score; /* -SCORE_INFINITE = not searched in this iteration */
    int selective_depth;
    int pv_length;
    Move pv[ENGINE_MAX_PV];
} RootMove;

/* One thread of a search: a position of its own, histories of its own, shared table and stop flag. */
typedef struct Worker {
    Position position;
    const EvalTables *eval;
    Table *table;
    atomic_bool *stop;
    /* Looked at now and then by the first worker: sets *stop when time is up. */
    void (*watch)(struct Worker *worker);
    void *owner;
    int id;
    _Atomic uint64_t nodes;
    uint64_t node_limit; /* UINT64_MAX = none */
    int root_depth, selective_depth, line; /* line: index of the multi-PV line that is searched */
    size_t root_count;
    RootMove *roots;     /* [ENGINE_MAX_MOVES] */
    Undo *stack;
    size_t stack_capacity;
    uint8_t seen[SEEN_SIZE];
    Histories histories;
    PieceToHistory no_continuation;
    Frame frames[MAX_PLY + FRAMES_BEFORE_ROOT + 3];
} Worker;

static uint8_t reductions[LMR_SIZE][LMR_SIZE]; /* [depth][move number], filled by core_init */

/* log2(x) in 1/256, exact integers so that every build has the same table. */
static int log2_256(uint32_t x)
{
    int result = 0;
    uint64_t mantissa = (uint64_t)x << 16;
    while (mantissa >= 2u << 16) {
        mantissa >>= 1;
        result += 256;
    }
    for (int bit = 128; bit; bit >>= 1) {
        mantissa = mantissa * mantissa >> 16;
        if (mantissa >= 2u << 16) {
            mantissa >>= 1;
            result += bit;
        }
    }
    return result;
}

/* With the constants 0.5 + ln(depth) * ln(number) / 2.1, the logarithmic form that most engines use. */
static void reductions_fill(void)
{
    for (uint32_t depth = 1; depth < LMR_SIZE; depth++)
        for (uint32_t number = 1; number < LMR_SIZE; number++) {
            int product = log2_256(depth) * log2_256(number); /* in 1/65536 of log2 squared */
            reductions[depth][number] = (uint8_t)((reduction_base * 65536 / 100 + product * reduction_factor / 1000) / 65536);
        }
}

static inline uint64_t worker_nodes(const Worker *w)
{
    return atomic_load_explicit(&w->nodes, memory_order_relaxed);
}

static inline bool stopped(const Worker *w)
{
    return atomic_load_explicit(w->stop, memory_order_relaxed);
}

/* Counts a made move and looks at the limits. Whoever searched has looked at `stopped` since. */
static inline void count_node(Worker *w)
{
    uint64_t nodes = worker_nodes(w) + 1;
    assert(nodes <= w->node_limit);
    atomic_store_explicit(&w->nodes, nodes, memory_order_relaxed);
    if (nodes >= w->node_limit)
        atomic_store_explicit(w->stop, true, memory_order_relaxed);
    if ((nodes & 1023) == 0 && w->id == 0)
        w->watch(w);
}

/* A margin of the search, given for weights of the usual scale, on the scale of these weights. */
static inline int margin(const Worker *w, int centipawns)
{
    return centipawns * w->eval->unit / MARGIN_ONE;
}

static inline int clamp_eval(int score)
{
    int limit = SCORE_MATE_BOUND - 1;
    return score > limit ? limit : score < -limit ? -limit : score;
}

static inline int evaluate_side(const Worker *w)
{
    int white = clamp_eval(evaluate_white(&w->position, w->eval));
    return w->position.side ? -white : white;
}

/* --- corrections of the static evaluation ----------------------------------------------------------- */

enum { CORRECTION_PARTS = 4 };

/* The cells that correct the evaluation of a position. */
typedef struct CorrectionCells {
    int32_t *parts[CORRECTION_PARTS];
} CorrectionCells;

static inline CorrectionCells correction_cells(Corrections *own, const Position *p, Move previous)
{
    const Bitboard pawns = p->kinds[PAWN];
    const int to = move_to(previous);
    return (CorrectionCells){{
        &own->pawns[correction_place(pawns, correction_place(pawns & p->sides[SIDE_WHITE], 0))],
        &own->pieces[SIDE_WHITE][correction_place(p->sides[SIDE_WHITE] & ~pawns, p->king[SIDE_WHITE])],
        &own->pieces[SIDE_BLACK][correction_place(p->sides[SIDE_BLACK] & ~pawns, p->king[SIDE_BLACK])],
        previous != MOVE_NONE ? &own->after[KIND_OF(p->board[to])][to] : &own->after_null}};
}

static inline int corrected(CorrectionCells cells, int raw_eval)
{
    int sum = 2 * (*cells.parts[0] + *cells.parts[1] + *cells.parts[2]) + *cells.parts[3];
    return clamp_eval(raw_eval + sum / (4 * CORRECTION_ONE));
}

/* Learns from the score that a search to some depth has found. */
static void correct(const Worker *w, CorrectionCells cells, int raw_eval, int score, int depth)
{
    int weight = depth < CORRECTION_DEPTH ? depth + 1 : CORRECTION_DEPTH, limit = margin(w, CORRECTION_LIMIT);
    int error = score - raw_eval;
    error = error > limit ? limit : error < -limit ? -limit : error;
    for (int i = 0; i < CORRECTION_PARTS; i++)
        *cells.parts[i] += (error * CORRECTION_ONE - *cells.parts[i]) * weight / CORRECTION_WEIGHT;
}

static inline void worker_make(Worker *w, Frame *frame, Move move, bool check)
{
    Position *p = &w->position;
    frame->move = move;
    frame->continuation = &w->histories.continuation[!p->side][moving_kind(p, move)][move_to(move)];
    frame[1].in_check = check;
    make_move(p, move);
    assert(check == in_check(p));
    count_node(w);
}

/* True if the side to move can step onto its last rank with its king and win. */
static bool can_campmate(const Position *p)
{
    int side = p->side, king = p->king[side];
    if (!HAS_CAMPMATE || relative_rank(side, king) < BOARD_RANKS - 2)
        return false;
    Bitboard steps = tables.king_steps[king] & tables.last_ranks[side][1] & ~p->sides[side];
    while (steps)
        if (!is_attacked(p, pop_lowest(&steps), !side, occupied(p) ^ BIT(king)))
            return true;
    return false;
}

/*
 * True if a position of the search is drawn by its history or material. A second occurrence counts
 * already: whoever could do better by another move could have done so the first time. Mate and
 * stalemate come first, as in position_ending.
 */
static bool is_drawn(const Position *p)
{
    if (end_without_mate(p) != END_NONE && count_moves(p))
        return true;
    if (!REPETITION_IS_FORBIDDEN && p->seen[p->key & SEEN_MASK] >= 2 && occurrences(p, p->key) >= 2)
        return true;
    return false;
}

static inline int score_without_moves(bool check, bool forbidden, int ply)
{
    if (check || forbidden || STALEMATE_RESULT == LOSS)
        return -SCORE_MATE + ply;
    return 0;
}

static void update_pv(Frame *frame, Move move)
{
    const Frame *child = frame + 1;
    frame->pv[0] = move;
    frame->pv_length = child->pv_length + 1 < MAX_PLY ? child->pv_length + 1 : MAX_PLY;
    memcpy(frame->pv + 1, child->pv, (size_t)(frame->pv_length - 1) * sizeof(Move));
}

static void picker_begin(Picker *picker, Worker *w, Frame *frame, const Legality *legality, const CheckInfo *checks,
                         Move hash_move, bool noisy_only, int see_threshold)
{
    picker->position = &w->position;
    picker->legality = legality;
    picker->checks = checks;
    picker->eval = w->eval;
    picker->histories = &w->histories;
    picker->continuation[0] = frame[-1].continuation;
    picker->continuation[1] = frame[-2].continuation;
    picker->continuation[2] = frame[-4].continuation;
    picker->hash_move = hash_move;
    picker->special[0] = picker->special[1] = picker->special[2] = MOVE_NONE;
    picker->stage = PICK_HASH;
    picker->noisy_only = noisy_only;
    picker->checks_only = picker->with_checks = false;
    picker->see_threshold = see_threshold;
    picker->end = picker->bad_at = picker->bad_end = 0;
}

/*
 * Quiescence: captures and promotions that do not lose, all moves when in check. Drops give captured
 * pieces back, so such lines need not end by themselves: from QUIESCENCE_CHECKS plies on a check is
 * no longer answered in full, and only captures that win something are looked at.
 */
enum { QUIESCENCE_CHECKS = 4 };

static int search_quiescence(Worker *w, int alpha, int beta, int ply, int quiescence_ply)
{
    Position *p = &w->position;
    Frame *frame = &w->frames[ply + FRAMES_BEFORE_ROOT];
    const bool late = quiescence_ply > QUIESCENCE_CHECKS;
    const bool check = frame->in_check && !late, pv_node = beta - alpha > 1;
    frame->pv_length = 0;
    if (ply > w->selective_depth)
        w->selective_depth = ply;
    if (stopped(w))
        return 0;
    if (is_campmated(p))
        return -SCORE_MATE + ply;
    if (HAS_DRAWS && is_drawn(p))
        return 0;
    if (ply >= MAX_PLY - 1)
        return check ? 0 : evaluate_side(w);
    if (can_campmate(p))
        return SCORE_MATE - ply - 1;

    TableEntry entry = {.bound = BOUND_NONE, .eval = NO_EVAL};
    const uint64_t key = table_key(p);
    bool found = table_probe(w->table, key, &entry);
    int table_score = found ? score_from_table(entry.score, ply) : 0;
    if (found && !pv_node && (entry.bound & (table_score >= beta ? BOUND_LOWER : BOUND_UPPER)))
        return table_score;

    int best = -SCORE_INFINITE, raw_eval = NO_EVAL, futility = -SCORE_INFINITE;
    if (!check) {
        raw_eval = found && entry.eval != NO_EVAL ? entry.eval : evaluate_side(w);
        best = corrected(correction_cells(&w->histories.corrections[p->side], p, frame[-1].move), raw_eval);
        if (found && (entry.bound & (table_score > best ? BOUND_LOWER : BOUND_UPPER)))
            best = table_score;
        if (best >= beta) {
            if (!found)
                table_store(w->table, key, (TableEntry){MOVE_NONE, score_to_table(best, ply), raw_eval, 0, BOUND_LOWER, 0});
            return best;
        }
        if (best > alpha)
            alpha = best;
        futility = best + margin(w, quiescence_margin);
    }

    Legality legality;
    CheckInfo checks;
    Picker picker;
    legality_compute(p, &legality);
    check_info_compute(p, &checks);
    Move hash_move = found && entry.move != MOVE_NONE && (check || is_noisy(p, entry.move)) &&
                             move_is_legal(p, &legality, entry.move) ? entry.move : MOVE_NONE;
    picker_begin(&picker, w, frame, &legality, &checks, hash_move, !check, late);
    picker.with_checks = !check && quiescence_ply == 0;

    Move best_move = MOVE_NONE, move;
    int count = 0;
    bool forbidden = false;
    ScoreBound bound = BOUND_UPPER;
    while ((move = pick_next(&picker, check && best > -SCORE_MATE_BOUND && count >= 2)) != MOVE_NONE) {
        if (move_repeats(p, move)) {
            forbidden = true;
            continue;
        }
        bool child_check = gives_check(p, &checks, move);
        if (best > -SCORE_MATE_BOUND && !check && !child_check && !move_promotes(move)) {
            int value = futility + w->eval->exchange[KIND_OF(victim_of(p, move))];
            if (value <= alpha) {
                best = value > best ? value : best;
                continue;
            }
        }
        if (check && best > -SCORE_MATE_BOUND && !see_ge(p, w->eval, move, 0))
            continue;
        count++;
        table_prefetch(w->table, key_after(p, move));
        bool same_side = keeps_turn(p, move);
        worker_make(w, frame, move, child_check);
        int score = same_side ? search_quiescence(w, alpha, beta, ply + 1, quiescence_ply + 1)
                              : -search_quiescence(w, -beta, -alpha, ply + 1, quiescence_ply + 1);
        unmake_move(p);
        if (stopped(w))
            return 0;
        if (score <= best)
            continue;
        best = score;
        if (score <= alpha)
            continue;
        best_move = move;
        if (pv_node)
            update_pv(frame, move);
        if (score >= beta) {
            bound = BOUND_LOWER;
            break;
        }
        alpha = score;
        bound = BOUND_EXACT;
    }
    if (check && best == -SCORE_INFINITE)
        return score_without_moves(true, forbidden, ply);
    if (!forbidden)
        table_store(w->table, key, (TableEntry){best_move, score_to_table(best, ply), raw_eval, 0, bound, 0});
    return best;
}

/* --- histories --------------------------------------------------------------------------------------- */

static void update_quiet(Worker *w, const Frame *frame, Move move, int bonus)
{
    const Position *p = &w->position;
    Kind kind = moving_kind(p, move);
    int to = move_to(move);
    history_update(&w->histories.butterfly[p->side][move_from(move)][to], bonus);
    history_update(&(*frame[-1].continuation)[kind][to], bonus);
    history_update(&(*frame[-2].continuation)[kind][to], bonus);
    history_update(&(*frame[-4].continuation)[kind][to], bonus);
}

static void update_capture(Worker *w, Move move, int bonus)
{
    const Position *p = &w->position;
    int victim = victim_of(p, move);
    if (victim != NO_PIECE)
        history_update(&w->histories.capture[KIND_OF(p->board[move_from(move)])][move_to(move)][KIND_OF(victim)], bonus);
}

/* After a cutoff: the best move gains, what was tried before it loses. */
static void update_histories(Worker *w, Frame *frame, Move best, int depth, const Move *quiets, int quiet_count,
                             const Move *captures, int capture_count)
{
    Position *p = &w->position;
    int bonus = depth > 13 ? 1600 : 16 * depth * depth + 128 * depth - 64;
    if (bonus > 1600)
        bonus = 1600;
    if (is_noisy(p, best)) {
        update_capture(w, best, bonus);
    } else {
        if (frame->killers[0] != best) {
            frame->killers[1] = frame->killers[0];
            frame->killers[0] = best;
        }
        Move previous = frame[-1].move;
        if (previous != MOVE_NONE) {
            int to = move_to(previous);
            w->histories.counter[p->side][KIND_OF(p->board[to])][to] = best;
        }
        update_quiet(w, frame, best, bonus);
        for (int i = 0; i < quiet_count; i++)
            update_quiet(w, frame, quiets[i], -bonus);
    }
    for (int i = 0; i < capture_count; i++)
        update_capture(w, captures[i], -bonus);
}

/* --- the main search ------------------------------------------------------------------------------- */

static int search_node(Worker *w, int alpha, int beta, int depth, int ply, bool cut_node);

/* The value of the position after a move for the side that made it, which may be to move again. */
static inline int search_child(Worker *w, int alpha, int beta, int depth, int ply, bool cut_node, bool same_side)
{
    if (same_side)
        return search_node(w, alpha, beta, depth, ply, cut_node);
    return -search_node(w, -beta, -alpha, depth, ply, cut_node);
}

/* Score of a null move, or below beta if it does not hold. */
static int search_null(Worker *w, Frame *frame, int beta, int depth, int ply, bool cut_node, int eval)
{
    int surplus = (eval - beta) / (margin(w, null_margin) + 1), reduction = 3 + depth / 4 + (surplus < 3 ? surplus : 3);
    frame->move = MOVE_NONE;
    frame->continuation = &w->no_continuation;
    frame[1].in_check = false;
    make_null_move(&w->position);
    count_node(w);
    int score = -search_node(w, -beta, -beta + 1, depth - reduction, ply + 1, !cut_node);
    unmake_null_move(&w->position);
    return score >= SCORE_MATE_BOUND ? beta : score;
}

/* The root moves from the current multi-PV line on take the place of a picker. */
static Move next_move(Worker *w, Picker *picker, bool root, size_t *root_index, bool skip_quiets)
{
    if (!root)
        return pick_next(picker, skip_quiets);
    return *root_index < w->root_count ? w->roots[(*root_index)++].move : MOVE_NONE;
}

static void note_root_move(Worker *w, const Frame *frame, Move move, int score, bool is_best)
{
    for (size_t i = (size_t)w->line; i < w->root_count; i++) {
        RootMove *root = &w->roots[i];
        if (root->move != move)
            continue;
        root->score = is_best ? score : -SCORE_INFINITE;
        if (is_best) {
            root->selective_depth = w->selective_depth;
            root->pv[0] = move;
            int rest = frame[1].pv_length < ENGINE_MAX_PV - 1 ? frame[1].pv_length : ENGINE_MAX_PV - 1;
            memcpy(root->pv + 1, frame[1].pv, (size_t)rest * sizeof(Move));
            root->pv_length = rest + 1;
        }
        return;
    }
}

static inline int late_move_reduction(int depth, int number)
{
    return reductions[depth < LMR_SIZE ? depth : LMR_SIZE - 1][number < LMR_SIZE ? number : LMR_SIZE - 1];
}

/* After this many moves quiet ones are no longer searched. */
static inline int late_move_limit(int depth, bool improving) { return (late_moves + depth * depth) / (improving ? 1 : 2); }

/* True if a quiet move with this much depth left cannot be expected to reach alpha. */
static inline bool is_futile(const Worker *w, const Frame *frame, int reduced_depth, int alpha)
{
    int depth = reduced_depth > 0 ? reduced_depth : 0;
    return depth <= 6 && frame->static_eval + margin(w, futility_base + futility_margin * depth) <= alpha;
}

static int search_node(Worker *w, int alpha, int beta, int depth, int ply, bool cut_node)
{
    if (depth <= 0)
        return search_quiescence(w, alpha, beta, ply, 0);
    Position *p = &w->position;
    Frame *frame = &w->frames[ply + FRAMES_BEFORE_ROOT];
    const bool root = ply == 0, pv_node = beta - alpha > 1, check = frame->in_check;
    const Move excluded = frame->excluded;
    frame->pv_length = 0;
    frame[1].excluded = MOVE_NONE;
    frame[2].killers[0] = frame[2].killers[1] = MOVE_NONE;
    if (ply > w->selective_depth)
        w->selective_depth = ply;
    if (stopped(w))
        return 0;

    if (!root) {
        if (is_campmated(p))
            return -SCORE_MATE + ply;
        if (HAS_DRAWS && is_drawn(p))
            return 0;
        if (ply >= MAX_PLY - 1)
            return check ? 0 : evaluate_side(w);
        if (can_campmate(p) && excluded == MOVE_NONE)
            return SCORE_MATE - ply - 1;
        if (alpha < -SCORE_MATE + ply)
            alpha = -SCORE_MATE + ply;
        if (beta > SCORE_MATE - ply - 1)
            beta = SCORE_MATE - ply - 1;
        if (alpha >= beta)
            return alpha;
    }

    /* The table: not trusted where this position has been before, since what may follow differs. */
    Legality legality;
    legality_compute(p, &legality); /* here, so that the table's cache line can arrive meanwhile */
    TableEntry entry = {.bound = BOUND_NONE, .eval = NO_EVAL};
    const uint64_t key = table_key(p);
    bool found = excluded == MOVE_NONE && table_probe(w->table, key, &entry);
    int table_score = found ? score_from_table(entry.score, ply) : 0;
    bool recurs = p->seen[p->key & SEEN_MASK] >= 2 && occurrences(p, p->key) >= 2;
    if (found && !pv_node && !recurs && entry.depth >= depth &&
        (entry.bound & (table_score >= beta ? BOUND_LOWER : BOUND_UPPER)))
        return table_score;

    Move hash_move = root ? w->roots[w->line].move : found ? entry.move : MOVE_NONE;
    if (!root && hash_move != MOVE_NONE && !move_is_legal(p, &legality, hash_move))
        hash_move = MOVE_NONE;

    /* Static evaluation, and a better guess from the table. */
    int raw_eval = NO_EVAL, eval;
    const CorrectionCells cells = correction_cells(&w->histories.corrections[p->side], p, frame[-1].move);
    if (check) {
        frame->static_eval = eval = -SCORE_INFINITE;
    } else {
        raw_eval = found && entry.eval != NO_EVAL ? entry.eval : evaluate_side(w);
        frame->static_eval = eval = corrected(cells, raw_eval);
        if (found && (entry.bound & (table_score > eval ? BOUND_LOWER : BOUND_UPPER)))
            eval = table_score;
    }
    const bool improving = !check && (frame[-2].static_eval == -SCORE_INFINITE || frame->static_eval > frame[-2].static_eval);

    if (!pv_node && !check && excluded == MOVE_NONE && beta > -SCORE_MATE_BOUND && beta < SCORE_MATE_BOUND) {
        /* Razoring: far below alpha near the leaves only captures can help. */
        if (depth <= 3 && eval + margin(w, razor_margin * depth) < alpha) {
            int score = search_quiescence(w, alpha, alpha + 1, ply, 0);
            if (stopped(w))
                return 0;
            if (score <= alpha)
                return score;
        }
        /* Reverse futility: far above beta near the leaves nothing is likely to go wrong. */
        if (depth <= 8 && eval - margin(w, reverse_futility_margin * (depth - improving)) >= beta && eval < SCORE_MATE_BOUND)
            return eval;
        /* Null move; a placement cannot be passed. */
        if (depth >= 3 && !has_placements(p, p->side) && frame[-1].move != MOVE_NONE && eval >= beta && frame->static_eval >= beta - margin(w, 20 * depth)) {
            int score = search_null(w, frame, beta, depth, ply, cut_node, eval);
            if (stopped(w))
                return 0;
            if (score >= beta)
                return score;
        }
    }
    /* Internal iterative reduction: without a hash move this node is probably not worth its depth. */
    if (depth >= 4 && hash_move == MOVE_NONE && excluded == MOVE_NONE && (pv_node || cut_node))
        depth--;

    CheckInfo checks;
    Picker picker;
    check_info_compute(p, &checks);
    picker_begin(&picker, w, frame, &legality, &checks, hash_move, false, 0);
    Move previous = frame[-1].move;
    Move specials[3] = {frame->killers[0], frame->killers[1], MOVE_NONE};
    if (previous != MOVE_NONE)
        specials[2] = w->histories.counter[p->side][KIND_OF(p->board[move_to(previous)])][move_to(previous)];
    for (int i = 0; i < 3; i++)
        if (!check && specials[i] != MOVE_NONE && specials[i] != hash_move && !is_special(&picker, specials[i]) &&
            move_is_legal(p, &legality, specials[i]) && !is_noisy(p, specials[i]))
            picker.special[i] = specials[i];

    const int original_alpha = alpha;
    int best = -SCORE_INFINITE, number = 0, quiet_count = 0, capture_count = 0;
    bool skip_quiets = false, forbidden = false;
    Move best_move = MOVE_NONE, move, quiets[MAX_QUIETS_TRIED], captures[MAX_QUIETS_TRIED];
    size_t root_index = (size_t)w->line;

    for (;;) {
        /* Late or hopeless: of the quiet moves only those that give check are still looked at. */
        if (!root && !check && !skip_quiets && best > -SCORE_MATE_BOUND)
            skip_quiets = number >= late_move_limit(depth, improving) ||
                          is_futile(w, frame, depth - 1 - late_move_reduction(depth, number + 1), alpha);
        move = next_move(w, &picker, root, &root_index, skip_quiets);
        if (move == MOVE_NONE)
            break;
        if (move == excluded)
            continue;
        const bool noisy = is_noisy(p, move), child_check = gives_check(p, &checks, move);
        const bool same_side = keeps_turn(p, move);
        const int history = noisy ? 0 : quiet_history(&picker, move);
        int reduction = late_move_reduction(depth, number + 1);

        /* Pruning of late, hopeless and losing moves, once one move is known not to be mated. */
        if (!root && best > -SCORE_MATE_BOUND) {
            int reduced = depth - 1 - reduction > 0 ? depth - 1 - reduction : 0;
            if (!noisy && !child_check) {
                if (number >= late_move_limit(depth, improving))
                    skip_quiets = true;
                if (!check && is_futile(w, frame, reduced, alpha)) {
                    skip_quiets = true;
                    continue;
                }
                if (reduced <= 4 && history < -history_pruning * (reduced + 1))
                    continue;
                if (reduced <= 7 && !see_ge(p, w->eval, move, -margin(w, exchange_quiet * reduced * reduced)))
                    continue;
            } else if (depth <= 7 && !see_ge(p, w->eval, move, -margin(w, exchange_noisy * depth))) {
                continue;
            }
        }
        uint64_t next_key = key_after(p, move);
        table_prefetch(w->table, next_key);
        if (!root && REPETITION_IS_FORBIDDEN && p->seen[next_key & SEEN_MASK] >= 2 && occurrences(p, next_key) >= 2) {
            forbidden = true;
            continue;
        }
        number++;

        /* Extensions: the only good move, and checks that do not lose the piece. */
        int extension = 0;
        if (!root && depth >= 7 && move == hash_move && excluded == MOVE_NONE && entry.depth >= depth - 3 &&
            (entry.bound & BOUND_LOWER) && table_score < SCORE_MATE_BOUND && table_score > -SCORE_MATE_BOUND &&
            ply < 2 * w->root_depth) {
            int limit = table_score - margin(w, 2 * depth) - 1;
            frame->excluded = move;
            int score = search_node(w, limit - 1, limit, (depth - 1) / 2, ply, cut_node);
            frame->excluded = MOVE_NONE;
            if (stopped(w))
                return 0;
            if (score < limit)
                extension = 1;
            else if (limit >= beta)
                return limit;
        } else if (child_check && ply < 2 * w->root_depth && depth <= 8 && see_ge(p, w->eval, move, 0)) {
            extension = 1;
        }

        int next_depth = depth - 1 + extension, score = -SCORE_INFINITE;
        worker_make(w, frame, move, child_check);
        bool full = true;
        if (depth >= 2 && number > 1 + root && (!noisy || number > 6)) {
            reduction += cut_node + !improving - pv_node - child_check - check;
            if (noisy)
                reduction--;
            else
                reduction -= history / reduction_history;
            if (move == picker.special[0] || move == picker.special[1])
                reduction--;
            int reduced = next_depth - (reduction > 0 ? reduction : 0);
            if (reduced < 1)
                reduced = 1;
            if (reduced < next_depth) {
                score = search_child(w, alpha, alpha + 1, reduced, ply + 1, true, same_side);
                full = score > alpha;
            }
        }
        if (full && (!pv_node || number > 1))
            score = search_child(w, alpha, alpha + 1, next_depth, ply + 1, !cut_node, same_side);
        if (pv_node && (number == 1 || (score > alpha && (root || score < beta))))
            score = search_child(w, alpha, beta, next_depth, ply + 1, false, same_side);
        unmake_move(p);
        if (stopped(w))
            return 0;

        if (root)
            note_root_move(w, frame, move, score, number == 1 || score > alpha);
        if (score > best) {
            best = score;
            if (score > alpha) {
                best_move = move;
                if (pv_node && !root)
                    update_pv(frame, move);
                if (score >= beta)
                    break;
                alpha = score;
            }
        }
        if (move != best_move) {
            if (noisy && capture_count < MAX_QUIETS_TRIED)
                captures[capture_count++] = move;
            else if (!noisy && quiet_count < MAX_QUIETS_TRIED)
                quiets[quiet_count++] = move;
        }
    }

    if (best == -SCORE_INFINITE)
        return excluded != MOVE_NONE ? alpha : score_without_moves(check, forbidden, ply);
    if (best >= beta && best_move != MOVE_NONE)
        update_histories(w, frame, best_move, depth, quiets, quiet_count, captures, capture_count);
    /* A quiet score that the evaluation missed, where it is more than a bound on the right side. */
    if (!check && excluded == MOVE_NONE && best > -SCORE_MATE_BOUND && best < SCORE_MATE_BOUND &&
        (best_move == MOVE_NONE ? best < frame->static_eval : !is_noisy(p, best_move) && (best < beta || best > frame->static_eval)))
        correct(w, cells, raw_eval, best, depth);
    if (excluded == MOVE_NONE && !forbidden && !(root && w->line > 0)) {
        ScoreBound bound = best >= beta ? BOUND_LOWER : best > original_alpha ? BOUND_EXACT : BOUND_UPPER;
        table_store(w->table, key, (TableEntry){best_move, score_to_table(best, ply), raw_eval, depth, bound, 0});
    }
    return best;
}
