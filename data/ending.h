/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ending.h - how a game that was read from a text ended: what the text says against the rules.
 *
 * `Termination` tags say the names of reasons (game_reason_text), or one of a few other words.
 */
#pragma once

#include "dataset.h"
#include "reject.h"

/*
 * The reason that a Termination tag names, in any case of letters: a reason's name, or a word that
 * campmate-match, PyChess or the PGN standard has for one. REASON_UNKNOWN for other words;
 * `text` may be NULL, and that or "normal" says nothing: END_NONE without an outcome, else
 * REASON_UNKNOWN.
 */
int ending_reason_from_text(const char *text, Outcome outcome);

/*
 * Sets outcome and reason of a record whose moves are played in `game`.
 *
 *   outcome, reason   what the text says
 *
 * Where the rules have ended the game, theirs stand, and a text that says another outcome is
 * refused; so is one that names a rule or a decision that cannot be, and a draw in a game without
 * draws: STATUS_FORMAT with *reject. The message is without a place.
 */
Status ending_settle(const Engine *engine, Game *game, GameRecord *record, Outcome outcome,
                     int reason, Reject *reject, Error *err);
