/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * out_directory.c - how a run is cut into shards, and what an output directory holds already.
 */
#include "generator/out_directory.h"

#include "shard.h"
#include "support/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What a file name in a dataset directory stands for. */
typedef enum ShardFileKind {
    NOT_A_SHARD,
    FINISHED_SHARD,
    PARTIAL_SHARD,
    OPEN_SHARD,
    SHARD_LOCK
} ShardFileKind;

static ShardFileKind shard_file_kind(const char *name, unsigned *shard)
{
    *shard = 0;
    for (int i = 0; i < 6; i++) {
        if (!isdigit((unsigned char)name[i]))
            return NOT_A_SHARD;
        *shard = *shard * 10 + (unsigned)(name[i] - '0');
    }
    if (strcmp(name + 6, ".cmpd") == 0)
        return FINISHED_SHARD;
    if (strncmp(name + 6, ".cmpd.tmp.", 10) == 0)
        return OPEN_SHARD;
    if (strcmp(name + 6, ".lock") == 0)
        return SHARD_LOCK;
    return strcmp(name + 6, ".partial") == 0 ? PARTIAL_SHARD : NOT_A_SHARD;
}

/* What the header of a shard says, whether the rest is there or not. To be freed, also on failure
 * (zero it first). */
static Status read_origin(const char *path, ShardInfo *info, Error *err)
{
    if (!file_exists(path))
        return error_set(err, STATUS_IO, "%s: not a regular file", path);
    FILE *stream = fopen(path, "rbe");
    if (stream == NULL)
        return error_set_errno(err, "%s", path);
    size_t room = SHARD_HEADER_MAX + SKIPPABLE_PREFIX, header = 0;
    uint8_t *bytes = malloc(room);
    Status status = STATUS_OK;
    if (bytes == NULL) {
        status = error_set(err, STATUS_NO_MEMORY, "%s: no memory for its header", path);
    } else {
        size_t size = fread(bytes, 1, room, stream);
        status = ferror(stream) ? error_set_errno(err, "%s: cannot read", path)
                                : shard_header_decode(path, bytes, size, info, &header, err);
    }
    free(bytes);
    fclose(stream);
    return status;
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

/* Compares what made the shard at `path` with this run. */
static Status check_origin(const char *path, const ShardInfo *there, const ShardInfo *here,
                           OriginScope scope, char **difference, Error *err)
{
    *difference = origin_difference(there, here, scope);
    if (*difference == NULL)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to compare it", path);
    if (**difference != '\0')
        return error_set(err, STATUS_ARGUMENT, "%s was made otherwise than this run would", path);
    free(*difference);
    *difference = NULL;
    return STATUS_OK;
}

/* A directory and the run that wants to write to it. */
typedef struct Check {
    const char *directory;
    OriginScope scope;
    const ShardInfo *info;
    const GameRange *range;
    char **difference;
} Check;

static Status check_range(const Check *check, const char *path, unsigned shard,
                          const ShardInfo *there, Error *err)
{
    ShardInfo planned = *check->info;
    if (!planned_shard(check->range, shard, &planned) ||
        (there->first_game == planned.first_game && there->game_count == planned.game_count))
        return STATUS_OK;
    return error_set(err, STATUS_ARGUMENT,
                     "%s is for %llu games from %llu on, this run would put %llu from %llu on into "
                     "it; choose games that end with a shard of %llu",
                     path, (unsigned long long)there->game_count,
                     (unsigned long long)there->first_game, (unsigned long long)planned.game_count,
                     (unsigned long long)planned.first_game,
                     (unsigned long long)check->range->shard_games);
}

static Status check_finished(const Check *check, const char *path, unsigned shard, Error *err)
{
    Dataset *dataset = NULL;
    Status status = dataset_open(&dataset, path, err);
    if (status != STATUS_OK)
        return status;
    const ShardInfo *there = dataset_shard_info(dataset, 0);
    status = check_origin(path, there, check->info, check->scope, check->difference, err);
    if (status == STATUS_OK)
        status = check_range(check, path, shard, there, err);
    dataset_close(dataset);
    return status;
}

/*
 * Also that its games can be loaded: now rather than in the middle of the run. Those of another
 * build that is not refused (--other-build) will be played again, since the header of the finished
 * shard names one build for all of its games.
 */
static Status check_partial(const Check *check, const char *path, unsigned shard, Error *err)
{
    ShardInfo there = {0}, planned = *check->info;
    Status status = read_origin(path, &there, err);
    if (status == STATUS_OK)
        status = check_origin(path, &there, check->info, check->scope, check->difference, err);
    if (status == STATUS_OK)
        status = check_range(check, path, shard, &there, err);
    bool anew = status == STATUS_OK && !shard_info_same_build(&there, check->info);
    shard_info_free(&there);
    if (status != STATUS_OK || anew || !planned_shard(check->range, shard, &planned))
        return status;
    size_t count = 0;
    status = shard_partial_count(path, &planned, &count, err);
    if (status == STATUS_OK && count == 0)
        status = error_set(err, STATUS_ARGUMENT,
                           "%s holds no game that this run could go on with; remove it or choose "
                           "another --out",
                           path);
    return status;
}

/* Whether what a killed process left has games in it. It may have been cut anywhere, and be in use
 * or get another name meanwhile: where nothing can be read nothing is lost. */
static bool leftover_has_games(const char *path)
{
    ShardInfo there = {0};
    size_t count = 0;
    bool has = read_origin(path, &there, NULL) == STATUS_OK &&
               shard_partial_count(path, &there, &count, NULL) == STATUS_OK && count > 0;
    shard_info_free(&there);
    return has;
}

/* What to do with each shard file of a directory: its path, kind and number. */
typedef Status (*Visit)(const char *path, ShardFileKind kind, unsigned shard, void *context,
                        Error *err);

static Status visit_shards(const char *directory, Visit visit, void *context, Error *err)
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
        ShardFileKind kind = shard_file_kind(entry->d_name, &shard);
        if (kind == NOT_A_SHARD)
            continue;
        char *path = text_format("%s/%s", directory, entry->d_name);
        status = path != NULL ? visit(path, kind, shard, context, err)
                              : error_set(err, STATUS_NO_MEMORY, "no memory for a path");
        free(path);
    }
    closedir(stream);
    return status;
}

