/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uci_go.h - the arguments of the UCI command `go`.
 *
 * Reading them is kept apart from the protocol loop because what clients send here is odd in many
 * ways, and each oddity has one documented answer:
 *
 *   - a number too large for its type saturates, a negative one counts as 0
 *   - a limit whose value is missing or not a number counts as 0
 *   - depth, mate and nodes of 0 count as 1; a time of 0 means "move at once"
 *   - movestogo 0 is as good as none
 *   - a token that means nothing is skipped
 *   - no limit at all, or only searchmoves, is `infinite`
 */
#pragma once

#include "engine.h"

enum { GO_MAX_SEARCH_MOVES = ENGINE_MAX_MOVES };

typedef struct GoCommand {
    SearchLimits limits; /* as sent: without searchmoves, and no side chosen (see go_resolve) */
    bool has_perft;
    int perft;                              /* depth >= 1, with has_perft          */
    const char *moves[GO_MAX_SEARCH_MOVES]; /* texts of searchmoves, in the buffer */
    size_t move_count;
} GoCommand;

/*
 * Reads what follows the word `go`.
 *
 *   arguments   taken apart in place; the texts in `command` point into it
 */
void go_parse(char *arguments, GoCommand *command);

/*
 * The limits for `side`: a clock of the side to move that has run out, or was not sent, becomes
 * the shortest possible move time.
 */
SearchLimits go_resolve(const GoCommand *command, Side side);
