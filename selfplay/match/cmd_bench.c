/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_bench.c - campmate-match bench: what the runner costs for each ply.
 *
 * Two engines that answer at once play a game that was made beforehand, so what a ply takes is the
 * runner's work and the way there and back. The engine is this program itself, started as
 * `campmate-match bench engine MOVE...`.
 */
#include "command.h"
#include "report.h"

#include "support/files.h"
#include "support/interrupt.h"
#include "support/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BENCH_OPTIONS(X)                                                                           \
    X(text, variant, "mansindam", 0, 0, "V", "game to play")                                       \
    X(int, games, "50", 2, 100000, "N", "games to play")                                           \
    X(int, plies, "200", 10, 400, "N", "plies of each game")                                       \
    X(int, concurrency, "1", 1, 512, "N", "games at the same time")

typedef struct BenchOptions {
    COMMON_OPTIONS(OPTION_MEMBER) BENCH_OPTIONS(OPTION_MEMBER)
} BenchOptions;
#define OPTIONS_STRUCT BenchOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) BENCH_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable table = {
    .program = "campmate-match bench",
    .summary = "What the runner costs for each ply, with engines that answer at once.",
    .usage = "",
    .details = "Prints the wall time of a ply all told (the question, its way to the engine, the "
               "answer, the rules) and the part of it between an answer and the next question.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .variants = engine_names,
};

/* The engine: plays the moves of its command line in turn, by the number of moves so far. */
static int answer(int count, char **moves)
{
    static char line[1 << 16];
    int plies = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "position", 8) == 0) {
            const char *at = strstr(line, " moves ");
            for (plies = 0; at && (at = strchr(at + 1, ' ')) && at[1] > ' ';)
                plies++;
        } else if (strncmp(line, "go", 2) == 0) {
            printf("info depth 1 score cp 0 nodes 1 pv\nbestmove %s\n",
                   count > 0 ? moves[plies % count] : "0000");
        } else if (strncmp(line, "ucinewgame", 10) == 0) {
            continue;
        } else if (strncmp(line, "uci", 3) == 0) {
            puts("uciok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "quit", 4) == 0) {
            break;
        }
    }
    return EXIT_DONE;
}

/* Adds random moves that do not end the game to `args`, as words; false if it ended all the same.
 */
static bool random_game(const Engine *engine, Game *game, Rng *rng, int64_t plies, FILE *args,
                        Error *err)
{
    static Move moves[ENGINE_MAX_MOVES];
    if (engine->game_set(game, NULL, err) != STATUS_OK)
        return false;
    for (int64_t ply = 0; ply < plies; ply++) {
        size_t count = engine->game_moves(game, moves);
        bool played = false;
        for (int attempt = 0; attempt < 50 && count > 0 && !played; attempt++) {
            char text[ENGINE_MAX_MOVE_TEXT];
            Move move = moves[rng_below(rng, count)];
            /* Captures bring the end nearer. */
            if (engine->game_is_noisy(game, move) && attempt < 40)
                continue;
            engine->move_uci(game, move, text);
            if (engine->game_play(game, move, err) != STATUS_OK)
                return false;
            played = engine->game_ending(game).reason == END_NONE;
            if (played)
                fprintf(args, " %s", text);
            else
                engine->game_undo(game);
        }
        if (!played)
            return false;
    }
    return true;
}

/* "engine m1 m2 ...": malloc'ed, NULL on failure. */
static char *engine_arguments(const Engine *engine, int64_t plies, Error *err)
{
    Game *game = engine->game_new(err);
    char *text = NULL;
    bool made = false;
    for (uint64_t attempt = 0; game && attempt < 200 && !made; attempt++) {
        size_t size;
        free(text);
        text = NULL;
        FILE *stream = open_memstream(&text, &size);
        if (!stream)
            break;
        Rng rng = rng_from(1, attempt);
        fputs("bench engine", stream);
        made = random_game(engine, game, &rng, plies, stream, err);
        made = fclose(stream) == 0 && made;
    }
    if (game)
        engine->game_free(game);
    if (made)
        return text;
    free(text);
    error_set(err, STATUS_IO, "no game of %" PRId64 " plies was found", plies);
    return NULL;
}

