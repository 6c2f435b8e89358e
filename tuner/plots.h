/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plots.h - pictures of a fit, by gnuplot: NAME.gp with data and commands, and NAME.svg made of it.
 *
 *     loss              the value at each step, through all strengths of the ridge
 *     learning-curve    losses with part of the games, if they were fitted
 *     calibration       predicted against scored
 *     GROUP-middlegame, GROUP-endgame    tables on the variant's board, as heat maps with values
 *     hand              what pieces in hand are worth by their number
 *     before-after      each weight against what it was, unless all were 0
 */
#pragma once

#include "report.h"

/* STATUS_IO if there is no gnuplot. */
Status plots_check(Error *err);

/* Into a directory, which is made. STATUS_IO names what cannot be written or drawn. */
Status plots_write(const char *directory, const FitReport *report, Error *err);
