/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * epd.h - positions as lines: FEN, or EPD with operations.
 *
 *     rnbq.../... w - - hmvc 3; fmvn 9; id "a name; of 5"; c9 "1-0";
 */
#pragma once

#include "engine.h"

/*
 * Makes a FEN of a FEN or EPD line, which is changed: board, side, the fields up to the counters,
 * the counters from the line itself or from hmvc and fmvn. What follows is dropped. False if it is
 * too long for a position.
 */
bool epd_to_fen(char *line, char fen[ENGINE_MAX_FEN]);

/* The first operand of an operation without its quotes, cut to `size`; false if there is no such
 * operation. */
bool epd_operand(const char *line, const char *operation, char *operand, size_t size);
