/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * make_games.c - writes a shard of random games for the tests of the command line.
 *
 *     make_games DIR SHARD FIRST COUNT PLIES SEED [wrong-end]
 *
 * With wrong-end the first game claims a mate that is none: all checksums fit, the rules object.
 */
#include "test.h"

#include "random_games.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 7) {
        fputs("usage: make_games DIR SHARD FIRST COUNT PLIES SEED [wrong-end]\n", stderr);
        return 2;
    }
    const Engine *engine = engine_find("mansindam");
    unsigned shard = (unsigned)strtoul(argv[2], NULL, 10);
    uint64_t first = strtoull(argv[3], NULL, 10), count = strtoull(argv[4], NULL, 10);
    size_t plies = (size_t)strtoull(argv[5], NULL, 10);
    uint64_t seed = strtoull(argv[6], NULL, 10);
    ShardInfo info = sample_info(engine, first, count);
    ShardWriter *writer = NULL;
    Error err = {0};
    Status status = shard_writer_open(&writer, argv[1], shard, &info, &err);
    GameRecord record = {0};
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        random_game(engine, seed, first + i, plies, &record);
        if (i == 0 && argc > 7) {
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
