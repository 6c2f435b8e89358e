/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * range_coder.h - symbols as parts of a range of numbers, so that a symbol of probability p costs
 * -log2 p bits (FORMAT.md, "Range coding"). Both sides compute with integers only.
 *
 * The caller knows the statistics: a symbol is the part begin .. begin + size - 1 of 0 .. total - 1
 * (total below 2^32), or one bit with its adaptive chance.
 */
#pragma once

#include "bytes.h"

/* The chance of a bit, learnt while coding: a fast and a slow average of the bits seen, of 2^16. */
typedef struct AdaptiveBit {
    uint16_t fast, slow; /* of a 1 */
    uint8_t seen;        /* how often, up to a limit: the first bits count more */
} AdaptiveBit;

/* An adaptive bit that begins with the chance `of_256` / 256 of a 1, 1 to 255. */
AdaptiveBit adaptive_bit(unsigned of_256);

typedef struct RangeEncoder {
    Buffer *out; /* not owned; what stands in it already is left alone */
    size_t start;
    uint64_t low, range;
} RangeEncoder;

RangeEncoder range_encoder(Buffer *out);
void range_encode(RangeEncoder *encoder, uint32_t begin, uint32_t size, uint32_t total);
void range_encode_bit(RangeEncoder *encoder, AdaptiveBit *chance, bool bit);
/* The low `count` bits (at most 16) of a value, each as likely 0 as 1. */
void range_encode_plain(RangeEncoder *encoder, uint32_t value, unsigned count);
/* Writes what is needed to tell the last symbol. The encoder is spent. */
void range_encoder_finish(RangeEncoder *encoder);

typedef struct RangeDecoder {
    const uint8_t *bytes;
    size_t size, at; /* `at` runs past the size: zeros follow the last byte */
    uint64_t code, range;
} RangeDecoder;

RangeDecoder range_decoder(const uint8_t *bytes, size_t size);
/* The number below `total` that the next symbol holds; range_decode with its part must follow. */
uint32_t range_decode_value(RangeDecoder *decoder, uint32_t total);
void range_decode(RangeDecoder *decoder, uint32_t begin, uint32_t size, uint32_t total);
bool range_decode_bit(RangeDecoder *decoder, AdaptiveBit *chance);
uint32_t range_decode_plain(RangeDecoder *decoder, unsigned count);
/* False when more was read than an encoder can have written: the bytes are cut. */
bool range_decoder_good(const RangeDecoder *decoder);
/* True if the bytes are exactly those that an encoder writes for the symbols so far. */
bool range_decoder_at_end(const RangeDecoder *decoder);

/* --- both ways ------------------------------------------------------------------------------ */

/*
 * A coder that either writes or reads, so that one procedure serves both and they cannot differ:
 * each function writes the value it is given and returns it, or returns the one that it reads. One
 * of the two is NULL.
 */
typedef struct Coder {
    RangeEncoder *encoder;
    RangeDecoder *decoder;
} Coder;

bool code_bit(Coder *coder, AdaptiveBit *chance, bool bit);
/* A value of so many bits, the highest first; each has a chance for each beginning: [1 << bits]. */
uint32_t code_tree(Coder *coder, AdaptiveBit *chances, unsigned bits, uint32_t value);

enum { NUMBER_BITS = 64 };
/* The two bits below the leading one of numbers of each size: the second has one for each first. */
typedef struct LeadingBits {
    AdaptiveBit chances[NUMBER_BITS + 1][3];
} LeadingBits;

/*
 * A number from 1 on: first how many bits it has, at most `limit`, then the bits below the leading
 * one.
 *
 *   sizes   [limit]: the chance that there are more bits than 1, 2, ...; the first is not used
 */
uint64_t code_number(Coder *coder, AdaptiveBit *sizes, unsigned limit, LeadingBits *leading,
                     uint64_t value);
