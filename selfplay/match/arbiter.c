/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arbiter.c - plays one game between two UCI engines under our rules. */
#include "arbiter.h"

#include "support/clock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TERMINATION_TEXT(id, text) [id] = text,
static const char *const termination_texts[] = {TERMINATIONS(TERMINATION_TEXT)};
#undef TERMINATION_TEXT

const char *termination_text(Termination termination)
{
    return termination_texts[termination];
}

bool termination_from_text(const char *text, Termination *termination)
{
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        if (strcmp(text, termination_texts[i]) == 0) {
            *termination = (Termination)i;
            return true;
        }
    }
    return false;
}

/* Text that grows; it is kept from game to game, so that a ply allocates nothing. */
typedef struct Text {
    char *bytes;
    size_t length, capacity;
} Text;

/* What is left of an engine's time. */
typedef struct Clock {
    const MoveLimits *limits;
    double left; /* seconds; meaningful with limits->has_clock */
    int moves_to_go;
    char fixed[128]; /* the part of `go` that never changes        */
} Clock;

struct Arbiter {
    const Engine *engine;
    Game *game;
    GameRecord record;
    Text position;          /* "position ... moves ...", then the go of the moment */
    Text comments;          /* NUL-terminated, one after the other                 */
    size_t *comment_starts; /* [comment_capacity]                                  */
    const char **comment_list;
    size_t comment_capacity;
    Text detail;
    Move expected[2]; /* by Side: the move that it ponders on           */
    Move moves[ENGINE_MAX_MOVES];
};

Arbiter *arbiter_new(const Engine *engine, Error *err)
{
    Arbiter *arbiter = calloc(1, sizeof *arbiter);
    if (!arbiter) {
        error_set(err, STATUS_NO_MEMORY, "arbiter: out of memory");
        return NULL;
    }
    arbiter->engine = engine;
    arbiter->game = engine->game_new(err);
    if (!arbiter->game) {
        arbiter_free(arbiter);
        return NULL;
    }
    return arbiter;
}

void arbiter_free(Arbiter *arbiter)
{
    if (!arbiter)
        return;
    if (arbiter->game)
        arbiter->engine->game_free(arbiter->game);
    game_record_free(&arbiter->record);
    free(arbiter->position.bytes);
    free(arbiter->comments.bytes);
    free(arbiter->comment_starts);
    free(arbiter->comment_list);
    free(arbiter->detail.bytes);
    free(arbiter);
}

/* --- text ------------------------------------------------------------------------------------ */

static Status text_room(Text *text, size_t more, Error *err)
{
    if (text->capacity - text->length >= more)
        return STATUS_OK;
    size_t capacity = text->capacity ? text->capacity : 4096;
    while (capacity - text->length < more)
        capacity *= 2;
    char *grown = realloc(text->bytes, capacity);
    if (!grown)
        return error_set(err, STATUS_NO_MEMORY, "arbiter: out of memory");
    text->bytes = grown;
    text->capacity = capacity;
    return STATUS_OK;
}

