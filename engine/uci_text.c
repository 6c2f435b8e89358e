/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_text.c - lines of output and scores in the words of the UCI protocol. */
#include "uci_text.h"

#include "support/exactmath.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

void uci_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&output);
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
    pthread_mutex_unlock(&output);
    va_end(arguments);
}

size_t uci_append(char *text, size_t size, size_t used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    size_t length = used + (n > 0 ? (size_t)n : 0);
    return length < size ? length : size - 1;
}

void uci_score_text(int score, char *text)
{
    if (abs(score) <= SCORE_MATE_BOUND) {
        snprintf(text, UCI_SCORE_TEXT, "cp %d", score);
        return;
    }
    int plies = SCORE_MATE - abs(score);
    int moves = (plies + 1) / 2; /* being mated in 2n plies takes n moves of the loser */
    snprintf(text, UCI_SCORE_TEXT, "mate %d", score > 0 ? moves : -moves);
}

static const double LN_10 = 2.302585092994046;

void uci_wdl(int score, bool has_draws, int permille[3])
{
    double expected = score > SCORE_MATE_BOUND    ? 1
                      : score < -SCORE_MATE_BOUND ? 0
                                                  : 1 / (1 + exact_exp(-score * LN_10 / 400));
    double win = has_draws ? expected * expected : expected;
    double loss = has_draws ? (1 - expected) * (1 - expected) : 1 - expected;
    permille[0] = (int)(1000 * win + 0.5);
    permille[2] = has_draws ? (int)(1000 * loss + 0.5) : 1000 - permille[0];
    permille[1] = 1000 - permille[0] - permille[2];
}
