/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rescore_kept.c - the shards that an interrupted run has left: to be kept only if they are what
 * this run would make (see rescore.h).
 */
#include "rescore.h"

#include "generator/origin.h"
#include "shard.h"
#include "support/interrupt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* True if a place is in the line of a configuration that says how a dataset was derived. */
static bool in_derived_line(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return strncmp(text + at, DERIVED_KEY, strlen(DERIVED_KEY)) == 0;
}

/* What differs in all, on one line. */
static Status show_origin(const char *path, const ShardInfo *found, const ShardInfo *wanted,
                          Error *err)
{
    char text[300] = "";
    char *lines = origin_difference(found, wanted, ORIGIN_ALL);
    size_t used = 0;
    for (char *rest = NULL, *line = lines ? strtok_r(lines, "\n", &rest) : NULL;
         line && used < sizeof text; line = strtok_r(NULL, "\n", &rest))
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "",
                                 line + strspn(line, " "));
    free(lines);
    return error_set(err, STATUS_ARGUMENT, "%s: holds games of another run: %s", path,
                     used ? text : "no memory to compare them");
}

/* The first word of two texts that differs, without the rest of the lines. */
static Status show_difference(const char *path, const ShardInfo *a, const ShardInfo *b, Error *err)
{
    const char *found = a->configuration, *wanted = b->configuration;
    size_t same = 0;
    while (found[same] && found[same] == wanted[same])
        same++;
    while (same > 0 && found[same - 1] != ' ' && found[same - 1] != '\n')
        same--;
    if (!in_derived_line(found, same) || !in_derived_line(wanted, same))
        return show_origin(path, a, b, err);
    int x = (int)strcspn(found + same, " \n"), y = (int)strcspn(wanted + same, " \n");
    return error_set(err, STATUS_ARGUMENT,
                     "%s: was made with '%.*s', but this run has '%.*s': another --out, please",
                     path, x < 50 ? x : 50, found + same, y < 50 ? y : 50, wanted + same);
}

static Status compare_headers(const char *path, const ShardInfo *found, const ShardInfo *wanted,
                              Error *err)
{
    if (strcmp(found->configuration, wanted->configuration) != 0)
        return show_difference(path, found, wanted, err);
    if (found->first_game != wanted->first_game || found->game_count != wanted->game_count)
        return error_set(
            err, STATUS_ARGUMENT,
            "%s: is for games %" PRIu64 "+%" PRIu64 ", but this run's for %" PRIu64 "+%" PRIu64,
            path, found->first_game, found->game_count, wanted->first_game, wanted->game_count);
    if (found->score_steps != wanted->score_steps || found->score_slope != wanted->score_slope)
        return error_set(
            err, STATUS_ARGUMENT,
            "%s: keeps scores in %u steps by slope %g, but this run in %u by %g: another "
            "--out, please",
            path, found->score_steps, found->score_slope / 1e6, wanted->score_steps,
            wanted->score_slope / 1e6);
    if (found->final_scores != wanted->final_scores)
        return error_set(err, STATUS_ARGUMENT,
                         "%s: has %s of final positions, but this run %s: another --out, please",
                         path, found->final_scores ? "scores" : "no scores",
                         wanted->final_scores ? "some" : "none");
    return shard_info_same(found, wanted) ? STATUS_OK : show_origin(path, found, wanted, err);
}

/* True if they differ in scores only. */
static bool same_game(const GameRecord *a, const GameRecord *b)
{
    bool same = a->outcome == b->outcome && a->reason == b->reason &&
                a->adjudication == b->adjudication && a->ply_count == b->ply_count &&
                strcmp(a->start_fen, b->start_fen) == 0;
    for (size_t i = 0; i < a->ply_count && same; i++)
        same = a->plies[i].move == b->plies[i].move && a->plies[i].flags == b->plies[i].flags;
    return same;
}

