/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_verify.c - campmate-data verify: is every byte what was written, and every game by the rules?
 *
 * Reading a shard already checks all checksums, the digest, and that every rank is a legal move.
 * Here the rules with history come on top: no forbidden repetition, no move after the end, and an
 * end that the rules agree with.
 */
#include "command.h"

#include "regenerate.h"
#include "shard.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/rng.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ERRORS_PER_SHARD = 20 };

#define VERIFY_OPTIONS(X)                                                                          \
    X(int, regenerate, "0", 0, 1e12, "N", "play N random games again and compare them")            \
    X(text, eval_file, NULL, 0, 0, "HEADER", "with --regenerate: the weights that played")         \
    X(text, book, NULL, 0, 0, "FILE", "with --regenerate: the book that the games began from")

typedef struct VerifyOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    VERIFY_OPTIONS(OPTION_MEMBER)
} VerifyOptions;
#define OPTIONS_STRUCT VerifyOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) VERIFY_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data verify",
    .summary = "Decodes everything, replays every game, recomputes checksums and digests.",
    .usage = "PATH...",
    .details =
        "Exit code 1 if anything is wrong; every finding is a line with file and place.\n\n"
        "--regenerate plays games again from their numbers and the configuration in the shards, "
        "and compares moves, scores, flags and results. --seed draws the games. Refused where this "
        "build cannot do it: the bench signature, the weights (--eval-file), the book (--book) or "
        "a setting is not that of the shard, or the games were not made by campmate-selfplay. The "
        "commit may be another one: whether that plays the same games is what is found out.\n\n"
        "Example: campmate-data verify --regenerate 20 games",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

/* What was found in one shard. */
typedef struct Findings {
    uint64_t games, plies, errors;
    size_t kept; /* the first of the errors */
    char *messages[ERRORS_PER_SHARD];
} Findings;

typedef struct Report {
    json_t *errors; /* array of texts, in order of path and shard */
    uint64_t shards, games, plies, error_count;
    uint64_t regenerated;
    bool all_manifests;
} Report;

static void find(Findings *findings, const char *message)
{
    findings->errors++;
    if (findings->kept < ERRORS_PER_SHARD) {
        char *copy = strdup(message);
        if (copy)
            findings->messages[findings->kept++] = copy;
    }
}

static bool contains(const Move *moves, size_t count, Move move)
{
    for (size_t i = 0; i < count; i++)
        if (moves[i] == move)
            return true;
    return false;
}

/* Why the stored end is not one, NULL if it is: what the rules say has to be what the record says.
 */
static const char *end_mistake(const GameRecord *record, Ending ending)
{
    if (record->reason == (int)ending.reason)
        return record->outcome == ending.outcome ? NULL : "the rules give another outcome";
    if (record->reason == REASON_UNKNOWN)
        return ending.reason == END_NONE || record->outcome == ending.outcome
                   ? NULL
                   : "the rules give another outcome";
    if (record->reason < END_REASON_COUNT && record->reason != END_NONE)
        return "the rules do not see this end";
    return ending.reason == END_NONE ? NULL : "the rules had ended the game before";
}

/* Replays one game; a message into err if the rules object. */
static Status check_game(const Engine *engine, Game *game, const GameRecord *record,
                         const char *path, Error *err)
{
    Status status = engine->game_set(game, record->start_fen, err);
    for (size_t i = 0; i < record->ply_count && status == STATUS_OK; i++) {
        Move moves[ENGINE_MAX_MOVES], move = record->plies[i].move;
        char text[ENGINE_MAX_MOVE_TEXT];
        engine->move_uci(game, move, text);
        if (!contains(moves, engine->game_moves(game, moves), move))
            return error_set(err, STATUS_FORMAT,
                             "%s: game %" PRIu64 ", ply %zu: %s is not allowed here", path,
                             record->number, i, text);
        Ending ending = engine->game_ending(game);
        if (ending.reason != END_NONE)
            return error_set(err, STATUS_FORMAT,
                             "%s: game %" PRIu64 ", ply %zu: %s was played after the end (%s)",
                             path, record->number, i, text, end_reason_text(ending.reason));
        status = engine->game_play(game, move, err);
    }
    if (status != STATUS_OK)
        return status;
    Ending ending = engine->game_ending(game);
    const char *mistake = end_mistake(record, ending);
    if (!mistake)
        return STATUS_OK;
    return error_set(err, STATUS_FORMAT,
                     "%s: game %" PRIu64 ", ply %zu: %s %s is stored, the rules say %s %s: %s",
                     path, record->number, record->ply_count, outcome_text(record->outcome),
                     game_reason_text(record->reason), outcome_text(ending.outcome),
                     end_reason_text(ending.reason), mistake);
}

