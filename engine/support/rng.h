/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rng.h - random numbers that are the same on every machine.
 *
 * A stream is derived from (seed, stream number), never from a thread or a clock, so a game
 * played from stream n is the same game wherever and whenever it is played.
 * Source: xoshiro256** and splitmix64 by D. Blackman and S. Vigna (public domain algorithms).
 */
#pragma once

#include <stdint.h>

typedef struct Rng {
    uint64_t state[4];
} Rng;

/* The stream numbered `stream` of `seed`. Different pairs give independent streams. */
Rng rng_from(uint64_t seed, uint64_t stream);

/* The next 64 random bits. */
uint64_t rng_next(Rng *rng);

/* A number in [0, bound), unbiased; bound > 0. */
uint64_t rng_below(Rng *rng, uint64_t bound);

/* A number in [0, 1) with 53 random bits. */
double rng_real(Rng *rng);

/* A seed from the operating system, below 2^53 so that it survives JSON; 0 never occurs. */
uint64_t rng_seed_from_os(void);
