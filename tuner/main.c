/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - campmate-tune: fits the weights of the evaluation and writes their header.
 *
 *     campmate-tune --data DIR... --out FILE          fit
 *     campmate-tune --data DIR... --check             compare trace and evaluation only
 *     campmate-tune --variant V --emit-zero --out FILE
 *     campmate-tune --variant V --emit-material --material PAWN=100,... --out FILE
 *     campmate-tune compare A.h B.h --data DIR...
 */
#include "bench.h"
#include "report.h"
#include "table.h"

#include "coefficients.h"
#include "dataset.h"
#include "support/clock.h"
#include "support/cpu.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/rng.h"
#include "support/standard_output.h"
#include "weights_file.h"

#include <gsl/gsl_errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define TUNE_OPTIONS(X)                                                                            \
    X(list, data, NULL, 0, 0, "DIR", "a dataset to fit to")                                        \
    X(text, text, NULL, 0, 0, "FILE", "fit to lines `FEN;result[;score]` (needs --variant)")       \
    X(text, out, NULL, 0, 0, "FILE", "the header to write")                                        \
    X(text, variant, NULL, 0, 0, "NAME", "variant, where no dataset names it")                     \
    X(text, init, "current", 0, 0, "WHAT",                                                         \
      "weights to start from and to stay close to: zero, current (compiled in) or a header FILE")  \
    X(text, terms, NULL, 0, 0, "LIST",                                                             \
      "use these terms only, as in material,hand; the others stay 0 (needs --init zero)")          \
    X(real, lambda, "1", 0, 1, "X",                                                                \
      "share of the game's result in the target, the rest is the search's score; 1 from zero")     \
    X(real, k, "0", 0, 20, "X", "slope K of the expected score, 0 = fitted (1 from zero)")         \
    X(real, ridge, "0", 0, 1000, "X",                                                              \
      "pull towards the start, standardised units; 0 = chosen on the validation games")            \
    X(real, rare, "1", 0, 1e6, "X",                                                                \
      "what occurs less than this often in a position is pulled as if it occurred so often")       \
    X(real, anchor, "0", 0, 2000, "CP",                                                            \
      "scale the weights so that a piece on the board is worth this on average (0 = do not; K "    \
      "takes up the factor)")                                                                      \
    X(real, tolerance, "1e-10", 1e-14, 1, "X", "nats that the loss may lie above its minimum")     \
    X(int, iterations, "100", 1, 100000, "N", "most Newton steps")                                 \
    X(flag, cross_check, "true", 0, 0, NULL,                                                       \
      "minimise from a second start as well, and check the gradient by differences")               \
    X(int, bootstrap, "0", 0, 1000, "N",                                                           \
      "fit to so many random samples of the games, for standard errors; 0 = none, from 20 on "     \
      "sensible")                                                                                  \
    X(flag, learning_curve, NULL, 0, 0, NULL,                                                      \
      "fit to 1/16 .. 1/2 of the games as well: would more games help?")                           \
    X(text, table, NULL, 0, 0, "FILE",                                                             \
      "write all weights as comma-separated values, with standard errors and occurrences")         \
    X(real, validation, "0.1", 0, 0.9, "X", "share of the games held out for validation")          \
    X(real, test, "0.1", 0, 0.9, "X", "share of the games held out for the final test")            \
    X(int, skip_plies, "8", 0, 10000, "N", "plies at the start of each game that are left out")    \
    X(real, share, "1", 0, 1, "X", "share of the positions of each game that is used")             \
    X(int, quiet_margin, "0", 0, 32000, "CP",                                                      \
      "largest difference of quiescence and evaluation, 0 = any")                                  \
    X(int, max_positions, "0", 0, 4000000000, "N", "stop after this many positions, 0 = all")      \
    X(flag, check, NULL, 0, 0, NULL,                                                               \
      "compare evaluation and linear trace in every position, not only in a sample")               \
    X(flag, emit_zero, NULL, 0, 0, NULL, "write the header of all weights 0")                      \
    X(flag, emit_material, NULL, 0, 0, NULL, "write a header of material alone (--material)")      \
    X(text, material, NULL, 0, 0, "LIST", "PAWN=100,KNIGHT=300,... in centipawns")                 \
    X(text, date, NULL, 0, 0, "TEXT", "date that the header shall name")

