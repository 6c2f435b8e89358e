/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uci.c - the UCI protocol: a loop that reads commands and answers them.
 *
 * A search runs in a thread of its own (uci_search.h) on a copy of the position, so everything
 * here belongs to the thread that reads.
 */
#include "uci.h"

#include "engine.h"
#include "eval_table.h"
#include "support/clock.h"
#include "support/version.h"
#include "uci_go.h"
#include "uci_search.h"
#include "uci_text.h"
#include "weights_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char BLANKS[] = " \t\r\n";
static const char INTERNAL_WEIGHTS[] = "<internal>";

/* A variant being played: what has to be made anew when UCI_Variant changes. */
typedef struct Table {
    const Engine *engine;
    SearchThread *thread;
    Game *game;    /* the position of the client                             */
    Game *scratch; /* where a position command is tried, and perft counted   */
} Table;

typedef struct Uci {
    Table table;
    bool quit;
    /* options */
    int64_t hash_mib, threads, multi_pv, move_overhead_ms;
    bool show_wdl;
    char *eval_file; /* NULL = internal weights      */
    Weight *weights; /* of eval_file, NULL = default */
} Uci;

/* --- go -----------------------------------------------------------------------------------------
 */

/* The moves that the texts of searchmoves name, into room for GO_MAX_SEARCH_MOVES. */
static size_t read_search_moves(Uci *uci, const GoCommand *command, Move *moves)
{
    size_t count = 0;
    for (size_t i = 0; i < command->move_count; i++) {
        Error err;
        Status status = uci->table.engine->move_from_uci(uci->table.game, command->moves[i],
                                                         &moves[count], &err);
        if (status == STATUS_OK)
            count++;
        else
            uci_say("info string searchmoves %s ignored: %s", command->moves[i], err.message);
    }
    if (command->move_count > 0 && count == 0)
        uci_say("info string searchmoves names no legal move: all moves are searched");
    return count;
}

/* perft ignores history, so it starts from the position's FEN. */
static void go_perft(Uci *uci, int depth)
{
    const Engine *engine = uci->table.engine;
    Game *game = uci->table.scratch;
    char fen[ENGINE_MAX_FEN];
    Move moves[ENGINE_MAX_MOVES];
    Error err;
    engine->game_fen(uci->table.game, fen);
    if (engine->game_set(game, fen, &err) != STATUS_OK) {
        uci_say("info string go perft: %s", err.message);
        return;
    }
    int64_t start_ms = clock_ms();
    uint64_t total = 0;
    size_t count = engine->game_moves(game, moves);
    for (size_t i = 0; i < count; i++) {
        char text[ENGINE_MAX_MOVE_TEXT];
        engine->move_uci(game, moves[i], text);
        if (engine->game_play(game, moves[i], &err) != STATUS_OK) {
            uci_say("info string go perft: %s", err.message);
            return;
        }
        uint64_t leaves = engine->perft(game, depth - 1);
        engine->game_undo(game);
        total += leaves;
        uci_say("%s: %llu", text, (unsigned long long)leaves);
    }
    int64_t time_ms = clock_ms() - start_ms;
    uci_say("\nNodes searched: %llu\n", (unsigned long long)total);
    uci_say("info string perft %d nodes %llu time %lld nps %.0f", depth, (unsigned long long)total,
            (long long)time_ms, (double)total * 1000 / (double)(time_ms > 0 ? time_ms : 1));
}

static void command_go(Uci *uci, char *arguments)
{
    const Table *table = &uci->table;
    GoCommand command;
    Move moves[GO_MAX_SEARCH_MOVES];
    Error err;
    go_parse(arguments, &command);
    if (command.has_perft) {
        go_perft(uci, command.perft);
        return;
    }
    SearchOrder order = {
        .limits = go_resolve(&command, table->engine->game_side(table->game)),
        .show_wdl = uci->show_wdl,
        .weights = uci->weights,
    };
    order.limits.multi_pv = (int)uci->multi_pv;
    order.limits.move_overhead_ms = uci->move_overhead_ms;
    order.limits.search_moves = moves;
    order.limits.search_move_count = read_search_moves(uci, &command, moves);
    if (search_thread_start(table->thread, table->game, &order, &err) != STATUS_OK)
        uci_say("info string go: %s\nbestmove (none)", err.message);
}

/* --- position -----------------------------------------------------------------------------------
 */

