/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shard.c - header, trailer and index of a shard (see shard.h and FORMAT.md). */
#include "shard.h"

#include "block.h"
#include "support/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/* Two of the sixteen numbers that zstd gives to frames it skips (RFC 8878, 3.1.2). */
#define HEADER_FRAME  0x184D2A5CU
#define TRAILER_FRAME 0x184D2A5DU

static const char header_magic[8] = {'C', 'M', 'P', 'D', 'H', 'E', 'A', 'D'};
static const char trailer_magic[8] = {'C', 'M', 'P', 'D', 'T', 'A', 'I', 'L'};
static const char end_magic[8] = {'C', 'M', 'P', 'D', 'E', 'N', 'D', '\n'};

enum {
    INDEX_ENTRY_SIZE = 32,
    TOTALS_SIZE = 8 + 8 + 4 * 8 + 16,
    END_SIZE = 8 + 8 + 8 + 8, /* trailer offset, file length, checksum, end magic */
    TRAILER_FIXED_SIZE = SKIPPABLE_PREFIX + 8 + 8 + TOTALS_SIZE + END_SIZE,
    SCORE_UNIT_CP = 1, /* until format 2 */
    SCORE_VIEW_WHITE = 0,
    TEXTS_LEVEL = 19
};

/* --- names and index ------------------------------------------------------------------------- */

char *shard_file_name(const char *directory, unsigned shard, const char *suffix)
{
    return text_format("%s/%06u.%s", directory, shard, suffix);
}

int shard_number_from_name(const char *name)
{
    int number = 0;
    for (int i = 0; i < 6; i++) {
        if (name[i] < '0' || name[i] > '9')
            return -1;
        number = 10 * number + (name[i] - '0');
    }
    return strcmp(name + 6, ".cmpd") == 0 ? number : -1;
}

static int compare_numbers(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

Status shard_numbers(const char *directory, unsigned **numbers, size_t *count, Error *err)
{
    DIR *stream = opendir(directory);
    if (!stream)
        return error_set_errno(err, "%s: cannot list the directory", directory);
    unsigned *found = NULL;
    size_t size = 0, capacity = 0;
    Status status = STATUS_OK;
    for (struct dirent *entry; status == STATUS_OK && (errno = 0, entry = readdir(stream));) {
        int number = shard_number_from_name(entry->d_name);
        if (number < 0)
            continue;
        if (size == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            unsigned *more = realloc(found, capacity * sizeof *more);
            if (!more) {
                status = error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu shards", directory,
                                   capacity);
                break;
            }
            found = more;
        }
        found[size++] = (unsigned)number;
    }
    if (status == STATUS_OK && errno != 0)
        status = error_set_errno(err, "%s: cannot list the directory", directory);
    closedir(stream);
    if (status != STATUS_OK) {
        free(found);
        return status;
    }
    if (size > 1)
        qsort(found, size, sizeof *found, compare_numbers);
    *numbers = found;
    *count = size;
    return STATUS_OK;
}

void shard_index_free(ShardIndex *index)
{
    if (!index)
        return;
    free(index->entries);
    *index = (ShardIndex){0};
}

Status shard_index_add(ShardIndex *index, IndexEntry entry, Error *err)
{
    if (index->count == index->capacity) {
        size_t capacity = index->capacity ? 2 * index->capacity : 64;
        IndexEntry *entries = realloc(index->entries, capacity * sizeof *entries);
        if (!entries)
            return error_set(err, STATUS_NO_MEMORY, "no memory for an index of %zu blocks",
                             capacity);
        index->entries = entries;
        index->capacity = capacity;
    }
    index->entries[index->count++] = entry;
    return STATUS_OK;
}

/* --- header ---------------------------------------------------------------------------------- */

static char *text_or_empty(const char *text)
{
    return strdup(text ? text : "");
}

