/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_text.h - lines of output and scores in the words of the UCI protocol. */
#pragma once

#include "engine.h"

/* Prints one or more whole lines on standard output and flushes it; the last newline is added.
 * Lines of different threads do not mix. */
void uci_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* printf behind the first `used` bytes of a text of `size` bytes; returns the new length. What
 * does not fit is cut off. */
size_t uci_append(char *text, size_t size, size_t used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

enum { UCI_SCORE_TEXT = 32 };

/* "cp 35", "mate 3" (in moves, not plies), "mate -2" into UCI_SCORE_TEXT bytes. The view stays
 * that of `score`. */
void uci_score_text(int score, char *text);

/*
 * Chances of win, draw and loss in permille, summing to 1000, from a score.
 *
 * The expected score is 1 / (1 + 10^(-cp / 400)). A game without draws wins that often; one with
 * draws is treated as two independent halves of a point, which keeps the expectation: win p^2,
 * draw 2p(1-p), loss (1-p)^2. Mate scores are certain.
 */
void uci_wdl(int score, bool has_draws, int permille[3]);
