/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spsa.h - simultaneous perturbation stochastic approximation: better numbers for a search from
 * games between two versions of it in which each number is a little higher or lower.
 *
 * Iteration k of N adds a(k) / c(k) * sign * score to each number, where a(k) and c(k) shrink as
 * powers of k; `step` is c at the end and `rate` says how far a score of one moves a number then,
 * in squared steps. The numbers are kept as reals, engines get them rounded: where both versions
 * round to the same, the games say nothing about that number and it stays. Source: J. C. Spall,
 * "Implementation of the simultaneous perturbation algorithm for stochastic optimization", IEEE
 * Trans. Aerospace and Electronic Systems 34 (1998); gains as testers of chess engines use them.
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SpsaParameter {
    char *name;   /* the UCI option                                                  */
    double start; /* whole                                                           */
    double least, most, step;
    double value;
    uint64_t alike; /* iterations in which both versions had the same number         */
} SpsaParameter;

typedef struct SpsaGains {
    uint64_t iterations; /* N, at least 1 */
    double rate;
} SpsaGains;

/* One parameter in one iteration. */
typedef struct SpsaTrial {
    int sign; /* +1: the first version has the higher number */
    long long first, second;
} SpsaTrial;

/* A range around a start: from 0 to twice it, at least 12 wide, -6 to 6 around 0. */
void spsa_range(double start, double *least, double *most);

/* The two versions of iteration `iteration` (1 .. N); a function of seed, iteration and values. */
void spsa_try(const SpsaParameter *parameters, size_t count, const SpsaGains *gains, uint64_t seed,
              uint64_t iteration, SpsaTrial *trials);

/* Moves the parameters by what the games of an iteration said: wins less losses of the first. */
void spsa_learn(SpsaParameter *parameters, size_t count, const SpsaGains *gains, uint64_t iteration,
                const SpsaTrial *trials, double score);

/*
 * Reads "NAME[,start=X][,min=X][,max=X][,step=X]" into a zeroed parameter; what is not given keeps
 * the `default`, `min` and `max` of the engine's option (`has_limits`), or the range around the
 * start. STATUS_ARGUMENT names the parameter. On failure nothing is to be freed.
 */
typedef struct SpsaKnown {
    bool found, has_limits;
    double standard, least, most;
} SpsaKnown;
Status spsa_parameter_parse(const char *text, SpsaKnown (*find)(void *context, const char *name),
                            void *context, SpsaParameter *parameter, Error *err);
