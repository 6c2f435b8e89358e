/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sittuyin.h - the rules of Sittuyin as clients play it: 8x8, a placement in turns, promotion as a
 * move of its own, counting against a lone king. Constants only; core/variant.h explains each.
 * burmese.h includes this page and changes three switches.
 */
#pragma once

#ifndef VARIANT_NAME
#define VARIANT_NAME sittuyin
#define VARIANT_UCI_NAME "sittuyin"
#define VARIANT_TITLE "Sittuyin"
#define LAST_PAWN_PROMOTES_ANYWHERE 1 /* the last pawn may promote from any square             */
#define STALEMATING_IS_FORBIDDEN 0    /* a move that stalemates is legal                       */
#define COUNT_OF_CORNERED_KING 0      /* limit of a count of king and rook against a king in a
                                         corner or the centre, 0 = as any other                */
#endif
#define RULES_VERSION 1
#define WEIGHTS_HEADER "weights/sittuyin.h"
#define ORDER_HEADER "orders/sittuyin.h"   /* frozen: see core/order.h */
#define START_FEN "8/8/4pppp/pppp4/4PPPP/PPPP4/8/8[KSSFRRNNkssfrrnn] w - - 0 1"
#define BOARD_TEMPLATE "sittuyin" /* how UCI clients that know it draw the board */
#define PAWN_LETTER_IN_SAN 0      /* as PGN writes pawn moves: 1 = Pe4, 0 = e4 */

#define BOARD_FILES 8
#define BOARD_RANKS 8
#define BOARD_SHAPE ""            /* no missing squares                                        */
#define SHORT_SLIDE_RANGE 0       /* of SHORT_SLIDE_..., which no piece has                    */

/* X(kind, FEN text, other letter read on a board, captures, quiet moves, promotes to, falls back to) */
#define PIECES(X)                                                                                  \
    X(ELEPHANT, "S", 0, STEP_BISHOP | FORWARD, STEP_BISHOP | FORWARD, NO_KIND, ELEPHANT)           \
    X(GENERAL,  "F", 0, STEP_BISHOP,           STEP_BISHOP,           NO_KIND, GENERAL)            \
    X(KNIGHT,   "N", 0, LEAP_KNIGHT,           LEAP_KNIGHT,           NO_KIND, KNIGHT)             \
    X(ROOK,     "R", 0, SLIDE_ROOK,            SLIDE_ROOK,            NO_KIND, ROOK)               \
    X(PAWN,     "P", 0, FORWARD_DIAGONAL,      FORWARD,               NO_KIND, PAWN)               \
    X(KING,     "K", 0, STEP_KING,             STEP_KING,             NO_KIND, KING)

#define HAND_KINDS 6              /* all may be in hand but pawns: see HAND_ORDER              */
#define HAND_ORDER "KSFRN"        /* of the letters when a hand is printed                     */

#define PROMOTION_STYLE PROMOTE_AS_MOVE
#define PROMOTION_RANKS 0         /* there is no zone                                          */
#define PROMOTION_LIMITS(X)
#define PROMOTION_KINDS(X) X(GENERAL)

#define SETUP_PHASE SETUP_ALTERNATING
#define SETUP_SQUARES ""          /* the drop region is the rule                               */
#define CAPTURES_GO_TO_HAND 0
#define DROP_RANKS 3              /* depth of the drop region, from a side's first rank        */
#define ROOK_DROP_RANKS 1         /* the same for rooks                                        */
#define PAWN_FORBIDDEN_RANKS 0    /* a pawn may stand on its last rank, and be stuck           */
#define PAWN_DROP_ONE_PER_FILE 0
#define HAS_DOUBLE_STEP 0
#define HAS_CASTLING 0

#define HAS_CAMPMATE 0
#define STALEMATE_RESULT DRAW     /* of the side that cannot move                              */
#define REPETITION_IS_FORBIDDEN 0 /* 0: the third occurrence of a position is a draw           */
#define HAS_FIFTY_MOVE_RULE 1
#define HAS_COUNTING 1            /* a lone king draws by surviving ...                        */
#define COUNT_LIMITS(X) X(ROOK, 32) X(ELEPHANT, 88) X(KNIGHT, 128) /* ... plies, by the best piece */
#define HAS_PROMOTION_CHOICE_DRAW 1 /* king and one pawn with nothing but promotions           */
#define INSUFFICIENT_MATERIAL NEITHER_CAN_MATE
#define MATING_KINDS (1u << ROOK | 1u << ELEPHANT)
#define HELPING_KINDS (1u << KNIGHT | 1u << PAWN) /* win with any other piece on the board     */
#define WEAK_KINDS (1u << GENERAL)                /* win unless all stand on one colour        */
#define CLOCK_RESET_BY_PAWN 1     /* captures, drops and promotions always reset the clock     */
#define HAS_DRAWS 1

#define SYMMETRY_HALF_TURN 1      /* Black's side is White's turned by half, not mirrored      */

#define PHASE_FULL_BOARD 32       /* pieces on the board when the phase is all middlegame      */
#define PHASE_EMPTY_BOARD 6       /* and when it is all endgame                                */
