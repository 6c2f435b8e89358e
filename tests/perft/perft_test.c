/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perft_test.c - counts leaves and compares them with a reference table.
 *
 *     perft_test VARIANT FILE.epd LIMIT
 *
 * A line of the table is `FEN ;D1 n ;D2 n ...`, `#` begins a comment. Counts above LIMIT are left
 * out (0 = none is), so that one table serves quick and thorough runs.
 */
#include "engine.h"

#include "support/files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Totals {
    uint64_t rows, counts, leaves, wrong;
} Totals;

/* Counts the depths of one row, `fen` and its list `;D1 n ;D2 n`. False if that is no such row. */
static bool check_row(const Engine *engine, Game *game, const char *fen, char *list, uint64_t limit,
                      Totals *totals)
{
    Error err;
    if (engine->game_set(game, fen, &err)) {
        printf("%s: %s\n", fen, err.message);
        return false;
    }
    char *rest = NULL;
    for (char *item = strtok_r(list, ";", &rest); item; item = strtok_r(NULL, ";", &rest)) {
        int depth;
        uint64_t expected;
        if (sscanf(item, " D%d %" SCNu64, &depth, &expected) != 2) {
            printf("%s: '%s' is not 'D<depth> <leaves>'\n", fen, item);
            return false;
        }
        if (limit && expected > limit)
            continue;
        uint64_t leaves = engine->perft(game, depth);
        if (leaves != expected) {
            printf("%s: depth %d has %" PRIu64 " leaves, expected %" PRIu64 "\n", fen, depth,
                   leaves, expected);
            totals->wrong++;
        }
        totals->counts++;
        totals->leaves += leaves;
    }
    totals->rows++;
    return true;
}

static bool check_table(const Engine *engine, Game *game, char *text, uint64_t limit,
                        Totals *totals)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#')
            continue;
        char *list = strchr(line, ';');
        if (!list) {
            printf("'%s' has no counts\n", line);
            return false;
        }
        *list++ = '\0';
        if (!check_row(engine, game, line, list, limit, totals))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const Engine *engine = argc == 4 ? engine_find(argv[1]) : NULL;
    if (!engine) {
        fprintf(stderr, "usage: perft_test VARIANT FILE.epd LIMIT\n");
        return 2;
    }
    Error err;
    char *text = NULL;
    size_t size;
    Game *game = engine->game_new(&err);
    if (!game || file_read_all(argv[2], &text, &size, &err)) {
        fprintf(stderr, "%s\n", err.message);
        engine->game_free(game);
        return 1;
    }
    Totals totals = {0};
    bool read = check_table(engine, game, text, strtoull(argv[3], NULL, 10), &totals);
    printf("%s: %" PRIu64 " positions, %" PRIu64 " counts, %" PRIu64 " leaves, %" PRIu64 " wrong\n",
           argv[1], totals.rows, totals.counts, totals.leaves, totals.wrong);
    free(text);
    engine->game_free(game);
    return read && totals.counts && !totals.wrong ? 0 : 1;
}
