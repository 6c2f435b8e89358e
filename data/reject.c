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

void reject_tally_add(RejectTally *tally, Reject reject, uint64_t count, const char *message)
{
    if (tally->counts[reject] == 0)
        tally->first[reject] = strdup(message);
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
    *reject = why;
    return error_set(err, STATUS_FORMAT, "%s", message);
}