static Status refuse(const char *path, ShardFileKind kind, unsigned shard, void *context,
                     Error *err)
{
    (void)shard, (void)context;
    if (kind == SHARD_LOCK || (kind == OPEN_SHARD && !leftover_has_games(path)))
        return STATUS_OK;
    return error_set(err, STATUS_ARGUMENT,
                     "%s is there already: --resume goes on with that dataset, or choose another "
                     "--out",
                     path);
}

static Status check_shard(const char *path, ShardFileKind kind, unsigned shard, void *context,
                          Error *err)
{
    const Check *check = context;
    ShardInfo planned = *check->info;
    if (kind == SHARD_LOCK)
        return STATUS_OK;
    if (kind == FINISHED_SHARD)
        return check_finished(check, path, shard, err);
    /* Others may be at work on shards that this run has nothing to do with. */
    if (kind == OPEN_SHARD &&
        (!planned_shard(check->range, shard, &planned) || !leftover_has_games(path)))
        return STATUS_OK;
    Status status = check_partial(check, path, shard, err);
    /* Finished meanwhile by the process that writes it. */
    return status == STATUS_IO && access(path, F_OK) != 0 ? STATUS_OK : status;
}

Status out_directory_check(const char *directory, bool resume, OriginScope scope,
                           const ShardInfo *info, const GameRange *range, char **difference,
                           Error *err)
{
    *difference = NULL;
    Check check = {directory, scope, info, range, difference};
    return visit_shards(directory, resume ? check_shard : refuse, &check, err);
}

static Status take_seed(const char *path, ShardFileKind kind, unsigned shard, void *context,
                        Error *err)
{
    (void)shard;
    uint64_t *seed = context;
    if (*seed != 0 || kind == SHARD_LOCK)
        return STATUS_OK;
    ShardInfo info = {0};
    Status status = read_origin(path, &info, err);
    if (status == STATUS_OK)
        *seed = info.seed;
    shard_info_free(&info);
    return kind == OPEN_SHARD ? STATUS_OK : status; /* it may have been cut anywhere */
}

Status out_directory_seed(const char *directory, uint64_t *seed, Error *err)
{
    *seed = 0;
    return visit_shards(directory, take_seed, seed, err);
}

static Status tidy(const char *path, ShardFileKind kind, unsigned shard, void *context, Error *err)
{
    (void)err;
    const char *const *directory = context;
    /* Nobody writes a finished shard, so nobody needs its lock. */
    if (kind != FINISHED_SHARD && shard_exists(*directory, shard))
        unlink(path);
    return STATUS_OK;
}

void out_directory_tidy(const char *directory)
{
    visit_shards(directory, tidy, &directory, NULL);
}
