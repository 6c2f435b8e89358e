/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shard_test.c - datasets on disk: what is written comes back, and nothing is lost or overwritten.
 */
#include "test.h"

#include "random_games.h"
#include "support/files.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SEED = 42, GAMES = 150, PLIES = 60 };

static const Engine *engine;
static char *directory;

static int set_up(void **state)
{
    (void)state;
    engine = engine_at(0);
    directory = scratch_make();
    return engine ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_remove(directory);
    return 0;
}

static char *in_directory(const char *name)
{
    char *path = text_format("%s/%s", directory, name);
    assert_non_null(path);
    return path;
}

static bool is_there(const char *name)
{
    char *path = in_directory(name);
    bool there = file_exists(path);
    free(path);
    return there;
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    ShardStat stat = {0}, total = {0};
    assert_int_equal(write_random_shard(engine, directory, 1, SEED, 200, GAMES, PLIES, &stat),
                     STATUS_OK);
    assert_int_equal(write_random_shard(engine, directory, 0, SEED, 1000, 3, PLIES, NULL),
                     STATUS_OK);
    assert_int_equal(stat.games, GAMES);
    assert_int_equal(dataset_write_manifest(directory, &total, NULL), STATUS_OK);
    assert_int_equal(total.games, GAMES + 3);
    assert_false(is_there("000001.lock"));

    Dataset *dataset = NULL;
    Error err = {0};
    bool present = false;
    assert_int_equal(dataset_open(&dataset, directory, &err), STATUS_OK);
    assert_int_equal(dataset_check_manifest(directory, dataset, &present, &err), STATUS_OK);
    assert_true(present);
    assert_int_equal(dataset_shard_count(dataset), 2);
    assert_int_equal(dataset_shard_info(dataset, 0)->first_game, 200); /* by game number */
    assert_string_equal(dataset_shard_info(dataset, 0)->configuration, "nodes = 100\n");
    assert_string_equal(dataset_shard_info(dataset, 0)->commit, "0123456789ab");
    assert_int_equal(dataset_shard_info(dataset, 0)->bench_nodes, 123456);
    assert_int_equal(dataset_game_count(dataset), GAMES + 3);
    char digest[33];
    dataset_digest(dataset, digest);
    assert_string_equal(digest, total.digest);

    ShardCursor *cursor = NULL;
    GameRecord record = {0}, expected = {0};
    bool end = false;
    assert_int_equal(shard_cursor_open(&cursor, dataset, 0, &err), STATUS_OK);
    for (uint64_t i = 0; i < GAMES; i++) {
        assert_int_equal(shard_cursor_next(cursor, &record, &end, &err), STATUS_OK);
        assert_false(end);
        random_game(engine, SEED, 200 + i, PLIES, &expected);
        assert_records_equal(&record, &expected);
    }
    assert_int_equal(shard_cursor_next(cursor, &record, &end, &err), STATUS_OK);
    assert_true(end);
    shard_cursor_close(cursor);

    static const uint64_t some[] = {200, 263, 264, 300, 349, 1000, 1002};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_int_equal(dataset_game(dataset, some[i], &record, &err), STATUS_OK);
        random_game(engine, SEED, some[i], PLIES, &expected);
        assert_records_equal(&record, &expected);
    }
    assert_int_equal(dataset_game(dataset, 350, &record, &err), STATUS_ARGUMENT);
    assert_int_equal(dataset_game(dataset, 5, &record, &err), STATUS_ARGUMENT);
    game_record_free(&record);
    game_record_free(&expected);
    dataset_close(dataset);
}

static void a_finished_shard_is_never_touched(void **state)
{
    (void)state;
    assert_int_equal(write_random_shard(engine, directory, 3, SEED, 0, 2, 10, NULL), STATUS_OK);
    assert_true(shard_exists(directory, 3));
    assert_int_equal(write_random_shard(engine, directory, 3, SEED, 0, 2, 10, NULL),
                     STATUS_ARGUMENT);
    assert_true(shard_exists(directory, 3));
    assert_false(is_there("000003.lock"));
}

