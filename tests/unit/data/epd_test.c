/* SPDX-License-Identifier: GPL-3.0-or-later */
/* epd_test.c - FEN and EPD lines: what is a field, what an operation, and what is wrong. */
#include "test.h"

#include "epd.h"
#include "import.h"

#include <string.h>

#define BARE  "4k3/8/8/8/8/8/8/4K2R[]"
#define COUNT "4k3/8/8/8/8/8/R7/4K3[]"

/* Without operations the engine sees the line as it is. */
static void fens_are_not_changed(void **state)
{
    (void)state;
    static const char *const lines[] = {
        BARE " w - - 0 1",     BARE " w - 0 1",       BARE " w 0 1",       BARE " w",
        COUNT " w - 7 12",     COUNT " b 32 5 9",     BARE " w - - -5 1",  BARE " w - - garbage",
        BARE " b - - x y",     BARE " w - - 0 1 0 1", BARE " w - - zzz 7", BARE " w - - 5.5 1",
        BARE " w KQkq e3 0 1", BARE " w - - hmvc 3",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char fen[ENGINE_MAX_FEN];
        const char *operations = NULL;
        Error err = {0};
        assert_int_equal(epd_fen(lines[i], fen, &operations, &err), STATUS_OK);
        assert_string_equal(fen, lines[i]);
        assert_string_equal(operations, "");
    }
}

static void fields_end_at_the_first_operation(void **state)
{
    (void)state;
    static const struct {
        const char *line, *fen, *operations;
    } cases[] = {
        {BARE " w - - 0 1 c9 \"1-0\"; ce 5;", BARE " w - - 0 1", "c9 \"1-0\"; ce 5;"},
        {BARE " b c9 \"1-0\";", BARE " b", "c9 \"1-0\";"},
        {BARE " b c9 1-0;", BARE " b", "c9 1-0;"},
        {BARE " b - c3 \"a\";", BARE " b -", "c3 \"a\";"},
        {BARE " b KQ c3 ce 1;", BARE " b KQ c3", "ce 1;"},
        {BARE " b KQ e3 0 1; D1 20", BARE " b KQ e3 0 1", "; D1 20"},
        {BARE " b 0 1 ce 5;", BARE " b 0 1", "ce 5;"},
        {BARE " w - - ; D1 33 ; D2 1089", BARE " w - -", "; D1 33 ; D2 1089"},
        {BARE " w - - -5 1; c9 1;", BARE " w - - -5 1", "; c9 1;"},
        {BARE " w - - hmvc 3; fmvn 9;", BARE " w - - 3 9", "hmvc 3; fmvn 9;"},
        {BARE " w fmvn 9;", BARE " w 0 9", "fmvn 9;"},
        {BARE " w - - 3 fmvn 9; hmvc 3;", BARE " w - - 3 9", "fmvn 9; hmvc 3;"},
        {BARE " w - - 3 9 fmvn 9; hmvc 3;", BARE " w - - 3 9", "fmvn 9; hmvc 3;"},
        {COUNT " b - 32 5 9 hmvc 5; fmvn 9;", COUNT " b - 32 5 9", "hmvc 5; fmvn 9;"},
        {BARE " w - - id \"hmvc 5; fmvn 7\";", BARE " w - -", "id \"hmvc 5; fmvn 7\";"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char fen[ENGINE_MAX_FEN];
        const char *operations = NULL;
        Error err = {0};
        if (epd_fen(cases[i].line, fen, &operations, &err) != STATUS_OK)
            fail_msg("%s: %s", cases[i].line, err.message);
        assert_string_equal(fen, cases[i].fen);
        assert_string_equal(operations, cases[i].operations);
    }
}

static void wrong_lines(void **state)
{
    (void)state;
    static char huge[ENGINE_MAX_FEN + 10];
    memset(huge, '1', sizeof huge - 1);
    const struct {
        const char *line, *word;
    } cases[] = {
        {"", "no position"},
        {" ; c9 \"1-0\";", "no position"},
        {huge, "too long"},
        {BARE " w - - hmvc -4;", "hmvc '-4', expected a number"},
        {BARE " w - - fmvn x;", "fmvn 'x'"},
        {BARE " w - - hmvc;", "hmvc ''"},
        {BARE " w - - hmvc 3 4;", "hmvc '3 4'"},
        {BARE " w - - hmvc 3; hmvc 3;", "second time"},
        {BARE " w - - 4 1 hmvc 3;", "hmvc 3, but the fields say 4"},
        {BARE " w - - 4 1 fmvn 2;", "fmvn 2, but the fields say 1"},
        {BARE " w - - id \"a", "never closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char fen[ENGINE_MAX_FEN];
        Error err = {0};
        assert_int_equal(epd_fen(cases[i].line, fen, NULL, &err), STATUS_FORMAT);
        if (!strstr(err.message, cases[i].word))
            fail_msg("%s: %s, expected %s", cases[i].line, err.message, cases[i].word);
    }
}

static void operands(void **state)
{
    (void)state;
    char operand[EPD_OPERAND_MAX];
    bool found;
    Error err = {0};
    const char *text = "; id \"a; c9 b\" ;c9 \"1-0\"; ce  5 6 ; acd;c8 \"a\" \"b\"; last x";
    static const struct {
        const char *name, *operand;
    } cases[] = {{"id", "a; c9 b"}, {"c9", "1-0"},         {"ce", "5 6"},
                 {"acd", ""},       {"c8", "\"a\" \"b\""}, {"last", "x"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(epd_operand(text, cases[i].name, operand, &found, &err), STATUS_OK);
        assert_true(found);
        assert_string_equal(operand, cases[i].operand);
    }
    assert_int_equal(epd_operand(text, "b", operand, &found, &err), STATUS_OK);
    assert_false(found);
    assert_int_equal(epd_operand("c9 \"1-0\"; c9 \"0-1\";", "c9", operand, &found, &err),
                     STATUS_FORMAT);
    assert_int_equal(epd_operand("c9 \"1-0; ce 5;", "ce", operand, &found, &err), STATUS_FORMAT);
}

static void results_are_read_whole(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int outcome; /* -1: refused */
    } cases[] = {
        {"1-0", OUTCOME_WHITE},
        {"0-1", OUTCOME_BLACK},
        {"1/2-1/2", OUTCOME_DRAW},
        {"0.5", OUTCOME_DRAW},
        {"[0.5]", OUTCOME_DRAW},
        {" 1-0 \t", OUTCOME_WHITE},
        {"1", OUTCOME_WHITE},
        {"0", OUTCOME_BLACK},
        {"1.0", OUTCOME_WHITE},
        {"[1.0]", OUTCOME_WHITE},
        {"0.0", OUTCOME_BLACK},
        {"*", OUTCOME_NONE},
        {"", -1},
        {"1-00", -1},
        {"1-0 1", -1},
        {"[1-0", -1},
        {"[0.5", -1},
        {"0.51", -1},
        {"p1/2N", -1},
        {"[]", -1},
        {"0,5", -1},
        {"1/2", -1},
        {"legal 39", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Outcome outcome = OUTCOME_DRAW;
        assert_int_equal(import_outcome(cases[i].text, &outcome), cases[i].outcome >= 0);
        if (cases[i].outcome >= 0)
            assert_int_equal((int)outcome, cases[i].outcome);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fens_are_not_changed),
        cmocka_unit_test(fields_end_at_the_first_operation),
        cmocka_unit_test(wrong_lines),
        cmocka_unit_test(operands),
        cmocka_unit_test(results_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
