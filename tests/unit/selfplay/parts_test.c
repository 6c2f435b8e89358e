/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts_test.c - adjudication, sampling, ranges of shards, comparison of origins. */
#include "test.h"

#include "generator/adjudication.h"
#include "generator/out_directory.h"
#include "generator/sampling.h"

#include <string.h>

static void adjudicator_wants_a_streak(void **state)
{
    (void)state;
    Adjudicator a = adjudicator_make(1000, 3);
    assert_int_equal(adjudicator_feed(&a, 1000), OUTCOME_NONE);
    assert_int_equal(adjudicator_feed(&a, 1200), OUTCOME_NONE);
    assert_int_equal(adjudicator_feed(&a, 999), OUTCOME_NONE); /* the streak breaks */
    assert_int_equal(adjudicator_feed(&a, 1500), OUTCOME_NONE);
    assert_int_equal(adjudicator_feed(&a, 1500), OUTCOME_NONE);
    assert_int_equal(adjudicator_feed(&a, 1500), OUTCOME_WHITE);
}

static void adjudicator_starts_again_for_the_other_side(void **state)
{
    (void)state;
    Adjudicator a = adjudicator_make(1000, 2);
    assert_int_equal(adjudicator_feed(&a, 1000), OUTCOME_NONE);
    assert_int_equal(adjudicator_feed(&a, -1000), OUTCOME_NONE);
    assert_int_equal(adjudicator_feed(&a, 1000), OUTCOME_NONE);
    assert_int_equal(adjudicator_feed(&a, -SCORE_MATE + 3), OUTCOME_NONE);
    assert_int_equal(adjudicator_feed(&a, -SCORE_MATE + 2), OUTCOME_BLACK);
}

static void adjudicator_can_be_off(void **state)
{
    (void)state;
    Adjudicator a = adjudicator_make(0, 1);
    assert_int_equal(adjudicator_feed(&a, SCORE_MATE - 1), OUTCOME_NONE);
    assert_int_equal(adjudicator_feed(&a, 0), OUTCOME_NONE);
}

static void sample_weights_halve(void **state)
{
    (void)state;
    assert_int_equal(sample_weight(0, 30), SAMPLE_UNIT);
    assert_int_equal(sample_weight(30, 30), SAMPLE_UNIT / 2);
    assert_int_equal(sample_weight(60, 30), SAMPLE_UNIT / 4);
    assert_int_equal(sample_weight(15, 30), SAMPLE_UNIT / 4 * 3);
    assert_int_equal(sample_weight(10000, 1), 1);
    uint64_t before = sample_weight(0, 7);
    for (int distance = 1; distance < 100; distance++) {
        uint64_t weight = sample_weight(distance, 7);
        assert_true(weight < before);
        before = weight;
    }
}

static void sample_follows_its_weights(void **state)
{
    (void)state;
    const int scores[] = {100, 70, 40, 39, -500};
    uint64_t hits[5] = {0};
    Rng rng = rng_from(7, 1);
    enum { DRAWS = 70000 };
    for (int i = 0; i < DRAWS; i++)
        hits[sample_pick(scores, 5, 60, 30, &rng)]++;
    /* 4 : 2 : 1, beyond the margin never */
    assert_in_range(hits[0], 39000, 41000);
    assert_in_range(hits[1], 19000, 21000);
    assert_in_range(hits[2], 9300, 10700);
    assert_int_equal(hits[3] + hits[4], 0);
}

static void sample_never_gives_up_a_mate(void **state)
{
    (void)state;
    const int winning[] = {SCORE_MATE - 3, SCORE_MATE - 5}, losing[] = {-SCORE_MATE + 4, -31500};
    Rng rng = rng_from(7, 2);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(sample_pick(winning, 2, 10000, 10000, &rng), 0);
        assert_int_equal(sample_pick(losing, 2, 10000, 10000, &rng), 0);
    }
}

static void sample_takes_no_number_without_a_choice(void **state)
{
    (void)state;
    const int scores[] = {100, -100};
    Rng rng = rng_from(7, 3), same = rng;
    assert_int_equal(sample_pick(scores, 1, 500, 30, &rng), 0);
    assert_int_equal(sample_pick(scores, 2, 60, 30, &rng), 0);
    assert_int_equal(rng_next(&rng), rng_next(&same));
}

static void shards_are_cut_at_multiples(void **state)
{
    (void)state;
    GameRange range = {.first = 1000, .count = 600, .shard_games = 256};
    unsigned first;
    size_t count;
    range_shards(&range, &first, &count);
    assert_int_equal(first, 3);
    assert_int_equal(count, 4); /* 1000-1023, 1024-1279, 1280-1535, 1536-1599 */
    uint64_t next = 1000;
    const uint64_t sizes[] = {24, 256, 256, 64};
    for (unsigned i = 0; i < 4; i++) {
        ShardInfo info = {0};
        range_of_shard(&range, first + i, &info);
        assert_int_equal(info.first_game, next);
        assert_int_equal(info.game_count, sizes[i]);
        next += info.game_count;
    }
    assert_int_equal(next, 1600);
    range = (GameRange){.first = 0, .count = 256, .shard_games = 256};
    range_shards(&range, &first, &count);
    assert_int_equal(first, 0);
    assert_int_equal(count, 1);
}

static void origins_are_told_apart(void **state)
{
    (void)state;
    char text[300];
    char nodes[] = "variant = x\nnodes = 500\nhash = 4\n",
         other[] = "variant = x\nnodes = 50\nhash = 4\n";
    char more[] = "variant = x\nnodes = 500\nhash = 4\nbook_positions = 7\n";
    Engine engine = {.name = "x"}, engine_y = {.name = "y"};
    ShardInfo a = {.engine = &engine, .seed = 7, .bench_nodes = 9, .configuration = nodes};
    ShardInfo b = a;
    b.first_game = 5;
    assert_false(shard_origin_differs(&a, &b, text, sizeof text));
    b.configuration = other;
    assert_true(shard_origin_differs(&a, &b, text, sizeof text));
    assert_non_null(strstr(text, "nodes = 500"));
    assert_non_null(strstr(text, "nodes = 50\""));
    b.configuration = more;
    assert_true(shard_origin_differs(&a, &b, text, sizeof text));
    assert_true(shard_origin_differs(&b, &a, text, sizeof text));
    b = a;
    b.seed = 8;
    assert_true(shard_origin_differs(&a, &b, text, sizeof text));
    assert_non_null(strstr(text, "seed: 7 there, 8 here"));
    b = a;
    b.bench_nodes = 10;
    assert_true(shard_origin_differs(&a, &b, text, sizeof text));
    b = a;
    strcpy(b.weights_digest, "00112233445566778899aabbccddeeff");
    assert_true(shard_origin_differs(&a, &b, text, sizeof text));
    b = a;
    b.engine = &engine_y;
    assert_true(shard_origin_differs(&a, &b, text, sizeof text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjudicator_wants_a_streak),
        cmocka_unit_test(adjudicator_starts_again_for_the_other_side),
        cmocka_unit_test(adjudicator_can_be_off),
        cmocka_unit_test(sample_weights_halve),
        cmocka_unit_test(sample_follows_its_weights),
        cmocka_unit_test(sample_never_gives_up_a_mate),
        cmocka_unit_test(sample_takes_no_number_without_a_choice),
        cmocka_unit_test(shards_are_cut_at_multiples),
        cmocka_unit_test(origins_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
