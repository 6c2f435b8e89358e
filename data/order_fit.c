/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * order_fit.c - fits the table of a variant's measure of moves (engine/core/order.h) to the games of
 * datasets and writes it as a header. A developer's tool: what it writes is part of the format for
 * ever, so it is run once for a version of the format (data/FORMAT.md says how).
 *
 *     order-fit PASSES DATASET... > engine/orders/VARIANT.h
 *
 * Maximises the likelihood of the moves played (a multinomial logit, so concave) by stochastic
 * gradient steps; one game in ten is held out to show what a move costs. Moves drawn at random are
 * left out: they are stored as such.
 */
#include "dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Ply {
    size_t first; /* of its moves in `moves` */
    uint16_t moves, chosen;
} Ply;

/* All moves of all plies, and the terms of each, one after the other. */
typedef struct Games {
    const Engine *engine;
    Ply *plies;
    size_t ply_count, held_out; /* plies from held_out on are not fitted to */
    uint32_t *offsets;          /* [move], of its terms; [move + 1] ends them */
    size_t move_count;
    uint16_t *terms;
    size_t term_count;
} Games;

static void *grown(void *array, size_t count, size_t size)
{
    if (count & (count - 1))
        return array;
    void *more = realloc(array, (count ? 2 * count : 1) * size);
    if (!more) {
        fprintf(stderr, "order-fit: out of memory\n");
        exit(1);
    }
    return more;
}

static void add_ply(Games *games, Game *game, Move chosen)
{
    const Engine *engine = games->engine;
    Move moves[ENGINE_MAX_MOVES];
    uint32_t total = engine->order_total(game, true);
    games->plies = grown(games->plies, games->ply_count, sizeof *games->plies);
    Ply *ply = &games->plies[games->ply_count++];
    *ply = (Ply){games->move_count, (uint16_t)total, 0};
    for (uint32_t i = 0; i < total; i++) {
        MoveShare share;
        moves[i] = engine->order_move(game, i, &share);
        if (moves[i] == chosen)
            ply->chosen = (uint16_t)i;
        uint16_t terms[ENGINE_MAX_ORDER_TERMS];
        size_t count = engine->order_terms(game, moves[i], terms);
        games->offsets = grown(games->offsets, games->move_count, sizeof *games->offsets);
        games->offsets[games->move_count++] = (uint32_t)games->term_count;
        for (size_t k = 0; k < count; k++) {
            games->terms = grown(games->terms, games->term_count, sizeof *games->terms);
            games->terms[games->term_count++] = terms[k];
        }
    }
}

/* Every tenth game is left for the second call. */
static bool load(Games *games, const Dataset *dataset, bool held_out, Error *err)
{
    Game *game = games->engine->game_new(err);
    GameRecord record = {0};
    size_t number = 0;
    bool good = game != NULL;
    for (size_t i = 0; good && i < dataset_shard_count(dataset); i++) {
        ShardCursor *cursor = NULL;
        bool end = false;
        good = shard_cursor_open(&cursor, dataset, i, err) == STATUS_OK;
        while (good && !end) {
            good = shard_cursor_next(cursor, &record, &end, err) == STATUS_OK;
            if (!good || end || (number++ % 10 == 9) != held_out)
                continue;
            games->engine->game_set(game, record.start_fen, err);
            for (size_t k = 0; k < record.ply_count; k++) {
                if (!(record.plies[k].flags & PLY_RANDOM))
                    add_ply(games, game, record.plies[k].move);
                games->engine->game_play(game, record.plies[k].move, err);
            }
        }
        shard_cursor_close(cursor);
    }
    game_record_free(&record);
    games->engine->game_free(game);
    return good;
}

