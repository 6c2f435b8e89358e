/* SPDX-License-Identifier: GPL-3.0-or-later */
/* game_test.c - how one game goes, with an engine that thinks what the test wants. */
#include "test.h"

#include "fake_engine.h"
#include "generator/game.h"

#include <stdlib.h>
#include <string.h>

static Error err;
static Player player;
static GameRecord record;
static GameTally tally;
static GameConfig config;
static atomic_bool stop;
static char book_lines[2][ENGINE_MAX_FEN];
static Book book = {.fens = book_lines, .count = 1};

static int set_up(void **state)
{
    (void)state;
    fake_thought = (FakeThought){.nodes = 10};
    config = (GameConfig){.engine = &fake_engine,
                          .seed = 7,
                          .nodes = 100,
                          .sample_half_life_cp = 30,
                          .max_plies = 400};
    book.count = 1;
    strcpy(book_lines[0], "20");
    strcpy(book_lines[1], "21");
    atomic_store(&stop, false);
    return player_open(&player, &fake_engine, NULL, 1, &err) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    player_close(&player);
    game_record_free(&record);
    record = (GameRecord){0};
    return 0;
}

static Status play(uint64_t number)
{
    return player_play(&player, &config, number, &stop, &record, &tally, &err);
}

static void ends_by_the_rules(void **state)
{
    (void)state;
    config.book = &book;
    fake_thought.score_white_cp = 50;
    assert_int_equal(play(3), STATUS_OK);
    assert_int_equal(record.number, 3);
    assert_string_equal(record.start_fen, "20");
    assert_int_equal(record.ply_count, 20); /* one stone a ply: White finds the pile empty */
    assert_int_equal(record.reason, END_MATE);
    assert_int_equal(record.outcome, OUTCOME_BLACK);
    assert_int_equal(record.adjudication, OUTCOME_NONE);
    for (size_t i = 0; i < record.ply_count; i++) {
        assert_int_equal(record.plies[i].score_white_cp, 50);
        assert_int_equal(record.plies[i].flags, 0);
    }
    assert_int_equal(tally.searched_plies, 20);
    assert_int_equal(tally.nodes, 200);
    assert_int_equal(tally.nodes_max, 10);
}

static void limits_reach_the_search(void **state)
{
    (void)state;
    config.book = &book;
    config.depth = 5;
    config.nodes_soft = 60;
    assert_int_equal(play(0), STATUS_OK);
    assert_int_equal(fake_limits.depth, 5);
    assert_int_equal(fake_limits.nodes, 100);
    assert_int_equal(fake_limits.nodes_soft, 60);
    assert_false(fake_limits.has_movetime || fake_limits.has_clock);
}

static void cap_is_no_result(void **state)
{
    (void)state;
    config.max_plies = 40;
    assert_int_equal(play(0), STATUS_OK);
    assert_int_equal(record.ply_count, 40);
    assert_int_equal(record.outcome, OUTCOME_NONE);
    assert_int_equal(record.reason, REASON_CAP);
    /* The rules come first where both fall on one ply. */
    config.book = &book;
    config.max_plies = 20;
    assert_int_equal(play(0), STATUS_OK);
    assert_int_equal(record.reason, END_MATE);
}

static void verdict_ends_the_game(void **state)
{
    (void)state;
    const int scores[] = {0, 0, -900, -900, -900, -900};
    fake_thought.scores = scores;
    fake_thought.score_count = 6;
    config.adjudicate_cp = 900;
    config.adjudicate_plies = 3;
    assert_int_equal(play(0), STATUS_OK);
    assert_int_equal(record.ply_count, 5);
    assert_int_equal(record.outcome, OUTCOME_BLACK);
    assert_int_equal(record.reason, REASON_ADJUDICATED);
    assert_int_equal(record.adjudication, OUTCOME_NONE);
}

static void verdict_is_checked_by_playing_on(void **state)
{
    (void)state;
    const int scores[] = {0, 900, 900, 900, 0, -900};
    fake_thought.scores = scores;
    fake_thought.score_count = 6;
    config.book = &book;
    config.adjudicate_cp = 900;
    config.adjudicate_plies = 3;
    config.play_out_percent = 100;
    assert_int_equal(play(0), STATUS_OK);
    assert_int_equal(record.ply_count, 20);
    assert_int_equal(record.reason, END_MATE);
    assert_int_equal(record.outcome, OUTCOME_BLACK);
    assert_int_equal(record.adjudication, OUTCOME_WHITE); /* the first verdict, and a wrong one */
    for (size_t i = 0; i < record.ply_count; i++)
        assert_int_equal(record.plies[i].flags, i < 4 ? 0 : PLY_PLAYED_OUT);
}

static void mate_on_the_board_beats_the_verdict(void **state)
{
    (void)state;
    strcpy(book_lines[0], "3");
    config.book = &book;
    fake_thought.score_white_cp = 2000;
    config.adjudicate_cp = 1000;
    config.adjudicate_plies = 3;
    assert_int_equal(play(0), STATUS_OK);
    assert_int_equal(record.reason, END_MATE);
    assert_int_equal(record.outcome, OUTCOME_WHITE);
}

static void random_plies_have_no_score(void **state)
{
    (void)state;
    config.opening_plies = 8;
    config.max_plies = 30;
    int full = 0;
    for (uint64_t number = 0; number < 200; number++) {
        assert_int_equal(play(number), STATUS_OK);
        size_t random = record.ply_count - tally.searched_plies;
        assert_in_range(random, 7, 8);
        full += random == 8;
        for (size_t i = 0; i < record.ply_count; i++) {
            assert_int_equal(record.plies[i].flags, i < random ? PLY_RANDOM : 0);
            assert_int_equal(record.plies[i].score_white_cp, i < random ? SCORE_NONE : 0);
        }
    }
    assert_in_range(full, 70, 130);
}

