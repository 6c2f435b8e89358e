/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * words.h - short names for changes that come together.
 *
 * From one position to the next counts change in groups: a pawn's step takes it from one square's
 * table cell and puts it on another's, and with them go the cells of whatever else looks at pawns.
 * A word stands for such a group. The first words of a dictionary are single (weight, amount)
 * pairs; each later one is two earlier words, the second with its own sign. A change names a word
 * and a sign for all of it: Black's move is White's with the signs turned round.
 *
 * A change is word * 4 + sign * 2, and 1 more for the last one of its row: passes run through the
 * changes of a chain without asking how many a row has, which no processor can foresee. They take
 * two at a time, so a row has an even number of them, at least two: some change nothing.
 *
 * While positions are loaded the dictionary is the plain one, whose word says itself what it
 * means: 2^12 weights with the amounts 1, 2 and 4, and words that change nothing.
 *
 * A dictionary is learned as text compressors learn theirs (pair merging): the most frequent pairs
 * of neighbouring words become words, and the neighbours of those again, for a few rounds.
 * Source: P. Gage, "A New Algorithm for Data Compression" (byte pair encoding, 1994).
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    ROWS_MAX_WEIGHTS = 1 << 12, /* what a plain word can name            */
    WORDS_MOST = 1 << 14,       /* what a change can name                */
    PLAIN_NOTHING = 3 * ROWS_MAX_WEIGHTS,
    CHANGE_LAST = 1,
    CHANGE_MINUS = 2,
    WORD_DELTAS_MOST = 64, /* a multiple of 4                            */
    DELTAS_ROOM = 8 * WORD_DELTAS_MOST
};

typedef struct Delta {
    uint16_t weight;
    int16_t amount;
} Delta;

/* Two earlier words; the second one is word * 2, and 1 more for the other sign. */
typedef struct WordPair {
    uint16_t first, second;
} WordPair;

typedef struct Words {
    unsigned count, singles; /* words, and how many of them are not pairs                    */
    WordPair *pairs;         /* [count], from [singles] on                                   */
    uint32_t *begins;        /* [count + 1] into deltas; a single word has one, or none       */
    Delta *deltas;           /* and 4 more, for whoever reads four at a time                   */
} Words;

/* The plain dictionary. */
const Words *words_plain(void);

void words_free(Words *words);
size_t words_bytes(const Words *words);

static inline unsigned change_of(unsigned word, bool minus)
{
    return word * 4 + (minus ? CHANGE_MINUS : 0);
}

/*
 * What the changes from *changes on say, with their signs, up to the end of a row or until so many
 * are listed that another word may not fit; returns their number and leaves *changes behind what
 * was read. Copies four at a time: how long a word is no processor can foresee.
 */
static inline size_t read_deltas(const Words *words, const uint16_t **changes,
                                 Delta deltas[DELTAS_ROOM])
{
    typedef int16_t Shorts __attribute__((vector_size(4 * sizeof(Delta))));
    static const Shorts minus = {0, -1, 0, -1, 0, -1, 0, -1};
    size_t count = 0;
    unsigned change;
    do {
        change = *(*changes)++;
        const uint32_t *begins = words->begins + change / 4;
        const Delta *from = words->deltas + begins[0];
        Shorts signs = minus * (int16_t)(change / CHANGE_MINUS & 1);
        size_t length = begins[1] - begins[0], done = 0;
        do {
            Shorts four;
            memcpy(&four, from + done, sizeof four);
            four = (four ^ signs) - signs;
            memcpy(deltas + count + done, &four, sizeof four);
            done += 4;
        } while (done < length);
        count += length;
    } while (!(change & CHANGE_LAST) && count + WORD_DELTAS_MOST <= DELTAS_ROOM);
    return count;
}

/* A dictionary with what is needed to write in it. */
typedef struct Coder Coder;

/*
 * Learns the words of plain rows. They depend on the rows only.
 *
 *   changes   [count] of whole rows
 *
 * STATUS_NO_MEMORY.
 */
Status coder_new(Coder **coder, const uint16_t *changes, size_t count, Error *err);
void coder_free(Coder *coder);

/* The dictionary, the caller's from now on. */
Words *coder_take_words(Coder *coder);

/*
 * Writes whole plain rows, of those that were learned from, in words; returns how many changes
 * they have then, never more. `to` may be `from`, or begin before it. Thread-safe.
 */
size_t coder_write(const Coder *coder, const uint16_t *from, size_t count, uint16_t *to);
