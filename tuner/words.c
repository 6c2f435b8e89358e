/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - short names for changes that come together. */
#include "words.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/*
 * Measured on Mansindam and Shogun with all terms (30 and 32 plain changes a row, 3,900 and 3,300
 * single words): 6,144 pairs leave 15.4 and 17.3 words, 4,096 pairs half a word more, 8,192 a
 * quarter less. A sample four times as large saves 0.2 words, two rounds more 0.1.
 */
enum {
    PAIRS_MOST = 6144, /* more make passes faster and what a lane costs greater      */
    ROUNDS = 6,        /* so a word has at most 2^6 deltas                            */
    SAMPLE_CHANGES = 1 << 18,
    SAMPLE_ROWS = 64, /* that follow each other                                     */
    PAIR_LEAST = 4    /* times that a pair has to occur in the sample               */
};

_Static_assert(1 << ROUNDS <= WORD_DELTAS_MOST, "each round may double a word");

/* --- dictionaries --------------------------------------------------------------------------------
 */

static const int8_t plain_amounts[WORDS_MOST / ROWS_MAX_WEIGHTS] = {1, 2, 4, 0};

static WordPair plain_pairs[1];
static uint32_t plain_begins[WORDS_MOST + 1];
static Delta plain_deltas[PLAIN_NOTHING + 4];
static const Words plain = {WORDS_MOST, WORDS_MOST, plain_pairs, plain_begins, plain_deltas};

static void fill_plain(void)
{
    for (unsigned word = 0; word < WORDS_MOST; word++) {
        plain_begins[word] = word < PLAIN_NOTHING ? word : PLAIN_NOTHING;
        if (word < PLAIN_NOTHING)
            plain_deltas[word] = (Delta){(uint16_t)(word % ROWS_MAX_WEIGHTS),
                                         plain_amounts[word / ROWS_MAX_WEIGHTS]};
    }
    plain_begins[WORDS_MOST] = PLAIN_NOTHING;
}

const Words *words_plain(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_plain);
    return &plain;
}

void words_free(Words *words)
{
    if (!words)
        return;
    free(words->pairs);
    free(words->begins);
    free(words->deltas);
    free(words);
}

size_t words_bytes(const Words *words)
{
    return words->count * sizeof *words->pairs + (words->count + 1) * sizeof *words->begins +
           words->begins[words->count] * sizeof *words->deltas;
}

/* --- pairs of neighbours -------------------------------------------------------------------------
 */

/* Below, a sign goes with a word as in WordPair.second; words of a row are so until it ends. */

/* Two neighbours, as the first one with its sign turned to plus would see them; never 0, as word 0
 * changes nothing and is no neighbour. */
static uint32_t pair_key(unsigned first, unsigned second)
{
    return first / 2 * (2 * WORDS_MOST) + (second ^ (first & 1));
}

/* Numbers by pairs. */
typedef struct PairSlot {
    uint32_t key, number; /* key 0 = free */
} PairSlot;

/* The pair's slot, or the free one where it belongs. There are 2^bits, and some are free. */
static size_t find_pair(const PairSlot *slots, int bits, uint32_t key)
{
    size_t mask = ((size_t)1 << bits) - 1;
    size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
    while (slots[slot].key && slots[slot].key != key)
        slot = (slot + 1) & mask;
    return slot;
}

enum { PAIRS_BITS = 14 }; /* more than twice PAIRS_MOST */

struct Coder {
    Words *words;
    uint16_t single[WORDS_MOST]; /* by plain word; 0 changes nothing, or does not occur        */
    PairSlot pairs[1 << PAIRS_BITS]; /* the word that a pair is                               */
};

/*
 * Adds a word to those of a row, as part of a longer one where there is such. Whoever comes from
 * the left decides at once, so rows are written in one go.
 */
