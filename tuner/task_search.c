/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * task_search.c - lambda, ridge and filters, chosen by what predicts the held-out results best.
 *
 * Settings are compared by one yardstick: the cross-entropy of the *results* of the validation
 * games, of the positions that the filters of the command line leave there. A filter under test
 * applies to the training games only. Data are read once for each filter. With a journal, what was
 * tried before is not tried again.
 */
#include "command.h"

#include "dataset.h"
#include "journal.h"
#include "support/files.h"
#include "support/progress.h"
#include "support/version.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 32 };

typedef struct Values {
    double items[VALUES_MOST];
    int count;
} Values;

/* A list of numbers in [low, high]; `otherwise` alone if there is no list. */
static Status parse_values(const char *name, const char *list, double low, double high,
                           double otherwise, Values *values, Error *err)
{
    *values = (Values){{otherwise}, 1};
    if (!list)
        return STATUS_OK;
    values->count = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        double value;
        char number[40] = "";
        if (length < sizeof number)
            memcpy(number, at, length);
        if (!decimal_parse(number, &value) || !(value >= low && value <= high))
            return error_set(err, STATUS_ARGUMENT,
                             "--%s: '%.*s', expected numbers from %g to %g, as in 1,0.5", name,
                             (int)length, at, low, high);
        if (values->count == VALUES_MOST)
            return error_set(err, STATUS_ARGUMENT, "--%s: at most %d values", name, VALUES_MOST);
        values->items[values->count++] = value;
        at += length;
        if (!*at)
            return STATUS_OK;
    }
}

typedef struct Search {
    const TuneOptions *options;
    int threads;
    const Weight *prior;
    Rows judge;  /* validation positions, results only */
    bool scores; /* a lambda needs the scores of the search */
    Journal journal;
    json_t *list;
    Setting best;
    uint64_t done, total;
    Progress progress;
} Search;

/* What the figures of a setting depend on, a fact a line: malloc'ed, NULL when out of memory. */
static char *facts(const Search *search, const Sample *sample)
{
    static const char *const omit[] = {NOT_OF_THE_FIT, "check",  "data",       "text",
                                       "init",         "lambda", "rare_below", NULL};
    char *settings = options_effective(&tune_table, search->options, omit), *text = NULL;
    size_t size = 0;
    FILE *out = settings ? open_memstream(&text, &size) : NULL;
    if (out) {
        char weights[33];
        weights_digest(sample->engine, search->prior, weights);
        fprintf(out, "program = %s, commit %s\ngame = %s\nweights = %s\nscores = %s\n",
                version_number(), version_commit(), sample->engine->name, weights,
                search->scores ? "true" : "false");
        for (size_t i = 0; i < sample->source_count; i++)
            fprintf(out, "data = %s\n", sample->sources[i].digest);
        fputs(settings, out);
        if (fclose(out)) {
            free(text);
            text = NULL;
        }
    }
    free(settings);
    return text;
}

/* The positions of the validation games under the command line's filters, with results; and what
 * was tried before, if it is of the same data and settings. */
static Status load_judge(Search *search, const LoadOptions *loading, Error *err)
{
    Sample sample;
    Status status = sample_load(&sample, loading, err);
    if (status != STATUS_OK)
        return status;
    search->judge = sample.parts[PART_VALIDATION];
    sample.parts[PART_VALIDATION] = (Rows){.scratch = loading->scratch};
    char *lines = facts(search, &sample);
    sample_free(&sample);
    status = lines ? journal_open(&search->journal, search->options->search_journal, lines, err)
                   : error_set(err, STATUS_NO_MEMORY, "no memory for the search");
    free(lines);
    if (status != STATUS_OK)
        return status;
    if (!search->judge.count)
        return error_set(err, STATUS_ARGUMENT,
                         "--search: no validation games to choose by; more than %d games and a "
                         "--validation share are needed",
                         SPLIT_LEAST_GAMES - 1);
    Weighting all_alike = {0};
    return fit_settle(&search->judge, 1, 1, &all_alike, search->threads, NULL, err);
}

/* Prints a setting that was tried, and compares it with the best so far. */
static void tell_setting(Search *search, const Setting *setting)
{
    if (!search->best.positions || setting->validation < search->best.validation)
        search->best = *setting;
    if (!search->options->json)
        printf("%7g %11d %13d %10.3g %11lld   %.6f     %.6f\n", setting->lambda,
               setting->skip_plies, setting->quiet_margin, setting->ridge,
               (long long)setting->positions, setting->train, setting->validation);
    json_array_append_new(search->list, setting_json(setting));
    progress_update(&search->progress, ++search->done, NULL);
}

