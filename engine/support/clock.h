/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock.h - wall and CPU time. Durations only; the calendar enters no result. */
#pragma once

#include <stdint.h>

/* Milliseconds and seconds of a clock that never jumps. */
int64_t clock_ms(void);
double clock_seconds(void);

/* CPU seconds used so far by all threads of this process. */
double clock_cpu_seconds(void);
