/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compliance_checks.c - the checks of compliance.h, one by one. */
#include "compliance_checks.h"

#include "support/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* How long an engine is watched where nothing may come. */
static const double SILENCE_SECONDS = 0.3;

/* --- how it introduces itself ---------------------------------------------------------------- */

static bool check_silence(Trial *trial)
{
    static const char *const words[] = {"id", "option", "uciok", "readyok", "bestmove"};
    Session *session = &trial->session;
    const double silence = clock_seconds() + SILENCE_SECONDS;
    char *line;
    do {
        if (!session_hear_until(session, silence, &line))
            return false;
        for (size_t i = 0; line && i < sizeof words / sizeof *words; i++)
            if (line_has_word(line, words[i]))
                return session_fail(session, "no word of UCI before the client has said uci");
        if (line && *line)
            session_note(session, "it says something before uci, which clients have to skip");
    } while (line);
    /* What is slow to start speaks later: then there is more than uci asks for. */
    size_t names = 0, ends = 0;
    const double end = clock_seconds() + session->config->patience;
    if (!session_send_text(session, "uci\nisready\n"))
        return false;
    do {
        if (!session_hear_until(session, end, &line))
            return false;
        if (!line)
            break;
        names += line_has_word(line, "id name");
        ends += line_has_word(line, "uciok");
        if (line_has_word(line, "bestmove") || names > 1 || ends > 1)
            return session_fail(session, "no word of UCI before the client has said uci");
    } while (!line_has_word(line, "readyok"));
    return true; /* whether it has answered at all is another check */
}

void introduction_free(Introduction *introduction)
{
    for (size_t i = 0; i < introduction->option_count; i++)
        uci_option_free(&introduction->options[i]);
    free(introduction->options);
    *introduction = (Introduction){0};
}

static Status add_option(Introduction *introduction, const char *line, Error *err)
{
    size_t bytes = (introduction->option_count + 1) * sizeof *introduction->options;
    UciOption *grown = realloc(introduction->options, bytes);
    if (!grown)
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    introduction->options = grown;
    Status status = uci_option_read(&grown[introduction->option_count], line, err);
    introduction->option_count += status == STATUS_OK;
    return status;
}

/* Says uci and reads up to uciok. */
static bool hear_introduction(Session *session, Introduction *introduction)
{
    const double end = clock_seconds() + session->config->patience;
    char *line;
    if (!session_send(session, "uci"))
        return false;
    do {
        if (!session_hear_until(session, end, &line))
            return false;
        if (!line) {
            session_found_no_line(session);
            return session_fail(session, "uciok within %g s", session->config->patience);
        }
        if (line_has_word(line, "id name"))
            introduction->names += strlen(line) > strlen("id name ");
        else if (line_has_word(line, "id author"))
            introduction->authors += strlen(line) > strlen("id author ");
        else if (line_has_word(line, "option") &&
                 add_option(introduction, line, session->err) != STATUS_OK)
            return false;
    } while (!line_has_word(line, "uciok"));
    return session_is_ready(session);
}

bool check_introduction(Trial *trial)
{
    Session *session = &trial->session;
    Introduction *introduction = trial->introduction;
    if (!hear_introduction(session, introduction))
        return false;
    introduction->complete = true;
    if (introduction->names != 1)
        return session_fail(session, "one line `id name NAME`, not %zu", introduction->names);
    if (introduction->authors != 1)
        return session_fail(session, "one line `id author NAME`, not %zu", introduction->authors);

    /* Which games it offers it knows only once it has read what they are. */
    const EngineSpec *spec = session->config->spec;
    for (size_t i = 0; i < spec->option_count; i++) {
        if (strcasecmp(spec->options[i].name, "VariantPath") != 0)
            continue;
        introduction_free(introduction);
        if (!session_send(session, "setoption name VariantPath value %s", spec->options[i].value) ||
            !hear_introduction(session, introduction))
            return false;
        introduction->complete = true;
    }
    return true;
}

const UciOption *introduction_option(const Introduction *introduction, const char *name)
{
    for (size_t i = 0; i < introduction->option_count; i++)
        if (strcasecmp(introduction->options[i].name, name) == 0)
            return &introduction->options[i];
    return NULL;
}

