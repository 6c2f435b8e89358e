/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coefficients.h - weights as coefficients and by name. */
#pragma once

#include "engine.h"

#include <stdio.h>

/* x ([2 * weight_count], as in rows.h) from weights and back, rounded to the nearest and clamped to
 * int16; weights that do not exist become 0. Returns how many values had to be clamped. */
void coefficients_from_weights(const Engine *engine, const Weight *weights, double *x);
int weights_from_coefficients(const Engine *engine, const double *x, Weight *weights);

/* "piece_square[PAWN][3][4]" (row and column from 0) into `text`. */
void weight_name(const Engine *engine, int weight, char *text, size_t size);
