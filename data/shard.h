/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shard.h - what surrounds the blocks of a shard: names of files, header, trailer with index. */
#pragma once

#include "bytes.h"
#include "dataset.h"

enum {
    FORMAT_VERSION = 3, /* of what is written; all earlier ones are read */
    SHARD_NUMBER_MAX = 999999,
    SKIPPABLE_PREFIX = 8,      /* magic and size of a skippable frame                       */
    SHARD_HEADER_MAX = 1 << 20 /* no reader has to accept a longer header                   */
};

/* One block in the trailer's index. */
typedef struct IndexEntry {
    uint64_t offset;     /* of its frame in the file      */
    uint64_t first_game; /* number of its first game      */
    uint32_t games, plies;
    uint64_t checksum; /* XXH3-64 of the compressed frame */
} IndexEntry;

typedef struct ShardIndex {
    IndexEntry *entries;
    size_t count, capacity;
} ShardIndex;

void shard_index_free(ShardIndex *index);
Status shard_index_add(ShardIndex *index, IndexEntry entry, Error *err);

/* "DIR/000007.cmpd": malloc'ed, NULL when out of memory. */
char *shard_file_name(const char *directory, unsigned shard, const char *suffix);
/* The number in a name NNNNNN.cmpd (no directory), -1 if it is none. */
int shard_number_from_name(const char *name);

/* The numbers of the shards NNNNNN.cmpd in a directory, ascending (malloc'ed). */
Status shard_numbers(const char *directory, unsigned **numbers, size_t *count, Error *err);

/* Appends the header frame. */
Status shard_header_encode(const ShardInfo *info, Buffer *out, Error *err);
/* Reads the header at the start of `bytes`. *header_size = its whole length. `info` is to be freed
 * by the caller, also on failure (zero it first). */
Status shard_header_decode(const char *path, const uint8_t *bytes, size_t size, ShardInfo *info,
                           size_t *header_size, Error *err);
/* True if everything is equal, so that games of the one are games of the other. */
bool shard_info_same(const ShardInfo *a, const ShardInfo *b);
/* True if commit and compiler are equal. */
bool shard_info_same_build(const ShardInfo *a, const ShardInfo *b);
Status shard_info_copy(ShardInfo *to, const ShardInfo *from, Error *err);

/* Appends the trailer frame, which begins at `offset`; sets stat->bytes to the file's length. */
Status shard_trailer_encode(const ShardIndex *index, ShardStat *stat, uint64_t offset, Buffer *out,
                            Error *err);

/* --- shards that are not finished: see shard_partial_load in dataset.h ---------------------- */

/* True for NNNNNN.cmpd.tmp.*, what a killed process leaves of this shard. */
bool shard_name_is_leftover(const char *name, unsigned shard);

/* How many games of a partial or leftover a run could go on with. */
Status shard_partial_count(const char *path, const ShardInfo *info, size_t *count, Error *err);

/* For the holder of the shard's lock: of NNNNNN.partial and the leftovers the one with the most
 * games is NNNNNN.partial afterwards, the rest is removed. *count = its games. */
Status shard_partial_adopt(const char *directory, unsigned shard, const ShardInfo *info,
                           size_t *count, Error *err);

/* Reads a trailer at the start of `bytes`, wherever in a file that is. False unless its own
 * checksum fits; index and stat are filled then. *size_out = its whole length. */
bool shard_trailer_read(const uint8_t *bytes, size_t size, ShardIndex *index, ShardStat *stat,
                        size_t *size_out);

/* An open shard. */
typedef struct ShardFile {
    const char *path; /* not owned */
    int fd;
    uint64_t bytes, header_size, trailer_offset;
} ShardFile;

/*
 * Opens a shard and reads header and trailer.
 *
 *   index    may be NULL: checked, but not kept
 *
 * Checks that the pieces fill the file without a gap and that the index agrees with the totals
 * and the range. On failure everything is closed; `info` and `index` are to be freed anyway.
 */
Status shard_file_open(ShardFile *file, const char *path, ShardInfo *info, ShardStat *stat,
                       ShardIndex *index, Error *err);
void shard_file_close(ShardFile *file);
/* Reads exactly `size` bytes at `offset` into `out` (cleared first). */
Status shard_file_read(const ShardFile *file, uint64_t offset, size_t size, Buffer *out,
                       Error *err);
