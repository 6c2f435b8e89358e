/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * configuration.c - from options, or from what a shard says of itself, to what games are played
 * with.
 */
#include "generator/configuration.h"

#include "bench.h"
#include "generator/origin.h"
#include "support/files.h"
#include "support/version.h"
#include "weights_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define OPTIONS_STRUCT SelfplayOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) SELFPLAY_OPTIONS(OPTION_ROW)};

const OptionTable selfplay_options = {
    .program = "campmate-selfplay",
    .summary = "Plays a variant against itself on all cores and writes the games as a dataset.",
    .usage = "",
    .details =
        "Each game depends only on the build, the weights, --hash, the options of play, the seed "
        "and its number: any number of threads, any restart and any split of the range give the "
        "same games. A drawn seed is printed with the effective configuration on standard error.\n"
        "\n"
        "Ctrl-C keeps what is finished; the same command with --resume goes on, with the seed that "
        "the dataset holds. A kill loses only the last block of each unfinished shard. A dataset "
        "of another build, weights, configuration or seed is refused and each difference shown.\n"
        "\n"
        "plies_per_cpu_second counts searched plies only, over the CPU time of the whole run.\n"
        "\n"
        "Exit codes: 0 done, 1 failed, 2 usage, 129, 130 or 143 interrupted.\n"
        "\n"
        "Example: campmate-selfplay --variant shogun --games 10000 --nodes 1000 --out games",
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
    .variants = engine_names,
};

/* Options that do not change a game: they stay out of the shards. What --book and --eval-file
 * hold is there as a digest, since paths differ between machines. */
static const char *const omitted[] = {"config",      "threads", "json",      "dry_run",
                                      "resume",      "out",     "games",     "first_game",
                                      "other_build", "book",    "eval_file", NULL};

void selfplay_settle(SelfplayOptions *options)
{
    if (options->nodes < 0 && options->nodes_soft > 0)
        options->nodes = 4 * options->nodes_soft;
    else if (options->nodes < 0)
        options->nodes = options->depth > 0 ? 0 : 5000;
    if (options->opening_plies < 0)
        options->opening_plies = options->book != NULL ? 0 : 8;
    const Engine *engine = engine_find(options->variant);
    if (options->score_steps != 0 && options->score_slope == 0 && engine != NULL)
        options->score_slope = fmin(fmax(engine->score_slope / 1e6, SCORE_SLOPE_LEAST),
                                    SCORE_SLOPE_MOST);
}

