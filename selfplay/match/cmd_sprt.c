/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_sprt.c - campmate-match sprt: Elo and SPRT of given counts. */
#include "command.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

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

static int run_sprt(const void *given, const OptionList *words)
{
    const SprtOptions *options = given;
    (void)words;
    static const char program[] = "campmate-match sprt";
    Error error;
    SprtSpec sprt;
    MatchTotals totals = {0};
    Sample sample;
    if (!options->wld == !options->penta) {
        error_set(&error, STATUS_ARGUMENT, "give either --wld or --penta");
        return command_failed(program, &error);
    }
    if (options->wld) {
        uint64_t counts[3];
        if (counts_parse("--wld", options->wld, counts, 3, &error) != STATUS_OK)
            return command_failed(program, &error);
        totals.wins = counts[0];
        totals.losses = counts[1];
        totals.draws = counts[2];
        totals.games = counts[0] + counts[1] + counts[2];
        sample = sample_from_games(totals.wins, totals.draws, totals.losses);
    } else {
        uint64_t pairs[PENTANOMIAL_CELLS];
        if (counts_parse("--penta", options->penta, pairs, PENTANOMIAL_CELLS, &error) != STATUS_OK)
            return command_failed(program, &error);
        sample = sample_from_pairs(pairs);
        totals.games = 2 * sample_size(&sample);
    }
    if (options->sprt && sprt_spec_parse(options->sprt, &sprt, &error) != STATUS_OK)
        return command_failed(program, &error);

    if (options->dry_run)
        return command_dry_run(&sprt_table, options, options->json);
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
                json_put(object, *key, json_null());
        return json_print(object);
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
        statistics_print(&totals, &sample, test, llr, verdict);
    }
    return EXIT_DONE;
}

int command_sprt(int argc, char **argv)
{
    SprtOptions options;
    return command_main(&sprt_table, argc, argv, &options, NULL, run_sprt);
}
