/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compliance_examples.c - positions of a game in which engines are tried. */
#include "compliance_examples.h"

#include "support/rng.h"

#include <string.h>

enum { GAMES = 40, ENOUGH_GAMES = 8, PLIES = 150 };

typedef struct Hunt {
    const Engine *rules;
    Game *game;  /* the random game            */
    Game *apart; /* for a position without past */
    Examples *examples;
} Hunt;

/* Remembers a position without moves if its reason is a new one. */
static void keep_over(Hunt *hunt, const char *fen, Ending ending)
{
    Examples *examples = hunt->examples;
    for (size_t i = 0; i < examples->over_count; i++)
        if (examples->reasons[i] == ending.reason)
            return;
    if (examples->over_count == EXAMPLE_FENS)
        return;
    examples->reasons[examples->over_count] = ending.reason;
    strcpy(examples->over[examples->over_count++], fen);
}

/* Looks at what each move leads to. */
static Status look_for_ends(Hunt *hunt, const Move *moves, size_t count, Error *err)
{
    const Engine *rules = hunt->rules;
    Examples *examples = hunt->examples;
    Move replies[ENGINE_MAX_MOVES];
    char before[ENGINE_MAX_FEN], after[ENGINE_MAX_FEN];
    rules->game_fen(hunt->game, before);
    const Outcome win = rules->game_side(hunt->game) == SIDE_WHITE ? OUTCOME_WHITE : OUTCOME_BLACK;
    bool kept = false; /* one win of a position is enough */
    for (size_t i = 0; i < count; i++) {
        Status status = rules->game_play(hunt->game, moves[i], err);
        if (status != STATUS_OK)
            return status;
        bool over = rules->game_moves(hunt->game, replies) == 0;
        rules->game_fen(hunt->game, after);
        rules->game_undo(hunt->game);
        /* It has to be over also for somebody who does not know how it came about. */
        if (!over || rules->game_set(hunt->apart, after, NULL) != STATUS_OK ||
            rules->game_moves(hunt->apart, replies) > 0)
            continue;
        Ending ending = rules->game_ending(hunt->apart);
        keep_over(hunt, after, ending);
        if (!kept && ending.outcome == win && examples->won_count < EXAMPLE_FENS)
            strcpy(examples->won[examples->won_count++], before);
        kept = true;
    }
    return STATUS_OK;
}

static Status play(Hunt *hunt, uint64_t number, Error *err)
{
    const Engine *rules = hunt->rules;
    Examples *examples = hunt->examples;
    Move moves[ENGINE_MAX_MOVES];
    char texts[EXAMPLE_PLIES][ENGINE_MAX_MOVE_TEXT];
    size_t plies = 0;
    Rng rng = rng_from(1, number);
    Status status = rules->game_set(hunt->game, NULL, err);
    for (; status == STATUS_OK && plies < PLIES; plies++) {
        size_t count = rules->game_moves(hunt->game, moves);
        if (count == 0 || rules->game_ending(hunt->game).reason != END_NONE)
            break;
        status = look_for_ends(hunt, moves, count, err);
        Move move = moves[rng_below(&rng, count)];
        if (plies < EXAMPLE_PLIES)
            rules->move_uci(hunt->game, move, texts[plies]);
        if (status == STATUS_OK)
            status = rules->game_play(hunt->game, move, err);
    }
    /* The longest game, without the move that ended it. */
    size_t going = plies == PLIES || plies == 0 ? plies : plies - 1;
    going = going < EXAMPLE_PLIES ? going : EXAMPLE_PLIES;
    if (status == STATUS_OK && going > examples->plies) {
        memcpy(examples->texts, texts, sizeof texts);
        examples->plies = going;
    }
    return status;
}

Status examples_find(const Engine *rules, Examples *examples, Error *err)
{
    *examples = (Examples){.plies = 0};
    Hunt hunt = {.rules = rules, .examples = examples};
    Status status = STATUS_OK;
    if (!(hunt.game = rules->game_new(err)) || !(hunt.apart = rules->game_new(err))) {
        status = STATUS_NO_MEMORY;
        goto cleanup;
    }
    for (uint64_t i = 0; i < GAMES && status == STATUS_OK; i++) {
        if (i >= ENOUGH_GAMES && examples->won_count > 0 && examples->over_count > 0)
            break;
        status = play(&hunt, i, err);
    }
    for (size_t i = 0; i < examples->plies; i++)
        examples->moves[i] = examples->texts[i];

cleanup:
    if (hunt.game)
        rules->game_free(hunt.game);
    if (hunt.apart)
        rules->game_free(hunt.apart);
    return status;
}
