/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import_lines.c - positions with results: EPD, and lines FEN;result[;score] (see import.h). */
#include "ending.h"
#include "epd.h"
#include "import.h"

#include <string.h>

/* What a line says of its position. */
typedef struct Claim {
    char fen[ENGINE_MAX_FEN];
    Outcome outcome;
    int score;           /* SCORE_NONE = not said */
    bool score_of_mover; /* else White's */
} Claim;

/* FEN;result[;score] */
static Status split_line(char *line, Claim *claim, Reject *reject, Error *err)
{
    char *result = strchr(line, ';');
    if (!result)
        return reject_set(reject, REJECT_RESULT, err, "no result, expected FEN;result[;score]");
    *result++ = 0;
    char *score = strchr(result, ';');
    if (score)
        *score++ = 0;
    if (!import_outcome(result, &claim->outcome))
        return reject_set(reject, REJECT_RESULT, err,
                          "result '%.20s', expected 1-0, 0-1, 1/2-1/2, * or 1, 0, 0.5", result);
    const char *operations;
    Error inner = {0};
    if (epd_fen(line, claim->fen, &operations, &inner) != STATUS_OK)
        return reject_set(reject, REJECT_POSITION, err, "%s", inner.message);
    if (*operations)
        return reject_set(reject, REJECT_POSITION, err, "'%.40s' after the position, expected ';'",
                          operations);
    if (!score || score[strspn(score, " \t")] == 0)
        return STATUS_OK;
    return import_score(score, &claim->score, reject, err);
}

/* Operations result or c9, and ce. */
static Status split_epd(const char *line, Claim *claim, Reject *reject, Error *err)
{
    static const char *const names[] = {"result", "c9"};
    const char *operations;
    char operand[EPD_OPERAND_MAX];
    bool found = false, any = false;
    Error inner = {0};
    if (epd_fen(line, claim->fen, &operations, &inner) != STATUS_OK)
        return reject_set(reject, REJECT_POSITION, err, "%s", inner.message);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Outcome outcome;
        if (epd_operand(operations, names[i], operand, &found, &inner) != STATUS_OK)
            return reject_set(reject, REJECT_CONTRADICTION, err, "%s", inner.message);
        if (!found)
            continue;
        if (!import_outcome(operand, &outcome))
            return reject_set(reject, REJECT_RESULT, err,
                              "%s '%.20s', expected 1-0, 0-1, 1/2-1/2, * or 1, 0, 0.5", names[i],
                              operand);
        if (any && outcome != claim->outcome)
            return reject_set(reject, REJECT_CONTRADICTION, err, "result %s, but c9 %s",
                              outcome_text(claim->outcome), outcome_text(outcome));
        claim->outcome = outcome;
        any = true;
    }
    if (!any)
        return reject_set(reject, REJECT_RESULT, err,
                          "no result, expected an operation result \"1-0\"; or c9 \"1-0\";");
    if (epd_operand(operations, "ce", operand, &found, &inner) != STATUS_OK)
        return reject_set(reject, REJECT_CONTRADICTION, err, "%s", inner.message);
    claim->score_of_mover = found;
    return found ? import_score(operand, &claim->score, reject, err) : STATUS_OK;
}

/* A game of no moves whose final position has the score. */
static Status make_record(const Engine *engine, Game *game, const Claim *claim, GameRecord *record,
                          Reject *reject, Error *err)
{
    Error inner = {0};
    Status status = engine->game_set(game, claim->fen, &inner);
    if (status == STATUS_FORMAT)
        return reject_set(reject, REJECT_POSITION, err, "%s", inner.message);
    if (status != STATUS_OK)
        return error_set(err, status, "%s", inner.message);
    engine->game_fen(game, record->start_fen);
    status = ending_settle(engine, game, record, claim->outcome,
                           ending_reason_from_text(NULL, claim->outcome), reject, err);
    if (status != STATUS_OK)
        return status;
    if (engine->game_ending(game).reason == END_NONE && engine->game_in_check(game))
        return reject_set(
            reject, REJECT_CHECK, err,
            "the side to move is in check: a lone position like that teaches nothing");
    int score = claim->score;
    if (score != SCORE_NONE && claim->score_of_mover && engine->game_side(game) == SIDE_BLACK)
        score = -score;
    record->has_final_score = score != SCORE_NONE;
    record->final_score_white_cp = (int16_t)(record->has_final_score ? score : 0);
    return STATUS_OK;
}

Status import_line(const Engine *engine, Game *game, ImportFormat format, char *line, size_t size,
                   GameRecord *record, Reject *reject, Error *err)
{
    Claim claim = {.score = SCORE_NONE, .outcome = OUTCOME_NONE};
    Status status = import_check_line(line, size, reject, err);
    if (status == STATUS_OK)
        status = format == IMPORT_EPD ? split_epd(line, &claim, reject, err)
                                      : split_line(line, &claim, reject, err);
    return status == STATUS_OK ? make_record(engine, game, &claim, record, reject, err) : status;
}

Status import_lines(ImportWorker *worker, const ImportUnit *unit, Harvest *harvest, Error *err)
{
    size_t at = 0, number = 0, size;
    Status status = STATUS_OK;
    for (char *line;
         status == STATUS_OK && (line = import_next_line(unit, &at, &number, &size)) != NULL;) {
        size_t blank = strspn(line, " \t");
        if (blank == size || line[blank] == '#')
            continue;
        GameRecord record = {0};
        Reject reject = REJECT_COUNT;
        Error inner = {0};
        harvest->records++;
        status = import_line(worker->rules->engine, worker->game, unit->format, line, size, &record,
                             &reject, &inner);
        if (status == STATUS_OK) {
            status = harvest_add(harvest, worker, &record, err);
        } else if (status == STATUS_FORMAT) {
            char message[sizeof inner.message + 240];
            snprintf(message, sizeof message, "%.200s: line %zu: %s", unit->path, number,
                     inner.message);
            reject_tally_add(&harvest->rejects, reject, 1, message);
            status = STATUS_OK;
        } else {
            error_set(err, status, "%s", inner.message);
        }
    }
    return status;
}