static Status try_setting(Search *search, const Sample *sample, Setting setting, Error *err)
{
    Sample copy = *sample;
    FitResult result = {0};
    FitOptions fitting = fit_options(search->options, search->threads);
    fitting.lambda = setting.lambda;
    fitting.cross_check = fitting.curve = false;
    fitting.bootstrap = 0;
    fitting.judge = &search->judge;
    Status status = rows_copy(&copy.parts[PART_TRAIN], &sample->parts[PART_TRAIN], err);
    copy.parts[PART_VALIDATION] = copy.parts[PART_TEST] = (Rows){.scratch = copy.parts[0].scratch};
    if (status == STATUS_OK)
        status = fit(&copy, search->prior, &fitting, &result, NULL, NULL, err);
    for (int part = 0; part < PART_COUNT; part++)
        rows_free(&copy.parts[part]);
    if (status != STATUS_OK)
        return status;
    setting.ridge = result.ridge;
    setting.positions = (json_int_t)result.positions[PART_TRAIN];
    setting.train = result.losses[PART_TRAIN].exact;
    setting.validation = result.judged;
    fit_result_free(&result);
    if ((status = journal_add(&search->journal, &setting, err)) == STATUS_OK)
        tell_setting(search, &setting);
    return status;
}

static Status try_filter(Search *search, LoadOptions loading, int skip_plies, int quiet_margin,
                         const Values *lambdas, Error *err)
{
    Sample sample = {0};
    bool loaded = false;
    Status status = STATUS_OK;
    loading.skip_plies = skip_plies;
    loading.quiet_margin_cp = quiet_margin;
    loading.need_score = search->scores;
    for (int i = 0; i < lambdas->count && status == STATUS_OK; i++) {
        Setting setting = {
            .lambda = lambdas->items[i], .skip_plies = skip_plies, .quiet_margin = quiet_margin};
        if (journal_find(&search->journal, &setting)) {
            tell_setting(search, &setting);
            continue;
        }
        if (!loaded)
            status = sample_load(&sample, &loading, err);
        loaded = status == STATUS_OK;
        if (loaded)
            status = try_setting(search, &sample, setting, err);
    }
    sample_free(&sample);
    return status;
}

int task_search(TuneOptions *options, const Engine *engine, int threads)
{
    Error error = {0};
    Search search = {.options = options, .threads = threads, .list = json_array()};
    Values lambdas, skips, margins;
    Weight *prior = NULL;
    int code = EXIT_DONE;
    Status status = parse_values("search-lambda", options->search_lambda, 0, 1, options->lambda,
                                 &lambdas, &error);
    if (status == STATUS_OK)
        status = parse_values("search-skip-plies", options->search_skip_plies, 0, 10000,
                              (double)options->skip_plies, &skips, &error);
    if (status == STATUS_OK)
        status = parse_values("search-quiet-margin", options->search_quiet_margin, 0, 32000,
                              (double)options->quiet_margin, &margins, &error);
    if (status != STATUS_OK) {
        code = complain(EXIT_USAGE, error.message);
        status = STATUS_OK;
        goto cleanup;
    }
    if ((status = initial_weights(options->init, engine, &prior, &error)) != STATUS_OK)
        goto cleanup;
    for (int i = 0; i < lambdas.count && code == EXIT_DONE; i++) {
        TuneOptions tried = *options;
        tried.lambda = lambdas.items[i];
        code = check_start(&tried, engine, prior);
        search.scores |= lambdas.items[i] < 1;
    }
    if (code != EXIT_DONE)
        goto cleanup;
    search.prior = prior;
    LoadOptions loading = load_options(options, engine, threads);
    loading.weights = prior;
    loading.need_score = false;
    if ((status = load_judge(&search, &loading, &error)) != STATUS_OK)
        goto cleanup;
    search.total = (uint64_t)(lambdas.count * skips.count * margins.count);
    if (!options->json)
        printf(" lambda  skip-plies  quiet-margin      ridge   positions      train   validation, "
               "results\n");
    progress_begin(&search.progress, "settings", search.total, 0);
    for (int s = 0; s < skips.count && status == STATUS_OK; s++)
        for (int m = 0; m < margins.count && status == STATUS_OK; m++)
            status = try_filter(&search, loading, (int)skips.items[s], (int)margins.items[m],
                                &lambdas, &error);
    progress_end(&search.progress);
    if (status != STATUS_OK)
        goto cleanup;
    const Setting *best = &search.best;
    if (!options->json)
        printf(
            "best: --lambda %g --skip-plies %d --quiet-margin %d --ridge %.6g, validation %.6f\n\n",
            best->lambda, best->skip_plies, best->quiet_margin, best->ridge, best->validation);
    if (options->out) {
        options->lambda = best->lambda;
        options->ridge = best->ridge;
        options->skip_plies = best->skip_plies;
        options->quiet_margin = best->quiet_margin;
        code = task_fit(options, engine, threads, search.list);
    } else if (options->json) {
        status = print_json(json_pack("{s:O, s:{s:f, s:f, s:i, s:i, s:f}}", "search", search.list,
                                      "best", "lambda", best->lambda, "ridge", best->ridge,
                                      "skip_plies", best->skip_plies, "quiet_margin",
                                      best->quiet_margin, "loss_validation", best->validation),
                            &error);
    }
cleanup:
    if (status != STATUS_OK)
        code = fail(status, &error);
    rows_free(&search.judge);
    journal_close(&search.journal);
    json_decref(search.list);
    free(prior);
    return code;
}
