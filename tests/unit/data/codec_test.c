/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec_test.c - range coding and what is built of it: what goes in comes out, at the cost it must. */
#include "test.h"

#include "range_coder.h"
#include "score_codec.h"
#include "support/rng.h"

#include "dataset.h"

#include <math.h>
#include <stdlib.h>

enum { SYMBOLS = 20000 };

/* Shares of all sizes, so that the range runs low and carries run far. */
static MoveShare random_share(Rng *rng)
{
    uint32_t total = 1 + (uint32_t)rng_below(rng, rng_below(rng, 2) ? 300 : UINT32_MAX);
    uint32_t begin = (uint32_t)rng_below(rng, total);
    if (rng_below(rng, 4) == 0)
        begin = total - 1;
    uint32_t size = rng_below(rng, 2) ? total - begin : 1;
    return (MoveShare){begin, size, total};
}

static void symbols_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        size_t count = seed < 10 ? (size_t)seed : SYMBOLS;
        Buffer out = {0};
        buffer_put(&out, "before", 6);
        RangeEncoder encoder = range_encoder(&out);
        AdaptiveBit chance = adaptive_bit(128);
        Rng rng = rng_from(seed, 0);
        double bits = 0;
        for (size_t i = 0; i < count; i++) {
            MoveShare share = random_share(&rng);
            range_encode(&encoder, share.begin, share.size, share.total);
            bits += log2((double)share.total / share.size);
            range_encode_bit(&encoder, &chance, rng_below(&rng, 10) == 0);
            range_encode_plain(&encoder, (uint32_t)rng_below(&rng, 1 << 7), 7);
            bits += 7 + 0.6;
        }
        range_encoder_finish(&encoder);
        assert_memory_equal(out.bytes, "before", 6);
        /* Hardly more than the information in it. */
        assert_true(8 * (double)(out.size - 6) <= 1.01 * bits + 64);

        RangeDecoder decoder = range_decoder(out.bytes + 6, out.size - 6);
        chance = adaptive_bit(128);
        rng = rng_from(seed, 0);
        for (size_t i = 0; i < count; i++) {
            MoveShare share = random_share(&rng);
            uint32_t value = range_decode_value(&decoder, share.total);
            assert_true(value >= share.begin && value - share.begin < share.size);
            range_decode(&decoder, share.begin, share.size, share.total);
            assert_int_equal(range_decode_bit(&decoder, &chance), rng_below(&rng, 10) == 0);
            assert_int_equal(range_decode_plain(&decoder, 7), rng_below(&rng, 1 << 7));
        }
        assert_true(range_decoder_at_end(&decoder));
        buffer_free(&out);
    }
}

/* A carry that runs through all that is written: ones, and then the last part of the range. */
static void carries_run_to_the_start(void **state)
{
    (void)state;
    for (size_t length = 1; length < 200; length++) {
        Buffer out = {0};
        RangeEncoder encoder = range_encoder(&out);
        range_encode(&encoder, 0, 1, 2);
        for (size_t i = 0; i < length; i++)
            range_encode(&encoder, 254, 1, 255);
        range_encode(&encoder, 254, 1, 255);
        range_encoder_finish(&encoder);
        RangeDecoder decoder = range_decoder(out.bytes, out.size);
        assert_int_equal(range_decode_value(&decoder, 2), 0);
        range_decode(&decoder, 0, 1, 2);
        for (size_t i = 0; i <= length; i++) {
            assert_int_equal(range_decode_value(&decoder, 255), 254);
            range_decode(&decoder, 254, 1, 255);
        }
        assert_true(range_decoder_at_end(&decoder));
        buffer_free(&out);
    }
}

static void cut_and_long_columns_are_seen(void **state)
{
    (void)state;
    Buffer out = {0};
    RangeEncoder encoder = range_encoder(&out);
    Rng rng = rng_from(1, 1);
    for (int i = 0; i < 1000; i++)
        range_encode_plain(&encoder, (uint32_t)rng_below(&rng, 256), 8);
    range_encoder_finish(&encoder);
    for (int change = -9; change <= 9; change++) {
        if (change == 0)
            continue;
        size_t size = (size_t)((int)out.size + change);
        uint8_t *bytes = calloc(size, 1);
        assert_non_null(bytes);
        for (size_t i = 0; i < size && i < out.size; i++)
            bytes[i] = out.bytes[i];
        RangeDecoder decoder = range_decoder(bytes, size);
        for (int i = 0; i < 1000; i++)
            range_decode_plain(&decoder, 8);
        if (change == -9)
            assert_false(range_decoder_good(&decoder));
        assert_false(range_decoder_at_end(&decoder));
        free(bytes);
    }
    buffer_free(&out);
}

static void numbers_come_back(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {1, 2, 3, 4, 7, 8, 1000, 65536, UINT64_MAX - 1, UINT64_MAX, 1};
    Buffer out = {0};
    for (int way = 0; way < 2; way++) {
        RangeEncoder encoder = range_encoder(&out);
        RangeDecoder decoder = range_decoder(out.bytes, out.size);
        Coder coder = {way ? NULL : &encoder, way ? &decoder : NULL};
        AdaptiveBit sizes[NUMBER_BITS];
        LeadingBits leading;
        for (int i = 0; i < NUMBER_BITS; i++)
            sizes[i] = adaptive_bit(128);
        for (int i = 0; i <= NUMBER_BITS; i++)
            for (int k = 0; k < 3; k++)
                leading.chances[i][k] = adaptive_bit(128);
        for (int round = 0; round < 50; round++)
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
                assert_true(code_number(&coder, sizes, NUMBER_BITS, &leading,
                                        way ? 0 : numbers[i]) == numbers[i]);
        if (!way)
            range_encoder_finish(&encoder);
    }
    buffer_free(&out);
}

