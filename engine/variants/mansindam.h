/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mansindam.h - the rules of Mansindam (Pantheon Tale): 9x9, drops, promotion by moving, campmate,
 * no draws. Constants only; core/variant.h explains each.
 */
#pragma once

#define VARIANT_NAME mansindam
#define VARIANT_UCI_NAME "mansindam"
#define VARIANT_TITLE "Mansindam"
#define BOARD_TEMPLATE "shogi"    /* what UCI clients are told to draw it like                 */
#define PAWN_LETTER_IN_SAN 1      /* as PGN writes pawn moves: 1 = Pe4, 0 = e4 */
#define RULES_VERSION 1
#define WEIGHTS_HEADER "weights/mansindam.h"
#define ORDER_HEADER "orders/mansindam.h"   /* frozen: see core/order.h */
#define START_FEN "rnbakqcnm/9/ppppppppp/9/9/9/PPPPPPPPP/9/MNCQKABNR[] w - - 0 1"

#define BOARD_FILES 9
#define BOARD_RANKS 9
#define BOARD_SHAPE ""            /* no missing squares                                        */
#define SHORT_SLIDE_RANGE 0       /* of SHORT_SLIDE_..., which no piece has                    */

/*
 * X(kind, FEN text, other letter read on a board, captures, quiet moves, promotes to, falls back to)
 * The kinds that can be in hand come first, in hand order.
 */
#define PIECES(X)                                                                                  \
    X(PAWN,     "P",  0,   FORWARD,                      FORWARD,                      GUARD,   PAWN)     \
    X(KNIGHT,   "N",  0,   LEAP_KNIGHT,                  LEAP_KNIGHT,                  CENTAUR, KNIGHT)   \
    X(BISHOP,   "B",  0,   SLIDE_BISHOP,                 SLIDE_BISHOP,                 ARCHER,  BISHOP)   \
    X(ROOK,     "R",  0,   SLIDE_ROOK,                   SLIDE_ROOK,                   TIGER,   ROOK)     \
    X(CARDINAL, "C",  0,   SLIDE_BISHOP | LEAP_KNIGHT,   SLIDE_BISHOP | LEAP_KNIGHT,   RHINO,   CARDINAL) \
    X(MARSHAL,  "M",  0,   SLIDE_ROOK | LEAP_KNIGHT,     SLIDE_ROOK | LEAP_KNIGHT,     SHIP,    MARSHAL)  \
    X(QUEEN,    "Q",  0,   SLIDE_QUEEN,                  SLIDE_QUEEN,                  NO_KIND, QUEEN)    \
    X(ANGEL,    "A",  0,   SLIDE_QUEEN | LEAP_KNIGHT,    SLIDE_QUEEN | LEAP_KNIGHT,    NO_KIND, ANGEL)    \
    X(GUARD,    "+P", 'G', STEP_KING,                    STEP_KING,                    NO_KIND, PAWN)     \
    X(CENTAUR,  "+N", 'E', STEP_KING | LEAP_KNIGHT,      STEP_KING | LEAP_KNIGHT,      NO_KIND, KNIGHT)   \
    X(ARCHER,   "+B", 'H', SLIDE_BISHOP | STEP_ROOK,     SLIDE_BISHOP | STEP_ROOK,     NO_KIND, BISHOP)   \
    X(TIGER,    "+R", 'T', SLIDE_ROOK | STEP_BISHOP,     SLIDE_ROOK | STEP_BISHOP,     NO_KIND, ROOK)     \
    X(RHINO,    "+C", 'I', SLIDE_BISHOP | LEAP_KNIGHT | STEP_ROOK,                                        \
                           SLIDE_BISHOP | LEAP_KNIGHT | STEP_ROOK,                     NO_KIND, CARDINAL) \
    X(SHIP,     "+M", 'S', SLIDE_ROOK | LEAP_KNIGHT | STEP_BISHOP,                                        \
                           SLIDE_ROOK | LEAP_KNIGHT | STEP_BISHOP,                     NO_KIND, MARSHAL)  \
    X(KING,     "K",  0,   STEP_KING,                    STEP_KING,                    NO_KIND, KING)

#define HAND_KINDS 8              /* PAWN .. ANGEL                                             */
#define HAND_ORDER "PAMCQRBN"     /* of the letters when a hand is printed                     */

#define PROMOTION_STYLE PROMOTE_ALWAYS /* a move to, from or within the camp must promote      */
#define PROMOTION_RANKS 3         /* depth of the camp, from a side's last rank                */
#define PROMOTION_LIMITS(X)       /* kinds of which a side may have one on the board: none     */
#define LAST_PAWN_PROMOTES_ANYWHERE 0
#define PROMOTION_KINDS(X)        /* kinds that a pawn may choose from: its own row says it    */

#define SETUP_PHASE SETUP_NONE
#define SETUP_SQUARES ""          /* where White places pieces, if not the drop region         */
#define CAPTURES_GO_TO_HAND 1
#define DROP_RANKS 9              /* depth of the drop region, from a side's first rank        */
#define ROOK_DROP_RANKS 9         /* the same for rooks                                        */
#define PAWN_FORBIDDEN_RANKS 1    /* last ranks on which no unpromoted pawn may stand          */
#define PAWN_DROP_ONE_PER_FILE 1  /* no pawn drop on a file with an own unpromoted pawn        */
#define HAS_DOUBLE_STEP 0
#define HAS_CASTLING 0

#define HAS_CAMPMATE 1            /* a king that stands on its last rank has won               */
#define STALEMATE_RESULT LOSS     /* of the side that cannot move                              */
#define STALEMATING_IS_FORBIDDEN 0
#define REPETITION_IS_FORBIDDEN 1 /* a move that makes a third occurrence is illegal           */
#define HAS_FIFTY_MOVE_RULE 0
#define MATING_KINDS 0            /* for NEITHER_CAN_MATE, as are the next two                 */
#define HELPING_KINDS 0
#define WEAK_KINDS 0
#define INSUFFICIENT_MATERIAL NEVER_INSUFFICIENT
#define HAS_COUNTING 0
#define COUNT_LIMITS(X)
#define COUNT_OF_CORNERED_KING 0  /* limit of a count that begins with the king in a corner or the
                                     centre, 0 = as any other                                  */
#define HAS_PROMOTION_CHOICE_DRAW 0
#define CLOCK_RESET_BY_PAWN 0     /* captures, drops and promotions always reset the clock     */
#define HAS_DRAWS 0

#define SYMMETRY_HALF_TURN 1      /* Black's side is White's turned by half, not mirrored      */

#define PHASE_FULL_BOARD 34       /* pieces on the board when the phase is all middlegame      */
#define PHASE_EMPTY_BOARD 14      /* and when it is all endgame; the rest is in hand           */
