/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tournament.h - who plays whom.
 *
 * A tournament is a list of encounters, each a match of two engines. It goes in rounds: in a round
 * every encounter plays one pair of games, all from the same opening, so that whenever it is
 * stopped all have played about as much. A match of two engines has one encounter.
 */
#pragma once

#include "support/error.h"
#include "totals.h"

#include <stddef.h>

#define TOURNAMENTS(X)                                                                             \
    X(TOURNAMENT_MATCH, "match")            /* two engines                       */                \
    X(TOURNAMENT_ROUND_ROBIN, "roundrobin") /* each against each                 */                \
    X(TOURNAMENT_GAUNTLET, "gauntlet")      /* the first against all the others  */
#define TOURNAMENT_NAME(id, text) id,
typedef enum Tournament { TOURNAMENTS(TOURNAMENT_NAME) TOURNAMENT_COUNT } Tournament;
#undef TOURNAMENT_NAME
const char *tournament_text(Tournament tournament);
bool tournament_from_text(const char *text, Tournament *tournament);

/* Two engines by number; first < second. */
typedef struct Encounter {
    size_t first, second;
} Encounter;

/* The encounters of `engines` (at least 2) engines, malloc'ed; NULL when out of memory. */
Encounter *tournament_encounters(Tournament tournament, size_t engines, size_t *count);

/* A line of the table: an engine's games in all its encounters. */
typedef struct Standing {
    size_t engine;
    uint64_t games, wins, draws, losses, unfinished;
    uint64_t points; /* twice */
} Standing;

/* Fills [engines], best share of points first, then by number. */
void tournament_standings(const Encounter *encounters, const MatchTotals *totals, size_t count,
                          Standing *standings, size_t engines);
