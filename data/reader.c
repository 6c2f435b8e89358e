/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.c - datasets, cursors through shards, single games. */
#include "dataset.h"

#include "block.h"
#include "shard.h"
#include "support/files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* --- a dataset ------------------------------------------------------------------------------- */

typedef struct Shard {
    char *path;
    ShardInfo info;
    ShardStat stat;
} Shard;

struct Dataset {
    Shard *shards; /* in order of game number */
    size_t count;
    uint64_t games;
    char digest[33];
};

void dataset_close(Dataset *dataset)
{
    if (!dataset)
        return;
    for (size_t i = 0; i < dataset->count; i++) {
        free(dataset->shards[i].path);
        shard_info_free(&dataset->shards[i].info);
    }
    free(dataset->shards);
    free(dataset);
}

static int compare_shards(const void *a, const void *b)
{
    const Shard *x = a, *y = b;
    if (x->info.first_game != y->info.first_game)
        return x->info.first_game < y->info.first_game ? -1 : 1;
    /* Of two that begin at the same number the empty one comes first: they do not overlap. */
    if (x->info.game_count != y->info.game_count)
        return x->info.game_count < y->info.game_count ? -1 : 1;
    return strcmp(x->path, y->path);
}

static Status shard_load(Shard *shard, Error *err)
{
    ShardFile file;
    Status status = shard_file_open(&file, shard->path, &shard->info, &shard->stat, NULL, err);
    if (status == STATUS_OK)
        shard_file_close(&file);
    return status;
}

static Status dataset_check(Dataset *dataset, Error *err)
{
    for (size_t i = 1; i < dataset->count; i++) {
        const Shard *a = &dataset->shards[i - 1], *b = &dataset->shards[i];
        if (a->info.engine != b->info.engine)
            return error_set(err, STATUS_FORMAT, "%s: byte 72: games of %s, but %s has %s", b->path,
                             b->info.engine->name, a->path, a->info.engine->name);
        if (b->info.first_game < a->info.first_game + a->info.game_count)
            return error_set(err, STATUS_FORMAT,
                             "%s: byte 40: games from %" PRIu64
                             " on, but %s holds those from %" PRIu64 " to before %" PRIu64,
                             b->path, b->info.first_game, a->path, a->info.first_game,
                             a->info.first_game + a->info.game_count);
    }
    return STATUS_OK;
}

static Status dataset_digest_set(Dataset *dataset, Error *err)
{
    Buffer bytes = {0};
    for (size_t i = 0; i < dataset->count; i++) {
        uint8_t digest[16] = {0};
        hex_to_digest(dataset->shards[i].stat.digest, digest);
        buffer_put(&bytes, digest, sizeof digest);
        dataset->games += dataset->shards[i].stat.games;
    }
    if (bytes.failed) {
        buffer_free(&bytes);
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu shards", dataset->count);
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.bytes, bytes.size));
    hex_from_digest(canonical.digest, dataset->digest);
    buffer_free(&bytes);
    return STATUS_OK;
}

static Status dataset_load(Dataset *dataset, const char *path, Error *err)
{
    unsigned *numbers = NULL;
    size_t count = 1;
    bool is_directory = directory_exists(path);
    if (is_directory) {
        Status status = shard_numbers(path, &numbers, &count, err);
        if (status != STATUS_OK)
            return status;
        if (count == 0)
            return error_set(err, STATUS_FORMAT, "%s: no shard NNNNNN.cmpd in it", path);
    }
    Status status = STATUS_OK;
    dataset->shards = calloc(count, sizeof *dataset->shards);
    if (!dataset->shards)
        status = error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu shards", path, count);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        Shard *shard = &dataset->shards[i];
        dataset->count++;
        shard->path = is_directory ? shard_file_name(path, numbers[i], "cmpd") : strdup(path);
        if (!shard->path)
            status = error_set(err, STATUS_NO_MEMORY, "%s: no memory for a name", path);
        else
            status = shard_load(shard, err);
    }
    free(numbers);
    if (status != STATUS_OK)
        return status;
    qsort(dataset->shards, dataset->count, sizeof *dataset->shards, compare_shards);
    status = dataset_check(dataset, err);
    return status == STATUS_OK ? dataset_digest_set(dataset, err) : status;
}

