/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.h - how fast the passes of a fit are. */
#pragma once

#include "load.h"

/* Positions a CPU second; medians of the rounds. */
typedef struct BenchResult {
    uint64_t positions;
    double gradient; /* loss and gradient: all that one step of a first-order method needs */
    double product;  /* Hessian times a vector                                             */
    double bytes;    /* memory a position, what the objective keeps included               */
    double changes;  /* a position                                                         */
} BenchResult;

/* Passes over the training positions of `sample`, at random small weights. */
Status bench_passes(const Sample *sample, int rounds, int threads, BenchResult *result, Error *err);
