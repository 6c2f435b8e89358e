/* SPDX-License-Identifier: GPL-3.0-or-later */
/* weights_fuzz.c - a weights header read at run time: refused with a place, or read whole. */
#include "fuzz.h"

#include "weights_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        Weight *weights = malloc((size_t)engine->weight_count * sizeof *weights);
        Game *game = engine->game_new(NULL);
        FUZZ_EXPECT(weights && game);
        Error err = {.message = ""};
        Status status = weights_file_parse(engine, "fuzz", (const char *)data, size, weights, &err);
        if (status)
            FUZZ_EXPECT(err.message[0]);
        else
            engine->evaluate(game, weights);
        engine->game_free(game);
        free(weights);
    }
    return 0;
}