static Status text_add(Text *text, const char *more, size_t length, Error *err)
{
    Status status = text_room(text, length + 1, err);
    if (status != STATUS_OK)
        return status;
    memcpy(text->bytes + text->length, more, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return STATUS_OK;
}

__attribute__((format(printf, 3, 4))) static Status text_print(Text *text, Error *err,
                                                               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    Status status = length < 0 ? error_set(err, STATUS_NO_MEMORY, "arbiter: out of memory")
                               : text_room(text, (size_t)length + 1, err);
    if (status == STATUS_OK) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    return status;
}

/* --- clocks ---------------------------------------------------------------------------------- */

static void clock_start(Clock *clock, const MoveLimits *limits)
{
    *clock = (Clock){.limits = limits,
                     .left = (double)limits->base_ms / 1000.0,
                     .moves_to_go = limits->moves_per_period};
    int length = 0;
    size_t size = sizeof clock->fixed;
    if (limits->depth)
        length = snprintf(clock->fixed, size, " depth %d", limits->depth);
    if (limits->nodes)
        length += snprintf(clock->fixed + length, size - (size_t)length, " nodes %" PRIu64,
                           limits->nodes);
    if (limits->movetime_ms)
        snprintf(clock->fixed + length, size - (size_t)length, " movetime %" PRId64,
                 limits->movetime_ms);
}

/* How long the move may take by the clock; without a clock, until the engine counts as dead. */
static double clock_allows(const Clock *clock, const ArbiterRules *rules)
{
    double allowed = -1.0;
    if (clock->limits->has_clock)
        allowed = clock->left + (double)clock->limits->byoyomi_ms / 1000.0;
    if (clock->limits->movetime_ms) {
        double movetime = (double)clock->limits->movetime_ms / 1000.0;
        if (allowed < 0.0 || movetime < allowed)
            allowed = movetime;
    }
    return allowed < 0.0 ? rules->stall_seconds : allowed + rules->time_margin_seconds;
}

static void clock_moved(Clock *clock, double seconds)
{
    if (!clock->limits->has_clock)
        return;
    clock->left -= seconds;
    if (clock->left < 0.0) /* byo-yomi, or within the margin */
        clock->left = 0.0;
    clock->left += (double)clock->limits->increment_ms / 1000.0;
    if (clock->limits->moves_per_period && --clock->moves_to_go == 0) {
        clock->moves_to_go = clock->limits->moves_per_period;
        clock->left += (double)clock->limits->base_ms / 1000.0;
    }
}

/* Writes the `go` line of a side behind the position. */
static Status add_go(Arbiter *arbiter, const char *go, const Clock clocks[2], Side side, Error *err)
{
    const Clock *clock = &clocks[side];
    const MoveLimits *white = clocks[SIDE_WHITE].limits, *black = clocks[SIDE_BLACK].limits;
    Status status = text_print(&arbiter->position, err, "\n%s%s", go, clock->fixed);
    if (status == STATUS_OK && clock->limits->has_clock) {
        /* With odds the other side may have no clock: it is shown as much time as we have. */
        double left[2];
        for (int i = 0; i < 2; i++)
            left[i] = clocks[i].limits->has_clock ? clocks[i].left : clock->left;
        status =
            text_print(&arbiter->position, err,
                       " wtime %" PRId64 " btime %" PRId64 " winc %" PRId64 " binc %" PRId64,
                       (int64_t)(left[SIDE_WHITE] * 1000.0), (int64_t)(left[SIDE_BLACK] * 1000.0),
                       white->increment_ms, black->increment_ms);
        if (status == STATUS_OK && clock->limits->moves_per_period)
            status = text_print(&arbiter->position, err, " movestogo %d", clock->moves_to_go);
        if (status == STATUS_OK && clock->limits->byoyomi_ms)
            status =
                text_print(&arbiter->position, err, " byoyomi %" PRId64, clock->limits->byoyomi_ms);
    }
    return status == STATUS_OK ? text_add(&arbiter->position, "\n", 1, err) : status;
}

/* --- one game -------------------------------------------------------------------------------- */

/* "+0.31/9 0.120s": score of the mover, depth, time. */
static Status add_comment(Arbiter *arbiter, const SearchReply *reply, bool with_time, Error *err)
{
    size_t ply = arbiter->record.ply_count - 1;
    if (ply >= arbiter->comment_capacity) {
        size_t capacity = arbiter->comment_capacity ? 2 * arbiter->comment_capacity : 512;
        size_t *starts = realloc(arbiter->comment_starts, capacity * sizeof *starts);
        if (starts)
            arbiter->comment_starts = starts;
        const char **list = realloc(arbiter->comment_list, capacity * sizeof *list);
        if (list)
            arbiter->comment_list = list;
        if (!starts || !list)
            return error_set(err, STATUS_NO_MEMORY, "arbiter: out of memory");
        arbiter->comment_capacity = capacity;
    }
    arbiter->comment_starts[ply] = arbiter->comments.length;

    char text[96] = "";
    int length = 0;
    const size_t size = sizeof text;
    if (reply->score > SCORE_MATE_BOUND && reply->score != SCORE_NONE)
        length = snprintf(text, size, "+M%d", (SCORE_MATE - reply->score + 1) / 2);
    else if (reply->score < -SCORE_MATE_BOUND)
        length = snprintf(text, size, "-M%d", (SCORE_MATE + reply->score + 1) / 2);
    else if (reply->score != SCORE_NONE)
        length = snprintf(text, size, "%+.2f", reply->score / 100.0);
    if (reply->score != SCORE_NONE && reply->depth)
        length += snprintf(text + length, size - (size_t)length, "/%d", reply->depth);
    if (with_time)
        length += snprintf(text + length, size - (size_t)length, "%s%.3fs", length ? " " : "",
                           reply->seconds);
    return text_add(&arbiter->comments, text, (size_t)length + 1, err); /* with its NUL */
}

/* Describes an illegal move: where it was played, what could have been. */
static Status describe_illegal(Arbiter *arbiter, const char *move, const char *reason, Error *err)
{
    char fen[ENGINE_MAX_FEN], text[ENGINE_MAX_MOVE_TEXT];
    arbiter->engine->game_fen(arbiter->game, fen);
    Status status = text_print(&arbiter->detail, err,
                               "%s in %s; legal:", *move ? reason : "no move was named", fen);
    size_t count = arbiter->engine->game_moves(arbiter->game, arbiter->moves);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        arbiter->engine->move_uci(arbiter->game, arbiter->moves[i], text);
        status = text_print(&arbiter->detail, err, " %s", text);
    }
    if (status != STATUS_OK)
        return status;
    /* What an engine says must break neither a PGN comment nor a terminal. */
    for (char *at = arbiter->detail.bytes; *at; at++)
        if (*at < ' ' || *at > '~' || *at == '{' || *at == '}')
            *at = '?';
    return STATUS_OK;
}

