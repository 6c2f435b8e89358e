/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bitboard.h - sets of squares. Square = rank * BOARD_FILES + file, a1 = 0; the set has one bit
 * for each. 64 bits where the board fits, else 128.
 */
#pragma once

#include "core/variant.h"

#define BIT(square) ((Bitboard)1 << (square))
#define ALL_SQUARES (SQUARES == sizeof(Bitboard) * 8 ? ~(Bitboard)0 : (BIT(SQUARES % (sizeof(Bitboard) * 8)) - 1))

#if BOARD_FILES * BOARD_RANKS <= 64
#define LOW_HALF(set) ((uint64_t)(set))
#define HIGH_HALF(set) ((uint64_t)0)
#define JOIN_HALVES(low, high) ((Bitboard)(low))
#else
#define LOW_HALF(set) ((uint64_t)(set))
#define HIGH_HALF(set) ((uint64_t)((set) >> 64))
#define JOIN_HALVES(low, high) ((Bitboard)(high) << 64 | (low))
#endif

static inline int file_of(int square) { return square % BOARD_FILES; }
static inline int rank_of_square(int square) { return square / BOARD_FILES; }
static inline int square_at(int file, int rank) { return rank * BOARD_FILES + file; }

/* The rank as its owner counts: 0 is the side's own first rank. */
static inline int relative_rank(int side, int square)
{
    int rank = rank_of_square(square);
    return side ? BOARD_RANKS - 1 - rank : rank;
}

/* A square as Black sees it when White sees `square`. */
static inline int turned_square(int square)
{
    return SYMMETRY_HALF_TURN ? SQUARES - 1 - square
                              : square_at(file_of(square), BOARD_RANKS - 1 - rank_of_square(square));
}

static inline int count_bits(Bitboard set)
{
    int low = __builtin_popcountll(LOW_HALF(set));
    return sizeof(Bitboard) > 8 ? low + __builtin_popcountll(HIGH_HALF(set)) : low;
}

static inline bool more_than_one(Bitboard set) { return (set & (set - 1)) != 0; }

/* The lowest and highest square of a set that is not empty. */
static inline int lowest(Bitboard set)
{
    uint64_t low = LOW_HALF(set);
    if (sizeof(Bitboard) == 8 || low)
        return __builtin_ctzll(low);
    return 64 + __builtin_ctzll(HIGH_HALF(set));
}

static inline int highest(Bitboard set)
{
    uint64_t high = HIGH_HALF(set);
    if (sizeof(Bitboard) > 8 && high)
        return 127 - __builtin_clzll(high);
    return 63 - __builtin_clzll(LOW_HALF(set));
}

/* Removes the lowest square of a set that is not empty, and returns it. */
static inline int pop_lowest(Bitboard *set)
{
    uint64_t low = LOW_HALF(*set), high = HIGH_HALF(*set);
    if (sizeof(Bitboard) == 8 || low) {
        *set = JOIN_HALVES(low & (low - 1), high);
        return __builtin_ctzll(low);
    }
    *set = JOIN_HALVES(0, high & (high - 1));
    return 64 + __builtin_ctzll(high);
}
