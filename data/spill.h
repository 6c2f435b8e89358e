/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spill.h - a nameless file for what does not fit into the memory that may be used.
 *
 * It lies in $TMPDIR, or /tmp without that, and is gone with the process, however that ends.
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is closed. */
typedef struct Spill {
    int fd;
    bool is_open;
} Spill;

/* The messages of STATUS_IO name the directory. */
Status spill_open(Spill *spill, Error *err);
void spill_close(Spill *spill);

/* All of the bytes or STATUS_IO. What was never written reads as zeros up to spill_resize. */
Status spill_write(const Spill *spill, uint64_t offset, const void *bytes, size_t size, Error *err);
Status spill_read(const Spill *spill, uint64_t offset, void *bytes, size_t size, Error *err);
Status spill_resize(const Spill *spill, uint64_t size, Error *err);
