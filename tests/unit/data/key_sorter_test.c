/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_sorter_test.c - sorting keys in memory and through temporary files. */
#include "test.h"

#include "key_sorter.h"

#include "support/rng.h"

#include <stdlib.h>
#include <string.h>

/* Sorts `count` random pairs with few different keys and compares with what went in. */
static void sort_pairs(size_t count, size_t memory, bool spills)
{
    KeySorter *sorter = NULL;
    Error err = {0};
    assert_int_equal(key_sorter_new(&sorter, memory, &err), STATUS_OK);
    Rng rng = rng_from(1, count);
    uint64_t sum = 0, seen = 0;
    for (size_t i = 0; i < count;) {
        KeyPair pairs[100];
        size_t part = count - i < 100 ? count - i : 100;
        for (size_t j = 0; j < part; j++, i++) {
            pairs[j] = (KeyPair){rng_below(&rng, count / 2 + 1), i};
            sum += pairs[j].key * 31 + pairs[j].value;
        }
        assert_int_equal(key_sorter_add(sorter, pairs, part, &err), STATUS_OK);
    }
    assert_int_equal(key_sorter_count(sorter), count);
    assert_int_equal(key_sorter_sort(sorter, &err), STATUS_OK);
    assert_int_equal(key_sorter_spilled(sorter), spills);
    KeyPair last = {0}, pair = {0};
    for (bool end = false;; last = pair, seen++) {
        assert_int_equal(key_sorter_next(sorter, &pair, &end, &err), STATUS_OK);
        if (end)
            break;
        assert_true(seen == 0 || last.key < pair.key ||
                    (last.key == pair.key && last.value < pair.value));
        sum -= pair.key * 31 + pair.value;
    }
    assert_int_equal(seen, count);
    assert_int_equal(sum, 0);
    key_sorter_free(sorter);
}

static void what_fits_is_sorted_in_memory(void **state)
{
    (void)state;
    sort_pairs(0, 1 << 20, false);
    sort_pairs(1, 1 << 20, false);
    sort_pairs(32000, 1 << 20, false);
}

static void more_goes_to_a_file(void **state)
{
    (void)state;
    sort_pairs(32768, 1 << 20, true);
    sort_pairs(500000, 1 << 20, true);
}

static void very_many_runs_are_joined(void **state)
{
    (void)state;
    sort_pairs(32768 * 300, 1 << 20, true);
}

static void a_place_that_is_not_there_is_named(void **state)
{
    (void)state;
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    KeySorter *sorter = NULL;
    Error err = {0};
    assert_int_equal(key_sorter_new(&sorter, 0, &err), STATUS_OK);
    Status status = STATUS_OK;
    for (uint64_t i = 0; i < 40000 && status == STATUS_OK; i++)
        status = key_sorter_add(sorter, &(KeyPair){i, i}, 1, &err);
    assert_int_equal(status, STATUS_IO);
    assert_non_null(strstr(err.message, "/nowhere/at/all"));
    key_sorter_free(sorter);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_sorted_in_memory),
        cmocka_unit_test(more_goes_to_a_file),
        cmocka_unit_test(very_many_runs_are_joined),
        cmocka_unit_test(a_place_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
