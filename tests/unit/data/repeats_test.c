/* SPDX-License-Identifier: GPL-3.0-or-later */
/* repeats_test.c - which positions were there before: exactly, as a sample, in any order. */
#include "test.h"

#include "repeats.h"

#include "support/rng.h"

#include <string.h>

static RepeatCount counts[REPEATS_PLIES], others[REPEATS_PLIES];

static RepeatsScratch scratch;

static void add(Repeats *repeats, uint64_t game, const uint64_t *keys, size_t count)
{
    uint64_t own[64];
    Error err = {0};
    memcpy(own, keys, count * sizeof *keys);
    assert_int_equal(repeats_add(repeats, &scratch, game, own, count, &err), STATUS_OK);
}

static void assert_count(size_t ply, uint64_t positions, uint64_t repeat, uint64_t earlier)
{
    assert_int_equal(counts[ply].positions, positions);
    assert_int_equal(counts[ply].counted, positions);
    assert_int_equal(counts[ply].repeats, repeat);
    assert_int_equal(counts[ply].earlier, earlier);
}

static void few_are_counted_by_ply(void **state)
{
    (void)state;
    /* The last game comes first: what counts is the order of the data. */
    static const uint64_t second[] = {1, 3, 9, 9, 5}, first[] = {1, 2, 3, 2};
    Repeats *repeats = NULL;
    Error err = {0};
    unsigned level = 9;
    assert_int_equal(repeats_new(&repeats, 1 << 20, &err), STATUS_OK);
    add(repeats, 1, second, 5);
    add(repeats, 0, first, 4);
    repeats_count(repeats, counts, &level);
    assert_int_equal(level, 0);
    assert_count(0, 2, 1, 1);
    assert_count(1, 2, 1, 1); /* 3 was there in the game before, though at a later ply */
    assert_count(2, 2, 0, 0);
    assert_count(3, 2, 2, 0); /* both came before in their own games */
    assert_count(4, 1, 0, 0);
    assert_count(5, 0, 0, 0);
    repeats_free(repeats);
    repeats_scratch_free(&scratch);
}

/* Every key in two games: half of the positions were there before, however few are counted. */
static void many_are_sampled_in_any_order(void **state)
{
    (void)state;
    enum { GAMES = 20000, PLIES = 32 };
    Repeats *up = NULL, *down = NULL;
    Error err = {0};
    assert_int_equal(repeats_new(&up, 1, &err), STATUS_OK);
    assert_int_equal(repeats_new(&down, 1, &err), STATUS_OK);
    for (uint64_t i = 0; i < GAMES; i++) {
        uint64_t keys[PLIES], backwards = GAMES - 1 - i;
        for (uint64_t j = 0; j < PLIES; j++)
            keys[j] = i / 2 * PLIES + j;
        add(up, i, keys, PLIES);
        for (uint64_t j = 0; j < PLIES; j++)
            keys[j] = backwards / 2 * PLIES + j;
        add(down, backwards, keys, PLIES);
    }
    unsigned level, other;
    repeats_count(up, counts, &level);
    repeats_count(down, others, &other);
    assert_int_equal(level, other);
    assert_int_equal(memcmp(counts, others, sizeof counts), 0);
    assert_true(level > 0);
    uint64_t counted = 0, distinct = 0;
    for (size_t i = 0; i < PLIES; i++) {
        assert_int_equal(counts[i].positions, GAMES);
        assert_int_equal(counts[i].repeats * 2, counts[i].counted);
        assert_int_equal(counts[i].earlier, counts[i].repeats);
        counted += counts[i].counted;
        distinct += counts[i].distinct;
    }
    /* One in 2^level, give or take five standard deviations. */
    double share = (double)distinct * (double)(1u << level) / (GAMES / 2 * PLIES);
    assert_true(share > 0.95 && share < 1.05);
    assert_int_equal(counted, 2 * distinct);
    repeats_free(up);
    repeats_free(down);
    repeats_scratch_free(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_counted_by_ply),
        cmocka_unit_test(many_are_sampled_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
