/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rescore.c - searches games again (see rescore.h).
 *
 * Games are read in order into a ring, searched by all threads, and written in order. One mutex
 * guards the ring, the reader and the writer; a search takes a thousand times as long as what is
 * done under it. The thread that called only waits, shows progress and stops searches.
 */
#include "rescore.h"

#include "support/clock.h"
#include "support/interrupt.h"
#include "support/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A game on its way, or the end of a shard. */
typedef struct Slot {
    GameRecord record;
    size_t source;
    bool is_end, done;
} Slot;

typedef struct Run Run;

typedef struct Worker {
    Run *run;
    pthread_t thread;
    Search *search;
    Game *game;
    uint64_t positions, nodes; /* of the game at hand */
} Worker;

struct Run {
    const RescorePlan *plan;
    const Engine *engine;
    bool *kept; /* [sources] already there */
    Worker *workers;
    int worker_count;
    atomic_bool stop; /* read by workers without the mutex */

    pthread_mutex_t mutex;
    pthread_cond_t room;  /* a slot was freed, or the run ends */
    pthread_cond_t ended; /* a worker has ended                */
    /* The rest is under the mutex. */
    int running;
    Slot *ring; /* [capacity]; games are in [head, tail) modulo capacity */
    size_t capacity, head, tail;
    size_t source; /* being read; the number of sources when all are */
    ShardCursor *cursor;
    uint64_t read; /* games of the source read so far */
    ShardWriter *writer;
    RescoreStat stat;
    uint64_t done; /* positions of finished games, and of kept shards */
    Status status;
    Error error;
};

/* Notes the first failure and ends the run. Under the mutex. */
static void run_fail(Run *run, Status status, const Error *error)
{
    if (run->status == STATUS_OK) {
        run->status = status;
        run->error = *error;
    }
    atomic_store(&run->stop, true);
    pthread_cond_broadcast(&run->room);
}

/* --- a game ---------------------------------------------------------------------------------- */

/* The score of the position in worker->game, White's view. */
static Status search_position(Worker *worker, int16_t *score_white_cp, Error *err)
{
    const Engine *engine = worker->run->engine;
    SearchResult result =
        engine->search_run(worker->search, worker->game, &worker->run->plan->limits, NULL, NULL);
    if (atomic_load(&worker->run->stop)) /* it may be the score of a search cut short */
        return error_set(err, STATUS_INTERRUPTED, "interrupted");
    if (abs(result.score) > SCORE_MATE)
        return error_set(err, STATUS_FORMAT, "the search returned a score of %d", result.score);
    worker->positions++;
    worker->nodes += result.nodes;
    *score_white_cp =
        (int16_t)(engine->game_side(worker->game) == SIDE_WHITE ? result.score : -result.score);
    return STATUS_OK;
}

static Status score_game(Worker *worker, GameRecord *record, bool final_scores, Error *err)
{
    const Engine *engine = worker->run->engine;
    bool scored_only = worker->run->plan->scored_only;
    worker->positions = worker->nodes = 0;
    engine->search_clear(worker->search);
    Status status = engine->game_set(worker->game, record->start_fen, err);
    for (size_t i = 0; i < record->ply_count && status == STATUS_OK; i++) {
        PlyRecord *ply = &record->plies[i];
        if (!scored_only || ply->score_white_cp != SCORE_NONE)
            status = search_position(worker, &ply->score_white_cp, err);
        if (status == STATUS_OK)
            status = engine->game_play(worker->game, ply->move, err);
    }
    /* A game without moves is a position. */
    bool is_position = record->ply_count == 0 && final_scores && !scored_only;
    if (status == STATUS_OK && (record->has_final_score || is_position)) {
        status = search_position(worker, &record->final_score_white_cp, err);
        record->has_final_score = true;
    }
    return status;
}

/* --- reading and writing, under the mutex ---------------------------------------------------- */

static const ShardInfo *info_of(const Run *run, size_t source)
{
    const DeriveSource *from = &run->plan->input->sources[source];
    return dataset_shard_info(from->dataset, from->shard);
}

/* Puts the next game, or the end of a shard, into the slot at the tail; *none if there is no
 * more. */
static Status read_next(Run *run, bool *none, Error *err)
{
    const DeriveInput *input = run->plan->input;
    while (run->source < input->source_count && run->kept[run->source])
        run->source++;
    *none = run->source == input->source_count;
    if (*none)
        return STATUS_OK;
    const DeriveSource *source = &input->sources[run->source];
    Status status = STATUS_OK;
    if (!run->cursor) {
        status = shard_cursor_open(&run->cursor, source->dataset, source->shard, err);
        run->read = 0;
    }
    Slot *slot = &run->ring[run->tail % run->capacity];
    bool end = false;
    if (status == STATUS_OK)
        status = shard_cursor_next(run->cursor, &slot->record, &end, err);
    if (status != STATUS_OK)
        return status;
    slot->source = run->source;
    slot->is_end = slot->done = end;
    if (end) {
        shard_cursor_close(run->cursor);
        run->cursor = NULL;
        run->source++;
    } else if (input->renumber) {
        slot->record.number = source->base + run->read;
    }
    run->read++;
    run->tail++;
    return STATUS_OK;
}

