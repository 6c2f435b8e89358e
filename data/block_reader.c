/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block_reader.c - a zstd frame to columns to games (see block.h and FORMAT.md). */
#include "block.h"
#include "block_old.h"
#include "support/files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

Status block_decode(const void *frame, size_t size, const char *path, uint64_t offset,
                    Buffer *content, Error *err)
{
    enum { DESCRIPTOR = 4, CHECKSUM_FLAG = 4 }; /* RFC 8878, 3.1.1.1.1 */
    const uint8_t *bytes = frame;
    unsigned long long length =
        size > DESCRIPTOR ? ZSTD_getFrameContentSize(frame, size) : ZSTD_CONTENTSIZE_ERROR;
    if (length == ZSTD_CONTENTSIZE_ERROR || length == ZSTD_CONTENTSIZE_UNKNOWN)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": expected a zstd frame with its content size", path,
                         offset);
    if (!(bytes[DESCRIPTOR] & CHECKSUM_FLAG))
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": the block has no checksum, expected one", path,
                         offset);
    if (length > BLOCK_CONTENT_MAX)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": the block holds %llu bytes, expected at most %d",
                         path, offset, length, BLOCK_CONTENT_MAX);
    buffer_clear(content);
    if (!buffer_reserve(content, (size_t)length + 1))
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for a block of %llu bytes", path,
                         length);
    size_t got = ZSTD_decompress(content->bytes, (size_t)length, frame, size);
    if (ZSTD_isError(got))
        return error_set(err, STATUS_FORMAT, "%s: byte %" PRIu64 ": damaged block (zstd: %s)", path,
                         offset, ZSTD_getErrorName(got));
    if (got != length)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": the block holds %zu bytes, expected %llu", path,
                         offset, got, length);
    content->size = got;
    return STATUS_OK;
}

static bool is_range_coded(const BlockParser *parser)
{
    return parser->info->format >= 3;
}

Status block_parser_open(BlockParser *parser, const Buffer *content, const char *path,
                         uint64_t offset, const ShardInfo *info, const ScoreScale *scale,
                         uint64_t range_start, uint64_t range_end, Error *err)
{
    *parser = (BlockParser){.path = path,
                            .offset = offset,
                            .info = info,
                            .next = range_start,
                            .range_end = range_end};
    int count = is_range_coded(parser) ? (int)SECTION_COUNT : (int)OLD_SECTION_COUNT;
    ByteReader reader = byte_reader(content->bytes, content->size);
    uint64_t games = byte_reader_varint(&reader);
    uint64_t sizes[OLD_SECTION_COUNT];
    for (int i = 0; i < count; i++)
        sizes[i] = byte_reader_varint(&reader);
    for (int i = 0; i < count; i++) {
        if (sizes[i] > content->size)
            reader.bad = true;
        parser->sections[i] = byte_reader(byte_reader_take(&reader, (size_t)sizes[i]),
                                          reader.bad ? 0 : (size_t)sizes[i]);
    }
    if (reader.bad || byte_reader_left(&reader) != 0)
        return error_set(err, STATUS_FORMAT,
                         "%s: block at byte %" PRIu64 ": its columns do not add up to %zu bytes",
                         path, offset, content->size);
    if (games < 1 || games > BLOCK_GAMES_MAX)
        return error_set(err, STATUS_FORMAT,
                         "%s: block at byte %" PRIu64 ": %" PRIu64 " games, expected 1 to %d", path,
                         offset, games, BLOCK_GAMES_MAX);
    parser->games = parser->games_left = (size_t)games;
    if (is_range_coded(parser)) {
        const ByteReader *coded = &parser->sections[SECTION_GAMES];
        const ByteReader *moves = &parser->sections[SECTION_MOVES];
        parser->coded_games = range_decoder(coded->bytes, coded->size);
        parser->coded_moves = range_decoder(moves->bytes, moves->size);
        game_model_init(&parser->model, scale);
    }
    return STATUS_OK;
}

bool block_parser_start(BlockParser *parser, ByteReader *texts, uint64_t index,
                        char fen[ENGINE_MAX_FEN])
{
    if (index == 0) {
        strcpy(fen, parser->info->engine->start_fen);
        return true;
    }
    fen[0] = 0;
    if (index == parser->text_count + 1 && parser->text_count < BLOCK_GAMES_MAX) {
        uint64_t size = byte_reader_varint(texts);
        const uint8_t *bytes = size < ENGINE_MAX_FEN ? byte_reader_take(texts, (size_t)size) : NULL;
        if (!bytes || memchr(bytes, 0, (size_t)size))
            return false;
        parser->texts[parser->text_count].bytes = bytes;
        parser->texts[parser->text_count++].size = (size_t)size;
    }
    if (index > parser->text_count)
        return false;
    size_t size = parser->texts[index - 1].size;
    memcpy(fen, parser->texts[index - 1].bytes, size);
    fen[size] = 0;
    return true;
}

Status block_parser_reserve(const BlockParser *parser, GameRecord *record, CodeList *codes,
                            size_t plies, Error *err)
{
    if (record->ply_capacity < plies) {
        PlyRecord *list = realloc(record->plies, plies * sizeof *list);
        if (list) {
            record->plies = list;
            record->ply_capacity = plies;
        }
    }
    if (codes->capacity < plies) {
        uint16_t *list = realloc(codes->codes, plies * sizeof *list);
        if (list) {
            codes->codes = list;
            codes->capacity = plies;
        }
    }
    if (record->ply_capacity < plies || codes->capacity < plies)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for a game of %zu plies",
                         parser->path, plies);
    record->ply_count = plies;
    return STATUS_OK;
}

