/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_import.c - campmate-data import: texts of other programs become a dataset.
 *
 * Units of the files are read in batches, by all threads, and written in their order, so the
 * dataset is the same for any number of threads.
 */
#include "command.h"

#include "import.h"
#include "import_output.h"
#include "key_table.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/version.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define IMPORT_OPTIONS(X)                                                                          \
    X(text, variant, NULL, 0, 0, "V", "the game; required")                                        \
    X(text, out, NULL, 0, 0, "DIR", "directory of the new dataset; required")                      \
    X(text, format, "auto", 0, 0, "auto|pgn|epd|lines|plain",                                      \
      "what the files are; auto: by extension or content")                                         \
    X(flag, dedup, NULL, 0, 0, NULL,                                                               \
      "take games of the same moves, and positions of the same board, hands and side, once")       \
    X(flag, strict, NULL, 0, 0, NULL, "write nothing and exit with 1 if anything was rejected")    \
    X(int, pawn, "100", 1, 100000, "N",                                                            \
      "what a pawn is worth in the scores of plain records (100: they are centipawns)")            \
    X(int, first_game, "0", 0, 9007199254740991, "N", "number of the first game")                  \
    X(int, shard_games, "65536", 1, 16777216, "N", "games in a shard")

typedef struct ImportOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    IMPORT_OPTIONS(OPTION_MEMBER)
} ImportOptions;
#define OPTIONS_STRUCT ImportOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) IMPORT_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data import",
    .summary = "Makes a dataset of games or positions that other programs wrote.",
    .usage = "FILE...",
    .details =
        "pgn    games in PyChess's dialect; scores from comments like {+0.31/9} or {[%eval 0.3]}\n"
        "epd    positions with an operation result \"1-0\"; or c9 \"1-0\"; and ce 31; (the "
        "mover's)\n"
        "lines  FEN;result[;score], both White's; result 1-0, 0-1, 1/2-1/2, * or 1, 0, 0.5\n"
        "plain  records of variant-nnue-tools: lines fen, move, score, ply, result, e\n\n"
        "A FILE may be compressed (zstd); - is standard input and needs --format. What cannot be "
        "right is rejected record by record, counted by reason, and the run goes on. Exit code 1 "
        "if nothing could be imported, if a file cannot be read to its end, and with --strict if "
        "anything was rejected; --out is not made then.\n\n"
        "  campmate-data import --variant shogun --out games games.pgn\n"
        "  campmate-data import --variant mansindam --out positions --dedup quiet.txt.zst\n"
        "  campmate-data import --variant sittuyin --out plain --pawn 208 data.plain\n",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

/* A batch is read as a whole before any of it is written, and takes five times the memory then. */
enum { BATCH_UNITS = 1024, BATCH_BYTES_PER_THREAD = 256 << 10, BATCH_BYTES_MIN = 1 << 20 };

typedef struct Importer {
    ImportRules rules;
    int threads;
    ImportWorker *workers; /* [threads] */
    ImportUnit *units;     /* [BATCH_UNITS] */
    Harvest *harvests;     /* [BATCH_UNITS] */
    ImportOutput output;
    bool dedup;
    KeyTable keys;
    uint64_t records, games, duplicates, cut;
    RejectTally rejects;
    Progress progress;
} Importer;

/* --- batches --------------------------------------------------------------------------------- */

/* Reads units until the batch is full or the file ends. */
static Status fill_batch(Importer *importer, ImportSource *source, size_t *count, bool *end,
                         Error *err)
{
    size_t bytes = 0, most = (size_t)importer->threads * BATCH_BYTES_PER_THREAD;
    Status status = STATUS_OK;
    if (most < BATCH_BYTES_MIN)
        most = BATCH_BYTES_MIN;
    *end = false;
    for (*count = 0; *count < BATCH_UNITS && bytes < most;) {
        ImportUnit *unit = &importer->units[*count];
        status = import_source_next(source, unit, end, err);
        if (status != STATUS_OK || *end)
            break;
        bytes += unit->text.size;
        ++*count;
    }
    return status;
}

static Status read_batch(Importer *importer, size_t count, Error *err)
{
    Status status = STATUS_OK;
#pragma omp parallel for schedule(dynamic) num_threads(importer->threads)
    for (size_t i = 0; i < count; i++) {
        Error inner = {0};
        Status result = import_unit(&importer->workers[omp_get_thread_num()], &importer->units[i],
                                    &importer->harvests[i], &inner);
        if (result != STATUS_OK) {
#pragma omp critical(import_failed)
            status = error_set(err, result, "%s", inner.message);
        }
    }
    return status;
}

static Status write_harvest(Importer *importer, Harvest *harvest, Error *err)
{
    Status status = STATUS_OK;
    importer->records += harvest->records;
    importer->cut += harvest->cut;
    reject_tally_move(&importer->rejects, &harvest->rejects);
    for (size_t i = 0; i < harvest->count && status == STATUS_OK; i++) {
        bool fresh = true;
        if (importer->dedup)
            status = key_table_add(&importer->keys, harvest->keys[i], &fresh, err);
        if (status == STATUS_OK && fresh)
            status = import_output_add(&importer->output, &harvest->games[i], err);
        importer->games += fresh;
        importer->duplicates += !fresh;
    }
    harvest_free(harvest);
    return status;
}

