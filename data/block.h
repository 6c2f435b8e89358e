/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block.h - a block of games as bytes: columns, compressed as one zstd frame (FORMAT.md, "Block").
 *
 * Knows no rules: moves go in and come out as ranks. The writer gets the ranks from the engine,
 * the reader turns them into moves again.
 */
#pragma once

#include "bytes.h"
#include "dataset.h"

enum {
    BLOCK_GAMES_MAX = 64,                     /* a block is full with so many games ...          */
    BLOCK_BYTES_FULL = 64 << 10,              /* ... or so many bytes of content                 */
    BLOCK_CONTENT_MAX = 16 << 20,             /* no reader has to accept more content than this  */
    BLOCK_FRAME_MAX = (16 << 20) + (1 << 17), /* nor a larger compressed frame         */
    GAME_PLIES_MAX = 1 << 20,
    RANK_MAX = 4095 /* ranks are below ENGINE_MAX_MOVES; room to grow  */
};

/* The columns of a block, in file order. */
typedef enum Section {
    SECTION_NUMBERS,       /* the first: minus the shard's first; else minus the previous
                              and minus 1; varint                                           */
    SECTION_TEXTS,         /* start positions in order of first use, varint length + bytes  */
    SECTION_STARTS,        /* which start: 0 the variant's own, i the i-th text; varint     */
    SECTION_RESULTS,       /* outcome + 4 * adjudication, one byte                          */
    SECTION_REASONS,       /* one byte                                                      */
    SECTION_PLY_COUNTS,    /* varint                                                        */
    SECTION_FLAGS,         /* runs: flags byte, length varint                               */
    SECTION_RANKS,         /* one byte below 255, else 255 and rank - 255 as varint         */
    SECTION_SCORE_CLASSES, /* one byte: bits in the zigzag difference, or SCORE_CLASS_NONE;
                              with final scores one more for each game              */
    SECTION_SCORE_BITS,    /* the bits below the leading one, least significant first       */
    SECTION_COUNT
} Section;

enum { SCORE_CLASS_MAX = 17, SCORE_CLASS_NONE = 18 };

/* --- writing ------------------------------------------------------------------------------- */
typedef struct BlockBuilder {
    Buffer sections[SECTION_COUNT];
    Buffer content;
    size_t games;
    uint64_t plies, first_game, last_game;
    uint64_t texts;
    bool final_scores;     /* format 2; set after block_builder_init */
    uint64_t pending_bits; /* bits not yet in SECTION_SCORE_BITS */
    unsigned pending_count;
    void *compressor;
} BlockBuilder;

Status block_builder_init(BlockBuilder *builder, Error *err);
void block_builder_free(BlockBuilder *builder);

/*
 * Adds a game whose moves have the given ranks ([record->ply_count]).
 *
 *   range_start   first number of the shard's range
 *   start_fen     the variant's own start position
 *
 * The values must have been checked (game_record_check). After STATUS_NO_MEMORY the builder is
 * of no more use.
 */
Status block_add(BlockBuilder *builder, const GameRecord *record, const uint16_t *ranks,
                 uint64_t range_start, const char *start_fen, Error *err);
bool block_is_full(const BlockBuilder *builder);

/* Appends the games added so far to `frame` as one zstd frame, and empties the builder. */
Status block_encode(BlockBuilder *builder, Buffer *frame, Error *err);

/* --- reading ------------------------------------------------------------------------------- */
/* Ranks of the moves of one game; memory reused. */
typedef struct RankList {
    uint16_t *ranks;
    size_t capacity;
} RankList;

typedef struct BlockParser {
    const char *path; /* for messages, not owned */
    uint64_t offset;  /* of the frame in the file, for messages */
    const char *start_fen;
    size_t games, games_left;
    uint64_t next, range_end; /* least and first impossible number of the next game */
    bool final_scores;        /* format 2; set after block_parser_open */
    ByteReader sections[SECTION_COUNT];
    struct {
        const uint8_t *bytes;
        size_t size;
    } texts[BLOCK_GAMES_MAX];
    size_t text_count;
    uint64_t bits;
    unsigned bit_count;
} BlockParser;

/* Decompresses one frame of exactly `size` bytes into `content` (cleared first). Refuses a frame
 * without checksum or content size. */
Status block_decode(const void *frame, size_t size, const char *path, uint64_t offset,
                    Buffer *content, Error *err);

/* Begins to take decoded content apart; it must outlive the parser. The numbers of its games lie
 * in the shard's range: range_start <= number < range_end. */
Status block_parser_open(BlockParser *parser, const Buffer *content, const char *path,
                         uint64_t offset, const char *start_fen, uint64_t range_start,
                         uint64_t range_end, Error *err);

/* The next game; its moves are left MOVE_NONE and their ranks are in `ranks`. Every value is in
 * its range, and with the last game every column must be used up. games_left > 0. */
Status block_parser_next(BlockParser *parser, GameRecord *record, RankList *ranks, Error *err);

/* --- both ---------------------------------------------------------------------------------- */
/* Checks what needs no rules: scores, flags, reason and outcome that fit each other, draws only
 * where the game has draws. `place` begins the message: STATUS_FORMAT. */
Status game_record_check(const Engine *engine, const GameRecord *record, const char *place,
                         Error *err);

/* Feeds one game to a digest (an XXH3_state_t) in the form that FORMAT.md gives. */
void game_record_digest(void *state, const GameRecord *record, const uint16_t *ranks);
