/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * commands.h - the subcommands of campmate: `campmate bench`, `perft`, `moves`, `eval`.
 *
 * Each prints its result on standard output. argv[0] is the subcommand's name. COMMAND_FAILED and
 * COMMAND_USAGE come with a message in err that the caller prints.
 */
#pragma once

#include "support/error.h"

/* Also the exit code. */
typedef enum CommandResult { COMMAND_DONE, COMMAND_FAILED, COMMAND_USAGE } CommandResult;

CommandResult command_bench(int argc, char **argv, Error *err);
CommandResult command_perft(int argc, char **argv, Error *err);
CommandResult command_moves(int argc, char **argv, Error *err);
CommandResult command_eval(int argc, char **argv, Error *err);

/* Prints which build this is: commit, compiler, level, variants, where the weights come from. */
void command_version(void);
