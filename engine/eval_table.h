/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eval_table.h - the static evaluation of a position as a table, one line for each term group. */
#pragma once

#include "engine.h"

/*
 * The table as malloc'ed text with newlines; NULL when out of memory.
 *
 *   weights   [engine->weight_count], NULL = default
 *
 * Each line gives the sum of coefficient times weight of one group, White's view: middlegame,
 * endgame, and both blended by the phase of the position. The last line is the evaluation.
 */
char *eval_table(const Engine *engine, Game *game, const Weight *weights);
