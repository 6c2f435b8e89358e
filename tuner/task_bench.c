/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task_bench.c - how fast the passes of a fit are. */
#include "bench.h"
#include "command.h"

int task_bench(const TuneOptions *options, const Engine *engine, int threads)
{
    enum { ROUNDS = 11 };
    Error error = {0};
    Sample sample = {0};
    BenchResult result;
    LoadOptions loading = load_options(options, engine, threads);
    loading.validation = loading.test = 0;
    Status status = sample_load(&sample, &loading, &error);
    if (status == STATUS_OK)
        status = rows_merge(&sample.parts[PART_TRAIN], NULL, &error);
    if (status == STATUS_OK)
        status = rows_encode(&sample.parts[PART_TRAIN], threads, &error);
    if (status == STATUS_OK)
        status = bench_passes(&sample, ROUNDS, threads, &result, &error);
    if (status == STATUS_OK && options->json) {
        status = print_json(json_pack("{s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "positions",
                                      (json_int_t)result.positions, "threads", threads,
                                      "gradient_positions_per_cpu_second", result.gradient.cpu,
                                      "product_positions_per_cpu_second", result.product.cpu,
                                      "gradient_positions_per_second", result.gradient.wall,
                                      "product_positions_per_second", result.product.wall,
                                      "bytes_per_position", result.bytes, "changes_per_position",
                                      result.changes, "words_per_position", result.words),
                            &error);
    } else if (status == STATUS_OK) {
        printf("%llu positions, %.1f changes in %.1f words and %.1f bytes each, %d thread%s\n"
               "loss and gradient       %6.1f M positions a CPU second, %6.1f M a second\n"
               "Hessian times a vector  %6.1f M positions a CPU second, %6.1f M a second\n",
               (unsigned long long)result.positions, result.changes, result.words, result.bytes,
               threads, threads == 1 ? "" : "s", result.gradient.cpu / 1e6,
               result.gradient.wall / 1e6, result.product.cpu / 1e6, result.product.wall / 1e6);
    }
    sample_free(&sample);
    return status == STATUS_OK ? EXIT_DONE : fail(status, &error);
}