static bool check_options(Trial *trial)
{
    static const struct {
        const char *name, *type;
    } known[] = {
        {"Hash", "spin"},          {"Threads", "spin"},      {"MultiPV", "spin"},
        {"Ponder", "check"},       {"Clear Hash", "button"}, {"UCI_Variant", "combo"},
        {"UCI_Chess960", "check"}, {"UCI_ShowWDL", "check"}, {"UCI_LimitStrength", "check"},
        {"UCI_Elo", "spin"}};
    Session *session = &trial->session;
    const Introduction *introduction = trial->introduction;
    for (size_t i = 0; i < introduction->option_count; i++) {
        const UciOption *option = &introduction->options[i];
        if (option->mistake[0]) {
            session_found(session, "option '%s': %s", option->name, option->mistake);
            return session_fail(session, "option name NAME type TYPE [default X] [min X] [max X] "
                                         "[var X]..., each with what its type needs");
        }
        if (introduction_option(introduction, option->name) != option) {
            session_found(session, "option '%s' comes twice", option->name);
            return session_fail(session, "each option once, whatever the case of its letters");
        }
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcasecmp(option->name, known[k].name) == 0 &&
                !uci_option_is(option, known[k].type)) {
                session_found(session, "option '%s' of type %s", option->name, option->type);
                return session_fail(session, "'%s' of type %s", known[k].name, known[k].type);
            }
    }
    return true;
}

/* --- answers at rest ------------------------------------------------------------------------- */

static bool check_isready(Trial *trial)
{
    Session *session = &trial->session;
    char *line;
    if (!session_send_text(session, "isready\nisready\nisready\n"))
        return false;
    for (int i = 0; i < 3; i++)
        if (!session_await(session, "readyok"))
            return false;
    const double end = clock_seconds() + SILENCE_SECONDS;
    do {
        if (!session_hear_until(session, end, &line))
            return false;
    } while (line && !line_has_word(line, "readyok"));
    return !line || session_fail(session, "one readyok for each isready, not more");
}

static bool check_blanks(Trial *trial)
{
    Session *session = &trial->session;
    return session_send(session, " \tisready") && session_await(session, "readyok") &&
           session_send(session, "isready  ") && session_await(session, "readyok") &&
           session_send(session, "isready\r") && session_await(session, "readyok") &&
           session_send(session, "  position \t startpos  ") && session_is_ready(session);
}

static bool check_unknown(Trial *trial)
{
    static const char *const lines[] = {"xyzzy",    "",     "   ",         "fly me to the moon",
                                        "debug on", "stop", "debug maybe", "debug off",
                                        "ponderhit"};
    Session *session = &trial->session;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!session_send(session, "%s", lines[i]) || !session_is_ready(session))
            return false;
    char word[2001];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    Answer answer;
    return session_send(session, "%s", word) && session_is_ready(session) &&
           session_send(session, "position startpos") &&
           session_go(session, &answer, "go depth 1 xyzzy");
}

/* Sets an option to a value that it announced. It must not call that an error. */
static bool set_option(Session *session, const UciOption *option, const char *value)
{
    if (!session_send(session, "setoption name %s%s%s", option->name, value ? " value " : "",
                      value ? value : "") ||
        !session_send(session, "isready"))
        return false;
    const double end = clock_seconds() + session->config->patience;
    char *line;
    do {
        if (!session_hear_until(session, end, &line))
            return false;
        if (!line || line_has_word(line, "bestmove"))
            return session_fail(session, "readyok within %g s", session->config->patience);
        if (strncasecmp(line, "info string error", strlen("info string error")) == 0) {
            session_found(session, "%s", line);
            return session_fail(session, "option '%s' takes a value that it announced",
                                option->name);
        }
    } while (!line_has_word(line, "readyok"));
    return true;
}

static bool check_setoption(Trial *trial)
{
    Session *session = &trial->session;
    const Introduction *introduction = trial->introduction;
    for (size_t i = 0; i < introduction->option_count; i++) {
        const UciOption *option = &introduction->options[i];
        const char *initial = option->initial;
        if (uci_option_is(option, "button")) {
            if (!set_option(session, option, NULL))
                return false;
            continue;
        }
        if (uci_option_is(option, "check") &&
            (!set_option(session, option, "true") || !set_option(session, option, "false")))
            return false;
        if (uci_option_is(option, "spin") && option->min_text &&
            !set_option(session, option, option->min_text))
            return false;
        for (size_t k = 0; k < option->value_count; k++)
            if (!set_option(session, option, option->values[k]))
                return false;
        if (initial && *initial && !set_option(session, option, initial))
            return false;
    }
    Answer answer;
    return session_send(session, "position startpos") && session_go(session, &answer, "go depth 1");
}

