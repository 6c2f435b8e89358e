/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config_fuzz.c - a configuration file: whatever it says, values stay in their ranges. */
#include "fuzz.h"

#include "support/options.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define FUZZ_OPTIONS(X)                                                                            \
    COMMON_OPTIONS(X)                                                                              \
    X(int,  nodes,     "5000", 1, 1000000, "N",    "nodes")                                        \
    X(real, share,     "0.5",  0, 1,       "X",    "share")                                        \
    X(text, variant,   NULL,   0, 0,       "V",    "variant")                                      \
    X(list, engine,    NULL,   0, 0,       "SPEC", "engines")
/* clang-format on */
typedef struct FuzzOptions {
    FUZZ_OPTIONS(OPTION_MEMBER)
} FuzzOptions;
#define OPTIONS_STRUCT FuzzOptions
static const Option rows[] = {FUZZ_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable table = {.program = "fuzz",
                                  .summary = "fuzz",
                                  .usage = "",
                                  .rows = rows,
                                  .count = sizeof rows / sizeof rows[0]};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char program[] = "fuzz", option[] = "--config", path[64];
    strcpy(path, fuzz_file(data, size));
    char *arguments[] = {program, option, path, NULL};
    FuzzOptions options = {0};
    Error err = {.message = ""};
    OptionsVerdict verdict = options_parse(&table, 3, arguments, &options, NULL, &err);
    if (verdict == OPTIONS_RUN) {
        FUZZ_EXPECT(options.nodes >= 1 && options.nodes <= 1000000);
        FUZZ_EXPECT(options.share >= 0 && options.share <= 1);
        free(options_effective(&table, &options, NULL));
    } else {
        FUZZ_EXPECT(verdict == OPTIONS_WRONG && err.message[0]);
    }
    options_free(&table, &options, NULL);
    return 0;
}
