/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - the program campmate: the UCI engine, and what else it can be asked for. */
#include "commands.h"
#include "support/cpu.h"
#include "support/interrupt.h"
#include "support/standard_output.h"
#include "uci.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    CommandResult (*run)(int argc, char **argv, Error *err);
    const char *help;
} commands[] = {
    {"bench", command_bench, "search fixed positions: nodes of each variant, the signature"},
    {"perft", command_perft, "count the leaves of the tree of moves"},
    {"moves", command_moves, "for each line of input, a FEN: legal moves and result as JSON"},
    {"eval", command_eval, "static evaluation of a position by group of terms"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    puts("Usage: campmate [COMMAND [OPTION...]]\n"
         "The Campmate engine. Without a command it speaks UCI on standard input and output;\n"
         "the UCI option UCI_Variant chooses the game.\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-26s %s\n", commands[i].name, commands[i].help);
    puts("\n"
         "      --help                 print this help\n"
         "      --version              print commit, compiler, variants, origin of the weights\n\n"
         "campmate COMMAND --help tells more. Exit codes: 0 done, 1 failed, 2 usage.\n\n"
         "Example: campmate moves --variant shogun <<<startpos");
}

/* Output that could not be written is a failure, whatever came of the command. */
static int finish(int code, Error *err)
{
    if (standard_output_check(err) != STATUS_OK)
        code = COMMAND_FAILED;
    if (code != COMMAND_DONE)
        fprintf(stderr, "campmate: %s\n", err->message);
    return code;
}

int main(int argc, char **argv)
{
    Error err = {STATUS_OK, ""};
    if (cpu_check(&err) != STATUS_OK)
        return finish(COMMAND_FAILED, &err);
    standard_output_watch();
    failed_writes_are_errors();
    if (argc < 2)
        return finish(uci_run(&err) == STATUS_OK ? COMMAND_DONE : COMMAND_FAILED, &err);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return finish((int)commands[i].run(argc - 1, argv + 1, &err), &err);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return finish(COMMAND_DONE, &err);
    }
    if (strcmp(argv[1], "--version") == 0) {
        command_version();
        return finish(COMMAND_DONE, &err);
    }
    error_set(&err, STATUS_ARGUMENT, "unknown command \"%s\", try campmate --help", argv[1]);
    return finish(COMMAND_USAGE, &err);
}
