/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * searcher.h - drives a search: iterative deepening with aspiration windows, multi-PV, time,
 * threads that share the table (Lazy SMP).
 */
#pragma once

#include "core/search.h"
#include "support/clock.h"

#include <pthread.h>

struct Search {
    Table table;
    EvalTables eval;
    Worker **workers;
    int worker_count;
    atomic_bool stop;      /* the running search has to end                             */
    atomic_bool released;  /* infinite and ponder searches may answer                   */
    atomic_bool pondering;
    atomic_bool armed;     /* search_arm was called for the next run                    */
    atomic_llong clock_start_ms; /* time counts from here                               */
    int64_t soft_ms, hard_ms;    /* INT64_MAX = no limit                                */
    pthread_mutex_t mutex;       /* for `wake`                                          */
    pthread_cond_t wake;         /* signalled by search_stop and search_ponderhit       */
    const SearchLimits *limits;
    SearchReport report;
    void *context;
    int64_t start_ms;
};

static void worker_clear(Worker *w)
{
    memset(&w->histories, 0, sizeof w->histories);
    memset(w->no_continuation, 0, sizeof w->no_continuation);
}

static void worker_free(Worker *w)
{
    if (w) {
        free(w->stack);
        free(w->roots);
    }
    memory_large_free(w, sizeof *w);
}

static Worker *worker_new(Search *search, int id)
{
    Worker *w = memory_large(sizeof *w);
    RootMove *roots = malloc(ENGINE_MAX_MOVES * sizeof *roots);
    if (!w || !roots) {
        memory_large_free(w, sizeof *w);
        free(roots);
        return NULL;
    }
    w->roots = roots;
    w->id = id;
    w->owner = search;
    w->stop = &search->stop;
    w->table = &search->table;
    w->eval = &search->eval;
    return w;
}

/* Gives a worker its own copy of a game's position and history; false when out of memory. */
static bool worker_take_game(Worker *w, const Game *game)
{
    size_t plies = game_plies(game), need = plies + MAX_PLY + 8;
    if (need > w->stack_capacity) {
        Undo *stack = realloc(w->stack, need * sizeof *stack);
        if (!stack)
            return false;
        w->stack = stack;
        w->stack_capacity = need;
    }
    Position *p = &w->position;
    *p = game->position;
    p->first = w->stack;
    p->undo = w->stack + plies;
    p->seen = w->seen;
    memcpy(w->stack, game->stack, plies * sizeof *w->stack);
    memcpy(w->seen, game->seen, sizeof w->seen);
    position_set_values(p, &w->eval->values);
    memset(w->frames, 0, sizeof w->frames);
    for (int i = 0; i < FRAMES_BEFORE_ROOT; i++) {
        w->frames[i].continuation = &w->no_continuation;
        w->frames[i].static_eval = -SCORE_INFINITE;
    }
    w->frames[FRAMES_BEFORE_ROOT].in_check = in_check(p);
    atomic_store_explicit(&w->nodes, 0, memory_order_relaxed);
    w->node_limit = UINT64_MAX;
    return true;
}

/* --- time ------------------------------------------------------------------------------------------- */

enum { MOVES_TO_GO_GUESS = 36 };

/* Soft and hard limit in milliseconds for the side to move. */
static void set_time(Search *search, const SearchLimits *limits, int side)
{
    search->soft_ms = search->hard_ms = INT64_MAX;
    int64_t overhead = limits->move_overhead_ms;
    if (limits->has_movetime) {
        int64_t time = limits->movetime_ms - overhead;
        search->soft_ms = search->hard_ms = time > 1 ? time : 1;
        return;
    }
    if (!limits->has_clock)
        return;
    int64_t left = limits->time_ms[side] - overhead, increment = limits->increment_ms[side];
    if (left < 0)
        left = 0;
    if (increment < 0)
        increment = 0;
    int moves = limits->moves_to_go > 0 && limits->moves_to_go < MOVES_TO_GO_GUESS ? limits->moves_to_go : MOVES_TO_GO_GUESS;
    int64_t soft = left / moves + increment * 3 / 4;
    int64_t hard = moves == 1 ? left * 4 / 5 : left * 2 / 5 < soft * 4 ? left * 2 / 5 : soft * 4;
    if (hard < soft)
        hard = soft;
    int64_t most = left * 4 / 5;
    int64_t byoyomi = limits->byoyomi_ms > overhead ? limits->byoyomi_ms - overhead : 0;
    soft = (soft < most ? soft : most) + byoyomi * 4 / 5;
    hard = (hard < most ? hard : most) + byoyomi * 9 / 10;
    search->soft_ms = soft > 1 ? soft : 1;
    search->hard_ms = hard > 1 ? hard : 1;
}

