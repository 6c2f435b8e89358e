/* SPDX-License-Identifier: GPL-3.0-or-later */
/* progress.c - one line on stderr with count, rate and time left. */
#include "support/progress.h"

#include "support/clock.h"

#include <stdio.h>
#include <unistd.h>

static const double interval_seconds = 0.2;

void progress_begin(Progress *progress, const char *noun, uint64_t total, uint64_t start)
{
    *progress = (Progress){
        .noun = noun,
        .total = total,
        .start = start,
        .began = clock_seconds(),
        .visible = isatty(STDERR_FILENO),
    };
}

/* "1:02:03" or "2:03" */
static void format_duration(double seconds, char *text, size_t size)
{
    uint64_t s = (uint64_t)(seconds + 0.5);
    unsigned hours = (unsigned)(s / 3600), minutes = (unsigned)(s / 60 % 60);
    unsigned rest = (unsigned)(s % 60);
    if (hours)
        snprintf(text, size, "%u:%02u:%02u", hours, minutes, rest);
    else
        snprintf(text, size, "%u:%02u", minutes, rest);
}

void progress_update(Progress *progress, uint64_t done, const char *note)
{
    if (!progress->visible)
        return;
    double now = clock_seconds();
    if (now - progress->shown < interval_seconds)
        return;
    progress->shown = now;

    double elapsed = now - progress->began;
    double rate = elapsed > 0 && done > progress->start
                      ? (double)(done - progress->start) / elapsed
                      : 0;
    char left[24] = "-";
    if (rate > 0 && progress->total > done) {
        double seconds = (double)(progress->total - done) / rate;
        if (seconds < 1e7)
            format_duration(seconds, left, sizeof left);
    } else if (progress->total && done >= progress->total) {
        format_duration(0, left, sizeof left);
    }

    if (progress->total)
        fprintf(stderr, "\r%llu/%llu %s  %.*f/s  ETA %s", (unsigned long long)done,
                (unsigned long long)progress->total, progress->noun, rate < 10 ? 2 : 0, rate, left);
    else
        fprintf(stderr, "\r%llu %s  %.*f/s", (unsigned long long)done, progress->noun,
                rate < 10 ? 2 : 0, rate);
    fprintf(stderr, "%s%s\033[K", note ? "  " : "", note ? note : "");
    fflush(stderr);
}

void progress_end(Progress *progress)
{
    if (progress->visible && progress->shown > 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->visible = 0;
}
