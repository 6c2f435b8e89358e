/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_show.c - campmate-data show: one game, for people. */
#include "command.h"

#include <inttypes.h>
#include <stdlib.h>

#define SHOW_OPTIONS(X)                                                                            \
    X(int, game, "-1", -1, 9007199254740991, "N", "number of the game; required")                  \
    X(int, ply, "-1", -1, 1048576, "P", "board before this ply, -1 = at the end")

typedef struct ShowOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    SHOW_OPTIONS(OPTION_MEMBER)
} ShowOptions;
#define OPTIONS_STRUCT ShowOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) SHOW_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data show",
    .summary = "Shows one game of a dataset: result, board, moves and scores.",
    .usage = "PATH",
    .details = "Scores are centipawns from White's view, of the search before the move.\n"
               "--json adds to what `export --format jsonl` says: san, the moves as PGN writes them,\n"
               "fens, the positions before each move and at the end, and fen, the one at --ply.\n"
               "Marks: r random, b book, s sampled, + played on for a check of adjudication.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

static void print_move(const Engine *engine, Game *game, const PlyRecord *ply, size_t number,
                       bool marked)
{
    char san[ENGINE_MAX_MOVE_TEXT], uci[ENGINE_MAX_MOVE_TEXT];
    engine->move_san(game, ply->move, san);
    engine->move_uci(game, ply->move, uci);
    printf("%s%5zu  %4d%-3s %-10s %-8s", marked ? ">" : " ", number, engine->game_fullmove(game),
           engine->game_side(game) == SIDE_WHITE ? "." : "...", san, uci);
    if (ply->score_white_cp == SCORE_NONE)
        printf(" %7s", "-");
    else
        printf(" %+7d", ply->score_white_cp);
    printf("  %s%s%s%s\n", ply->flags & PLY_RANDOM ? "r" : "", ply->flags & PLY_BOOK ? "b" : "",
           ply->flags & PLY_SAMPLED ? "s" : "", ply->flags & PLY_PLAYED_OUT ? "+" : "");
}

/* Plays the first `plies` moves from the start. */
static Status play_to(const Engine *engine, Game *game, const GameRecord *record, size_t plies,
                      Error *err)
{
    Status status = engine->game_set(game, record->start_fen, err);
    for (size_t i = 0; i < plies && status == STATUS_OK; i++)
        status = engine->game_play(game, record->plies[i].move, err);
    return status;
}

static Status print_game(const Engine *engine, const GameRecord *record, size_t ply, Error *err)
{
    Game *game = engine->game_new(err);
    if (!game)
        return STATUS_NO_MEMORY;
    printf("game %" PRIu64 "  %s  %s  %s  %zu plies", record->number, engine->name,
           outcome_text(record->outcome), game_reason_text(record->reason), record->ply_count);
    if (record->adjudication != OUTCOME_NONE)
        printf("  (adjudication would have given %s)", outcome_text(record->adjudication));
    printf("\nstart %s\n\n", record->start_fen);
    Status status = play_to(engine, game, record, ply, err);
    if (status == STATUS_OK) {
        char *picture = engine->game_picture(game);
        if (picture)
            printf("%s\n", picture);
        else
            status = error_set(err, STATUS_NO_MEMORY, "no memory for a picture of the board");
        free(picture);
    }
    if (status == STATUS_OK)
        status = play_to(engine, game, record, 0, err);
    for (size_t i = 0; i < record->ply_count && status == STATUS_OK; i++) {
        print_move(engine, game, &record->plies[i], i, i == ply);
        status = engine->game_play(game, record->plies[i].move, err);
    }
    if (status == STATUS_OK && record->has_final_score)
        printf("final position %+d\n", record->final_score_white_cp);
    engine->game_free(game);
    return status;
}

/* Plays the game through: its moves in SAN, and the positions before each and at the end. */
static Status walk_game(const Engine *engine, Game *game, const GameRecord *record, json_t *sans,
                        json_t *fens, Error *err)
{
    Status status = play_to(engine, game, record, 0, err);
    for (size_t i = 0; i <= record->ply_count && status == STATUS_OK; i++) {
        char fen[ENGINE_MAX_FEN], san[ENGINE_MAX_MOVE_TEXT];
        engine->game_fen(game, fen);
        json_array_append_new(fens, json_string(fen));
        if (i == record->ply_count)
            break;
        engine->move_san(game, record->plies[i].move, san);
        json_array_append_new(sans, json_string(san));
        status = engine->game_play(game, record->plies[i].move, err);
    }
    return status;
}

static Status print_game_json(const Engine *engine, const GameRecord *record, size_t ply,
                              Error *err)
{
    Game *game = engine->game_new(err);
    if (!game)
        return STATUS_NO_MEMORY;
    json_t *object = NULL, *sans = json_array(), *fens = json_array();
    Status status = walk_game(engine, game, record, sans, fens, err);
    if (status == STATUS_OK)
        status = command_game_json(engine, record, &object, err);
    if (status == STATUS_OK) {
        json_object_set(object, "san", sans);
        json_object_set(object, "fens", fens);
        json_object_set_new(object, "ply", json_integer((json_int_t)ply));
        json_object_set(object, "fen", json_array_get(fens, ply));
        status = command_print_json(object, err);
    }
    json_decref(sans);
    json_decref(fens);
    engine->game_free(game);
    return status;
}

static Status show(const char *path, const ShowOptions *options, Error *err)
{
    Dataset *dataset = NULL;
    GameRecord record = {0};
    Status status = dataset_open(&dataset, path, err);
    if (status == STATUS_OK)
        status = dataset_game(dataset, (uint64_t)options->game, &record, err);
    size_t ply = options->ply < 0 ? record.ply_count : (size_t)options->ply;
    if (status == STATUS_OK && ply > record.ply_count)
        status = error_set(err, STATUS_ARGUMENT, "--ply: %zu, but game %" PRIu64 " has %zu plies",
                           ply, record.number, record.ply_count);
    if (status == STATUS_OK)
        status = options->json ? print_game_json(dataset_engine(dataset), &record, ply, err)
                               : print_game(dataset_engine(dataset), &record, ply, err);
    game_record_free(&record);
    dataset_close(dataset);
    return status;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const ShowOptions *options = context;
    if (inputs->count != 1) {
        command_usage(err, "%zu paths given, expected one", inputs->count);
        return false;
    }
    if (options->game < 0) {
        command_usage(err, "--game is required: the number of the game");
        return false;
    }
    return true;
}

static int run_command(void *options, const OptionList *inputs, Error *err)
{
    return command_exit_code(show(inputs->items[0], options, err));
}

int command_show(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {.table = &table, .check = check, .run = run_command};
    ShowOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
