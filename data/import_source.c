/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import_source.c - which format a file has, and its units (see import.h). */
#include "import.h"

#include "text_stream.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    LINES_PER_UNIT = 256,
    RUN_BYTES_MAX = 4 << 20,    /* a run of plain records is cut there at the latest */
    RECORD_BYTES_MAX = 1 << 16, /* a plain record without an end is cut there        */
    GUESS_LINES = 1000
};

static const char *const format_names[] = {
#define FORMAT_TEXT(id, name) name,
    IMPORT_FORMATS(FORMAT_TEXT)
#undef FORMAT_TEXT
};

const char *import_format_name(ImportFormat format)
{
    return format_names[format];
}

bool import_format_from_name(const char *name, ImportFormat *format)
{
    for (int i = 0; i < IMPORT_FORMAT_COUNT; i++)
        if (strcmp(name, format_names[i]) == 0) {
            *format = (ImportFormat)i;
            return true;
        }
    return false;
}

/* --- which format ---------------------------------------------------------------------------- */

static bool guess_by_name(const char *path, ImportFormat *format)
{
    size_t length = strlen(path);
    if (length > 4 && strcasecmp(path + length - 4, ".zst") == 0)
        length -= 4;
    static const ImportFormat named[] = {IMPORT_PGN, IMPORT_EPD, IMPORT_PLAIN};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const char *name = format_names[named[i]];
        size_t size = strlen(name);
        if (length > size && path[length - size - 1] == '.' &&
            strncasecmp(path + length - size, name, size) == 0) {
            *format = named[i];
            return true;
        }
    }
    return false;
}

/* By a line that is neither empty nor a comment. */
static ImportFormat guess_by_line(const char *line)
{
    if (strncmp(line, "fen ", 4) == 0)
        return IMPORT_PLAIN;
    if (*line == '[' || *line == '%' || *line == '{' || *line == '*')
        return IMPORT_PGN;
    const char *digits = line + strspn(line, "0123456789");
    if (digits > line && (*digits == '.' || *digits == ' '))
        return IMPORT_PGN;
    const char *first = strchr(line, ';');
    if (!first)
        return IMPORT_EPD;
    char result[16];
    size_t length = strcspn(first + 1, ";");
    snprintf(result, sizeof result, "%.*s", (int)(length < 15 ? length : 15), first + 1);
    Outcome outcome;
    return import_outcome(result, &outcome) ? IMPORT_LINES : IMPORT_EPD;
}

Status import_format_guess(const char *path, ImportFormat *format, Error *err)
{
    if (strcmp(path, "-") == 0)
        return error_set(err, STATUS_ARGUMENT,
                         "standard input: its format has to be named (--format)");
    if (guess_by_name(path, format))
        return STATUS_OK;
    TextStream *stream = NULL;
    Buffer line = {0};
    Status status = text_stream_open(&stream, path, err);
    bool found = false, end = status != STATUS_OK, cut;
    for (int i = 0; i < GUESS_LINES && !found && !end; i++) {
        buffer_clear(&line);
        status = text_stream_line(stream, &line, IMPORT_LINE_MAX, &cut, &end, err);
        if (status != STATUS_OK)
            break;
        buffer_put(&line, "", 1);
        const char *text = line.failed ? "" : (const char *)line.bytes;
        text += strspn(text, " \t");
        found = *text && *text != '#';
        if (found)
            *format = guess_by_line(text);
    }
    buffer_free(&line);
    text_stream_close(stream);
    if (status == STATUS_OK && !found)
        status = error_set(err, STATUS_FORMAT,
                           "%s: nothing to tell its format by; name it (--format)", path);
    return status;
}

/* --- units ----------------------------------------------------------------------------------- */

struct ImportSource {
    const char *path;
    ImportFormat format;
    PgnReader *pgn; /* for PGN */
    TextStream *stream;
    Buffer line;
    /* The plain record read last, which may begin the next unit. */
    Buffer record;
    size_t record_line;
    long long record_ply; /* -1 = not said */
    bool ended;
};

Status import_source_open(ImportSource **source, const char *path, ImportFormat format, Error *err)
{
    ImportSource *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to read it", path);
    fresh->path = path;
    fresh->format = format;
    Status status = format == IMPORT_PGN ? pgn_reader_open(&fresh->pgn, path, err)
                                         : text_stream_open(&fresh->stream, path, err);
    if (status == STATUS_OK)
        *source = fresh;
    else
        free(fresh);
    return status;
}

