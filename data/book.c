/* SPDX-License-Identifier: GPL-3.0-or-later */
/* book.c - reads opening books (see book.h). */
#include "book.h"

#include "bytes.h"
#include "support/files.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { BOOK_BYTES_MAX = 1 << 30, TOKENS_MAX = 64 };

void book_free(Book *book)
{
    if (!book)
        return;
    free(book->fens);
    *book = (Book){0};
}

/* --- bytes ----------------------------------------------------------------------------------- */

static bool looks_like_zstd(const uint8_t *bytes, size_t size)
{
    ByteReader reader = byte_reader(bytes, size);
    uint64_t magic = byte_reader_uint(&reader, 4);
    return !reader.bad && (magic == ZSTD_MAGICNUMBER ||
                           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START);
}

/* All frames of a zstd file, one after the other; frames to be skipped are skipped. */
static Status decompress(const char *path, const uint8_t *bytes, size_t size, Buffer *text,
                         Error *err)
{
    ZSTD_DCtx *decompressor = ZSTD_createDCtx();
    if (!decompressor)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to decompress it", path);
    ZSTD_inBuffer in = {bytes, size, 0};
    Status status = STATUS_OK;
    size_t frame = 0, left = 0;
    while (status == STATUS_OK && (in.pos < in.size || left != 0)) {
        if (left == 0)
            frame = in.pos;
        if (text->size > BOOK_BYTES_MAX || !buffer_reserve(text, ZSTD_DStreamOutSize())) {
            status = error_set(err, STATUS_NO_MEMORY, "%s: no memory for a book of %zu bytes", path,
                               text->size);
            break;
        }
        ZSTD_outBuffer out = {text->bytes + text->size, text->capacity - text->size, 0};
        size_t before = in.pos;
        left = ZSTD_decompressStream(decompressor, &out, &in);
        text->size += out.pos;
        if (ZSTD_isError(left))
            status = error_set(err, STATUS_FORMAT, "%s: byte %zu: damaged zstd frame (%s)", path,
                               frame, ZSTD_getErrorName(left));
        else if (left != 0 && in.pos == before && out.pos == 0)
            status =
                error_set(err, STATUS_FORMAT, "%s: byte %zu: zstd frame is cut off", path, frame);
    }
    ZSTD_freeDCtx(decompressor);
    return status;
}

/* --- lines ----------------------------------------------------------------------------------- */

static bool is_number(const char *token)
{
    size_t digits = strspn(token, "0123456789");
    return digits > 0 && digits < 10 && token[digits] == 0;
}

/* The number of an EPD operation "name number;", NULL if there is none. */
static const char *operation(char *const *tokens, size_t count, const char *name)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (strcmp(tokens[i], name) == 0 && is_number(tokens[i + 1]))
            return tokens[i + 1];
    return NULL;
}

/*
 * Makes a FEN of a FEN or EPD line: board, side, the fields up to the counters, the counters from
 * the line itself or from hmvc and fmvn. What follows is the book's own business and is dropped.
 */
static bool line_to_fen(char *line, char fen[ENGINE_MAX_FEN])
{
    char *tokens[TOKENS_MAX], *state = NULL;
    size_t count = 0, fields = 0;
    /* "name value;" and "; name value" alike: the semicolon is a blank here. */
    bool ended[TOKENS_MAX] = {false};
    for (char *token = strtok_r(line, " \t", &state); token && count < TOKENS_MAX;
         token = strtok_r(NULL, " \t", &state)) {
        char *semicolon = strchr(token, ';');
        if (semicolon) {
            *semicolon = 0;
            if (count > 0 && semicolon == token)
                ended[count - 1] = true;
        }
        if (*token) {
            ended[count] = semicolon != NULL;
            tokens[count++] = token;
        }
    }
    while (fields < count && fields < 4 && (fields == 0 || !ended[fields - 1]))
        fields++;
    size_t counters = fields;
    while (counters < count && counters < fields + 2 && !ended[counters - 1] &&
           is_number(tokens[counters]))
        counters++;
    const char *half = counters > fields ? tokens[fields] : NULL;
    const char *full = counters > fields + 1 ? tokens[fields + 1] : NULL;
    if (!half)
        half = operation(tokens + fields, count - fields, "hmvc");
    if (!full)
        full = operation(tokens + fields, count - fields, "fmvn");
    size_t size = 0;
    for (size_t i = 0; i < fields; i++) {
        int length = snprintf(fen + size, ENGINE_MAX_FEN - size, "%s%s", i ? " " : "", tokens[i]);
        if (length < 0 || (size += (size_t)length) >= ENGINE_MAX_FEN)
            return false;
    }
    if (fields < 4)
        return fields > 0; /* the engine says what is missing, or does without it */
    int length =
        snprintf(fen + size, ENGINE_MAX_FEN - size, " %s %s", half ? half : "0", full ? full : "1");
    return length > 0 && size + (size_t)length < ENGINE_MAX_FEN;
}