/* Joins the words up to "moves" or the end by single blanks; *words is left at what comes next. */
static char *join_fen(char **words)
{
    char *fen = calloc(1, strlen(*words) + 2);
    char *end = fen;
    for (;;) {
        *words += strspn(*words, BLANKS);
        size_t length = strcspn(*words, BLANKS);
        if (!fen || length == 0 || (length == 5 && strncmp(*words, "moves", 5) == 0))
            return fen;
        if (end != fen)
            *end++ = ' ';
        memcpy(end, *words, length);
        end += length;
        *words += length;
    }
}

/* Plays the moves behind a position up to the first that is not legal. */
static void play_moves(Uci *uci, char *moves)
{
    const Engine *engine = uci->table.engine;
    char *rest = NULL;
    size_t number = 1;
    for (char *text = strtok_r(moves, BLANKS, &rest); text; text = strtok_r(NULL, BLANKS, &rest)) {
        Error err;
        Move move;
        Status status = engine->move_from_uci(uci->table.scratch, text, &move, &err);
        if (status == STATUS_OK)
            status = engine->game_play(uci->table.scratch, move, &err);
        if (status != STATUS_OK) {
            uci_say("info string move %zu: %s; the position is the one before it", number,
                    err.message);
            return;
        }
        number++;
    }
}

static void command_position(Uci *uci, char *arguments)
{
    Table *table = &uci->table;
    char *rest = arguments + strspn(arguments, BLANKS);
    size_t length = strcspn(rest, BLANKS);
    char *fen = NULL;
    Error err;
    Status status;
    if (length == 8 && strncmp(rest, "startpos", 8) == 0) {
        rest += length;
        status = table->engine->game_set(table->scratch, NULL, &err);
    } else if (length == 3 && strncmp(rest, "fen", 3) == 0) {
        rest += length;
        fen = join_fen(&rest);
        status = fen ? table->engine->game_set(table->scratch, fen, &err)
                     : error_set(&err, STATUS_NO_MEMORY, "out of memory");
    } else {
        status = error_set(&err, STATUS_FORMAT, "expected startpos or fen, found \"%.*s\"",
                           (int)(length < 40 ? length : 40), rest);
    }
    free(fen);
    rest += strspn(rest, BLANKS);
    length = strcspn(rest, BLANKS);
    if (status == STATUS_OK && length > 0 && !(length == 5 && strncmp(rest, "moves", 5) == 0))
        status = error_set(&err, STATUS_FORMAT, "expected moves, found \"%.*s\"",
                           (int)(length < 40 ? length : 40), rest);
    if (status != STATUS_OK) {
        uci_say("info string position unchanged: %s", err.message);
        return;
    }
    play_moves(uci, rest + length);
    Game *played = table->scratch;
    table->scratch = table->game;
    table->game = played;
}

/* --- variants ------------------------------------------------------------------------------------
 */

static void table_free(Table *table)
{
    if (table->engine) {
        search_thread_free(table->thread);
        table->engine->game_free(table->game);
        table->engine->game_free(table->scratch);
    }
    *table = (Table){0};
}

static Status table_make(Table *table, const Engine *engine, int64_t hash_mib, int64_t threads,
                         Error *err)
{
    Table made = {.engine = engine};
    if ((made.thread = search_thread_new(engine, (size_t)hash_mib, (int)threads, err)) &&
        (made.game = engine->game_new(err)) && (made.scratch = engine->game_new(err))) {
        *table = made;
        return STATUS_OK;
    }
    table_free(&made);
    return STATUS_NO_MEMORY;
}

static Search *searcher(const Uci *uci)
{
    return search_thread_searcher(uci->table.thread);
}

/* The line by which clients learn the board, as Fairy-Stockfish prints it. */
static void say_variant(Uci *uci)
{
    const Engine *engine = uci->table.engine;
    uci_say("info string variant %s files %d ranks %d pocket %d template %s startpos %s",
            engine->name, engine->files, engine->ranks, engine->hand_kinds,
            engine->board_template ? engine->board_template : "fairy", engine->start_fen);
}

static void forget_weights(Uci *uci)
{
    free(uci->weights);
    free(uci->eval_file);
    uci->weights = NULL;
    uci->eval_file = NULL;
}

/* --- options -------------------------------------------------------------------------------------
 */

typedef struct UciOption UciOption;
#define TUNE_PREFIX "Tune " /* of options for the search_parameters of engine.h */

struct UciOption {
    const char *name;
    const char *type; /* "spin", "check", "button", "combo", "string" */
    const char *initial;
    int64_t min, max; /* of a spin */
    /* Puts a value in force: the text, and for spin and check its number. */
    void (*apply)(Uci *uci, const UciOption *option, const char *text, int64_t value);
};

