/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * out_directory.c - how a run is cut into shards, and what an output directory holds already.
 */
#include "generator/out_directory.h"

#include "support/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void range_shards(const GameRange *range, unsigned *first, size_t *count)
{
    uint64_t last = (range->first + range->count - 1) / range->shard_games;
    *first = (unsigned)(range->first / range->shard_games);
    *count = (size_t)(last - *first + 1);
}

void range_of_shard(const GameRange *range, unsigned shard, ShardInfo *info)
{
    uint64_t begin = shard * range->shard_games, end = begin + range->shard_games;
    uint64_t range_end = range->first + range->count;
    if (begin < range->first)
        begin = range->first;
    if (end > range_end)
        end = range_end;
    info->first_game = begin;
    info->game_count = end - begin;
}

static int line_length(const char *text)
{
    return (int)strcspn(text, "\n");
}

/* The first line in which two configurations differ. */
static bool configuration_differs(const char *there, const char *here, char *text, size_t size)
{
    for (;;) {
        int a = line_length(there), b = line_length(here);
        if (a != b || memcmp(there, here, (size_t)a) != 0) {
            snprintf(text, size, "configuration: \"%.*s\" there, \"%.*s\" here", a, there, b, here);
            return true;
        }
        there += a;
        here += b;
        if (*there == '\0' || *here == '\0') {
            if (*there == *here || strcmp(there, "\n") == 0 || strcmp(here, "\n") == 0)
                return false;
            snprintf(text, size, "configuration: one has more lines than the other");
            return true;
        }
        there++;
        here++;
    }
}

bool shard_origin_differs(const ShardInfo *there, const ShardInfo *here, char *text, size_t size)
{
    if (there->engine != here->engine)
        snprintf(text, size, "variant: %s there, %s here", there->engine->name, here->engine->name);
    else if (there->seed != here->seed)
        snprintf(text, size, "seed: %llu there, %llu here", (unsigned long long)there->seed,
                 (unsigned long long)here->seed);
    else if (strcmp(there->weights_digest, here->weights_digest) != 0)
        snprintf(text, size, "weights: digest %s there, %s here", there->weights_digest,
                 here->weights_digest);
    else if (there->bench_nodes != here->bench_nodes)
        snprintf(text, size, "engine build: bench signature %llu there, %llu here",
                 (unsigned long long)there->bench_nodes, (unsigned long long)here->bench_nodes);
    else
        return configuration_differs(there->configuration, here->configuration, text, size);
    return true;
}

/* What a file name in a dataset directory stands for. */
typedef enum ShardFile { NOT_A_SHARD, FINISHED_SHARD, PARTIAL_SHARD } ShardFile;

static ShardFile shard_file(const char *name, unsigned *shard)
{
    *shard = 0;
    for (int i = 0; i < 6; i++) {
        if (!isdigit((unsigned char)name[i]))
            return NOT_A_SHARD;
        *shard = *shard * 10 + (unsigned)(name[i] - '0');
    }
    if (strcmp(name + 6, ".cmpd") == 0)
        return FINISHED_SHARD;
    return strcmp(name + 6, ".partial") == 0 ? PARTIAL_SHARD : NOT_A_SHARD;
}

/* The run's own share of shard `shard`; false if the run has none. */
static bool planned_shard(const GameRange *range, unsigned shard, ShardInfo *planned)
{
    unsigned first;
    size_t count;
    range_shards(range, &first, &count);
    if (shard < first || shard - first >= count)
        return false;
    range_of_shard(range, shard, planned);
    return true;
}

static Status check_finished(const char *path, unsigned shard, const ShardInfo *info,
                             const GameRange *range, Error *err)
{
    Dataset *dataset = NULL;
    Status status = dataset_open(&dataset, path, err);
    if (status != STATUS_OK)
        return status;
    const ShardInfo *there = dataset_shard_info(dataset, 0);
    ShardInfo planned = *info;
    char difference[360];
    if (shard_origin_differs(there, info, difference, sizeof difference))
        status =
            error_set(err, STATUS_ARGUMENT, "%s was made by another run; %s", path, difference);
    else if (planned_shard(range, shard, &planned) &&
             (there->first_game != planned.first_game || there->game_count != planned.game_count))
        status = error_set(
            err, STATUS_ARGUMENT,
            "%s holds %llu games from %llu on, this run would put %llu from %llu on "
            "into it; choose games that end with a shard of %llu",
            path, (unsigned long long)there->game_count, (unsigned long long)there->first_game,
            (unsigned long long)planned.game_count, (unsigned long long)planned.first_game,
            (unsigned long long)range->shard_games);
    dataset_close(dataset);
    return status;
}

static Status check_partial(const char *directory, const char *path, unsigned shard,
                            const ShardInfo *info, const GameRange *range, Error *err)
{
    ShardInfo planned = *info;
    if (!planned_shard(range, shard, &planned))
        return STATUS_OK;
    GameRecord *records = NULL;
    size_t count = 0;
    Status status = shard_partial_load(directory, shard, &planned, &records, &count, err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        game_record_free(&records[i]);
    free(records);
    if (count == 0)
        return error_set(err, STATUS_ARGUMENT,
                         "%s was left by a run of another build, configuration, seed or range; "
                         "remove it or choose another --out",
                         path);
    return STATUS_OK;
}

Status out_directory_check(const char *directory, bool resume, const ShardInfo *info,
                           const GameRange *range, Error *err)
{
    if (!file_exists(directory) && !directory_exists(directory))
        return STATUS_OK;
    DIR *stream = opendir(directory);
    if (stream == NULL)
        return error_set_errno(err, "%s", directory);
    Status status = STATUS_OK;
    while (status == STATUS_OK) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (entry == NULL) {
            if (errno != 0)
                status = error_set_errno(err, "%s", directory);
            break;
        }
        unsigned shard;
        ShardFile kind = shard_file(entry->d_name, &shard);
        if (kind == NOT_A_SHARD)
            continue;
        if (!resume) {
            status = error_set(err, STATUS_ARGUMENT,
                               "%s holds a dataset already (%s): --resume goes on with it, or "
                               "choose another --out",
                               directory, entry->d_name);
            break;
        }
        char *path = text_format("%s/%s", directory, entry->d_name);
        if (path == NULL)
            status = error_set(err, STATUS_NO_MEMORY, "no memory for a path");
        else if (kind == FINISHED_SHARD)
            status = check_finished(path, shard, info, range, err);
        else
            status = check_partial(directory, path, shard, info, range, err);
        free(path);
    }
    closedir(stream);
    return status;
}