Status shard_info_copy(ShardInfo *to, const ShardInfo *from, Error *err)
{
    ShardInfo copy = *from;
    copy.commit = text_or_empty(from->commit);
    copy.compiler = text_or_empty(from->compiler);
    copy.configuration = text_or_empty(from->configuration);
    if (!copy.commit || !copy.compiler || !copy.configuration) {
        shard_info_free(&copy);
        return error_set(err, STATUS_NO_MEMORY, "no memory for the description of a shard");
    }
    *to = copy;
    return STATUS_OK;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

bool shard_info_same_build(const ShardInfo *a, const ShardInfo *b)
{
    return same_text(a->commit, b->commit) && same_text(a->compiler, b->compiler);
}

bool shard_info_same(const ShardInfo *a, const ShardInfo *b)
{
    return a->engine == b->engine && a->final_scores == b->final_scores &&
           a->score_steps == b->score_steps && a->score_slope == b->score_slope &&
           a->bench_nodes == b->bench_nodes && a->seed == b->seed &&
           a->first_game == b->first_game && a->game_count == b->game_count &&
           strcmp(a->weights_digest, b->weights_digest) == 0 &&
           same_text(a->configuration, b->configuration) && shard_info_same_build(a, b);
}

/* Commit, compiler and configuration, as one zstd frame. */
static Status put_packed_texts(const ShardInfo *info, Buffer *out, Error *err)
{
    Buffer texts = {0};
    buffer_put_text(&texts, info->commit ? info->commit : "");
    buffer_put_text(&texts, info->compiler ? info->compiler : "");
    buffer_put_text(&texts, info->configuration ? info->configuration : "");
    size_t size = 0, room = ZSTD_compressBound(texts.size);
    if (texts.size > SHARD_HEADER_MAX) {
        buffer_free(&texts);
        return error_set(err, STATUS_ARGUMENT,
                         "the header of a shard needs %zu bytes, expected at most %d", texts.size,
                         SHARD_HEADER_MAX);
    }
    bool good = !texts.failed && buffer_reserve(out, room);
    if (good) {
        size = ZSTD_compress(out->bytes + out->size, room, texts.bytes, texts.size, TEXTS_LEVEL);
        good = !ZSTD_isError(size);
    }
    buffer_free(&texts);
    if (!good)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the header of a shard");
    out->size += size;
    return STATUS_OK;
}

/* The same texts from the rest of a header; marks the reader bad where they are not there. */
static Status take_packed_texts(ByteReader *reader, ShardInfo *info, const char *path, Error *err)
{
    size_t packed = byte_reader_left(reader);
    const uint8_t *frame = byte_reader_take(reader, packed);
    unsigned long long size = ZSTD_getFrameContentSize(frame, packed);
    Buffer texts = {0};
    if (size > SHARD_HEADER_MAX) { /* the two error codes are, too */
        reader->bad = true;
        return STATUS_OK;
    }
    if (!buffer_reserve(&texts, (size_t)size + 1))
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for its header", path);
    if (ZSTD_decompress(texts.bytes, (size_t)size, frame, packed) != size)
        reader->bad = true;
    ByteReader inner = byte_reader(texts.bytes, reader->bad ? 0 : (size_t)size);
    info->commit = byte_reader_text(&inner, SHARD_HEADER_MAX);
    info->compiler = byte_reader_text(&inner, SHARD_HEADER_MAX);
    info->configuration = byte_reader_text(&inner, SHARD_HEADER_MAX);
    if (inner.bad || byte_reader_left(&inner) != 0)
        reader->bad = true;
    buffer_free(&texts);
    return STATUS_OK;
}

Status shard_header_encode(const ShardInfo *info, Buffer *out, Error *err)
{
    uint8_t digest[16] = {0};
    if (!hex_to_digest(info->weights_digest, digest))
        return error_set(err, STATUS_ARGUMENT,
                         "digest of the weights is '%s', expected 32 hex digits",
                         info->weights_digest);
    size_t start = out->size;
    buffer_put_uint(out, HEADER_FRAME, 4);
    buffer_put_uint(out, 0, 4); /* the size, known below */
    buffer_put(out, header_magic, sizeof header_magic);
    buffer_put_uint(out, FORMAT_VERSION, 2);
    buffer_put_uint(out, (uint64_t)info->engine->rules_version, 2);
    buffer_put_uint(out, info->score_steps, 2);
    buffer_put_uint(out, SCORE_VIEW_WHITE, 1);
    buffer_put_uint(out, info->final_scores, 1);
    buffer_put_uint(out, info->bench_nodes, 8);
    buffer_put_uint(out, info->seed, 8);
    buffer_put_uint(out, info->first_game, 8);
    buffer_put_uint(out, info->game_count, 8);
    buffer_put(out, digest, sizeof digest);
    buffer_put_uint(out, info->score_slope, 4);
    buffer_put_text(out, info->engine->name);
    Status status = put_packed_texts(info, out, err);
    if (status != STATUS_OK)
        return status;
    if (out->failed)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the header of a shard");
    size_t payload = out->size - start - SKIPPABLE_PREFIX + 8;
    if (payload > SHARD_HEADER_MAX)
        return error_set(err, STATUS_ARGUMENT,
                         "the header of a shard needs %zu bytes, expected at most %d", payload,
                         SHARD_HEADER_MAX);
    for (int i = 0; i < 4; i++)
        out->bytes[start + 4 + (size_t)i] = (uint8_t)(payload >> (8 * i));
    buffer_put_uint(out, XXH3_64bits(out->bytes + start, out->size - start), 8);
    return out->failed ? error_set(err, STATUS_NO_MEMORY, "no memory for the header of a shard")
                       : STATUS_OK;
}

Status shard_header_decode(const char *path, const uint8_t *bytes, size_t size, ShardInfo *info,
                           size_t *header_size, Error *err)
{
    ByteReader reader = byte_reader(bytes, size);
    uint64_t frame = byte_reader_uint(&reader, 4), payload = byte_reader_uint(&reader, 4);
    const uint8_t *magic = byte_reader_take(&reader, sizeof header_magic);
    if (!magic || frame != HEADER_FRAME || memcmp(magic, header_magic, sizeof header_magic) != 0)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte 0: not a shard of games (no header frame with CMPDHEAD)", path);
    uint64_t version = byte_reader_uint(&reader, 2);
    if (reader.bad || payload > SHARD_HEADER_MAX || payload < 8 ||
        payload > size - SKIPPABLE_PREFIX)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte 4: a header of %" PRIu64 " bytes, but the file has %zu", path,
                         payload, size);
    if (version < 1 || version > FORMAT_VERSION)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte 16: format version %" PRIu64 ", this program reads 1 to %d",
                         path, version, FORMAT_VERSION);
    size_t whole = SKIPPABLE_PREFIX + (size_t)payload;
    ByteReader checksum = byte_reader(bytes + whole - 8, 8);
    if (byte_reader_uint(&checksum, 8) != XXH3_64bits(bytes, whole - 8))
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %zu: damaged header (its checksum does not fit)", path,
                         whole - 8);
    reader.size = whole - 8;

    uint64_t rules_version = byte_reader_uint(&reader, 2);
    uint64_t unit = byte_reader_uint(&reader, 2), view = byte_reader_uint(&reader, 1);
    uint64_t reserved = byte_reader_uint(&reader, 1);
    info->format = (unsigned)version;
    info->final_scores = version == 2 || (version >= 3 && reserved == 1);
    info->score_steps = version >= 3 ? (unsigned)unit : 0;
    info->bench_nodes = byte_reader_uint(&reader, 8);
    info->seed = byte_reader_uint(&reader, 8);
    info->first_game = byte_reader_uint(&reader, 8);
    info->game_count = byte_reader_uint(&reader, 8);
    const uint8_t *digest = byte_reader_take(&reader, 16);
    if (digest)
        hex_from_digest(digest, info->weights_digest);
    info->score_slope = version >= 3 ? (uint32_t)byte_reader_uint(&reader, 4) : 0;
    char *variant = byte_reader_text(&reader, 64);
    Status status = STATUS_OK;
    if (version >= 3 && !reader.bad) {
        status = take_packed_texts(&reader, info, path, err);
    } else {
        info->commit = byte_reader_text(&reader, SHARD_HEADER_MAX);
        info->compiler = byte_reader_text(&reader, SHARD_HEADER_MAX);
        info->configuration = byte_reader_text(&reader, SHARD_HEADER_MAX);
    }
    ScoreScale scale;
    if (status != STATUS_OK)
        status = STATUS_NO_MEMORY;
    else if (reader.bad || byte_reader_left(&reader) != 0)
        status = error_set(err, STATUS_FORMAT, "%s: byte %zu: the header's texts do not add up",
                           path, reader.at);
    else if (version < 3 && (unit != SCORE_UNIT_CP || view != SCORE_VIEW_WHITE || reserved != 0))
        status = error_set(err, STATUS_FORMAT,
                           "%s: byte 20: score unit %" PRIu64 ", view %" PRIu64
                           ", reserved %" PRIu64 ", expected %d, %d, 0",
                           path, unit, view, reserved, SCORE_UNIT_CP, SCORE_VIEW_WHITE);
    else if (version >= 3 && (view != SCORE_VIEW_WHITE || reserved > 1))
        status = error_set(err, STATUS_FORMAT,
                           "%s: byte 22: view %" PRIu64 ", final scores %" PRIu64
                           ", expected %d, and 0 or 1",
                           path, view, reserved, SCORE_VIEW_WHITE);
    else if (!score_scale_set(&scale, info->score_steps, info->score_slope))
        status = error_set(err, STATUS_FORMAT,
                           "%s: byte 20: scores in %u steps of a slope of %" PRIu32
                           " millionths, expected 128 or 256 steps and %d to %d, or 0 and 0",
                           path, info->score_steps, info->score_slope, SCORE_SLOPE_MIN,
                           SCORE_SLOPE_MAX);
    else if (info->game_count > UINT64_MAX - info->first_game)
        status = error_set(err, STATUS_FORMAT,
                           "%s: byte 40: a range of %" PRIu64 " games from %" PRIu64
                           " on, expected one below 2^64",
                           path, info->game_count, info->first_game);
    else if (!(info->engine = engine_find(variant)))
        status = error_set(err, STATUS_FORMAT, "%s: byte 72 or 76: variant '%s', expected one of: %s",
                           path, variant, engine_names());
    else if (rules_version != (uint64_t)info->engine->rules_version)
        status =
            error_set(err, STATUS_FORMAT,
                      "%s: byte 18: %s by version %" PRIu64 " of its rules, this program has %d",
                      path, variant, rules_version, info->engine->rules_version);
    free(variant);
    if (status == STATUS_OK)
        *header_size = whole;
    return status;
}