Status dataset_open(Dataset **dataset, const char *path, Error *err)
{
    Dataset *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to open it", path);
    Status status = dataset_load(fresh, path, err);
    if (status == STATUS_OK)
        *dataset = fresh;
    else
        dataset_close(fresh);
    return status;
}

const Engine *dataset_engine(const Dataset *dataset)
{
    return dataset->shards[0].info.engine;
}
size_t dataset_shard_count(const Dataset *dataset)
{
    return dataset->count;
}
const ShardInfo *dataset_shard_info(const Dataset *dataset, size_t index)
{
    return &dataset->shards[index].info;
}
const ShardStat *dataset_shard_stat(const Dataset *dataset, size_t index)
{
    return &dataset->shards[index].stat;
}
const char *dataset_shard_path(const Dataset *dataset, size_t index)
{
    return dataset->shards[index].path;
}
uint64_t dataset_game_count(const Dataset *dataset)
{
    return dataset->games;
}
void dataset_digest(const Dataset *dataset, char digest[33])
{
    memcpy(digest, dataset->digest, sizeof dataset->digest);
}

/* --- cursors --------------------------------------------------------------------------------- */

struct ShardCursor {
    const Shard *shard;
    ShardFile file;
    ShardInfo info; /* read again with the index */
    ShardStat stat, seen;
    ShardIndex index;
    size_t next_block;
    Buffer frame, content;
    ScoreScale scale;
    BlockParser parser;
    BlockParser behind; /* stands before the first of the games that were only peeked at */
    size_t peeked;      /* how many those are; their moves are not decoded               */
    uint64_t least_game;
    bool sought; /* blocks were skipped: the totals are those of a part */
    Game *game;
    CodeList codes;
    XXH3_state_t *digest;
};

void shard_cursor_close(ShardCursor *cursor)
{
    if (!cursor)
        return;
    shard_file_close(&cursor->file);
    if (cursor->game)
        cursor->shard->info.engine->game_free(cursor->game);
    shard_info_free(&cursor->info);
    shard_index_free(&cursor->index);
    buffer_free(&cursor->frame);
    buffer_free(&cursor->content);
    free(cursor->codes.codes);
    XXH3_freeState(cursor->digest);
    free(cursor);
}

Status shard_cursor_open(ShardCursor **cursor, const Dataset *dataset, size_t shard_index,
                         Error *err)
{
    if (shard_index >= dataset->count)
        return error_set(err, STATUS_ARGUMENT, "shard %zu of a dataset of %zu", shard_index,
                         dataset->count);
    const Shard *shard = &dataset->shards[shard_index];
    ShardCursor *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to read it", shard->path);
    fresh->shard = shard;
    fresh->file.fd = -1;
    fresh->least_game = shard->info.first_game;
    Status status =
        shard_file_open(&fresh->file, shard->path, &fresh->info, &fresh->stat, &fresh->index, err);
    if (status == STATUS_OK && strcmp(fresh->stat.digest, shard->stat.digest) != 0)
        status =
            error_set(err, STATUS_FORMAT, "%s: byte %" PRIu64 ": has changed since it was opened",
                      shard->path, fresh->file.trailer_offset);
    if (status == STATUS_OK)
        score_scale_set(&fresh->scale, fresh->info.score_steps, fresh->info.score_slope);
    if (status == STATUS_OK && !(fresh->game = shard->info.engine->game_new(err)))
        status = STATUS_NO_MEMORY;
    if (status == STATUS_OK && !(fresh->digest = XXH3_createState()))
        status = error_set(err, STATUS_NO_MEMORY, "%s: no memory to read it", shard->path);
    if (status != STATUS_OK) {
        shard_cursor_close(fresh);
        return status;
    }
    XXH3_128bits_reset(fresh->digest);
    *cursor = fresh;
    return STATUS_OK;
}

