/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - campmate-match: matches and SPRTs between UCI engines. */
#include "schedule.h"

#include "support/cpu.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/rng.h"
#include "support/standard_output.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNDECIDED = 3 };

/* clang-format off */
#define MATCH_OPTIONS(X)                                                                           \
    X(text, variant, NULL, 0, 0, "V", "game to play; required")                                    \
    X(list, engine, NULL, 0, 0, "SPEC", "name=a,cmd=PATH[,args=..][,dir=..][,log=FILE][,option.Hash=16][,nodes=..][,depth=..][,movetime=..][,tc=..]; give it twice") \
    X(int, games, "0", 0, 1000000000, "N", "games to play, two for each opening; 0 = until the SPRT has decided") \
    X(text, sprt, NULL, 0, 0, "SPEC", "stop as soon as decided: elo0=0,elo1=10[,alpha=0.05][,beta=0.05][,model=logistic|normalized]") \
    X(int, nodes, "0", 0, 9007199254740991, "N", "nodes for each move")                            \
    X(int, depth, "0", 0, 1000, "N", "depth of each move, in plies")                               \
    X(int, movetime, "0", 0, 864000000, "MS", "milliseconds for each move")                        \
    X(text, tc, NULL, 0, 0, "TC", "clock in seconds: 1+0.01, 40/60+0 (moves a period), 60+10b (byo-yomi)") \
    X(int, concurrency, "0", 0, 512, "N", "games at the same time, 0 = as many as --threads")      \
    X(text, openings, NULL, 0, 0, "FILE", "FEN or EPD lines; without it all games begin at the start position") \
    X(text, order, "sequential", 0, 0, "ORDER", "of the openings: sequential, or random by --seed") \
    X(text, pgn, NULL, 0, 0, "FILE", "write the games there, in order")                            \
    X(text, state, NULL, 0, 0, "FILE", "save finished pairs there; by default FILE of --pgn with .state") \
    X(flag, resume, NULL, 0, 0, NULL, "go on with what is in --state")                             \
    X(flag, recover, NULL, 0, 0, NULL, "restart an engine that crashed or stalled and go on; without it the match ends there") \
    X(text, resign, NULL, 0, 0, "CP,PLIES", "adjudicate a win when both engines have one side CP ahead for PLIES plies in a row") \
    X(text, draw, NULL, 0, 0, "CP,PLIES[,AFTER]", "adjudicate a draw when nobody is more than CP ahead for PLIES plies in a row, after ply AFTER") \
    X(int, max_plies, "0", 0, 1000000, "N", "leave games unfinished after N plies (half a point each), 0 = never") \
    X(real, stall_seconds, "9", 0.05, 864000, "S", "an engine that is silent for so long beyond its time has lost") \
    X(int, time_margin, "50", 0, 60000, "MS", "a move may be so late on the clock")                \
    X(int, score_interval, "0", 0, 1000000, "PAIRS", "print the score on stderr each so many pairs, 0 = never")
/* clang-format on */

