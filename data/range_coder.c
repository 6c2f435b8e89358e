/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * range_coder.c - see range_coder.h and FORMAT.md.
 *
 * What has been coded is a number in low .. low + range - 1, whose high words are written as soon
 * as the range is below 2^32. A carry out of `low` runs into the words that are written already.
 */
#include "range_coder.h"

enum {
    CHANCE_BITS = 16,
    FAST_RATE = 4,
    SLOW_RATE = 7,
    FIRST_RATE = 2, /* the rates begin here and grow by one with each bit */
    CHANCE_MIN = 64 /* so that no bit is ever impossible */
};

AdaptiveBit adaptive_bit(unsigned of_256)
{
    uint16_t chance = (uint16_t)(of_256 << 8);
    return (AdaptiveBit){chance, chance, 0};
}

static uint32_t chance_of_one(const AdaptiveBit *bit)
{
    return ((uint32_t)bit->fast + bit->slow) >> 1;
}

static uint16_t moved(uint16_t chance, bool bit, unsigned rate)
{
    uint32_t next = bit ? chance + ((65536u - chance) >> rate) : chance - ((uint32_t)chance >> rate);
    return (uint16_t)(next < CHANCE_MIN ? CHANCE_MIN
                                        : next > 65536 - CHANCE_MIN ? 65536 - CHANCE_MIN : next);
}

static void learn(AdaptiveBit *chance, bool bit)
{
    unsigned rate = FIRST_RATE + chance->seen;
    chance->fast = moved(chance->fast, bit, rate < FAST_RATE ? rate : FAST_RATE);
    chance->slow = moved(chance->slow, bit, rate < SLOW_RATE ? rate : SLOW_RATE);
    if (rate < SLOW_RATE)
        chance->seen++;
}

/* --- encoding ------------------------------------------------------------------------------ */

RangeEncoder range_encoder(Buffer *out)
{
    return (RangeEncoder){.out = out, .start = out->size, .low = 0, .range = UINT64_MAX};
}

static void add_to_low(RangeEncoder *encoder, uint64_t value)
{
    encoder->low += value;
    if (encoder->low >= value)
        return;
    uint8_t *bytes = encoder->out->bytes;
    for (size_t i = encoder->out->size; i > encoder->start && ++bytes[i - 1] == 0;)
        i--;
}

static void shift_out(RangeEncoder *encoder)
{
    while (encoder->range >> 32 == 0) {
        for (unsigned shift = 64; shift > 32; shift -= 8)
            buffer_put_uint(encoder->out, encoder->low >> (shift - 8) & 0xff, 1);
        encoder->low <<= 32;
        encoder->range <<= 32;
    }
}

void range_encode(RangeEncoder *encoder, uint32_t begin, uint32_t size, uint32_t total)
{
    uint64_t unit = encoder->range / total;
    add_to_low(encoder, begin * unit);
    encoder->range = begin + size == total ? encoder->range - begin * unit : size * unit;
    shift_out(encoder);
}

void range_encode_bit(RangeEncoder *encoder, AdaptiveBit *chance, bool bit)
{
    uint64_t ones = (encoder->range >> CHANCE_BITS) * chance_of_one(chance);
    if (bit) {
        encoder->range = ones;
    } else {
        add_to_low(encoder, ones);
        encoder->range -= ones;
    }
    learn(chance, bit);
    shift_out(encoder);
}

void range_encode_plain(RangeEncoder *encoder, uint32_t value, unsigned count)
{
    range_encode(encoder, value, 1, 1u << count);
}

/* The number in low .. low + range - 1 with the most zero bytes at its end, which need not be
 * written: *more = how much it is above low. Returns the number of bytes before the zeros. */
static unsigned shortest_end(uint64_t low, uint64_t range, uint64_t *more)
{
    for (unsigned bytes = 0; bytes < 8; bytes++) {
        uint64_t tail = UINT64_MAX >> (8 * bytes);
        *more = (0 - low) & tail;
        if (*more < range)
            return bytes;
    }
    *more = 0;
    return 8;
}

void range_encoder_finish(RangeEncoder *encoder)
{
    uint64_t more;
    unsigned bytes = shortest_end(encoder->low, encoder->range, &more);
    add_to_low(encoder, more);
    for (unsigned i = 0; i < bytes; i++)
        buffer_put_uint(encoder->out, encoder->low >> (56 - 8 * i) & 0xff, 1);
}

