/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * adjudication.c - ends a game that both sides' searches have called decided for long enough.
 */
#include "generator/adjudication.h"

Adjudicator adjudicator_make(int margin_cp, int plies)
{
    return (Adjudicator){.margin_cp = margin_cp, .plies = plies, .side = OUTCOME_NONE};
}

Outcome adjudicator_feed(Adjudicator *adjudicator, int score_white_cp)
{
    if (adjudicator->margin_cp <= 0)
        return OUTCOME_NONE;
    Outcome side = OUTCOME_NONE;
    if (score_white_cp >= adjudicator->margin_cp)
        side = OUTCOME_WHITE;
    else if (score_white_cp <= -adjudicator->margin_cp)
        side = OUTCOME_BLACK;
    if (side != adjudicator->side) {
        adjudicator->side = side;
        adjudicator->streak = 0;
    }
    if (side == OUTCOME_NONE)
        return OUTCOME_NONE;
    adjudicator->streak++;
    return adjudicator->streak >= adjudicator->plies ? side : OUTCOME_NONE;
}
