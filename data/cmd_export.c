/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_export.c - campmate-data export: games as text. */
#include "command.h"

#include "pgn.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/standard_output.h"
#include "support/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT_OPTIONS(X)                                                                          \
    X(text, format, NULL, 0, 0, "jsonl|pgn|fen|plain", "what to write; required")                  \
    X(text, out, "-", 0, 0, "FILE", "where to write it, - = standard output")

typedef struct ExportOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    EXPORT_OPTIONS(OPTION_MEMBER)
} ExportOptions;
#define OPTIONS_STRUCT ExportOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) EXPORT_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data export",
    .summary = "Writes the games of datasets as text.",
    .usage = "PATH...",
    .details =
        "jsonl  one object a line: number, variant, start, moves, scores, flags, result, "
        "reason, adjudication, final_score\n"
        "pgn    PGN with scores and flags as comments; nothing is lost but plies of mate "
        "scores in set-up phases\n"
        "fen    a line FEN;result;score for the position before each move, for a last one that has "
        "a score, and for one without a move; the score is White's, in centipawns, empty where "
        "there is none\n"
        "plain  records of variant-nnue-tools: fen, move, score and result (both of the side "
        "to move), ply, e; plies without a score and unfinished games are left out\n\n"
        "campmate-data import reads pgn, fen and plain again.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

/* What a format could not take. */
typedef struct Omitted {
    uint64_t games, plies, positions;
} Omitted;

typedef Status (*GameWriter)(FILE *stream, const ShardInfo *info, const GameRecord *record,
                             Omitted *omitted, Error *err);

static Status write_jsonl(FILE *stream, const ShardInfo *info, const GameRecord *record,
                          Omitted *omitted, Error *err)
{
    const Engine *engine = info->engine;
    (void)omitted;
    json_t *object = NULL;
    Status status = command_game_json(engine, record, &object, err);
    if (status != STATUS_OK)
        return status;
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (!text)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a game as JSON");
    fprintf(stream, "%s\n", text);
    free(text);
    return STATUS_OK;
}

static Status write_pgn(FILE *stream, const ShardInfo *info, const GameRecord *record,
                        Omitted *omitted, Error *err)
{
    const Engine *engine = info->engine;
    (void)omitted;
    char round[24], player[64];
    snprintf(round, sizeof round, "%" PRIu64, record->number);
    snprintf(player, sizeof player, "campmate %s", version_number());
    /* Who played imported games is not in a dataset. */
    bool own = info->bench_nodes != 0;
    PgnTags tags = {.event = own ? "self-play" : "imported",
                    .round = round,
                    .white = own ? player : NULL,
                    .black = own ? player : NULL,
                    .time_control = "-", /* a number of nodes is no control of time */
                    .termination = game_reason_text(record->reason),
                    .adjudication = record->adjudication == OUTCOME_NONE
                                        ? NULL
                                        : outcome_text(record->adjudication)};
    return pgn_write(stream, engine, record, &tags, err);
}

/* Is the last position one to be told of: a judged one, or all that there is? */
static bool has_position(const GameRecord *record)
{
    return record->has_final_score || record->ply_count == 0;
}

static Status write_fen(FILE *stream, const ShardInfo *info, const GameRecord *record,
                        Omitted *omitted, Error *err)
{
    const Engine *engine = info->engine;
    (void)omitted;
    Game *game = engine->game_new(err);
    Status status = game ? engine->game_set(game, record->start_fen, err) : STATUS_NO_MEMORY;
    size_t count = record->ply_count + has_position(record);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        char fen[ENGINE_MAX_FEN];
        int score = i < record->ply_count     ? record->plies[i].score_white_cp
                    : record->has_final_score ? record->final_score_white_cp
                                              : SCORE_NONE;
        engine->game_fen(game, fen);
        fprintf(stream, "%s;%s;", fen, outcome_text(record->outcome));
        if (score != SCORE_NONE)
            fprintf(stream, "%d", score);
        putc('\n', stream);
        if (i < record->ply_count)
            status = engine->game_play(game, record->plies[i].move, err);
    }
    engine->game_free(game);
    return status;
}

