/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command.h - the options of campmate-tune, and what its tasks have in common. A task prints, and
 * returns an exit code.
 */
#pragma once

#include "fit.h"
#include "support/options.h"

#include <jansson.h>

#define TUNE_OPTIONS(X)                                                                            \
    X(list, data, NULL, 0, 0, "DIR", "a dataset to fit to")                                        \
    X(text, text, NULL, 0, 0, "FILE", "fit to lines `FEN;result[;score]` (needs --variant)")       \
    X(text, out, NULL, 0, 0, "FILE", "the header to write")                                        \
    X(text, variant, NULL, 0, 0, "NAME", "variant, where no dataset names it")                     \
    X(text, init, "current", 0, 0, "WHAT",                                                         \
      "weights to start from and to stay close to: zero, current (compiled in) or a header FILE")  \
    X(text, terms, NULL, 0, 0, "LIST",                                                             \
      "use these terms only, as in material,hand; the others stay 0 (needs --init zero)")          \
    X(real, lambda, "1", 0, 1, "X",                                                                \
      "share of the game's result in the target, the rest is the search's score; 1 from zero")     \
    X(real, k, "0", 0, 20, "X", "slope K of the expected score, 0 = fitted (1 from zero)")         \
    X(real, ridge, "0", 0, 1000, "X",                                                              \
      "pull towards the start, standardised units; 0 = chosen on the validation games")            \
    X(real, rare, "1", 0, 1e6, "X",                                                                \
      "what occurs less than this often in a position is pulled as if it occurred so often")       \
    X(real, anchor, "0", 0, 2000, "CP",                                                            \
      "scale the weights so that a piece on the board is worth this on average (0 = do not; K "    \
      "takes up the factor)")                                                                      \
    X(real, tolerance, "1e-10", 1e-14, 1, "X", "nats that the loss may lie above its minimum")     \
    X(int, iterations, "100", 1, 100000, "N", "most Newton steps")                                 \
    X(flag, cross_check, "true", 0, 0, NULL,                                                       \
      "minimise from a second start as well, and check the gradient by differences")               \
    X(int, bootstrap, "0", 0, 1000, "N",                                                           \
      "fit to so many random samples of the games, for standard errors; 0 = none, from 20 on "     \
      "sensible")                                                                                  \
    X(flag, learning_curve, NULL, 0, 0, NULL,                                                      \
      "fit to 1/16 .. 1/2 of the games as well: would more games help?")                           \
    X(text, table, NULL, 0, 0, "FILE",                                                             \
      "write all weights as comma-separated values, with standard errors and occurrences")         \
    X(int, rare_below, "50", 1, 1000000, "N", "list the weights that fewer positions count")       \
    X(flag, tie, NULL, 0, 0, NULL,                                                                 \
      "weights of squares that mirror each other left to right are one; only where the start "     \
      "position is its own mirror image")                                                          \
    X(flag, game_weight, NULL, 0, 0, NULL,                                                         \
      "each game counts the same, however many of its positions are used")                         \
    X(real, early_weight, "1", 0, 1, "X",                                                          \
      "weight of a game's first ply, rising in a line to 1 at --early-plies")                      \
    X(int, early_plies, "40", 1, 10000, "N", "ply from which on positions have full weight")       \
    X(real, validation, "0.1", 0, 0.9, "X", "share of the games held out for validation")          \
    X(real, test, "0.1", 0, 0.9, "X", "share of the games held out for the final test")            \
    X(int, skip_plies, "8", 0, 10000, "N", "plies at the start of each game that are left out")    \
    X(real, share, "1", 0, 1, "X", "share of the positions of each game that is used")             \
    X(int, quiet_margin, "0", 0, 32000, "CP",                                                      \
      "largest difference of quiescence and evaluation, 0 = any")                                  \
    X(int, max_positions, "0", 0, 4000000000, "N", "stop after this many positions, 0 = all")      \
    X(text, scratch, NULL, 0, 0, "DIR",                                                            \
      "keep the positions in nameless files in this directory: they may be more than memory "      \
      "holds; "                                                                                    \
      "does not change the output")                                                                \
    X(text, export, NULL, 0, 0, "FILE",                                                            \
      "write the training positions as text, for another tuner (FILE.names: the weights)")         \
    X(flag, search, NULL, 0, 0, NULL,                                                              \
      "try all combinations of the lists below with every ridge, take what predicts the results "  \
      "of the validation games best, and fit with that if --out is given")                         \
    X(text, search_lambda, "1,0.75,0.5,0.25", 0, 0, "LIST", "values of --lambda to try")           \
    X(text, search_skip_plies, NULL, 0, 0, "LIST", "values of --skip-plies to try")                \
    X(text, search_quiet_margin, NULL, 0, 0, "LIST", "values of --quiet-margin to try")            \
    X(text, search_journal, NULL, 0, 0, "FILE",                                                    \
      "keep what was tried in this file: the same command goes on after any kill")                 \
    X(text, plots, NULL, 0, 0, "DIR",                                                              \
      "draw pictures of the fit: loss, calibration, tables on the board ... (needs gnuplot)")      \
    X(flag, check, NULL, 0, 0, NULL,                                                               \
      "compare evaluation and linear trace in every position, not only in a sample")               \
    X(flag, emit_zero, NULL, 0, 0, NULL, "write the header of all weights 0")                      \
    X(flag, emit_material, NULL, 0, 0, NULL, "write a header of material alone (--material)")      \
    X(text, material, NULL, 0, 0, "LIST", "PAWN=100,KNIGHT=300,... in centipawns")                 \
    X(text, date, NULL, 0, 0, "TEXT", "date that the header shall name")