static size_t push_word(const Coder *coder, uint16_t *row, size_t count, unsigned word)
{
    while (count > 0) {
        unsigned before = row[count - 1];
        const PairSlot *pair =
            &coder->pairs[find_pair(coder->pairs, PAIRS_BITS, pair_key(before, word))];
        if (!pair->key)
            break;
        word = pair->number * 2 + (before & 1);
        count--;
    }
    row[count++] = (uint16_t)word;
    return count;
}

size_t coder_write(const Coder *coder, const uint16_t *from, size_t count, uint16_t *to)
{
    size_t made = 0;
    uint16_t *row = to;
    for (size_t i = 0; i < count; i++) {
        unsigned change = from[i], word = coder->single[change / 4];
        if (word)
            made = push_word(coder, row, made, word * 2 + (change & CHANGE_MINUS) / CHANGE_MINUS);
        if (!(change & CHANGE_LAST))
            continue;
        for (; !made || made % 2; made++)
            row[made] = 0;
        for (size_t k = 0; k < made; k++)
            row[k] = (uint16_t)(row[k] * 2);
        row[made - 1] |= CHANGE_LAST;
        row += made;
        made = 0;
    }
    return (size_t)(row - to);
}

void coder_free(Coder *coder)
{
    if (coder)
        words_free(coder->words);
    free(coder);
}

Words *coder_take_words(Coder *coder)
{
    Words *words = coder->words;
    coder->words = NULL;
    return words;
}

/* --- learning ------------------------------------------------------------------------------------
 */

/* Plain rows that are learned from: all, or runs of rows at even distances. */
typedef struct SampledRows {
    uint16_t *changes, *written; /* the second is room to write them in words */
    size_t count;
} SampledRows;

/* Copies the rows of the sample, `to` NULL: only counts their changes. */
static size_t sample_rows_of(const uint16_t *changes, size_t count, uint16_t *to)
{
    size_t stride = (count + SAMPLE_CHANGES - 1) / SAMPLE_CHANGES, row = 0, taken = 0;
    for (size_t i = 0; i < count; i++) {
        if (row / SAMPLE_ROWS % stride == 0) {
            if (to)
                to[taken] = changes[i];
            taken++;
        }
        row += changes[i] & CHANGE_LAST;
    }
    return taken;
}

/* The words of all single changes that occur; the first one changes nothing. */
static void number_singles(Coder *coder, const uint16_t *changes, size_t count)
{
    Words *words = coder->words;
    for (size_t i = 0; i < count; i++)
        coder->single[changes[i] / 4] = 1;
    words->count = 1;
    for (unsigned word = 0; word < WORDS_MOST; word++) {
        bool used = coder->single[word] && word < PLAIN_NOTHING;
        coder->single[word] = (uint16_t)(used ? words->count++ : 0);
    }
    words->singles = words->count;
}

static int more_frequent(const void *a, const void *b)
{
    const PairSlot *first = a, *second = b;
    if (first->number != second->number)
        return first->number < second->number ? 1 : -1;
    return first->key > second->key ? 1 : -1;
}

/* Counts the neighbours in rows that were written. */
static void count_pairs(const uint16_t *changes, size_t count, PairSlot *slots, int bits)
{
    memset(slots, 0, sizeof *slots << bits);
    for (size_t i = 1; i < count; i++) {
        unsigned before = changes[i - 1], change = changes[i];
        if (before & CHANGE_LAST || before / 4 == 0 || change / 4 == 0)
            continue;
        uint32_t key = pair_key(before / 2, change / 2);
        PairSlot *slot = &slots[find_pair(slots, bits, key)];
        slot->key = key;
        slot->number++;
    }
}

/* Makes words of at most `most` pairs, the most frequent ones. */
static void add_words(Coder *coder, PairSlot *slots, int bits, size_t most)
{
    Words *words = coder->words;
    size_t found = 0;
    for (size_t i = 0; i < (size_t)1 << bits; i++)
        if (slots[i].number >= PAIR_LEAST)
            slots[found++] = slots[i];
    qsort(slots, found, sizeof *slots, more_frequent);
    for (size_t i = 0; i < found && i < most; i++) {
        uint32_t key = slots[i].key;
        coder->pairs[find_pair(coder->pairs, PAIRS_BITS, key)] = (PairSlot){key, words->count};
        words->pairs[words->count++] =
            (WordPair){(uint16_t)(key / (2 * WORDS_MOST)), (uint16_t)(key % (2 * WORDS_MOST))};
    }
}

