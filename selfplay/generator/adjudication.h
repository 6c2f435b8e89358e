/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * adjudication.h - ends a game that both sides' searches have called decided for long enough.
 *
 * A verdict needs `plies` plies in a row, played by whichever sides, whose scores lie on the same
 * side at a distance of at least `margin_cp`. Mate scores count like any others. Who moves when
 * does not matter, so set-up phases in which a side moves several times in a row need no care.
 */
#pragma once

#include "engine.h"

typedef struct Adjudicator {
    int margin_cp; /* 0 = never                              */
    int plies;     /* plies in a row that a verdict needs    */
    int streak;    /* of them seen so far                    */
    Outcome side;  /* the side they favour                   */
} Adjudicator;

Adjudicator adjudicator_make(int margin_cp, int plies);

/* Takes the score of the next ply, White's view; the verdict, or OUTCOME_NONE. Never a draw. */
Outcome adjudicator_feed(Adjudicator *adjudicator, int score_white_cp);
