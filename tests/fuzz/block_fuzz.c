/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block_fuzz.c - the content of a block of games, past the checksums that keep damage out of it:
 * every value that comes out is in its range.
 */
#include "fuzz.h"

#include "block.h"

#include <stdlib.h>

enum { FIRST_GAME = 0, END_GAME = 1 << 20 };

static void read_block(const Engine *engine, const Buffer *content, bool final_scores)
{
    BlockParser parser;
    GameRecord record = {0};
    RankList ranks = {0};
    Error err = {.message = ""};
    Status status = block_parser_open(&parser, content, "fuzz", 0, engine->start_fen, FIRST_GAME,
                                      END_GAME, &err);
    parser.final_scores = final_scores;
    uint64_t next = FIRST_GAME;
    while (!status && parser.games_left) {
        status = block_parser_next(&parser, &record, &ranks, &err);
        if (status)
            break;
        FUZZ_EXPECT(record.number >= next && record.number < END_GAME);
        next = record.number + 1;
        for (size_t i = 0; i < record.ply_count; i++)
            FUZZ_EXPECT(ranks.ranks[i] <= RANK_MAX);
        FUZZ_EXPECT(final_scores || !record.has_final_score);
    }
    FUZZ_EXPECT(!status || err.message[0]);
    game_record_free(&record);
    free(ranks.ranks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Buffer content = {0};
    buffer_put(&content, data, size);
    FUZZ_EXPECT(!content.failed);
    for (int final_scores = 0; final_scores < 2; final_scores++)
        read_block(engine_at(0), &content, final_scores);
    buffer_free(&content);
    return 0;
}
