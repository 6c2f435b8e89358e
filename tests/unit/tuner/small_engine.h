/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * small_engine.h - the description of an evaluation without a game behind it: 3 pieces on a
 * board of 3 x 3 without its centre, 2 of them in hand, tempo. Weights only; no functions.
 */
#pragma once

#include "engine.h"

enum {
    SMALL_MATERIAL = 0,
    SMALL_SQUARES = 3,
    SMALL_HAND = SMALL_SQUARES + 27,
    SMALL_TEMPO = SMALL_HAND + 8,
    SMALL_WEIGHTS = SMALL_TEMPO + 1
};

static const char *const small_pieces[] = {"PAWN", "KNIGHT", "KING"};

static const TermGroup small_groups[] = {
    {"material", SMALL_MATERIAL, 3, 1, 1, small_pieces, 0},
    {"piece_square", SMALL_SQUARES, 3, 3, 3, small_pieces, 1},
    {"hand", SMALL_HAND, 2, 1, 4, small_pieces, 0},
    {"tempo", SMALL_TEMPO, 1, 1, 1, NULL, 0},
};

/* The centre does not exist, and a king has no material. */
static const uint8_t small_exists[SMALL_WEIGHTS] = {
    1, 1, 0,                                              /* material */
    1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, /* pawn, knight */
    1, 1, 1, 1, 0, 1, 1, 1, 1,                            /* king */
    1, 1, 1, 1, 1, 1, 1, 1, 1,                            /* hand, tempo */
};

static const Weight small_zero[SMALL_WEIGHTS];

static const Engine small_engine = {
    .name = "small",
    .title = "Small",
    .weights_header = "weights/small.h",
    .files = 3,
    .ranks = 3,
    .hand_kinds = 2,
    .weight_count = SMALL_WEIGHTS,
    .term_groups = small_groups,
    .term_group_count = 4,
    .default_weights = small_zero,
    .weight_exists = small_exists,
};