/* Hash and Threads: the old table stays when there is no memory for the new one. */
static void resize(Uci *uci, int64_t hash_mib, int64_t threads)
{
    Error err;
    if (uci->table.engine->search_resize(searcher(uci), (size_t)hash_mib, (int)threads, &err) !=
        STATUS_OK) {
        uci_say("info string error: %s: Hash %lld MiB and Threads %lld stay in force", err.message,
                (long long)uci->hash_mib, (long long)uci->threads);
        return;
    }
    uci->hash_mib = hash_mib;
    uci->threads = threads;
}

static void apply_hash(Uci *uci, const UciOption *option, const char *text, int64_t value)
{
    (void)option, (void)text;
    resize(uci, value, uci->threads);
}

static void apply_threads(Uci *uci, const UciOption *option, const char *text, int64_t value)
{
    (void)option, (void)text;
    resize(uci, uci->hash_mib, value);
}

static void apply_multi_pv(Uci *uci, const UciOption *option, const char *text, int64_t value)
{
    (void)option, (void)text;
    uci->multi_pv = value;
}

static void apply_overhead(Uci *uci, const UciOption *option, const char *text, int64_t value)
{
    (void)option, (void)text;
    uci->move_overhead_ms = value;
}

static void apply_wdl(Uci *uci, const UciOption *option, const char *text, int64_t value)
{
    (void)option, (void)text;
    uci->show_wdl = value != 0;
}

/* Ponder only tells the engine that `go ponder` may come; it is ready for that anyway. */
static void apply_nothing(Uci *uci, const UciOption *option, const char *text, int64_t value)
{
    (void)uci, (void)option, (void)text, (void)value;
}

static void apply_clear_hash(Uci *uci, const UciOption *option, const char *text, int64_t value)
{
    (void)option, (void)text, (void)value;
    uci->table.engine->search_clear(searcher(uci));
}

static void apply_variant(Uci *uci, const UciOption *option, const char *text, int64_t value)
{
    (void)value;
    const Engine *engine = NULL;
    for (size_t i = 0; engine_at(i) && !engine; i++)
        if (strcasecmp(engine_at(i)->name, text) == 0)
            engine = engine_at(i);
    if (!engine) {
        uci_say("info string error: option %s: unknown variant \"%s\", known are %s", option->name, text,
                engine_names());
        return;
    }
    if (engine != uci->table.engine) {
        Table made;
        Error err;
        if (table_make(&made, engine, uci->hash_mib, uci->threads, &err) != STATUS_OK) {
            uci_say("info string error: option %s: %s: %s stays in force", option->name, err.message,
                    uci->table.engine->name);
            return;
        }
        table_free(&uci->table);
        uci->table = made;
        if (uci->eval_file)
            uci_say("info string EvalFile is %s again: \"%s\" was for another variant",
                    INTERNAL_WEIGHTS, uci->eval_file);
        forget_weights(uci);
    }
    say_variant(uci);
}

static void apply_eval_file(Uci *uci, const UciOption *option, const char *text, int64_t value)
{
    (void)value;
    const Engine *engine = uci->table.engine;
    if (!*text || strcmp(text, INTERNAL_WEIGHTS) == 0 || strcmp(text, "<empty>") == 0) {
        forget_weights(uci);
        engine->search_set_weights(searcher(uci), NULL);
        return;
    }
    Error err = {STATUS_NO_MEMORY, "out of memory"};
    Weight *weights = malloc(sizeof *weights * (size_t)engine->weight_count);
    char *path = strdup(text);
    if (weights && path && weights_file_read(engine, path, weights, &err) == STATUS_OK) {
        forget_weights(uci);
        uci->weights = weights;
        uci->eval_file = path;
        engine->search_set_weights(searcher(uci), weights);
        uci_say("info string option %s: weights of \"%s\" are in force", option->name, path);
        return;
    }
    uci_say("info string error: option %s: %s: weights of %s stay in force", option->name, err.message,
            uci->eval_file ? uci->eval_file : INTERNAL_WEIGHTS);
    free(weights);
    free(path);
}

