/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer.c - writes one shard: all of it under its final name, or nothing. */
#include "dataset.h"

#include "block.h"
#include "shard.h"
#include "support/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

struct ShardWriter {
    ShardInfo info;
    char *path, *partial_path, *lock_path;
    int lock;
    AtomicFile file;
    uint64_t offset;     /* bytes written and known to be good                  */
    uint64_t least_game; /* the next number must not be below                   */
    BlockBuilder block;
    Buffer frame;
    ShardIndex index;
    ShardStat stat;
    uint64_t games_on_disk;
    size_t partial_games; /* in the partial that was there already */
    XXH3_state_t *digest;
    Game *game;
    ScoreScale scale;
    GameRecord record; /* the game as it is kept: its scores are on the scale   */
    MoveShare *shares; /* [capacity], of its moves                              */
    uint16_t *codes;   /* [capacity], its moves for the digest                  */
    size_t capacity;
    bool keep_nothing; /* a failure leaves no partial */
    bool broken;       /* an earlier failure; nothing more can be written     */
};

bool shard_exists(const char *directory, unsigned shard)
{
    char *path = shard_file_name(directory, shard, "cmpd");
    bool exists = path && file_exists(path);
    free(path);
    return exists;
}

/* --- lock ------------------------------------------------------------------------------------ */

/* Locks a file that its last owner removes: a lock on a file that is no longer the one of that
 * name protects nothing, so try again with the new one. */
static Status lock_take(const char *path, int *lock, Error *err)
{
    for (;;) {
        int fd = -1;
        Status status = file_lock(path, &fd, err);
        if (status != STATUS_OK)
            return status;
        struct stat held, named;
        if (fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev) {
            *lock = fd;
            return STATUS_OK;
        }
        file_unlock(fd);
    }
}

static void lock_release(ShardWriter *writer)
{
    if (writer->lock < 0)
        return;
    unlink(writer->lock_path);
    file_unlock(writer->lock);
    writer->lock = -1;
}

/* --- life ------------------------------------------------------------------------------------ */

static void writer_free(ShardWriter *writer)
{
    atomic_file_abandon(&writer->file);
    lock_release(writer);
    block_builder_free(&writer->block);
    buffer_free(&writer->frame);
    shard_index_free(&writer->index);
    XXH3_freeState(writer->digest);
    if (writer->info.engine)
        writer->info.engine->game_free(writer->game);
    game_record_free(&writer->record);
    free(writer->shares);
    free(writer->codes);
    shard_info_free(&writer->info);
    free(writer->path);
    free(writer->partial_path);
    free(writer->lock_path);
    free(writer);
}

void shard_writer_abandon(ShardWriter *writer)
{
    if (writer)
        writer_free(writer);
}

/* Makes the file end with its last good block and keeps it as a partial. */
static Status keep_partial(ShardWriter *writer, Error *err)
{
    if (ftruncate(fileno(writer->file.stream), (off_t)writer->offset) != 0)
        return error_set_errno(err, "%s: cannot cut to %" PRIu64 " bytes", writer->file.temporary,
                               writer->offset);
    clearerr(writer->file.stream);
    char *path = strdup(writer->partial_path);
    if (!path)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a name");
    free(writer->file.path);
    writer->file.path = path;
    return atomic_file_commit(&writer->file, err);
}

/* Appends bytes to the file. When the disk refuses, the finished blocks are kept as a partial,
 * unless the one that is there has more games. */
static Status append(ShardWriter *writer, const Buffer *bytes, Error *err)
{
    errno = 0;
    if (fwrite(bytes->bytes, 1, bytes->size, writer->file.stream) == bytes->size) {
        writer->offset += bytes->size;
        return STATUS_OK;
    }
    Error first = {0};
    error_set_errno(&first, "%s: cannot write at byte %" PRIu64, writer->path, writer->offset);
    writer->broken = true;
    uint64_t kept = writer->keep_nothing ? 0 : writer->partial_games;
    if (writer->games_on_disk > kept && !writer->keep_nothing &&
        keep_partial(writer, NULL) == STATUS_OK)
        kept = writer->games_on_disk;
    if (kept > 0)
        error_set(err, first.status, "%s (%" PRIu64 " games are kept in %s)", first.message, kept,
                  writer->partial_path);
    else
        error_set(err, first.status, "%s", first.message);
    atomic_file_abandon(&writer->file);
    return first.status;
}

