/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * journal.h - what a search has tried so far, in a file, so that it goes on after any kill.
 *
 * The file is JSON: `search_of`, lines that say which search it belongs to (settings, digests of
 * the data and of the starting weights, the program), and `tried`, the settings that are done with
 * their losses. It is written anew after each of them, under a temporary name that is renamed.
 * Of several processes (comm.h) the first one reads and writes; all make the same calls.
 */
#pragma once

#include "support/error.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct Journal {
    const char *path; /* borrowed; NULL = there is none, and nothing is remembered */
    json_t *root;
} Journal;

typedef struct Setting {
    double lambda, ridge;
    int skip_plies, quiet_margin;
    json_int_t positions;
    double train, validation; /* losses: with its own targets; of the results */
} Setting;

/* As an object of JSON; NULL when out of memory. */
json_t *setting_json(const Setting *setting);

/*
 * Reads the file, if there is one.
 *
 *   lines   what it has to belong to, one fact a line
 *
 * STATUS_FORMAT if it is no journal; STATUS_ARGUMENT, with the first line that differs, if it
 * belongs to another search.
 */
Status journal_open(Journal *journal, const char *path, const char *lines, Error *err);

/* Has a setting of this lambda and these filters been tried? The rest of it is filled in then. */
bool journal_find(const Journal *journal, Setting *setting);

/* Adds a setting and writes the file. */
Status journal_add(Journal *journal, const Setting *setting, Error *err);

void journal_close(Journal *journal);