typedef struct MatchOptions {
    COMMON_OPTIONS(OPTION_MEMBER) MATCH_OPTIONS(OPTION_MEMBER)
} MatchOptions;
#define OPTIONS_STRUCT MatchOptions
static const Option match_rows[] = {COMMON_OPTIONS(OPTION_ROW) MATCH_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable match_table = {
    .program = "campmate-match",
    .summary = "Matches and sequential tests between UCI engines.",
    .usage = "",
    .details =
        "`campmate-match sprt` computes the same statistics from given counts; see its --help.\n\n"
        "Each opening is played twice with colours swapped; such a pair is what is saved and what "
        "the statistics count (pentanomial). Elo is logistic unless the SPRT's model says "
        "normalized. An illegal move, a crash, silence or a move out of time loses the game. "
        "Values of an engine may be quoted: args=\"--a 'b c'\".\n\n"
        "Exit status: 0 done or decided, 3 an SPRT that --games ended undecided, 1 failure, 2 "
        "usage, 130 or 143 interrupted.",
    .rows = match_rows,
    .count = sizeof match_rows / sizeof *match_rows,
    .variants = engine_names,
};

#define SPRT_OPTIONS(X)                                                                            \
    X(text, wld, NULL, 0, 0, "W,L,D", "wins, losses, draws of the first engine")                   \
    X(text, penta, NULL, 0, 0, "A,B,C,D,E", "pairs that scored 0, 1/2, 1, 1 1/2, 2")               \
    X(text, sprt, NULL, 0, 0, "SPEC",                                                              \
      "elo0=0,elo1=10[,alpha=0.05][,beta=0.05][,model=logistic|normalized]")

typedef struct SprtOptions {
    COMMON_OPTIONS(OPTION_MEMBER) SPRT_OPTIONS(OPTION_MEMBER)
} SprtOptions;
#define OPTIONS_STRUCT SprtOptions
static const Option sprt_rows[] = {COMMON_OPTIONS(OPTION_ROW) SPRT_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable sprt_table = {
    .program = "campmate-match sprt",
    .summary = "Elo and SPRT of given results.",
    .usage = "",
    .details = "Example: campmate-match sprt --wld 220,180,0 --sprt elo0=0,elo1=10",
    .rows = sprt_rows,
    .count = sizeof sprt_rows / sizeof *sprt_rows,
    .variants = engine_names,
};

/* --- results --------------------------------------------------------------------------------- */

/* A number, or null where there is none. */
static json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

/* The keys that a match and a computation from counts share. */
static json_t *statistics_json(const MatchTotals *totals, const Sample *sample,
                               const SprtSpec *sprt, double llr, Verdict verdict)
{
    EloEstimate elo = elo_estimate(sample);
    json_t *object = json_object();
    set(object, "games", json_integer((json_int_t)totals->games));
    set(object, "wins", json_integer((json_int_t)totals->wins));
    set(object, "draws", json_integer((json_int_t)totals->draws));
    set(object, "losses", json_integer((json_int_t)totals->losses));
    json_t *pairs = json_null();
    if (sample->cells == PENTANOMIAL_CELLS) {
        pairs = json_array();
        for (int i = 0; i < PENTANOMIAL_CELLS; i++)
            json_array_append_new(pairs, json_integer((json_int_t)sample->counts[i]));
    }
    set(object, "pentanomial", pairs);
    set(object, "score", json_number(elo.score));
    set(object, "elo", json_number(elo.elo));
    set(object, "elo_error", json_number(elo.elo_error));
    set(object, "normalized_elo", json_number(elo.normalized));
    set(object, "normalized_elo_error", json_number(elo.normalized_error));
    set(object, "los", json_number(elo.los));
    set(object, "pair_ratio", json_number(elo.pair_ratio));
    set(object, "draw_ratio",
        totals->games ? json_real((double)totals->draws / (double)totals->games) : json_null());
    double lower = NAN, upper = NAN;
    if (sprt)
        sprt_bounds(sprt, &lower, &upper);
    set(object, "llr", json_number(sprt ? llr : NAN));
    set(object, "llr_lower", json_number(lower));
    set(object, "llr_upper", json_number(upper));
    set(object, "verdict", json_string(verdict_text(verdict)));
    if (sprt) {
        set(object, "elo0", json_real(sprt->elo0));
        set(object, "elo1", json_real(sprt->elo1));
        set(object, "alpha", json_real(sprt->alpha));
        set(object, "beta", json_real(sprt->beta));
        set(object, "elo_model", json_string(elo_model_text(sprt->model)));
    }
    return object;
}

static int print_json(json_t *object)
{
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
    json_decref(object);
    if (!text) {
        fprintf(stderr, "campmate-match: out of memory\n");
        return EXIT_FAILED;
    }
    puts(text);
    free(text);
    return EXIT_DONE;
}

/* "+34.86", or "n/a" where there is no such number. */
static const char *number_text(double value, const char *format, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "n/a");
    else if (isinf(value))
        snprintf(text, size, value > 0 ? "inf" : "-inf");
    else
        snprintf(text, size, format, value);
    return text;
}

static void print_statistics(const MatchTotals *totals, const Sample *sample, const SprtSpec *sprt,
                             double llr, Verdict verdict)
{
    EloEstimate elo = elo_estimate(sample);
    char a[40], b[40], c[40], d[40];
    printf("Games   %" PRIu64 "  W %" PRIu64 "  L %" PRIu64 "  D %" PRIu64, totals->games,
           totals->wins, totals->losses, totals->draws);
    if (totals->unfinished)
        printf(" (%" PRIu64 " unfinished)", totals->unfinished);
    if (sample->cells == PENTANOMIAL_CELLS) {
        printf("  penta [");
        for (int i = 0; i < PENTANOMIAL_CELLS; i++)
            printf("%s%" PRIu64, i ? ", " : "", sample->counts[i]);
        printf("]");
    }
    printf("\nElo     %s +/- %s (95 %%, logistic)  normalized %s +/- %s\n",
           number_text(elo.elo, "%.2f", a, sizeof a),
           number_text(elo.elo_error, "%.2f", b, sizeof b),
           number_text(elo.normalized, "%.2f", c, sizeof c),
           number_text(elo.normalized_error, "%.2f", d, sizeof d));
    printf("Score   %s %%  LOS %s %%  pair ratio %s  draws %s %%\n",
           number_text(100.0 * elo.score, "%.2f", a, sizeof a),
           number_text(100.0 * elo.los, "%.1f", b, sizeof b),
           number_text(elo.pair_ratio, "%.2f", c, sizeof c),
           number_text(totals->games ? 100.0 * (double)totals->draws / (double)totals->games : NAN,
                       "%.1f", d, sizeof d));
    if (sprt) {
        double lower, upper;
        sprt_bounds(sprt, &lower, &upper);
        printf("LLR     %.3f (%.3f, %.3f) [%.2f, %.2f] %s Elo: %s\n", llr, lower, upper, sprt->elo0,
               sprt->elo1, elo_model_text(sprt->model), verdict_text(verdict));
    }
}

/* --- sprt ------------------------------------------------------------------------------------ */

static int usage_error(const char *program, const Error *error)
{
    fprintf(stderr, "%s: %s\n", program, error->message);
    return options_exit_code(OPTIONS_WRONG, error);
}

static int run_sprt(const SprtOptions *options)
{
    static const char program[] = "campmate-match sprt";
    Error error;
    SprtSpec sprt;
    MatchTotals totals = {0};
    Sample sample;
    if (!options->wld == !options->penta) {
        error_set(&error, STATUS_ARGUMENT, "give either --wld or --penta");
        return usage_error(program, &error);
    }
    if (options->wld) {
        uint64_t counts[3];
        if (counts_parse("--wld", options->wld, counts, 3, &error) != STATUS_OK)
            return usage_error(program, &error);
        totals.wins = counts[0];
        totals.losses = counts[1];
        totals.draws = counts[2];
        totals.games = counts[0] + counts[1] + counts[2];
        sample = sample_from_games(totals.wins, totals.draws, totals.losses);
    } else {
        uint64_t pairs[PENTANOMIAL_CELLS];
        if (counts_parse("--penta", options->penta, pairs, PENTANOMIAL_CELLS, &error) != STATUS_OK)
            return usage_error(program, &error);
        sample = sample_from_pairs(pairs);
        totals.games = 2 * sample_size(&sample);
    }
    if (options->sprt && sprt_spec_parse(options->sprt, &sprt, &error) != STATUS_OK)
        return usage_error(program, &error);

    double llr = options->sprt ? sprt_llr(&sample, &sprt) : 0.0;
    Verdict verdict = options->sprt ? sprt_verdict(&sprt, llr) : VERDICT_NONE;
    const SprtSpec *test = options->sprt ? &sprt : NULL;
    if (options->json) {
        json_t *object = statistics_json(&totals, &sample, test, llr, verdict);
        /* A pair that scored 1 may be two draws or a win each: the games are not known. */
        if (options->penta)
            for (const char *const *key =
                     (const char *const[]){"wins", "draws", "losses", "draw_ratio", NULL};
                 *key; key++)
                set(object, *key, json_null());
        return print_json(object);
    }
    if (options->penta) {
        EloEstimate elo = elo_estimate(&sample);
        char a[40], b[40], c[40];
        printf("Pairs   %" PRIu64 "  Elo %s +/- %s (95 %%, logistic)  LOS %s %%\n",
               sample_size(&sample), number_text(elo.elo, "%.2f", a, sizeof a),
               number_text(elo.elo_error, "%.2f", b, sizeof b),
               number_text(100.0 * elo.los, "%.1f", c, sizeof c));
        if (test) {
            double lower, upper;
            sprt_bounds(test, &lower, &upper);
            printf("LLR     %.3f (%.3f, %.3f) [%.2f, %.2f] %s Elo: %s\n", llr, lower, upper,
                   test->elo0, test->elo1, elo_model_text(test->model), verdict_text(verdict));
        }
    } else {
        print_statistics(&totals, &sample, test, llr, verdict);
    }
    return EXIT_DONE;
}

static int sprt_main(int argc, char **argv)
{
    Error error = {STATUS_OK, ""};
    SprtOptions options;
    int code = EXIT_DONE;
    switch (options_parse(&sprt_table, argc, argv, &options, NULL, &error)) {
    case OPTIONS_DONE:
        break;
    case OPTIONS_WRONG:
        code = usage_error("campmate-match sprt", &error);
        break;
    case OPTIONS_RUN:
        code = run_sprt(&options);
        break;
    }
    options_free(&sprt_table, &options, NULL);
    return code;
}

/* --- match ----------------------------------------------------------------------------------- */

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
    char note[200], tail[64] = "";
    if (display->config->has_sprt) {
        double lower, upper;
        sprt_bounds(&display->config->sprt, &lower, &upper);
        snprintf(tail, sizeof tail, "  LLR %.2f (%.2f, %.2f)", llr, lower, upper);
    }
    snprintf(note, sizeof note,
             "W %" PRIu64 "  L %" PRIu64 "  D %" PRIu64 "  [%" PRIu64 ", %" PRIu64 ", %" PRIu64
             ", %" PRIu64 ", %" PRIu64 "]%s",
             totals->wins, totals->losses, totals->draws, totals->pairs[0], totals->pairs[1],
             totals->pairs[2], totals->pairs[3], totals->pairs[4], tail);
    display->pairs++;
    if (display->interval && display->pairs % display->interval == 0)
        show_notice(display, note);
    progress_update(&display->progress, totals->games, note);
}

