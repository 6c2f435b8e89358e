/* SPDX-License-Identifier: GPL-3.0-or-later */
/* derive.c - datasets made of the games of others (see derive.h). */
#include "derive.h"

#include "output_directory.h"
#include "shard.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* --- the input ------------------------------------------------------------------------------- */

static const ShardInfo *source_info(const DeriveSource *source)
{
    return dataset_shard_info(source->dataset, source->shard);
}

static const char *source_path(const DeriveSource *source)
{
    return dataset_shard_path(source->dataset, source->shard);
}

static int compare_sources(const void *a, const void *b)
{
    const ShardInfo *x = source_info(a), *y = source_info(b);
    if (x->first_game != y->first_game)
        return x->first_game < y->first_game ? -1 : 1;
    if (x->game_count != y->game_count)
        return x->game_count < y->game_count ? -1 : 1;
    return strcmp(source_path(a), source_path(b));
}

static Status check_ranges(const DeriveInput *input, Error *err)
{
    for (size_t i = 1; i < input->source_count && !input->renumber; i++) {
        const DeriveSource *a = &input->sources[i - 1], *b = &input->sources[i];
        const ShardInfo *x = source_info(a), *y = source_info(b);
        if (y->first_game < x->first_game + x->game_count)
            return error_set(err, STATUS_ARGUMENT,
                             "%s and %s overlap: games %" PRIu64 "+%" PRIu64 " and %" PRIu64
                             "+%" PRIu64 " (--renumber counts them anew)",
                             source_path(a), source_path(b), x->first_game, x->game_count,
                             y->first_game, y->game_count);
    }
    return STATUS_OK;
}

/* Shards keep the numbers in their names if these are all different. */
static Status number_sources(DeriveInput *input, Error *err)
{
    if (input->source_count > SHARD_NUMBER_MAX + 1)
        return error_set(err, STATUS_ARGUMENT, "%zu shards, expected at most %d",
                         input->source_count, SHARD_NUMBER_MAX + 1);
    bool *taken = calloc(SHARD_NUMBER_MAX + 1, sizeof *taken);
    if (!taken)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the numbers of shards");
    bool own = !input->renumber;
    for (size_t i = 0; i < input->source_count && own; i++) {
        const char *path = source_path(&input->sources[i]), *slash = strrchr(path, '/');
        int number = shard_number_from_name(slash ? slash + 1 : path);
        own = number >= 0 && !taken[number];
        if (own)
            taken[number] = true;
        input->sources[i].number = own ? (unsigned)number : 0;
    }
    for (size_t i = 0; i < input->source_count && !own; i++)
        input->sources[i].number = (unsigned)i;
    free(taken);
    return STATUS_OK;
}

Status derive_open(DeriveInput *input, const OptionList *paths, bool renumber, Error *err)
{
    *input = (DeriveInput){.renumber = renumber,
                           .datasets = calloc(paths->count, sizeof *input->datasets)};
    if (!input->datasets)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu paths", paths->count);
    for (size_t i = 0; i < paths->count; i++) {
        Status status = dataset_open(&input->datasets[i], paths->items[i], err);
        if (status != STATUS_OK)
            return status;
        input->dataset_count++;
        input->source_count += dataset_shard_count(input->datasets[i]);
        const Engine *engine = dataset_engine(input->datasets[i]);
        if (input->engine && input->engine != engine)
            return error_set(err, STATUS_ARGUMENT, "%s holds games of %s, but %s of %s",
                             paths->items[0], input->engine->name, paths->items[i], engine->name);
        input->engine = engine;
    }
    Status status = datasets_check_distinct(input->datasets, input->dataset_count, err);
    if (status != STATUS_OK)
        return status;
    input->sources = calloc(input->source_count, sizeof *input->sources);
    if (!input->sources)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu shards", input->source_count);
    size_t count = 0;
    for (size_t i = 0; i < input->dataset_count; i++)
        for (size_t j = 0; j < dataset_shard_count(input->datasets[i]); j++)
            input->sources[count++] = (DeriveSource){.dataset = input->datasets[i], .shard = j};
    if (!renumber)
        qsort(input->sources, count, sizeof *input->sources, compare_sources);
    for (size_t i = 0; i < count; i++) {
        input->sources[i].base = input->games;
        input->games +=
            dataset_shard_stat(input->sources[i].dataset, input->sources[i].shard)->games;
    }
    status = check_ranges(input, err);
    return status == STATUS_OK ? number_sources(input, err) : status;
}