/* Reads both to the end: the finished shard has to hold the games of the source. */
static Status compare_games(const RescorePlan *plan, const DeriveSource *source,
                            const Dataset *made, const char *path, Error *err)
{
    ShardCursor *a = NULL, *b = NULL;
    GameRecord x = {0}, y = {0};
    uint64_t ordinal = source->base;
    bool x_end = false, y_end = false;
    Status status = shard_cursor_open(&a, source->dataset, source->shard, err);
    if (status == STATUS_OK)
        status = shard_cursor_open(&b, made, 0, err);
    while (status == STATUS_OK && !x_end && !y_end) {
        if (interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "interrupted");
        if (status == STATUS_OK)
            status = shard_cursor_next(a, &x, &x_end, err);
        if (status == STATUS_OK)
            status = shard_cursor_next(b, &y, &y_end, err);
        if (status != STATUS_OK || (x_end && y_end))
            break;
        uint64_t number = plan->input->renumber ? ordinal++ : x.number;
        if (x_end || y_end || number != y.number || !same_game(&x, &y))
            status = error_set(err, STATUS_ARGUMENT,
                               "%s: does not hold the games of %s (from game %" PRIu64
                               " on): another --out, please",
                               path, dataset_shard_path(source->dataset, source->shard),
                               x_end ? y.number : number);
    }
    game_record_free(&x);
    game_record_free(&y);
    shard_cursor_close(a);
    shard_cursor_close(b);
    return status;
}

/* Looks at the shard that may be there of a source. */
static Status check_kept(const RescorePlan *plan, const DeriveSource *source, bool *kept,
                         Error *err)
{
    *kept = false;
    if (!shard_exists(plan->out, source->number))
        return STATUS_OK;
    char *path = shard_file_name(plan->out, source->number, "cmpd");
    Dataset *made = NULL;
    ShardInfo wanted = {0};
    Status status =
        path ? dataset_open(&made, path, err) : error_set(err, STATUS_NO_MEMORY, "no memory");
    if (status == STATUS_OK)
        status = derive_info(plan->input, source, plan->note, &wanted, err);
    if (status == STATUS_OK) {
        status = compare_headers(path, dataset_shard_info(made, 0), &wanted, err);
        free(wanted.configuration);
    }
    if (status == STATUS_OK)
        status = compare_games(plan, source, made, path, err);
    *kept = status == STATUS_OK;
    dataset_close(made);
    free(path);
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

/* No shard may be in the directory that no source would give. */
static Status check_strangers(const RescorePlan *plan, Error *err)
{
    const DeriveInput *input = plan->input;
    unsigned *there = NULL, *ours = calloc(input->source_count, sizeof *ours);
    size_t count = 0;
    Status status = ours ? shard_numbers(plan->out, &there, &count, err)
                         : error_set(err, STATUS_NO_MEMORY, "no memory for the shards");
    for (size_t i = 0; status == STATUS_OK && i < input->source_count; i++)
        ours[i] = input->sources[i].number;
    if (status == STATUS_OK)
        qsort(ours, input->source_count, sizeof *ours, compare_numbers);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (!bsearch(&there[i], ours, input->source_count, sizeof *ours, compare_numbers))
            status = error_set(err, STATUS_ARGUMENT,
                               "%s: has a shard %06u, which what was given does not have",
                               plan->out, there[i]);
    free(there);
    free(ours);
    return status;
}

Status rescore_find_kept(const RescorePlan *plan, bool *kept, Error *err)
{
    const DeriveInput *input = plan->input;
    size_t count = input->source_count, failed = count;
    Status status = check_strangers(plan, err);
    if (status != STATUS_OK)
        return status;
#pragma omp parallel for schedule(dynamic) num_threads(plan->threads)
    for (size_t i = 0; i < count; i++) {
        Error own = {0};
        bool skip;
#pragma omp critical(rescore_kept)
        skip = failed < i;
        Status found = skip ? STATUS_OK : check_kept(plan, &input->sources[i], &kept[i], &own);
        if (found != STATUS_OK) {
#pragma omp critical(rescore_kept)
            if (i < failed) {
                failed = i;
                status = error_set(err, found, "%s", own.message);
            }
        }
    }
    return status;
}
