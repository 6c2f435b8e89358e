/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.c - the signature of a build, and the speed of its move generator. */
#include "bench.h"

#include "bench_positions.h"
#include "support/clock.h"

#include <string.h>

enum {
    BENCH_HASH_MIB = 16,
    BENCH_MAX_NODES = 100000, /* for each position */
    BENCH_DEFAULT_DEPTH = 6, /* of a variant that bench_depths does not know */
    POSITION_COUNT = sizeof bench_positions / sizeof bench_positions[0],
    DEPTH_COUNT = sizeof bench_depths / sizeof bench_depths[0]
};

static int search_depth(const Engine *engine)
{
    for (size_t i = 0; i < DEPTH_COUNT; i++)
        if (strcmp(bench_depths[i].variant, engine->name) == 0)
            return bench_depths[i].depth;
    return BENCH_DEFAULT_DEPTH;
}

/* The variant's bench position after `last` (NULL: the first), NULL if there is none. A variant
 * without any in the table has its start position. */
static const BenchPosition *next_position(const Engine *engine, const BenchPosition *last)
{
    static const BenchPosition start_only = {"", NULL, 4};
    if (last == &start_only)
        return NULL;
    for (const BenchPosition *position = last ? last + 1 : bench_positions;
         position < bench_positions + POSITION_COUNT; position++)
        if (strcmp(position->variant, engine->name) == 0)
            return position;
    return last ? NULL : &start_only;
}

uint64_t bench_nodes(const Engine *engine, const Weight *weights, double *seconds, Error *err)
{
    /* The limit of nodes is for weights that know nothing: their searches cut little. */
    const SearchLimits limits = {.depth = search_depth(engine), .nodes = BENCH_MAX_NODES};
    uint64_t nodes = 0;
    double used = 0;
    Search *search = engine->search_new(BENCH_HASH_MIB, 1, err);
    Game *game = search ? engine->game_new(err) : NULL;
    Status status = game ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK)
        engine->search_set_weights(search, weights);
    for (const BenchPosition *at = NULL;
         status == STATUS_OK && (at = next_position(engine, at)) != NULL;) {
        status = engine->game_set(game, at->fen, err);
        if (status != STATUS_OK)
            break;
        engine->search_clear(search);
        double start = clock_seconds();
        nodes += engine->search_run(search, game, &limits, NULL, NULL).nodes;
        used += clock_seconds_since(start);
    }
    engine->game_free(game);
    engine->search_free(search);
    if (status != STATUS_OK)
        return 0;
    if (seconds)
        *seconds = used;
    return nodes;
}

Status bench_perft(const Engine *engine, BenchPerft *start, BenchPerft *others, Error *err)
{
    BenchPerft sums[2] = {{0, 0}, {0, 0}};
    BenchPerft *sum = &sums[0];
    Game *game = engine->game_new(err);
    Status status = game ? STATUS_OK : STATUS_NO_MEMORY;
    for (const BenchPosition *at = NULL;
         status == STATUS_OK && (at = next_position(engine, at)) != NULL;) {
        if (at->perft_depth == 0)
            continue;
        status = engine->game_set(game, at->fen, err);
        if (status != STATUS_OK)
            break;
        double began = clock_seconds();
        sum->leaves += engine->perft(game, at->perft_depth);
        sum->seconds += clock_seconds_since(began);
        sum = &sums[1];
    }
    engine->game_free(game);
    if (status == STATUS_OK) {
        *start = sums[0];
        *others = sums[1];
    }
    return status;
}
