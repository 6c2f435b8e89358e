/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_plain.c - records of variant-nnue-tools' plain text (see import.h).
 *
 *     fen <FEN>
 *     move <UCI>
 *     score <of the side to move>
 *     ply <n>
 *     result <1, 0 or -1: the side to move wins, draws, loses>
 *     e
 *
 * Records in a row are a game as long as the move of each leads to the position of the next.
 */
#include "ending.h"
#include "import.h"

#include <stdlib.h>
#include <string.h>

typedef struct PlainRecord {
    size_t line; /* of the file, where it begins */
    const char *fen, *move, *score, *ply, *result;
    bool ended;
} PlainRecord;

/* The game that is being put together. */
typedef struct Chain {
    ImportWorker *worker;
    const ImportUnit *unit;
    Harvest *harvest;
    GameRecord record;
    size_t line; /* of its first record */
    Outcome outcome;
    bool open;   /* worker->game holds its last position */
    bool shadow; /* no: the records are wrong, and only followed to see how far */
    bool begins_in_check;
} Chain;

/* --- records --------------------------------------------------------------------------------- */

static bool is_whole_number(const char *text)
{
    text += *text == '-';
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 10 && text[digits] == 0;
}

/* Takes one line into the record. */
static Status take_line(PlainRecord *record, char *line, size_t size, Reject *reject, Error *err)
{
    Status status = import_check_line(line, size, reject, err);
    if (status != STATUS_OK)
        return status;
    while (size > 0 && strchr(" \t", line[size - 1]))
        line[--size] = 0;
    if (strcmp(line, "e") == 0) {
        record->ended = true;
        return STATUS_OK;
    }
    const struct {
        const char *name;
        const char **value;
    } keys[] = {{"fen", &record->fen},
                {"move", &record->move},
                {"score", &record->score},
                {"ply", &record->ply},
                {"result", &record->result}};
    size_t length = strcspn(line, " \t");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i].name) != length || memcmp(line, keys[i].name, length) != 0)
            continue;
        if (*keys[i].value)
            return reject_set(reject, REJECT_SYNTAX, err, "'%s' for the second time in a record",
                              keys[i].name);
        *keys[i].value = line + length + strspn(line + length, " \t");
        return STATUS_OK;
    }
    return reject_set(reject, REJECT_SYNTAX, err,
                      "'%.20s', expected fen, move, score, ply, result or e", line);
}

/* The next record of the unit, all of its lines; *end when there is none. A record that is refused
 * is read to its end all the same. */
static Status next_record(const ImportUnit *unit, size_t *at, size_t *number, PlainRecord *record,
                          bool *end, Reject *reject, Error *err)
{
    *record = (PlainRecord){0};
    Status status = STATUS_OK;
    size_t size, before = *at;
    bool any = false;
    for (char *line; !record->ended; before = *at) {
        size_t number_before = *number;
        if (!(line = import_next_line(unit, at, number, &size)))
            break;
        if (strspn(line, " \t") == size)
            continue;
        if (record->fen && strncmp(line, "fen ", 4) == 0) {
            line[size] = '\n'; /* the next record's */
            *at = before;
            *number = number_before;
            break;
        }
        if (!any)
            record->line = *number;
        any = true;
        Status taken = status == STATUS_OK ? take_line(record, line, size, reject, err) : STATUS_OK;
        if (taken != STATUS_OK)
            status = taken;
        else if (status != STATUS_OK)
            record->ended = strcmp(line, "e") == 0;
    }
    *end = !any;
    if (status == STATUS_OK && any && !record->ended)
        status = reject_set(reject, REJECT_TRUNCATED, err, "a record without its end, a line 'e'");
    if (status == STATUS_OK && any && (!record->fen || !record->move || !record->result))
        status = reject_set(reject, REJECT_TRUNCATED, err, "a record without '%s'",
                            !record->fen    ? "fen"
                            : !record->move ? "move"
                                            : "result");
    return status;
}

/* --- chains ---------------------------------------------------------------------------------- */

static void refuse(Chain *chain, size_t line, uint64_t count, Reject reject, const Error *error)
{
    char message[sizeof error->message + 240];
    snprintf(message, sizeof message, "%.200s: line %zu: %s", chain->unit->path, line,
             error->message);
    reject_tally_add(&chain->harvest->rejects, reject, count, message);
}