static const UciOption options[] = {
    {"Hash", "spin", "16", 1, 65536, apply_hash},
    {"Threads", "spin", "1", 1, 256, apply_threads},
    {"MultiPV", "spin", "1", 1, ENGINE_MAX_MULTI_PV, apply_multi_pv},
    {"Ponder", "check", "false", 0, 1, apply_nothing},
    {"Move Overhead", "spin", "10", 0, 5000, apply_overhead},
    {"Clear Hash", "button", NULL, 0, 0, apply_clear_hash},
    {"UCI_Variant", "combo", NULL, 0, 0, apply_variant}, /* values: the registry */
    {"UCI_ShowWDL", "check", "false", 0, 1, apply_wdl},
    {"EvalFile", "string", INTERNAL_WEIGHTS, 0, 0, apply_eval_file},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

static bool has_type(const UciOption *option, const char *type)
{
    return strcmp(option->type, type) == 0;
}

static void say_options(void)
{
    for (const UciOption *option = options; option < options + OPTION_COUNT; option++) {
        if (has_type(option, "spin")) {
            uci_say("option name %s type spin default %s min %lld max %lld", option->name,
                    option->initial, (long long)option->min, (long long)option->max);
        } else if (has_type(option, "combo")) {
            char text[1024];
            size_t used = uci_append(text, sizeof text, 0, "default %s", engine_at(0)->name);
            for (size_t i = 0; engine_at(i); i++)
                used = uci_append(text, sizeof text, used, " var %s", engine_at(i)->name);
            uci_say("option name %s type combo %s", option->name, text);
        } else if (option->initial) {
            uci_say("option name %s type %s default %s", option->name, option->type,
                    option->initial);
        } else {
            uci_say("option name %s type %s", option->name, option->type);
        }
    }
    for (const SearchParameter *row = engine_at(0)->search_parameters; row->name; row++)
        uci_say("option name " TUNE_PREFIX "%s type spin default %d min %d max %d", row->name, row->standard,
                row->least, row->most);
}

/* The number that an option's value is, if it is one within its limits. */
static bool spin_value(const char *name, int64_t least, int64_t most, const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end != text && !*end && !errno && *value >= least && *value <= most)
        return true;
    uci_say("info string error: option %s: expected a number from %lld to %lld, found \"%s\": unchanged",
            name, (long long)least, (long long)most, text);
    return false;
}

/* Sets a number of the search, of all variants; false if there is none of that name. */
static bool set_search_parameter(const char *name, const char *text)
{
    int64_t value = 0;
    for (size_t i = 0; engine_at(i); i++)
        for (const SearchParameter *row = engine_at(i)->search_parameters; row->name; row++) {
            if (strcasecmp(row->name, name) != 0)
                continue;
            if (!spin_value(row->name, row->least, row->most, text, &value))
                return true;
            *row->value = (int)value;
            engine_at(i)->search_parameters_changed();
            if (!engine_at(i + 1))
                return true;
        }
    return false;
}

/* Checks a value against the type of its option and puts it in force. */
static void set_option(Uci *uci, const UciOption *option, const char *text)
{
    int64_t value = 0;
    if (has_type(option, "spin")) {
        if (!spin_value(option->name, option->min, option->max, text, &value))
            return;
    } else if (has_type(option, "check")) {
        value = strcasecmp(text, "true") == 0;
        if (!value && strcasecmp(text, "false") != 0) {
            uci_say("info string error: option %s: expected true or false, found \"%s\": unchanged",
                    option->name, text);
            return;
        }
    }
    option->apply(uci, option, text, value);
}

/* The next word equal to `word` in a text, NULL if there is none. */
static char *find_word(char *text, const char *word)
{
    for (char *at = text + strspn(text, BLANKS); *at; at += strspn(at, BLANKS)) {
        size_t length = strcspn(at, BLANKS);
        if (length == strlen(word) && strncmp(at, word, length) == 0)
            return at;
        at += length;
    }
    return NULL;
}

