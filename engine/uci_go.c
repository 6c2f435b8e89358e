/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_go.c - the arguments of the UCI command `go`. */
#include "uci_go.h"

#include <ctype.h>
#include <string.h>

/* Clocks beyond this (31 years) only serve to overflow somebody's arithmetic. */
static const int64_t TIME_MAX_MS = 1000000000000;

typedef enum GoWord {
    GO_NOTHING,
    GO_DEPTH,
    GO_MATE,
    GO_NODES,
    GO_MOVETIME,
    GO_WTIME,
    GO_BTIME,
    GO_WINC,
    GO_BINC,
    GO_BYOYOMI,
    GO_MOVESTOGO,
    GO_PERFT,
    GO_INFINITE, /* from here on: words without a value */
    GO_PONDER,
    GO_SEARCHMOVES
} GoWord;

static const struct {
    const char *text;
    GoWord word;
} words[] = {
    {"depth", GO_DEPTH},     {"mate", GO_MATE},
    {"nodes", GO_NODES},     {"movetime", GO_MOVETIME},
    {"wtime", GO_WTIME},     {"btime", GO_BTIME},
    {"winc", GO_WINC},       {"binc", GO_BINC},
    {"byoyomi", GO_BYOYOMI}, {"movestogo", GO_MOVESTOGO},
    {"perft", GO_PERFT},     {"infinite", GO_INFINITE},
    {"ponder", GO_PONDER},   {"searchmoves", GO_SEARCHMOVES},
};

static GoWord go_word(const char *token)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].text, token) == 0)
            return words[i].word;
    return GO_NOTHING;
}

/* A whole decimal number in [0, max]: saturates above, 0 if negative or malformed. */
static int64_t number(const char *token, int64_t max)
{
    if (*token == '+')
        token++;
    int64_t value = 0;
    if (!*token)
        return 0;
    for (; *token; token++) {
        if (!isdigit((unsigned char)*token))
            return 0;
        int digit = *token - '0';
        value = value > (max - digit) / 10 ? max : value * 10 + digit;
    }
    return value;
}

static int64_t at_least_1(int64_t value)
{
    return value > 0 ? value : 1;
}

static void set_limit(GoCommand *command, GoWord word, const char *token)
{
    SearchLimits *limits = &command->limits;
    switch (word) {
    case GO_DEPTH:
        limits->depth = (int)at_least_1(number(token, ENGINE_MAX_DEPTH));
        break;
    case GO_MATE:
        limits->mate = (int)at_least_1(number(token, ENGINE_MAX_DEPTH));
        break;
    case GO_NODES:
        limits->nodes = (uint64_t)at_least_1(number(token, INT64_MAX));
        break;
    case GO_MOVETIME:
        limits->has_movetime = true;
        limits->movetime_ms = at_least_1(number(token, TIME_MAX_MS));
        break;
    case GO_WTIME:
    case GO_BTIME: {
        Side side = word == GO_WTIME ? SIDE_WHITE : SIDE_BLACK;
        limits->has_clock = true;
        limits->time_ms[side] = number(token, TIME_MAX_MS);
        break;
    }
    case GO_WINC:
        limits->increment_ms[SIDE_WHITE] = number(token, TIME_MAX_MS);
        break;
    case GO_BINC:
        limits->increment_ms[SIDE_BLACK] = number(token, TIME_MAX_MS);
        break;
    case GO_BYOYOMI:
        limits->has_clock = true;
        limits->byoyomi_ms = number(token, TIME_MAX_MS);
        break;
    case GO_MOVESTOGO:
        limits->moves_to_go = (int)number(token, 10000);
        break;
    case GO_PERFT:
        command->has_perft = true;
        command->perft = (int)at_least_1(number(token, ENGINE_MAX_DEPTH));
        break;
    case GO_NOTHING:
    case GO_INFINITE:
    case GO_PONDER:
    case GO_SEARCHMOVES:
        break;
    }
}

void go_parse(char *arguments, GoCommand *command)
{
    *command = (GoCommand){0};
    GoWord waiting = GO_NOTHING; /* the limit whose value comes next */
    bool in_moves = false;
    char *rest = NULL;
    for (char *token = strtok_r(arguments, " \t\r\n", &rest); token;
         token = strtok_r(NULL, " \t\r\n", &rest)) {
        GoWord word = go_word(token);
        if (word == GO_NOTHING) {
            if (waiting != GO_NOTHING)
                set_limit(command, waiting, token);
            else if (in_moves && command->move_count < GO_MAX_SEARCH_MOVES)
                command->moves[command->move_count++] = token;
            waiting = GO_NOTHING;
            continue;
        }
        if (waiting != GO_NOTHING) /* two words in a row: the first has no value */
            set_limit(command, waiting, "");
        waiting = word < GO_INFINITE ? word : GO_NOTHING;
        in_moves = word == GO_SEARCHMOVES;
        if (word == GO_INFINITE)
            command->limits.infinite = true;
        else if (word == GO_PONDER)
            command->limits.ponder = true;
    }
    if (waiting != GO_NOTHING)
        set_limit(command, waiting, "");
}

SearchLimits go_resolve(const GoCommand *command, Side side)
{
    SearchLimits limits = command->limits;
    if (limits.has_clock && limits.time_ms[side] <= 0 && limits.byoyomi_ms <= 0) {
        limits.has_clock = false;
        if (!limits.has_movetime) {
            limits.has_movetime = true;
            limits.movetime_ms = 1;
        }
    }
    if (!limits.depth && !limits.mate && !limits.nodes && !limits.has_movetime && !limits.has_clock)
        limits.infinite = true;
    return limits;
}
