/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_merge.c - campmate-data merge: shards made in many places become one dataset.
 *
 * Shards are linked or copied, never changed. The manifest is written last.
 */
#include "command.h"

#include "shard.h"
#include "support/files.h"
#include "support/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MERGE_OPTIONS(X) X(text, out, NULL, 0, 0, "DIR", "directory of the dataset; required")

typedef struct MergeOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    MERGE_OPTIONS(OPTION_MEMBER)
} MergeOptions;
#define OPTIONS_STRUCT MergeOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) MERGE_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data merge",
    .summary = "Brings the shards of datasets together in one directory and writes its manifest.",
    .usage = "PATH...",
    .details = "The shards have to be of one variant and their ranges of game numbers disjoint. "
               "Without a PATH the manifest of --out is written again.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

/* A shard on its way. */
typedef struct Piece {
    const char *path; /* owned by its dataset */
    const ShardInfo *info;
    dev_t device;
    ino_t inode;
    bool is_there; /* already in the directory */
} Piece;

typedef struct PieceList {
    Piece *items;
    size_t count, capacity;
    Dataset **datasets; /* [dataset_count] */
    size_t dataset_count;
} PieceList;

static Status add_piece(PieceList *list, Piece piece, Error *err)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        Piece *items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return error_set(err, STATUS_NO_MEMORY, "no memory for %zu shards", capacity);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = piece;
    return STATUS_OK;
}

static Status add_path(PieceList *list, const char *path, bool is_there, Error *err)
{
    Dataset *dataset = NULL;
    Status status = dataset_open(&dataset, path, err);
    if (status != STATUS_OK)
        return status;
    list->datasets[list->dataset_count++] = dataset;
    for (size_t i = 0; i < dataset_shard_count(dataset) && status == STATUS_OK; i++) {
        Piece piece = {.path = dataset_shard_path(dataset, i),
                       .info = dataset_shard_info(dataset, i),
                       .is_there = is_there};
        struct stat facts;
        if (stat(piece.path, &facts) != 0)
            return error_set_errno(err, "%s: cannot look at it", piece.path);
        piece.device = facts.st_dev;
        piece.inode = facts.st_ino;
        status = add_piece(list, piece, err);
    }
    return status;
}

/* By file; of the same file that first which is in the directory already. */
static int compare_files(const void *a, const void *b)
{
    const Piece *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    if (x->is_there != y->is_there)
        return x->is_there ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* The same file named twice (the directory itself among the paths) is one piece. */
static void drop_repeats(PieceList *list)
{
    size_t kept = 0;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_files);
    for (size_t i = 0; i < list->count; i++) {
        const Piece *piece = &list->items[i], *last = kept ? &list->items[kept - 1] : NULL;
        if (!last || last->device != piece->device || last->inode != piece->inode)
            list->items[kept++] = *piece;
    }
    list->count = kept;
}

static int compare_pieces(const void *a, const void *b)
{
    const Piece *x = a, *y = b;
    if (x->info->first_game != y->info->first_game)
        return x->info->first_game < y->info->first_game ? -1 : 1;
    if (x->info->game_count != y->info->game_count)
        return x->info->game_count < y->info->game_count ? -1 : 1;
    return strcmp(x->path, y->path);
}

static Status check_pieces(const PieceList *list, Error *err)
{
    for (size_t i = 1; i < list->count; i++) {
        const Piece *a = &list->items[i - 1], *b = &list->items[i];
        if (a->info->engine != b->info->engine)
            return error_set(err, STATUS_ARGUMENT, "%s holds games of %s, but %s of %s", a->path,
                             a->info->engine->name, b->path, b->info->engine->name);
        if (b->info->first_game < a->info->first_game + a->info->game_count)
            return error_set(err, STATUS_ARGUMENT,
                             "%s and %s overlap: games %" PRIu64 "+%" PRIu64 " and %" PRIu64
                             "+%" PRIu64,
                             a->path, b->path, a->info->first_game, a->info->game_count,
                             b->info->first_game, b->info->game_count);
    }
    return STATUS_OK;
}

static Status copy_bytes(const char *from, const char *to, FILE *out, Error *err)
{
    FILE *stream = fopen(from, "rbe");
    if (!stream)
        return error_set_errno(err, "cannot read %s", from);
    enum { CHUNK = 1 << 16 };
    char *chunk = malloc(CHUNK);
    Status status = chunk ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "no memory to copy");
    size_t got;
    while (status == STATUS_OK && (got = fread(chunk, 1, CHUNK, stream)) > 0)
        if (fwrite(chunk, 1, got, out) != got)
            status = error_set_errno(err, "cannot write %s, the copy of %s", to, from);
    if (status == STATUS_OK && ferror(stream))
        status = error_set_errno(err, "cannot read %s", from);
    free(chunk);
    fclose(stream);
    return status;
}

