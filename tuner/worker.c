/* SPDX-License-Identifier: GPL-3.0-or-later */
/* worker.c - which positions of a game are used, and in which part. */
#include "worker.h"

#include "support/rng.h"
#include "tie.h"

#include <stdlib.h>
#include <string.h>

enum { CHECK_ONE_IN = 16, CHECK_FIRST_GAMES = 64 };

uint64_t chunk_rows(const Chunk *chunk)
{
    uint64_t rows = 0;
    for (int part = 0; part < PART_COUNT; part++)
        rows += chunk->parts[part].count;
    return rows;
}

void chunk_free(Chunk *chunk)
{
    for (int part = 0; part < PART_COUNT; part++)
        rows_free(&chunk->parts[part]);
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        free(chunk->first[skip]);
}

void worker_free(Worker *worker)
{
    if (worker->engine) {
        if (worker->game)
            worker->engine->game_free(worker->game);
        if (worker->search)
            worker->engine->search_free(worker->search);
    }
    trace_check_free(worker->check);
    free(worker->used);
    for (int i = 0; i < CHUNK_GAMES; i++)
        game_record_free(&worker->records[i]);
}

/* Which weights belong to the groups that a list names: malloc'ed, [weight_count]. */
static Status used_weights(const Engine *engine, const char *terms, bool **used, Error *err)
{
    *used = calloc((size_t)engine->weight_count, sizeof **used);
    if (!*used)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the terms");
    for (const char *at = terms;; at++) {
        size_t length = strcspn(at, ",");
        const TermGroup *group = NULL;
        for (int g = 0; g < engine->term_group_count; g++)
            if (strlen(engine->term_groups[g].name) == length &&
                !strncmp(engine->term_groups[g].name, at, length))
                group = &engine->term_groups[g];
        if (!group)
            return error_set(err, STATUS_ARGUMENT,
                             "--terms: '%.*s' is no term of %s; the first is '%s', and the weights "
                             "header has them all",
                             (int)length, at, engine->name, engine->term_groups[0].name);
        for (int i = 0; i < group->items * group->rows * group->columns; i++)
            (*used)[group->first + i] = true;
        at += length;
        if (!*at)
            return STATUS_OK;
    }
}

Status terms_check(const Engine *engine, const char *terms, Error *err)
{
    bool *used = NULL;
    Status status = used_weights(engine, terms, &used, err);
    free(used);
    return status;
}

Status worker_init(Worker *worker, const LoadOptions *options, const Sample *sample, Error *err)
{
    const Engine *engine = sample->engine;
    const Weight *weights = options->weights ? options->weights : engine->default_weights;
    memset(worker, 0, sizeof *worker);
    worker->options = options;
    worker->engine = engine;
    worker->weights = weights;
    worker->split = sample->split;
    worker->stands = sample->stands;
    Status status =
        options->terms ? used_weights(engine, options->terms, &worker->used, err) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    worker->game = engine->game_new(err);
    if (!worker->game)
        return STATUS_NO_MEMORY;
    if (options->quiet_margin_cp > 0) {
        worker->search = engine->search_new(1, 1, err);
        if (!worker->search)
            return STATUS_NO_MEMORY;
        engine->search_set_weights(worker->search, weights);
    }
    return trace_check_new(&worker->check, engine, weights, err);
}

Part part_of(const Worker *worker, uint64_t seed, uint64_t number)
{
    if (!worker->split)
        return PART_TRAIN;
    Rng rng = rng_from(worker->options->seed ^ (seed * UINT64_C(0x9e3779b97f4a7c15)), number);
    double u = rng_real(&rng);
    if (u < worker->options->test)
        return PART_TEST;
    return u < worker->options->test + worker->options->validation ? PART_VALIDATION : PART_TRAIN;
}

bool worker_quiet(Worker *worker)
{
    if (!worker->search)
        return true;
    const Engine *engine = worker->engine;
    int evaluation = engine->evaluate(worker->game, worker->weights);
    if (engine->game_side(worker->game) == SIDE_BLACK)
        evaluation = -evaluation;
    /* What the table remembers must not decide: it depends on what this thread saw before. */
    engine->search_clear(worker->search);
    int difference = engine->quiescence(worker->search, worker->game) - evaluation;
    return abs(difference) <= worker->options->quiet_margin_cp;
}