static json_t *endings_json(const MatchTotals *totals)
{
    json_t *endings = json_object();
    for (int i = 0; i < END_REASON_COUNT; i++)
        if (totals->by_rule[i])
            set(endings, end_reason_text((EndReason)i),
                json_integer((json_int_t)totals->by_rule[i]));
    for (int i = TERMINATION_RULES + 1; i < TERMINATION_COUNT; i++)
        if (totals->endings[i])
            set(endings, termination_text((Termination)i),
                json_integer((json_int_t)totals->endings[i]));
    return endings;
}

static int print_summary_json(const MatchConfig *config, const MatchSummary *summary)
{
    const MatchTotals *totals = &summary->totals;
    Sample sample = match_sample(totals);
    json_t *object = statistics_json(totals, &sample, config->has_sprt ? &config->sprt : NULL,
                                     summary->llr, summary->verdict);
    if (sample.cells != PENTANOMIAL_CELLS) /* no whole pair yet */
        set(object, "pentanomial", json_pack("[i,i,i,i,i]", 0, 0, 0, 0, 0));
    set(object, "unfinished", json_integer((json_int_t)totals->unfinished));
    set(object, "variant", json_string(config->engine->name));
    set(object, "seed", json_integer((json_int_t)config->seed));
    set(object, "plies", json_integer((json_int_t)totals->plies));
    set(object, "endings", endings_json(totals));
    json_t *engines = json_array();
    for (int i = 0; i < 2; i++) {
        json_t *engine = json_pack("{s:s}", "name", config->engines[i].name);
        json_t *faults = json_object();
        for (int k = 0; k < TERMINATION_COUNT; k++)
            if (totals->faults[i][k])
                set(faults, termination_text((Termination)k),
                    json_integer((json_int_t)totals->faults[i][k]));
        set(engine, "faults", faults);
        json_array_append_new(engines, engine);
    }
    set(object, "engines", engines);
    set(object, "seconds", json_real(summary->seconds));
    set(object, "runner_ms_per_ply",
        summary->plies_now ? json_real(summary->overhead_ms) : json_null());
    return print_json(object);
}

