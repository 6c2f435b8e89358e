/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_match.c - campmate-match itself: matches, tournaments and SPRTs between UCI engines. */
#include "affinity.h"
#include "command.h"
#include "report.h"

#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ENGINES = 1000 };

/* clang-format off */
#define MATCH_OPTIONS(X)                                                                           \
    X(text, variant, NULL, 0, 0, "V", "game to play; required for a match")                                    \
    X(list, engine, NULL, 0, 0, "SPEC", "name=a,cmd=PATH and, each after a comma, what else is wanted: args=.. dir=.. log=FILE option.Hash=16 nodes=.. depth=.. movetime=.. tc=.. ponder=on|off restart=on|off|auto; give it twice, or more often with --tournament") \
    X(text, tournament, "match", 0, 0, "match|roundrobin|gauntlet", "two engines, each against each, or the first against all others") \
    X(int, games, "0", 0, 1000000000, "N", "games to play, two for each opening, of each two that meet; 0 = until the SPRT has decided") \
    X(text, sprt, NULL, 0, 0, "SPEC", "stop as soon as decided: elo0=0,elo1=10[,alpha=0.05][,beta=0.05][,model=logistic|normalized]") \
    X(int, nodes, "0", 0, 9007199254740991, "N", "nodes for each move")                            \
    X(int, depth, "0", 0, 1000, "N", "depth of each move, in plies")                               \
    X(int, movetime, "0", 0, 864000000, "MS", "milliseconds for each move")                        \
    X(text, tc, NULL, 0, 0, "TC", "clock in seconds: 1+0.01, 40/60+0 (moves a period), 60+10b (byo-yomi)") \
    X(int, concurrency, "0", 0, 512, "N", "games at the same time, 0 = as many as --threads")      \
    X(flag, affinity, NULL, 0, 0, NULL, "bind the engines of each game to CPUs of their own")      \
    X(flag, ponder, NULL, 0, 0, NULL, "engines think in the opponent's time")                      \
    X(text, restart, "auto", 0, 0, "on|auto|off", "new engine processes: on = for each game, auto = after a loss by time, silence or a crash, off = only for one that died") \
    X(text, openings, NULL, 0, 0, "FILE", "FEN or EPD lines, or games (.pgn), plain or .zst; without it all games begin at the start position") \
    X(int, opening_plies, "0", 0, 10000, "N", "with a PGN: begin after so many plies of each game, 0 = after all of them") \
    X(text, order, "sequential", 0, 0, "sequential|random", "of the openings; random follows from --seed") \
    X(text, pgn, NULL, 0, 0, "FILE", "write the games there, in order")                            \
    X(text, state, NULL, 0, 0, "FILE", "save finished pairs there; by default FILE of --pgn with .state") \
    X(flag, resume, NULL, 0, 0, NULL, "go on with what is in --state")                             \
    X(flag, recover, NULL, 0, 0, NULL, "restart an engine that crashed or stalled and go on; without it the match ends there") \
    X(text, resign, NULL, 0, 0, "CP,PLIES", "adjudicate a win when both engines have one side CP ahead for PLIES plies in a row") \
    X(text, draw, NULL, 0, 0, "CP,PLIES[,AFTER]", "adjudicate a draw when nobody is more than CP ahead for PLIES plies in a row, after ply AFTER") \
    X(int, max_plies, "0", 0, 1000000, "N", "leave games unfinished after N plies, 0 = never") \
    X(real, stall_seconds, "9", 0.05, 864000, "S", "an engine that is silent for so long beyond its time has lost") \
    X(int, time_margin, "50", 0, 60000, "MS", "a move may be so late on the clock")                \
    X(int, score_interval, "0", 0, 1000000, "PAIRS", "print the score on stderr each so many pairs, 0 = never") \
    X(text, compliance, NULL, 0, 0, "CMD", "in place of a match: check whether the engine that CMD starts speaks UCI, in --variant or else in each game that it offers") \
    X(text, checks, NULL, 0, 0, "NAMES", "with --compliance: only these checks, separated by commas; --dry-run lists all. The check uci is always made, and told if it fails")
