/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partial.c - the games of a shard that is not finished: NNNNNN.partial, which a stopped writer
 * leaves, and NNNNNN.cmpd.tmp.*, which a killed one leaves.
 *
 * Both are a header and whole blocks, the latter cut anywhere. They are read up to the first byte
 * that is not as it should be.
 */
#include "block.h"
#include "shard.h"
#include "support/files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* --- one file -------------------------------------------------------------------------------- */

typedef struct RecordList {
    GameRecord *items;
    size_t count, capacity;
} RecordList;

static void record_list_free(RecordList *list)
{
    for (size_t i = 0; i < list->count; i++)
        game_record_free(&list->items[i]);
    free(list->items);
    *list = (RecordList){0};
}

/* A new, empty record at the end, which does not count yet. */
static GameRecord *record_list_next(RecordList *list)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        GameRecord *items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    GameRecord *record = &list->items[list->count];
    *record = (GameRecord){0};
    return record;
}

/* What reading a partial needs. */
typedef struct PartialReader {
    const char *path;
    const ShardInfo *info; /* of the partial itself */
    ScoreScale scale;
    Game *game;
    CodeList codes;
    Buffer content;
    RecordList *list;
} PartialReader;

/* The games of one frame, replayed, into the list. */
static Status partial_block(PartialReader *reader, const uint8_t *frame, size_t size,
                            uint64_t offset, Error *err)
{
    BlockParser parser;
    const ShardInfo *info = reader->info;
    RecordList *list = reader->list;
    uint64_t least = list->count ? list->items[list->count - 1].number + 1 : info->first_game;
    Status status = block_decode(frame, size, reader->path, offset, &reader->content, err);
    if (status != STATUS_OK)
        return status;
    status =
        block_parser_open(&parser, &reader->content, reader->path, offset, info, &reader->scale,
                          info->first_game, info->first_game + info->game_count, err);
    while (status == STATUS_OK && parser.games_left > 0) {
        GameRecord *record = record_list_next(list);
        if (!record)
            return error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu games", reader->path,
                             list->count);
        list->count++;
        status = block_parser_next(&parser, record, &reader->codes, err);
        if (status == STATUS_OK && record->number < least)
            status = error_set(err, STATUS_FORMAT, "%s: game %" PRIu64 " out of order",
                               reader->path, record->number);
        if (status == STATUS_OK)
            status = block_parser_replay(&parser, reader->game, record, &reader->codes, err);
        if (status != STATUS_OK)
            game_record_free(&list->items[--list->count]);
    }
    return status;
}

static Status bytes_read(const char *path, const ShardInfo *info, const uint8_t *bytes, size_t size,
                         RecordList *list, Error *err)
{
    ShardInfo found = {0};
    size_t at = 0;
    Status status = shard_header_decode(path, bytes, size, &found, &at, err);
    /* Games can be played again: whatever cannot be used for sure is as good as not there. */
    if (status != STATUS_OK || !shard_info_same(&found, info)) {
        shard_info_free(&found);
        return status == STATUS_NO_MEMORY ? status : STATUS_OK;
    }
    PartialReader reader = {
        .path = path, .info = &found, .game = info->engine->game_new(err), .list = list};
    score_scale_set(&reader.scale, found.score_steps, found.score_slope);
    status = reader.game ? STATUS_OK : STATUS_NO_MEMORY;
    while (status == STATUS_OK && at < size) {
        size_t length = ZSTD_findFrameCompressedSize(bytes + at, size - at);
        if (ZSTD_isError(length) || length == 0)
            break;
        status = partial_block(&reader, bytes + at, length, at, err);
        at += length;
    }
    info->engine->game_free(reader.game);
    free(reader.codes.codes);
    buffer_free(&reader.content);
    shard_info_free(&found);
    return status == STATUS_FORMAT ? STATUS_OK : status;
}

/* The games of the file at `path`; none if it is not a file or another run made it. */
static Status file_read(const char *path, const ShardInfo *info, RecordList *list, Error *err)
{
    if (!file_exists(path))
        return STATUS_OK;
    char *bytes = NULL;
    size_t size = 0;
    Status status = file_read_all(path, &bytes, &size, err);
    if (status == STATUS_OK)
        status = bytes_read(path, info, (const uint8_t *)bytes, size, list, err);
    free(bytes);
    return status;
}

