/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opening.h - how a game begins: a book line or the start position, then random legal plies.
 *
 * With n = plies > 0, n or n - 1 random plies are played, with equal chance, so that each side is
 * the first to think in half of the games. A draw from 0 .. n would put too many games on the few
 * positions near the start.
 */
#pragma once

#include "book.h"
#include "dataset.h"
#include "support/rng.h"

/*
 * Draws an opening into `game` and `record` (start position and plies; what they held is gone).
 *
 *   book    NULL = the start position
 *   alive   out: false if the game ended on the way, so that there is nothing left to play
 */
Status opening_draw(const Engine *engine, const Book *book, int plies, Rng *rng, Game *game,
                    GameRecord *record, bool *alive, Error *err);