/* --- trailer --------------------------------------------------------------------------------- */

Status shard_trailer_encode(const ShardIndex *index, ShardStat *stat, uint64_t offset, Buffer *out,
                            Error *err)
{
    size_t start = out->size;
    uint64_t whole = TRAILER_FIXED_SIZE + (uint64_t)INDEX_ENTRY_SIZE * index->count;
    uint8_t digest[16] = {0};
    if (whole - SKIPPABLE_PREFIX > UINT32_MAX || !hex_to_digest(stat->digest, digest))
        return error_set(err, STATUS_ARGUMENT, "a shard of %zu blocks is too large", index->count);
    stat->bytes = offset + whole;
    buffer_put_uint(out, TRAILER_FRAME, 4);
    buffer_put_uint(out, whole - SKIPPABLE_PREFIX, 4);
    buffer_put(out, trailer_magic, sizeof trailer_magic);
    buffer_put_uint(out, index->count, 8);
    for (size_t i = 0; i < index->count; i++) {
        const IndexEntry *entry = &index->entries[i];
        buffer_put_uint(out, entry->offset, 8);
        buffer_put_uint(out, entry->first_game, 8);
        buffer_put_uint(out, entry->games, 4);
        buffer_put_uint(out, entry->plies, 4);
        buffer_put_uint(out, entry->checksum, 8);
    }
    buffer_put_uint(out, stat->games, 8);
    buffer_put_uint(out, stat->plies, 8);
    for (int i = 0; i < 4; i++)
        buffer_put_uint(out, stat->outcomes[i], 8);
    buffer_put(out, digest, sizeof digest);
    buffer_put_uint(out, offset, 8);
    buffer_put_uint(out, stat->bytes, 8);
    if (!out->failed)
        buffer_put_uint(out, XXH3_64bits(out->bytes + start, out->size - start), 8);
    buffer_put(out, end_magic, sizeof end_magic);
    return out->failed ? error_set(err, STATUS_NO_MEMORY, "no memory for an index of %zu blocks",
                                   index->count)
                       : STATUS_OK;
}

