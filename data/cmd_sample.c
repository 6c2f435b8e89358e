/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_sample.c - campmate-data sample: random positions, found through the index of the trailers.
 *
 * The positions of the input are numbered from 0; the numbers are drawn first, without
 * replacement, and only the blocks that hold one are read.
 */
#include "command.h"

#include "draw.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/rng.h"
#include "support/standard_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_OPTIONS(X)                                                                          \
    X(int, count, "0", 0, 1000000000, "N", "number of positions; required")                        \
    X(text, format, "lines", 0, 0, "lines|fen|jsonl", "what to write of each")                     \
    X(text, out, "-", 0, 0, "FILE", "where to write it, - = standard output")

typedef struct SampleOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    SAMPLE_OPTIONS(OPTION_MEMBER)
} SampleOptions;
#define OPTIONS_STRUCT SampleOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) SAMPLE_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data sample",
    .summary = "Writes random positions of datasets, each at most once, in the order of the games.",
    .usage = "PATH...",
    .details =
        "lines  FEN;result;score, the score White's in centipawns, empty where there is none; "
        "campmate-data import --format lines reads them (but for positions in check)\n"
        "fen    the FEN alone\n"
        "jsonl  an object a line: fen, result, score, game, ply\n\n"
        "Every position is as likely as any other: those before each move, and in imported "
        "datasets those after the last one, too. The same --seed gives the same positions. Only "
        "blocks with such a position are read. Where there are fewer than --count positions, all "
        "are written. Memory grows by about 40 bytes for each of --count, not with the dataset; "
        "--threads has no effect. --json prints a summary and needs --out.\n\n"
        "Example: campmate-data sample --count 1000 --seed 7 --out positions.txt games",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

typedef Status (*PositionWriter)(FILE *stream, const char *fen, const GameRecord *record,
                                 size_t ply, int score, Error *err);

static Status write_line(FILE *stream, const char *fen, const GameRecord *record, size_t ply,
                         int score, Error *err)
{
    (void)ply, (void)err;
    fprintf(stream, "%s;%s;", fen, outcome_text(record->outcome));
    if (score != SCORE_NONE)
        fprintf(stream, "%d", score);
    putc('\n', stream);
    return STATUS_OK;
}

static Status write_fen(FILE *stream, const char *fen, const GameRecord *record, size_t ply,
                        int score, Error *err)
{
    (void)record, (void)ply, (void)score, (void)err;
    fprintf(stream, "%s\n", fen);
    return STATUS_OK;
}

static Status write_jsonl(FILE *stream, const char *fen, const GameRecord *record, size_t ply,
                          int score, Error *err)
{
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:I, s:I}", "fen", fen, "result", outcome_text(record->outcome),
                  "score", score == SCORE_NONE ? json_null() : json_integer(score), "game",
                  (json_int_t)record->number, "ply", (json_int_t)ply);
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (!text)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a position as JSON");
    fprintf(stream, "%s\n", text);
    free(text);
    return STATUS_OK;
}

static PositionWriter find_format(const char *name)
{
    static const struct {
        const char *name;
        PositionWriter write;
    } formats[] = {{"lines", write_line}, {"fen", write_fen}, {"jsonl", write_jsonl}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(name, formats[i].name) == 0)
            return formats[i].write;
    return NULL;
}

/* --- the draw -------------------------------------------------------------------------------- */

typedef struct Sample {
    uint64_t *picks; /* [count] numbers of positions, ascending */
    size_t count, next;
    uint64_t at; /* number of the first position of what is looked at */
    uint64_t total, blocks;
    PositionWriter write;
    FILE *stream;
    const char *name; /* of the stream, for messages */
    Game *game;
    Progress progress;
} Sample;

/* All positions where there are fewer than `count`. */
static Status draw(Sample *sample, uint64_t count, uint64_t seed, Error *err)
{
    sample->count = (size_t)(count < sample->total ? count : sample->total);
    return draw_numbers(sample->count, sample->total, seed, &sample->picks, err);
}

