/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options.h - the options of campmate-selfplay, one line each. */
#pragma once

#include "support/options.h"

/*
 * A default of -1 stands for "depends on the other options"; it is replaced before anything else
 * happens, so that the effective configuration names the value in force.
 *
 * docs/selfplay.md has the measurements behind the defaults of adjudication, window and hash.
 */
/* clang-format off */
#define SELFPLAY_OPTIONS(X)                                                                        \
    X(text, variant, "mansindam", 0, 0, "NAME", "the game to play")                                \
    X(text, out, NULL, 0, 0, "DIR", "directory of the dataset; required")                          \
    X(int, games, "1000", 1, 1e12, "N", "number of games")                                         \
    X(int, first_game, "0", 0, 1e12, "N", "number of the first game: a run can be split by ranges") \
    X(int, shard_games, "1024", 1, 1e6, "N", "games of a shard; shards are cut at its multiples")   \
    X(int, nodes, "-1", -1, 1e9, "N",                                                              \
      "search limit of each move in nodes, 0 = none (-1: 5000, but 4x --nodes-soft, or none with "  \
      "--depth, where one is given)")                                                              \
    X(int, nodes_soft, "0", 0, 1e9, "N", "no new iteration after so many nodes, 0 = no such limit") \
    X(int, depth, "0", 0, 120, "N", "search limit of each move in plies, 0 = none")                \
    X(int, hash, "2", 1, 65536, "MIB", "hash table of each thread; changes the games")             \
    X(text, eval_file, NULL, 0, 0, "HEADER", "weights header to play with instead of the built-in one") \
    X(text, book, NULL, 0, 0, "FILE", "start each game from a line of this book (FEN or EPD)")     \
    X(int, opening_plies, "-1", -1, 200, "N",                                                      \
      "random legal plies first, N or N-1 of them (-1: 8, but 0 with --book)")                     \
    X(int, opening_window, "300", 0, 20000, "CP",                                                  \
      "draw the opening again if it scores beyond this, 0 = never; doubles after each 8 attempts")  \
    X(int, sample_plies, "6", 0, 1000, "N", "then so many plies sampled among near-best moves")     \
    X(int, sample_lines, "4", 2, 64, "N", "best moves to sample from")                             \
    X(int, sample_margin, "40", 0, 10000, "CP", "no sampled move is worse than the best by more")   \
    X(int, sample_half_life, "20", 1, 10000, "CP", "a move worse by this is half as likely")       \
    X(int, adjudicate, "2000", 0, 32000, "CP", "end games whose scores stay beyond this, 0 = never") \
    X(int, adjudicate_plies, "4", 1, 1000, "N", "plies in a row that must agree")                  \
    X(int, play_out, "10", 0, 100, "PERCENT", "games played on after the verdict, to check it")    \
    X(int, score_steps, "128", 0, 256, "N",                                                        \
      "keep scores in steps of 1/N of win probability, N = 128 or 256; 0 = each centipawn")        \
    X(real, score_slope, "0", 0, 2.5, "K",                                                         \
      "win probability of s centipawns: 1/(1+10^(-K*s/400)); 0 = as measured for the weights; " \
      "not with --score-steps 0")     \
    X(int, max_plies, "400", 1, 20000, "N", "a game of so many plies is left unfinished, no draw") \
    X(flag, resume, NULL, 0, 0, NULL, "go on with the run that is in --out; its seed need not be given") \
    X(flag, other_build, NULL, 0, 0, NULL,                                                         \
      "with --resume: go on although another commit or compiler made what is there; its unfinished " \
      "shards are played anew")
/* clang-format on */

typedef struct SelfplayOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    SELFPLAY_OPTIONS(OPTION_MEMBER)
} SelfplayOptions;