static void print_summary(const MatchConfig *config, const MatchSummary *summary)
{
    const MatchTotals *totals = &summary->totals;
    Sample sample = match_sample(totals);
    printf("Match   %s against %s, %s, seed %" PRIu64 "\n", config->engines[0].name,
           config->engines[1].name, config->engine->name, config->seed);
    print_statistics(totals, &sample, config->has_sprt ? &config->sprt : NULL, summary->llr,
                     summary->verdict);
    printf("Ends   ");
    const char *separator = " ";
    for (int i = 0; i < END_REASON_COUNT; i++) {
        if (totals->by_rule[i]) {
            printf("%s%s %" PRIu64, separator, end_reason_text((EndReason)i), totals->by_rule[i]);
            separator = ", ";
        }
    }
    for (int i = TERMINATION_RULES + 1; i < TERMINATION_COUNT; i++) {
        if (totals->endings[i]) {
            printf("%s%s %" PRIu64, separator, termination_text((Termination)i),
                   totals->endings[i]);
            separator = ", ";
        }
    }
    printf("\n");
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < TERMINATION_COUNT; k++)
            if (totals->faults[i][k])
                printf("Faults  %s lost %" PRIu64 " by %s\n", config->engines[i].name,
                       totals->faults[i][k], termination_text((Termination)k));
    printf("Time    %.1f s, %" PRIu64 " plies", summary->seconds, totals->plies);
    if (summary->plies_now)
        printf(", %.3f ms of our own for each ply", summary->overhead_ms);
    printf("\n");
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
    for (int i = 0; i < 2; i++) {
        const MoveLimits *own = &config->engines[i].limits;
        const MoveLimits *limits = move_limits_any(own) ? own : &config->limits;
        double move = INFINITY;
        if (limits->has_clock)
            move = (double)limits->base_ms / 1000.0 / (plies / 2) * 0.8 +
                   (double)(limits->increment_ms + limits->byoyomi_ms) / 1000.0;
        if (limits->movetime_ms)
            move = fmin(move, (double)limits->movetime_ms / 1000.0);
        if (limits->nodes)
            move = fmin(move, (double)limits->nodes / nodes_per_second);
        cost.seconds += move * plies / 2;
    }
    return cost;
}

