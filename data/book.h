/* SPDX-License-Identifier: GPL-3.0-or-later */
/* book.h - opening books: FEN or EPD lines (CRLF or LF, opcodes allowed, plain or zstd), or the
 * first moves of the games of a PGN. */
#pragma once

#include "engine.h"

typedef struct Book {
    char (*fens)[ENGINE_MAX_FEN]; /* [count], canonical */
    size_t count;
} Book;

/*
 * Reads a book for `engine`. Empty lines and lines that begin with # are skipped; a line that is
 * not a position of the variant, or one of a finished game, is STATUS_FORMAT with path and line.
 * An empty book is STATUS_FORMAT. Thread-safe.
 */
Status book_read(const Engine *engine, const char *path, Book *book, Error *err);

/* True if the name is that of a PGN: .pgn or .pgn.zst. */
bool book_is_pgn(const char *path);

/*
 * Reads a PGN: the positions after `plies` moves of each game (0, or more than it has: after all of
 * them). A game that is not legal or that is over by then is STATUS_FORMAT with path and line. What
 * was played before a position does not count as its history.
 */
Status book_read_pgn(const Engine *engine, const char *path, size_t plies, Book *book, Error *err);

void book_free(Book *book);
