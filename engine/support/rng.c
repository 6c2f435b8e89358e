/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rng.c - xoshiro256** seeded by splitmix64. */
#include "support/rng.h"

#include "support/clock.h"

#include <sys/random.h>
#include <unistd.h>

__extension__ typedef unsigned __int128 Wide;

/* The finaliser of splitmix64: a bijection that mixes all bits. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t splitmix_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(*state);
}

static uint64_t rotate_left(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

Rng rng_from(uint64_t seed, uint64_t stream)
{
    /* Both numbers are mixed before they meet, so that (1, 2) and (2, 1), or neighbours, have
     * nothing in common. splitmix64 never gives four zeros in a row, which xoshiro cannot bear. */
    uint64_t state = splitmix_next(&seed);
    state ^= mix(stream + UINT64_C(0xd1b54a32d192ed03));
    Rng rng;
    for (int i = 0; i < 4; i++)
        rng.state[i] = splitmix_next(&state);
    return rng;
}

uint64_t rng_next(Rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t rng_below(Rng *rng, uint64_t bound)
{
    /* Multiplication with rejection: D. Lemire, "Fast Random Integer Generation in an Interval". */
    Wide product = (Wide)rng_next(rng) * bound;
    if ((uint64_t)product < bound) {
        uint64_t threshold = (0 - bound) % bound;
        while ((uint64_t)product < threshold)
            product = (Wide)rng_next(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}

double rng_real(Rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

uint64_t rng_seed_from_os(void)
{
    uint64_t seed = 0;
    do {
        /* getrandom cannot fail for so few bytes once the system is up; the clock stands in where
         * a sandbox forbids the call. */
        if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
            seed = mix((uint64_t)(clock_seconds() * 1e9) ^ ((uint64_t)getpid() << 40));
        seed &= (UINT64_C(1) << 53) - 1;
    } while (seed == 0);
    return seed;
}
