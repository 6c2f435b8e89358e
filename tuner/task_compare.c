/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task_compare.c - the loss of headers on the data. */
#include "command.h"

#include "coefficients.h"
#include "fit.h"

#include <stdlib.h>

int task_compare(const TuneOptions *options, const Engine *engine, int threads,
                 const OptionList *words)
{
    if (words->count < 3)
        return complain(EXIT_USAGE, "compare: expected headers, as in: compare A.h B.h");
    Error error = {0};
    Sample sample = {0};
    LoadOptions loading = load_options(options, engine, threads);
    loading.validation = loading.test = 0;
    double *x = malloc(2 * (size_t)engine->weight_count * sizeof *x);
    json_t *list = json_array();
    Status status = x && list ? sample_load(&sample, &loading, &error)
                              : error_set(&error, STATUS_NO_MEMORY, "no memory to compare");
    const Rows *train = &sample.parts[PART_TRAIN];
    if (status == STATUS_OK && !train->count)
        status = error_set(&error, STATUS_ARGUMENT, "no position is left to compare on");
    if (status == STATUS_OK && !options->json)
        printf("%zu positions\n        K      loss  header\n", train->count);
    for (size_t i = 1; status == STATUS_OK && i < words->count; i++) {
        Weight *weights = NULL;
        double slope = options->k, loss = 0;
        if ((status = initial_weights(words->items[i], engine, &weights, &error)) != STATUS_OK)
            break;
        coefficients_from_weights(engine, weights, x);
        if (!(slope > 0)) {
            slope = 1;
            if (!weights_are_zero(engine, weights))
                status = slope_fit(train, x, threads, &slope, &error);
        }
        if (status == STATUS_OK)
            status = rows_loss(train, x, slope, threads, &loss, &error);
        free(weights);
        if (status != STATUS_OK)
            break;
        if (options->json)
            json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "header", words->items[i], "k",
                                                  slope, "loss", loss));
        else
            printf("%9.4f %9.6f  %s\n", slope, loss, words->items[i]);
    }
    if (status == STATUS_OK && options->json)
        status = print_json(
            json_pack("{s:I, s:O}", "positions", (json_int_t)train->count, "headers", list),
            &error);
    json_decref(list);
    free(x);
    sample_free(&sample);
    return status == STATUS_OK ? EXIT_DONE : fail(status, &error);
}
