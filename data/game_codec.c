/* SPDX-License-Identifier: GPL-3.0-or-later */
/* game_codec.c - see game_codec.h and FORMAT.md. */
#include "game_codec.h"

/* Chances of a 1 before anything was seen, of 256. */
enum { EVEN = 128, SAME_FIRST = 240, FLAG_FIRST = 32, GAP_FIRST = 4, START_FIRST = 16 };

static void number_model_init(NumberModel *model, unsigned more)
{
    for (int size = 0; size < NUMBER_BITS; size++)
        model->sizes[size] = adaptive_bit(more);
    for (int size = 0; size <= NUMBER_BITS; size++)
        for (int i = 0; i < 3; i++)
            model->leading.chances[size][i] = adaptive_bit(EVEN);
}

static void bits_init(AdaptiveBit *bits, size_t count, unsigned first)
{
    for (size_t i = 0; i < count; i++)
        bits[i] = adaptive_bit(first);
}

void game_model_init(GameModel *model, const ScoreScale *scale)
{
    number_model_init(&model->gap, GAP_FIRST);
    number_model_init(&model->start, START_FIRST);
    number_model_init(&model->ply_count, EVEN);
    bits_init(model->reason, 64, EVEN);
    for (int flags = 0; flags < FLAG_SETS; flags++)
        bits_init(model->same_flags[flags], FLAG_PLIES, SAME_FIRST);
    for (int flags = 0; flags <= FLAG_SETS; flags++)
        bits_init(model->flags[flags], FLAG_SETS, FLAG_FIRST);
    for (int sign = 0; sign < 3; sign++)
        bits_init(model->outcome[sign], 4, EVEN);
    for (int outcome = 0; outcome < 4; outcome++)
        bits_init(model->adjudication[outcome], 4, FLAG_FIRST);
    score_model_init(&model->scores, scale);
}

/* A number from 0 on, below 2^limit - 1. */
static uint64_t code_count(Coder *coder, NumberModel *model, unsigned limit, uint64_t value)
{
    return code_number(coder, model->sizes, limit, &model->leading, value + 1) - 1;
}

void game_head_code(GameModel *model, Coder *coder, GameHead *head)
{
    head->gap = code_count(coder, &model->gap, NUMBER_BITS, head->gap);
    head->start = code_count(coder, &model->start, NUMBER_BITS, head->start);
    head->reason = (int)code_tree(coder, model->reason, 6, (uint32_t)head->reason);
    head->ply_count = code_count(coder, &model->ply_count, GAME_PLIES_BITS, head->ply_count);
}

/* The flags of a ply; before = FLAG_SETS at the first one. */
static uint8_t code_flags(GameModel *model, Coder *coder, size_t ply, unsigned before, uint8_t flags)
{
    size_t place = ply < FLAG_PLIES ? ply : FLAG_PLIES - 1;
    if (before < FLAG_SETS &&
        code_bit(coder, &model->same_flags[before][place], flags == before))
        return (uint8_t)before;
    return (uint8_t)code_tree(coder, model->flags[before], 4, flags);
}

bool game_body_code(GameModel *model, Coder *coder, bool final_scores, GameRecord *record)
{
    score_model_begin_game(&model->scores);
    unsigned before = FLAG_SETS;
    int last = 0;
    for (size_t i = 0; i < record->ply_count; i++) {
        PlyRecord *ply = &record->plies[i];
        ply->flags = code_flags(model, coder, i, before, ply->flags);
        int score = score_code(&model->scores, coder, ply->score_white_cp, ply->flags);
        if (score == SCORE_IMPOSSIBLE || (coder->decoder && !range_decoder_good(coder->decoder)))
            return false;
        ply->score_white_cp = (int16_t)score;
        last = score == SCORE_NONE ? last : score;
        before = ply->flags;
    }
    if (final_scores) {
        int score = record->has_final_score ? record->final_score_white_cp : SCORE_NONE;
        score = score_code(&model->scores, coder, score, 0);
        if (score == SCORE_IMPOSSIBLE)
            return false;
        record->has_final_score = score != SCORE_NONE;
        record->final_score_white_cp = (int16_t)(record->has_final_score ? score : 0);
    }
    AdaptiveBit *outcome = model->outcome[last < 0 ? 0 : last == 0 ? 1 : 2];
    record->outcome = (Outcome)code_tree(coder, outcome, 2, (uint32_t)record->outcome);
    record->adjudication = (Outcome)code_tree(coder, model->adjudication[record->outcome], 2,
                                              (uint32_t)record->adjudication);
    return true;
}
