/* SPDX-License-Identifier: GPL-3.0-or-later */
/* go_fuzz.c - the arguments of the UCI command `go`: limits always make sense. */
#include "fuzz.h"

#include "uci_go.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static GoCommand command;
    char *text = fuzz_text(data, size);
    go_parse(text, &command);
    FUZZ_EXPECT(command.move_count <= GO_MAX_SEARCH_MOVES);
    FUZZ_EXPECT(!command.has_perft || command.perft >= 1);
    for (int side = 0; side < 2; side++) {
        SearchLimits limits = go_resolve(&command, (Side)side);
        FUZZ_EXPECT(limits.depth >= 0 && limits.mate >= 0 && limits.moves_to_go >= 0);
        FUZZ_EXPECT(!limits.has_movetime || limits.movetime_ms >= 0);
        FUZZ_EXPECT(!limits.has_clock || limits.time_ms[side] >= 0);
        FUZZ_EXPECT(limits.byoyomi_ms >= 0);
    }
    free(text);
    return 0;
}
