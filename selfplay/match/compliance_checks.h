/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compliance_checks.h - the checks of compliance.h, one by one; compliance.c runs them. */
#pragma once

#include "compliance_examples.h"
#include "compliance_session.h"
#include "uci_option.h"

/* What the engine said between uci and uciok. */
typedef struct Introduction {
    UciOption *options;
    size_t option_count;
    size_t names, authors; /* `id` lines                    */
    bool complete;         /* uciok came, and then readyok  */
} Introduction;

/* What a check can look at. */
typedef struct Trial {
    Session session;
    Introduction *introduction;
    const Examples *examples; /* of the game; NULL without one */
} Trial;

/* What a check begins with. */
typedef enum Scope {
    SCOPE_RAW,   /* a process that was told nothing                             */
    SCOPE_WORDS, /* none: it looks at what the engine said of itself            */
    SCOPE_READY, /* a process that came through uci, its options and isready    */
    SCOPE_GAME   /* ... and is set to a game; once for each game                */
} Scope;

typedef struct Check {
    const char *name;
    Scope scope;
    bool needs_rules;
    bool (*run)(Trial *trial); /* false: the result says why, or session.err */
    const char *what;
} Check;

extern const Check compliance_checks[];
extern const size_t compliance_check_count;

/* The check "uci", which fills the introduction that the others need. */
bool check_introduction(Trial *trial);
/* NULL if it has no such option. */
const UciOption *introduction_option(const Introduction *introduction, const char *name);
void introduction_free(Introduction *introduction);
