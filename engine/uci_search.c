/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uci_search.c - the searching thread of the UCI protocol.
 *
 * While a search runs, its thread uses everything in SearchThread; the reader's thread touches
 * only what is guarded by `lock`, and takes the rest back in search_thread_stop, by joining.
 */
#include "uci_search.h"

#include "support/clock.h"
#include "uci_text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACK_BYTES = 16 << 20, /* room for a list of moves in every ply of the deepest line */
    LINE_BYTES = 256 + ENGINE_MAX_PV * (ENGINE_MAX_MOVE_TEXT + 1)
};

struct SearchThread {
    const Engine *engine;
    Search *search;
    Game *game;    /* what is searched                            */
    Game *pv_game; /* walks along principal variations to name them */
    SearchOrder order;
    Move search_moves[ENGINE_MAX_MOVES];
    int64_t start_ms;
    Move shown_move; /* first move of the last best line that was printed */
    pthread_t handle;
    bool has_handle; /* a search runs, or has ended and is not joined yet */

    pthread_mutex_t lock; /* guards what follows: what the client has said since the start */
    pthread_cond_t changed;
    bool stopped, ponderhit;
};

/* Appends the moves of a line, walking pv_game along it and back. */
static size_t append_moves(SearchThread *thread, char *text, size_t size, size_t used,
                           const Move *moves, size_t count)
{
    const Engine *engine = thread->engine;
    Game *game = thread->pv_game;
    size_t played = 0;
    for (size_t i = 0; i < count; i++) {
        char move[ENGINE_MAX_MOVE_TEXT];
        engine->move_uci(game, moves[i], move);
        used = uci_append(text, size, used, " %s", move);
        if (i + 1 == count || engine->game_play(game, moves[i], NULL) != STATUS_OK)
            break;
        played++;
    }
    while (played-- > 0)
        engine->game_undo(game);
    return used;
}

static void say_line(SearchThread *thread, const SearchLine *line)
{
    char text[LINE_BYTES], score[UCI_SCORE_TEXT];
    const size_t size = sizeof text;
    uci_score_text(line->score, score);
    size_t used = uci_append(text, size, 0, "info depth %d seldepth %d multipv %d score %s",
                             line->depth, line->selective_depth, line->multi_pv, score);
    if (line->bound == BOUND_LOWER || line->bound == BOUND_UPPER)
        used = uci_append(text, size, used, " %s",
                          line->bound == BOUND_LOWER ? "lowerbound" : "upperbound");
    if (thread->order.show_wdl) {
        int wdl[3];
        uci_wdl(line->score, thread->engine->has_draws, wdl);
        used = uci_append(text, size, used, " wdl %d %d %d", wdl[0], wdl[1], wdl[2]);
    }
    int64_t time_ms = line->time_ms > 0 ? line->time_ms : 0;
    double nps = (double)line->nodes * 1000 / (double)(time_ms > 0 ? time_ms : 1);
    used = uci_append(text, size, used, " nodes %llu nps %.0f hashfull %d time %lld pv",
                      (unsigned long long)line->nodes, nps, line->hashfull_permille,
                      (long long)time_ms);
    append_moves(thread, text, size, used, line->pv, line->pv_length);
    uci_say("%s", text);
    if (line->multi_pv <= 1)
        thread->shown_move = line->pv_length > 0 ? line->pv[0] : MOVE_NONE;
}

static void report(void *context, const SearchLine *line)
{
    say_line(context, line);
}

/* No legal move: the game is over, lost for the side to move or drawn. */
static void say_no_move(SearchThread *thread)
{
    Ending ending = thread->engine->game_ending(thread->game);
    uci_say("info depth 0 score %s", ending.outcome == OUTCOME_DRAW ? "cp 0" : "mate 0");
}

/* Clients take score and depth from the last line before bestmove, so one has to be there. */
static void say_last_line(SearchThread *thread, const SearchResult *result)
{
    if (thread->shown_move == result->best)
        return;
    SearchLine line = {
        .depth = result->depth > 0 ? result->depth : 1,
        .selective_depth = result->depth > 0 ? result->depth : 1,
        .multi_pv = 1,
        .score = result->score,
        .bound = BOUND_EXACT,
        .nodes = result->nodes,
        .time_ms = clock_ms() - thread->start_ms,
        .pv_length = result->ponder != MOVE_NONE ? 2 : 1,
        .pv = {result->best, result->ponder},
    };
    if (line.score == SCORE_NONE) {
        const Engine *engine = thread->engine;
        int white = engine->evaluate(thread->pv_game, thread->order.weights);
        line.score = engine->game_side(thread->pv_game) == SIDE_WHITE ? white : -white;
    }
    say_line(thread, &line);
}

