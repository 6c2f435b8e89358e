/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw.c - random numbers, each at most once (see draw.h). */
#include "draw.h"

#include "key_table.h"
#include "support/rng.h"

#include <inttypes.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

Status draw_numbers(uint64_t count, uint64_t total, uint64_t seed, uint64_t **numbers, Error *err)
{
    uint64_t *list = malloc((size_t)(count + 1) * sizeof *list);
    if (!list)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %" PRIu64 " numbers", count);
    KeyTable taken = {0};
    Rng rng = rng_from(seed, 0);
    Status status = STATUS_OK;
    size_t size = 0;
    for (uint64_t last = total - count; last < total && status == STATUS_OK; last++) {
        uint64_t number = rng_below(&rng, last + 1);
        bool fresh = false;
        status = key_table_add(&taken, number + 1, &fresh, err);
        if (status == STATUS_OK && !fresh) {
            number = last; /* larger than all before it */
            status = key_table_add(&taken, number + 1, &fresh, err);
        }
        list[size++] = number;
    }
    key_table_free(&taken);
    if (status != STATUS_OK) {
        free(list);
        return status;
    }
    if (size > 1)
        qsort(list, size, sizeof *list, compare_numbers);
    *numbers = list;
    return STATUS_OK;
}
