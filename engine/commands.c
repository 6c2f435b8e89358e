/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands.c - campmate bench, perft, eval and --version; `moves` is in command_moves.c. */
#include "commands.h"

#include "bench.h"
#include "command_parts.h"
#include "eval_table.h"
#include "support/clock.h"
#include "support/version.h"
#include "weights_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what the subcommands share -------------------------------------------------------------- */

CommandResult command_failed(const Error *err)
{
    return err->status == STATUS_ARGUMENT ? COMMAND_USAGE : COMMAND_FAILED;
}

CommandResult command_options_result(OptionsVerdict verdict, const Error *err)
{
    return (CommandResult)options_exit_code(verdict, err);
}

const Engine *command_engine(const char *variant, Error *err)
{
    const Engine *engine = variant ? engine_find(variant) : engine_at(0);
    if (!engine)
        error_set(err, STATUS_ARGUMENT, "unknown variant \"%s\", known are %s", variant,
                  engine_names());
    return engine;
}

/* Words joined by blanks, malloc'ed; NULL with err when out of memory. */
static char *join(const char *const *words, size_t count, Error *err)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(words[i]) + 1;
    char *text = malloc(size), *end = text;
    if (!text) {
        error_set(err, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(words[i]);
        if (i > 0)
            *end++ = ' ';
        memcpy(end, words[i], length);
        end += length;
    }
    *end = '\0';
    return text;
}

/* A game at the FEN that `count` words make up, quoted or not; none: the start position. */
static Game *new_game(const Engine *engine, const char *const *words, size_t count, Error *err)
{
    char *fen = join(words, count, err);
    Game *game = fen ? engine->game_new(err) : NULL;
    if (game && count > 0 && engine->game_set(game, fen, err) != STATUS_OK) {
        err->status = STATUS_ARGUMENT; /* what stood on the command line is wrong */
        engine->game_free(game);
        game = NULL;
    }
    free(fen);
    return game;
}

/* The weights of a header file; *weights stays NULL (the compiled ones) without a path. */
static Status read_weights(const Engine *engine, const char *path, Weight **weights, Error *err)
{
    if (!path)
        return STATUS_OK;
    Weight *read = malloc(sizeof *read * (size_t)engine->weight_count);
    if (!read)
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    Status status = weights_file_read(engine, path, read, err);
    if (status != STATUS_OK) {
        free(read);
        return status;
    }
    *weights = read;
    return STATUS_OK;
}

static double per_second(uint64_t count, double seconds)
{
    return (double)count / (seconds > 1e-6 ? seconds : 1e-6);
}

/* --- bench -------------------------------------------------------------------------------------
 */

#define BENCH_OPTIONS(X)                                                                           \
    X(text, variant, NULL, 0, 0, "V", "only this variant")                                         \
    X(flag, perft, NULL, 0, 0, NULL, "count leaves by perft instead of searching")                 \
    X(text, eval_file, NULL, 0, 0, "FILE", "weights from this generated header; needs --variant")  \
    X(flag, json, NULL, 0, 0, NULL, "print the result as JSON on standard output")
