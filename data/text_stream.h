/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text_stream.h - a text file line by line, plain or zstd, in memory that does not grow with it.
 *
 * All frames of a zstd file are read one after the other; frames to be skipped are skipped.
 */
#pragma once

#include "bytes.h"
#include "support/error.h"

typedef struct TextStream TextStream;

/* Opens a file, "-" = standard input. STATUS_IO names the path, which has to outlive the stream; it
 * is no device. */
Status text_stream_open(TextStream **stream, const char *path, Error *err);
void text_stream_close(TextStream *stream);

/*
 * Appends the next line to `line`, without its LF and a CR before it.
 *
 *   limit   no more bytes than that are kept of the line; *cut says that there were more
 *   end     true if there was no line any more; nothing is appended then
 *
 * A byte-order mark at the start of the file is dropped. STATUS_FORMAT with path and byte for a
 * damaged or cut zstd frame, and with the line for one that does not end.
 */
Status text_stream_line(TextStream *stream, Buffer *line, size_t limit, bool *cut, bool *end,
                        Error *err);

/* Lines read so far: the number of the last one. */
size_t text_stream_line_number(const TextStream *stream);
