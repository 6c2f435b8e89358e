/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task_fit.c - a fit from the command line. */
#include "command.h"

#include "comm.h"
#include "plots.h"
#include "report.h"
#include "support/clock.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "table.h"

#include <stdlib.h>

/* What is seen of a fit while it goes on. */
typedef struct Watch {
    Progress progress;
    json_t *curve; /* the value at each step, through all strengths of the ridge */
} Watch;

static void show_step(void *context, int iteration, double total, double gap_bound)
{
    Watch *watch = context;
    char note[80];
    snprintf(note, sizeof note, "loss %.6f, gap below %.1e", total, gap_bound);
    progress_update(&watch->progress, (uint64_t)iteration, note);
    json_array_append_new(watch->curve, json_real(total));
}

static int check_only(const TuneOptions *options, const Sample *sample)
{
    if (options->json)
        printf("{\"checked\": %llu, \"violations\": 0}\n", (unsigned long long)sample->checked);
    else
        printf(
            "%s: trace times weights equals the evaluation in %llu of %llu positions looked at\n",
            sample->engine->name, (unsigned long long)sample->checked,
            (unsigned long long)sample->checked);
    return EXIT_DONE;
}

static Status write_result(const TuneOptions *options, const FitReport *report, Error *err)
{
    ReportProvenance provenance;
    char *command = command_text(options);
    if (!command)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the header");
    Status status = report_provenance(&provenance, report, command, options->date, err);
    free(command);
    if (status != STATUS_OK)
        return status;
    /* The last moment at which a signal leaves the old header in place. */
    status = comm_any(interrupted()) ? error_set(err, STATUS_INTERRUPTED, "stopped before writing")
             : comm_rank()           ? STATUS_OK
                                     : emit_file(report->sample->engine, report->result->weights,
                                                 &provenance.provenance, options->out, err);
    report_provenance_free(&provenance);
    return status;
}

/* What the first process writes and prints. */
static Status write_and_tell(const TuneOptions *options, const FitReport *report, Error *err)
{
    const Engine *engine = report->sample->engine;
    Status status = STATUS_OK;
    if (options->table && !comm_rank())
        status = table_write(options->table, engine, report->result, err);
    status = comm_agree(status, err);
    if (status == STATUS_OK)
        status = comm_agree(write_result(options, report, err), err);
    if (status == STATUS_OK && options->plots && !comm_rank())
        status = plots_write(options->plots, report, err);
    status = comm_agree(status, err);
    if (status != STATUS_OK)
        return status;
    if (options->json)
        return report_json(stdout, report, err);
    report_print(stdout, report);
    return STATUS_OK;
}

FitOptions fit_options(const TuneOptions *options, int threads)
{
    FitOptions fitting = {
        .lambda = options->lambda,
        .slope = options->k,
        .ridge = options->ridge,
        .rare = options->rare,
        .anchor_cp = options->anchor,
        .cross_check = options->cross_check,
        .bootstrap = (int)options->bootstrap,
        .curve = options->learning_curve,
        .weighting = {options->game_weight, 1 - options->early_weight, (int)options->early_plies},
        .rare_below = (int)options->rare_below,
        .seed = (uint64_t)options->seed,
        .threads = threads,
        .optimise = OPTIMISE_DEFAULTS};
    fitting.optimise.tolerance = options->tolerance;
    fitting.optimise.max_iterations = (int)options->iterations;
    return fitting;
}

int check_start(const TuneOptions *options, const Engine *engine, const Weight *prior)
{
    bool zero = weights_are_zero(engine, prior);
    if (options->terms && !zero)
        return complain(EXIT_USAGE, "--terms: what is left out stays 0, expected --init zero");
    if (options->lambda < 1 && zero)
        return complain(EXIT_USAGE, "--lambda: from all weights 0 only results are targets, "
                                    "expected 1");
    return EXIT_DONE;
}

int task_fit(const TuneOptions *options, const Engine *engine, int threads, json_t *search)
{
    double began = clock_seconds(), cpu_began = clock_cpu_seconds();
    Error error = {0};
    Sample sample = {0};
    FitResult result = {0};
    Watch watch = {.curve = json_array()};
    Weight *prior = NULL;
    LoadOptions loading = load_options(options, engine, threads);
    int code = EXIT_DONE;

    Status status = initial_weights(options->init, engine, &prior, &error);
    if (status != STATUS_OK)
        goto cleanup;
    if ((code = check_start(options, engine, prior)) != EXIT_DONE ||
        (options->plots && (status = plots_check(&error)) != STATUS_OK))
        goto cleanup;
    loading.weights = prior;
    if ((status = sample_load(&sample, &loading, &error)) != STATUS_OK)
        goto cleanup;
    if (options->check && !options->out) {
        code = check_only(options, &sample);
        goto cleanup;
    }
    double load_seconds = clock_seconds_since(began);
    double load_cpu_seconds = clock_cpu_seconds() - cpu_began;
    FitOptions fitting = fit_options(options, threads);
    progress_begin(&watch.progress, "steps", 0, 0);
    status = fit(&sample, prior, &fitting, &result, show_step, &watch, &error);
    progress_end(&watch.progress);
    if (status != STATUS_OK)
        goto cleanup;
    FitReport report = {.sample = &sample,
                        .result = &result,
                        .prior = prior,
                        .seconds = clock_seconds_since(began),
                        .cpu_seconds = clock_cpu_seconds() - cpu_began,
                        .load_seconds = load_seconds,
                        .load_cpu_seconds = load_cpu_seconds,
                        .curve = watch.curve,
                        .search = search,
                        .seed = (uint64_t)options->seed};
    status = write_and_tell(options, &report, &error);

cleanup:
    if (status != STATUS_OK)
        code = fail(status, &error);
    fit_result_free(&result);
    sample_free(&sample);
    json_decref(watch.curve);
    free(prior);
    return code;
}
