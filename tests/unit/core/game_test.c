/* SPDX-License-Identifier: GPL-3.0-or-later */
/* game_test.c - games through engine.h, for every variant: long ones, copies, facts. */
#include "test.h"

#include "engine.h"
#include "support/rng.h"

#include <stdlib.h>
#include <string.h>

/* Plays up to `plies` random moves, so many as there are. */
static void play_random(const Engine *engine, Game *game, size_t plies, uint64_t seed)
{
    Rng rng = rng_from(seed, 0);
    Move moves[ENGINE_MAX_MOVES];
    for (size_t i = 0; i < plies; i++) {
        size_t count = engine->game_moves(game, moves);
        if (!count)
            break;
        assert_int_equal(engine->game_play(game, moves[rng_below(&rng, count)], NULL), STATUS_OK);
    }
}

static void assert_fen(const Engine *engine, const Game *game, const char *expected)
{
    char fen[ENGINE_MAX_FEN];
    engine->game_fen(game, fen);
    assert_string_equal(fen, expected);
}

static void test_facts(void **state)
{
    (void)state;
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        assert_ptr_equal(engine_find(engine->name), engine);
        assert_non_null(strstr(engine_names(), engine->name));
        assert_non_null(engine->title);
        assert_true(engine->rules_version >= 1);
        Game *game = engine->game_new(NULL);
        assert_non_null(game);
        assert_fen(engine, game, engine->start_fen);
        assert_int_equal(engine->game_plies(game), 0);
        assert_int_equal(engine->perft(game, 0), 1);
        assert_int_equal(engine->game_ending(game).reason, END_NONE);
        engine->game_free(game);
    }
    assert_null(engine_find("no such game"));
}

/* The term groups cover the flat weights once, in order, and name what they hold. */
static void test_term_groups(void **state)
{
    (void)state;
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        int next = 0;
        for (int g = 0; g < engine->term_group_count; g++) {
            const TermGroup *group = &engine->term_groups[g];
            assert_int_equal(group->first, next);
            assert_true(group->items > 0 && group->rows > 0 && group->columns > 0);
            assert_true(group->items == 1 || group->item_names);
            for (int item = 0; group->item_names && item < group->items; item++)
                assert_non_null(group->item_names[item]);
            if (group->is_board) {
                assert_int_equal(group->rows, engine->ranks);
                assert_int_equal(group->columns, engine->files);
            }
            next += group->items * group->rows * group->columns;
        }
        assert_int_equal(next, engine->weight_count);
    }
}

/* Plays random moves that do not end the game, up to `plies`; one that does where there is no other. */
static void play_long(const Engine *engine, Game *game, size_t plies, uint64_t seed)
{
    Rng rng = rng_from(seed, 0);
    Move moves[ENGINE_MAX_MOVES], replies[ENGINE_MAX_MOVES];
    size_t count;
    while ((count = engine->game_moves(game, moves)) > 0 && engine->game_plies(game) < plies) {
        while (count > 0) {
            size_t chosen = rng_below(&rng, count);
            assert_int_equal(engine->game_play(game, moves[chosen], NULL), STATUS_OK);
            if (count == 1 || engine->game_moves(game, replies) > 0)
                break;
            engine->game_undo(game);
            moves[chosen] = moves[--count];
        }
    }
}

/* A game far longer than the first reserve of its stack is taken back move by move. */
static void test_long_game(void **state)
{
    (void)state;
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        Game *game = engine->game_new(NULL);
        assert_non_null(game);
        for (uint64_t seed = 1; engine->game_plies(game) < 600 && seed < 100; seed++) {
            engine->game_set(game, NULL, NULL);
            play_long(engine, game, 3000, seed);
        }
        assert_true(engine->game_plies(game) >= 600);
        while (engine->game_plies(game))
            engine->game_undo(game);
        assert_fen(engine, game, engine->start_fen);
        engine->game_free(game);
    }
}

/* A copy is equal and independent, and keeps its history. */
static void test_copy(void **state)
{
    (void)state;
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        Game *game = engine->game_new(NULL), *copy = engine->game_new(NULL);
        assert_non_null(game);
        assert_non_null(copy);
        char fen[ENGINE_MAX_FEN];
        play_random(engine, game, 40, 7);
        play_random(engine, copy, 300, 8);
        engine->game_fen(game, fen);
        assert_int_equal(engine->game_copy(copy, game, NULL), STATUS_OK);
        assert_fen(engine, copy, fen);
        assert_int_equal(engine->game_key(copy), engine->game_key(game));
        assert_int_equal(engine->game_plies(copy), engine->game_plies(game));
        engine->game_free(game);
        while (engine->game_plies(copy))
            engine->game_undo(copy);
        assert_fen(engine, copy, engine->start_fen);
        engine->game_free(copy);
    }
}

/* A FEN that is refused leaves the game alone, history included. */
static void test_refused_fen(void **state)
{
    (void)state;
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        Game *game = engine->game_new(NULL);
        assert_non_null(game);
        char fen[ENGINE_MAX_FEN];
        play_random(engine, game, 20, 9);
        engine->game_fen(game, fen);
        Error err;
        assert_int_equal(engine->game_set(game, "nonsense", &err), STATUS_FORMAT);
        assert_true(err.message[0] != '\0');
        assert_int_equal(engine->game_set(game, "", NULL), STATUS_FORMAT);
        assert_fen(engine, game, fen);
        assert_int_equal(engine->game_plies(game), 20);
        engine->game_free(game);
    }
}

static void test_picture(void **state)
{
    (void)state;
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        Game *game = engine->game_new(NULL);
        assert_non_null(game);
        char *picture = engine->game_picture(game);
        assert_non_null(picture);
        assert_non_null(strstr(picture, engine->start_fen));
        free(picture);
        engine->game_free(game);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),       cmocka_unit_test(test_term_groups),
        cmocka_unit_test(test_long_game),   cmocka_unit_test(test_copy),
        cmocka_unit_test(test_refused_fen), cmocka_unit_test(test_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
