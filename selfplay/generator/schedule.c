/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule.c - plays the games of a run on several threads and writes them in order.
 *
 * All shared state is in one Run under one mutex; a thread holds it to take a game and to hand it
 * in, a few microseconds each. What a thread writes without the mutex is its own: the record it
 * plays into, and the file of a shard that it has marked as busy.
 *
 * Games go to the file as soon as all before them are there: a process that is killed leaves them.
 */
#include "generator/schedule.h"

#include "key_set.h"
#include "support/clock.h"
#include "support/interrupt.h"
#include "support/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef enum ShardState { SHARD_WAITING, SHARD_OPEN, SHARD_DONE } ShardState;

typedef struct Shard {
    ShardState state;
    ShardWriter *writer;   /* while open: it holds the lock on the shard */
    uint64_t first, count; /* game numbers                               */
    uint64_t finished;     /* games that are there                       */
    GameRecord *records;   /* [count] while open                         */
    bool *present;         /* [count] while open                         */
    uint64_t ready;        /* the first so many are there                */
    uint64_t written;      /* and so many of these are with the writer   */
    bool busy;             /* a thread is writing: records from `written` to before `ready`
                              and the writer are its own                 */
} Shard;

typedef struct Run {
    const RunPlan *plan;
    pthread_mutex_t mutex;
    pthread_cond_t ended; /* all workers have ended */
    bool has_ended;
    /* Set once, when the run is to end early; read by the workers without the mutex. */
    atomic_bool stop;

    /* The rest is under the mutex. */
    Status status;
    Error error;
    uint64_t next; /* game number to hand out, seen from first */
    unsigned first_shard;
    size_t shard_count;
    Shard *shards;
    Player **players; /* [threads] NULL = not (or no longer) there */
    RunStat stat;
    KeySet games_seen, openings_seen;
    Progress progress;
    double began;
} Run;

/* Notes the first failure and ends the run. Under the mutex. */
static void run_fail(Run *run, Status status, const Error *error)
{
    if (run->status == STATUS_OK) {
        run->status = status;
        run->error = *error;
    }
    atomic_store(&run->stop, true);
}

static void shard_free(Shard *shard)
{
    shard_writer_abandon(shard->writer);
    shard->writer = NULL;
    if (shard->records != NULL) {
        for (uint64_t i = 0; i < shard->count; i++)
            game_record_free(&shard->records[i]);
    }
    free(shard->records);
    free(shard->present);
    shard->records = NULL;
    shard->present = NULL;
}

/* Moves the games of an earlier, interrupted run into an open shard. */
static Status shard_load_partial(const RunPlan *plan, Shard *shard, unsigned number,
                                 const ShardInfo *info, Error *err)
{
    GameRecord *records = NULL;
    size_t count = 0;
    Status status = shard_partial_load(plan->directory, number, info, &records, &count, err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        uint64_t index = records[i].number - shard->first;
        if (index < shard->count && !shard->present[index]) {
            shard->records[index] = records[i];
            shard->present[index] = true;
            shard->finished++;
        } else {
            game_record_free(&records[i]);
        }
    }
    free(records);
    return STATUS_OK;
}

static Status shard_open(const RunPlan *plan, Shard *shard, unsigned number, Error *err)
{
    ShardInfo info = plan->info;
    range_of_shard(&plan->range, number, &info);
    shard->records = calloc(shard->count, sizeof *shard->records);
    shard->present = calloc(shard->count, sizeof *shard->present);
    if (shard->records == NULL || shard->present == NULL)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the %llu games of shard %u",
                         (unsigned long long)shard->count, number);
    Status status = shard_writer_open(&shard->writer, plan->directory, number, &info, err);
    if (status != STATUS_OK)
        return status;
    shard->state = SHARD_OPEN;
    return shard_load_partial(plan, shard, number, &info, err);
}

/* Hands games to the writer; what is not there is left out. Their records are spent. */
static Status shard_push(const Shard *shard, uint64_t from, uint64_t to, Error *err)
{
    Status status = STATUS_OK;
    for (uint64_t i = from; i < to && status == STATUS_OK; i++) {
        if (shard->present[i])
            status = shard_writer_push(shard->writer, &shard->records[i], err);
        game_record_free(&shard->records[i]);
    }
    return status;
}

/*
 * Writes what can be written, and finishes the shard after its last game. Under the mutex, which is
 * free while a file is written. Does nothing while another thread is at it, which will then see
 * what has come in meanwhile.
 */
static Status shard_advance(Run *run, Shard *shard, Error *err)
{
    Status status = STATUS_OK;
    while (shard->ready < shard->count && shard->present[shard->ready])
        shard->ready++;
    while (status == STATUS_OK && !shard->busy && shard->written < shard->ready) {
        uint64_t from = shard->written, to = shard->ready;
        bool last = to == shard->count;
        shard->busy = true;
        pthread_mutex_unlock(&run->mutex);
        status = shard_push(shard, from, to, err);
        if (status == STATUS_OK && last) {
            status = shard_writer_close(shard->writer, NULL, err);
            shard->writer = NULL;
        }
        pthread_mutex_lock(&run->mutex);
        shard->written = to;
        shard->busy = false;
        if (last) {
            shard_free(shard);
            shard->state = SHARD_DONE;
        }
    }
    return status;
}

