/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimate.c - what a run will take, from a few games played for it. */
#include "generator/estimate.h"

#include "support/clock.h"

enum { SAMPLE_SECONDS = 1, ASSUMED_PLIES = 100 };
static const double bytes_per_ply = 1.5; /* measured on finished datasets, whole files */

/* Seconds that the search of one move takes, from a single search that is cut short. */
static double seconds_per_search(Player *player, const RunPlan *plan, double longest)
{
    SearchLimits limits = {.depth = plan->game.depth,
                           .nodes = plan->game.nodes,
                           .nodes_soft = plan->game.nodes_soft,
                           .movetime_ms = (int64_t)(longest * 1000),
                           .has_movetime = true};
    const Engine *engine = player->engine;
    engine->search_clear(player->search);
    double began = clock_seconds();
    SearchResult result = engine->search_run(player->search, player->game, &limits, NULL, NULL);
    double seconds = clock_seconds_since(began);
    uint64_t wanted = plan->game.nodes_soft > 0 ? plan->game.nodes_soft : plan->game.nodes;
    if (result.nodes > 0 && wanted > result.nodes && seconds >= longest * 0.9)
        seconds *= (double)wanted / (double)result.nodes;
    return seconds;
}

Status estimate_run(const RunPlan *plan, Estimate *estimate, Error *err)
{
    Player player;
    Status status = player_open(&player, plan->game.engine, plan->weights, plan->hash_mib, err);
    if (status != STATUS_OK)
        return status;
    double search = seconds_per_search(&player, plan, SAMPLE_SECONDS);
    double games = 0, plies = 0, seconds = 0;
    atomic_bool stop;
    atomic_init(&stop, false);
    if (search * ASSUMED_PLIES < SAMPLE_SECONDS) {
        GameRecord record = {0};
        double began = clock_seconds();
        while (status == STATUS_OK && seconds < SAMPLE_SECONDS &&
               games < (double)plan->range.count) {
            GameTally tally;
            status = player_play(&player, &plan->game, plan->range.first + (uint64_t)games, &stop,
                                 &record, &tally, err);
            games++;
            plies += (double)record.ply_count;
            seconds = clock_seconds_since(began);
        }
        game_record_free(&record);
    } else {
        games = 1;
        plies = ASSUMED_PLIES;
        seconds = search * ASSUMED_PLIES;
    }
    player_close(&player);
    if (status != STATUS_OK)
        return status;
    double scale = (double)plan->range.count / games;
    estimate->plies = plies * scale;
    estimate->seconds = seconds * scale / plan->threads;
    estimate->bytes = estimate->plies * bytes_per_ply;
    return STATUS_OK;
}