static void check_shard(const char *path, Findings *findings)
{
    Error err = {0};
    Dataset *dataset = NULL;
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    Game *game = NULL;
    bool end = false;
    Status status = dataset_open(&dataset, path, &err);
    if (status == STATUS_OK && !(game = dataset_engine(dataset)->game_new(&err)))
        status = STATUS_NO_MEMORY;
    if (status == STATUS_OK)
        status = shard_cursor_open(&cursor, dataset, 0, &err);
    while (status == STATUS_OK && !end) {
        if (interrupted())
            break;
        status = shard_cursor_next(cursor, &record, &end, &err);
        if (status != STATUS_OK || end)
            break;
        findings->games++;
        findings->plies += record.ply_count;
        if (check_game(dataset_engine(dataset), game, &record, path, &err) != STATUS_OK)
            find(findings, err.message);
    }
    if (status != STATUS_OK)
        find(findings, err.message);
    if (game)
        dataset_engine(dataset)->game_free(game);
    game_record_free(&record);
    shard_cursor_close(cursor);
    dataset_close(dataset);
}

static void report_error(Report *report, const char *message)
{
    report->error_count++;
    json_array_append_new(report->errors, json_string_nocheck(message));
}

/* The shards of a path: one file or all of a directory (malloc'ed array of malloc'ed names). */
static Status list_shards(const char *path, char ***names, size_t *count, Error *err)
{
    unsigned *numbers = NULL;
    size_t size = 1;
    bool is_directory = directory_exists(path);
    if (is_directory) {
        Status status = shard_numbers(path, &numbers, &size, err);
        if (status != STATUS_OK)
            return status;
        if (size == 0)
            return error_set(err, STATUS_FORMAT, "%s: no shard NNNNNN.cmpd in it", path);
    }
    char **list = calloc(size, sizeof *list);
    Status status = STATUS_OK;
    for (size_t i = 0; list && i < size; i++) {
        list[i] = is_directory ? shard_file_name(path, numbers[i], "cmpd") : strdup(path);
        if (!list[i])
            status = STATUS_NO_MEMORY;
    }
    free(numbers);
    if (!list || status != STATUS_OK) {
        for (size_t i = 0; list && i < size; i++)
            free(list[i]);
        free(list);
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu names", path, size);
    }
    *names = list;
    *count = size;
    return STATUS_OK;
}

/* What only shows in all shards together: overlapping ranges, the manifest. */
static void check_together(const char *path, Report *report)
{
    Error err = {0};
    Dataset *dataset = NULL;
    bool present = false;
    Status status = dataset_open(&dataset, path, &err);
    if (status == STATUS_OK)
        status = dataset_check_manifest(path, dataset, &present, &err);
    if (status != STATUS_OK)
        report_error(report, err.message);
    if (!present)
        report->all_manifests = false;
    dataset_close(dataset);
}

static Status verify_path(const char *path, int threads, Report *report, Error *err)
{
    char **names = NULL;
    size_t count = 0, done = 0;
    Status status = list_shards(path, &names, &count, err);
    if (status != STATUS_OK)
        return status;
    Findings *findings = calloc(count, sizeof *findings);
    if (!findings)
        status = error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu shards", path, count);
    Progress progress;
    progress_begin(&progress, "shards", count, 0);
    if (findings) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (size_t i = 0; i < count; i++) {
            check_shard(names[i], &findings[i]);
#pragma omp critical(progress)
            progress_update(&progress, ++done, NULL);
        }
    }
    progress_end(&progress);
    uint64_t errors = report->error_count;
    for (size_t i = 0; findings && i < count; i++) {
        report->games += findings[i].games;
        report->plies += findings[i].plies;
        for (size_t j = 0; j < findings[i].kept; j++) {
            report_error(report, findings[i].messages[j]);
            free(findings[i].messages[j]);
        }
        if (findings[i].errors > findings[i].kept) {
            char *more = text_format("%s: %" PRIu64 " more", names[i],
                                     findings[i].errors - findings[i].kept);
            report_error(report, more ? more : names[i]);
            free(more);
        }
    }
    if (status == STATUS_OK && directory_exists(path) && report->error_count == errors)
        check_together(path, report);
    report->shards += count;
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    free(findings);
    return status;
}