static Status entry_check(const ShardFile *file, const ShardInfo *info, const IndexEntry *entry,
                          uint64_t offset_min, uint64_t game_min, size_t number, Error *err)
{
    uint64_t end_game = info->first_game + info->game_count;
    if (entry->offset != offset_min && number == 0)
        return error_set(err, STATUS_FORMAT,
                         "%s: block 0 at byte %" PRIu64
                         ", expected it after the header at %" PRIu64,
                         file->path, entry->offset, offset_min);
    if (entry->offset < offset_min || entry->offset >= file->trailer_offset)
        return error_set(err, STATUS_FORMAT,
                         "%s: block %zu at byte %" PRIu64 ", expected it from %" PRIu64
                         " to before %" PRIu64,
                         file->path, number, entry->offset, offset_min, file->trailer_offset);
    if (entry->first_game < game_min || entry->first_game >= end_game || entry->games == 0 ||
        entry->games > end_game - entry->first_game)
        return error_set(err, STATUS_FORMAT,
                         "%s: block %zu holds %" PRIu32 " games from %" PRIu64
                         ", expected some from %" PRIu64 " to before %" PRIu64,
                         file->path, number, entry->games, entry->first_game, game_min, end_game);
    return STATUS_OK;
}

/* Reads and checks the trailer whose end has been checked. */
static Status trailer_decode(const ShardFile *file, const ShardInfo *info, const Buffer *trailer,
                             ShardStat *stat, ShardIndex *index, Error *err)
{
    ByteReader reader = byte_reader(trailer->bytes, trailer->size);
    uint64_t frame = byte_reader_uint(&reader, 4), payload = byte_reader_uint(&reader, 4);
    const uint8_t *magic = byte_reader_take(&reader, sizeof trailer_magic);
    uint64_t count = byte_reader_uint(&reader, 8);
    if (reader.bad || frame != TRAILER_FRAME || payload != trailer->size - SKIPPABLE_PREFIX ||
        memcmp(magic, trailer_magic, sizeof trailer_magic) != 0 ||
        count != (trailer->size - TRAILER_FIXED_SIZE) / INDEX_ENTRY_SIZE ||
        (trailer->size - TRAILER_FIXED_SIZE) % INDEX_ENTRY_SIZE != 0)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": damaged trailer (sizes do not fit)", file->path,
                         file->trailer_offset);

    uint64_t games = 0, plies = 0, offset_min = file->header_size, game_min = info->first_game;
    for (size_t i = 0; i < count; i++) {
        IndexEntry entry = {.offset = byte_reader_uint(&reader, 8)};
        entry.first_game = byte_reader_uint(&reader, 8);
        entry.games = (uint32_t)byte_reader_uint(&reader, 4);
        entry.plies = (uint32_t)byte_reader_uint(&reader, 4);
        entry.checksum = byte_reader_uint(&reader, 8);
        Status status = entry_check(file, info, &entry, offset_min, game_min, i, err);
        if (status == STATUS_OK && index)
            status = shard_index_add(index, entry, err);
        if (status != STATUS_OK)
            return status;
        offset_min = entry.offset + 1;
        game_min = entry.first_game + entry.games;
        games += entry.games;
        plies += entry.plies;
    }
    stat->games = byte_reader_uint(&reader, 8);
    stat->plies = byte_reader_uint(&reader, 8);
    uint64_t outcomes = 0;
    for (int i = 0; i < 4; i++)
        outcomes += stat->outcomes[i] = byte_reader_uint(&reader, 8);
    const uint8_t *digest = byte_reader_take(&reader, 16);
    if (!digest || stat->games != games || stat->plies != plies || outcomes != games ||
        (count == 0 && file->trailer_offset != file->header_size))
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": trailer states %" PRIu64 " games and %" PRIu64
                         " plies, its index adds up to %" PRIu64 " and %" PRIu64,
                         file->path, file->trailer_offset, stat->games, stat->plies, games, plies);
    hex_from_digest(digest, stat->digest);
    stat->bytes = file->bytes;
    return STATUS_OK;
}

