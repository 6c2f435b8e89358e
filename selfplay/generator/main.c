/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - campmate-selfplay: batch self-play to a dataset.
 */
#include "bench.h"
#include "generator/configuration.h"
#include "generator/estimate.h"
#include "generator/schedule.h"
#include "support/clock.h"
#include "support/cpu.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/rng.h"
#include "support/standard_output.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXIT_USAGE = 2 };

static int complain(int code, const Error *err)
{
    fprintf(stderr, "campmate-selfplay: %s\n", err->message);
    return code;
}

/* The seed where none is given: that of the run to go on with, else one from the system. */
static Status choose_seed(SelfplayOptions *options, Error *err)
{
    uint64_t seed = 0;
    if (options->seed != 0)
        return STATUS_OK;
    Status status = options->resume ? out_directory_seed(options->out, &seed, err) : STATUS_OK;
    options->seed = (option_int)(seed != 0 ? seed : rng_seed_from_os());
    return status;
}

/* Usage mistakes that no single option shows. */
static Status check(const SelfplayOptions *options, Error *err)
{
    if (options->out == NULL || options->out[0] == '\0')
        return error_set(err, STATUS_ARGUMENT, "--out DIR is required");
    if (engine_find(options->variant) == NULL)
        return error_set(err, STATUS_ARGUMENT, "--variant: unknown variant '%s'; there are: %s",
                         options->variant, engine_names());
    if (options->nodes == 0 && options->nodes_soft == 0 && options->depth == 0)
        return error_set(err, STATUS_ARGUMENT,
                         "a search needs a limit: --nodes, --nodes-soft or --depth");
    if (options->nodes > 0 && options->nodes_soft > options->nodes)
        return error_set(err, STATUS_ARGUMENT, "--nodes-soft %lld is above --nodes %lld",
                         (long long)options->nodes_soft, (long long)options->nodes);
    if (options->opening_plies >= options->max_plies)
        return error_set(err, STATUS_ARGUMENT,
                         "--max-plies %lld leaves no move after --opening-plies %lld",
                         (long long)options->max_plies, (long long)options->opening_plies);
    if (options->score_steps != 0 && options->score_steps != 128 && options->score_steps != 256)
        return error_set(err, STATUS_ARGUMENT, "--score-steps %lld, expected 128, 256 or 0",
                         (long long)options->score_steps);
    if (options->score_steps == 0 && options->score_slope != 0)
        return error_set(
            err, STATUS_ARGUMENT,
            "--score-slope %g: with --score-steps 0 each centipawn is kept, and there is "
            "no slope",
            options->score_slope);
    if (options->score_steps != 0 && options->score_slope < SCORE_SLOPE_LEAST)
        return error_set(err, STATUS_ARGUMENT, "--score-slope %g, expected %g to 2.5, or 0",
                         options->score_slope, SCORE_SLOPE_LEAST);
    int64_t last = (options->first_game + options->games - 1) / options->shard_games;
    if (last >= SHARD_NUMBERS)
        return error_set(err, STATUS_ARGUMENT,
                         "game %lld would be in shard %lld, and there can be %d: use more "
                         "--shard-games",
                         (long long)(options->first_game + options->games - 1), (long long)last,
                         SHARD_NUMBERS);
    return STATUS_OK;
}

/* What a run needs, gathered before anything is created. */
typedef struct Job {
    PlaySetup setup;
    RunPlan plan;
} Job;

static void job_free(Job *job)
{
    shard_info_free(&job->plan.info);
    play_setup_free(&job->setup);
}

static Status job_prepare(Job *job, const SelfplayOptions *options, Error *err)
{
    RunPlan *plan = &job->plan;
    Status status = play_setup(&job->setup, &plan->info, options, err);
    if (status != STATUS_OK)
        return status;
    plan->game = job->setup.game;
    plan->weights = job->setup.weights;
    plan->hash_mib = job->setup.hash_mib;
    plan->directory = options->out;
    plan->range = (GameRange){.first = (uint64_t)options->first_game,
                              .count = (uint64_t)options->games,
                              .shard_games = (uint64_t)options->shard_games};
    plan->threads = options_threads(options->threads);
    if ((uint64_t)plan->threads > plan->range.count)
        plan->threads = (int)plan->range.count;
    return STATUS_OK;
}

static void print_configuration(const SelfplayOptions *options)
{
    char *text = options_effective(&selfplay_options, options, NULL);
    if (text != NULL)
        fputs(text, stderr);
    free(text);
}