/* Positions of so many games and plies: final positions count where they may have a score. */
static uint64_t positions_of(const ShardInfo *info, uint64_t games, uint64_t plies)
{
    return plies + (info->final_scores ? games : 0);
}

/* True if a position among the next `size` was drawn. */
static bool is_wanted(const Sample *sample, uint64_t size)
{
    return sample->next < sample->count && sample->picks[sample->next] - sample->at < size;
}

/* --- the positions --------------------------------------------------------------------------- */

/* Writes the positions of one game that were drawn. */
static Status sample_game(Sample *sample, const ShardInfo *info, const GameRecord *record,
                          uint64_t positions, Error *err)
{
    const Engine *engine = info->engine;
    Status status = engine->game_set(sample->game, record->start_fen, err);
    for (size_t ply = 0; status == STATUS_OK && is_wanted(sample, positions); sample->next++) {
        size_t wanted = (size_t)(sample->picks[sample->next] - sample->at);
        for (; ply < wanted && status == STATUS_OK; ply++)
            status = engine->game_play(sample->game, record->plies[ply].move, err);
        if (status != STATUS_OK)
            break;
        int score = ply < record->ply_count   ? record->plies[ply].score_white_cp
                    : record->has_final_score ? record->final_score_white_cp
                                              : SCORE_NONE;
        char fen[ENGINE_MAX_FEN];
        engine->game_fen(sample->game, fen);
        status = sample->write(sample->stream, fen, record, ply, score, err);
        if (status == STATUS_OK && ferror(sample->stream))
            status = sample->stream == stdout
                         ? standard_output_check(err)
                         : error_set_errno(err, "%s: cannot write", sample->name);
    }
    return status;
}

static Status sample_block(Sample *sample, ShardCursor *cursor, const ShardInfo *info, size_t block,
                           GameRecord *record, Error *err)
{
    bool end = false;
    sample->blocks++;
    Status status = shard_cursor_seek(cursor, block, err);
    while (status == STATUS_OK) {
        status = shard_cursor_peek(cursor, record, &end, err);
        if (status != STATUS_OK || end)
            break;
        uint64_t positions = positions_of(info, 1, record->ply_count);
        if (is_wanted(sample, positions)) {
            status = shard_cursor_replay(cursor, record, err);
            if (status == STATUS_OK)
                status = sample_game(sample, info, record, positions, err);
        }
        sample->at += positions;
    }
    return status;
}

static Status sample_shard(Sample *sample, const Dataset *dataset, size_t shard, Error *err)
{
    const ShardInfo *info = dataset_shard_info(dataset, shard);
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    Status status = shard_cursor_open(&cursor, dataset, shard, err);
    size_t blocks = status == STATUS_OK ? shard_cursor_block_count(cursor) : 0;
    for (size_t i = 0; i < blocks && status == STATUS_OK; i++) {
        uint64_t games, plies;
        shard_cursor_block(cursor, i, &games, &plies);
        uint64_t end = sample->at + positions_of(info, games, plies);
        if (interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "interrupted");
        else if (is_wanted(sample, end - sample->at))
            status = sample_block(sample, cursor, info, i, &record, err);
        else
            sample->at = end;
        if (status == STATUS_OK && sample->at != end)
            status = error_set(err, STATUS_FORMAT,
                               "%s: block %zu holds not as many plies as the index says",
                               dataset_shard_path(dataset, shard), i);
        progress_update(&sample->progress, sample->next, NULL);
    }
    game_record_free(&record);
    shard_cursor_close(cursor);
    return status;
}