static void one_writer_at_a_time(void **state)
{
    (void)state;
    ShardInfo info = sample_info(engine, 0, 10);
    ShardWriter *first = NULL, *second = NULL;
    Error err = {0};
    assert_int_equal(shard_writer_open(&first, directory, 0, &info, &err), STATUS_OK);
    assert_int_equal(shard_writer_open(&second, directory, 0, &info, &err), STATUS_IO);
    assert_non_null(strstr(err.message, "in use"));
    assert_int_equal(shard_writer_open(&second, directory, 1, &info, &err), STATUS_OK);
    shard_writer_abandon(first);
    shard_writer_abandon(second);
    assert_false(shard_exists(directory, 0));
    assert_int_equal(shard_writer_open(&first, directory, 0, &info, &err), STATUS_OK);
    shard_writer_abandon(first);
    assert_int_equal(rmdir(directory), 0); /* nothing was left in it */
    assert_int_equal(directory_make(directory, NULL), STATUS_OK);
}

static void only_good_games_are_taken(void **state)
{
    (void)state;
    ShardInfo info = sample_info(engine, 10, 10);
    ShardWriter *writer = NULL;
    GameRecord record = {0};
    Error err = {0};
    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, &err), STATUS_OK);
    random_game(engine, SEED, 12, 20, &record);
    GameRecord good = record;

    record.number = 9;
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_ARGUMENT);
    record.number = 20;
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_ARGUMENT);
    record = good;
    if (!engine->has_draws) { /* a draw in a game that has none */
        record.outcome = OUTCOME_DRAW;
        record.reason = REASON_UNKNOWN;
        assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_FORMAT);
        assert_non_null(strstr(err.message, "game 12"));
    }
    record = good;
    record.reason = REASON_CAP;
    record.outcome = OUTCOME_WHITE; /* a ply cap decides nothing */
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_FORMAT);
    record = good;
    record.reason = 99;
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_FORMAT);
    record = good;
    static const int scores[] = {32001, -32001, -32768};
    for (size_t i = 0; i < 3; i++) {
        int16_t before = record.plies[4].score_white_cp;
        record.plies[4].score_white_cp = (int16_t)scores[i];
        assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_FORMAT);
        assert_non_null(strstr(err.message, "game 12, ply 4"));
        record.plies[4].score_white_cp = before;
    }
    Move before = record.plies[7].move;
    record.plies[7].move = record.plies[6].move; /* the other side's move */
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "game 12, ply 7"));
    record.plies[7].move = before;
    snprintf(record.start_fen, sizeof record.start_fen, "nonsense");
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_FORMAT);
    record = good;
    /* None of that has left a trace. */
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_OK);
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_ARGUMENT); /* again */
    ShardStat stat;
    assert_int_equal(shard_writer_close(writer, &stat, &err), STATUS_OK);
    assert_int_equal(stat.games, 1);

    Dataset *dataset = NULL;
    GameRecord back = {0};
    assert_int_equal(dataset_open(&dataset, directory, &err), STATUS_OK);
    assert_int_equal(dataset_game(dataset, 12, &back, &err), STATUS_OK);
    assert_records_equal(&back, &record);
    dataset_close(dataset);
    game_record_free(&back);
    game_record_free(&record);
}

static void push_range(ShardWriter *writer, uint64_t from, uint64_t to)
{
    GameRecord record = {0};
    for (uint64_t i = from; i < to; i++) {
        random_game(engine, SEED, i, PLIES, &record);
        assert_int_equal(shard_writer_push(writer, &record, NULL), STATUS_OK);
    }
    game_record_free(&record);
}

static void free_records(GameRecord *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        game_record_free(&records[i]);
    free(records);
}

