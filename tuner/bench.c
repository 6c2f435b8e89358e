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

Status bench_passes(const Sample *sample, int rounds, int threads, BenchResult *result, Error *err)
{
    const Rows *rows = &sample->parts[PART_TRAIN];
    int weights = sample->engine->weight_count;
    size_t n = 2 * (size_t)weights;
    double *memory = calloc(4 * n + 2 * (size_t)rounds, sizeof *memory);
    if (!memory)
        return error_set(err, STATUS_NO_MEMORY, "no memory to measure %d rounds", rounds);
    double *x = memory, *zero = x + n, *gradient = zero + n, *product = gradient + n;
    double *gradient_times = product + n, *product_times = gradient_times + rounds;
    Rng rng = rng_from(1, 1);
    for (size_t j = 0; j < n; j++)
        x[j] = rng_real(&rng) - 0.5;
    Objective objective = {0};
    ObjectiveValue value;
    /* Without units nothing is shrunk; the passes do not care. */
    Status status = objective_init(&objective, rows, weights, NULL, 1, 1, zero, zero, threads, err);
    for (int round = 0; round < rounds && status == STATUS_OK; round++) {
        double begin = clock_cpu_seconds();
        status = objective_evaluate(&objective, x, &value, gradient, err);
        double middle = clock_cpu_seconds();
        objective_hessian_times(&objective, x, product);
        gradient_times[round] = middle - begin;
        product_times[round] = clock_cpu_seconds() - middle;
        if (status == STATUS_OK && interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "stopped");
    }
    if (status == STATUS_OK) {
        double count = (double)rows->count;
        *result = (BenchResult){
            .positions = rows->count,
            .gradient = count / median(gradient_times, rounds),
            .product = count / median(product_times, rounds),
            .bytes = (double)rows_bytes(rows) / count + sizeof *objective.curvature,
            .changes = (double)rows->change_count / count,
        };
    }
    objective_free(&objective);
    free(memory);
    return status;
}
