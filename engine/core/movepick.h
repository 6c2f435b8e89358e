/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * movepick.h - hands out the moves of a node one at a time, likely cutoffs first, and generates
 * each class only when it is needed: hash move, winning captures and promotions, killers and
 * counter-move, quiet moves and drops by history, losing captures.
 */
#pragma once

#include "core/history.h"
#include "core/parameters.h"

typedef enum PickStage {
    PICK_HASH, PICK_GENERATE_NOISY, PICK_GOOD_NOISY, PICK_KILLER_1, PICK_KILLER_2, PICK_COUNTER,
    PICK_GENERATE_QUIET, PICK_QUIET, PICK_BAD_NOISY, PICK_GENERATE_ALL, PICK_ALL, PICK_GENERATE_CHECKS,
    PICK_CHECKS, PICK_DONE
} PickStage;

enum { MAX_BAD_CAPTURES = 128 };

typedef struct Picker {
    const Position *position;
    const Legality *legality;
    const CheckInfo *checks;
    const EvalTables *eval;
    const Histories *histories;
    PieceToHistory *continuation[3];       /* of the last two moves, and the own one before */
    Move hash_move, special[3];            /* killers and counter-move, MOVE_NONE if unusable */
    PickStage stage;
    bool noisy_only;
    bool with_checks;                      /* after noisy_only: quiet checks that do not lose, too */
    bool checks_only;                      /* the quiet moves in the list all give check */
    int see_threshold;                     /* of a good capture */
    size_t end;                            /* of the list that is being picked from */
    size_t bad_at, bad_end;                /* losing captures that have been put off */
    Move bad[MAX_BAD_CAPTURES];
    Move moves[ENGINE_MAX_MOVES];
    int32_t scores[ENGINE_MAX_MOVES];      /* placed: see score_placed */
} Picker;

enum { CAPTURE_BONUS = 1 << 18 };

/*
 * A score with the place of its move in the lower bits, so that one maximum finds both; of equal
 * scores the first wins.
 */
enum { PLACE_BITS = 10, PLACE_MASK = (1 << PLACE_BITS) - 1, PICKED = INT32_MIN };
_Static_assert(ENGINE_MAX_MOVES <= 1 << PLACE_BITS, "the place of a move fits its bits");

static inline int32_t score_placed(int score, size_t place)
{
    return score * (1 << PLACE_BITS) + (PLACE_MASK - (int32_t)place);
}

/* The best scored move that has not been picked yet, MOVE_NONE at the end. */
static inline Move pick_best(Picker *picker)
{
    int32_t best = PICKED;
    for (size_t i = 0; i < picker->end; i++)
        best = picker->scores[i] > best ? picker->scores[i] : best;
    if (best == PICKED)
        return MOVE_NONE;
    size_t place = (size_t)(PLACE_MASK - (best & PLACE_MASK));
    picker->scores[place] = PICKED;
    return picker->moves[place];
}

static void score_noisy(Picker *picker)
{
    const Position *p = picker->position;
    const int *order = picker->eval->order;
    for (size_t i = 0; i < picker->end; i++) {
        Move move = picker->moves[i];
        Kind kind = KIND_OF(p->board[move_from(move)]);
        Kind victim = KIND_OF(victim_of(p, move)); /* NO_KIND where there is none */
        int score = order[victim] * 16 - order[kind == KING ? NO_KIND : kind];
        if (move_promotes(move))
            score += (order[promoted_kind(kind, move)] - order[kind]) * 8;
        if (victim != NO_KIND)
            score += picker->histories->capture[kind][move_to(move)][victim];
        picker->scores[i] = score_placed(score, i);
    }
}

static inline int quiet_history(const Picker *picker, Move move)
{
    const Position *p = picker->position;
    Kind kind = moving_kind(p, move);
    int to = move_to(move);
    return 2 * picker->histories->butterfly[p->side][move_from(move)][to] +
           (*picker->continuation[0])[kind][to] + (*picker->continuation[1])[kind][to] +
           (*picker->continuation[2])[kind][to] / 2;
}

static void score_quiets(Picker *picker)
{
    const Position *p = picker->position;
    Bitboard near_king = has_king(p, !p->side) ? tables.king_steps[p->king[!p->side]] : 0;
    Bitboard check_squares[KINDS];
    for (int kind = 0; kind < KINDS; kind++)
        check_squares[kind] = kind == KING ? 0 : check_squares_of_kind(picker->checks, (Kind)kind);
    for (size_t i = 0; i < picker->end; i++) {
        Move move = picker->moves[i];
        int score = quiet_history(picker, move), to = move_to(move);
        if (check_squares[moving_kind(p, move)] >> to & 1)
            score += check_bonus;
        if (near_king >> to & 1)
            score += near_king_bonus;
        picker->scores[i] = score_placed(score, i);
    }
}

/* Evasions and other full lists: captures first. */
static void score_all(Picker *picker)
{
    const Position *p = picker->position;
    for (size_t i = 0; i < picker->end; i++) {
        Move move = picker->moves[i];
        int victim = victim_of(p, move);
        int score = victim != NO_PIECE
                        ? CAPTURE_BONUS + picker->eval->order[KIND_OF(victim)] * 16 -
                              picker->eval->order[KIND_OF(p->board[move_from(move)])] / 16
                        : quiet_history(picker, move) - (move_is_drop(move) ? 2000 : 0);
        picker->scores[i] = score_placed(score, i);
    }
}

