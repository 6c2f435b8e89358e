/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts_test.c - adjudication, sampling, ranges of shards, comparison of origins, directories. */
#include "test.h"

#include "generator/adjudication.h"
#include "generator/configuration.h"
#include "generator/out_directory.h"
#include "generator/sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Compares two origins; true if the difference is the expected text. */
static bool differs_as(const ShardInfo *stored, const ShardInfo *now, OriginScope scope,
                       const char *expected)
{
    char *text = origin_difference(stored, now, scope);
    assert_non_null(text);
    bool same = strcmp(text, expected) == 0;
    if (!same)
        print_error("difference \"%s\", expected \"%s\"\n", text, expected);
    free(text);
    return same;
}

static void origins_are_told_apart(void **state)
{
    (void)state;
    char nodes[] = "seed = 7\nvariant = x\nnodes = 500\nhash = 4\n",
         other[] = "seed = 8\nvariant = x\nnodes = 50\nhash = 4\n",
         more[] = "seed = 7\nvariant = x\nnodes = 500\nhash = 4\nbook_positions = 7\n";
    char gcc[] = "gcc 12.2.0", clang[] = "clang 14.0.6", one[] = "abc", two[] = "def";
    Engine engine = {.name = "x"}, engine_y = {.name = "y"};
    ShardInfo a = {.engine = &engine,
                   .seed = 7,
                   .bench_nodes = 9,
                   .configuration = nodes,
                   .compiler = gcc,
                   .commit = one};
    ShardInfo b = a;
    b.first_game = 5;
    assert_true(differs_as(&a, &b, ORIGIN_ALL, ""));
    b.configuration = more;
    assert_true(differs_as(&a, &b, ORIGIN_ALL, "    book_positions: stored nothing, now 7\n"));
    assert_true(differs_as(&b, &a, ORIGIN_ALL, "    book_positions: stored 7, now nothing\n"));
    b = a;
    b.compiler = clang;
    b.commit = two;
    assert_true(differs_as(&a, &b, ORIGIN_GAMES, ""));
    assert_true(differs_as(&a, &b, ORIGIN_ALL,
                           "    commit: stored abc, now def\n"
                           "    compiler: stored gcc 12.2.0, now clang 14.0.6\n"));
    b = a;
    b.engine = &engine_y;
    assert_true(differs_as(&a, &b, ORIGIN_ALL, "    variant: stored x, now y\n"));
    /* All of them at once. */
    b = a;
    b.seed = 8;
    b.bench_nodes = 10;
    strcpy(a.weights_digest, "ffeeddccbbaa99887766554433221100");
    strcpy(b.weights_digest, "00112233445566778899aabbccddeeff");
    b.configuration = other;
    assert_true(differs_as(&a, &b, ORIGIN_GAMES,
                           "    bench signature: stored 9, now 10\n"
                           "    weights digest: stored ffeeddccbbaa99887766554433221100, now "
                           "00112233445566778899aabbccddeeff\n"
                           "    seed: stored 7, now 8\n"
                           "    nodes: stored 500, now 50\n"));
}

/* A directory of one partial shard, made by a run of `seed` with `commit`. */
static void make_partial(const char *directory, ShardInfo *info, uint64_t seed, char *commit)
{
    static char compiler[] = "gcc 12.2.0", configuration[] = "nodes = 60\n";
    *info = (ShardInfo){.engine = engine_at(0),
                        .bench_nodes = 9,
                        .commit = commit,
                        .compiler = compiler,
                        .configuration = configuration,
                        .weights_digest = "00112233445566778899aabbccddeeff",
                        .seed = seed,
                        .game_count = 5};
    ShardWriter *writer = NULL;
    Error err;
    GameRecord record = {.number = 2, .outcome = OUTCOME_NONE, .reason = REASON_CAP};
    strcpy(record.start_fen, info->engine->start_fen);
    assert_int_equal(shard_writer_open(&writer, directory, 0, info, &err), STATUS_OK);
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_OK);
    assert_int_equal(shard_writer_suspend(writer, &err), STATUS_OK);
}

static void directory_tells_seed_and_build(void **state)
{
    (void)state;
    char directory[] = "/tmp/campmate-parts-XXXXXX", one[] = "abc", two[] = "def";
    assert_non_null(mkdtemp(directory));
    Error err;
    uint64_t seed = 1;
    assert_int_equal(out_directory_seed(directory, &seed, &err), STATUS_OK);
    assert_int_equal(seed, 0);
    assert_int_equal(out_directory_seed("/nowhere/at/all", &seed, &err), STATUS_OK);
    assert_int_equal(seed, 0);

    ShardInfo info;
    make_partial(directory, &info, 77, one);
    assert_int_equal(out_directory_seed(directory, &seed, &err), STATUS_OK);
    assert_int_equal(seed, 77);
    GameRange range = {.first = 0, .count = 5, .shard_games = 5};
    char *difference = NULL;
    assert_int_equal(
        out_directory_check(directory, true, ORIGIN_ALL, &info, &range, &difference, &err),
        STATUS_OK);
    assert_null(difference);
    assert_int_equal(
        out_directory_check(directory, false, ORIGIN_ALL, &info, &range, &difference, &err),
        STATUS_ARGUMENT);
    assert_null(difference);
    info.commit = two;
    assert_int_equal(
        out_directory_check(directory, true, ORIGIN_ALL, &info, &range, &difference, &err),
        STATUS_ARGUMENT);
    assert_string_equal(difference, "    commit: stored abc, now def\n");
    free(difference);
    assert_int_equal(
        out_directory_check(directory, true, ORIGIN_GAMES, &info, &range, &difference, &err),
        STATUS_OK);
    range.count = 4;
    assert_int_equal(
        out_directory_check(directory, true, ORIGIN_GAMES, &info, &range, &difference, &err),
        STATUS_ARGUMENT);
    assert_non_null(strstr(err.message, "5 games"));
    assert_null(difference);

    /* What a killed process leaves tells its seed, too. */
    char path[80], other[80];
    snprintf(path, sizeof path, "%s/000000.partial", directory);
    snprintf(other, sizeof other, "%s/000000.cmpd.tmp.123.0", directory);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(out_directory_seed(directory, &seed, &err), STATUS_OK);
    assert_int_equal(seed, 77);
    unlink(other);
    rmdir(directory);
}

