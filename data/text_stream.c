/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text_stream.c - lines of a plain or zstd file (see text_stream.h). */
#include "text_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

enum { CHUNK = 1 << 17, SKIPPED_MOST = 1 << 28 /* bytes of a line behind its limit */ };

struct TextStream {
    const char *path;
    FILE *file;
    bool is_stdin, begun, file_ended;
    uint8_t *input; /* [CHUNK], what the file holds */
    size_t input_size;
    uint64_t input_offset; /* of input[0] in the file */
    /* zstd only: */
    ZSTD_DCtx *decompressor;
    ZSTD_inBuffer in;
    uint64_t frame; /* where the current one begins */
    size_t frame_left;
    bool more_inside; /* the decompressor holds output that had no room */
    uint8_t *output;  /* [CHUNK] */
    /* What is not yet given away; points into input or output. */
    const uint8_t *at;
    size_t left;
    size_t line_number;
};

void text_stream_close(TextStream *stream)
{
    if (!stream)
        return;
    if (stream->file && !stream->is_stdin)
        fclose(stream->file);
    ZSTD_freeDCtx(stream->decompressor);
    free(stream->input);
    free(stream->output);
    free(stream);
}

Status text_stream_open(TextStream **stream, const char *path, Error *err)
{
    TextStream *fresh = calloc(1, sizeof *fresh);
    if (!fresh || !(fresh->input = malloc(CHUNK))) {
        free(fresh);
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to read it", path);
    }
    fresh->path = path;
    fresh->is_stdin = strcmp(path, "-") == 0;
    fresh->file = fresh->is_stdin ? stdin : fopen(path, "rbe");
    if (!fresh->file) {
        Status status = error_set_errno(err, "%s: cannot open", path);
        text_stream_close(fresh);
        return status;
    }
    struct stat info;
    if (fstat(fileno(fresh->file), &info) == 0 &&
        (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) &&
        !fresh->is_stdin) { /* one may never end */
        text_stream_close(fresh);
        return error_set(err, STATUS_IO, "%s: cannot read: not a regular file", path);
    }
    *stream = fresh;
    return STATUS_OK;
}

/* --- bytes ----------------------------------------------------------------------------------- */

static Status fill_input(TextStream *stream, Error *err)
{
    stream->input_offset += stream->input_size;
    stream->input_size = fread(stream->input, 1, CHUNK, stream->file);
    if (ferror(stream->file))
        return error_set_errno(err, "%s: cannot read", stream->path);
    stream->file_ended = stream->input_size == 0;
    return STATUS_OK;
}

static bool begins_zstd(const uint8_t *bytes, size_t size)
{
    ByteReader reader = byte_reader(bytes, size);
    uint64_t magic = byte_reader_uint(&reader, 4);
    return !reader.bad && (magic == ZSTD_MAGICNUMBER ||
                           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START);
}

static Status begin(TextStream *stream, Error *err)
{
    stream->begun = true;
    Status status = fill_input(stream, err);
    if (status != STATUS_OK)
        return status;
    stream->at = stream->input;
    stream->left = stream->input_size;
    if (begins_zstd(stream->input, stream->input_size)) {
        stream->decompressor = ZSTD_createDCtx();
        stream->output = malloc(CHUNK);
        if (!stream->decompressor || !stream->output)
            return error_set(err, STATUS_NO_MEMORY, "%s: no memory to decompress it", stream->path);
        stream->in = (ZSTD_inBuffer){stream->input, stream->input_size, 0};
        stream->left = 0;
    }
    return STATUS_OK;
}

static Status fill_decompressed(TextStream *stream, Error *err)
{
    while (stream->left == 0) {
        if (stream->in.pos == stream->in.size && !stream->more_inside) {
            Status status = fill_input(stream, err);
            if (status != STATUS_OK)
                return status;
            stream->in = (ZSTD_inBuffer){stream->input, stream->input_size, 0};
            if (stream->file_ended) {
                if (stream->frame_left == 0)
                    return STATUS_OK;
                return error_set(err, STATUS_FORMAT,
                                 "%s: byte %" PRIu64 ": zstd frame is cut off (after line %zu)",
                                 stream->path, stream->frame, stream->line_number);
            }
        }
        if (stream->frame_left == 0)
            stream->frame = stream->input_offset + stream->in.pos;
        ZSTD_outBuffer out = {stream->output, CHUNK, 0};
        stream->frame_left = ZSTD_decompressStream(stream->decompressor, &out, &stream->in);
        if (ZSTD_isError(stream->frame_left))
            return error_set(err, STATUS_FORMAT,
                             "%s: byte %" PRIu64 ": damaged zstd frame (%s; after line %zu)",
                             stream->path, stream->frame, ZSTD_getErrorName(stream->frame_left),
                             stream->line_number);
        stream->more_inside = out.pos == out.size && stream->frame_left > 0;
        stream->at = stream->output;
        stream->left = out.pos;
    }
    return STATUS_OK;
}

/* Makes left > 0 unless the file has ended. */
static Status fill(TextStream *stream, Error *err)
{
    if (!stream->begun) {
        Status status = begin(stream, err);
        if (status != STATUS_OK || stream->left > 0)
            return status;
    }
    if (stream->left > 0 || stream->file_ended)
        return STATUS_OK;
    if (stream->decompressor)
        return fill_decompressed(stream, err);
    Status status = fill_input(stream, err);
    stream->at = stream->input;
    stream->left = stream->input_size;
    return status;
}

/* --- lines ----------------------------------------------------------------------------------- */

size_t text_stream_line_number(const TextStream *stream)
{
    return stream->line_number;
}

Status text_stream_line(TextStream *stream, Buffer *line, size_t limit, bool *cut, bool *end,
                        Error *err)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf}; /* some editors begin UTF-8 with it */
    size_t start = line->size, skipped = 0;
    bool first = true, ended = false;
    *cut = *end = false;
    buffer_reserve(line, 1); /* an empty line has an address, too */
    while (!ended) {
        Status status = fill(stream, err);
        if (status != STATUS_OK)
            return status;
        if (stream->left == 0) {
            *end = first;
            break;
        }
        const uint8_t *stop = memchr(stream->at, '\n', stream->left);
        size_t length = stop ? (size_t)(stop - stream->at) : stream->left;
        size_t room = limit - (line->size - start), kept = length < room ? length : room;
        buffer_put(line, stream->at, kept);
        *cut = *cut || kept < length;
        if ((skipped += length - kept) > SKIPPED_MOST)
            return error_set(err, STATUS_FORMAT,
                             "%s: line %zu: no end within %zu bytes: no text file", stream->path,
                             stream->line_number + 1, limit + skipped);
        ended = stop != NULL;
        first = false;
        stream->at += length + ended;
        stream->left -= length + ended;
    }
    if (line->failed)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for a line", stream->path);
    if (*end)
        return STATUS_OK;
    if (++stream->line_number == 1 && line->size - start >= sizeof mark &&
        memcmp(line->bytes + start, mark, sizeof mark) == 0) {
        line->size -= sizeof mark;
        memmove(line->bytes + start, line->bytes + start + sizeof mark, line->size - start);
    }
    if (!*cut && line->size > start && line->bytes[line->size - 1] == '\r')
        line->size--;
    return STATUS_OK;
}