/* Adjudication by score: how many plies in a row have said the same. */
typedef struct ScoreRuns {
    int white_ahead, black_ahead, level;
} ScoreRuns;

static Outcome adjudicate(const ArbiterRules *rules, ScoreRuns *runs, int score_white_cp,
                          size_t plies)
{
    bool known = score_white_cp != SCORE_NONE;
    runs->white_ahead =
        known && score_white_cp >= rules->resign.centipawns ? runs->white_ahead + 1 : 0;
    runs->black_ahead =
        known && score_white_cp <= -rules->resign.centipawns ? runs->black_ahead + 1 : 0;
    runs->level = known && abs(score_white_cp) <= rules->draw.centipawns ? runs->level + 1 : 0;
    if (rules->resign.plies && runs->white_ahead >= rules->resign.plies)
        return OUTCOME_WHITE;
    if (rules->resign.plies && runs->black_ahead >= rules->resign.plies)
        return OUTCOME_BLACK;
    if (rules->draw.plies && runs->level >= rules->draw.plies && plies > (size_t)rules->draw.after)
        return OUTCOME_DRAW;
    return OUTCOME_NONE;
}

static void engine_loses(GameResult *result, Termination termination, Side loser)
{
    result->termination = termination;
    result->engine_lost = true;
    result->loser = loser;
    result->outcome = loser == SIDE_WHITE ? OUTCOME_BLACK : OUTCOME_WHITE;
}

/* The engine that should have moved did not answer. */
static Status no_answer(Arbiter *arbiter, const ArbiterRules *rules, ClientEvent event,
                        UciClient *player, const Clock *clock, double seconds, Side side,
                        GameResult *result, Error *err)
{
    char fate[64];
    if (event == CLIENT_TIMEOUT && (clock->limits->has_clock || clock->limits->movetime_ms)) {
        /* The game is lost. Is the engine only late, or dead? */
        engine_loses(result, TERMINATION_TIME, side);
        double began = clock_seconds();
        event = uci_client_stop(player, rules->stall_seconds);
        double waited = clock_seconds_since(began);
        result->engine_seconds += waited;
        if (event == CLIENT_ANSWER)
            return text_print(&arbiter->detail, err, "out of time: no move after %.3f s", seconds);
        seconds += waited;
    }
    switch (event) {
    case CLIENT_STOPPED:
        return error_set(err, STATUS_INTERRUPTED, "interrupted");
    case CLIENT_GONE:
        engine_loses(result, TERMINATION_DISCONNECT, side);
        uci_client_fate(player, fate, sizeof fate);
        return text_print(&arbiter->detail, err, "the engine %s", fate);
    default:
        engine_loses(result, TERMINATION_STALL, side);
        if (uci_client_lines(player) > 0)
            return text_print(&arbiter->detail, err,
                              "the engine sent %" PRIu64 " lines without a move in %.1f s",
                              uci_client_lines(player), seconds);
        return text_print(&arbiter->detail, err, "the engine is silent: no move after %.1f s",
                          seconds);
    }
}

/* The engine that has just moved expects `text`: lets it think about the position after that. */
static Status start_pondering(Arbiter *arbiter, const ArbiterPlayer *player, const char *text,
                              const Clock clocks[2], Side side, Error *err)
{
    const Engine *engine = arbiter->engine;
    const size_t position_length = arbiter->position.length;
    Move move;
    if (engine->move_from_uci(arbiter->game, text, &move, NULL) != STATUS_OK)
        return STATUS_OK;
    Status status = engine->game_play(arbiter->game, move, err);
    if (status != STATUS_OK)
        return status;
    bool over = engine->game_ending(arbiter->game).reason != END_NONE;
    engine->game_undo(arbiter->game);
    if (over)
        return STATUS_OK;
    status = text_print(&arbiter->position, err, " %s", text);
    if (status == STATUS_OK)
        status = add_go(arbiter, "go ponder", clocks, side, err);
    /* An engine that does not take it in is found out when it is its turn. */
    if (status == STATUS_OK)
        uci_client_ponder(player->client, arbiter->position.bytes, arbiter->position.length);
    arbiter->position.length = position_length;
    arbiter->expected[side] = move;
    return status;
}

