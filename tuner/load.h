/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * load.h - positions worth fitting, from datasets and texts.
 *
 * Games are read and replayed by all threads at once; the result depends on the data, the options
 * and the seed only. Each game belongs to one part (train, validation, test) as a whole, drawn
 * from its number and the seeds; a line of a text counts as a game, and equal positions of a text
 * fall into the same part.
 */
#pragma once

#include "rows.h"

/* Why a position is not used. Positions of a whole game that is refused count one by one. */
#define SKIP_REASONS(X)                                                                            \
    X(SKIP_UNFINISHED, "game without a result")                                                    \
    X(SKIP_DRAW, "drawn, but this game knows no draw")                                             \
    X(SKIP_BAD_FEN, "text line without a position of the game")                                    \
    X(SKIP_BAD_RESULT, "text line without a readable result")                                      \
    X(SKIP_CONTRADICTION, "text line whose result contradicts the board")                          \
    X(SKIP_OPENING, "early, random or book ply")                                                   \
    X(SKIP_AFTER_RANDOM, "just after a random ply")                                                \
    X(SKIP_SHARE, "left out by --share")                                                           \
    X(SKIP_ENDED, "game over")                                                                     \
    X(SKIP_CHECK, "in check")                                                                      \
    X(SKIP_NOISY, "capture or promotion played")                                                   \
    X(SKIP_UNQUIET, "quiescence differs from the evaluation")                                      \
    X(SKIP_MATE_SCORE, "mate score")                                                               \
    X(SKIP_NO_SCORE, "no readable score")                                                          \
    X(SKIP_MERGED, "same position as another")                                                     \
    X(SKIP_LIMIT, "beyond --max-positions")
#define SKIP_NAME(id, text) id,
typedef enum Skip { SKIP_REASONS(SKIP_NAME) SKIP_COUNT } Skip;
#undef SKIP_NAME
const char *skip_text(Skip skip);

/* Fewer games than this are all used for training: there is nothing to hold out. */
enum { SPLIT_LEAST_GAMES = 50 };

typedef struct LoadOptions {
    const Engine *engine;    /* NULL = that of the first dataset                              */
    const char *const *data; /* [data_count] dataset directories or shards                   */
    size_t data_count;
    const char *text;        /* lines `FEN;result[;score]`, NULL = none                        */
    const Weight *weights;   /* [weight_count] for --check and the quiet filter, NULL = default */
    const char *terms;       /* "material,hand": names of the groups whose weights are used, the
                                others' coefficients are left out; NULL = all              */
    bool tie;                /* weights that mirror each other are one (tie.h)                 */
    bool need_score;         /* the target uses scores                                         */
    bool check_all;          /* compare trace and evaluation in every position, not in a sample */
    int skip_plies;          /* first plies of each game that are left out                     */
    int quiet_margin_cp;     /* largest |static - quiescence|, 0 = no such filter              */
    double share;            /* of the positions of each game, 0 .. 1                          */
    double validation, test; /* shares of the games                                           */
    uint64_t seed;
    uint64_t max_positions; /* 0 = no limit                                                   */
    const char *scratch;    /* directory for files with the rows; NULL = memory               */
    int threads;
} LoadOptions;

/* A dataset or text that was read. */
typedef struct Source {
    char *name; /* last component of its path */
    uint64_t games;
    char digest[33]; /* of a dataset; XXH3-128 of the bytes of a text */
} Source;

typedef struct Sample {
    const Engine *engine;
    Rows parts[PART_COUNT];
    bool split;       /* false: too few games, everything is in PART_TRAIN         */
    bool limited;     /* --max-positions cut something off                         */
    uint16_t *stands; /* the weight that stands for each, NULL = each for itself          */
    uint64_t games, plies;
    uint64_t skipped[SKIP_COUNT];
    char
        *first[SKIP_COUNT]; /* the first line of the text refused for it: place and message, NULL */
    uint64_t checked;       /* positions whose trace was compared with the evaluation */
    Source *sources;
    size_t source_count;
} Sample;

/*
 * Reads everything. STATUS_FORMAT for a damaged dataset or a position where trace and evaluation
 * differ; STATUS_INTERRUPTED. Bad lines of a text are counted. On failure `sample` is untouched.
 */
Status sample_load(Sample *sample, const LoadOptions *options, Error *err);
void sample_free(Sample *sample);

/* Are these terms of the game? STATUS_ARGUMENT names the one that is not. */
Status terms_check(const Engine *engine, const char *terms, Error *err);

/* Rows of all parts. */
uint64_t sample_rows(const Sample *sample);

/* The engine that options name or the first dataset is of. */
Status load_engine(const LoadOptions *options, const Engine **engine, Error *err);
