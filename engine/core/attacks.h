/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attacks.h - where the atoms reach. Leaps come from tables; slides cut each ray at its first
 * blocker: on a ray towards higher squares everything up to the lowest blocker is t ^ (t - 1), on
 * one towards lower squares everything from the highest blocker on is a table row. The ray tables
 * are small (about 10 KiB), so they stay in the first cache, and need no special instructions.
 */
#pragma once

#include "core/bitboard.h"

#include <stdlib.h>

enum { RAY_NORTH, RAY_EAST, RAY_NORTH_EAST, RAY_NORTH_WEST, RAY_SOUTH, RAY_WEST, RAY_SOUTH_WEST,
       RAY_SOUTH_EAST, RAYS };
static const int ray_file[RAYS] = {0, 1, 1, -1, 0, -1, -1, 1};
static const int ray_rank[RAYS] = {1, 0, 1, 1, -1, 0, -1, -1};

static struct {
    Bitboard rays[SQUARES][RAYS];
    Bitboard from[sizeof(Bitboard) * 8];          /* the square and all higher ones            */
    Bitboard leaps[ATOM_SLIDE_ROOK][2][SQUARES];  /* [atom][side][square]                      */
    Bitboard king_steps[SQUARES];
    Bitboard rook_lines[SQUARES], bishop_lines[SQUARES]; /* slides on the empty board          */
    Bitboard between[SQUARES][SQUARES];           /* strictly between two squares in line      */
    uint8_t distance[SQUARES][SQUARES];           /* king moves between two squares            */
    Bitboard files[BOARD_FILES], ranks[BOARD_RANKS];
    Bitboard last_ranks[2][BOARD_RANKS + 1];      /* [side][n]: the n ranks farthest from side */
    Bitboard first_ranks[2][BOARD_RANKS + 1];
} tables;

static Bitboard square_if_on_board(int file, int rank)
{
    if (file < 0 || file >= BOARD_FILES || rank < 0 || rank >= BOARD_RANKS)
        return 0;
    return BIT(square_at(file, rank));
}

static void attacks_fill_square(int square)
{
    int file = file_of(square), rank = rank_of_square(square);
    for (int ray = 0; ray < RAYS; ray++) {
        Bitboard passed = 0;
        for (int step = 1;; step++) {
            Bitboard next = square_if_on_board(file + step * ray_file[ray], rank + step * ray_rank[ray]);
            if (!next)
                break;
            tables.between[square][lowest(next)] = passed;
            passed |= next;
        }
        tables.rays[square][ray] = passed;
        bool straight = ray_file[ray] == 0 || ray_rank[ray] == 0;
        *(straight ? &tables.rook_lines[square] : &tables.bishop_lines[square]) |= passed;
        Bitboard step = square_if_on_board(file + ray_file[ray], rank + ray_rank[ray]);
        for (int side = 0; side < 2; side++)
            tables.leaps[straight ? ATOM_STEP_ROOK : ATOM_STEP_BISHOP][side][square] |= step;
        tables.king_steps[square] |= step;
    }
    for (int side = 0; side < 2; side++) {
        tables.leaps[ATOM_FORWARD][side][square] = square_if_on_board(file, rank + (side ? -1 : 1));
        for (int across = -2; across <= 2; across++)
            if (across != 0)
                for (int sign = -1; sign <= 1; sign += 2)
                    tables.leaps[ATOM_LEAP_KNIGHT][side][square] |=
                        square_if_on_board(file + across, rank + sign * (3 - abs(across)));
    }
    for (int other = 0; other < SQUARES; other++) {
        int files = abs(file_of(other) - file), ranks = abs(rank_of_square(other) - rank);
        tables.distance[square][other] = (uint8_t)(files > ranks ? files : ranks);
    }
}

static void attacks_fill(void)
{
    for (int square = 0; square < SQUARES; square++) {
        attacks_fill_square(square);
        tables.files[file_of(square)] |= BIT(square);
        tables.ranks[rank_of_square(square)] |= BIT(square);
    }
    for (unsigned bit = 0; bit < sizeof(Bitboard) * 8; bit++)
        tables.from[bit] = ~(Bitboard)0 << bit;
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < BOARD_RANKS; n++) {
            tables.first_ranks[side][n + 1] = tables.first_ranks[side][n] | tables.ranks[side ? BOARD_RANKS - 1 - n : n];
            tables.last_ranks[side][n + 1] = tables.last_ranks[side][n] | tables.ranks[side ? n : BOARD_RANKS - 1 - n];
        }
}

static inline __attribute__((always_inline)) Bitboard ray_up(int square, int ray, Bitboard occupied)
{
    Bitboard reach = tables.rays[square][ray], blockers = reach & occupied;
    return reach & (blockers ^ (blockers - 1));
}

static inline __attribute__((always_inline)) Bitboard ray_down(int square, int ray, Bitboard occupied)
{
    Bitboard reach = tables.rays[square][ray], blockers = reach & occupied;
    return reach & tables.from[highest(blockers | 1)];
}

static inline __attribute__((always_inline)) Bitboard rook_attacks(int square, Bitboard occupied)
{
    return ray_up(square, RAY_NORTH, occupied) | ray_up(square, RAY_EAST, occupied) |
           ray_down(square, RAY_SOUTH, occupied) | ray_down(square, RAY_WEST, occupied);
}

static inline __attribute__((always_inline)) Bitboard bishop_attacks(int square, Bitboard occupied)
{
    return ray_up(square, RAY_NORTH_EAST, occupied) | ray_up(square, RAY_NORTH_WEST, occupied) |
           ray_down(square, RAY_SOUTH_WEST, occupied) | ray_down(square, RAY_SOUTH_EAST, occupied);
}

/* Where one atom reaches; `atom` is a constant at every call. */
static inline __attribute__((always_inline)) Bitboard atom_attacks(int atom, int side, int square, Bitboard occupied)
{
    if (atom == ATOM_SLIDE_ROOK)
        return rook_attacks(square, occupied);
    if (atom == ATOM_SLIDE_BISHOP)
        return bishop_attacks(square, occupied);
    return tables.leaps[atom][side][square];
}

/* Where a piece of a kind reaches. */
static inline __attribute__((always_inline)) Bitboard kind_attacks(Kind kind, int side, int square, Bitboard occupied)
{
    Bitboard attacks = 0;
#define ATTACKS_OF_ATOM(atom)                                                                      \
    if ((CAPTURE_ATOMS >> atom & 1) && (kind_captures[kind] >> atom & 1))                          \
        attacks |= atom_attacks(atom, side, square, occupied);
    ATOMS(ATTACKS_OF_ATOM)
#undef ATTACKS_OF_ATOM
    return attacks;
}
