/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tournament.c - who plays whom. */
#include "tournament.h"

#include <stdlib.h>
#include <string.h>

#define TOURNAMENT_TEXT(id, text) [id] = text,
static const char *const tournament_texts[] = {TOURNAMENTS(TOURNAMENT_TEXT)};
#undef TOURNAMENT_TEXT

const char *tournament_text(Tournament tournament)
{
    return tournament_texts[tournament];
}

bool tournament_from_text(const char *text, Tournament *tournament)
{
    for (int i = 0; i < TOURNAMENT_COUNT; i++) {
        if (strcmp(text, tournament_texts[i]) == 0) {
            *tournament = (Tournament)i;
            return true;
        }
    }
    return false;
}

Encounter *tournament_encounters(Tournament tournament, size_t engines, size_t *count)
{
    const size_t firsts = tournament == TOURNAMENT_ROUND_ROBIN ? engines - 1 : 1;
    Encounter *encounters = malloc(firsts * (engines - 1) * sizeof *encounters);
    *count = 0;
    for (size_t first = 0; encounters && first < firsts; first++)
        for (size_t second = first + 1; second < engines; second++)
            encounters[(*count)++] = (Encounter){first, second};
    return encounters;
}

static int compare_standings(const void *a, const void *b)
{
    const Standing *first = a, *second = b;
    /* points / games, without division; an engine without games comes last */
    double left = (double)first->points * (double)second->games,
           right = (double)second->points * (double)first->games;
    if (!first->games != !second->games)
        return first->games ? -1 : 1;
    if (left > right || left < right)
        return left > right ? -1 : 1;
    return first->engine < second->engine ? -1 : 1;
}

void tournament_standings(const Encounter *encounters, const MatchTotals *totals, size_t count,
                          Standing *standings, size_t engines)
{
    for (size_t i = 0; i < engines; i++)
        standings[i] = (Standing){.engine = i};
    for (size_t i = 0; i < count; i++) {
        const MatchTotals *t = &totals[i];
        Standing *first = &standings[encounters[i].first],
                 *second = &standings[encounters[i].second];
        first->games += t->games;
        second->games += t->games;
        first->wins += t->wins;
        second->wins += t->losses;
        first->losses += t->losses;
        second->losses += t->wins;
        first->draws += t->draws;
        second->draws += t->draws;
        first->unfinished += t->unfinished;
        second->unfinished += t->unfinished;
        first->points += match_totals_points(t);
        second->points += 2 * t->games - match_totals_points(t);
    }
    qsort(standings, engines, sizeof *standings, compare_standings);
}
