/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block.c - games to columns to a zstd frame (see block.h and FORMAT.md; block_reader.c goes back). */
#include "block.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

/* Fixed for ever within a format version: the bytes of a shard depend on them. */
enum { ZSTD_LEVEL = 19 };

/* --- checks both ways ------------------------------------------------------------------------ */

Status game_record_check(const Engine *engine, const GameRecord *record, const char *place,
                         Error *err)
{
    const char *reason = game_reason_text(record->reason);
    if (!reason)
        return error_set(err, STATUS_FORMAT, "%s: reason %d is none that is known", place,
                         record->reason);
    if ((unsigned)record->outcome > OUTCOME_DRAW || (unsigned)record->adjudication > OUTCOME_DRAW)
        return error_set(err, STATUS_FORMAT, "%s: outcome %d, adjudication %d, expected 0 to %d",
                         place, (int)record->outcome, (int)record->adjudication, OUTCOME_DRAW);
    if (!engine->has_draws &&
        (record->outcome == OUTCOME_DRAW || record->adjudication == OUTCOME_DRAW))
        return error_set(err, STATUS_FORMAT, "%s: a draw, but %s has no draws", place,
                         engine->name);
    bool open = record->reason == END_NONE || record->reason == REASON_CAP;
    bool by_rule = record->reason > END_NONE && record->reason < END_REASON_COUNT;
    if ((open && record->outcome != OUTCOME_NONE) || (by_rule && record->outcome == OUTCOME_NONE))
        return error_set(err, STATUS_FORMAT, "%s: outcome %s does not fit the reason '%s'", place,
                         outcome_text(record->outcome), reason);
    if (record->ply_count > GAME_PLIES_MAX)
        return error_set(err, STATUS_FORMAT, "%s: %zu plies, expected at most %d", place,
                         record->ply_count, GAME_PLIES_MAX);
    const int known = PLY_RANDOM | PLY_BOOK | PLY_SAMPLED | PLY_PLAYED_OUT;
    for (size_t i = 0; i < record->ply_count; i++) {
        int score = record->plies[i].score_white_cp;
        if (score != SCORE_NONE && (score < -SCORE_MATE || score > SCORE_MATE))
            return error_set(err, STATUS_FORMAT,
                             "%s, ply %zu: score %d, expected %d to %d or none (%d)", place, i,
                             score, -SCORE_MATE, SCORE_MATE, SCORE_NONE);
        if (record->plies[i].flags & ~known)
            return error_set(err, STATUS_FORMAT, "%s, ply %zu: flags %d, expected within %d", place,
                             i, record->plies[i].flags, known);
    }
    int score = record->final_score_white_cp;
    if (record->has_final_score && (score < -SCORE_MATE || score > SCORE_MATE))
        return error_set(err, STATUS_FORMAT,
                         "%s: score %d of the final position, expected %d to %d", place, score,
                         -SCORE_MATE, SCORE_MATE);
    return STATUS_OK;
}

void game_record_digest(void *state, const GameRecord *record, const uint16_t *codes)
{
    uint8_t chunk[5 * 256];
    size_t fen_size = strlen(record->start_fen), used = 0;
    for (int i = 0; i < 8; i++)
        chunk[used++] = (uint8_t)(record->number >> (8 * i));
    for (int i = 0; i < 4; i++)
        chunk[used++] = (uint8_t)(fen_size >> (8 * i));
    memcpy(chunk + used, record->start_fen, fen_size);
    used += fen_size;
    chunk[used++] = (uint8_t)record->outcome;
    chunk[used++] = (uint8_t)record->reason;
    chunk[used++] = (uint8_t)record->adjudication;
    uint32_t plies = (uint32_t)record->ply_count | (record->has_final_score ? 1U << 31 : 0);
    for (int i = 0; i < 4; i++)
        chunk[used++] = (uint8_t)(plies >> (8 * i));
    for (size_t i = 0; i < record->ply_count; i++) {
        if (used + 5 > sizeof chunk) {
            XXH3_128bits_update(state, chunk, used);
            used = 0;
        }
        uint16_t score = (uint16_t)record->plies[i].score_white_cp;
        chunk[used++] = (uint8_t)codes[i];
        chunk[used++] = (uint8_t)(codes[i] >> 8);
        chunk[used++] = (uint8_t)score;
        chunk[used++] = (uint8_t)(score >> 8);
        chunk[used++] = record->plies[i].flags;
    }
    XXH3_128bits_update(state, chunk, used);
    if (record->has_final_score) {
        uint16_t score = (uint16_t)record->final_score_white_cp;
        uint8_t bytes[2] = {(uint8_t)score, (uint8_t)(score >> 8)};
        XXH3_128bits_update(state, bytes, sizeof bytes);
    }
}

/* --- writing ------------------------------------------------------------------------------- */

static void begin_block(BlockBuilder *builder)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        buffer_clear(&builder->sections[i]);
    builder->games = 0;
    builder->plies = builder->texts = 0;
    builder->coded_games = range_encoder(&builder->sections[SECTION_GAMES]);
    builder->coded_moves = range_encoder(&builder->sections[SECTION_MOVES]);
    game_model_init(&builder->model, builder->scale);
}

