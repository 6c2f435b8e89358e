/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_option.h - the `option` lines with which an engine says what can be set. */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Texts point into `text`; those that the line does not have are NULL. */
typedef struct UciOption {
    char *text;           /* a copy of the line, cut up                            */
    const char *name;     /* "Move Overhead"                                       */
    const char *type;     /* "check", "spin", "combo", "button", "string" or other */
    const char *initial;  /* behind "default"; may be ""                           */
    const char *min_text; /* of a spin                                             */
    const char *max_text;
    long long min, max;  /* LLONG_MIN and LLONG_MAX where the line has none       */
    const char **values; /* of a combo                                            */
    size_t value_count;
    char mistake[160]; /* what is wrong with the line; "" if nothing            */
} UciOption;

/*
 * Reads "option name NAME type TYPE [default X] [min X] [max X] [var X]...". What is wrong with the
 * line stands in `mistake`, and what can be read is there all the same; without a name or a type
 * those are "". STATUS_NO_MEMORY leaves nothing to free.
 */
Status uci_option_read(UciOption *option, const char *line, Error *err);
void uci_option_free(UciOption *option);

/* Is it of this type? */
bool uci_option_is(const UciOption *option, const char *type);
/* Is the text one of the values of a combo? Upper and lower case differ. */
bool uci_option_has(const UciOption *option, const char *value);

/*
 * Can an engine be given this value for its option, as far as its line says? `option` is NULL or
 * empty where it has announced none of that name. STATUS_ARGUMENT names engine, option and range.
 */
Status uci_option_check(const UciOption *option, const char *engine, const char *name,
                        const char *value, Error *err);

/* A whole number and nothing else. */
bool uci_number(const char *text, long long *number);
