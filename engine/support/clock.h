/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock.h - wall and CPU time. Durations only; the calendar enters no result. */
#pragma once

#include <stdint.h>

/* Milliseconds and seconds of a clock that never jumps. */
int64_t clock_ms(void);
double clock_seconds(void);

/* Seconds since an earlier clock_seconds(), 0 or more: there are machines whose clock jumps after
 * all, and a negative duration would be nonsense wherever it is printed. */
double clock_seconds_since(double began);

/* CPU seconds used so far by all threads of this process. */
double clock_cpu_seconds(void);
