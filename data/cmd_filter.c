/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_filter.c - campmate-data filter: the games that fulfil every condition, as a dataset. */
#include "command.h"

#include "block.h"
#include "derive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILTER_OPTIONS(X)                                                                          \
    X(text, out, NULL, 0, 0, "DIR", "directory of the new dataset; required")                      \
    X(text, reasons, NULL, 0, 0, "LIST", "only games that ended so: mate,count,...")               \
    X(text, results, NULL, 0, 0, "LIST", "only these of white,black,draw,unfinished")              \
    X(int, min_plies, "0", 0, GAME_PLIES_MAX, "N", "only games of at least so many plies")         \
    X(int, max_plies, "1048576", 0, GAME_PLIES_MAX, "N", "only games of at most so many plies")    \
    X(int, first_game, "0", 0, 9007199254740991, "N", "only games from this number on")            \
    X(int, last_game, "9007199254740991", 0, 9007199254740991, "N",                                \
      "only games up to this number")                                                              \
    X(int, max_start_score, "32000", 0, SCORE_MATE, "CP",                                          \
      "only games whose first score is within +-CP centipawns")                                    \
    X(flag, no_adjudicated, NULL, 0, 0, NULL, "no games that were decided by score")               \
    X(flag, renumber, NULL, 0, 0, NULL, "count the games of the paths anew, from 0")

typedef struct FilterOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    FILTER_OPTIONS(OPTION_MEMBER)
} FilterOptions;
#define OPTIONS_STRUCT FilterOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) FILTER_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data filter",
    .summary = "Writes the games that fulfil every condition as a new dataset.",
    .usage = "PATH...",
    .details =
        "Reasons: mate, stalemate, campmate, repetition, count, fifty, promochoice, insufficient, "
        "adjudicated, cap, time, resigned, illegal, unknown, none. With --max-start-score a game "
        "without any score is left out.\n\n"
        "Games keep their numbers, and shards their ranges; several paths must have different "
        "numbers, or --renumber. --out must not be there, or be empty; it appears when everything "
        "is written. Memory does not grow with the dataset. Exit code 1 if no game is left.\n\n"
        "Example: campmate-data filter --out decided --results white,black --min-plies 20 games",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

typedef struct Conditions {
    bool reasons[UINT8_MAX + 1], results[4];
    uint64_t min_plies, max_plies, first_game, last_game;
    int max_start_score;
} Conditions;

/* Finds the number that a name of a list means. */
typedef bool (*NameReader)(const char *name, int *number);

static bool result_from_name(const char *name, int *number)
{
    static const char *const names[] = {
        [OUTCOME_NONE] = "unfinished", "white", "black", [OUTCOME_DRAW] = "draw"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            *number = i;
            return true;
        }
    return false;
}

/* Reads a list of names; NULL stands for all of them. */
static bool read_names(const char *list, NameReader reader, bool *chosen, size_t count,
                       const char *option, Error *err)
{
    memset(chosen, list ? 0 : 1, count * sizeof *chosen);
    for (const char *at = list; at;) {
        char name[24];
        size_t length = strcspn(at, ",");
        int number = 0;
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name), at);
        if (!reader(name, &number)) {
            command_usage(err, "%s: '%s' is none; see --help", option, name);
            return false;
        }
        chosen[number] = true;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

static bool read_conditions(const FilterOptions *options, Conditions *conditions, Error *err)
{
    *conditions = (Conditions){.min_plies = (uint64_t)options->min_plies,
                               .max_plies = (uint64_t)options->max_plies,
                               .first_game = (uint64_t)options->first_game,
                               .last_game = (uint64_t)options->last_game,
                               .max_start_score = (int)options->max_start_score};
    if (!read_names(options->reasons, game_reason_from_text, conditions->reasons,
                    sizeof conditions->reasons, "--reasons", err) ||
        !read_names(options->results, result_from_name, conditions->results,
                    sizeof conditions->results, "--results", err))
        return false;
    if (options->no_adjudicated)
        conditions->reasons[REASON_ADJUDICATED] = false;
    if (conditions->min_plies > conditions->max_plies)
        command_usage(err, "--min-plies is above --max-plies: no game can fulfil that");
    else if (conditions->first_game > conditions->last_game)
        command_usage(err, "--first-game is above --last-game: no game can fulfil that");
    else
        return true;
    return false;
}

static bool starts_even(const GameRecord *record, int limit)
{
    int score = record->has_final_score ? record->final_score_white_cp : SCORE_NONE;
    for (size_t i = record->ply_count; i-- > 0;)
        if (record->plies[i].score_white_cp != SCORE_NONE)
            score = record->plies[i].score_white_cp;
    return score != SCORE_NONE && abs(score) <= limit;
}

static Status choose(void *context, int thread, uint64_t ordinal, const GameRecord *record,
                     int *part, Error *err)
{
    const Conditions *conditions = context;
    (void)thread, (void)ordinal, (void)err;
    bool keep =
        conditions->reasons[record->reason] && conditions->results[record->outcome] &&
        record->ply_count >= conditions->min_plies && record->ply_count <= conditions->max_plies &&
        record->number >= conditions->first_game && record->number <= conditions->last_game &&
        (conditions->max_start_score == SCORE_MATE ||
         starts_even(record, conditions->max_start_score));
    *part = keep ? 0 : -1;
    return STATUS_OK;
}

static Status filter(const FilterOptions *options, const OptionList *paths, Conditions *conditions,
                     Error *err)
{
    DeriveInput input;
    char *note = derive_note("filter", &table, options);
    DerivePart part = {.note = note};
    Status status = note ? derive_open(&input, paths, options->renumber, err)
                         : error_set(err, STATUS_NO_MEMORY, "no memory for the options");
    if (status == STATUS_OK)
        status = derive_write(&input, options_threads(options->threads), options->out, &part, 1,
                              choose, conditions, err);
    if (status == STATUS_OK)
        status = command_print_kept(options->out, input.games, &part.stat, options->json, err);
    if (note)
        derive_close(&input);
    free(note);
    return status;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    Conditions conditions;
    (void)inputs;
    if (!read_conditions(context, &conditions, err))
        return false;
    return true;
}

static int run_command(void *context, const OptionList *inputs, Error *err)
{
    const FilterOptions *options = context;
    Conditions conditions;
    if (!read_conditions(options, &conditions, err))
        return EXIT_USAGE;
    return command_exit_code(filter(options, inputs, &conditions, err));
}

int command_filter(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {.table = &table,
                                     .inputs = INPUT_PATHS,
                                     .out = "the directory of the new dataset",
                                     .check = check,
                                     .run = run_command};
    FilterOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
