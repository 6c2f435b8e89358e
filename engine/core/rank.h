/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rank.h - the frozen order of the history-free legal moves, in which datasets of format 1 and 2
 * store a move as its rank. It never changes without a new RULES_VERSION, uses no evaluation and is specified in
 * data/FORMAT.md: moves ascend by
 *
 *   1. bucket: 0 captures, 1 promotions without capture, 2 drops next to the enemy king,
 *      3 other moves on the board, 4 other drops;
 *   2. within captures: the kind captured, the highest number first, then the kind that captures,
 *      the lowest number first; within other board moves the kind that moves, the highest number
 *      first; within drops the kind dropped, the lowest number first, then the distance to the
 *      enemy king;
 *   3. the target square as its owner sees it (Black's board turned), farthest ranks first;
 *   4. the origin square;
 *   5. where several forms of a move are legal, the promoting ones first, in the order in which the
 *      variant lists what a pawn may choose.
 *
 * Kinds are numbered as in the variant's list of pieces.
 */
#pragma once

#include "core/ending.h"

enum { PLAIN_FORM = 15 }; /* after all promotions */

/* The place of a legal move in the order; different for different moves. */
static uint32_t rank_order(const Position *p, Move move)
{
    int side = p->side, from = move_from(move), to = move_to(move);
    int seen_to = side ? turned_square(to) : to;
    uint32_t form = move_promotes(move) ? (uint32_t)move_promotion(move) : PLAIN_FORM;
    uint32_t bucket, first, second = 0;
    if (move_is_drop(move)) {
        uint32_t distance = has_king(p, !side) ? tables.distance[to][p->king[!side]] : 2;
        bucket = distance <= 1 ? 2 : 4;
        first = (uint32_t)move_drop_kind(move);
        second = distance;
    } else {
        uint32_t kind = (uint32_t)KIND_OF(p->board[from]);
        int victim = victim_of(p, move);
        if (victim != NO_PIECE) {
            bucket = 0;
            first = 31u - (uint32_t)KIND_OF(victim);
            second = kind;
        } else {
            bucket = move_promotes(move) ? 1 : 3;
            first = 31u - kind;
        }
    }
    return bucket << 28 | first << 23 | second << 18 | (uint32_t)(127 - seen_to) << 11 | (uint32_t)from << 4 |
           form;
}

/* Brings the k-th smallest of different numbers to its place: Hoare's quickselect. */
static uint64_t select_smallest(uint64_t *numbers, size_t count, size_t k)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        uint64_t pivot = numbers[low + (high - low) / 2];
        size_t i = low, j = high - 1;
        for (;;) {
            while (numbers[i] < pivot)
                i++;
            while (numbers[j] > pivot)
                j--;
            if (i >= j)
                break;
            uint64_t swapped = numbers[i];
            numbers[i] = numbers[j];
            numbers[j] = swapped;
        }
        /* The pivot now stands at i == j; it is where it belongs. */
        if (k == i)
            break;
        if (k < i)
            high = i;
        else
            low = i + 1;
    }
    return numbers[k];
}

/* MOVE_NONE if there are no more than `rank` moves. */
static Move move_of_rank(const Position *p, size_t rank)
{
    Move moves[ENGINE_MAX_MOVES];
    uint64_t orders[ENGINE_MAX_MOVES];
    size_t count = legal_moves(p, moves);
    if (rank >= count)
        return MOVE_NONE;
    for (size_t i = 0; i < count; i++)
        orders[i] = (uint64_t)rank_order(p, moves[i]) << 16 | moves[i];
    return (Move)(select_smallest(orders, count, rank) & 0xffff);
}