static int64_t time_used_ms(const Search *search)
{
    return clock_ms() - (int64_t)atomic_load_explicit(&search->clock_start_ms, memory_order_relaxed);
}

static void watch_time(Worker *w)
{
    Search *search = w->owner;
    if (search->hard_ms != INT64_MAX && !atomic_load(&search->pondering) && time_used_ms(search) >= search->hard_ms)
        atomic_store_explicit(&search->stop, true, memory_order_relaxed);
}

/* --- iterative deepening ------------------------------------------------------------------------------ */

static uint64_t total_nodes(const Search *search)
{
    uint64_t nodes = 0;
    for (int i = 0; i < search->worker_count; i++)
        nodes += worker_nodes(search->workers[i]);
    return nodes;
}

/* Better first; the order of equals stays. */
static void sort_roots(RootMove *roots, size_t from, size_t to)
{
    for (size_t i = from + 1; i < to; i++) {
        size_t place = i;
        while (place > from && (roots[place - 1].score < roots[i].score ||
                                (roots[place - 1].score == roots[i].score && roots[place - 1].previous_score < roots[i].previous_score)))
            place--;
        if (place == i) /* nearly always: the moves are not worth copying */
            continue;
        RootMove root = roots[i];
        memmove(&roots[place + 1], &roots[place], (i - place) * sizeof *roots);
        roots[place] = root;
    }
}

static void report_line(Search *search, const RootMove *root, int line, int depth, int score)
{
    if (!search->report)
        return;
    SearchLine out = {.depth = depth, .selective_depth = root->selective_depth > depth ? root->selective_depth : depth,
                      .multi_pv = line + 1, .score = score, .bound = BOUND_EXACT,
                      .hashfull_permille = table_hashfull(&search->table), .nodes = total_nodes(search),
                      .time_ms = clock_ms() - search->start_ms, .pv_length = (size_t)root->pv_length};
    memcpy(out.pv, root->pv, (size_t)root->pv_length * sizeof(Move));
    search->report(search->context, &out);
}

static int root_score(const RootMove *root)
{
    return root->score != -SCORE_INFINITE ? root->score : root->previous_score;
}

/* One multi-PV line at one depth, with a window that widens until the score is inside. */
static void search_line(Worker *w, int depth)
{
    int previous = w->roots[w->line].previous_score, delta = 4 + margin(w, aspiration), alpha = -SCORE_INFINITE, beta = SCORE_INFINITE, lower = 0;
    if (depth >= 4 && previous > -SCORE_MATE_BOUND && previous < SCORE_MATE_BOUND) {
        alpha = previous - delta;
        beta = previous + delta;
    }
    for (;;) {
        int search_depth = depth - lower > 1 ? depth - lower : 1;
        int score = search_node(w, alpha, beta, search_depth, 0, false);
        sort_roots(w->roots, (size_t)w->line, w->root_count);
        if (stopped(w))
            return;
        if (score <= alpha && alpha > -SCORE_INFINITE) {
            beta = (alpha + beta) / 2;
            alpha = score - delta > -SCORE_INFINITE && delta < 1000 ? score - delta : -SCORE_INFINITE;
            lower = 0;
        } else if (score >= beta && beta < SCORE_INFINITE) {
            beta = score + delta < SCORE_INFINITE && delta < 1000 ? score + delta : SCORE_INFINITE;
            lower += lower < 3;
        } else {
            return;
        }
        delta += delta / 2;
    }
}

