/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import_unit.c - units into games: the harvest, PGN, and what the formats of lines share. */
#include "import.h"

#include <stdlib.h>
#include <string.h>

/* --- workers and harvests -------------------------------------------------------------------- */

Status import_worker_init(ImportWorker *worker, const ImportRules *rules, Error *err)
{
    *worker = (ImportWorker){.rules = rules};
    worker->game = rules->engine->game_new(err);
    worker->other = worker->game ? rules->engine->game_new(err) : NULL;
    return worker->other ? STATUS_OK : STATUS_NO_MEMORY;
}

void import_worker_free(ImportWorker *worker)
{
    if (!worker->rules)
        return;
    worker->rules->engine->game_free(worker->game);
    worker->rules->engine->game_free(worker->other);
    pgn_game_free(&worker->pgn);
}

void harvest_free(Harvest *harvest)
{
    for (size_t i = 0; i < harvest->count; i++)
        game_record_free(&harvest->games[i]);
    free(harvest->games);
    free(harvest->keys);
    reject_tally_free(&harvest->rejects);
    *harvest = (Harvest){0};
}

static Status harvest_grow(Harvest *harvest, Error *err)
{
    if (harvest->count < harvest->capacity)
        return STATUS_OK;
    size_t capacity = 2 * harvest->capacity + 4;
    GameRecord *games = realloc(harvest->games, capacity * sizeof *games);
    if (games)
        harvest->games = games;
    uint64_t *keys = games ? realloc(harvest->keys, capacity * sizeof *keys) : NULL;
    if (!keys)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu games", capacity);
    harvest->keys = keys;
    harvest->capacity = capacity;
    return STATUS_OK;
}

/* The key of its position for a game without moves or with one, else of all its positions. */
static Status game_key(ImportWorker *worker, const GameRecord *record, uint64_t *key, Error *err)
{
    const Engine *engine = worker->rules->engine;
    Status status = engine->game_set(worker->game, record->start_fen, err);
    if (status != STATUS_OK)
        return status;
    *key = engine->game_key(worker->game);
    for (size_t i = 0; record->ply_count > 1 && i < record->ply_count && status == STATUS_OK; i++) {
        status = engine->game_play(worker->game, record->plies[i].move, err);
        /* Depends on the order; an odd factor loses nothing. */
        *key = (*key ^ engine->game_key(worker->game)) * UINT64_C(0x9e3779b97f4a7c15);
        *key ^= *key >> 29;
    }
    return status;
}

Status harvest_add(Harvest *harvest, ImportWorker *worker, GameRecord *record, Error *err)
{
    uint64_t key;
    Status status = harvest_grow(harvest, err);
    if (status == STATUS_OK)
        status = game_key(worker, record, &key, err);
    if (status == STATUS_OK) {
        harvest->games[harvest->count] = *record;
        harvest->keys[harvest->count++] = key;
    } else {
        game_record_free(record);
    }
    *record = (GameRecord){0};
    return status;
}

/* --- units ----------------------------------------------------------------------------------- */

static Status import_game(ImportWorker *worker, const ImportUnit *unit, Harvest *harvest,
                          Error *err)
{
    PgnSource source = {.path = unit->path,
                        .line = unit->line,
                        .column = unit->column,
                        .text = (const char *)unit->text.bytes,
                        .size = unit->text.size};
    Reject reject = REJECT_COUNT;
    Error inner = {0};
    harvest->records++;
    Status status = pgn_parse(&source, worker->rules->engine, &worker->pgn, &reject, &inner);
    if (status == STATUS_OK) {
        harvest->cut += worker->pgn.played_on;
        pgn_game_cut(&worker->pgn);
        return harvest_add(harvest, worker, &worker->pgn.record, err);
    }
    if (status != STATUS_FORMAT)
        return error_set(err, status, "%s", inner.message);
    reject_tally_add(&harvest->rejects, reject, 1, inner.message);
    return STATUS_OK;
}

Status import_unit(ImportWorker *worker, const ImportUnit *unit, Harvest *harvest, Error *err)
{
    switch (unit->format) {
    case IMPORT_PGN:
        return import_game(worker, unit, harvest, err);
    case IMPORT_PLAIN:
        return import_plain(worker, unit, harvest, err);
    default:
        return import_lines(worker, unit, harvest, err);
    }
}

/* --- what the line formats share ------------------------------------------------------------- */

char *import_next_line(const ImportUnit *unit, size_t *at, size_t *number, size_t *size)
{
    if (*at >= unit->text.size)
        return NULL;
    char *line = (char *)unit->text.bytes + *at;
    char *stop = memchr(line, '\n', unit->text.size - *at);
    *size = (size_t)(stop - line);
    *number = *at == 0 ? unit->line : *number + 1;
    *at += *size + 1;
    *stop = 0;
    return line;
}

Status import_check_line(const char *line, size_t size, Reject *reject, Error *err)
{
    const char *zero = memchr(line, 0, size);
    if (zero)
        return reject_set(reject, REJECT_ZERO, err, "a zero byte at byte %zu of the line",
                          (size_t)(zero - line) + 1);
    if (size > IMPORT_LINE_MAX)
        return reject_set(reject, REJECT_SYNTAX, err, "a line of more than %d bytes",
                          IMPORT_LINE_MAX);
    return STATUS_OK;
}

bool import_outcome(const char *text, Outcome *outcome)
{
    static const struct {
        const char *text;
        Outcome outcome;
    } points[] = {{"1", OUTCOME_WHITE},
                  {"0", OUTCOME_BLACK},
                  {"0.5", OUTCOME_DRAW},
                  {"1.0", OUTCOME_WHITE},
                  {"0.0", OUTCOME_BLACK}};
    char word[16];
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    if (length >= sizeof word)
        return false;
    memcpy(word, text, length);
    word[length] = 0;
    if (outcome_from_text(word, outcome))
        return true;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        if (strcmp(word, points[i].text) == 0) {
            *outcome = points[i].outcome;
            return true;
        }
    return false;
}

Status import_score(const char *text, int *score, Reject *reject, Error *err)
{
    text += strspn(text, " \t");
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || digits[count + strspn(digits + count, " \t")] != 0)
        return reject_set(reject, REJECT_SCORE, err, "score '%.20s', expected a whole number",
                          text);
    int value = 0;
    for (size_t i = 0; i < count; i++)
        value = value < SCORE_MATE * 10 ? 10 * value + (digits[i] - '0') : value;
    if (value > SCORE_MATE)
        return reject_set(reject, negative ? REJECT_SCORE_LOW : REJECT_SCORE_HIGH, err,
                          "score %.20s, expected %d to %d", text, -SCORE_MATE, SCORE_MATE);
    *score = negative ? -value : value;
    return STATUS_OK;
}
