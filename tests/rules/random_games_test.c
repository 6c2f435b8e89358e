/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_games_test.c - a seeded random mover plays whole games, checked at every ply.
 *
 *     random_games_test VARIANT GAMES
 *
 * Every second game begins with moving back and forth, so that the repetition ban is met; the
 * legal moves are compared with an account of positions that is kept here as text.
 */
#include "check.h"
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLIES = 4000, SHUTTLE_PLIES = 120, DEEP_STRIDE = 16 };

typedef struct Tally {
    size_t plies, finished, banned, reasons[END_REASON_COUNT];
} Tally;

/* A random legal move; with `shuttle` mostly one that takes the mover's last one back. */
static Move choose(Probe *probe, const Move *moves, size_t count, bool shuttle,
                   char last[ENGINE_MAX_MOVE_TEXT])
{
    char text[ENGINE_MAX_MOVE_TEXT];
    if (shuttle && strlen(last) == 4 && last[1] != '@' && rng_below(&probe->rng, 8))
        for (size_t i = 0; i < count; i++) {
            probe->engine->move_uci(probe->game, moves[i], text);
            if (strlen(text) == 4 && strncmp(text, last + 2, 2) == 0 &&
                strncmp(text + 2, last, 2) == 0)
                return moves[i];
        }
    return moves[rng_below(&probe->rng, count)];
}

/* What must hold after every ply; the dear checks every now and then. */
static void check_ply(Probe *probe, const Seen *seen, size_t count, size_t ply)
{
    const Engine *engine = probe->engine;
    Ending ending = engine->game_ending(probe->game);
    if (!engine->has_draws)
        CHECK((ending.reason == END_NONE) == (count > 0), "%s: %zu moves and the end %s",
              probe->place, count, end_reason_text(ending.reason));
    CHECK((ending.outcome == OUTCOME_NONE) == (ending.reason == END_NONE), "%s", probe->place);
    CHECK(engine->has_draws || ending.outcome != OUTCOME_DRAW, "%s", probe->place);
    CHECK(engine->game_plies(probe->game) == ply, "%s", probe->place);
    probe_position(probe);
    probe_random_texts(probe, 3);
    if (ply < SHUTTLE_PLIES || ply % 4 == 0)
        probe_ban(probe, seen);
    if (rng_below(&probe->rng, DEEP_STRIDE) == 0) {
        probe_children(probe);
        probe_order(probe);
        probe_mirrored(probe);
        probe_trace(probe);
    }
}

/* Takes the whole game back; the start must come out, key and counts of positions included. */
static void check_undo_all(Probe *probe, uint64_t key)
{
    const Engine *engine = probe->engine;
    char fen[ENGINE_MAX_FEN];
    Move moves[ENGINE_MAX_MOVES];
    while (engine->game_plies(probe->game))
        engine->game_undo(probe->game);
    engine->game_fen(probe->game, fen);
    CHECK(strcmp(fen, engine->start_fen) == 0, "%s: taken back to %s", probe->place, fen);
    CHECK(engine->game_key(probe->game) == key, "%s", probe->place);
    engine->game_set(probe->fresh, NULL, NULL);
    CHECK(engine->game_moves(probe->game, moves) == engine->game_moves(probe->fresh, moves), "%s",
          probe->place);
}

static void play_game(Probe *probe, bool shuttle, Tally *tally)
{
    const Engine *engine = probe->engine;
    char last[2][ENGINE_MAX_MOVE_TEXT] = {"", ""};
    Seen *seen = seen_new();
    if (!CHECK(seen != NULL, "%s: no memory", probe->place) || !probe_set(probe, "startpos", ""))
        return;
    uint64_t key = engine->game_key(probe->game);
    Move moves[ENGINE_MAX_MOVES], free_moves[ENGINE_MAX_MOVES];
    char fen[ENGINE_MAX_FEN];
    for (size_t ply = 0; ply < MAX_PLIES; ply++) {
        seen_change(seen, probe, 1);
        size_t count = engine->game_moves(probe->game, moves);
        check_ply(probe, seen, count, ply);
        engine->game_fen(probe->game, fen);
        engine->game_set(probe->fresh, fen, NULL);
        tally->banned += engine->game_moves(probe->fresh, free_moves) - count;
        Ending ending = engine->game_ending(probe->game);
        tally->reasons[ending.reason] += ending.reason != END_NONE;
        tally->finished += ending.reason != END_NONE;
        if (ending.reason != END_NONE || !count)
            break;
        Side side = engine->game_side(probe->game);
        Move move = choose(probe, moves, count, shuttle && ply < SHUTTLE_PLIES, last[side]);
        engine->move_uci(probe->game, move, last[side]);
        Error err;
        Status status = engine->game_play(probe->game, move, &err);
        if (!CHECK(!status, "%s: %s", probe->place, err.message))
            break;
        tally->plies++;
    }
    check_undo_all(probe, key);
    seen_free(seen);
}

int main(int argc, char **argv)
{
    if (argc != 3 || atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: random_games_test VARIANT GAMES\n");
        return 2;
    }
    Probe probe;
    Tally tally = {.plies = 0};
    if (!probe_open(&probe, argv[1], 4)) {
        probe_close(&probe);
        return 1;
    }
    int games = atoi(argv[2]);
    for (int game = 0; game < games; game++) {
        char place[32];
        snprintf(place, sizeof place, "random game %d", game);
        probe.place = place;
        play_game(&probe, game % 2, &tally);
    }
    probe_close(&probe);
    printf("%zu plies, %zu games finished, %zu moves forbidden by repetition\n", tally.plies,
           tally.finished, tally.banned);
    for (int reason = 1; reason < END_REASON_COUNT; reason++)
        if (tally.reasons[reason])
            printf("    %zu by %s\n", tally.reasons[reason], end_reason_text((EndReason)reason));
    return check_summary("games", (size_t)games);
}
