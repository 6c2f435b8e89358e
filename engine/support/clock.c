/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock.c - wall and CPU time. */
#include "support/clock.h"

#include <time.h>

static struct timespec now(clockid_t clock)
{
    struct timespec t = {0, 0};
    clock_gettime(clock, &t);
    return t;
}

int64_t clock_ms(void)
{
    struct timespec t = now(CLOCK_MONOTONIC);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static double seconds(struct timespec t)
{
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double clock_seconds(void)
{
    return seconds(now(CLOCK_MONOTONIC));
}

double clock_seconds_since(double began)
{
    double now = clock_seconds();
    return now > began ? now - began : 0;
}

double clock_cpu_seconds(void)
{
    return seconds(now(CLOCK_PROCESS_CPUTIME_ID));
}