static Status open_writer(Run *run, size_t index, Error *err)
{
    const RescorePlan *plan = run->plan;
    const DeriveSource *source = &plan->input->sources[index];
    ShardInfo info;
    Status status = derive_info(plan->input, source, plan->note, &info, err);
    if (status != STATUS_OK)
        return status;
    status = shard_writer_open(&run->writer, plan->out, source->number, &info, err);
    if (status == STATUS_OK)
        shard_writer_keep_nothing(run->writer);
    free(info.configuration);
    return status;
}

/* Writes what is finished at the head. */
static Status write_ready(Run *run, Error *err)
{
    Status status = STATUS_OK;
    while (status == STATUS_OK && run->head < run->tail &&
           run->ring[run->head % run->capacity].done) {
        Slot *slot = &run->ring[run->head % run->capacity];
        if (!run->writer)
            status = open_writer(run, slot->source, err);
        if (status == STATUS_OK && !slot->is_end) {
            status = shard_writer_push(run->writer, &slot->record, err);
            run->stat.games++;
        } else if (status == STATUS_OK) {
            ShardWriter *writer = run->writer;
            run->writer = NULL;
            status = shard_writer_close(writer, NULL, err);
            run->stat.shards++;
        }
        slot->done = false;
        run->head++;
        pthread_cond_broadcast(&run->room);
    }
    return status;
}

/* --- threads --------------------------------------------------------------------------------- */

/* Takes games and searches them until there are no more, or the run ends. */
static void work(Worker *worker)
{
    Run *run = worker->run;
    Error err = {0};
    pthread_mutex_lock(&run->mutex);
    while (!atomic_load(&run->stop)) {
        if (run->tail - run->head == run->capacity) {
            pthread_cond_wait(&run->room, &run->mutex);
            continue;
        }
        bool none = false;
        size_t place = run->tail % run->capacity;
        Status status = read_next(run, &none, &err);
        if (status == STATUS_OK && none)
            break;
        Slot *slot = &run->ring[place];
        if (status == STATUS_OK && !slot->is_end) {
            bool final_scores = info_of(run, slot->source)->final_scores;
            pthread_mutex_unlock(&run->mutex);
            status = score_game(worker, &slot->record, final_scores, &err);
            pthread_mutex_lock(&run->mutex);
            slot->done = true;
            run->done += worker->positions;
            run->stat.positions += worker->positions;
            run->stat.nodes += worker->nodes;
        }
        if (status == STATUS_OK)
            status = write_ready(run, &err);
        if (status != STATUS_OK)
            run_fail(run, status, &err);
    }
    run->running--;
    pthread_cond_signal(&run->ended);
    pthread_mutex_unlock(&run->mutex);
}

static void *thread_main(void *context)
{
    work(context);
    return NULL;
}

static Status worker_open(Worker *worker, Run *run, Error *err)
{
    const Engine *engine = run->engine;
    *worker = (Worker){.run = run, .game = engine->game_new(err)};
    if (!worker->game)
        return STATUS_NO_MEMORY;
    worker->search = engine->search_new(run->plan->hash_mib, 1, err);
    if (!worker->search) {
        engine->game_free(worker->game);
        return STATUS_NO_MEMORY;
    }
    engine->search_set_weights(worker->search, run->plan->weights);
    return STATUS_OK;
}

static void worker_close(Worker *worker)
{
    worker->run->engine->search_free(worker->search);
    worker->run->engine->game_free(worker->game);
}

/* Waits for the end; under the mutex. */
static void watch(Run *run, uint64_t positions)
{
    enum { TENTH_NS = 100000000 };
    Progress progress;
    progress_begin(&progress, "positions", positions, run->done);
    while (run->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += TENTH_NS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&run->ended, &run->mutex, &until);
        if (interrupted() && run->status == STATUS_OK) {
            Error error = {0};
            error_set(&error, STATUS_INTERRUPTED,
                      "interrupted; finished shards are kept, --resume goes on");
            run_fail(run, STATUS_INTERRUPTED, &error);
        }
        /* A search may have begun after the last time: stop until all threads have ended. */
        for (int i = 0; atomic_load(&run->stop) && i < run->worker_count; i++)
            run->engine->search_stop(run->workers[i].search);
        progress_update(&progress, run->done, NULL);
    }
    progress_end(&progress);
}