static double cpu_seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static Status play(const BenchOptions *options, const Engine *engine, MatchSummary *summary,
                   double *cpu, Error *err)
{
    EngineSpec engines[2] = {{0}, {0}};
    static const Encounter encounter = {0, 1};
    char *arguments = engine_arguments(engine, options->plies, err);
    Status status = arguments ? STATUS_OK : err->status;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        char *spec = text_format("name=%s,cmd=/proc/self/exe,args='%s'", i ? "b" : "a", arguments);
        status = spec ? engine_spec_parse(spec, &engines[i], err)
                      : error_set(err, STATUS_NO_MEMORY, "out of memory");
        free(spec);
        engines[i].ponder = SWITCH_OFF;
        engines[i].restart = RESTART_AUTO;
    }
    if (status == STATUS_OK) {
        MatchConfig config = {.engine = engine,
                              .engines = engines,
                              .engine_count = 2,
                              .encounters = &encounter,
                              .encounter_count = 1,
                              .limits = {.nodes = 1},
                              .games = (uint64_t)options->games,
                              .concurrency = (int)options->concurrency,
                              .seed = 1,
                              .start_seconds = 10.0,
                              .rules = {.stall_seconds = 10.0, .max_plies = (int)options->plies}};
        double before = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
        status = match_run(&config, NULL, summary, err);
        *cpu = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
    }
    for (int i = 0; i < 2; i++)
        engine_spec_free(&engines[i]);
    free(arguments);
    return status;
}

static int run_bench(const void *given, const OptionList *words)
{
    const BenchOptions *options = given;
    (void)words;
    Error error = {STATUS_OK, ""};
    MatchSummary summary = {0};
    double cpu = 0.0;
    const Engine *engine = engine_find(options->variant);
    if (!engine) {
        error_set(&error, STATUS_ARGUMENT, "--variant '%s': expected %s", options->variant,
                  engine_names());
        return command_failed("campmate-match bench", &error);
    }
    if (options->dry_run) {
        int code = command_dry_run(&table, options, options->json);
        if (!options->json)
            printf("# %" PRId64 " plies\n", options->games * options->plies);
        return code;
    }
    interrupt_install();
    Status status = play(options, engine, &summary, &cpu, &error);
    int code = EXIT_DONE;
    if (status == STATUS_OK &&
        summary.totals->endings[TERMINATION_PLY_CAP] != summary.totals->games)
        status = error_set(&error, STATUS_IO, "a game did not go as it should");
    if (status != STATUS_OK) {
        code = status == STATUS_INTERRUPTED && interrupt_exit_code()
                   ? interrupt_exit_code()
                   : command_failed("campmate-match bench", &error);
    } else {
        const double plies = (double)summary.plies_now,
                     all = 1000.0 * summary.seconds * (double)options->concurrency / plies;
        if (options->json)
            code = json_print(
                json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f}", "variant", engine->name, "games",
                          (json_int_t)summary.totals->games, "plies", (json_int_t)summary.plies_now,
                          "seconds", summary.seconds, "ms_per_ply", all, "runner_ms_per_ply",
                          summary.overhead_ms, "runner_cpu_ms_per_ply", 1000.0 * cpu / plies));
        else
            printf("%s: %" PRIu64 " games, %" PRIu64 " plies in %.2f s\n"
                   "%.4f ms a ply all told, with start and end of the engines\n"
                   "%.4f ms of it between an answer and the next question\n"
                   "%.4f ms CPU time of the runner\n",
                   engine->name, summary.totals->games, summary.plies_now, summary.seconds, all,
                   summary.overhead_ms, 1000.0 * cpu / plies);
    }
    free(summary.totals);
    return code;
}

int command_bench(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "engine") == 0)
        return answer(argc - 2, argv + 2);
    BenchOptions options;
    return command_main(&table, argc, argv, &options, NULL, run_bench);
}