static void a_suspended_shard_goes_on(void **state)
{
    (void)state;
    ShardInfo info = sample_info(engine, 0, GAMES);
    ShardWriter *writer = NULL;
    Error err = {0};
    GameRecord *records = NULL;
    size_t count = 77;
    assert_int_equal(shard_partial_load(directory, 0, &info, &records, &count, &err), STATUS_OK);
    assert_int_equal(count, 0);

    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, &err), STATUS_OK);
    push_range(writer, 0, 100);
    assert_int_equal(shard_writer_suspend(writer, &err), STATUS_OK);
    assert_true(is_there("000000.partial"));
    assert_false(is_there("000000.cmpd"));
    assert_false(is_there("000000.lock"));

    /* Another build, configuration, seed or range cannot use it. */
    ShardInfo other = info;
    other.bench_nodes++;
    assert_int_equal(shard_partial_load(directory, 0, &other, &records, &count, &err), STATUS_OK);
    assert_int_equal(count, 0);
    other = info;
    other.configuration = "nodes = 200\n";
    assert_int_equal(shard_partial_load(directory, 0, &other, &records, &count, &err), STATUS_OK);
    assert_int_equal(count, 0);
    other = info;
    other.seed++;
    assert_int_equal(shard_partial_load(directory, 0, &other, &records, &count, &err), STATUS_OK);
    assert_int_equal(count, 0);
    /* Nor can another commit or compiler: the shard would name the wrong one for these games. */
    other = info;
    other.commit = "another";
    assert_int_equal(shard_partial_load(directory, 0, &other, &records, &count, &err), STATUS_OK);
    assert_int_equal(count, 0);
    other = info;
    other.compiler = "another";
    assert_int_equal(shard_partial_load(directory, 0, &other, &records, &count, &err), STATUS_OK);
    assert_int_equal(count, 0);
    assert_int_equal(shard_partial_load(directory, 0, &info, &records, &count, &err), STATUS_OK);
    assert_int_equal(count, 100);

    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, &err), STATUS_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(shard_writer_push(writer, &records[i], &err), STATUS_OK);
    push_range(writer, 100, GAMES);
    assert_int_equal(shard_writer_close(writer, NULL, &err), STATUS_OK);
    free_records(records, count);
    assert_false(is_there("000000.partial"));

    /* The same bytes as without a break. */
    assert_int_equal(write_random_shard(engine, directory, 1, SEED, 0, GAMES, PLIES, NULL),
                     STATUS_OK);
    char *a = NULL, *b = NULL, *a_path = in_directory("000000.cmpd"),
         *b_path = in_directory("000001.cmpd");
    size_t a_size = 0, b_size = 0;
    assert_int_equal(file_read_all(a_path, &a, &a_size, NULL), STATUS_OK);
    assert_int_equal(file_read_all(b_path, &b, &b_size, NULL), STATUS_OK);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    free(a);
    free(b);
    free(a_path);
    free(b_path);
}

static void a_damaged_partial_gives_what_is_whole(void **state)
{
    (void)state;
    ShardInfo info = sample_info(engine, 0, GAMES);
    ShardWriter *writer = NULL;
    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, NULL), STATUS_OK);
    push_range(writer, 0, 100);
    assert_int_equal(shard_writer_suspend(writer, NULL), STATUS_OK);
    char *path = in_directory("000000.partial"), *bytes = NULL;
    size_t size = 0, whole = 0;
    assert_int_equal(file_read_all(path, &bytes, &size, NULL), STATUS_OK);
    for (size_t length = 0; length < size; length += 97) {
        GameRecord *records = NULL;
        size_t count = 0;
        assert_int_equal(file_write_all(path, bytes, length, NULL), STATUS_OK);
        assert_int_equal(shard_partial_load(directory, 0, &info, &records, &count, NULL),
                         STATUS_OK);
        assert_true(count >= whole);
        whole = count;
        GameRecord expected = {0};
        for (size_t i = 0; i < count; i++) {
            random_game(engine, SEED, i, PLIES, &expected);
            assert_records_equal(&records[i], &expected);
        }
        game_record_free(&expected);
        free_records(records, count);
    }
    assert_true(whole >= 64); /* the first block */
    free(bytes);
    free(path);
}

