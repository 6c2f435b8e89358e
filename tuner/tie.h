/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tie.h - weights that are the same weight, as the game looks the same in a mirror.
 *
 * What White and Black have in common is in the trace already (it counts White minus Black). A
 * mirror from left to right is a symmetry only if the start position is its own mirror image:
 * otherwise the pieces of one wing are not those of the other, and their squares differ in worth.
 */
#pragma once

#include "engine.h"

/* Is the mirror a symmetry of the game? STATUS_ARGUMENT names the rank of the start position that
 * is no mirror image. */
Status tie_check(const Engine *engine, Error *err);

/* The weight that stands for each: on a board the one of the left half, elsewhere itself.
 * malloc'ed, [weight_count]. Fails as tie_check does. */
Status tie_new(uint16_t **stands, const Engine *engine, Error *err);

/* The trace with the weights that stand for its own: ascending, without zeros. */
void tie_trace(const uint16_t *stands, Trace *trace);
