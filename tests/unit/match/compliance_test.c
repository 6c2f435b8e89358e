/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compliance_test.c - what --compliance reads of an engine's lines, and where it tries engines. */
#include "../test.h"

#include "compliance_examples.h"
#include "uci_info.h"
#include "uci_option.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static UciOption read_option(const char *line)
{
    UciOption option;
    assert_int_equal(uci_option_read(&option, line, NULL), STATUS_OK);
    return option;
}

static void options(void **state)
{
    (void)state;
    UciOption option = read_option("option name Move Overhead type spin default 10 min 0 max 5000");
    assert_string_equal(option.mistake, "");
    assert_string_equal(option.name, "Move Overhead");
    assert_true(uci_option_is(&option, "spin"));
    assert_string_equal(option.initial, "10");
    assert_int_equal(option.min, 0);
    assert_int_equal(option.max, 5000);
    uci_option_free(&option);

    option =
        read_option("option  name  Style  type  combo  var Very solid  default  Risky var Risky");
    assert_string_equal(option.mistake, "");
    assert_string_equal(option.name, "Style");
    assert_string_equal(option.initial, "Risky");
    assert_int_equal(option.value_count, 2);
    assert_true(uci_option_has(&option, "Very solid"));
    assert_false(uci_option_has(&option, "Very"));
    assert_false(uci_option_has(&option, "risky"));
    uci_option_free(&option);

    /* All of it is the default. */
    option = read_option("option name Path type string default a min b  var c");
    assert_string_equal(option.mistake, "");
    assert_string_equal(option.initial, "a min b  var c");
    uci_option_free(&option);
    option = read_option("option name Path type string default");
    assert_string_equal(option.mistake, "");
    assert_string_equal(option.initial, "");
    uci_option_free(&option);
    option = read_option("option name Clear Hash type button");
    assert_string_equal(option.mistake, "");
    assert_null(option.initial);
    assert_true(option.min == LLONG_MIN && option.max == LLONG_MAX);
    uci_option_free(&option);
}