/* Suspends a shard of the first `count` games and gives the file the name of a leftover. */
static void leave(const ShardInfo *info, uint64_t count, const char *name)
{
    ShardWriter *writer = NULL;
    char *partial = in_directory("000000.partial"), *left = in_directory(name);
    assert_int_equal(shard_writer_open(&writer, directory, 0, info, NULL), STATUS_OK);
    push_range(writer, 0, count);
    assert_int_equal(shard_writer_suspend(writer, NULL), STATUS_OK);
    assert_int_equal(rename(partial, left), 0);
    free(partial);
    free(left);
}

static void assert_loaded(const ShardInfo *info, size_t expected)
{
    GameRecord *records = NULL, game = {0};
    size_t count = 0;
    assert_int_equal(shard_partial_load(directory, 0, info, &records, &count, NULL), STATUS_OK);
    assert_int_equal(count, expected);
    for (size_t i = 0; i < count; i++) {
        random_game(engine, SEED, i, PLIES, &game);
        assert_records_equal(&records[i], &game);
    }
    free_records(records, count);
    game_record_free(&game);
}

/* The one with the most games counts, be it a partial or what a killed process left; the others go
 * when somebody has the lock. */
static void what_a_killed_writer_left_goes_on(void **state)
{
    (void)state;
    ShardInfo info = sample_info(engine, 0, GAMES), other = info;
    ShardWriter *writer = NULL;
    other.seed++;
    leave(&info, 80, "hidden");
    leave(&other, 110, "strange");
    leave(&info, 100, "000000.cmpd.tmp.77.0");
    char *hidden = in_directory("hidden"), *strange = in_directory("strange"),
         *smaller = in_directory("000000.cmpd.tmp.78.1"),
         *foreign = in_directory("000000.cmpd.tmp.79.1"),
         *cut = in_directory("000000.cmpd.tmp.80.0");
    assert_int_equal(rename(hidden, smaller), 0);
    assert_int_equal(rename(strange, foreign), 0);
    assert_int_equal(file_write_all(cut, "CMPD", 4, NULL), STATUS_OK);
    assert_loaded(&info, 100);

    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, NULL), STATUS_OK);
    assert_false(is_there("000000.cmpd.tmp.77.0"));
    assert_false(is_there("000000.cmpd.tmp.78.1"));
    assert_false(is_there("000000.cmpd.tmp.79.1"));
    assert_false(is_there("000000.cmpd.tmp.80.0"));
    assert_loaded(&info, 100);
    shard_writer_abandon(writer);
    assert_loaded(&info, 100);

    /* Fewer than in the partial. */
    leave(&info, 70, "hidden");
    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, NULL), STATUS_OK);
    push_range(writer, 0, 90);
    assert_int_equal(shard_writer_suspend(writer, NULL), STATUS_OK);
    assert_int_equal(rename(hidden, smaller), 0);
    assert_loaded(&info, 90);
    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, NULL), STATUS_OK);
    assert_false(is_there("000000.cmpd.tmp.78.1"));
    assert_loaded(&info, 90);
    push_range(writer, 0, GAMES);
    assert_int_equal(shard_writer_close(writer, NULL, NULL), STATUS_OK);
    assert_false(is_there("000000.partial"));
    free(hidden);
    free(strange);
    free(smaller);
    free(foreign);
    free(cut);
}