typedef struct BenchOptions {
    BENCH_OPTIONS(OPTION_MEMBER)
} BenchOptions;
#define OPTIONS_STRUCT BenchOptions
static const Option bench_rows[] = {BENCH_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable bench_table = {
    .program = "campmate bench",
    .summary =
        "Search fixed positions to a fixed depth: the sum of nodes is the build's signature.",
    .usage = "",
    .details = "Builds with the same signature play the same moves, whatever the compiler and the CPU. "
               "With --eval-file it says the same of weights.",
    .rows = bench_rows,
    .count = sizeof bench_rows / sizeof bench_rows[0],
    .variants = engine_names,
};

static Status bench_search(const Engine *engine, const BenchOptions *options, bool first,
                           uint64_t *nodes, double *seconds, Error *err)
{
    Weight *weights = NULL;
    Status status = read_weights(engine, options->eval_file, &weights, err);
    if (status != STATUS_OK)
        return status;
    double used = 0;
    uint64_t found = bench_nodes(engine, weights, &used, err);
    free(weights);
    if (found == 0)
        return err->status;
    printf(options->json ? "%s{\"variant\":\"%s\",\"nodes\":%" PRIu64 ",\"nps\":%.0f}"
                         : "%s%s: %" PRIu64 " nodes %.0f nps\n",
           options->json && !first ? "," : "", engine->name, found, per_second(found, used));
    fflush(stdout);
    *nodes += found;
    *seconds += used;
    return STATUS_OK;
}

static Status bench_leaves(const Engine *engine, const BenchOptions *options, bool first,
                           uint64_t *leaves, double *seconds, Error *err)
{
    BenchPerft start, others;
    Status status = bench_perft(engine, &start, &others, err);
    if (status != STATUS_OK)
        return status;
    printf(options->json ? "%s{\"variant\":\"%s\",\"start_leaves\":%" PRIu64
                           ",\"start_leaves_per_second\":%.0f"
                           ",\"other_leaves\":%" PRIu64 ",\"other_leaves_per_second\":%.0f}"
                         : "%s%s: start position %" PRIu64 " leaves %.0f leaves/s, others %" PRIu64
                           " leaves %.0f leaves/s\n",
           options->json && !first ? "," : "", engine->name, start.leaves,
           per_second(start.leaves, start.seconds), others.leaves,
           per_second(others.leaves, others.seconds));
    fflush(stdout);
    *leaves += start.leaves + others.leaves;
    *seconds += start.seconds + others.seconds;
    return STATUS_OK;
}

CommandResult command_bench(int argc, char **argv, Error *err)
{
    BenchOptions options;
    OptionsVerdict verdict = options_parse(&bench_table, argc, argv, &options, NULL, err);
    if (verdict != OPTIONS_RUN)
        return command_options_result(verdict, err);
    Status status = STATUS_OK;
    uint64_t total = 0;
    double seconds = 0;
    bool first = true;
    if (options.variant && !command_engine(options.variant, err)) {
        status = err->status;
        goto cleanup;
    }
    if (options.eval_file && (!options.variant || options.perft)) {
        status = error_set(err, STATUS_ARGUMENT,
                           "--eval-file needs --variant and does not go with --perft");
        goto cleanup;
    }
    if (options.json)
        printf("{\"variants\":[");
    for (size_t i = 0; status == STATUS_OK && engine_at(i); i++) {
        const Engine *engine = engine_at(i);
        if (options.variant && strcmp(options.variant, engine->name) != 0)
            continue;
        status = (options.perft ? bench_leaves : bench_search)(engine, &options, first, &total,
                                                               &seconds, err);
        first = false;
    }
    if (status != STATUS_OK)
        goto cleanup;
    const char *what = options.perft ? "leaves" : "nodes";
    double speed = per_second(total, seconds);
    if (options.json)
        printf("],\"%s\":%" PRIu64 ",\"%s\":%.0f}\n", what, total,
               options.perft ? "leaves_per_second" : "nps", speed);
    else
        printf("Total: %" PRIu64 " %s %.0f %s\n", total, what, speed,
               options.perft ? "leaves/s" : "nps");
cleanup:
    options_free(&bench_table, &options, NULL);
    return status == STATUS_OK ? COMMAND_DONE : command_failed(err);
}

/* --- perft ---------------------------------------------------------------------------------------
 */

#define PERFT_OPTIONS(X)                                                                           \
    X(flag, divide, NULL, 0, 0, NULL, "also print the leaves below each first move")               \
    X(flag, json, NULL, 0, 0, NULL, "print the result as JSON on standard output")
typedef struct PerftOptions {
    PERFT_OPTIONS(OPTION_MEMBER)
} PerftOptions;
#define OPTIONS_STRUCT PerftOptions
static const Option perft_rows[] = {PERFT_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable perft_table = {
    .program = "campmate perft",
    .summary = "Count the leaves of the tree of moves. History plays no part in it.",
    .usage = "VARIANT DEPTH [FEN]",
    .details = "Without a FEN it counts from the start position. Games that are over have no moves.\n\n"
               "Example: campmate perft mansindam 4",
    .rows = perft_rows,
    .count = sizeof perft_rows / sizeof perft_rows[0],
    .variants = engine_names,
};
enum { PERFT_MAX_DEPTH = 40 };

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Prints the leaves below each move, moves in alphabetical order, and sums them up. */
static Status divide(const Engine *engine, Game *game, int depth, bool json, uint64_t *leaves,
                     Error *err)
{
    char texts[ENGINE_MAX_MOVES][ENGINE_MAX_MOVE_TEXT];
    Move moves[ENGINE_MAX_MOVES];
    size_t count = engine->game_moves(game, moves);
    for (size_t i = 0; i < count; i++)
        engine->move_uci(game, moves[i], texts[i]);
    qsort(texts, count, sizeof texts[0], compare_texts);
    *leaves = 0;
    for (size_t i = 0; i < count; i++) {
        Move move;
        Status status = engine->move_from_uci(game, texts[i], &move, err);
        if (status == STATUS_OK)
            status = engine->game_play(game, move, err);
        if (status != STATUS_OK)
            return status;
        uint64_t below = engine->perft(game, depth - 1);
        engine->game_undo(game);
        printf(json ? "%s\"%s\":%" PRIu64 : "%s%s: %" PRIu64 "\n", json && i > 0 ? "," : "",
               texts[i], below);
        *leaves += below;
    }
    return STATUS_OK;
}

/* VARIANT and DEPTH of the command line. */
static const Engine *perft_arguments(const OptionList *arguments, int *depth, Error *err)
{
    if (arguments->count < 2) {
        error_set(err, STATUS_ARGUMENT, "perft needs VARIANT and DEPTH");
        return NULL;
    }
    const char *text = arguments->items[1];
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < 0 || value > PERFT_MAX_DEPTH) {
        error_set(err, STATUS_ARGUMENT, "DEPTH: expected a number from 0 to %d, found \"%s\"",
                  PERFT_MAX_DEPTH, text);
        return NULL;
    }
    *depth = (int)value;
    return command_engine(arguments->items[0], err);
}

CommandResult command_perft(int argc, char **argv, Error *err)
{
    PerftOptions options;
    OptionList arguments;
    OptionsVerdict verdict = options_parse(&perft_table, argc, argv, &options, &arguments, err);
    if (verdict != OPTIONS_RUN)
        return command_options_result(verdict, err);
    int depth = 0;
    Game *game = NULL;
    Status status = STATUS_OK;
    const Engine *engine = perft_arguments(&arguments, &depth, err);
    if (engine)
        game = new_game(engine, arguments.items + 2, arguments.count - 2, err);
    if (!game) {
        status = err->status;
        goto cleanup;
    }
    uint64_t leaves = 0;
    double start = clock_seconds();
    if (options.json)
        printf(options.divide ? "{\"divide\":{" : "{");
    if (options.divide && depth > 0)
        status = divide(engine, game, depth, options.json, &leaves, err);
    else
        leaves = engine->perft(game, depth);
    if (status != STATUS_OK)
        goto cleanup;
    double seconds = clock_seconds_since(start);
    if (options.json)
        printf("%s\"variant\":\"%s\",\"depth\":%d,\"nodes\":%" PRIu64
               ",\"seconds\":%.6f,\"nps\":%.0f}\n",
               options.divide ? "}," : "", engine->name, depth, leaves, seconds,
               per_second(leaves, seconds));
    else
        printf("%snodes %" PRIu64 "\nseconds %.3f\nnps %.0f\n", options.divide ? "\n" : "", leaves,
               seconds, per_second(leaves, seconds));
cleanup:
    if (engine)
        engine->game_free(game);
    options_free(&perft_table, &options, &arguments);
    return status == STATUS_OK ? COMMAND_DONE : command_failed(err);
}

/* --- eval ----------------------------------------------------------------------------------------
 */

#define EVAL_OPTIONS(X)                                                                            \
    X(text, variant, NULL, 0, 0, "V", "the game, the first of --version if not given")             \
    X(text, eval_file, NULL, 0, 0, "FILE", "weights from this generated header")
typedef struct EvalOptions {
    EVAL_OPTIONS(OPTION_MEMBER)
} EvalOptions;
#define OPTIONS_STRUCT EvalOptions
static const Option eval_rows[] = {EVAL_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable eval_options_table = {
    .program = "campmate eval",
    .summary =
        "Static evaluation of a position (the start position without a FEN) by group of terms.",
    .usage = "[FEN]",
    .details = "Centipawns from White's side; the middlegame and endgame columns are mixed by the phase.\n\n"
               "Example: campmate eval --variant shogun",
    .rows = eval_rows,
    .count = sizeof eval_rows / sizeof eval_rows[0],
    .variants = engine_names,
};

CommandResult command_eval(int argc, char **argv, Error *err)
{
    EvalOptions options;
    OptionList words;
    OptionsVerdict verdict = options_parse(&eval_options_table, argc, argv, &options, &words, err);
    if (verdict != OPTIONS_RUN)
        return command_options_result(verdict, err);
    Game *game = NULL;
    Weight *weights = NULL;
    char *table = NULL;
    const Engine *engine = command_engine(options.variant, err);
    if (engine)
        game = new_game(engine, words.items, words.count, err);
    Status status = game ? read_weights(engine, options.eval_file, &weights, err) : err->status;
    if (status == STATUS_OK && !(table = eval_table(engine, game, weights)))
        status = error_set(err, STATUS_NO_MEMORY, "out of memory");
    if (status == STATUS_OK)
        fputs(table, stdout);
    free(table);
    free(weights);
    if (engine)
        engine->game_free(game);
    options_free(&eval_options_table, &options, &words);
    return status == STATUS_OK ? COMMAND_DONE : command_failed(err);
}

/* --- version -------------------------------------------------------------------------------------
 */

void command_version(void)
{
    printf("campmate %s\n"
           "commit    %s\n"
           "compiler  %s\n"
           "level     %s\n"
           "variants  %s\n",
           version_number(), version_commit(), version_compiler(), version_level(), engine_names());
    for (size_t i = 0; engine_at(i); i++)
        printf("weights   %s: %s: %s\n", engine_at(i)->name, engine_at(i)->weights_header,
               engine_at(i)->weights_provenance);
}
