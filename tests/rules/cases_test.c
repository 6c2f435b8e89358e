/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cases_test.c - tables of positions with known answers and of FENs that are refused.
 *
 *     cases_test VARIANT DIRECTORY
 *
 * Reads cases.tsv and refused.tsv (each says in its head what its columns are) and
 * legal_counts.epd (`FEN ; legal n`).
 */
#include "check.h"
#include "corpus.h"
#include "probe.h"
#include "support/files.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Run {
    Probe probe;
    size_t rows;
} Run;

/* --- cases.tsv -------------------------------------------------------------------------------- */

/* The legal moves that match a shell pattern ("": all). */
static void check_moves(Probe *probe, const char *name, const char *pattern, const char *expected)
{
    static char moves[MOVES_TEXT], matching[MOVES_TEXT];
    char *at = matching, *rest = NULL;
    probe_moves(probe->engine, probe->game, moves);
    *at = '\0';
    for (char *move = strtok_r(moves, " ", &rest); move; move = strtok_r(NULL, " ", &rest))
        if (!*pattern || fnmatch(pattern, move, 0) == 0)
            at += sprintf(at, at == matching ? "%s" : " %s", move);
    CHECK(strcmp(matching, expected) == 0, "%s: %s: moves '%s', expected '%s'", probe->place, name,
          matching, expected);
}

/* The moves by rank: frozen, since datasets store ranks. */
static void check_order(Probe *probe, const char *name, const char *expected)
{
    const Engine *engine = probe->engine;
    static char order[MOVES_TEXT];
    char *at = order;
    Move move;
    *at = '\0';
    for (size_t rank = 0; (move = engine->move_at_rank(probe->game, rank)) != MOVE_NONE; rank++) {
        if (rank)
            *at++ = ' ';
        engine->move_uci(probe->game, move, at);
        at += strlen(at);
    }
    CHECK(strcmp(order, expected) == 0, "%s: %s: '%s', expected '%s'", probe->place, name, order,
          expected);
}

static void check_san(Probe *probe, const char *name, const char *uci, const char *expected)
{
    const Engine *engine = probe->engine;
    char san[ENGINE_MAX_MOVE_TEXT] = "";
    Move move = MOVE_NONE, back = MOVE_NONE;
    if (engine->move_from_uci(probe->game, uci, &move, NULL) == STATUS_OK)
        engine->move_san(probe->game, move, san);
    CHECK(strcmp(san, expected) == 0, "%s: %s: %s is '%s', expected '%s'", probe->place, name, uci,
          san, expected);
    Status status = engine->move_from_san(probe->game, expected, &back, NULL);
    CHECK(!status && back == move, "%s: %s: %s is not read", probe->place, name, expected);
}

static void check_same_key(Probe *probe, const char *name, const char *fen, bool same)
{
    const Engine *engine = probe->engine;
    Error err;
    Status status = engine->game_set(probe->fresh, fen, &err);
    if (!CHECK(!status, "%s: %s: %s", probe->place, name, err.message))
        return;
    CHECK((engine->game_key(probe->game) == engine->game_key(probe->fresh)) == same, "%s: %s: %s",
          probe->place, name, fen);
}

static void check_answer(Probe *probe, const char *name, const char *question, const char *answer)
{
    const Engine *engine = probe->engine;
    char text[ENGINE_MAX_FEN];
    Move moves[ENGINE_MAX_MOVES];
    Ending ending = engine->game_ending(probe->game);
    if (strncmp(question, "moves", 5) == 0) {
        check_moves(probe, name, question[5] ? question + 6 : "", answer);
    } else if (strcmp(question, "order") == 0) {
        check_order(probe, name, answer);
    } else if (strncmp(question, "san ", 4) == 0) {
        check_san(probe, name, question + 4, answer);
    } else if (strcmp(question, "count") == 0) {
        size_t count = engine->game_moves(probe->game, moves);
        CHECK(count == strtoul(answer, NULL, 10), "%s: %s: %zu moves, expected %s", probe->place,
              name, count, answer);
    } else if (strcmp(question, "fen") == 0) {
        engine->game_fen(probe->game, text);
        CHECK(strcmp(text, answer) == 0, "%s: %s: %s, expected %s", probe->place, name, text,
              answer);
    } else if (strcmp(question, "end") == 0) {
        snprintf(text, sizeof text, "%s %s", end_reason_text(ending.reason),
                 outcome_text(ending.outcome));
        CHECK(strcmp(text, answer) == 0, "%s: %s: '%s', expected '%s'", probe->place, name, text,
              answer);
    } else if (strcmp(question, "check") == 0) {
        CHECK(engine->game_in_check(probe->game) == (strcmp(answer, "yes") == 0), "%s: %s",
              probe->place, name);
    } else if (strncmp(question, "key ", 4) == 0) {
        check_same_key(probe, name, answer, strcmp(question + 4, "same") == 0);
    } else {
        check_failed("a known question", "%s: %s: '%s'", probe->place, name, question);
    }
}