static void say_bestmove(SearchThread *thread, const SearchResult *result)
{
    char moves[3 * ENGINE_MAX_MOVE_TEXT] = "";
    Move line[2] = {result->best, result->ponder};
    if (result->best == MOVE_NONE) {
        uci_say("bestmove (none)");
        return;
    }
    append_moves(thread, moves, sizeof moves, 0, line, result->ponder != MOVE_NONE ? 2 : 1);
    char *ponder = strchr(moves + 1, ' ');
    if (ponder)
        *ponder++ = '\0';
    uci_say("bestmove %s%s%s", moves + 1, ponder ? " ponder " : "", ponder ? ponder : "");
}

static void *search_main(void *argument)
{
    SearchThread *thread = argument;
    const SearchLimits *limits = &thread->order.limits;
    Move moves[ENGINE_MAX_MOVES];
    SearchResult result = {.best = MOVE_NONE, .ponder = MOVE_NONE};
    if (thread->engine->game_moves(thread->game, moves) > 0) {
        result = thread->engine->search_run(thread->search, thread->game, limits, report, thread);
        say_last_line(thread, &result);
    } else {
        say_no_move(thread);
    }
    /* The searcher waits for the client itself; a search without a move has not run. */
    pthread_mutex_lock(&thread->lock);
    while (!thread->stopped && (limits->infinite || (limits->ponder && !thread->ponderhit)))
        pthread_cond_wait(&thread->changed, &thread->lock);
    pthread_mutex_unlock(&thread->lock);
    say_bestmove(thread, &result);
    return NULL;
}

SearchThread *search_thread_new(const Engine *engine, size_t hash_mib, int threads, Error *err)
{
    SearchThread *thread = calloc(1, sizeof *thread);
    if (!thread) {
        error_set(err, STATUS_NO_MEMORY, "out of memory for a search thread");
        return NULL;
    }
    thread->engine = engine;
    pthread_mutex_init(&thread->lock, NULL);
    pthread_cond_init(&thread->changed, NULL);
    if ((thread->search = engine->search_new(hash_mib, threads, err)) &&
        (thread->game = engine->game_new(err)) && (thread->pv_game = engine->game_new(err)))
        return thread;
    search_thread_free(thread);
    return NULL;
}

void search_thread_free(SearchThread *thread)
{
    if (!thread)
        return;
    search_thread_stop(thread);
    thread->engine->search_free(thread->search);
    thread->engine->game_free(thread->game);
    thread->engine->game_free(thread->pv_game);
    pthread_cond_destroy(&thread->changed);
    pthread_mutex_destroy(&thread->lock);
    free(thread);
}

Search *search_thread_searcher(SearchThread *thread)
{
    return thread->search;
}

Status search_thread_start(SearchThread *thread, const Game *game, const SearchOrder *order,
                           Error *err)
{
    Status status = thread->engine->game_copy(thread->game, game, err);
    if (status == STATUS_OK)
        status = thread->engine->game_copy(thread->pv_game, game, err);
    if (status != STATUS_OK)
        return status;
    SearchLimits *limits = &thread->order.limits;
    thread->order = *order;
    for (size_t i = 0; i < limits->search_move_count; i++)
        thread->search_moves[i] = order->limits.search_moves[i];
    limits->search_moves = thread->search_moves;
    thread->shown_move = MOVE_NONE;
    thread->start_ms = clock_ms();
    thread->stopped = thread->ponderhit = false;
    thread->engine->search_arm(thread->search, limits);

    pthread_attr_t attributes;
    int failed = pthread_attr_init(&attributes);
    if (!failed) {
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        failed = pthread_create(&thread->handle, &attributes, search_main, thread);
        pthread_attr_destroy(&attributes);
    }
    thread->has_handle = !failed;
    if (failed) { /* answer all the same: the client waits for a bestmove */
        uci_say("info string no thread to search in (%s): looking one ply ahead", strerror(failed));
        limits->infinite = limits->ponder = false;
        limits->depth = 1;
        thread->engine->search_arm(thread->search, limits);
        search_main(thread);
    }
    return STATUS_OK;
}

/* Notes what the client said, for a search that waits for it. */
static void tell(SearchThread *thread, bool *what)
{
    pthread_mutex_lock(&thread->lock);
    *what = true;
    pthread_cond_broadcast(&thread->changed);
    pthread_mutex_unlock(&thread->lock);
}

void search_thread_stop(SearchThread *thread)
{
    if (!thread->has_handle)
        return;
    tell(thread, &thread->stopped);
    thread->engine->search_stop(thread->search);
    pthread_join(thread->handle, NULL);
    thread->has_handle = false;
}

void search_thread_ponderhit(SearchThread *thread)
{
    /* Once only: the clock of the searcher begins at it. */
    if (!thread->has_handle || !thread->order.limits.ponder || thread->ponderhit)
        return;
    tell(thread, &thread->ponderhit);
    thread->engine->search_ponderhit(thread->search);
}
