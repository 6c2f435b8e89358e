/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule_test.c - a game that takes long keeps nobody waiting. */
#include "test.h"

#include "generator/schedule.h"
#include "support/files.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SHARDS = 10, SHARD_GAMES = 2 };

static char directory[] = "/tmp/campmate-schedule-XXXXXX";
static const Engine *real;
static atomic_flag first_search = ATOMIC_FLAG_INIT;
static atomic_int finished_meanwhile; /* shards, while the first search was held */

static int finished_shards(void)
{
    int count = 0;
    for (unsigned i = 0; i < SHARDS; i++)
        count += shard_exists(directory, i);
    return count;
}

/* The first search of all ends only when all shards but its own are finished. */
static SearchResult held_search(Search *search, const Game *game, const SearchLimits *limits,
                                SearchReport report, void *context)
{
    if (!atomic_flag_test_and_set(&first_search)) {
        const struct timespec pause = {.tv_nsec = 2000000};
        for (int i = 0; i < 60 * 500 && finished_shards() < SHARDS - 1; i++)
            nanosleep(&pause, NULL);
        atomic_store(&finished_meanwhile, finished_shards());
    }
    return real->search_run(search, game, limits, report, context);
}

static char configuration[] = "nodes = 20\n", commit[] = "c", compiler[] = "d";

static RunPlan make_plan(const Engine *engine)
{
    return (RunPlan){
        .game = {.engine = engine,
                 .seed = 3,
                 .nodes = 20,
                 .opening_plies = 8,
                 .sample_plies = 2,
                 .sample_lines = 4,
                 .sample_margin_cp = 40,
                 .sample_half_life_cp = 20,
                 .max_plies = 30},
        .hash_mib = 1,
        .directory = directory,
        .info = {.engine = engine,
                 .seed = 3,
                 .bench_nodes = 1,
                 .configuration = configuration,
                 .commit = commit,
                 .compiler = compiler,
                 .weights_digest = "00112233445566778899aabbccddeeff"},
        .range = {.first = 0, .count = SHARDS * SHARD_GAMES, .shard_games = SHARD_GAMES},
        .threads = 2,
    };
}

static void long_game_keeps_no_thread_waiting(void **state)
{
    (void)state;
    real = engine_at(0);
    Engine held = *real;
    held.search_run = held_search;
    RunPlan plan = make_plan(&held);
    RunStat stat;
    Error err = {0};
    assert_non_null(mkdtemp(directory));
    Status status = schedule_run(&plan, &stat, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(status, STATUS_OK);
    /* Its own shard is the first: the two games of that are handed out first. */
    assert_int_equal(atomic_load(&finished_meanwhile), SHARDS - 1);
    assert_int_equal(stat.games, SHARDS * SHARD_GAMES);
    assert_int_equal(finished_shards(), SHARDS);
    for (unsigned i = 0; i < SHARDS; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s/%06u.cmpd", directory, i);
        unlink(path);
    }
    assert_int_equal(rmdir(directory), 0); /* neither locks nor temporary files are left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_game_keeps_no_thread_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
