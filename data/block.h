/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block.h - a block of games as bytes: columns, compressed as one zstd frame (FORMAT.md, "Block").
 *
 * Knows no rules: moves go in as their shares of the engine's measure of moves, and the engine
 * turns what comes out into moves again.
 */
#pragma once

#include "bytes.h"
#include "dataset.h"
#include "game_codec.h"

enum {
    BLOCK_GAMES_MAX = 64,                     /* a block is full with so many games ...          */
    BLOCK_BYTES_FULL = 64 << 10,              /* ... or so many bytes of content                 */
    BLOCK_CONTENT_MAX = 16 << 20,             /* no reader has to accept more content than this  */
    BLOCK_FRAME_MAX = (16 << 20) + (1 << 17), /* nor a larger compressed frame         */
    RANK_MAX = 4095 /* ranks are below ENGINE_MAX_MOVES; room to grow  */
};

/* The columns of a block, in file order. */
typedef enum Section {
    SECTION_TEXTS, /* start positions in order of first use, varint length + bytes */
    SECTION_GAMES, /* range coded: see game_codec.h                                */
    SECTION_MOVES, /* range coded: each move's share                               */
    SECTION_COUNT
} Section;

/* The columns until format 2, which are only read. */
typedef enum OldSection {
    OLD_NUMBERS,       /* the first: minus the shard's first; else minus the previous
                          and minus 1; varint                                           */
    OLD_TEXTS,         /* as now                                                        */
    OLD_STARTS,        /* which start: 0 the variant's own, i the i-th text; varint     */
    OLD_RESULTS,       /* outcome + 4 * adjudication, one byte                          */
    OLD_REASONS,       /* one byte                                                      */
    OLD_PLY_COUNTS,    /* varint                                                        */
    OLD_FLAGS,         /* runs: flags byte, length varint                               */
    OLD_RANKS,         /* one byte below 255, else 255 and rank - 255 as varint         */
    OLD_SCORE_CLASSES, /* one byte: bits in the zigzag difference, or SCORE_CLASS_NONE;
                          with final scores one more for each game                      */
    OLD_SCORE_BITS,    /* the bits below the leading one, least significant first       */
    OLD_SECTION_COUNT
} OldSection;

enum { SCORE_CLASS_MAX = 17, SCORE_CLASS_NONE = 18 };

/* --- writing ------------------------------------------------------------------------------- */
typedef struct BlockBuilder {
    Buffer sections[SECTION_COUNT];
    Buffer content;
    size_t games;
    uint64_t plies, first_game, last_game;
    uint64_t texts;
    bool final_scores;
    const ScoreScale *scale; /* not owned */
    RangeEncoder coded_games, coded_moves;
    GameModel model;
    void *compressor;
} BlockBuilder;

/* Games may have a final score where `final_scores` says so. */
Status block_builder_init(BlockBuilder *builder, const ScoreScale *scale, bool final_scores,
                          Error *err);
void block_builder_free(BlockBuilder *builder);

/*
 * Adds a game.
 *
 *   shares        of its moves, [record->ply_count]; of a random move among all as equals
 *   range_start   first number of the shard's range
 *   start_fen     the variant's own start position
 *
 * The values must have been checked (game_record_check) and the scores be on the scale. After
 * STATUS_NO_MEMORY the builder is of no more use.
 */
Status block_add(BlockBuilder *builder, const GameRecord *record, const MoveShare *shares,
                 uint64_t range_start, const char *start_fen, Error *err);
bool block_is_full(const BlockBuilder *builder);

/* Appends the games added so far to `frame` as one zstd frame, and empties the builder. */
Status block_encode(BlockBuilder *builder, Buffer *frame, Error *err);

/* --- reading ------------------------------------------------------------------------------- */
/* What stands for the moves of one game in the digest: their ranks until format 2, themselves from
 * format 3 on. Memory reused. */
typedef struct CodeList {
    uint16_t *codes;
    size_t capacity;
} CodeList;

/* A copy goes on by itself. */
typedef struct BlockParser {
    const char *path; /* for messages, not owned */
    uint64_t offset;  /* of the frame in the file, for messages */
    const ShardInfo *info; /* of the shard, not owned */
    size_t games, games_left;
    uint64_t next, range_end; /* least and first impossible number of the next game */
    ByteReader sections[OLD_SECTION_COUNT];
    struct {
        const uint8_t *bytes;
        size_t size;
    } texts[BLOCK_GAMES_MAX];
    size_t text_count;
    uint64_t bits; /* until format 2: of scores */
    unsigned bit_count;
    RangeDecoder coded_games, coded_moves; /* from format 3 on */
    GameModel model;
} BlockParser;

/* Decompresses one frame of exactly `size` bytes into `content` (cleared first). Refuses a frame
 * without checksum or content size. */
Status block_decode(const void *frame, size_t size, const char *path, uint64_t offset,
                    Buffer *content, Error *err);

/*
 * Begins to take decoded content apart; it must outlive the parser, and so must `info` and `scale`
 * (the score scale of the shard). The numbers of its games lie in the shard's range: range_start <=
 * number < range_end.
 */
Status block_parser_open(BlockParser *parser, const Buffer *content, const char *path,
                         uint64_t offset, const ShardInfo *info, const ScoreScale *scale,
                         uint64_t range_start, uint64_t range_end, Error *err);

/* The next game but for its moves, which are left MOVE_NONE. Every value is in its range, and with
 * the last game every column but that of moves must be used up. games_left > 0. */
Status block_parser_next(BlockParser *parser, GameRecord *record, CodeList *codes, Error *err);

/*
 * Replays the game that block_parser_next gave last and fills in its moves, through `game`; the
 * games of a block must be replayed in order, none left out. Checks its values and its start
 * position. STATUS_FORMAT names path, block, game and ply.
 */
Status block_parser_replay(BlockParser *parser, Game *game, GameRecord *record, CodeList *codes,
                           Error *err);

/* --- both ---------------------------------------------------------------------------------- */
/* Checks what needs no rules: scores, flags, reason and outcome that fit each other, draws only
 * where the game has draws. `place` begins the message: STATUS_FORMAT. */
Status game_record_check(const Engine *engine, const GameRecord *record, const char *place,
                         Error *err);

/* The scale of a shard, and a record's scores brought to it: see game_record_round. */
Status shard_scale(ScoreScale *scale, unsigned steps, uint32_t slope, Error *err);
void game_record_to_scale(GameRecord *record, const ScoreScale *scale);

/* Feeds one game to a digest (an XXH3_state_t) in the form that FORMAT.md gives; `codes` as in
 * CodeList. */
void game_record_digest(void *state, const GameRecord *record, const uint16_t *codes);
