/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bytes_test.c - varints, texts and digests as bytes. */
#include "test.h"

#include "bytes.h"

#include <stdlib.h>

static void varints_come_back(void **state)
{
    (void)state;
    Buffer buffer = {0};
    uint64_t values[200];
    size_t count = 0;
    for (unsigned shift = 0; shift < 64; shift++) {
        values[count++] = (uint64_t)1 << shift;
        values[count++] = ((uint64_t)1 << shift) - 1;
    }
    values[count++] = UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        buffer_put_varint(&buffer, values[i]);
    assert_false(buffer.failed);
    ByteReader reader = byte_reader(buffer.bytes, buffer.size);
    for (size_t i = 0; i < count; i++)
        assert_true(byte_reader_varint(&reader) == values[i]);
    assert_false(reader.bad);
    assert_int_equal(byte_reader_left(&reader), 0);
    assert_int_equal(byte_reader_varint(&reader), 0);
    assert_true(reader.bad);
    buffer_free(&buffer);
}

static void a_number_has_one_spelling(void **state)
{
    (void)state;
    static const uint8_t longer[] = {0x81, 0x00};
    static const uint8_t too_large[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    static const uint8_t endless[] = {0x80, 0x80};
    ByteReader reader = byte_reader(longer, sizeof longer);
    byte_reader_varint(&reader);
    assert_true(reader.bad);
    reader = byte_reader(too_large, sizeof too_large);
    byte_reader_varint(&reader);
    assert_true(reader.bad);
    reader = byte_reader(endless, sizeof endless);
    byte_reader_varint(&reader);
    assert_true(reader.bad);
}

static void integers_are_little_endian(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0x04, 0x03, 0x02, 0x01};
    Buffer buffer = {0};
    buffer_put_uint(&buffer, 0x01020304, 4);
    assert_int_equal(buffer.size, 4);
    assert_memory_equal(buffer.bytes, expected, 4);
    ByteReader reader = byte_reader(buffer.bytes, buffer.size);
    assert_int_equal(byte_reader_uint(&reader, 4), 0x01020304);
    buffer_free(&buffer);
}

static void texts_are_bounded(void **state)
{
    (void)state;
    Buffer buffer = {0};
    buffer_put_text(&buffer, "campmate");
    ByteReader reader = byte_reader(buffer.bytes, buffer.size);
    char *text = byte_reader_text(&reader, 8);
    assert_string_equal(text, "campmate");
    free(text);
    reader = byte_reader(buffer.bytes, buffer.size);
    assert_null(byte_reader_text(&reader, 7));
    assert_true(reader.bad);
    reader = byte_reader(buffer.bytes, buffer.size - 1);
    assert_null(byte_reader_text(&reader, 8));
    buffer.bytes[3] = 0;
    reader = byte_reader(buffer.bytes, buffer.size);
    assert_null(byte_reader_text(&reader, 8));
    buffer_free(&buffer);
}

static void digests_are_hex(void **state)
{
    (void)state;
    uint8_t digest[16], back[16];
    char text[33];
    for (int i = 0; i < 16; i++)
        digest[i] = (uint8_t)(17 * i + 3);
    hex_from_digest(digest, text);
    assert_true(hex_to_digest(text, back));
    assert_memory_equal(digest, back, 16);
    text[5] = 'g';
    assert_false(hex_to_digest(text, back));
    assert_false(hex_to_digest("0011", back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_come_back),
        cmocka_unit_test(a_number_has_one_spelling),
        cmocka_unit_test(integers_are_little_endian),
        cmocka_unit_test(texts_are_bounded),
        cmocka_unit_test(digests_are_hex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
