/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command_moves.c - campmate moves: legal moves and result of many positions, as JSON lines.
 *
 * Each line of standard input is a FEN or `startpos`, optionally followed by `moves m1 m2 ...`,
 * and is answered by one line of JSON, in the same order. Input is taken as it comes: whatever is
 * complete is answered before the next read, so a caller may also ask line by line.
 */
#include "commands.h"

#include "command_parts.h"
#include "support/standard_output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 16, FLUSH_BYTES = 1 << 18 };
static const char BLANKS[] = " \t\r";

#define MOVES_OPTIONS(X) X(text, variant, NULL, 0, 0, "V", "the game, the first of --version if not given")
typedef struct MovesOptions {
    MOVES_OPTIONS(OPTION_MEMBER)
} MovesOptions;
#define OPTIONS_STRUCT MovesOptions
static const Option moves_rows[] = {MOVES_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable moves_table = {
    .program = "campmate moves",
    .summary = "For each line of standard input, `FEN` or `startpos` with an optional `moves m1 m2 "
               "...`, print the legal moves and the result as a line of JSON.",
    .usage = "",
    .details = "Keys: fen, check, moves (sorted, without forbidden repetitions), end, result; or "
               "error, which names the place. A line with an error does not end the program.",
    .rows = moves_rows,
    .count = sizeof moves_rows / sizeof moves_rows[0],
    .variants = engine_names,
};

/* Bytes that grow. */
typedef struct Buffer {
    char *bytes;
    size_t size, capacity;
} Buffer;

static Status buffer_reserve(Buffer *buffer, size_t more, Error *err)
{
    if (buffer->capacity - buffer->size >= more)
        return STATUS_OK;
    size_t capacity = (buffer->size + more) * 2;
    char *bytes = realloc(buffer->bytes, capacity);
    if (!bytes)
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return STATUS_OK;
}

/* --- output: the caller has reserved the room ------------------------------------------------- */

static void put_text(Buffer *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out->bytes + out->size, text, length);
    out->size += length;
}

/* A JSON string. Bytes outside of ASCII become U+FFFD: they occur in quoted nonsense only. */
static void put_string(Buffer *out, const char *text)
{
    char *to = out->bytes + out->size;
    *to++ = '"';
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20)
            to += sprintf(to, "\\u%04x", byte);
        else if (byte >= 0x7f)
            to = stpcpy(to, "\\ufffd");
        else if (byte == '"' || byte == '\\')
            *to++ = '\\', *to++ = (char)byte;
        else
            *to++ = (char)byte;
    }
    *to++ = '"';
    out->size = (size_t)(to - out->bytes);
}

enum {
    ERROR_LINE_BYTES = 6 * sizeof(Error) + 32,
    ANSWER_BYTES = 6 * ENGINE_MAX_FEN + ENGINE_MAX_MOVES * (ENGINE_MAX_MOVE_TEXT + 3) + 128
};

