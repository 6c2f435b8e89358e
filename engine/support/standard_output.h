/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * standard_output.h - printing that notices when nobody takes what is printed.
 *
 * stdio forgets why a write failed as soon as the next call succeeds, so a program that printed to
 * a full disk could only say that something went wrong. Once watched, standard output remembers the
 * first reason.
 */
#pragma once

#include "support/error.h"

/* Replaces the stream `stdout`. Call once, from main, before anything is printed. */
void standard_output_watch(void);

/*
 * Flushes. Has everything printed so far arrived? STATUS_IO with "cannot write standard output:
 * REASON" if not, each time: a program prints the message at its end, and only once.
 */
Status standard_output_check(Error *err);
