/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_rescore.c - campmate-data rescore: the same games with new scores. */
#include "command.h"

#include "bench.h"
#include "output_directory.h"
#include "rescore.h"
#include "support/clock.h"
#include "support/files.h"
#include "weights_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RESCORE_OPTIONS(X)                                                                         \
    X(text, out, NULL, 0, 0, "DIR", "directory of the new dataset; required")                      \
    X(int, nodes, "-1", -1, 1e9, "N",                                                              \
      "search limit of each position in nodes, 0 = none (-1: 5000, but 4x --nodes-soft, or none "  \
      "with --depth, where one is given)")                                                         \
    X(int, nodes_soft, "0", 0, 1e9, "N",                                                           \
      "no new iteration after so many nodes, 0 = no such limit")                                   \
    X(int, depth, "0", 0, ENGINE_MAX_DEPTH, "N", "search limit in plies, 0 = none")                \
    X(int, hash, "2", 1, 65536, "MIB", "hash table of each thread; changes the scores")            \
    X(text, eval_file, NULL, 0, 0, "HEADER",                                                       \
      "weights header to search with instead of the built-in one")                                 \
    X(flag, scored_only, NULL, 0, 0, NULL, "leave plies without a score without one")              \
    X(flag, renumber, NULL, 0, 0, NULL, "count the games of the paths anew, from 0")               \
    X(flag, resume, NULL, 0, 0, NULL, "go on with what is in --out")

typedef struct RescoreOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    RESCORE_OPTIONS(OPTION_MEMBER)
} RescoreOptions;
#define OPTIONS_STRUCT RescoreOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) RESCORE_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data rescore",
    .summary = "Searches every position of datasets again; games and results stay as they are.",
    .usage = "PATH...",
    .details =
        "Each position before a move gets the score of a search by this build, with the game as "
        "its history, also where there was none (opening plies); --scored-only leaves those alone. "
        "A score of the final position is renewed where there is one, and a game without moves "
        "gets one. Moves, flags, results and adjudications are not touched.\n\n"
        "Tables are cleared before each game: the scores depend on the game, the build, the "
        "weights, the limits and --hash only, and the shards are the same for any number of "
        "threads, and for each shard done by itself elsewhere. The header keeps who played; a line "
        "`derived = rescore ...` in its configuration says limits, bench signature and digest of "
        "the weights of the search.\n\n"
        "Shards appear one by one, the manifest at the end. After an interruption the same command "
        "with --resume keeps the finished ones: they have to be of this build and these options "
        "and hold the games of PATH, else the difference is shown and nothing is done.\n\n"
        "Example: campmate-data rescore --out better --nodes 20000 --eval-file new.h games",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

/* Replaces the values that depend on others, as campmate-selfplay does. */
static void settle(RescoreOptions *options)
{
    if (options->nodes < 0 && options->nodes_soft > 0)
        options->nodes = 4 * options->nodes_soft;
    else if (options->nodes < 0)
        options->nodes = options->depth > 0 ? 0 : 5000;
}

/* What was done, for the configuration. */
static char *make_note(const RescoreOptions *options, uint64_t bench, const char *weights)
{
    char limits[80];
    int at = 0;
    const struct {
        const char *name;
        option_int value;
    } values[] = {{"nodes", options->nodes},
                  {"nodes-soft", options->nodes_soft},
                  {"depth", options->depth},
                  {"hash", options->hash}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].value > 0)
            at += snprintf(limits + at, sizeof limits - (size_t)at, " %s=%" PRId64, values[i].name,
                           values[i].value);
    return text_format("rescore%s%s%s bench=%" PRIu64 " weights=%s", limits,
                       options->scored_only ? " scored-only=true" : "",
                       options->renumber ? " renumber=true" : "", bench, weights);
}

static Status read_weights(const Engine *engine, const char *path, Weight **weights, Error *err)
{
    if (!path)
        return STATUS_OK;
    *weights = calloc((size_t)engine->weight_count, sizeof **weights);
    return *weights ? weights_file_read(engine, path, *weights, err)
                    : error_set(err, STATUS_NO_MEMORY, "no memory for the weights");
}

static int dry_run(const RescorePlan *plan, const RescoreOptions *options, const OptionList *paths,
                   Error *err)
{
    double seconds;
    Status status = rescore_estimate(plan, &seconds, err);
    if (status != STATUS_OK)
        return command_exit_code(status);
    uint64_t plies = 0;
    for (size_t i = 0; i < plan->input->source_count; i++)
        plies += dataset_shard_stat(plan->input->sources[i].dataset, plan->input->sources[i].shard)
                     ->plies;
    int code = command_dry_run(&table, options, paths, err);
    if (code == EXIT_DONE)
        printf("# about %.0f s on %d thread%s\n", (double)plies * seconds / plan->threads,
               plan->threads, plan->threads == 1 ? "" : "s");
    return code;
}

