/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_bench.c - campmate-data bench: how fast a dataset is decoded. */
#include "command.h"
#include "support/interrupt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_OPTIONS(X)                                                                           \
    X(int, rounds, "5", 1, 1000, "N", "read everything so often; the median counts")

typedef struct BenchOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    BENCH_OPTIONS(OPTION_MEMBER)
} BenchOptions;
#define OPTIONS_STRUCT BenchOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) BENCH_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data bench",
    .summary = "Measures how many plies of a dataset one core decodes in a second.",
    .usage = "PATH...",
    .details =
        "Every game is read as a fit reads it: moves and scores are decoded and replayed on\n"
        "a board, checksums of blocks compared. One thread; its own CPU time is what counts.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

static double thread_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Adds the plies of a shard to `plies`. */
static Status decode_shard(Dataset *dataset, size_t shard, uint64_t *plies, Error *err)
{
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    bool end = false;
    Status status = shard_cursor_open(&cursor, dataset, shard, err);
    while (status == STATUS_OK && !end) {
        if (interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "interrupted");
        else
            status = shard_cursor_next(cursor, &record, &end, err);
        if (status == STATUS_OK && !end)
            *plies += record.ply_count;
    }
    game_record_free(&record);
    shard_cursor_close(cursor);
    return status;
}

static int compare_rates(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static Status print_rates(double *rates, size_t rounds, uint64_t plies, bool json, Error *err)
{
    qsort(rates, rounds, sizeof *rates, compare_rates);
    double median = 0.5 * (rates[(rounds - 1) / 2] + rates[rounds / 2]);
    if (json)
        return command_print_json(json_pack("{s:I, s:I, s:f, s:f, s:f}", "plies", (json_int_t)plies,
                                            "rounds", (json_int_t)rounds, "plies_per_second",
                                            median, "slowest", rates[0], "fastest",
                                            rates[rounds - 1]),
                                  err);
    printf("%" PRIu64 " plies decoded %zu times: %.0f plies a CPU second (%.0f to %.0f)\n", plies,
           rounds, median, rates[0], rates[rounds - 1]);
    return STATUS_OK;
}

static Status bench(const OptionList *paths, const BenchOptions *options, Error *err)
{
    size_t rounds = (size_t)options->rounds;
    uint64_t plies = 0;
    Dataset **datasets = NULL;
    double *rates = calloc(rounds, sizeof *rates);
    Status status = rates ? command_open(paths, &datasets, err)
                          : error_set(err, STATUS_NO_MEMORY, "no memory for %zu rounds", rounds);
    for (size_t round = 0; round < rounds && status == STATUS_OK; round++) {
        double begin = thread_seconds();
        plies = 0;
        for (size_t i = 0; i < paths->count; i++)
            for (size_t j = 0; j < dataset_shard_count(datasets[i]) && status == STATUS_OK; j++)
                status = decode_shard(datasets[i], j, &plies, err);
        if (status == STATUS_OK && plies == 0)
            status = error_set(err, STATUS_ARGUMENT, "nothing to measure: there are no plies");
        rates[round] = (double)plies / (thread_seconds() - begin);
    }
    if (status == STATUS_OK)
        status = print_rates(rates, rounds, plies, options->json, err);
    command_close(paths, datasets);
    free(rates);
    return status;
}

static int run_command(void *options, const OptionList *inputs, Error *err)
{
    return command_exit_code(bench(inputs, options, err));
}

int command_bench(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {.table = &table, .inputs = INPUT_PATHS, .run = run_command};
    BenchOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
