/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parameters.h - the numbers of the search that only games can tell. They are constants; in a build
 * with -DCAMPMATE_TUNE=ON they are variables and UCI options ("Tune razor_margin"), so that
 * `campmate-match spsa` can look for better ones. Margins are centipawns of weights of the usual
 * scale (see `margin` in search.h).
 */
#pragma once

#include "engine.h"

/* X(name, value, least, most) */
#define SEARCH_PARAMETERS(X)                                                                       \
    X(razor_margin, 250, 50, 800)          /* below alpha, a ply of depth                       */ \
    X(reverse_futility_margin, 85, 20, 300) /* above beta, a ply of depth                       */ \
    X(null_margin, 200, 50, 600)           /* above beta that reduces a null move one ply more  */ \
    X(futility_base, 110, 0, 500)          /* below alpha at which quiet moves are hopeless     */ \
    X(futility_margin, 90, 20, 300)        /* the same, a ply of reduced depth                  */ \
    X(quiescence_margin, 150, 0, 600)      /* what a capture may gain beyond its victim         */ \
    X(late_moves, 4, 1, 20)                /* quiet moves searched at any depth                 */ \
    X(history_pruning, 3000, 500, 10000)   /* history a ply, below which a quiet move is left out */ \
    X(exchange_quiet, 25, 5, 120)          /* loss by exchange, times depth squared             */ \
    X(exchange_noisy, 90, 20, 300)         /* the same of captures, a ply of depth              */ \
    X(reduction_base, 50, 0, 200)          /* of late moves, in hundredths of a ply             */ \
    X(reduction_factor, 229, 120, 400)     /* of ln depth * ln number / ln^2 2, in thousandths  */ \
    X(reduction_history, 9000, 3000, 30000) /* history worth a ply of reduction                 */ \
    X(check_bonus, 6000, 0, 20000)         /* order of quiet moves: gives check                 */ \
    X(near_king_bonus, 1500, 0, 10000)     /* order of quiet moves: next to the enemy king      */ \
    X(aspiration, 20, 5, 100)              /* half of the first window                          */

#ifdef CAMPMATE_TUNE

#define PARAMETER_VARIABLE(name, value, least, most) static int name = value;
SEARCH_PARAMETERS(PARAMETER_VARIABLE)
#undef PARAMETER_VARIABLE
#define PARAMETER_ROW(name, value, least, most) {#name, &name, value, least, most},
static const SearchParameter search_parameters[] = {SEARCH_PARAMETERS(PARAMETER_ROW) {NULL, NULL, 0, 0, 0}};
#undef PARAMETER_ROW

#else

#define PARAMETER_CONSTANT(name, value, least, most) name = value,
enum { SEARCH_PARAMETERS(PARAMETER_CONSTANT) };
#undef PARAMETER_CONSTANT
static const SearchParameter search_parameters[] = {{NULL, NULL, 0, 0, 0}};

#endif
