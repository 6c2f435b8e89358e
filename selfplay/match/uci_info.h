/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_info.h - reads a whole `info` line and says what is wrong with it. What a match needs of such
 * lines, the score, uci_client.c reads with less ado. */
#pragma once

#include "engine.h"

typedef struct UciInfo {
    bool has_depth, has_nodes, has_score, is_mate;
    long score;                       /* centipawns, or moves to mate                         */
    int multi_pv;                     /* 1 if the line does not say                           */
    char first[ENGINE_MAX_MOVE_TEXT]; /* of the pv; "" if there is none                       */
    bool goes_on_after_end;           /* the pv has moves behind the end of the game          */
    char mistake[160];
} UciInfo;

/*
 * Words that are unknown are skipped, as clients do it; the words that UCI names must have what
 * they need, and moves must be legal.
 *
 *   rules, game   the position that is searched; NULL: moves are not looked at
 *
 * False with info->mistake if something is wrong.
 */
bool uci_info_read(UciInfo *info, const char *line, const Engine *rules, Game *game);
