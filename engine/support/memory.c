/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.c - large zeroed blocks straight from the system, aligned so that huge pages fit. */
#include "support/memory.h"

#include <stdint.h>
#include <sys/mman.h>

static const size_t huge_page = (size_t)2 << 20;

static size_t rounded_up(size_t size) { return (size + huge_page - 1) / huge_page * huge_page; }

void *memory_large(size_t size)
{
    size_t length = rounded_up(size);
    if (size == 0 || length < size || length + huge_page < length)
        return NULL;
    char *mapped = mmap(NULL, length + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    /* Keep the aligned part, give back what stands out on both sides. */
    size_t before = rounded_up((uintptr_t)mapped) - (uintptr_t)mapped;
    if (before)
        munmap(mapped, before);
    if (huge_page - before)
        munmap(mapped + before + length, huge_page - before);
    madvise(mapped + before, length, MADV_HUGEPAGE); /* only a wish */
    return mapped + before;
}

void memory_large_free(void *block, size_t size)
{
    if (block)
        munmap(block, rounded_up(size));
}