typedef struct Result {
    RescoreStat run;
    ShardStat whole;
    uint64_t bench;
    char weights[33];
    double seconds, cpu_seconds;
} Result;

static Status print_result(const Result *result, const RescoreOptions *options,
                           const Engine *engine, Error *err)
{
    const RescoreStat *run = &result->run;
    const ShardStat *whole = &result->whole;
    if (options->json)
        return command_print_json(
            json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:f, s:f, s:s}",
                      "out", options->out, "variant", engine->name, "games",
                      (json_int_t)whole->games, "plies", (json_int_t)whole->plies, "bytes",
                      (json_int_t)whole->bytes, "shards", (json_int_t)run->shards, "kept_shards",
                      (json_int_t)run->kept_shards, "positions", (json_int_t)run->positions,
                      "nodes", (json_int_t)run->nodes, "bench", (json_int_t)result->bench,
                      "weights_digest", result->weights, "seconds", result->seconds, "cpu_seconds",
                      result->cpu_seconds, "digest", whole->digest),
            err);
    printf("searched %" PRIu64 " positions, %" PRIu64 " nodes, %.1f s, %.1f CPU s", run->positions,
           run->nodes, result->seconds, result->cpu_seconds);
    if (run->kept_shards)
        printf("; %" PRIu64 " shards were there already", run->kept_shards);
    printf("\ndataset  %s: %" PRIu64 " games, %" PRIu64 " plies, %" PRIu64 " bytes, digest %s\n",
           options->out, whole->games, whole->plies, whole->bytes, whole->digest);
    return STATUS_OK;
}

static int run(RescoreOptions *options, const OptionList *paths, Error *err)
{
    double began = clock_seconds();
    settle(options);
    DeriveInput input = {0};
    Weight *weights = NULL;
    char *note = NULL;
    Result result = {0};
    int code = EXIT_DONE;
    Status status =
        options->dry_run || options->resume ? STATUS_OK : output_directory_check(options->out, err);
    if (status != STATUS_OK && directory_exists(options->out))
        status = error_set(err, status, "%s: is there already and not empty: --resume goes on",
                           options->out);
    if (status == STATUS_OK)
        status = derive_open(&input, paths, options->renumber, err);
    if (status == STATUS_OK)
        status = read_weights(input.engine, options->eval_file, &weights, err);
    RescorePlan plan = {.input = &input,
                        .out = options->out,
                        .weights = weights,
                        .hash_mib = (size_t)options->hash,
                        .limits = {.depth = (int)options->depth,
                                   .nodes = (uint64_t)options->nodes,
                                   .nodes_soft = (uint64_t)options->nodes_soft,
                                   .multi_pv = 1},
                        .scored_only = options->scored_only,
                        .threads = options_threads(options->threads)};
    if (status == STATUS_OK && options->dry_run) {
        code = dry_run(&plan, options, paths, err);
    } else if (status == STATUS_OK) {
        weights_digest(input.engine, weights, result.weights);
        result.bench = bench_nodes(input.engine, weights, NULL, err);
        if (result.bench == 0)
            status = STATUS_NO_MEMORY;
        else if (!(note = make_note(options, result.bench, result.weights)))
            status = error_set(err, STATUS_NO_MEMORY, "no memory for the options");
        plan.note = note;
        if (status == STATUS_OK)
            status = directory_make(options->out, err);
        if (status == STATUS_OK)
            status = rescore_run(&plan, &result.run, err);
        if (status == STATUS_OK)
            status = dataset_write_manifest(options->out, &result.whole, err);
        result.seconds = clock_seconds_since(began);
        result.cpu_seconds = clock_cpu_seconds();
        if (status == STATUS_OK)
            status = print_result(&result, options, input.engine, err);
    }
    free(note);
    free(weights);
    derive_close(&input);
    return status == STATUS_OK ? code : command_exit_code(status);
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const RescoreOptions *options = context;
    (void)inputs;
    if (options->nodes == 0 && options->nodes_soft == 0 && options->depth == 0)
        command_usage(err, "a search needs a limit: --nodes, --nodes-soft or --depth");
    else if (options->nodes > 0 && options->nodes_soft > options->nodes)
        command_usage(err, "--nodes-soft %" PRId64 " is above --nodes %" PRId64,
                      options->nodes_soft, options->nodes);
    else
        return true;
    return false;
}

static int run_command(void *options, const OptionList *inputs, Error *err)
{
    return run(options, inputs, err);
}

int command_rescore(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {.table = &table,
                                     .inputs = INPUT_PATHS,
                                     .out = "the directory of the new dataset",
                                     .check = check,
                                     .run = run_command,
                                     .dries = true};
    RescoreOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
