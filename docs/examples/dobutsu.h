/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dobutsu.h - the rules of Dobutsu Shogi ("Let's Catch the Lion!"): 3x4, drops, a chick that becomes
 * a hen, and a lion that wins when it reaches the far rank in safety. Constants only;
 * core/variant.h explains each. The example of docs/adding-a-variant.md.
 *
 * Whoever catches the lion wins. Here as everywhere in Campmate a move that leaves the own lion to
 * be caught is not legal, and who has no other move has lost: the same game, one ply shorter.
 */
#pragma once

#define VARIANT_NAME dobutsu
#define VARIANT_UCI_NAME "dobutsu"
#define VARIANT_TITLE "Dobutsu Shogi"
#define RULES_VERSION 1
#define WEIGHTS_HEADER "weights/none.h" /* all weights 0, until there are better ones          */
#define ORDER_HEADER "orders/none.h"    /* all moves equally likely                            */
#define START_FEN "gle/1c1/1C1/ELG[] w - - 0 1"
#define BOARD_TEMPLATE "shogi"    /* how UCI clients that know it draw the board               */
#define PAWN_LETTER_IN_SAN 1      /* as PGN writes pawn moves: 1 = Ca3, 0 = a3                 */

#define BOARD_FILES 3
#define BOARD_RANKS 4
#define BOARD_SHAPE ""            /* no missing squares                                        */
#define SHORT_SLIDE_RANGE 0       /* of SHORT_SLIDE_..., which no piece has                    */

/*
 * X(kind, FEN text, other letter read on a board, captures, quiet moves, promotes to, falls back to)
 * The kinds that can be in hand come first. The core asks for PAWN, ROOK and KING by these names:
 * the chick is the pawn, the giraffe the rook, the lion the king, which is always the last.
 */
#define PIECES(X)                                                                                  \
    X(PAWN,     "C",  0,   FORWARD,     FORWARD,     HEN,     PAWN)                                \
    X(ELEPHANT, "E",  0,   STEP_BISHOP, STEP_BISHOP, NO_KIND, ELEPHANT)                            \
    X(ROOK,     "G",  0,   STEP_ROOK,   STEP_ROOK,   NO_KIND, ROOK)                                \
    X(HEN,      "+C", 'H', STEP_ROOK | FORWARD_DIAGONAL, STEP_ROOK | FORWARD_DIAGONAL, NO_KIND, PAWN) \
    X(KING,     "L",  0,   STEP_KING,   STEP_KING,   NO_KIND, KING)

#define HAND_KINDS 3              /* PAWN .. ROOK                                              */
#define HAND_ORDER "GEC"          /* of the letters when a hand is printed                     */

#define PROMOTION_STYLE PROMOTE_ALWAYS
#define PROMOTION_RANKS 1         /* a chick that steps onto the far rank becomes a hen        */
#define PROMOTION_LIMITS(X)
#define LAST_PAWN_PROMOTES_ANYWHERE 0
#define PROMOTION_KINDS(X)

#define SETUP_PHASE SETUP_NONE
#define SETUP_SQUARES ""
#define CAPTURES_GO_TO_HAND 1
#define DROP_RANKS 4              /* anywhere                                                  */
#define ROOK_DROP_RANKS 4
#define PAWN_FORBIDDEN_RANKS 0    /* a chick may be dropped on the far rank, and be stuck      */
#define PAWN_DROP_ONE_PER_FILE 0
#define HAS_DOUBLE_STEP 0
#define HAS_CASTLING 0

#define HAS_CAMPMATE 1            /* a lion that stands on the far rank has won                */
#define STALEMATE_RESULT LOSS
#define STALEMATING_IS_FORBIDDEN 0
#define REPETITION_IS_FORBIDDEN 0 /* the third occurrence of a position is a draw              */
#define HAS_FIFTY_MOVE_RULE 0
#define MATING_KINDS 0
#define HELPING_KINDS 0
#define WEAK_KINDS 0
#define INSUFFICIENT_MATERIAL NEVER_INSUFFICIENT
#define HAS_COUNTING 0
#define COUNT_LIMITS(X)
#define COUNT_OF_CORNERED_KING 0
#define HAS_PROMOTION_CHOICE_DRAW 0
#define CLOCK_RESET_BY_PAWN 0
#define HAS_DRAWS 1               /* by repetition                                             */

#define SYMMETRY_HALF_TURN 1      /* Black's side is White's turned by half, not mirrored      */

#define PHASE_FULL_BOARD 8        /* pieces on the board when the phase is all middlegame      */
#define PHASE_EMPTY_BOARD 3       /* and when it is all endgame; the rest is in hand           */