/* Time and disk that a run would take. */
static int dry_run(const Job *job, bool as_json)
{
    Error err;
    Estimate estimate;
    const RunPlan *plan = &job->plan;
    if (estimate_run(plan, &estimate, &err) != STATUS_OK)
        return complain(EXIT_FAILURE, &err);
    if (as_json) {
        json_t *root = json_pack("{s:I, s:f, s:f, s:f}", "games", (json_int_t)plan->range.count,
                                 "estimated_plies", estimate.plies, "estimated_seconds",
                                 estimate.seconds, "estimated_bytes", estimate.bytes);
        json_dumpf(root, stdout, JSON_INDENT(2));
        json_decref(root);
        putchar('\n');
    } else {
        printf("about %.0f plies, %.0f s on %d thread%s, %.1f MB in %s\n", estimate.plies,
               estimate.seconds, plan->threads, plan->threads == 1 ? "" : "s", estimate.bytes / 1e6,
               plan->directory);
    }
    return EXIT_SUCCESS;
}

/* The figures of a run; `whole` is the dataset as it stands, NULL if there is none yet. */
typedef struct Summary {
    const RunStat *run;
    const ShardStat *whole;
    double seconds, cpu_seconds;
    bool interrupted;
} Summary;

static double searched_rate(const Summary *summary)
{
    return summary->cpu_seconds > 0 ? (double)summary->run->searched_plies / summary->cpu_seconds
                                    : 0.0;
}

/* A share of the whole; 0 of nothing. */
static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0.0;
}

static uint64_t decisive_games(const RunStat *run)
{
    return run->outcomes[OUTCOME_WHITE] + run->outcomes[OUTCOME_BLACK];
}

static void print_json(const Summary *summary)
{
    static const char *const outcome_names[4] = {
        [OUTCOME_NONE] = "unfinished",
        [OUTCOME_WHITE] = "white",
        [OUTCOME_BLACK] = "black",
        [OUTCOME_DRAW] = "draw",
    };
    const RunStat *run = summary->run;
    json_t *outcomes = json_object(), *reasons = json_object();
    for (int i = 0; i < 4; i++)
        json_object_set_new(outcomes, outcome_names[i], json_integer((json_int_t)run->outcomes[i]));
    for (int i = 0; i <= REASON_UNKNOWN; i++) {
        if (run->reasons[i] > 0 && game_reason_text(i) != NULL)
            json_object_set_new(reasons, game_reason_text(i),
                                json_integer((json_int_t)run->reasons[i]));
    }
    json_t *root = json_object();
    struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        {"games", run->games},
        {"kept_games", run->kept_games},
        {"plies", run->plies},
        {"searched_plies", run->searched_plies},
        {"nodes", run->nodes},
        {"nodes_max", run->nodes_max},
        {"opening_redraws", run->redraws},
        {"duplicates", run->duplicate_games},
        {"duplicate_openings", run->duplicate_openings},
        {"adjudication_checked", run->adjudication_checked},
        {"adjudication_errors", run->adjudication_errors},
        {"adjudication_unresolved", run->adjudication_unresolved},
        {"dataset_games", summary->whole->games},
        {"dataset_plies", summary->whole->plies},
        {"dataset_bytes", summary->whole->bytes},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        json_object_set_new(root, counts[i].key, json_integer((json_int_t)counts[i].value));
    json_object_set_new(root, "outcomes", outcomes);
    json_object_set_new(root, "decisive_share", json_real(share(decisive_games(run), run->games)));
    json_object_set_new(root, "unfinished_share",
                        json_real(share(run->outcomes[OUTCOME_NONE], run->games)));
    json_object_set_new(root, "adjudication_error_rate",
                        json_real(share(run->adjudication_errors, run->adjudication_checked)));
    json_object_set_new(root, "reasons", reasons);
    json_object_set_new(root, "seconds", json_real(summary->seconds));
    json_object_set_new(root, "cpu_seconds", json_real(summary->cpu_seconds));
    json_object_set_new(root, "plies_per_cpu_second", json_real(searched_rate(summary)));
    json_object_set_new(root, "interrupted", json_boolean(summary->interrupted));
    json_object_set_new(root, "digest", json_string(summary->whole->digest));
    json_dumpf(root, stdout, JSON_INDENT(2));
    json_decref(root);
    putchar('\n');
}

static void print_text(const Summary *summary)
{
    const RunStat *run = summary->run;
    printf("games     %llu, %llu plies (%llu searched)", (unsigned long long)run->games,
           (unsigned long long)run->plies, (unsigned long long)run->searched_plies);
    if (run->kept_games > 0)
        printf("; %llu games were there already", (unsigned long long)run->kept_games);
    printf(
        "\nresults   white %llu, black %llu, draw %llu, unfinished %llu: %.1f %% decisive, %.1f %% "
        "unfinished\nreasons  ",
        (unsigned long long)run->outcomes[OUTCOME_WHITE],
        (unsigned long long)run->outcomes[OUTCOME_BLACK],
        (unsigned long long)run->outcomes[OUTCOME_DRAW],
        (unsigned long long)run->outcomes[OUTCOME_NONE],
        100 * share(decisive_games(run), run->games),
        100 * share(run->outcomes[OUTCOME_NONE], run->games));
    for (int i = 0; i <= REASON_UNKNOWN; i++) {
        if (run->reasons[i] > 0 && game_reason_text(i) != NULL)
            printf(" %s %llu", game_reason_text(i), (unsigned long long)run->reasons[i]);
    }
    printf("\nverdicts  %llu checked, %llu wrong (%.1f %%), %llu not resolved by the ply cap\n",
           (unsigned long long)run->adjudication_checked,
           (unsigned long long)run->adjudication_errors,
           100 * share(run->adjudication_errors, run->adjudication_checked),
           (unsigned long long)run->adjudication_unresolved);
    printf("openings  %llu drawn again, %llu seen before; %llu games equal to another\n",
           (unsigned long long)run->redraws, (unsigned long long)run->duplicate_openings,
           (unsigned long long)run->duplicate_games);
    printf("time      %.1f s, %.1f CPU s, %.0f searched plies per CPU second\n", summary->seconds,
           summary->cpu_seconds, searched_rate(summary));
    if (summary->whole->digest[0] != '\0')
        printf("dataset   %llu games, %llu plies, %llu bytes, digest %s\n",
               (unsigned long long)summary->whole->games, (unsigned long long)summary->whole->plies,
               (unsigned long long)summary->whole->bytes, summary->whole->digest);
}

