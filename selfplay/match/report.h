/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.h - the results of matches, tournaments and tests as text and JSON. */
#pragma once

#include "schedule.h"

#include <jansson.h>

/* Sets a key of an object to a value that is taken over. */
void json_put(json_t *object, const char *key, json_t *value);
/* A number, or null where there is none. */
json_t *json_number(double value);
json_t *json_count(uint64_t value);
/* A text; what of it is no UTF-8 becomes U+FFFD. */
json_t *json_text(const char *text);
/* Prints a value (taken over) on standard output; the exit code. */
int json_print(json_t *value);

/* "+34.86", or "n/a" where there is no such number. */
const char *number_text(double value, const char *format, char *text, size_t size);

/* The keys that a match and a computation from counts share. `sprt` may be NULL. */
json_t *statistics_json(const MatchTotals *totals, const Sample *sample, const SprtSpec *sprt,
                        double llr, Verdict verdict);
void statistics_print(const MatchTotals *totals, const Sample *sample, const SprtSpec *sprt,
                      double llr, Verdict verdict);

/* The end of a match or tournament. */
int summary_json(const MatchConfig *config, const MatchSummary *summary);
void summary_print(const MatchConfig *config, const MatchSummary *summary);
