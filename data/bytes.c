/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bytes.c - growing byte buffers and bounded readers (see bytes.h). */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

void buffer_free(Buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (Buffer){0};
}

void buffer_clear(Buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

bool buffer_reserve(Buffer *buffer, size_t extra)
{
    if (buffer->failed)
        return false;
    if (extra <= buffer->capacity - buffer->size)
        return true;
    size_t capacity = buffer->capacity < 256 ? 256 : buffer->capacity;
    while (capacity - buffer->size < extra && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    uint8_t *bytes = capacity - buffer->size < extra ? NULL : realloc(buffer->bytes, capacity);
    if (!bytes) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

void buffer_put(Buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0 || !buffer_reserve(buffer, size))
        return;
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

void buffer_put_uint(Buffer *buffer, uint64_t value, unsigned width)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    buffer_put(buffer, bytes, width);
}

void buffer_put_varint(Buffer *buffer, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    while (value >= 0x80) {
        bytes[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes[size++] = (uint8_t)value;
    buffer_put(buffer, bytes, size);
}

void buffer_put_text(Buffer *buffer, const char *text)
{
    size_t size = strlen(text);
    buffer_put_varint(buffer, size);
    buffer_put(buffer, text, size);
}

ByteReader byte_reader(const void *bytes, size_t size)
{
    return (ByteReader){.bytes = bytes, .size = size};
}

size_t byte_reader_left(const ByteReader *reader)
{
    return reader->size - reader->at;
}

const uint8_t *byte_reader_take(ByteReader *reader, size_t size)
{
    if (reader->bad || size > byte_reader_left(reader)) {
        reader->bad = true;
        return NULL;
    }
    const uint8_t *bytes = reader->bytes + reader->at;
    reader->at += size;
    return bytes;
}

uint64_t byte_reader_uint(ByteReader *reader, unsigned width)
{
    const uint8_t *bytes = byte_reader_take(reader, width);
    uint64_t value = 0;
    for (unsigned i = 0; bytes && i < width; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint64_t byte_reader_varint(ByteReader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = byte_reader_take(reader, 1);
        if (!byte)
            return 0;
        /* One number has one spelling: no zero byte at the end, no bits beyond the 64th. */
        if ((*byte == 0 && shift > 0) || (shift == 63 && *byte > 1))
            break;
        value |= (uint64_t)(*byte & 0x7f) << shift;
        if (*byte < 0x80)
            return value;
    }
    reader->bad = true;
    return 0;
}

char *byte_reader_text(ByteReader *reader, size_t limit)
{
    uint64_t size = byte_reader_varint(reader);
    const uint8_t *bytes = size <= limit ? byte_reader_take(reader, (size_t)size) : NULL;
    char *text = bytes && !memchr(bytes, 0, (size_t)size) ? malloc((size_t)size + 1) : NULL;
    if (!text) {
        reader->bad = true;
        return NULL;
    }
    memcpy(text, bytes, (size_t)size);
    text[size] = 0;
    return text;
}

void hex_from_digest(const uint8_t digest[16], char text[33])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[32] = 0;
}

static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return -1;
}

bool hex_to_digest(const char *text, uint8_t digest[16])
{
    uint8_t bytes[16];
    if (strlen(text) != 32)
        return false;
    for (int i = 0; i < 16; i++) {
        int high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    memcpy(digest, bytes, 16);
    return true;
}
