/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_spsa.c - campmate-match spsa: better numbers for the options of an engine, from games. */
#include "command.h"
#include "report.h"
#include "spsa.h"

#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <xxhash.h>

/* clang-format off */
#define SPSA_OPTIONS(X)                                                                            \
    X(text, variant, NULL, 0, 0, "V", "game to play; required")                                    \
    X(text, engine, NULL, 0, 0, "SPEC", "cmd=PATH and, each after a comma, what else is wanted, as for a match; required") \
    X(list, tune, NULL, 0, 0, "NAME[,..]", "an option of type spin to tune, with start=, min=, max= and step= if they are not to be the engine's own; repeat it; without it all whose names begin with \"Tune \"") \
    X(int, iterations, "1000", 1, 100000000, "N", "steps to take")                                 \
    X(int, pairs, "8", 1, 100000, "N", "pairs of games of each step")                              \
    X(real, rate, "0.002", 0, 10, "R", "how far one point moves a number at the end, in squared steps") \
    X(int, nodes, "0", 0, 9007199254740991, "N", "nodes for each move")                            \
    X(int, depth, "0", 0, 1000, "N", "depth of each move, in plies")                               \
    X(text, tc, NULL, 0, 0, "TC", "clock in seconds: 1+0.01")                                      \
    X(int, concurrency, "0", 0, 512, "N", "games at the same time, 0 = as many as --threads")      \
    X(text, openings, NULL, 0, 0, "FILE", "FEN or EPD lines, plain or .zst; drawn at random for each step") \
    X(int, max_plies, "400", 0, 1000000, "N", "leave games unfinished after N plies, 0 = never")   \
    X(text, out, NULL, 0, 0, "FILE", "JSON of the numbers, written anew after each step; required") \
    X(flag, resume, NULL, 0, 0, NULL, "go on with what is in --out")
/* clang-format on */

typedef struct SpsaOptions {
    COMMON_OPTIONS(OPTION_MEMBER) SPSA_OPTIONS(OPTION_MEMBER)
} SpsaOptions;
#define OPTIONS_STRUCT SpsaOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) SPSA_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable table = {
    .program = "campmate-match spsa",
    .summary =
        "Better numbers for the options of an engine, from games between two versions of it.",
    .usage = "",
    .details =
        "In each step every number goes a little up in one version and down in the other, at "
        "random; "
        "the version that wins more pulls the numbers its way (simultaneous perturbation). The "
        "step of "
        "--tune is that little at the end; it is larger before. A campmate that is built with "
        "-DCAMPMATE_TUNE=ON offers the numbers of its search.\n\n"
        "A kill loses the step that is under way, not more; --resume goes on. What comes out is a "
        "guess: test it with an SPRT.\n\n"
        "Example: campmate-match spsa --variant shogun --engine cmd=./campmate --nodes 1500 "
        "--openings shogun.epd --iterations 1800 --out shogun.json",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .variants = engine_names,
};

static const char TUNE_PREFIX[] = "Tune ";

static const char CHECK[] = "check"; /* its key in --out */

enum { FORMAT = 2, ALIKE_SHARE_MAX = 10 /* percent; a warning beyond */ };

/* Everything of one run. */
typedef struct Run {
    const SpsaOptions *options;
    MatchConfig match;
    EngineSpec engine;
    SpsaKnown *known; /* [known_count] options of type spin, with their names */
    char **known_names;
    size_t known_count;
    SpsaParameter *parameters;
    size_t count;
    SpsaGains gains;
    uint64_t seed, iteration; /* iteration: done */
    uint64_t games, wins, draws, losses;
    json_t *head; /* what a resumed run must agree with */
    int lock;
} Run;

static void run_free(Run *run)
{
    for (size_t i = 0; i < run->known_count; i++)
        free(run->known_names[i]);
    for (size_t i = 0; i < run->count; i++)
        free(run->parameters[i].name);
    free(run->known);
    free(run->known_names);
    free(run->parameters);
    engine_spec_free(&run->engine);
    json_decref(run->head);
    if (run->lock >= 0)
        close(run->lock);
}

