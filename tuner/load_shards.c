/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * load_shards.c - positions from datasets, by all threads at once.
 *
 * Work is cut into chunks of games. Reading a shard is sequential (a cursor), tracing is not: a
 * thread takes the shard's lock for as long as it reads a chunk and traces it after that. Each
 * thread keeps to a shard of its own while there are enough of them. Chunks go into the sample in
 * the order of the data, so it does not matter who did which, as soon as all before them have; what
 * has to wait is bounded, as threads turn to the first unfinished shard when it becomes much.
 */
#include "comm.h"
#include "exchange.h"
#include "worker.h"

#include "support/interrupt.h"
#include "support/progress.h"

#include <omp.h>
#include <stdlib.h>

enum { WAITING_MOST = 16 << 20 }; /* bytes of chunks that wait for those before them */

/* A shard that is being read. */
typedef struct ShardTask {
    const Dataset *dataset;
    const char *source;
    size_t index; /* in its dataset */
    uint64_t seed;
    ShardCursor *cursor;
    bool opened, ended;
    omp_lock_t lock; /* for the cursor */
    Chunk **chunks;  /* in order, under the lock of the job */
    size_t chunk_count, chunk_capacity;
} ShardTask;

typedef struct Job {
    ShardTask *tasks;
    size_t task_count, unopened; /* the next one nobody has begun */
    const LoadOptions *options;
    Sample *sample;
    omp_lock_t lock; /* for everything here */
    Status status;
    Error error;
    uint64_t games_done;
    Progress progress;
    /* The first chunk that is not in the sample yet, and the bytes of those that wait for it. */
    size_t front_task, front_chunk, waiting;
    bool enough; /* --max-positions is reached */
} Job;

static void fail(Job *job, Status status, const Error *error)
{
    omp_set_lock(&job->lock);
    if (job->status == STATUS_OK) {
        job->status = status;
        job->error = *error;
    }
    omp_unset_lock(&job->lock);
}

static size_t chunk_bytes(const Chunk *chunk)
{
    size_t bytes = 0;
    for (int part = 0; part < PART_COUNT; part++)
        bytes += rows_bytes(&chunk->parts[part]);
    return bytes;
}

/* Under the job's lock: moves the chunks at the front that are done into the sample. */
static Status take_front(Job *job, Error *err)
{
    Status status = STATUS_OK;
    while (status == STATUS_OK && job->front_task < job->task_count) {
        ShardTask *task = &job->tasks[job->front_task];
        if (job->front_chunk < task->chunk_count) {
            Chunk *chunk = task->chunks[job->front_chunk];
            if (!chunk->done)
                return STATUS_OK;
            job->waiting -= chunk_bytes(chunk);
            status = take_chunk(job->sample, chunk, job->options->max_positions, err);
            chunk_free(chunk);
            free(chunk);
            task->chunks[job->front_chunk++] = NULL;
            job->enough =
                job->options->max_positions &&
                (job->sample->limited || sample_rows(job->sample) >= job->options->max_positions);
        } else if (task->ended) {
            job->front_task++;
            job->front_chunk = 0;
        } else {
            return STATUS_OK;
        }
    }
    return status;
}

/* The shard to work on next; NULL when nothing is left to read. */
static ShardTask *claim(Job *job, ShardTask *mine)
{
    ShardTask *found = NULL;
    omp_set_lock(&job->lock);
    if (job->status == STATUS_OK && !job->enough) {
        ShardTask *front = job->front_task < job->unopened ? &job->tasks[job->front_task] : NULL;
        if (job->waiting > WAITING_MOST && front && !front->ended)
            found = front;
        else if (mine && !mine->ended)
            found = mine;
        else if (job->unopened < job->task_count)
            found = &job->tasks[job->unopened++];
        for (size_t i = 0; !found && i < job->task_count; i++)
            if (!job->tasks[i].ended)
                found = &job->tasks[i];
    }
    omp_unset_lock(&job->lock);
    return found;
}

/* Reads up to CHUNK_GAMES games. *chunk is NULL if there are none left. */
static Status read_chunk(Job *job, ShardTask *task, Worker *worker, size_t *games, Chunk **chunk,
                         Error *err)
{
    Status status = STATUS_OK;
    *games = 0;
    *chunk = NULL;
    omp_set_lock(&task->lock);
    bool ended = task->ended;
    if (!task->opened) {
        status = shard_cursor_open(&task->cursor, task->dataset, task->index, err);
        task->opened = status == STATUS_OK;
    }
    while (status == STATUS_OK && !ended && *games < CHUNK_GAMES) {
        status = shard_cursor_next(task->cursor, &worker->records[*games], &ended, err);
        if (status == STATUS_OK && !ended)
            ++*games;
    }
    Chunk *made = status == STATUS_OK && *games ? calloc(1, sizeof *made) : NULL;
    if (status == STATUS_OK && *games && !made)
        status = error_set(err, STATUS_NO_MEMORY, "no memory for positions");
    omp_set_lock(&job->lock);
    if (made && task->chunk_count == task->chunk_capacity) {
        size_t capacity = 2 * task->chunk_capacity + 16;
        Chunk **grown = realloc(task->chunks, capacity * sizeof *grown);
        if (grown) {
            task->chunks = grown;
            task->chunk_capacity = capacity;
        } else {
            free(made);
            made = NULL;
            status = error_set(err, STATUS_NO_MEMORY, "no memory for positions");
        }
    }
    if (made)
        task->chunks[task->chunk_count++] = made;
    if (ended || status != STATUS_OK)
        task->ended = true;
    omp_unset_lock(&job->lock);
    omp_unset_lock(&task->lock);
    *chunk = made;
    return status;
}

