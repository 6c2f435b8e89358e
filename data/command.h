/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command.h - what the subcommands of campmate-data share.
 *
 * A command reads its own options, prints its result on standard output and returns the exit code
 * of the program; what went wrong is in `err`, and main.c prints it.
 */
#pragma once

#include "dataset.h"
#include "support/options.h"

#include <jansson.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int command_stat(int argc, char **argv, Error *err);
int command_verify(int argc, char **argv, Error *err);
int command_show(int argc, char **argv, Error *err);
int command_export(int argc, char **argv, Error *err);
int command_book(int argc, char **argv, Error *err);
int command_merge(int argc, char **argv, Error *err);
int command_import(int argc, char **argv, Error *err);
int command_filter(int argc, char **argv, Error *err);
int command_split(int argc, char **argv, Error *err);
int command_dedup(int argc, char **argv, Error *err);
int command_sample(int argc, char **argv, Error *err);
int command_rescore(int argc, char **argv, Error *err);
int command_salvage(int argc, char **argv, Error *err);
int command_bench(int argc, char **argv, Error *err);

/* Exit code for a status: 129, 130 or 143 after an interruption. */
int command_exit_code(Status status);

/* A usage mistake: fills err and returns EXIT_USAGE. */
int command_usage(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * What a command asks for, and does. Its options begin with COMMON_OPTIONS; `options` below is the
 * struct of the table.
 *
 *   inputs    "PATH given: a dataset directory": what has to stand beside the options, and the end
 * of the message where it does not; NULL: nothing has to out       what --out has to name; NULL:
 * the option may be left out, or there is none check     further mistakes: false with
 * command_usage. It may replace values that depend on others. NULL: none run       returns the exit
 * code dries     `run` treats --dry-run by itself, and needs no --out then
 */
typedef struct CommandPlan {
    const OptionTable *table;
    const char *inputs, *out;
    bool (*check)(void *options, const OptionList *inputs, Error *err);
    int (*run)(void *options, const OptionList *inputs, Error *err);
    bool dries;
} CommandPlan;

#define INPUT_PATHS "PATH given: a dataset directory or a .cmpd file"

/* The whole of a command: reads its options into `options`, refuses, runs. The exit code. */
int command_main(const CommandPlan *plan, int argc, char **argv, void *options, Error *err);

/* Opens the dataset of each path, [paths->count]; command_close takes what there is, also after a
 * failure. */
Status command_open(const OptionList *paths, Dataset ***datasets, Error *err);
void command_close(const OptionList *paths, Dataset **datasets);

/* Refuses datasets that hold the same games: see datasets_check_distinct. */
Status command_check_inputs(const OptionList *paths, Error *err);

/* Prints the effective options and how much the paths hold, for --dry-run. */
int command_dry_run(const OptionTable *table, const void *values, const OptionList *paths,
                    Error *err);

/* Prints a JSON value (taken over) on standard output; NULL counts as out of memory. */
Status command_print_json(json_t *value, Error *err);

/* Outcomes as the object of the contract: white, black, draw, unfinished. */
json_t *command_results_json(const uint64_t outcomes[4]);

/* What a command that leaves games out has kept: of `games` those that `stat` counts. */
Status command_print_kept(const char *out, uint64_t games, const ShardStat *stat, bool json,
                          Error *err);

/* A game for people and programs: the object that `export --format jsonl` writes, moves in UCI. */
Status command_game_json(const Engine *engine, const GameRecord *record, json_t **object,
                         Error *err);
