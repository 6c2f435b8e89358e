/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attacks.h - where the atoms reach. Leaps come from tables. A slide looks at one line through its
 * square at a time: the occupied squares of the line are brought together by a multiplication and
 * name a row of a table, which says how far a slide from that file (or rank) gets, spread over the
 * whole board; the line cuts out its own part. All lines share these rows, so that the tables stay
 * in the first caches (about 50 KiB for 81 squares), and no special instructions are needed.
 * Source: G. Lefler and others, "kindergarten bitboards", here for boards up to 9x9.
 */
#pragma once

#include "core/bitboard.h"

#include <stdlib.h>

enum { RAYS = 8 };
static const int ray_file[RAYS] = {0, 1, 1, -1, 0, -1, -1, 1};
static const int ray_rank[RAYS] = {1, 0, 1, 1, -1, 0, -1, -1};

/*
 * The first LOW_ROWS ranks fit one word; the ranks above are laid over them again. On a line that
 * is not a file each file has one square at most; of a file, the first and last rank stop a slide
 * whether they are occupied or not, and the others fall on rows of their own.
 */
enum {
    LOW_ROWS = SQUARES <= 64 ? BOARD_RANKS : 64 / BOARD_FILES,
    LOW_SQUARES = LOW_ROWS * BOARD_FILES,
    FIRST_ROW = SQUARES <= 64 ? 1 : 0, /* of what an inner rank falls on */
    INNER_FILES = (1 << (BOARD_FILES - 2)) - 1,
    INNER_ROWS = (1 << (SQUARES <= 64 ? BOARD_RANKS - 2 : LOW_ROWS)) - 1,
    FILE_SHIFT = BOARD_FILES * (LOW_ROWS - 1) + 1,
    ROW_SHIFT = (BOARD_FILES - 1) * LOW_ROWS
};
_Static_assert(BOARD_FILES >= 3 && BOARD_RANKS >= 3, "a line has inner squares");
_Static_assert(BOARD_RANKS - 2 <= LOW_ROWS && BOARD_RANKS - 2 < BOARD_FILES, "inner ranks fall on rows of their own");

/* A set whose ranks are to be laid over each other: those of the first word, those above. */
typedef struct Halves {
    uint64_t low, high;
} Halves;

typedef struct Line {
    Bitboard squares; /* without the one it is looked up by */
    Halves blockers;  /* those where it matters whether they are occupied */
} Line;

/* The lines through one square. */
typedef struct Lines {
    Line rank, file, diagonal, antidiagonal;
    const Bitboard *along_files, *along_ranks; /* rows of reach_along_... */
    uint64_t gather_file;
} Lines;

