/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * load.c - positions worth fitting, from datasets and texts.
 *
 * Work is cut into chunks of games. Reading a shard is sequential (a cursor), tracing is not: a
 * thread takes the shard's lock for as long as it reads a chunk and traces it after that. Each
 * thread keeps to a shard of its own while there are enough of them. Chunks are put together in
 * the order of the data, so it does not matter who did which.
 */
#include "load.h"

#include "dataset.h"
#include "import.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/rng.h"
#include "trace_check.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { CHUNK_GAMES = 16, CHECK_ONE_IN = 16, CHECK_FIRST_GAMES = 64 };

const char *skip_text(Skip skip)
{
#define SKIP_TEXT(id, text) text,
    static const char *const texts[] = {SKIP_REASONS(SKIP_TEXT)};
#undef SKIP_TEXT
    return texts[skip];
}

/* What a thread needs to look at positions. */
typedef struct Worker {
    const LoadOptions *options;
    const Engine *engine;
    const Weight *weights;
    bool split;
    bool *used; /* [weight_count] by --terms, NULL = all */
    Game *game;
    Search *search; /* only for the quiet filter */
    TraceCheck *check;
    Trace traces[2]; /* of the position that was added last and the one being added */
    int current;     /* which is the last                                           */
    bool follows;    /* there is one of this game already                           */
    GameRecord records[CHUNK_GAMES]; /* memory of one chunk, reused */
} Worker;

/* What came out of a chunk. */
typedef struct Chunk {
    Rows parts[PART_COUNT];
    uint64_t games, plies, checked;
    uint64_t skipped[SKIP_COUNT];
    char *first[SKIP_COUNT]; /* of the lines of a text: which was the first, and why */
    bool done;
} Chunk;

static uint64_t chunk_rows(const Chunk *chunk)
{
    uint64_t rows = 0;
    for (int part = 0; part < PART_COUNT; part++)
        rows += chunk->parts[part].count;
    return rows;
}

static void chunk_free(Chunk *chunk)
{
    for (int part = 0; part < PART_COUNT; part++)
        rows_free(&chunk->parts[part]);
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        free(chunk->first[skip]);
}

static void worker_free(Worker *worker)
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

static Status worker_init(Worker *worker, const LoadOptions *options, const Engine *engine,
                          bool split, Error *err)
{
    const Weight *weights = options->weights ? options->weights : engine->default_weights;
    memset(worker, 0, sizeof *worker);
    worker->options = options;
    worker->engine = engine;
    worker->weights = weights;
    worker->split = split;
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

static Part part_of(const Worker *worker, uint64_t seed, uint64_t number)
{
    if (!worker->split)
        return PART_TRAIN;
    Rng rng = rng_from(worker->options->seed ^ (seed * UINT64_C(0x9e3779b97f4a7c15)), number);
    double u = rng_real(&rng);
    if (u < worker->options->test)
        return PART_TEST;
    return u < worker->options->test + worker->options->validation ? PART_VALIDATION : PART_TRAIN;
}

/* Is the position, with its side to move, as good as its evaluation says? */
static bool quiet(Worker *worker)
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

/* Appends the position; `follows`: to one of the same game. */
static Status add_position(Worker *worker, Rows *rows, Origin *origin, bool follows, Error *err)
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
    origin->key = worker->engine->game_key(worker->game);
    worker->current = !worker->current;
    return rows_add(rows, follows ? before : NULL, trace, origin, err);
}

/* --- datasets ------------------------------------------------------------------------------------
 */

static bool mate_score(int score)
{
    return score > SCORE_MATE_BOUND || score < -SCORE_MATE_BOUND;
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
    char name[200];
    snprintf(name, sizeof name, "%s: game %llu, ply %zu", source,
             (unsigned long long)record->number, ply);
    chunk->checked++;
    return trace_check(worker->check, worker->game, name, err);
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
    else if (!quiet(worker))
        skip = SKIP_UNQUIET;
    if (skip != SKIP_COUNT) {
        chunk->skipped[skip]++;
        return STATUS_OK;
    }
    return take_position(worker, source, record, record->ply_count, score, rows, origin, chunk,
                         err);
}

