/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_dedup.c - campmate-data dedup: of games that are the same only the first is kept. */
#include "command.h"

#include "bit_list.h"
#include "bytes.h"
#include "derive.h"
#include "key_sorter.h"
#include "output_directory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define DEDUP_OPTIONS(X)                                                                           \
    X(text, out, NULL, 0, 0, "DIR", "directory of the new dataset; required")                      \
    X(text, by, "moves", 0, 0, "moves|position", "what makes two games the same")                  \
    X(int, from_ply, "12", 0, 1048576, "N", "the position after so many plies, for --by position") \
    X(int, memory, "64", 1, 1048576, "MIB",                                                        \
      "memory for sorting keys; more go to a temporary file")                                      \
    X(flag, renumber, NULL, 0, 0, NULL, "count the games of the paths anew, from 0")

typedef struct DedupOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    DEDUP_OPTIONS(OPTION_MEMBER)
} DedupOptions;
#define OPTIONS_STRUCT DedupOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) DEDUP_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data dedup",
    .summary = "Writes a new dataset without the games that were there before.",
    .usage = "PATH...",
    .details =
        "moves     the same start and the same moves\n"
        "position  the same position after --from-ply plies; shorter games are compared by their "
        "moves\n\n"
        "Starts and positions are compared by rule key: board, hands, side to move, rights; not "
        "by counters of moves. The first game in order of number stays, whatever its scores and "
        "result. Keys have 64 bits: among a million games two different ones are taken for the "
        "same with probability 3e-8.\n\n"
        "Games keep their numbers, and shards their ranges; several paths must have different "
        "numbers, or --renumber (then those of the first path come first). --out must not be "
        "there, or be empty; it appears when everything is written. The games are read twice. "
        "Their keys are sorted in --memory, or beyond that (32,000 games a MiB) in a temporary "
        "file in $TMPDIR or /tmp of 16 bytes a game.\n\n"
        "Example: campmate-data dedup --out clean --by position --from-ply 12 games",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

enum { PAIRS_HELD = 512 };

/* What a thread needs. */
typedef struct Worker {
    Game *game;
    Buffer moves;
    KeyPair pairs[PAIRS_HELD]; /* keys of games, not sorted in yet */
    size_t held;
    BitPage page;
} Worker;

typedef struct Dedup {
    const Engine *engine;
    bool by_position;
    size_t from_ply;
    Worker *workers; /* [threads] */
    int threads;
    KeySorter *sorter; /* keys with the places of their games */
    BitList drop;      /* the games that were there before */
} Dedup;

static Status sort_in(Dedup *dedup, Worker *worker, Error *err)
{
    Status status;
#pragma omp critical(dedup_sorter)
    status = key_sorter_add(dedup->sorter, worker->pairs, worker->held, err);
    worker->held = 0;
    return status;
}

/* Finds the key of a game. */
static Status note_key(void *context, int thread, uint64_t ordinal, const GameRecord *record,
                       int *part, Error *err)
{
    Dedup *dedup = context;
    Worker *worker = &dedup->workers[thread];
    const Engine *engine = dedup->engine;
    (void)part;
    Status status = engine->game_set(worker->game, record->start_fen, err);
    if (status != STATUS_OK)
        return status;
    uint64_t key;
    if (dedup->by_position && record->ply_count >= dedup->from_ply) {
        for (size_t i = 0; i < dedup->from_ply && status == STATUS_OK; i++)
            status = engine->game_play(worker->game, record->plies[i].move, err);
        key = engine->game_key(worker->game);
    } else {
        buffer_clear(&worker->moves);
        for (size_t i = 0; i < record->ply_count; i++)
            buffer_put_uint(&worker->moves, record->plies[i].move, 2);
        if (worker->moves.failed)
            return error_set(err, STATUS_NO_MEMORY, "no memory for a game of %zu plies",
                             record->ply_count);
        key = XXH3_64bits_withSeed(worker->moves.bytes, worker->moves.size,
                                   engine->game_key(worker->game));
    }
    worker->pairs[worker->held++] = (KeyPair){key, ordinal};
    return status == STATUS_OK && worker->held == PAIRS_HELD ? sort_in(dedup, worker, err) : status;
}