/* --- what the engine offers ----------------------------------------------------------------------
 */

static void see_option(void *context, const UciOption *option)
{
    Run *run = context;
    long long standard;
    if (!uci_option_is(option, "spin") || !option->initial ||
        !uci_number(option->initial, &standard))
        return;
    SpsaKnown *known = realloc(run->known, (run->known_count + 1) * sizeof *known);
    if (known)
        run->known = known;
    char **names = realloc(run->known_names, (run->known_count + 1) * sizeof *names);
    if (names)
        run->known_names = names;
    char *name = strdup(option->name);
    if (!known || !names || !name) {
        free(name);
        return; /* then the option is not found, and said so */
    }
    known[run->known_count] = (SpsaKnown){.found = true,
                                          .has_limits = option->min_text && option->max_text,
                                          .standard = (double)standard,
                                          .least = (double)option->min,
                                          .most = (double)option->max};
    names[run->known_count++] = name;
}

static SpsaKnown find_known(void *context, const char *name)
{
    const Run *run = context;
    for (size_t i = 0; i < run->known_count; i++)
        if (strcasecmp(run->known_names[i], name) == 0)
            return run->known[i];
    return (SpsaKnown){0};
}

static Status ask_engine(Run *run, Error *err)
{
    char warning[400];
    UciClientSetup setup = {.variant = run->match.engine->name,
                            .stop_fd = -1,
                            .seconds = run->match.start_seconds,
                            .see_option = see_option,
                            .context = run};
    UciClient *client = uci_client_start(&run->engine, &setup, warning, sizeof warning, err);
    if (!client)
        return err->status;
    uci_client_quit(client);
    uci_client_free(client, false);
    return STATUS_OK;
}

static Status add_parameter(Run *run, const char *text, Error *err)
{
    SpsaParameter *grown = realloc(run->parameters, (run->count + 1) * sizeof *grown);
    if (!grown)
        return error_set(err, STATUS_NO_MEMORY, "--tune: out of memory");
    run->parameters = grown;
    grown[run->count] = (SpsaParameter){0};
    Status status = spsa_parameter_parse(text, find_known, run, &grown[run->count], err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < run->count; i++)
        if (strcasecmp(grown[i].name, grown[run->count].name) == 0) {
            free(grown[run->count].name);
            return error_set(err, STATUS_ARGUMENT, "--tune %s: given twice", grown[i].name);
        }
    run->count++;
    return STATUS_OK;
}

static Status find_parameters(Run *run, Error *err)
{
    const OptionList *tune = &run->options->tune;
    Status status = STATUS_OK;
    for (size_t i = 0; i < tune->count && status == STATUS_OK; i++)
        status = add_parameter(run, tune->items[i], err);
    for (size_t i = 0; i < run->known_count && !tune->count && status == STATUS_OK; i++)
        if (strncmp(run->known_names[i], TUNE_PREFIX, strlen(TUNE_PREFIX)) == 0)
            status = add_parameter(run, run->known_names[i], err);
    /* A number that is tuned begins where start= says. */
    for (size_t i = 0; i < run->engine.option_count && status == STATUS_OK; i++)
        for (size_t k = 0; k < run->count && status == STATUS_OK; k++)
            if (strcasecmp(run->engine.options[i].name, run->parameters[k].name) == 0)
                status = error_set(err, STATUS_ARGUMENT,
                                   "--engine: option.%s is tuned: expected --tune %s,start=%s",
                                   run->engine.options[i].name, run->parameters[k].name,
                                   run->engine.options[i].value);
    if (status == STATUS_OK && run->count == 0)
        status = error_set(err, STATUS_ARGUMENT,
                           "engine %s has no option whose name begins with '%s' (a campmate has "
                           "them if it is built "
                           "with -DCAMPMATE_TUNE=ON): --tune says which to tune",
                           run->engine.name, TUNE_PREFIX);
    return status;
}

