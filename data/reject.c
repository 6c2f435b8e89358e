/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reject.c - counts what is not taken (see reject.h). */
#include "reject.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key, *text;
} rejects[REJECT_COUNT] = {
#define REJECT_ROW(id, key, text) {key, text},
    REJECTS(REJECT_ROW)
#undef REJECT_ROW
};

const char *reject_key(Reject reject)
{
    return rejects[reject].key;
}

const char *reject_text(Reject reject)
{
    return rejects[reject].text;
}

void reject_tally_free(RejectTally *tally)
{
    for (int i = 0; i < REJECT_COUNT; i++)
        free(tally->first[i]);
    *tally = (RejectTally){0};
}

/* Bytes of the UTF-8 character that begins here, 0 if none does or it cannot be printed. */
static size_t character_size(const unsigned char *at)
{
    if (at[0] < 0x80)
        return at[0] >= 0x20 && at[0] != 0x7f;
    size_t size = at[0] >= 0xc2 && at[0] < 0xe0   ? 2
                  : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                  : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                  : 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool outside = (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf4 && at[1] > 0x8f);
    bool control = at[0] == 0xc2 && at[1] < 0xa0;
    return overlong || outside || control ? 0 : size;
}

void reject_clean(char *message)
{
    while (*message) {
        size_t size = character_size((const unsigned char *)message);
        if (size == 0)
            *message = '?';
        message += size ? size : 1;
    }
}

void reject_tally_add(RejectTally *tally, Reject reject, uint64_t count, const char *message)
{
    if (tally->counts[reject] == 0) {
        tally->first[reject] = strdup(message);
        if (tally->first[reject])
            reject_clean(tally->first[reject]);
    }
    tally->counts[reject] += count;
}

void reject_tally_move(RejectTally *into, RejectTally *from)
{
    for (int i = 0; i < REJECT_COUNT; i++) {
        if (into->counts[i] == 0) {
            into->first[i] = from->first[i];
            from->first[i] = NULL;
        }
        into->counts[i] += from->counts[i];
    }
    reject_tally_free(from);
}

uint64_t reject_tally_total(const RejectTally *tally)
{
    uint64_t total = 0;
    for (int i = 0; i < REJECT_COUNT; i++)
        total += tally->counts[i];
    return total;
}

Status reject_set(Reject *reject, Reject why, Error *err, const char *format, ...)
{
    char message[sizeof err->message];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(message, sizeof message, format, arguments) < 0)
        message[0] = 0;
    va_end(arguments);
    reject_clean(message);
    *reject = why;
    return error_set(err, STATUS_FORMAT, "%s", message);
}