Status shard_partial_count(const char *path, const ShardInfo *info, size_t *count, Error *err)
{
    RecordList list = {0};
    Status status = file_read(path, info, &list, err);
    *count = list.count;
    record_list_free(&list);
    return status;
}

/* --- all files of a shard -------------------------------------------------------------------- */

bool shard_name_is_leftover(const char *name, unsigned shard)
{
    char prefix[32];
    int length = snprintf(prefix, sizeof prefix, "%06u.cmpd.tmp.", shard);
    return strncmp(name, prefix, (size_t)length) == 0;
}

/* The paths of NNNNNN.partial, which need not be there, and of the leftovers. */
typedef struct Candidates {
    char **paths;
    size_t count, capacity;
} Candidates;

static void candidates_free(Candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++)
        free(candidates->paths[i]);
    free(candidates->paths);
}

/* Takes the path, which may be NULL: out of memory. */
static bool candidates_add(Candidates *candidates, char *path)
{
    if (path && candidates->count == candidates->capacity) {
        size_t capacity = candidates->capacity ? 2 * candidates->capacity : 4;
        char **paths = realloc(candidates->paths, capacity * sizeof *paths);
        if (paths) {
            candidates->paths = paths;
            candidates->capacity = capacity;
        }
    }
    if (!path || candidates->count == candidates->capacity) {
        free(path);
        return false;
    }
    candidates->paths[candidates->count++] = path;
    return true;
}

static Status candidates_find(Candidates *candidates, const char *directory, unsigned shard,
                              Error *err)
{
    bool good = candidates_add(candidates, shard_file_name(directory, shard, "partial"));
    DIR *stream = opendir(directory);
    if (!stream && errno != ENOENT)
        return error_set_errno(err, "%s: cannot list the directory", directory);
    for (struct dirent *entry; good && stream && (entry = readdir(stream));) {
        if (shard_name_is_leftover(entry->d_name, shard))
            good = candidates_add(candidates, text_format("%s/%s", directory, entry->d_name));
    }
    if (stream)
        closedir(stream);
    return good ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "no memory for a name");
}

/* Which of the candidates holds the most games, the first of several; its games into `best`. */
static Status candidates_choose(const Candidates *candidates, const ShardInfo *info,
                                RecordList *best, size_t *index, Error *err)
{
    *index = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        RecordList list = {0};
        Status status = file_read(candidates->paths[i], info, &list, err);
        /* A leftover may have got another name meanwhile, or stand on a bad sector: then its games
         * are as good as never played. */
        bool ignored = i > 0 && status == STATUS_IO;
        if (status == STATUS_OK && list.count > best->count) {
            RecordList worse = *best;
            *best = list;
            list = worse;
            *index = i;
        }
        record_list_free(&list);
        if (status != STATUS_OK && !ignored)
            return status;
    }
    return STATUS_OK;
}

Status shard_partial_load(const char *directory, unsigned shard, const ShardInfo *info,
                          GameRecord **records, size_t *count, Error *err)
{
    Candidates candidates = {0};
    RecordList list = {0};
    size_t index = 0;
    Status status = candidates_find(&candidates, directory, shard, err);
    if (status == STATUS_OK)
        status = candidates_choose(&candidates, info, &list, &index, err);
    candidates_free(&candidates);
    if (status != STATUS_OK) {
        record_list_free(&list);
        return status;
    }
    *records = list.items;
    *count = list.count;
    return STATUS_OK;
}

Status shard_partial_adopt(const char *directory, unsigned shard, const ShardInfo *info,
                           size_t *count, Error *err)
{
    Candidates candidates = {0};
    RecordList list = {0};
    size_t best = 0;
    Status status = candidates_find(&candidates, directory, shard, err);
    /* Without leftovers there is nothing to choose from, but the partial has to be counted. */
    if (status == STATUS_OK)
        status = candidates_choose(&candidates, info, &list, &best, err);
    if (status == STATUS_OK && best > 0 && rename(candidates.paths[best], candidates.paths[0]) != 0)
        status = error_set_errno(err, "cannot rename %s to %s", candidates.paths[best],
                                 candidates.paths[0]);
    for (size_t i = 1; status == STATUS_OK && i < candidates.count; i++) {
        if (i != best)
            unlink(candidates.paths[i]);
    }
    *count = list.count;
    record_list_free(&list);
    candidates_free(&candidates);
    return status;
}
