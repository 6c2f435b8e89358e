/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * specification.h - reads what the user writes about engines, limits and tests.
 *
 *     --engine name=a,cmd=./campmate,args="--x y",dir=/tmp,option.Hash=16,nodes=5000
 *     --engine cmd=b,ponder=on,restart=off,tc=2+0.02
 *     --tc 1+0.01    40/60+0    60+10b
 *     --sprt elo0=0,elo1=10,alpha=0.05,beta=0.05,model=logistic
 *     --resign 600,6   --draw 10,12,40
 *
 * A specification is a list of key=value, separated by commas. A value may stand in double quotes
 * (then \" and \\ mean the character) or single quotes (nothing is special). Errors are
 * STATUS_ARGUMENT and name the column. Numbers are read in the C locale.
 */
#pragma once

#include "statistics.h"
#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An option's name and value have to fit into a line with "setoption name .. value ..". */
enum { ENGINE_OPTION_BYTES = 3900 };

/* What an engine may use for a move. Zero means "no such limit". */
typedef struct MoveLimits {
    uint64_t nodes;
    int depth;
    int64_t movetime_ms;
    bool has_clock;
    int moves_per_period;          /* 0 = the rest of the game                          */
    int64_t base_ms, increment_ms; /* for each period; for each move                    */
    int64_t byoyomi_ms;            /* for each move once the base is used up            */
} MoveLimits;

bool move_limits_any(const MoveLimits *limits);
/* "1+0.01", "nodes=5000", "depth=6 nodes=100": what the PGN's TimeControl tag says. */
void move_limits_text(const MoveLimits *limits, char *text, size_t size);

/* Reads "[moves/]seconds[+seconds[b]]" into the clock fields of `limits`. */
Status time_control_parse(const char *text, MoveLimits *limits, Error *err);

typedef struct EngineOption {
    char *name;
    char *value; /* "" for a button */
} EngineOption;

/* An engine's own setting of something that a match sets for all. */
typedef enum Switch { SWITCH_UNSET, SWITCH_OFF, SWITCH_ON } Switch;

/*
 * When an engine gets a new process, other than after it died.
 *   on     for each game
 *   auto   after a game that it lost by time, silence or a crash
 *   off    never
 */
#define RESTARTS(X)                                                                                \
    X(RESTART_UNSET, "")                                                                           \
    X(RESTART_AUTO, "auto")                                                                        \
    X(RESTART_ON, "on")                                                                            \
    X(RESTART_OFF, "off")
#define RESTART_NAME(id, text) id,
typedef enum Restart { RESTARTS(RESTART_NAME) RESTART_COUNT } Restart;
#undef RESTART_NAME
bool restart_from_text(const char *text, Restart *restart);

typedef struct EngineSpec {
    char *name;
    char *command;    /* as execvp takes it; a relative path is relative to our directory  */
    char *directory;  /* the engine's working directory, NULL = ours                       */
    char *log;        /* file that its stderr is appended to, NULL = dropped               */
    char **arguments; /* argv, with the command first and NULL last                        */
    EngineOption *options;
    size_t option_count;
    MoveLimits limits; /* its own limits; without any those of the match apply             */
    Switch ponder;     /* think in the opponent's time                                     */
    Restart restart;
} EngineSpec;

/* The limits that apply to an engine: its own, or without any those of the match. */
const MoveLimits *engine_limits(const EngineSpec *spec, const MoveLimits *common);
/* On failure `spec` is empty. */
Status engine_spec_parse(const char *text, EngineSpec *spec, Error *err);
/* The same from a command with its arguments, "./engine --uci 'a b'"; what begins with name= or
 * cmd= is a specification. */
Status engine_spec_from_command(const char *text, EngineSpec *spec, Error *err);
void engine_spec_free(EngineSpec *spec);
/* The spec as one line of text in which every fact that may change a game stands (malloc'ed;
 * NULL when out of memory). */
char *engine_spec_text(const EngineSpec *spec);

/* Fields that are not named keep their defaults: alpha = beta = 0.05, logistic. */
Status sprt_spec_parse(const char *text, SprtSpec *spec, Error *err);

/*
 * Adjudication by score, off while the ply count is 0.
 *   resign   "cp,plies": that many plies in a row, both engines say that one side is ahead by cp
 *   draw     "cp,plies[,after]": both say that nobody is by more than cp, after that many plies
 */
typedef struct ScoreRule {
    int centipawns, plies, after;
} ScoreRule;
Status score_rule_parse(const char *what, const char *text, bool with_after, ScoreRule *rule,
                        Error *err);

/* Reads `count` whole numbers separated by commas. */
Status counts_parse(const char *what, const char *text, uint64_t *counts, int count, Error *err);
