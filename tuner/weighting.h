/* SPDX-License-Identifier: GPL-3.0-or-later */
/* weighting.h - positions that count more or less than others. */
#pragma once

#include "rows.h"

typedef struct Weighting {
    bool by_game; /* the positions of each game together weigh the same as those of any other */
    double early_loss; /* 0 .. 1: what ply 0 weighs less than 1; less and less up to ... */
    int early_plies;   /* ... this ply                                                   */
} Weighting;

/*
 * Sets the masses of all rows. The mean weight of a game's positions stays that of all positions
 * with `by_game`; weights are kept in steps of 1/64, at least one and at most 16. With a
 * weighting of zeros nothing changes. Before rows_merge.
 */
void rows_weigh(Rows *rows, const Weighting *weighting);
