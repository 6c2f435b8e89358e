/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stat_tally.c - counting games (see stat_tally.h). */
#include "stat_tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void tally_score(Tally *tally, int score, Outcome outcome)
{
    if (score == SCORE_NONE)
        return;
    tally->scored++;
    if (abs(score) > SCORE_MATE_BOUND) {
        tally->mates[score < 0]++;
        return;
    }
    int bin = score < -SCORE_TAIL_CP   ? 0
              : score >= SCORE_TAIL_CP ? SCORE_BINS - 1
                                       : (score + SCORE_TAIL_CP) / SCORE_BIN_CP + 1;
    tally->scores[bin]++;
    if (outcome == OUTCOME_NONE || abs(score) > SLOPE_REACH_CP)
        return;
    int place = (score + SLOPE_REACH_CP + SLOPE_BIN_CP / 2) / SLOPE_BIN_CP;
    tally->judged[place]++;
    tally->half_points[place] += outcome == OUTCOME_WHITE ? 2 : outcome == OUTCOME_DRAW;
}

/* The slope of the log likelihood: it falls with K. */
static double likelihood_slope(const Tally *tally, double k)
{
    double sum = 0;
    for (int i = 0; i < SLOPE_BINS; i++) {
        double score = (double)i * SLOPE_BIN_CP - SLOPE_REACH_CP;
        double chance = 1 / (1 + pow(10, -k * score / 400));
        sum += score * ((double)tally->half_points[i] / 2 - (double)tally->judged[i] * chance);
    }
    return sum;
}

double tally_score_slope(const Tally *tally)
{
    double low = 0, high = 10;
    if (likelihood_slope(tally, low) <= 0 || likelihood_slope(tally, high) >= 0)
        return 0;
    while (high - low > 1e-6) {
        double middle = (low + high) / 2;
        *(likelihood_slope(tally, middle) > 0 ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

void tally_game(Tally *tally, const Engine *engine, const GameRecord *record)
{
    size_t plies = record->ply_count;
    tally->games++;
    tally->plies += plies;
    tally->outcomes[record->outcome]++;
    tally->reasons[record->reason % TALLY_REASONS]++;
    tally->longest = plies > tally->longest ? plies : tally->longest;
    tally->lengths[plies < TALLY_PLIES ? plies : TALLY_PLIES]++;
    tally->own_starts += strcmp(record->start_fen, engine->start_fen) != 0;
    for (size_t i = 0; i < plies; i++) {
        tally_score(tally, record->plies[i].score_white_cp, record->outcome);
        for (int bit = 0; record->plies[i].flags >> bit; bit++)
            tally->flags[bit] += record->plies[i].flags >> bit & 1;
    }
    tally->adjudicated += record->reason == REASON_ADJUDICATED;
    if (record->adjudication != OUTCOME_NONE) {
        tally->checked++;
        tally->unresolved += record->outcome == OUTCOME_NONE;
        tally->wrong += record->outcome != OUTCOME_NONE && record->outcome != record->adjudication;
    }
}

void tally_add(Tally *sum, const Tally *part)
{
    uint64_t longest = sum->longest > part->longest ? sum->longest : part->longest;
    /* All of it is whole numbers of one type. */
    _Static_assert(sizeof(Tally) % sizeof(uint64_t) == 0, "a Tally holds uint64_t only");
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)part;
    for (size_t i = 0; i < sizeof(Tally) / sizeof *to; i++)
        to[i] += from[i];
    sum->longest = longest;
}
