/* SPDX-License-Identifier: GPL-3.0-or-later */
/* book_pgn.c - games of a PGN as an opening book (see book.h). */
#include "book.h"

#include "pgn.h"

#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *tail)
{
    size_t length = strlen(text), more = strlen(tail);
    return length >= more && strcasecmp(text + length - more, tail) == 0;
}

bool book_is_pgn(const char *path)
{
    return ends_with(path, ".pgn") || ends_with(path, ".pgn.zst");
}

/* The position after the first moves of a game. */
static Status game_position(const Engine *engine, Game *board, const char *path,
                            const PgnGame *game, size_t plies, char *fen, Error *err)
{
    const GameRecord *record = &game->record;
    size_t count = plies && plies < record->ply_count ? plies : record->ply_count;
    Status status = engine->game_set(board, record->start_fen, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = engine->game_play(board, record->plies[i].move, err);
    if (status != STATUS_OK)
        return status;
    Ending ending = engine->game_ending(board);
    if (ending.reason != END_NONE)
        return error_set(err, STATUS_FORMAT,
                         "%s: line %zu: the game that begins here is over after %zu plies (%s), "
                         "expected an opening",
                         path, game->line, count, end_reason_text(ending.reason));
    engine->game_fen(board, fen);
    return STATUS_OK;
}

Status book_read_pgn(const Engine *engine, const char *path, size_t plies, Book *book, Error *err)
{
    PgnReader *reader = NULL;
    PgnGame game = {0};
    Book fresh = {0};
    size_t capacity = 0;
    bool end = false;
    Reject reject;
    Game *board = NULL;
    Status status = pgn_reader_open(&reader, path, err);
    if (status == STATUS_OK && !(board = engine->game_new(err)))
        status = STATUS_NO_MEMORY;
    while (status == STATUS_OK) {
        status = pgn_reader_next(reader, engine, &game, &end, &reject, err);
        if (status != STATUS_OK || end)
            break;
        if (fresh.count == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            char(*fens)[ENGINE_MAX_FEN] = realloc(fresh.fens, capacity * sizeof *fens);
            if (!fens) {
                status = error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu positions", path,
                                   capacity);
                break;
            }
            fresh.fens = fens;
        }
        status = game_position(engine, board, path, &game, plies, fresh.fens[fresh.count], err);
        fresh.count += status == STATUS_OK;
    }
    if (status == STATUS_OK && fresh.count == 0)
        status = error_set(err, STATUS_FORMAT, "%s: no game in it", path);
    if (board)
        engine->game_free(board);
    pgn_game_free(&game);
    pgn_reader_close(reader);
    if (status == STATUS_OK)
        *book = fresh;
    else
        book_free(&fresh);
    return status;
}
