/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_set_test.c - the share of repeats, exact and sampled. */
#include "test.h"

#include "key_set.h"

static void few_keys_are_counted(void **state)
{
    (void)state;
    KeySet set;
    assert_true(key_set_init(&set));
    assert_true(key_set_repeats(&set) == 0);
    for (uint64_t i = 0; i < 1000; i++)
        key_set_add(&set, i % 600);
    assert_true(key_set_repeats(&set) == 0.4);
    assert_int_equal(set.level, 0);
    key_set_free(&set);
}

static void many_keys_are_sampled_in_any_order(void **state)
{
    (void)state;
    enum { KEYS = 3 * KEY_SET_LIMIT };
    KeySet up, down;
    assert_true(key_set_init(&up));
    assert_true(key_set_init(&down));
    for (uint64_t i = 0; i < KEYS + KEYS / 2; i++) {
        key_set_add(&up, i % KEYS);
        key_set_add(&down, (KEYS + KEYS / 2 - 1 - i) % KEYS);
    }
    double share = key_set_repeats(&up);
    assert_true(up.level > 0);
    assert_true(share > 0.32 && share < 0.346);
    assert_true(key_set_repeats(&down) == share);
    key_set_free(&up);
    key_set_free(&down);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_keys_are_counted),
        cmocka_unit_test(many_keys_are_sampled_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
