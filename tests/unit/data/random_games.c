/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random_games.c - games of a random mover (see random_games.h). */
#include "test.h"

#include "random_games.h"

#include "support/files.h"
#include "support/rng.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int16_t random_score(Rng *rng)
{
    switch (rng_below(rng, 8)) {
    case 0:
        return SCORE_NONE;
    case 1:
        return (int16_t)((int)rng_below(rng, 2 * SCORE_MATE + 1) - SCORE_MATE);
    case 2:
        return rng_below(rng, 2) ? SCORE_MATE : -SCORE_MATE;
    default:
        return (int16_t)((int)rng_below(rng, 401) - 200);
    }
}

void random_game(const Engine *engine, uint64_t seed, uint64_t number, size_t max_plies,
                 GameRecord *record)
{
    Rng rng = rng_from(seed, number);
    Game *game = engine->game_new(NULL);
    assert_non_null(game);
    Move moves[ENGINE_MAX_MOVES];
    if (number % 3 == 0)
        for (int i = 0; i < 5; i++)
            assert_int_equal(
                engine->game_play(game, moves[rng_below(&rng, engine->game_moves(game, moves))],
                                  NULL),
                STATUS_OK);
    record->number = number;
    engine->game_fen(game, record->start_fen);
    assert_int_equal(engine->game_set(game, record->start_fen, NULL), STATUS_OK);
    record->adjudication = number % 7 == 0 ? OUTCOME_BLACK : OUTCOME_NONE;
    record->ply_count = 0;
    for (;;) {
        Ending ending = engine->game_ending(game);
        record->outcome = ending.outcome;
        record->reason = ending.reason != END_NONE ? (int)ending.reason : (int)REASON_CAP;
        if (ending.reason != END_NONE || record->ply_count == max_plies)
            break;
        size_t count = engine->game_moves(game, moves);
        PlyRecord ply = {.move = moves[rng_below(&rng, count)],
                         .score_white_cp = random_score(&rng),
                         .flags = (uint8_t)(record->ply_count < 8     ? PLY_RANDOM
                                            : rng_below(&rng, 4) == 0 ? PLY_SAMPLED
                                                                      : 0)};
        assert_int_equal(game_record_add(record, ply, NULL), STATUS_OK);
        assert_int_equal(engine->game_play(game, ply.move, NULL), STATUS_OK);
    }
    engine->game_free(game);
}

void assert_records_equal(const GameRecord *a, const GameRecord *b)
{
    assert_int_equal(a->number, b->number);
    assert_string_equal(a->start_fen, b->start_fen);
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->adjudication, b->adjudication);
    assert_int_equal(a->ply_count, b->ply_count);
    assert_int_equal(a->has_final_score, b->has_final_score);
    assert_int_equal(a->final_score_white_cp, b->final_score_white_cp);
    for (size_t i = 0; i < a->ply_count; i++) {
        assert_int_equal(a->plies[i].move, b->plies[i].move);
        assert_int_equal(a->plies[i].score_white_cp, b->plies[i].score_white_cp);
        assert_int_equal(a->plies[i].flags, b->plies[i].flags);
    }
}

ShardInfo sample_info(const Engine *engine, uint64_t first, uint64_t count)
{
    return (ShardInfo){.engine = engine,
                       .bench_nodes = 123456,
                       .commit = "0123456789ab",
                       .compiler = "cc 1.0",
                       .configuration = "nodes = 100\n",
                       .weights_digest = "00112233445566778899aabbccddeeff",
                       .seed = 7,
                       .first_game = first,
                       .game_count = count};
}

Status write_random_shard(const Engine *engine, const char *directory, unsigned shard,
                          uint64_t seed, uint64_t first, uint64_t count, size_t max_plies,
                          ShardStat *stat)
{
    ShardInfo info = sample_info(engine, first, count);
    ShardWriter *writer = NULL;
    Error err = {0};
    Status status = shard_writer_open(&writer, directory, shard, &info, &err);
    GameRecord record = {0};
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        random_game(engine, seed, first + i, max_plies, &record);
        status = shard_writer_push(writer, &record, &err);
    }
    game_record_free(&record);
    if (status == STATUS_OK)
        status = shard_writer_close(writer, stat, &err);
    else
        shard_writer_abandon(writer);
    if (status != STATUS_OK)
        print_message("%s\n", err.message);
    return status;
}

char *scratch_make(void)
{
    const char *base = getenv("TMPDIR");
    char *directory = text_format("%s/campmate-test-XXXXXX", base ? base : "/tmp");
    assert_non_null(directory);
    assert_non_null(mkdtemp(directory));
    return directory;
}

void scratch_remove(char *directory)
{
    DIR *stream = opendir(directory);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char *path = text_format("%s/%s", directory, entry->d_name);
        if (path && entry->d_name[0] != '.')
            unlink(path);
        free(path);
    }
    if (stream)
        closedir(stream);
    rmdir(directory);
    free(directory);
}
