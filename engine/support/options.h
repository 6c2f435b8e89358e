/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.h - one table makes the struct, the parser, the range check, the configuration keys
 * and the help of a program. Built on argp and inih.
 *
 *     #define TOOL_OPTIONS(X) \
 *         X(int,  nodes,  "5000", 1, 10000000, "N",    "search limit of each move, in nodes") \
 *         X(text, out,    NULL,   0, 0,        "DIR",  "directory of the dataset; required")  \
 *         X(flag, resume, NULL,   0, 0,        NULL,   "go on with what is in --out")         \
 *         X(list, engine, NULL,   0, 0,        "SPEC", "an engine; give it more than once")
 *     typedef struct ToolOptions { COMMON_OPTIONS(OPTION_MEMBER) TOOL_OPTIONS(OPTION_MEMBER) } ToolOptions;
 *     #define OPTIONS_STRUCT ToolOptions
 *     static const Option rows[] = { COMMON_OPTIONS(OPTION_ROW) TOOL_OPTIONS(OPTION_ROW) };
 *
 * X(kind, name, default, min, max, metavar, help). The default is text, read by the same parser
 * as the command line; NULL = none (0, false, NULL, empty list). An underscore in a name is a
 * dash on the command line and in a configuration file (`opening_plies` is `--opening-plies`).
 * Numbers are parsed in the C locale and must be whole tokens in [min, max] (0, 0: any number). A
 * text is never empty.
 * A flag is `--name` or `--name=true|false`. Abbreviated names are refused.
 *
 * Order of authority: default, then --config FILE (ini: `key = value`, a comment on a line of its
 * own, sections ignored; lists by repeating the key), then the command line. Items of a list on
 * the command line replace those of the file.
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct OptionList {
    const char **items;
    size_t count;
} OptionList;

typedef int64_t option_int;
typedef double option_real;
typedef const char *option_text;
typedef bool option_flag;
typedef OptionList option_list;

typedef enum OptionKind { OPTION_int, OPTION_real, OPTION_text, OPTION_flag, OPTION_list } OptionKind;

typedef struct Option {
    const char *name;
    OptionKind kind;
    size_t offset;
    const char *initial;
    double min, max;
    const char *metavar;
    const char *help;
} Option;

#define OPTION_MEMBER(kind, name, initial, min, max, metavar, help) option_##kind name;
#define OPTION_ROW(kind, name, initial, min, max, metavar, help)                                  \
    {#name, OPTION_##kind, offsetof(OPTIONS_STRUCT, name), initial, min, max, metavar, help},

/* What every tool has. A seed of 0 means "draw one from the operating system and print it". */
#define COMMON_OPTIONS(X)                                                                          \
    X(text, config, NULL, 0, 0, "FILE", "read options from an ini file; the command line wins")   \
    X(int, threads, "0", 0, 512, "N", "threads, 0 = all cores; does not change the output")       \
    X(int, seed, "0", 0, 9007199254740991, "N", "random seed, 0 = drawn and printed")             \
    X(flag, json, NULL, 0, 0, NULL, "print the result as JSON on standard output")                \
    X(flag, dry_run, NULL, 0, 0, NULL, "print the effective configuration and an estimate, do nothing")

typedef struct OptionTable {
    const char *program; /* "campmate-selfplay"                                  */
    const char *summary; /* one line for --help                                  */
    const char *usage;   /* what may follow the options, "" if nothing           */
    const char *details; /* text after the option list, NULL if none             */
    const Option *rows;
    size_t count;
    const char *(*variants)(void); /* engine_names, for --version; NULL if none  */
} OptionTable;

typedef enum OptionsVerdict {
    OPTIONS_RUN,  /* values are filled; go on                                      */
    OPTIONS_DONE, /* --help or --version was printed: see standard_output_check    */
    OPTIONS_WRONG /* explained in err; print it, exit with options_exit_code       */
} OptionsVerdict;

/*
 * A plain decimal number and nothing else, with a point in every locale: no blanks, comma, plus
 * sign before it, hexadecimal, "inf" or "nan". Infinite if it is too large for a double.
 */
bool decimal_parse(const char *text, double *value);

/* The exit code after a verdict that is not OPTIONS_RUN: 0 done; 2 a usage mistake; 1 if the file of
 * --config cannot be read or there is no memory. */
int options_exit_code(OptionsVerdict verdict, const Error *err);

/*
 * Reads defaults, configuration and command line into `values` (the struct of the table).
 *
 *   positional   out: arguments that are not options; points into argv. NULL if none are allowed.
 *
 * Strings and lists stay valid until options_free. An unknown option or key, a malformed number
 * or one out of range is OPTIONS_WRONG with a message that names option, value and expectation.
 * Not thread-safe (argp).
 */
OptionsVerdict options_parse(const OptionTable *table, int argc, char **argv, void *values,
                             OptionList *positional, Error *err);

/*
 * Was the option (its name in the table) on the command line? What only stands in a configuration
 * file is not counted: such a file may serve several ways of using a program. Until options_free.
 */
bool options_given(const OptionTable *table, const void *values, const char *name);

/*
 * Of the options on the command line only the common ones and those in `names` (NULL-terminated, may
 * be NULL) have a meaning here: STATUS_ARGUMENT names the first other one, as in "--nodes means
 * nothing with --compliance", where `where` is "with --compliance".
 */
Status options_only(const OptionTable *table, const void *values, const char *const *names,
                    const char *where, Error *err);

/* The effective values as `key = value` lines in table order (malloc'ed; lists give a line for
 * each item). Names in `omit` (NULL-terminated array, may be NULL) are left out. */
char *options_effective(const OptionTable *table, const void *values, const char *const *omit);

/*
 * Reads defaults and then lines as options_effective writes them into `values`. Keys that are not
 * in the table are left out: compare with options_effective to see whether there were any.
 * STATUS_ARGUMENT names a key whose value is malformed or out of range; options_free in any case.
 */
Status options_from_text(const OptionTable *table, const char *text, void *values, Error *err);

/* The number of threads to use for an option value: itself, or all cores the process may use. */
int options_threads(int64_t threads);

void options_free(const OptionTable *table, void *values, OptionList *positional);
