/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * worker.h - one thread's part of loading: which positions of a game are used, and in which part.
 * Internal to load.c and what it is made of.
 */
#pragma once

#include "dataset.h"
#include "load.h"
#include "trace_check.h"

enum { CHUNK_GAMES = 16 };

/* What a thread needs to look at positions. */
typedef struct Worker {
    const LoadOptions *options;
    const Engine *engine;
    const Weight *weights;
    bool split;
    bool *used;             /* [weight_count] by --terms, NULL = all */
    const uint16_t *stands; /* of the sample */
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

/* Rows of all parts. */
uint64_t chunk_rows(const Chunk *chunk);
void chunk_free(Chunk *chunk);

/* A worker that fails to be made has to be freed all the same. */
Status worker_init(Worker *worker, const LoadOptions *options, const Sample *sample, Error *err);
void worker_free(Worker *worker);

/* Where number `number` of a source with this seed belongs. */
Part part_of(const Worker *worker, uint64_t seed, uint64_t number);

/* Is the position, with its side to move, as good as its evaluation says? */
bool worker_quiet(Worker *worker);
bool mate_score(int score);

/* Appends the worker's position; `follows`: to one of the same game. */
Status add_position(Worker *worker, Rows *rows, Origin *origin, bool follows, Error *err);

/* Takes the positions of a game that are worth fitting. `source` and `seed` name the data. */
Status trace_game(Worker *worker, const char *source, uint64_t seed, const GameRecord *record,
                  Chunk *chunk, Error *err);

/* Moves a chunk's rows and counts into the sample, as far as the limit allows. */
Status take_chunk(Sample *sample, Chunk *chunk, uint64_t max_positions, Error *err);

/* All shards of `options->data`, opened as `datasets`, into the sample. */
Status load_datasets(Sample *sample, const LoadOptions *options, Dataset **datasets, Error *err);

/* Lines of `size` bytes (with a NUL behind them), which are changed. */
Status load_text(Sample *sample, const LoadOptions *options, char *text, size_t size, Error *err);
