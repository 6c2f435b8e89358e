/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import.h - texts of other programs as games: what `campmate-data import` is made of.
 *
 * A source cuts a file into units that can be read independently of each other, in order; any
 * thread reads a unit into a harvest. Memory is bounded by one unit (a game, a run of records).
 */
#pragma once

#include "pgn.h"
#include "reject.h"

/* X(id, name) */
#define IMPORT_FORMATS(X)                                                                          \
    X(IMPORT_PGN, "pgn")                                                                           \
    X(IMPORT_EPD, "epd")     /* positions with the operations result or c9, and ce       */        \
    X(IMPORT_LINES, "lines") /* FEN;result[;score]                                       */        \
    X(IMPORT_PLAIN, "plain") /* records of variant-nnue-tools: fen, move, score, ...     */
#define IMPORT_NAME(id, name) id,
typedef enum ImportFormat { IMPORT_FORMATS(IMPORT_NAME) IMPORT_FORMAT_COUNT } ImportFormat;
#undef IMPORT_NAME

const char *import_format_name(ImportFormat format);
bool import_format_from_name(const char *name, ImportFormat *format);
/* The format of a file by its extension (.pgn, .epd, .plain, each also with .zst), or by its first
 * lines. "-" has none: STATUS_ARGUMENT. */
Status import_format_guess(const char *path, ImportFormat *format, Error *err);

/* --- units ----------------------------------------------------------------------------------- */

typedef struct ImportUnit {
    ImportFormat format;
    const char *path;    /* not owned */
    size_t line, column; /* of its first byte */
    Buffer text;         /* of PGN as it is; else lines that end with LF */
} ImportUnit;

typedef struct ImportSource ImportSource;
Status import_source_open(ImportSource **source, const char *path, ImportFormat format, Error *err);
void import_source_close(ImportSource *source);
/* The next unit into `unit` (memory reused); *end = true when there is none. */
Status import_source_next(ImportSource *source, ImportUnit *unit, bool *end, Error *err);

enum { IMPORT_LINE_MAX = 4096 }; /* a longer line of EPD, lines or plain is refused */

/* --- reading --------------------------------------------------------------------------------- */

typedef struct ImportRules {
    const Engine *engine;
    int pawn; /* what a pawn is worth in the scores of plain records: 100 = they are centipawns */
} ImportRules;

/* One for each thread. */
typedef struct ImportWorker {
    const ImportRules *rules;
    Game *game, *other;
    PgnGame pgn;
} ImportWorker;

Status import_worker_init(ImportWorker *worker, const ImportRules *rules, Error *err);
void import_worker_free(ImportWorker *worker);

/* What came out of a unit. Zeroed is empty. */
typedef struct Harvest {
    GameRecord *games; /* [count] */
    uint64_t *keys;    /* [count]: equal for equal games, and for equal positions without moves */
    size_t count, capacity;
    uint64_t records; /* games or records looked at */
    uint64_t cut;     /* games that were played on behind their end */
    RejectTally rejects;
} Harvest;

void harvest_free(Harvest *harvest);
/* Takes the record over (also on failure) and empties it. The game's key is found by replaying. */
Status harvest_add(Harvest *harvest, ImportWorker *worker, GameRecord *record, Error *err);

/* Reads a unit. Bad records are counted in the harvest; a status only for lack of memory. */
Status import_unit(ImportWorker *worker, const ImportUnit *unit, Harvest *harvest, Error *err);

/* The parts of import_unit. */
Status import_lines(ImportWorker *worker, const ImportUnit *unit, Harvest *harvest, Error *err);
Status import_plain(ImportWorker *worker, const ImportUnit *unit, Harvest *harvest, Error *err);

/*
 * Reads a line of EPD or FEN;result[;score], `size` bytes and a NUL: it is changed. The record is
 * a game of no moves whose final position has the score; `game` is left in that position.
 * STATUS_FORMAT with *reject, without a place.
 */
Status import_line(const Engine *engine, Game *game, ImportFormat format, char *line, size_t size,
                   GameRecord *record, Reject *reject, Error *err);

/* --- what the line formats share ------------------------------------------------------------- */

/* The next line of a unit, without its LF, NUL-terminated in place; NULL at the end. *number
 * starts at 0 and is the line's number in the file after each call. */
char *import_next_line(const ImportUnit *unit, size_t *at, size_t *number, size_t *size);

/* STATUS_FORMAT with *reject for a line that is too long or has zero bytes. */
Status import_check_line(const char *line, size_t size, Reject *reject, Error *err);

/* A result of the game: 1-0, 0-1, 1/2-1/2, *, or White's points 1, 0, 0.5, 1.0, 0.0, each also in
 * [brackets]. */
bool import_outcome(const char *text, Outcome *outcome);

/* A whole number of centipawns. STATUS_FORMAT with the reject if it is none or out of range. */
Status import_score(const char *text, int *score, Reject *reject, Error *err);
