/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arbiter.h - plays one game between two UCI engines. Our rules engine decides what is legal and
 * when the game is over; what the engines claim (principal variations, mate scores) never does.
 */
#pragma once

#include "dataset.h"
#include "uci_client.h"

/* How a game ended: by a rule (then the record's reason says which), or: */
#define TERMINATIONS(X)                                                                            \
    X(TERMINATION_RULES, "rules")                                                                  \
    X(TERMINATION_ILLEGAL, "illegal move")                                                         \
    X(TERMINATION_TIME, "time forfeit")                                                            \
    X(TERMINATION_DISCONNECT, "disconnect") /* the engine died or closed its pipes */              \
    X(TERMINATION_STALL, "stall")           /* it never answered                   */              \
    X(TERMINATION_ADJUDICATION, "adjudication")                                                    \
    X(TERMINATION_PLY_CAP, "ply cap") /* unfinished                          */
#define TERMINATION_NAME(id, text) id,
typedef enum Termination { TERMINATIONS(TERMINATION_NAME) TERMINATION_COUNT } Termination;
#undef TERMINATION_NAME
const char *termination_text(Termination termination);
bool termination_from_text(const char *text, Termination *termination);

typedef struct ArbiterRules {
    double stall_seconds;       /* an engine that is silent for so long beyond its time has lost  */
    double time_margin_seconds; /* that a move may be late on the clock                           */
    int max_plies;              /* 0 = none; then the game is unfinished                          */
    ScoreRule resign, draw;
    bool times_in_comments; /* off: the PGN of a game at fixed nodes is a pure function       */
} ArbiterRules;

/* One side of a game. */
typedef struct ArbiterPlayer {
    UciClient *client;
    const MoveLimits *limits;
    bool ponder; /* think about the reply it expects in the opponent's time */
} ArbiterPlayer;

typedef struct GameResult {
    Outcome outcome; /* OUTCOME_NONE = unfinished (ply cap)                                      */
    Termination termination;
    EndReason reason;      /* TERMINATION_RULES: which                                           */
    bool engine_lost;      /* illegal, time, disconnect, stall: not the position but the engine  */
    Side loser;            /* with engine_lost                                                   */
    const char *detail;    /* one line for the user, "" if nothing; the arbiter's                */
    double engine_seconds; /* between `go` and `bestmove`, both sides                            */
    double seconds;        /* all of the game, after ucinewgame                                  */
    const GameRecord *record;    /* the arbiter's, valid until the next game                   */
    const char *const *comments; /* [record->ply_count], for the PGN                           */
} GameResult;

typedef struct Arbiter Arbiter;

/* An arbiter belongs to one thread. NULL with err when out of memory. */
Arbiter *arbiter_new(const Engine *engine, Error *err);
void arbiter_free(Arbiter *arbiter);

/*
 * Plays a game from `start_fen`.
 *
 *   players   [2] by Side
 *
 * After TERMINATION_DISCONNECT and TERMINATION_STALL the loser's client is of no more use.
 * STATUS_INTERRUPTED if the stop descriptor of the clients became readable: no game then.
 */
Status arbiter_play(Arbiter *arbiter, const ArbiterRules *rules, const char *start_fen,
                    const ArbiterPlayer players[2], GameResult *result, Error *err);
