/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load_text.c - positions from lines `FEN;result[;score]`. */
#include "worker.h"

#include "import.h"
#include "support/files.h"
#include "support/interrupt.h"

#include <stdlib.h>
#include <string.h>

/* What the library refuses, by the reasons of positions that are not used. */
static Skip skip_from_reject(Reject reject)
{
    switch (reject) {
    case REJECT_RESULT:
        return SKIP_BAD_RESULT;
    case REJECT_DRAW:
        return SKIP_DRAW;
    case REJECT_CONTRADICTION:
        return SKIP_CONTRADICTION;
    case REJECT_SCORE:
        return SKIP_NO_SCORE;
    case REJECT_SCORE_HIGH:
    case REJECT_SCORE_LOW:
        return SKIP_MATE_SCORE;
    case REJECT_CHECK:
        return SKIP_CHECK;
    default:
        return SKIP_BAD_FEN;
    }
}

/* A line of `size` bytes with a NUL behind them, which is changed. */
static Status load_line(Worker *worker, const char *path, size_t number, char *line, size_t size,
                        Chunk *chunk, Error *err)
{
    const Engine *engine = worker->engine;
    GameRecord record = {0};
    Reject reject = REJECT_COUNT;
    Error inner = {0};
    Status status =
        import_line(engine, worker->game, IMPORT_LINES, line, size, &record, &reject, &inner);
    char name[300];
    snprintf(name, sizeof name, "%.260s:%zu", path, number);
    chunk->games++;
    chunk->plies++;
    if (status != STATUS_OK && status != STATUS_FORMAT)
        return error_set(err, status, "%s: %s", name, inner.message);
    /* A check is found in the position: the game stands there. */
    bool check = status == STATUS_FORMAT && skip_from_reject(reject) == SKIP_CHECK;
    if (status == STATUS_OK || (check && worker->options->check_all)) {
        Status equal = trace_check(worker->check, worker->game, name, err);
        if (equal != STATUS_OK)
            return equal;
        chunk->checked++;
    }

    Skip skip = SKIP_COUNT;
    Origin origin = {.game = (uint32_t)number,
                     .half_points = record.outcome == OUTCOME_WHITE  ? 2
                                    : record.outcome == OUTCOME_DRAW ? 1
                                                                     : 0,
                     .score_white = SCORE_NONE};
    if (status == STATUS_FORMAT) {
        skip = skip_from_reject(reject);
    } else if (record.outcome == OUTCOME_NONE) {
        skip = SKIP_BAD_RESULT;
        error_set(&inner, STATUS_FORMAT, "a game without a result");
    } else if (!record.has_final_score && worker->options->need_score) {
        skip = SKIP_NO_SCORE;
        error_set(&inner, STATUS_FORMAT, "no score");
    } else if (record.has_final_score && mate_score(record.final_score_white_cp)) {
        skip = SKIP_MATE_SCORE;
    } else if (engine->game_ending(worker->game).reason != END_NONE) {
        skip = SKIP_ENDED;
    } else if (!worker_quiet(worker)) {
        skip = SKIP_UNQUIET;
    }
    if (skip != SKIP_COUNT) {
        if (inner.message[0] && !chunk->first[skip]) {
            chunk->first[skip] = text_format("%s: %s", name, inner.message);
            if (chunk->first[skip])
                reject_clean(chunk->first[skip]);
        }
        chunk->skipped[skip]++;
        return STATUS_OK;
    }
    if (record.has_final_score)
        origin.score_white = record.final_score_white_cp;
    /* Equal positions must not stand on both sides of the split. */
    Part part = part_of(worker, 0, engine->game_key(worker->game));
    return add_position(worker, &chunk->parts[part], &origin, false, err);
}

Status load_text(Sample *sample, const LoadOptions *options, char *text, size_t size, Error *err)
{
    Worker *worker = malloc(sizeof *worker);
    Chunk chunk = {0};
    if (!worker)
        return error_set(err, STATUS_NO_MEMORY, "no memory to load %s", options->text);
    Status status = worker_init(worker, options, sample, err);
    char *end = text + size;
    size_t number = 0;
    for (char *line = text; status == STATUS_OK && line < end;) {
        char *line_end = memchr(line, '\n', (size_t)(end - line));
        line_end = line_end ? line_end : end;
        char *last = line_end;
        number++;
        while (last > line && (last[-1] == '\r' || last[-1] == ' ' || last[-1] == '\t'))
            last--;
        char *next = line_end < end ? line_end + 1 : end;
        while (line < last && (*line == ' ' || *line == '\t'))
            line++;
        *last = 0; /* at most the NUL that file_read_all puts behind the text */
        if (last > line && *line != '#')
            status =
                load_line(worker, options->text, number, line, (size_t)(last - line), &chunk, err);
        if (status == STATUS_OK && number % 1024 == 0 && interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "stopped while loading");
        line = next;
    }
    if (status == STATUS_OK)
        status = take_chunk(sample, &chunk, options->max_positions, err);
    chunk_free(&chunk);
    worker_free(worker);
    free(worker);
    return status;
}
