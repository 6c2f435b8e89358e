/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn.c - one game as PGN text (see pgn.h). */
#include "pgn.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_COLUMNS = 80, COMMENT_SIZE = 512 };

typedef struct Line {
    FILE *stream;
    size_t column;
} Line;

static void put_tag(FILE *stream, const char *name, const char *value)
{
    fprintf(stream, "[%s \"", name);
    for (const char *at = value ? value : "?"; *at; at++) {
        if (*at == '"' || *at == '\\')
            putc('\\', stream);
        /* A tag is one line: control characters have no spelling in PGN. */
        putc((unsigned char)*at < ' ' ? ' ' : *at, stream);
    }
    fputs("\"]\n", stream);
}

/* A word of the movetext, on a new line where it does not fit any more. */
static void put_word(Line *line, const char *word, size_t length)
{
    if (length == 0)
        return;
    if (line->column > 0 && line->column + 1 + length > LINE_MAX_COLUMNS) {
        putc('\n', line->stream);
        line->column = 0;
    }
    if (line->column > 0) {
        putc(' ', line->stream);
        line->column++;
    }
    fwrite(word, 1, length, line->stream);
    line->column += length;
}

static void put_words(Line *line, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, " \t\r\n");
        put_word(line, text, length);
        text += length + (text[length] != 0);
    }
}

/* A brace inside would end the comment early. */
static void put_comment(Line *line, const char *text)
{
    char comment[COMMENT_SIZE];
    size_t size = 0;
    comment[size++] = '{';
    for (; *text && size < sizeof comment - 2; text++)
        comment[size++] = *text == '{' ? '(' : *text == '}' ? ')' : *text;
    comment[size++] = '}';
    comment[size] = 0;
    put_words(line, comment);
}

/* As match programs write it: from the view of the side that moved. */
static void score_text(int score_white_cp, Side side, char *text, size_t size)
{
    int score = side == SIDE_WHITE ? score_white_cp : -score_white_cp;
    int distance = abs(score);
    if (distance > SCORE_MATE_BOUND)
        snprintf(text, size, "%cM%d", score < 0 ? '-' : '+', (SCORE_MATE - distance + 1) / 2);
    else
        snprintf(text, size, "%c%d.%02d", score < 0 ? '-' : '+', distance / 100, distance % 100);
}

static Status put_moves(Line *line, const Engine *engine, Game *game, const GameRecord *record,
                        const PgnTags *tags, Error *err)
{
    bool number_black = true; /* a number before Black's move too: at the start, after comments */
    for (size_t i = 0; i < record->ply_count; i++) {
        const PlyRecord *ply = &record->plies[i];
        Side side = engine->game_side(game);
        char text[64], san[ENGINE_MAX_MOVE_TEXT];
        if (side == SIDE_WHITE || number_black) {
            snprintf(text, sizeof text, "%d%s", engine->game_fullmove(game),
                     side == SIDE_WHITE ? "." : "...");
            put_words(line, text);
        }
        engine->move_san(game, ply->move, san);
        put_words(line, san);
        const char *comment = tags->comments ? tags->comments[i] : NULL;
        if (!tags->comments && ply->score_white_cp != SCORE_NONE) {
            score_text(ply->score_white_cp, side, text, sizeof text);
            comment = text;
        }
        bool commented = comment && *comment;
        if (commented)
            put_comment(line, comment);
        Status status = engine->game_play(game, ply->move, err);
        if (status != STATUS_OK)
            return status;
        /* In a set-up phase Black may move twice in a row. */
        number_black = commented || side == SIDE_BLACK;
    }
    return STATUS_OK;
}

Status pgn_write(FILE *stream, const Engine *engine, const GameRecord *record, const PgnTags *tags,
                 Error *err)
{
    static const PgnTags no_tags;
    if (!tags)
        tags = &no_tags;
    Game *game = engine->game_new(err);
    if (!game)
        return STATUS_NO_MEMORY;
    Status status = engine->game_set(game, record->start_fen, err);
    if (status != STATUS_OK) {
        engine->game_free(game);
        return status;
    }
    put_tag(stream, "Event", tags->event);
    put_tag(stream, "Site", tags->site);
    put_tag(stream, "Date", tags->date ? tags->date : "????.??.??");
    put_tag(stream, "Round", tags->round);
    put_tag(stream, "White", tags->white);
    put_tag(stream, "Black", tags->black);
    put_tag(stream, "Result", outcome_text(record->outcome));
    put_tag(stream, "Variant", engine->title);
    if (strcmp(record->start_fen, engine->start_fen) != 0) {
        put_tag(stream, "FEN", record->start_fen);
        put_tag(stream, "SetUp", "1");
    }
    if (tags->time_control)
        put_tag(stream, "TimeControl", tags->time_control);
    if (tags->termination)
        put_tag(stream, "Termination", tags->termination);
    putc('\n', stream);

    Line line = {.stream = stream};
    status = put_moves(&line, engine, game, record, tags, err);
    engine->game_free(game);
    if (status != STATUS_OK)
        return status;
    put_words(&line, outcome_text(record->outcome));
    fputs("\n\n", stream);
    return ferror(stream) ? error_set_errno(err, "cannot write a game as PGN") : STATUS_OK;
}
