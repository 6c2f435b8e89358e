/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_test.c - the arguments of `go`, and scores as text. */
#include "test.h"

#include "uci_go.h"
#include "uci_text.h"

#include <stdio.h>

static GoCommand parsed(const char *arguments)
{
    static char text[256];
    GoCommand command;
    snprintf(text, sizeof text, "%s", arguments);
    go_parse(text, &command);
    return command;
}

static SearchLimits limits(const char *arguments, Side side)
{
    GoCommand command = parsed(arguments);
    return go_resolve(&command, side);
}

static void test_plain_limits(void **state)
{
    (void)state;
    SearchLimits got = limits(" depth 7 nodes 5000\tmate 3 \r\n", SIDE_WHITE);
    assert_int_equal(got.depth, 7);
    assert_int_equal(got.nodes, 5000);
    assert_int_equal(got.mate, 3);
    assert_false(got.infinite || got.ponder || got.has_clock || got.has_movetime);
    got = limits("movetime 250", SIDE_WHITE);
    assert_true(got.has_movetime);
    assert_int_equal(got.movetime_ms, 250);
}

static void test_clocks(void **state)
{
    (void)state;
    SearchLimits got =
        limits("ponder wtime 1000 btime 2000 winc 30 binc 40 movestogo 5 byoyomi 60", SIDE_BLACK);
    assert_true(got.has_clock && got.ponder);
    assert_false(got.infinite || got.has_movetime);
    assert_int_equal(got.time_ms[SIDE_WHITE], 1000);
    assert_int_equal(got.time_ms[SIDE_BLACK], 2000);
    assert_int_equal(got.increment_ms[SIDE_WHITE], 30);
    assert_int_equal(got.increment_ms[SIDE_BLACK], 40);
    assert_int_equal(got.moves_to_go, 5);
    assert_int_equal(got.byoyomi_ms, 60);
}

/* Case E09: any time that is not positive means "move at once". */
static void test_no_time_left(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "movetime 0",          "movetime -5", "wtime 0 btime 0 winc 0 binc 0",
        "wtime -50 btime -50", "wtime abc",   "wtime 0 btime 5000",
        "btime 5000",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        SearchLimits got = limits(texts[i], SIDE_WHITE);
        assert_true(got.has_movetime);
        assert_int_equal(got.movetime_ms, 1);
        assert_false(got.has_clock || got.infinite);
    }
    assert_true(limits("wtime 0 btime 5000", SIDE_BLACK).has_clock);
    assert_true(limits("wtime 0 byoyomi 5000", SIDE_WHITE).has_clock);
    assert_int_equal(limits("movestogo 0 wtime 100 btime 100", SIDE_WHITE).moves_to_go, 0);
}

static void test_odd_values(void **state)
{
    (void)state;
    assert_int_equal(limits("depth 0", SIDE_WHITE).depth, 1);
    assert_int_equal(limits("depth abc", SIDE_WHITE).depth, 1);
    assert_int_equal(limits("depth", SIDE_WHITE).depth, 1);
    assert_int_equal(limits("depth 999999999999999999999", SIDE_WHITE).depth, ENGINE_MAX_DEPTH);
    assert_int_equal(limits("nodes 0", SIDE_WHITE).nodes, 1);
    assert_int_equal(limits("nodes -3", SIDE_WHITE).nodes, 1);
    assert_int_equal(limits("nodes 99999999999999999999", SIDE_WHITE).nodes, INT64_MAX);
    SearchLimits got = limits("wtime 99999999999999999999", SIDE_WHITE);
    assert_true(got.has_clock);
    assert_true(got.time_ms[SIDE_WHITE] > 0 && got.time_ms[SIDE_WHITE] < INT64_MAX / 1000);
    got = limits("depth nodes 50 rubbish", SIDE_WHITE);
    assert_int_equal(got.depth, 1);
    assert_int_equal(got.nodes, 50);
    got = limits("rubbish 17 depth 4 12 nonsense", SIDE_WHITE);
    assert_int_equal(got.depth, 4);
}

static void test_infinite(void **state)
{
    (void)state;
    assert_true(limits("", SIDE_WHITE).infinite);
    assert_true(limits("infinite", SIDE_WHITE).infinite);
    assert_true(limits("searchmoves a1a2", SIDE_WHITE).infinite);
    SearchLimits got = limits("infinite depth 5", SIDE_WHITE);
    assert_true(got.infinite);
    assert_int_equal(got.depth, 5);
}

static void test_search_moves_and_perft(void **state)
{
    (void)state;
    GoCommand got = parsed("searchmoves e3e4 P@e5 depth 3 infinite a6a7+");
    assert_int_equal(got.move_count, 2);
    assert_string_equal(got.moves[0], "e3e4");
    assert_string_equal(got.moves[1], "P@e5");
    assert_int_equal(got.limits.depth, 3);
    got = parsed("perft 4");
    assert_true(got.has_perft);
    assert_int_equal(got.perft, 4);
    got = parsed("perft");
    assert_true(got.has_perft);
    assert_int_equal(got.perft, 1);
}

static void test_scores(void **state)
{
    (void)state;
    static const struct {
        int score;
        const char *text;
    } rows[] = {
        {0, "cp 0"},
        {-35, "cp -35"},
        {SCORE_MATE_BOUND, "cp 31000"},
        {SCORE_MATE - 1, "mate 1"},
        {SCORE_MATE - 2, "mate 1"},
        {SCORE_MATE - 3, "mate 2"},
        {-(SCORE_MATE - 2), "mate -1"},
        {-(SCORE_MATE - 4), "mate -2"},
        {-SCORE_MATE, "mate 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[UCI_SCORE_TEXT];
        uci_score_text(rows[i].score, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void test_wdl(void **state)
{
    (void)state;
    int wdl[3];
    for (int draws = 0; draws <= 1; draws++) {
        int last = -1;
        for (int score = -SCORE_MATE; score <= SCORE_MATE; score += 7) {
            uci_wdl(score, draws, wdl);
            assert_int_equal(wdl[0] + wdl[1] + wdl[2], 1000);
            assert_true(wdl[0] >= last && wdl[1] >= 0 && wdl[2] >= 0);
            assert_true(draws || wdl[1] == 0);
            last = wdl[0];
        }
    }
    uci_wdl(400, false, wdl); /* 10 to 1 */
    assert_int_equal(wdl[0], 909);
    uci_wdl(0, true, wdl);
    assert_int_equal(wdl[0], 250);
    assert_int_equal(wdl[1], 500);
    uci_wdl(-(SCORE_MATE - 2), false, wdl);
    assert_int_equal(wdl[2], 1000);
}

static void test_append_cuts_off(void **state)
{
    (void)state;
    char text[8];
    size_t used = uci_append(text, sizeof text, 0, "%s", "abc");
    assert_int_equal(used, 3);
    used = uci_append(text, sizeof text, used, "%d", 123456);
    assert_int_equal(used, 7);
    assert_string_equal(text, "abc1234");
    assert_int_equal(uci_append(text, sizeof text, used, "x"), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_limits),    cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_no_time_left),    cmocka_unit_test(test_odd_values),
        cmocka_unit_test(test_infinite),        cmocka_unit_test(test_search_moves_and_perft),
        cmocka_unit_test(test_scores),          cmocka_unit_test(test_wdl),
        cmocka_unit_test(test_append_cuts_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
