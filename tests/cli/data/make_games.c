/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * make_games.c - writes a shard of random games for the tests of the command line.
 *
 *     make_games DIR SHARD FIRST COUNT PLIES SEED [WORD...]
 *
 *     VARIANT        games of it instead of Mansindam
 *     wrong-end      the first game claims a mate that is none: all checksums fit, the rules object
 *     other-run      the header names another seed, so the same games count as another run's
 *     final-scores   every other game has a score of its final position (format 2)
 *     finer          scores in 256 steps
 */
#include "test.h"

#include "random_games.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 7) {
        fputs("usage: make_games DIR SHARD FIRST COUNT PLIES SEED [WORD...]\n", stderr);
        return 2;
    }
    const Engine *engine = engine_find("mansindam");
    bool wrong_end = false, other_run = false, final_scores = false, finer = false;
    for (int i = 7; i < argc; i++) {
        if (engine_find(argv[i]))
            engine = engine_find(argv[i]);
        wrong_end = wrong_end || strcmp(argv[i], "wrong-end") == 0;
        other_run = other_run || strcmp(argv[i], "other-run") == 0;
        finer = finer || strcmp(argv[i], "finer") == 0;
        final_scores = final_scores || strcmp(argv[i], "final-scores") == 0;
    }
    unsigned shard = (unsigned)strtoul(argv[2], NULL, 10);
    uint64_t first = strtoull(argv[3], NULL, 10), count = strtoull(argv[4], NULL, 10);
    size_t plies = (size_t)strtoull(argv[5], NULL, 10);
    uint64_t seed = strtoull(argv[6], NULL, 10);
    ShardInfo info = sample_info(engine, first, count);
    info.seed = other_run ? seed + 1000 : seed;
    info.final_scores = final_scores;
    if (finer) {
        info.score_steps = 256;
        info.score_slope = 300000;
    }
    ShardWriter *writer = NULL;
    Error err = {0};
    Status status = shard_writer_open(&writer, argv[1], shard, &info, &err);
    GameRecord record = {0};
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        random_game(engine, seed, first + i, plies, &record);
        record.has_final_score = final_scores && i % 2 == 0;
        record.final_score_white_cp = (int16_t)(record.has_final_score ? 7 * (int)i - 100 : 0);
        if (i == 0 && wrong_end) {
            record.reason = END_MATE;
            record.outcome = OUTCOME_WHITE;
        }
        status = shard_writer_push(writer, &record, &err);
    }
    game_record_free(&record);
    if (status == STATUS_OK)
        status = shard_writer_close(writer, NULL, &err);
    else
        shard_writer_abandon(writer);
    if (status != STATUS_OK)
        fprintf(stderr, "make_games: %s\n", err.message);
    return status == STATUS_OK ? 0 : 1;
}
