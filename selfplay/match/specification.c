/* SPDX-License-Identifier: GPL-3.0-or-later */
/* specification.c - reads what the user writes about engines, limits and tests. */
#include "specification.h"
#include "spec_reader.h"

#include "support/files.h"
#include "support/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Decimal digits only: strtoull would take "-1" for a huge number. */
static bool parse_count(const char *text, uint64_t most, uint64_t *value)
{
    uint64_t number = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (number > (most - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

/* --- limits ---------------------------------------------------------------------------------- */

bool move_limits_any(const MoveLimits *limits)
{
    return limits->nodes || limits->depth || limits->movetime_ms || limits->has_clock;
}

/* Seconds without superfluous zeros: "0.01", "60". */
static void seconds_text(int64_t ms, char *text, size_t size)
{
    snprintf(text, size, "%.10g", (double)ms / 1000.0);
}

void move_limits_text(const MoveLimits *limits, char *text, size_t size)
{
    char base[32], more[32], clock[96] = "", nodes[40] = "", depth[24] = "", movetime[40] = "";
    if (limits->has_clock) {
        char moves[16] = "";
        if (limits->moves_per_period)
            snprintf(moves, sizeof moves, "%d/", limits->moves_per_period);
        seconds_text(limits->base_ms, base, sizeof base);
        seconds_text(limits->byoyomi_ms ? limits->byoyomi_ms : limits->increment_ms, more,
                     sizeof more);
        snprintf(clock, sizeof clock, " %s%s+%s%s", moves, base, more,
                 limits->byoyomi_ms ? "b" : "");
    }
    if (limits->movetime_ms) {
        seconds_text(limits->movetime_ms, base, sizeof base);
        snprintf(movetime, sizeof movetime, " %s/move", base);
    }
    if (limits->nodes)
        snprintf(nodes, sizeof nodes, " nodes=%" PRIu64, limits->nodes);
    if (limits->depth)
        snprintf(depth, sizeof depth, " depth=%d", limits->depth);
    char all[224];
    int length = snprintf(all, sizeof all, "%s%s%s%s", clock, movetime, nodes, depth);
    snprintf(text, size, "%s", length > 0 ? all + 1 : "-");
}

/* Reads seconds up to one of `stops`; 1 ms steps, at most ten days. */
static bool parse_seconds(const char **at, const char *stops, int64_t *ms)
{
    char token[32];
    size_t length = strcspn(*at, stops);
    if (length == 0 || length >= sizeof token)
        return false;
    memcpy(token, *at, length);
    token[length] = '\0';
    double seconds;
    if (!decimal_parse(token, &seconds) || seconds < 0.0 || seconds > 864000.0)
        return false;
    *ms = (int64_t)(seconds * 1000.0 + 0.5);
    *at += length;
    return true;
}

Status time_control_parse(const char *text, MoveLimits *limits, Error *err)
{
    static const char expected[] = "expected [moves/]seconds+increment or seconds+byo-yomi'b', "
                                   "such as 1+0.01, 40/60+0, 60+10b";
    MoveLimits clock = *limits;
    clock.has_clock = true;
    clock.moves_per_period = 0;
    clock.increment_ms = clock.byoyomi_ms = 0;

    const char *at = text, *slash = strchr(text, '/');
    if (slash) {
        char token[16];
        size_t length = (size_t)(slash - text);
        uint64_t moves;
        if (length >= sizeof token)
            return error_set(err, STATUS_ARGUMENT, "time control '%s': %s", text, expected);
        memcpy(token, text, length);
        token[length] = '\0';
        if (!parse_count(token, 10000, &moves) || moves == 0)
            return error_set(err, STATUS_ARGUMENT, "time control '%s': '%s' moves: %s", text, token,
                             expected);
        clock.moves_per_period = (int)moves;
        at = slash + 1;
    }
    if (!parse_seconds(&at, "+", &clock.base_ms))
        return error_set(err, STATUS_ARGUMENT, "time control '%s': base at column %zu: %s", text,
                         (size_t)(at - text) + 1, expected);
    if (*at == '+') {
        int64_t more;
        at++;
        if (!parse_seconds(&at, "b", &more))
            return error_set(err, STATUS_ARGUMENT, "time control '%s': column %zu: %s", text,
                             (size_t)(at - text) + 1, expected);
        if (*at == 'b') {
            clock.byoyomi_ms = more;
            at++;
        } else {
            clock.increment_ms = more;
        }
    }
    if (*at)
        return error_set(err, STATUS_ARGUMENT, "time control '%s': column %zu: %s", text,
                         (size_t)(at - text) + 1, expected);
    if (clock.base_ms == 0 && clock.increment_ms == 0 && clock.byoyomi_ms == 0)
        return error_set(err, STATUS_ARGUMENT, "time control '%s': no time at all: %s", text,
                         expected);
    if (clock.byoyomi_ms && clock.moves_per_period)
        return error_set(err, STATUS_ARGUMENT,
                         "time control '%s': moves a period and byo-yomi exclude each other", text);
    *limits = clock;
    return STATUS_OK;
}

#define RESTART_TEXT(id, text) [id] = text,
static const char *const restart_texts[] = {RESTARTS(RESTART_TEXT)};
#undef RESTART_TEXT

bool restart_from_text(const char *text, Restart *restart)
{
    for (int i = RESTART_UNSET + 1; i < RESTART_COUNT; i++) {
        if (strcmp(text, restart_texts[i]) == 0) {
            *restart = (Restart)i;
            return true;
        }
    }
    return false;
}

/* --- engines --------------------------------------------------------------------------------- */

const MoveLimits *engine_limits(const EngineSpec *spec, const MoveLimits *common)
{
    return move_limits_any(&spec->limits) ? &spec->limits : common;
}

void engine_spec_free(EngineSpec *spec)
{
    free(spec->name);
    free(spec->command);
    free(spec->directory);
    free(spec->log);
    if (spec->arguments) {
        for (size_t i = 0; spec->arguments[i]; i++)
            free(spec->arguments[i]);
        free(spec->arguments);
    }
    for (size_t i = 0; i < spec->option_count; i++) {
        free(spec->options[i].name);
        free(spec->options[i].value);
    }
    free(spec->options);
    *spec = (EngineSpec){0};
}

/* Splits at blanks, where '...' and "..." keep them, behind the `command`, if that is not NULL. */
static Status split_arguments(const char *what, const char *command, const char *text,
                              EngineSpec *spec, Error *err)
{
    /* A word needs at least one character and one blank, apart from the last. */
    size_t room = strlen(text) / 2 + 3, count = 0;
    char *word = malloc(strlen(text) + 1);
    spec->arguments = calloc(room, sizeof *spec->arguments);
    Status status = STATUS_OK;
    if (!word || !spec->arguments || (command && !(spec->arguments[count++] = strdup(command)))) {
        status = error_set(err, STATUS_NO_MEMORY, "%s: out of memory", what);
        goto cleanup;
    }
    for (const char *at = text; *(at += strspn(at, " \t"));) {
        char *out = word;
        while (*at && *at != ' ' && *at != '\t') {
            if (*at != '"' && *at != '\'') {
                *out++ = *at++;
                continue;
            }
            const char *close = strchr(at + 1, *at);
            if (!close) {
                status = error_set(err, STATUS_ARGUMENT, "%s: the quote in '%s' is not closed",
                                   what, text);
                goto cleanup;
            }
            memcpy(out, at + 1, (size_t)(close - at) - 1);
            out += close - at - 1;
            at = close + 1;
        }
        *out = '\0';
        if (!(spec->arguments[count++] = strdup(word))) {
            status = error_set(err, STATUS_NO_MEMORY, "%s: out of memory", what);
            goto cleanup;
        }
    }

cleanup:
    free(word);
    return status;
}

static Status add_option(const SpecReader *reader, EngineSpec *spec, Error *err)
{
    const char *name = reader->key + strlen("option.");
    if (!*name)
        return error_set(err, STATUS_ARGUMENT, "%s: column %zu: option. needs a name", reader->what,
                         reader->column);
    if (strpbrk(name, "\r\n") || strpbrk(reader->value, "\r\n"))
        return error_set(err, STATUS_ARGUMENT, "%s: column %zu: a line break in an option",
                         reader->what, reader->column);
    if (strlen(name) + strlen(reader->value) > ENGINE_OPTION_BYTES)
        return error_set(err, STATUS_ARGUMENT,
                         "%s: column %zu: option '%.40s': %zu bytes of name and value, at most %d",
                         reader->what, reader->column, name, strlen(name) + strlen(reader->value),
                         ENGINE_OPTION_BYTES);
    for (size_t i = 0; i < spec->option_count; i++) /* to an engine Hash and hash are one */
        if (strcasecmp(spec->options[i].name, name) == 0)
            return error_set(err, STATUS_ARGUMENT, "%s: column %zu: option '%s' is given twice",
                             reader->what, reader->column, name);
    EngineOption *grown = realloc(spec->options, (spec->option_count + 1) * sizeof *spec->options);
    if (!grown)
        return error_set(err, STATUS_NO_MEMORY, "%s: out of memory", reader->what);
    spec->options = grown;
    EngineOption option = {.name = strdup(name), .value = strdup(reader->value)};
    if (!option.name || !option.value) {
        free(option.name);
        free(option.value);
        return error_set(err, STATUS_NO_MEMORY, "%s: out of memory", reader->what);
    }
    spec->options[spec->option_count++] = option;
    return STATUS_OK;
}

static bool has_control(const char *text)
{
    while (*text && !iscntrl((unsigned char)*text))
        text++;
    return *text != '\0';
}

/* Takes one key of an engine's specification. */
static Status engine_spec_key(const SpecReader *reader, EngineSpec *spec, char **args, Error *err)
{
    const struct {
        const char *key;
        char **field;
    } texts[] = {{"name", &spec->name},
                 {"cmd", &spec->command},
                 {"dir", &spec->directory},
                 {"log", &spec->log},
                 {"args", args}};
    const char *key = reader->key, *value = reader->value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) != 0)
            continue;
        if (!*value && texts[i].field != args)
            return spec_bad_value(reader, "something", err);
        /* A name stands in lines of its own: PGN tags, the state, tables. */
        if (texts[i].field == &spec->name && has_control(value))
            return error_set(err, STATUS_ARGUMENT, "%s: column %zu: a tab or line break in a name",
                             reader->what, reader->column);
        *texts[i].field = strdup(value);
        return *texts[i].field
                   ? STATUS_OK
                   : error_set(err, STATUS_NO_MEMORY, "%s: out of memory", reader->what);
    }
    if (strncmp(key, "option.", strlen("option.")) == 0)
        return add_option(reader, spec, err);

    if (strcmp(key, "ponder") == 0) {
        if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
            return spec_bad_value(reader, "on or off", err);
        spec->ponder = strcmp(value, "on") == 0 ? SWITCH_ON : SWITCH_OFF;
        return STATUS_OK;
    }
    if (strcmp(key, "restart") == 0)
        return restart_from_text(value, &spec->restart)
                   ? STATUS_OK
                   : spec_bad_value(reader, "on, off or auto", err);
    uint64_t number;
    if (strcmp(key, "nodes") == 0) {
        if (!parse_count(value, INT64_MAX, &spec->limits.nodes) || spec->limits.nodes == 0)
            return spec_bad_value(reader, "a number of nodes", err);
        return STATUS_OK;
    }
    if (strcmp(key, "depth") == 0) {
        if (!parse_count(value, 1000, &number) || number == 0)
            return spec_bad_value(reader, "a depth in plies, 1 to 1000", err);
        spec->limits.depth = (int)number;
        return STATUS_OK;
    }
    if (strcmp(key, "movetime") == 0) {
        if (!parse_count(value, 864000000, &number) || number == 0)
            return spec_bad_value(reader, "milliseconds", err);
        spec->limits.movetime_ms = (int64_t)number;
        return STATUS_OK;
    }
    if (strcmp(key, "tc") == 0) {
        Error inner;
        Status status = time_control_parse(value, &spec->limits, &inner);
        return status == STATUS_OK ? status
                                   : error_set(err, status, "%s: column %zu: %s", reader->what,
                                               reader->column, inner.message);
    }
    return error_set(err, STATUS_ARGUMENT,
                     "%s: column %zu: unknown key '%s' (expected name, cmd, args, dir, log, nodes, "
                     "depth, movetime, tc, ponder, restart or option.NAME)",
                     reader->what, reader->column, key);
}

