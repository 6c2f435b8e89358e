/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compliance.h - does an engine speak UCI as clients expect it? A list of checks with names, each
 * with a process of its own, so that what fails in one does not disturb the next.
 */
#pragma once

#include "engine.h"
#include "specification.h"

typedef enum CheckOutcome { CHECK_OK, CHECK_FAILED, CHECK_SKIPPED } CheckOutcome;

enum { TALK_LINES = 10, TALK_LINE_BYTES = 200 };

/* The last lines of one side of a talk with an engine. */
typedef struct Talk {
    char lines[TALK_LINES][TALK_LINE_BYTES];
    size_t count; /* of all lines; line i is at i % TALK_LINES */
} Talk;

typedef struct CheckResult {
    const char *name; /* "go-depth"                                          */
    const char *what; /* "a move after go depth"                             */
    const char *game; /* the game that it was checked in; NULL if it has none */
    CheckOutcome outcome;
    char note[240]; /* why it was skipped, or what is odd and yet allowed; "" if nothing */
    /* CHECK_FAILED: */
    Talk sent, came;
    char expected[240], found[400];
} CheckResult;

typedef struct ComplianceConfig {
    const EngineSpec *spec;
    const Engine *game;    /* only this one; NULL = each that the engine offers and we know */
    const char *checks;    /* names of those to run, separated by commas; NULL = all        */
    double patience;       /* seconds that the engine has for an answer                     */
    double margin_seconds; /* that a move may be late on the clock                          */
    void (*report)(void *context, const CheckResult *result); /* after each check            */
    void *context;
} ComplianceConfig;

typedef struct ComplianceCounts {
    size_t ok, failed, skipped;
} ComplianceCounts;

/* The names and meanings of all checks in order; false past the end. */
bool compliance_check_at(size_t index, const char **name, const char **what);

/* Runs the checks. STATUS_ARGUMENT for an unknown name in `checks`, an option of the specification
 * that the engine does not have, or whose range the value is not in; STATUS_IO if the engine cannot
 * be run at all or refuses an option, STATUS_INTERRUPTED after a signal (interrupt_install). */
Status compliance_run(const ComplianceConfig *config, ComplianceCounts *counts, Error *err);
