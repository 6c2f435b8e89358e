/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_game.c - a PGN game in memory: its texts, tags and notes (see pgn.h and pgn_game.h). */
#include "pgn_game.h"

#include <stdlib.h>
#include <string.h>

void pgn_game_free(PgnGame *game)
{
    if (!game)
        return;
    game_record_free(&game->record);
    free(game->tags);
    free(game->notes);
    buffer_free(&game->texts);
    *game = (PgnGame){0};
}

void pgn_game_clear(PgnGame *game)
{
    GameRecord record = {.plies = game->record.plies, .ply_capacity = game->record.ply_capacity};
    game->engine = NULL;
    game->record = record;
    game->result = OUTCOME_NONE;
    game->unwrapped = game->played_on = false;
    game->variations = game->tag_count = game->note_count = 0;
    buffer_clear(&game->texts);
}

void pgn_game_cut(PgnGame *game)
{
    if (!game->played_on)
        return;
    GameRecord *record = &game->record;
    record->ply_count = game->end_ply;
    record->outcome = game->end.outcome;
    record->reason = (int)game->end.reason;
    record->has_final_score = false;
    record->final_score_white_cp = 0;
    game->played_on = false;
}

const char *pgn_game_text(const PgnGame *game, PgnText text)
{
    return (const char *)game->texts.bytes + text;
}

const char *pgn_game_tag(const PgnGame *game, const char *name)
{
    for (size_t i = 0; i < game->tag_count; i++)
        if (strcmp(pgn_game_text(game, game->tags[i].name), name) == 0)
            return pgn_game_text(game, game->tags[i].value);
    return NULL;
}

PgnText pgn_game_keep(PgnGame *game, const char *text, size_t size)
{
    PgnText place = game->texts.size;
    buffer_put(&game->texts, text, size);
    buffer_put(&game->texts, "", 1);
    return place;
}

bool pgn_game_add_tag(PgnGame *game, PgnTag tag)
{
    if (game->tag_count == game->tag_capacity) {
        size_t capacity = 2 * game->tag_capacity + 16;
        PgnTag *tags = realloc(game->tags, capacity * sizeof *tags);
        if (!tags)
            return false;
        game->tags = tags;
        game->tag_capacity = capacity;
    }
    game->tags[game->tag_count++] = tag;
    return true;
}

bool pgn_game_add_note(PgnGame *game, PgnNote note)
{
    if (game->note_count == game->note_capacity) {
        size_t capacity = 2 * game->note_capacity + 16;
        PgnNote *notes = realloc(game->notes, capacity * sizeof *notes);
        if (!notes)
            return false;
        game->notes = notes;
        game->note_capacity = capacity;
    }
    game->notes[game->note_count++] = note;
    return true;
}