bool shard_trailer_read(const uint8_t *bytes, size_t size, ShardIndex *index, ShardStat *stat,
                        size_t *size_out)
{
    ByteReader reader = byte_reader(bytes, size);
    uint64_t frame = byte_reader_uint(&reader, 4), payload = byte_reader_uint(&reader, 4);
    const uint8_t *magic = byte_reader_take(&reader, sizeof trailer_magic);
    uint64_t count = byte_reader_uint(&reader, 8), whole = SKIPPABLE_PREFIX + payload;
    if (reader.bad || frame != TRAILER_FRAME || whole > size || whole < TRAILER_FIXED_SIZE ||
        memcmp(magic, trailer_magic, sizeof trailer_magic) != 0 ||
        whole - TRAILER_FIXED_SIZE != count * INDEX_ENTRY_SIZE)
        return false;
    ByteReader end = byte_reader(bytes + whole - 16, 16);
    if (byte_reader_uint(&end, 8) != XXH3_64bits(bytes, (size_t)whole - 16) ||
        memcmp(bytes + whole - 8, end_magic, sizeof end_magic) != 0)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        IndexEntry entry = {.offset = byte_reader_uint(&reader, 8)};
        entry.first_game = byte_reader_uint(&reader, 8);
        entry.games = (uint32_t)byte_reader_uint(&reader, 4);
        entry.plies = (uint32_t)byte_reader_uint(&reader, 4);
        entry.checksum = byte_reader_uint(&reader, 8);
        if (shard_index_add(index, entry, NULL) != STATUS_OK)
            return false;
    }
    *stat = (ShardStat){.games = byte_reader_uint(&reader, 8), .bytes = whole};
    stat->plies = byte_reader_uint(&reader, 8);
    for (int i = 0; i < 4; i++)
        stat->outcomes[i] = byte_reader_uint(&reader, 8);
    hex_from_digest(byte_reader_take(&reader, 16), stat->digest);
    *size_out = (size_t)whole;
    return true;
}

