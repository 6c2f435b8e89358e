/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * origin.h - what made a shard: variant, seed, weights, build and configuration.
 *
 * Games follow from variant, seed, weights, configuration and the program. Of the program, the
 * bench signature pins the search; the commit pins the rest (how openings are drawn, how moves are
 * sampled); the compiler should not matter at all.
 */
#pragma once

#include "dataset.h"

typedef enum OriginScope {
    ORIGIN_GAMES, /* without commit and compiler: what this build may show to be equal            */
    ORIGIN_ALL /* with them                                                                     */
} OriginScope;

/*
 * All differences, a line "    key: stored A, now B" for each; "" if there is none, NULL when out
 * of memory. malloc'ed. Ranges of games are not compared.
 */
char *origin_difference(const ShardInfo *stored, const ShardInfo *now, OriginScope scope);