/* Bits for the move of a ply; steps along the gradient when rate > 0. */
static double visit(const Games *games, const Ply *ply, float *table, float rate)
{
    static float chances[ENGINE_MAX_MOVES];
    float total = 0, top = -1e9F;
    for (size_t i = 0; i < ply->moves; i++) {
        float sum = 0;
        for (uint32_t k = games->offsets[ply->first + i]; k < games->offsets[ply->first + i + 1]; k++)
            sum += table[games->terms[k]];
        chances[i] = sum;
        top = sum > top ? sum : top;
    }
    for (size_t i = 0; i < ply->moves; i++)
        total += chances[i] = exp2f((chances[i] - top) / 16);
    if (rate > 0)
        for (size_t i = 0; i < ply->moves; i++) {
            float step = rate * ((i == ply->chosen) - chances[i] / total);
            for (uint32_t k = games->offsets[ply->first + i]; k < games->offsets[ply->first + i + 1]; k++)
                table[games->terms[k]] += step;
        }
    return -log2((double)(chances[ply->chosen] / total));
}

static double mean_bits(const Games *games, float *table, size_t from, size_t to)
{
    double bits = 0;
    for (size_t i = from; i < to; i++)
        bits += visit(games, &games->plies[i], table, 0);
    return bits / (double)(to - from);
}

static void emit(const Games *games, const float *table, const char *origin)
{
    const Engine *engine = games->engine;
    printf("/* SPDX-License-Identifier: GPL-3.0-or-later */\n/*\n"
           " * %s - how likely moves are in %s (core/order.h), in 1/16 bit.\n"
           " * FROZEN: stored games depend on every number. Made by order-fit from %s.\n */\n"
           "/* clang-format off */\nstatic const int8_t order_table[ORDER_ENTRIES] = {",
           engine->order_header, engine->title, origin);
    for (size_t i = 0; i < engine->order_entries; i++) {
        float limited = fminf(fmaxf(table[i], -127), 127);
        printf("%s%d,", i % 20 ? " " : "\n    ", (int)lroundf(limited));
    }
    printf("\n};\n/* clang-format on */\n");
}

int main(int argc, char **argv)
{
    Error err = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: order-fit PASSES DATASET...\n");
        return 2;
    }
    Games games = {0};
    size_t count = (size_t)argc - 2;
    Dataset **datasets = calloc(count, sizeof *datasets);
    char origin[512] = "";
    if (!datasets)
        return 1;
    for (size_t i = 0; i < count; i++) {
        if (dataset_open(&datasets[i], argv[i + 2], &err) != STATUS_OK) {
            fprintf(stderr, "order-fit: %s\n", err.message);
            return 1;
        }
        games.engine = dataset_engine(datasets[i]);
        char digest[33];
        dataset_digest(datasets[i], digest);
        size_t used = strlen(origin);
        snprintf(origin + used, sizeof origin - used, "%s%llu games (%s)", i ? ",\n * " : "",
                 (unsigned long long)dataset_game_count(datasets[i]), digest);
    }
    for (int held_out = 0; held_out < 2; held_out++) {
        for (size_t i = 0; i < count; i++)
            if (!load(&games, datasets[i], held_out, &err)) {
                fprintf(stderr, "order-fit: %s\n", err.message);
                return 1;
            }
        if (!held_out)
            games.held_out = games.ply_count;
    }
    games.offsets = grown(games.offsets, games.move_count, sizeof *games.offsets);
    games.offsets[games.move_count] = (uint32_t)games.term_count;
    float *table = calloc(games.engine->order_entries, sizeof *table);
    int passes = atoi(argv[1]);
    for (int pass = 0; table && pass < passes; pass++) {
        /* A stride that is prime to the count visits all plies, far from their neighbours. */
        float rate = 16 * 0.05F / (1 + (float)pass);
        for (size_t i = 0, at = 0; i < games.held_out; i++, at = (at + 1000003) % games.held_out)
            visit(&games, &games.plies[at], table, rate);
        fprintf(stderr, "pass %d: %.4f bits a move, held out %.4f\n", pass + 1,
                mean_bits(&games, table, 0, games.held_out),
                mean_bits(&games, table, games.held_out, games.ply_count));
    }
    for (size_t i = 0; table && i < games.engine->order_entries; i++)
        table[i] = fminf(fmaxf(roundf(table[i]), -127), 127);
    if (!table)
        return 1;
    fprintf(stderr, "rounded: held out %.4f\n",
            mean_bits(&games, table, games.held_out, games.ply_count));
    emit(&games, table, origin);
    return 0;
}