static bool mate_found(const SearchLimits *limits, int score)
{
    return limits->mate > 0 && score >= SCORE_MATE - 2 * limits->mate;
}

/* True if no further iteration should begin. */
static bool enough(Search *search, const Worker *w, int depth, int stable)
{
    const SearchLimits *limits = search->limits;
    int score = root_score(&w->roots[0]);
    if ((limits->depth > 0 && depth >= limits->depth) || mate_found(limits, score))
        return true;
    if (limits->nodes_soft && worker_nodes(w) >= limits->nodes_soft)
        return true;
    if (limits->infinite || atomic_load(&search->pondering))
        return false;
    if (search->soft_ms != INT64_MAX) {
        int64_t used = time_used_ms(search);
        if (w->root_count == 1 && !limits->has_movetime)
            return true;
        if (!limits->has_movetime) {
            /* Less time while the best move stays the same, more when it has just changed. */
            int percent = stable > 5 ? 50 : stable > 2 ? 75 : stable > 0 ? 100 : 140;
            if (used * 100 >= search->soft_ms * percent)
                return true;
        } else if (used >= search->hard_ms) {
            return true;
        }
        /* A mate that is nearer than the depth reached cannot be bettered. */
        if (score >= SCORE_MATE_BOUND && SCORE_MATE - score <= depth / 2)
            return true;
    }
    return false;
}

/* Iterates until a limit; the first worker reports and decides. Returns the last finished depth. */
static int iterate(Worker *w, int lines)
{
    Search *search = w->owner;
    int finished = 0, stable = 0;
    Move last_best = MOVE_NONE;
    for (int depth = 1; depth <= ENGINE_MAX_DEPTH && !stopped(w); depth++) {
        /* Helper threads skip some depths, each in its own rhythm, so that they differ. */
        if (w->id > 0 && depth > 2 && (depth + w->id) % 3 == 0)
            continue;
        w->root_depth = depth;
        for (size_t i = 0; i < w->root_count; i++) {
            w->roots[i].previous_score = w->roots[i].score;
            w->roots[i].score = -SCORE_INFINITE;
        }
        for (w->line = 0; w->line < lines && !stopped(w); w->line++) {
            w->selective_depth = 0;
            search_line(w, depth);
            sort_roots(w->roots, 0, (size_t)w->line + 1);
        }
        w->line = 0;
        if (stopped(w))
            break;
        finished = depth;
        if (w->id > 0)
            continue;
        for (int i = 0; i < lines; i++)
            report_line(search, &w->roots[i], i, depth, root_score(&w->roots[i]));
        stable = w->roots[0].move == last_best ? stable + 1 : 0;
        last_best = w->roots[0].move;
        if (enough(search, w, depth, stable))
            break;
    }
    return finished;
}

static void *helper_main(void *argument)
{
    Worker *w = argument;
    iterate(w, 1);
    return NULL;
}

/* A root move behind the place where it begins in the list: as if shuffled, by the position alone. */
static uint64_t root_place(uint64_t key, Move move)
{
    uint64_t z = (key ^ move) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
    return (z & ~(uint64_t)0xffff) | move;
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/*
 * The root moves: legal ones without forbidden repetitions, or those of searchmoves. They begin in
 * an order that prefers no side and no square, since where the evaluation knows nothing (weights
 * all zero) the first of equals is played; a hash move goes first.
 */
static void set_roots(Worker *w, const SearchLimits *limits)
{
    Move moves[ENGINE_MAX_MOVES];
    size_t count = drop_forbidden(&w->position, moves, legal_moves(&w->position, moves));
    w->root_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool wanted = limits->search_move_count == 0;
        for (size_t j = 0; j < limits->search_move_count; j++)
            wanted = wanted || limits->search_moves[j] == moves[i];
        if (wanted)
            moves[w->root_count++] = moves[i];
    }
    uint64_t places[ENGINE_MAX_MOVES];
    TableEntry entry = {.move = MOVE_NONE};
    table_probe(w->table, table_key(&w->position), &entry);
    for (size_t i = 0; i < w->root_count; i++)
        places[i] = moves[i] == entry.move ? moves[i] : root_place(w->position.key, moves[i]);
    qsort(places, w->root_count, sizeof places[0], compare_places);
    for (size_t i = 0; i < w->root_count; i++) {
        RootMove *root = &w->roots[i];
        root->move = (Move)(places[i] & 0xffff);
        root->pv[0] = root->move;
        root->pv_length = 1;
        root->selective_depth = 0;
        root->score = root->previous_score = -SCORE_INFINITE;
    }
}

