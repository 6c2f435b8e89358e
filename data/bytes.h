/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bytes.h - growing byte buffers and bounded readers: the little-endian primitives of the format.
 *
 * Both remember that something went wrong instead of reporting each time: write or read a whole
 * structure, then look at `failed` or `bad` once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes being written. Zeroed is empty. */
typedef struct Buffer {
    uint8_t *bytes;
    size_t size, capacity;
    bool failed; /* out of memory: the content is incomplete */
} Buffer;

void buffer_free(Buffer *buffer);
/* Empties the buffer and keeps its memory. */
void buffer_clear(Buffer *buffer);
/* Makes room for `extra` more bytes; false and failed when there is none. */
bool buffer_reserve(Buffer *buffer, size_t extra);
void buffer_put(Buffer *buffer, const void *bytes, size_t size);
/* The low `width` bytes of a value, least significant first. */
void buffer_put_uint(Buffer *buffer, uint64_t value, unsigned width);
/* LEB128: seven bits a byte, least significant first, the top bit says "more". */
void buffer_put_varint(Buffer *buffer, uint64_t value);
/* A varint length and the bytes of a text, no NUL. */
void buffer_put_text(Buffer *buffer, const char *text);

/* Bytes being read. */
typedef struct ByteReader {
    const uint8_t *bytes;
    size_t size, at;
    bool bad; /* ran past the end, or found a number written in more bytes than it needs */
} ByteReader;

ByteReader byte_reader(const void *bytes, size_t size);
size_t byte_reader_left(const ByteReader *reader);
/* The next `size` bytes in place, NULL and bad if there are not so many. */
const uint8_t *byte_reader_take(ByteReader *reader, size_t size);
/* 0 when bad. */
uint64_t byte_reader_uint(ByteReader *reader, unsigned width);
uint64_t byte_reader_varint(ByteReader *reader);
/* A text of at most `limit` bytes without NUL inside, as malloc'ed string; NULL and bad else. */
char *byte_reader_text(ByteReader *reader, size_t limit);

/* 16 bytes as 32 hex digits and NUL, and back (false if that is not what `text` holds). */
void hex_from_digest(const uint8_t digest[16], char text[33]);
bool hex_to_digest(const char *text, uint8_t digest[16]);
