/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bit_list.h - a mark for each of very many things: in memory, or in a temporary file (spill.h)
 * where there are too many.
 */
#pragma once

#include "spill.h"

enum { BIT_LIST_MEMORY = 8 << 20, BIT_PAGE = 4096 };

/* Zeroed is empty. */
typedef struct BitList {
    uint8_t *bytes; /* NULL: in the file */
    Spill spill;
} BitList;

/* The part of a list that a reader has at hand. Zeroed is none. */
typedef struct BitPage {
    bool loaded;
    uint64_t number;
    uint8_t bytes[BIT_PAGE];
} BitPage;

/* `count` marks, none of them set; more than `memory` bytes of them go to a file. */
Status bit_list_open(BitList *list, uint64_t count, size_t memory, Error *err);
void bit_list_close(BitList *list);
/* Sets a mark; from one thread. */
Status bit_list_set(BitList *list, uint64_t index, Error *err);
/* Looks at a mark; from several threads, each with a page of its own. */
Status bit_list_get(const BitList *list, BitPage *page, uint64_t index, bool *set, Error *err);
