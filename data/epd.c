/* SPDX-License-Identifier: GPL-3.0-or-later */
/* epd.c - FEN and EPD lines (see epd.h). */
#include "epd.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

enum { COUNTERS_MAX = 3 }; /* a count's limit, the clock or count, the number of the move */

static bool is_number(const char *word, size_t length)
{
    return length > 0 && length < 10 && strspn(word, "0123456789") >= length;
}

/* --- operations ------------------------------------------------------------------------------ */

/* The end of an operation: its semicolon that is not in quotes, or the end of the text. NULL if a
 * quotation is never closed. */
static const char *operation_end(const char *at)
{
    for (; *at && *at != ';'; at++)
        if (*at == '"' && !(at = strchr(at + 1, '"')))
            return NULL;
    return at;
}

Status epd_operand(const char *operations, const char *name, char operand[EPD_OPERAND_MAX],
                   bool *found, Error *err)
{
    *found = false;
    for (const char *at = operations; *(at += strspn(at, BLANKS ";"));) {
        const char *end = operation_end(at);
        if (!end)
            return error_set(err, STATUS_FORMAT, "a quotation that is never closed: %.40s", at);
        size_t length = strcspn(at, BLANKS ";");
        bool is_it = strlen(name) == length && memcmp(at, name, length) == 0;
        at += length;
        at += strspn(at, BLANKS);
        const char *from = at, *to = end;
        at = end;
        if (!is_it)
            continue;
        if (*found)
            return error_set(err, STATUS_FORMAT, "the operation %s for the second time", name);
        while (to > from && strchr(BLANKS, to[-1]))
            to--;
        if (to - from >= 2 && *from == '"' && strchr(from + 1, '"') == to - 1) {
            from++;
            to--;
        }
        if (to - from >= EPD_OPERAND_MAX)
            return error_set(err, STATUS_FORMAT, "%s with %zu bytes, expected less than %d", name,
                             (size_t)(to - from), EPD_OPERAND_MAX);
        if (to > from)
            memcpy(operand, from, (size_t)(to - from));
        operand[to > from ? to - from : 0] = 0;
        *found = true;
    }
    return STATUS_OK;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* Is a word that begins with a letter the field of that number: castling, en passant? */
static bool is_field(const char *word, size_t length, size_t field)
{
    if (field < 2) /* board, side */
        return true;
    if (field == 2 && strspn(word, "KQkq") >= length)
        return true;
    /* The square, which is never on the ninth rank, and not an operation like c3 "a comment". */
    return field < 4 && length == 2 && word[0] >= 'a' && word[0] <= 'i' && word[1] >= '1' &&
           word[1] <= '8' && word[2 + strspn(word + 2, BLANKS)] != '"';
}

/* The operations of a line: where its fields end. */
static const char *fields_end(const char *line)
{
    if (!strpbrk(line, ";\""))
        return line + strlen(line);
    const char *at = line;
    for (size_t field = 0;; field++) {
        const char *word = at + strspn(at, BLANKS);
        size_t length = strcspn(word, BLANKS ";");
        if (length == 0 || (isalpha((unsigned char)*word) && !is_field(word, length, field)))
            return word;
        at = word + length;
    }
}

/* What the fields say of the counters. */
typedef struct Counters {
    int count; /* of numbers at the end of the fields */
    long values[COUNTERS_MAX];
} Counters;

static Counters read_counters(const char *fen)
{
    Counters counters = {0};
    const char *end = fen + strlen(fen);
    while (counters.count < COUNTERS_MAX) {
        const char *word = end;
        while (word > fen && !strchr(BLANKS, word[-1]))
            word--;
        if (word == fen || !is_number(word, (size_t)(end - word)))
            break;
        memmove(counters.values + 1, counters.values,
                (COUNTERS_MAX - 1) * sizeof counters.values[0]);
        counters.values[0] = atol(word);
        counters.count++;
        for (end = word; end > fen && strchr(BLANKS, end[-1]);)
            end--;
    }
    return counters;
}

/* The number an operation says. */
static Status read_number(const char *operations, const char *name, long *value, bool *found,
                          Error *err)
{
    char operand[EPD_OPERAND_MAX];
    Status status = epd_operand(operations, name, operand, found, err);
    if (status != STATUS_OK || !*found)
        return status;
    if (!is_number(operand, strlen(operand)))
        return error_set(err, STATUS_FORMAT, "%s '%.20s', expected a number", name, operand);
    *value = atol(operand);
    return STATUS_OK;
}

/* Adds the counters that only operations say. */
static Status add_counters(char fen[ENGINE_MAX_FEN], const char *operations, Error *err)
{
    static const char *const names[] = {"hmvc", "fmvn"};
    const Counters counters = read_counters(fen);
    long values[] = {0, 1};
    bool found[2], more = false;
    for (int i = 0; i < 2; i++) {
        Status status = read_number(operations, names[i], &values[i], &found[i], err);
        if (status != STATUS_OK)
            return status;
        /* With a count's limit before them, the counters are the last two of three. */
        int place = counters.count == COUNTERS_MAX ? i + 1 : i;
        bool there = place < counters.count;
        if (found[i] && there && values[i] != counters.values[place])
            return error_set(err, STATUS_FORMAT, "%s %ld, but the fields say %ld", names[i],
                             values[i], counters.values[place]);
        if (!there)
            more = more || found[i];
    }
    if (!more)
        return STATUS_OK;
    size_t size = strlen(fen);
    int length = counters.count == 0
                     ? snprintf(fen + size, ENGINE_MAX_FEN - size, " %ld %ld", values[0], values[1])
                     : snprintf(fen + size, ENGINE_MAX_FEN - size, " %ld", values[1]);
    return length >= 0 && (size_t)length < ENGINE_MAX_FEN - size
               ? STATUS_OK
               : error_set(err, STATUS_FORMAT, "more than %d bytes before the operations",
                           ENGINE_MAX_FEN - 1);
}

Status epd_fen(const char *line, char fen[ENGINE_MAX_FEN], const char **operations, Error *err)
{
    line += strspn(line, BLANKS);
    const char *rest = fields_end(line), *end = rest;
    while (end > line && strchr(BLANKS, end[-1]))
        end--;
    size_t size = (size_t)(end - line);
    if (size == 0)
        return error_set(err, STATUS_FORMAT, "no position, expected a FEN");
    if (size >= ENGINE_MAX_FEN)
        return error_set(err, STATUS_FORMAT, "%zu bytes, too long for a position (at most %d)",
                         size, ENGINE_MAX_FEN - 1);
    memcpy(fen, line, size);
    fen[size] = 0;
    if (operations)
        *operations = rest;
    return *rest ? add_counters(fen, rest, err) : STATUS_OK;
}
