/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw.h - random numbers, each at most once. */
#pragma once

#include "support/error.h"

#include <stdint.h>

/*
 * Draws `count` <= total different numbers below `total`, each set of them with the same chance.
 *
 *   numbers   out, malloc'ed: ascending
 *
 * The same for the same seed; memory goes with `count`. Source: R. Floyd's algorithm, in J.
 * Bentley, "Programming Pearls: A Sample of Brilliance" (1987).
 */
Status draw_numbers(uint64_t count, uint64_t total, uint64_t seed, uint64_t **numbers, Error *err);
