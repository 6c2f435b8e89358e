/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output_directory.h - a directory that is whole or not there: it is filled under another name
 * beside the one that is wanted, DIR.tmp.<pid>, which is renamed when everything is done.
 */
#pragma once

#include "support/error.h"

typedef struct OutputDirectory {
    const char *wanted; /* not owned */
    char *temporary;    /* NULL when there is none */
} OutputDirectory;

/* STATUS_ARGUMENT if `wanted` is there and no empty directory, or has no name. */
Status output_directory_check(const char *wanted, Error *err);

/* Makes the temporary one, and removes those of `wanted` whose processes are gone. STATUS_ARGUMENT
 * as output_directory_check: `wanted` is not touched then. */
Status output_directory_open(OutputDirectory *output, const char *wanted, Error *err);

/* Gives it the name that is wanted. Spent if that succeeds. */
Status output_directory_commit(OutputDirectory *output, Error *err);

/* Removes it with its files and those of its subdirectories. Safe on a zeroed or spent one. */
void output_directory_abandon(OutputDirectory *output);
