/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine_test.c - real games: pure functions of their number that another rules run agrees with. */
#include "test.h"

#include "generator/game.h"

#include <stdlib.h>
#include <string.h>

static Error err;
static atomic_bool stop;

static GameConfig quick_config(const Engine *engine)
{
    return (GameConfig){.engine = engine,
                        .seed = 11,
                        .nodes = 150,
                        .opening_plies = 8,
                        .opening_window_cp = 600,
                        .sample_plies = 6,
                        .sample_lines = 4,
                        .sample_margin_cp = 60,
                        .sample_half_life_cp = 30,
                        .adjudicate_cp = 2500,
                        .adjudicate_plies = 6,
                        .play_out_percent = 50,
                        .max_plies = 300};
}

/* The game's moves as text are legal one by one, and the rules end it where it ended. */
static void assert_replays(const Engine *engine, const GameRecord *record)
{
    Game *game = engine->game_new(&err);
    assert_non_null(game);
    assert_int_equal(engine->game_set(game, record->start_fen, &err), STATUS_OK);
    for (size_t i = 0; i < record->ply_count; i++) {
        assert_int_equal(engine->game_ending(game).reason, END_NONE);
        char text[ENGINE_MAX_MOVE_TEXT];
        engine->move_uci(game, record->plies[i].move, text);
        Move move;
        assert_int_equal(engine->move_from_uci(game, text, &move, &err), STATUS_OK);
        assert_int_equal(move, record->plies[i].move);
        assert_int_equal(engine->game_play(game, move, &err), STATUS_OK);
    }
    Ending ending = engine->game_ending(game);
    if (record->reason < END_REASON_COUNT) {
        assert_int_equal(ending.reason, record->reason);
        assert_int_equal(ending.outcome, record->outcome);
    } else {
        assert_int_equal(ending.reason, END_NONE);
    }
    engine->game_free(game);
}

static void games_of_every_variant_are_pure(void **state)
{
    (void)state;
    enum { GAMES = 6 };
    for (size_t v = 0; engine_at(v) != NULL; v++) {
        const Engine *engine = engine_at(v);
        GameConfig config = quick_config(engine);
        Player first, second;
        assert_int_equal(player_open(&first, engine, NULL, 1, &err), STATUS_OK);
        assert_int_equal(player_open(&second, engine, NULL, 1, &err), STATUS_OK);
        GameRecord records[GAMES] = {{0}}, again = {0};
        GameTally tally, tally_again;
        uint64_t keys[GAMES];
        for (uint64_t number = 0; number < GAMES; number++) {
            assert_int_equal(
                player_play(&first, &config, number, &stop, &records[number], &tally, &err),
                STATUS_OK);
            keys[number] = tally.moves_key;
            assert_true(tally.nodes_max <= 150);
            assert_replays(engine, &records[number]);
        }
        for (uint64_t number = GAMES; number-- > 0;) {
            const GameRecord *record = &records[number];
            assert_int_equal(
                player_play(&second, &config, number, &stop, &again, &tally_again, &err),
                STATUS_OK);
            assert_int_equal(tally_again.moves_key, keys[number]);
            assert_int_equal(again.ply_count, record->ply_count);
            assert_int_equal(again.outcome, record->outcome);
            assert_int_equal(again.reason, record->reason);
            for (size_t i = 0; i < again.ply_count; i++) {
                assert_int_equal(again.plies[i].move, record->plies[i].move);
                assert_int_equal(again.plies[i].score_white_cp, record->plies[i].score_white_cp);
                assert_int_equal(again.plies[i].flags, record->plies[i].flags);
            }
        }
        for (int i = 0; i < GAMES; i++)
            game_record_free(&records[i]);
        game_record_free(&again);
        player_close(&first);
        player_close(&second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(games_of_every_variant_are_pure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
