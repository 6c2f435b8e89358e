/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.c - what the subcommands share (see command.h). */
#include "command.h"

#include "bytes.h"
#include "support/interrupt.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

/* A value that a command may have; NULL if it has no such option. */
static const void *option_value(const OptionTable *table, const void *options, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return (const char *)options + table->rows[i].offset;
    return NULL;
}

int command_main(const CommandPlan *plan, int argc, char **argv, void *options, Error *err)
{
    OptionList inputs = {0};
    OptionsVerdict verdict = options_parse(plan->table, argc, argv, options, &inputs, err);
    if (verdict != OPTIONS_RUN)
        return options_exit_code(verdict, err);
    bool dry_run = *(const option_flag *)option_value(plan->table, options, "dry_run");
    const option_text *out = option_value(plan->table, options, "out");
    int code;
    if (plan->inputs && inputs.count == 0)
        code = command_usage(err, "no %s", plan->inputs);
    else if (plan->out && (!*out || !**out) && !(dry_run && plan->dries))
        code = command_usage(err, "--out is required: %s", plan->out);
    else if (plan->check && !plan->check(options, &inputs, err))
        code = EXIT_USAGE;
    else if (dry_run && !plan->dries)
        code = command_dry_run(plan->table, options, &inputs, err);
    else
        code = plan->run(options, &inputs, err);
    options_free(plan->table, options, &inputs);
    return code;
}

Status command_open(const OptionList *paths, Dataset ***datasets, Error *err)
{
    *datasets = calloc(paths->count, sizeof(Dataset *));
    Status status = *datasets
                        ? STATUS_OK
                        : error_set(err, STATUS_NO_MEMORY, "no memory for %zu paths", paths->count);
    for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
        status = dataset_open(&(*datasets)[i], paths->items[i], err);
    return status;
}

void command_close(const OptionList *paths, Dataset **datasets)
{
    for (size_t i = 0; datasets && i < paths->count; i++)
        dataset_close(datasets[i]);
    free(datasets);
}

Status command_check_inputs(const OptionList *paths, Error *err)
{
    if (paths->count < 2)
        return STATUS_OK;
    Dataset **datasets = NULL;
    Status status = command_open(paths, &datasets, err);
    if (status == STATUS_OK)
        status = datasets_check_distinct(datasets, paths->count, err);
    command_close(paths, datasets);
    return status;
}

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

Status command_print_kept(const char *out, uint64_t games, const ShardStat *stat, bool json,
                          Error *err)
{
    uint64_t dropped = games - stat->games;
    double rate = games ? (double)dropped / (double)games : 0;
    if (json)
        return command_print_json(
            json_pack("{s:s, s:I, s:I, s:I, s:f, s:I, s:I, s:o, s:s}", "out", out, "read",
                      (json_int_t)games, "games", (json_int_t)stat->games, "dropped",
                      (json_int_t)dropped, "dropped_share", rate, "plies", (json_int_t)stat->plies,
                      "bytes", (json_int_t)stat->bytes, "results",
                      command_results_json(stat->outcomes), "digest", stat->digest),
            err);
    printf("read     %" PRIu64 " games\n"
           "dropped  %" PRIu64 " (%.3f %%)\n"
           "dataset  %s: %" PRIu64 " games, %" PRIu64 " plies, %" PRIu64 " bytes, digest %s\n",
           games, dropped, 100 * rate, out, stat->games, stat->plies, stat->bytes, stat->digest);
    return STATUS_OK;
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
