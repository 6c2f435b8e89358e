/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compliance_session.c - a talk with an engine for one check of compliance.c. */
#include "compliance_session.h"

#include "uci_client.h"
#include "uci_info.h"

#include "support/clock.h"
#include "support/interrupt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double POLL_SECONDS = 0.1; /* between two looks at whether we are to stop */

/* --- words about it -------------------------------------------------------------------------- */

static void talk_add(Talk *talk, const char *line)
{
    char *to = talk->lines[talk->count++ % TALK_LINES];
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == '\n')
        length--;
    bool cut = length >= TALK_LINE_BYTES;
    size_t kept = cut ? TALK_LINE_BYTES - 4 : length;
    for (size_t i = 0; i < kept; i++)
        to[i] = (unsigned char)line[i] < ' ' || line[i] == 0x7f ? '?' : line[i];
    strcpy(to + kept, cut ? "..." : "");
}

/* Of lines of info in a row the last is enough. */
static void talk_came(Talk *talk, const char *line)
{
    if (talk->count > 0 && line_has_word(line, "info") &&
        line_has_word(talk->lines[(talk->count - 1) % TALK_LINES], "info"))
        talk->count--;
    talk_add(talk, line);
}

bool session_fail(Session *session, const char *format, ...)
{
    CheckResult *result = session->result;
    if (result->outcome == CHECK_FAILED)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->expected, sizeof result->expected, format, arguments);
    va_end(arguments);
    result->outcome = CHECK_FAILED;
    return false;
}