static Status writer_prepare(ShardWriter *writer, const char *directory, unsigned shard,
                             const ShardInfo *info, Error *err)
{
    Status status = shard_info_copy(&writer->info, info, err);
    if (status != STATUS_OK)
        return status;
    writer->least_game = info->first_game;
    writer->path = shard_file_name(directory, shard, "cmpd");
    writer->partial_path = shard_file_name(directory, shard, "partial");
    writer->lock_path = shard_file_name(directory, shard, "lock");
    writer->digest = XXH3_createState();
    if (!writer->path || !writer->partial_path || !writer->lock_path || !writer->digest)
        return error_set(err, STATUS_NO_MEMORY, "no memory to write shard %u", shard);
    XXH3_128bits_reset(writer->digest);
    writer->game = info->engine->game_new(err);
    if (!writer->game)
        return STATUS_NO_MEMORY;
    status = shard_scale(&writer->scale, info->score_steps, info->score_slope, err);
    if (status != STATUS_OK)
        return status;
    status = block_builder_init(&writer->block, &writer->scale, info->final_scores, err);
    if (status == STATUS_OK)
        status = shard_header_encode(&writer->info, &writer->frame, err);
    if (status == STATUS_OK)
        status = directory_make(directory, err);
    if (status == STATUS_OK)
        status = lock_take(writer->lock_path, &writer->lock, err);
    if (status != STATUS_OK)
        return status;
    if (file_exists(writer->path))
        return error_set(err, STATUS_ARGUMENT,
                         "%s is there already; a finished shard is never changed", writer->path);
    status = shard_partial_adopt(directory, shard, info, &writer->partial_games, err);
    if (status != STATUS_OK)
        return status;
    status = atomic_file_open(&writer->file, writer->path, err);
    if (status != STATUS_OK)
        return status;
    /* Blocks are written whole, and after a failure nothing may be left to write later. */
    setvbuf(writer->file.stream, NULL, _IONBF, 0);
    return append(writer, &writer->frame, err);
}

Status shard_writer_open(ShardWriter **writer, const char *directory, unsigned shard,
                         const ShardInfo *info, Error *err)
{
    if (shard > SHARD_NUMBER_MAX)
        return error_set(err, STATUS_ARGUMENT, "shard %u, expected at most %d", shard,
                         SHARD_NUMBER_MAX);
    if (info->game_count > UINT64_MAX - info->first_game)
        return error_set(err, STATUS_ARGUMENT,
                         "%" PRIu64 " games from %" PRIu64 " on, expected numbers below 2^64",
                         info->game_count, info->first_game);
    ShardWriter *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return error_set(err, STATUS_NO_MEMORY, "no memory to write shard %u", shard);
    fresh->lock = -1;
    Status status = writer_prepare(fresh, directory, shard, info, err);
    if (status == STATUS_OK)
        *writer = fresh;
    else
        writer_free(fresh);
    return status;
}

void shard_writer_keep_nothing(ShardWriter *writer)
{
    writer->keep_nothing = true;
}

/* --- games ----------------------------------------------------------------------------------- */

static Status flush_block(ShardWriter *writer, Error *err)
{
    if (writer->block.games == 0)
        return STATUS_OK;
    IndexEntry entry = {.offset = writer->offset,
                        .first_game = writer->block.first_game,
                        .games = (uint32_t)writer->block.games,
                        .plies = (uint32_t)writer->block.plies};
    buffer_clear(&writer->frame);
    Status status = block_encode(&writer->block, &writer->frame, err);
    if (status == STATUS_OK) {
        entry.checksum = XXH3_64bits(writer->frame.bytes, writer->frame.size);
        status = shard_index_add(&writer->index, entry, err);
    }
    if (status == STATUS_OK)
        status = append(writer, &writer->frame, err);
    if (status == STATUS_OK)
        writer->games_on_disk += entry.games;
    else
        writer->broken = true;
    return status;
}

/* Makes room for the moves of one game. */
static bool reserve(ShardWriter *writer, size_t plies)
{
    if (plies <= writer->capacity)
        return true;
    PlyRecord *kept = realloc(writer->record.plies, plies * sizeof *kept);
    writer->record.plies = kept ? kept : writer->record.plies;
    MoveShare *shares = realloc(writer->shares, plies * sizeof *shares);
    writer->shares = shares ? shares : writer->shares;
    uint16_t *codes = realloc(writer->codes, plies * sizeof *codes);
    writer->codes = codes ? codes : writer->codes;
    if (!kept || !shares || !codes)
        return false;
    writer->capacity = plies;
    return true;
}

