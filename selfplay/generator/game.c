/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * game.c - one self-play game as a pure function.
 */
#include "generator/game.h"

#include "generator/adjudication.h"
#include "generator/opening.h"
#include "generator/sampling.h"
#include "support/rng.h"

#include <stdlib.h>

Status player_open(Player *player, const Engine *engine, const Weight *weights, size_t hash_mib,
                   Error *err)
{
    Game *game = engine->game_new(err);
    if (game == NULL)
        return STATUS_NO_MEMORY;
    Search *search = engine->search_new(hash_mib, 1, err);
    if (search == NULL) {
        engine->game_free(game);
        return STATUS_NO_MEMORY;
    }
    engine->search_set_weights(search, weights);
    *player = (Player){.engine = engine, .search = search, .game = game};
    return STATUS_OK;
}

void player_close(Player *player)
{
    player->engine->search_free(player->search);
    player->engine->game_free(player->game);
    *player = (Player){0};
}

/* The state of a game while it is played. */
typedef struct Play {
    Player *player;
    const GameConfig *config;
    const atomic_bool *stop;
    GameRecord *record;
    GameTally *tally;
    Rng rng;
    size_t opening_plies; /* plies of the record that belong to the opening */
} Play;

/* Names the game and the ply at which the rules were broken. */
static Status violation(const Play *play, const char *what, Error *err)
{
    char fen[ENGINE_MAX_FEN];
    play->player->engine->game_fen(play->player->game, fen);
    return error_set(err, STATUS_FORMAT, "game %llu, ply %zu: %s (%s)",
                     (unsigned long long)play->record->number, play->record->ply_count + 1, what,
                     fen);
}

static bool is_sampled(const Play *play)
{
    size_t thought = play->record->ply_count - play->opening_plies;
    return thought < (size_t)play->config->sample_plies;
}

/* Searches the position; STATUS_INTERRUPTED if the result may be that of a stopped search. */
static Status think(Play *play, SearchResult *result, Error *err)
{
    const GameConfig *config = play->config;
    SearchLimits limits = {
        .depth = config->depth,
        .nodes = config->nodes,
        .nodes_soft = config->nodes_soft,
        .multi_pv = is_sampled(play) ? config->sample_lines : 1,
    };
    const Engine *engine = play->player->engine;
    *result = engine->search_run(play->player->search, play->player->game, &limits, NULL, NULL);
    if (atomic_load(play->stop))
        return error_set(err, STATUS_INTERRUPTED, "game %llu: stopped",
                         (unsigned long long)play->record->number);
    play->tally->nodes += result->nodes;
    if (result->nodes > play->tally->nodes_max)
        play->tally->nodes_max = result->nodes;
    if (config->nodes > 0 && result->nodes > config->nodes)
        return violation(play, "the search went beyond its limit of nodes", err);
    if (abs(result->score) > SCORE_MATE)
        return violation(play, "the search returned a score out of range", err);
    return STATUS_OK;
}

/* Draws openings until one is worth playing; `first` is the search of the position it leads to. */
static Status open_game(Play *play, SearchResult *first, Error *err)
{
    const GameConfig *config = play->config;
    const Engine *engine = play->player->engine;
    for (int attempt = 1;; attempt++) {
        /* Cleared for each attempt, so that no opening learns from another. */
        engine->search_clear(play->player->search);
        bool alive;
        Status status = opening_draw(engine, config->book, config->opening_plies, &play->rng,
                                     play->player->game, play->record, &alive, err);
        if (status != STATUS_OK)
            return status;
        play->opening_plies = play->record->ply_count;
        bool last = attempt == OPENING_ATTEMPTS;
        if (alive) {
            status = think(play, first, err);
            if (status != STATUS_OK)
                return status;
            /* A narrow window must not keep a book of sharp positions from being played at all. */
            int window = config->opening_window_cp << ((attempt - 1) / OPENING_WINDOW_DOUBLES);
            if (window == 0 || abs(first->score) <= window || last)
                break;
        } else if (last) {
            return error_set(err, STATUS_ARGUMENT,
                             "game %llu: all of %d openings ended the game: use fewer opening "
                             "plies or another book",
                             (unsigned long long)play->record->number, OPENING_ATTEMPTS);
        }
        play->tally->redraws++;
    }
    play->tally->opening_key = engine->game_key(play->player->game);
    return STATUS_OK;
}