static Status trace_game(Worker *worker, const char *source, uint64_t seed,
                         const GameRecord *record, Chunk *chunk, Error *err)
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
        else if (!quiet(worker))
            skip = SKIP_UNQUIET;
        if (skip == SKIP_COUNT) {
            status = take_position(worker, source, record, ply, played->score_white_cp, rows,
                                   &origin, chunk, err);
            if (status != STATUS_OK)
                return status;
        } else {
            chunk->skipped[skip]++;
        }
        if ((status = engine->game_play(worker->game, played->move, err)) != STATUS_OK)
            return status;
    }
    if (!has_final)
        return STATUS_OK;
    bool chosen = options->share >= 1 || rng_real(&rng) < options->share;
    return trace_final(worker, source, record, chosen, rows, &origin, chunk, err);
}

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
    omp_lock_t lock; /* for everything here */
    Status status;
    Error error;
    uint64_t games_done;
    Progress progress;
    /* How far the chunks are done without a gap, and how many rows that gives. */
    size_t prefix_task, prefix_chunk;
    uint64_t prefix_rows;
    bool enough;
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

/* Under the job's lock: have the chunks at the front of the data enough rows already? */
static void advance_prefix(Job *job)
{
    while (job->options->max_positions && !job->enough && job->prefix_task < job->task_count) {
        ShardTask *task = &job->tasks[job->prefix_task];
        if (job->prefix_chunk < task->chunk_count) {
            Chunk *chunk = task->chunks[job->prefix_chunk];
            if (!chunk->done)
                return;
            job->prefix_rows += chunk_rows(chunk);
            job->prefix_chunk++;
            job->enough = job->prefix_rows >= job->options->max_positions;
        } else if (task->ended) {
            job->prefix_task++;
            job->prefix_chunk = 0;
        } else {
            return;
        }
    }
}

/* The shard to work on next; NULL when nothing is left to read. */
static ShardTask *claim(Job *job, ShardTask *mine)
{
    ShardTask *found = NULL;
    omp_set_lock(&job->lock);
    if (job->status == STATUS_OK && !job->enough) {
        if (mine && !mine->ended)
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
        if (chunk)
            chunk->done = true;
        job->games_done += games;
        advance_prefix(job);
        progress_update(&job->progress, job->games_done, NULL);
        omp_unset_lock(&job->lock);
    }
}

