/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.h - large blocks of zeroed memory in huge pages where the system has them: tables that are
 * read at random all over spend most of their time on page walks otherwise.
 */
#pragma once

#include <stddef.h>

/* size bytes, all zero, aligned to a cache line and more; pages that are never touched are never
 * paid for. NULL when there is no memory. */
void *memory_large(size_t size);

/* Gives a block of memory_large back; NULL is fine. `size` is that of the request. */
void memory_large_free(void *block, size_t size);
