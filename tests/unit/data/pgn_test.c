/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_test.c - PGN as text. */
#include "test.h"

#include "pgn.h"

#include <stdlib.h>
#include <string.h>

static const Engine *engine;

/* Plays moves in UCI from a start position into a record. */
static void play(GameRecord *record, const char *fen, const char *const *moves)
{
    Game *game = engine->game_new(NULL);
    assert_non_null(game);
    assert_int_equal(engine->game_set(game, fen, NULL), STATUS_OK);
    engine->game_fen(game, record->start_fen);
    record->ply_count = 0;
    for (; *moves; moves++) {
        PlyRecord ply = {.score_white_cp = SCORE_NONE};
        Error err = {0};
        if (engine->move_from_uci(game, *moves, &ply.move, &err) != STATUS_OK)
            fail_msg("%s: %s", *moves, err.message);
        assert_int_equal(game_record_add(record, ply, NULL), STATUS_OK);
        assert_int_equal(engine->game_play(game, ply.move, NULL), STATUS_OK);
    }
    Ending ending = engine->game_ending(game);
    record->reason = (int)ending.reason;
    record->outcome = ending.outcome;
    engine->game_free(game);
}

static char *to_text(const GameRecord *record, const PgnTags *tags)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(pgn_write(stream, engine, record, tags, NULL), STATUS_OK);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void a_drop_mate(void **state)
{
    (void)state;
    GameRecord record = {0};
    static const char *const moves[] = {"P@a8", NULL};
    play(&record, "k8/3N5/1+P7/9/9/9/9/9/4K4[P] w - - 0 1", moves);
    assert_int_equal(record.reason, END_MATE);
    char *text = to_text(&record, &(PgnTags){.white = "a \"b\" \\", .termination = "mate"});
    assert_string_equal(text, "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n"
                              "[White \"a \\\"b\\\" \\\\\"]\n[Black \"?\"]\n[Result \"1-0\"]\n"
                              "[Variant \"Mansindam\"]\n"
                              "[FEN \"k8/3N5/1+P7/9/9/9/9/9/4K4[P] w - - 0 1\"]\n[SetUp \"1\"]\n"
                              "[Termination \"mate\"]\n\n1. P@a8# 1-0\n\n");
    free(text);
    game_record_free(&record);
}

static void black_begins(void **state)
{
    (void)state;
    GameRecord record = {0};
    static const char *const moves[] = {"e9d9", "i1i2", "d9e9", "i2i1", NULL};
    play(&record, "4k4/9/9/9/9/9/9/9/4K3R[] b - - 0 12", moves);
    record.plies[1].score_white_cp = 123;
    record.plies[2].score_white_cp = SCORE_MATE - 5;
    char *text = to_text(&record, NULL);
    const char *body = strstr(text, "\n\n");
    assert_non_null(body);
    assert_string_equal(body, "\n\n12... Kd9 13. Ri2 {+1.23} 13... Ke9 {-M3} 14. Ri1 *\n\n");
    free(text);
    static const char *const comments[] = {"", "a {b} c", "", ""};
    text = to_text(&record, &(PgnTags){.comments = comments});
    body = strstr(text, "\n\n");
    assert_string_equal(body, "\n\n12... Kd9 13. Ri2 {a (b) c} 13... Ke9 14. Ri1 *\n\n");
    free(text);
    game_record_free(&record);
}

static void the_start_position_needs_no_fen(void **state)
{
    (void)state;
    GameRecord record = {0};
    static const char *const moves[] = {NULL};
    play(&record, "startpos", moves);
    char *text = to_text(&record, NULL);
    assert_null(strstr(text, "FEN"));
    assert_null(strstr(text, "SetUp"));
    assert_non_null(strstr(text, "\n\n*\n\n"));
    free(text);
    game_record_free(&record);
}

static void lines_are_short(void **state)
{
    (void)state;
    GameRecord record = {0};
    static const char *const moves[] = {"b1d2", "b9d8", "h1f2", "h9f8", "a3a4",
                                        "a7a6", "b3b4", "b7b6", "c3c4", "c7c6",
                                        "d3d4", "d7d6", "i3i4", "i7i6", NULL};
    play(&record, "startpos", moves);
    for (size_t i = 0; i < record.ply_count; i++)
        record.plies[i].score_white_cp = (int16_t)(10 * i);
    char *text = to_text(&record, NULL);
    size_t lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
        assert_true(strlen(line) <= 80);
    assert_true(lines > 10);
    free(text);
    game_record_free(&record);
}

static int find_engine(void **state)
{
    (void)state;
    engine = engine_find("mansindam");
    return engine == NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_mate),
        cmocka_unit_test(black_begins),
        cmocka_unit_test(the_start_position_needs_no_fen),
        cmocka_unit_test(lines_are_short),
    };
    return cmocka_run_group_tests(tests, find_engine, NULL);
}
