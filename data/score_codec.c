/* SPDX-License-Identifier: GPL-3.0-or-later */
/* score_codec.c - see score_codec.h and FORMAT.md. */
#include "score_codec.h"

#include "dataset.h"

#include <stdlib.h>

/* --- the scale ----------------------------------------------------------------------------- */

/* 400 log10(s / (256 - s)) in thousandths, for s = 129 to 255; and for win probabilities of
 * 511/512 and 1023/1024, which stand for the last step of 128 and of 256. */
static const int32_t logits[127] = {
    2714, 5429, 8145, 10861, 13579, 16298, 19019, 21743, 24469, 27199, 29932, 32668,
    35409, 38153, 40903, 43658, 46418, 49184, 51956, 54735, 57521, 60314, 63115, 65924,
    68742, 71568, 74404, 77250, 80106, 82972, 85850, 88739, 91641, 94555, 97482, 100422,
    103377, 106346, 109331, 112331, 115347, 118380, 121431, 124500, 127587, 130694, 133821, 136969,
    140138, 143330, 146545, 149784, 153047, 156336, 159651, 162994, 166365, 169766, 173197, 176660,
    180155, 183684, 187248, 190849, 194487, 198164, 201882, 205642, 209446, 213295, 217191, 221137,
    225133, 229183, 233288, 237451, 241673, 245959, 250310, 254729, 259219, 263785, 268428, 273153,
    277964, 282866, 287862, 292958, 298158, 303469, 308897, 314448, 320130, 325950, 331916, 338039,
    344328, 350795, 357451, 364311, 371389, 378702, 386269, 394111, 402251, 410717, 419539, 428753,
    438398, 448522, 459180, 470437, 482370, 495075, 508665, 523283, 539109, 556374, 575382, 596545,
    620441, 647916, 680281, 719736, 770400, 841521, 962616,
};
static const int32_t last_logit_128 = 1083368, last_logit_256 = 1203950;

/* The centipawns of so many steps above 1/2. */
static int step_centipawns(unsigned above, unsigned steps, uint32_t slope)
{
    int64_t logit = 0;
    if (2 * above == steps)
        logit = steps == 128 ? last_logit_128 : last_logit_256;
    else if (above > 0)
        logit = logits[above * (SCORE_STEPS_MAX / steps) - 1];
    return (int)((2 * logit * 1000 + slope) / (2 * (int64_t)slope));
}

bool score_scale_set(ScoreScale *scale, unsigned steps, uint32_t slope)
{
    *scale = (ScoreScale){.steps = steps, .slope = slope};
    if (steps == 0)
        return slope == 0;
    if ((steps != 128 && steps != 256) || slope < SCORE_SLOPE_MIN || slope > SCORE_SLOPE_MAX)
        return false;
    for (unsigned above = 0; above <= steps / 2; above++) {
        int centipawns = step_centipawns(above, steps, slope);
        scale->centipawns[steps / 2 + above] = (int16_t)centipawns;
        scale->centipawns[steps / 2 - above] = (int16_t)-centipawns;
    }
    return true;
}

static bool is_mate(int score)
{
    return score >= MATE_SCORE_MIN || score <= -MATE_SCORE_MIN;
}

/* The step nearest to a score. */
static int step_of(const ScoreScale *scale, int centipawns)
{
    int size = abs(centipawns), middle = (int)scale->steps / 2, low = 0, high = middle;
    const int16_t *above = scale->centipawns + middle;
    while (low < high) { /* the last step whose lower border is below the size */
        int step = (low + high + 1) / 2;
        if (2 * size > above[step - 1] + above[step])
            low = step;
        else
            high = step - 1;
    }
    return centipawns < 0 ? middle - low : middle + low;
}

int score_on_scale(const ScoreScale *scale, int centipawns)
{
    if (scale->steps == 0 || centipawns == SCORE_NONE || is_mate(centipawns))
        return centipawns;
    return scale->centipawns[step_of(scale, centipawns)];
}

/* --- the model ----------------------------------------------------------------------------- */

/* Where learning begins, in 1/256; found from games of four variants and frozen. */
static const uint8_t zero_first[SCORE_CLASSES] = {54, 45, 34, 26, 22, 17, 13, 12, 12, 9, 7, 5};
static const uint8_t size_first[SCORE_CLASSES + 1][8] = {
    {217, 195, 148, 76, 40, 20, 20, 20},    {191, 139, 67, 35, 20, 20, 20, 20},
    {194, 141, 66, 36, 19, 20, 20, 20},     {203, 150, 73, 35, 27, 20, 20, 20},
    {212, 164, 88, 41, 29, 26, 20, 20},     {221, 184, 119, 55, 28, 20, 20, 20},
    {231, 203, 156, 100, 42, 20, 20, 20},   {236, 215, 180, 138, 77, 20, 20, 20},
    {240, 225, 200, 160, 112, 60, 30, 20},  {245, 235, 220, 190, 150, 100, 50, 25},
    {248, 242, 230, 210, 180, 140, 90, 40}, {250, 246, 238, 225, 205, 175, 130, 80},
    {200, 200, 180, 128, 60, 20, 10, 10}, /* distances of mates */
};

enum { MATE_CLASS = SCORE_CLASSES, FREE_EDGE = 7, LEADING_FIRST = 114 };

static unsigned bit_length(uint32_t value)
{
    unsigned bits = 0;
    while (value >> bits)
        bits++;
    return bits;
}

