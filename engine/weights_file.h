/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weights_file.h - reads a generated weights header at run time (the UCI option EvalFile).
 *
 * What is read is the C header itself, as `campmate-tune` writes it: designated initialisers of
 * `static const EvalWeights weights = { ... };` with S(middlegame, endgame) entries. Every weight
 * must be given exactly once; a wrong name, shape or number is refused with file and line.
 */
#pragma once

#include "engine.h"

/*
 * Reads the weights of `engine` from the header at `path`.
 *
 *   weights   out, [engine->weight_count]; untouched on failure
 *
 * STATUS_IO if the file cannot be read, STATUS_FORMAT with path and line if it is not such a
 * header or one of another variant. Thread-safe.
 */
Status weights_file_read(const Engine *engine, const char *path, Weight *weights, Error *err);

/* The same from memory; `name` stands for the path in messages. */
Status weights_file_parse(const Engine *engine, const char *name, const char *text, size_t size,
                          Weight *weights, Error *err);