static inline bool is_noisy(const Position *p, Move move)
{
    return !move_is_drop(move) && (move_promotes(move) || victim_of(p, move) != NO_PIECE);
}

static inline bool is_special(const Picker *picker, Move move)
{
    return move == picker->special[0] || move == picker->special[1] || move == picker->special[2];
}

/* Generates one class of moves behind the bad captures and scores it. */
static void picker_fill(Picker *picker, MoveClass wanted)
{
    picker->end = generate_moves(picker->position, picker->legality, wanted, picker->moves);
    if (wanted == MOVES_NOISY)
        score_noisy(picker);
    else if (wanted == MOVES_QUIET)
        score_quiets(picker);
    else
        score_all(picker);
}

/* Generates the quiet moves that give check, which is cheap where most quiet moves are drops. */
static void picker_fill_checks(Picker *picker)
{
    const Position *p = picker->position;
    Sink sink = {.next = picker->moves};
    bool placing = has_placements(p, p->side);
    if (!placing)
        generate_board_moves(p, picker->legality, &sink, MOVES_QUIET, SINK_LIST);
    Move *kept = picker->moves;
    for (const Move *move = kept, *end = sink.next; move < end; move++)
        if (gives_check(p, picker->checks, *move))
            *kept++ = *move;
    sink.next = kept;
    if (HAS_HANDS && (!HAS_SETUP || placing) && !more_than_one(picker->legality->checkers)) {
        Bitboard region = drop_region(p, p->side) & picker->legality->targets;
        for (int kind = 0; kind < HAND_KINDS; kind++)
            if (p->hand[p->side][kind])
                sink_targets(&sink, SQUARES + kind, 0,
                             drop_squares(p, p->side, (Kind)kind, region & check_squares_of_kind(picker->checks, (Kind)kind)), SINK_LIST);
    }
    picker->end = (size_t)(sink.next - picker->moves);
    picker->checks_only = true;
    score_quiets(picker);
}

/* The next move, MOVE_NONE at the end. With `skip_quiets` only quiet moves that give check still
 * come, and none once others have been generated. */
static Move pick_next(Picker *picker, bool skip_quiets)
{
    const Position *p = picker->position;
    for (;;)
        switch (picker->stage) {
        case PICK_HASH:
            picker->stage = !picker->noisy_only && picker->legality->checkers ? PICK_GENERATE_ALL : PICK_GENERATE_NOISY;
            if (picker->hash_move != MOVE_NONE)
                return picker->hash_move;
            break;
        case PICK_GENERATE_NOISY:
            picker_fill(picker, MOVES_NOISY);
            picker->stage = PICK_GOOD_NOISY;
            break;
        case PICK_GOOD_NOISY:
            for (Move move; (move = pick_best(picker)) != MOVE_NONE;) {
                if (move == picker->hash_move)
                    continue;
                if (picker->bad_end == MAX_BAD_CAPTURES || see_ge(p, picker->eval, move, picker->see_threshold))
                    return move;
                picker->bad[picker->bad_end++] = move;
            }
            picker->stage = !picker->noisy_only ? PICK_KILLER_1 : picker->with_checks ? PICK_GENERATE_CHECKS : PICK_DONE;
            break;
        case PICK_KILLER_1:
        case PICK_KILLER_2:
        case PICK_COUNTER: {
            Move move = picker->special[picker->stage - PICK_KILLER_1];
            picker->stage = (PickStage)(picker->stage + 1);
            if (move != MOVE_NONE && !skip_quiets)
                return move;
            break;
        }
        case PICK_GENERATE_QUIET:
            if (skip_quiets)
                picker_fill_checks(picker);
            else
                picker_fill(picker, MOVES_QUIET);
            picker->stage = PICK_QUIET;
            break;
        case PICK_QUIET:
            for (Move move; (!skip_quiets || picker->checks_only) && (move = pick_best(picker)) != MOVE_NONE;)
                if (move != picker->hash_move && !is_special(picker, move))
                    return move;
            picker->stage = PICK_BAD_NOISY;
            break;
        case PICK_BAD_NOISY:
            if (picker->bad_at < picker->bad_end)
                return picker->bad[picker->bad_at++];
            picker->stage = PICK_DONE;
            break;
        case PICK_GENERATE_ALL:
            picker_fill(picker, MOVES_ALL);
            picker->stage = PICK_ALL;
            break;
        case PICK_ALL:
            for (Move move; (move = pick_best(picker)) != MOVE_NONE;) {
                if (move == picker->hash_move || (skip_quiets && !is_noisy(p, move)))
                    continue;
                return move;
            }
            picker->stage = PICK_DONE;
            break;
        case PICK_GENERATE_CHECKS:
            picker_fill_checks(picker);
            picker->stage = PICK_CHECKS;
            break;
        case PICK_CHECKS:
            for (Move move; (move = pick_best(picker)) != MOVE_NONE;)
                if (move != picker->hash_move && see_ge(p, picker->eval, move, 0))
                    return move;
            picker->stage = PICK_DONE;
            break;
        case PICK_DONE:
            return MOVE_NONE;
        }
}