static void sampled_plies_follow_the_opening(void **state)
{
    (void)state;
    config.opening_plies = 2;
    config.sample_plies = 5;
    config.sample_lines = 3;
    config.sample_margin_cp = 10;
    config.max_plies = 30;
    int sampled = 0;
    for (uint64_t number = 0; number < 200; number++) {
        assert_int_equal(play(number), STATUS_OK);
        size_t random = record.ply_count - tally.searched_plies;
        for (size_t i = random; i < record.ply_count; i++) {
            bool other = record.plies[i].move != 1;
            assert_int_equal(record.plies[i].flags, other ? PLY_SAMPLED : 0);
            sampled += other;
            if (i >= random + 5)
                assert_false(other);
        }
    }
    /* All three lines are equal: two of three draws are not the best move. */
    assert_in_range(sampled, 600, 730);
    assert_int_equal(fake_limits.multi_pv, 1); /* the last search of a game samples nothing */
}

static void window_draws_openings_again(void **state)
{
    (void)state;
    config.opening_plies = 4;
    config.opening_window_cp = 100;
    config.max_plies = 10;
    fake_thought.score_white_cp = -90;
    assert_int_equal(play(0), STATUS_OK);
    assert_int_equal(tally.redraws, 0);
    fake_thought.score_white_cp = -150; /* beyond the window until it doubles */
    assert_int_equal(play(0), STATUS_OK);
    assert_int_equal(tally.redraws, OPENING_WINDOW_DOUBLES);
    assert_int_equal(record.ply_count, 10);
    fake_thought.score_white_cp = SCORE_MATE - 3; /* no window holds a mate: the last one stays */
    assert_int_equal(play(0), STATUS_OK);
    assert_int_equal(tally.redraws, OPENING_ATTEMPTS - 1);
    assert_int_equal(record.plies[9].score_white_cp, SCORE_MATE - 3);
}

static void openings_that_end_the_game_are_refused(void **state)
{
    (void)state;
    strcpy(book_lines[0], "1");
    config.book = &book;
    config.opening_plies = 2;
    assert_int_equal(play(5), STATUS_ARGUMENT);
    assert_non_null(strstr(err.message, "game 5"));
    /* One playable line among them is found. */
    strcpy(book_lines[1], "500");
    book.count = 2;
    config.max_plies = 10;
    for (uint64_t number = 0; number < 50; number++) {
        assert_int_equal(play(number), STATUS_OK);
        assert_string_equal(record.start_fen, "500");
    }
}

static void play_out_is_a_share(void **state)
{
    (void)state;
    config.opening_plies = 2;
    config.adjudicate_cp = 500;
    config.adjudicate_plies = 2;
    config.play_out_percent = 20;
    config.max_plies = 12;
    fake_thought.score_white_cp = 600;
    int played = 0;
    for (uint64_t number = 0; number < 500; number++) {
        assert_int_equal(play(number), STATUS_OK);
        played += record.adjudication != OUTCOME_NONE;
        assert_int_equal(record.reason,
                         record.adjudication != OUTCOME_NONE ? REASON_CAP : REASON_ADJUDICATED);
    }
    assert_in_range(played, 70, 130);
}

static void violations_are_reported(void **state)
{
    (void)state;
    fake_thought.best = 9;
    assert_int_equal(play(12), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "game 12, ply 1"));
    assert_non_null(strstr(err.message, "illegal move"));
    fake_thought.best = MOVE_NONE;

    fake_thought.nodes = 101;
    assert_int_equal(play(0), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "limit of nodes"));
    fake_thought.nodes = 100;

    fake_thought.score_white_cp = SCORE_MATE + 1;
    assert_int_equal(play(0), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "out of range"));
    fake_thought.score_white_cp = 0;

    config.book = &book;
    fake_thought.draw_at_the_end = true; /* in a game that has no draws */
    assert_int_equal(play(0), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "a draw"));
}

static void stop_ends_the_game(void **state)
{
    (void)state;
    atomic_store(&stop, true);
    assert_int_equal(play(0), STATUS_INTERRUPTED);
}

static void games_are_functions_of_their_number(void **state)
{
    (void)state;
    config.opening_plies = 8;
    config.sample_plies = 10;
    config.sample_lines = 3;
    config.sample_margin_cp = 10;
    config.max_plies = 40;
    uint64_t keys[50];
    for (uint64_t number = 0; number < 50; number++) {
        assert_int_equal(play(number), STATUS_OK);
        keys[number] = tally.moves_key;
    }
    for (uint64_t number = 50; number-- > 0;) { /* in another order, by the same player */
        assert_int_equal(play(number), STATUS_OK);
        assert_int_equal(tally.moves_key, keys[number]);
        for (uint64_t other = 0; other < number; other++)
            assert_true(keys[other] != keys[number]);
    }
    config.seed = 8;
    assert_int_equal(play(0), STATUS_OK);
    assert_true(tally.moves_key != keys[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ends_by_the_rules),
        TEST(limits_reach_the_search),
        TEST(cap_is_no_result),
        TEST(verdict_ends_the_game),
        TEST(verdict_is_checked_by_playing_on),
        TEST(mate_on_the_board_beats_the_verdict),
        TEST(random_plies_have_no_score),
        TEST(sampled_plies_follow_the_opening),
        TEST(window_draws_openings_again),
        TEST(openings_that_end_the_game_are_refused),
        TEST(play_out_is_a_share),
        TEST(violations_are_reported),
        TEST(stop_ends_the_game),
        TEST(games_are_functions_of_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