void import_source_close(ImportSource *source)
{
    if (!source)
        return;
    pgn_reader_close(source->pgn);
    text_stream_close(source->stream);
    buffer_free(&source->line);
    buffer_free(&source->record);
    free(source);
}

static Status next_game(ImportSource *source, ImportUnit *unit, bool *end, Error *err)
{
    PgnSource game;
    Status status = pgn_reader_text(source->pgn, &game, end, err);
    if (status != STATUS_OK || *end)
        return status;
    unit->line = game.line;
    unit->column = game.column;
    buffer_put(&unit->text, game.text, game.size);
    return STATUS_OK;
}

/* A line and its LF into a buffer; one that is too long keeps a byte too many. */
static Status put_line(ImportSource *source, Buffer *text, bool *end, Error *err)
{
    bool cut;
    Status status = text_stream_line(source->stream, text, IMPORT_LINE_MAX + 1, &cut, end, err);
    if (status == STATUS_OK && !*end)
        buffer_put(text, "\n", 1);
    return status;
}

static Status next_lines(ImportSource *source, ImportUnit *unit, bool *end, Error *err)
{
    unit->line = text_stream_line_number(source->stream) + 1;
    Status status = STATUS_OK;
    bool file_ends = false;
    for (int i = 0; i < LINES_PER_UNIT && status == STATUS_OK && !file_ends; i++)
        status = put_line(source, &unit->text, &file_ends, err);
    *end = status == STATUS_OK && unit->text.size == 0;
    return status;
}

/* Reads a plain record: up to a line "e", a second line "fen" or the end of the file. */
static Status load_record(ImportSource *source, Error *err)
{
    /* A line "fen" that ended the record before is still there. */
    bool end = false, has_fen = source->line.size > 0;
    buffer_clear(&source->record);
    buffer_put(&source->record, source->line.bytes, source->line.size);
    source->record_line = text_stream_line_number(source->stream);
    source->record_ply = -1;
    while (source->record.size < RECORD_BYTES_MAX) {
        buffer_clear(&source->line);
        Status status = put_line(source, &source->line, &end, err);
        if (status != STATUS_OK)
            return status;
        if (end || source->line.failed)
            break;
        size_t number = text_stream_line_number(source->stream);
        const char *line = (const char *)source->line.bytes;
        size_t size = source->line.size;
        bool is_fen = size > 4 && memcmp(line, "fen ", 4) == 0;
        if (is_fen && has_fen)
            return STATUS_OK;
        if (source->record.size == 0)
            source->record_line = number;
        has_fen = has_fen || is_fen;
        buffer_put(&source->record, line, size);
        if (size > 4 && memcmp(line, "ply ", 4) == 0) {
            source->record_ply = 0;
            for (const char *at = line + 4; *at >= '0' && *at <= '9'; at++)
                source->record_ply = (10 * source->record_ply + (*at - '0')) % 1000000000;
        }
        buffer_clear(&source->line);
        if (size >= 2 && line[0] == 'e' && (line[1] == '\n' || line[1] == ' '))
            break;
        if (size == 1 && source->record.size == 1) /* an empty line between records */
            buffer_clear(&source->record);
    }
    source->ended = end && source->record.size == 0;
    return STATUS_OK;
}

/* Records with consecutive plies: they may be of one game. */
static Status next_run(ImportSource *source, ImportUnit *unit, bool *end, Error *err)
{
    Status status = STATUS_OK;
    if (source->record.size == 0)
        status = load_record(source, err);
    unit->line = source->record_line;
    long long ply;
    do {
        if (status != STATUS_OK || source->ended)
            break;
        buffer_put(&unit->text, source->record.bytes, source->record.size);
        ply = source->record_ply;
        status = load_record(source, err);
    } while (unit->text.size < RUN_BYTES_MAX &&
             (ply < 0 || source->record_ply < 0 || source->record_ply == ply + 1));
    *end = status == STATUS_OK && unit->text.size == 0;
    return status;
}

Status import_source_next(ImportSource *source, ImportUnit *unit, bool *end, Error *err)
{
    buffer_clear(&unit->text);
    unit->format = source->format;
    unit->path = source->path;
    unit->column = 1;
    Status status = source->format == IMPORT_PGN     ? next_game(source, unit, end, err)
                    : source->format == IMPORT_PLAIN ? next_run(source, unit, end, err)
                                                     : next_lines(source, unit, end, err);
    if (status == STATUS_OK && (unit->text.failed || source->line.failed || source->record.failed))
        status = error_set(err, STATUS_NO_MEMORY, "%s: no memory to read it", source->path);
    return status;
}