/* A shard that one build began and another finishes (--other-build) names the other alone, so it
 * holds no game of the first. */
static void unfinished_shards_of_another_build_are_made_anew(void **state)
{
    (void)state;
    char directory[] = "/tmp/campmate-parts-XXXXXX", one[] = "abc", two[] = "def", path[80];
    assert_non_null(mkdtemp(directory));
    Error err;
    ShardInfo info;
    make_partial(directory, &info, 77, one);
    info.commit = two;
    GameRange range = {.first = 0, .count = 5, .shard_games = 5};
    char *difference = NULL;
    for (int killed = 0; killed < 2; killed++) { /* the partial, and what a kill leaves of one */
        assert_int_equal(
            out_directory_check(directory, true, ORIGIN_GAMES, &info, &range, &difference, &err),
            STATUS_OK);
        GameRecord *records = NULL;
        size_t count = 77;
        assert_int_equal(shard_partial_load(directory, 0, &info, &records, &count, &err),
                         STATUS_OK);
        assert_int_equal(count, 0);
        free(records);
        char from[80], to[80];
        snprintf(from, sizeof from, "%s/000000.partial", directory);
        snprintf(to, sizeof to, "%s/000000.cmpd.tmp.123.0", directory);
        if (!killed)
            assert_int_equal(rename(from, to), 0);
    }
    ShardWriter *writer = NULL;
    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, &err), STATUS_OK);
    assert_int_equal(shard_writer_close(writer, NULL, &err), STATUS_OK);
    snprintf(path, sizeof path, "%s/000000.cmpd", directory);
    Dataset *dataset = NULL;
    assert_int_equal(dataset_open(&dataset, path, &err), STATUS_OK);
    assert_string_equal(dataset_shard_info(dataset, 0)->commit, "def");
    assert_int_equal(dataset_shard_stat(dataset, 0)->games, 0);
    dataset_close(dataset);
    unlink(path);
    assert_int_equal(rmdir(directory), 0); /* nothing of the first build is left */
}

/* Takes a piece out of a text. */
static void take_out(char *text, const char *piece)
{
    char *at = strstr(text, piece);
    assert_non_null(at);
    memmove(at, at + strlen(piece), strlen(at + strlen(piece)) + 1);
}

static void older_shards_can_be_played_again(void **state)
{
    (void)state;
    Error err = {0};
    SelfplayOptions options = {0};
    const char text[] = "nodes = 60\nopening-plies = 4\nscore-steps = 0\n";
    assert_int_equal(options_from_text(&selfplay_options, text, &options, &err), STATUS_OK);
    PlaySetup setup = {0}, again = {0};
    ShardInfo shard = {0};
    assert_int_equal(play_setup(&setup, &shard, &options, &err), STATUS_OK);
    shard.bench_nodes = 9;
    uint64_t bench = 9;
    char *difference = NULL;
    for (int i = 0; i < 2; i++) {
        Status status = play_setup_of_shard(&again, &shard, NULL, NULL, &bench, &difference, &err);
        assert_string_equal(difference != NULL ? difference : "", "");
        assert_int_equal(status, STATUS_OK);
        assert_int_equal(again.game.nodes, 60);
        assert_int_equal(again.game.opening_plies, 4);
        play_setup_free(&again);
        if (i == 0) { /* and as it was before there were such options */
            take_out(shard.configuration, "score-steps = 0\n");
            take_out(shard.configuration, "score-slope = 0\n");
        }
    }
    take_out(shard.configuration, "hash = 2\n");
    assert_int_equal(play_setup_of_shard(&again, &shard, NULL, NULL, &bench, &difference, &err),
                     STATUS_ARGUMENT);
    assert_string_equal(difference, "    hash: stored nothing, now 2\n");
    free(difference);
    play_setup_free(&again);
    play_setup_free(&setup);
    shard_info_free(&shard);
    options_free(&selfplay_options, &options, NULL);
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
        cmocka_unit_test(directory_tells_seed_and_build),
        cmocka_unit_test(unfinished_shards_of_another_build_are_made_anew),
        cmocka_unit_test(older_shards_can_be_played_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
