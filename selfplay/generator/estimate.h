/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimate.h - what a run will take, from a few games played for it. */
#pragma once

#include "generator/schedule.h"

typedef struct Estimate {
    double plies, seconds, bytes; /* of all games of the plan, on its threads */
} Estimate;

/*
 * Plays the first games of the plan for about a second, one thread, and scales up. Nothing is
 * written. Rough: a game that does not end in time is taken to be ASSUMED_PLIES long.
 */
Status estimate_run(const RunPlan *plan, Estimate *estimate, Error *err);