/* True if a shard of the plan is finished, so that there is a dataset to describe. */
static bool has_shards(const RunPlan *plan)
{
    unsigned first;
    size_t count;
    range_shards(&plan->range, &first, &count);
    for (size_t i = 0; i < count; i++) {
        if (shard_exists(plan->directory, first + (unsigned)i))
            return true;
    }
    return false;
}

/* Says whether the run may write to --out, and if not, why: each difference is a line. */
static bool may_write(const RunPlan *plan, const SelfplayOptions *options)
{
    Error err;
    char *difference = NULL;
    Status status = out_directory_check(plan->directory, options->resume,
                                        options->other_build ? ORIGIN_GAMES : ORIGIN_ALL,
                                        &plan->info, &plan->range, &difference, &err);
    if (status != STATUS_OK)
        complain(EXIT_FAILURE, &err);
    if (difference != NULL)
        fputs(difference, stderr);
    free(difference);
    return status == STATUS_OK;
}

/* What could not be printed is a failure, whatever came of the run. */
static int finish(int code)
{
    Error err;
    if (standard_output_check(&err) == STATUS_OK)
        return code;
    return complain(code == EXIT_SUCCESS ? EXIT_FAILURE : code, &err);
}

static int generate(Job *job, const SelfplayOptions *options)
{
    Error err;
    double began = clock_seconds();
    RunPlan *plan = &job->plan;
    plan->info.bench_nodes = bench_nodes(plan->info.engine, plan->weights, NULL, &err);
    if (plan->info.bench_nodes == 0)
        return complain(EXIT_FAILURE, &err);
    if (!may_write(plan, options))
        return EXIT_FAILURE;

    RunStat run;
    Status status = schedule_run(plan, &run, &err);
    bool stopped = status == STATUS_INTERRUPTED;
    if (status != STATUS_OK && !stopped)
        return complain(EXIT_FAILURE, &err);
    out_directory_tidy(plan->directory);
    ShardStat whole = {0};
    if (has_shards(plan)) {
        Error manifest_err;
        if (dataset_write_manifest(plan->directory, &whole, &manifest_err) != STATUS_OK)
            return complain(EXIT_FAILURE, &manifest_err);
    }
    Summary summary = {.run = &run,
                       .whole = &whole,
                       .seconds = clock_seconds_since(began),
                       .cpu_seconds = clock_cpu_seconds(),
                       .interrupted = stopped};
    if (options->json)
        print_json(&summary);
    else
        print_text(&summary);
    if (!stopped)
        return EXIT_SUCCESS;
    fprintf(stderr,
            "campmate-selfplay: interrupted; finished games are kept, go on with the same command "
            "and --resume\n");
    return interrupt_exit_code();
}

int main(int argc, char **argv)
{
    Error err;
    if (cpu_check(&err) != STATUS_OK)
        return complain(EXIT_FAILURE, &err);
    standard_output_watch();
    interrupt_install();
    SelfplayOptions options = {0};
    OptionsVerdict verdict = options_parse(&selfplay_options, argc, argv, &options, NULL, &err);
    if (verdict == OPTIONS_WRONG)
        return complain(options_exit_code(verdict, &err), &err);
    if (verdict == OPTIONS_DONE)
        return finish(EXIT_SUCCESS);
    selfplay_settle(&options);
    Job job = {0};
    int code = EXIT_SUCCESS;
    if (check(&options, &err) != STATUS_OK) {
        code = complain(EXIT_USAGE, &err);
    } else if (choose_seed(&options, &err) != STATUS_OK ||
               job_prepare(&job, &options, &err) != STATUS_OK) {
        code = complain(EXIT_FAILURE, &err);
    } else {
        print_configuration(&options);
        code = options.dry_run ? dry_run(&job, options.json) : generate(&job, &options);
    }
    job_free(&job);
    options_free(&selfplay_options, &options, NULL);
    return finish(code);
}
