/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * derive.h - datasets made of the games of others: what `split`, `filter` and `dedup` share.
 *
 * Each shard that is read gives one shard of each dataset that is written, with the same number,
 * range and header, so games keep their numbers and shards can be treated at the same time. The
 * header's configuration gets one more line, `derived = ...`, that says what was done.
 */
#pragma once

#include "dataset.h"
#include "support/options.h"

/* A shard to read. */
typedef struct DeriveSource {
    const Dataset *dataset;
    size_t shard;    /* in it */
    unsigned number; /* of the shards that are made of it */
    uint64_t base;   /* games in the sources before it    */
} DeriveSource;

typedef struct DeriveInput {
    const Engine *engine;
    Dataset **datasets; /* [dataset_count] */
    size_t dataset_count;
    DeriveSource *sources; /* [source_count], in order of game number */
    size_t source_count;
    uint64_t games;
    bool renumber;
} DeriveInput;

/*
 * Opens datasets of one variant. Their games must have different numbers; with `renumber` they
 * are counted anew from 0 in the order of the paths. STATUS_ARGUMENT if they do not fit together.
 * To be closed in either case.
 */
Status derive_open(DeriveInput *input, const OptionList *paths, bool renumber, Error *err);
void derive_close(DeriveInput *input);

/*
 * Looks at a game, or says in *part which dataset it goes to (-1: none). Called by several threads
 * at a time, for the games of one source in order.
 *
 *   thread    0 to threads - 1
 *   ordinal   of the game in the whole input, from 0
 */
typedef Status (*DeriveVisit)(void *context, int thread, uint64_t ordinal, const GameRecord *record,
                              int *part, Error *err);

/* Reads all games and writes nothing. */
Status derive_read(const DeriveInput *input, int threads, DeriveVisit visit, void *context,
                   Error *err);

/*
 * The header of a shard made of a source: like that of the source, numbers as they will be, and
 * one more line `derived = note` in the configuration, which is malloc'ed; the rest is borrowed.
 */
Status derive_info(const DeriveInput *input, const DeriveSource *source, const char *note,
                   ShardInfo *info, Error *err);

typedef struct DerivePart {
    const char *name; /* a directory in `out`; NULL: `out` itself, the only part      */
    const char *note; /* what was done, for the configuration: see derive_note        */
    ShardStat stat;   /* of what was written                                          */
} DerivePart;

/* Reads all games and writes those that `visit` gives to a part, with shards and manifests, or
 * nothing at all. STATUS_FORMAT if no game is left for any of them. */
Status derive_write(const DeriveInput *input, int threads, const char *out, DerivePart *parts,
                    size_t part_count, DeriveVisit visit, void *context, Error *err);

/* "filter results=white min-plies=20" from the options that are not at their defaults;
 * malloc'ed, NULL when out of memory. */
char *derive_note(const char *command, const OptionTable *table, const void *values);