static bool check_setoption_bad(Trial *trial)
{
    static const char *const lines[] = {
        "setoption", "setoption name", "setoption name No Such Option",
        "setoption name No Such Option value 1", "setoption name value value"};
    Session *session = &trial->session;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!session_send(session, "%s", lines[i]) || !session_is_ready(session))
            return false;
    const Introduction *introduction = trial->introduction;
    for (size_t i = 0; i < introduction->option_count; i++)
        if (uci_option_is(&introduction->options[i], "spin") &&
            (!session_send(session, "setoption name %s value abc", introduction->options[i].name) ||
             !session_is_ready(session)))
            return false;
    Answer answer;
    return session_send(session, "position startpos") && session_go(session, &answer, "go depth 1");
}

static bool check_ucinewgame(Trial *trial)
{
    Session *session = &trial->session;
    Answer answer;
    for (int i = 0; i < 3; i++)
        if (!session_send(session, "ucinewgame") || !session_is_ready(session) ||
            !session_position(session, NULL, NULL, 0) ||
            !session_go(session, &answer, "go depth 2"))
            return false;
    return true;
}

/* --- searches -------------------------------------------------------------------------------- */

/* A move within each of several limits, from the start. */
static bool check_go(Trial *trial, const char *const *limits, size_t count)
{
    Session *session = &trial->session;
    Answer answer;
    for (size_t i = 0; i < count; i++)
        if (!session_position(session, NULL, NULL, 0) ||
            !session_go(session, &answer, "go %s", limits[i]))
            return false;
    return true;
}

static bool check_go_depth(Trial *trial)
{
    return check_go(trial, (const char *const[]){"depth 1", "depth 2", "depth 4"}, 3);
}

static bool check_go_nodes(Trial *trial)
{
    return check_go(trial, (const char *const[]){"nodes 1", "nodes 100", "nodes 5000"}, 3);
}

static bool check_go_movetime(Trial *trial)
{
    return check_go(trial, (const char *const[]){"movetime 1", "movetime 100"}, 2);
}

static bool check_go_clock(Trial *trial)
{
    static const char *const limits[] = {
        "wtime 2000 btime 2000",
        "wtime 2000 btime 2000 winc 10 binc 10",
        "wtime 2000 btime 2000 winc 0 binc 0 movestogo 1",
        "wtime 2000 btime 2000 movestogo 40",
    };
    const double clock = 2.0;
    Session *session = &trial->session;
    Answer answer;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (!session_position(session, NULL, NULL, 0) ||
            !session_go(session, &answer, "go %s", limits[i]))
            return false;
        if (answer.seconds > clock + session->config->margin_seconds) {
            session_found(session, "%.3f s of %g s", answer.seconds, clock);
            return session_fail(session, "a move before its time is up");
        }
    }
    return true;
}

static bool check_go_no_time(Trial *trial)
{
    static const char *const limits[] = {"wtime 1 btime 1 winc 0 binc 0", "wtime 0 btime 0",
                                         "wtime -50 btime -50", "wtime 100 btime 100 movestogo 0"};
    return check_go(trial, limits, sizeof limits / sizeof *limits);
}

static bool check_go_infinite(Trial *trial)
{
    Session *session = &trial->session;
    const Examples *examples = trial->examples;
    const size_t positions = 1 + (examples ? examples->won_count : 0);
    Answer answer;
    /* Where the game is nearly won a search is soon at its end, and still has to wait. */
    for (size_t i = 0; i < positions; i++)
        if (!session_position(session, i == 0 ? NULL : examples->won[i - 1], NULL, 0) ||
            !session_send(session, "go infinite") ||
            !session_is_thinking(session, SILENCE_SECONDS, "stop") ||
            !session_send(session, "stop") ||
            !session_move(session, session->config->patience, &answer))
            return false;
    return true;
}

