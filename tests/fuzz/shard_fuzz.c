/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shard_fuzz.c - a shard as a file: refused with a place, or read to its end. */
#include "fuzz.h"

#include "dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Dataset *dataset = NULL;
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    Error err = {.message = ""};
    if (dataset_open(&dataset, fuzz_file(data, size), &err)) {
        FUZZ_EXPECT(err.message[0]);
        return 0;
    }
    bool end = false;
    Status status = shard_cursor_open(&cursor, dataset, 0, &err);
    while (!status && !end)
        status = shard_cursor_next(cursor, &record, &end, &err);
    FUZZ_EXPECT(!status || err.message[0]);
    shard_cursor_close(cursor);
    if (dataset_game_count(dataset))
        dataset_game(dataset, dataset_shard_info(dataset, 0)->first_game, &record, &err);
    game_record_free(&record);
    dataset_close(dataset);
    return 0;
}
