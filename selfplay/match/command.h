/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command.h - the commands of campmate-match. Each reads its own options, prints its result on
 * standard output and what went wrong on standard error, and returns the program's exit code.
 */
#pragma once

#include "support/error.h"
#include "support/options.h"

#include <jansson.h>
#include <stdbool.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNDECIDED = 3 };

int command_match(int argc, char **argv);
int command_sprt(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_rating(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_spsa(int argc, char **argv);

/*
 * campmate-match --compliance.
 *
 *   command   of the engine, or its specification
 *   variant   the only game to check; NULL = each that it offers and we know
 *   checks    the names of some checks, separated by commas; NULL = all
 *   patience  seconds it may take for an answer; margin: that a move may be late on the clock
 */
typedef struct ComplianceRequest {
    const char *command, *variant, *checks;
    double patience, margin_seconds;
    bool json, dry_run;
} ComplianceRequest;
int run_compliance(const ComplianceRequest *request);

/*
 * What a command does for its table: reads its options and words, says what is wrong with them, or
 * runs it.
 *
 *   options   the struct of the table, zeroed or not
 *   words     NULL where the command takes none; else what it is given stands there for `run`
 */
int command_main(const OptionTable *table, int argc, char **argv, void *options, OptionList *words,
                 int (*run)(const void *options, const OptionList *words));

/* Prints the effective options: what --dry-run is where there is nothing to estimate. */
int command_dry_run(const OptionTable *table, const void *options, bool json);

/* The `key = value` lines of options_effective as an object; a repeated key becomes an array. */
json_t *configuration_json(char *lines);

/* Prints "program: message" on standard error; the exit code of such an error. */
int command_failed(const char *program, const Error *error);