/* Of games with the same key the first in the data stays. */
static Status mark_repeats(Dedup *dedup, uint64_t games, Error *err)
{
    Status status = bit_list_open(&dedup->drop, games, BIT_LIST_MEMORY, err);
    for (int i = 0; i < dedup->threads && status == STATUS_OK; i++)
        status = sort_in(dedup, &dedup->workers[i], err);
    if (status == STATUS_OK)
        status = key_sorter_sort(dedup->sorter, err);
    uint64_t last = 0;
    bool end = false;
    for (bool first = true; status == STATUS_OK; first = false) {
        KeyPair pair;
        status = key_sorter_next(dedup->sorter, &pair, &end, err);
        if (status != STATUS_OK || end)
            break;
        if (!first && pair.key == last)
            status = bit_list_set(&dedup->drop, pair.value, err);
        last = pair.key;
    }
    key_sorter_free(dedup->sorter);
    dedup->sorter = NULL;
    return status;
}

static Status choose(void *context, int thread, uint64_t ordinal, const GameRecord *record,
                     int *part, Error *err)
{
    const Dedup *dedup = context;
    bool drop = false;
    (void)record;
    Status status = bit_list_get(&dedup->drop, &dedup->workers[thread].page, ordinal, &drop, err);
    *part = drop ? -1 : 0;
    return status;
}

static Status dedup_init(Dedup *dedup, const DedupOptions *options, const DeriveInput *input,
                         Error *err)
{
    *dedup = (Dedup){.engine = input->engine,
                     .by_position = strcmp(options->by, "position") == 0,
                     .from_ply = (size_t)options->from_ply,
                     .threads = options_threads(options->threads)};
    dedup->workers = calloc((size_t)dedup->threads, sizeof *dedup->workers);
    if (!dedup->workers)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %d threads", dedup->threads);
    for (int i = 0; i < dedup->threads; i++)
        if (!(dedup->workers[i].game = dedup->engine->game_new(err)))
            return STATUS_NO_MEMORY;
    /* No more than there are games to sort, in twice the room (see key_sorter_new). */
    size_t memory = (size_t)options->memory << 20;
    if (input->games < memory / (2 * sizeof(KeyPair)))
        memory = (size_t)(input->games + 1) * 2 * sizeof(KeyPair);
    return key_sorter_new(&dedup->sorter, memory, err);
}

static void dedup_free(Dedup *dedup)
{
    for (int i = 0; dedup->workers && i < dedup->threads; i++) {
        if (dedup->workers[i].game)
            dedup->engine->game_free(dedup->workers[i].game);
        buffer_free(&dedup->workers[i].moves);
    }
    free(dedup->workers);
    key_sorter_free(dedup->sorter);
    bit_list_close(&dedup->drop);
}

static Status run(const DedupOptions *options, const OptionList *paths, Error *err)
{
    DeriveInput input = {0};
    Dedup dedup = {0};
    char *note = NULL;
    Status status = output_directory_check(options->out, err);
    if (status == STATUS_OK)
        status = derive_open(&input, paths, options->renumber, err);
    if (status == STATUS_OK)
        status = dedup_init(&dedup, options, &input, err);
    if (status == STATUS_OK && !(note = derive_note("dedup", &table, options)))
        status = error_set(err, STATUS_NO_MEMORY, "no memory for the options");
    if (status == STATUS_OK)
        status = derive_read(&input, dedup.threads, note_key, &dedup, err);
    if (status == STATUS_OK)
        status = mark_repeats(&dedup, input.games, err);
    if (status == STATUS_OK) {
        DerivePart part = {.note = note};
        status = derive_write(&input, dedup.threads, options->out, &part, 1, choose, &dedup, err);
        if (status == STATUS_OK)
            status = command_print_kept(options->out, input.games, &part.stat, options->json, err);
    }
    free(note);
    dedup_free(&dedup);
    derive_close(&input);
    return status;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const DedupOptions *options = context;
    (void)inputs;
    if (strcmp(options->by, "moves") != 0 && strcmp(options->by, "position") != 0) {
        command_usage(err, "--by: '%s', expected moves or position", options->by);
        return false;
    }
    return true;
}

static int run_command(void *options, const OptionList *inputs, Error *err)
{
    return command_exit_code(run(options, inputs, err));
}

int command_dedup(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {.table = &table,
                                     .inputs = INPUT_PATHS,
                                     .out = "the directory of the new dataset",
                                     .check = check,
                                     .run = run_command};
    DedupOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
