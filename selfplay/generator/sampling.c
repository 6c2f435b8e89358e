/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sampling.c - draws a move among the best ones by score, in integers.
 */
#include "generator/sampling.h"

#include "engine.h"

#include <stdlib.h>

uint64_t sample_weight(int distance_cp, int half_life_cp)
{
    int halvings = distance_cp / half_life_cp, rest = distance_cp % half_life_cp;
    if (halvings > 30)
        return 1;
    uint64_t unit = (uint64_t)SAMPLE_UNIT >> halvings;
    uint64_t weight = unit - unit * (uint64_t)rest / (2 * (uint64_t)half_life_cp);
    return weight > 0 ? weight : 1;
}

size_t sample_pick(const int *scores, size_t count, int margin_cp, int half_life_cp, Rng *rng)
{
    if (abs(scores[0]) > SCORE_MATE_BOUND)
        return 0;
    size_t near = 1;
    uint64_t total = sample_weight(0, half_life_cp);
    while (near < count && scores[0] - scores[near] <= margin_cp) {
        /* An unfinished iteration can leave a later line above the first: as good as the best. */
        int distance = scores[near] < scores[0] ? scores[0] - scores[near] : 0;
        total += sample_weight(distance, half_life_cp);
        near++;
    }
    if (near == 1)
        return 0;
    uint64_t ticket = rng_below(rng, total);
    for (size_t i = 0; i < near; i++) {
        int distance = scores[i] < scores[0] ? scores[0] - scores[i] : 0;
        uint64_t weight = sample_weight(distance, half_life_cp);
        if (ticket < weight)
            return i;
        ticket -= weight;
    }
    return 0;
}
