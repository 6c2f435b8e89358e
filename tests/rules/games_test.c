/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * games_test.c - replays whole games, and histories that bring the repetition ban into play.
 *
 *     games_test VARIANT FILE.jsonl.zst
 *
 * Fields of a row: start and final FEN, moves; of a game: result and reason (`cap`: unfinished);
 * of a history: legal and forbidden moves at its end, loss 1 if none is allowed.
 */
#include "check.h"
#include "corpus.h"
#include "probe.h"

#include <string.h>

typedef struct Run {
    Probe probe;
    size_t games;
} Run;

static void check_ending(Probe *probe, const char *reason, const char *result)
{
    const Engine *engine = probe->engine;
    Ending ending = engine->game_ending(probe->game);
    if (strcmp(reason, "cap") == 0)
        reason = "none";
    if (strcmp(reason, "rep3") == 0)
        reason = "repetition";
    CHECK(strcmp(end_reason_text(ending.reason), reason) == 0, "%s: ends by %s, expected %s",
          probe->place, end_reason_text(ending.reason), reason);
    CHECK(strcmp(outcome_text(ending.outcome), result) == 0, "%s: ends %s, expected %s",
          probe->place, outcome_text(ending.outcome), result);
}

/* Every forbidden move is refused by name on input, but keeps its rank: datasets are history-free.
 */
static void check_forbidden(Probe *probe, const char *forbidden)
{
    const Engine *engine = probe->engine;
    char text[ENGINE_MAX_MOVE_TEXT], fen[ENGINE_MAX_FEN];
    engine->game_fen(probe->game, fen);
    engine->game_set(probe->fresh, fen, NULL);
    int used;
    for (; sscanf(forbidden, "%15s%n", text, &used) == 1; forbidden += used) {
        Move move = MOVE_NONE;
        Error err = {.message = ""};
        Status status = engine->move_from_uci(probe->game, text, &move, &err);
        CHECK(status == STATUS_ARGUMENT && strstr(err.message, "repetition"), "%s: %s: '%s'",
              probe->place, text, err.message);
        status = engine->move_from_uci(probe->fresh, text, &move, &err);
        CHECK(!status, "%s: %s without history: %s", probe->place, text, err.message);
    }
}

/* A copy has the same history, and does not follow the original. */
static void check_copy(Probe *probe, const char *legal)
{
    const Engine *engine = probe->engine;
    static char moves[MOVES_TEXT];
    Error err;
    Status status = engine->game_copy(probe->fresh, probe->game, &err);
    if (!CHECK(!status, "%s: %s", probe->place, err.message))
        return;
    while (engine->game_plies(probe->game))
        engine->game_undo(probe->game);
    probe_moves(engine, probe->fresh, moves);
    CHECK(strcmp(moves, legal) == 0, "%s: a copy's moves are '%s', expected '%s'", probe->place,
          moves, legal);
}

static void check_history(Probe *probe, const json_t *row)
{
    const Engine *engine = probe->engine;
    static char moves[MOVES_TEXT];
    const char *legal = corpus_text(row, "legal");
    probe_moves(engine, probe->game, moves);
    CHECK(strcmp(moves, legal) == 0, "%s: moves '%s', expected '%s'", probe->place, moves, legal);
    bool loss = json_integer_value(json_object_get(row, "loss")) == 1;
    Side side = engine->game_side(probe->game);
    check_ending(probe, loss ? "repetition" : "none",
                 !loss                ? "*"
                 : side == SIDE_WHITE ? "0-1"
                                      : "1-0");
    check_forbidden(probe, corpus_text(row, "forbidden"));
    check_copy(probe, legal);
}

static void use_row(void *context, const char *place, const json_t *row)
{
    Run *run = context;
    Probe *probe = &run->probe;
    char fen[ENGINE_MAX_FEN], start[ENGINE_MAX_FEN];
    probe->place = place;
    run->games++;
    if (!probe_set(probe, corpus_text(row, "start"), ""))
        return;
    probe->engine->game_fen(probe->game, start);
    if (!probe_set(probe, corpus_text(row, "start"), corpus_text(row, "moves")))
        return;
    probe->engine->game_fen(probe->game, fen);
    CHECK(strcmp(fen, corpus_text(row, "final")) == 0, "%s: ends at %s, expected %s", place, fen,
          corpus_text(row, "final"));
    probe_position(probe);
    if (json_object_get(row, "legal"))
        check_history(probe, row);
    else
        check_ending(probe, corpus_text(row, "reason"), corpus_text(row, "result"));
    while (probe->engine->game_plies(probe->game))
        probe->engine->game_undo(probe->game);
    probe->engine->game_fen(probe->game, fen);
    CHECK(strcmp(fen, start) == 0, "%s: taken back it begins at %s, expected %s", place, fen,
          start);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: games_test VARIANT FILE.jsonl.zst\n");
        return 2;
    }
    Run run = {.games = 0};
    Error err;
    if (!probe_open(&run.probe, argv[1], 2))
        return 1;
    Status status = corpus_read_json(argv[2], 1, use_row, &run, &err);
    probe_close(&run.probe);
    if (status) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return check_summary("games", run.games);
}
