/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bit_list.c - marks in memory or in a file (see bit_list.h). */
#include "bit_list.h"

#include <stdlib.h>

Status bit_list_open(BitList *list, uint64_t count, size_t memory, Error *err)
{
    *list = (BitList){0};
    uint64_t pages = count / 8 / BIT_PAGE + 1;
    if (pages * BIT_PAGE > memory) {
        Status status = spill_open(&list->spill, err);
        return status == STATUS_OK ? spill_resize(&list->spill, pages * BIT_PAGE, err) : status;
    }
    list->bytes = calloc((size_t)pages, BIT_PAGE);
    return list->bytes ? STATUS_OK
                       : error_set(err, STATUS_NO_MEMORY, "no memory for %llu marks",
                                   (unsigned long long)count);
}

void bit_list_close(BitList *list)
{
    free(list->bytes);
    spill_close(&list->spill);
    *list = (BitList){0};
}

Status bit_list_set(BitList *list, uint64_t index, Error *err)
{
    uint8_t own = 0, *byte = list->bytes ? &list->bytes[index / 8] : &own;
    Status status = list->bytes ? STATUS_OK : spill_read(&list->spill, index / 8, byte, 1, err);
    *byte |= (uint8_t)(1u << (index % 8));
    return list->bytes || status != STATUS_OK ? status
                                              : spill_write(&list->spill, index / 8, byte, 1, err);
}

Status bit_list_get(const BitList *list, BitPage *page, uint64_t index, bool *set, Error *err)
{
    uint64_t byte = index / 8;
    Status status = STATUS_OK;
    if (list->bytes) {
        *set = list->bytes[byte] >> (index % 8) & 1;
        return STATUS_OK;
    }
    if (!page->loaded || page->number != byte / BIT_PAGE) {
        page->number = byte / BIT_PAGE;
        status = spill_read(&list->spill, page->number * BIT_PAGE, page->bytes, BIT_PAGE, err);
        page->loaded = status == STATUS_OK;
    }
    *set = page->bytes[byte % BIT_PAGE] >> (index % 8) & 1;
    return status;
}
