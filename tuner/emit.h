/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emit.h - writes the generated weights header.
 *
 * The header is C that the core includes and text that engine/weights_file.h reads back; both see
 * the same numbers. It says where the numbers came from, and nothing in it depends on a clock, a
 * locale, a host or a number of threads: emitted again it has the same bytes.
 */
#pragma once

#include "engine.h"

/* A line of the comment on top: `label` in a column of its own, then the text. */
typedef struct ProvenanceLine {
    const char *label;
    const char *text;
} ProvenanceLine;

typedef struct Provenance {
    const char *summary; /* one line for --version                    */
    const ProvenanceLine *lines;
    size_t line_count;
    double slope; /* K: the chance to win is 1 / (1 + 10^(-K cp / 400)); 0 = not known */
} Provenance;

/* The header as malloc'ed text; NULL when out of memory. */
char *emit_text(const Engine *engine, const Weight *weights, const Provenance *provenance);

/*
 * Writes it to `path`, whole or not at all. Before that it is read back and compared, so that no
 * header is written that the engine could not load: STATUS_FORMAT. STATUS_IO as files.h.
 */
Status emit_file(const Engine *engine, const Weight *weights, const Provenance *provenance,
                 const char *path, Error *err);