/* Moves a chunk's rows and counts into the sample, as far as the limit allows. */
static Status take_chunk(Sample *sample, Chunk *chunk, uint64_t max_positions, Error *err)
{
    uint64_t have = 0, coming = chunk_rows(chunk);
    for (int part = 0; part < PART_COUNT; part++)
        have += sample->parts[part].count;
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

/* Makes room for what all chunks hold, so that nothing is moved while they are put together. */
static Status reserve_parts(Sample *sample, const Job *job, Error *err)
{
    Status status = STATUS_OK;
    for (int part = 0; part < PART_COUNT && status == STATUS_OK; part++) {
        size_t rows = 0, changes = 0, chains = 0;
        for (size_t t = 0; t < job->task_count; t++)
            for (size_t c = 0; c < job->tasks[t].chunk_count; c++) {
                const Rows *from = &job->tasks[t].chunks[c]->parts[part];
                rows += from->count;
                changes += from->change_count;
                chains += from->chain_count;
            }
        status = rows_reserve(&sample->parts[part], rows, changes, chains, err);
    }
    return status;
}

static Status load_datasets(Sample *sample, const LoadOptions *options, Dataset **datasets,
                            Error *err)
{
    Job job = {.options = options};
    uint64_t games = 0;
    for (size_t d = 0; d < options->data_count; d++) {
        job.task_count += dataset_shard_count(datasets[d]);
        games += dataset_game_count(datasets[d]);
    }
    if (!job.task_count)
        return STATUS_OK;
    job.tasks = calloc(job.task_count, sizeof *job.tasks);
    int threads = options->threads > 0 ? options->threads : 1;
    Worker *workers = calloc((size_t)threads, sizeof *workers);
    Status status = STATUS_OK;
    if (!job.tasks || !workers) {
        free(job.tasks);
        free(workers);
        return error_set(err, STATUS_NO_MEMORY, "no memory to load %zu shards", job.task_count);
    }
    omp_init_lock(&job.lock);
    size_t t = 0;
    for (size_t d = 0; d < options->data_count; d++)
        for (size_t s = 0; s < dataset_shard_count(datasets[d]); s++, t++) {
            ShardTask *task = &job.tasks[t];
            task->dataset = datasets[d];
            task->source = sample->sources[d].name;
            task->index = s;
            task->seed = dataset_shard_info(datasets[d], s)->seed;
            omp_init_lock(&task->lock);
        }
    for (int i = 0; i < threads && status == STATUS_OK; i++)
        status = worker_init(&workers[i], options, sample->engine, sample->split, err);
    if (status == STATUS_OK) {
        progress_begin(&job.progress, "games", games, 0);
#pragma omp parallel num_threads(threads)
        work(&job, &workers[omp_get_thread_num()]);
        progress_end(&job.progress);
        status = job.status;
        if (status != STATUS_OK && err)
            *err = job.error;
    }
    if (status == STATUS_OK)
        status = reserve_parts(sample, &job, err);
    for (t = 0; t < job.task_count; t++) {
        ShardTask *task = &job.tasks[t];
        for (size_t c = 0; c < task->chunk_count; c++) {
            if (status == STATUS_OK)
                status = take_chunk(sample, task->chunks[c], options->max_positions, err);
            chunk_free(task->chunks[c]);
            free(task->chunks[c]);
        }
        free(task->chunks);
        shard_cursor_close(task->cursor);
        omp_destroy_lock(&task->lock);
    }
    omp_destroy_lock(&job.lock);
    for (int i = 0; i < threads; i++)
        worker_free(&workers[i]);
    free(workers);
    free(job.tasks);
    return status;
}

/* --- text
 * ----------------------------------------------------------------------------------------- */

/* What the library refuses, by the reasons of positions that are not used. */
static Skip skip_from_reject(Reject reject)
{
    switch (reject) {
    case REJECT_RESULT:
        return SKIP_BAD_RESULT;
    case REJECT_DRAW:
        return SKIP_DRAW;
    case REJECT_CONTRADICTION:
        return SKIP_CONTRADICTION;
    case REJECT_SCORE:
        return SKIP_NO_SCORE;
    case REJECT_SCORE_HIGH:
    case REJECT_SCORE_LOW:
        return SKIP_MATE_SCORE;
    case REJECT_CHECK:
        return SKIP_CHECK;
    default:
        return SKIP_BAD_FEN;
    }
}

/* A line of `size` bytes with a NUL behind them, which is changed. */
static Status load_line(Worker *worker, const char *path, size_t number, char *line, size_t size,
                        Chunk *chunk, Error *err)
{
    const Engine *engine = worker->engine;
    GameRecord record = {0};
    Reject reject = REJECT_COUNT;
    Error inner = {0};
    Status status =
        import_line(engine, worker->game, IMPORT_LINES, line, size, &record, &reject, &inner);
    char name[300];
    snprintf(name, sizeof name, "%.260s:%zu", path, number);
    chunk->games++;
    chunk->plies++;
    if (status != STATUS_OK && status != STATUS_FORMAT)
        return error_set(err, status, "%s: %s", name, inner.message);
    if (status == STATUS_OK) {
        Status equal = trace_check(worker->check, worker->game, name, err);
        if (equal != STATUS_OK)
            return equal;
        chunk->checked++;
    }

    Skip skip = SKIP_COUNT;
    Origin origin = {.game = (uint32_t)number,
                     .half_points = record.outcome == OUTCOME_WHITE  ? 2
                                    : record.outcome == OUTCOME_DRAW ? 1
                                                                     : 0,
                     .score_white = SCORE_NONE};
    if (status == STATUS_FORMAT) {
        skip = skip_from_reject(reject);
    } else if (record.outcome == OUTCOME_NONE) {
        skip = SKIP_BAD_RESULT;
        error_set(&inner, STATUS_FORMAT, "a game without a result");
    } else if (!record.has_final_score && worker->options->need_score) {
        skip = SKIP_NO_SCORE;
        error_set(&inner, STATUS_FORMAT, "no score");
    } else if (record.has_final_score && mate_score(record.final_score_white_cp)) {
        skip = SKIP_MATE_SCORE;
    } else if (engine->game_ending(worker->game).reason != END_NONE) {
        skip = SKIP_ENDED;
    } else if (!quiet(worker)) {
        skip = SKIP_UNQUIET;
    }
    if (skip != SKIP_COUNT) {
        if (inner.message[0] && !chunk->first[skip]) {
            chunk->first[skip] = text_format("%s: %s", name, inner.message);
            if (chunk->first[skip])
                reject_clean(chunk->first[skip]);
        }
        chunk->skipped[skip]++;
        return STATUS_OK;
    }
    if (record.has_final_score)
        origin.score_white = record.final_score_white_cp;
    /* Equal positions must not stand on both sides of the split. */
    Part part = part_of(worker, 0, engine->game_key(worker->game));
    return add_position(worker, &chunk->parts[part], &origin, false, err);
}

static Status load_text(Sample *sample, const LoadOptions *options, char *text, size_t size,
                        Error *err)
{
    Worker *worker = malloc(sizeof *worker);
    Chunk chunk = {0};
    if (!worker)
        return error_set(err, STATUS_NO_MEMORY, "no memory to load %s", options->text);
    Status status = worker_init(worker, options, sample->engine, sample->split, err);
    char *end = text + size;
    size_t number = 0;
    for (char *line = text; status == STATUS_OK && line < end;) {
        char *line_end = memchr(line, '\n', (size_t)(end - line));
        line_end = line_end ? line_end : end;
        char *last = line_end;
        number++;
        while (last > line && (last[-1] == '\r' || last[-1] == ' ' || last[-1] == '\t'))
            last--;
        char *next = line_end < end ? line_end + 1 : end;
        while (line < last && (*line == ' ' || *line == '\t'))
            line++;
        *last = 0; /* at most the NUL that file_read_all puts behind the text */
        if (last > line && *line != '#')
            status =
                load_line(worker, options->text, number, line, (size_t)(last - line), &chunk, err);
        if (status == STATUS_OK && number % 1024 == 0 && interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "stopped while loading");
        line = next;
    }
    if (status == STATUS_OK)
        status = take_chunk(sample, &chunk, options->max_positions, err);
    chunk_free(&chunk);
    worker_free(worker);
    free(worker);
    return status;
}

static uint64_t count_lines(const char *text, size_t size)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines + (size && text[size - 1] != '\n');
}