static Status import_file(Importer *importer, const char *path, ImportFormat format, Error *err)
{
    ImportSource *source = NULL;
    Status status = import_source_open(&source, path, format, err);
    bool end = false;
    while (status == STATUS_OK && !end) {
        size_t count;
        status = fill_batch(importer, source, &count, &end, err);
        if (status == STATUS_OK)
            status = read_batch(importer, count, err);
        for (size_t i = 0; i < count && status == STATUS_OK; i++)
            status = write_harvest(importer, &importer->harvests[i], err);
        if (status == STATUS_OK && interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "interrupted; nothing is written");
        progress_update(&importer->progress, importer->records, NULL);
    }
    import_source_close(source);
    return status;
}

/* --- the run --------------------------------------------------------------------------------- */

static Status importer_init(Importer *importer, const Engine *engine, const ImportOptions *options,
                            Error *err)
{
    *importer = (Importer){.rules = {.engine = engine, .pawn = (int)options->pawn},
                           .threads = options_threads(options->threads),
                           .dedup = options->dedup};
    importer->workers = calloc((size_t)importer->threads, sizeof *importer->workers);
    importer->units = calloc(BATCH_UNITS, sizeof *importer->units);
    importer->harvests = calloc(BATCH_UNITS, sizeof *importer->harvests);
    if (!importer->workers || !importer->units || !importer->harvests)
        return error_set(err, STATUS_NO_MEMORY, "no memory to import");
    Status status = STATUS_OK;
    for (int i = 0; i < importer->threads && status == STATUS_OK; i++)
        status = import_worker_init(&importer->workers[i], &importer->rules, err);
    return status;
}

static void importer_free(Importer *importer)
{
    for (int i = 0; importer->workers && i < importer->threads; i++)
        import_worker_free(&importer->workers[i]);
    for (int i = 0; importer->units && i < BATCH_UNITS; i++)
        buffer_free(&importer->units[i].text);
    for (int i = 0; importer->harvests && i < BATCH_UNITS; i++)
        harvest_free(&importer->harvests[i]);
    free(importer->workers);
    free(importer->units);
    free(importer->harvests);
    import_output_abandon(&importer->output);
    key_table_free(&importer->keys);
    reject_tally_free(&importer->rejects);
}

/* The options that matter and the names of the files, as the shards keep them. */
static char *configuration(const ImportOptions *options, const OptionList *paths)
{
    static const char *const omit[] = {"config", "threads", "seed", "json", "dry_run", "out", NULL};
    char *text = options_effective(&table, options, omit);
    for (size_t i = 0; text && i < paths->count; i++) {
        char *more = text_format("%sinput = %s\n", text, paths->items[i]);
        free(text);
        text = more;
    }
    return text;
}

static Status formats_of(const ImportOptions *options, const OptionList *paths,
                         ImportFormat *formats, Error *err)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
        if (!import_format_from_name(options->format, &formats[i]))
            status = import_format_guess(paths->items[i], &formats[i], err);
    return status;
}

static Status import_all(Importer *importer, const ImportOptions *options, const OptionList *paths,
                         const ImportFormat *formats, ShardStat *stat, Error *err)
{
    char *settings = configuration(options, paths);
    if (!settings)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the options");
    /* Nobody knows which weights played: zeros. */
    ShardInfo info = {.engine = importer->rules.engine,
                      .commit = (char *)(uintptr_t)version_commit(),
                      .compiler = (char *)(uintptr_t)version_compiler(),
                      .configuration = settings,
                      .weights_digest = "00000000000000000000000000000000",
                      .final_scores = true};
    Status status =
        import_output_open(&importer->output, options->out, &info, (uint64_t)options->first_game,
                           (uint64_t)options->shard_games, err);
    progress_begin(&importer->progress, "records", 0, 0);
    for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
        status = import_file(importer, paths->items[i], formats[i], err);
    progress_end(&importer->progress);
    uint64_t rejected = reject_tally_total(&importer->rejects);
    if (status == STATUS_OK && options->strict && rejected > 0)
        status = error_set(err, STATUS_FORMAT,
                           "%" PRIu64 " of %" PRIu64 " records rejected; nothing is written "
                           "(--strict)",
                           rejected, importer->records);
    if (status == STATUS_OK && importer->games == 0)
        status = error_set(err, STATUS_FORMAT,
                           "none of %" PRIu64 " records could be imported; nothing is written",
                           importer->records);
    if (status == STATUS_OK)
        status = import_output_close(&importer->output, stat, err);
    else
        import_output_abandon(&importer->output);
    free(settings);
    return status;
}

/* --- the result ------------------------------------------------------------------------------ */

