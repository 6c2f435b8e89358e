/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine_line_fuzz.c - what UCI engines say: options and information about a search. */
#include "fuzz.h"

#include "uci_info.h"
#include "uci_option.h"

#include <stdlib.h>
#include <string.h>

static void read_option(const char *line)
{
    UciOption option;
    FUZZ_EXPECT(uci_option_read(&option, line, NULL) == STATUS_OK);
    FUZZ_EXPECT(option.min <= option.max || option.mistake[0] || !uci_option_is(&option, "spin"));
    if (!option.mistake[0]) {
        FUZZ_EXPECT(option.name[0] && option.type[0]);
        FUZZ_EXPECT(!uci_option_is(&option, "combo") || uci_option_has(&option, option.initial));
        FUZZ_EXPECT(!uci_option_is(&option, "spin") || (option.min_text && option.max_text));
    }
    for (size_t i = 0; i < option.value_count; i++)
        FUZZ_EXPECT(strlen(option.values[i]) <= strlen(line));
    uci_option_free(&option);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const Engine *rules;
    static Game *game;
    char fen[ENGINE_MAX_FEN];
    UciInfo info;
    if (!game) {
        rules = engine_at(0);
        game = rules->game_new(NULL);
    }
    char *text = fuzz_text(data, size);
    read_option(text);
    bool good = uci_info_read(&info, text, rules, game);
    FUZZ_EXPECT(good == !info.mistake[0]);
    FUZZ_EXPECT(info.multi_pv >= 0);
    /* It plays the moves of a variation, and takes them back. */
    rules->game_fen(game, fen);
    FUZZ_EXPECT(strcmp(fen, rules->start_fen) == 0);
    FUZZ_EXPECT(!good || uci_info_read(&info, text, NULL, NULL));
    free(text);
    return 0;
}
