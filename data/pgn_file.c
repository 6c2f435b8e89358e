/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pgn_file.c - cuts a file of PGN into its games (see pgn.h).
 *
 * It looks only at what can hide the end of a game: comments, variations, tags. What is inside is
 * the business of pgn_read.c; after a game that is refused there the file goes on with the next.
 */
#include "pgn.h"

#include "text_stream.h"

#include <stdlib.h>
#include <string.h>

struct PgnReader {
    const char *path;
    TextStream *stream;
    Buffer line; /* the current one */
    size_t line_number, line_at;
    bool has_line, line_cut, ended;
    Buffer text; /* of the game */
    /* Where the cutting stands: */
    bool in_comment, in_tag, in_quotes, has_tag, has_moves, after_blank;
    size_t depth; /* of variations */
};

Status pgn_reader_open(PgnReader **reader, const char *path, Error *err)
{
    PgnReader *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to read it", path);
    fresh->path = path;
    Status status = text_stream_open(&fresh->stream, path, err);
    if (status == STATUS_OK)
        *reader = fresh;
    else
        free(fresh);
    return status;
}

void pgn_reader_close(PgnReader *reader)
{
    if (!reader)
        return;
    text_stream_close(reader->stream);
    buffer_free(&reader->line);
    buffer_free(&reader->text);
    free(reader);
}

/* Makes `line` the next one unless a rest of the last is still there. */
static Status load_line(PgnReader *reader, Error *err)
{
    if (reader->has_line || reader->ended)
        return STATUS_OK;
    buffer_clear(&reader->line);
    reader->line_at = 0;
    Status status = text_stream_line(reader->stream, &reader->line, PGN_GAME_BYTES_MAX + 1,
                                     &reader->line_cut, &reader->ended, err);
    reader->line_number = text_stream_line_number(reader->stream);
    reader->has_line = !reader->ended;
    return status;
}

static bool begins(const char *text, size_t size, const char *prefix)
{
    size_t length = strlen(prefix);
    return size >= length && memcmp(text, prefix, length) == 0;
}

/* Does the line, of which nothing is read yet, begin another game? */
static bool begins_game(const PgnReader *reader, const char *line, size_t size)
{
    if (size == 0 || *line != '[')
        return false;
    if (reader->in_comment || !reader->has_moves)
        return reader->after_blank && (reader->has_tag || reader->in_comment) &&
               begins(line, size, "[Event \"");
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool ends_word(char c)
{
    return is_space(c) || (c != 0 && strchr("{};()[]!?$.*", c));
}

/* One character of a tag. */
static void follow_tag(PgnReader *reader, const char *line, size_t *at)
{
    char c = line[*at];
    if (reader->in_quotes && c == '\\')
        ++*at;
    else if (c == '"')
        reader->in_quotes = !reader->in_quotes;
    else if (c == ']' && !reader->in_quotes)
        reader->in_tag = false;
    ++*at;
}

/* Follows the line to its end or to that of the game, which is behind a result: how far. */
static size_t follow(PgnReader *reader, const char *line, size_t size, size_t at, bool *game_ends)
{
    for (*game_ends = false; at < size && !*game_ends;) {
        char c = line[at];
        if (reader->in_comment) {
            reader->in_comment = c != '}';
            at++;
        } else if (reader->in_tag) {
            follow_tag(reader, line, &at);
        } else if (c == ';') {
            return size;
        } else if (c == '{') {
            reader->in_comment = true;
            at++;
        } else if (c == '[' && !reader->has_moves) {
            reader->in_tag = reader->has_tag = true;
            at++;
        } else if (ends_word(c)) {
            reader->has_moves = reader->has_moves || !is_space(c);
            reader->depth += c == '(';
            reader->depth -= c == ')' && reader->depth > 0;
            *game_ends = c == '*' && reader->depth == 0;
            at++;
        } else {
            char word[16];
            size_t from = at, length;
            while (at < size && !ends_word(line[at]))
                at++;
            length = at - from < sizeof word ? at - from : sizeof word - 1;
            memcpy(word, line + from, length);
            word[length] = 0;
            reader->has_moves = true;
            Outcome outcome;
            *game_ends =
                reader->depth == 0 && at - from == length && outcome_from_text(word, &outcome);
        }
    }
    reader->in_quotes = false; /* no text goes over the end of a line */
    return at < size ? at : size;
}

static bool is_blank(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!is_space(line[i]))
            return false;
    return true;
}

static void keep(PgnReader *reader, const char *bytes, size_t size)
{
    size_t room = PGN_GAME_BYTES_MAX + 1 - reader->text.size;
    buffer_put(&reader->text, bytes, size < room ? size : room);
}

/* Takes the current line into the game as far as it belongs to it. */
static void take_line(PgnReader *reader, bool *game_ends)
{
    const char *line = (const char *)reader->line.bytes;
    size_t size = reader->line.size, from = reader->line_at, to = size, indent = 0;
    while (indent < size && is_space(line[indent]))
        indent++;
    *game_ends = from == 0 && begins_game(reader, line + indent, size - indent);
    if (*game_ends)
        return;
    if (from > 0 || size == 0 || line[0] != '%' || reader->in_comment)
        to = follow(reader, line, size, from, game_ends);
    keep(reader, line + from, to - from);
    reader->line_at = to;
    reader->after_blank = indent == size;
    if (to == size && !*game_ends) {
        keep(reader, "\n", 1);
        reader->has_line = false;
    }
}

Status pgn_reader_text(PgnReader *reader, PgnSource *source, bool *end, Error *err)
{
    buffer_clear(&reader->text);
    reader->in_comment = reader->in_tag = reader->has_tag = reader->has_moves = false;
    reader->after_blank = false;
    reader->depth = 0;
    *source = (PgnSource){.path = reader->path};
    bool game_ends = false;
    while (!game_ends) {
        Status status = load_line(reader, err);
        if (status != STATUS_OK)
            return status;
        if (reader->ended)
            break;
        if (reader->text.size == 0) {
            source->line = reader->line_number;
            source->column = reader->line_at + 1;
        }
        take_line(reader, &game_ends);
        /* Empty lines before a game are nobody's. */
        if (!reader->has_tag && !reader->has_moves && !reader->in_comment && !game_ends &&
            is_blank((const char *)reader->text.bytes, reader->text.size))
            buffer_clear(&reader->text);
    }
    if (reader->text.failed)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for a game", reader->path);
    source->text = (const char *)reader->text.bytes;
    source->size = reader->text.size;
    *end = reader->ended && !reader->has_tag && !reader->has_moves && !reader->in_comment &&
           !game_ends;
    return STATUS_OK;
}

Status pgn_reader_next(PgnReader *reader, const Engine *engine, PgnGame *game, bool *end,
                       Reject *reject, Error *err)
{
    PgnSource source;
    *reject = REJECT_COUNT;
    Status status = pgn_reader_text(reader, &source, end, err);
    return status == STATUS_OK && !*end ? pgn_parse(&source, engine, game, reject, err) : status;
}