/* A record for each ply that has a score; its format has no word for "unfinished". */
static Status write_plain(FILE *stream, const ShardInfo *info, const GameRecord *record,
                          Omitted *omitted, Error *err)
{
    const Engine *engine = info->engine;
    if (record->outcome == OUTCOME_NONE) {
        omitted->games++;
        return STATUS_OK;
    }
    Game *game = engine->game_new(err);
    Status status = game ? engine->game_set(game, record->start_fen, err) : STATUS_NO_MEMORY;
    /* As those tools number them: plies since the first move of a game from the FEN's counter. */
    size_t first = 0;
    if (status == STATUS_OK && engine->game_fullmove(game) > 0)
        first =
            2 * (size_t)(engine->game_fullmove(game) - 1) + (engine->game_side(game) == SIDE_BLACK);
    for (size_t i = 0; i < record->ply_count && status == STATUS_OK; i++) {
        char fen[ENGINE_MAX_FEN], move[ENGINE_MAX_MOVE_TEXT];
        const PlyRecord *ply = &record->plies[i];
        bool white = engine->game_side(game) == SIDE_WHITE;
        int result = record->outcome == OUTCOME_DRAW               ? 0
                     : (record->outcome == OUTCOME_WHITE) == white ? 1
                                                                   : -1;
        engine->game_fen(game, fen);
        engine->move_uci(game, ply->move, move);
        if (ply->score_white_cp == SCORE_NONE)
            omitted->plies++;
        else
            fprintf(stream, "fen %s\nmove %s\nscore %d\nply %zu\nresult %d\ne\n", fen, move,
                    white ? ply->score_white_cp : -ply->score_white_cp, first + i, result);
        status = engine->game_play(game, ply->move, err);
    }
    omitted->positions += has_position(record);
    engine->game_free(game);
    return status;
}

static const struct {
    const char *name;
    GameWriter write;
} formats[] = {
    {"jsonl", write_jsonl}, {"pgn", write_pgn}, {"fen", write_fen}, {"plain", write_plain}};

static GameWriter find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(name, formats[i].name) == 0)
            return formats[i].write;
    return NULL;
}

static Status export_shard(const Dataset *dataset, size_t index, GameWriter writer, FILE *stream,
                           const char *name, Omitted *omitted, Progress *progress, uint64_t *done,
                           Error *err)
{
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    bool end = false;
    Status status = shard_cursor_open(&cursor, dataset, index, err);
    while (status == STATUS_OK && !end) {
        if (interrupted()) {
            status = error_set(err, STATUS_INTERRUPTED, "interrupted");
            break;
        }
        status = shard_cursor_next(cursor, &record, &end, err);
        if (status != STATUS_OK || end)
            break;
        Error inner = {0};
        status = writer(stream, dataset_shard_info(dataset, index), &record, omitted, &inner);
        if (ferror(stream)) /* whichever writer noticed: the stream's name is known here */
            status = stream == stdout ? standard_output_check(err)
                                      : error_set_errno(err, "%s: cannot write game %" PRIu64, name,
                                                        record.number);
        else if (status != STATUS_OK)
            error_set(err, status, "%s", inner.message);
        progress_update(progress, ++*done, NULL);
    }
    game_record_free(&record);
    shard_cursor_close(cursor);
    return status;
}

static Status export_path(const char *path, GameWriter writer, FILE *stream, const char *name,
                          Omitted *omitted, Error *err)
{
    Dataset *dataset = NULL;
    Status status = dataset_open(&dataset, path, err);
    if (status != STATUS_OK)
        return status;
    Progress progress;
    uint64_t done = 0;
    progress_begin(&progress, "games", dataset_game_count(dataset), 0);
    for (size_t i = 0; i < dataset_shard_count(dataset) && status == STATUS_OK; i++)
        status = export_shard(dataset, i, writer, stream, name, omitted, &progress, &done, err);
    progress_end(&progress);
    dataset_close(dataset);
    return status;
}

static Status export_all(const OptionList *paths, GameWriter writer, const char *out, Error *err)
{
    bool to_stdout = strcmp(out, "-") == 0;
    AtomicFile file = {0};
    Omitted omitted = {0};
    Status status = command_check_inputs(paths, err);
    if (status == STATUS_OK && !to_stdout)
        status = atomic_file_open(&file, out, err);
    if (status != STATUS_OK)
        return status;
    FILE *stream = to_stdout ? stdout : file.stream;
    for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
        status = export_path(paths->items[i], writer, stream, to_stdout ? "standard output" : out,
                             &omitted, err);
    if (status == STATUS_OK && !to_stdout)
        status = atomic_file_commit(&file, err);
    atomic_file_abandon(&file);
    if (status == STATUS_OK && (omitted.games || omitted.plies || omitted.positions))
        fprintf(stderr,
                "left out: %" PRIu64 " unfinished games, %" PRIu64
                " plies without a score, %" PRIu64 " positions without a move\n",
                omitted.games, omitted.plies, omitted.positions);
    return status;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const ExportOptions *options = context;
    (void)inputs;
    if (!options->format || !find_format(options->format)) {
        command_usage(err, "--format: '%s', expected jsonl, pgn, fen or plain",
                      options->format ? options->format : "");
        return false;
    }
    return true;
}

static int run_command(void *context, const OptionList *inputs, Error *err)
{
    const ExportOptions *options = context;
    return command_exit_code(export_all(inputs, find_format(options->format), options->out, err));
}

int command_export(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {
        .table = &table, .inputs = INPUT_PATHS, .check = check, .run = run_command};
    ExportOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