/* --- files ----------------------------------------------------------------------------------- */

void shard_file_close(ShardFile *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

Status shard_file_read(const ShardFile *file, uint64_t offset, size_t size, Buffer *out, Error *err)
{
    buffer_clear(out);
    if (!buffer_reserve(out, size))
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu bytes", file->path, size);
    while (out->size < size) {
        ssize_t got =
            pread(file->fd, out->bytes + out->size, size - out->size, (off_t)(offset + out->size));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(err, "%s: cannot read at byte %" PRIu64, file->path,
                                   offset + out->size);
        if (got == 0)
            return error_set(err, STATUS_FORMAT,
                             "%s: byte %" PRIu64 ": the file ends, expected %zu more bytes",
                             file->path, offset + out->size, size - out->size);
        out->size += (size_t)got;
    }
    return STATUS_OK;
}

static Status header_read(ShardFile *file, ShardInfo *info, Buffer *buffer, Error *err)
{
    size_t size = SKIPPABLE_PREFIX + SHARD_HEADER_MAX;
    if (size > file->bytes)
        size = (size_t)file->bytes;
    size_t header_size = 0;
    Status status = shard_file_read(file, 0, size < 4096 ? size : 4096, buffer, err);
    if (status == STATUS_OK && buffer->size >= SKIPPABLE_PREFIX) {
        /* Headers are short; one that is not is read again whole. */
        ByteReader reader = byte_reader(buffer->bytes, buffer->size);
        byte_reader_uint(&reader, 4);
        uint64_t whole = SKIPPABLE_PREFIX + byte_reader_uint(&reader, 4);
        if (whole > buffer->size && whole <= size)
            status = shard_file_read(file, 0, (size_t)whole, buffer, err);
    }
    if (status == STATUS_OK)
        status =
            shard_header_decode(file->path, buffer->bytes, buffer->size, info, &header_size, err);
    file->header_size = header_size;
    return status;
}

static Status trailer_read(ShardFile *file, const ShardInfo *info, ShardStat *stat,
                           ShardIndex *index, Buffer *buffer, Error *err)
{
    if (file->bytes < file->header_size + TRAILER_FIXED_SIZE)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": the file ends before its trailer: cut off?",
                         file->path, file->bytes);
    Status status = shard_file_read(file, file->bytes - END_SIZE, END_SIZE, buffer, err);
    if (status != STATUS_OK)
        return status;
    ByteReader reader = byte_reader(buffer->bytes, buffer->size);
    file->trailer_offset = byte_reader_uint(&reader, 8);
    uint64_t bytes = byte_reader_uint(&reader, 8);
    uint64_t checksum = byte_reader_uint(&reader, 8);
    const uint8_t *magic = byte_reader_take(&reader, sizeof end_magic);
    if (!magic || memcmp(magic, end_magic, sizeof end_magic) != 0)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": no end mark CMPDEND: the file is cut or damaged",
                         file->path, file->bytes - sizeof end_magic);
    if (bytes != file->bytes || file->trailer_offset < file->header_size ||
        file->trailer_offset > file->bytes - TRAILER_FIXED_SIZE)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": trailer at %" PRIu64 " of a file of %" PRIu64
                         " bytes, but it has %" PRIu64,
                         file->path, file->bytes - END_SIZE, file->trailer_offset, bytes,
                         file->bytes);
    status = shard_file_read(file, file->trailer_offset,
                             (size_t)(file->bytes - file->trailer_offset), buffer, err);
    if (status != STATUS_OK)
        return status;
    if (XXH3_64bits(buffer->bytes, buffer->size - 16) != checksum)
        return error_set(err, STATUS_FORMAT,
                         "%s: byte %" PRIu64 ": damaged trailer (its checksum does not fit)",
                         file->path, file->trailer_offset);
    return trailer_decode(file, info, buffer, stat, index, err);
}

Status shard_file_open(ShardFile *file, const char *path, ShardInfo *info, ShardStat *stat,
                       ShardIndex *index, Error *err)
{
    /* Without O_NONBLOCK a named pipe would wait for somebody to write to it. */
    *file = (ShardFile){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file->fd < 0)
        return error_set_errno(err, "%s: cannot open", path);
    Buffer buffer = {0};
    struct stat facts;
    Status status = STATUS_OK;
    if (fstat(file->fd, &facts) != 0)
        status = error_set_errno(err, "%s: cannot read its size", path);
    else if (!S_ISREG(facts.st_mode))
        status = error_set(err, STATUS_FORMAT, "%s: not a regular file", path);
    else
        file->bytes = (uint64_t)facts.st_size;
    if (status == STATUS_OK)
        status = header_read(file, info, &buffer, err);
    if (status == STATUS_OK)
        status = trailer_read(file, info, stat, index, &buffer, err);
    buffer_free(&buffer);
    if (status != STATUS_OK)
        shard_file_close(file);
    return status;
}
