/* SPDX-License-Identifier: GPL-3.0-or-later */
/* specification_test.c - what the user writes about engines, limits and tests. */
#include "../test.h"

#include "specification.h"

#include <stdlib.h>
#include <string.h>

static void time_controls(void **state)
{
    (void)state;
    const struct {
        const char *text, *again;
        int moves;
        int64_t base, increment, byoyomi;
    } rows[] = {
        {"1+0.01", "1+0.01", 0, 1000, 10, 0},     {"40/60+0", "40/60+0", 40, 60000, 0, 0},
        {"60+10b", "60+10b", 0, 60000, 0, 10000}, {"0+1", "0+1", 0, 0, 1000, 0},
        {"90", "90+0", 0, 90000, 0, 0},           {"0+5b", "0+5b", 0, 0, 0, 5000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MoveLimits limits = {0};
        Error error;
        char text[100];
        assert_int_equal(time_control_parse(rows[i].text, &limits, &error), STATUS_OK);
        assert_true(limits.has_clock);
        assert_int_equal(limits.moves_per_period, rows[i].moves);
        assert_int_equal(limits.base_ms, rows[i].base);
        assert_int_equal(limits.increment_ms, rows[i].increment);
        assert_int_equal(limits.byoyomi_ms, rows[i].byoyomi);
        move_limits_text(&limits, text, sizeof text);
        assert_string_equal(text, rows[i].again);
    }
    static const char *const bad[] = {
        "",     "+",     "1+",      "x",   "1+x", "/60+0", "0/60+0",   "40/",   "60+10bb", "0+0",
        "-1+0", "1,5+0", "1+0.01 ", "nan", "inf", "1e99",  "40/60+5b", "60+-1", "1++1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        MoveLimits limits = {.nodes = 7};
        Error error;
        if (time_control_parse(bad[i], &limits, &error) != STATUS_ARGUMENT)
            fail_msg("'%s' was accepted", bad[i]);
        assert_false(limits.has_clock); /* untouched */
        assert_non_null(strstr(error.message, "time control"));
    }
}

static void engines(void **state)
{
    (void)state;
    EngineSpec spec;
    Error error;
    assert_int_equal(
        engine_spec_parse(
            "name=a,cmd=engine,args=\"-x 'b c' \\\"d e\\\" f''g\",dir=/tmp,"
            "option.Hash=16,option.Move Overhead=\"1,2\",option.Clear Hash=,nodes=5000,"
            "tc=1+0.01,depth=9,movetime=100",
            &spec, &error),
        STATUS_OK);
    assert_string_equal(spec.name, "a");
    assert_string_equal(spec.command, "engine");
    assert_string_equal(spec.directory, "/tmp");
    static const char *const arguments[] = {"engine", "-x", "b c", "d e", "fg"};
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(spec.arguments[i], arguments[i]);
    assert_null(spec.arguments[5]);
    assert_int_equal(spec.option_count, 3);
    assert_string_equal(spec.options[1].name, "Move Overhead");
    assert_string_equal(spec.options[1].value, "1,2");
    assert_string_equal(spec.options[2].value, "");
    assert_int_equal(spec.limits.nodes, 5000);
    assert_int_equal(spec.limits.depth, 9);
    assert_int_equal(spec.limits.movetime_ms, 100);
    assert_int_equal(spec.limits.base_ms, 1000);
    char *text = engine_spec_text(&spec);
    assert_non_null(strstr(text, "arg=b c|"));
    free(text);
    engine_spec_free(&spec);

    /* The name is that of the program; paths are made whole before the directory changes. */
    assert_int_equal(engine_spec_parse("cmd=/bin/../bin/sh,dir=/", &spec, &error), STATUS_OK);
    assert_string_equal(spec.name, "sh");
    engine_spec_free(&spec);

    const struct {
        const char *text, *message;
    } bad[] = {
        {"", "column 1"},
        {"name=a", "no cmd="},
        {"cmd=x,", "column 6"},
        {"cmd=x,,name=a", "column 7"},
        {"cmd=x,nmae=a", "column 7: unknown key 'nmae'"},
        {"cmd=x,nodes=-1", "column 7: nodes='-1'"},
        {"cmd=x,nodes=1e6", "nodes='1e6'"},
        {"cmd=x,depth=0", "depth='0'"},
        {"cmd=x,tc=bad", "column 7: time control 'bad'"},
        {"cmd=x,cmd=y", "column 7: 'cmd' is given twice"},
        {"cmd=x,option.=3", "option. needs a name"},
        {"cmd=x,option.Hash=3,option.hash=4", "'hash' is given twice"},
        {"cmd=\"x", "quote of 'cmd' is not closed"},
        {"cmd=\"x\"y", "column 8: expected a comma"},
        {"cmd=x,args='a \"b'", "args: the quote"},
        {"cmd=./no/such/file", "No such file"},
        {"cmd=", "expected something"},
        {"just words", "column 1: expected key=value"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(engine_spec_parse(bad[i].text, &spec, &error), STATUS_ARGUMENT);
        if (!strstr(error.message, bad[i].message))
            fail_msg("'%s' gives '%s', expected '%s'", bad[i].text, error.message, bad[i].message);
        assert_null(spec.command);
    }
}

static void tests_and_rules(void **state)
{
    (void)state;
    SprtSpec sprt;
    Error error;
    assert_int_equal(sprt_spec_parse("elo0=-3,elo1=1.5,alpha=0.1,model=normalized", &sprt, &error),
                     STATUS_OK);
    assert_true(sprt.elo0 == -3.0 && sprt.elo1 == 1.5 && sprt.alpha == 0.1 && sprt.beta == 0.05);
    assert_int_equal(sprt.model, ELO_NORMALIZED);
    static const char *const bad[] = {"",
                                      "elo0=0",
                                      "elo0=0,elo1=0",
                                      "elo0=5,elo1=0",
                                      "elo0=0,elo1=nan",
                                      "elo0=0,elo1=1,alpha=0",
                                      "elo0=0,elo1=1,alpha=0.5",
                                      "elo0=0,elo1=1,model=bayes",
                                      "elo0=0,elo1=1,5",
                                      "elo0=0,elo0=1,elo1=2",
                                      "elo0=0;elo1=1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sprt_spec_parse(bad[i], &sprt, &error), STATUS_ARGUMENT);

    ScoreRule rule;
    assert_int_equal(score_rule_parse("--draw", "10,12,40", true, &rule, &error), STATUS_OK);
    assert_true(rule.centipawns == 10 && rule.plies == 12 && rule.after == 40);
    assert_int_equal(score_rule_parse("--resign", "600,6", false, &rule, &error), STATUS_OK);
    assert_int_equal(score_rule_parse("--resign", "600,6,4", false, &rule, &error),
                     STATUS_ARGUMENT);
    assert_int_equal(score_rule_parse("--resign", "600,0", false, &rule, &error), STATUS_ARGUMENT);
    assert_int_equal(score_rule_parse("--resign", "600", false, &rule, &error), STATUS_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_controls),
        cmocka_unit_test(engines),
        cmocka_unit_test(tests_and_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