static bool check_stop(Trial *trial)
{
    Session *session = &trial->session;
    Answer answer;
    for (int i = 0; i < 10; i++)
        if (!session_position(session, NULL, NULL, 0) ||
            !session_send_text(session, "go infinite\nstop\n") ||
            !session_move(session, session->config->patience, &answer))
            return false;
    /* Too late, and twice. */
    return session_go(session, &answer, "go depth 1") && session_send(session, "stop") &&
           session_is_ready(session) && session_send(session, "go infinite") &&
           session_send_text(session, "stop\nstop\n") &&
           session_move(session, session->config->patience, &answer);
}

static bool check_isready_search(Trial *trial)
{
    Session *session = &trial->session;
    Answer answer;
    if (!session_position(session, NULL, NULL, 0) || !session_send(session, "go infinite"))
        return false;
    for (int i = 0; i < 3; i++)
        if (!session_is_ready(session) ||
            !session_is_thinking(session, SILENCE_SECONDS / 3, "stop"))
            return false;
    return session_send(session, "stop") &&
           session_move(session, session->config->patience, &answer);
}

static bool check_ponder(Trial *trial)
{
    Session *session = &trial->session;
    const Examples *examples = trial->examples;
    if (!introduction_option(trial->introduction, "Ponder"))
        return session_skip(session, "it has no option Ponder");
    const size_t positions = examples && examples->won_count > 0 ? 2 : 1;
    static const char *const ends[] = {"ponderhit", "stop"};
    Answer answer;
    if (!session_send(session, "setoption name Ponder value true"))
        return false;
    for (size_t i = 0; i < positions; i++)
        for (size_t k = 0; k < 2; k++)
            if (!session_position(session, i == 0 ? NULL : examples->won[0], NULL, 0) ||
                !session_send(session, "go ponder wtime 1000 btime 1000 winc 0 binc 0") ||
                !session_is_thinking(session, SILENCE_SECONDS, ends[k]) ||
                !session_send(session, "%s", ends[k]) ||
                !session_move(session, session->config->patience, &answer))
                return false;
    return true;
}

static bool check_searchmoves(Trial *trial)
{
    Session *session = &trial->session;
    const Engine *rules = session->rules;
    Move moves[ENGINE_MAX_MOVES];
    char first[ENGINE_MAX_MOVE_TEXT], last[ENGINE_MAX_MOVE_TEXT];
    Answer answer;
    if (!session_position(session, NULL, NULL, 0))
        return false;
    size_t count = rules->game_moves(session->game, moves);
    const Move asked[2] = {moves[0], moves[count - 1]};
    rules->move_uci(session->game, asked[0], first);
    rules->move_uci(session->game, asked[1], last);
    if (!session_go(session, &answer, "go depth 2 searchmoves %s", last))
        return false;
    if (answer.legal != asked[1]) {
        session_found(session, "%s", answer.move);
        return session_fail(session, "%s, the only move that it may search", last);
    }
    if (!session_go(session, &answer, "go depth 2 searchmoves %s %s", first, last))
        return false;
    if (answer.legal != asked[0] && answer.legal != asked[1]) {
        session_found(session, "%s", answer.move);
        return session_fail(session, "%s or %s, the moves that it may search", first, last);
    }
    return true;
}

static bool check_go_mate(Trial *trial)
{
    Session *session = &trial->session;
    const Examples *examples = trial->examples;
    Answer answer;
    if (!examples->won_count)
        return session_skip(session, "no position was found that is won at once");
    for (size_t i = 0; i < examples->won_count; i++)
        if (!session_position(session, examples->won[i], NULL, 0) ||
            !session_go(session, &answer, "go mate 1"))
            return false;
    return true;
}

static bool check_multipv(Trial *trial)
{
    Session *session = &trial->session;
    const UciOption *option = introduction_option(trial->introduction, "MultiPV");
    Answer answer;
    if (!option || option->max < 3)
        return session_skip(session, "it has no option MultiPV");
    session->tally.wanted = true;
    if (!session_send(session, "setoption name MultiPV value 3") ||
        !session_position(session, NULL, NULL, 0) || !session_go(session, &answer, "go depth 3"))
        return false;
    if (session->tally.lines != 3) {
        session_found(session, "multipv up to %d", session->tally.lines);
        return session_fail(session, "info lines with multipv 1 to 3");
    }
    return true;
}

/* --- positions ------------------------------------------------------------------------------- */