typedef struct TuneOptions {
    COMMON_OPTIONS(OPTION_MEMBER) TUNE_OPTIONS(OPTION_MEMBER)
} TuneOptions;
#define OPTIONS_STRUCT TuneOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) TUNE_OPTIONS(OPTION_ROW)};

static const OptionTable table = {
    .program = "campmate-tune",
    .summary = "Fits the weights of a variant's evaluation to games and writes their header.",
    .usage = "[compare A.h B.h... | bench]",
    .details =
        "The loss is the mean cross-entropy, in nats, between the expected score of a position, "
        "1 / (1 + 10^(-K * centipawns / 400)), and what happened. Validation and test games are "
        "drawn by number and seed; fewer than 50 games are all used for training. "
        "The header is written only when the minimum was reached and proven.\n\n"
        "compare prints the loss of headers on the data. bench measures passes over the data.\n\n"
        "Exit codes: 0 done, 1 failed, 2 usage, 130/143 interrupted (nothing is written then).\n\n"
        "Example: campmate-tune --data games --init zero --out new.h\n"
        "Which header predicts games best: campmate-tune --data games compare old.h new.h",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .variants = engine_names,
};

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static int complain(int code, const char *message)
{
    fprintf(stderr, "campmate-tune: %s\n", message);
    return code;
}

static int fail(Status status, const Error *error)
{
    if (status == STATUS_INTERRUPTED && interrupt_exit_code())
        return complain(interrupt_exit_code(), "interrupted, nothing written");
    return complain(EXIT_FAILED, error->message);
}

/* --- what the user asked for ----------------------------------------------------------------- */

/* The command as the header shall name it: what differs from the defaults, without what does not
 * change the result, and paths by their last component. NULL when out of memory. */
static char *command_text(const TuneOptions *options)
{
    static const char *const omit[] = {
        "config", "threads",     "json",           "dry_run",   "out", "date",
        "table",  "cross_check", "learning_curve", "bootstrap", NULL};
    static const char *const paths[] = {"data", "text", "init"};
    TuneOptions defaults;
    if (options_parse(&table, 1, (char *[]){(char[]){"campmate-tune"}, NULL}, &defaults, NULL,
                      NULL) != OPTIONS_RUN)
        return NULL;
    char *given = options_effective(&table, options, omit);
    char *initial = options_effective(&table, &defaults, omit);
    options_free(&table, &defaults, NULL);
    char *text = NULL;
    size_t size = 0;
    FILE *out = given && initial ? open_memstream(&text, &size) : NULL;
    if (out)
        fputs("campmate-tune", out);
    for (char *line = given; out && line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        char *value = strstr(line, " = ");
        const char *same = initial;
        bool found = false;
        size_t length = strlen(line);
        while (!found && (same = strstr(same, line)) != NULL) {
            found = (same == initial || same[-1] == '\n') && same[length] == '\n';
            same += length;
        }
        if (!found && value) {
            *value = '\0';
            value += 3;
            for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
                if (!strcmp(line, paths[i])) {
                    size_t last = strlen(value);
                    while (last > 1 && value[last - 1] == '/')
                        value[--last] = '\0';
                    if (strrchr(value, '/') && last > 1)
                        value = strrchr(value, '/') + 1;
                }
            fprintf(out, !strcmp(value, "true") ? " --%s" : " --%s %s", line, value);
        }
        line = end ? end + 1 : NULL;
    }
    if (out && fclose(out)) {
        free(text);
        text = NULL;
    }
    free(given);
    free(initial);
    return text;
}

