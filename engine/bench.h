/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.h - the signature of a build: nodes of a fixed search of fixed positions; perft speed. */
#pragma once

#include "engine.h"

/*
 * Nodes that the engine needs for its bench positions at fixed depth (at most 100,000 for each), one
 * thread, 16 MiB hash, table cleared between positions. weights NULL = default. 0 with err when out of memory.
 * The same for every build of one commit.
 */
uint64_t bench_nodes(const Engine *engine, const Weight *weights, double *seconds, Error *err);

/* Leaves counted and the time it took. */
typedef struct BenchPerft {
    uint64_t leaves;
    double seconds;
} BenchPerft;

/*
 * Counts leaves by perft, bulk counting.
 *
 *   start    out, of the start position (the finished set-up where a game begins with one)
 *   others   out, of the other bench positions
 */
Status bench_perft(const Engine *engine, BenchPerft *start, BenchPerft *others, Error *err);
