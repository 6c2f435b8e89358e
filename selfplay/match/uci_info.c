/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_info.c - reads a whole `info` line and says what is wrong with it. */
#include "uci_info.h"

#include "uci_option.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    UciInfo *info;
    const Engine *rules;
    Game *game;
    char *rest; /* of strtok_r */
} Reader;

static char *next_word(Reader *reader)
{
    return strtok_r(NULL, " \t", &reader->rest);
}

__attribute__((format(printf, 2, 3))) static bool wrong(Reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->info->mistake, sizeof reader->info->mistake, format, arguments);
    va_end(arguments);
    return false;
}

/* Words with one number from 0 on. */
static const struct {
    const char *word;
    long long most;
} counts[] = {{"depth", INT_MAX},     {"seldepth", INT_MAX},    {"time", LLONG_MAX},
              {"nodes", LLONG_MAX},   {"multipv", INT_MAX},     {"currmovenumber", INT_MAX},
              {"hashfull", 1000},     {"nps", LLONG_MAX},       {"tbhits", LLONG_MAX},
              {"cpuload", LLONG_MAX}, {"movesleft", LLONG_MAX}, {"sbhits", LLONG_MAX}};
enum { COUNTS = sizeof counts / sizeof *counts };

static size_t find_count(const char *word)
{
    size_t i = 0;
    while (i < COUNTS && strcmp(counts[i].word, word) != 0)
        i++;
    return i;
}

static bool is_keyword(const char *word)
{
    static const char *const others[] = {"score", "pv",         "currmove", "string",
                                         "wdl",   "refutation", "currline"};
    if (find_count(word) < COUNTS)
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(word, others[i]) == 0)
            return true;
    return false;
}

static bool read_number(Reader *reader, const char *key, long long least, long long most,
                        long long *number)
{
    const char *word = next_word(reader);
    if (!word || !uci_number(word, number))
        return wrong(reader, "%s '%.40s' is no number", key, word ? word : "");
    if (*number < least || *number > most)
        return wrong(reader, "%s %lld is out of range", key, *number);
    return true;
}

static bool read_score(Reader *reader)
{
    const char *kind = next_word(reader);
    long long number;
    if (!kind || (strcmp(kind, "cp") != 0 && strcmp(kind, "mate") != 0))
        return wrong(reader, "score '%.40s': expected cp or mate", kind ? kind : "");
    if (!read_number(reader, kind, -1000000, 1000000, &number))
        return false;
    reader->info->has_score = true;
    reader->info->is_mate = strcmp(kind, "mate") == 0;
    reader->info->score = (long)number;
    return true;
}

/* Reads moves up to the next keyword, which is returned, or the end (NULL). */
static bool read_moves(Reader *reader, const char *key, char **next)
{
    UciInfo *info = reader->info;
    size_t played = 0;
    bool good = true;
    char *word;
    Error error;
    while (good && (word = next_word(reader)) && !is_keyword(word)) {
        if (strcmp(key, "pv") == 0 && played == 0)
            snprintf(info->first, sizeof info->first, "%s", word);
        Move move;
        if (!reader->rules) {
            played++;
        } else if (reader->rules->move_from_uci(reader->game, word, &move, &error) == STATUS_OK &&
                   reader->rules->game_play(reader->game, move, &error) == STATUS_OK) {
            played++;
        } else if (played > 0 && reader->rules->game_ending(reader->game).reason != END_NONE) {
            info->goes_on_after_end = true;
            while ((word = next_word(reader)) && !is_keyword(word))
                ;
            break;
        } else {
            good = wrong(reader, "%s, move %zu: %s", key, played + 1, error.message);
        }
    }
    for (size_t i = 0; reader->rules && i < played; i++)
        reader->rules->game_undo(reader->game);
    if (good && played == 0 && strcmp(key, "pv") != 0)
        good = wrong(reader, "%s without a move", key);
    *next = word;
    return good;
}

static bool read_words(Reader *reader)
{
    UciInfo *info = reader->info;
    char *word = next_word(reader);
    while (word) {
        long long number;
        size_t count = find_count(word);
        char *next = NULL;
        bool has_next = false;
        if (count < COUNTS) {
            const char *name = counts[count].word;
            if (!read_number(reader, name, strcmp(name, "multipv") == 0, counts[count].most,
                             &number))
                return false;
            info->has_depth |= strcmp(name, "depth") == 0;
            info->has_nodes |= strcmp(name, "nodes") == 0;
            if (strcmp(name, "multipv") == 0)
                info->multi_pv = (int)number;
        } else if (strcmp(word, "score") == 0) {
            if (!read_score(reader))
                return false;
        } else if (strcmp(word, "wdl") == 0) {
            for (int i = 0; i < 3; i++)
                if (!read_number(reader, "wdl", 0, 1000, &number))
                    return false;
        } else if (strcmp(word, "pv") == 0 || strcmp(word, "refutation") == 0) {
            if (!read_moves(reader, word, &next))
                return false;
            has_next = true;
        } else if (strcmp(word, "currmove") == 0) {
            const char *move = next_word(reader);
            Move legal;
            Error error;
            if (!move)
                return wrong(reader, "currmove without a move");
            if (reader->rules &&
                reader->rules->move_from_uci(reader->game, move, &legal, &error) != STATUS_OK)
                return wrong(reader, "currmove: %s", error.message);
        } else if (strcmp(word, "string") == 0) {
            return true; /* the rest is text */
        }
        word = has_next ? next : next_word(reader);
    }
    return true;
}

bool uci_info_read(UciInfo *info, const char *line, const Engine *rules, Game *game)
{
    *info = (UciInfo){.multi_pv = 1};
    Reader reader = {.info = info, .rules = rules, .game = game};
    char *copy = strdup(line);
    if (!copy)
        return wrong(&reader, "out of memory");
    strtok_r(copy, " \t", &reader.rest);
    bool good = read_words(&reader);
    free(copy);
    return good;
}