void derive_close(DeriveInput *input)
{
    for (size_t i = 0; i < input->dataset_count; i++)
        dataset_close(input->datasets[i]);
    free(input->datasets);
    free(input->sources);
    *input = (DeriveInput){0};
}

Status derive_info(const DeriveInput *input, const DeriveSource *source, const char *note,
                   ShardInfo *info, Error *err)
{
    *info = *source_info(source);
    const char *own = info->configuration;
    size_t length = strlen(own);
    info->configuration = text_format("%s%s" DERIVED_KEY "%s\n", own,
                                      length > 0 && own[length - 1] != '\n' ? "\n" : "", note);
    if (!info->configuration)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a shard");
    if (input->renumber) {
        info->first_game = source->base;
        info->game_count = dataset_shard_stat(source->dataset, source->shard)->games;
    }
    return STATUS_OK;
}

/* --- a pass over all games ------------------------------------------------------------------- */

/* Shared by the threads of a pass. */
typedef struct Pass {
    const DeriveInput *input;
    DeriveVisit visit;
    void *context;
    const char *directory; /* where the parts are; NULL: nothing is written */
    DerivePart *parts;
    size_t part_count;
    Progress progress;
    uint64_t done;
    bool stop;
    size_t failed; /* the first source that failed, and why */
    Error first;
} Pass;

static Status part_directory(const Pass *pass, size_t part, char **path, Error *err)
{
    const char *name = pass->parts[part].name;
    *path = name ? text_format("%s/%s", pass->directory, name) : strdup(pass->directory);
    return *path ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "no memory for a name");
}

static Status open_writer(const Pass *pass, const DeriveSource *source, size_t part,
                          ShardWriter **writer, Error *err)
{
    ShardInfo info;
    char *directory = NULL;
    Status status = derive_info(pass->input, source, pass->parts[part].note, &info, err);
    if (status != STATUS_OK)
        return status;
    status = part_directory(pass, part, &directory, err);
    if (status == STATUS_OK)
        status = shard_writer_open(writer, directory, source->number, &info, err);
    if (status == STATUS_OK)
        shard_writer_keep_nothing(*writer);
    free(directory);
    free(info.configuration);
    return status;
}

/* Takes note of finished games every now and then; says whether to go on. */
static Status tick(Pass *pass, uint64_t *fresh, Error *err)
{
    bool stop;
#pragma omp critical(derive)
    {
        pass->done += *fresh;
        progress_update(&pass->progress, pass->done, NULL);
        stop = pass->stop;
    }
    *fresh = 0;
    if (interrupted())
        return error_set(err, STATUS_INTERRUPTED, "interrupted; nothing is written");
    return stop ? error_set(err, STATUS_INTERRUPTED, "stopped by a failure elsewhere") : STATUS_OK;
}

static Status read_games(Pass *pass, const DeriveSource *source, ShardWriter **writers, Error *err)
{
    enum { GAMES_A_TICK = 64 };
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    uint64_t fresh = 0, ordinal = source->base;
    Status status = shard_cursor_open(&cursor, source->dataset, source->shard, err);
    while (status == STATUS_OK) {
        bool end = false;
        int part = -1;
        status = shard_cursor_next(cursor, &record, &end, err);
        if (status != STATUS_OK || end)
            break;
        status = pass->visit(pass->context, omp_get_thread_num(), ordinal, &record, &part, err);
        if (status == STATUS_OK && part >= 0 && pass->directory) {
            if (pass->input->renumber)
                record.number = ordinal;
            status = shard_writer_push(writers[part], &record, err);
        }
        ordinal++;
        if (status == STATUS_OK && ++fresh == GAMES_A_TICK)
            status = tick(pass, &fresh, err);
    }
    if (status == STATUS_OK)
        status = tick(pass, &fresh, err);
    game_record_free(&record);
    shard_cursor_close(cursor);
    return status;
}

