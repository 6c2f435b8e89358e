/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compliance_session.h - a talk with an engine for one check of compliance.c.
 *
 * What a function here expects and does not get fails the check: `result` says so, and the function
 * returns false. A check is therefore a chain of calls that ends at the first false.
 */
#pragma once

#include "compliance.h"
#include "engine_process.h"

/* What the info lines of a search said. */
typedef struct InfoTally {
    bool wanted;         /* set it to have them read and checked                             */
    size_t complete;     /* lines with depth, score, nodes and pv                            */
    int lines;           /* the highest multipv                                              */
    bool has_mate_score; /* a `score mate` was the last                                      */
    long score;          /* the last, centipawns or moves to mate                            */
    bool has_score;
    char best[ENGINE_MAX_MOVE_TEXT]; /* first move of the last pv of multipv 1               */
} InfoTally;

typedef struct Session {
    const ComplianceConfig *config;
    CheckResult *result;
    const Engine *rules; /* of the game; NULL = they are not known                       */
    Game *game;          /* the position that the engine was told; NULL without rules    */
    EngineProcess process;
    InfoTally tally;
    Error *err; /* what went wrong on our side: then the check says nothing     */
} Session;

/* A `bestmove` line. */
typedef struct Answer {
    char move[32], ponder[32]; /* "" if not there                                            */
    Move legal;                /* MOVE_NONE without rules, or where it says that there is none */
    double seconds;            /* since the last line was sent                               */
} Answer;

/* Starts a process that is told nothing. Everything has to be ended with session_end. */
bool session_start(Session *session);
/* Takes it through uci, the spec's options, the game (NULL: none) and isready. */
bool session_shake_hands(Session *session, bool has_variants);
void session_end(Session *session);

bool session_send(Session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Bytes as they are: any number of lines. */
bool session_send_text(Session *session, const char *text);
/* The next line, up to a moment of clock_seconds(). No line is no failure here: *line is NULL then.
 */
bool session_hear_until(Session *session, double end, char **line);
/* Reads up to the line that begins with the word. */
bool session_await(Session *session, const char *word);
/* Sends isready and reads up to readyok; a bestmove on the way fails. */
bool session_is_ready(Session *session);
/* No bestmove for so many seconds. */
bool session_is_thinking(Session *session, double seconds, const char *until);

/* Sends a position and remembers it: `fen` or NULL for startpos, then the moves. */
bool session_position(Session *session, const char *fen, const char *const *moves, size_t count);
/* Reads up to the bestmove of a search that was begun; it has to be legal, in time and the only
 * one, and if there is no legal move, it has to say so. */
bool session_move(Session *session, double seconds, Answer *answer);
/* Sends a line that begins a search and reads its move within the patience. */
bool session_go(Session *session, Answer *answer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The engine has to end by itself. *code is its exit code, -1 after a signal. */
bool session_leaves(Session *session, int *code);

/* Fails the check: what was expected, and in `result->found` what is there instead, if more is to
 * be said than which lines came. Returns false. */
bool session_fail(Session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
void session_found(Session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Finds why no line came: "exited with code 3", or that it is silent. */
void session_found_no_line(Session *session);
/* Nothing was checked. Returns true. */
bool session_skip(Session *session, const char *why);
/* Something odd that is allowed. */
void session_note(Session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