/* --- the file of the numbers ---------------------------------------------------------------------
 */

static json_t *make_head(const Run *run)
{
    char limits[100], openings[20];
    snprintf(openings, sizeof openings, "%016" PRIx64, book_hash(run->match.book));
    char *engine = engine_spec_text(&run->engine);
    move_limits_text(move_limits_any(&run->engine.limits) ? &run->engine.limits
                                                          : &run->match.limits,
                     limits, sizeof limits);
    json_t *parameters = json_array();
    for (size_t i = 0; i < run->count; i++) {
        const SpsaParameter *x = &run->parameters[i];
        json_array_append_new(parameters, json_pack("{s:s, s:f, s:f, s:f, s:f}", "name", x->name,
                                                    "start", x->start, "min", x->least, "max",
                                                    x->most, "step", x->step));
    }
    json_t *head = json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:I, s:I, s:o}", "format", FORMAT, "variant",
        run->match.engine->name, "engine", engine ? engine : "", "limits", limits, "openings",
        openings, "iterations", (json_int_t)run->gains.iterations, "pairs",
        (json_int_t)run->options->pairs, "rate", run->gains.rate, "seed", (json_int_t)run->seed,
        "max_plies", (json_int_t)run->options->max_plies, "parameters", parameters);
    free(engine);
    return head;
}

static json_t *result_json(const Run *run)
{
    json_t *values = json_array();
    for (size_t i = 0; i < run->count; i++) {
        const SpsaParameter *x = &run->parameters[i];
        json_array_append_new(values, json_pack("{s:s, s:f, s:f, s:I, s:I}", "name", x->name,
                                                "start", x->start, "value", x->value, "rounded",
                                                (json_int_t)llround(x->value), "alike",
                                                (json_int_t)x->alike));
    }
    return json_pack("{s:O, s:I, s:I, s:I, s:I, s:I, s:o}", "head", run->head, "iteration",
                     (json_int_t)run->iteration, "games", (json_int_t)run->games, "wins",
                     (json_int_t)run->wins, "draws", (json_int_t)run->draws, "losses",
                     (json_int_t)run->losses, "values", values);
}

/* What all else in the file gives: numbers that were changed by hand are none of this run's. */
static json_t *check_of(const json_t *file)
{
    json_t *rest = json_copy((json_t *)file);
    json_object_del(rest, CHECK);
    char *text = rest ? json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    char digits[17] = "";
    if (text)
        snprintf(digits, sizeof digits, "%016" PRIx64, (uint64_t)XXH3_64bits(text, strlen(text)));
    free(text);
    json_decref(rest);
    return json_string(digits);
}

static Status save(const Run *run, Error *err)
{
    json_t *result = result_json(run);
    if (result && json_object_set_new(result, CHECK, check_of(result)) != 0) {
        json_decref(result);
        result = NULL;
    }
    char *text = result ? json_dumps(result, JSON_INDENT(1)) : NULL;
    json_decref(result);
    if (!text)
        return error_set(err, STATUS_NO_MEMORY, "%s: out of memory", run->options->out);
    Status status = file_write_all(run->options->out, text, strlen(text), err);
    free(text);
    return status;
}

static Status not_ours(const Run *run, const char *what, Error *err)
{
    return error_set(err, STATUS_FORMAT,
                     "%s: expected what campmate-match spsa writes, found %s: choose another --out",
                     run->options->out, what);
}

