/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * miniburmese.h - the rules of Mini Burmese Chess: 40 squares on a grid of 8x8, each side places
 * its six pieces in one go, stalemate wins. Constants only; core/variant.h explains each.
 */
#pragma once

#define VARIANT_NAME miniburmese
#define VARIANT_UCI_NAME "miniburmese"
#define VARIANT_TITLE "Miniburmese"
#define RULES_VERSION 1
#define WEIGHTS_HEADER "weights/miniburmese.h"
#define ORDER_HEADER "orders/miniburmese.h"   /* frozen: see core/order.h */
#define START_FEN "********/*6*/*3ppp*/1ppp4/4PPP1/*PPP3*/*6*/********[KQRBNGkqrbng] w - - 0 1"
#define BOARD_TEMPLATE "sittuyin" /* how UCI clients that know it draw the board */
#define PAWN_LETTER_IN_SAN 0      /* as PGN writes pawn moves: 1 = Pe4, 0 = e4 */

#define BOARD_FILES 8
#define BOARD_RANKS 8
#define BOARD_SHAPE "********/*6*/*6*/8/8/*6*/*6*/********"
#define SHORT_SLIDE_RANGE 3       /* of the queen                                              */

/* X(kind, FEN text, other letter read on a board, captures, quiet moves, promotes to, falls back to) */
#define PIECES(X)                                                                                  \
    X(QUEEN,  "Q", 0, SHORT_SLIDE_QUEEN, SHORT_SLIDE_QUEEN,    NO_KIND, QUEEN)                     \
    X(ROOK,   "R", 0, SLIDE_ROOK,        SLIDE_ROOK,           NO_KIND, ROOK)                      \
    X(BISHOP, "B", 0, SLIDE_BISHOP,      SLIDE_BISHOP,         NO_KIND, BISHOP)                    \
    X(KNIGHT, "N", 0, LEAP_KNIGHT,       LEAP_KNIGHT,          NO_KIND, KNIGHT)                    \
    X(GUARD,  "G", 0, LEAP_TWO,          LEAP_TWO | STEP_ROOK, NO_KIND, GUARD)                     \
    X(PAWN,   "P", 0, FORWARD_DIAGONAL,  FORWARD,              NO_KIND, PAWN)                      \
    X(KING,   "K", 0, STEP_KING,         STEP_KING,            NO_KIND, KING)

#define HAND_KINDS 7              /* all may be in hand but pawns: see HAND_ORDER              */
#define HAND_ORDER "KQRBNG"       /* of the letters when a hand is printed                     */

#define PROMOTION_STYLE PROMOTE_TO_NAMED
#define PROMOTION_RANKS 2         /* White's pawns promote on rank 7: rank 8 does not exist    */
#define PROMOTION_LIMITS(X)
#define LAST_PAWN_PROMOTES_ANYWHERE 0
#define PROMOTION_KINDS(X) X(QUEEN) X(ROOK) X(BISHOP) X(KNIGHT) X(GUARD)

#define SETUP_PHASE SETUP_IN_TURN
#define SETUP_SQUARES "b2c2d2e2e3f2f3g2g3" /* behind the own pawns                             */
#define CAPTURES_GO_TO_HAND 0
#define DROP_RANKS 8              /* SETUP_SQUARES is the rule                                 */
#define ROOK_DROP_RANKS 8
#define PAWN_FORBIDDEN_RANKS 2    /* last ranks on which no unpromoted pawn may stand          */
#define PAWN_DROP_ONE_PER_FILE 0
#define HAS_DOUBLE_STEP 0
#define HAS_CASTLING 0

#define HAS_CAMPMATE 0
#define STALEMATE_RESULT LOSS     /* of the side that cannot move                              */
#define STALEMATING_IS_FORBIDDEN 0
#define REPETITION_IS_FORBIDDEN 0 /* 0: the third occurrence of a position is a draw           */
#define HAS_FIFTY_MOVE_RULE 1
#define HAS_COUNTING 0
#define COUNT_OF_CORNERED_KING 0
#define COUNT_LIMITS(X)
#define HAS_PROMOTION_CHOICE_DRAW 0
#define INSUFFICIENT_MATERIAL BARE_KINGS_INSUFFICIENT
#define MATING_KINDS 0            /* for NEITHER_CAN_MATE, as are the next two                 */
#define HELPING_KINDS 0
#define WEAK_KINDS 0
#define CLOCK_RESET_BY_PAWN 1     /* captures, drops and promotions always reset the clock     */
#define HAS_DRAWS 1

#define SYMMETRY_HALF_TURN 1      /* Black's side is White's turned by half, not mirrored      */

#define PHASE_FULL_BOARD 24       /* pieces on the board when the phase is all middlegame      */
#define PHASE_EMPTY_BOARD 6       /* and when it is all endgame                                */