Status add_position(Worker *worker, Rows *rows, Origin *origin, bool follows, Error *err)
{
    Trace *before = &worker->traces[worker->current], *trace = &worker->traces[!worker->current];
    worker->engine->trace(worker->game, trace);
    if (worker->used) {
        size_t kept = 0;
        for (size_t i = 0; i < trace->count; i++)
            if (worker->used[trace->entries[i].weight])
                trace->entries[kept++] = trace->entries[i];
        trace->count = kept;
    }
    if (worker->stands)
        tie_trace(worker->stands, trace);
    origin->key = worker->engine->game_key(worker->game);
    worker->current = !worker->current;
    return rows_add(rows, follows ? before : NULL, trace, origin, err);
}

bool mate_score(int score)
{
    return score > SCORE_MATE_BOUND || score < -SCORE_MATE_BOUND;
}

/* Compares trace and evaluation of the position of the game. */
static Status check_here(Worker *worker, const char *source, const GameRecord *record, size_t ply,
                         Chunk *chunk, Error *err)
{
    char name[200];
    snprintf(name, sizeof name, "%s: game %llu, ply %zu", source,
             (unsigned long long)record->number, ply);
    chunk->checked++;
    return trace_check(worker->check, worker->game, name, err);
}

/* Counts a position that is left out; with --check its trace is looked at all the same. */
static Status leave_position(Worker *worker, const char *source, const GameRecord *record,
                             size_t ply, Skip skip, Chunk *chunk, Error *err)
{
    chunk->skipped[skip]++;
    return worker->options->check_all ? check_here(worker, source, record, ply, chunk, err)
                                      : STATUS_OK;
}

/* Takes the position of the game as a row, and now and then compares trace and evaluation. */
static Status take_position(Worker *worker, const char *source, const GameRecord *record,
                            size_t ply, int score_white, Rows *rows, Origin *origin, Chunk *chunk,
                            Error *err)
{
    origin->ply = (uint16_t)(ply < UINT16_MAX ? ply : UINT16_MAX);
    origin->score_white = (int16_t)score_white;
    Status status = add_position(worker, rows, origin, worker->follows, err);
    worker->follows = true;
    if (status != STATUS_OK || !(worker->options->check_all || origin->key % CHECK_ONE_IN == 0 ||
                                 record->number < CHECK_FIRST_GAMES))
        return status;
    return check_here(worker, source, record, ply, chunk, err);
}

/*
 * The final position, where it stands for itself: it has a score, or the game is that position
 * only (imported from EPD and the like). Other games end where their last move led; nobody judged
 * that.
 */
static Status trace_final(Worker *worker, const char *source, const GameRecord *record, bool chosen,
                          Rows *rows, Origin *origin, Chunk *chunk, Error *err)
{
    const Engine *engine = worker->engine;
    const LoadOptions *options = worker->options;
    int score = record->has_final_score ? record->final_score_white_cp : SCORE_NONE;
    Skip skip = SKIP_COUNT;
    if (record->ply_count > 0 && record->plies[record->ply_count - 1].flags & PLY_RANDOM)
        skip = SKIP_AFTER_RANDOM;
    else if (!chosen)
        skip = SKIP_SHARE;
    else if (options->need_score && score == SCORE_NONE)
        skip = SKIP_NO_SCORE;
    else if (options->need_score && mate_score(score))
        skip = SKIP_MATE_SCORE;
    else if (engine->game_ending(worker->game).reason != END_NONE)
        skip = SKIP_ENDED;
    else if (engine->game_in_check(worker->game))
        skip = SKIP_CHECK;
    else if (!worker_quiet(worker))
        skip = SKIP_UNQUIET;
    if (skip != SKIP_COUNT)
        return leave_position(worker, source, record, record->ply_count, skip, chunk, err);
    return take_position(worker, source, record, record->ply_count, score, rows, origin, chunk,
                         err);
}

