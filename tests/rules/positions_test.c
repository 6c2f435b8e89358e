/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * positions_test.c - a corpus of positions with their legal moves, check and ending, and what must
 * hold in each of them (probe.h).
 *
 *     positions_test VARIANT FILE.jsonl.zst STRIDE [FIELD]
 *
 * Looks at every STRIDE-th position. Fields of a row: f FEN, c 1 in check, m legal moves
 * (history-free, sorted), t and r reason and result if the game is over there. FIELD, in rows that
 * have it, is the legal moves by the stricter rules of a sister game; where they leave none the side
 * to move, not in check, is stalemated and the game drawn.
 */
#include "check.h"
#include "corpus.h"
#include "probe.h"

#include <stdlib.h>
#include <string.h>

enum { RANDOM_TEXTS = 12, SAN_STRIDE = 40 };

typedef struct Run {
    Probe probe;
    size_t positions;
    const char *stricter; /* field of the moves that count instead of m, or NULL */
} Run;

/* What the row says. */
static void check_row(Probe *probe, const json_t *row, const char *fen, const char *stricter)
{
    const Engine *engine = probe->engine;
    static char moves[MOVES_TEXT];
    char again[ENGINE_MAX_FEN];
    const char *expected = corpus_text(row, "m"), *reason = corpus_text(row, "t");
    const char *result = corpus_text(row, "r");
    if (stricter && json_object_get(row, stricter)) {
        expected = corpus_text(row, stricter);
        reason = *expected ? reason : "stalemate";
        result = *expected ? result : "1/2-1/2";
    }
    engine->game_fen(probe->game, again);
    CHECK(strcmp(fen, again) == 0, "%s: %s comes back as %s", probe->place, fen, again);

    size_t count = probe_moves(engine, probe->game, moves);
    CHECK(strcmp(moves, expected) == 0, "%s: %s: moves '%s', expected '%s'", probe->place, fen,
          moves, expected);
    CHECK(engine->perft(probe->game, 1) == count, "%s: %s", probe->place, fen);
    bool check = json_integer_value(json_object_get(row, "c")) == 1;
    CHECK(engine->game_in_check(probe->game) == check, "%s: %s", probe->place, fen);

    Ending ending = engine->game_ending(probe->game);
    CHECK(strcmp(end_reason_text(ending.reason), *reason ? reason : "none") == 0,
          "%s: %s: ends by %s, expected '%s'", probe->place, fen, end_reason_text(ending.reason),
          reason);
    CHECK(strcmp(outcome_text(ending.outcome), *result ? result : "*") == 0,
          "%s: %s: ends %s, expected '%s'", probe->place, fen, outcome_text(ending.outcome),
          result);
}

static void use_row(void *context, const char *place, const json_t *row)
{
    Run *run = context;
    Probe *probe = &run->probe;
    const char *fen = corpus_text(row, "f");
    probe->place = place;
    if (!probe_set(probe, fen, ""))
        return;
    check_row(probe, row, fen, run->stricter);
    probe_position(probe);
    probe_children(probe);
    probe_order(probe);
    probe_random_texts(probe, RANDOM_TEXTS);
    probe_mirrored(probe);
    probe_trace(probe);
    probe_san(probe, rng_below(&probe->rng, ENGINE_MAX_MOVES) % 97);
    if (run->positions++ % SAN_STRIDE == 0)
        probe_san_is_unique(probe);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5 || atol(argv[3]) < 1) {
        fprintf(stderr, "usage: positions_test VARIANT FILE.jsonl.zst STRIDE [FIELD]\n");
        return 2;
    }
    Run run = {.stricter = argc == 5 ? argv[4] : NULL};
    Error err;
    if (!probe_open(&run.probe, argv[1], 1))
        return 1;
    Status status = corpus_read_json(argv[2], (size_t)atol(argv[3]), use_row, &run, &err);
    probe_close(&run.probe);
    if (status) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return check_summary("positions", run.positions);
}
