/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_write.c - games as PGN text (see pgn.h). */
#include "pgn.h"

#include "pgn_comment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_COLUMNS = 80 };

typedef struct Line {
    FILE *stream;
    size_t column, limit;
    bool number_black; /* a number before Black's move too: at the start, after comments */
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
    if (line->column > 0 && line->column + 1 + length > line->limit) {
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

/* The words of a comment in braces; a brace inside would end it early. */
static Status put_comment(Line *line, const char *text, Error *err)
{
    Buffer comment = {0};
    buffer_put(&comment, "{", 1);
    buffer_put(&comment, text, strlen(text));
    buffer_put(&comment, "}", 2);
    if (comment.failed) {
        buffer_free(&comment);
        return error_set(err, STATUS_NO_MEMORY, "no memory for a comment");
    }
    char *words = (char *)comment.bytes;
    size_t inner = comment.size - 3;
    for (size_t i = 1; i <= inner; i++)
        words[i] = words[i] == '{'                                       ? '('
                   : words[i] == '}'                                     ? ')'
                   : (unsigned char)words[i] < ' ' || words[i] == '\x7f' ? ' '
                                                                         : words[i];
    for (char *word = words; *word;) {
        size_t length = strcspn(word, " ");
        if (length > 0)
            put_word(line, word, length);
        word += length + (word[length] != 0);
    }
    buffer_free(&comment);
    line->number_black = true;
    return STATUS_OK;
}

/* Writes a move with its number and plays it. */
static Status put_move(Line *line, const Engine *engine, Game *game, Move move, Error *err)
{
    Side side = engine->game_side(game);
    char number[24], san[ENGINE_MAX_MOVE_TEXT];
    if (side == SIDE_WHITE || line->number_black) {
        int length = snprintf(number, sizeof number, "%d%s", engine->game_fullmove(game),
                              side == SIDE_WHITE ? "." : "...");
        put_word(line, number, (size_t)length);
    }
    engine->move_san(game, move, san);
    put_word(line, san, strlen(san));
    /* In a set-up phase Black may move twice in a row. */
    line->number_black = side == SIDE_BLACK;
    return engine->game_play(game, move, err);
}

static Status finish(Line *line, Outcome outcome, Error *err)
{
    const char *result = outcome_text(outcome);
    put_word(line, result, strlen(result));
    fputs("\n\n", line->stream);
    return ferror(line->stream) ? error_set_errno(err, "cannot write a game as PGN") : STATUS_OK;
}

/* A game at its start position; NULL with err. */
static Game *game_at_start(const Engine *engine, const GameRecord *record, Error *err)
{
    Game *game = engine->game_new(err);
    if (game && engine->game_set(game, record->start_fen, err) != STATUS_OK) {
        engine->game_free(game);
        return NULL;
    }
    return game;
}

/* --- games of a dataset or match ------------------------------------------------------------- */

static void put_tags(FILE *stream, const Engine *engine, const GameRecord *record,
                     const PgnTags *tags)
{
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
    if (tags->adjudication)
        put_tag(stream, "Adjudication", tags->adjudication);
    putc('\n', stream);
}

Status pgn_write(FILE *stream, const Engine *engine, const GameRecord *record, const PgnTags *tags,
                 Error *err)
{
    static const PgnTags no_tags;
    if (!tags)
        tags = &no_tags;
    Game *game = game_at_start(engine, record, err);
    if (!game)
        return err ? err->status : STATUS_NO_MEMORY;
    put_tags(stream, engine, record, tags);
    Line line = {.stream = stream, .limit = LINE_MAX_COLUMNS, .number_black = true};
    Status status = tags->remark ? put_comment(&line, tags->remark, err) : STATUS_OK;
    for (size_t i = 0; i < record->ply_count && status == STATUS_OK; i++) {
        Side mover = engine->game_side(game);
        char own[PGN_COMMENT_SIZE];
        const char *comment = tags->comments ? tags->comments[i] : own;
        pgn_comment_write(own, &record->plies[i], mover);
        status = put_move(&line, engine, game, record->plies[i].move, err);
        if (status == STATUS_OK && comment && *comment)
            status = put_comment(&line, comment, err);
    }
    if (status == STATUS_OK && !tags->comments && record->has_final_score) {
        char comment[PGN_COMMENT_SIZE];
        pgn_comment_write_eval(comment, record->final_score_white_cp);
        status = put_comment(&line, comment, err);
    }
    engine->game_free(game);
    return status == STATUS_OK ? finish(&line, record->outcome, err) : status;
}

/* --- games that were read -------------------------------------------------------------------- */

static Status put_notes(Line *line, const PgnGame *game, size_t ply, size_t *next, Error *err)
{
    Status status = STATUS_OK;
    for (; *next < game->note_count && game->notes[*next].ply == ply && status == STATUS_OK;
         ++*next) {
        const PgnNote *note = &game->notes[*next];
        char glyph[16];
        if (note->is_glyph)
            put_word(line, glyph, (size_t)snprintf(glyph, sizeof glyph, "$%d", note->nag));
        else
            status = put_comment(line, pgn_game_text(game, note->text), err);
    }
    return status;
}

Status pgn_game_write(FILE *stream, const PgnGame *game, Error *err)
{
    const Engine *engine = game->engine;
    Game *position = game_at_start(engine, &game->record, err);
    if (!position)
        return err ? err->status : STATUS_NO_MEMORY;
    for (size_t i = 0; i < game->tag_count; i++)
        put_tag(stream, pgn_game_text(game, game->tags[i].name),
                pgn_game_text(game, game->tags[i].value));
    if (game->tag_count > 0)
        putc('\n', stream);
    Line line = {.stream = stream,
                 .limit = game->unwrapped ? SIZE_MAX : (size_t)LINE_MAX_COLUMNS,
                 .number_black = true};
    size_t note = 0;
    Status status = put_notes(&line, game, 0, &note, err);
    for (size_t i = 0; i < game->record.ply_count && status == STATUS_OK; i++) {
        status = put_move(&line, engine, position, game->record.plies[i].move, err);
        if (status == STATUS_OK)
            status = put_notes(&line, game, i + 1, &note, err);
    }
    engine->game_free(position);
    return status == STATUS_OK ? finish(&line, game->result, err) : status;
}