static void a_full_disk_does_not_shorten_a_partial(void **state)
{
    (void)state;
    ShardInfo info = sample_info(engine, 0, GAMES);
    ShardWriter *writer = NULL;
    Error err = {0};
    struct rlimit before, small;
    GameRecord record = {0};
    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, NULL), STATUS_OK);
    push_range(writer, 0, 140);
    assert_int_equal(shard_writer_suspend(writer, NULL), STATUS_OK);
    char *path = in_directory("000000.partial"), *bytes = NULL;
    size_t size = 0;
    assert_int_equal(file_read_all(path, &bytes, &size, NULL), STATUS_OK);
    free(bytes);
    free(path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = size * 4 / 5; /* room for one block of the three */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, NULL), STATUS_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    Status status = STATUS_OK;
    for (uint64_t i = 0; i < 140 && status == STATUS_OK; i++) {
        random_game(engine, SEED, i, PLIES, &record);
        status = shard_writer_push(writer, &record, &err);
    }
    if (status == STATUS_OK)
        status = shard_writer_close(writer, NULL, &err);
    else
        shard_writer_abandon(writer);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    game_record_free(&record);
    assert_int_equal(status, STATUS_IO);
    assert_non_null(strstr(err.message, "140 games are kept in"));
    assert_loaded(&info, 140);
}

static void a_full_disk_keeps_finished_blocks(void **state)
{
    (void)state;
    ShardInfo info = sample_info(engine, 0, 100000);
    ShardWriter *writer = NULL;
    Error err = {0};
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 60000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(shard_writer_open(&writer, directory, 0, &info, &err), STATUS_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    GameRecord record = {0};
    Status status = STATUS_OK;
    for (uint64_t i = 0; i < info.game_count && status == STATUS_OK; i++) {
        random_game(engine, SEED, i, PLIES, &record);
        status = shard_writer_push(writer, &record, &err);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, STATUS_IO);
    assert_non_null(strstr(err.message, "000000.cmpd: cannot write at byte"));
    assert_non_null(strstr(err.message, "000000.partial"));
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_IO);
    assert_int_equal(shard_writer_close(writer, NULL, &err), STATUS_IO);
    assert_false(is_there("000000.cmpd"));
    assert_false(is_there("000000.lock"));
    GameRecord *records = NULL, expected = {0};
    size_t count = 0;
    assert_int_equal(shard_partial_load(directory, 0, &info, &records, &count, &err), STATUS_OK);
    assert_true(count >= 64);
    for (size_t i = 0; i < count; i++) {
        random_game(engine, SEED, i, PLIES, &expected);
        assert_records_equal(&records[i], &expected);
    }
    free_records(records, count);
    game_record_free(&record);
    game_record_free(&expected);
}

static void ranges_must_not_overlap(void **state)
{
    (void)state;
    assert_int_equal(write_random_shard(engine, directory, 0, SEED, 0, 5, 10, NULL), STATUS_OK);
    assert_int_equal(write_random_shard(engine, directory, 1, SEED, 4, 5, 10, NULL), STATUS_OK);
    Dataset *dataset = NULL;
    Error err = {0};
    assert_int_equal(dataset_open(&dataset, directory, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "000001.cmpd"));
    assert_null(dataset);
}

static void an_empty_shard_is_a_shard(void **state)
{
    (void)state;
    assert_int_equal(write_random_shard(engine, directory, 0, SEED, 8, 0, 10, NULL), STATUS_OK);
    Dataset *dataset = NULL;
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    bool end = false;
    assert_int_equal(dataset_open(&dataset, directory, NULL), STATUS_OK);
    assert_int_equal(shard_cursor_open(&cursor, dataset, 0, NULL), STATUS_OK);
    assert_int_equal(shard_cursor_next(cursor, &record, &end, NULL), STATUS_OK);
    assert_true(end);
    shard_cursor_close(cursor);
    dataset_close(dataset);
}

