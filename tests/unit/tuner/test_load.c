/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_load.c - positions from datasets: split by game, filters, threads; trace and evaluation. */
#include "test.h"

#include "data/random_games.h"
#include "load.h"
#include "small_engine.h"
#include "trace_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *directory;
static const char *sources[1];

static int make_data(void **state)
{
    (void)state;
    const Engine *engine = engine_find("mansindam");
    directory = scratch_make();
    sources[0] = directory;
    for (unsigned shard = 0; shard < 3; shard++)
        if (write_random_shard(engine, directory, shard, 4, shard * 40u, 40, 260, NULL))
            return -1;
    return 0;
}

static int remove_data(void **state)
{
    (void)state;
    scratch_remove(directory);
    return 0;
}

static LoadOptions load_options(void)
{
    return (LoadOptions){.data = sources,
                         .data_count = 1,
                         .skip_plies = 8,
                         .share = 1,
                         .validation = 0.2,
                         .test = 0.2,
                         .seed = 9,
                         .threads = 2};
}

static void load(Sample *sample, const LoadOptions *options)
{
    Error err = {0};
    if (sample_load(sample, options, &err) != STATUS_OK)
        fail_msg("%s", err.message);
}

/* Case C15: positions of one game land on one side. */
static void games_are_split_whole(void **state)
{
    (void)state;
    LoadOptions options = load_options();
    Sample sample;
    load(&sample, &options);
    assert_true(sample.split);
    assert_int_equal(sample.games, 120);
    int part_of[120];
    memset(part_of, -1, sizeof part_of);
    uint64_t used = 0, skipped = 0;
    int games[PART_COUNT] = {0};
    for (int part = 0; part < PART_COUNT; part++) {
        const Rows *rows = &sample.parts[part];
        used += rows->count;
        for (size_t i = 0; i < rows->count; i++) {
            Origin origin = rows_origin(rows, i);
            int game = (int)origin.game;
            assert_true(game < 120 && origin.ply >= 8);
            assert_true(part_of[game] == -1 || part_of[game] == part);
            games[part] += part_of[game] == -1;
            part_of[game] = part;
        }
    }
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        skipped += sample.skipped[skip];
    assert_int_equal(used + skipped, sample.plies);
    /* 20 % of about 100 finished games: far from none and from half. */
    assert_true(games[PART_VALIDATION] > 5 && games[PART_VALIDATION] < 45);
    assert_true(games[PART_TEST] > 5 && games[PART_TEST] < 45);
    assert_true(sample.skipped[SKIP_CHECK] > 0 && sample.skipped[SKIP_NOISY] > 0);
    assert_true(sample.checked > 1000);

    /* Another seed, another split; the same games. */
    Sample other;
    options.seed = 10;
    load(&other, &options);
    assert_int_equal(other.plies, sample.plies);
    assert_true(other.parts[PART_TRAIN].count != sample.parts[PART_TRAIN].count);
    sample_free(&other);
    sample_free(&sample);
}

static void assert_rows_equal(const Rows *a, const Rows *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->change_count, b->change_count);
    assert_int_equal(a->chain_count, b->chain_count);
    if (!a->count)
        return;
    assert_memory_equal(a->changes, b->changes, a->change_count * sizeof *a->changes);
    assert_memory_equal(a->keys, b->keys, a->count * sizeof *a->keys);
    assert_memory_equal(a->scores, b->scores, a->count * sizeof *a->scores);
    for (size_t c = 0; c < a->chain_count; c++) {
        assert_int_equal(a->chains[c].game, b->chains[c].game);
        assert_int_equal(a->chains[c].ply, b->chains[c].ply);
        assert_int_equal(a->chains[c].rows, b->chains[c].rows);
    }
    for (size_t i = 0; i < a->count; i++) {
        assert_true(a->targets[i] == b->targets[i]);
        assert_int_equal(a->rows[i].phase_step, b->rows[i].phase_step);
    }
}

static void threads_do_not_change_the_sample(void **state)
{
    (void)state;
    for (uint64_t limit = 0; limit <= 1500; limit += 1500) {
        LoadOptions options = load_options();
        Sample first;
        options.max_positions = limit;
        options.threads = 1;
        load(&first, &options);
        for (int threads = 2; threads <= 4; threads++) {
            Sample sample;
            options.threads = threads;
            load(&sample, &options);
            for (int part = 0; part < PART_COUNT; part++)
                assert_rows_equal(&first.parts[part], &sample.parts[part]);
            assert_int_equal(first.games, sample.games);
            assert_int_equal(first.checked, sample.checked);
            assert_memory_equal(first.skipped, sample.skipped, sizeof first.skipped);
            sample_free(&sample);
        }
        sample_free(&first);
    }
}

/* Few games are not split, and positions without a score are refused where scores are targets. */
static void small_data_and_scores(void **state)
{
    (void)state;
    char *small = scratch_make();
    const char *paths[] = {small};
    assert_int_equal(write_random_shard(engine_find("mansindam"), small, 0, 4, 0, 20, 260, NULL),
                     STATUS_OK);
    LoadOptions options = load_options();
    Sample sample, scored;
    options.data = paths;
    load(&sample, &options);
    assert_false(sample.split);
    assert_true(sample.parts[PART_TRAIN].count > 0);
    assert_true(sample.parts[PART_VALIDATION].count == 0 && sample.parts[PART_TEST].count == 0);
    options.need_score = true;
    load(&scored, &options);
    assert_true(scored.parts[PART_TRAIN].count < sample.parts[PART_TRAIN].count);
    for (size_t i = 0; i < scored.parts[PART_TRAIN].count; i++)
        assert_true(abs(scored.parts[PART_TRAIN].scores[i]) <= SCORE_MATE_BOUND);
    sample_free(&sample);
    sample_free(&scored);
    scratch_remove(small);
}