/* Ends the game and hands it over. */
static Status close_chain(Chain *chain, Error *err)
{
    const Engine *engine = chain->worker->rules->engine;
    GameRecord *record = &chain->record;
    Status status = STATUS_OK;
    if (record->ply_count > 0) {
        Reject reject = REJECT_COUNT;
        Error inner = {0};
        Status settled = ending_settle(engine, chain->worker->game, record, chain->outcome,
                                       REASON_UNKNOWN, &reject, &inner);
        if (settled == STATUS_OK && record->ply_count == 1 && chain->begins_in_check)
            settled = reject_set(&reject, REJECT_CHECK, &inner,
                                 "the side to move is in check: a lone position like that teaches "
                                 "nothing");
        if (settled != STATUS_OK)
            refuse(chain, chain->line, record->ply_count, reject, &inner);
        else
            status = harvest_add(chain->harvest, chain->worker, record, err);
    }
    game_record_free(record);
    *record = (GameRecord){0};
    chain->open = chain->shadow = false;
    return status;
}

/* The fields of a FEN without the hands, and the hands. */
static void split_fen(const char *fen, char board[ENGINE_MAX_FEN], char hands[ENGINE_MAX_FEN])
{
    size_t board_size = strcspn(fen, "[ "), hands_size = 0;
    if (fen[board_size] == '[')
        hands_size = strcspn(fen + board_size, " ");
    size_t rest = strlen(fen + board_size + hands_size);
    const char *side = fen + board_size + hands_size;
    memcpy(board, fen, board_size);
    memcpy(board + board_size, side, rest < 2 ? rest : 2); /* " w" */
    board[board_size + (rest < 2 ? rest : 2)] = 0;
    memcpy(hands, fen + board_size, hands_size);
    hands[hands_size] = 0;
}

typedef enum Link { LINK_NONE, LINK_NEXT, LINK_LOST_HANDS } Link;

/* Does the position in worker->other follow the last one of the chain? */
static Link link_of(const Chain *chain, Outcome outcome)
{
    const Engine *engine = chain->worker->rules->engine;
    const Game *last = chain->worker->game, *next = chain->worker->other;
    if (!chain->open || outcome != chain->outcome)
        return LINK_NONE;
    if (engine->game_key(last) == engine->game_key(next))
        return chain->shadow ? LINK_NONE : LINK_NEXT;
    char fens[2][ENGINE_MAX_FEN], boards[2][ENGINE_MAX_FEN], hands[2][ENGINE_MAX_FEN];
    engine->game_fen(last, fens[0]);
    engine->game_fen(next, fens[1]);
    for (int i = 0; i < 2; i++)
        split_fen(fens[i], boards[i], hands[i]);
    return strcmp(boards[0], boards[1]) == 0 && strcmp(hands[0], hands[1]) != 0 ? LINK_LOST_HANDS
                                                                                : LINK_NONE;
}

/* White's score of a record in centipawns. */
static Status record_score(const ImportRules *rules, const PlainRecord *record, Side side,
                           int *score, Reject *reject, Error *err)
{
    *score = SCORE_NONE;
    if (!record->score)
        return STATUS_OK;
    Status status = import_score(record->score, score, reject, err);
    if (status != STATUS_OK)
        return status;
    if (abs(*score) <= SCORE_MATE_BOUND && rules->pawn != 100) {
        int twice = 200 * abs(*score) / rules->pawn, scaled = (twice + 1) / 2;
        scaled = scaled > SCORE_MATE_BOUND ? SCORE_MATE_BOUND : scaled;
        *score = *score < 0 ? -scaled : scaled;
    }
    if (side == SIDE_BLACK)
        *score = -*score;
    return STATUS_OK;
}

/* White's result of a record. */
static Status record_outcome(const Engine *engine, const PlainRecord *record, Side side,
                             Outcome *outcome, Reject *reject, Error *err)
{
    if (!is_whole_number(record->result) || abs(atoi(record->result)) > 1)
        return reject_set(reject, REJECT_RESULT, err, "result '%.20s', expected 1, 0 or -1",
                          record->result);
    int value = atoi(record->result);
    if (value == 0 && !engine->has_draws)
        return reject_set(reject, REJECT_DRAW, err, "a draw, but %s has no draws", engine->name);
    if (record->ply && !is_whole_number(record->ply))
        return reject_set(reject, REJECT_SYNTAX, err, "ply '%.20s', expected a whole number",
                          record->ply);
    *outcome = value == 0                            ? OUTCOME_DRAW
               : (value > 0) == (side == SIDE_WHITE) ? OUTCOME_WHITE
                                                     : OUTCOME_BLACK;
    return STATUS_OK;
}

/* Begins a game at the position in worker->other. */
static Status begin_chain(Chain *chain, size_t line, Outcome outcome, Error *err)
{
    const Engine *engine = chain->worker->rules->engine;
    engine->game_fen(chain->worker->other, chain->record.start_fen);
    chain->line = line;
    chain->outcome = outcome;
    chain->begins_in_check = engine->game_in_check(chain->worker->other);
    chain->open = true;
    return engine->game_set(chain->worker->game, chain->record.start_fen, err);
}

