/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distinct.c - finds games that several datasets would count twice. */
#include "dataset.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Input {
    const char *path;      /* of the shard, owned by its dataset */
    const ShardInfo *info; /* the same */
    dev_t device;
    ino_t inode;
} Input;

typedef struct InputList {
    Input *items;
    size_t count;
} InputList;

static Status add_inputs(InputList *list, const Dataset *dataset, Error *err)
{
    size_t shards = dataset_shard_count(dataset);
    Input *items = realloc(list->items, (list->count + shards) * sizeof *items);
    if (!items)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu shards", list->count + shards);
    list->items = items;
    for (size_t i = 0; i < shards; i++) {
        struct stat facts;
        Input input = {dataset_shard_path(dataset, i), dataset_shard_info(dataset, i), 0, 0};
        if (stat(input.path, &facts) != 0)
            return error_set_errno(err, "%s: cannot look at it", input.path);
        input.device = facts.st_dev;
        input.inode = facts.st_ino;
        list->items[list->count++] = input;
    }
    return STATUS_OK;
}

static int compare_files(const void *a, const void *b)
{
    const Input *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static int compare_starts(const void *a, const void *b)
{
    const Input *x = a, *y = b;
    return x->info->first_game < y->info->first_game ? -1
                                                     : x->info->first_game > y->info->first_game;
}

/* Bytes of a configuration before the first line that says how a shard was made from others. */
static size_t own_length(const char *configuration)
{
    const char *at = configuration;
    while (at && strncmp(at, DERIVED_KEY, strlen(DERIVED_KEY)) != 0)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    return at ? (size_t)(at - configuration) : strlen(configuration);
}

/* True of two parts of one split: the same but for the name of the part. */
static bool are_parts(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    static const char mark[] = ": part ";
    for (size_t at = 0; at + strlen(mark) <= same; at++)
        if (strncmp(a + at, mark, strlen(mark)) == 0 && !memchr(a + at, '\n', same - at))
            return true;
    return false;
}

/* Whether equal numbers are equal games. */
static bool made_by_one_run(const ShardInfo *a, const ShardInfo *b)
{
    if (a->engine != b->engine || a->seed != b->seed || a->bench_nodes != b->bench_nodes ||
        strcmp(a->weights_digest, b->weights_digest) != 0)
        return false;
    const char *x = a->configuration, *y = b->configuration;
    if (strcmp(x, y) == 0)
        return true;
    size_t length = own_length(x);
    /* Renumbered games have lost the numbers that their run gave them. */
    if (strstr(x + length, " renumber=true") || strstr(y, " renumber=true"))
        return false;
    return length == own_length(y) && memcmp(x, y, length) == 0 && !are_parts(x, y);
}

static Status check_inputs(const InputList *list, Error *err)
{
    Input *items = list->items;
    qsort(items, list->count, sizeof *items, compare_files);
    for (size_t i = 1; i < list->count; i++)
        if (compare_files(&items[i - 1], &items[i]) == 0)
            return error_set(err, STATUS_ARGUMENT,
                             "%s and %s are the same shard: its games would count twice",
                             items[i - 1].path, items[i].path);
    qsort(items, list->count, sizeof *items, compare_starts);
    for (size_t i = 0; i < list->count; i++) {
        const ShardInfo *a = items[i].info;
        for (size_t j = i + 1; j < list->count; j++) {
            const ShardInfo *b = items[j].info;
            if (b->first_game - a->first_game >= a->game_count)
                break;
            if (b->game_count > 0 && made_by_one_run(a, b))
                return error_set(
                    err, STATUS_ARGUMENT,
                    "%s and %s hold the same games of one run (seed %" PRIu64
                    ", games from %" PRIu64 " and %" PRIu64 " on): they would count twice",
                    items[i].path, items[j].path, a->seed, a->first_game, b->first_game);
        }
    }
    return STATUS_OK;
}

Status datasets_check_distinct(Dataset *const *datasets, size_t count, Error *err)
{
    InputList list = {0};
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = add_inputs(&list, datasets[i], err);
    if (status == STATUS_OK)
        status = check_inputs(&list, err);
    free(list.items);
    return status;
}