/* --- scores ---------------------------------------------------------------------------------- */

static double win_probability(double centipawns, double slope)
{
    return 1 / (1 + pow(10, -slope * centipawns / 400));
}

/* No step is wider than it says, all of them are kept as they are, and signs are mirrored. */
static void steps_are_no_coarser_than_promised(void **state)
{
    (void)state;
    static const uint32_t slopes[] = {SCORE_SLOPE_MIN, 167300, 400000, 1000000, SCORE_SLOPE_MAX};
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++)
        for (unsigned steps = 128; steps <= 256; steps += 128) {
            ScoreScale scale;
            assert_true(score_scale_set(&scale, steps, slopes[i]));
            double slope = slopes[i] / 1e6;
            for (int cp = -MATE_SCORE_MIN + 1; cp < MATE_SCORE_MIN; cp++) {
                int kept = score_on_scale(&scale, cp);
                assert_int_equal(score_on_scale(&scale, kept), kept);
                assert_int_equal(score_on_scale(&scale, -cp), -kept);
                double error = fabs(win_probability(cp, slope) - win_probability(kept, slope));
                /* Half a step, more where two steps differ much in centipawns, in which the
                 * nearer is chosen; and half a centipawn, as scores are whole. */
                assert_true(error <= 0.62 / steps + 0.5 * slope * 0.00144 + 1e-9);
            }
        }
    ScoreScale scale;
    assert_false(score_scale_set(&scale, 64, 400000));
    assert_false(score_scale_set(&scale, 128, SCORE_SLOPE_MIN - 1));
    assert_false(score_scale_set(&scale, 128, SCORE_SLOPE_MAX + 1));
    assert_false(score_scale_set(&scale, 0, 1));
    assert_true(score_scale_set(&scale, 0, 0));
    assert_int_equal(score_on_scale(&scale, 1234), 1234);
}

static void mates_and_missing_scores_stay(void **state)
{
    (void)state;
    ScoreScale scale;
    assert_true(score_scale_set(&scale, 128, 400000));
    for (int distance = 0; distance < SCORE_MATE - MATE_SCORE_MIN; distance++) {
        assert_int_equal(score_on_scale(&scale, SCORE_MATE - distance), SCORE_MATE - distance);
        assert_int_equal(score_on_scale(&scale, distance - SCORE_MATE), distance - SCORE_MATE);
    }
    assert_int_equal(score_on_scale(&scale, SCORE_NONE), SCORE_NONE);
    /* Where the steps are, to the centipawn: stored games depend on it. */
    static const int kept[][2] = {{0, 0}, {6, 0}, {7, 0}, {100, 95}, {101, 95}, {500, 495}, {1000, 985}, {2103, 2104}, {2500, 2708}, {31000, 2708}};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_int_equal(score_on_scale(&scale, kept[i][0]), kept[i][1]);
}

static int random_score(Rng *rng, int before)
{
    switch (rng_below(rng, 8)) {
    case 0:
        return SCORE_NONE;
    case 1:
        return (rng_below(rng, 2) ? 1 : -1) * (SCORE_MATE - (int)rng_below(rng, 999));
    case 2:
        return (int)rng_below(rng, 2 * MATE_SCORE_MIN - 1) - MATE_SCORE_MIN + 1;
    default:
        return (abs(before) < 5000 ? before : 0) + (int)rng_below(rng, 101) - 50;
    }
}

static void scores_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        ScoreScale scale;
        unsigned steps = (unsigned)(seed % 3) * 128;
        assert_true(score_scale_set(&scale, steps, steps ? 300000 : 0));
        Buffer out = {0};
        for (int way = 0; way < 2; way++) {
            RangeEncoder encoder = range_encoder(&out);
            RangeDecoder decoder = range_decoder(out.bytes, out.size);
            Coder coder = {way ? NULL : &encoder, way ? &decoder : NULL};
            ScoreModel model;
            score_model_init(&model, &scale);
            Rng rng = rng_from(seed, 1);
            int score = 0;
            for (int i = 0; i < 5000; i++) {
                if (rng_below(&rng, 60) == 0)
                    score_model_begin_game(&model);
                score = score_on_scale(&scale, random_score(&rng, score));
                uint8_t flags = (uint8_t)rng_below(&rng, 16);
                assert_int_equal(score_code(&model, &coder, way ? 0 : score, flags), score);
            }
            if (!way)
                range_encoder_finish(&encoder);
            else
                assert_true(range_decoder_at_end(&decoder));
        }
        buffer_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_come_back),
        cmocka_unit_test(carries_run_to_the_start),
        cmocka_unit_test(cut_and_long_columns_are_seen),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(steps_are_no_coarser_than_promised),
        cmocka_unit_test(mates_and_missing_scores_stay),
        cmocka_unit_test(scores_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