/* What is wrong is said, and nothing is read that is not there. */
static void bad_options(void **state)
{
    (void)state;
    static const struct {
        const char *line, *mistake;
    } cases[] = {
        {"option", "expected option name"},
        {"option name", "expected option name"},
        {"option name X", "expected option name"},
        {"option name X type", "expected option name"},
        {"option name X type ", "type ''"},
        {"option name  type check default true", "no name"},
        {"option name X type wheel default 1", "type 'wheel'"},
        {"option name X type spin default 5 min 1", "needs min and max"},
        {"option name X type spin default 5 min 7 max 9", "not from min 7 to max 9"},
        {"option name X type spin default 5x min 1 max 9", "'5x' is no number"},
        {"option name X type spin default 5 min - max 9", "min '-' is no number"},
        {"option name X type spin default 5 min 1 max 99999999999999999999", "max '9999"},
        {"option name X type spin default min 1 max 9", "default '' is no number"},
        {"option name X type check", "no default"},
        {"option name X type check default on", "true or false"},
        {"option name X type check default true var x", "no var"},
        {"option name X type check default true max 3", "no min and max"},
        {"option name X type combo default a", "none of its values"},
        {"option name X type combo var a", "no default"},
        {"option name X type button default", "no default"},
        {"option name X type spin default 1 default 2 min 1 max 9", "twice"},
        {"option name X type spin odd default 1 min 1 max 9", "'odd' is no keyword"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        UciOption option = read_option(cases[i].line);
        if (!strstr(option.mistake, cases[i].mistake))
            fail_msg("%s: '%s'", cases[i].line, option.mistake);
        uci_option_free(&option);
    }
}

static void infos(void **state)
{
    (void)state;
    const Engine *rules = engine_find("mansindam");
    Game *game = rules->game_new(NULL);
    char before[ENGINE_MAX_FEN], after[ENGINE_MAX_FEN];
    rules->game_fen(game, before);
    static const struct {
        const char *line, *mistake; /* NULL: none */
    } cases[] = {
        {"info", NULL},
        {"info string depth x score", NULL},
        {"info depth 3 seldepth 5 score cp -12 lowerbound nodes 5 nps 1 time 0 pv e3e4 e7e6", NULL},
        {"info depth 3 score mate -2 upperbound wdl 1 2 997 hashfull 1000 tbhits 0 pv e3e4", NULL},
        {"info depth 3 score cp 1 pv e3e4 multipv 2 nodes 7", NULL},
        {"info currmove e3e4 currmovenumber 1 ebf 2.5", NULL},
        {"info score cp 3 pv", NULL},
        {"info depth", "depth '' is no number"},
        {"info depth x", "depth 'x'"},
        {"info nodes -1", "nodes -1 is out of range"},
        {"info hashfull 1001", "hashfull 1001"},
        {"info multipv 0", "multipv 0"},
        {"info score", "expected cp or mate"},
        {"info score 12", "expected cp or mate"},
        {"info score cp", "cp '' is no number"},
        {"info score cp 1.5", "cp '1.5'"},
        {"info wdl 1 2", "wdl ''"},
        {"info pv e3e5", "pv, move 1: "},
        {"info pv e3e4 e3e4", "pv, move 2: "},
        {"info refutation", "without a move"},
        {"info currmove", "without a move"},
        {"info currmove e3e5", "currmove: "},
    };
    UciInfo info;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good = uci_info_read(&info, cases[i].line, rules, game);
        if (good != !cases[i].mistake || (!good && !strstr(info.mistake, cases[i].mistake)))
            fail_msg("%s: '%s'", cases[i].line, info.mistake);
        rules->game_fen(game, after);
        assert_string_equal(after, before);
    }
    assert_true(uci_info_read(&info, "info multipv 2 depth 3 nodes 9 score mate -2 pv e3e4 e7e6",
                              rules, game));
    assert_true(info.has_depth && info.has_nodes && info.has_score && info.is_mate);
    assert_int_equal(info.score, -2);
    assert_int_equal(info.multi_pv, 2);
    assert_string_equal(info.first, "e3e4");
    assert_false(info.goes_on_after_end);
    /* Without rules moves are words. */
    assert_true(uci_info_read(&info, "info pv no such move", NULL, NULL));

    /* Campmate, and a variation that does not know it. */
    assert_int_equal(rules->game_set(game, "4k4/K8/9/9/9/9/9/9/9[] w - - 0 1", NULL), STATUS_OK);
    assert_true(uci_info_read(&info, "info pv a8a9 e9e8 a9a8 score cp 1", rules, game));
    assert_true(info.goes_on_after_end && info.has_score);
    rules->game_free(game);
}

/* A check that has no position to try would say "ok" for nothing. */
static void examples_of_every_game(void **state)
{
    (void)state;
    Examples *examples = malloc(sizeof *examples);
    const Engine *rules;
    for (size_t i = 0; (rules = engine_at(i)); i++) {
        assert_int_equal(examples_find(rules, examples, NULL), STATUS_OK);
        assert_true(examples->plies > 10);
        assert_true(examples->won_count > 0);
        assert_true(examples->over_count > 0);
        Game *game = rules->game_new(NULL);
        Move moves[ENGINE_MAX_MOVES], move;
        for (size_t k = 0; k < examples->plies; k++) {
            assert_int_equal(rules->move_from_uci(game, examples->moves[k], &move, NULL),
                             STATUS_OK);
            assert_int_equal(rules->game_play(game, move, NULL), STATUS_OK);
        }
        assert_int_equal(rules->game_ending(game).reason, END_NONE);
        for (size_t k = 0; k < examples->over_count; k++) {
            assert_int_equal(rules->game_set(game, examples->over[k], NULL), STATUS_OK);
            assert_int_equal(rules->game_moves(game, moves), 0);
        }
        for (size_t k = 0; k < examples->won_count; k++) {
            assert_int_equal(rules->game_set(game, examples->won[k], NULL), STATUS_OK);
            size_t wins = 0, count = rules->game_moves(game, moves);
            for (size_t m = 0; m < count; m++) {
                Outcome win = rules->game_side(game) == SIDE_WHITE ? OUTCOME_WHITE : OUTCOME_BLACK;
                assert_int_equal(rules->game_play(game, moves[m], NULL), STATUS_OK);
                wins += rules->game_ending(game).outcome == win;
                rules->game_undo(game);
            }
            assert_true(wins > 0);
        }
        rules->game_free(game);
    }
    free(examples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options),
        cmocka_unit_test(bad_options),
        cmocka_unit_test(infos),
        cmocka_unit_test(examples_of_every_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
