/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block_old.h - what block_reader.c and block_old.c, which reads blocks until format 2, share. */
#pragma once

#include "block.h"

/* block_parser_next for blocks until format 2; leaves ranks in `codes`. */
Status old_parser_next(BlockParser *parser, GameRecord *record, CodeList *codes, Error *err);

/* Copies the start position of an index; false if there is none or it is no text. */
bool block_parser_start(BlockParser *parser, ByteReader *texts, uint64_t index,
                        char fen[ENGINE_MAX_FEN]);

/* Makes room for the plies of a game, and sets their number. */
Status block_parser_reserve(const BlockParser *parser, GameRecord *record, CodeList *codes,
                            size_t plies, Error *err);
