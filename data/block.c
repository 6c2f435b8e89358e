/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block.c - games to columns to a zstd frame and back (see block.h and FORMAT.md). */
#include "block.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

/* Fixed for ever within a format version: the bytes of a shard depend on them. */
enum { ZSTD_LEVEL = 19 };

static const char *const section_names[SECTION_COUNT] = {
    "game numbers", "start positions", "start indexes",  "results",     "reasons",
    "ply counts",   "flags",           "ranks of moves", "score sizes", "score bits",
};

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

void game_record_digest(void *state, const GameRecord *record, const uint16_t *ranks)
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
        chunk[used++] = (uint8_t)ranks[i];
        chunk[used++] = (uint8_t)(ranks[i] >> 8);
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

Status block_builder_init(BlockBuilder *builder, Error *err)
{
    *builder = (BlockBuilder){.compressor = ZSTD_createCCtx()};
    if (!builder->compressor)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a zstd compressor");
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

static void put_bits(BlockBuilder *builder, uint64_t value, unsigned count)
{
    builder->pending_bits |= value << builder->pending_count;
    builder->pending_count += count;
    while (builder->pending_count >= 8) {
        buffer_put_uint(&builder->sections[SECTION_SCORE_BITS], builder->pending_bits & 0xff, 1);
        builder->pending_bits >>= 8;
        builder->pending_count -= 8;
    }
}

static void put_score(BlockBuilder *builder, int score, int *previous)
{
    Buffer *classes = &builder->sections[SECTION_SCORE_CLASSES];
    if (score == SCORE_NONE) {
        buffer_put_uint(classes, SCORE_CLASS_NONE, 1);
        return;
    }
    int difference = score - *previous;
    *previous = score;
    uint32_t zigzag = difference < 0 ? 2u * (uint32_t)-difference - 1 : 2u * (uint32_t)difference;
    unsigned bits = 0;
    while (zigzag >> bits)
        bits++;
    buffer_put_uint(classes, bits, 1);
    if (bits > 1)
        put_bits(builder, zigzag & ((1u << (bits - 1)) - 1), bits - 1);
}

Status block_add(BlockBuilder *builder, const GameRecord *record, const uint16_t *ranks,
                 uint64_t range_start, const char *start_fen, Error *err)
{
    Buffer *sections = builder->sections;
    uint64_t least = builder->games ? builder->last_game + 1 : range_start;
    buffer_put_varint(&sections[SECTION_NUMBERS], record->number - least);
    buffer_put_varint(&sections[SECTION_STARTS],
                      start_index(builder, record->start_fen, start_fen));
    buffer_put_uint(&sections[SECTION_RESULTS],
                    (uint64_t)record->outcome + 4 * (uint64_t)record->adjudication, 1);
    buffer_put_uint(&sections[SECTION_REASONS], (uint64_t)record->reason, 1);
    buffer_put_varint(&sections[SECTION_PLY_COUNTS], record->ply_count);
    int score = 0;
    for (size_t i = 0, run = 0; i < record->ply_count; i++) {
        const PlyRecord *ply = &record->plies[i];
        uint64_t rank = ranks[i];
        buffer_put_uint(&sections[SECTION_RANKS], rank < 255 ? rank : 255, 1);
        if (rank >= 255)
            buffer_put_varint(&sections[SECTION_RANKS], rank - 255);
        put_score(builder, ply->score_white_cp, &score);
        run++;
        if (i + 1 == record->ply_count || ply[1].flags != ply->flags) {
            buffer_put_uint(&sections[SECTION_FLAGS], ply->flags, 1);
            buffer_put_varint(&sections[SECTION_FLAGS], run);
            run = 0;
        }
    }
    if (builder->final_scores)
        put_score(builder, record->has_final_score ? record->final_score_white_cp : SCORE_NONE,
                  &score);
    if (builder->games++ == 0)
        builder->first_game = record->number;
    builder->last_game = record->number;
    builder->plies += record->ply_count;
    for (int i = 0; i < SECTION_COUNT; i++)
        if (sections[i].failed)
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

/* Compresses the bytes of `content` from..to; `directive` ends a zstd block or the frame. */
static size_t compress_part(BlockBuilder *builder, size_t from, size_t to,
                            ZSTD_EndDirective directive, Buffer *frame)
{
    ZSTD_inBuffer in = {builder->content.bytes + from, to - from, 0};
    for (;;) {
        if (!buffer_reserve(frame, ZSTD_CStreamOutSize()))
            return 1; /* seen by the caller as frame->failed */
        ZSTD_outBuffer out = {frame->bytes + frame->size, frame->capacity - frame->size, 0};
        size_t left = ZSTD_compressStream2(builder->compressor, &out, &in, directive);
        if (ZSTD_isError(left))
            return left;
        frame->size += out.pos;
        if (left == 0 && in.pos == in.size)
            return 0;
    }
}

Status block_encode(BlockBuilder *builder, Buffer *frame, Error *err)
{
    if (builder->pending_count > 0)
        put_bits(builder, 0, 8 - builder->pending_count);
    Buffer *content = &builder->content;
    buffer_clear(content);
    buffer_put_varint(content, builder->games);
    for (int i = 0; i < SECTION_COUNT; i++)
        buffer_put_varint(content, builder->sections[i].size);
    size_t ends[SECTION_COUNT];
    for (int i = 0; i < SECTION_COUNT; i++) {
        buffer_put(content, builder->sections[i].bytes, builder->sections[i].size);
        ends[i] = content->size;
    }
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
        code = ZSTD_CCtx_setPledgedSrcSize(compressor, content->size);
    /* The columns have different statistics: each large one starts a zstd block of its own, and
     * with it a Huffman table of its own. */
    static const Section cuts[] = {SECTION_FLAGS, SECTION_RANKS, SECTION_SCORE_CLASSES,
                                   SECTION_SCORE_BITS};
    size_t from = 0;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts && !ZSTD_isError(code); i++) {
        bool last = cuts[i] == SECTION_SCORE_BITS;
        code = compress_part(builder, from, ends[cuts[i]], last ? ZSTD_e_end : ZSTD_e_flush, frame);
        from = ends[cuts[i]];
        if (frame->failed)
            return error_set(err, STATUS_NO_MEMORY, "no memory for a compressed block");
    }
    if (ZSTD_isError(code))
        return error_set(err, STATUS_NO_MEMORY, "zstd: %s", ZSTD_getErrorName(code));

    for (int i = 0; i < SECTION_COUNT; i++)
        buffer_clear(&builder->sections[i]);
    builder->games = 0;
    builder->plies = builder->texts = 0;
    builder->pending_bits = builder->pending_count = 0;
    return STATUS_OK;
}

/* --- reading ------------------------------------------------------------------------------- */

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

Status block_parser_open(BlockParser *parser, const Buffer *content, const char *path,
                         uint64_t offset, const char *start_fen, uint64_t range_start,
                         uint64_t range_end, Error *err)
{
    *parser = (BlockParser){.path = path,
                            .offset = offset,
                            .start_fen = start_fen,
                            .next = range_start,
                            .range_end = range_end};
    ByteReader reader = byte_reader(content->bytes, content->size);
    uint64_t games = byte_reader_varint(&reader);
    uint64_t sizes[SECTION_COUNT];
    for (int i = 0; i < SECTION_COUNT; i++)
        sizes[i] = byte_reader_varint(&reader);
    for (int i = 0; i < SECTION_COUNT; i++) {
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
    return STATUS_OK;
}

static uint32_t take_bits(BlockParser *parser, unsigned count)
{
    while (parser->bit_count < count) {
        uint64_t byte = byte_reader_uint(&parser->sections[SECTION_SCORE_BITS], 1);
        parser->bits |= byte << parser->bit_count;
        parser->bit_count += 8;
    }
    uint32_t value = (uint32_t)(parser->bits & ((1u << count) - 1));
    parser->bits >>= count;
    parser->bit_count -= count;
    return value;
}

/* The next score; marks the section bad where there is none. */
static int take_score(BlockParser *parser, int *previous)
{
    ByteReader *classes = &parser->sections[SECTION_SCORE_CLASSES];
    unsigned bits = (unsigned)byte_reader_uint(classes, 1);
    if (bits == SCORE_CLASS_NONE)
        return SCORE_NONE;
    if (bits > SCORE_CLASS_MAX) {
        classes->bad = true;
        return SCORE_NONE;
    }
    uint32_t zigzag = bits;
    if (bits > 1)
        zigzag = 1u << (bits - 1) | take_bits(parser, bits - 1);
    int difference = zigzag & 1 ? -(int)((zigzag + 1) / 2) : (int)(zigzag / 2);
    int score = *previous + difference;
    if (score < -SCORE_MATE || score > SCORE_MATE) {
        classes->bad = true;
        return SCORE_NONE;
    }
    *previous = score;
    return score;
}

/* Copies the start position with the next index; false if there is none or it is no text. */
static bool take_start(BlockParser *parser, char fen[ENGINE_MAX_FEN])
{
    uint64_t index = byte_reader_varint(&parser->sections[SECTION_STARTS]);
    if (parser->sections[SECTION_STARTS].bad)
        return false;
    if (index == 0) {
        strcpy(fen, parser->start_fen);
        return true;
    }
    if (index == parser->text_count + 1) {
        ByteReader *texts = &parser->sections[SECTION_TEXTS];
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

static bool reserve_plies(GameRecord *record, RankList *ranks, size_t count)
{
    if (record->ply_capacity < count) {
        PlyRecord *plies = realloc(record->plies, count * sizeof *plies);
        if (!plies)
            return false;
        record->plies = plies;
        record->ply_capacity = count;
    }
    if (ranks->capacity < count) {
        uint16_t *list = realloc(ranks->ranks, count * sizeof *list);
        if (!list)
            return false;
        ranks->ranks = list;
        ranks->capacity = count;
    }
    return true;
}

static void take_plies(BlockParser *parser, GameRecord *record, RankList *ranks)
{
    ByteReader *rank_bytes = &parser->sections[SECTION_RANKS];
    ByteReader *runs = &parser->sections[SECTION_FLAGS];
    int score = 0;
    uint64_t run = 0;
    uint8_t flags = 0;
    for (size_t i = 0; i < record->ply_count; i++) {
        uint64_t rank = byte_reader_uint(rank_bytes, 1);
        if (rank == 255)
            rank += byte_reader_varint(rank_bytes);
        if (rank > RANK_MAX)
            rank_bytes->bad = true;
        ranks->ranks[i] = (uint16_t)rank;
        if (run == 0) {
            flags = (uint8_t)byte_reader_uint(runs, 1);
            run = byte_reader_varint(runs);
            if (run == 0 || run > record->ply_count - i)
                runs->bad = true;
        }
        run--;
        record->plies[i] = (PlyRecord){.move = MOVE_NONE,
                                       .score_white_cp = (int16_t)take_score(parser, &score),
                                       .flags = flags};
    }
    int final_score = parser->final_scores ? take_score(parser, &score) : SCORE_NONE;
    record->has_final_score = final_score != SCORE_NONE;
    record->final_score_white_cp = (int16_t)(record->has_final_score ? final_score : 0);
}

/* The message for the first column that is wrong, or STATUS_OK. */
static Status sections_status(const BlockParser *parser, uint64_t number, bool last, Error *err)
{
    for (int i = 0; i < SECTION_COUNT; i++) {
        const ByteReader *section = &parser->sections[i];
        if (section->bad)
            return error_set(err, STATUS_FORMAT,
                             "%s: block at byte %" PRIu64 ", game %" PRIu64
                             ": column of %s is cut or holds an impossible value at its byte %zu",
                             parser->path, parser->offset, number, section_names[i], section->at);
        if (last && byte_reader_left(section) != 0)
            return error_set(
                err, STATUS_FORMAT,
                "%s: block at byte %" PRIu64 ": column of %s has %zu bytes after the last game",
                parser->path, parser->offset, section_names[i], byte_reader_left(section));
    }
    if (last && (parser->bit_count >= 8 || parser->bits != 0))
        return error_set(err, STATUS_FORMAT,
                         "%s: block at byte %" PRIu64 ": column of %s has bits after the last game",
                         parser->path, parser->offset, section_names[SECTION_SCORE_BITS]);
    return STATUS_OK;
}

Status block_parser_next(BlockParser *parser, GameRecord *record, RankList *ranks, Error *err)
{
    ByteReader *sections = parser->sections;
    uint64_t skipped = byte_reader_varint(&sections[SECTION_NUMBERS]);
    record->number = parser->next + skipped;
    if (skipped >= parser->range_end - parser->next)
        sections[SECTION_NUMBERS].bad = true;
    if (!take_start(parser, record->start_fen)) {
        record->start_fen[0] = 0;
        sections[SECTION_STARTS].bad = true;
    }
    uint64_t result = byte_reader_uint(&sections[SECTION_RESULTS], 1);
    if (result > 15)
        sections[SECTION_RESULTS].bad = true;
    record->outcome = (Outcome)(result & 3);
    record->adjudication = (Outcome)(result >> 2 & 3);
    record->reason = (int)byte_reader_uint(&sections[SECTION_REASONS], 1);
    uint64_t plies = byte_reader_varint(&sections[SECTION_PLY_COUNTS]);
    /* A ply is at least one byte of rank: no room is made for more than can be there. */
    if (plies > GAME_PLIES_MAX || plies > byte_reader_left(&sections[SECTION_RANKS]))
        sections[SECTION_PLY_COUNTS].bad = true;
    Status status = sections_status(parser, record->number, false, err);
    if (status != STATUS_OK)
        return status;
    if (!reserve_plies(record, ranks, (size_t)plies))
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for a game of %zu plies",
                         parser->path, (size_t)plies);
    record->ply_count = (size_t)plies;
    take_plies(parser, record, ranks);
    parser->next = record->number + 1;
    parser->games_left--;
    return sections_status(parser, record->number, parser->games_left == 0, err);
}
