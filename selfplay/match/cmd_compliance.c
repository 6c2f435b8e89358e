/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_compliance.c - campmate-match --compliance: prints what the checks of compliance.h say. */
#include "command.h"
#include "compliance.h"
#include "report.h"

#include "support/interrupt.h"

#include <stdio.h>
#include <strings.h>
#include <unistd.h>

static const char *const outcomes[] = {
    [CHECK_OK] = "ok", [CHECK_FAILED] = "FAILED", [CHECK_SKIPPED] = "skipped"};

/* The lines that are left of a talk, from `first` on in order. */
static size_t first_line(const Talk *talk)
{
    return talk->count > TALK_LINES ? talk->count - TALK_LINES : 0;
}

static void print_talk(const char *title, const Talk *talk, const char *nothing)
{
    const size_t first = first_line(talk);
    printf("         %-9s ", title);
    if (talk->count == 0)
        fputs(nothing, stdout);
    for (size_t i = first; i < talk->count; i++)
        printf("%s\"%s\"", i == first ? first ? "... " : "" : ", ", talk->lines[i % TALK_LINES]);
    putchar('\n');
}

/* Prints a check as soon as it is done. */
static void print_result(void *context, const CheckResult *result)
{
    (void)context;
    printf("%-8s %-15s %-12s %s%s%s%s\n", outcomes[result->outcome], result->name,
           result->game ? result->game : "", result->what, result->note[0] ? " (" : "",
           result->note, result->note[0] ? ")" : "");
    if (result->outcome == CHECK_FAILED) {
        print_talk("sent", &result->sent, "nothing");
        printf("         %-9s %s\n", "expected", result->expected);
        print_talk("came", &result->came, "nothing");
        if (result->found[0])
            printf("         %-9s %s\n", "found", result->found);
    }
    fflush(stdout);
}

static json_t *talk_json(const Talk *talk)
{
    json_t *lines = json_array();
    for (size_t i = first_line(talk); i < talk->count; i++) {
        /* An engine may say what is no text. */
        json_array_append_new(lines, json_text(talk->lines[i % TALK_LINES]));
    }
    return lines;
}

static void put_text(json_t *object, const char *key, const char *text)
{
    json_put(object, key, text && *text ? json_text(text) : json_null());
}

/* Adds a check to an array of them. */
static void collect_result(void *context, const CheckResult *result)
{
    json_t *object = json_object();
    put_text(object, "check", result->name);
    put_text(object, "game", result->game);
    put_text(object, "what", result->what);
    put_text(object, "outcome",
             result->outcome == CHECK_FAILED ? "failed" : outcomes[result->outcome]);
    put_text(object, "note", result->note);
    if (result->outcome == CHECK_FAILED) {
        json_put(object, "sent", talk_json(&result->sent));
        put_text(object, "expected", result->expected);
        json_put(object, "came", talk_json(&result->came));
        put_text(object, "found", result->found);
    }
    json_array_append_new(context, object);
}

static int list_checks(bool json)
{
    const char *name, *what;
    json_t *list = json ? json_array() : NULL;
    for (size_t i = 0; compliance_check_at(i, &name, &what); i++) {
        if (json)
            json_array_append_new(list, json_pack("{s:s, s:s}", "check", name, "what", what));
        else
            printf("%-15s %s\n", name, what);
    }
    return json ? json_print(list) : EXIT_DONE;
}

/* A check sets its own limits and starts its own process, in each game that is to be checked. */
static Status check_request(const ComplianceRequest *request, const EngineSpec *spec, Error *err)
{
    const char *key = move_limits_any(&spec->limits)   ? "nodes, depth, movetime or tc"
                      : spec->ponder != SWITCH_UNSET   ? "ponder"
                      : spec->restart != RESTART_UNSET ? "restart"
                                                       : NULL;
    if (key)
        return error_set(err, STATUS_ARGUMENT, "--compliance '%s': %s means nothing here",
                         request->command, key);
    for (size_t i = 0; i < spec->option_count; i++)
        if (strcasecmp(spec->options[i].name, "UCI_Variant") == 0)
            return error_set(err, STATUS_ARGUMENT,
                             "--compliance '%s': the checks set %s, --variant says to what",
                             request->command, spec->options[i].name);
    return STATUS_OK;
}

int run_compliance(const ComplianceRequest *request)
{
    static const char program[] = "campmate-match";
    Error error = {STATUS_OK, ""};
    EngineSpec spec = {0};
    ComplianceCounts counts = {0};
    json_t *results = NULL;
    int code = EXIT_DONE;
    const Engine *game = request->variant ? engine_find(request->variant) : NULL;
    Status status = STATUS_OK;
    if (request->variant && !game)
        status = error_set(&error, STATUS_ARGUMENT, "--variant '%s': expected %s", request->variant,
                           engine_names());
    if (status == STATUS_OK)
        status = engine_spec_from_command(request->command, &spec, &error);
    if (status == STATUS_OK)
        status = check_request(request, &spec, &error);
    if (status != STATUS_OK) {
        code = command_failed(program, &error);
        goto cleanup;
    }
    if (request->dry_run) {
        code = list_checks(request->json);
        goto cleanup;
    }
    interrupt_install();
    if (request->json)
        results = json_array();
    ComplianceConfig config = {.spec = &spec,
                               .game = game,
                               .checks = request->checks,
                               .patience = request->patience,
                               .margin_seconds = request->margin_seconds,
                               .report = request->json ? collect_result : print_result,
                               .context = results};
    status = compliance_run(&config, &counts, &error);
    if (status == STATUS_INTERRUPTED && interrupt_exit_code()) {
        fprintf(stderr, "%s: %s\n", program, error.message);
        code = interrupt_exit_code();
    } else if (status != STATUS_OK) {
        code = command_failed(program, &error);
    } else if (counts.failed) {
        code = EXIT_FAILED;
    }
    if (status != STATUS_OK && status != STATUS_INTERRUPTED)
        goto cleanup;
    if (request->json) {
        json_t *object = json_object();
        put_text(object, "engine", spec.name);
        json_put(object, "ok", json_count(counts.ok));
        json_put(object, "failed", json_count(counts.failed));
        json_put(object, "skipped", json_count(counts.skipped));
        json_put(object, "checks", results);
        results = NULL;
        int printed = json_print(object);
        code = code == EXIT_DONE ? printed : code;
    } else {
        printf("%zu checks: %zu ok, %zu failed, %zu skipped\n",
               counts.ok + counts.failed + counts.skipped, counts.ok, counts.failed,
               counts.skipped);
    }

cleanup:
    json_decref(results);
    engine_spec_free(&spec);
    return code;
}
