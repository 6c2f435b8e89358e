/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * results.h - the games of a match as they are kept, in memory and in the state file.
 *
 * The state file is JSON lines: a head that says which match it is, then one line for each game
 * with its PGN and a check, written as soon as the pair is finished (a half pair only when the
 * match had to end). A line that a kill cut off is dropped on reading; one that was changed is
 * refused. The PGN file is made from it.
 */
#pragma once

#include "arbiter.h"

typedef struct MatchGame {
    bool done;
    Outcome outcome;
    Termination termination;
    EndReason reason;
    bool engine_lost; /* see GameResult */
    Side loser;
    size_t plies;
    char *pgn; /* malloc'ed; NULL when no longer needed */
} MatchGame;

/* Two games from one opening: in games[0] the first engine is White, in games[1] Black. */
typedef struct MatchPair {
    MatchGame games[2];
} MatchPair;

/* Twice the score of the first engine, 0..2; an unfinished game counts as half a point. */
int match_game_points(const MatchGame *game, int index);

/* "mate", "campmate", "time forfeit", ...: the PGN's Termination tag. */
const char *match_game_ending(const MatchGame *game);

/* Pairs by number; grows. */
typedef struct PairList {
    MatchPair *pairs;
    size_t count, capacity;
} PairList;

void pair_list_free(PairList *list);
/* The pair with that number, made if missing; NULL when out of memory. */
MatchPair *pair_list_at(PairList *list, size_t number);

typedef struct StateFile {
    char *path;
    int fd; /* locked; -1 = no state is kept */
    double synced;
    uint64_t head; /* check of the head, with which those of the lines begin */
} StateFile;

/*
 * Opens the state file.
 *
 *   head     one line of JSON that says which match it is
 *   resume   go on with what is there; without it a file that is there already is refused
 *   list     out: the games of the file
 *
 * STATUS_ARGUMENT if the file is of another match (the first difference is named) or must not be
 * there, STATUS_FORMAT with path and line if it is damaged or changed other than at its end,
 * STATUS_IO if another process has it.
 */
Status state_file_open(StateFile *state, const char *path, const char *head, bool resume,
                       PairList *list, Error *err);

/* Appends the games of a pair that are done. Does nothing if no state is kept. */
Status state_file_add(StateFile *state, size_t number, const MatchPair *pair, Error *err);

void state_file_close(StateFile *state);

/* The number under `key` in the head of a state file, or `fallback` (also if there is no file). */
uint64_t state_file_number(const char *path, const char *key, uint64_t fallback);