static LoadOptions load_options(const TuneOptions *options, const Engine *engine, int threads)
{
    return (LoadOptions){.engine = engine,
                         .data = options->data.items,
                         .data_count = options->data.count,
                         .text = options->text,
                         .terms = options->terms,
                         .need_score = options->lambda < 1,
                         .check_all = options->check,
                         .skip_plies = (int)options->skip_plies,
                         .quiet_margin_cp = (int)options->quiet_margin,
                         .share = options->share,
                         .validation = options->validation,
                         .test = options->test,
                         .seed = (uint64_t)options->seed,
                         .max_positions = (uint64_t)options->max_positions,
                         .threads = threads};
}

/* The weights that --init names: malloc'ed. */
static Status initial_weights(const char *init, const Engine *engine, Weight **weights, Error *err)
{
    size_t count = (size_t)engine->weight_count;
    Weight *made = calloc(count, sizeof *made);
    if (!made)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu weights", count);
    Status status = STATUS_OK;
    if (!strcmp(init, "current"))
        memcpy(made, engine->default_weights, count * sizeof *made);
    else if (strcmp(init, "zero") != 0)
        status = weights_file_read(engine, init, made, err);
    if (status == STATUS_OK)
        *weights = made;
    else
        free(made);
    return status;
}

/* --- headers without a fit ------------------------------------------------------------------- */

static const TermGroup *find_group(const Engine *engine, const char *name)
{
    for (int g = 0; g < engine->term_group_count; g++)
        if (!strcmp(engine->term_groups[g].name, name))
            return &engine->term_groups[g];
    return NULL;
}

static int find_item(const TermGroup *group, const char *name, size_t length)
{
    for (int i = 0; group && group->item_names && i < group->items; i++)
        if (strlen(group->item_names[i]) == length && !memcmp(group->item_names[i], name, length))
            return i;
    return -1;
}

static int16_t clamped(long value)
{
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

/* "PAWN=100,KNIGHT=300": the value of a piece on the board, and of each of it in hand. */
static Status set_material(const Engine *engine, const char *list, Weight *weights, Error *err)
{
    const TermGroup *material = find_group(engine, "material"), *hand = find_group(engine, "hand");
    if (!material)
        return error_set(err, STATUS_ARGUMENT, "%s has no weights named material", engine->name);
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        const char *equals = memchr(at, '=', length);
        size_t name_length = equals ? (size_t)(equals - at) : length;
        int item = find_item(material, at, name_length);
        if (item < 0)
            return error_set(err, STATUS_ARGUMENT, "--material: %s has no piece '%.*s'",
                             engine->name, (int)name_length, at);
        char *end = NULL;
        long value = equals ? strtol(equals + 1, &end, 10) : 0;
        if (!equals || end != at + length || end == equals + 1 || value < -30000 || value > 30000)
            return error_set(err, STATUS_ARGUMENT,
                             "--material: '%.*s', expected NAME=CENTIPAWNS from -30000 to 30000",
                             (int)length, at);
        int size = material->rows * material->columns;
        for (int i = 0; i < size; i++)
            weights[material->first + item * size + i] = (Weight){clamped(value), clamped(value)};
        int kind = find_item(hand, at, name_length);
        for (int column = 0; kind >= 0 && column < hand->columns; column++) {
            int w = hand->first + kind * hand->rows * hand->columns + column;
            if (!engine->weight_exists || engine->weight_exists[w])
                weights[w] = (Weight){clamped(value * (column + 1)), clamped(value * (column + 1))};
        }
        at += length + (at[length] == ',');
    }
    return STATUS_OK;
}

