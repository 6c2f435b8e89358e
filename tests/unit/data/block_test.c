/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block_test.c - games to a frame and back, without rules: any share of any total will do. */
#include "test.h"

#include "block.h"
#include "random_games.h"
#include "shard.h"
#include "support/files.h"
#include "support/rng.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { PLIES = 300, GAMES = 40 };

/* What the parser must know of the shard: scores of the final position as `seed` says. */
static ShardInfo shard_info(uint64_t seed)
{
    return (ShardInfo){.engine = engine_find("mansindam"), .final_scores = seed % 2, .format = 3};
}

static void make_record(Rng *rng, uint64_t number, bool final_scores, GameRecord *record,
                        MoveShare *shares)
{
    record->number = number;
    snprintf(record->start_fen, sizeof record->start_fen, "%s",
             number % 2   ? engine_find("mansindam")->start_fen
             : number % 4 ? "second position"
                          : "third position");
    record->outcome = (Outcome)rng_below(rng, 4);
    record->adjudication = (Outcome)rng_below(rng, 4);
    record->reason = REASON_UNKNOWN;
    record->ply_count = 0;
    size_t plies = (size_t)rng_below(rng, PLIES + 1);
    for (size_t i = 0; i < plies; i++) {
        PlyRecord ply = {.flags = (uint8_t)(rng_below(rng, 3) ? 0 : rng_below(rng, 16))};
        uint64_t kind = rng_below(rng, 5);
        int range = kind == 0 ? SCORE_MATE : kind == 1 ? 1000 : 30;
        ply.score_white_cp =
            (int16_t)(kind == 2 ? SCORE_NONE
                                : (int)rng_below(rng, 2 * (uint64_t)range + 1) - range);
        assert_int_equal(game_record_add(record, ply, NULL), STATUS_OK);
        uint32_t total = 1 + (uint32_t)rng_below(rng, rng_below(rng, 3) ? 60 : 1 << 30);
        uint32_t begin = (uint32_t)rng_below(rng, total);
        shares[i] = (MoveShare){begin, 1 + (uint32_t)rng_below(rng, total - begin), total};
    }
    record->has_final_score = final_scores && rng_below(rng, 2);
    record->final_score_white_cp =
        (int16_t)(record->has_final_score ? (int)rng_below(rng, 2 * SCORE_MATE + 1) - SCORE_MATE
                                          : 0);
}

/* A frame of GAMES games with numbers 1000, 1003, ... */
static void make_frame(uint64_t seed, const ScoreScale *scale, Buffer *frame)
{
    BlockBuilder builder;
    GameRecord record = {0};
    MoveShare shares[PLIES];
    Rng rng = rng_from(seed, 0);
    assert_int_equal(block_builder_init(&builder, scale, seed % 2, NULL), STATUS_OK);
    for (uint64_t i = 0; i < GAMES; i++) {
        make_record(&rng, 1000 + 3 * i, seed % 2, &record, shares);
        for (size_t k = 0; k < record.ply_count; k++)
            record.plies[k].score_white_cp =
                (int16_t)score_on_scale(scale, record.plies[k].score_white_cp);
        if (record.has_final_score)
            record.final_score_white_cp =
                (int16_t)score_on_scale(scale, record.final_score_white_cp);
        assert_int_equal(block_add(&builder, &record, shares, 990,
                                   engine_find("mansindam")->start_fen, NULL),
                         STATUS_OK);
    }
    assert_int_equal(block_encode(&builder, frame, NULL), STATUS_OK);
    block_builder_free(&builder);
    game_record_free(&record);
}

/* The moves of a game that was parsed: the shares it was written with, in order. */
static void assert_shares_come_back(BlockParser *parser, const MoveShare *shares, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value = range_decode_value(&parser->coded_moves, shares[i].total);
        assert_in_range(value, shares[i].begin, shares[i].begin + shares[i].size - 1);
        range_decode(&parser->coded_moves, shares[i].begin, shares[i].size, shares[i].total);
    }
}

static void games_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Buffer frame = {0}, content = {0};
        Error err = {0};
        ScoreScale scale;
        assert_true(score_scale_set(&scale, 0, 0));
        make_frame(seed, &scale, &frame);
        assert_int_equal(block_decode(frame.bytes, frame.size, "x", 0, &content, &err), STATUS_OK);
        BlockParser parser;
        ShardInfo info = shard_info(seed);
        assert_int_equal(
            block_parser_open(&parser, &content, "x", 0, &info, &scale, 990, 5000, &err),
            STATUS_OK);
        assert_int_equal(parser.games, GAMES);
        GameRecord record = {0}, expected = {0};
        CodeList list = {0};
        MoveShare shares[PLIES];
        Rng rng = rng_from(seed, 0);
        for (uint64_t i = 0; i < GAMES; i++) {
            make_record(&rng, 1000 + 3 * i, seed % 2, &expected, shares);
            assert_int_equal(block_parser_next(&parser, &record, &list, &err), STATUS_OK);
            assert_records_equal(&record, &expected);
            assert_shares_come_back(&parser, shares, record.ply_count);
        }
        assert_int_equal(parser.games_left, 0);
        assert_true(range_decoder_at_end(&parser.coded_moves));
        game_record_free(&record);
        game_record_free(&expected);
        free(list.codes);
        buffer_free(&frame);
        buffer_free(&content);
    }
}

