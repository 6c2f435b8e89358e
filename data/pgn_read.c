/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_read.c - one game from PGN text: tags, moves, notes (see pgn.h). */
#include "block.h"
#include "ending.h"
#include "pgn_comment.h"
#include "pgn_game.h"
#include "pgn_move.h"
#include "pgn_scan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS_WRAPPED = 80 };

typedef struct Parser {
    PgnScanner scanner;
    PgnGame *game;
    const Engine *engine; /* of the caller, then that of the game */
    Game *position;
    Side mover; /* of the last move */
} Parser;

static Status no_memory(const Parser *parser, Error *err)
{
    return error_set(err, STATUS_NO_MEMORY, "%s: line %zu: no memory for a game",
                     parser->scanner.source->path, parser->scanner.token_line);
}

/* --- tags ------------------------------------------------------------------------------------ */

static Status keep_tag(Parser *parser, Error *err)
{
    PgnScanner *scanner = &parser->scanner;
    const char *name = (const char *)scanner->name.bytes;
    const char *value = (const char *)scanner->value.bytes;
    if (pgn_game_tag(parser->game, name))
        return pgn_scan_refuse(scanner, REJECT_SYNTAX, err,
                               "tag '%.60s' for the second time, expected each tag once", name);
    PgnTag tag = {.name = pgn_game_keep(parser->game, name, strlen(name)),
                  .value = pgn_game_keep(parser->game, value, strlen(value))};
    return pgn_game_add_tag(parser->game, tag) && !parser->game->texts.failed
               ? STATUS_OK
               : no_memory(parser, err);
}

/* The engine of the Variant tag or the caller's. */
static Status choose_engine(Parser *parser, Error *err)
{
    const char *name = pgn_game_tag(parser->game, "Variant");
    const Engine *named = NULL;
    for (size_t i = 0; name && !named && engine_at(i); i++)
        if (strcasecmp(name, engine_at(i)->title) == 0 || strcasecmp(name, engine_at(i)->name) == 0)
            named = engine_at(i);
    if (name && !named)
        return pgn_scan_refuse(&parser->scanner, REJECT_VARIANT, err,
                               "Variant '%.60s', expected one of: %s", name, engine_names());
    if (named && parser->engine && named != parser->engine)
        return pgn_scan_refuse(&parser->scanner, REJECT_VARIANT, err, "a game of %s, expected %s",
                               named->title, parser->engine->title);
    if (!named && !parser->engine)
        return pgn_scan_refuse(&parser->scanner, REJECT_VARIANT, err,
                               "no tag Variant, expected one of: %s", engine_names());
    parser->game->engine = parser->engine = named ? named : parser->engine;
    return STATUS_OK;
}

/* After the tags: the start position. */
static Status set_up(Parser *parser, Error *err)
{
    PgnGame *game = parser->game;
    Status status = choose_engine(parser, err);
    if (status != STATUS_OK)
        return status;
    parser->position = parser->engine->game_new(err);
    if (!parser->position)
        return STATUS_NO_MEMORY;
    const char *fen = pgn_game_tag(game, "FEN"), *set_up_tag = pgn_game_tag(game, "SetUp");
    if (!fen && set_up_tag && strcmp(set_up_tag, "1") == 0)
        return pgn_scan_refuse(&parser->scanner, REJECT_POSITION, err,
                               "tag SetUp says 1, but there is no tag FEN");
    Error inner = {0};
    status = parser->engine->game_set(parser->position, fen, &inner);
    if (status == STATUS_FORMAT)
        return pgn_scan_refuse(&parser->scanner, REJECT_POSITION, err, "tag FEN: %s",
                               inner.message);
    parser->engine->game_fen(parser->position, game->record.start_fen);
    return status == STATUS_OK ? STATUS_OK : error_set(err, status, "%s", inner.message);
}

/* Tags up to the first token of the moves, which is left in *token. */
static Status parse_tags(Parser *parser, PgnToken *token, Error *err)
{
    Status status = pgn_scan(&parser->scanner, token, err);
    while (status == STATUS_OK && (*token == PGN_TAG || *token == PGN_COMMENT)) {
        if (*token == PGN_TAG) {
            /* What stood before the tags belongs to the file, not to the game. */
            parser->game->note_count = 0;
            status = keep_tag(parser, err);
        } else {
            PgnNote note = {.text = pgn_game_keep(parser->game,
                                                  (const char *)parser->scanner.value.bytes,
                                                  parser->scanner.value.size - 1)};
            if (!pgn_game_add_note(parser->game, note) || parser->game->texts.failed)
                status = no_memory(parser, err);
        }
        if (status == STATUS_OK)
            status = pgn_scan(&parser->scanner, token, err);
    }
    return status;
}

/* --- moves ----------------------------------------------------------------------------------- */

/* Is there no move behind such an end? */
static bool is_final(EndReason reason)
{
    return reason == END_MATE || reason == END_STALEMATE || reason == END_CAMPMATE;
}