static Status sample_dataset(Sample *sample, const Dataset *dataset, Error *err)
{
    const Engine *engine = dataset_engine(dataset);
    sample->game = engine->game_new(err);
    Status status = sample->game ? STATUS_OK : STATUS_NO_MEMORY;
    for (size_t i = 0; i < dataset_shard_count(dataset) && status == STATUS_OK; i++) {
        const ShardStat *stat = dataset_shard_stat(dataset, i);
        uint64_t size = positions_of(dataset_shard_info(dataset, i), stat->games, stat->plies);
        if (is_wanted(sample, size))
            status = sample_shard(sample, dataset, i, err);
        else
            sample->at += size;
    }
    engine->game_free(sample->game);
    return status;
}

static Status count_positions(Dataset *const *datasets, size_t count, uint64_t *total, Error *err)
{
    *total = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < dataset_shard_count(datasets[i]); j++) {
            const ShardStat *stat = dataset_shard_stat(datasets[i], j);
            *total += positions_of(dataset_shard_info(datasets[i], j), stat->games, stat->plies);
        }
    return *total ? STATUS_OK
                  : error_set(err, STATUS_FORMAT, "there is no position in what was given");
}

static Status sample_all(Sample *sample, const SampleOptions *options, Dataset *const *datasets,
                         size_t count, Error *err)
{
    AtomicFile file = {0};
    bool to_stdout = strcmp(options->out, "-") == 0;
    Status status = datasets_check_distinct(datasets, count, err);
    if (status == STATUS_OK)
        status = count_positions(datasets, count, &sample->total, err);
    if (status == STATUS_OK)
        status = draw(sample, (uint64_t)options->count, (uint64_t)options->seed, err);
    if (status == STATUS_OK && !to_stdout)
        status = atomic_file_open(&file, options->out, err);
    sample->stream = to_stdout ? stdout : file.stream;
    sample->name = to_stdout ? "standard output" : options->out;
    progress_begin(&sample->progress, "positions", sample->count, 0);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = sample_dataset(sample, datasets[i], err);
    progress_end(&sample->progress);
    if (status == STATUS_OK && !to_stdout)
        status = atomic_file_commit(&file, err);
    atomic_file_abandon(&file);
    return status;
}

static Status print_result(const Sample *sample, const SampleOptions *options, Error *err)
{
    if (options->json)
        return command_print_json(
            json_pack("{s:s, s:I, s:I, s:I, s:I}", "out", options->out, "positions",
                      (json_int_t)sample->count, "of", (json_int_t)sample->total, "blocks_read",
                      (json_int_t)sample->blocks, "seed", (json_int_t)options->seed),
            err);
    /* The positions may be on standard output: this is beside them. */
    fprintf(strcmp(options->out, "-") == 0 ? stderr : stdout,
            "%zu of %" PRIu64 " positions, seed %" PRId64 "\n", sample->count, sample->total,
            options->seed);
    return STATUS_OK;
}

static Status run(SampleOptions *options, const OptionList *paths, Error *err)
{
    if (options->seed == 0)
        options->seed = (option_int)rng_seed_from_os();
    Sample sample = {.write = find_format(options->format)};
    Dataset **datasets = NULL;
    Status status = command_open(paths, &datasets, err);
    if (status == STATUS_OK)
        status = sample_all(&sample, options, datasets, paths->count, err);
    if (status == STATUS_OK)
        status = print_result(&sample, options, err);
    command_close(paths, datasets);
    free(sample.picks);
    return status;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const SampleOptions *options = context;
    (void)inputs;
    if (options->count == 0)
        command_usage(err, "--count is required: the number of positions");
    else if (!find_format(options->format))
        command_usage(err, "--format: '%s', expected lines, fen or jsonl", options->format);
    else if (options->json && strcmp(options->out, "-") == 0 && !options->dry_run)
        command_usage(err, "--json prints a summary: the positions need --out");
    else
        return true;
    return false;
}

static int run_command(void *options, const OptionList *inputs, Error *err)
{
    return command_exit_code(run(options, inputs, err));
}

int command_sample(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {
        .table = &table, .inputs = INPUT_PATHS, .check = check, .run = run_command};
    SampleOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