/* The XXH3-128 of a book's positions in order, 32 hex digits and NUL. */
static void book_digest(const Book *book, char digest[33])
{
    XXH3_state_t *state = XXH3_createState();
    digest[0] = '\0';
    if (state == NULL)
        return;
    XXH3_128bits_reset(state);
    for (size_t i = 0; i < book->count; i++)
        XXH3_128bits_update(state, book->fens[i], strlen(book->fens[i]) + 1);
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    snprintf(digest, 33, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

/* The configuration as it enters the shards; NULL when out of memory. */
static char *shard_configuration(const SelfplayOptions *options, const Book *book)
{
    char *text = options_effective(&selfplay_options, options, omitted);
    if (text == NULL || book == NULL)
        return text;
    char digest[33];
    book_digest(book, digest);
    char *longer =
        text_format("%sbook_positions = %zu\nbook_digest = %s\n", text, book->count, digest);
    free(text);
    return longer;
}

void play_setup_free(PlaySetup *setup)
{
    book_free(&setup->book);
    free(setup->weights);
    *setup = (PlaySetup){0};
}

static Status read_files(PlaySetup *setup, const Engine *engine, const SelfplayOptions *options,
                         Error *err)
{
    Status status = STATUS_OK;
    if (options->book != NULL)
        status = book_read(engine, options->book, &setup->book, err);
    if (status != STATUS_OK || options->eval_file == NULL)
        return status;
    setup->weights = calloc((size_t)engine->weight_count, sizeof *setup->weights);
    if (setup->weights == NULL)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the weights");
    return weights_file_read(engine, options->eval_file, setup->weights, err);
}

Status play_setup(PlaySetup *setup, ShardInfo *info, const SelfplayOptions *options, Error *err)
{
    const Engine *engine = engine_find(options->variant);
    Status status = read_files(setup, engine, options, err);
    if (status != STATUS_OK)
        return status;
    setup->hash_mib = (size_t)options->hash;
    setup->game = (GameConfig){
        .engine = engine,
        .book = options->book != NULL ? &setup->book : NULL,
        .seed = (uint64_t)options->seed,
        .nodes = (uint64_t)options->nodes,
        .nodes_soft = (uint64_t)options->nodes_soft,
        .depth = (int)options->depth,
        .opening_plies = (int)options->opening_plies,
        .opening_window_cp = (int)options->opening_window,
        .sample_plies = (int)options->sample_plies,
        .sample_lines = (int)options->sample_lines,
        .sample_margin_cp = (int)options->sample_margin,
        .sample_half_life_cp = (int)options->sample_half_life,
        .adjudicate_cp = (int)options->adjudicate,
        .adjudicate_plies = (int)options->adjudicate_plies,
        .play_out_percent = (int)options->play_out,
        .max_plies = (int)options->max_plies,
    };
    info->engine = engine;
    info->seed = (uint64_t)options->seed;
    info->score_steps = (unsigned)options->score_steps;
    info->score_slope = (uint32_t)lround(options->score_slope * 1e6);
    info->commit = text_format("%s", version_commit());
    info->compiler = text_format("%s", version_compiler());
    info->configuration = shard_configuration(options, setup->game.book);
    if (info->commit == NULL || info->compiler == NULL || info->configuration == NULL)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the configuration");
    weights_digest(engine, setup->weights != NULL ? setup->weights : engine->default_weights,
                   info->weights_digest);
    return STATUS_OK;
}

/* True if a configuration has a line that begins with `key`. */
static bool has_line(const char *text, const char *key)
{
    for (; text != NULL; text = strchr(text, '\n'), text = text != NULL ? text + 1 : NULL) {
        if (strncmp(text, key, strlen(key)) == 0)
            return true;
    }
    return false;
}

/* Why the games of a shard are not plain self-play, NULL if they may be. */
static const char *not_played(const ShardInfo *shard)
{
    if (has_line(shard->configuration, DERIVED_KEY))
        return "its games were taken from another dataset (split, filter, dedup, rescore): "
               "regenerate from that one";
    if (has_line(shard->configuration, "input = "))
        return "its games were imported";
    if (!has_line(shard->configuration, "opening-plies = ") ||
        !has_line(shard->configuration, "max-plies = "))
        return "its configuration is not one of self-play";
    return NULL;
}

/* Options that older shards do not name: for them they had the value 0. */
static const char *const younger[] = {"score-steps = ", "score-slope = "};

/* Takes the line that begins with `key` out of a configuration. */
static void remove_line(char *text, const char *key)
{
    for (char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        if (strncmp(line, key, strlen(key)) == 0) {
            memmove(line, next, strlen(next) + 1);
            return;
        }
        line = next;
    }
}

/* The options of a shard, completed with the paths of this machine. */
static Status shard_options(const ShardInfo *shard, const char *eval_file, const char *book,
                            SelfplayOptions *options, Error *err)
{
    Status status = options_from_text(&selfplay_options, shard->configuration, options, err);
    options->eval_file = eval_file;
    options->book = book;
    if (!has_line(shard->configuration, "score-steps = "))
        options->score_steps = 0;
    if (status == STATUS_OK && engine_find(options->variant) != shard->engine)
        status = error_set(err, STATUS_ARGUMENT, "its configuration is of the variant %s",
                           options->variant);
    if (status == STATUS_OK && book == NULL && has_line(shard->configuration, "book_digest = "))
        status =
            error_set(err, STATUS_ARGUMENT, "its games begin from a book: give that with --book");
    return status;
}

Status play_setup_of_shard(PlaySetup *setup, const ShardInfo *shard, const char *eval_file,
                           const char *book, uint64_t *bench, char **difference, Error *err)
{
    *difference = NULL;
    const char *reason = not_played(shard);
    if (reason != NULL)
        return error_set(err, STATUS_ARGUMENT, "%s", reason);
    SelfplayOptions options = {0};
    ShardInfo here = {0};
    Status status = shard_options(shard, eval_file, book, &options, err);
    if (status == STATUS_OK)
        status = play_setup(setup, &here, &options, err);
    if (status == STATUS_OK && *bench == 0) {
        *bench = bench_nodes(shard->engine, setup->weights, NULL, err);
        status = *bench != 0 ? STATUS_OK : STATUS_NO_MEMORY;
    }
    if (status == STATUS_OK) {
        here.bench_nodes = *bench;
        for (size_t i = 0; i < sizeof younger / sizeof younger[0]; i++) {
            if (!has_line(shard->configuration, younger[i]))
                remove_line(here.configuration, younger[i]);
        }
        *difference = origin_difference(shard, &here, ORIGIN_GAMES);
        if (*difference == NULL)
            status = error_set(err, STATUS_NO_MEMORY, "no memory to compare configurations");
        else if (**difference != '\0')
            status = error_set(err, STATUS_ARGUMENT, "this build cannot play its games again");
    }
    if (*difference != NULL && **difference == '\0') {
        free(*difference);
        *difference = NULL;
    }
    shard_info_free(&here);
    options_free(&selfplay_options, &options, NULL);
    return status;
}