Status block_builder_init(BlockBuilder *builder, const ScoreScale *scale, bool final_scores,
                          Error *err)
{
    *builder = (BlockBuilder){
        .compressor = ZSTD_createCCtx(), .scale = scale, .final_scores = final_scores};
    if (!builder->compressor)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a zstd compressor");
    begin_block(builder);
    return STATUS_OK;
}

void block_builder_free(BlockBuilder *builder)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        buffer_free(&builder->sections[i]);
    buffer_free(&builder->content);
    ZSTD_freeCCtx(builder->compressor);
    *builder = (BlockBuilder){0};
}

/* The number of the start position in this block, adding its text if it is new. */
static uint64_t start_index(BlockBuilder *builder, const char *fen, const char *start_fen)
{
    if (strcmp(fen, start_fen) == 0)
        return 0;
    const Buffer *texts = &builder->sections[SECTION_TEXTS];
    ByteReader reader = byte_reader(texts->bytes, texts->size);
    size_t size = strlen(fen);
    for (uint64_t i = 1; i <= builder->texts; i++) {
        size_t length = (size_t)byte_reader_varint(&reader);
        const uint8_t *text = byte_reader_take(&reader, length);
        if (text && length == size && memcmp(text, fen, size) == 0)
            return i;
    }
    buffer_put_text(&builder->sections[SECTION_TEXTS], fen);
    return ++builder->texts;
}

Status block_add(BlockBuilder *builder, const GameRecord *record, const MoveShare *shares,
                 uint64_t range_start, const char *start_fen, Error *err)
{
    Coder coder = {.encoder = &builder->coded_games};
    GameHead head = {
        .gap = record->number - (builder->games ? builder->last_game + 1 : range_start),
        .start = start_index(builder, record->start_fen, start_fen),
        .ply_count = record->ply_count,
        .reason = record->reason,
    };
    GameRecord same = *record; /* an encoder writes back what is there */
    game_head_code(&builder->model, &coder, &head);
    game_body_code(&builder->model, &coder, builder->final_scores, &same);
    for (size_t i = 0; i < record->ply_count; i++)
        range_encode(&builder->coded_moves, shares[i].begin, shares[i].size, shares[i].total);
    if (builder->games++ == 0)
        builder->first_game = record->number;
    builder->last_game = record->number;
    builder->plies += record->ply_count;
    for (int i = 0; i < SECTION_COUNT; i++)
        if (builder->sections[i].failed)
            return error_set(err, STATUS_NO_MEMORY, "no memory for a block of %zu games",
                             builder->games);
    return STATUS_OK;
}

static size_t content_size(const BlockBuilder *builder)
{
    size_t size = 0;
    for (int i = 0; i < SECTION_COUNT; i++)
        size += builder->sections[i].size;
    return size;
}

bool block_is_full(const BlockBuilder *builder)
{
    return builder->games >= BLOCK_GAMES_MAX || content_size(builder) >= BLOCK_BYTES_FULL;
}

/* Appends the content as a zstd frame. What is range coded cannot be compressed, so zstd stores it;
 * the frame is there for its checksum, for start positions, and for everybody's tools. */
static size_t compress(BlockBuilder *builder, Buffer *frame)
{
    size_t room = ZSTD_compressBound(builder->content.size);
    if (!buffer_reserve(frame, room))
        return 0; /* seen by the caller as frame->failed */
    size_t size = ZSTD_compress2(builder->compressor, frame->bytes + frame->size, room,
                                 builder->content.bytes, builder->content.size);
    if (!ZSTD_isError(size))
        frame->size += size;
    return size;
}

Status block_encode(BlockBuilder *builder, Buffer *frame, Error *err)
{
    range_encoder_finish(&builder->coded_games);
    range_encoder_finish(&builder->coded_moves);
    Buffer *content = &builder->content;
    buffer_clear(content);
    buffer_put_varint(content, builder->games);
    for (int i = 0; i < SECTION_COUNT; i++)
        buffer_put_varint(content, builder->sections[i].size);
    for (int i = 0; i < SECTION_COUNT; i++)
        buffer_put(content, builder->sections[i].bytes, builder->sections[i].size);
    if (content->failed || content->size > BLOCK_CONTENT_MAX)
        return error_set(err, content->failed ? STATUS_NO_MEMORY : STATUS_ARGUMENT,
                         "a block of %zu games needs %zu bytes, expected at most %d",
                         builder->games, content_size(builder), BLOCK_CONTENT_MAX);

    ZSTD_CCtx *compressor = builder->compressor;
    size_t code = ZSTD_CCtx_reset(compressor, ZSTD_reset_session_and_parameters);
    if (!ZSTD_isError(code))
        code = ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    if (!ZSTD_isError(code))
        code = ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 1);
    if (!ZSTD_isError(code))
        code = compress(builder, frame);
    if (frame->failed)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a compressed block");
    if (ZSTD_isError(code))
        return error_set(err, STATUS_NO_MEMORY, "zstd: %s", ZSTD_getErrorName(code));

    begin_block(builder);
    return STATUS_OK;
}

