/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.c - positions worth fitting, from datasets and texts. */
#include "load.h"

#include "comm.h"
#include "support/files.h"
#include "tie.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const char *skip_text(Skip skip)
{
#define SKIP_TEXT(id, text) text,
    static const char *const texts[] = {SKIP_REASONS(SKIP_TEXT)};
#undef SKIP_TEXT
    return texts[skip];
}

static uint64_t count_lines(const char *text, size_t size)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines + (size && text[size - 1] != '\n');
}

static char *last_component(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    return strndup(path + begin, length - begin);
}

void sample_free(Sample *sample)
{
    for (int part = 0; part < PART_COUNT; part++)
        rows_free(&sample->parts[part]);
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        free(sample->first[skip]);
    for (size_t i = 0; i < sample->source_count; i++)
        free(sample->sources[i].name);
    free(sample->sources);
    free(sample->stands);
    memset(sample, 0, sizeof *sample);
}

uint64_t sample_rows(const Sample *sample)
{
    uint64_t rows = 0;
    for (int part = 0; part < PART_COUNT; part++)
        rows += sample->parts[part].count;
    return rows;
}

Status load_engine(const LoadOptions *options, const Engine **engine, Error *err)
{
    if (options->engine) {
        *engine = options->engine;
        return STATUS_OK;
    }
    if (!options->data_count)
        return error_set(err, STATUS_ARGUMENT, "no dataset and no variant is named");
    Dataset *dataset = NULL;
    Status status = dataset_open(&dataset, options->data[0], err);
    if (status == STATUS_OK)
        *engine = dataset_engine(dataset);
    dataset_close(dataset);
    return status;
}

/* What is read: the options' datasets, opened, and the text. */
typedef struct Inputs {
    Dataset **datasets; /* [count] */
    size_t count;
    char *text;
    size_t size;
} Inputs;

static void close_inputs(Inputs *inputs)
{
    for (size_t d = 0; inputs->datasets && d < inputs->count; d++)
        dataset_close(inputs->datasets[d]);
    free(inputs->datasets);
    free(inputs->text);
}

static Status open_dataset(const LoadOptions *options, size_t d, Sample *sample, Inputs *inputs,
                           Error *err)
{
    Status status = dataset_open(&inputs->datasets[d], options->data[d], err);
    if (status != STATUS_OK)
        return status;
    const Dataset *dataset = inputs->datasets[d];
    if (dataset_engine(dataset) != sample->engine)
        return error_set(err, STATUS_ARGUMENT, "%s: a dataset of %s, expected %s", options->data[d],
                         dataset_engine(dataset)->name, sample->engine->name);
    Source *source = &sample->sources[sample->source_count++];
    source->name = last_component(options->data[d]);
    source->games = dataset_game_count(dataset);
    dataset_digest(dataset, source->digest);
    return STATUS_OK;
}

static Status open_text(const LoadOptions *options, Sample *sample, Inputs *inputs, Error *err)
{
    Status status = file_read_all(options->text, &inputs->text, &inputs->size, err);
    if (status != STATUS_OK)
        return status;
    Source *source = &sample->sources[sample->source_count++];
    source->name = last_component(options->text);
    source->games = count_lines(inputs->text, inputs->size);
    XXH128_hash_t hash = XXH3_128bits(inputs->text, inputs->size);
    snprintf(source->digest, sizeof source->digest, "%016llx%016llx",
             (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    return STATUS_OK;
}

static Status open_inputs(const LoadOptions *options, Sample *sample, Inputs *inputs, Error *err)
{
    inputs->count = options->data_count;
    inputs->datasets = calloc(inputs->count + 1, sizeof(Dataset *));
    sample->sources = calloc(inputs->count + 1, sizeof *sample->sources);
    if (!inputs->datasets || !sample->sources)
        return error_set(err, STATUS_NO_MEMORY, "no memory to load");
    Status status = load_engine(options, &sample->engine, err);
    if (status == STATUS_OK && options->tie)
        status = tie_new(&sample->stands, sample->engine, err);
    for (size_t d = 0; d < inputs->count && status == STATUS_OK; d++)
        status = open_dataset(options, d, sample, inputs, err);
    if (status == STATUS_OK && inputs->count)
        status = datasets_check_distinct(inputs->datasets, inputs->count, err);
    if (status == STATUS_OK && options->text)
        status = open_text(options, sample, inputs, err);
    uint64_t games = 0;
    for (size_t i = 0; i < sample->source_count; i++)
        games += sample->sources[i].games;
    sample->split = games >= SPLIT_LEAST_GAMES && options->validation + options->test > 0;
    return status;
}

Status sample_load(Sample *sample, const LoadOptions *options, Error *err)
{
    Sample loaded = {0};
    Inputs inputs = {0};
    for (int part = 0; part < PART_COUNT; part++)
        loaded.parts[part].scratch = options->scratch;
    Status status = comm_agree(open_inputs(options, &loaded, &inputs, err), err);
    if (status == STATUS_OK)
        status = load_datasets(&loaded, options, inputs.datasets, err);
    if (status == STATUS_OK && inputs.text)
        status = comm_agree(load_text(&loaded, options, inputs.text, inputs.size, err), err);
    close_inputs(&inputs);
    if (status == STATUS_OK)
        *sample = loaded;
    else
        sample_free(&loaded);
    return status;
}
