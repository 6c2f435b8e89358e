/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compliance_examples.h - positions of a game in which engines are tried. */
#pragma once

#include "engine.h"

enum { EXAMPLE_PLIES = 60, EXAMPLE_FENS = 3 };

typedef struct Examples {
    /* A game that is not over. */
    char texts[EXAMPLE_PLIES][ENGINE_MAX_MOVE_TEXT];
    const char *moves[EXAMPLE_PLIES];
    size_t plies;
    /* The side to move wins at once: nothing is left to the other but to have lost. */
    char won[EXAMPLE_FENS][ENGINE_MAX_FEN];
    size_t won_count;
    /* There is no legal move, for reasons that differ. */
    char over[EXAMPLE_FENS][ENGINE_MAX_FEN];
    EndReason reasons[EXAMPLE_FENS];
    size_t over_count;
} Examples;

/* Looks for them in random games that are always the same. What is not found stays empty. */
Status examples_find(const Engine *rules, Examples *examples, Error *err);