/* clang-format on */

typedef struct MatchOptions {
    COMMON_OPTIONS(OPTION_MEMBER) MATCH_OPTIONS(OPTION_MEMBER)
} MatchOptions;
#define OPTIONS_STRUCT MatchOptions
static const Option match_rows[] = {COMMON_OPTIONS(OPTION_ROW) MATCH_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable match_table = {
    .program = "campmate-match",
    .summary = "Matches, tournaments and sequential tests between UCI engines.",
    .usage = "",
    .details =
        "Commands beside playing, each with its own --help:\n"
        "  sprt     what given counts say: Elo and SPRT\n"
        "  plan     how many games an SPRT takes\n"
        "  rating   ratings of a pool of engines from games that were played\n"
        "  spsa     better numbers for the options of an engine, from games\n"
        "  bench    what the runner costs for each ply\n\n"
        "Each opening is played twice with colours swapped; such a pair is what is saved and what "
        "the statistics count (pentanomial). Elo is logistic unless the SPRT's model says "
        "normalized. An illegal move, a crash, silence or a move out of time loses the game. A "
        "game "
        "that --max-plies left unfinished is no draw, and half a point in the statistics. "
        "Values of an engine may be quoted: args=\"--a 'b c'\".\n\n"
        "--compliance prints a line for each check, and for one that failed what was sent, what "
        "was "
        "expected and what came. Its exit status is 1 if any failed.\n\n"
        "Exit status: 0 done or decided, 3 an SPRT that --games ended undecided, 1 failure (an "
        "engine that does not start; without --recover, one that crashed or was silent), 2 usage, "
        "129, 130 or 143 interrupted.",
    .rows = match_rows,
    .count = sizeof match_rows / sizeof *match_rows,
    .variants = engine_names,
};

/* What the program shows while a match runs. */
typedef struct Display {
    Progress progress;
    const MatchConfig *config;
    uint64_t interval, pairs;
} Display;

static void show_notice(void *context, const char *text)
{
    const Display *display = context;
    if (display->progress.visible)
        fputs("\r\033[K", stderr);
    fprintf(stderr, "campmate-match: %s\n", text);
}

static void show_pair(void *context, const MatchTotals *totals, double llr)
{
    Display *display = context;
    const MatchConfig *config = display->config;
    char note[240], tail[64] = "";
    MatchTotals sum = {0};
    for (size_t i = 0; i < config->encounter_count; i++)
        match_totals_sum(&sum, &totals[i]);
    if (config->has_sprt) {
        double lower, upper;
        sprt_bounds(&config->sprt, &lower, &upper);
        snprintf(tail, sizeof tail, "  LLR %.2f (%.2f, %.2f)", llr, lower, upper);
    }
    if (config->tournament == TOURNAMENT_MATCH)
        snprintf(note, sizeof note,
                 "W %" PRIu64 "  L %" PRIu64 "  D %" PRIu64 "  [%" PRIu64 ", %" PRIu64 ", %" PRIu64
                 ", %" PRIu64 ", %" PRIu64 "]%s",
                 sum.wins, sum.losses, sum.draws, sum.pairs[0], sum.pairs[1], sum.pairs[2],
                 sum.pairs[3], sum.pairs[4], tail);
    else
        snprintf(note, sizeof note, "%" PRIu64 " games of %zu encounters", sum.games,
                 config->encounter_count);
    display->pairs++;
    if (display->interval && display->pairs % display->interval == 0)
        show_notice(display, note);
    progress_update(&display->progress, sum.games, note);
}

/* A rough idea of what a game takes, middling ones of 90 plies. */
typedef struct GameCost {
    double seconds; /* of one of the games at a time; infinite if the limits do not tell */
    double bytes;   /* of PGN and state                                                  */
} GameCost;

static GameCost game_cost(const MatchConfig *config)
{
    const double plies = 90.0, nodes_per_second = 1e6, pgn_bytes_per_ply = 20.0;
    GameCost cost = {.bytes = 2.0 * plies * pgn_bytes_per_ply};
    for (size_t i = 0; i < config->engine_count; i++) {
        const MoveLimits *limits = engine_limits(&config->engines[i], &config->limits);
        double move = INFINITY;
        if (limits->has_clock)
            move = (double)limits->base_ms / 1000.0 / (plies / 2) * 0.8 +
                   (double)(limits->increment_ms + limits->byoyomi_ms) / 1000.0;
        if (limits->movetime_ms)
            move = fmin(move, (double)limits->movetime_ms / 1000.0);
        if (limits->nodes)
            move = fmin(move, (double)limits->nodes / nodes_per_second);
        cost.seconds += move * plies / (double)config->engine_count;
    }
    return cost;
}

static void print_estimate(const MatchConfig *config)
{
    GameCost cost = game_cost(config);
    /* How many games an SPRT takes depends on what it is to find out. */
    const uint64_t all = config->games * config->encounter_count;
    double games = all ? (double)all : 1000.0;
    if (!config->games)
        printf("# no limit of games: the SPRT decides; each 1000 games take");
    else
        printf("# %s%" PRIu64 " games%s:", config->has_sprt ? "at most " : "", all,
               config->has_sprt ? " (the SPRT may end before)" : "");
    if (isfinite(cost.seconds))
        printf(" about %.0f s with %d at a time,", cost.seconds * games / config->concurrency,
               config->concurrency);
    printf(" about %.1f MB of PGN and state\n", cost.bytes * games / 1e6);
}

static int dry_run(const MatchOptions *options, const MatchConfig *config)
{
    char *effective = options_effective(&match_table, options, NULL);
    int code = EXIT_DONE;
    if (!effective) {
        fprintf(stderr, "campmate-match: out of memory\n");
        return EXIT_FAILED;
    }
    if (options->json) {
        GameCost cost = game_cost(config);
        double games = config->games ? (double)(config->games * config->encounter_count) : INFINITY;
        json_t *object = json_object();
        json_put(object, "variant", json_string(config->engine->name));
        json_put(object, "seed", json_integer((json_int_t)config->seed));
        json_put(object, "games",
                 config->games ? json_integer((json_int_t)config->games) : json_null());
        json_put(object, "concurrency", json_integer(config->concurrency));
        json_put(object, "estimated_seconds",
                 json_number(cost.seconds * games / config->concurrency));
        json_put(object, "estimated_seconds_per_game",
                 json_number(cost.seconds / config->concurrency));
        json_put(object, "estimated_bytes", json_number(cost.bytes * games));
        json_put(object, "estimated_bytes_per_game", json_number(cost.bytes));
        json_put(object, "configuration", configuration_json(effective));
        code = json_print(object);
    } else {
        fputs(effective, stdout);
        print_estimate(config);
    }
    free(effective);
    return code;
}

/* Reads the engines and gives them what the match says for all. */
static Status configure_engines(const MatchOptions *options, MatchConfig *config, Error *err)
{
    Restart restart;
    if (!restart_from_text(options->restart, &restart))
        return error_set(err, STATUS_ARGUMENT, "--restart '%s': expected on, off or auto",
                         options->restart);
    const size_t count = options->engine.count;
    config->encounters = tournament_encounters(config->tournament, count, &config->encounter_count);
    config->engines = calloc(count, sizeof *config->engines);
    if (!config->engines || !config->encounters)
        return error_set(err, STATUS_NO_MEMORY, "engines: out of memory");
    config->engine_count = count;
    for (size_t i = 0; i < count; i++) {
        EngineSpec *spec = &config->engines[i];
        Status status = engine_spec_parse(options->engine.items[i], spec, err);
        if (status != STATUS_OK)
            return status;
        if (!move_limits_any(engine_limits(spec, &config->limits)))
            return error_set(
                err, STATUS_ARGUMENT,
                "engine %s has no limit: --nodes, --depth, --movetime or --tc is needed",
                spec->name);
        if (spec->ponder == SWITCH_UNSET)
            spec->ponder = options->ponder ? SWITCH_ON : SWITCH_OFF;
        if (spec->restart == RESTART_UNSET)
            spec->restart = restart;
        for (size_t k = 0; k < i; k++)
            if (strcmp(config->engines[k].name, spec->name) == 0)
                return error_set(err, STATUS_ARGUMENT, "%s have the name '%s': use name=",
                                 count == 2 ? "both engines" : "two engines", spec->name);
    }
    return STATUS_OK;
}

/* How many CPUs a game keeps busy: that of the engine that thinks, or those of both. */
static int game_cpus(const MatchConfig *config)
{
    long most[2] = {1, 0}; /* the two largest needs */
    bool ponder = false;
    for (size_t i = 0; i < config->engine_count; i++) {
        const EngineSpec *spec = &config->engines[i];
        long threads = 1;
        for (size_t k = 0; k < spec->option_count; k++)
            if (strcasecmp(spec->options[k].name, "Threads") == 0)
                threads = strtol(spec->options[k].value, NULL, 10);
        threads = threads < 1 ? 1 : threads > 4096 ? 4096 : threads;
        ponder |= spec->ponder == SWITCH_ON;
        if (i == 0 || threads > most[0]) {
            most[1] = i == 0 ? 0 : most[0];
            most[0] = threads;
        } else if (threads > most[1]) {
            most[1] = threads;
        }
    }
    return (int)(ponder ? most[0] + most[1] : most[0]);
}

static Status configure_concurrency(const MatchOptions *options, MatchConfig *config, Error *err)
{
    const int cpus = game_cpus(config);
    int allowed = affinity_allowed();
    config->concurrency = (int)options->concurrency;
    if (!config->concurrency) {
        config->concurrency = options_threads(options->threads);
        if (cpus > 1)
            config->concurrency /= cpus;
        if (options->affinity && config->concurrency > allowed / cpus)
            config->concurrency = allowed / cpus;
        if (config->concurrency < 1)
            config->concurrency = 1;
    }
    if (!options->affinity)
        return STATUS_OK;
    cpu_set_t *sets;
    Status status = affinity_divide(config->concurrency, cpus, &sets, err);
    config->cpus = sets;
    return status;
}

/* Fills the configuration from the options. The book and the state's name are the caller's. */
static Status configure(const MatchOptions *options, MatchConfig *config, Error *err)
{
    if (!options->variant)
        return error_set(err, STATUS_ARGUMENT, "--variant is needed: %s", engine_names());
    config->engine = engine_find(options->variant);
    if (!config->engine)
        return error_set(err, STATUS_ARGUMENT, "--variant '%s': expected %s", options->variant,
                         engine_names());
    if (!tournament_from_text(options->tournament, &config->tournament))
        return error_set(err, STATUS_ARGUMENT,
                         "--tournament '%s': expected match, roundrobin or gauntlet",
                         options->tournament);
    const size_t count = options->engine.count;
    if (config->tournament == TOURNAMENT_MATCH ? count != 2 : count < 2 || count > MAX_ENGINES)
        return error_set(err, STATUS_ARGUMENT, "%s --engine are needed, found %zu%s",
                         config->tournament == TOURNAMENT_MATCH ? "two" : "2 to 1000", count,
                         count > 2 ? ": for more there is --tournament" : "");
    if (config->tournament != TOURNAMENT_MATCH && options->sprt)
        return error_set(err, STATUS_ARGUMENT, "--sprt is for a match of two engines, not for a %s",
                         options->tournament);
    if (!options->games && !options->sprt)
        return error_set(err, STATUS_ARGUMENT, "--games or --sprt is needed");

    config->limits.nodes = (uint64_t)options->nodes;
    config->limits.depth = (int)options->depth;
    config->limits.movetime_ms = options->movetime;
    Status status = STATUS_OK;
    if (options->tc)
        status = time_control_parse(options->tc, &config->limits, err);
    if (status == STATUS_OK)
        status = configure_engines(options, config, err);
    if (status == STATUS_OK && options->sprt) {
        config->has_sprt = true;
        status = sprt_spec_parse(options->sprt, &config->sprt, err);
    }
    if (status == STATUS_OK && options->resign)
        status = score_rule_parse("--resign", options->resign, false, &config->rules.resign, err);
    if (status == STATUS_OK && options->draw)
        status = score_rule_parse("--draw", options->draw, true, &config->rules.draw, err);
    if (status == STATUS_OK && options->draw && !config->engine->has_draws)
        status = error_set(err, STATUS_ARGUMENT, "--draw: there are no draws in %s",
                           config->engine->name);
    if (status == STATUS_OK && strcmp(options->order, "random") != 0 &&
        strcmp(options->order, "sequential") != 0)
        status = error_set(err, STATUS_ARGUMENT, "--order '%s': expected sequential or random",
                           options->order);
    if (status != STATUS_OK)
        return status;

    config->games = (uint64_t)options->games;
    status = configure_concurrency(options, config, err);
    if (status != STATUS_OK)
        return status;
    config->random_order = strcmp(options->order, "random") == 0;
    config->pgn = options->pgn;
    config->resume = options->resume;
    config->recover = options->recover;
    config->start_seconds = fmax(10.0, options->stall_seconds);
    config->rules.stall_seconds = options->stall_seconds;
    config->rules.time_margin_seconds = (double)options->time_margin / 1000.0;
    config->rules.max_plies = (int)options->max_plies;
    for (size_t i = 0; i < config->engine_count; i++) {
        const MoveLimits *limits = engine_limits(&config->engines[i], &config->limits);
        config->rules.times_in_comments |= limits->has_clock || limits->movetime_ms;
    }
    return STATUS_OK;
}

static int exit_code(Status status, const MatchConfig *config, const MatchSummary *summary)
{
    switch (status) {
    case STATUS_OK:
        return config->has_sprt && summary->verdict == VERDICT_INCONCLUSIVE ? EXIT_UNDECIDED
                                                                            : EXIT_DONE;
    case STATUS_ARGUMENT:
        return EXIT_USAGE;
    case STATUS_INTERRUPTED:
        return interrupt_exit_code() ? interrupt_exit_code() : EXIT_FAILED;
    default:
        return EXIT_FAILED;
    }
}

/* Reads the book of the openings, if there is one. */
static Status read_book(const MatchOptions *options, const MatchConfig *config, Book *book,
                        Error *err)
{
    if (book_is_pgn(options->openings))
        return book_read_pgn(config->engine, options->openings, (size_t)options->opening_plies,
                             book, err);
    if (options->opening_plies)
        return error_set(err, STATUS_ARGUMENT,
                         "--opening-plies is for a PGN (.pgn, .pgn.zst), not for %s",
                         options->openings);
    return book_read(config->engine, options->openings, book, err);
}

/* Do two names lead to one file, also where it is not there yet? */
static bool is_one_file(const char *one, const char *other)
{
    struct stat a, b;
    if (stat(one, &a) != 0 || stat(other, &b) != 0)
        return strcmp(one, other) == 0;
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int check_compliance(const MatchOptions *options)
{
    static const char *const used[] = {"compliance",    "variant",     "checks",
                                       "stall_seconds", "time_margin", NULL};
    Error error;
    if (options_only(&match_table, options, used, "with --compliance", &error) != STATUS_OK)
        return command_failed("campmate-match", &error);
    return run_compliance(&(ComplianceRequest){
        .command = options->compliance,
        .variant = options->variant,
        .checks = options->checks,
        .patience = options->stall_seconds,
        .margin_seconds = (double)options->time_margin / 1000.0,
        .json = options->json,
        .dry_run = options->dry_run,
    });
}

static int run_match(const void *given, const OptionList *words)
{
    const MatchOptions *options = given;
    (void)words;
    Error error = {STATUS_OK, ""};
    if (options->compliance)
        return check_compliance(options);
    if (options->checks) {
        error_set(&error, STATUS_ARGUMENT, "--checks needs --compliance");
        return command_failed("campmate-match", &error);
    }
    MatchConfig config = {0};
    Book book = {0};
    MatchSummary summary = {0};
    char *state = NULL;
    int code = EXIT_DONE;
    Status status = configure(options, &config, &error);
    /* A PGN that goes to a device or a pipe has no place beside it for a state. */
    bool beside = options->pgn && (file_exists(options->pgn) || access(options->pgn, F_OK) != 0);
    if (status == STATUS_OK && (options->state || beside)) {
        state = options->state ? strdup(options->state) : text_format("%s.state", options->pgn);
        config.state = state;
        if (!state)
            status = error_set(&error, STATUS_NO_MEMORY, "out of memory");
    }
    if (status == STATUS_OK && options->pgn && strcmp(options->pgn, "-") == 0)
        status = error_set(&error, STATUS_ARGUMENT,
                           "--pgn -: expected a file, since standard "
                           "output has the result");
    if (status == STATUS_OK && options->pgn && state && is_one_file(options->pgn, state))
        status = error_set(&error, STATUS_ARGUMENT,
                           "--pgn and --state are one file, %s: expected "
                           "two",
                           state);
    if (status == STATUS_OK && options->opening_plies && !options->openings)
        status = error_set(&error, STATUS_ARGUMENT, "--opening-plies needs --openings");
    if (status == STATUS_OK && !options->openings && options_given(&match_table, options, "order"))
        status = error_set(&error, STATUS_ARGUMENT, "--order needs --openings");
    if (status == STATUS_OK && options->resume && !state)
        status = error_set(&error, STATUS_ARGUMENT, "--resume needs --pgn or --state");
    if (status != STATUS_OK) {
        code = command_failed("campmate-match", &error);
        goto cleanup;
    }
    /* Before any engine starts. A bad book is no mistake of the command line. */
    if (options->openings) {
        status = read_book(options, &config, &book, &error);
        if (status != STATUS_OK) {
            fprintf(stderr, "campmate-match: %s\n", error.message);
            code = status == STATUS_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
            goto cleanup;
        }
        config.book = &book;
    }
    config.seed = (uint64_t)options->seed;
    if (!config.seed && options->resume)
        config.seed = state_file_number(state, "seed", 0);
    if (!config.seed)
        config.seed = rng_seed_from_os();

    if (options->dry_run) {
        code = dry_run(options, &config);
        goto cleanup;
    }
    interrupt_install();
    Display display = {.config = &config, .interval = (uint64_t)options->score_interval};
    MatchObserver observer = {&display, show_notice, show_pair};
    progress_begin(&display.progress, "games", config.games * config.encounter_count, 0);
    if (!options->openings)
        show_notice(&display, "no --openings: all games begin at the start position, and at fixed "
                              "nodes or depth all pairs may be the same");
    if (config.games % 2)
        show_notice(&display, "an odd number of games: the last pair has only one");

    status = match_run(&config, &observer, &summary, &error);
    progress_end(&display.progress);
    if (status != STATUS_OK)
        fprintf(stderr, "campmate-match: %s\n", error.message);
    code = exit_code(status, &config, &summary);
    /* One that could not even begin has nothing to sum up. */
    uint64_t games = 0;
    for (size_t i = 0; summary.totals && i < config.encounter_count; i++)
        games += summary.totals[i].games;
    if (summary.totals && (status == STATUS_OK || status == STATUS_INTERRUPTED ||
                           (games && status != STATUS_ARGUMENT))) {
        int printed = EXIT_DONE;
        if (options->json)
            printed = summary_json(&config, &summary);
        else
            summary_print(&config, &summary);
        if (code == EXIT_DONE)
            code = printed;
    }

cleanup:
    for (size_t i = 0; i < config.engine_count; i++)
        engine_spec_free(&config.engines[i]);
    free(config.engines);
    free((void *)config.encounters);
    free((void *)config.cpus);
    free(summary.totals);
    book_free(&book);
    free(state);
    return code;
}

int command_match(int argc, char **argv)
{
    MatchOptions options;
    return command_main(&match_table, argc, argv, &options, NULL, run_match);
}