static void same_games_same_bytes(void **state)
{
    (void)state;
    Buffer a = {0}, b = {0};
    ScoreScale scale;
    assert_true(score_scale_set(&scale, 128, 400000));
    make_frame(5, &scale, &a);
    make_frame(5, &scale, &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
    buffer_free(&a);
    buffer_free(&b);
}

/* Whatever stands in the content, the parser stays inside it and inside its ranges. */
static void try_wrong_content(const Buffer *content, unsigned format)
{
    Buffer copy = {0};
    Rng rng = rng_from(3, format);
    GameRecord record = {0};
    CodeList list = {0};
    ScoreScale scale;
    score_scale_set(&scale, format < 3 ? 0 : 128, format < 3 ? 0 : 400000);
    ShardInfo info = shard_info(1);
    info.format = format;
    size_t refused = 0;
    for (int round = 0; round < 3000; round++) {
        buffer_clear(&copy);
        buffer_put(&copy, content->bytes, content->size);
        for (uint64_t i = 0, edits = 1 + rng_below(&rng, 3); i < edits; i++)
            copy.bytes[rng_below(&rng, round % 2 ? 40 : copy.size)] = (uint8_t)rng_next(&rng);
        if (round % 5 == 0)
            copy.size = (size_t)rng_below(&rng, copy.size);
        BlockParser parser;
        Error err = {0};
        Status status =
            block_parser_open(&parser, &copy, "x", 0, &info, &scale, 0, 5000, &err);
        while (status == STATUS_OK && parser.games_left > 0) {
            status = block_parser_next(&parser, &record, &list, &err);
            if (status != STATUS_OK)
                break;
            assert_in_range(record.number, 0, 4999);
            for (size_t i = 0; i < record.ply_count; i++) {
                if (format < 3)
                    assert_in_range(list.codes[i], 0, RANK_MAX);
                int score = record.plies[i].score_white_cp;
                assert_true(score == SCORE_NONE || abs(score) <= SCORE_MATE);
            }
        }
        if (status != STATUS_OK) {
            assert_int_equal(status, STATUS_FORMAT);
            assert_non_null(strstr(err.message, "x: block at byte 0"));
            refused++;
        }
    }
    assert_true(refused > 1000);
    game_record_free(&record);
    free(list.codes);
    buffer_free(&copy);
}

static void wrong_content_is_refused_or_in_range(void **state)
{
    (void)state;
    Buffer frame = {0}, content = {0};
    ScoreScale scale;
    assert_true(score_scale_set(&scale, 128, 400000));
    make_frame(9, &scale, &frame);
    assert_int_equal(block_decode(frame.bytes, frame.size, "x", 0, &content, NULL), STATUS_OK);
    try_wrong_content(&content, 3);
    buffer_free(&frame);
    buffer_free(&content);
}

/* The same of a block of format 2, from the file that is kept for that. */
static void wrong_old_content_is_refused_or_in_range(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t size = 0, header = 0;
    ShardInfo info = {0};
    Buffer content = {0};
    assert_int_equal(file_read_all(FORMAT_2_SHARD, &bytes, &size, NULL), STATUS_OK);
    assert_int_equal(
        shard_header_decode("x", (const uint8_t *)bytes, size, &info, &header, NULL), STATUS_OK);
    size_t frame = ZSTD_findFrameCompressedSize(bytes + header, size - header);
    assert_int_equal(block_decode(bytes + header, frame, "x", 0, &content, NULL), STATUS_OK);
    try_wrong_content(&content, 2);
    shard_info_free(&info);
    buffer_free(&content);
    free(bytes);
}

static void frames_need_checksum_and_size(void **state)
{
    (void)state;
    Buffer frame = {0}, content = {0};
    Error err = {0};
    ScoreScale scale;
    assert_true(score_scale_set(&scale, 0, 0));
    make_frame(2, &scale, &frame);
    frame.bytes[4] &= (uint8_t)~4; /* the flag that says there is a checksum */
    assert_int_equal(block_decode(frame.bytes, frame.size, "x", 77, &content, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "x: byte 77"));
    assert_int_equal(block_decode(frame.bytes, 3, "x", 77, &content, &err), STATUS_FORMAT);
    buffer_free(&frame);
    buffer_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_come_back),
        cmocka_unit_test(same_games_same_bytes),
        cmocka_unit_test(wrong_content_is_refused_or_in_range),
        cmocka_unit_test(wrong_old_content_is_refused_or_in_range),
        cmocka_unit_test(frames_need_checksum_and_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