static Status add_line(const Engine *engine, Game *game, const char *path, size_t number,
                       char *line, Book *book, size_t *capacity, Error *err)
{
    char fen[ENGINE_MAX_FEN];
    Error inner = {0};
    if (!line_to_fen(line, fen))
        return error_set(err, STATUS_FORMAT, "%s: line %zu: too long for a position", path, number);
    Status status = engine->game_set(game, fen, &inner);
    if (status != STATUS_OK)
        return error_set(err, status, "%s: line %zu: %s", path, number, inner.message);
    Ending ending = engine->game_ending(game);
    if (ending.reason != END_NONE)
        return error_set(err, STATUS_FORMAT, "%s: line %zu: the game is over here (%s)", path,
                         number, end_reason_text(ending.reason));
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

static Status read_lines(const Engine *engine, Game *game, const char *path, char *text,
                         size_t size, Book *book, Error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors begin UTF-8 with it */
    size_t number = 0, capacity = 0;
    Status status = STATUS_OK;
    char *at = text, *end = text + size;
    if (size >= 3 && memcmp(text, mark, 3) == 0)
        at += 3;
    while (at < end && status == STATUS_OK) {
        char *line = at, *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        number++;
        while (stop > line && isspace((unsigned char)stop[-1]))
            stop--;
        while (line < stop && isspace((unsigned char)*line))
            line++;
        *stop = 0;
        if (line < stop && *line != '#')
            status = add_line(engine, game, path, number, line, book, &capacity, err);
    }
    if (status == STATUS_OK && book->count == 0)
        status = error_set(err, STATUS_FORMAT, "%s: no position in %zu lines", path, number);
    return status;
}

Status book_read(const Engine *engine, const char *path, Book *book, Error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    Buffer text = {0};
    Book fresh = {0};
    Game *game = NULL;
    Status status = file_read_all(path, &bytes, &size, err);
    if (status != STATUS_OK)
        return status;
    if (looks_like_zstd((const uint8_t *)bytes, size))
        status = decompress(path, (const uint8_t *)bytes, size, &text, err);
    else
        buffer_put(&text, bytes, size);
    buffer_put_uint(&text, 0, 1); /* room for the NUL of a last line without an end */
    if (status == STATUS_OK && text.failed)
        status = error_set(err, STATUS_NO_MEMORY, "%s: no memory for a book", path);
    if (status == STATUS_OK) {
        const uint8_t *zero = memchr(text.bytes, 0, text.size - 1);
        if (zero)
            status = error_set(err, STATUS_FORMAT,
                               "%s: a zero byte at byte %zu: a binary file, expected lines of FEN",
                               path, (size_t)(zero - text.bytes));
    }
    if (status == STATUS_OK && !(game = engine->game_new(err)))
        status = STATUS_NO_MEMORY;
    if (status == STATUS_OK)
        status = read_lines(engine, game, path, (char *)text.bytes, text.size - 1, &fresh, err);
    engine->game_free(game);
    buffer_free(&text);
    free(bytes);
    if (status == STATUS_OK)
        *book = fresh;
    else
        book_free(&fresh);
    return status;
}