/* Infinite and ponder searches answer only after stop or ponderhit. */
static void wait_for_release(Search *search, const SearchLimits *limits)
{
    pthread_mutex_lock(&search->mutex);
    while (!atomic_load(&search->released) && (limits->infinite || atomic_load(&search->pondering)))
        pthread_cond_wait(&search->wake, &search->mutex);
    pthread_mutex_unlock(&search->mutex);
}

static SearchResult result_of(Search *search, const Worker *w, int depth, int lines)
{
    SearchResult result = {.best = w->roots[0].move, .ponder = w->roots[0].pv_length > 1 ? w->roots[0].pv[1] : MOVE_NONE,
                           .score = root_score(&w->roots[0]), .depth = depth, .nodes = total_nodes(search)};
    if (result.score == -SCORE_INFINITE) /* stopped within the first move */
        result.score = w->frames[FRAMES_BEFORE_ROOT].in_check ? 0 : evaluate_side(w);
    for (int i = 0; i < lines; i++) {
        int score = root_score(&w->roots[i]);
        if (score == -SCORE_INFINITE)
            break;
        result.lines[result.line_count].move = w->roots[i].move;
        result.lines[result.line_count++].score = score;
    }
    if (depth == 0)
        report_line(search, &w->roots[0], 0, 1, result.score);
    return result;
}

static SearchResult search_run(Search *search, const Game *game, const SearchLimits *limits, SearchReport report, void *context)
{
    search->start_ms = clock_ms();
    search->limits = limits;
    search->report = report;
    search->context = context;
    atomic_store(&search->clock_start_ms, search->start_ms);
    set_time(search, limits, game->position.side);
    search->table.age = (uint8_t)(search->table.age + AGE_STEP);

    Worker *first = search->workers[0];
    SearchResult none = {.best = MOVE_NONE};
    for (int i = 0; i < search->worker_count; i++)
        if (!worker_take_game(search->workers[i], game))
            return none;
    Ending ending = position_ending(&first->position);
    set_roots(first, limits);
    if (first->root_count == 0) {
        bool lost = ending.outcome != OUTCOME_DRAW && ending.outcome != OUTCOME_NONE;
        none.score = lost ? -SCORE_MATE : 0;
        wait_for_release(search, limits);
        return none;
    }
    first->watch = watch_time;
    if (limits->nodes)
        first->node_limit = limits->nodes;
    int lines = limits->multi_pv > 0 ? limits->multi_pv : 1;
    if ((size_t)lines > first->root_count)
        lines = (int)first->root_count;

    pthread_t threads[512];
    int started = 0;
    for (int i = 1; i < search->worker_count; i++) {
        set_roots(search->workers[i], limits);
        if (pthread_create(&threads[started], NULL, helper_main, search->workers[i]))
            break;
        started++;
    }
    int depth = iterate(first, lines);
    wait_for_release(search, limits);
    atomic_store(&search->stop, true);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return result_of(search, first, depth, lines);
}

/* Prepares the flags for a run; a search_stop after this call is never lost. */
static void search_arm(Search *search, const SearchLimits *limits)
{
    atomic_store(&search->armed, true);
    atomic_store(&search->pondering, limits->ponder);
    atomic_store(&search->released, false);
    atomic_store(&search->stop, false);
}

