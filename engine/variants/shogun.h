/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shogun.h - the rules of Shogun Chess: 8x8, drops, optional promotion with at most one of each
 * compound piece, castling and en passant. Constants only; core/variant.h explains each.
 */
#pragma once

#define VARIANT_NAME shogun
#define VARIANT_UCI_NAME "shogun"
#define VARIANT_TITLE "Shogun"
#define RULES_VERSION 1
#define WEIGHTS_HEADER "weights/shogun.h"
#define ORDER_HEADER "orders/shogun.h"   /* frozen: see core/order.h */
#define START_FEN "rnb+fkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB+FKBNR[] w KQkq - 0 1"
#define BOARD_TEMPLATE "shogi" /* how UCI clients that know it draw the board */
#define PAWN_LETTER_IN_SAN 0      /* as PGN writes pawn moves: 1 = Pe4, 0 = e4 */

#define BOARD_FILES 8
#define BOARD_RANKS 8
#define BOARD_SHAPE ""            /* no missing squares                                        */
#define SHORT_SLIDE_RANGE 0       /* of SHORT_SLIDE_..., which no piece has                    */

/*
 * X(kind, FEN text, other letter read on a board, captures, quiet moves, promotes to, falls back to)
 * The kinds that can be in hand come first, in hand order.
 */
#define PIECES(X)                                                                                  \
    X(PAWN,       "P",  0,   FORWARD_DIAGONAL,           FORWARD,                    CAPTAIN,    PAWN)    \
    X(KNIGHT,     "N",  0,   LEAP_KNIGHT,                LEAP_KNIGHT,                GENERAL,    KNIGHT)  \
    X(BISHOP,     "B",  0,   SLIDE_BISHOP,               SLIDE_BISHOP,               ARCHBISHOP, BISHOP)  \
    X(ROOK,       "R",  0,   SLIDE_ROOK,                 SLIDE_ROOK,                 MORTAR,     ROOK)    \
    X(DUCHESS,    "F",  0,   STEP_BISHOP,                STEP_BISHOP,                QUEEN,      DUCHESS) \
    X(CAPTAIN,    "+P", 'C', STEP_KING,                  STEP_KING,                  NO_KIND,    PAWN)    \
    X(GENERAL,    "+N", 'G', STEP_KING | LEAP_KNIGHT,    STEP_KING | LEAP_KNIGHT,    NO_KIND,    KNIGHT)  \
    X(ARCHBISHOP, "+B", 'A', SLIDE_BISHOP | LEAP_KNIGHT, SLIDE_BISHOP | LEAP_KNIGHT, NO_KIND,    BISHOP)  \
    X(MORTAR,     "+R", 'M', SLIDE_ROOK | LEAP_KNIGHT,   SLIDE_ROOK | LEAP_KNIGHT,   NO_KIND,    ROOK)    \
    X(QUEEN,      "+F", 'Q', SLIDE_QUEEN,                SLIDE_QUEEN,                NO_KIND,    DUCHESS) \
    X(KING,       "K",  0,   STEP_KING,                  STEP_KING,                  NO_KIND,    KING)

#define HAND_KINDS 5              /* PAWN .. DUCHESS                                           */
#define HAND_ORDER "FRBNP"        /* of the letters when a hand is printed                     */

#define PROMOTION_STYLE PROMOTE_AT_WILL /* a move to, from or within the zone may promote      */
#define PROMOTION_RANKS 3         /* depth of the zone, from a side's last rank                */
#define PROMOTION_LIMITS(X) X(GENERAL) X(ARCHBISHOP) X(MORTAR) X(QUEEN) /* one of each a side  */
#define LAST_PAWN_PROMOTES_ANYWHERE 0
#define PROMOTION_KINDS(X)        /* kinds that a pawn may choose from: its own row says it    */

#define SETUP_PHASE SETUP_NONE
#define SETUP_SQUARES ""          /* where White places pieces, if not the drop region         */
#define CAPTURES_GO_TO_HAND 1
#define DROP_RANKS 5              /* depth of the drop region, from a side's first rank        */
#define ROOK_DROP_RANKS 5         /* the same for rooks                                        */
#define PAWN_FORBIDDEN_RANKS 1    /* last ranks on which no unpromoted pawn may stand          */
#define PAWN_DROP_ONE_PER_FILE 0
#define HAS_DOUBLE_STEP 1         /* of pawns on their second rank, with en passant            */
#define HAS_CASTLING 1

#define HAS_CAMPMATE 0
#define STALEMATE_RESULT DRAW     /* of the side that cannot move                              */
#define STALEMATING_IS_FORBIDDEN 0
#define REPETITION_IS_FORBIDDEN 0 /* 0: the third occurrence of a position is a draw           */
#define HAS_FIFTY_MOVE_RULE 1
#define MATING_KINDS 0            /* for NEITHER_CAN_MATE, as are the next two                 */
#define HELPING_KINDS 0
#define WEAK_KINDS 0
#define INSUFFICIENT_MATERIAL BARE_KINGS_INSUFFICIENT
#define HAS_COUNTING 0
#define COUNT_LIMITS(X)
#define COUNT_OF_CORNERED_KING 0  /* limit of a count that begins with the king in a corner or the
                                     centre, 0 = as any other                                  */
#define HAS_PROMOTION_CHOICE_DRAW 0
#define CLOCK_RESET_BY_PAWN 1     /* captures, drops and promotions always reset the clock     */
#define HAS_DRAWS 1

#define SYMMETRY_HALF_TURN 0      /* Black's side is White's mirrored rank by rank             */

#define PHASE_FULL_BOARD 32       /* pieces on the board when the phase is all middlegame      */
#define PHASE_EMPTY_BOARD 12      /* and when it is all endgame; the rest is in hand           */
