/* SPDX-License-Identifier: GPL-3.0-or-later */
/* totals.c - what the games of two engines add up to. */
#include "totals.h"

static void add_game(MatchTotals *totals, const MatchGame *game, int index)
{
    const Outcome won = index == 0 ? OUTCOME_WHITE : OUTCOME_BLACK;
    totals->games++;
    totals->unfinished += game->outcome == OUTCOME_NONE;
    totals->draws += game->outcome == OUTCOME_DRAW;
    if (game->outcome == OUTCOME_WHITE || game->outcome == OUTCOME_BLACK) {
        totals->wins += game->outcome == won;
        totals->losses += game->outcome != won;
    }
    totals->plies += game->plies;
    totals->endings[game->termination]++;
    if (game->termination == TERMINATION_RULES)
        totals->by_rule[game->reason]++;
    if (game->engine_lost) /* in games[1] the first engine is Black */
        totals->faults[(game->loser == SIDE_BLACK) != (index == 1)][game->termination]++;
}

void match_totals_add(MatchTotals *totals, const MatchPair *pair)
{
    int points = 0;
    for (int i = 0; i < 2; i++) {
        if (!pair->games[i].done)
            continue;
        add_game(totals, &pair->games[i], i);
        points += match_game_points(&pair->games[i], i);
    }
    if (pair->games[0].done && pair->games[1].done)
        totals->pairs[points]++;
}

void match_totals_sum(MatchTotals *totals, const MatchTotals *more)
{
    totals->games += more->games;
    totals->wins += more->wins;
    totals->draws += more->draws;
    totals->losses += more->losses;
    totals->unfinished += more->unfinished;
    totals->plies += more->plies;
    for (int i = 0; i < PENTANOMIAL_CELLS; i++)
        totals->pairs[i] += more->pairs[i];
    for (int i = 0; i < END_REASON_COUNT; i++)
        totals->by_rule[i] += more->by_rule[i];
    for (int i = 0; i < TERMINATION_COUNT; i++)
        totals->endings[i] += more->endings[i];
}

Sample match_sample(const MatchTotals *totals)
{
    Sample sample = sample_from_pairs(totals->pairs);
    return sample_size(&sample) > 0
               ? sample
               : sample_from_games(totals->wins, totals->draws + totals->unfinished,
                                   totals->losses);
}

uint64_t match_totals_points(const MatchTotals *totals)
{
    return 2 * totals->wins + totals->draws + totals->unfinished;
}
