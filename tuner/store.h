/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - arrays that may be larger than memory.
 *
 * With a directory, an array is a file there that is mapped: it has no name (nothing is left
 * behind, whatever happens) and its room is reserved when it grows, so that a full disk is an error
 * and not a crash. The system keeps in memory what fits and takes it back when somebody else needs
 * it; what is read in order comes back in order. Without a directory it is ordinary memory.
 * Thread-safe on different arrays.
 */
#pragma once

#include "support/error.h"

#include <stddef.h>

/*
 * Grows or shrinks *array (NULL = make one) to `bytes`, keeping what fits; new bytes are 0 in a
 * file, anything in memory. On failure the array is as it was.
 *
 *   directory   the same at each call for one array; NULL = memory
 *
 * STATUS_NO_MEMORY; STATUS_IO names the directory.
 */
Status store_resize(const char *directory, void **array, size_t bytes, Error *err);
void store_free(const char *directory, void *array); /* NULL is fine */

/* A new array of zeros; NULL on failure. */
void *store_zeros(const char *directory, size_t bytes, Error *err);

/* An array of so many elements, by the variable that points to it. */
#define STORE_RESIZE(directory, array, count, err)                                                 \
    store_resize(directory, (void **)&(array), (count) * sizeof *(array), err)

/* STATUS_IO if no file can be made in the directory. */
Status store_check(const char *directory, Error *err);
