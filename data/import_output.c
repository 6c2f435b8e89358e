/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import_output.c - a dataset that is whole or not there (see import_output.h). */
#include "import_output.h"

#include "shard.h"
#include "support/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A directory that is not there, or has nothing in it. */
static Status check_free(const char *directory, Error *err)
{
    if (!file_exists(directory) && !directory_exists(directory))
        return STATUS_OK;
    DIR *stream = opendir(directory);
    if (!stream)
        return error_set_errno(err, "%s: cannot list the directory", directory);
    bool empty = true;
    for (struct dirent *entry; empty && (entry = readdir(stream));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(stream);
    return empty ? STATUS_OK
                 : error_set(err, STATUS_ARGUMENT,
                             "%s is there already and not empty; import writes a new dataset",
                             directory);
}

/* "DIR" of "DIR/" */
static size_t without_slashes(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

Status import_output_open(ImportOutput *output, const char *directory, const ShardInfo *info,
                          uint64_t first_game, uint64_t games_per_shard, Error *err)
{
    *output = (ImportOutput){.directory = directory,
                             .info = *info,
                             .next_game = first_game,
                             .games_per_shard = games_per_shard};
    Status status = check_free(directory, err);
    if (status != STATUS_OK)
        return status;
    output->temporary =
        text_format("%.*s.tmp.%ld", (int)without_slashes(directory), directory, (long)getpid());
    if (!output->temporary)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a name");
    status = directory_make(output->temporary, err);
    if (status != STATUS_OK) {
        free(output->temporary);
        output->temporary = NULL;
    }
    return status;
}

static Status next_shard(ImportOutput *output, Error *err)
{
    output->info.first_game = output->next_game;
    output->info.game_count = output->games_per_shard;
    if (output->shards > SHARD_NUMBER_MAX)
        return error_set(err, STATUS_ARGUMENT, "more than %d shards, expected larger ones",
                         SHARD_NUMBER_MAX + 1);
    return shard_writer_open(&output->writer, output->temporary, output->shards++, &output->info,
                             err);
}

static Status end_shard(ImportOutput *output, Error *err)
{
    ShardWriter *writer = output->writer;
    output->writer = NULL;
    return writer ? shard_writer_close(writer, NULL, err) : STATUS_OK;
}

Status import_output_add(ImportOutput *output, GameRecord *record, Error *err)
{
    Status status = output->writer ? STATUS_OK : next_shard(output, err);
    record->number = output->next_game;
    if (status == STATUS_OK)
        status = shard_writer_push(output->writer, record, err);
    if (status != STATUS_OK)
        return status;
    output->next_game++;
    return output->next_game - output->info.first_game == output->games_per_shard
               ? end_shard(output, err)
               : STATUS_OK;
}

Status import_output_close(ImportOutput *output, ShardStat *stat, Error *err)
{
    Status status = end_shard(output, err);
    if (status == STATUS_OK)
        status = dataset_write_manifest(output->temporary, stat, err);
    /* Replaces an empty directory, and fails on any other. */
    if (status == STATUS_OK && rename(output->temporary, output->directory) != 0)
        status = error_set_errno(err, "cannot rename to %s", output->directory);
    if (status == STATUS_OK) {
        free(output->temporary);
        output->temporary = NULL;
    }
    import_output_abandon(output);
    return status;
}

void import_output_abandon(ImportOutput *output)
{
    shard_writer_abandon(output->writer);
    output->writer = NULL;
    DIR *stream = output->temporary ? opendir(output->temporary) : NULL;
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char *path =
            entry->d_name[0] == '.' ? NULL : text_format("%s/%s", output->temporary, entry->d_name);
        if (path)
            unlink(path);
        free(path);
    }
    if (stream)
        closedir(stream);
    if (output->temporary)
        rmdir(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
}
