/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block_old.c - the columns of blocks until format 2 (FORMAT.md, "Blocks until version 2"). */
#include "block_old.h"

#include <inttypes.h>

static const char *const section_names[OLD_SECTION_COUNT] = {
    "game numbers", "start positions", "start indexes",  "results",     "reasons",
    "ply counts",   "flags",           "ranks of moves", "score sizes", "score bits",
};

static uint32_t take_bits(BlockParser *parser, unsigned count)
{
    while (parser->bit_count < count) {
        uint64_t byte = byte_reader_uint(&parser->sections[OLD_SCORE_BITS], 1);
        parser->bits |= byte << parser->bit_count;
        parser->bit_count += 8;
    }
    uint32_t value = (uint32_t)(parser->bits & ((1u << count) - 1));
    parser->bits >>= count;
    parser->bit_count -= count;
    return value;
}

/* The next score; marks the section bad where there is none. */
static int take_score(BlockParser *parser, int *previous)
{
    ByteReader *classes = &parser->sections[OLD_SCORE_CLASSES];
    unsigned bits = (unsigned)byte_reader_uint(classes, 1);
    if (bits == SCORE_CLASS_NONE)
        return SCORE_NONE;
    if (bits > SCORE_CLASS_MAX) {
        classes->bad = true;
        return SCORE_NONE;
    }
    uint32_t zigzag = bits;
    if (bits > 1)
        zigzag = 1u << (bits - 1) | take_bits(parser, bits - 1);
    int difference = zigzag & 1 ? -(int)((zigzag + 1) / 2) : (int)(zigzag / 2);
    int score = *previous + difference;
    if (score < -SCORE_MATE || score > SCORE_MATE) {
        classes->bad = true;
        return SCORE_NONE;
    }
    *previous = score;
    return score;
}

/* The next rank. */
static uint16_t take_rank(ByteReader *ranks)
{
    uint64_t rank = byte_reader_uint(ranks, 1);
    if (rank == 255)
        rank += byte_reader_varint(ranks);
    if (rank > RANK_MAX)
        ranks->bad = true;
    return (uint16_t)rank;
}

/* All of a game's plies; its moves as ranks. */
static void take_plies(BlockParser *parser, GameRecord *record, CodeList *codes)
{
    ByteReader *runs = &parser->sections[OLD_FLAGS];
    int score = 0;
    uint64_t run = 0;
    uint8_t flags = 0;
    for (size_t i = 0; i < record->ply_count; i++) {
        if (run == 0) {
            flags = (uint8_t)byte_reader_uint(runs, 1);
            run = byte_reader_varint(runs);
            if (run == 0 || run > record->ply_count - i)
                runs->bad = true;
        }
        run--;
        codes->codes[i] = take_rank(&parser->sections[OLD_RANKS]);
        record->plies[i] = (PlyRecord){.move = MOVE_NONE,
                                       .score_white_cp = (int16_t)take_score(parser, &score),
                                       .flags = flags};
    }
    int final_score = parser->info->final_scores ? take_score(parser, &score) : SCORE_NONE;
    record->has_final_score = final_score != SCORE_NONE;
    record->final_score_white_cp = (int16_t)(record->has_final_score ? final_score : 0);
}

/* The message for the first column that is wrong, or STATUS_OK. */
static Status sections_status(const BlockParser *parser, uint64_t number, bool last, Error *err)
{
    for (int i = 0; i < OLD_SECTION_COUNT; i++) {
        const ByteReader *section = &parser->sections[i];
        if (section->bad)
            return error_set(err, STATUS_FORMAT,
                             "%s: block at byte %" PRIu64 ", game %" PRIu64
                             ": column of %s is cut or holds an impossible value at its byte %zu",
                             parser->path, parser->offset, number, section_names[i], section->at);
        if (last && byte_reader_left(section) != 0)
            return error_set(
                err, STATUS_FORMAT,
                "%s: block at byte %" PRIu64 ": column of %s has %zu bytes after the last game",
                parser->path, parser->offset, section_names[i], byte_reader_left(section));
    }
    if (last && (parser->bit_count >= 8 || parser->bits != 0))
        return error_set(err, STATUS_FORMAT,
                         "%s: block at byte %" PRIu64 ": column of %s has bits after the last game",
                         parser->path, parser->offset, section_names[OLD_SCORE_BITS]);
    return STATUS_OK;
}

Status old_parser_next(BlockParser *parser, GameRecord *record, CodeList *codes, Error *err)
{
    ByteReader *sections = parser->sections;
    uint64_t skipped = byte_reader_varint(&sections[OLD_NUMBERS]);
    record->number = parser->next + skipped;
    if (skipped >= parser->range_end - parser->next)
        sections[OLD_NUMBERS].bad = true;
    uint64_t start = byte_reader_varint(&sections[OLD_STARTS]);
    if (sections[OLD_STARTS].bad ||
        !block_parser_start(parser, &sections[OLD_TEXTS], start, record->start_fen))
        sections[OLD_STARTS].bad = true;
    uint64_t result = byte_reader_uint(&sections[OLD_RESULTS], 1);
    if (result > 15)
        sections[OLD_RESULTS].bad = true;
    record->outcome = (Outcome)(result & 3);
    record->adjudication = (Outcome)(result >> 2 & 3);
    record->reason = (int)byte_reader_uint(&sections[OLD_REASONS], 1);
    uint64_t plies = byte_reader_varint(&sections[OLD_PLY_COUNTS]);
    /* A ply is at least one byte of rank: no room is made for more than can be there. */
    if (plies > GAME_PLIES_MAX || plies > byte_reader_left(&sections[OLD_RANKS]))
        sections[OLD_PLY_COUNTS].bad = true;
    Status status = sections_status(parser, record->number, false, err);
    if (status != STATUS_OK)
        return status;
    status = block_parser_reserve(parser, record, codes, (size_t)plies, err);
    if (status != STATUS_OK)
        return status;
    take_plies(parser, record, codes);
    parser->next = record->number + 1;
    parser->games_left--;
    return sections_status(parser, record->number, parser->games_left == 0, err);
}