/* Options that do not change which weights a fit finds, or choose among fits. */
#define NOT_OF_THE_FIT                                                                             \
    "config", "threads", "json", "dry_run", "out", "date", "table", "cross_check",                 \
        "learning_curve", "bootstrap", "scratch", "export", "plots", "search", "search_lambda",    \
        "search_skip_plies", "search_quiet_margin", "search_journal"

typedef struct TuneOptions {
    COMMON_OPTIONS(OPTION_MEMBER) TUNE_OPTIONS(OPTION_MEMBER)
} TuneOptions;
#define OPTIONS_STRUCT TuneOptions

extern const OptionTable tune_table;

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One line on standard error; returns the code. */
int complain(int code, const char *message);
/* The same for what a library reported. */
int fail(Status status, const Error *error);

/* The command as the header shall name it: what differs from the defaults, without what does not
 * change the result, and paths by their last component. NULL when out of memory. */
char *command_text(const TuneOptions *options);

LoadOptions load_options(const TuneOptions *options, const Engine *engine, int threads);

FitOptions fit_options(const TuneOptions *options, int threads);

/* Do the options fit these starting weights? EXIT_DONE, or EXIT_USAGE with a message. */
int check_start(const TuneOptions *options, const Engine *engine, const Weight *prior);

/* The weights that --init names: malloc'ed. */
Status initial_weights(const char *init, const Engine *engine, Weight **weights, Error *err);

/* Prints an object as a line, and lets go of it; NULL is a lack of memory. */
Status print_json(json_t *object, Error *err);

/* A fit; `search` (may be NULL) goes into its JSON. */
int task_fit(const TuneOptions *options, const Engine *engine, int threads, json_t *search);
int task_search(TuneOptions *options, const Engine *engine, int threads);
int task_compare(const TuneOptions *options, const Engine *engine, int threads,
                 const OptionList *words);
int task_bench(const TuneOptions *options, const Engine *engine, int threads);
int task_export(const TuneOptions *options, const Engine *engine, int threads);
int task_by_hand(const TuneOptions *options, const Engine *engine);
int task_dry_run(const TuneOptions *options, const Engine *engine);