static void print_estimate(const MatchConfig *config)
{
    GameCost cost = game_cost(config);
    /* How many games an SPRT takes depends on what it is to find out. */
    double games = config->games ? (double)config->games : 1000.0;
    if (!config->games)
        printf("# no limit of games: the SPRT decides; each 1000 games take");
    else
        printf("# %s%" PRIu64 " games%s:", config->has_sprt ? "at most " : "", config->games,
               config->has_sprt ? " (the SPRT may end before)" : "");
    if (isfinite(cost.seconds))
        printf(" about %.0f s with %d at a time,", cost.seconds * games / config->concurrency,
               config->concurrency);
    printf(" about %.1f MB of PGN and state\n", cost.bytes * games / 1e6);
}

/* The `key = value` lines of options_effective as an object; a repeated key becomes an array. */
static json_t *configuration_json(char *lines)
{
    json_t *object = json_object();
    for (char *line; (line = strsep(&lines, "\n"));) {
        char *value = strstr(line, " = ");
        if (!value)
            continue;
        *value = '\0';
        json_t *here = json_string(value + 3), *before = json_object_get(object, line);
        if (json_is_array(before))
            json_array_append_new(before, here);
        else
            set(object, line, before ? json_pack("[O, o]", before, here) : here);
    }
    return object;
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
        double games = config->games ? (double)config->games : INFINITY;
        json_t *object = json_object();
        set(object, "variant", json_string(config->engine->name));
        set(object, "seed", json_integer((json_int_t)config->seed));
        set(object, "games", config->games ? json_integer((json_int_t)config->games) : json_null());
        set(object, "concurrency", json_integer(config->concurrency));
        set(object, "estimated_seconds", json_number(cost.seconds * games / config->concurrency));
        set(object, "estimated_seconds_per_game", json_number(cost.seconds / config->concurrency));
        set(object, "estimated_bytes", json_number(cost.bytes * games));
        set(object, "estimated_bytes_per_game", json_number(cost.bytes));
        set(object, "configuration", configuration_json(effective));
        code = print_json(object);
    } else {
        fputs(effective, stdout);
        print_estimate(config);
    }
    free(effective);
    return code;
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
    if (options->engine.count != 2)
        return error_set(err, STATUS_ARGUMENT, "two --engine are needed, found %zu",
                         options->engine.count);
    if (!options->games && !options->sprt)
        return error_set(err, STATUS_ARGUMENT, "--games or --sprt is needed");

    config->limits.nodes = (uint64_t)options->nodes;
    config->limits.depth = (int)options->depth;
    config->limits.movetime_ms = options->movetime;
    Status status = STATUS_OK;
    if (options->tc)
        status = time_control_parse(options->tc, &config->limits, err);
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        status = engine_spec_parse(options->engine.items[i], &config->engines[i], err);
        if (status == STATUS_OK && !move_limits_any(&config->engines[i].limits) &&
            !move_limits_any(&config->limits))
            status =
                error_set(err, STATUS_ARGUMENT,
                          "engine %s has no limit: --nodes, --depth, --movetime or --tc is needed",
                          config->engines[i].name);
    }
    if (status == STATUS_OK && strcmp(config->engines[0].name, config->engines[1].name) == 0)
        status = error_set(err, STATUS_ARGUMENT,
                           "both engines have the name '%s': use name=", config->engines[0].name);
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
    config->concurrency =
        options->concurrency ? (int)options->concurrency : options_threads(options->threads);
    config->random_order = strcmp(options->order, "random") == 0;
    config->pgn = options->pgn;
    config->resume = options->resume;
    config->recover = options->recover;
    config->start_seconds = fmax(10.0, options->stall_seconds);
    config->rules.stall_seconds = options->stall_seconds;
    config->rules.time_margin_seconds = (double)options->time_margin / 1000.0;
    config->rules.max_plies = (int)options->max_plies;
    for (int i = 0; i < 2; i++) {
        const MoveLimits *own = &config->engines[i].limits;
        const MoveLimits *limits = move_limits_any(own) ? own : &config->limits;
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

static int run_match(const MatchOptions *options)
{
    Error error = {STATUS_OK, ""};
    MatchConfig config = {0};
    Book book = {0};
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
    if (status == STATUS_OK && options->resume && !state)
        status = error_set(&error, STATUS_ARGUMENT, "--resume needs --pgn or --state");
    if (status != STATUS_OK) {
        code = usage_error("campmate-match", &error);
        goto cleanup;
    }
    /* Before any engine starts. A bad book is no mistake of the command line. */
    if (options->openings) {
        status = book_read(config.engine, options->openings, &book, &error);
        if (status != STATUS_OK) {
            fprintf(stderr, "campmate-match: %s\n", error.message);
            code = EXIT_FAILED;
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
    progress_begin(&display.progress, "games", config.games, 0);
    if (!options->openings)
        show_notice(&display, "no --openings: all games begin at the start position, and at fixed "
                              "nodes or depth all pairs may be the same");
    if (config.games % 2)
        show_notice(&display, "an odd number of games: the last pair has only one");

    MatchSummary summary;
    status = match_run(&config, &observer, &summary, &error);
    progress_end(&display.progress);
    if (status != STATUS_OK)
        fprintf(stderr, "campmate-match: %s\n", error.message);
    code = exit_code(status, &config, &summary);
    if (status != STATUS_ARGUMENT) {
        int printed = EXIT_DONE;
        if (options->json)
            printed = print_summary_json(&config, &summary);
        else
            print_summary(&config, &summary);
        if (code == EXIT_DONE)
            code = printed;
    }

cleanup:
    for (int i = 0; i < 2; i++)
        engine_spec_free(&config.engines[i]);
    book_free(&book);
    free(state);
    return code;
}

/* What could not be printed is a failure, unless there is a worse one. */
static int finish(int code)
{
    Error error = {STATUS_OK, ""};
    if (standard_output_check(&error) == STATUS_OK)
        return code;
    fprintf(stderr, "campmate-match: %s\n", error.message);
    return code == EXIT_DONE ? EXIT_FAILED : code;
}

int main(int argc, char **argv)
{
    Error error = {STATUS_OK, ""};
    if (cpu_check(&error) != STATUS_OK) {
        fprintf(stderr, "campmate-match: %s\n", error.message);
        return EXIT_FAILED;
    }
    standard_output_watch();
    failed_writes_are_errors();
    if (argc > 1 && strcmp(argv[1], "sprt") == 0)
        return finish(sprt_main(argc - 1, argv + 1));
    MatchOptions options;
    int code = EXIT_DONE;
    switch (options_parse(&match_table, argc, argv, &options, NULL, &error)) {
    case OPTIONS_DONE:
        break;
    case OPTIONS_WRONG:
        code = usage_error("campmate-match", &error);
        break;
    case OPTIONS_RUN:
        code = run_match(&options);
        break;
    }
    options_free(&match_table, &options, NULL);
    return finish(code);
}