void score_model_init(ScoreModel *model, const ScoreScale *scale)
{
    *model = (ScoreModel){.scale = scale};
    for (int random = 0; random < 2; random++)
        for (int before = 0; before < 2; before++)
            model->none[random][before] = adaptive_bit(random ? 250 : before ? 64 : 1);
    for (int edge = 0; edge < 8; edge++) {
        model->mate[edge][0] = adaptive_bit(edge < 4 ? 8 : 1);
        model->mate[edge][1] = adaptive_bit(220);
    }
    for (int side = 0; side < 3; side++)
        model->mate_side[side] = adaptive_bit(side == 0 ? 8 : side == 1 ? 128 : 248);
    model->mate_next = adaptive_bit(200);
    for (int class = 0; class < SCORE_CLASSES; class++)
        for (int edge = 0; edge < 3; edge++)
            for (int played = 0; played < 3; played++)
                model->zero[class][edge][played] = adaptive_bit(zero_first[class]);
    for (int i = 0; i < 18; i++)
        model->minus[i / 6][i / 2 % 3][i % 2] = adaptive_bit(128);
    for (int class = 0; class <= MATE_CLASS; class++)
        for (int edge = 0; edge < 3; edge++)
            for (int size = 0; size <= SCORE_SIZES; size++)
                model->sizes[class][edge][size] =
                    adaptive_bit(size_first[class][size < 1 ? 0 : size < 9 ? size - 1 : 7]);
    for (int size = 0; size <= NUMBER_BITS; size++)
        for (int i = 0; i < 3; i++)
            model->leading.chances[size][i] = adaptive_bit(LEADING_FIRST);
    score_model_begin_game(model);
}

void score_model_begin_game(ScoreModel *model)
{
    model->last = (int)model->scale->steps / 2;
    model->change = model->change_before = model->mate_distance = 0;
    model->was_none = true;
    model->flags_before = PLY_RANDOM;
}

/* --- both ways ----------------------------------------------------------------------------- */

static uint32_t code_size(Coder *coder, ScoreModel *model, unsigned class, unsigned edge,
                          uint32_t value)
{
    return (uint32_t)code_number(coder, model->sizes[class][edge], SCORE_SIZES, &model->leading,
                                 value);
}

static int code_mate(Coder *coder, ScoreModel *model, int score)
{
    int before = model->mate_distance;
    AdaptiveBit *side = &model->mate_side[before < 0 ? 0 : before == 0 ? 1 : 2];
    bool white = code_bit(coder, side, score > 0);
    int distance = SCORE_MATE - abs(score);
    if (before != 0 && white == (before > 0) && abs(before) > 1) {
        if (code_bit(coder, &model->mate_next, distance == abs(before) - 2))
            distance = abs(before) - 2;
        else
            distance = (int)code_size(coder, model, MATE_CLASS, 1, (uint32_t)distance + 1) - 1;
    } else {
        distance = (int)code_size(coder, model, MATE_CLASS, 0, (uint32_t)distance + 1) - 1;
    }
    if (distance > SCORE_MATE - MATE_SCORE_MIN)
        return SCORE_IMPOSSIBLE;
    model->mate_distance = white ? distance + 1 : -distance - 1;
    return white ? SCORE_MATE - distance : distance - SCORE_MATE;
}

/* How near the last score is to a sure result: the bits of its distance in 1/128, 0 to 7. */
static unsigned edge_of(const ScoreModel *model)
{
    unsigned steps = model->scale->steps;
    if (steps == 0)
        return FREE_EDGE;
    unsigned last = (unsigned)model->last;
    return bit_length((last < steps - last ? last : steps - last) * 128 / steps);
}

/* The score as a number that may change: a step, or centipawns. */
static int code_change(Coder *coder, ScoreModel *model, int value, unsigned edge)
{
    const uint8_t before = model->flags_before;
    int played = before & PLY_RANDOM ? 1 : before & PLY_SAMPLED ? 2 : 0;
    unsigned class = bit_length(2 * (uint32_t)abs(model->change) + (uint32_t)abs(model->change_before));
    unsigned third = edge < 4 ? 0 : edge < 6 ? 1 : 2;
    if (class >= SCORE_CLASSES)
        class = SCORE_CLASSES - 1;
    int change = value - model->last, middle = (int)model->scale->steps / 2;
    if (code_bit(coder, &model->zero[class][third][played], change == 0)) {
        change = 0;
    } else {
        int trend = (model->change > 0) - (model->change < 0) + 1;
        int ahead = (model->last > middle) - (model->last < middle) + 1;
        bool minus = code_bit(coder, &model->minus[trend][ahead][played != 0], change < 0);
        change = (int)code_size(coder, model, class, third, (uint32_t)abs(change));
        change = minus ? -change : change;
    }
    model->change_before = model->change;
    model->change = change;
    return model->last += change;
}

int score_code(ScoreModel *model, Coder *coder, int score, uint8_t flags)
{
    AdaptiveBit *none = &model->none[(flags & PLY_RANDOM) != 0][model->was_none];
    model->was_none = code_bit(coder, none, score == SCORE_NONE);
    if (model->was_none) {
        score = SCORE_NONE;
    } else {
        const ScoreScale *scale = model->scale;
        unsigned edge = edge_of(model);
        if (code_bit(coder, &model->mate[edge][model->mate_distance != 0], is_mate(score))) {
            score = code_mate(coder, model, score);
        } else {
            model->mate_distance = 0;
            int value = coder->encoder && scale->steps ? step_of(scale, score) : score;
            value = code_change(coder, model, value, edge);
            if (scale->steps == 0)
                score = value < MATE_SCORE_MIN && value > -MATE_SCORE_MIN ? value : SCORE_IMPOSSIBLE;
            else
                score = value >= 0 && value <= (int)scale->steps ? scale->centipawns[value]
                                                                 : SCORE_IMPOSSIBLE;
        }
    }
    model->flags_before = flags;
    return score;
}
