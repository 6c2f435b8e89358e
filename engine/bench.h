/* bench.h - the signature of a build: nodes of a fixed search of fixed positions. */
#pragma once

#include "engine.h"

/*
 * Nodes that the engine needs for its bench positions at fixed depth, one thread, 16 MiB hash,
 * table cleared between positions. weights NULL = default. 0 with err when out of memory.
 * The same for every build of one commit.
 */
uint64_t bench_nodes(const Engine *engine, const Weight *weights, double *seconds, Error *err);
