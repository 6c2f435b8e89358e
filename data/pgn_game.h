/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_game.h - filling a PgnGame: for its reader only. */
#pragma once

#include "pgn.h"

/* Empties a game and keeps its memory. */
void pgn_game_clear(PgnGame *game);
/* Copies a text; texts.failed when out of memory. */
PgnText pgn_game_keep(PgnGame *game, const char *text, size_t size);
/* False when out of memory. */
bool pgn_game_add_tag(PgnGame *game, PgnTag tag);
bool pgn_game_add_note(PgnGame *game, PgnNote note);
