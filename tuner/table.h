/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.h - all weights of a fit as a table, for spreadsheets and scripts. */
#pragma once

#include "fit.h"

/*
 * Writes lines of comma-separated values: weight, middlegame, endgame, their standard errors (empty
 * without a bootstrap) and the training positions in which the weight occurs. Weights that do not
 * exist are left out. Written to a temporary name and renamed.
 */
Status table_write(const char *path, const Engine *engine, const FitResult *result, Error *err);
