/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * variant.h - the first include of every core file: turns the constants of one variant header
 * into types and tables. Nothing below this file knows which variant it is; a rule is asked for
 * by its name.
 */
#pragma once

#ifndef VARIANT_HEADER
#error "core/ is compiled once for each variant; see engine/CMakeLists.txt"
#endif

#include <stdbool.h>
#include <stdint.h>

/* Atoms: the elementary moves that pieces are made of. Forward ones depend on the side. */
#define ATOMS(X)                                                                                   \
    X(ATOM_FORWARD)        /* one square straight ahead              */                            \
    X(ATOM_FORWARD_DIAGONAL) /* one square diagonally ahead          */                            \
    X(ATOM_STEP_ROOK)      /* one square along a rank or file        */                            \
    X(ATOM_STEP_BISHOP)    /* one square diagonally                  */                            \
    X(ATOM_LEAP_KNIGHT)                                                                            \
    X(ATOM_LEAP_TWO_ROOK)  /* exactly two along a rank or file, over anything */                   \
    X(ATOM_LEAP_TWO_BISHOP) /* exactly two diagonally, over anything */                            \
    X(ATOM_SHORT_ROOK)     /* up to SHORT_SLIDE_RANGE squares        */                            \
    X(ATOM_SHORT_BISHOP)                                                                           \
    X(ATOM_SLIDE_ROOK)     /* any distance along a rank or file      */                            \
    X(ATOM_SLIDE_BISHOP)   /* any distance diagonally                */
#define ATOM_ID(id) id,
enum { ATOMS(ATOM_ID) ATOM_COUNT };
#undef ATOM_ID

/* Sets of atoms, as variant headers write them. */
enum {
    FORWARD = 1 << ATOM_FORWARD,
    FORWARD_DIAGONAL = 1 << ATOM_FORWARD_DIAGONAL,
    STEP_ROOK = 1 << ATOM_STEP_ROOK,
    STEP_BISHOP = 1 << ATOM_STEP_BISHOP,
    STEP_KING = STEP_ROOK | STEP_BISHOP,
    LEAP_KNIGHT = 1 << ATOM_LEAP_KNIGHT,
    LEAP_TWO = 1 << ATOM_LEAP_TWO_ROOK | 1 << ATOM_LEAP_TWO_BISHOP,
    SHORT_SLIDE_QUEEN = 1 << ATOM_SHORT_ROOK | 1 << ATOM_SHORT_BISHOP,
    SLIDE_ROOK = 1 << ATOM_SLIDE_ROOK,
    SLIDE_BISHOP = 1 << ATOM_SLIDE_BISHOP,
    SLIDE_QUEEN = SLIDE_ROOK | SLIDE_BISHOP,
    ALL_SLIDES = SLIDE_QUEEN | SHORT_SLIDE_QUEEN
};

/* What STALEMATE_RESULT may be, for the side that cannot move. */
enum { LOSS, DRAW };

/*
 * PROMOTION_STYLE. With the first two the row of a piece says what it promotes to and a move that
 * promotes carries '+'; with the others pawns promote to one of PROMOTION_KINDS and the move
 * carries its letter.
 */
enum {
    PROMOTE_ALWAYS,  /* every move to, from or within the zone promotes                        */
    PROMOTE_AT_WILL, /* such a move may promote, and must where the piece could never move on  */
    PROMOTE_TO_NAMED, /* a pawn that reaches the zone must                                     */
    PROMOTE_AS_MOVE  /* a pawn on a promotion square may, as a move of its own, in place or one
                        step diagonally, while its side has no such piece                      */
};

/* SETUP_PHASE: pieces in hand are placed before anything else may be played. */
enum {
    SETUP_NONE,
    SETUP_ALTERNATING, /* the sides take turns                    */
    SETUP_IN_TURN      /* White places everything, then Black     */
};

/* INSUFFICIENT_MATERIAL: when what is left is a draw. */
enum { NEVER_INSUFFICIENT, BARE_KINGS_INSUFFICIENT, NEITHER_CAN_MATE };

#include VARIANT_HEADER

enum { SQUARES = BOARD_FILES * BOARD_RANKS, NO_SQUARE = 255 };
#if BOARD_FILES * BOARD_RANKS <= 64
typedef uint64_t Bitboard;
#else
__extension__ typedef unsigned __int128 Bitboard;
#endif