/* Files that were written once and for all: every later reader has to read them. */
static void files_of_all_formats_stay_readable(void **state)
{
    (void)state;
    static const struct {
        const char *name, *digest;
        uint64_t first, games;
        unsigned format, score_steps;
        bool final_scores;
    } files[] = {
        {"format1", "4e58d12af7528d364852e0c47175a1d7", 100, 20, 1, 0, false},
        {"format1_shogun", "665cf6e96ac7cf85abb3193293cbab24", 0, 24, 1, 0, false},
        {"format2", "696e97e1e5b07d63210cac0824550e8d", 300, 24, 2, 0, true},
        {"format3_exact", "65cacd2c407189a6b6ece8faf7a4133e", 300, 24, 3, 0, true},
        {"format3_mansindam", "573e64312d55a93d5fd15725119a2934", 0, 8, 3, 128, false},
        {"format3_shogun", "e3006207a9ae5b45f99571a5d391caa8", 0, 8, 3, 128, false},
        {"format3_sittuyin", "bc9a9800bd3e0959a37dc06fb6bb9666", 0, 8, 3, 128, false},
        {"format3_burmese", "a6fe0de4b6db6ed72bb13628f09d44ed", 0, 8, 3, 128, false},
        {"format3_miniburmese", "13704a52c1f3a09ab17bd8f3f14a765e", 0, 8, 3, 128, false},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Dataset *dataset = NULL;
        ShardCursor *cursor = NULL;
        GameRecord record = {0};
        bool end = false;
        uint64_t games = 0, final_scores = 0;
        Error err = {0};
        char *path = text_format("%s/%s.cmpd", FORMAT_SHARDS, files[i].name);
        if (dataset_open(&dataset, path, &err) != STATUS_OK)
            fail_msg("%s", err.message);
        const ShardInfo *info = dataset_shard_info(dataset, 0);
        assert_int_equal(info->format, files[i].format);
        assert_int_equal(info->score_steps, files[i].score_steps);
        assert_int_equal(info->final_scores, files[i].final_scores);
        assert_string_equal(dataset_shard_stat(dataset, 0)->digest, files[i].digest);
        assert_int_equal(shard_cursor_open(&cursor, dataset, 0, &err), STATUS_OK);
        while (shard_cursor_next(cursor, &record, &end, &err) == STATUS_OK && !end) {
            assert_int_equal(record.number, files[i].first + games++);
            final_scores += record.has_final_score;
        }
        if (!end)
            fail_msg("%s", err.message);
        assert_int_equal(games, files[i].games);
        assert_int_equal(final_scores > 0, files[i].final_scores);
        game_record_free(&record);
        shard_cursor_close(cursor);
        dataset_close(dataset);
        free(path);
    }
}

/* A game without moves now and then, and a score of the final position. */
static void game_with_final_score(uint64_t number, int score, GameRecord *record)
{
    random_game(engine, SEED, number, number % 3 ? PLIES : 0, record);
    record->has_final_score = score != SCORE_NONE && number % 2;
    record->final_score_white_cp =
        (int16_t)(record->has_final_score ? score + 400 * (int)number - SCORE_MATE : 0);
}

static ShardStat write_final_scores(unsigned shard, bool format_2, int score)
{
    ShardInfo info = sample_info(engine, 0, GAMES);
    ShardWriter *writer = NULL;
    GameRecord record = {0};
    ShardStat stat = {0};
    Error err = {0};
    info.final_scores = format_2;
    assert_int_equal(shard_writer_open(&writer, directory, shard, &info, &err), STATUS_OK);
    for (uint64_t i = 0; i < GAMES; i++) {
        game_with_final_score(i, score, &record);
        assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_OK);
    }
    assert_int_equal(shard_writer_close(writer, &stat, &err), STATUS_OK);
    game_record_free(&record);
    return stat;
}

