/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dataset.h - whole games in compressed, checkable shards (every byte is specified in FORMAT.md).
 *
 * A dataset is a directory of shards NNNNNN.cmpd and a manifest.json. A shard holds the games of
 * one range of game numbers, in order. This library owns the bytes; moves are ranked, replayed
 * and named by the engine, through engine.h only.
 */
#pragma once

#include "engine.h"

#include <stdio.h>

/* Why a stored game ended: by a rule (the END_REASONS of engine.h keep their numbers), or: */
#define GAME_REASONS(X)                                                                            \
    X(REASON_ADJUDICATED, 32, "adjudicated") /* decided by score                           */      \
    X(REASON_CAP, 33, "cap")                 /* ply cap: unfinished, never a draw          */      \
    X(REASON_TIME, 34, "time")                                                                     \
    X(REASON_RESIGNED, 35, "resigned")                                                             \
    X(REASON_ILLEGAL, 36, "illegal") /* an illegal move lost                               */      \
    X(REASON_UNKNOWN, 37, "unknown") /* imported without a reason                          */
#define GAME_REASON_ENUM(id, number, text) id = number,
typedef enum GameReason { GAME_REASONS(GAME_REASON_ENUM) } GameReason;
#undef GAME_REASON_ENUM

/* "mate", ..., "adjudicated", "cap", "time", "resigned", "illegal", "unknown"; NULL if none. */
const char *game_reason_text(int reason);
bool game_reason_from_text(const char *text, int *reason);

enum {
    PLY_RANDOM = 1,    /* chosen at random (opening)                                  */
    PLY_BOOK = 2,      /* from a book                                                 */
    PLY_SAMPLED = 4,   /* a sampled near-best move instead of the best                */
    PLY_PLAYED_OUT = 8 /* played although adjudication would have ended the game    */
};

typedef struct PlyRecord {
    Move move;
    int16_t score_white_cp; /* of the search before the move, White's view; SCORE_NONE = none;
                               mate scores as in engine.h                           */
    uint8_t flags;          /* PLY_...                                              */
} PlyRecord;

typedef struct GameRecord {
    uint64_t number;
    char start_fen[ENGINE_MAX_FEN]; /* canonical                                    */
    Outcome outcome;
    int reason; /* EndReason or GameReason                                          */
    /* What score adjudication would have said in a game that was played out to check it;
     * OUTCOME_NONE otherwise. */
    Outcome adjudication;
    size_t ply_count, ply_capacity;
    PlyRecord *plies; /* [ply_count], owned                                         */
    /* A score of the position after the last move, White's view: with no plies at all the game is
     * a single judged position. Only shards with final_scores keep it. */
    bool has_final_score;
    int16_t final_score_white_cp;
} GameRecord;

void game_record_free(GameRecord *record);
/* Appends a ply. STATUS_NO_MEMORY leaves the record as it was. */
Status game_record_add(GameRecord *record, PlyRecord ply, Error *err);

/* Brings the scores of a record to those that a shard with such a scale keeps (see ShardInfo).
 * STATUS_ARGUMENT if there is no such scale. */
Status game_record_round(GameRecord *record, unsigned score_steps, uint32_t score_slope,
                         Error *err);

/* How a line begins that `split`, `filter` and `dedup` add to a configuration. */
#define DERIVED_KEY "derived = "

/* What the header of a shard says. Strings are malloc'ed and owned by the struct. */
typedef struct ShardInfo {
    const Engine *engine;
    uint64_t bench_nodes;    /* signature of the build and weights that played      */
    char *commit, *compiler; /* for information; not part of the digest             */
    char *configuration;     /* effective options, `key = value` lines              */
    char weights_digest[33]; /* XXH3-128 of the weights, hex                        */
    uint64_t seed;
    uint64_t first_game, game_count; /* the range of game numbers the shard is for  */
    bool final_scores;               /* games may have a score of their final position */
    /* Scores are kept in steps of 1/score_steps (128 or 256) of win probability, which is
     * 1 / (1 + 10^(-slope cp / 400)) with score_slope millionths; 0 and 0 = each centipawn. */
    unsigned score_steps;
    uint32_t score_slope;
    unsigned format; /* version of the format that was read; not looked at when writing */
} ShardInfo;

void shard_info_free(ShardInfo *info);

typedef struct ShardStat {
    uint64_t games, plies, bytes;
    uint64_t outcomes[4]; /* by Outcome                                             */
    char digest[33];      /* XXH3-128 over decoded content in game order, hex       */
} ShardStat;

/* --- writing ------------------------------------------------------------------------------- */
typedef struct ShardWriter ShardWriter;

/*
 * Opens shard number `shard` of the dataset at `directory` (made if missing) for writing, under a
 * temporary name and an exclusive lock. A shard that is there already is never touched:
 * STATUS_ARGUMENT. The info is copied.
 */
Status shard_writer_open(ShardWriter **writer, const char *directory, unsigned shard,
                         const ShardInfo *info, Error *err);

/* For shards in a directory that is removed when anything fails: a full disk keeps nothing. */
void shard_writer_keep_nothing(ShardWriter *writer);

