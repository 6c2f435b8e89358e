/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files.h - files that are either whole or not there.
 *
 * Everything is written to a temporary name in the same directory, flushed, synced and renamed.
 * All functions are thread-safe on different paths. Paths are not copied unless said.
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A file being written; `stream` is open for writing until it is committed or abandoned. */
typedef struct AtomicFile {
    FILE *stream;
    char *path;      /* final name, owned     */
    char *temporary; /* name until the rename */
} AtomicFile;

/* Opens `path`.tmp.<pid>.<n> for writing. STATUS_IO if that fails. */
Status atomic_file_open(AtomicFile *file, const char *path, Error *err);

/*
 * The same for a file that several processes may write at a time, the last of which wins: also
 * removes each `path`.tmp.<pid>.<n> that a killed process has left. A living one holds a lock on its
 * own; where the file system has no locks nothing is removed.
 */
Status atomic_file_open_tidy(AtomicFile *file, const char *path, Error *err);

/* Flushes, syncs, closes and renames, and syncs the directory. On failure the temporary file is
 * removed and the old file, if any, is untouched. The AtomicFile is spent in either case. */
Status atomic_file_commit(AtomicFile *file, Error *err);

/* Closes and removes the temporary file. Safe on a zeroed or spent AtomicFile. */
void atomic_file_abandon(AtomicFile *file);

/* Writes size bytes to path as one atomic file. */
Status file_write_all(const char *path, const void *bytes, size_t size, Error *err);

/*
 * Reads a whole file of at most `most` bytes into malloc'ed memory with a NUL appended (not counted
 * in *size). "-" reads standard input. STATUS_IO with the path on failure, also for a device, which
 * may never end; outputs untouched then.
 */
Status file_read_up_to(const char *path, uint64_t most, char **bytes, size_t *size, Error *err);

/* What somebody writes by hand or a program generates for somebody to read; any other file. */
#define FILE_TEXT_MOST ((uint64_t)1 << 24)
#define FILE_BYTES_MOST ((uint64_t)1 << 34)

/* The same, up to FILE_BYTES_MOST. */
Status file_read_all(const char *path, char **bytes, size_t *size, Error *err);

/* Makes a directory and its missing parents; one that is there already is fine. */
Status directory_make(const char *path, Error *err);

bool file_exists(const char *path);
bool directory_exists(const char *path);

/* Takes an exclusive advisory lock on `path` (made if missing) and returns its descriptor in *fd.
 * STATUS_IO with "in use by another process" if somebody else has it and keeps it for a second. */
Status file_lock(const char *path, int *fd, Error *err);
void file_unlock(int fd);

/* printf into malloc'ed memory; NULL when out of memory. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
