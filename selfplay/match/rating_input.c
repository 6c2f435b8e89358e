/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rating_input.c - games for ratings from the files that matches leave behind. */
#include "rating_input.h"

#include "book.h"
#include "pgn.h"
#include "support/files.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

/* --- PGN ------------------------------------------------------------------------------------- */

typedef enum TagFound { TAG_NONE, TAG_TOO_LONG, TAG_FOUND } TagFound;

/* The value of a tag in the text of a game. Tags stand at the beginning of lines. */
static TagFound find_tag(const char *text, size_t size, const char *name, char *value)
{
    const size_t length = strlen(name);
    const char *end = text + size;
    for (const char *line = text; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        const char *at = line;
        line = next;
        if (*at != '[') {
            if (*at == '\n' || *at == '\r' || *at == '%')
                continue;
            return false; /* the moves have begun */
        }
        if ((size_t)(next - at) < length + 4 || strncmp(at + 1, name, length) != 0 ||
            (at[1 + length] != ' ' && at[1 + length] != '\t'))
            continue;
        at = memchr(at, '"', (size_t)(next - at));
        size_t used = 0;
        for (at = at ? at + 1 : next; at < next && *at != '"' && used + 1 < NAME_BYTES; at++) {
            if (*at == '\\' && at + 1 < next)
                at++;
            value[used++] = *at;
        }
        value[used] = '\0';
        return !used ? TAG_NONE : at < next && *at != '"' ? TAG_TOO_LONG : TAG_FOUND;
    }
    return TAG_NONE;
}

static Status add_pgn_game(RatingInput *input, const char *path, size_t line, const char *text,
                           size_t size, Error *err)
{
    static const char *const names[] = {"White", "Black", "Result"};
    char white[NAME_BYTES], black[NAME_BYTES], result[NAME_BYTES];
    char *const values[] = {white, black, result};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        TagFound found = find_tag(text, size, names[i], values[i]);
        if (found == TAG_TOO_LONG)
            return error_set(err, STATUS_FORMAT,
                             "%s: line %zu: a name or result of more than %d bytes", path, line,
                             NAME_BYTES - 1);
        if (found == TAG_NONE)
            return error_set(err, STATUS_FORMAT,
                             "%s: line %zu: a game without the tags White, Black and Result", path,
                             line);
    }
    RatingScore score = {.wins = strcmp(result, "1-0") == 0,
                         .draws = strcmp(result, "1/2-1/2") == 0,
                         .losses = strcmp(result, "0-1") == 0};
    input->games++;
    if (!score.wins && !score.draws && !score.losses) {
        if (strcmp(result, "*") != 0)
            return error_set(err, STATUS_FORMAT,
                             "%s: line %zu: Result \"%.20s\", expected 1-0, 0-1, 1/2-1/2 or *",
                             path, line, result);
        input->unfinished++;
        return STATUS_OK;
    }
    Error inner;
    Status status = rating_pool_add(&input->pool, white, black, score, &inner);
    return status == STATUS_OK
               ? status
               : error_set(err, status, "%s: line %zu: %s", path, line, inner.message);
}

static Status read_pgn(RatingInput *input, const char *path, Error *err)
{
    PgnReader *reader = NULL;
    PgnSource source;
    bool end = false;
    Status status = pgn_reader_open(&reader, path, err);
    while (status == STATUS_OK) {
        status = pgn_reader_text(reader, &source, &end, err);
        if (status != STATUS_OK || end)
            break;
        status = add_pgn_game(input, path, source.line, source.text, source.size, err);
    }
    pgn_reader_close(reader);
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool count_at(const json_t *object, const char *key, uint64_t *count)
{
    const json_t *value = json_object_get(object, key);
    *count = json_is_integer(value) ? (uint64_t)json_integer_value(value) : 0;
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* wins, draws and losses of an object, for these two. */
static Status add_counts(RatingInput *input, const char *first, const char *second,
                         const json_t *object, Error *err)
{
    RatingScore score;
    uint64_t unfinished = 0;
    if (!*first || !*second || !count_at(object, "wins", &score.wins) ||
        !count_at(object, "draws", &score.draws) || !count_at(object, "losses", &score.losses))
        return error_set(err, STATUS_FORMAT,
                         "expected the result of a match: two engines' names, wins, draws, losses");
    count_at(object, "unfinished", &unfinished);
    input->unfinished += unfinished;
    input->games += score.wins + score.draws + score.losses + unfinished;
    return rating_pool_add(&input->pool, first, second, score, err);
}

/* What campmate-match printed with --json. */
static Status add_result(RatingInput *input, const json_t *object, Error *err)
{
    const json_t *encounters = json_object_get(object, "encounters"), *encounter,
                 *engines = json_object_get(object, "engines");
    Status status = STATUS_OK;
    size_t i;
    if (!json_is_array(encounters))
        return add_counts(input, text_at(json_array_get(engines, 0), "name"),
                          text_at(json_array_get(engines, 1), "name"), object, err);
    json_array_foreach(encounters, i, encounter) if (status == STATUS_OK) status = add_counts(
        input, text_at(encounter, "first"), text_at(encounter, "second"), encounter, err);
    return status;
}

/* A line of a state file is a game with its PGN, or the head. */
static Status add_value(RatingInput *input, const char *path, size_t line, const json_t *value,
                        Error *err)
{
    if (strcmp(text_at(value, "campmate-match"), "state") == 0)
        return STATUS_OK;
    const char *pgn = text_at(value, "pgn");
    if (*pgn)
        return add_pgn_game(input, path, line, pgn, strlen(pgn), err);
    Error inner;
    Status status = add_result(input, value, &inner);
    return status == STATUS_OK
               ? status
               : error_set(err, status, "%s: line %zu: %s", path, line, inner.message);
}

static Status read_json(RatingInput *input, const char *path, const char *text, size_t size,
                        Error *err)
{
    Status status = STATUS_OK;
    size_t line = 1, at = 0, values = 0;
    bool is_state = false;
    while (status == STATUS_OK) {
        while (at < size && strchr(" \t\r\n", text[at]))
            line += text[at++] == '\n';
        if (at == size)
            break;
        json_error_t problem;
        json_t *value = json_loadb(text + at, size - at,
                                   JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &problem);
        if (!value) {
            /* What a kill cut off at the end of a state was never saved. */
            if (is_state && !memchr(text + at, '\n', size - at))
                break;
            return error_set(err, STATUS_FORMAT,
                             "%s: line %zu: neither a PGN nor JSON of campmate-match: %s", path,
                             line + (size_t)problem.line - 1, problem.text);
        }
        is_state |= strcmp(text_at(value, "campmate-match"), "state") == 0;
        status = add_value(input, path, line, value, err);
        json_decref(value);
        for (size_t i = 0; i < (size_t)problem.position; i++)
            line += text[at + i] == '\n';
        at += (size_t)problem.position;
        values++;
    }
    if (status == STATUS_OK && values == 0)
        status = error_set(err, STATUS_FORMAT, "%s: nothing in it", path);
    return status;
}

Status rating_input_read(RatingInput *input, const char *path, Error *err)
{
    if (book_is_pgn(path))
        return read_pgn(input, path, err);
    char *text = NULL;
    size_t size = 0;
    Status status = file_read_all(path, &text, &size, err);
    if (status != STATUS_OK)
        return status;
    size_t begin = strspn(text, " \t\r\n");
    /* A PGN under another name begins with a tag. */
    if (begin < size && text[begin] == '[' && strcmp(path, "-") != 0)
        status = read_pgn(input, path, err);
    else
        status = read_json(input, path, text, size, err);
    free(text);
    return status;
}
