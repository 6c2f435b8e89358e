/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opening.c - how a game begins: a book line or the start position, then random legal plies.
 */
#include "generator/opening.h"

#include <stdio.h>

Status opening_draw(const Engine *engine, const Book *book, int plies, Rng *rng, Game *game,
                    GameRecord *record, bool *alive, Error *err)
{
    const char *fen = engine->start_fen;
    if (book != NULL)
        fen = book->fens[rng_below(rng, book->count)];
    Status status = engine->game_set(game, fen, err);
    if (status != STATUS_OK)
        return status;
    snprintf(record->start_fen, sizeof record->start_fen, "%s", fen);
    record->ply_count = 0;

    int count = plies > 0 ? plies - (int)rng_below(rng, 2) : 0;
    for (int i = 0; i < count && engine->game_ending(game).reason == END_NONE; i++) {
        Move moves[ENGINE_MAX_MOVES];
        size_t move_count = engine->game_moves(game, moves);
        if (move_count == 0) /* cannot be: the game has not ended */
            return error_set(err, STATUS_FORMAT, "%s: no legal move after %zu random plies",
                             engine->name, record->ply_count);
        Move move = moves[rng_below(rng, move_count)];
        PlyRecord ply = {.move = move, .score_white_cp = SCORE_NONE, .flags = PLY_RANDOM};
        status = game_record_add(record, ply, err);
        if (status == STATUS_OK)
            status = engine->game_play(game, move, err);
        if (status != STATUS_OK)
            return status;
    }
    *alive = engine->game_ending(game).reason == END_NONE;
    return STATUS_OK;
}
