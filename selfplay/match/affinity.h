/* SPDX-License-Identifier: GPL-3.0-or-later */
/* affinity.h - CPUs of its own for each of the games that are played at the same time. */
#pragma once

#include "support/error.h"

#include <sched.h>

/* How many CPUs this process may use. */
int affinity_allowed(void);

/*
 * Divides the CPUs that this process may use.
 *
 *   games   at the same time
 *   cpus    for each game
 *   sets    out: [games], malloc'ed; NULL on failure
 *
 * STATUS_ARGUMENT with both numbers if there are too few.
 */
Status affinity_divide(int games, int cpus, cpu_set_t **sets, Error *err);
