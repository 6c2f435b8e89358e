/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shared.h - what weights have in common, as coefficients of their own.
 *
 * A few thousand games cannot tell 1,600 weights apart, so the fit is told which of them belong
 * together. Every weight is its own coefficient plus those it shares:
 *
 *   piece values    a piece on the board and each of its kind in hand
 *   hand slopes     each of a kind in hand, beside the deviation of every count
 *   board lines     a rank, and a file, of one piece's table, and of the tables of all pieces
 *   columns         the same column of all items of a table that is no board; a slope over the
 *                   columns of one item
 *
 * The ridge pulls all of them to 0 (the prior), what is shared more gently: the data decide first
 * what a knight is worth and then, as far as they can, on which square. It also gives cells that
 * never occur a sensible value: that of their rank, or what three of a kind are worth by two.
 * Nothing of this is in the header; it holds the sums. No rule here knows a game, only groups
 * named `material` and `hand`, boards, and items with equal names.
 */
#pragma once

#include "rows.h"

typedef struct Shared {
    int weights;    /* of the engine                                                      */
    int count;      /* shared coefficients; coefficient c is number weights + c           */
    int *first;     /* [count + 1] into the next two                                      */
    int *weight;    /* the weights that hold it ...                                       */
    double *factor; /* ... how many times                                                 */
    double *ease;   /* [weights + count] how gently the ridge pulls: factor of its square */
} Shared;

Status shared_new(Shared *shared, const Engine *engine, Error *err);
void shared_free(Shared *shared);

/* Vectors below hold pairs (mean, difference) as in rows.h: x of weights, y of all coefficients. */

/* x = sums of y. */
void shared_expand(const Shared *shared, const double *y, double *x);

/* The gradient by y from the gradient by x. `squared` adds up with squared factors: the diagonal
 * of a Hessian, but for what two weights of one coefficient have in common. */
void shared_reduce(const Shared *shared, const double *x, double *y, bool squared);

/* Mean square over the rows of each coefficient's count, [weights + count]. */
Status shared_mean_square(const Shared *shared, const Rows *rows, double *mean_square, Error *err);