/* Reads block `number`: its checksum is verified before anything looks inside. */
static Status block_load(ShardCursor *cursor, size_t number, Error *err)
{
    const ShardIndex *index = &cursor->index;
    const IndexEntry *entry = &index->entries[number];
    const char *path = cursor->file.path;
    uint64_t end =
        number + 1 < index->count ? index->entries[number + 1].offset : cursor->file.trailer_offset;
    if (end - entry->offset > BLOCK_FRAME_MAX)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": a block of %" PRIu64 " bytes, expected at most %d",
                         path, entry->offset, end - entry->offset, BLOCK_FRAME_MAX);
    size_t size = (size_t)(end - entry->offset);
    Status status = shard_file_read(&cursor->file, entry->offset, size, &cursor->frame, err);
    if (status != STATUS_OK)
        return status;
    uint64_t checksum = XXH3_64bits(cursor->frame.bytes, size);
    if (checksum != entry->checksum)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": damaged block (checksum %016" PRIx64
                         ", expected %016" PRIx64 ")",
                         path, entry->offset, checksum, entry->checksum);
    status = block_decode(cursor->frame.bytes, size, path, entry->offset, &cursor->content, err);
    if (status == STATUS_OK)
        status = block_parser_open(&cursor->parser, &cursor->content, path, entry->offset,
                                   &cursor->info, &cursor->scale, cursor->info.first_game,
                                   cursor->info.first_game + cursor->info.game_count, err);
    cursor->peeked = 0;
    if (status == STATUS_OK && cursor->parser.games != entry->games)
        status = error_set(err, STATUS_FORMAT,
                           "%s: block at byte %" PRIu64 ": %zu games, expected %" PRIu32, path,
                           entry->offset, cursor->parser.games, entry->games);
    return status;
}

/* The next game of the loaded block without its moves. */
static Status parse_next(ShardCursor *cursor, GameRecord *record, const IndexEntry *entry,
                         Error *err)
{
    bool first = cursor->parser.games_left == cursor->parser.games;
    Status status = block_parser_next(&cursor->parser, record, &cursor->codes, err);
    if (status == STATUS_OK &&
        (record->number < cursor->least_game || (first && record->number != entry->first_game)))
        status = error_set(err, STATUS_FORMAT,
                           "%s: block at byte %" PRIu64 ": game %" PRIu64 ", expected %" PRIu64
                           " or the next above %" PRIu64,
                           cursor->file.path, entry->offset, record->number, entry->first_game,
                           cursor->least_game);
    if (status == STATUS_OK)
        cursor->least_game = record->number + 1;
    return status;
}

static Status replay(ShardCursor *cursor, GameRecord *record, Error *err)
{
    return block_parser_replay(&cursor->parser, cursor->game, record, &cursor->codes, err);
}

/* Decodes the moves of the games that were peeked at, in order: `record` ends up as the last. */
static Status catch_up(ShardCursor *cursor, GameRecord *record, Error *err)
{
    Status status = STATUS_OK;
    for (; status == STATUS_OK && cursor->peeked > 0; cursor->peeked--) {
        status = block_parser_next(&cursor->behind, record, &cursor->codes, err);
        if (status == STATUS_OK)
            status = block_parser_replay(&cursor->behind, cursor->game, record, &cursor->codes, err);
    }
    if (status == STATUS_OK)
        cursor->parser = cursor->behind;
    return status;
}

/* What was read against what the trailer promised. */
static Status totals_check(ShardCursor *cursor, Error *err)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(cursor->digest));
    hex_from_digest(canonical.digest, cursor->seen.digest);
    const ShardStat *seen = &cursor->seen, *stat = &cursor->stat;
    if (seen->games == stat->games && seen->plies == stat->plies &&
        memcmp(seen->outcomes, stat->outcomes, sizeof seen->outcomes) == 0 &&
        strcmp(seen->digest, stat->digest) == 0)
        return STATUS_OK;
    return error_set(err, STATUS_FORMAT,
                     "%s: byte %" PRIu64 ": trailer states %" PRIu64 " games, %" PRIu64
                     " plies, digest %s; the blocks hold %" PRIu64 ", %" PRIu64 ", %s",
                     cursor->file.path, cursor->file.trailer_offset, stat->games, stat->plies,
                     stat->digest, seen->games, seen->plies, seen->digest);
}

