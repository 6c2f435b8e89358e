/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.c - what the subcommands share (see command.h). */
#include "command.h"

#include "bytes.h"
#include "support/files.h"
#include "support/interrupt.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int command_exit_code(Status status)
{
    if (status == STATUS_OK)
        return EXIT_DONE;
    if (status == STATUS_INTERRUPTED && interrupt_exit_code() != 0)
        return interrupt_exit_code();
    return EXIT_FAILED;
}

int command_usage(Error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    err->status = STATUS_ARGUMENT;
    if (vsnprintf(err->message, sizeof err->message, format, arguments) < 0)
        err->message[0] = 0;
    va_end(arguments);
    return EXIT_USAGE;
}

/* --- inputs that are there twice ------------------------------------------------------------- */

typedef struct Input {
    const char *path;      /* of the shard, owned by its dataset */
    const ShardInfo *info; /* the same */
    dev_t device;
    ino_t inode;
} Input;

typedef struct InputList {
    Input *items;
    size_t count;
    Dataset **datasets; /* [path_count] */
    size_t path_count;
} InputList;

static Status add_inputs(InputList *list, const char *path, Error *err)
{
    Dataset *dataset = NULL;
    Status status = dataset_open(&dataset, path, err);
    if (status != STATUS_OK)
        return status;
    list->datasets[list->path_count++] = dataset;
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

static bool made_by_one_run(const ShardInfo *a, const ShardInfo *b)
{
    return a->engine == b->engine && a->seed == b->seed && a->bench_nodes == b->bench_nodes &&
           strcmp(a->weights_digest, b->weights_digest) == 0 &&
           strcmp(a->configuration, b->configuration) == 0;
}

static Status check_inputs(InputList *list, Error *err)
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

Status command_check_inputs(const OptionList *paths, Error *err)
{
    if (paths->count < 2)
        return STATUS_OK;
    InputList list = {.datasets = calloc(paths->count, sizeof(Dataset *))};
    Status status = list.datasets
                        ? STATUS_OK
                        : error_set(err, STATUS_NO_MEMORY, "no memory for %zu paths", paths->count);
    for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
        status = add_inputs(&list, paths->items[i], err);
    if (status == STATUS_OK)
        status = check_inputs(&list, err);
    for (size_t i = 0; i < list.path_count; i++)
        dataset_close(list.datasets[i]);
    free(list.datasets);
    free(list.items);
    return status;
}

/* --- the rest -------------------------------------------------------------------------------- */

int command_dry_run(const OptionTable *table, const void *values, const OptionList *paths,
                    Error *err)
{
    char *effective = options_effective(table, values, NULL);
    if (!effective)
        return command_exit_code(error_set(err, STATUS_NO_MEMORY, "no memory for the options"));
    fputs(effective, stdout);
    free(effective);
    uint64_t shards = 0, games = 0, plies = 0, bytes = 0;
    for (size_t i = 0; i < paths->count; i++) {
        Dataset *dataset = NULL;
        Status status = dataset_open(&dataset, paths->items[i], err);
        if (status != STATUS_OK)
            return command_exit_code(status);
        shards += dataset_shard_count(dataset);
        for (size_t j = 0; j < dataset_shard_count(dataset); j++) {
            games += dataset_shard_stat(dataset, j)->games;
            plies += dataset_shard_stat(dataset, j)->plies;
            bytes += dataset_shard_stat(dataset, j)->bytes;
        }
        dataset_close(dataset);
    }
    printf("# would read %" PRIu64 " shards, %" PRIu64 " games, %" PRIu64 " plies, %" PRIu64
           " bytes; nothing is written\n",
           shards, games, plies, bytes);
    return EXIT_DONE;
}

Status command_print_json(json_t *value, Error *err)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
    json_decref(value);
    if (!text)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the result as JSON");
    puts(text);
    free(text);
    return STATUS_OK;
}

json_t *command_results_json(const uint64_t outcomes[4])
{
    return json_pack("{s:I, s:I, s:I, s:I}", "white", (json_int_t)outcomes[OUTCOME_WHITE], "black",
                     (json_int_t)outcomes[OUTCOME_BLACK], "draw",
                     (json_int_t)outcomes[OUTCOME_DRAW], "unfinished",
                     (json_int_t)outcomes[OUTCOME_NONE]);
}

/* The moves in UCI, separated by blanks, NUL at the end. */
static Status moves_text(const Engine *engine, const GameRecord *record, Buffer *text, Error *err)
{
    Game *game = engine->game_new(err);
    if (!game)
        return STATUS_NO_MEMORY;
    Status status = engine->game_set(game, record->start_fen, err);
    for (size_t i = 0; i < record->ply_count && status == STATUS_OK; i++) {
        char move[ENGINE_MAX_MOVE_TEXT];
        engine->move_uci(game, record->plies[i].move, move);
        if (i > 0)
            buffer_put(text, " ", 1);
        buffer_put(text, move, strlen(move));
        status = engine->game_play(game, record->plies[i].move, err);
    }
    engine->game_free(game);
    buffer_put(text, "", 1);
    if (status == STATUS_OK && text->failed)
        status = error_set(err, STATUS_NO_MEMORY, "no memory for a game as text");
    return status;
}

Status command_game_json(const Engine *engine, const GameRecord *record, json_t **object,
                         Error *err)
{
    Buffer moves = {0};
    Status status = moves_text(engine, record, &moves, err);
    if (status != STATUS_OK) {
        buffer_free(&moves);
        return status;
    }
    json_t *scores = json_array(), *flags = json_array();
    for (size_t i = 0; i < record->ply_count; i++) {
        int score = record->plies[i].score_white_cp;
        json_array_append_new(scores, score == SCORE_NONE ? json_null() : json_integer(score));
        json_array_append_new(flags, json_integer(record->plies[i].flags));
    }
    json_t *final_score =
        record->has_final_score ? json_integer(record->final_score_white_cp) : json_null();
    *object = json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "number",
                        (json_int_t)record->number, "variant", engine->name, "start",
                        record->start_fen, "moves", (const char *)moves.bytes, "result",
                        outcome_text(record->outcome), "reason", game_reason_text(record->reason),
                        "adjudication", outcome_text(record->adjudication), "scores", scores,
                        "flags", flags, "final_score", final_score);
    buffer_free(&moves);
    return *object ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "no memory for a game as JSON");
}
