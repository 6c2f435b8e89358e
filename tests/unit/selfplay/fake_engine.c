/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fake_engine.c - an engine for tests: a pile of stones of which each side in turn takes 1 to 3. */
#include "fake_engine.h"

#include <stdio.h>
#include <stdlib.h>

FakeThought fake_thought;
SearchLimits fake_limits;

struct Game {
    int stones;
    size_t plies;
};

struct Search {
    size_t searches;
};

static Game *game_new(Error *err)
{
    (void)err;
    return calloc(1, sizeof(Game));
}

static void game_free(Game *game)
{
    free(game);
}

static Status game_set(Game *game, const char *fen, Error *err)
{
    (void)err;
    *game = (Game){.stones = atoi(fen)};
    return STATUS_OK;
}

static void game_fen(const Game *game, char *fen)
{
    snprintf(fen, ENGINE_MAX_FEN, "%d", game->stones);
}

static Side game_side(const Game *game)
{
    return game->plies % 2 == 0 ? SIDE_WHITE : SIDE_BLACK;
}

static uint64_t game_key(const Game *game)
{
    return (uint64_t)game->stones * 2 + game->plies % 2 + 2;
}

static size_t game_moves(Game *game, Move *moves)
{
    size_t count = 0;
    for (int take = 1; take <= 3 && take <= game->stones; take++)
        moves[count++] = (Move)take;
    return count;
}

static Ending game_ending(Game *game)
{
    if (game->stones > 0)
        return (Ending){END_NONE, OUTCOME_NONE};
    if (fake_thought.draw_at_the_end)
        return (Ending){END_STALEMATE, OUTCOME_DRAW};
    return (Ending){END_MATE, game_side(game) == SIDE_WHITE ? OUTCOME_BLACK : OUTCOME_WHITE};
}

static Status game_play(Game *game, Move move, Error *err)
{
    (void)err;
    game->stones -= move;
    game->plies++;
    return STATUS_OK;
}

static Search *search_new(size_t hash_mib, int threads, Error *err)
{
    (void)hash_mib, (void)threads, (void)err;
    return calloc(1, sizeof(Search));
}

static void search_free(Search *search)
{
    free(search);
}

static void search_clear(Search *search)
{
    search->searches = 0;
}

static void search_set_weights(Search *search, const Weight *weights)
{
    (void)search, (void)weights;
}

static SearchResult search_run(Search *search, const Game *game, const SearchLimits *limits,
                               SearchReport report, void *context)
{
    (void)report, (void)context;
    fake_limits = *limits;
    int white = fake_thought.score_white_cp;
    if (fake_thought.scores != NULL) {
        size_t last = fake_thought.score_count - 1;
        white = fake_thought.scores[search->searches < last ? search->searches : last];
    }
    search->searches++;
    int score = game_side(game) == SIDE_WHITE ? white : -white;
    Move best = fake_thought.best != MOVE_NONE ? fake_thought.best : 1;
    SearchResult result = {.best = best, .score = score, .depth = 1, .nodes = fake_thought.nodes};
    for (int take = 1; take <= limits->multi_pv && take <= game->stones && take <= 3; take++) {
        result.lines[result.line_count].move = (Move)take;
        result.lines[result.line_count++].score = score;
    }
    return result;
}

static void search_stop(Search *search)
{
    (void)search;
}

const Engine fake_engine = {
    .name = "fake",
    .title = "Fake",
    .start_fen = "1000",
    .game_new = game_new,
    .game_free = game_free,
    .game_set = game_set,
    .game_fen = game_fen,
    .game_side = game_side,
    .game_key = game_key,
    .game_moves = game_moves,
    .game_ending = game_ending,
    .game_play = game_play,
    .search_new = search_new,
    .search_free = search_free,
    .search_clear = search_clear,
    .search_set_weights = search_set_weights,
    .search_run = search_run,
    .search_stop = search_stop,
};
