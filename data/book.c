/* SPDX-License-Identifier: GPL-3.0-or-later */
/* book.c - reads opening books (see book.h). */
#include "book.h"

#include "epd.h"
#include "text_stream.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 4096, POSITIONS_MAX = 1 << 22, LINES_MAX = 1 << 24 };

void book_free(Book *book)
{
    if (!book)
        return;
    free(book->fens);
    *book = (Book){0};
}

static Status add_line(const Engine *engine, Game *game, const char *path, size_t number,
                       const char *line, Book *book, size_t *capacity, Error *err)
{
    char fen[ENGINE_MAX_FEN];
    Error inner = {0};
    Status status = epd_fen(line, fen, NULL, &inner);
    if (status == STATUS_OK)
        status = engine->game_set(game, fen, &inner);
    if (status != STATUS_OK)
        return error_set(err, status, "%s: line %zu: %s", path, number, inner.message);
    Ending ending = engine->game_ending(game);
    if (ending.reason != END_NONE)
        return error_set(err, STATUS_FORMAT, "%s: line %zu: the game is over here (%s)", path,
                         number, end_reason_text(ending.reason));
    if (book->count == POSITIONS_MAX)
        return error_set(err, STATUS_FORMAT, "%s: line %zu: a book of more than %d positions", path,
                         number, POSITIONS_MAX);
    if (book->count == *capacity) {
        size_t more = *capacity ? 2 * *capacity : 256;
        char(*fens)[ENGINE_MAX_FEN] = realloc(book->fens, more * sizeof *fens);
        if (!fens)
            return error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu positions", path, more);
        book->fens = fens;
        *capacity = more;
    }
    engine->game_fen(game, book->fens[book->count++]);
    return STATUS_OK;
}

/* A line without the blanks around it. */
static Status take_line(const Engine *engine, Game *game, const char *path, size_t number,
                        Buffer *text, Book *book, size_t *capacity, Error *err)
{
    const char *zero = memchr(text->bytes, 0, text->size);
    if (zero)
        return error_set(err, STATUS_FORMAT,
                         "%s: line %zu: a zero byte at its byte %zu: a binary file, expected lines "
                         "of FEN",
                         path, number, (size_t)(zero - (const char *)text->bytes));
    while (text->size > 0 && isspace(text->bytes[text->size - 1]))
        text->size--;
    buffer_put(text, "", 1);
    if (text->failed)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for a book", path);
    char *line = (char *)text->bytes;
    while (isspace((unsigned char)*line))
        line++;
    if (!*line || *line == '#')
        return STATUS_OK;
    return add_line(engine, game, path, number, line, book, capacity, err);
}

static Status read_lines(const Engine *engine, Game *game, TextStream *stream, const char *path,
                         Book *book, Error *err)
{
    Buffer text = {0};
    size_t capacity = 0;
    bool cut = false, end = false;
    Status status = STATUS_OK;
    while (status == STATUS_OK) {
        if (text_stream_line_number(stream) == LINES_MAX) {
            status = error_set(err, STATUS_FORMAT, "%s: more than %d lines", path, LINES_MAX);
            break;
        }
        buffer_clear(&text);
        status = text_stream_line(stream, &text, LINE_BYTES_MAX, &cut, &end, err);
        if (status != STATUS_OK || end)
            break;
        size_t number = text_stream_line_number(stream);
        status = cut ? error_set(err, STATUS_FORMAT, "%s: line %zu: more than %d bytes", path,
                                 number, LINE_BYTES_MAX)
                     : take_line(engine, game, path, number, &text, book, &capacity, err);
    }
    if (status == STATUS_OK && book->count == 0)
        status = error_set(err, STATUS_FORMAT, "%s: no position in %zu lines", path,
                           text_stream_line_number(stream));
    buffer_free(&text);
    return status;
}

Status book_read(const Engine *engine, const char *path, Book *book, Error *err)
{
    TextStream *stream = NULL;
    Book fresh = {0};
    Status status = text_stream_open(&stream, path, err);
    if (status != STATUS_OK)
        return status;
    Game *game = engine->game_new(err);
    status = game ? read_lines(engine, game, stream, path, &fresh, err) : STATUS_NO_MEMORY;
    engine->game_free(game);
    text_stream_close(stream);
    if (status == STATUS_OK)
        *book = fresh;
    else
        book_free(&fresh);
    return status;
}
