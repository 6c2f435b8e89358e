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
    Bitboard leaps[ATOM_SHORT_ROOK][2][SQUARES];  /* [atom][side][square]                      */
    Bitboard king_steps[SQUARES];
    Bitboard rook_lines[SQUARES], bishop_lines[SQUARES]; /* slides on the empty board          */
    Bitboard short_rook_lines[SQUARES], short_bishop_lines[SQUARES]; /* the same, short slides */
    Bitboard live;                                /* the squares that exist                    */
    Bitboard setup_squares[2];                    /* SETUP_SQUARES, by side                    */
    Bitboard light;                               /* squares of one colour                     */
    Bitboard diagonals;                           /* the two long ones                         */
    Bitboard corners_and_centre;                  /* four 2x2 blocks and the middle one        */
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
    return BIT(square_at(file, rank)) & tables.live;
}

/* Reads BOARD_SHAPE, the board field of a FEN in which a star is a missing square. */
static void live_squares_fill(void)
{
    int file = 0, rank = BOARD_RANKS - 1;
    tables.live = ALL_SQUARES;
    for (const char *at = BOARD_SHAPE; *at; at++) {
        if (*at == '/') {
            file = 0;
            rank--;
        } else if (*at == '*') {
            tables.live &= ~BIT(square_at(file++, rank));
        } else {
            file += *at - '0';
        }
    }
}

static void attacks_fill_square(int square)
{
    int file = file_of(square), rank = rank_of_square(square);
    for (int ray = 0; ray < RAYS; ray++) {
        Bitboard passed = 0;
        bool straight = ray_file[ray] == 0 || ray_rank[ray] == 0;
        for (int step = 1;; step++) {
            Bitboard next = square_if_on_board(file + step * ray_file[ray], rank + step * ray_rank[ray]);
            if (!next)
                break;
            tables.between[square][lowest(next)] = passed;
            passed |= next;
            if (step <= SHORT_SLIDE_RANGE)
                *(straight ? &tables.short_rook_lines[square] : &tables.short_bishop_lines[square]) |= next;
        }
        tables.rays[square][ray] = passed;
        *(straight ? &tables.rook_lines[square] : &tables.bishop_lines[square]) |= passed;
        Bitboard step = square_if_on_board(file + ray_file[ray], rank + ray_rank[ray]);
        Bitboard leap = square_if_on_board(file + 2 * ray_file[ray], rank + 2 * ray_rank[ray]);
        for (int side = 0; side < 2; side++) {
            tables.leaps[straight ? ATOM_STEP_ROOK : ATOM_STEP_BISHOP][side][square] |= step;
            tables.leaps[straight ? ATOM_LEAP_TWO_ROOK : ATOM_LEAP_TWO_BISHOP][side][square] |= leap;
        }
        tables.king_steps[square] |= step;
    }
    for (int side = 0; side < 2; side++) {
        tables.leaps[ATOM_FORWARD][side][square] = square_if_on_board(file, rank + (side ? -1 : 1));
        for (int across = -1; across <= 1; across += 2)
            tables.leaps[ATOM_FORWARD_DIAGONAL][side][square] |= square_if_on_board(file + across, rank + (side ? -1 : 1));
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

/* Sets of squares that single rules name. */
static void rule_squares_fill(void)
{
    static const char setup[] = SETUP_SQUARES;
    for (size_t i = 0; i + 1 < sizeof setup; i += 2) {
        int square = square_at(setup[i] - 'a', setup[i + 1] - '1');
        tables.setup_squares[0] |= BIT(square);
        tables.setup_squares[1] |= BIT(turned_square(square));
    }
    for (int square = 0; square < SQUARES; square++) {
        int file = file_of(square), rank = rank_of_square(square);
        if ((file + rank) & 1)
            tables.light |= BIT(square);
        if (file == rank || file == BOARD_RANKS - 1 - rank)
            tables.diagonals |= BIT(square);
        bool outer_file = file < 2 || file >= BOARD_FILES - 2, outer_rank = rank < 2 || rank >= BOARD_RANKS - 2;
        bool middle_file = file == BOARD_FILES / 2 || file == (BOARD_FILES - 1) / 2;
        bool middle_rank = rank == BOARD_RANKS / 2 || rank == (BOARD_RANKS - 1) / 2;
        if ((outer_file && outer_rank) || (middle_file && middle_rank))
            tables.corners_and_centre |= BIT(square);
    }
}

static void attacks_fill(void)
{
    live_squares_fill();
    rule_squares_fill();
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
    if (atom == ATOM_SHORT_ROOK)
        return rook_attacks(square, occupied) & tables.short_rook_lines[square];
    if (atom == ATOM_SHORT_BISHOP)
        return bishop_attacks(square, occupied) & tables.short_bishop_lines[square];
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
