/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command_parts.h - what the subcommands of campmate share among themselves. */
#pragma once

#include "commands.h"
#include "engine.h"
#include "support/options.h"

/* The result for a failure in err: a usage mistake if its status is STATUS_ARGUMENT. */
CommandResult command_failed(const Error *err);

/* The result when options_parse did not say OPTIONS_RUN. */
CommandResult command_options_result(OptionsVerdict verdict, const Error *err);

/* The engine of a variant, NULL = the default one; NULL with STATUS_ARGUMENT if unknown. */
const Engine *command_engine(const char *variant, Error *err);
