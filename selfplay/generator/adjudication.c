/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * adjudication.c - ends a game that both sides' searches have called decided for long enough.
 */
#include "generator/adjudication.h"

#include "support/exactmath.h"

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

int adjudication_margin_cp(double slope, int percent)
{
    const int most = 32000;
    if (!(slope > 0))
        return most;
    double odds = percent / (100.0 - percent);
    double margin = 400.0 * exact_log(odds) / exact_log(10.0) / slope;
    if (!(margin < most))
        return most;
    int whole = (int)margin;
    return whole < margin ? whole + 1 : whole;
}