/* --- all together
 * ----------------------------------------------------------------------------------- */

static char *last_component(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    return strndup(path + begin, length - begin);
}

void sample_free(Sample *sample)
{
    for (int part = 0; part < PART_COUNT; part++)
        rows_free(&sample->parts[part]);
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        free(sample->first[skip]);
    for (size_t i = 0; i < sample->source_count; i++)
        free(sample->sources[i].name);
    free(sample->sources);
    memset(sample, 0, sizeof *sample);
}

Status load_engine(const LoadOptions *options, const Engine **engine, Error *err)
{
    if (options->engine) {
        *engine = options->engine;
        return STATUS_OK;
    }
    if (!options->data_count)
        return error_set(err, STATUS_ARGUMENT, "no dataset and no variant is named");
    Dataset *dataset = NULL;
    Status status = dataset_open(&dataset, options->data[0], err);
    if (status == STATUS_OK)
        *engine = dataset_engine(dataset);
    dataset_close(dataset);
    return status;
}

Status sample_load(Sample *sample, const LoadOptions *options, Error *err)
{
    Sample loaded = {0};
    char *text = NULL;
    size_t size = 0;
    size_t count = options->data_count;
    Dataset **datasets = calloc(count + 1, sizeof *datasets);
    loaded.sources = calloc(count + 1, sizeof *loaded.sources);
    Status status = STATUS_OK;
    if (!datasets || !loaded.sources) {
        status = error_set(err, STATUS_NO_MEMORY, "no memory to load");
        goto cleanup;
    }
    if ((status = load_engine(options, &loaded.engine, err)) != STATUS_OK)
        goto cleanup;
    uint64_t games = 0;
    for (size_t d = 0; d < count; d++) {
        if ((status = dataset_open(&datasets[d], options->data[d], err)) != STATUS_OK)
            goto cleanup;
        if (dataset_engine(datasets[d]) != loaded.engine) {
            status =
                error_set(err, STATUS_ARGUMENT, "%s: a dataset of %s, expected %s",
                          options->data[d], dataset_engine(datasets[d])->name, loaded.engine->name);
            goto cleanup;
        }
        Source *source = &loaded.sources[loaded.source_count++];
        source->name = last_component(options->data[d]);
        source->games = dataset_game_count(datasets[d]);
        dataset_digest(datasets[d], source->digest);
        games += source->games;
    }
    if ((status = datasets_check_distinct(datasets, count, err)) != STATUS_OK)
        goto cleanup;
    if (options->text) {
        if ((status = file_read_all(options->text, &text, &size, err)) != STATUS_OK)
            goto cleanup;
        Source *source = &loaded.sources[loaded.source_count++];
        source->name = last_component(options->text);
        source->games = count_lines(text, size);
        XXH128_hash_t hash = XXH3_128bits(text, size);
        snprintf(source->digest, sizeof source->digest, "%016llx%016llx",
                 (unsigned long long)hash.high64, (unsigned long long)hash.low64);
        games += source->games;
    }
    loaded.split = games >= SPLIT_LEAST_GAMES && options->validation + options->test > 0;
    status = load_datasets(&loaded, options, datasets, err);
    if (status == STATUS_OK && text)
        status = load_text(&loaded, options, text, size, err);

cleanup:
    for (size_t d = 0; datasets && d < count; d++)
        dataset_close(datasets[d]);
    free(datasets);
    free(text);
    if (status == STATUS_OK)
        *sample = loaded;
    else
        sample_free(&loaded);
    return status;
}
