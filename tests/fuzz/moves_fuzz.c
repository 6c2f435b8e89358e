/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * moves_fuzz.c - moves as text from the start position on: each word is tried as UCI and as SAN
 * and played if it is legal.
 */
#include "fuzz.h"

#include "engine.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 400 };

/* Plays a word if it is a move in the notation of `read`. */
static void try_word(const Engine *engine, Game *game, const char *word,
                     Status (*read)(Game *, const char *, Move *, Error *))
{
    char text[ENGINE_MAX_MOVE_TEXT];
    Move move = MOVE_NONE, again = MOVE_NONE;
    Error err = {.message = ""};
    Status status = read(game, word, &move, &err);
    if (status) {
        FUZZ_EXPECT(err.message[0]);
        return;
    }
    engine->move_uci(game, move, text);
    FUZZ_EXPECT(engine->move_from_uci(game, text, &again, NULL) == STATUS_OK && again == move);
    engine->move_san(game, move, text);
    FUZZ_EXPECT(engine->move_from_san(game, text, &again, NULL) == STATUS_OK && again == move);
    FUZZ_EXPECT(engine->game_play(game, move, NULL) == STATUS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        char *text = fuzz_text(data, size), *rest = NULL;
        Game *game = engine->game_new(NULL);
        FUZZ_EXPECT(game != NULL);
        int words = 0;
        for (char *word = strtok_r(text, " \n", &rest); word && words < MAX_WORDS;
             word = strtok_r(NULL, " \n", &rest), words++) {
            try_word(engine, game, word, engine->move_from_uci);
            try_word(engine, game, word, engine->move_from_san);
        }
        engine->game_free(game);
        free(text);
    }
    return 0;
}
