/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probe.h - what must hold in any position of any variant, whatever its rules: the promises of
 * engine.h that tie its functions together. Every function checks (check.h) and leaves the game
 * as it was.
 */
#pragma once

#include "engine.h"
#include "support/rng.h"

enum { MOVES_TEXT = ENGINE_MAX_MOVES * ENGINE_MAX_MOVE_TEXT };

typedef struct Probe {
    const Engine *engine;
    Game *game;      /* under test                                   */
    Game *fresh;     /* to set up the same position from its FEN     */
    Weight *weights; /* [weight_count], random                       */
    Rng rng;
    const char *place; /* begins every message                         */
} Probe;

/* Opens games and random weights in [-300, 300] from a seed. False, with a message on stderr, if
 * the variant is unknown or there is no memory. */
bool probe_open(Probe *probe, const char *variant, uint64_t seed);
void probe_close(Probe *probe);

/* The legal moves in UCI, sorted, separated by blanks, into MOVES_TEXT bytes; returns how many. */
size_t probe_moves(const Engine *engine, Game *game, char *text);

/* Sets up a FEN and plays moves separated by blanks. False, after a failed check, if that does
 * not work. */
bool probe_set(Probe *probe, const char *fen, const char *moves);

/* The FEN comes back, and a game set up from it has the same key, check and static evaluation. */
void probe_position(Probe *probe);

/* Each legal move made and unmade: FEN, key and evaluation of the position after it equal those
 * of a game set up there; key_after, gives_check and is_noisy foretold it; undo restores all. */
void probe_children(Probe *probe);

/* The shares of the history-free moves fill 0 .. total - 1, each is found by its numbers and is what
 * its terms add up to; and every rank has a move of its own. */
void probe_order(Probe *probe);

/* Of random and half-right move texts exactly the legal ones are accepted. */
void probe_random_texts(Probe *probe, int count);

/* SAN of the move number `index` and back; all moves have different SANs. */
void probe_san(Probe *probe, size_t index);
void probe_san_is_unique(Probe *probe);

/* The position seen from the other side has as many moves and the negated evaluation. */
void probe_mirrored(Probe *probe);

/* Trace times weights is the evaluation, for random weights and the default ones. */
void probe_trace(Probe *probe);

/* An own account of the repetition ban: legal moves are the history-free ones minus those that
 * make one of `counted` positions (given as "board[hands] side") occur for the third time. */
typedef struct Seen Seen;
Seen *seen_new(void);
void seen_free(Seen *seen);
/* Counts the current position, or takes its last count back. */
void seen_change(Seen *seen, const Probe *probe, int change);
void probe_ban(Probe *probe, const Seen *seen);
