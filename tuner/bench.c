/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.c - how fast the passes of a fit are. */
#include "bench.h"

#include "objective.h"
#include "support/clock.h"
#include "support/interrupt.h"
#include "support/rng.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double mean_changes(const Rows *rows)
{
    const Words *words = rows_words(rows);
    Delta room[DELTAS_ROOM];
    size_t deltas = 0;
    for (const uint16_t *at = rows->changes; at < rows->changes + rows->change_count;)
        deltas += read_deltas(words, &at, room);
    return (double)deltas / (double)rows->count;
}

enum { KINDS = 2 }; /* of passes: gradient, product */

/* What is measured, and where it is written. */
typedef struct Measurement {
    Objective objective;
    double *x, *gradient, *product;   /* [n_weights]                                        */
    double *cpu[KINDS], *wall[KINDS]; /* [rounds] seconds a pass                           */
} Measurement;

static Status run_pass(Measurement *measured, int kind, Error *err)
{
    ObjectiveValue value;
    if (kind == 0)
        return objective_evaluate(&measured->objective, measured->x, &value, measured->gradient,
                                  err);
    objective_hessian_times(&measured->objective, measured->x, measured->product);
    return STATUS_OK;
}

/*
 * As many passes in a row as take ROUND_SECONDS: what other threads have used is brought up to date
 * every few milliseconds only, and that is what a pass takes.
 */
static Status run_round(Measurement *measured, int round, int kind, Error *err)
{
    static const double ROUND_SECONDS = 0.05;
    double wall = clock_seconds(), cpu = clock_cpu_seconds(), took = 0;
    int passes = 0;
    Status status = STATUS_OK;
    for (; took < ROUND_SECONDS && status == STATUS_OK; passes++) {
        status = run_pass(measured, kind, err);
        if (status == STATUS_OK && interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "stopped");
        took = clock_seconds_since(wall);
    }
    measured->cpu[kind][round] = (clock_cpu_seconds() - cpu) / passes;
    measured->wall[kind][round] = took / passes;
    return status;
}

Status bench_passes(const Sample *sample, int rounds, int threads, BenchResult *result, Error *err)
{
    const Rows *rows = &sample->parts[PART_TRAIN];
    int weights = sample->engine->weight_count;
    size_t n = 2 * (size_t)weights;
    double *memory = calloc(4 * n + 2 * KINDS * (size_t)rounds, sizeof *memory);
    if (!memory)
        return error_set(err, STATUS_NO_MEMORY, "no memory to measure %d rounds", rounds);
    Measurement measured = {.x = memory, .gradient = memory + n, .product = memory + 2 * n};
    double *zero = memory + 3 * n, *times = zero + n;
    for (int kind = 0; kind < KINDS; kind++) {
        measured.cpu[kind] = times + (size_t)(2 * kind) * (size_t)rounds;
        measured.wall[kind] = measured.cpu[kind] + rounds;
    }
    Rng rng = rng_from(1, 1);
    for (size_t j = 0; j < n; j++)
        measured.x[j] = rng_real(&rng) - 0.5;
    /* Without units nothing is shrunk; the passes do not care. */
    Status status =
        objective_init(&measured.objective, rows, weights, NULL, 1, 1, zero, zero, threads, err);
    for (int round = 0; round < rounds && status == STATUS_OK; round++)
        for (int kind = 0; kind < KINDS && status == STATUS_OK; kind++)
            status = run_round(&measured, round, kind, err);
    if (status == STATUS_OK) {
        double count = (double)rows->count;
        PassSpeed speeds[KINDS];
        for (int kind = 0; kind < KINDS; kind++)
            speeds[kind] = (PassSpeed){count / median(measured.cpu[kind], rounds),
                                       count / median(measured.wall[kind], rounds)};
        *result = (BenchResult){
            .positions = rows->count,
            .gradient = speeds[0],
            .product = speeds[1],
            .bytes = (double)rows_bytes(rows) / count + sizeof *measured.objective.curvature,
            .changes = mean_changes(rows),
            .words = (double)rows->change_count / count,
        };
    }
    objective_free(&measured.objective);
    free(memory);
    return status;
}
