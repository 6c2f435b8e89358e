/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_salvage.c - campmate-data salvage: the intact games of damaged or unfinished shards. */
#include "command.h"

#include "output_directory.h"
#include "salvage.h"
#include "shard.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SALVAGE_OPTIONS(X)                                                                         \
    X(text, out, NULL, 0, 0, "DIR", "directory of the new dataset; required")                      \
    X(text, like, NULL, 0, 0, "SHARD",                                                             \
      "a shard of the same run, whose header stands in for one that is lost")                      \
    X(int, first_game, "-1", -1, 9007199254740991, "N",                                            \
      "first number of the range of a shard without header and trailer")                           \
    X(int, game_count, "0", 0, 9007199254740991, "N",                                              \
      "numbers in the range of a shard without header, 0 = as in --like")

typedef struct SalvageOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    SALVAGE_OPTIONS(OPTION_MEMBER)
} SalvageOptions;
#define OPTIONS_STRUCT SalvageOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) SALVAGE_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data salvage",
    .summary = "Brings every intact block of damaged or unfinished shards into a new dataset.",
    .usage = "FILE...",
    .details =
        "FILEs are .cmpd, .partial or other files with (a part of) a shard: cut off, with flipped "
        "bits, with bytes lost, added or unreadable, without their trailer. A block is taken if "
        "its "
        "checksums fit and all of its games are legal, or not at all. What is lost is listed with "
        "its offset. The FILEs are not changed.\n\n"
        "A single flipped bit in the header is repaired. A header that is lost for good holds "
        "variant, origin and numbers: --like SHARD says the first two (that it is a shard of the "
        "same run is your word), the trailer the numbers, or --first-game (and --game-count) if it "
        "is lost, too.\n\n"
        "Each FILE gives a shard with the same numbers and range; these must not overlap. --out "
        "must not be there, or be empty; it appears when everything is written. --dry-run only "
        "says what could be saved. Exit code 0 if something was saved, be it not everything, 1 if "
        "nothing was. Memory does not grow with the FILEs.\n\n"
        "Example: campmate-data salvage --out saved games/000003.cmpd games/000004.partial",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

/* One file. */
typedef struct Patient {
    const char *path;
    Salvage *salvage; /* kept for its report; NULL if it could not be opened */
    unsigned number;  /* of its new shard */
    Error err;        /* why nothing of it can be used */
    uint64_t saved;
} Patient;

typedef struct Hospital {
    Patient *patients; /* [count] */
    size_t count;
    const char *directory; /* NULL: nothing is written */
    Progress progress;
    size_t done;
} Hospital;

/* The number in the file's name if no file before it has that, else the lowest free one. */
static void number_shards(Hospital *hospital)
{
    for (size_t i = 0; i < hospital->count; i++) {
        const char *slash = strrchr(hospital->patients[i].path, '/');
        const char *name = slash ? slash + 1 : hospital->patients[i].path;
        char own[12] = "";
        bool clash = true;
        if (strlen(name) >= 6)
            snprintf(own, sizeof own, "%.6s.cmpd", name);
        int wanted = own[0] ? shard_number_from_name(own) : -1;
        for (unsigned number = wanted < 0 ? 0 : (unsigned)wanted, turn = 0; clash; turn++) {
            if (turn > 0)
                number = turn - 1;
            clash = false;
            for (size_t j = 0; j < i; j++)
                clash = clash || hospital->patients[j].number == number;
            hospital->patients[i].number = number;
        }
    }
}

/* Ranges that overlap cannot stand in one dataset. */
static Status check_ranges(const Hospital *hospital, Error *err)
{
    for (size_t i = 0; i < hospital->count; i++)
        for (size_t j = i + 1; j < hospital->count; j++) {
            const Patient *a = &hospital->patients[i], *b = &hospital->patients[j];
            if (!a->salvage || !b->salvage)
                continue;
            const ShardInfo *x = salvage_info(a->salvage), *y = salvage_info(b->salvage);
            if (x->engine != y->engine)
                return error_set(err, STATUS_ARGUMENT, "%s holds games of %s, but %s of %s",
                                 a->path, x->engine->name, b->path, y->engine->name);
            if (x->first_game < y->first_game + y->game_count &&
                y->first_game < x->first_game + x->game_count)
                return error_set(err, STATUS_ARGUMENT,
                                 "%s and %s overlap: games %" PRIu64 "+%" PRIu64 " and %" PRIu64
                                 "+%" PRIu64 "; salvage them one by one",
                                 a->path, b->path, x->first_game, x->game_count, y->first_game,
                                 y->game_count);
        }
    return STATUS_OK;
}

