/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_table_test.c - sets of keys in memory and in files. */
#include "test.h"

#include "key_table.h"

#include "support/rng.h"

#include <stdlib.h>

/* The same answers with a table that may use so much memory as with an array of what was seen. */
static void same_as_an_array(size_t memory_slots, bool in_file)
{
    enum { KEYS = 40000, DIFFERENT = 15000 };
    KeyTable table = {.memory_slots = memory_slots};
    bool *seen = calloc(DIFFERENT, sizeof *seen);
    assert_non_null(seen);
    Rng rng = rng_from(5, memory_slots), names = rng_from(6, 0);
    uint64_t *keys = malloc(DIFFERENT * sizeof *keys), count = 0;
    assert_non_null(keys);
    for (size_t i = 0; i < DIFFERENT; i++)
        keys[i] = i % 3 ? rng_next(&names) : i + 2; /* random ones and a row of small ones */
    for (size_t i = 0; i < KEYS; i++) {
        size_t which = (size_t)rng_below(&rng, DIFFERENT);
        bool fresh = false;
        Error err = {0};
        assert_int_equal(key_table_add(&table, keys[which], &fresh, &err), STATUS_OK);
        assert_int_equal(fresh, !seen[which]);
        count += !seen[which];
        seen[which] = true;
    }
    assert_int_equal(table.count, count);
    assert_int_equal(table.spill.is_open, in_file);
    key_table_free(&table);
    free(keys);
    free(seen);
}

static void in_memory(void **state)
{
    (void)state;
    same_as_an_array(0, false);
    same_as_an_array(1 << 15, false);
}

static void in_a_file(void **state)
{
    (void)state;
    same_as_an_array(1 << 14, true);
    same_as_an_array(1, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