static int emit_by_hand(const TuneOptions *options, const Engine *engine)
{
    Error error = {0};
    Weight *weights = calloc((size_t)engine->weight_count, sizeof *weights);
    char *command = command_text(options);
    Status status = STATUS_OK;
    bool wrong = false;
    if (!weights || !command) {
        status = error_set(&error, STATUS_NO_MEMORY, "no memory for the header");
    } else if (options->emit_material) {
        status = set_material(engine, options->material, weights, &error);
        wrong = status == STATUS_ARGUMENT;
    }
    if (status == STATUS_OK) {
        ProvenanceLine line = {"command", command};
        Provenance provenance = {.summary = options->emit_material ? "material values set by hand"
                                                                   : "all weights 0",
                                 .lines = &line,
                                 .line_count = 1};
        status = emit_file(engine, weights, &provenance, options->out, &error);
    }
    free(weights);
    free(command);
    if (wrong)
        return complain(EXIT_USAGE, error.message);
    return status == STATUS_OK ? EXIT_DONE : fail(status, &error);
}

/* --- fit ------------------------------------------------------------------------------------- */

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
    status = interrupted() ? error_set(err, STATUS_INTERRUPTED, "stopped before writing")
                           : emit_file(report->sample->engine, report->result->weights,
                                       &provenance.provenance, options->out, err);
    report_provenance_free(&provenance);
    return status;
}

static int run_fit(const TuneOptions *options, const Engine *engine, int threads)
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
    if (options->terms && !weights_are_zero(engine, prior)) {
        code = complain(EXIT_USAGE, "--terms: what is left out stays 0, expected --init zero");
        goto cleanup;
    }
    if (options->lambda < 1 && weights_are_zero(engine, prior)) {
        code = complain(EXIT_USAGE, "--lambda: from all weights 0 only results are targets, "
                                    "expected 1");
        goto cleanup;
    }
    loading.weights = prior;
    if ((status = sample_load(&sample, &loading, &error)) != STATUS_OK)
        goto cleanup;
    if (options->check && !options->out) {
        code = check_only(options, &sample);
        goto cleanup;
    }
    double load_seconds = clock_seconds_since(began);
    FitOptions fitting = {.lambda = options->lambda,
                          .slope = options->k,
                          .ridge = options->ridge,
                          .rare = options->rare,
                          .anchor_cp = options->anchor,
                          .cross_check = options->cross_check,
                          .bootstrap = (int)options->bootstrap,
                          .curve = options->learning_curve,
                          .seed = (uint64_t)options->seed,
                          .threads = threads,
                          .optimise = OPTIMISE_DEFAULTS};
    fitting.optimise.tolerance = options->tolerance;
    fitting.optimise.max_iterations = (int)options->iterations;
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
                        .curve = watch.curve,
                        .seed = (uint64_t)options->seed};
    if (options->table &&
        (status = table_write(options->table, engine, &result, &error)) != STATUS_OK)
        goto cleanup;
    if ((status = write_result(options, &report, &error)) != STATUS_OK)
        goto cleanup;
    if (options->json)
        status = report_json(stdout, &report, &error);
    else
        report_print(stdout, &report);

cleanup:
    if (status != STATUS_OK)
        code = fail(status, &error);
    fit_result_free(&result);
    sample_free(&sample);
    json_decref(watch.curve);
    free(prior);
    return code;
}

/* --- compare --------------------------------------------------------------------------------- */