Status shard_cursor_next(ShardCursor *cursor, GameRecord *record, bool *end, Error *err)
{
    if (cursor->parser.games_left == 0) {
        if (cursor->next_block == cursor->index.count) {
            *end = true;
            return cursor->sought ? STATUS_OK : totals_check(cursor, err);
        }
        Status status = block_load(cursor, cursor->next_block, err);
        if (status != STATUS_OK) {
            cursor->parser.games_left = 0;
            return status;
        }
        cursor->next_block++;
    }
    Status status = cursor->peeked > 0 ? catch_up(cursor, record, err) : STATUS_OK;
    if (status == STATUS_OK)
        status = parse_next(cursor, record, &cursor->index.entries[cursor->next_block - 1], err);
    if (status == STATUS_OK)
        status = replay(cursor, record, err);
    if (status != STATUS_OK)
        return status;
    game_record_digest(cursor->digest, record, cursor->codes.codes);
    cursor->seen.games++;
    cursor->seen.plies += record->ply_count;
    cursor->seen.outcomes[record->outcome]++;
    *end = false;
    return STATUS_OK;
}

size_t shard_cursor_block_count(const ShardCursor *cursor)
{
    return cursor->index.count;
}

void shard_cursor_block(const ShardCursor *cursor, size_t block, uint64_t *games, uint64_t *plies)
{
    *games = cursor->index.entries[block].games;
    *plies = cursor->index.entries[block].plies;
}

Status shard_cursor_seek(ShardCursor *cursor, size_t block, Error *err)
{
    if (block >= cursor->index.count)
        return error_set(err, STATUS_ARGUMENT, "%s: block %zu of %zu", cursor->file.path, block,
                         cursor->index.count);
    Status status = block_load(cursor, block, err);
    cursor->next_block = block + 1;
    cursor->least_game = cursor->info.first_game;
    cursor->sought = true;
    if (status != STATUS_OK)
        cursor->parser.games_left = 0;
    return status;
}

Status shard_cursor_peek(ShardCursor *cursor, GameRecord *record, bool *end, Error *err)
{
    *end = cursor->parser.games_left == 0;
    if (*end)
        return STATUS_OK;
    if (cursor->peeked++ == 0)
        cursor->behind = cursor->parser;
    return parse_next(cursor, record, &cursor->index.entries[cursor->next_block - 1], err);
}

Status shard_cursor_replay(ShardCursor *cursor, GameRecord *record, Error *err)
{
    return catch_up(cursor, record, err);
}

/* Decodes the block that may hold the game, as far as the game. */
static Status cursor_find(ShardCursor *cursor, uint64_t number, GameRecord *record, Error *err)
{
    size_t low = 0, high = cursor->index.count; /* the last block that begins at or before it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cursor->index.entries[middle].first_game <= number)
            low = middle + 1;
        else
            high = middle;
    }
    Status status = STATUS_OK;
    bool found = false;
    if (low > 0) {
        bool end = false;
        status = shard_cursor_seek(cursor, low - 1, err);
        while (status == STATUS_OK && !found && !end) {
            status = shard_cursor_peek(cursor, record, &end, err);
            found = status == STATUS_OK && !end && record->number == number;
        }
        if (found)
            status = shard_cursor_replay(cursor, record, err);
    }
    if (status == STATUS_OK && !found)
        status = error_set(err, STATUS_ARGUMENT, "%s: there is no game %" PRIu64 " in it",
                           cursor->file.path, number);
    return status;
}

Status dataset_game(const Dataset *dataset, uint64_t number, GameRecord *record, Error *err)
{
    for (size_t i = 0; i < dataset->count; i++) {
        const ShardInfo *info = &dataset->shards[i].info;
        if (number < info->first_game || number - info->first_game >= info->game_count)
            continue;
        ShardCursor *cursor = NULL;
        Status status = shard_cursor_open(&cursor, dataset, i, err);
        if (status == STATUS_OK)
            status = cursor_find(cursor, number, record, err);
        shard_cursor_close(cursor);
        return status;
    }
    return error_set(err, STATUS_ARGUMENT, "there is no game %" PRIu64 " in the dataset", number);
}
