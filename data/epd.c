/* SPDX-License-Identifier: GPL-3.0-or-later */
/* epd.c - FEN and EPD lines (see epd.h). */
#include "epd.h"

#include <stdio.h>
#include <string.h>

enum { TOKENS_MAX = 64 };

static bool is_number(const char *token)
{
    size_t digits = strspn(token, "0123456789");
    return digits > 0 && digits < 10 && token[digits] == 0;
}

/* The number of an EPD operation "name number;", NULL if there is none. */
static const char *operation(char *const *tokens, size_t count, const char *name)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (strcmp(tokens[i], name) == 0 && is_number(tokens[i + 1]))
            return tokens[i + 1];
    return NULL;
}

bool epd_to_fen(char *line, char fen[ENGINE_MAX_FEN])
{
    char *tokens[TOKENS_MAX], *state = NULL;
    size_t count = 0, fields = 0;
    /* "name value;" and "; name value" alike: the semicolon is a blank here. */
    bool ended[TOKENS_MAX] = {false};
    for (char *token = strtok_r(line, " \t", &state); token && count < TOKENS_MAX;
         token = strtok_r(NULL, " \t", &state)) {
        char *semicolon = strchr(token, ';');
        if (semicolon) {
            *semicolon = 0;
            if (count > 0 && semicolon == token)
                ended[count - 1] = true;
        }
        if (*token) {
            ended[count] = semicolon != NULL;
            tokens[count++] = token;
        }
    }
    while (fields < count && fields < 4 && (fields == 0 || !ended[fields - 1]))
        fields++;
    size_t counters = fields;
    while (counters < count && counters < fields + 2 && !ended[counters - 1] &&
           is_number(tokens[counters]))
        counters++;
    const char *half = counters > fields ? tokens[fields] : NULL;
    const char *full = counters > fields + 1 ? tokens[fields + 1] : NULL;
    if (!half)
        half = operation(tokens + fields, count - fields, "hmvc");
    if (!full)
        full = operation(tokens + fields, count - fields, "fmvn");
    size_t size = 0;
    for (size_t i = 0; i < fields; i++) {
        int length = snprintf(fen + size, ENGINE_MAX_FEN - size, "%s%s", i ? " " : "", tokens[i]);
        if (length < 0 || (size += (size_t)length) >= ENGINE_MAX_FEN)
            return false;
    }
    if (fields < 4)
        return fields > 0; /* the engine says what is missing, or does without it */
    int length =
        snprintf(fen + size, ENGINE_MAX_FEN - size, " %s %s", half ? half : "0", full ? full : "1");
    return length > 0 && size + (size_t)length < ENGINE_MAX_FEN;
}

bool epd_operand(const char *line, const char *operation, char *operand, size_t size)
{
    const char *at = line;
    for (int field = 0; field < 4; field++) { /* board, side, castling, en passant */
        at += strspn(at, " \t");
        at += strcspn(at, " \t;");
    }
    while (*at) {
        at += strspn(at, " \t;");
        size_t length = strcspn(at, " \t;");
        bool found = strlen(operation) == length && memcmp(at, operation, length) == 0;
        at += length;
        at += strspn(at, " \t");
        bool quoted = *at == '"';
        at += quoted;
        length = strcspn(at, quoted ? "\"" : " \t;");
        if (found) {
            snprintf(operand, size, "%.*s", (int)(length < size ? length : size), at);
            return true;
        }
        /* To the end of the operation: the next semicolon that is not in quotes. */
        for (at += length + (quoted && at[length]); *at && *at != ';'; at++)
            if (*at == '"')
                at += strcspn(at + 1, "\"");
    }
    return false;
}
