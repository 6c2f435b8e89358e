/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - campmate-match: matches, tournaments and sequential tests between UCI engines. */
#include "command.h"
#include "report.h"

#include "support/cpu.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/options.h"
#include "support/standard_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without one of these names it is a match. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"sprt", command_sprt}, {"plan", command_plan},   {"rating", command_rating},
    {"spsa", command_spsa}, {"bench", command_bench},
};

int command_failed(const char *program, const Error *error)
{
    fprintf(stderr, "%s: %s\n", program, error->message);
    return options_exit_code(OPTIONS_WRONG, error);
}

json_t *configuration_json(char *lines)
{
    json_t *object = json_object();
    for (char *line; (line = strsep(&lines, "\n"));) {
        char *value = strstr(line, " = ");
        if (!value)
            continue;
        *value = '\0';
        json_t *here = json_string(value + 3), *before = json_object_get(object, line);
        if (json_is_array(before))
            json_array_append_new(before, here);
        else
            json_put(object, line, before ? json_pack("[O, o]", before, here) : here);
    }
    return object;
}

int command_dry_run(const OptionTable *table, const void *options, bool json)
{
    char *effective = options_effective(table, options, NULL);
    if (!effective) {
        fprintf(stderr, "%s: out of memory\n", table->program);
        return EXIT_FAILED;
    }
    int code = EXIT_DONE;
    if (json)
        code = json_print(json_pack("{s:o}", "configuration", configuration_json(effective)));
    else
        fputs(effective, stdout);
    free(effective);
    return code;
}

int command_main(const OptionTable *table, int argc, char **argv, void *options, OptionList *words,
                 int (*run)(const void *options, const OptionList *words))
{
    Error error = {STATUS_OK, ""};
    int code = EXIT_DONE;
    switch (options_parse(table, argc, argv, options, words, &error)) {
    case OPTIONS_DONE:
        break;
    case OPTIONS_WRONG:
        code = command_failed(table->program, &error);
        break;
    case OPTIONS_RUN:
        code = run(options, words);
        break;
    }
    options_free(table, options, words);
    return code;
}

/* What could not be printed is a failure, unless there is a worse one. */
static int finish(int code)
{
    Error error = {STATUS_OK, ""};
    if (standard_output_check(&error) == STATUS_OK)
        return code;
    fprintf(stderr, "campmate-match: %s\n", error.message);
    return code == EXIT_DONE ? EXIT_FAILED : code;
}

int main(int argc, char **argv)
{
    Error error = {STATUS_OK, ""};
    if (cpu_check(&error) != STATUS_OK) {
        fprintf(stderr, "campmate-match: %s\n", error.message);
        return EXIT_FAILED;
    }
    standard_output_watch();
    failed_writes_are_errors();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (argc > 1 && strcmp(argv[1], commands[i].name) == 0)
            return finish(commands[i].run(argc - 1, argv + 1));
    return finish(command_match(argc, argv));
}