/* Imported positions are games without moves: their final position is the one to fit. */
static void lone_positions_are_fitted(void **state)
{
    (void)state;
    static const struct {
        const char *fen;
        Outcome outcome;
        bool has_score;
        int16_t score;
    } lone[] = {
        {"4k4/9/9/9/9/9/9/9/4K3R[] w - - 0 1", OUTCOME_WHITE, true, 300},
        {"4k4/9/9/9/9/9/9/9/4K2R1[] b - - 0 1", OUTCOME_BLACK, true, SCORE_MATE - 5},
        {"4k4/9/9/9/9/9/9/9/4KR3[N] w - - 0 1", OUTCOME_WHITE, false, 0},
        {"4k4/9/9/9/9/9/9/9/3QK4[] w - - 0 1", OUTCOME_NONE, true, 10},
        {"4k4/4R4/9/9/9/9/9/9/4K4[] b - - 0 1", OUTCOME_WHITE, true, 10},
        {"4k4/9/9/9/9/9/9/9/4K3R[] w - - 5 9", OUTCOME_BLACK, true, 300},
    };
    enum { LONE = sizeof lone / sizeof *lone };
    char *directory_of_lone = scratch_make();
    ShardInfo info = sample_info(engine_find("mansindam"), 0, LONE);
    ShardWriter *writer = NULL;
    Error err = {0};
    info.final_scores = true;
    assert_int_equal(shard_writer_open(&writer, directory_of_lone, 0, &info, &err), STATUS_OK);
    for (uint64_t i = 0; i < LONE; i++) {
        GameRecord record = {.number = i,
                             .outcome = lone[i].outcome,
                             .reason = lone[i].outcome == OUTCOME_NONE ? (int)END_NONE
                                                                       : (int)REASON_UNKNOWN,
                             .has_final_score = lone[i].has_score,
                             .final_score_white_cp = lone[i].score};
        strcpy(record.start_fen, lone[i].fen);
        assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_OK);
    }
    assert_int_equal(shard_writer_close(writer, NULL, &err), STATUS_OK);
    const char *paths[] = {directory_of_lone};
    LoadOptions options = load_options();
    options.data = paths;
    Sample sample;
    load(&sample, &options);
    const Rows *rows = &sample.parts[PART_TRAIN];
    assert_int_equal(rows->count, 4); /* not the unfinished one, nor the one in check */
    assert_int_equal(sample.checked, 4);
    assert_int_equal(sample.skipped[SKIP_UNFINISHED], 1);
    assert_int_equal(sample.skipped[SKIP_CHECK], 1);
    assert_int_equal(sample.skipped[SKIP_OPENING], 0);
    assert_int_equal(rows_origin(rows, 0).half_points, 2);
    assert_int_equal(rows_origin(rows, 0).score_white, 300);
    assert_int_equal(rows_origin(rows, 1).half_points, 0);
    assert_int_equal(rows_origin(rows, 2).score_white, SCORE_NONE);
    assert_true(rows->keys[0] == rows->keys[3]);
    sample_free(&sample);
    options.need_score = true;
    load(&sample, &options);
    assert_int_equal(sample.parts[PART_TRAIN].count, 2);
    assert_int_equal(sample.skipped[SKIP_MATE_SCORE], 1);
    assert_int_equal(sample.skipped[SKIP_NO_SCORE], 1);
    sample_free(&sample);
    scratch_remove(directory_of_lone);
}

/* --- a trace that lies (case C03) ------------------------------------------------------------ */

static int lie; /* added to the coefficient of the knight in the trace */

static void lying_trace(Game *game, Trace *trace)
{
    (void)game;
    trace->phase = 100;
    trace->count = 2;
    trace->entries[0] = (TraceEntry){SMALL_MATERIAL + 1, (int16_t)(2 + lie)};
    trace->entries[1] = (TraceEntry){SMALL_TEMPO, 1};
}

static int honest_evaluate(Game *game, const Weight *weights)
{
    (void)game;
    const Weight *knight = &weights[SMALL_MATERIAL + 1], *tempo = &weights[SMALL_TEMPO];
    int sum = 100 * (2 * knight->middlegame + tempo->middlegame) +
              156 * (2 * knight->endgame + tempo->endgame);
    return sum / PHASE_MAX;
}

static void small_fen(const Game *game, char *fen)
{
    (void)game;
    strcpy(fen, "the position");
}

static void a_wrong_trace_is_named(void **state)
{
    (void)state;
    Engine engine = small_engine;
    engine.trace = lying_trace;
    engine.evaluate = honest_evaluate;
    engine.game_fen = small_fen;
    TraceCheck *check = NULL;
    Error err = {0};
    assert_int_equal(trace_check_new(&check, &engine, small_zero, &err), STATUS_OK);
    lie = 0;
    assert_int_equal(trace_check(check, NULL, "game 7, ply 5", &err), STATUS_OK);
    lie = 1;
    assert_int_equal(trace_check(check, NULL, "game 7, ply 5", &err), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "game 7, ply 5"));
    assert_non_null(strstr(err.message, "material[KNIGHT]"));
    assert_null(strstr(err.message, "tempo"));
    assert_non_null(strstr(err.message, "the position"));
    trace_check_free(check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_are_split_whole),
        cmocka_unit_test(threads_do_not_change_the_sample),
        cmocka_unit_test(small_data_and_scores),
        cmocka_unit_test(lone_positions_are_fitted),
        cmocka_unit_test(a_wrong_trace_is_named),
    };
    return cmocka_run_group_tests(tests, make_data, remove_data);
}
