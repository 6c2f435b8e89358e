/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.c - one game in memory, and the names of why games end. */
#include "dataset.h"

#include "block.h"
#include "bytes.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const struct {
    int reason;
    const char *text;
} game_reasons[] = {
#define GAME_REASON_ROW(id, number, text) {id, text},
    GAME_REASONS(GAME_REASON_ROW)
#undef GAME_REASON_ROW
};
enum { GAME_REASON_ROWS = sizeof game_reasons / sizeof *game_reasons };

const char *game_reason_text(int reason)
{
    if (reason >= 0 && reason < END_REASON_COUNT)
        return end_reason_text((EndReason)reason);
    for (size_t i = 0; i < GAME_REASON_ROWS; i++)
        if (game_reasons[i].reason == reason)
            return game_reasons[i].text;
    return NULL;
}

bool game_reason_from_text(const char *text, int *reason)
{
    for (int i = 0; i < END_REASON_COUNT; i++)
        if (strcmp(text, end_reason_text((EndReason)i)) == 0) {
            *reason = i;
            return true;
        }
    for (size_t i = 0; i < GAME_REASON_ROWS; i++)
        if (strcmp(text, game_reasons[i].text) == 0) {
            *reason = game_reasons[i].reason;
            return true;
        }
    return false;
}

void game_record_free(GameRecord *record)
{
    if (!record)
        return;
    free(record->plies);
    record->plies = NULL;
    record->ply_count = record->ply_capacity = 0;
}

Status game_record_add(GameRecord *record, PlyRecord ply, Error *err)
{
    if (record->ply_count == record->ply_capacity) {
        size_t capacity = record->ply_capacity ? 2 * record->ply_capacity : 64;
        PlyRecord *plies = realloc(record->plies, capacity * sizeof *plies);
        if (!plies)
            return error_set(err, STATUS_NO_MEMORY, "no memory for a game of %zu plies", capacity);
        record->plies = plies;
        record->ply_capacity = capacity;
    }
    record->plies[record->ply_count++] = ply;
    return STATUS_OK;
}

void shard_info_free(ShardInfo *info)
{
    if (!info)
        return;
    free(info->commit);
    free(info->compiler);
    free(info->configuration);
    *info = (ShardInfo){0};
}

void weights_digest(const Engine *engine, const Weight *weights, char digest[33])
{
    if (!weights)
        weights = engine->default_weights;
    Buffer bytes = {0};
    for (int i = 0; i < engine->weight_count; i++) {
        buffer_put_uint(&bytes, (uint16_t)weights[i].middlegame, 2);
        buffer_put_uint(&bytes, (uint16_t)weights[i].endgame, 2);
    }
    XXH128_canonical_t canonical = {{0}};
    if (!bytes.failed)
        XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.bytes, bytes.size));
    buffer_free(&bytes);
    hex_from_digest(canonical.digest, digest);
}

Status shard_scale(ScoreScale *scale, unsigned steps, uint32_t slope, Error *err)
{
    if (score_scale_set(scale, steps, slope))
        return STATUS_OK;
    return error_set(err, STATUS_ARGUMENT,
                     "scores in %u steps of a slope of %u millionths, expected 128 or 256 steps "
                     "and a slope of %d to %d, or 0 and 0",
                     steps, (unsigned)slope, SCORE_SLOPE_MIN, SCORE_SLOPE_MAX);
}

void game_record_to_scale(GameRecord *record, const ScoreScale *scale)
{
    for (size_t i = 0; i < record->ply_count; i++)
        record->plies[i].score_white_cp =
            (int16_t)score_on_scale(scale, record->plies[i].score_white_cp);
    if (record->has_final_score)
        record->final_score_white_cp =
            (int16_t)score_on_scale(scale, record->final_score_white_cp);
}

Status game_record_round(GameRecord *record, unsigned score_steps, uint32_t score_slope, Error *err)
{
    ScoreScale scale;
    Status status = shard_scale(&scale, score_steps, score_slope, err);
    if (status == STATUS_OK)
        game_record_to_scale(record, &scale);
    return status;
}