/* Both heads agree, or the first difference is shown. */
static Status compare_heads(const Run *run, const json_t *found, Error *err)
{
    const char *key;
    json_t *ours;
    json_object_foreach(run->head, key, ours)
    {
        const json_t *theirs = json_object_get(found, key);
        if (json_equal(ours, theirs))
            continue;
        char *a = theirs
                      ? json_dumps(theirs, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12))
                      : NULL;
        char *b = json_dumps(ours, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
        error_set(err, STATUS_ARGUMENT, "%s is of another run: %s is %s there and %s here",
                  run->options->out, key, a ? a : "missing", b ? b : "?");
        free(a);
        free(b);
        return err->status;
    }
    return STATUS_OK;
}

static Status load_values(Run *run, const json_t *file, Error *err)
{
    const json_t *values = json_object_get(file, "values");
    json_int_t iteration, games, wins, draws, losses;
    if (json_unpack((json_t *)file, "{s:I, s:I, s:I, s:I, s:I}", "iteration", &iteration, "games",
                    &games, "wins", &wins, "draws", &draws, "losses", &losses) != 0 ||
        iteration < 0 || (uint64_t)iteration > run->gains.iterations ||
        json_array_size(values) != run->count)
        return not_ours(run, "no count of iterations, games and values that fits", err);
    run->iteration = (uint64_t)iteration;
    run->games = (uint64_t)games;
    run->wins = (uint64_t)wins;
    run->draws = (uint64_t)draws;
    run->losses = (uint64_t)losses;
    for (size_t i = 0; i < run->count; i++) {
        SpsaParameter *x = &run->parameters[i];
        const json_t *row = json_array_get(values, i);
        const json_t *value = json_object_get(row, "value"), *alike = json_object_get(row, "alike");
        if (!json_is_number(value) || !json_is_integer(alike) ||
            json_number_value(value) < x->least || json_number_value(value) > x->most)
            return not_ours(run, "a value that is no number or out of its range", err);
        x->value = json_number_value(value);
        x->alike = (uint64_t)json_integer_value(alike);
    }
    return STATUS_OK;
}

static json_t *load_file(const Run *run, Error *err)
{
    char *text;
    size_t size;
    if (file_read_all(run->options->out, &text, &size, err) != STATUS_OK)
        return NULL;
    json_error_t where;
    json_t *file = json_loadb(text, size, 0, &where);
    free(text);
    if (!file) {
        error_set(err, STATUS_FORMAT, "%s, line %d: %s: damaged: choose another --out",
                  run->options->out, where.line, where.text);
        return NULL;
    }
    const char *fault = NULL;
    json_t *check = check_of(file);
    if (!json_is_object(json_object_get(file, "head")))
        fault = "no \"head\"";
    else if (json_integer_value(json_object_get(json_object_get(file, "head"), "format")) ==
                 FORMAT &&
             !json_equal(check, json_object_get(file, CHECK)))
        fault = "another \"check\" than its content has: it was changed";
    json_decref(check);
    if (!fault)
        return file;
    not_ours(run, fault, err);
    json_decref(file);
    return NULL;
}

/* Draws the seed, or takes that of the run that is resumed, and reads where it was. */
static Status begin_or_resume(Run *run, Error *err)
{
    const SpsaOptions *options = run->options;
    char *lock = text_format("%s.lock", options->out);
    if (!lock)
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    Status status = file_lock(lock, &run->lock, err);
    free(lock);
    if (status != STATUS_OK)
        return status;
    run->seed = (uint64_t)options->seed;
    if (!file_exists(options->out)) {
        if (!run->seed)
            run->seed = rng_seed_from_os();
        run->head = make_head(run);
        return run->head ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "out of memory");
    }
    if (!options->resume)
        return error_set(err, STATUS_ARGUMENT, "%s is there already: --resume goes on with it",
                         options->out);
    json_t *file = load_file(run, err);
    if (!file)
        return err->status;
    const json_t *head = json_object_get(file, "head");
    if (!run->seed)
        run->seed = (uint64_t)json_integer_value(json_object_get(head, "seed"));
    run->head = make_head(run);
    status = run->head ? compare_heads(run, head, err)
                       : error_set(err, STATUS_NO_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = load_values(run, file, err);
    json_decref(file);
    return status;
}