/* Gets the reply of the side to move, which may have pondered. */
static Status ask_for_move(Arbiter *arbiter, const ArbiterRules *rules, const ArbiterPlayer *player,
                           const Clock clocks[2], Side side, SearchReply *reply, ClientEvent *event,
                           Error *err)
{
    const double allowed = clock_allows(&clocks[side], rules);
    if (uci_client_is_pondering(player->client)) {
        const GameRecord *record = &arbiter->record;
        if (record->plies[record->ply_count - 1].move == arbiter->expected[side]) {
            *event = uci_client_ponderhit(player->client, allowed, reply);
            return STATUS_OK;
        }
        *reply = (SearchReply){.score = SCORE_NONE};
        *event = uci_client_stop(player->client, rules->stall_seconds);
        if (*event != CLIENT_ANSWER) {
            /* That it does not stop has nothing to do with its clock. */
            if (*event == CLIENT_TIMEOUT) {
                *event = CLIENT_STUCK;
                reply->seconds = rules->stall_seconds;
            }
            return STATUS_OK;
        }
    }
    const size_t position_length = arbiter->position.length;
    Status status = add_go(arbiter, "go", clocks, side, err);
    if (status == STATUS_OK)
        *event = uci_client_go(player->client, arbiter->position.bytes, arbiter->position.length,
                               allowed, reply);
    arbiter->position.length = position_length;
    return status;
}

/* Asks the side to move for its move and plays it; *over when the game has ended. */
static Status play_ply(Arbiter *arbiter, const ArbiterRules *rules, const ArbiterPlayer players[2],
                       Clock clocks[2], ScoreRuns *runs, GameResult *result, bool *over, Error *err)
{
    const Engine *engine = arbiter->engine;
    const Side side = engine->game_side(arbiter->game);
    const double allowed = clock_allows(&clocks[side], rules);
    SearchReply reply;
    ClientEvent event;
    Status status = ask_for_move(arbiter, rules, &players[side], clocks, side, &reply, &event, err);
    if (status != STATUS_OK)
        return status;
    result->engine_seconds += reply.seconds;
    *over = true;
    if (event != CLIENT_ANSWER)
        return no_answer(arbiter, rules, event, players[side].client, &clocks[side], reply.seconds,
                         side, result, err);
    bool timed = clocks[side].limits->has_clock || clocks[side].limits->movetime_ms;
    if (timed && reply.seconds > allowed) {
        engine_loses(result, TERMINATION_TIME, side);
        return text_print(&arbiter->detail, err, "out of time: %.3f s for a move, %.3f s allowed",
                          reply.seconds, allowed);
    }

    Move move;
    Error reason = {STATUS_OK, ""};
    status = engine->move_from_uci(arbiter->game, reply.move, &move, &reason);
    if (status == STATUS_NO_MEMORY)
        return error_set(err, status, "%s", reason.message);
    if (status != STATUS_OK) {
        engine_loses(result, TERMINATION_ILLEGAL, side);
        return describe_illegal(arbiter, reply.move, reason.message, err);
    }
    clock_moved(&clocks[side], reply.seconds);

    int score_white = reply.score == SCORE_NONE || side == SIDE_WHITE ? reply.score : -reply.score;
    status = game_record_add(
        &arbiter->record, (PlyRecord){.move = move, .score_white_cp = (int16_t)score_white}, err);
    if (status == STATUS_OK)
        status = add_comment(arbiter, &reply, rules->times_in_comments, err);
    if (status == STATUS_OK)
        status = engine->game_play(arbiter->game, move, err);
    if (status == STATUS_OK)
        status = text_print(&arbiter->position, err, "%s %s",
                            arbiter->record.ply_count == 1 ? " moves" : "", reply.move);
    if (status != STATUS_OK)
        return status;

    Ending ending = engine->game_ending(arbiter->game);
    if (ending.reason != END_NONE) {
        result->termination = TERMINATION_RULES;
        result->reason = ending.reason;
        result->outcome = ending.outcome;
        return STATUS_OK;
    }
    result->outcome = adjudicate(rules, runs, score_white, arbiter->record.ply_count);
    if (result->outcome != OUTCOME_NONE) {
        result->termination = TERMINATION_ADJUDICATION;
        return STATUS_OK;
    }
    if (rules->max_plies && arbiter->record.ply_count >= (size_t)rules->max_plies) {
        result->termination = TERMINATION_PLY_CAP;
        return STATUS_OK;
    }
    *over = false;
    return players[side].ponder && *reply.ponder
               ? start_pondering(arbiter, &players[side], reply.ponder, clocks, side, err)
               : STATUS_OK;
}

