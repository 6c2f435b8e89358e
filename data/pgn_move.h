/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_move.h - the move that a word of a PGN names. */
#pragma once

#include "engine.h"

/*
 * The legal move that a text names: SAN as the engine writes it, else UCI, else SAN with another
 * choice of what to say: an origin that is not needed (`Nb1d2`), a pawn's letter where the engine
 * has none or the other way round (`Pe4`, `exd6=C`: other programs differ there). No text is one
 * move in one of them and another in the next: SAN without a piece's letter names the target only,
 * and UCI has two squares in a row without a mark of promotion. STATUS_ARGUMENT if no move or more
 * than one fits.
 */
Status pgn_move_read(const Engine *engine, Game *game, const char *text, Move *move, Error *err);