static Status parse_move(Parser *parser, Error *err)
{
    const Engine *engine = parser->engine;
    GameRecord *record = &parser->game->record;
    Game *position = parser->position;
    const char *text = parser->scanner.text;
    Side side = engine->game_side(position);
    int number = engine->game_fullmove(position);
    const char *dots = side == SIDE_WHITE ? "." : "...";
    Ending ending = engine->game_ending(position);
    if (is_final(ending.reason))
        return pgn_scan_refuse(&parser->scanner, REJECT_AFTER_END, err,
                               "move %d%s '%s' after the end of the game (%s), expected %s", number,
                               dots, text, end_reason_text(ending.reason),
                               outcome_text(ending.outcome));
    if (record->ply_count == GAME_PLIES_MAX)
        return pgn_scan_refuse(&parser->scanner, REJECT_SYNTAX, err, "a game of more than %d plies",
                               GAME_PLIES_MAX);
    Move move = MOVE_NONE;
    Error inner = {0};
    if (pgn_move_read(engine, position, text, &move, &inner) != STATUS_OK)
        return pgn_scan_refuse(&parser->scanner, REJECT_MOVE, err, "move %d%s: %s", number, dots,
                               inner.message);
    if (ending.reason != END_NONE && !parser->game->played_on) {
        parser->game->played_on = true;
        parser->game->end = ending;
        parser->game->end_ply = record->ply_count;
    }
    PlyRecord ply = {.move = move, .score_white_cp = SCORE_NONE};
    Status status = game_record_add(record, ply, err);
    parser->mover = side;
    return status == STATUS_OK ? engine->game_play(position, move, err) : status;
}

/* A comment behind the moves so far: kept, and read for scores and flags. */
static Status parse_comment(Parser *parser, Error *err)
{
    PgnGame *game = parser->game;
    GameRecord *record = &game->record;
    const char *text = (const char *)parser->scanner.value.bytes;
    PgnNote note = {.ply = record->ply_count,
                    .text = pgn_game_keep(game, text, parser->scanner.value.size - 1)};
    if (!pgn_game_add_note(game, note) || game->texts.failed)
        return no_memory(parser, err);
    Side side = parser->engine->game_side(parser->position);
    PgnFacts facts = pgn_comment_read(text, parser->mover, side);
    record->has_final_score = facts.eval_white_cp != SCORE_NONE || record->has_final_score;
    if (facts.eval_white_cp != SCORE_NONE)
        record->final_score_white_cp = (int16_t)facts.eval_white_cp;
    if (record->ply_count > 0) {
        PlyRecord *ply = &record->plies[record->ply_count - 1];
        if (facts.score_white_cp != SCORE_NONE)
            ply->score_white_cp = (int16_t)facts.score_white_cp;
        ply->flags |= facts.flags;
    }
    return STATUS_OK;
}

/* The score of the position before the next move was that of the final one so far. */
static void pass_eval_on(GameRecord *record)
{
    PlyRecord *ply = &record->plies[record->ply_count - 1];
    if (record->has_final_score)
        ply->score_white_cp = record->final_score_white_cp;
    record->has_final_score = false;
    record->final_score_white_cp = 0;
}

static Status parse_glyph(Parser *parser, Error *err)
{
    PgnNote note = {
        .ply = parser->game->record.ply_count, .is_glyph = true, .nag = parser->scanner.nag};
    return pgn_game_add_note(parser->game, note) ? STATUS_OK : no_memory(parser, err);
}

/* Reads over a variation, whose opening parenthesis was the last token. */
static Status skip_variation(Parser *parser, Error *err)
{
    size_t line = parser->scanner.token_line, column = parser->scanner.token_column;
    PgnToken token;
    for (size_t depth = 1; depth > 0;) {
        Status status = pgn_scan(&parser->scanner, &token, err);
        if (status != STATUS_OK)
            return status;
        depth += token == PGN_OPEN;
        depth -= token == PGN_CLOSE;
        if (token == PGN_END)
            return pgn_scan_refuse(&parser->scanner, REJECT_TRUNCATED, err,
                                   "the game ends, expected ) after the variation that begins at "
                                   "line %zu, column %zu",
                                   line, column);
        if (token == PGN_TAG)
            return pgn_scan_refuse(&parser->scanner, REJECT_SYNTAX, err,
                                   "a tag inside of a variation, expected a move or )");
    }
    parser->game->variations++;
    return STATUS_OK;
}