/* Notes which shards are there, and what is done with them. */
static Status find_kept(Run *run, Error *err)
{
    const DeriveInput *input = run->plan->input;
    Status status = rescore_find_kept(run->plan, run->kept, err);
    for (size_t i = 0; i < input->source_count && status == STATUS_OK; i++)
        if (run->kept[i]) {
            const DeriveSource *source = &input->sources[i];
            run->stat.kept_shards++;
            run->done += dataset_shard_stat(source->dataset, source->shard)->plies;
        }
    return status;
}

/* --- the run --------------------------------------------------------------------------------- */

static Status run_open(Run *run, Error *err)
{
    const RescorePlan *plan = run->plan;
    size_t threads = (size_t)plan->threads;
    pthread_condattr_t monotonic; /* a wait must not depend on the calendar */
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&run->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_cond_init(&run->room, NULL);
    pthread_mutex_init(&run->mutex, NULL);
    /* Games differ in length tenfold: as many may wait for the one at the head. */
    run->capacity = 16 * threads + 64;
    run->kept = calloc(plan->input->source_count, sizeof *run->kept);
    run->ring = calloc(run->capacity, sizeof *run->ring);
    run->workers = calloc(threads, sizeof *run->workers);
    if (!run->kept || !run->ring || !run->workers)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu threads", threads);
    Status status = find_kept(run, err);
    while (status == STATUS_OK && run->worker_count < plan->threads) {
        status = worker_open(&run->workers[run->worker_count], run, err);
        run->worker_count += status == STATUS_OK;
    }
    return status;
}

static void run_close(Run *run)
{
    for (int i = 0; i < run->worker_count; i++)
        worker_close(&run->workers[i]);
    for (size_t i = 0; run->ring && i < run->capacity; i++)
        game_record_free(&run->ring[i].record);
    shard_cursor_close(run->cursor);
    shard_writer_abandon(run->writer);
    free(run->kept);
    free(run->ring);
    free(run->workers);
    pthread_mutex_destroy(&run->mutex);
    pthread_cond_destroy(&run->room);
    pthread_cond_destroy(&run->ended);
}

static uint64_t plies_of(const DeriveInput *input)
{
    uint64_t plies = 0;
    for (size_t i = 0; i < input->source_count; i++)
        plies += dataset_shard_stat(input->sources[i].dataset, input->sources[i].shard)->plies;
    return plies;
}

Status rescore_run(const RescorePlan *plan, RescoreStat *stat, Error *err)
{
    Run run = {.plan = plan, .engine = plan->input->engine};
    Status status = run_open(&run, err);
    if (status == STATUS_OK) {
        int started = 0;
        pthread_mutex_lock(&run.mutex);
        for (; started < run.worker_count; started++) {
            Worker *worker = &run.workers[started];
            errno = pthread_create(&worker->thread, NULL, thread_main, worker);
            if (errno != 0) {
                Error error = {0};
                run_fail(&run, error_set_errno(&error, "cannot start thread %d", started + 1),
                         &error);
                break;
            }
            run.running++;
        }
        watch(&run, plies_of(plan->input));
        pthread_mutex_unlock(&run.mutex);
        for (int i = 0; i < started; i++)
            pthread_join(run.workers[i].thread, NULL);
        status = run.status == STATUS_OK ? STATUS_OK
                                         : error_set(err, run.status, "%s", run.error.message);
    }
    *stat = run.stat;
    run_close(&run);
    return status;
}

Status rescore_estimate(const RescorePlan *plan, double *seconds, Error *err)
{
    enum { POSITIONS = 40 };
    Run run = {.plan = plan, .engine = plan->input->engine};
    Worker worker;
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    *seconds = 0;
    Status status = worker_open(&worker, &run, err);
    if (status != STATUS_OK)
        return status;
    bool end = false;
    const DeriveSource *first = &plan->input->sources[0];
    status = shard_cursor_open(&cursor, first->dataset, first->shard, err);
    while (status == STATUS_OK && record.ply_count == 0 && !end)
        status = shard_cursor_next(cursor, &record, &end, err);
    if (status == STATUS_OK && record.ply_count > POSITIONS)
        record.ply_count = POSITIONS;
    record.has_final_score = false;
    double began = clock_seconds();
    if (status == STATUS_OK && !end)
        status = score_game(&worker, &record, false, err);
    if (status == STATUS_OK && !end && worker.positions > 0)
        *seconds = clock_seconds_since(began) / (double)worker.positions;
    game_record_free(&record);
    shard_cursor_close(cursor);
    worker_close(&worker);
    return status;
}