/* Reads a file to its end, into a shard if something is to be written. */
static Status treat(const Hospital *hospital, Patient *patient, Error *err)
{
    ShardWriter *writer = NULL;
    GameRecord record = {0};
    bool end = false;
    uint64_t games = 0;
    Status status = STATUS_OK;
    while (status == STATUS_OK) {
        if (interrupted()) {
            status = error_set(err, STATUS_INTERRUPTED, "interrupted; nothing is written");
            break;
        }
        status = salvage_next(patient->salvage, &record, &end, err);
        if (status != STATUS_OK || end)
            break;
        if (!writer && hospital->directory) {
            status = shard_writer_open(&writer, hospital->directory, patient->number,
                                       salvage_info(patient->salvage), err);
            if (status == STATUS_OK)
                shard_writer_keep_nothing(writer);
        }
        if (status == STATUS_OK && writer)
            status = shard_writer_push(writer, &record, err);
        games++;
    }
    if (status == STATUS_OK && writer)
        status = shard_writer_close(writer, NULL, err);
    else
        shard_writer_abandon(writer);
    game_record_free(&record);
    patient->saved = status == STATUS_OK ? games : 0;
    return status;
}

/* What is wrong with one file does not keep the others from being saved; a full disk does. */
static Status treat_all(Hospital *hospital, int threads, Error *err)
{
    progress_begin(&hospital->progress, "files", hospital->count, 0);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < hospital->count; i++) {
        Patient *patient = &hospital->patients[i];
        if (patient->salvage)
            patient->err.status = treat(hospital, patient, &patient->err);
#pragma omp critical(salvage)
        progress_update(&hospital->progress, ++hospital->done, NULL);
    }
    progress_end(&hospital->progress);
    for (size_t i = 0; i < hospital->count; i++) {
        const Error *own = &hospital->patients[i].err;
        if (own->status != STATUS_OK && own->status != STATUS_FORMAT)
            return error_set(err, own->status, "%s", own->message);
    }
    return STATUS_OK;
}

static Status open_all(Hospital *hospital, const SalvageOptions *options, const OptionList *files,
                       Error *err)
{
    ShardInfo like = {0};
    Status status = options->like ? salvage_read_header(options->like, &like, err) : STATUS_OK;
    if (options->game_count > 0)
        like.game_count = (uint64_t)options->game_count;
    hospital->patients = calloc(files->count, sizeof *hospital->patients);
    if (status == STATUS_OK && !hospital->patients)
        status = error_set(err, STATUS_NO_MEMORY, "no memory for %zu files", files->count);
    for (size_t i = 0; i < files->count && status == STATUS_OK; i++) {
        Patient *patient = &hospital->patients[hospital->count++];
        patient->path = files->items[i];
        patient->err.status =
            salvage_open(&patient->salvage, patient->path, options->like ? &like : NULL,
                         options->first_game, &patient->err);
        if (patient->err.status != STATUS_OK && patient->err.status != STATUS_FORMAT)
            status = error_set(err, patient->err.status, "%s", patient->err.message);
    }
    shard_info_free(&like);
    if (status == STATUS_OK)
        status = check_ranges(hospital, err);
    number_shards(hospital);
    return status;
}

/* --- the report ------------------------------------------------------------------------------ */

static json_t *patient_json(const Patient *patient)
{
    const SalvageReport *report = patient->salvage ? salvage_report(patient->salvage) : NULL;
    json_t *notes = json_array();
    for (size_t i = 0; report && i < report->note_count; i++)
        json_array_append_new(notes, json_string_nocheck(report->notes[i]));
    bool known = report && report->has_trailer;
    return json_pack(
        "{s:s, s:I, s:o, s:o, s:o, s:I, s:o}", "file", patient->path, "saved",
        (json_int_t)patient->saved, "of",
        known ? json_integer((json_int_t)report->expected) : json_null(), "range",
        report ? json_integer((json_int_t)salvage_info(patient->salvage)->game_count) : json_null(),
        "notes", notes, "more_notes", report ? (json_int_t)report->more_notes : (json_int_t)0,
        "error",
        patient->err.status == STATUS_OK ? json_null() : json_string_nocheck(patient->err.message));
}

