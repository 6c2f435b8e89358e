/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpu.h - does this machine have the instructions that the build uses?
 *
 * Every main() calls it first, so that an older CPU gets a sentence and not SIGILL:
 *
 *     Error err;
 *     if (cpu_check(&err) != STATUS_OK)
 *         return fprintf(stderr, "campmate: %s\n", err.message), 1;
 */
#pragma once

#include "support/error.h"

/* STATUS_ARGUMENT, with the missing instruction set and the remedy, on a CPU that is too old. */
Status cpu_check(Error *err);