/* Appends the record, whose position is the last of the chain. */
static Status add_ply(Chain *chain, const PlainRecord *record, Reject *reject, Error *err)
{
    const Engine *engine = chain->worker->rules->engine;
    Game *game = chain->worker->game;
    Ending ending = engine->game_ending(game);
    if (ending.reason != END_NONE)
        return reject_set(reject, REJECT_AFTER_END, err, "the game is over here (%s)",
                          end_reason_text(ending.reason));
    int score;
    Status status =
        record_score(chain->worker->rules, record, engine->game_side(game), &score, reject, err);
    if (status != STATUS_OK)
        return status;
    PlyRecord ply = {.score_white_cp = (int16_t)score};
    Error inner = {0};
    if (engine->move_from_uci(game, record->move, &ply.move, &inner) != STATUS_OK)
        return reject_set(reject, REJECT_MOVE, err, "%s", inner.message);
    status = game_record_add(&chain->record, ply, err);
    return status == STATUS_OK ? engine->game_play(game, ply.move, err) : status;
}

/* Follows the true game past a record that lost its hands, for those after it. */
static Status follow_shadow(Chain *chain, size_t line, const PlainRecord *record, Error *err)
{
    const Engine *engine = chain->worker->rules->engine;
    Error lost = {0};
    Reject reject;
    char fen[ENGINE_MAX_FEN];
    Move move;
    engine->game_fen(chain->worker->game, fen);
    reject_set(&reject, REJECT_HANDS, &lost,
               "hands that do not follow from the record before, expected %s", fen);
    refuse(chain, line, 1, reject, &lost);
    Outcome outcome = chain->outcome;
    Status status = close_chain(chain, err);
    /* harvest_add replayed in worker->game */
    if (status == STATUS_OK)
        status = engine->game_set(chain->worker->game, fen, err);
    if (status == STATUS_OK &&
        engine->move_from_uci(chain->worker->game, record->move, &move, NULL) == STATUS_OK) {
        status = engine->game_play(chain->worker->game, move, err);
        chain->outcome = outcome;
        chain->open = chain->shadow = true;
    }
    return status;
}

/* One record: into the chain, or a new one. STATUS_FORMAT refuses the record. */
static Status take_record(Chain *chain, const PlainRecord *record, Reject *reject, Error *err)
{
    const Engine *engine = chain->worker->rules->engine;
    Game *next = chain->worker->other;
    Outcome outcome = OUTCOME_NONE;
    Error inner = {0};
    Status status = engine->game_set(next, record->fen, &inner);
    if (status == STATUS_FORMAT)
        return reject_set(reject, REJECT_POSITION, err, "%s", inner.message);
    if (status != STATUS_OK)
        return error_set(err, status, "%s", inner.message);
    status = record_outcome(engine, record, engine->game_side(next), &outcome, reject, err);
    if (status != STATUS_OK)
        return status;
    Link link = link_of(chain, outcome);
    if (link == LINK_LOST_HANDS)
        return follow_shadow(chain, record->line, record, err);
    if (link == LINK_NEXT) {
        status = add_ply(chain, record, reject, err);
        /* With the game's history a move may be forbidden, or the game over, that is none of this
         * by itself: then another game begins here. */
        if (status != STATUS_FORMAT || (*reject != REJECT_MOVE && *reject != REJECT_AFTER_END))
            return status;
    }
    status = close_chain(chain, err);
    if (status == STATUS_OK)
        status = begin_chain(chain, record->line, outcome, err);
    return status == STATUS_OK ? add_ply(chain, record, reject, err) : status;
}

Status import_plain(ImportWorker *worker, const ImportUnit *unit, Harvest *harvest, Error *err)
{
    Chain chain = {.worker = worker, .unit = unit, .harvest = harvest};
    size_t at = 0, number = 0;
    Status status = STATUS_OK;
    while (status == STATUS_OK) {
        PlainRecord record;
        Reject reject = REJECT_COUNT;
        Error inner = {0};
        bool end = false;
        status = next_record(unit, &at, &number, &record, &end, &reject, &inner);
        if (end)
            break;
        harvest->records++;
        if (status == STATUS_OK)
            status = take_record(&chain, &record, &reject, &inner);
        if (status == STATUS_FORMAT) {
            refuse(&chain, record.line, 1, reject, &inner);
            status = close_chain(&chain, err);
        } else if (status != STATUS_OK) {
            error_set(err, status, "%s", inner.message);
        }
    }
    Status closed = close_chain(&chain, status == STATUS_OK ? err : NULL);
    return status == STATUS_OK ? closed : status;
}