static void print_patient(const Patient *patient)
{
    const SalvageReport *report = patient->salvage ? salvage_report(patient->salvage) : NULL;
    for (size_t i = 0; report && i < report->note_count; i++)
        printf("  %s\n", report->notes[i]);
    if (report && report->more_notes)
        printf("  %s: %" PRIu64 " more\n", patient->path, report->more_notes);
    if (patient->err.status != STATUS_OK)
        printf("%s: nothing saved: %s\n", patient->path, patient->err.message);
    else if (report && report->has_trailer)
        printf("%s: saved %" PRIu64 " of %" PRIu64 " games\n", patient->path, patient->saved,
               report->expected);
    else
        printf("%s: saved %" PRIu64 " games of at most %" PRIu64 "\n", patient->path,
               patient->saved, report ? report->expected : 0);
}

static Status print_report(const Hospital *hospital, const SalvageOptions *options, uint64_t saved,
                           const ShardStat *stat, Error *err)
{
    bool written = saved > 0 && !options->dry_run;
    if (options->json) {
        json_t *files = json_array();
        for (size_t i = 0; i < hospital->count; i++)
            json_array_append_new(files, patient_json(&hospital->patients[i]));
        return command_print_json(
            json_pack("{s:s?, s:I, s:s?, s:o}", "out", written ? options->out : NULL, "saved",
                      (json_int_t)saved, "digest", written ? stat->digest : NULL, "files", files),
            err);
    }
    for (size_t i = 0; i < hospital->count; i++)
        print_patient(&hospital->patients[i]);
    if (written)
        printf("%s: %" PRIu64 " games, %" PRIu64 " plies, %" PRIu64 " bytes, digest %s\n",
               options->out, stat->games, stat->plies, stat->bytes, stat->digest);
    return STATUS_OK;
}

static Status run(const SalvageOptions *options, const OptionList *files, Error *err)
{
    Hospital hospital = {0};
    OutputDirectory output = {0};
    ShardStat stat = {0};
    uint64_t saved = 0;
    Status status = options->dry_run ? STATUS_OK : output_directory_check(options->out, err);
    if (status == STATUS_OK)
        status = open_all(&hospital, options, files, err);
    if (status == STATUS_OK && !options->dry_run)
        status = output_directory_open(&output, options->out, err);
    hospital.directory = output.temporary;
    if (status == STATUS_OK)
        status = treat_all(&hospital, options_threads(options->threads), err);
    for (size_t i = 0; i < hospital.count; i++)
        saved += hospital.patients[i].saved;
    if (status == STATUS_OK && saved > 0 && output.temporary) {
        status = dataset_write_manifest(output.temporary, &stat, err);
        if (status == STATUS_OK)
            status = output_directory_commit(&output, err);
    }
    output_directory_abandon(&output);
    if (status == STATUS_OK)
        status = print_report(&hospital, options, saved, &stat, err);
    if (status == STATUS_OK && saved == 0)
        status = error_set(err, STATUS_FORMAT, "no game could be saved; nothing is written");
    for (size_t i = 0; i < hospital.count; i++)
        salvage_close(hospital.patients[i].salvage);
    free(hospital.patients);
    return status;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const SalvageOptions *options = context;
    if (options->first_game >= 0 && (!options->like || inputs->count > 1))
        command_usage(err, "--first-game goes with --like and a single FILE");
    else if (options->game_count > 0 && !options->like)
        command_usage(err, "--game-count goes with --like");
    else
        return true;
    return false;
}

static int run_command(void *options, const OptionList *inputs, Error *err)
{
    return command_exit_code(run(options, inputs, err));
}

int command_salvage(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {.table = &table,
                                     .inputs = "FILE given: damaged .cmpd or .partial files",
                                     .out = "the directory of the new dataset",
                                     .check = check,
                                     .run = run_command,
                                     .dries = true};
    SalvageOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
