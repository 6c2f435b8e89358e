/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sampling.h - draws a move among the best ones by score, in integers.
 *
 * A move that scores d centipawns below the best one is drawn with weight 2^(-d / half_life_cp),
 * linear between whole half-lives, and not at all beyond the margin. No exp of the C library is
 * used: it differs between machines, and the draw decides the bytes of a dataset.
 */
#pragma once

#include "support/rng.h"

#include <stddef.h>
#include <stdint.h>

/* The weight of a move `distance_cp` >= 0 below the best one; SAMPLE_UNIT at 0, at least 1. */
enum { SAMPLE_UNIT = 1 << 30 };
uint64_t sample_weight(int distance_cp, int half_life_cp);

/*
 * The index of the line to play.
 *
 *   scores    [count] in centipawns, the best first; count > 0
 *
 * A best line that mates, or that is mated, is always played. Takes one number from the stream
 * unless there is nothing to choose from.
 */
size_t sample_pick(const int *scores, size_t count, int margin_cp, int half_life_cp, Rng *rng);
