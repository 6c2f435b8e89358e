/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * registry.c - finds the engine of a variant, and the names of results and reasons.
 *
 * The variants come from variants.def; each is one symbol `engine_<name>` that core/unity.c
 * exports.
 */
#include "engine.h"

#include <pthread.h>
#include <string.h>

#ifndef VARIANTS_LIST /* a test may have variants of its own */
#define VARIANTS_LIST "variants.def"
#endif

#define VARIANT(name) extern const Engine engine_##name;
#include VARIANTS_LIST
#undef VARIANT

#define VARIANT(name) &engine_##name,
static const Engine *const engines[] = {
#include VARIANTS_LIST
};
#undef VARIANT

enum { ENGINE_COUNT = sizeof engines / sizeof engines[0] };

/* Every name behind a separator; engine_names() skips the first separator. */
#define SEPARATOR     ", "
#define VARIANT(name) SEPARATOR #name
static const char joined_names[] =
#include VARIANTS_LIST
    ;
#undef VARIANT

/* A core fills its tables (weight_exists among them) with the first game it makes. */
static void fill_tables(void)
{
    for (size_t i = 0; i < ENGINE_COUNT; i++)
        engines[i]->game_free(engines[i]->game_new(NULL));
}

const Engine *engine_at(size_t index)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_tables);
    return index < ENGINE_COUNT ? engines[index] : NULL;
}

const Engine *engine_find(const char *name)
{
    for (size_t i = 0; name && i < ENGINE_COUNT; i++)
        if (strcmp(engines[i]->name, name) == 0)
            return engine_at(i);
    return NULL;
}

const char *engine_names(void)
{
    return joined_names + sizeof SEPARATOR - 1;
}

#define END_REASON_TEXT(id, text) [id] = text,
static const char *const reason_texts[END_REASON_COUNT] = {END_REASONS(END_REASON_TEXT)};
#undef END_REASON_TEXT

const char *end_reason_text(EndReason reason)
{
    return (unsigned)reason < END_REASON_COUNT ? reason_texts[reason] : "unknown";
}

static const char *const outcome_texts[] = {
    [OUTCOME_NONE] = "*",
    [OUTCOME_WHITE] = "1-0",
    [OUTCOME_BLACK] = "0-1",
    [OUTCOME_DRAW] = "1/2-1/2",
};
enum { OUTCOME_COUNT = sizeof outcome_texts / sizeof outcome_texts[0] };

const char *outcome_text(Outcome outcome)
{
    return (unsigned)outcome < OUTCOME_COUNT ? outcome_texts[outcome] : "*";
}

bool outcome_from_text(const char *text, Outcome *outcome)
{
    for (unsigned i = 0; i < OUTCOME_COUNT; i++) {
        if (strcmp(outcome_texts[i], text) == 0) {
            *outcome = (Outcome)i;
            return true;
        }
    }
    return false;
}