/* --- steps
 * ---------------------------------------------------------------------------------------- */

/* The engine with the numbers of one version. */
static Status make_version(const Run *run, const SpsaTrial *trials, bool first, EngineSpec *spec,
                           Error *err)
{
    Status status = engine_spec_parse(run->options->engine, spec, err);
    if (status != STATUS_OK)
        return status;
    EngineOption *options =
        realloc(spec->options, (spec->option_count + run->count) * sizeof *options);
    char *name = strdup(first ? "first" : "second");
    if (options)
        spec->options = options;
    if (name) {
        free(spec->name);
        spec->name = name;
    }
    for (size_t i = 0; i < run->count && options && name; i++) {
        EngineOption *option = &options[spec->option_count];
        option->name = strdup(run->parameters[i].name);
        option->value = text_format("%lld", first ? trials[i].first : trials[i].second);
        if (!option->name || !option->value) {
            free(option->name);
            free(option->value);
            name = NULL;
            break;
        }
        spec->option_count++;
    }
    if (options && name)
        return STATUS_OK;
    engine_spec_free(spec);
    return error_set(err, STATUS_NO_MEMORY, "out of memory");
}

static void show_notice(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "campmate-match spsa: %s\n", text);
}

static Status play_step(Run *run, SpsaTrial *trials, Error *err)
{
    static const Encounter encounter = {0, 1};
    EngineSpec versions[2] = {{0}, {0}};
    const uint64_t step = run->iteration + 1;
    spsa_try(run->parameters, run->count, &run->gains, run->seed, step, trials);
    Status status = make_version(run, trials, true, &versions[0], err);
    if (status == STATUS_OK &&
        (status = make_version(run, trials, false, &versions[1], err)) != STATUS_OK)
        engine_spec_free(&versions[0]);
    if (status != STATUS_OK)
        return status;
    MatchConfig config = run->match;
    config.engines = versions;
    config.engine_count = 2;
    config.encounters = &encounter;
    config.encounter_count = 1;
    config.games = 2 * (uint64_t)run->options->pairs;
    Rng rng = rng_from(run->seed, step);
    config.seed = rng_next(&rng) >> 12;
    MatchSummary summary = {0};
    const MatchObserver observer = {NULL, show_notice, NULL};
    status = match_run(&config, &observer, &summary, err);
    if (status == STATUS_OK) {
        const MatchTotals *totals = &summary.totals[0];
        run->iteration = step;
        run->games += totals->games;
        run->wins += totals->wins;
        run->draws += totals->draws;
        run->losses += totals->losses;
        spsa_learn(run->parameters, run->count, &run->gains, step, trials,
                   (double)totals->wins - (double)totals->losses);
    }
    free(summary.totals);
    engine_spec_free(&versions[0]);
    engine_spec_free(&versions[1]);
    return status;
}

static Status take_steps(Run *run, Error *err)
{
    SpsaTrial *trials = malloc(run->count * sizeof *trials);
    if (!trials)
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    Progress progress;
    Status status = STATUS_OK;
    progress_begin(&progress, "steps", run->gains.iterations, run->iteration);
    while (status == STATUS_OK && run->iteration < run->gains.iterations) {
        status = interrupt_exit_code() ? error_set(err, STATUS_INTERRUPTED, "interrupted")
                                       : play_step(run, trials, err);
        if (status == STATUS_OK)
            status = save(run, err);
        progress_update(&progress, run->iteration, NULL);
    }
    progress_end(&progress);
    free(trials);
    return status;
}

static void print_result(const Run *run)
{
    printf("%" PRIu64 " of %" PRIu64 " steps, %" PRIu64 " games\n", run->iteration,
           run->gains.iterations, run->games);
    for (size_t i = 0; i < run->count; i++)
        printf("%-32s %10.0f -> %12.2f   option.%s=%lld\n", run->parameters[i].name,
               run->parameters[i].start, run->parameters[i].value, run->parameters[i].name,
               llround(run->parameters[i].value));
}