/* The move to play after a search, and whether it was sampled instead of the best. */
static Move choose(Play *play, const SearchResult *result, uint8_t *flags)
{
    *flags = 0;
    if (!is_sampled(play) || result->line_count < 2)
        return result->best;
    int scores[ENGINE_MAX_MULTI_PV];
    for (size_t i = 0; i < result->line_count; i++)
        scores[i] = result->lines[i].score;
    size_t pick = sample_pick(scores, result->line_count, play->config->sample_margin_cp,
                              play->config->sample_half_life_cp, &play->rng);
    Move move = result->lines[pick].move;
    if (move != result->best)
        *flags = PLY_SAMPLED;
    return move;
}

/* Records and plays the move that follows from a search. */
static Status play_ply(Play *play, const SearchResult *result, uint8_t flags, Error *err)
{
    const Engine *engine = play->player->engine;
    Game *game = play->player->game;
    uint8_t sampled;
    Move move = choose(play, result, &sampled);

    Move moves[ENGINE_MAX_MOVES];
    size_t count = engine->game_moves(game, moves);
    bool legal = false;
    for (size_t i = 0; i < count && !legal; i++)
        legal = moves[i] == move;
    if (!legal)
        return violation(play, "the search chose an illegal move", err);

    int score = engine->game_side(game) == SIDE_WHITE ? result->score : -result->score;
    PlyRecord ply = {
        .move = move, .score_white_cp = (int16_t)score, .flags = (uint8_t)(flags | sampled)};
    Status status = game_record_add(play->record, ply, err);
    if (status == STATUS_OK)
        status = engine->game_play(game, move, err);
    play->tally->searched_plies++;
    return status;
}

/* FNV-1a over the start position and the moves. */
static uint64_t moves_key(const GameRecord *record)
{
    uint64_t key = UINT64_C(0xcbf29ce484222325);
    for (const char *c = record->start_fen; *c != '\0'; c++)
        key = (key ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < record->ply_count; i++)
        key = (key ^ record->plies[i].move) * UINT64_C(0x100000001b3);
    return key;
}

Status player_play(Player *player, const GameConfig *config, uint64_t number,
                   const atomic_bool *stop, GameRecord *record, GameTally *tally, Error *err)
{
    const Engine *engine = player->engine;
    *tally = (GameTally){0};
    record->number = number;
    record->outcome = OUTCOME_NONE;
    record->adjudication = OUTCOME_NONE;
    record->reason = REASON_CAP;
    record->ply_count = 0;
    Play play = {.player = player,
                 .config = config,
                 .stop = stop,
                 .record = record,
                 .tally = tally,
                 .rng = rng_from(config->seed, number)};
    /* Drawn first: whether a verdict is checked must not depend on how the game goes. */
    bool play_out = rng_below(&play.rng, 100) < (uint64_t)config->play_out_percent;

    SearchResult result;
    Status status = open_game(&play, &result, err);
    if (status != STATUS_OK)
        return status;
    Adjudicator adjudicator = adjudicator_make(config->adjudicate_cp, config->adjudicate_plies);
    uint8_t flags = 0;
    for (;;) {
        status = play_ply(&play, &result, flags, err);
        if (status != STATUS_OK)
            return status;
        Outcome verdict =
            adjudicator_feed(&adjudicator, record->plies[record->ply_count - 1].score_white_cp);
        Ending ending = engine->game_ending(player->game);
        if (ending.reason != END_NONE) { /* the rules come before any verdict */
            record->outcome = ending.outcome;
            record->reason = (int)ending.reason;
            break;
        }
        if (verdict != OUTCOME_NONE && record->adjudication == OUTCOME_NONE) {
            if (!play_out) {
                record->outcome = verdict;
                record->reason = REASON_ADJUDICATED;
                break;
            }
            record->adjudication = verdict;
            flags = PLY_PLAYED_OUT;
        }
        if (record->ply_count >= (size_t)config->max_plies)
            break; /* unfinished, as set above */
        status = think(&play, &result, err);
        if (status != STATUS_OK)
            return status;
    }
    if (record->outcome == OUTCOME_DRAW && !engine->has_draws)
        return violation(&play, "a draw in a game without draws", err);
    if (record->outcome == OUTCOME_NONE && record->reason != REASON_CAP)
        return violation(&play, "an ending without an outcome", err);
    tally->moves_key = moves_key(record);
    return STATUS_OK;
}