static struct {
    Lines lines[SQUARES];
    Bitboard reach_along_files[BOARD_FILES][INNER_FILES + 1]; /* [from][occupied inner files]  */
    Bitboard reach_along_ranks[BOARD_RANKS][INNER_ROWS + 1];  /* [from][rows of occupied ranks] */
    uint64_t gather_files;
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
        Lines *lines = &tables.lines[square];
        Line *line = ray_file[ray] == 0               ? &lines->file
                     : ray_rank[ray] == 0             ? &lines->rank
                     : ray_file[ray] == ray_rank[ray] ? &lines->diagonal
                                                      : &lines->antidiagonal;
        line->squares |= passed;
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

static inline Halves halves_of(Bitboard set)
{
#if BOARD_FILES * BOARD_RANKS <= 64
    return (Halves){set, 0};
#else
    return (Halves){LOW_HALF(set) & (((uint64_t)1 << LOW_SQUARES) - 1), (uint64_t)(set >> LOW_SQUARES)};
#endif
}

/* The occupied squares of a line, the ranks laid over each other: see LOW_ROWS. */
static inline uint64_t fold(const Line *line, Halves occupied)
{
    uint64_t low = occupied.low & line->blockers.low;
    return SQUARES <= 64 ? low : low | (occupied.high & line->blockers.high);
}

/* How far a slide gets on a line that is not a file. */
static inline Bitboard slide_along_files(const Lines *lines, const Line *line, Halves occupied)
{
    uint64_t files = fold(line, occupied) * tables.gather_files >> FILE_SHIFT & INNER_FILES;
    return lines->along_files[files] & line->squares;
}

static inline Bitboard slide_along_ranks(const Lines *lines, Halves occupied)
{
    uint64_t rows = fold(&lines->file, occupied) * lines->gather_file >> (ROW_SHIFT + FIRST_ROW) & INNER_ROWS;
    return lines->along_ranks[rows] & lines->file.squares;
}

/* How far a slide gets on a line of `length` places, of which some are occupied: a set of places. */
static unsigned reach_on_line(int from, int length, unsigned occupied)
{
    unsigned reached = 0;
    for (int step = -1; step <= 1; step += 2)
        for (int at = from + step; at >= 0 && at < length; at += step) {
            reached |= 1u << at;
            if (occupied >> at & 1)
                break;
        }
    return reached;
}

static void slides_fill(void)
{
    for (int row = 0; row < LOW_ROWS; row++)
        tables.gather_files |= (uint64_t)1 << (row * BOARD_FILES);
    for (int from = 0; from < BOARD_FILES; from++)
        for (unsigned inner = 0; inner <= INNER_FILES; inner++) {
            unsigned reached = reach_on_line(from, BOARD_FILES, inner << 1);
            for (int file = 0; file < BOARD_FILES; file++)
                if (reached >> file & 1)
                    tables.reach_along_files[from][inner] |= tables.files[file];
        }
    for (int from = 0; from < BOARD_RANKS; from++)
        for (unsigned rows = 0; rows <= INNER_ROWS; rows++) {
            unsigned occupied = 0;
            for (int rank = 1; rank < BOARD_RANKS - 1; rank++)
                occupied |= (rows >> (rank % LOW_ROWS - FIRST_ROW) & 1) << rank;
            unsigned reached = reach_on_line(from, BOARD_RANKS, occupied);
            for (int rank = 0; rank < BOARD_RANKS; rank++)
                if (reached >> rank & 1)
                    tables.reach_along_ranks[from][rows] |= tables.ranks[rank];
        }
    for (int square = 0; square < SQUARES; square++) {
        Lines *lines = &tables.lines[square];
        int file = file_of(square);
        Line *const each[] = {&lines->rank, &lines->file, &lines->diagonal, &lines->antidiagonal};
        for (size_t i = 0; i < 4; i++)
            each[i]->blockers = halves_of(each[i]->squares);
        lines->file.blockers = halves_of(lines->file.squares & ~tables.ranks[0] & ~tables.ranks[BOARD_RANKS - 1]);
        lines->along_files = tables.reach_along_files[file];
        lines->along_ranks = tables.reach_along_ranks[rank_of_square(square)];
        for (int row = FIRST_ROW; row < LOW_ROWS; row++) /* row * BOARD_FILES + file to ROW_SHIFT + row */
            lines->gather_file |= (uint64_t)1 << ((BOARD_FILES - 1) * (LOW_ROWS - row) - file);
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
    slides_fill();
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < BOARD_RANKS; n++) {
            tables.first_ranks[side][n + 1] = tables.first_ranks[side][n] | tables.ranks[side ? BOARD_RANKS - 1 - n : n];
            tables.last_ranks[side][n + 1] = tables.last_ranks[side][n] | tables.ranks[side ? n : BOARD_RANKS - 1 - n];
        }
}

static inline __attribute__((always_inline)) Bitboard rook_attacks(int square, Bitboard occupied)
{
    const Lines *lines = &tables.lines[square];
    Halves halves = halves_of(occupied);
    return slide_along_files(lines, &lines->rank, halves) | slide_along_ranks(lines, halves);
}

static inline __attribute__((always_inline)) Bitboard bishop_attacks(int square, Bitboard occupied)
{
    const Lines *lines = &tables.lines[square];
    Halves halves = halves_of(occupied);
    return slide_along_files(lines, &lines->diagonal, halves) | slide_along_files(lines, &lines->antidiagonal, halves);
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

/* The pieces of a side one step on, straight ahead or diagonally to the west or the east. */
static inline Bitboard steps_ahead(Bitboard pieces, int side)
{
    return (side ? pieces >> BOARD_FILES : pieces << BOARD_FILES) & tables.live;
}

static inline Bitboard steps_ahead_west(Bitboard pieces, int side)
{
    pieces &= ~tables.files[0];
    return (side ? pieces >> (BOARD_FILES + 1) : pieces << (BOARD_FILES - 1)) & tables.live;
}

static inline Bitboard steps_ahead_east(Bitboard pieces, int side)
{
    pieces &= ~tables.files[BOARD_FILES - 1];
    return (side ? pieces >> (BOARD_FILES - 1) : pieces << (BOARD_FILES + 1)) & tables.live;
}