static Status print_report(const Report *report, const VerifyOptions *options, Error *err)
{
    bool ok = report->error_count == 0;
    if (options->json) {
        json_t *object = json_pack("{s:b, s:I, s:I, s:I, s:b, s:O}", "ok", ok, "shards",
                                   (json_int_t)report->shards, "games", (json_int_t)report->games,
                                   "plies", (json_int_t)report->plies, "manifest",
                                   report->all_manifests, "errors", report->errors);
        if (object && options->regenerate > 0) {
            json_object_set_new(object, "regenerated",
                                json_integer((json_int_t)report->regenerated));
            json_object_set_new(object, "seed", json_integer(options->seed));
        }
        return command_print_json(object, err);
    }
    for (size_t i = 0; i < json_array_size(report->errors); i++)
        printf("%s\n", json_string_value(json_array_get(report->errors, i)));
    printf("%s: %" PRIu64 " shards, %" PRIu64 " games, %" PRIu64 " plies", ok ? "ok" : "NOT OK",
           report->shards, report->games, report->plies);
    if (!ok)
        printf(", %" PRIu64 " errors", report->error_count);
    else if (!report->all_manifests)
        printf(" (without a manifest)");
    if (options->regenerate > 0)
        printf("; %" PRIu64 " games played again, seed %" PRId64, report->regenerated,
               options->seed);
    putchar('\n');
    return STATUS_OK;
}

/* What the paths say by themselves; what cannot be opened is a finding like others. */
static Status verify_all(const OptionList *paths, int threads, Report *report, Error *err)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < paths->count && status == STATUS_OK; i++) {
        status = verify_path(paths->items[i], threads, report, err);
        if (!directory_exists(paths->items[i]))
            report->all_manifests = false;
        if (status == STATUS_FORMAT) { /* an empty directory is a finding, too */
            report_error(report, err->message);
            status = STATUS_OK;
        }
    }
    if (status == STATUS_OK && interrupted())
        status = error_set(err, STATUS_INTERRUPTED, "interrupted");
    return status;
}

static Status run(VerifyOptions *options, const OptionList *paths, Report *report, Error *err)
{
    int threads = options_threads(options->threads);
    Dataset **datasets = NULL;
    Regeneration *again = NULL;
    /* Named twice, games would count twice. */
    Status status = command_check_inputs(paths, err);
    if (status != STATUS_ARGUMENT)
        status = STATUS_OK;
    /* What cannot be played again is refused before an hour of reading; what cannot be read is
     * told by the reading. */
    bool readable = status == STATUS_OK && options->regenerate > 0 &&
                    command_open(paths, &datasets, err) == STATUS_OK;
    if (readable)
        status = regeneration_open(&again, datasets, paths->count, options->eval_file,
                                   options->book, err);
    if (status == STATUS_OK)
        status = verify_all(paths, threads, report, err);
    if (status == STATUS_OK && again && report->error_count == 0) {
        RegenerationPlan plan = {.games = (uint64_t)options->regenerate,
                                 .seed = (uint64_t)options->seed,
                                 .threads = threads};
        json_t *findings = json_array();
        status = regeneration_run(again, &plan, findings, &report->regenerated, err);
        for (size_t i = 0; i < json_array_size(findings); i++)
            report_error(report, json_string_value(json_array_get(findings, i)));
        json_decref(findings);
    }
    regeneration_close(again);
    command_close(paths, datasets);
    return status;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const VerifyOptions *options = context;
    (void)inputs;
    if (options->regenerate == 0 && (options->eval_file || options->book)) {
        command_usage(err, "--eval-file and --book are for --regenerate");
        return false;
    }
    return true;
}

static int run_command(void *context, const OptionList *inputs, Error *err)
{
    VerifyOptions *options = context;
    Report report = {.errors = json_array(), .all_manifests = true};
    if (options->regenerate > 0 && options->seed == 0)
        options->seed = (option_int)rng_seed_from_os();
    Status status = run(options, inputs, &report, err);
    if (status == STATUS_OK) {
        err->message[0] = 0; /* the findings are the result, on standard output */
        status = print_report(&report, options, err);
    }
    int code = command_exit_code(status);
    if (code == EXIT_DONE && report.error_count > 0)
        code = EXIT_FAILED;
    json_decref(report.errors);
    return code;
}

int command_verify(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {
        .table = &table, .inputs = INPUT_PATHS, .check = check, .run = run_command};
    VerifyOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