/* Appends a game; every move is checked against the rules as it is packed. STATUS_FORMAT names
 * game and ply of an illegal move. Games must come in ascending order of number. */
Status shard_writer_push(ShardWriter *writer, const GameRecord *record, Error *err);

/* Writes the trailer, syncs, renames. The writer is spent in either case; on failure nothing of
 * it is left under the final name. `stat` may be NULL. */
Status shard_writer_close(ShardWriter *writer, ShardStat *stat, Error *err);

/* Keeps the games pushed so far as NNNNNN.partial, which `shard_partial_load` reads. When a disk
 * runs full the writer does the same with its finished blocks before it reports the failure. */
Status shard_writer_suspend(ShardWriter *writer, Error *err);

/* Drops everything. NULL is fine. */
void shard_writer_abandon(ShardWriter *writer);

/* True if the finished shard is there. */
bool shard_exists(const char *directory, unsigned shard);

/* The games of a suspended shard, in order of number (malloc'ed array; free each and the array), or
 * those in what a killed process left of it, if that has more of them: a shard's writer makes that
 * the partial. *count = 0 if there is neither or another build (also by commit or compiler alone: a
 * shard names the one that played all of its games), configuration or seed made it. */
Status shard_partial_load(const char *directory, unsigned shard, const ShardInfo *info,
                          GameRecord **records, size_t *count, Error *err);

/* (Re)writes manifest.json from the shards that are there: for each its range, counts, digest;
 * for all the configuration, build, seed, and the digest of the dataset (over the shards'
 * digests in order of game number). `stat` (may be NULL) gets the totals. */
Status dataset_write_manifest(const char *directory, ShardStat *stat, Error *err);

/* Compares the manifest with the shards of an opened directory: STATUS_FORMAT names the first
 * difference. *present = false (and STATUS_OK) if there is no manifest. */
typedef struct Dataset Dataset;
Status dataset_check_manifest(const char *directory, const Dataset *dataset, bool *present,
                              Error *err);

/* --- reading ------------------------------------------------------------------------------- */

/* Opens a dataset directory or a single .cmpd file and checks headers, trailers and ranges.
 * STATUS_FORMAT names file and offset. Several shards must be of one variant; they are held in
 * order of game number. Files with other names are not looked at. */
Status dataset_open(Dataset **dataset, const char *path, Error *err);
void dataset_close(Dataset *dataset);

const Engine *dataset_engine(const Dataset *dataset);
size_t dataset_shard_count(const Dataset *dataset);
const ShardInfo *dataset_shard_info(const Dataset *dataset, size_t index);
const char *dataset_shard_path(const Dataset *dataset, size_t index);
/* Counts and digest as the shard's trailer states them. */
const ShardStat *dataset_shard_stat(const Dataset *dataset, size_t index);
uint64_t dataset_game_count(const Dataset *dataset);
/* The dataset's digest, as in the manifest (from the shards' trailers), 33 bytes. */
void dataset_digest(const Dataset *dataset, char digest[33]);

/*
 * Refuses what would count games twice: a shard that is there twice (itself or by another name, by
 * device and inode), and two whose ranges of game numbers overlap although one and the same run
 * (seed, build, weights, configuration) made them; parts of one split do not overlap.
 * STATUS_ARGUMENT names both.
 */
Status datasets_check_distinct(Dataset *const *datasets, size_t count, Error *err);

/*
 * Reads the games of one shard in order. A cursor belongs to one thread; different cursors of a
 * dataset may run side by side. Every block's checksum is verified before it is decoded, every
 * move is replayed through the rules.
 */
typedef struct ShardCursor ShardCursor;
Status shard_cursor_open(ShardCursor **cursor, const Dataset *dataset, size_t shard_index,
                         Error *err);
/* The next game into `record` (memory reused); *end = true when there is none. At the end the
 * counts and the digest are compared with the trailer. */
Status shard_cursor_next(ShardCursor *cursor, GameRecord *record, bool *end, Error *err);
void shard_cursor_close(ShardCursor *cursor);

/* Random access by the index in the trailer: how many blocks there are, what is in one, and going
 * to its first game. After a seek the totals are not compared at the end. */
size_t shard_cursor_block_count(const ShardCursor *cursor);
void shard_cursor_block(const ShardCursor *cursor, size_t block, uint64_t *games, uint64_t *plies);
Status shard_cursor_seek(ShardCursor *cursor, size_t block, Error *err);
/* The next game of the same block without its moves, which are left MOVE_NONE: quicker, as nothing
 * is replayed. Only after a seek. *end = true after the last of the block. */
Status shard_cursor_peek(ShardCursor *cursor, GameRecord *record, bool *end, Error *err);
/* Replays and completes the game that was peeked last. */
Status shard_cursor_replay(ShardCursor *cursor, GameRecord *record, Error *err);

/* One game by its number, through the index. STATUS_ARGUMENT if it is not there. */
Status dataset_game(const Dataset *dataset, uint64_t number, GameRecord *record, Error *err);

/* XXH3-128 of an array of weights (NULL = default) in little-endian order, 32 hex digits and NUL.
 * All zeros when out of memory. */
void weights_digest(const Engine *engine, const Weight *weights, char digest[33]);