static bool check_position_moves(Trial *trial)
{
    Session *session = &trial->session;
    const Examples *examples = trial->examples;
    Answer answer;
    for (size_t plies = 1; plies <= examples->plies; plies += plies < 8 ? 1 : 7)
        if (!session_position(session, NULL, examples->moves, plies) ||
            !session_go(session, &answer, "go depth 1"))
            return false;
    /* A list of moves without a move. */
    return session_position(session, NULL, NULL, 0) &&
           session_send(session, "position startpos moves") &&
           session_go(session, &answer, "go depth 1");
}

static bool check_position_fen(Trial *trial)
{
    Session *session = &trial->session;
    const Engine *rules = session->rules;
    const Examples *examples = trial->examples;
    char fen[ENGINE_MAX_FEN];
    Answer answer;
    for (size_t plies = 0; plies < examples->plies; plies += 9) {
        /* The position after some moves as a FEN, and one more move behind it. */
        Error error;
        Move move;
        if (rules->game_set(session->game, NULL, session->err) != STATUS_OK)
            return false;
        for (size_t i = 0; i < plies; i++)
            if (rules->move_from_uci(session->game, examples->moves[i], &move, &error) !=
                    STATUS_OK ||
                rules->game_play(session->game, move, session->err) != STATUS_OK)
                return false;
        rules->game_fen(session->game, fen);
        if (!session_position(session, fen, NULL, 0) ||
            !session_go(session, &answer, "go depth 1") ||
            !session_position(session, fen, &examples->moves[plies], 1) ||
            !session_go(session, &answer, "go depth 1"))
            return false;
    }
    return true;
}

static bool check_finished(Trial *trial)
{
    Session *session = &trial->session;
    const Examples *examples = trial->examples;
    Answer answer;
    if (!examples->over_count)
        return session_skip(session, "no position was found without a legal move");
    for (size_t i = 0; i < examples->over_count; i++)
        if (!session_position(session, examples->over[i], NULL, 0) ||
            !session_go(session, &answer, "go depth 3") ||
            !session_position(session, NULL, NULL, 0) ||
            !session_go(session, &answer, "go depth 1"))
            return false;
    return true;
}

static bool check_info(Trial *trial)
{
    Session *session = &trial->session;
    const Examples *examples = trial->examples;
    const size_t games = examples ? 3 : 1;
    Answer answer;
    session->tally.wanted = true;
    for (size_t i = 0; i < games; i++) {
        const size_t plies = examples ? i * examples->plies / 2 : 0;
        if (!session_position(session, NULL, examples ? examples->moves : NULL, plies) ||
            !session_go(session, &answer, "go depth 5"))
            return false;
        if (!session->tally.complete)
            return session_fail(session,
                                "before each bestmove a line of info with depth, score, nodes "
                                "and pv");
        if (strcmp(session->tally.best, answer.move) != 0)
            session_note(session, "bestmove %s after a last pv that begins with %s", answer.move,
                         session->tally.best);
    }
    return true;
}

static bool check_score(Trial *trial)
{
    Session *session = &trial->session;
    const Examples *examples = trial->examples;
    const InfoTally *tally = &session->tally;
    Answer answer;
    if (!examples->won_count)
        return session_skip(session, "no position was found that is won at once");
    session->tally.wanted = true;
    for (size_t i = 0; i < examples->won_count; i++) {
        if (!session_position(session, examples->won[i], NULL, 0) ||
            !session_go(session, &answer, "go depth 3"))
            return false;
        if (!tally->has_score || !tally->has_mate_score || tally->score != 1) {
            if (tally->has_score)
                session_found(session, "score %s %ld in %s", tally->has_mate_score ? "mate" : "cp",
                              tally->score, examples->won[i]);
            return session_fail(session, "score mate 1 for the side to move, which wins at once");
        }
    }
    return true;
}

/* --- ends ------------------------------------------------------------------------------------ */

static bool begin_search(Session *session)
{
    return session_send(session, "position startpos") && session_send(session, "go infinite") &&
           session_is_thinking(session, SILENCE_SECONDS / 3, "stop");
}

static bool leaves_well(Session *session)
{
    int code;
    if (!session_leaves(session, &code))
        return false;
    char fate[64];
    engine_process_fate(&session->process, fate, sizeof fate);
    if (code == 0)
        return true;
    session_found(session, "%s", fate);
    return session_fail(session, "exit code 0");
}

