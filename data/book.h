/* SPDX-License-Identifier: GPL-3.0-or-later */
/* book.h - opening books: FEN or EPD lines (CRLF or LF, opcodes allowed, plain or zstd). */
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
void book_free(Book *book);