/* Links or copies a shard to a name that must not be there; linking fails if it is. */
static Status place(const char *from, const char *to, Error *err)
{
    if (link(from, to) == 0)
        return STATUS_OK;
    if (errno == EEXIST)
        return error_set(err, STATUS_ARGUMENT, "%s is there already", to);
    AtomicFile file = {0};
    Status status = atomic_file_open(&file, to, err);
    if (status == STATUS_OK)
        status = copy_bytes(from, to, file.stream, err);
    if (status == STATUS_OK)
        status = atomic_file_commit(&file, err);
    atomic_file_abandon(&file);
    return status;
}

/* Its own number if that is free, else the lowest that is. */
static Status place_piece(const char *directory, const Piece *piece, unsigned *lowest, Error *err)
{
    const char *slash = strrchr(piece->path, '/');
    int own = shard_number_from_name(slash ? slash + 1 : piece->path);
    unsigned number = own < 0 ? 0 : (unsigned)own;
    if (own < 0 || shard_exists(directory, number)) {
        while (*lowest <= SHARD_NUMBER_MAX && shard_exists(directory, *lowest))
            ++*lowest;
        number = *lowest;
    }
    if (number > SHARD_NUMBER_MAX)
        return error_set(err, STATUS_ARGUMENT, "%s: has no room for more than %d shards", directory,
                         SHARD_NUMBER_MAX + 1);
    char *to = shard_file_name(directory, number, "cmpd");
    Status status =
        to ? place(piece->path, to, err) : error_set(err, STATUS_NO_MEMORY, "no memory for a name");
    free(to);
    return status;
}

static Status merge(const OptionList *paths, const char *directory, PieceList *list, Error *err)
{
    list->datasets = calloc(paths->count + 1, sizeof *list->datasets);
    if (!list->datasets)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu paths", paths->count);
    Status status = STATUS_OK;
    unsigned *numbers = NULL;
    size_t present = 0;
    if (directory_exists(directory))
        status = shard_numbers(directory, &numbers, &present, err);
    free(numbers);
    if (status == STATUS_OK && present > 0)
        status = add_path(list, directory, true, err);
    for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
        status = add_path(list, paths->items[i], false, err);
    if (status != STATUS_OK)
        return status;
    drop_repeats(list);
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_pieces);
    status = check_pieces(list, err);
    if (status == STATUS_OK)
        status = directory_make(directory, err);
    unsigned lowest = 0;
    for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
        if (interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "interrupted; run the same command again");
        else if (!list->items[i].is_there)
            status = place_piece(directory, &list->items[i], &lowest, err);
    }
    return status;
}

static Status print_result(const char *directory, size_t shards, const ShardStat *stat, bool json,
                           Error *err)
{
    if (json)
        return command_print_json(json_pack("{s:s, s:I, s:I, s:I, s:I, s:s}", "out", directory,
                                            "shards", (json_int_t)shards, "games",
                                            (json_int_t)stat->games, "plies",
                                            (json_int_t)stat->plies, "bytes",
                                            (json_int_t)stat->bytes, "digest", stat->digest),
                                  err);
    printf("%s: %zu shards, %" PRIu64 " games, %" PRIu64 " plies, %" PRIu64 " bytes, digest %s\n",
           directory, shards, stat->games, stat->plies, stat->bytes, stat->digest);
    return STATUS_OK;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const MergeOptions *options = context;
    if (inputs->count == 0 && !directory_exists(options->out)) {
        command_usage(err, "no PATH given: dataset directories or .cmpd files");
        return false;
    }
    return true;
}

static int run_command(void *context, const OptionList *inputs, Error *err)
{
    const MergeOptions *options = context;
    PieceList list = {0};
    ShardStat stat = {0};
    bool is_new = !directory_exists(options->out);
    Status status = command_check_inputs(inputs, err);
    if (status == STATUS_OK)
        status = merge(inputs, options->out, &list, err);
    if (status == STATUS_OK)
        status = dataset_write_manifest(options->out, &stat, err);
    if (status == STATUS_OK)
        status = print_result(options->out, list.count, &stat, options->json, err);
    if (status != STATUS_OK && is_new)
        rmdir(options->out); /* if nothing has come into it */
    for (size_t i = 0; i < list.dataset_count; i++)
        dataset_close(list.datasets[i]);
    free(list.datasets);
    free(list.items);
    return command_exit_code(status);
}

int command_merge(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {
        .table = &table, .out = "the directory of the dataset", .check = check, .run = run_command};
    MergeOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