static void learn_pairs(Coder *coder, const SampledRows *sample, PairSlot *slots, int bits)
{
    unsigned most = coder->words->singles + PAIRS_MOST;
    most = most < WORDS_MOST ? most : WORDS_MOST;
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t count = coder_write(coder, sample->changes, sample->count, sample->written);
        count_pairs(sample->written, count, slots, bits);
        add_words(coder, slots, bits, (most - coder->words->count) / (ROUNDS - round));
    }
}

/* Those of a word behind others; returns where they end. */
static Delta *append_deltas(const Words *words, unsigned word, int sign, Delta *to)
{
    for (uint32_t i = words->begins[word]; i < words->begins[word + 1]; i++)
        *to++ = (Delta){words->deltas[i].weight, (int16_t)(sign * words->deltas[i].amount)};
    return to;
}

/* Lists the deltas of all words. STATUS_NO_MEMORY. */
static Status list_deltas(Words *words, const uint16_t *single, Error *err)
{
    size_t count = words->singles - 1;
    WordPair *pairs = realloc(words->pairs, words->count * sizeof *pairs);
    words->pairs = pairs ? pairs : words->pairs;
    words->begins = malloc((words->count + 1) * sizeof *words->begins);
    if (!words->begins)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %u words", words->count);
    uint32_t *begins = words->begins;
    begins[0] = begins[1] = 0;
    for (unsigned word = 1; word < words->singles; word++)
        begins[word + 1] = word;
    for (unsigned word = words->singles; word < words->count; word++) {
        unsigned first = words->pairs[word].first, second = words->pairs[word].second / 2;
        count += begins[first + 1] - begins[first] + begins[second + 1] - begins[second];
        begins[word + 1] = (uint32_t)count;
    }
    words->deltas = calloc(count + 4, sizeof *words->deltas);
    if (!words->deltas)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu deltas of words", count);
    for (unsigned word = 0; word < PLAIN_NOTHING; word++)
        if (single[word])
            words->deltas[begins[single[word]]] = words_plain()->deltas[word];
    for (unsigned word = words->singles; word < words->count; word++) {
        Delta *to = words->deltas + begins[word];
        WordPair pair = words->pairs[word];
        to = append_deltas(words, pair.first, 1, to);
        append_deltas(words, pair.second / 2, pair.second & 1 ? -1 : 1, to);
    }
    return STATUS_OK;
}

Status coder_new(Coder **out, const uint16_t *changes, size_t count, Error *err)
{
    int bits = 8;
    SampledRows sample = {.count = sample_rows_of(changes, count, NULL)};
    while ((size_t)1 << bits < 2 * sample.count)
        bits++;
    Coder *coder = calloc(1, sizeof *coder);
    PairSlot *slots = malloc(sizeof *slots << bits);
    sample.changes = malloc((sample.count + 1) * sizeof *sample.changes);
    sample.written = malloc((sample.count + 1) * sizeof *sample.written);
    if (coder && (coder->words = calloc(1, sizeof *coder->words)) != NULL)
        coder->words->pairs = calloc(WORDS_MOST, sizeof *coder->words->pairs);
    Status status;
    if (!coder || !coder->words || !coder->words->pairs || !slots || !sample.changes ||
        !sample.written) {
        status = error_set(err, STATUS_NO_MEMORY, "no memory to find words of %zu changes", count);
    } else {
        sample_rows_of(changes, count, sample.changes);
        number_singles(coder, changes, count);
        learn_pairs(coder, &sample, slots, bits);
        status = list_deltas(coder->words, coder->single, err);
    }
    free(slots);
    free(sample.changes);
    free(sample.written);
    if (status == STATUS_OK)
        *out = coder;
    else
        coder_free(coder);
    return status;
}
