/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.h - how fast the passes of a fit are. */
#pragma once

#include "load.h"

/* Positions a second, medians of the rounds. */
typedef struct PassSpeed {
    double cpu;  /* of all threads' time together */
    double wall; /* of the clock on the wall      */
} PassSpeed;

typedef struct BenchResult {
    uint64_t positions;
    PassSpeed gradient; /* loss and gradient: all that one step of a first-order method needs */
    PassSpeed product;  /* Hessian times a vector                                             */
    double bytes;       /* memory a position, what the objective keeps included               */
    double changes;     /* of a weight's count, a position                                    */
    double words;       /* that they are written in                                           */
} BenchResult;

/* Passes over the training positions of `sample`, at random small weights. */
Status bench_passes(const Sample *sample, int rounds, int threads, BenchResult *result, Error *err);