static Status put_error(Buffer *out, const Error *problem, Error *err)
{
    Status status = buffer_reserve(out, ERROR_LINE_BYTES, err);
    if (status != STATUS_OK)
        return status;
    put_text(out, "{\"error\":");
    put_string(out, problem->message);
    put_text(out, "}\n");
    return STATUS_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

static Status put_position(Buffer *out, const Engine *engine, Game *game, Error *err)
{
    char fen[ENGINE_MAX_FEN], texts[ENGINE_MAX_MOVES][ENGINE_MAX_MOVE_TEXT];
    Move moves[ENGINE_MAX_MOVES];
    Status status = buffer_reserve(out, ANSWER_BYTES, err);
    if (status != STATUS_OK)
        return status;
    size_t count = engine->game_moves(game, moves);
    for (size_t i = 0; i < count; i++)
        engine->move_uci(game, moves[i], texts[i]);
    qsort(texts, count, sizeof texts[0], compare_texts);
    Ending ending = engine->game_ending(game);
    engine->game_fen(game, fen);
    put_text(out, "{\"fen\":");
    put_string(out, fen);
    put_text(out, engine->game_in_check(game) ? ",\"check\":true,\"moves\":["
                                              : ",\"check\":false,\"moves\":[");
    for (size_t i = 0; i < count; i++) {
        put_text(out, i > 0 ? ",\"" : "\"");
        put_text(out, texts[i]);
        put_text(out, "\"");
    }
    put_text(out, "],\"end\":");
    if (ending.reason == END_NONE)
        put_text(out, "null");
    else
        put_string(out, end_reason_text(ending.reason));
    put_text(out, ",\"result\":");
    put_string(out, outcome_text(ending.outcome));
    put_text(out, "}\n");
    return STATUS_OK;
}

/* Writes everything to standard output. */
static Status flush(Buffer *out, Error *err)
{
    if (out->size > 0) /* before the first answer there is no buffer */
        fwrite(out->bytes, 1, out->size, stdout);
    out->size = 0;
    return standard_output_check(err);
}

/* --- one line ------------------------------------------------------------------------------------
 */

/* The word "moves" in a line, NULL if there is none. */
static char *find_moves(char *line)
{
    for (char *at = strstr(line, "moves"); at; at = strstr(at + 1, "moves")) {
        bool begins = at == line || strchr(BLANKS, at[-1]);
        bool ends = strchr(BLANKS, at[5]) != NULL; /* the NUL at the end counts too */
        if (begins && ends)
            return at;
    }
    return NULL;
}

/* Sets up what a line describes. The line is taken apart. */
static Status set_position(const Engine *engine, Game *game, char *line, size_t length, Error *err)
{
    const char *nul = memchr(line, '\0', length);
    if (nul)
        return error_set(err, STATUS_FORMAT, "NUL byte in column %zu", (size_t)(nul - line) + 1);
    char *moves = find_moves(line);
    if (moves) {
        length = (size_t)(moves - line);
        moves += strlen("moves");
    }
    while (length > 0 && strchr(BLANKS, line[length - 1]))
        length--;
    line[length] = '\0';
    line += strspn(line, BLANKS);
    if (!*line)
        return error_set(err, STATUS_FORMAT, "%s: expected a FEN or startpos",
                         moves ? "nothing before \"moves\"" : "empty line");
    Status status = engine->game_set(game, line, err);
    char *rest = NULL;
    size_t number = 1;
    for (char *text = moves ? strtok_r(moves, BLANKS, &rest) : NULL; text && status == STATUS_OK;
         text = strtok_r(NULL, BLANKS, &rest), number++) {
        Error reason;
        Move move;
        status = engine->move_from_uci(game, text, &move, &reason);
        if (status == STATUS_OK)
            status = engine->game_play(game, move, &reason);
        if (status != STATUS_OK)
            error_set(err, status, "move %zu: %s", number, reason.message);
    }
    return status;
}

/* Answers a line of `length` bytes, followed by a NUL. Out of memory is the only failure. */
static Status answer(const Engine *engine, Game *game, char *line, size_t length, Buffer *out,
                     Error *err)
{
    Error problem;
    Status status = set_position(engine, game, line, length, &problem);
    if (status == STATUS_OK)
        status = put_position(out, engine, game, err);
    else
        status = put_error(out, &problem, err);
    return status == STATUS_OK && out->size >= FLUSH_BYTES ? flush(out, err) : status;
}

/* --- all lines
 * ------------------------------------------------------------------------------------ */

/* Reads more of standard input behind what is there; *end at its end. */
static Status read_more(Buffer *in, bool *end, Error *err)
{
    Status status = buffer_reserve(in, READ_BYTES + 1, err); /* 1: a NUL behind a last line */
    if (status != STATUS_OK)
        return status;
    ssize_t n;
    do
        n = read(STDIN_FILENO, in->bytes + in->size, READ_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return error_set_errno(err, "standard input");
    in->size += (size_t)n;
    *end = n == 0;
    return STATUS_OK;
}

static Status answer_all(const Engine *engine, Game *game, Buffer *in, Buffer *out, Error *err)
{
    size_t begun = 0, searched = 0; /* the line in work, and how far it has no newline */
    for (bool end = false; !end;) {
        Status status = read_more(in, &end, err);
        char *newline;
        while (status == STATUS_OK && searched < in->size &&
               (newline = memchr(in->bytes + searched, '\n', in->size - searched))) {
            char *line = in->bytes + begun;
            *newline = '\0';
            begun = searched = (size_t)(newline - in->bytes) + 1;
            status = answer(engine, game, line, (size_t)(newline - line), out, err);
        }
        if (status == STATUS_OK && end && begun < in->size) {
            in->bytes[in->size] = '\0';
            status = answer(engine, game, in->bytes + begun, in->size - begun, out, err);
        }
        if (status == STATUS_OK)
            status = flush(out, err);
        if (status != STATUS_OK)
            return status;
        memmove(in->bytes, in->bytes + begun, in->size - begun);
        in->size -= begun;
        begun = 0;
        searched = in->size;
    }
    return STATUS_OK;
}

CommandResult command_moves(int argc, char **argv, Error *err)
{
    MovesOptions options;
    OptionsVerdict verdict = options_parse(&moves_table, argc, argv, &options, NULL, err);
    if (verdict != OPTIONS_RUN)
        return command_options_result(verdict, err);
    Buffer in = {0}, out = {0};
    const Engine *engine = command_engine(options.variant, err);
    Game *game = engine ? engine->game_new(err) : NULL;
    Status status = game ? answer_all(engine, game, &in, &out, err) : err->status;
    if (engine)
        engine->game_free(game);
    free(in.bytes);
    free(out.bytes);
    options_free(&moves_table, &options, NULL);
    return status == STATUS_OK ? COMMAND_DONE : command_failed(err);
}
