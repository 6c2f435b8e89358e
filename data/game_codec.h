/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * game_codec.h - all of a game but its moves, range coded (FORMAT.md, "Games"): number, start,
 * reason, plies with their flags and scores, outcome. What one game shows serves the next ones of
 * its block. One procedure codes both ways.
 */
#pragma once

#include "dataset.h"
#include "score_codec.h"

enum {
    GAME_PLIES_MAX = 1 << 20,
    GAME_PLIES_BITS = 21,
    FLAG_SETS = 16, /* flags are four bits                  */
    FLAG_PLIES = 32 /* from here on all plies are alike     */
};

typedef struct NumberModel {
    AdaptiveBit sizes[NUMBER_BITS];
    LeadingBits leading;
} NumberModel;

/* What has been learnt in a block so far. */
typedef struct GameModel {
    NumberModel gap, start, ply_count;
    AdaptiveBit reason[64];
    AdaptiveBit same_flags[FLAG_SETS][FLAG_PLIES]; /* [of the ply before][ply]             */
    AdaptiveBit flags[FLAG_SETS + 1][FLAG_SETS];   /* [of the ply before, or none][tree]   */
    ScoreModel scores;
    AdaptiveBit outcome[3][4];                     /* [sign of the last score][tree]       */
    AdaptiveBit adjudication[4][4];                /* [outcome][tree]                      */
} GameModel;

void game_model_init(GameModel *model, const ScoreScale *scale);

/* The first part of a game: what must be known before there is room for its plies. */
typedef struct GameHead {
    uint64_t gap;       /* its number minus the least it could have    */
    uint64_t start;     /* 0 = the variant's own position, i = the i-th text of the block */
    uint64_t ply_count; /* at most GAME_PLIES_MAX                      */
    int reason;
} GameHead;
void game_head_code(GameModel *model, Coder *coder, GameHead *head);

/* The rest, of record->ply_count plies. False if what is read has an impossible score or makes no
 * sense; `final_scores` as in ShardInfo. */
bool game_body_code(GameModel *model, Coder *coder, bool final_scores, GameRecord *record);
