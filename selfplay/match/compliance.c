/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compliance.c - runs the checks of an engine in turn. */
#include "compliance_checks.h"

#include <stdlib.h>
#include <string.h>

bool compliance_check_at(size_t index, const char **name, const char **what)
{
    if (index >= compliance_check_count)
        return false;
    *name = compliance_checks[index].name;
    *what = compliance_checks[index].what;
    return true;
}

typedef struct Run {
    const ComplianceConfig *config;
    ComplianceCounts *counts;
    Introduction introduction;
    bool has_variants;
    Error *err;
} Run;

static void count_and_report(Run *run, const CheckResult *result)
{
    run->counts->ok += result->outcome == CHECK_OK;
    run->counts->failed += result->outcome == CHECK_FAILED;
    run->counts->skipped += result->outcome == CHECK_SKIPPED;
    if (run->config->report)
        run->config->report(run->config->context, result);
}

/* Is the name in the list? Without a list every name is. */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return !list;
}

static Status check_names(const char *list, Error *err)
{
    for (const char *at = list; at;) {
        size_t length = strcspn(at, ","), i = 0;
        while (i < compliance_check_count && (strlen(compliance_checks[i].name) != length ||
                                              strncmp(compliance_checks[i].name, at, length) != 0))
            i++;
        if (i == compliance_check_count)
            return error_set(err, STATUS_ARGUMENT,
                             "--checks: no check is named '%.*s'; --dry-run lists them",
                             (int)(length < 60 ? length : 60), at);
        at = at[length] ? at + length + 1 : NULL;
    }
    return STATUS_OK;
}

/* Runs one check in one game (rules NULL: none). */
static Status run_check(Run *run, const Check *check, const Engine *rules, const Examples *examples)
{
    CheckResult result = {.name = check->name,
                          .what = check->what,
                          .game = rules ? rules->name : NULL,
                          .outcome = CHECK_OK};
    Error error = {STATUS_OK, ""};
    Trial *trial = calloc(1, sizeof *trial);
    if (!trial)
        return error_set(run->err, STATUS_NO_MEMORY, "out of memory");
    Session *session = &trial->session;
    *session = (Session){.config = run->config, .result = &result, .rules = rules, .err = &error};
    trial->introduction = &run->introduction;
    trial->examples = examples;

    if (check->scope > SCOPE_RAW && !run->introduction.complete) {
        session_skip(session, "it does not come through uci");
    } else if (check->needs_rules && !rules) {
        session_skip(session, "we do not know the rules of a game that it offers");
    } else if (check->scope == SCOPE_WORDS) {
        check->run(trial);
    } else {
        if (session_start(session) &&
            (check->scope == SCOPE_RAW || session_shake_hands(session, run->has_variants)))
            check->run(trial);
        session_end(session);
    }
    free(trial);
    if (error.status != STATUS_OK) {
        *run->err = error;
        return error.status;
    }
    /* The one that is always run is not always asked for. */
    if (result.outcome == CHECK_FAILED || is_listed(run->config->checks, check->name))
        count_and_report(run, &result);
    return STATUS_OK;
}

/* Can the engine be given the options of its specification? */
static Status check_spec(Run *run)
{
    const EngineSpec *spec = run->config->spec;
    Status status = STATUS_OK;
    for (size_t i = 0; i < spec->option_count && run->introduction.complete; i++) {
        const char *name = spec->options[i].name;
        if (status == STATUS_OK)
            status = uci_option_check(introduction_option(&run->introduction, name), spec->name,
                                      name, spec->options[i].value, run->err);
    }
    return status;
}

/* The games to check: ours that it offers. */
static Status find_games(Run *run, const Engine **games, size_t *count)
{
    const EngineSpec *spec = run->config->spec;
    const UciOption *variants = introduction_option(&run->introduction, "UCI_Variant");
    const Engine *only = run->config->game;
    run->has_variants = variants != NULL;
    *count = 0;
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++)
        if (variants ? uci_option_has(variants, engine->name) && (!only || engine == only)
                     : engine == only)
            games[(*count)++] = engine;
    if (only && *count == 0 && run->introduction.complete)
        return error_set(run->err, STATUS_ARGUMENT, "engine %s does not play %s", spec->name,
                         only->name);
    if (*count == 0)
        games[(*count)++] = NULL;
    return STATUS_OK;
}

Status compliance_run(const ComplianceConfig *config, ComplianceCounts *counts, Error *err)
{
    *counts = (ComplianceCounts){0};
    Run run = {.config = config, .counts = counts, .err = err};
    const Check *const end = compliance_checks + compliance_check_count;
    size_t known = 0, count = 0;
    while (engine_at(known))
        known++;
    const Engine **games = calloc(known + 1, sizeof *games);
    Examples *examples = malloc(sizeof *examples);
    Status status = games && examples ? check_names(config->checks, err)
                                      : error_set(err, STATUS_NO_MEMORY, "out of memory");
    if (status != STATUS_OK)
        goto cleanup;
    for (const Check *check = compliance_checks; check < end && status == STATUS_OK; check++) {
        /* The others know the engine from what it says to this one. */
        const bool is_first = check->run == check_introduction;
        if (check->scope == SCOPE_GAME || !(is_first || is_listed(config->checks, check->name)))
            continue;
        status = run_check(&run, check, NULL, NULL);
        if (status == STATUS_OK && is_first)
            status = check_spec(&run);
        if (status == STATUS_OK && is_first)
            status = find_games(&run, games, &count);
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        bool searched = false;
        for (const Check *check = compliance_checks; check < end && status == STATUS_OK; check++) {
            if (check->scope != SCOPE_GAME || !is_listed(config->checks, check->name))
                continue;
            if (games[i] && !searched)
                status = examples_find(games[i], examples, err);
            searched = true;
            if (status == STATUS_OK)
                status = run_check(&run, check, games[i], games[i] ? examples : NULL);
        }
    }

cleanup:
    free(examples);
    free(games);
    introduction_free(&run.introduction);
    return status;
}