/* Cuts the blanks off both ends. */
static char *trimmed(char *text)
{
    text += strspn(text, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* setoption name NAME [value VALUE]; both may have blanks. */
static void command_setoption(Uci *uci, char *arguments)
{
    char *name = find_word(arguments, "name");
    if (!name) {
        uci_say("info string setoption: expected name");
        return;
    }
    name += strlen("name");
    char *value = find_word(name, "value");
    if (value) {
        *value = '\0';
        value += strlen("value");
    }
    name = trimmed(name);
    for (const UciOption *option = options; option < options + OPTION_COUNT; option++) {
        if (strcasecmp(option->name, name) == 0) {
            set_option(uci, option, value ? trimmed(value) : "");
            return;
        }
    }
    if (strncasecmp(name, TUNE_PREFIX, strlen(TUNE_PREFIX)) == 0 &&
        set_search_parameter(name + strlen(TUNE_PREFIX), value ? trimmed(value) : ""))
        return;
    uci_say("info string error: unknown option \"%s\"", name);
}

/* --- the other commands --------------------------------------------------------------------------
 */

static void command_uci(Uci *uci, char *arguments)
{
    (void)uci, (void)arguments;
    uci_say("id name Campmate %s\nid author the Campmate authors", version_number());
    say_options();
    uci_say("uciok");
}

static void command_isready(Uci *uci, char *arguments)
{
    (void)uci, (void)arguments;
    uci_say("readyok");
}

static void command_ucinewgame(Uci *uci, char *arguments)
{
    (void)arguments;
    uci->table.engine->search_clear(searcher(uci));
}

static void command_stop(Uci *uci, char *arguments)
{
    (void)arguments;
    search_thread_stop(uci->table.thread);
}

static void command_ponderhit(Uci *uci, char *arguments)
{
    (void)arguments;
    search_thread_ponderhit(uci->table.thread);
}

static void command_quit(Uci *uci, char *arguments)
{
    (void)arguments;
    uci->quit = true;
}

static void command_d(Uci *uci, char *arguments)
{
    (void)arguments;
    const Engine *engine = uci->table.engine;
    Game *game = uci->table.game;
    Move moves[ENGINE_MAX_MOVES];
    char *picture = engine->game_picture(game);
    Ending ending = engine->game_ending(game);
    uci_say("%sCheck: %s\nLegal moves: %zu\nEnd: %s %s", picture ? picture : "",
            engine->game_in_check(game) ? "yes" : "no", engine->game_moves(game, moves),
            end_reason_text(ending.reason), outcome_text(ending.outcome));
    free(picture);
}

static void command_eval(Uci *uci, char *arguments)
{
    (void)arguments;
    char *table = eval_table(uci->table.engine, uci->table.game, uci->weights);
    if (table)
        uci_say("%s", table);
    else
        uci_say("info string eval: out of memory");
    free(table);
}

static void command_debug(Uci *uci, char *arguments)
{
    (void)uci, (void)arguments;
}

static void command_help(Uci *uci, char *arguments);

static const struct {
    const char *name;
    void (*run)(Uci *uci, char *arguments);
    bool stops_search; /* needs what the search is using */
    const char *help;
} commands[] = {
    {"uci", command_uci, false, "name, author and options"},
    {"isready", command_isready, false, "answers readyok, also during a search"},
    {"ucinewgame", command_ucinewgame, true, "forget everything learnt"},
    {"setoption", command_setoption, true, "name NAME [value VALUE]"},
    {"position", command_position, true, "startpos | fen FEN, then [moves M1 M2 ...]"},
    {"go", command_go, true,
     "[depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [byoyomi MS] "
     "[movestogo N] [mate N] [infinite] [ponder] [searchmoves M1 ...] | perft N"},
    {"stop", command_stop, false, "end the search, print its bestmove"},
    {"ponderhit", command_ponderhit, false, "the expected move was played"},
    {"d", command_d, false, "the position"},
    {"eval", command_eval, false, "its static evaluation by group of terms"},
    {"debug", command_debug, false, "accepted, does nothing"},
    {"help", command_help, false, "this list"},
    {"quit", command_quit, false, "end the program"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void command_help(Uci *uci, char *arguments)
{
    (void)uci, (void)arguments;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        uci_say("info string %-10s %s", commands[i].name, commands[i].help);
}

static void obey(Uci *uci, char *line)
{
    char *word = line + strspn(line, BLANKS);
    size_t length = strcspn(word, BLANKS);
    if (length == 0)
        return;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strlen(commands[i].name) == length && strncmp(commands[i].name, word, length) == 0) {
            if (commands[i].stops_search)
                search_thread_stop(uci->table.thread);
            commands[i].run(uci, word + length);
            return;
        }
    }
    uci_say("info string unknown command \"%.*s\", try help", (int)(length < 40 ? length : 40),
            word);
}

Status uci_run(Error *err)
{
    Uci *uci = calloc(1, sizeof *uci);
    if (!uci)
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    uci->hash_mib = 16;
    uci->threads = uci->multi_pv = 1;
    uci->move_overhead_ms = 10;
    Status status = table_make(&uci->table, engine_at(0), uci->hash_mib, uci->threads, err);
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while (status == STATUS_OK && !uci->quit && (length = getline(&line, &size, stdin)) >= 0) {
        if (strlen(line) != (size_t)length)
            uci_say("info string line with a NUL byte ignored");
        else
            obey(uci, line);
    }
    free(line);
    if (status == STATUS_OK)
        search_thread_stop(uci->table.thread);
    table_free(&uci->table);
    forget_weights(uci);
    free(uci);
    return status;
}
