/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * game.h - one self-play game as a pure function.
 *
 *     game = f(build, variant, weights, hash size, GameConfig, game number)
 *
 * Nothing else enters: not the thread that plays it, nor what that thread played before, nor the
 * time. The random stream is that of (seed, game number), the search is cleared first.
 */
#pragma once

#include "book.h"
#include "dataset.h"

#include <stdatomic.h>

/* What a game is made of, besides the build and the weights. */
typedef struct GameConfig {
    const Engine *engine;
    const Book *book; /* NULL = every game begins from the start position                        */
    uint64_t seed;
    uint64_t nodes, nodes_soft; /* of each move's search, 0 = no such limit                      */
    int depth;                  /* of each move's search, 0 = no such limit                      */
    int opening_plies;          /* random plies (or one fewer, see opening.h)                    */
    int opening_window_cp; /* an opening that scores outside +-window is drawn again, 0 = off */
    int sample_plies;      /* plies after the opening whose moves are sampled               */
    int sample_lines;      /* best moves to sample from                                     */
    int sample_margin_cp, sample_half_life_cp; /* see sampling.h                                 */
    int adjudicate_cp, adjudicate_plies;       /* see adjudication.h                             */
    int play_out_percent; /* games that are played on after the verdict, to check it             */
    int max_plies;        /* a game of so many plies stays unfinished                            */
} GameConfig;

enum {
    OPENING_ATTEMPTS = 64,      /* openings drawn for a game at most; the last one is kept       */
    OPENING_WINDOW_DOUBLES = 8, /* the window doubles after so many                              */
    OPENING_WINDOW_MAX = 20000  /* of the option, so that doubling cannot overflow               */
};

/* What playing a game shows that its record does not hold. */
typedef struct GameTally {
    uint64_t nodes, nodes_max; /* searched in the game; by one search at most                    */
    uint64_t searched_plies;
    unsigned redraws;     /* openings that were thrown away                                 */
    uint64_t opening_key; /* rule key of the position after the opening                     */
    uint64_t moves_key;   /* hash of start position and moves: equal games, equal keys      */
} GameTally;

/* What a thread plays its games with. */
typedef struct Player {
    const Engine *engine;
    Search *search;
    Game *game;
} Player;

/* `weights` NULL = default. player_close is due only after success. */
Status player_open(Player *player, const Engine *engine, const Weight *weights, size_t hash_mib,
                   Error *err);
void player_close(Player *player);

/*
 * Plays game `number`.
 *
 *   stop     looked at after each search: true ends the game with STATUS_INTERRUPTED (whoever
 *            sets it also calls search_stop until the game has ended)
 *   record   out, zeroed or used before; its memory is reused. Unspecified on failure, but free
 *            to be freed
 *
 * Every move and the ending are checked against the rules; a violation is STATUS_FORMAT.
 */
Status player_play(Player *player, const GameConfig *config, uint64_t number,
                   const atomic_bool *stop, GameRecord *record, GameTally *tally, Error *err);
