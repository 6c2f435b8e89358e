/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uci_search.h - the searching thread of the UCI protocol.
 *
 * One SearchThread owns a searcher and runs it in a thread of its own, so that the reader of
 * commands stays free. Each start prints info lines and exactly one bestmove on standard output:
 *
 *   - never before a stop in an infinite search, or before ponderhit or stop while pondering
 *   - with at least one info line before it whose first move is the bestmove
 *   - without a legal move: `bestmove (none)` after `score mate 0` (lost) or `score cp 0` (drawn)
 *
 * All functions are called from one thread, the reader's.
 */
#pragma once

#include "engine.h"

typedef struct SearchThread SearchThread;

typedef struct SearchOrder {
    SearchLimits limits;   /* search_moves is copied                              */
    bool show_wdl;         /* chances of win, draw and loss in each line          */
    const Weight *weights; /* what the searcher was given; must outlive the search */
} SearchOrder;

/* A searcher with a table of hash_mib MiB for `threads` threads; NULL when out of memory. */
SearchThread *search_thread_new(const Engine *engine, size_t hash_mib, int threads, Error *err);

/* Ends a running search first. NULL is fine. */
void search_thread_free(SearchThread *thread);

/* The searcher, to be resized, cleared or given weights while no search runs. */
Search *search_thread_searcher(SearchThread *thread);

/* Starts a search of a copy of `game`; none may be running. Fails without memory for the copy. */
Status search_thread_start(SearchThread *thread, const Game *game, const SearchOrder *order,
                           Error *err);

/* Ends a running search and returns when its bestmove is printed; nothing if none runs. */
void search_thread_stop(SearchThread *thread);

/* The move that was pondered on has been played. Nothing if no search runs. */
void search_thread_ponderhit(SearchThread *thread);