Status trace_game(Worker *worker, const char *source, uint64_t seed, const GameRecord *record,
                  Chunk *chunk, Error *err)
{
    const Engine *engine = worker->engine;
    const LoadOptions *options = worker->options;
    chunk->games++;
    chunk->plies += record->ply_count;
    bool draw = record->outcome == OUTCOME_DRAW;
    bool has_final = record->has_final_score || record->ply_count == 0;
    if (record->outcome == OUTCOME_NONE || (draw && !engine->has_draws)) {
        chunk->skipped[draw ? SKIP_DRAW : SKIP_UNFINISHED] += record->ply_count + has_final;
        return STATUS_OK;
    }
    Status status = engine->game_set(worker->game, record->start_fen, err);
    if (status != STATUS_OK)
        return status;
    /* Equal lone positions must not stand on both sides of the split. */
    Part part = record->ply_count == 0 ? part_of(worker, 0, engine->game_key(worker->game))
                                       : part_of(worker, seed, record->number);
    Rows *rows = &chunk->parts[part];
    worker->follows = false;
    Rng rng = rng_from(options->seed ^ UINT64_C(0x73686172652e0001), record->number ^ seed);
    Origin origin = {.game = (uint32_t)record->number,
                     .half_points = record->outcome == OUTCOME_WHITE ? 2
                                    : draw                           ? 1
                                                                     : 0};

    for (size_t ply = 0; ply < record->ply_count; ply++) {
        const PlyRecord *played = &record->plies[ply];
        bool chosen = options->share >= 1 || rng_real(&rng) < options->share;
        Skip skip = SKIP_COUNT;
        if ((int64_t)ply < options->skip_plies || played->flags & (PLY_RANDOM | PLY_BOOK))
            skip = SKIP_OPENING;
        else if (ply > 0 && record->plies[ply - 1].flags & PLY_RANDOM)
            skip = SKIP_AFTER_RANDOM;
        else if (!chosen)
            skip = SKIP_SHARE;
        else if (options->need_score && played->score_white_cp == SCORE_NONE)
            skip = SKIP_NO_SCORE;
        else if (options->need_score && mate_score(played->score_white_cp))
            skip = SKIP_MATE_SCORE;
        else if (engine->game_in_check(worker->game))
            skip = SKIP_CHECK;
        else if (engine->game_is_noisy(worker->game, played->move))
            skip = SKIP_NOISY;
        else if (!worker_quiet(worker))
            skip = SKIP_UNQUIET;
        status = skip == SKIP_COUNT
                     ? take_position(worker, source, record, ply, played->score_white_cp, rows,
                                     &origin, chunk, err)
                     : leave_position(worker, source, record, ply, skip, chunk, err);
        if (status != STATUS_OK)
            return status;
        if ((status = engine->game_play(worker->game, played->move, err)) != STATUS_OK)
            return status;
    }
    if (!has_final)
        return STATUS_OK;
    bool chosen = options->share >= 1 || rng_real(&rng) < options->share;
    return trace_final(worker, source, record, chosen, rows, &origin, chunk, err);
}

Status take_chunk(Sample *sample, Chunk *chunk, uint64_t max_positions, Error *err)
{
    uint64_t have = sample_rows(sample), coming = chunk_rows(chunk);
    /* What was read beyond the limit depends on the threads, so it leaves no trace at all. */
    if (sample->limited || (max_positions && have >= max_positions))
        return STATUS_OK;
    if (max_positions && have + coming > max_positions) {
        uint64_t room = max_positions - have;
        for (int part = 0; part < PART_COUNT; part++) {
            Rows *rows = &chunk->parts[part];
            size_t keep = (size_t)(rows->count * room / coming);
            sample->skipped[SKIP_LIMIT] += rows->count - keep;
            rows_truncate(rows, keep);
        }
        sample->limited = true;
    }
    for (int part = 0; part < PART_COUNT; part++) {
        Status status = rows_append(&sample->parts[part], &chunk->parts[part], err);
        if (status != STATUS_OK)
            return status;
    }
    sample->games += chunk->games;
    sample->plies += chunk->plies;
    sample->checked += chunk->checked;
    for (int skip = 0; skip < SKIP_COUNT; skip++) {
        sample->skipped[skip] += chunk->skipped[skip];
        if (!sample->first[skip]) {
            sample->first[skip] = chunk->first[skip];
            chunk->first[skip] = NULL;
        }
    }
    return STATUS_OK;
}
