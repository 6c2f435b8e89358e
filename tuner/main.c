/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - campmate-tune: fits the weights of the evaluation and writes their header.
 *
 *     campmate-tune --data DIR... --out FILE          fit
 *     campmate-tune --data DIR... --search            which settings predict best?
 *     campmate-tune --data DIR... --check             compare trace and evaluation only
 *     campmate-tune --variant V --emit-zero --out FILE
 *     campmate-tune --variant V --emit-material --material PAWN=100,... --out FILE
 *     campmate-tune compare A.h B.h --data DIR...
 *     campmate-tune bench --data DIR...
 */
#include "command.h"

#include "comm.h"
#include "dataset.h"
#include "support/cpu.h"
#include "support/interrupt.h"
#include "support/rng.h"
#include "support/standard_output.h"
#include "tie.h"

#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int task_dry_run(const TuneOptions *options, const Engine *engine)
{
    char *effective = options_effective(&tune_table, options, NULL);
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

/* What has a meaning only together with something else that is not there, or instead of it. */
static int check_companions(const TuneOptions *options)
{
    static const char *const for_search[] = {"search_lambda", "search_skip_plies",
                                             "search_quiet_margin", "search_journal"};
    for (size_t i = 0; i < sizeof for_search / sizeof *for_search; i++)
        if (!options->search && options_given(&tune_table, options, for_search[i]))
            return complain(EXIT_USAGE, "--search-lambda, --search-skip-plies, "
                                        "--search-quiet-margin and --search-journal need --search");
    if (options->search && options_given(&tune_table, options, "lambda"))
        return complain(EXIT_USAGE, "--search takes lambda from --search-lambda, not --lambda");
    if (!options->emit_material && options_given(&tune_table, options, "material"))
        return complain(EXIT_USAGE, "--material needs --emit-material");
    return EXIT_DONE;
}

/* Do the options that name parts of an evaluation fit the game's? */
static int check_game(const TuneOptions *options, const Engine *engine)
{
    Error error = {0};
    Status status = options->terms ? terms_check(engine, options->terms, &error) : STATUS_OK;
    if (status == STATUS_OK && options->tie)
        status = tie_check(engine, &error);
    if (status == STATUS_ARGUMENT)
        return complain(EXIT_USAGE, error.message);
    return status == STATUS_OK ? EXIT_DONE : fail(status, &error);
}

static int run(TuneOptions *options, const OptionList *words)
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
    if (!options->out && !compare && !bench && !options->check && !options->dry_run &&
        !options->search && !options->export)
        return complain(EXIT_USAGE, "--out is required (see --help)");
    if (options->emit_material && (options->emit_zero || !options->material))
        return complain(EXIT_USAGE, options->emit_zero
                                        ? "--emit-zero and --emit-material exclude each other"
                                        : "--emit-material needs --material PAWN=100,...");
    if (options->export && (options->out || options->search))
        return complain(EXIT_USAGE, "--export writes positions and fits nothing: expected neither "
                                    "--out nor --search");
    if (options->bootstrap == 1)
        return complain(EXIT_USAGE,
                        "--bootstrap: one sample has no spread, expected 0 or 2 and more");
    if (options->validation + options->test >= 1)
        return complain(EXIT_USAGE, "--validation and --test leave no games for training");
    int code = check_companions(options);
    if (code != EXIT_DONE)
        return code;
    LoadOptions loading = load_options(options, engine, 1);
    Status status = load_engine(&loading, &engine, &error);
    if (status != STATUS_OK)
        return fail(status, &error);
    if ((code = check_game(options, engine)) != EXIT_DONE)
        return code;
    if (options->scratch && (status = store_check(options->scratch, &error)) != STATUS_OK)
        return fail(status, &error);
    int threads = options_threads(options->threads);
    if (options->dry_run)
        return task_dry_run(options, engine);
    if (by_hand)
        return task_by_hand(options, engine);
    if (bench)
        return task_bench(options, engine, threads);
    if (compare)
        return task_compare(options, engine, threads, words);
    if (options->export)
        return task_export(options, engine, threads);
    return options->search ? task_search(options, engine, threads)
                           : task_fit(options, engine, threads, NULL);
}

/* What could not be printed is a failure, unless there is a worse one. */
static int finish(int code)
{
    Error error = {0};
    if (standard_output_check(&error) == STATUS_OK)
        return code;
    return complain(code == EXIT_DONE ? EXIT_FAILED : code, error.message);
}

static int command(int argc, char **argv)
{
    Error error = {0};
    TuneOptions options;
    OptionList words;
    OptionsVerdict verdict = options_parse(&tune_table, argc, argv, &options, &words, &error);
    if (verdict == OPTIONS_WRONG)
        return complain(options_exit_code(verdict, &error), error.message);
    if (verdict == OPTIONS_DONE)
        return EXIT_DONE;
    /* A header by hand has no chance in it, and the same bytes every time. */
    if (!options.seed && (options.out || options.search) && !options.emit_zero &&
        !options.emit_material) {
        options.seed = (option_int)rng_seed_from_os();
        comm_broadcast(&options.seed, sizeof options.seed);
        fprintf(stderr, "campmate-tune: seed %lld\n", (long long)options.seed);
    }
    int code = run(&options, &words);
    options_free(&tune_table, &options, &words);
    return code;
}

/* Of several processes the first one talks. */
static void be_quiet(void)
{
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing >= 0) {
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        close(nothing);
    }
}

/*
 * Threads that wait for each other shall sleep. OpenMP's default is to spin for milliseconds, and
 * on a machine that does other work as well a thread then spins away just the time that the one it
 * waits for needs: passes by two threads on a shared core took ten times as long. OpenMP reads the
 * environment before main, so the program starts once more; where that fails it runs all the same,
 * as it does when it was started by hand through the dynamic linker, which then is the executable.
 */
static void sleep_while_waiting(char **argv)
{
    char path[4096];
    bool linked = getauxval(AT_BASE) != 0;
    if (!linked || getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 1))
        return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = 0;
    execv(path, argv);
}

int main(int argc, char **argv)
{
    gsl_set_error_handler_off();
    /* Whatever else sets the locale: numbers are written with a point. */
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    Error error = {0};
    if (cpu_check(&error) != STATUS_OK)
        return complain(EXIT_FAILED, error.message);
    sleep_while_waiting(argv);
    if (comm_begin(&argc, &argv, &error) != STATUS_OK)
        return complain(EXIT_FAILED, error.message);
    if (comm_rank() > 0)
        be_quiet();
    standard_output_watch();
    interrupt_install();
    int code = finish(command(argc, argv));
    comm_end(code);
    return code;
}
