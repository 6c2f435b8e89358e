/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * burmese.h - Sittuyin by its source text, where that is stricter than what clients play: every
 * legal move is legal in sittuyin too.
 */
#pragma once

#define VARIANT_NAME burmese
#define VARIANT_UCI_NAME "burmese"
#define VARIANT_TITLE "Burmese"
#define LAST_PAWN_PROMOTES_ANYWHERE 0 /* a pawn beyond its square is a pawn for ever           */
#define STALEMATING_IS_FORBIDDEN 1    /* unless a side has no other moves                      */
#define COUNT_OF_CORNERED_KING 40     /* limit of a count of king and rook against a king in a
                                         corner or the centre                                  */

#include "variants/sittuyin.h"