static Status bad_games(const BlockParser *parser, uint64_t number, const char *what, Error *err)
{
    return error_set(err, STATUS_FORMAT,
                     "%s: block at byte %" PRIu64 ", game %" PRIu64 ": column of games %s at its "
                     "byte %zu of %zu",
                     parser->path, parser->offset, number, what, parser->coded_games.at,
                     parser->coded_games.size);
}

Status block_parser_next(BlockParser *parser, GameRecord *record, CodeList *codes, Error *err)
{
    if (!is_range_coded(parser))
        return old_parser_next(parser, record, codes, err);
    RangeDecoder *decoder = &parser->coded_games;
    Coder coder = {.decoder = decoder};
    GameHead head = {0};
    game_head_code(&parser->model, &coder, &head);
    record->number = parser->next + head.gap;
    record->reason = head.reason;
    if (!range_decoder_good(decoder))
        return bad_games(parser, record->number, "is cut", err);
    if (head.gap >= parser->range_end - parser->next)
        return bad_games(parser, record->number, "has an impossible number", err);
    if (!block_parser_start(parser, &parser->sections[SECTION_TEXTS], head.start,
                            record->start_fen))
        return bad_games(parser, record->number, "names a start position that is not there", err);
    if (head.ply_count > GAME_PLIES_MAX)
        return bad_games(parser, record->number, "has an impossible number of plies", err);
    Status status = block_parser_reserve(parser, record, codes, (size_t)head.ply_count, err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < record->ply_count; i++)
        record->plies[i] = (PlyRecord){.move = MOVE_NONE};
    record->has_final_score = false;
    record->final_score_white_cp = 0;
    bool good = game_body_code(&parser->model, &coder, parser->info->final_scores, record);
    if (!good || !range_decoder_good(decoder))
        return bad_games(parser, record->number, "is cut or has an impossible score", err);
    parser->next = record->number + 1;
    if (--parser->games_left > 0)
        return STATUS_OK;
    if (!range_decoder_at_end(decoder))
        return bad_games(parser, record->number, "goes on after the last game", err);
    if (byte_reader_left(&parser->sections[SECTION_TEXTS]) != 0)
        return error_set(err, STATUS_FORMAT,
                         "%s: block at byte %" PRIu64
                         ": column of start positions has %zu bytes after the last one",
                         parser->path, parser->offset,
                         byte_reader_left(&parser->sections[SECTION_TEXTS]));
    return STATUS_OK;
}

/* --- replaying ------------------------------------------------------------------------------- */

/* From format 3 on: the next move; MOVE_NONE if there is no legal one. */
static Move take_move(BlockParser *parser, Game *game, uint8_t flags)
{
    const Engine *engine = parser->info->engine;
    RangeDecoder *decoder = &parser->coded_moves;
    uint32_t total = engine->order_total(game, (flags & PLY_RANDOM) != 0);
    if (total == 0)
        return MOVE_NONE;
    MoveShare share;
    Move move = engine->order_move(game, range_decode_value(decoder, total), &share);
    range_decode(decoder, share.begin, share.size, share.total);
    return move;
}

static Status replay_moves(BlockParser *parser, Game *game, GameRecord *record, CodeList *codes,
                           const char *place, Error *err)
{
    const Engine *engine = parser->info->engine;
    bool coded = is_range_coded(parser);
    Status status = STATUS_OK;
    for (size_t i = 0; i < record->ply_count && status == STATUS_OK; i++) {
        PlyRecord *ply = &record->plies[i];
        ply->move = coded ? take_move(parser, game, ply->flags)
                          : engine->move_at_rank(game, codes->codes[i]);
        if (ply->move == MOVE_NONE && coded)
            return error_set(err, STATUS_FORMAT,
                             "%s, ply %zu: a move, but there is no legal one here", place, i);
        if (ply->move == MOVE_NONE)
            return error_set(err, STATUS_FORMAT, "%s, ply %zu: there is no legal move of rank %u",
                             place, i, (unsigned)codes->codes[i]);
        if (engine->game_is_repetition(game, ply->move))
            return error_set(err, STATUS_FORMAT, "%s, ply %zu: move %u is a forbidden repetition",
                             place, i, (unsigned)ply->move);
        if (coded)
            codes->codes[i] = ply->move;
        status = engine->game_play(game, ply->move, err);
    }
    if (status == STATUS_OK && coded &&
        !(parser->games_left ? range_decoder_good(&parser->coded_moves)
                             : range_decoder_at_end(&parser->coded_moves)))
        return error_set(err, STATUS_FORMAT, "%s: column of moves %s", place,
                         range_decoder_good(&parser->coded_moves) ? "has bytes after the last game"
                                                            : "is cut");
    return status;
}

Status block_parser_replay(BlockParser *parser, Game *game, GameRecord *record, CodeList *codes,
                           Error *err)
{
    const Engine *engine = parser->info->engine;
    char *place = text_format("%s: block at byte %" PRIu64 ", game %" PRIu64, parser->path,
                              parser->offset, record->number);
    if (!place)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to read a game", parser->path);
    Error inner = {0};
    char fen[ENGINE_MAX_FEN];
    Status status = game_record_check(engine, record, place, err);
    if (status == STATUS_OK) {
        status = engine->game_set(game, record->start_fen, &inner);
        if (status != STATUS_OK)
            error_set(err, status, "%s: start position: %s", place, inner.message);
    }
    if (status == STATUS_OK) {
        engine->game_fen(game, fen);
        if (strcmp(fen, record->start_fen) != 0)
            status = error_set(err, STATUS_FORMAT, "%s: start position '%s', expected it as '%s'",
                               place, record->start_fen, fen);
    }
    if (status == STATUS_OK)
        status = replay_moves(parser, game, record, codes, place, err);
    free(place);
    return status;
}