/* The moves, from the token that is there already to the result. */
static Status parse_moves(Parser *parser, PgnToken token, Error *err)
{
    Status status = STATUS_OK;
    while (status == STATUS_OK && token != PGN_RESULT) {
        switch (token) {
        case PGN_MOVE:
            status = parse_move(parser, err);
            if (status == STATUS_OK)
                pass_eval_on(&parser->game->record);
            break;
        case PGN_COMMENT:
            status = parse_comment(parser, err);
            break;
        case PGN_GLYPH:
            status = parse_glyph(parser, err);
            break;
        case PGN_OPEN:
            status = skip_variation(parser, err);
            break;
        case PGN_CLOSE:
            status = pgn_scan_refuse(&parser->scanner, REJECT_SYNTAX, err,
                                     "')' without a '(', expected a move or the result");
            break;
        case PGN_TAG:
            status = pgn_scan_refuse(&parser->scanner, REJECT_SYNTAX, err,
                                     "a tag among the moves, expected a move or the result");
            break;
        case PGN_END:
            status = pgn_scan_refuse(&parser->scanner, REJECT_TRUNCATED, err,
                                     "the game ends without a result, expected *, 1-0, 0-1 or "
                                     "1/2-1/2");
            break;
        default:
            break;
        }
        if (status == STATUS_OK)
            status = pgn_scan(&parser->scanner, &token, err);
    }
    return status;
}

/* --- the end --------------------------------------------------------------------------------- */

/* What the moves end with against tags and rules. */
static Status settle(Parser *parser, Error *err)
{
    PgnGame *game = parser->game;
    const char *tag = pgn_game_tag(game, "Result");
    Outcome tagged = OUTCOME_NONE;
    game->result = parser->scanner.outcome;
    if (tag && !outcome_from_text(tag, &tagged))
        return pgn_scan_refuse(&parser->scanner, REJECT_RESULT, err,
                               "tag Result '%.20s', expected *, 1-0, 0-1 or 1/2-1/2", tag);
    if (tag && tagged != game->result)
        return pgn_scan_refuse(&parser->scanner, REJECT_CONTRADICTION, err,
                               "the game ends with %s, but its tag Result says %s",
                               outcome_text(game->result), tag);
    tag = pgn_game_tag(game, "Adjudication");
    if (tag && !outcome_from_text(tag, &game->record.adjudication))
        game->record.adjudication = OUTCOME_NONE; /* somebody else's tag of that name */
    if (game->record.adjudication == OUTCOME_DRAW && !parser->engine->has_draws)
        return pgn_scan_refuse(&parser->scanner, REJECT_DRAW, err,
                               "tag Adjudication says a draw, but %s has no draws",
                               parser->engine->name);
    int reason = ending_reason_from_text(pgn_game_tag(game, "Termination"), game->result);
    if (game->played_on) {
        /* Its last position is behind the end: no judge of what the text says. */
        game->record.outcome = game->result;
        game->record.reason = reason;
        return STATUS_OK;
    }
    Error inner = {0};
    Status status = ending_settle(parser->engine, parser->position, &game->record, game->result,
                                  reason, parser->scanner.reject, &inner);
    if (status != STATUS_OK)
        return pgn_scan_refuse(&parser->scanner, *parser->scanner.reject, err, "%s", inner.message);
    return STATUS_OK;
}

/* Are the moves one long line? A longer one than the writer makes, and not because of one word. */
static bool is_unwrapped(const char *text, const char *end)
{
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        const char *last = stop > text && stop[-1] == '\r' ? stop - 1 : stop;
        if (last - text > COLUMNS_WRAPPED && memchr(text, ' ', (size_t)(last - text)))
            return true;
        text = stop < end ? stop + 1 : end;
    }
    return false;
}

static Status parse(Parser *parser, Error *err)
{
    PgnToken token;
    Status status = parse_tags(parser, &token, err);
    const char *moves = parser->scanner.line_start;
    if (status == STATUS_OK)
        status = set_up(parser, err);
    /* Comments before the first move were read before it was known which game it is. */
    if (status == STATUS_OK) {
        for (size_t i = 0; i < parser->game->note_count; i++) {
            const char *text = pgn_game_text(parser->game, parser->game->notes[i].text);
            Side side = parser->engine->game_side(parser->position);
            PgnFacts facts = pgn_comment_read(text, side, side);
            if (facts.eval_white_cp != SCORE_NONE) {
                parser->game->record.has_final_score = true;
                parser->game->record.final_score_white_cp = (int16_t)facts.eval_white_cp;
            }
        }
        status = parse_moves(parser, token, err);
    }
    if (status == STATUS_OK)
        status = settle(parser, err);
    if (status != STATUS_OK)
        return status;
    parser->game->unwrapped = is_unwrapped(moves, parser->scanner.at);
    status = pgn_scan(&parser->scanner, &token, err);
    if (status == STATUS_OK && token != PGN_END)
        return pgn_scan_refuse(&parser->scanner, REJECT_SYNTAX, err,
                               "more behind the result, expected the end of the game");
    return status;
}

Status pgn_parse(const PgnSource *source, const Engine *engine, PgnGame *game, Reject *reject,
                 Error *err)
{
    Parser parser = {.game = game, .engine = engine};
    pgn_game_clear(game);
    game->line = source->line;
    pgn_scanner_init(&parser.scanner, source, reject);
    Status status = parse(&parser, err);
    pgn_scanner_free(&parser.scanner);
    if (parser.position)
        parser.engine->game_free(parser.position);
    return status;
}