void session_found(Session *session, const char *format, ...)
{
    CheckResult *result = session->result;
    if (result->found[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->found, sizeof result->found, format, arguments);
    va_end(arguments);
}

void session_note(Session *session, const char *format, ...)
{
    CheckResult *result = session->result;
    if (result->note[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->note, sizeof result->note, format, arguments);
    va_end(arguments);
}

bool session_skip(Session *session, const char *why)
{
    session->result->outcome = CHECK_SKIPPED;
    session_note(session, "%s", why);
    return true;
}

void session_found_no_line(Session *session)
{
    char fate[64];
    if (session->process.gone) {
        engine_process_fate(&session->process, fate, sizeof fate);
        session_found(session, "%s", fate);
    } else {
        session_found(session, "nothing more within %g s", session->config->patience);
    }
}

/* Our own failure. */
static bool give_up(Session *session, Status status)
{
    error_set(session->err, status, status == STATUS_INTERRUPTED ? "interrupted" : "out of memory");
    return false;
}

/* --- lines ----------------------------------------------------------------------------------- */

bool session_start(Session *session)
{
    return engine_process_start(&session->process, session->config->spec, NULL, -1, session->err) ==
           STATUS_OK;
}

void session_end(Session *session)
{
    /* Politely, but for one that has shown what it makes of that. */
    engine_process_farewell(&session->process, "stop\nquit\n");
    engine_process_end(&session->process, session->result->outcome == CHECK_FAILED);
    if (session->game)
        session->rules->game_free(session->game);
    session->game = NULL;
}

bool session_send_text(Session *session, const char *text)
{
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        char line[TALK_LINE_BYTES + 1];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        talk_add(&session->result->sent, line);
    }
    if (engine_process_send(&session->process, text, strlen(text)) == CLIENT_ANSWER)
        return true;
    session_found_no_line(session);
    return session_fail(session, "the engine reads what is sent");
}

bool session_send(Session *session, const char *format, ...)
{
    char *line = NULL;
    size_t size;
    FILE *stream = open_memstream(&line, &size);
    if (!stream)
        return give_up(session, STATUS_NO_MEMORY);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    fputc('\n', stream);
    if (fclose(stream) != 0) {
        free(line);
        return give_up(session, STATUS_NO_MEMORY);
    }
    bool sent = session_send_text(session, line);
    free(line);
    return sent;
}

bool session_hear_until(Session *session, double end, char **line)
{
    ClientEvent event;
    do {
        double slice = clock_seconds() + POLL_SECONDS;
        event = engine_process_line(&session->process, slice < end ? slice : end, line);
        if (interrupted())
            return give_up(session, STATUS_INTERRUPTED);
    } while (event == CLIENT_TIMEOUT && clock_seconds() < end);
    if (event != CLIENT_ANSWER)
        *line = NULL;
    else
        talk_came(&session->result->came, *line);
    return true;
}

/* The next line on the way to one with `word`, which has to come by `end`; false ends the wait. */
static bool hear_on_the_way(Session *session, double end, const char *word, char **line)
{
    if (!session_hear_until(session, end, line))
        return false;
    if (*line)
        return true;
    session_found_no_line(session);
    return session_fail(session, "%s within %g s", word, session->config->patience);
}

bool session_await(Session *session, const char *word)
{
    const double end = clock_seconds() + session->config->patience;
    for (char *line;;) {
        if (!hear_on_the_way(session, end, word, &line))
            return false;
        if (line_has_word(line, word))
            return true;
        if (line_has_word(line, "bestmove"))
            return session_fail(session, "%s, and no bestmove that nobody asked for", word);
    }
}

bool session_is_ready(Session *session)
{
    return session_send(session, "isready") && session_await(session, "readyok");
}

bool session_is_thinking(Session *session, double seconds, const char *until)
{
    const double end = clock_seconds() + seconds;
    for (;;) {
        char *line;
        if (!session_hear_until(session, end, &line))
            return false;
        if (!line) {
            if (!session->process.gone)
                return true;
            session_found_no_line(session);
        }
        if (!line || line_has_word(line, "bestmove"))
            return session_fail(session, "no bestmove before %s", until);
    }
}

/* Sets the options of the specification that are files of variants, or all others. */
static bool set_options(Session *session, bool variant_files)
{
    const EngineSpec *spec = session->config->spec;
    for (size_t i = 0; i < spec->option_count; i++) {
        const EngineOption *option = &spec->options[i];
        if ((strcasecmp(option->name, "VariantPath") == 0) == variant_files &&
            !session_send(session, "setoption name %s%s%s", option->name,
                          *option->value ? " value " : "", option->value))
            return false;
    }
    return true;
}

/* Has it taken its options? One that it refuses is the user's mistake and none of its own. */
static bool has_taken_options(Session *session)
{
    const double end = clock_seconds() + session->config->patience;
    if (session->config->spec->option_count == 0)
        return true;
    if (!session_send(session, "isready"))
        return false;
    for (char *line;;) {
        if (!hear_on_the_way(session, end, "readyok", &line))
            return false;
        if (line_has_word(line, "readyok"))
            return true;
        if (uci_refusal(session->config->spec, line, session->err) != STATUS_OK)
            return false;
    }
}

bool session_shake_hands(Session *session, bool has_variants)
{
    if (!session_send(session, "uci") || !session_await(session, "uciok"))
        return false;
    /* The variant before all others: engines set options anew when it changes. */
    if (!set_options(session, true))
        return false;
    if (session->rules && has_variants &&
        !session_send(session, "setoption name UCI_Variant value %s", session->rules->name))
        return false;
    if (!set_options(session, false) || !has_taken_options(session))
        return false;
    if (session->rules && !session->game &&
        !(session->game = session->rules->game_new(session->err)))
        return false;
    if (!session_send(session, "ucinewgame") || !session_is_ready(session))
        return false;
    /* What was said until now is of no interest any more. */
    session->result->sent.count = session->result->came.count = 0;
    return true;
}

bool session_leaves(Session *session, int *code)
{
    const double end = clock_seconds() + session->config->patience;
    while (!engine_process_wait(&session->process, POLL_SECONDS, code)) {
        if (interrupted())
            return give_up(session, STATUS_INTERRUPTED);
        if (clock_seconds() >= end) {
            session_found(session, "it still runs");
            return session_fail(session, "the process ends within %g s", session->config->patience);
        }
    }
    return true;
}

/* --- searches -------------------------------------------------------------------------------- */

bool session_position(Session *session, const char *fen, const char *const *moves, size_t count)
{
    char *line = NULL;
    size_t size;
    const Engine *rules = session->rules;
    if (rules && rules->game_set(session->game, fen, session->err) != STATUS_OK)
        return false;
    FILE *stream = open_memstream(&line, &size);
    if (!stream)
        return give_up(session, STATUS_NO_MEMORY);
    if (fen)
        fprintf(stream, "position fen %s", fen);
    else
        fputs("position startpos", stream);
    for (size_t i = 0; i < count; i++) {
        Move move;
        fprintf(stream, "%s %s", i == 0 ? " moves" : "", moves[i]);
        if (rules &&
            (rules->move_from_uci(session->game, moves[i], &move, session->err) != STATUS_OK ||
             rules->game_play(session->game, move, session->err) != STATUS_OK)) {
            fclose(stream);
            free(line);
            return false;
        }
    }
    if (fclose(stream) != 0) {
        free(line);
        return give_up(session, STATUS_NO_MEMORY);
    }
    bool sent = session_send(session, "%s", line);
    free(line);
    return sent;
}

/* Reads a line of info if somebody wants to know. */
static bool read_info(Session *session, const char *line)
{
    InfoTally *tally = &session->tally;
    if (!tally->wanted)
        return true;
    UciInfo info;
    if (!uci_info_read(&info, line, session->rules, session->game)) {
        session_found(session, "%s: %s", info.mistake, line);
        return session_fail(session, "info lines that a client can read");
    }
    if (info.goes_on_after_end)
        session_note(session, "a pv goes on after the end of the game");
    tally->complete += info.has_depth && info.has_score && info.has_nodes && info.first[0];
    if (info.multi_pv > tally->lines)
        tally->lines = info.multi_pv;
    if (info.has_score && info.multi_pv == 1) {
        tally->has_score = true;
        tally->has_mate_score = info.is_mate;
        tally->score = info.score;
    }
    if (info.first[0] && info.multi_pv == 1)
        strcpy(tally->best, info.first);
    return true;
}

/* Does the bestmove line say what it should in the position? */
static bool check_bestmove(Session *session, char *line, Answer *answer)
{
    static const char *const no_moves[] = {"(none)", "0000", "NULL"};
    char *rest = NULL;
    strtok_r(line, " \t", &rest);
    const char *move = strtok_r(NULL, " \t", &rest), *word = strtok_r(NULL, " \t", &rest),
               *ponder = strtok_r(NULL, " \t", &rest), *more = strtok_r(NULL, " \t", &rest);
    if (!move || (word && strcmp(word, "ponder") != 0) || (word && !ponder) || more)
        return session_fail(session, "bestmove MOVE [ponder MOVE]");
    snprintf(answer->move, sizeof answer->move, "%s", move);
    if (ponder)
        snprintf(answer->ponder, sizeof answer->ponder, "%s", ponder);
    answer->legal = MOVE_NONE;
    const Engine *rules = session->rules;
    if (!rules)
        return true;

    char fen[ENGINE_MAX_FEN];
    Move moves[ENGINE_MAX_MOVES];
    rules->game_fen(session->game, fen);
    if (rules->game_moves(session->game, moves) == 0) {
        for (size_t i = 0; i < sizeof no_moves / sizeof *no_moves; i++)
            if (strcmp(move, no_moves[i]) == 0)
                return true;
        session_found(session, "'%s' in %s, where there is no legal move", move, fen);
        return session_fail(session, "bestmove (none)");
    }
    Error error;
    if (rules->move_from_uci(session->game, move, &answer->legal, &error) != STATUS_OK) {
        session_found(session, "'%s' in %s: %s", move, fen, error.message);
        return session_fail(session, "a legal move of %s", rules->name);
    }
    if (!ponder)
        return true;
    if (rules->game_play(session->game, answer->legal, session->err) != STATUS_OK)
        return false;
    Move reply;
    bool legal = rules->move_from_uci(session->game, ponder, &reply, &error) == STATUS_OK;
    rules->game_undo(session->game);
    if (legal)
        return true;
    session_found(session, "'%s' after '%s' in %s: %s", ponder, move, fen, error.message);
    return session_fail(session, "a legal move to ponder on");
}

bool session_move(Session *session, double seconds, Answer *answer)
{
    *answer = (Answer){.legal = MOVE_NONE};
    const double began = clock_seconds();
    const bool wanted = session->tally.wanted;
    session->tally = (InfoTally){.wanted = wanted};
    char *line;
    do {
        if (!session_hear_until(session, began + seconds, &line))
            return false;
        if (!line) {
            session_found_no_line(session);
            return session_fail(session, "bestmove within %g s", seconds);
        }
        if (line_has_word(line, "info") && !read_info(session, line))
            return false;
    } while (!line_has_word(line, "bestmove"));
    answer->seconds = clock_seconds() - began;
    if (!check_bestmove(session, line, answer))
        return false;
    /* A second one would come before the answer to this. */
    if (!session_send(session, "isready"))
        return false;
    return session_await(session, "readyok");
}

bool session_go(Session *session, Answer *answer, const char *format, ...)
{
    char line[4000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return session_send(session, "%s", line) &&
           session_move(session, session->config->patience, answer);
}