static json_t *result_json(const Importer *importer, const ImportOptions *options, size_t files,
                           bool written, const ShardStat *stat)
{
    json_t *rejected = json_object();
    for (int i = 0; i < REJECT_COUNT; i++)
        if (importer->rejects.counts[i]) {
            const char *first = importer->rejects.first[i];
            json_object_set_new(rejected, reject_key((Reject)i),
                                json_pack("{s:I, s:o}", "count",
                                          (json_int_t)importer->rejects.counts[i], "first",
                                          first ? json_string_nocheck(first) : json_null()));
        }
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:s?}",
                     "variant", importer->rules.engine->name, "out", options->out, "files",
                     (json_int_t)files, "records", (json_int_t)importer->records, "games",
                     (json_int_t)stat->games, "plies", (json_int_t)stat->plies, "duplicates",
                     (json_int_t)importer->duplicates, "cut", (json_int_t)importer->cut,
                     "rejected_total", (json_int_t)reject_tally_total(&importer->rejects),
                     "rejected", rejected, "results", command_results_json(stat->outcomes), "bytes",
                     (json_int_t)stat->bytes, "digest", written ? stat->digest : NULL);
}

static void print_result(const Importer *importer, const ImportOptions *options, bool written,
                         const ShardStat *stat)
{
    printf("records    %" PRIu64 "\n", importer->records);
    for (int i = 0; i < REJECT_COUNT; i++)
        if (importer->rejects.counts[i])
            printf("rejected   %" PRIu64 "  %s\n           first: %s\n",
                   importer->rejects.counts[i], reject_text((Reject)i),
                   importer->rejects.first[i] ? importer->rejects.first[i] : "?");
    if (importer->cut)
        printf("cut        %" PRIu64 "  games played on after their end by the rules\n",
               importer->cut);
    if (importer->dedup)
        printf("duplicates %" PRIu64 "\n", importer->duplicates);
    if (!written)
        return;
    printf("results    white %" PRIu64 ", black %" PRIu64 ", draw %" PRIu64 ", unfinished %" PRIu64
           "\n",
           stat->outcomes[OUTCOME_WHITE], stat->outcomes[OUTCOME_BLACK],
           stat->outcomes[OUTCOME_DRAW], stat->outcomes[OUTCOME_NONE]);
    printf("dataset    %s: %" PRIu64 " games, %" PRIu64 " plies, %" PRIu64 " bytes, digest %s\n",
           options->out, stat->games, stat->plies, stat->bytes, stat->digest);
}

static int run(const Engine *engine, const ImportOptions *options, const OptionList *paths,
               Error *err)
{
    Importer importer = {0};
    ShardStat stat = {0};
    ImportFormat *formats = calloc(paths->count, sizeof *formats);
    Status status = formats ? formats_of(options, paths, formats, err)
                            : error_set(err, STATUS_NO_MEMORY, "no memory to import");
    if (status == STATUS_OK && options->dry_run) {
        char *effective = options_effective(&table, options, NULL);
        fputs(effective ? effective : "", stdout);
        free(effective);
        for (size_t i = 0; i < paths->count; i++)
            printf("# would read %s as %s\n", paths->items[i], import_format_name(formats[i]));
    } else if (status == STATUS_OK) {
        status = importer_init(&importer, engine, options, err);
        if (status == STATUS_OK) {
            status = import_all(&importer, options, paths, formats, &stat, err);
            /* What was rejected is worth knowing most of all when nothing is left. */
            if (importer.records > 0 && options->json) {
                Error late = {0};
                Status printed = command_print_json(
                    result_json(&importer, options, paths->count, status == STATUS_OK, &stat),
                    &late);
                if (status == STATUS_OK && printed != STATUS_OK)
                    status = error_set(err, printed, "%s", late.message);
            } else if (importer.records > 0) {
                print_result(&importer, options, status == STATUS_OK, &stat);
            }
        }
    }
    importer_free(&importer);
    free(formats);
    return command_exit_code(status);
}

static bool names_standard_input(const OptionList *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(paths->items[i], "-") == 0)
            return true;
    return false;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const ImportOptions *options = context;
    ImportFormat format;
    if (!options->variant || !engine_find(options->variant))
        command_usage(err, "--variant: '%s', expected one of: %s",
                      options->variant ? options->variant : "", engine_names());
    else if (strcmp(options->format, "auto") != 0 &&
             !import_format_from_name(options->format, &format))
        command_usage(err, "--format: '%s', expected auto, pgn, epd, lines or plain",
                      options->format);
    else if (strcmp(options->format, "auto") == 0 && names_standard_input(inputs))
        command_usage(err, "standard input: expected --format pgn, epd, lines or plain");
    else
        return true;
    return false;
}

static int run_command(void *context, const OptionList *inputs, Error *err)
{
    const ImportOptions *options = context;
    return run(engine_find(options->variant), options, inputs, err);
}

int command_import(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {
        .table = &table,
        .inputs = "FILE given: PGN, EPD, FEN;result;score lines or plain records",
        .out = "the directory of the new dataset",
        .check = check,
        .run = run_command,
        .dries = true};
    ImportOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