/* Gives the engine a name, if it has none, and its command a path that survives the change into the
 * engine's directory. */
static Status complete_spec(const char *what, EngineSpec *spec, Error *err)
{
    if (!spec->name) {
        const char *slash = strrchr(spec->command, '/');
        spec->name = strdup(slash ? slash + 1 : spec->command);
        if (!spec->name)
            return error_set(err, STATUS_NO_MEMORY, "%s: out of memory", what);
    }
    if (!strchr(spec->command, '/')) /* looked for in $PATH */
        return STATUS_OK;
    if (access(spec->command, X_OK) != 0)
        return error_set(err, STATUS_ARGUMENT, "%s: cmd='%s': %s", what, spec->command,
                         strerror(errno));
    if (spec->command[0] == '/')
        return STATUS_OK;
    /* Links stay: a program may look at its name. */
    char *here = getcwd(NULL, 0), *whole = here ? text_format("%s/%s", here, spec->command) : NULL;
    free(here);
    if (!whole)
        return error_set_errno(err, "%s: cmd='%s'", what, spec->command);
    free(spec->command);
    spec->command = whole;
    return STATUS_OK;
}

Status engine_spec_from_command(const char *text, EngineSpec *spec, Error *err)
{
    if (strncmp(text, "name=", strlen("name=")) == 0 || strncmp(text, "cmd=", strlen("cmd=")) == 0)
        return engine_spec_parse(text, spec, err);
    *spec = (EngineSpec){0};
    Status status = split_arguments("the command", NULL, text, spec, err);
    if (status == STATUS_OK && (!spec->arguments[0] || !*spec->arguments[0]))
        status = error_set(err, STATUS_ARGUMENT, "the command '%s': expected a program", text);
    if (status == STATUS_OK && !(spec->command = strdup(spec->arguments[0])))
        status = error_set(err, STATUS_NO_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = complete_spec("the command", spec, err);
    if (status != STATUS_OK)
        engine_spec_free(spec);
    return status;
}

Status engine_spec_parse(const char *text, EngineSpec *spec, Error *err)
{
    *spec = (EngineSpec){0};
    SpecReader reader;
    char *args = NULL;
    bool end;
    Status status = spec_reader_open(&reader, "--engine", text, err);
    while (status == STATUS_OK && (status = spec_reader_next(&reader, &end, err)) == STATUS_OK &&
           !end)
        status = engine_spec_key(&reader, spec, &args, err);
    if (status != STATUS_OK)
        goto cleanup;
    if (!spec->command) {
        status = error_set(err, STATUS_ARGUMENT, "--engine '%s': no cmd=", text);
        goto cleanup;
    }
    status = split_arguments("--engine: args", spec->command, args ? args : "", spec, err);
    if (status == STATUS_OK)
        status = complete_spec("--engine", spec, err);

cleanup:
    free(args);
    spec_reader_close(&reader);
    if (status != STATUS_OK)
        engine_spec_free(spec);
    return status;
}

char *engine_spec_text(const EngineSpec *spec)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    char limits[160];
    move_limits_text(&spec->limits, limits, sizeof limits);
    fprintf(stream, "name=%s|cmd=%s|dir=%s|limits=%s", spec->name, spec->command,
            spec->directory ? spec->directory : "", limits);
    if (spec->ponder == SWITCH_ON)
        fprintf(stream, "|ponder");
    for (size_t i = 1; spec->arguments[i]; i++)
        fprintf(stream, "|arg=%s", spec->arguments[i]);
    for (size_t i = 0; i < spec->option_count; i++)
        fprintf(stream, "|option.%s=%s", spec->options[i].name, spec->options[i].value);
    bool failed = ferror(stream);
    if (fclose(stream) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* --- tests and adjudication ------------------------------------------------------------------ */

Status sprt_spec_parse(const char *text, SprtSpec *spec, Error *err)
{
    SprtSpec sprt = {.elo0 = NAN, .elo1 = NAN, .alpha = 0.05, .beta = 0.05, .model = ELO_LOGISTIC};
    const struct {
        const char *key;
        double *field;
        double least, most;
        const char *expected;
    } keys[] = {
        {"elo0", &sprt.elo0, -2000.0, 2000.0, "an Elo difference"},
        {"elo1", &sprt.elo1, -2000.0, 2000.0, "an Elo difference"},
        {"alpha", &sprt.alpha, 1e-9, 0.499999, "a chance above 0 and below 0.5"},
        {"beta", &sprt.beta, 1e-9, 0.499999, "a chance above 0 and below 0.5"},
    };
    SpecReader reader;
    bool end;
    Status status = spec_reader_open(&reader, "--sprt", text, err);
    while (status == STATUS_OK && (status = spec_reader_next(&reader, &end, err)) == STATUS_OK &&
           !end) {
        if (strcmp(reader.key, "model") == 0) {
            if (!elo_model_from_text(reader.value, &sprt.model))
                status = spec_bad_value(&reader, "logistic or normalized", err);
            continue;
        }
        size_t i = 0, count = sizeof keys / sizeof *keys;
        while (i < count && strcmp(reader.key, keys[i].key) != 0)
            i++;
        if (i == count)
            status = error_set(err, STATUS_ARGUMENT,
                               "--sprt: column %zu: unknown key '%s' (expected elo0, elo1, alpha, "
                               "beta or model)",
                               reader.column, reader.key);
        else if (!decimal_parse(reader.value, keys[i].field) || *keys[i].field < keys[i].least ||
                 *keys[i].field > keys[i].most)
            status = spec_bad_value(&reader, keys[i].expected, err);
    }
    if (status == STATUS_OK && (isnan(sprt.elo0) || isnan(sprt.elo1)))
        status = error_set(err, STATUS_ARGUMENT, "--sprt '%s': elo0 and elo1 are needed", text);
    if (status == STATUS_OK && !(sprt.elo0 < sprt.elo1))
        status =
            error_set(err, STATUS_ARGUMENT, "--sprt '%s': elo0 must be below elo1, found %g and %g",
                      text, sprt.elo0, sprt.elo1);
    if (status == STATUS_OK)
        *spec = sprt;
    spec_reader_close(&reader);
    return status;
}

Status counts_parse(const char *what, const char *text, uint64_t *counts, int count, Error *err)
{
    const char *at = text;
    for (int i = 0; i < count; i++) {
        char token[32];
        size_t length = strcspn(at, ",");
        bool fits = length < sizeof token;
        memcpy(token, at, fits ? length : 0);
        token[fits ? length : 0] = '\0';
        /* 2^53: what a double counts exactly */
        if (!parse_count(token, UINT64_C(1) << 53, &counts[i]))
            return error_set(err, STATUS_ARGUMENT,
                             "%s '%s': column %zu: expected a whole number (%d in all)", what, text,
                             (size_t)(at - text) + 1, count);
        at += length;
        bool last = i + 1 == count;
        if (last ? *at != '\0' : *at != ',')
            return error_set(err, STATUS_ARGUMENT,
                             "%s '%s': column %zu: expected %d numbers separated by commas", what,
                             text, (size_t)(at - text) + 1, count);
        at++;
    }
    return STATUS_OK;
}

Status score_rule_parse(const char *what, const char *text, bool with_after, ScoreRule *rule,
                        Error *err)
{
    uint64_t numbers[3] = {0};
    int commas = 0;
    for (const char *at = text; *at; at++)
        commas += *at == ',';
    Status status = counts_parse(what, text, numbers, with_after && commas == 2 ? 3 : 2, err);
    if (status != STATUS_OK)
        return status;
    if (numbers[0] > 31000 || numbers[1] == 0 || numbers[1] > 10000 || numbers[2] > 100000)
        return error_set(err, STATUS_ARGUMENT,
                         "%s '%s': expected centipawns (0 to 31000), then plies (1 to 10000)", what,
                         text);
    *rule = (ScoreRule){(int)numbers[0], (int)numbers[1], (int)numbers[2]};
    return STATUS_OK;
}