static void work(Job *job, Worker *worker)
{
    Error error;
    ShardTask *task = NULL;
    while ((task = claim(job, task)) != NULL) {
        size_t games;
        Chunk *chunk;
        Status status = read_chunk(job, task, worker, &games, &chunk, &error);
        for (size_t i = 0; status == STATUS_OK && i < games; i++)
            status =
                trace_game(worker, task->source, task->seed, &worker->records[i], chunk, &error);
        if (status == STATUS_OK && interrupted())
            status = error_set(&error, STATUS_INTERRUPTED, "stopped while loading");
        if (status != STATUS_OK) {
            fail(job, status, &error);
            return;
        }
        omp_set_lock(&job->lock);
        if (chunk) {
            chunk->done = true;
            job->waiting += chunk_bytes(chunk);
        }
        job->games_done += games;
        status = take_front(job, &error);
        progress_update(&job->progress, job->games_done, NULL);
        omp_unset_lock(&job->lock);
        if (status != STATUS_OK) {
            fail(job, status, &error);
            return;
        }
    }
}

/* The shards of all datasets in order; those of this process, if there are several. */
static Status list_tasks(Job *job, Dataset **datasets, Error *err)
{
    size_t all = 0, number = 0;
    for (size_t d = 0; d < job->options->data_count; d++)
        all += dataset_shard_count(datasets[d]);
    /* How many rows a shard gives is not known, so a limit makes everybody read everything. */
    bool alone = job->options->max_positions > 0;
    size_t begin = alone ? 0 : comm_share(all, comm_rank());
    size_t end = alone ? all : comm_share(all, comm_rank() + 1);
    job->tasks = calloc(all + 1, sizeof *job->tasks);
    if (!job->tasks)
        return error_set(err, STATUS_NO_MEMORY, "no memory to load %zu shards", all);
    for (size_t d = 0; d < job->options->data_count; d++)
        for (size_t s = 0; s < dataset_shard_count(datasets[d]); s++, number++) {
            if (number < begin || number >= end)
                continue;
            ShardTask *task = &job->tasks[job->task_count++];
            task->dataset = datasets[d];
            task->source = job->sample->sources[d].name;
            task->index = s;
            task->seed = dataset_shard_info(datasets[d], s)->seed;
            omp_init_lock(&task->lock);
        }
    return STATUS_OK;
}

static void free_tasks(Job *job)
{
    for (size_t t = 0; t < job->task_count; t++) {
        ShardTask *task = &job->tasks[t];
        for (size_t c = 0; c < task->chunk_count; c++)
            if (task->chunks[c]) {
                chunk_free(task->chunks[c]);
                free(task->chunks[c]);
            }
        free(task->chunks);
        shard_cursor_close(task->cursor);
        omp_destroy_lock(&task->lock);
    }
    free(job->tasks);
}

Status load_datasets(Sample *sample, const LoadOptions *options, Dataset **datasets, Error *err)
{
    Job job = {.options = options, .sample = sample};
    uint64_t games = 0;
    for (size_t d = 0; d < options->data_count; d++)
        games += dataset_game_count(datasets[d]);
    Status status = list_tasks(&job, datasets, err);
    if (status != STATUS_OK)
        return status;
    int threads = options->threads > 0 ? options->threads : 1;
    Worker *workers = calloc((size_t)threads, sizeof *workers);
    if (!workers)
        status = error_set(err, STATUS_NO_MEMORY, "no memory for %d threads", threads);
    for (int i = 0; i < threads && status == STATUS_OK; i++)
        status = worker_init(&workers[i], options, sample, err);
    if (status == STATUS_OK) {
        omp_init_lock(&job.lock);
        progress_begin(&job.progress, "games", games / (uint64_t)comm_size(), 0);
#pragma omp parallel num_threads(threads)
        work(&job, &workers[omp_get_thread_num()]);
        progress_end(&job.progress);
        omp_destroy_lock(&job.lock);
        status = job.status;
        if (status != STATUS_OK && err)
            *err = job.error;
    }
    for (int i = 0; workers && i < threads; i++)
        worker_free(&workers[i]);
    free(workers);
    free_tasks(&job);
    return options->max_positions ? comm_agree(status, err) : exchange_parts(sample, status, err);
}
