/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_plan.c - campmate-match plan: how many games an SPRT takes. */
#include "command.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAN_OPTIONS(X)                                                                            \
    X(text, sprt, NULL, 0, 0, "SPEC",                                                              \
      "elo0=0,elo1=10[,alpha=0.05][,beta=0.05][,model=logistic|normalized]; required")             \
    X(real, draws, "0", 0, 0.999, "SHARE", "of the games that are drawn")                          \
    X(text, penta, NULL, 0, 0, "A,B,C,D,E",                                                        \
      "pairs of a match like the planned one; instead of --draws, and better")                     \
    X(list, elo, NULL, 0, 0, "ELO", "a true difference to plan for")

typedef struct PlanOptions {
    COMMON_OPTIONS(OPTION_MEMBER) PLAN_OPTIONS(OPTION_MEMBER)
} PlanOptions;
#define OPTIONS_STRUCT PlanOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) PLAN_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable table = {
    .program = "campmate-match plan",
    .summary = "How many games an SPRT takes on average, and what it then says.",
    .usage = "",
    .details = "Without --elo for true differences below, at, between and above elo0 and elo1. The "
               "numbers are Wald's with Siegmund's correction of the overshoot; single tests vary "
               "by more than half of the average.\n\n"
               "Example: campmate-match plan --sprt elo0=0,elo1=5 --draws 0.3",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .variants = engine_names,
};

/* The deviation of a pair's score. */
static Status find_deviation(const PlanOptions *options, double *deviation, Error *err)
{
    if (options->penta && options_given(&table, options, "draws"))
        return error_set(err, STATUS_ARGUMENT, "give either --penta or --draws");
    *deviation = sqrt((1.0 - options->draws) / 8.0);
    if (!options->penta)
        return STATUS_OK;
    uint64_t pairs[PENTANOMIAL_CELLS];
    Status status = counts_parse("--penta", options->penta, pairs, PENTANOMIAL_CELLS, err);
    if (status != STATUS_OK)
        return status;
    Sample sample = sample_from_pairs(pairs);
    *deviation = sample_size(&sample) > 0 ? sample_deviation(&sample) : 0.0;
    return *deviation > 0.0 ? STATUS_OK
                            : error_set(err, STATUS_ARGUMENT,
                                        "--penta '%s': all pairs are alike, which says nothing "
                                        "about others",
                                        options->penta);
}

static json_t *row_json(const SprtSpec *sprt, double elo, double deviation)
{
    SprtOutlook outlook = sprt_outlook(sprt, elo, deviation);
    return json_pack("{s:f, s:f, s:f}", "elo", elo, "accept_h1", outlook.accept, "games",
                     2.0 * outlook.pairs);
}

static Status plan(const PlanOptions *options, json_t **result, SprtSpec *sprt, Error *err)
{
    double deviation = 0.0;
    if (!options->sprt)
        return error_set(err, STATUS_ARGUMENT, "--sprt is needed");
    Status status = sprt_spec_parse(options->sprt, sprt, err);
    if (status == STATUS_OK)
        status = find_deviation(options, &deviation, err);
    if (status != STATUS_OK)
        return status;
    json_t *list = json_array();
    for (size_t i = 0; i < options->elo.count; i++) {
        double elo;
        if (!decimal_parse(options->elo.items[i], &elo) || !(fabs(elo) <= 2000.0)) {
            json_decref(list);
            return error_set(err, STATUS_ARGUMENT, "--elo '%s': expected an Elo difference",
                             options->elo.items[i]);
        }
        json_array_append_new(list, row_json(sprt, elo, deviation));
    }
    double width = sprt->elo1 - sprt->elo0;
    for (int i = -1; i <= 3 && !options->elo.count; i++)
        json_array_append_new(list, row_json(sprt, sprt->elo0 + 0.5 * width * i, deviation));
    *result =
        json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:o}", "elo_model", elo_model_text(sprt->model),
                  "elo0", sprt->elo0, "elo1", sprt->elo1, "alpha", sprt->alpha, "beta", sprt->beta,
                  "pair_deviation", deviation, "rows", list);
    return *result ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "out of memory");
}

static int run_plan(const void *given, const OptionList *words)
{
    const PlanOptions *options = given;
    (void)words;
    Error error = {STATUS_OK, ""};
    SprtSpec sprt;
    json_t *result = NULL;
    if (plan(options, &result, &sprt, &error) != STATUS_OK)
        return command_failed("campmate-match plan", &error);
    if (options->dry_run) {
        json_decref(result);
        return command_dry_run(&table, options, options->json);
    }
    if (options->json)
        return json_print(result);
    printf("SPRT [%.2f, %.2f] %s Elo, alpha %g, beta %g\n", sprt.elo0, sprt.elo1,
           elo_model_text(sprt.model), sprt.alpha, sprt.beta);
    printf("true Elo   says H1   games on average\n");
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(result, "rows"), i, row)
        printf("%8.2f   %5.1f %%   %16.0f\n", json_real_value(json_object_get(row, "elo")),
               100.0 * json_real_value(json_object_get(row, "accept_h1")),
               json_real_value(json_object_get(row, "games")));
    json_decref(result);
    return EXIT_DONE;
}

int command_plan(int argc, char **argv)
{
    PlanOptions options;
    return command_main(&table, argc, argv, &options, NULL, run_plan);
}
