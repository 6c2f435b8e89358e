/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_dedup.c - campmate-data dedup: of games that are the same only the first is kept. */
#include "command.h"

#include "bytes.h"
#include "derive.h"
#include "output_directory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define DEDUP_OPTIONS(X)                                                                           \
    X(text, out, NULL, 0, 0, "DIR", "directory of the new dataset; required")                      \
    X(text, by, "moves", 0, 0, "moves|position", "what makes two games the same")                  \
    X(int, from_ply, "12", 0, 1048576, "N", "the position after so many plies, for --by position") \
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
        "Memory grows by 16 to 32 bytes a game, for the keys.\n\n"
        "Example: campmate-data dedup --out clean --by position --from-ply 12 games",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

typedef struct GameKey {
    uint64_t key, ordinal;
} GameKey;

/* What a thread needs to find keys. */
typedef struct Worker {
    Game *game;
    Buffer moves;
} Worker;

typedef struct Dedup {
    const Engine *engine;
    bool by_position;
    size_t from_ply;
    Worker *workers; /* [threads] */
    int threads;
    GameKey *keys; /* [games] */
    uint8_t *drop; /* a bit for each game */
    uint64_t duplicates;
} Dedup;

/* The key of a game: each game has its own place, so threads do not meet. */
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
    dedup->keys[ordinal] = (GameKey){key, ordinal};
    return status;
}

static int compare_keys(const void *a, const void *b)
{
    const GameKey *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

static void mark_repeats(Dedup *dedup, uint64_t games)
{
    if (games > 1)
        qsort(dedup->keys, (size_t)games, sizeof *dedup->keys, compare_keys);
    for (uint64_t i = 1; i < games; i++)
        if (dedup->keys[i].key == dedup->keys[i - 1].key) {
            uint64_t ordinal = dedup->keys[i].ordinal;
            dedup->drop[ordinal / 8] |= (uint8_t)(1u << (ordinal % 8));
            dedup->duplicates++;
        }
}

static Status choose(void *context, int thread, uint64_t ordinal, const GameRecord *record,
                     int *part, Error *err)
{
    const Dedup *dedup = context;
    (void)thread, (void)record, (void)err;
    *part = dedup->drop[ordinal / 8] >> (ordinal % 8) & 1 ? -1 : 0;
    return STATUS_OK;
}

static Status dedup_init(Dedup *dedup, const DedupOptions *options, const DeriveInput *input,
                         Error *err)
{
    *dedup = (Dedup){.engine = input->engine,
                     .by_position = strcmp(options->by, "position") == 0,
                     .from_ply = (size_t)options->from_ply,
                     .threads = options_threads(options->threads)};
    dedup->workers = calloc((size_t)dedup->threads, sizeof *dedup->workers);
    dedup->keys = calloc((size_t)input->games + 1, sizeof *dedup->keys);
    dedup->drop = calloc((size_t)input->games / 8 + 1, 1);
    if (!dedup->workers || !dedup->keys || !dedup->drop)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the keys of %" PRIu64 " games",
                         input->games);
    for (int i = 0; i < dedup->threads; i++)
        if (!(dedup->workers[i].game = dedup->engine->game_new(err)))
            return STATUS_NO_MEMORY;
    return STATUS_OK;
}

static void dedup_free(Dedup *dedup)
{
    for (int i = 0; dedup->workers && i < dedup->threads; i++) {
        if (dedup->workers[i].game)
            dedup->engine->game_free(dedup->workers[i].game);
        buffer_free(&dedup->workers[i].moves);
    }
    free(dedup->workers);
    free(dedup->keys);
    free(dedup->drop);
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
    if (status == STATUS_OK) {
        DerivePart part = {.note = note};
        mark_repeats(&dedup, input.games);
        status = derive_write(&input, dedup.threads, options->out, &part, 1, choose, &dedup, err);
        if (status == STATUS_OK)
            status = command_print_kept(options->out, input.games, &part.stat, options->json, err);
    }
    free(note);
    dedup_free(&dedup);
    derive_close(&input);
    return status;
}

int command_dedup(int argc, char **argv, Error *err)
{
    DedupOptions options;
    OptionList paths = {0};
    OptionsVerdict verdict = options_parse(&table, argc, argv, &options, &paths, err);
    if (verdict != OPTIONS_RUN)
        return verdict == OPTIONS_DONE ? EXIT_DONE : EXIT_USAGE;
    int code;
    if (paths.count == 0)
        code = command_usage(err, "no PATH given: a dataset directory or a .cmpd file");
    else if (!options.out || !*options.out)
        code = command_usage(err, "--out is required: the directory of the new dataset");
    else if (strcmp(options.by, "moves") != 0 && strcmp(options.by, "position") != 0)
        code = command_usage(err, "--by: '%s', expected moves or position", options.by);
    else if (options.dry_run)
        code = command_dry_run(&table, &options, &paths, err);
    else
        code = command_exit_code(run(&options, &paths, err));
    options_free(&table, &options, &paths);
    return code;
}
