/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task_export.c - the training positions as text, for another tuner. */
#include "command.h"

#include "coefficients.h"
#include "comm.h"
#include "support/files.h"

#include <stdlib.h>

/* "0.750000" without the locale's point; targets and weights are in [0, 2^16). */
static void put_fraction(FILE *out, double value)
{
    unsigned long long millionths = (unsigned long long)(value * 1e6 + 0.5);
    fprintf(out, "%llu.%06llu", millionths / 1000000, millionths % 1000000);
}

static int compare(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* target weight phase index:count ... */
static void put_rows(FILE *out, const Rows *rows, RowsWalk *walk, uint16_t *order)
{
    const Row *row;
    while ((row = rows_walk_next(walk)) != NULL) {
        if (!row->mass)
            continue;
        put_fraction(out, (double)rows->targets[walk->row - 1]);
        fputc(' ', out);
        put_fraction(out, (double)row->mass / rows_unit(rows));
        fprintf(out, " %d", row->phase_step & 511);
        size_t count = (size_t)walk->active_count;
        for (size_t i = 0; i < count; i++)
            order[i] = walk->active[i];
        qsort(order, count, sizeof *order, compare);
        for (size_t i = 0; i < count; i++)
            fprintf(out, " %d:%d", order[i], walk->counts[order[i]]);
        fputc('\n', out);
    }
}

static Status write_names(const char *path, const Engine *engine, Error *err)
{
    AtomicFile file;
    Status status = atomic_file_open(&file, path, err);
    if (status != STATUS_OK)
        return status;
    for (int w = 0; w < engine->weight_count; w++) {
        char name[80];
        weight_name(engine, w, name, sizeof name);
        fprintf(file.stream, "%s\n", name);
    }
    return atomic_file_commit(&file, err);
}

static Status write_export(const char *path, const Engine *engine, const Rows *rows, Error *err)
{
    AtomicFile file;
    RowsWalk walk;
    uint16_t *order = malloc((size_t)engine->weight_count * sizeof *order);
    if (!order)
        return error_set(err, STATUS_NO_MEMORY, "no memory to write %s", path);
    Status status = rows_walk_init(&walk, rows, engine->weight_count, 0, 0, 0, err);
    if (status == STATUS_OK && (status = atomic_file_open(&file, path, err)) == STATUS_OK) {
        put_rows(file.stream, rows, &walk, order);
        status = atomic_file_commit(&file, err);
    }
    rows_walk_free(&walk);
    free(order);
    if (status != STATUS_OK)
        return status;
    char *names = text_format("%s.names", path);
    if (!names)
        return error_set(err, STATUS_NO_MEMORY, "no memory to write %s.names", path);
    status = write_names(names, engine, err);
    free(names);
    return status;
}

int task_export(const TuneOptions *options, const Engine *engine, int threads)
{
    Error error = {0};
    Sample sample = {0};
    Weight *prior = NULL;
    double *x = malloc(2 * (size_t)engine->weight_count * sizeof *x), slope = options->k;
    LoadOptions loading = load_options(options, engine, threads);
    Status status = x ? initial_weights(options->init, engine, &prior, &error)
                      : error_set(&error, STATUS_NO_MEMORY, "no memory to export");
    loading.weights = prior;
    if (status == STATUS_OK)
        status = sample_load(&sample, &loading, &error);
    Rows *train = &sample.parts[PART_TRAIN];
    if (status == STATUS_OK && !train->count)
        status = error_set(&error, STATUS_ARGUMENT, "no position is left to export");
    if (status == STATUS_OK && !(slope > 0)) {
        slope = 1;
        coefficients_from_weights(engine, prior, x);
        if (!weights_are_zero(engine, prior))
            status = slope_fit(train, x, threads, &slope, &error);
    }
    FitOptions fitting = fit_options(options, threads);
    if (status == STATUS_OK)
        status =
            fit_settle(train, options->lambda, slope, &fitting.weighting, threads, NULL, &error);
    if (status == STATUS_OK && !comm_rank())
        status = write_export(options->export, engine, train, &error);
    status = comm_agree(status, &error);
    if (status == STATUS_OK)
        printf("%zu training positions, K = %.6f\n", train->count, slope);
    sample_free(&sample);
    free(prior);
    free(x);
    return status == STATUS_OK ? EXIT_DONE : fail(status, &error);
}