/* Replays the game by the rules and notes the share of each move. */
static Status share_moves(ShardWriter *writer, const GameRecord *record, Error *err)
{
    const Engine *engine = writer->info.engine;
    Game *game = writer->game;
    Error inner = {0};
    Status status = engine->game_set(game, record->start_fen, &inner);
    if (status != STATUS_OK)
        return error_set(err, status, "%s: game %" PRIu64 ": start position: %s", writer->path,
                         record->number, inner.message);
    char fen[ENGINE_MAX_FEN];
    engine->game_fen(game, fen);
    if (strcmp(fen, record->start_fen) != 0)
        return error_set(err, STATUS_FORMAT,
                         "%s: game %" PRIu64 ": start position '%s', expected it as '%s'",
                         writer->path, record->number, record->start_fen, fen);
    for (size_t i = 0; i < record->ply_count; i++) {
        const PlyRecord *ply = &record->plies[i];
        uint32_t total = engine->order_total(game, (ply->flags & PLY_RANDOM) != 0);
        MoveShare share = {0};
        if (total > 0)
            share = engine->order_share(game, ply->move);
        if (share.size == 0 || engine->game_is_repetition(game, ply->move))
            return error_set(err, STATUS_FORMAT,
                             "%s: game %" PRIu64 ", ply %zu: move %u is not legal", writer->path,
                             record->number, i, (unsigned)ply->move);
        writer->shares[i] = share;
        writer->codes[i] = ply->move;
        status = engine->game_play(game, ply->move, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Copies the game with its scores as the shard keeps them. */
static void keep_on_scale(ShardWriter *writer, const GameRecord *record)
{
    GameRecord *kept = &writer->record;
    PlyRecord *plies = kept->plies;
    *kept = *record;
    kept->plies = plies;
    if (record->ply_count > 0)
        memcpy(plies, record->plies, record->ply_count * sizeof *plies);
    game_record_to_scale(kept, &writer->scale);
}

Status shard_writer_push(ShardWriter *writer, const GameRecord *record, Error *err)
{
    const ShardInfo *info = &writer->info;
    if (writer->broken)
        return error_set(err, STATUS_IO, "%s: writing has failed before", writer->path);
    if (record->number < writer->least_game ||
        record->number >= info->first_game + info->game_count)
        return error_set(err, STATUS_ARGUMENT,
                         "%s: game %" PRIu64 ", expected a number from %" PRIu64
                         " to before %" PRIu64 ", ascending",
                         writer->path, record->number, writer->least_game,
                         info->first_game + info->game_count);
    if (record->has_final_score && !info->final_scores)
        return error_set(err, STATUS_ARGUMENT,
                         "%s: game %" PRIu64 ": a score of the final position, but the shard was "
                         "opened without such scores",
                         writer->path, record->number);
    char *place = text_format("%s: game %" PRIu64, writer->path, record->number);
    if (!place)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a game");
    Status status = game_record_check(info->engine, record, place, err);
    free(place);
    if (status == STATUS_OK && !reserve(writer, record->ply_count))
        status = error_set(err, STATUS_NO_MEMORY, "no memory for a game of %zu plies",
                           record->ply_count);
    if (status == STATUS_OK)
        status = share_moves(writer, record, err);
    if (status != STATUS_OK)
        return status;
    keep_on_scale(writer, record);
    status = block_add(&writer->block, &writer->record, writer->shares, info->first_game,
                       info->engine->start_fen, err);
    if (status != STATUS_OK) {
        writer->broken = true;
        return status;
    }
    game_record_digest(writer->digest, &writer->record, writer->codes);
    writer->least_game = record->number + 1;
    writer->stat.games++;
    writer->stat.plies += record->ply_count;
    writer->stat.outcomes[record->outcome]++;
    return block_is_full(&writer->block) ? flush_block(writer, err) : STATUS_OK;
}

/* --- the end --------------------------------------------------------------------------------- */

static Status writer_finish(ShardWriter *writer, Error *err)
{
    if (writer->broken)
        return error_set(err, STATUS_IO, "%s: writing has failed before", writer->path);
    Status status = flush_block(writer, err);
    if (status != STATUS_OK)
        return status;
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(writer->digest));
    hex_from_digest(canonical.digest, writer->stat.digest);
    buffer_clear(&writer->frame);
    status =
        shard_trailer_encode(&writer->index, &writer->stat, writer->offset, &writer->frame, err);
    if (status == STATUS_OK)
        status = append(writer, &writer->frame, err);
    if (status == STATUS_OK && file_exists(writer->path))
        status = error_set(err, STATUS_ARGUMENT,
                           "%s is there already; a finished shard is never changed", writer->path);
    if (status == STATUS_OK)
        status = atomic_file_commit(&writer->file, err);
    if (status == STATUS_OK && unlink(writer->partial_path) != 0 && errno != ENOENT)
        status = error_set_errno(err, "%s: cannot remove it although its shard is finished",
                                 writer->partial_path);
    return status;
}

Status shard_writer_close(ShardWriter *writer, ShardStat *stat, Error *err)
{
    Status status = writer_finish(writer, err);
    if (status == STATUS_OK && stat)
        *stat = writer->stat;
    writer_free(writer);
    return status;
}

Status shard_writer_suspend(ShardWriter *writer, Error *err)
{
    Status status = writer->broken
                        ? error_set(err, STATUS_IO, "%s: writing has failed before", writer->path)
                        : flush_block(writer, err);
    if (status == STATUS_OK)
        status = keep_partial(writer, err);
    writer_free(writer);
    return status;
}
