/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake_engine.h - an engine for tests: a pile of stones of which each side in turn takes 1 to 3.
 *
 * Who finds the pile empty is mated. The search returns what a test tells it to, so that a test
 * can make it err. A "FEN" is the number of stones; White moves first.
 */
#pragma once

#include "engine.h"

/* What the next searches return: a score from White's view, a move, nodes. */
typedef struct FakeThought {
    int score_white_cp; /* by the number of searches since search_clear when `scores` is set    */
    const int *scores;  /* [score_count] White's view; the last one repeats                     */
    size_t score_count;
    Move best;            /* MOVE_NONE: take 1 stone                                           */
    uint64_t nodes;       /* what the search claims to have used                               */
    bool draw_at_the_end; /* the empty pile is a draw                                          */
} FakeThought;

extern FakeThought fake_thought;
extern const Engine fake_engine;
/* Limits of the last search. */
extern SearchLimits fake_limits;