static int run_compare(const TuneOptions *options, const Engine *engine, int threads,
                       const OptionList *words)
{
    if (words->count < 3)
        return complain(EXIT_USAGE, "compare: expected headers, as in: compare A.h B.h");
    Error error = {0};
    Sample sample = {0};
    LoadOptions loading = load_options(options, engine, threads);
    loading.validation = loading.test = 0;
    double *x = malloc(2 * (size_t)engine->weight_count * sizeof *x), *scores = NULL;
    json_t *list = json_array();
    Status status = x && list ? sample_load(&sample, &loading, &error)
                              : error_set(&error, STATUS_NO_MEMORY, "no memory to compare");
    const Rows *train = &sample.parts[PART_TRAIN];
    if (status == STATUS_OK && !train->count)
        status = error_set(&error, STATUS_ARGUMENT, "no position is left to compare on");
    if (status == STATUS_OK && !(scores = malloc(train->count * sizeof *scores)))
        status = error_set(&error, STATUS_NO_MEMORY, "no memory for %zu scores", train->count);
    if (status == STATUS_OK && !options->json)
        printf("%zu positions\n        K      loss  header\n", train->count);
    for (size_t i = 1; status == STATUS_OK && i < words->count; i++) {
        Weight *weights = NULL;
        double slope = options->k, loss = 0;
        if ((status = initial_weights(words->items[i], engine, &weights, &error)) != STATUS_OK)
            break;
        coefficients_from_weights(engine, weights, x);
        rows_scores(train, x, threads, scores);
        if (!(slope > 0)) {
            slope = 1;
            if (!weights_are_zero(engine, weights))
                status = slope_fit(train, scores, threads, &slope, &error);
        }
        if (status == STATUS_OK)
            status = scores_loss(train, scores, slope, threads, &loss, &error);
        free(weights);
        if (status != STATUS_OK)
            break;
        if (options->json)
            json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "header", words->items[i], "k",
                                                  slope, "loss", loss));
        else
            printf("%9.4f %9.6f  %s\n", slope, loss, words->items[i]);
    }
    if (status == STATUS_OK && options->json) {
        json_t *object =
            json_pack("{s:I, s:O}", "positions", (json_int_t)train->count, "headers", list);
        if (object) {
            json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
            putchar('\n');
        } else {
            status = error_set(&error, STATUS_NO_MEMORY, "no memory for JSON");
        }
        json_decref(object);
    }
    json_decref(list);
    free(scores);
    free(x);
    sample_free(&sample);
    return status == STATUS_OK ? EXIT_DONE : fail(status, &error);
}

/* --- bench ----------------------------------------------------------------------------------- */

static int run_bench(const TuneOptions *options, const Engine *engine, int threads)
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
        status = bench_passes(&sample, ROUNDS, threads, &result, &error);
    if (status == STATUS_OK && options->json) {
        json_t *object =
            json_pack("{s:I, s:i, s:f, s:f, s:f, s:f}", "positions", (json_int_t)result.positions,
                      "threads", threads, "gradient_positions_per_cpu_second", result.gradient,
                      "product_positions_per_cpu_second", result.product, "bytes_per_position",
                      result.bytes, "changes_per_position", result.changes);
        if (!object || json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(10)) ||
            putchar('\n') == EOF)
            status = error_set(&error, STATUS_IO, "cannot write the result");
        json_decref(object);
    } else if (status == STATUS_OK) {
        printf("%llu positions, %.1f changes and %.1f bytes each, %d thread%s\n"
               "loss and gradient       %6.1f M positions a CPU second\n"
               "Hessian times a vector  %6.1f M positions a CPU second\n",
               (unsigned long long)result.positions, result.changes, result.bytes, threads,
               threads == 1 ? "" : "s", result.gradient / 1e6, result.product / 1e6);
    }
    sample_free(&sample);
    return status == STATUS_OK ? EXIT_DONE : fail(status, &error);
}

/* --- dry run --------------------------------------------------------------------------------- */

static int dry_run(const TuneOptions *options, const Engine *engine)
{
    char *effective = options_effective(&table, options, NULL);
    if (!effective)
        return complain(EXIT_FAILED, "out of memory");
    fputs(effective, stdout);
    free(effective);
    uint64_t games = 0;
    for (size_t i = 0; i < options->data.count; i++) {
        Dataset *dataset = NULL;
        Error error = {0};
        Status status = dataset_open(&dataset, options->data.items[i], &error);
        if (status != STATUS_OK)
            return fail(status, &error);
        games += dataset_game_count(dataset);
        dataset_close(dataset);
    }
    /* A game of these variants has some 40 positions worth fitting, a position some 60 bytes. */
    printf("# %s: %d weights, %llu games; about %.1f MiB of memory, %.0f seconds\n", engine->name,
           engine->weight_count, (unsigned long long)games, (double)games * 40 * 60 / 1048576,
           1 + (double)games * 40 / 100000);
    return EXIT_DONE;
}