/* Kinds of piece. */
#define KIND_ID(kind, text, alias, captures, quiets, promoted, base) kind,
typedef enum Kind { PIECES(KIND_ID) KINDS, NO_KIND = KINDS } Kind;
#undef KIND_ID

/* A piece on the board: kind and side in one byte. */
enum { PIECES_ON_BOARD = 2 * KINDS, NO_PIECE = PIECES_ON_BOARD };
#define PIECE(kind, side) ((uint8_t)((int)(kind) * 2 + (int)(side)))
#define KIND_OF(piece) ((Kind)((piece) >> 1))
#define SIDE_OF(piece) ((Side)((piece)&1))

/* [kind]: its row of the variant's list. */
#define KIND_TEXT(kind, text, alias, captures, quiets, promoted, base) text,
#define KIND_ALIAS(kind, text, alias, captures, quiets, promoted, base) alias,
#define KIND_CAPTURES(kind, text, alias, captures, quiets, promoted, base) (captures),
#define KIND_QUIETS(kind, text, alias, captures, quiets, promoted, base) (quiets),
#define KIND_PROMOTED(kind, text, alias, captures, quiets, promoted, base) promoted,
#define KIND_BASE(kind, text, alias, captures, quiets, promoted, base) base,
#define KIND_NAME(kind, text, alias, captures, quiets, promoted, base) #kind,
static const char *const kind_text[KINDS] = {PIECES(KIND_TEXT)};
static const char kind_alias[KINDS] = {PIECES(KIND_ALIAS)};
static const uint16_t kind_captures[KINDS] = {PIECES(KIND_CAPTURES)};
static const uint16_t kind_quiets[KINDS] = {PIECES(KIND_QUIETS)};
static const uint8_t kind_promoted[KINDS] = {PIECES(KIND_PROMOTED)};
static const uint8_t kind_base[KINDS] = {PIECES(KIND_BASE)};
static const char *const kind_name[KINDS] = {PIECES(KIND_NAME)};

/* The atoms that any piece captures or moves with, and the kinds that can promote. */
#define ALL_CAPTURES(kind, text, alias, captures, quiets, promoted, base) | (captures)
#define CAN_PROMOTE(kind, text, alias, captures, quiets, promoted, base)                           \
    | ((promoted) != NO_KIND ? 1u << (kind) : 0u)
#define ALL_QUIETS(kind, text, alias, captures, quiets, promoted, base) | (quiets)
#define ALL_SPLITS(kind, text, alias, captures, quiets, promoted, base) | ((captures) ^ (quiets))
#define LIMITED_KIND(kind) | 1u << (kind)
enum {
    CAPTURE_ATOMS = 0 PIECES(ALL_CAPTURES),
    MOVE_ATOMS = CAPTURE_ATOMS PIECES(ALL_QUIETS),
    SPLIT_ATOMS = 0 PIECES(ALL_SPLITS) /* atoms that some piece only captures with, or never does */
};
static const uint32_t promotable_kinds = 0u PIECES(CAN_PROMOTE);
static const uint32_t limited_kinds = 0u PROMOTION_LIMITS(LIMITED_KIND); /* one a side on the board */

enum {
    HAS_HANDS = HAND_KINDS > 0,
    HAS_SETUP = SETUP_PHASE != SETUP_NONE,
    HAS_MISSING_SQUARES = sizeof BOARD_SHAPE > 1,
    PROMOTION_IS_FORCED = PROMOTION_STYLE == PROMOTE_ALWAYS,
    PROMOTION_IS_NAMED = PROMOTION_STYLE == PROMOTE_TO_NAMED || PROMOTION_STYLE == PROMOTE_AS_MOVE
};

/* The kinds that a pawn may choose from, NO_KIND at the end. */
#define NAMED_KIND(kind) kind,
static const uint8_t named_promotions[] = {PROMOTION_KINDS(NAMED_KIND) NO_KIND};
enum { NAMED_PROMOTIONS = sizeof named_promotions - 1 };

_Static_assert(KINDS <= 32, "a set of kinds fits 32 bits");
_Static_assert(SQUARES <= 128, "the board fits a bitboard");
_Static_assert(SQUARES + HAND_KINDS <= 128, "the origin of a move, hands included, fits 7 bits");