/* The last of `moves` must be refused with a message that contains `fragment`. */
static void check_illegal(Probe *probe, const char *name, const char *fen, char *moves,
                          const char *fragment)
{
    char *last = strrchr(moves, ' ');
    const char *before = last ? moves : "";
    if (last)
        *last++ = '\0';
    else
        last = moves;
    if (!probe_set(probe, fen, before))
        return;
    Move move = MOVE_NONE;
    Error err = {.message = ""};
    Status status = probe->engine->move_from_uci(probe->game, last, &move, &err);
    CHECK(status && strstr(err.message, fragment), "%s: %s: '%s', expected '%s'", probe->place,
          name, err.message, fragment);
}

static void use_case(void *context, const char *place, char **columns, size_t count)
{
    Run *run = context;
    Probe *probe = &run->probe;
    probe->place = place;
    run->rows++;
    if (!CHECK(count == 5, "%s: %zu columns, expected 5", place, count))
        return;
    if (strcmp(columns[3], "illegal") == 0) {
        check_illegal(probe, columns[0], columns[1], columns[2], columns[4]);
    } else if (probe_set(probe, columns[1], columns[2])) {
        check_answer(probe, columns[0], columns[3], columns[4]);
        probe_position(probe);
        probe_children(probe);
        probe_order(probe);
        probe_mirrored(probe);
        probe_trace(probe);
    }
}

/* --- refused.tsv ------------------------------------------------------------------------------ */
static void use_refused(void *context, const char *place, char **columns, size_t count)
{
    Run *run = context;
    const Engine *engine = run->probe.engine;
    Game *game = run->probe.game;
    char fen[ENGINE_MAX_FEN];
    run->rows++;
    if (!CHECK(count == 3, "%s: %zu columns, expected 3", place, count))
        return;
    engine->game_set(game, NULL, NULL);
    Error err = {.message = ""};
    Status status = engine->game_set(game, columns[1], &err);
    CHECK(status == STATUS_FORMAT && err.status == status, "%s: %s: status %d", place, columns[0],
          status);
    CHECK(strstr(err.message, columns[2]), "%s: %s: '%s', expected '%s'", place, columns[0],
          err.message, columns[2]);
    engine->game_fen(game, fen);
    CHECK(strcmp(fen, engine->start_fen) == 0, "%s: %s: the game was touched: %s", place,
          columns[0], fen);
}

/* --- legal_counts.epd ------------------------------------------------------------------------- */
static void use_count(void *context, const char *place, char **columns, size_t count)
{
    Run *run = context;
    Move moves[ENGINE_MAX_MOVES];
    char *legal = strstr(columns[0], "; legal ");
    run->probe.place = place;
    run->rows++;
    if (!CHECK(count == 1 && legal, "%s: not 'FEN ; legal n'", place))
        return;
    *legal = '\0';
    if (!probe_set(&run->probe, columns[0], ""))
        return;
    size_t found = run->probe.engine->game_moves(run->probe.game, moves);
    size_t expected = strtoul(legal + strlen("; legal "), NULL, 10);
    CHECK(found == expected, "%s: %s: %zu moves, expected %zu", place, columns[0], found, expected);
}

static Status read_table(Run *run, const char *directory, const char *name, TableRow use,
                         Error *err)
{
    char *path = text_format("%s/%s", directory, name);
    if (!path)
        return error_set(err, STATUS_NO_MEMORY, "no memory");
    Status status = file_exists(path) ? corpus_read_table(path, use, run, err) : STATUS_OK;
    free(path);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: cases_test VARIANT DIRECTORY\n");
        return 2;
    }
    Run run = {.rows = 0};
    Error err;
    if (!probe_open(&run.probe, argv[1], 3))
        return 1;
    Status status = read_table(&run, argv[2], "cases.tsv", use_case, &err);
    if (!status)
        status = read_table(&run, argv[2], "refused.tsv", use_refused, &err);
    if (!status)
        status = read_table(&run, argv[2], "legal_counts.epd", use_count, &err);
    probe_close(&run.probe);
    if (status) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return check_summary("rows", run.rows);
}