static SearchResult search_arm_and_run(Search *search, const Game *game, const SearchLimits *limits,
                                       SearchReport report, void *context)
{
    if (!atomic_exchange(&search->armed, false)) {
        search_arm(search, limits);
        atomic_store(&search->armed, false);
    }
    return search_run(search, game, limits, report, context);
}

static void search_stop(Search *search)
{
    pthread_mutex_lock(&search->mutex);
    atomic_store(&search->released, true);
    atomic_store(&search->stop, true);
    pthread_cond_broadcast(&search->wake);
    pthread_mutex_unlock(&search->mutex);
}

static void search_ponderhit(Search *search)
{
    pthread_mutex_lock(&search->mutex);
    atomic_store(&search->clock_start_ms, clock_ms());
    atomic_store(&search->pondering, false);
    pthread_cond_broadcast(&search->wake);
    pthread_mutex_unlock(&search->mutex);
}

/* --- making and changing a searcher ---------------------------------------------------------------- */

static void search_clear(Search *search)
{
    table_clear(&search->table);
    for (int i = 0; i < search->worker_count; i++)
        worker_clear(search->workers[i]);
}

static void search_free(Search *search)
{
    if (!search)
        return;
    for (int i = 0; i < search->worker_count; i++)
        worker_free(search->workers[i]);
    free(search->workers);
    memory_large_free(search->table.buckets, search->table.count * sizeof(Bucket));
    pthread_mutex_destroy(&search->mutex);
    pthread_cond_destroy(&search->wake);
    free(search);
}

/* Changes the number of workers; on failure the old ones stay. */
static bool search_set_threads(Search *search, int threads)
{
    Worker **workers = calloc((size_t)threads, sizeof *workers);
    if (!workers)
        return false;
    for (int i = 0; i < threads; i++) {
        workers[i] = i < search->worker_count ? search->workers[i] : worker_new(search, i);
        if (!workers[i]) {
            for (int j = search->worker_count; j < i; j++)
                worker_free(workers[j]);
            free(workers);
            return false;
        }
    }
    for (int i = threads; i < search->worker_count; i++)
        worker_free(search->workers[i]);
    free(search->workers);
    search->workers = workers;
    search->worker_count = threads;
    return true;
}

static Status search_resize(Search *search, size_t hash_mib, int threads, Error *err)
{
    if (threads < 1 || threads > 512 || hash_mib < 1)
        return error_set(err, STATUS_ARGUMENT, "%d threads and a hash of %zu MiB are out of range", threads, hash_mib);
    if (hash_mib * 1024 * 1024 / sizeof(Bucket) != search->table.count && !table_resize(&search->table, hash_mib))
        return error_set(err, STATUS_NO_MEMORY, "no memory for a hash table of %zu MiB", hash_mib);
    if (threads != search->worker_count && !search_set_threads(search, threads))
        return error_set(err, STATUS_NO_MEMORY, "no memory for %d threads", threads);
    return STATUS_OK;
}

static void search_set_weights(Search *search, const Weight *flat)
{
    if (flat)
        eval_prepare(&search->eval, flat);
    else
        search->eval = default_tables;
    search_clear(search);
}

static Search *search_new(size_t hash_mib, int threads, Error *err)
{
    core_init();
    Search *search = calloc(1, sizeof *search);
    if (!search) {
        error_set(err, STATUS_NO_MEMORY, "no memory for a search");
        return NULL;
    }
    pthread_mutex_init(&search->mutex, NULL);
    pthread_cond_init(&search->wake, NULL);
    search->eval = default_tables;
    if (search_resize(search, hash_mib, threads, err)) {
        search_free(search);
        return NULL;
    }
    return search;
}

static int search_quiescence_score(Search *search, Game *game)
{
    Worker *w = search->workers[0];
    if (!worker_take_game(w, game))
        return 0;
    atomic_store(&search->stop, false);
    w->watch = watch_time;
    search->hard_ms = INT64_MAX;
    return search_quiescence(w, -SCORE_INFINITE, SCORE_INFINITE, 0, 0);
}
