/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stat_tally.c - counting games (see stat_tally.h). */
#include "stat_tally.h"

#include <stdlib.h>
#include <string.h>

static void tally_score(Tally *tally, int score)
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
        tally_score(tally, record->plies[i].score_white_cp);
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