/* --- decoding ------------------------------------------------------------------------------ */

static uint64_t next_word(RangeDecoder *decoder)
{
    uint64_t word = 0;
    for (int i = 0; i < 4; i++, decoder->at++)
        word = word << 8 | (decoder->at < decoder->size ? decoder->bytes[decoder->at] : 0);
    return word;
}

RangeDecoder range_decoder(const uint8_t *bytes, size_t size)
{
    RangeDecoder decoder = {.bytes = bytes, .size = size, .range = UINT64_MAX};
    decoder.code = next_word(&decoder) << 32;
    decoder.code |= next_word(&decoder);
    return decoder;
}

static void shift_in(RangeDecoder *decoder)
{
    while (decoder->range >> 32 == 0) {
        decoder->code = decoder->code << 32 | next_word(decoder);
        decoder->range <<= 32;
    }
}

uint32_t range_decode_value(RangeDecoder *decoder, uint32_t total)
{
    uint64_t value = decoder->code / (decoder->range / total);
    return value < total ? (uint32_t)value : total - 1;
}

void range_decode(RangeDecoder *decoder, uint32_t begin, uint32_t size, uint32_t total)
{
    uint64_t unit = decoder->range / total;
    decoder->code -= begin * unit;
    decoder->range = begin + size == total ? decoder->range - begin * unit : size * unit;
    shift_in(decoder);
}

bool range_decode_bit(RangeDecoder *decoder, AdaptiveBit *chance)
{
    uint64_t ones = (decoder->range >> CHANCE_BITS) * chance_of_one(chance);
    bool bit = decoder->code < ones;
    if (bit) {
        decoder->range = ones;
    } else {
        decoder->code -= ones;
        decoder->range -= ones;
    }
    learn(chance, bit);
    shift_in(decoder);
    return bit;
}

uint32_t range_decode_plain(RangeDecoder *decoder, unsigned count)
{
    uint32_t value = range_decode_value(decoder, 1u << count);
    range_decode(decoder, value, 1, 1u << count);
    return value;
}

bool range_decoder_good(const RangeDecoder *decoder)
{
    return decoder->at <= decoder->size + 8;
}

bool range_decoder_at_end(const RangeDecoder *decoder)
{
    size_t begin = decoder->at - 8; /* of what the encoder had not written before it ended */
    if (decoder->size < begin || decoder->size > decoder->at)
        return false;
    uint64_t end = 0, more;
    for (size_t i = begin; i < decoder->at; i++)
        end = end << 8 | (i < decoder->size ? decoder->bytes[i] : 0);
    uint64_t low = end - decoder->code;
    return decoder->size - begin == shortest_end(low, decoder->range, &more) && decoder->code == more;
}

/* --- both ways ----------------------------------------------------------------------------- */

bool code_bit(Coder *coder, AdaptiveBit *chance, bool bit)
{
    if (!coder->encoder)
        return range_decode_bit(coder->decoder, chance);
    range_encode_bit(coder->encoder, chance, bit);
    return bit;
}

uint32_t code_tree(Coder *coder, AdaptiveBit *chances, unsigned bits, uint32_t value)
{
    uint32_t node = 1;
    for (unsigned left = bits; left > 0; left--)
        node = 2 * node + code_bit(coder, &chances[node], value >> (left - 1) & 1);
    return node - (1u << bits);
}

static bool code_plain(Coder *coder, bool bit)
{
    if (!coder->encoder)
        return range_decode_plain(coder->decoder, 1);
    range_encode_plain(coder->encoder, bit, 1);
    return bit;
}

uint64_t code_number(Coder *coder, AdaptiveBit *sizes, unsigned limit, LeadingBits *leading,
                     uint64_t value)
{
    unsigned size = 1;
    while (size < limit && code_bit(coder, &sizes[size], value >> size != 0))
        size++;
    uint64_t made = 1;
    for (unsigned left = size - 1; left > 0; left--) {
        bool bit = value >> (left - 1) & 1;
        if (left == size - 1)
            bit = code_bit(coder, &leading->chances[size][0], bit);
        else if (left == size - 2)
            bit = code_bit(coder, &leading->chances[size][1 + (made & 1)], bit);
        else
            bit = code_plain(coder, bit);
        made = made << 1 | bit;
    }
    return made;
}