/* The reason as a dataset names it. */
static int record_reason(const GameResult *result)
{
    switch (result->termination) {
    case TERMINATION_RULES:
        return (int)result->reason;
    case TERMINATION_ILLEGAL:
        return REASON_ILLEGAL;
    case TERMINATION_TIME:
        return REASON_TIME;
    case TERMINATION_ADJUDICATION:
        return REASON_ADJUDICATED;
    case TERMINATION_PLY_CAP:
        return REASON_CAP;
    default:
        return REASON_UNKNOWN;
    }
}

/* Fills the list of comments; what went wrong stands behind the last move. */
static Status finish_comments(Arbiter *arbiter, GameResult *result, Error *err)
{
    size_t plies = arbiter->record.ply_count;
    if (plies > 0 && *result->detail) {
        size_t start = arbiter->comment_starts[plies - 1];
        bool empty = arbiter->comments.bytes[start] == '\0';
        arbiter->comments.length = start + strlen(arbiter->comments.bytes + start);
        Status status =
            text_print(&arbiter->comments, err, "%s%s", empty ? "" : "; ", result->detail);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0; i < plies; i++)
        arbiter->comment_list[i] = arbiter->comments.bytes + arbiter->comment_starts[i];
    result->comments = arbiter->comment_list;
    return STATUS_OK;
}

Status arbiter_play(Arbiter *arbiter, const ArbiterRules *rules, const char *start_fen,
                    const ArbiterPlayer players[2], GameResult *result, Error *err)
{
    const Engine *engine = arbiter->engine;
    Status status = engine->game_set(arbiter->game, start_fen, err);
    if (status != STATUS_OK)
        return status;

    *result = (GameResult){.outcome = OUTCOME_NONE};
    arbiter->record.ply_count = 0;
    engine->game_fen(arbiter->game, arbiter->record.start_fen);
    arbiter->comments.length = arbiter->detail.length = arbiter->position.length = 0;
    status = text_add(&arbiter->detail, "", 0, err);
    if (status == STATUS_OK && strcmp(arbiter->record.start_fen, engine->start_fen) == 0)
        status = text_print(&arbiter->position, err, "position startpos");
    else if (status == STATUS_OK)
        status = text_print(&arbiter->position, err, "position fen %s", arbiter->record.start_fen);
    if (status != STATUS_OK)
        return status;

    Clock clocks[2];
    for (int i = 0; i < 2; i++)
        clock_start(&clocks[i], players[i].limits);
    bool over = false;
    for (int i = 0; i < 2 && !over; i++) {
        ClientEvent event = uci_client_new_game(players[i].client, rules->stall_seconds);
        over = event != CLIENT_ANSWER;
        if (over) {
            Clock untimed = {.limits = &(const MoveLimits){0}};
            status = no_answer(arbiter, rules, event, players[i].client, &untimed,
                               rules->stall_seconds, (Side)i, result, err);
        }
    }

    double began = clock_seconds();
    ScoreRuns runs = {0, 0, 0};
    Ending ending = engine->game_ending(arbiter->game);
    if (!over && ending.reason != END_NONE) {
        over = true;
        result->termination = TERMINATION_RULES;
        result->reason = ending.reason;
        result->outcome = ending.outcome;
    }
    while (!over && status == STATUS_OK)
        status = play_ply(arbiter, rules, players, clocks, &runs, result, &over, err);
    result->seconds = clock_seconds_since(began);
    /* The game is over; one that cannot stop will be found out when the next game begins. */
    for (int i = 0; i < 2; i++)
        if (uci_client_is_pondering(players[i].client))
            uci_client_stop(players[i].client, rules->stall_seconds);
    if (status != STATUS_OK)
        return status;

    result->detail = arbiter->detail.bytes;
    arbiter->record.outcome = result->outcome;
    arbiter->record.reason = record_reason(result);
    result->record = &arbiter->record;
    return finish_comments(arbiter, result, err);
}
