/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * salvage.h - reads every intact block out of a damaged or unfinished shard.
 *
 * Never a wrong game: a block counts as intact if its checksums fit (that in the index of the
 * trailer, if the trailer is intact, and zstd's own), all of its columns add up, and all of its
 * games are legal. The file is searched for blocks, so bytes that were lost or added do not matter.
 */
#pragma once

#include "dataset.h"

enum { SALVAGE_NOTES_MAX = 50 };

typedef struct SalvageReport {
    uint64_t games;    /* saved so far                                                  */
    uint64_t expected; /* as the trailer says; else the range of the header: at most    */
    bool has_trailer;  /* `expected` is exact                                           */
    size_t note_count; /* what was lost or odd, each with its offset                    */
    char *notes[SALVAGE_NOTES_MAX];
    uint64_t more_notes; /* that there was no room for                                    */
} SalvageReport;

typedef struct Salvage Salvage;

/*
 * Opens a file and finds out what can be found in it.
 *
 *   like         what the header would say, if the file's own is lost; NULL: it is refused then
 *   first_game   first number of the range, if the header is lost; -1: the trailer knows it
 *                (how many numbers there are is what `like` says, or the trailer if that is more)
 *
 * A header with a single flipped bit is repaired. STATUS_FORMAT if the header is lost and nothing
 * replaces it.
 */
Status salvage_open(Salvage **salvage, const char *path, const ShardInfo *like, int64_t first_game,
                    Error *err);
void salvage_close(Salvage *salvage);

/* What a shard for the saved games has to say. */
const ShardInfo *salvage_info(const Salvage *salvage);

/* The next game of an intact block (memory reused); *end = true when there is none. STATUS_FORMAT
 * at the end if `like` turned out to be wrong. */
Status salvage_next(Salvage *salvage, GameRecord *record, bool *end, Error *err);

/* Complete after the end. */
const SalvageReport *salvage_report(const Salvage *salvage);

/* The header of a shard that may be damaged elsewhere. */
Status salvage_read_header(const char *path, ShardInfo *info, Error *err);