static bool check_quit(Trial *trial)
{
    return session_send(&trial->session, "quit") && leaves_well(&trial->session);
}

static bool check_quit_search(Trial *trial)
{
    return begin_search(&trial->session) && check_quit(trial);
}

static bool check_eof(Trial *trial)
{
    engine_process_close(&trial->session.process);
    return leaves_well(&trial->session);
}

static bool check_eof_search(Trial *trial)
{
    return begin_search(&trial->session) && check_eof(trial);
}

static bool check_orphans(Trial *trial)
{
    Session *session = &trial->session;
    int code;
    if (!begin_search(session) || !session_send(session, "quit") || !session_leaves(session, &code))
        return false;
    if (!engine_process_orphans(&session->process))
        return true;
    session_found(session, "processes of its group that live on");
    return session_fail(session, "no processes after the end of the engine");
}

/* --- the list -------------------------------------------------------------------------------- */

const Check compliance_checks[] = {
    {"silence", SCOPE_RAW, false, check_silence, "it waits for uci before it speaks UCI"},
    {"uci", SCOPE_RAW, false, check_introduction, "uci is answered by name, author and uciok"},
    {"options", SCOPE_WORDS, false, check_options, "option lines are complete and make sense"},
    {"isready", SCOPE_READY, false, check_isready, "one readyok for each isready"},
    {"blanks", SCOPE_READY, false, check_blanks, "more blanks, tabs and CRLF do no harm"},
    {"unknown", SCOPE_READY, false, check_unknown, "what it does not know or need is passed over"},
    {"setoption", SCOPE_READY, false, check_setoption, "each option takes the values it announced"},
    {"setoption-bad", SCOPE_READY, false, check_setoption_bad, "bad options and values do no harm"},
    {"quit", SCOPE_READY, false, check_quit, "quit ends it, with exit code 0"},
    {"quit-search", SCOPE_READY, false, check_quit_search, "... also during a search"},
    {"eof", SCOPE_READY, false, check_eof, "the end of its input ends it, with exit code 0"},
    {"eof-search", SCOPE_READY, false, check_eof_search, "... also during a search"},
    {"orphans", SCOPE_READY, false, check_orphans, "it leaves no process behind"},
    {"ucinewgame", SCOPE_GAME, false, check_ucinewgame, "ucinewgame, again and again"},
    {"go-depth", SCOPE_GAME, false, check_go_depth, "go depth: one bestmove, legal"},
    {"go-nodes", SCOPE_GAME, false, check_go_nodes, "go nodes, from 1 on"},
    {"go-movetime", SCOPE_GAME, false, check_go_movetime, "go movetime, from 1 ms on"},
    {"go-clock", SCOPE_GAME, false, check_go_clock, "go with a clock: a move before it is up"},
    {"go-no-time", SCOPE_GAME, false, check_go_no_time, "a move also without any time"},
    {"go-infinite", SCOPE_GAME, false, check_go_infinite, "go infinite: no bestmove before stop"},
    {"stop", SCOPE_GAME, false, check_stop, "stop at once, too late and twice: one bestmove"},
    {"isready-search", SCOPE_GAME, false, check_isready_search, "readyok during a search"},
    {"ponder", SCOPE_GAME, false, check_ponder,
     "go ponder: a bestmove after ponderhit or stop only"},
    {"searchmoves", SCOPE_GAME, true, check_searchmoves, "go searchmoves: one of those"},
    {"go-mate", SCOPE_GAME, true, check_go_mate, "go mate ends by itself"},
    {"info", SCOPE_GAME, false, check_info, "info lines are well-formed, their moves legal"},
    {"score", SCOPE_GAME, true, check_score, "score mate 1 where one move wins"},
    {"multipv", SCOPE_GAME, false, check_multipv, "three lines with MultiPV 3"},
    {"position-moves", SCOPE_GAME, true, check_position_moves, "position startpos moves ..."},
    {"position-fen", SCOPE_GAME, true, check_position_fen, "position fen ... [moves ...]"},
    {"finished", SCOPE_GAME, true, check_finished, "bestmove (none) where there is no legal move"},
};
const size_t compliance_check_count = sizeof compliance_checks / sizeof *compliance_checks;
