/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rating_input.h - games for ratings from the files that matches leave behind. */
#pragma once

#include "rating.h"

/* What was read from files. */
typedef struct RatingInput {
    RatingPool pool;
    uint64_t games;
    uint64_t unfinished; /* games without a result, which say nothing */
} RatingInput;

/*
 * Adds the games of a file: a PGN (plain or zstd; only its tags White, Black and Result are looked
 * at), the state of a match (--state), or the JSON that campmate-match printed (several values one
 * after the other are fine).
 *
 * STATUS_FORMAT with path, place, found and expected.
 */
Status rating_input_read(RatingInput *input, const char *path, Error *err);
