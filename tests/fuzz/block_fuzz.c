/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block_fuzz.c - the content of a block of games, past the checksums that keep damage out of it:
 * every value that comes out is in its range.
 */
#include "fuzz.h"

#include "block.h"

#include <stdlib.h>

enum { FIRST_GAME = 0, END_GAME = 1 << 20, REPLAY_MAX = 500 };

static void read_block(const Buffer *content, unsigned format, bool final_scores)
{
    BlockParser parser;
    GameRecord record = {0};
    CodeList codes = {0};
    Error err = {.message = ""};
    ScoreScale scale;
    score_scale_set(&scale, format < 3 ? 0 : 128, format < 3 ? 0 : 400000);
    ShardInfo info = {.engine = engine_at(0), .format = format, .final_scores = final_scores};
    Status status = block_parser_open(&parser, content, "fuzz", 0, &info, &scale, FIRST_GAME,
                                      END_GAME, &err);
    Game *game = info.engine->game_new(&err);
    FUZZ_EXPECT(game);
    uint64_t next = FIRST_GAME;
    while (!status && parser.games_left) {
        status = block_parser_next(&parser, &record, &codes, &err);
        if (status)
            break;
        FUZZ_EXPECT(record.number >= next && record.number < END_GAME);
        next = record.number + 1;
        for (size_t i = 0; i < record.ply_count && format < 3; i++)
            FUZZ_EXPECT(codes.codes[i] <= RANK_MAX);
        FUZZ_EXPECT(final_scores || !record.has_final_score);
        if (record.ply_count <= REPLAY_MAX && !game_record_check(info.engine, &record, "fuzz", &err))
            status = block_parser_replay(&parser, game, &record, &codes, &err);
    }
    FUZZ_EXPECT(!status || err.message[0]);
    info.engine->game_free(game);
    game_record_free(&record);
    free(codes.codes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Buffer content = {0};
    buffer_put(&content, data, size);
    FUZZ_EXPECT(!content.failed);
    for (unsigned format = 2; format <= 3; format++)
        for (int final_scores = 0; final_scores < 2; final_scores++)
            read_block(&content, format, final_scores);
    buffer_free(&content);
    return 0;
}