/* A score of the final position, also of games that have no moves. */
static void final_scores_come_back(void **state)
{
    (void)state;
    /* The same games: the format does not show in the digest, but scores do. */
    ShardStat old = write_final_scores(0, false, SCORE_NONE),
              none = write_final_scores(1, true, SCORE_NONE), some = write_final_scores(2, true, 0),
              other = write_final_scores(3, true, 1);
    assert_string_equal(old.digest, none.digest);
    assert_string_not_equal(some.digest, none.digest);
    assert_string_not_equal(some.digest, other.digest);

    Dataset *dataset = NULL;
    ShardCursor *cursor = NULL;
    GameRecord record = {0}, expected = {0};
    bool end = false;
    Error err = {0};
    char *path = in_directory("000002.cmpd");
    assert_int_equal(dataset_open(&dataset, path, &err), STATUS_OK);
    assert_true(dataset_shard_info(dataset, 0)->final_scores);
    assert_int_equal(shard_cursor_open(&cursor, dataset, 0, &err), STATUS_OK);
    for (uint64_t i = 0; i < GAMES; i++) {
        assert_int_equal(shard_cursor_next(cursor, &record, &end, &err), STATUS_OK);
        game_with_final_score(i, 0, &expected);
        assert_records_equal(&record, &expected);
    }
    assert_int_equal(shard_cursor_next(cursor, &record, &end, &err), STATUS_OK);
    assert_true(end);
    assert_int_equal(dataset_game(dataset, 51, &record, &err), STATUS_OK);
    assert_int_equal(record.final_score_white_cp, 400 * 51 - SCORE_MATE);
    shard_cursor_close(cursor);
    dataset_close(dataset);
    free(path);
    game_record_free(&record);
    game_record_free(&expected);
}

/* A shard opened without has no place for one, and a score has its bounds. */
static void impossible_final_scores_are_refused(void **state)
{
    (void)state;
    ShardInfo info = sample_info(engine, 0, GAMES);
    ShardWriter *writer = NULL;
    GameRecord record = {0};
    Error err = {0};
    random_game(engine, SEED, 0, PLIES, &record);
    record.has_final_score = true;
    assert_int_equal(shard_writer_open(&writer, directory, 9, &info, &err), STATUS_OK);
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_ARGUMENT);
    shard_writer_abandon(writer);
    info.final_scores = true;
    record.final_score_white_cp = SCORE_MATE + 1;
    assert_int_equal(shard_writer_open(&writer, directory, 9, &info, &err), STATUS_OK);
    assert_int_equal(shard_writer_push(writer, &record, &err), STATUS_FORMAT);
    shard_writer_abandon(writer);
    game_record_free(&record);
}

static void reasons_have_names(void **state)
{
    (void)state;
    int reason = -1;
    assert_string_equal(game_reason_text(END_MATE), "mate");
    assert_string_equal(game_reason_text(REASON_CAP), "cap");
    assert_null(game_reason_text(31));
    assert_null(game_reason_text(-1));
    assert_true(game_reason_from_text("resigned", &reason));
    assert_int_equal(reason, REASON_RESIGNED);
    assert_true(game_reason_from_text("campmate", &reason));
    assert_int_equal(reason, END_CAMPMATE);
    assert_false(game_reason_from_text("bored", &reason));
}

static void the_weights_digest_tells_weights_apart(void **state)
{
    (void)state;
    char compiled[33], copied[33], changed[33];
    Weight *weights = calloc((size_t)engine->weight_count, sizeof *weights);
    assert_non_null(weights);
    memcpy(weights, engine->default_weights, (size_t)engine->weight_count * sizeof *weights);
    weights_digest(engine, NULL, compiled);
    weights_digest(engine, weights, copied);
    weights[engine->weight_count - 1].endgame++;
    weights_digest(engine, weights, changed);
    assert_string_equal(compiled, copied);
    assert_string_not_equal(compiled, changed);
    assert_int_equal(strlen(compiled), 32);
    free(weights);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_comes_back),
        TEST(a_finished_shard_is_never_touched),
        TEST(one_writer_at_a_time),
        TEST(only_good_games_are_taken),
        TEST(a_suspended_shard_goes_on),
        TEST(a_damaged_partial_gives_what_is_whole),
        TEST(what_a_killed_writer_left_goes_on),
        TEST(a_full_disk_does_not_shorten_a_partial),
        TEST(a_full_disk_keeps_finished_blocks),
        TEST(ranges_must_not_overlap),
        TEST(an_empty_shard_is_a_shard),
        TEST(files_of_all_formats_stay_readable),
        TEST(final_scores_come_back),
        TEST(impossible_final_scores_are_refused),
        TEST(reasons_have_names),
        TEST(the_weights_digest_tells_weights_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
