/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import_output.c - a dataset that is whole or not there (see import_output.h). */
#include "import_output.h"

#include "shard.h"

Status import_output_open(ImportOutput *output, const char *directory, const ShardInfo *info,
                          uint64_t first_game, uint64_t games_per_shard, Error *err)
{
    *output =
        (ImportOutput){.info = *info, .next_game = first_game, .games_per_shard = games_per_shard};
    return output_directory_open(&output->place, directory, err);
}

static Status next_shard(ImportOutput *output, Error *err)
{
    output->info.first_game = output->next_game;
    output->info.game_count = output->games_per_shard;
    if (output->shards > SHARD_NUMBER_MAX)
        return error_set(err, STATUS_ARGUMENT, "more than %d shards, expected larger ones",
                         SHARD_NUMBER_MAX + 1);
    Status status = shard_writer_open(&output->writer, output->place.temporary, output->shards++,
                                      &output->info, err);
    if (status == STATUS_OK)
        shard_writer_keep_nothing(output->writer);
    return status;
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
        status = dataset_write_manifest(output->place.temporary, stat, err);
    if (status == STATUS_OK)
        status = output_directory_commit(&output->place, err);
    import_output_abandon(output);
    return status;
}

void import_output_abandon(ImportOutput *output)
{
    shard_writer_abandon(output->writer);
    output->writer = NULL;
    output_directory_abandon(&output->place);
}