static int run(const TuneOptions *options, const OptionList *words)
{
    bool compare = words->count && !strcmp(words->items[0], "compare");
    bool bench = words->count == 1 && !strcmp(words->items[0], "bench");
    if (words->count && !compare && !bench)
        return complain(EXIT_USAGE, "expected options, 'compare A.h B.h' or 'bench' (see --help)");
    bool by_hand = options->emit_zero || options->emit_material;
    Error error = {0};
    const Engine *engine = NULL;
    if (options->variant && !(engine = engine_find(options->variant))) {
        error_set(&error, STATUS_ARGUMENT, "--variant: '%s' is none of %s", options->variant,
                  engine_names());
        return complain(EXIT_USAGE, error.message);
    }
    if (!engine && (by_hand || options->text || !options->data.count))
        return complain(EXIT_USAGE, by_hand || options->text ? "--variant is required here"
                                                             : "--data is required (see --help)");
    if (!options->data.count && !options->text && !by_hand)
        return complain(EXIT_USAGE, "--data or --text is required (see --help)");
    if (!options->out && !compare && !bench && !options->check && !options->dry_run)
        return complain(EXIT_USAGE, "--out is required (see --help)");
    if (options->emit_material && (options->emit_zero || !options->material))
        return complain(EXIT_USAGE, options->emit_zero
                                        ? "--emit-zero and --emit-material exclude each other"
                                        : "--emit-material needs --material PAWN=100,...");
    if (options->bootstrap == 1)
        return complain(EXIT_USAGE,
                        "--bootstrap: one sample has no spread, expected 0 or 2 and more");
    if (options->validation + options->test >= 1)
        return complain(EXIT_USAGE, "--validation and --test leave no games for training");
    LoadOptions loading = load_options(options, engine, 1);
    Status status = load_engine(&loading, &engine, &error);
    if (status != STATUS_OK)
        return fail(status, &error);
    int threads = options_threads(options->threads);
    if (options->dry_run)
        return dry_run(options, engine);
    if (by_hand)
        return emit_by_hand(options, engine);
    if (bench)
        return run_bench(options, engine, threads);
    return compare ? run_compare(options, engine, threads, words)
                   : run_fit(options, engine, threads);
}

/* What could not be printed is a failure, unless there is a worse one. */
static int finish(int code)
{
    Error error = {0};
    if (standard_output_check(&error) == STATUS_OK)
        return code;
    return complain(code == EXIT_DONE ? EXIT_FAILED : code, error.message);
}

int main(int argc, char **argv)
{
    gsl_set_error_handler_off();
    Error error = {0};
    if (cpu_check(&error) != STATUS_OK)
        return complain(EXIT_FAILED, error.message);
    standard_output_watch();
    interrupt_install();
    TuneOptions options;
    OptionList words;
    OptionsVerdict verdict = options_parse(&table, argc, argv, &options, &words, &error);
    if (verdict == OPTIONS_WRONG)
        return complain(options_exit_code(verdict, &error), error.message);
    if (verdict == OPTIONS_DONE)
        return finish(EXIT_DONE);
    /* A header by hand has no chance in it, and the same bytes every time. */
    if (!options.seed && options.out && !options.emit_zero && !options.emit_material) {
        options.seed = (option_int)rng_seed_from_os();
        fprintf(stderr, "campmate-tune: seed %lld\n", (long long)options.seed);
    }
    int code = run(&options, &words);
    options_free(&table, &options, &words);
    return finish(code);
}