/* Keeps the finished games of an incomplete shard. */
static Status shard_suspend(Shard *shard, Error *err)
{
    if (shard->finished == 0)
        return STATUS_OK;
    Status status = shard_push(shard, shard->written, shard->count, err);
    if (status == STATUS_OK) {
        status = shard_writer_suspend(shard->writer, err);
        shard->writer = NULL;
    }
    return status;
}

/*
 * The next game to play, with the shard it belongs to; false when none is left or the run is to
 * end. Under the mutex, which is free while a file is written.
 */
static bool run_take(Run *run, uint64_t *number, Shard **owner)
{
    const GameRange *range = &run->plan->range;
    while (!atomic_load(&run->stop) && run->next < range->count) {
        uint64_t game = range->first + run->next;
        size_t index = (size_t)(game / range->shard_games - run->first_shard);
        Shard *shard = &run->shards[index];
        if (shard->state == SHARD_WAITING) {
            Error error;
            Status status =
                shard_open(run->plan, shard, run->first_shard + (unsigned)index, &error);
            run->stat.kept_games += shard->finished;
            if (status == STATUS_OK)
                status = shard_advance(run, shard, &error);
            if (status != STATUS_OK) {
                run_fail(run, status, &error);
                return false;
            }
            continue; /* the mutex was free: somebody may have taken the game */
        }
        if (shard->state == SHARD_DONE) {
            run->next = shard->first + shard->count - range->first;
            continue;
        }
        run->next++;
        if (!shard->present[game - shard->first]) {
            *number = game;
            *owner = shard;
            return true;
        }
    }
    return false;
}

static void run_count(Run *run, const GameRecord *record, const GameTally *tally)
{
    RunStat *stat = &run->stat;
    stat->games++;
    stat->plies += record->ply_count;
    stat->searched_plies += tally->searched_plies;
    stat->outcomes[record->outcome]++;
    stat->reasons[record->reason]++;
    stat->redraws += tally->redraws;
    stat->nodes += tally->nodes;
    if (tally->nodes_max > stat->nodes_max)
        stat->nodes_max = tally->nodes_max;
    if (record->adjudication != OUTCOME_NONE) {
        if (record->outcome == OUTCOME_NONE)
            stat->adjudication_unresolved++;
        else
            stat->adjudication_checked++;
        if (record->outcome != OUTCOME_NONE && record->outcome != record->adjudication)
            stat->adjudication_errors++;
    }
    key_set_add(&run->games_seen, tally->moves_key);
    key_set_add(&run->openings_seen, tally->opening_key);
}

/* Takes in a finished game (its record is spent). Under the mutex, which is free while a file is
 * written. */
static Status run_deliver(Run *run, Shard *shard, GameRecord *record, const GameTally *tally,
                          Error *err)
{
    uint64_t index = record->number - shard->first;
    run_count(run, record, tally);
    shard->records[index] = *record;
    *record = (GameRecord){0};
    shard->present[index] = true;
    shard->finished++;
    return shard_advance(run, shard, err);
}

/* Plays games until none is left. */
static void worker(Run *run, int thread)
{
    const RunPlan *plan = run->plan;
    Player player;
    Error error;
    Status status = player_open(&player, plan->game.engine, plan->weights, plan->hash_mib, &error);
    if (status != STATUS_OK) {
        pthread_mutex_lock(&run->mutex);
        run_fail(run, status, &error);
        pthread_mutex_unlock(&run->mutex);
        return;
    }
    pthread_mutex_lock(&run->mutex);
    run->players[thread] = &player;
    uint64_t number;
    Shard *shard;
    while (run_take(run, &number, &shard)) {
        pthread_mutex_unlock(&run->mutex);
        GameRecord record = {0};
        GameTally tally;
        status = player_play(&player, &plan->game, number, &run->stop, &record, &tally, &error);
        pthread_mutex_lock(&run->mutex);
        if (status == STATUS_OK)
            status = run_deliver(run, shard, &record, &tally, &error);
        game_record_free(&record);
        if (status != STATUS_OK)
            run_fail(run, status, &error);
    }
    run->players[thread] = NULL;
    pthread_mutex_unlock(&run->mutex);
    player_close(&player);
}

/* Under the mutex. */
static void show_progress(Run *run)
{
    const RunStat *stat = &run->stat;
    double seconds = clock_seconds_since(run->began);
    char note[96];
    snprintf(note, sizeof note, "%.0f plies/s, %llu unfinished",
             seconds > 0 ? (double)stat->plies / seconds : 0.0,
             (unsigned long long)stat->outcomes[OUTCOME_NONE]);
    progress_update(&run->progress, stat->kept_games + stat->games, note);
}

