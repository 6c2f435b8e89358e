/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * score_codec.h - scores as steps of win probability, and the bits that tell them (FORMAT.md,
 * "Scores"). One procedure codes both ways, so that reader and writer cannot differ.
 */
#pragma once

#include "range_coder.h"

#include <stdint.h>

enum {
    SCORE_STEPS_MAX = 256,
    SCORE_SLOPE_MIN = 50000, /* millionths */
    SCORE_SLOPE_MAX = 2500000,
    MATE_SCORE_MIN = 31001, /* scores from here on, either way, are mates and stay exact */
    SCORE_CLASSES = 12,
    SCORE_SIZES = 17 /* bits of the largest change, and one that is too large */
};

/*
 * The scores that a shard can hold. With `steps` (128 or 256) those of 0, 1/steps, ... 1 of
 *
 *     win probability = 1 / (1 + 10^(-slope * centipawns / 400)),    slope in millionths;
 *
 * with 0 steps every centipawn.
 */
typedef struct ScoreScale {
    unsigned steps;
    uint32_t slope;
    int16_t centipawns[SCORE_STEPS_MAX + 1]; /* [step], ascending */
} ScoreScale;

/* False if the numbers are none that a scale may have. */
bool score_scale_set(ScoreScale *scale, unsigned steps, uint32_t slope);
/* The nearest score of the scale, the nearer to 0 of two; mates and "none" stay as they are. */
int score_on_scale(const ScoreScale *scale, int centipawns);

/* What has been learnt from the scores of a block, and where its present game stands. */
typedef struct ScoreModel {
    const ScoreScale *scale; /* not owned */
    AdaptiveBit none[2][2];  /* [random move][no score before]    */
    AdaptiveBit mate[8][2];  /* [edge][mate before]               */
    AdaptiveBit mate_side[3], mate_next;
    AdaptiveBit zero[SCORE_CLASSES][3][3];  /* [class][edge][what was played before] */
    AdaptiveBit minus[3][3][2];             /* [sign of the last change][side ahead][drawn or not] */
    AdaptiveBit sizes[SCORE_CLASSES + 1][3][SCORE_SIZES + 1];
    LeadingBits leading;
    int last, change, change_before, mate_distance;
    bool was_none;
    uint8_t flags_before;
} ScoreModel;

void score_model_init(ScoreModel *model, const ScoreScale *scale);
void score_model_begin_game(ScoreModel *model);

/*
 * Codes the score of a ply, on the scale, or SCORE_NONE. Returns it, or SCORE_IMPOSSIBLE if the bits
 * that are read make none.
 *
 *   flags   of the ply, PLY_...
 */
enum { SCORE_IMPOSSIBLE = 1 << 20 };
int score_code(ScoreModel *model, Coder *coder, int score, uint8_t flags);
