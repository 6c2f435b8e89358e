/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_check.h - is the trace the evaluation? */
#pragma once

#include "engine.h"

/*
 * Compares the evaluation of a position with the dot product of its trace, for `weights` and for
 * arbitrary weights of every group. STATUS_FORMAT names `record`, the FEN and the terms that
 * differ by more than a centipawn.
 */
typedef struct TraceCheck TraceCheck;
Status trace_check_new(TraceCheck **check, const Engine *engine, const Weight *weights, Error *err);
Status trace_check(TraceCheck *check, Game *game, const char *record, Error *err);
void trace_check_free(TraceCheck *check);

/* The score of a trace with given weights, centipawns, White's view, not rounded. */
double trace_score(const Trace *trace, const Weight *weights);
