/* SPDX-License-Identifier: GPL-3.0-or-later */
/* registry_test.c - variants, reasons and results are found by their names. */
#include "test.h"

#include "engine.h"

#include <string.h>

static void test_variants(void **state)
{
    (void)state;
    char names[256] = "";
    size_t count = 0;
    for (; engine_at(count); count++) {
        const Engine *engine = engine_at(count);
        assert_ptr_equal(engine_find(engine->name), engine);
        assert_true(engine->files > 0 && engine->ranks > 0 && engine->rules_version > 0);
        if (count > 0)
            strcat(names, ", ");
        strcat(names, engine->name);
    }
    assert_true(count >= 1);
    assert_string_equal(engine_names(), names);
    assert_string_equal(engine_at(0)->name, "mansindam");
    assert_null(engine_find("mansindan"));
    assert_null(engine_find("Mansindam"));
    assert_null(engine_find(""));
    assert_null(engine_find(NULL));
    assert_null(engine_at(count + 7));
}

/* Tables are filled before anybody sees the engine, not with its first game. */
static void test_ready_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; engine_at(i); i++) {
        const Engine *engine = engine_at(i);
        int existing = 0;
        for (int w = 0; w < engine->weight_count; w++)
            existing += engine->weight_exists[w];
        assert_true(existing > engine->weight_count / 2);
    }
}

static void test_reasons(void **state)
{
    (void)state;
    assert_string_equal(end_reason_text(END_NONE), "none");
    assert_string_equal(end_reason_text(END_CAMPMATE), "campmate");
    assert_string_equal(end_reason_text(END_INSUFFICIENT), "insufficient");
    assert_string_equal(end_reason_text(END_REASON_COUNT), "unknown");
}

static void test_outcomes(void **state)
{
    (void)state;
    for (int i = OUTCOME_NONE; i <= OUTCOME_DRAW; i++) {
        Outcome outcome;
        assert_true(outcome_from_text(outcome_text((Outcome)i), &outcome));
        assert_int_equal(outcome, i);
    }
    Outcome untouched = OUTCOME_BLACK;
    assert_false(outcome_from_text("1/2", &untouched));
    assert_int_equal(untouched, OUTCOME_BLACK);
    assert_string_equal(outcome_text(OUTCOME_DRAW), "1/2-1/2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready_at_once),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