/*
 * Looks after signals, failures and the display while the workers play. A stop has to be repeated
 * until they have ended, since a search that begins after it would not know of it.
 */
static void *watch(void *context)
{
    Run *run = context;
    pthread_mutex_lock(&run->mutex);
    while (!run->has_ended) {
        if (interrupted() && !atomic_load(&run->stop)) {
            Error error;
            error_set(&error, STATUS_INTERRUPTED, "interrupted");
            run_fail(run, STATUS_INTERRUPTED, &error);
        }
        if (atomic_load(&run->stop)) {
            for (int i = 0; i < run->plan->threads; i++) {
                if (run->players[i] != NULL)
                    run->plan->game.engine->search_stop(run->players[i]->search);
            }
        }
        show_progress(run);
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 20 * 1000 * 1000;
        if (until.tv_nsec >= 1000 * 1000 * 1000) {
            until.tv_nsec -= 1000 * 1000 * 1000;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&run->ended, &run->mutex, &until);
    }
    pthread_mutex_unlock(&run->mutex);
    return NULL;
}

static Status run_init(Run *run, const RunPlan *plan, Error *err)
{
    *run = (Run){.plan = plan, .status = STATUS_OK, .began = clock_seconds()};
    atomic_init(&run->stop, false);
    range_shards(&plan->range, &run->first_shard, &run->shard_count);
    run->shards = calloc(run->shard_count, sizeof *run->shards);
    run->players = calloc((size_t)plan->threads, sizeof *run->players);
    if (run->shards == NULL || run->players == NULL || !key_set_init(&run->games_seen) ||
        !key_set_init(&run->openings_seen)) {
        free(run->shards);
        free(run->players);
        key_set_free(&run->games_seen);
        return error_set(err, STATUS_NO_MEMORY, "no memory for a run of %zu shards",
                         run->shard_count);
    }
    for (size_t i = 0; i < run->shard_count; i++) {
        ShardInfo info = {0};
        range_of_shard(&plan->range, run->first_shard + (unsigned)i, &info);
        Shard *shard = &run->shards[i];
        shard->first = info.first_game;
        shard->count = info.game_count;
        if (shard_exists(plan->directory, run->first_shard + (unsigned)i)) {
            shard->state = SHARD_DONE;
            run->stat.kept_games += shard->count;
        }
    }
    pthread_mutex_init(&run->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&run->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    return STATUS_OK;
}

static void run_destroy(Run *run)
{
    for (size_t i = 0; i < run->shard_count; i++)
        shard_free(&run->shards[i]);
    free(run->shards);
    free(run->players);
    key_set_free(&run->games_seen);
    key_set_free(&run->openings_seen);
    pthread_cond_destroy(&run->ended);
    pthread_mutex_destroy(&run->mutex);
}

/* How many of `games` keys were there before. */
static uint64_t repeats(const KeySet *set, uint64_t games)
{
    return (uint64_t)(key_set_repeats(set) * (double)games + 0.5);
}

Status schedule_run(const RunPlan *plan, RunStat *stat, Error *err)
{
    *stat = (RunStat){0};
    Run run;
    Status status = run_init(&run, plan, err);
    if (status != STATUS_OK)
        return status;
    progress_begin(&run.progress, "games", plan->range.count, run.stat.kept_games);
    pthread_t watcher;
    int code = pthread_create(&watcher, NULL, watch, &run);
    if (code != 0) {
        errno = code;
        error_set_errno(err, "cannot start a thread");
        run_destroy(&run);
        return STATUS_IO;
    }
#pragma omp parallel for num_threads(plan->threads) schedule(static, 1)
    for (int thread = 0; thread < plan->threads; thread++)
        worker(&run, thread);

    pthread_mutex_lock(&run.mutex);
    run.has_ended = true;
    pthread_cond_signal(&run.ended);
    pthread_mutex_unlock(&run.mutex);
    pthread_join(watcher, NULL);
    progress_end(&run.progress);

    for (size_t i = 0; i < run.shard_count; i++) {
        Error error;
        if (run.shards[i].state != SHARD_OPEN)
            continue;
        status = shard_suspend(&run.shards[i], &error);
        /* A lost game is worse news than the signal that ended the run. */
        if (status != STATUS_OK && (run.status == STATUS_OK || run.status == STATUS_INTERRUPTED)) {
            run.status = status;
            run.error = error;
        }
    }
    run.stat.duplicate_games = repeats(&run.games_seen, run.stat.games);
    run.stat.duplicate_openings = repeats(&run.openings_seen, run.stat.games);
    *stat = run.stat;
    status = run.status;
    if (status != STATUS_OK)
        error_set(err, status, "%s", run.error.message);
    run_destroy(&run);
    return status;
}
