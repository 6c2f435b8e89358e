/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block_test.c - games to a frame and back, without rules: any rank will do. */
#include "test.h"

#include "block.h"
#include "random_games.h"
#include "support/rng.h"

#include <stdlib.h>
#include <string.h>

enum { PLIES = 300, GAMES = 40 };

static const char start_fen[] = "start";

static void make_record(Rng *rng, uint64_t number, bool final_scores, GameRecord *record,
                        uint16_t *ranks)
{
    record->number = number;
    snprintf(record->start_fen, sizeof record->start_fen, "%s",
             number % 2   ? start_fen
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
        ranks[i] = (uint16_t)rng_below(rng, rng_below(rng, 3) ? 60 : RANK_MAX + 1);
    }
    record->has_final_score = final_scores && rng_below(rng, 2);
    record->final_score_white_cp =
        (int16_t)(record->has_final_score ? (int)rng_below(rng, 2 * SCORE_MATE + 1) - SCORE_MATE
                                          : 0);
}

/* A frame of GAMES games with numbers 1000, 1003, ... */
static void make_frame(uint64_t seed, Buffer *frame)
{
    BlockBuilder builder;
    GameRecord record = {0};
    uint16_t ranks[PLIES];
    Rng rng = rng_from(seed, 0);
    assert_int_equal(block_builder_init(&builder, NULL), STATUS_OK);
    builder.final_scores = seed % 2;
    for (uint64_t i = 0; i < GAMES; i++) {
        make_record(&rng, 1000 + 3 * i, seed % 2, &record, ranks);
        assert_int_equal(block_add(&builder, &record, ranks, 990, start_fen, NULL), STATUS_OK);
    }
    assert_int_equal(block_encode(&builder, frame, NULL), STATUS_OK);
    block_builder_free(&builder);
    game_record_free(&record);
}

static void games_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Buffer frame = {0}, content = {0};
        Error err = {0};
        make_frame(seed, &frame);
        assert_int_equal(block_decode(frame.bytes, frame.size, "x", 0, &content, &err), STATUS_OK);
        BlockParser parser;
        assert_int_equal(block_parser_open(&parser, &content, "x", 0, start_fen, 990, 5000, &err),
                         STATUS_OK);
        assert_int_equal(parser.games, GAMES);
        parser.final_scores = seed % 2;
        GameRecord record = {0}, expected = {0};
        RankList list = {0};
        uint16_t ranks[PLIES];
        Rng rng = rng_from(seed, 0);
        for (uint64_t i = 0; i < GAMES; i++) {
            make_record(&rng, 1000 + 3 * i, seed % 2, &expected, ranks);
            assert_int_equal(block_parser_next(&parser, &record, &list, &err), STATUS_OK);
            assert_records_equal(&record, &expected);
            if (record.ply_count > 0)
                assert_memory_equal(list.ranks, ranks, record.ply_count * sizeof *ranks);
        }
        assert_int_equal(parser.games_left, 0);
        game_record_free(&record);
        game_record_free(&expected);
        free(list.ranks);
        buffer_free(&frame);
        buffer_free(&content);
    }
}

static void same_games_same_bytes(void **state)
{
    (void)state;
    Buffer a = {0}, b = {0};
    make_frame(5, &a);
    make_frame(5, &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
    buffer_free(&a);
    buffer_free(&b);
}

/* Whatever stands in the content, the parser stays inside it and inside its ranges. */
static void wrong_content_is_refused_or_in_range(void **state)
{
    (void)state;
    Buffer frame = {0}, content = {0}, copy = {0};
    make_frame(9, &frame);
    assert_int_equal(block_decode(frame.bytes, frame.size, "x", 0, &content, NULL), STATUS_OK);
    Rng rng = rng_from(3, 3);
    GameRecord record = {0};
    RankList list = {0};
    size_t refused = 0;
    for (int round = 0; round < 3000; round++) {
        buffer_clear(&copy);
        buffer_put(&copy, content.bytes, content.size);
        for (uint64_t i = 0, edits = 1 + rng_below(&rng, 3); i < edits; i++)
            copy.bytes[rng_below(&rng, round % 2 ? 40 : copy.size)] = (uint8_t)rng_next(&rng);
        if (round % 5 == 0)
            copy.size = (size_t)rng_below(&rng, copy.size);
        BlockParser parser;
        Error err = {0};
        Status status = block_parser_open(&parser, &copy, "x", 0, start_fen, 990, 5000, &err);
        while (status == STATUS_OK && parser.games_left > 0) {
            status = block_parser_next(&parser, &record, &list, &err);
            if (status != STATUS_OK)
                break;
            assert_in_range(record.number, 990, 4999);
            for (size_t i = 0; i < record.ply_count; i++) {
                assert_in_range(list.ranks[i], 0, RANK_MAX);
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
    free(list.ranks);
    buffer_free(&frame);
    buffer_free(&content);
    buffer_free(&copy);
}

static void frames_need_checksum_and_size(void **state)
{
    (void)state;
    Buffer frame = {0}, content = {0};
    Error err = {0};
    make_frame(2, &frame);
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
        cmocka_unit_test(frames_need_checksum_and_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