static void warn_of_small_steps(const Run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const SpsaParameter *x = &run->parameters[i];
        if (run->iteration && 100 * x->alike > ALIKE_SHARE_MAX * run->iteration)
            fprintf(stderr,
                    "campmate-match spsa: %s: in %" PRIu64 " of %" PRIu64
                    " steps both versions had the same number, so "
                    "games said nothing about it: expected a step larger than %g\n",
                    x->name, x->alike, run->iteration, x->step);
    }
}

static Status configure(Run *run, Error *err)
{
    const SpsaOptions *options = run->options;
    MatchConfig *match = &run->match;
    if (!options->variant || !options->engine || !options->out)
        return error_set(err, STATUS_ARGUMENT, "--variant, --engine and --out are needed");
    match->engine = engine_find(options->variant);
    if (!match->engine)
        return error_set(err, STATUS_ARGUMENT, "--variant '%s': expected %s", options->variant,
                         engine_names());
    match->limits.nodes = (uint64_t)options->nodes;
    match->limits.depth = (int)options->depth;
    Status status = options->tc ? time_control_parse(options->tc, &match->limits, err) : STATUS_OK;
    if (status == STATUS_OK)
        status = engine_spec_parse(options->engine, &run->engine, err);
    if (status == STATUS_OK && !move_limits_any(&match->limits) &&
        !move_limits_any(&run->engine.limits))
        status = error_set(err, STATUS_ARGUMENT, "--nodes, --depth or --tc is needed");
    match->concurrency =
        options->concurrency ? (int)options->concurrency : options_threads(options->threads);
    match->random_order = true;
    match->start_seconds = 10.0;
    match->rules.stall_seconds = 9.0;
    match->rules.time_margin_seconds = 0.05;
    match->rules.max_plies = (int)options->max_plies;
    run->gains = (SpsaGains){.iterations = (uint64_t)options->iterations, .rate = options->rate};
    return status;
}

static int run_spsa(const void *given, const OptionList *words)
{
    (void)words;
    Run run = {.options = given, .lock = -1};
    Book book = {0};
    Error error = {STATUS_OK, ""};
    Status status = configure(&run, &error);
    if (status == STATUS_OK && run.options->openings) {
        status = book_read(run.match.engine, run.options->openings, &book, &error);
        run.match.book = &book;
    }
    if (status == STATUS_OK)
        status = ask_engine(&run, &error);
    if (status == STATUS_OK)
        status = find_parameters(&run, &error);
    if (status == STATUS_OK && !run.options->dry_run)
        status = begin_or_resume(&run, &error);
    if (status == STATUS_OK && run.options->dry_run) {
        command_dry_run(&table, run.options, run.options->json);
        if (!run.options->json)
            printf("# %" PRIu64 " games\n",
                   2 * run.gains.iterations * (uint64_t)run.options->pairs);
    } else if (status == STATUS_OK) {
        interrupt_install();
        if (!run.options->openings)
            show_notice(
                NULL,
                "no --openings: all games begin at the start position, and at fixed nodes or depth "
                "many may be the same");
        status = take_steps(&run, &error);
        if (status == STATUS_OK || status == STATUS_INTERRUPTED) {
            warn_of_small_steps(&run);
            if (run.options->json)
                json_print(result_json(&run));
            else
                print_result(&run);
        }
    }
    run_free(&run);
    book_free(&book);
    if (status == STATUS_OK)
        return EXIT_DONE;
    fprintf(stderr, "campmate-match spsa: %s\n", error.message);
    if (status == STATUS_INTERRUPTED && interrupt_exit_code())
        return interrupt_exit_code();
    return status == STATUS_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
}

int command_spsa(int argc, char **argv)
{
    SpsaOptions options;
    return command_main(&table, argc, argv, &options, NULL, run_spsa);
}
