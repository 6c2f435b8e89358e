/* SPDX-License-Identifier: GPL-3.0-or-later */
/* synthetic.h - positions of small_engine.h made by a random generator. */
#pragma once

#include "chain.h"
#include "coefficients.h"
#include "objective.h"
#include "small_engine.h"
#include "support/exactmath.h"
#include "support/rng.h"
#include "trace_check.h"

#include <string.h>

/* A position: up to three pieces of each kind and colour on squares that exist, hands, tempo. */
static inline void synthetic_trace(Rng *rng, Trace *trace)
{
    int counts[SMALL_WEIGHTS] = {0};
    for (int colour = 1; colour >= -1; colour -= 2) {
        for (int piece = 0; piece < 3; piece++) {
            int pieces = piece == 2 ? 1 : (int)rng_below(rng, 4);
            for (int i = 0; i < pieces; i++) {
                int square;
                do
                    square = (int)rng_below(rng, 9);
                while (square == 4);
                counts[SMALL_SQUARES + 9 * piece + square] += colour;
                if (small_exists[SMALL_MATERIAL + piece])
                    counts[SMALL_MATERIAL + piece] += colour;
            }
        }
        for (int kind = 0; kind < 2; kind++) {
            int held = (int)rng_below(rng, 6);
            if (held)
                counts[SMALL_HAND + 4 * kind + (held > 4 ? 3 : held - 1)] += colour;
        }
    }
    counts[SMALL_TEMPO] = rng_below(rng, 2) ? 1 : -1;
    trace->phase = (int)rng_below(rng, PHASE_MAX + 1);
    trace->count = 0;
    for (int w = 0; w < SMALL_WEIGHTS; w++)
        if (counts[w])
            trace->entries[trace->count++] =
                (TraceEntry){.weight = (uint16_t)w, .count = (int16_t)counts[w]};
}

/* `count` positions whose results are drawn (soft == 0) or whose targets are (soft == 1) the
 * expectation of the planted weights at slope 1. */
static inline void synthetic_rows(Rows *rows, size_t count, const Weight *planted, uint64_t seed,
                                  int soft)
{
    Rng rng = rng_from(seed, 1);
    static Trace traces[2];
    for (size_t i = 0; i < count; i++) {
        Trace *before = &traces[i % 2], *trace = &traces[(i + 1) % 2];
        synthetic_trace(&rng, trace);
        double z = trace_score(trace, planted) * 2.302585092994046 / 400;
        double p = 1 / (1 + exact_exp(-z));
        uint8_t half_points = rng_real(&rng) < p ? 2 : 0;
        /* Games of 20 positions; now and then a ply is left out. What has one result is a chain. */
        Origin origin = {.key = i * 3 + 1,
                         .game = (uint32_t)(i / 20),
                         .ply = (uint16_t)(i % 20 * 2 + (i % 7 == 0)),
                         .score_white = SCORE_NONE,
                         .half_points = soft ? 1 : half_points};
        assert_int_equal(rows_add(rows, i % 20 ? before : NULL, trace, &origin, NULL), STATUS_OK);
        if (soft)
            rows->targets[rows->count - 1] = (float)p;
    }
}

/* Weights between -limit and limit for everything that exists; the king's squares sum to 0. */
static inline void synthetic_weights(Weight *weights, int limit, uint64_t seed)
{
    Rng rng = rng_from(seed, 2);
    memset(weights, 0, SMALL_WEIGHTS * sizeof *weights);
    for (int w = 0; w < SMALL_WEIGHTS; w++)
        if (small_exists[w]) {
            weights[w].middlegame =
                (int16_t)((int)rng_below(&rng, (uint64_t)(2 * limit + 1)) - limit);
            weights[w].endgame = (int16_t)((int)rng_below(&rng, (uint64_t)(2 * limit + 1)) - limit);
        }
}

/* Scores of all rows, [rows->count] centipawns. */
static inline void synthetic_scores(const Rows *rows, const double *x, double *scores)
{
    const Words *words = rows_words(rows);
    const uint16_t *changes = rows->changes;
    size_t row = 0;
    for (size_t c = 0; c < rows->chain_count; row += rows->chains[c++].rows) {
        chain_scores_plain(words, rows->rows + row, rows->chains[c].rows, changes, x, scores + row);
        changes += rows->chains[c].changes;
    }
}
