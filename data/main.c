/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - campmate-data: looks at datasets, checks them, turns them into text and texts into them,
 * makes books. */
#include "command.h"
#include "support/cpu.h"
#include "support/interrupt.h"
#include "support/standard_output.h"
#include "support/version.h"

#include <string.h>

/* X(name, what it does) */
#define COMMANDS(X)                                                                                \
    X(stat, "games, results, lengths, scores, repeats, openings, size")                            \
    X(verify, "decode everything, replay every game, recompute every checksum")                    \
    X(show, "one game: moves, scores, a picture of the board")                                     \
    X(export, "games as JSON lines, PGN, FEN;result;score lines or plain records")                 \
    X(book, "make an opening book")                                                                \
    X(import, "make a dataset of PGN, EPD, FEN;result;score lines or plain records")               \
    X(merge, "bring shards together in one dataset and write its manifest")                        \
    X(filter, "the games that fulfil conditions, as a new dataset")                                \
    X(split, "deal games out to parts for training, validation and testing")                       \
    X(dedup, "leave out games that were there before")                                             \
    X(sample, "random positions")                                                                  \
    X(rescore, "new scores for all positions, by a search of each")                                \
    X(salvage, "the intact games of damaged shards")                                               \
    X(bench, "how fast a dataset is decoded")

typedef struct Command {
    const char *name, *summary;
    int (*run)(int argc, char **argv, Error *err);
} Command;

#define COMMAND_ROW(name, summary) {#name, summary, command_##name},
static const Command commands[] = {COMMANDS(COMMAND_ROW)};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_names(FILE *stream)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "%s%s", i ? ", " : "", commands[i].name);
}

static void print_help(void)
{
    puts("Usage: campmate-data COMMAND [OPTION...] PATH...\n"
         "Datasets of whole games: a PATH is a directory of shards or one .cmpd file.\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    puts("\n  --help     this text; 'campmate-data COMMAND --help' for a command's options\n"
         "  --version  which build this is\n\n"
         "Exit codes: 0 done, 1 failed (for verify: damage found), 2 usage, 129, 130 or 143 "
         "interrupted.\n\n"
         "Example: campmate-data stat games");
}

/* Says what went wrong with a command (NULL: with none of them). What could not be printed is a
 * failure, unless there is a worse one; a command that noticed it by itself says the same words. */
static int finish(int code, const char *command, const Error *err)
{
    Error output = {0};
    bool printed = standard_output_check(&output) == STATUS_OK;
    if (code != EXIT_DONE && err->message[0] && strcmp(err->message, output.message) != 0)
        fprintf(stderr, "campmate-data %s: %s\n", command, err->message);
    if (printed)
        return code;
    fprintf(stderr, "campmate-data%s%s: %s\n", command ? " " : "", command ? command : "",
            output.message);
    return code == EXIT_DONE ? EXIT_FAILED : code;
}

int main(int argc, char **argv)
{
    Error err = {0};
    if (cpu_check(&err) != STATUS_OK) {
        fprintf(stderr, "campmate-data: %s\n", err.message);
        return EXIT_FAILED;
    }
    standard_output_watch();
    interrupt_install();
    const char *name = argc > 1 ? argv[1] : NULL;
    if (name && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)) {
        print_help();
        return finish(EXIT_DONE, NULL, &err);
    }
    if (name && (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)) {
        printf("campmate-data %s\ncommit    %s\ncompiler  %s\nlevel     %s\nvariants  %s\n",
               version_number(), version_commit(), version_compiler(), version_level(),
               engine_names());
        return finish(EXIT_DONE, NULL, &err);
    }
    for (size_t i = 0; name && i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) != 0)
            continue;
        int code = commands[i].run(argc - 1, argv + 1, &err);
        return finish(code, name, &err);
    }
    if (name)
        fprintf(stderr, "campmate-data: unknown command '%s'; there are: ", name);
    else
        fputs("campmate-data: which command? There are: ", stderr);
    print_names(stderr);
    fputs(" (see --help)\n", stderr);
    return EXIT_USAGE;
}
