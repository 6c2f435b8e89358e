/* SPDX-License-Identifier: GPL-3.0-or-later */
/* book_fuzz.c - an opening book: every position that is read can be set up. */
#include "fuzz.h"

#include "book.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        Book book = {0};
        Error err = {.message = ""};
        Status status = book_read(engine, fuzz_file(data, size), &book, &err);
        if (status) {
            FUZZ_EXPECT(err.message[0]);
            continue;
        }
        Game *game = engine->game_new(NULL);
        FUZZ_EXPECT(game && book.count);
        for (size_t line = 0; line < book.count; line++)
            FUZZ_EXPECT(engine->game_set(game, book.fens[line], NULL) == STATUS_OK);
        engine->game_free(game);
        book_free(&book);
    }
    return 0;
}
