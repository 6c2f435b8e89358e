/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.c - the options of campmate-tune, and what its tasks have in common. */
#include "command.h"

#include "support/interrupt.h"
#include "weights_file.h"

#include <stdlib.h>
#include <string.h>

#define OPTIONS_STRUCT TuneOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) TUNE_OPTIONS(OPTION_ROW)};

const OptionTable tune_table = {
    .program = "campmate-tune",
    .summary = "Fits the weights of a variant's evaluation to games and writes their header.",
    .usage = "[compare A.h B.h... | bench]",
    .details =
        "The loss is the mean cross-entropy, in nats, between the expected score of a position, "
        "1 / (1 + 10^(-K * centipawns / 400)), and what happened. Validation and test games are "
        "drawn by number and seed; fewer than 50 games are all used for training. "
        "The header is written only when the minimum was reached and proven.\n\n"
        "compare prints the loss of headers on the data. bench measures passes over the data.\n\n"
        "Exit codes: 0 done, 1 failed, 2 usage, 129, 130 or 143 interrupted (nothing is written "
        "then).\n\n"
        "Example: campmate-tune --data games --init zero --out new.h\n"
        "Which header predicts games best: campmate-tune --data games compare old.h new.h",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .variants = engine_names,
};

int complain(int code, const char *message)
{
    fprintf(stderr, "campmate-tune: %s\n", message);
    return code;
}

int fail(Status status, const Error *error)
{
    if (status == STATUS_INTERRUPTED)
        return complain(interrupt_exit_code() ? interrupt_exit_code() : EXIT_FAILED,
                        "interrupted, nothing written");
    return complain(EXIT_FAILED, error->message);
}

Status print_json(json_t *object, Error *err)
{
    Status status = STATUS_OK;
    if (!object)
        return error_set(err, STATUS_NO_MEMORY, "no memory for JSON");
    if (json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12)) || putchar('\n') == EOF)
        status = error_set(err, STATUS_IO, "cannot write the result");
    json_decref(object);
    return status;
}

char *command_text(const TuneOptions *options)
{
    static const char *const omit[] = {NOT_OF_THE_FIT, NULL};
    static const char *const paths[] = {"data", "text", "init"};
    TuneOptions defaults;
    if (options_parse(&tune_table, 1, (char *[]){(char[]){"campmate-tune"}, NULL}, &defaults, NULL,
                      NULL) != OPTIONS_RUN)
        return NULL;
    char *given = options_effective(&tune_table, options, omit);
    char *initial = options_effective(&tune_table, &defaults, omit);
    options_free(&tune_table, &defaults, NULL);
    char *text = NULL;
    size_t size = 0;
    FILE *out = given && initial ? open_memstream(&text, &size) : NULL;
    if (out)
        fputs("campmate-tune", out);
    for (char *line = given; out && line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        char *value = strstr(line, " = ");
        const char *same = initial;
        bool found = false;
        size_t length = strlen(line);
        while (!found && (same = strstr(same, line)) != NULL) {
            found = (same == initial || same[-1] == '\n') && same[length] == '\n';
            same += length;
        }
        if (!found && value) {
            *value = '\0';
            value += 3;
            for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
                if (!strcmp(line, paths[i])) {
                    size_t last = strlen(value);
                    while (last > 1 && value[last - 1] == '/')
                        value[--last] = '\0';
                    if (strrchr(value, '/') && last > 1)
                        value = strrchr(value, '/') + 1;
                }
            fprintf(out, !strcmp(value, "true") ? " --%s" : " --%s %s", line, value);
        }
        line = end ? end + 1 : NULL;
    }
    if (out && fclose(out)) {
        free(text);
        text = NULL;
    }
    free(given);
    free(initial);
    return text;
}

LoadOptions load_options(const TuneOptions *options, const Engine *engine, int threads)
{
    return (LoadOptions){.engine = engine,
                         .data = options->data.items,
                         .data_count = options->data.count,
                         .text = options->text,
                         .terms = options->terms,
                         .need_score = options->lambda < 1,
                         .check_all = options->check,
                         .skip_plies = (int)options->skip_plies,
                         .quiet_margin_cp = (int)options->quiet_margin,
                         .share = options->share,
                         .validation = options->validation,
                         .test = options->test,
                         .seed = (uint64_t)options->seed,
                         .max_positions = (uint64_t)options->max_positions,
                         .scratch = options->scratch,
                         .tie = options->tie,
                         .threads = threads};
}

Status initial_weights(const char *init, const Engine *engine, Weight **weights, Error *err)
{
    size_t count = (size_t)engine->weight_count;
    Weight *made = calloc(count, sizeof *made);
    if (!made)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu weights", count);
    Status status = STATUS_OK;
    if (!strcmp(init, "current"))
        memcpy(made, engine->default_weights, count * sizeof *made);
    else if (strcmp(init, "zero") != 0)
        status = weights_file_read(engine, init, made, err);
    if (status == STATUS_OK)
        *weights = made;
    else
        free(made);
    return status;
}