static Status read_source(Pass *pass, const DeriveSource *source, Error *err)
{
    size_t count = pass->directory ? pass->part_count : 0;
    ShardWriter **writers = calloc(count + 1, sizeof(ShardWriter *));
    Status status = writers ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "no memory for a shard");
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = open_writer(pass, source, i, &writers[i], err);
    if (status == STATUS_OK)
        status = read_games(pass, source, writers, err);
    for (size_t i = 0; writers && i < count; i++) {
        if (status == STATUS_OK)
            status = shard_writer_close(writers[i], NULL, err);
        else
            shard_writer_abandon(writers[i]);
    }
    free(writers);
    return status;
}

static Status run_pass(Pass *pass, int threads, Error *err)
{
    size_t count = pass->input->source_count;
    pass->failed = count;
    progress_begin(&pass->progress, "games", pass->input->games, 0);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < count; i++) {
        Error own = {0};
        bool stop;
#pragma omp critical(derive)
        stop = pass->stop;
        Status status = stop ? STATUS_OK : read_source(pass, &pass->input->sources[i], &own);
        if (status != STATUS_OK) {
#pragma omp critical(derive)
            {
                /* One that only stopped because of another has nothing to say. */
                if (!pass->stop || (status != STATUS_INTERRUPTED && i < pass->failed)) {
                    pass->failed = i;
                    pass->first = own;
                    pass->first.status = status;
                }
                pass->stop = true;
            }
        }
    }
    progress_end(&pass->progress);
    return pass->failed < count ? error_set(err, pass->first.status, "%s", pass->first.message)
                                : STATUS_OK;
}

Status derive_read(const DeriveInput *input, int threads, DeriveVisit visit, void *context,
                   Error *err)
{
    Pass pass = {.input = input, .visit = visit, .context = context};
    return run_pass(&pass, threads, err);
}

static Status write_manifests(const Pass *pass, Error *err)
{
    Status status = STATUS_OK;
    uint64_t games = 0;
    for (size_t i = 0; i < pass->part_count && status == STATUS_OK; i++) {
        char *directory = NULL;
        status = part_directory(pass, i, &directory, err);
        if (status == STATUS_OK)
            status = dataset_write_manifest(directory, &pass->parts[i].stat, err);
        games += pass->parts[i].stat.games;
        free(directory);
    }
    if (status == STATUS_OK && games == 0)
        status =
            error_set(err, STATUS_FORMAT, "none of %" PRIu64 " games is left; nothing is written",
                      pass->input->games);
    return status;
}

Status derive_write(const DeriveInput *input, int threads, const char *out, DerivePart *parts,
                    size_t part_count, DeriveVisit visit, void *context, Error *err)
{
    OutputDirectory output;
    Status status = output_directory_open(&output, out, err);
    if (status != STATUS_OK)
        return status;
    Pass pass = {.input = input,
                 .visit = visit,
                 .context = context,
                 .directory = output.temporary,
                 .parts = parts,
                 .part_count = part_count};
    status = run_pass(&pass, threads, err);
    if (status == STATUS_OK)
        status = write_manifests(&pass, err);
    if (status == STATUS_OK)
        status = output_directory_commit(&output, err);
    output_directory_abandon(&output);
    return status;
}

/* True if the option called `name` (as long as that) has its default. */
static bool is_default(const OptionTable *table, const char *name, size_t length, const char *value)
{
    for (size_t i = 0; i < table->count; i++) {
        const Option *row = &table->rows[i];
        bool same = strlen(row->name) == length;
        for (size_t j = 0; j < length && same; j++)
            same = row->name[j] == name[j] || (row->name[j] == '_' && name[j] == '-');
        if (same && row->kind == OPTION_flag)
            return strcmp(value, "false") == 0;
        if (same)
            return row->initial && strcmp(row->initial, value) == 0;
    }
    return false;
}

char *derive_note(const char *command, const OptionTable *table, const void *values)
{
    static const char *const omit[] = {"config", "threads", "json", "dry_run",
                                       "memory", "out",     NULL};
    char *lines = options_effective(table, values, omit);
    char *note = lines ? strdup(command) : NULL;
    char *rest = lines;
    for (char *line; note && (line = strtok_r(rest, "\n", &rest));) {
        const char *equals = strstr(line, " = ");
        if (!equals || is_default(table, line, (size_t)(equals - line), equals + 3))
            continue;
        char *more = text_format("%s %.*s=%s", note, (int)(equals - line), line, equals + 3);
        free(note);
        note = more;
    }
    free(lines);
    return note;
}
