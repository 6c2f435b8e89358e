/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.h - one line on stderr with count, rate and time left; silent unless stderr is a
 * terminal. Call from one thread (or under the caller's lock).
 */
#pragma once

#include <stdint.h>

typedef struct Progress {
    const char *noun; /* what is counted, plural: "games" */
    uint64_t total;   /* 0 = unknown                      */
    uint64_t start;   /* count at the start (resume)      */
    double began, shown;
    int visible;
} Progress;

/* Begins a display of `total` things called `noun`, `start` of which are done already. */
void progress_begin(Progress *progress, const char *noun, uint64_t total, uint64_t start);

/* Shows `done` and, after it, `note` (may be NULL); at most five times a second. */
void progress_update(Progress *progress, uint64_t done, const char *note);

/* Clears the line. */
void progress_end(Progress *progress);
