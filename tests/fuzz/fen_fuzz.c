/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fen_fuzz.c - a FEN of any variant: what is accepted comes back and can be played on. */
#include "fuzz.h"

#include "engine.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE_STRIDE = 16 };

/* A move is found by the first and the last number of its share. */
static void expect_share(const Engine *engine, Game *game, Move move)
{
    MoveShare found;
    uint32_t total = engine->order_total(game, false);
    MoveShare share = engine->order_share(game, move);
    FUZZ_EXPECT(share.size > 0 && share.begin < total && share.size <= total - share.begin);
    FUZZ_EXPECT(engine->order_move(game, share.begin, &found) == move);
    FUZZ_EXPECT(engine->order_move(game, share.begin + share.size - 1, &found) == move);
}

/* Every function of a game on the position that was accepted. */
static void use_game(const Engine *engine, Game *game)
{
    static Trace trace;
    char fen[ENGINE_MAX_FEN], again[ENGINE_MAX_FEN], text[ENGINE_MAX_MOVE_TEXT];
    Move moves[ENGINE_MAX_MOVES];
    engine->game_fen(game, fen);
    FUZZ_EXPECT(engine->game_set(game, fen, NULL) == STATUS_OK);
    engine->game_fen(game, again);
    FUZZ_EXPECT(strcmp(fen, again) == 0);
    engine->game_ending(game);
    engine->evaluate(game, NULL);
    engine->trace(game, &trace);
    FUZZ_EXPECT(trace.count <= ENGINE_MAX_TRACE);
    free(engine->game_picture(game));
    size_t count = engine->game_moves(game, moves);
    FUZZ_EXPECT(count <= ENGINE_MAX_MOVES);
    for (size_t i = 0; i < count; i++) {
        engine->move_uci(game, moves[i], text);
        FUZZ_EXPECT(strlen(text) < ENGINE_MAX_MOVE_TEXT);
        if (i % SHARE_STRIDE == 0)
            expect_share(engine, game, moves[i]);
        engine->game_play(game, moves[i], NULL);
        engine->game_fen(game, again);
        engine->game_undo(game);
        engine->game_fen(game, again);
        FUZZ_EXPECT(strcmp(fen, again) == 0);
    }
    if (count) {
        engine->move_san(game, moves[count / 2], text);
        FUZZ_EXPECT(strlen(text) < ENGINE_MAX_MOVE_TEXT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *fen = fuzz_text(data, size);
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        Game *game = engine->game_new(NULL);
        FUZZ_EXPECT(game != NULL);
        Error err = {.message = ""};
        Status status = engine->game_set(game, fen, &err);
        if (status)
            FUZZ_EXPECT(status == STATUS_FORMAT && err.message[0]);
        else
            use_game(engine, game);
        engine->game_free(game);
    }
    free(fen);
    return 0;
}
