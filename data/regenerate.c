/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regenerate.c - plays games of a dataset again from their numbers and compares them. */
#include "regenerate.h"

#include "draw.h"
#include "generator/configuration.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the games of some shards were played with. */
typedef struct Origin {
    const ShardInfo *info; /* of the first of them */
    PlaySetup setup;
} Origin;

typedef struct Source {
    const Dataset *dataset;
    size_t shard;
    uint64_t first; /* its first game, counted over all sources */
    const Origin *origin;
} Source;

struct Regeneration {
    Source *sources;
    size_t count;
    Origin **origins; /* [count] is room enough */
    size_t origin_count;
    uint64_t games;
    /* The last bench signature that was found, and of which weights it is. */
    uint64_t bench;
    const Engine *bench_engine;
    char bench_weights[33];
};

/* --- opening --------------------------------------------------------------------------------- */

static bool same_origin(const ShardInfo *a, const ShardInfo *b)
{
    return a->engine == b->engine && a->bench_nodes == b->bench_nodes && a->seed == b->seed &&
           strcmp(a->weights_digest, b->weights_digest) == 0 &&
           strcmp(a->configuration, b->configuration) == 0;
}

static const Origin *find_origin(const Regeneration *regeneration, const ShardInfo *info)
{
    for (size_t i = regeneration->origin_count; i-- > 0;)
        if (same_origin(regeneration->origins[i]->info, info))
            return regeneration->origins[i];
    return NULL;
}

static Status add_origin(Regeneration *regeneration, const char *path, const ShardInfo *info,
                         const char *eval_file, const char *book, Error *err)
{
    Origin *origin = calloc(1, sizeof *origin);
    if (!origin)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for its configuration", path);
    regeneration->origins[regeneration->origin_count++] = origin;
    origin->info = info;
    if (regeneration->bench_engine != info->engine ||
        strcmp(regeneration->bench_weights, info->weights_digest) != 0)
        regeneration->bench = 0;
    char *difference = NULL;
    Error inner = {0};
    Status status = play_setup_of_shard(&origin->setup, info, eval_file, book, &regeneration->bench,
                                        &difference, &inner);
    if (status == STATUS_OK) {
        regeneration->bench_engine = info->engine;
        memcpy(regeneration->bench_weights, info->weights_digest,
               sizeof regeneration->bench_weights);
    } else {
        error_set(err, status, "%s: %s%s%s", path, inner.message, difference ? "\n" : "",
                  difference ? difference : "");
        size_t length = strlen(err->message);
        if (length > 0 && err->message[length - 1] == '\n')
            err->message[length - 1] = '\0';
    }
    free(difference);
    return status;
}

static Status add_source(Regeneration *regeneration, const Dataset *dataset, size_t shard,
                         const char *eval_file, const char *book, Error *err)
{
    const ShardInfo *info = dataset_shard_info(dataset, shard);
    const Origin *origin = find_origin(regeneration, info);
    if (!origin) {
        Status status = add_origin(regeneration, dataset_shard_path(dataset, shard), info,
                                   eval_file, book, err);
        if (status != STATUS_OK)
            return status;
        origin = regeneration->origins[regeneration->origin_count - 1];
    }
    regeneration->sources[regeneration->count++] = (Source){
        .dataset = dataset, .shard = shard, .first = regeneration->games, .origin = origin};
    regeneration->games += dataset_shard_stat(dataset, shard)->games;
    return STATUS_OK;
}

Status regeneration_open(Regeneration **regeneration, Dataset *const *datasets, size_t count,
                         const char *eval_file, const char *book, Error *err)
{
    size_t shards = 1;
    for (size_t i = 0; i < count; i++)
        shards += dataset_shard_count(datasets[i]);
    Regeneration *fresh = calloc(1, sizeof *fresh);
    if (fresh) {
        fresh->sources = calloc(shards, sizeof *fresh->sources);
        fresh->origins = calloc(shards, sizeof *fresh->origins);
    }
    Status status = STATUS_OK;
    if (!fresh || !fresh->sources || !fresh->origins)
        status = error_set(err, STATUS_NO_MEMORY, "no memory for %zu shards", shards);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        for (size_t j = 0; j < dataset_shard_count(datasets[i]) && status == STATUS_OK; j++)
            status = add_source(fresh, datasets[i], j, eval_file, book, err);
    if (status == STATUS_OK)
        *regeneration = fresh;
    else
        regeneration_close(fresh);
    return status;
}

void regeneration_close(Regeneration *regeneration)
{
    if (!regeneration)
        return;
    for (size_t i = 0; i < regeneration->origin_count; i++) {
        play_setup_free(&regeneration->origins[i]->setup);
        free(regeneration->origins[i]);
    }
    free(regeneration->origins);
    free(regeneration->sources);
    free(regeneration);
}

/* --- comparing ------------------------------------------------------------------------------- */

/* A text that names a difference; malloc'ed, NULL when out of memory. */
#define DIFFERENCE(format, ...)                                                                    \
    text_format("%s: game %" PRIu64 ", " format, path, stored->number, __VA_ARGS__)

static char *ply_difference(const Engine *engine, Game *game, const char *path,
                            const GameRecord *stored, const GameRecord *played, size_t ply)
{
    const PlyRecord *a = &stored->plies[ply], *b = &played->plies[ply];
    char a_text[ENGINE_MAX_MOVE_TEXT], b_text[ENGINE_MAX_MOVE_TEXT];
    Status status = engine->game_set(game, stored->start_fen, NULL);
    for (size_t i = 0; i < ply && status == STATUS_OK; i++)
        status = engine->game_play(game, stored->plies[i].move, NULL);
    engine->move_uci(game, a->move, a_text);
    engine->move_uci(game, b->move, b_text);
    if (a->move != b->move)
        return DIFFERENCE("ply %zu: move %s is stored, %s was played again", ply, a_text, b_text);
    if (a->score_white_cp != b->score_white_cp)
        return DIFFERENCE("ply %zu (%s): score %d is stored, %d was found again", ply, a_text,
                          a->score_white_cp, b->score_white_cp);
    return DIFFERENCE("ply %zu (%s): flags %u are stored, %u were set again", ply, a_text, a->flags,
                      b->flags);
}

/* The first difference of two games; *difference = NULL if there is none. */
static Status compare(const Engine *engine, Game *game, const char *path, const GameRecord *stored,
                      const GameRecord *played, char **difference, Error *err)
{
    *difference = NULL;
    size_t plies = stored->ply_count < played->ply_count ? stored->ply_count : played->ply_count,
           ply = 0;
    while (ply < plies && stored->plies[ply].move == played->plies[ply].move &&
           stored->plies[ply].score_white_cp == played->plies[ply].score_white_cp &&
           stored->plies[ply].flags == played->plies[ply].flags)
        ply++;
    if (strcmp(stored->start_fen, played->start_fen) != 0)
        *difference = DIFFERENCE("ply 0: start position %s is stored, %s was drawn again",
                                 stored->start_fen, played->start_fen);
    else if (ply < plies)
        *difference = ply_difference(engine, game, path, stored, played, ply);
    else if (stored->ply_count != played->ply_count)
        *difference = DIFFERENCE("ply %zu: %zu plies are stored, %zu were played again", plies,
                                 stored->ply_count, played->ply_count);
    else if (stored->outcome != played->outcome || stored->reason != played->reason)
        *difference = DIFFERENCE("ply %zu: %s %s is stored, it ended again with %s %s", plies,
                                 outcome_text(stored->outcome), game_reason_text(stored->reason),
                                 outcome_text(played->outcome), game_reason_text(played->reason));
    else if (stored->adjudication != played->adjudication)
        *difference =
            DIFFERENCE("ply %zu: the verdict %s is stored, it was %s again", plies,
                       outcome_text(stored->adjudication), outcome_text(played->adjudication));
    else
        return STATUS_OK;
    return *difference ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "no memory for a difference");
}

/* --- playing --------------------------------------------------------------------------------- */

static const Source *find_source(const Regeneration *regeneration, uint64_t game)
{
    size_t low = 0, high = regeneration->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (regeneration->sources[middle].first <= game)
            low = middle;
        else
            high = middle;
    }
    /* A shard without games begins where the next one does: the last of them has the game. */
    return &regeneration->sources[low];
}

/* Game `index` of a shard, counted from 0. */
static Status load_game(const Source *source, uint64_t index, GameRecord *record, Error *err)
{
    ShardCursor *cursor = NULL;
    Status status = shard_cursor_open(&cursor, source->dataset, source->shard, err);
    if (status != STATUS_OK)
        return status;
    size_t block = 0, blocks = shard_cursor_block_count(cursor);
    uint64_t games = 0, plies;
    for (; block < blocks; block++, index -= games) {
        shard_cursor_block(cursor, block, &games, &plies);
        if (index < games)
            break;
    }
    status = shard_cursor_seek(cursor, block, err);
    bool end = false;
    for (uint64_t i = 0; i <= index && status == STATUS_OK && !end; i++)
        status = shard_cursor_peek(cursor, record, &end, err);
    if (status == STATUS_OK)
        status = end ? error_set(err, STATUS_FORMAT, "%s: block %zu has fewer games than its index",
                                 dataset_shard_path(source->dataset, source->shard), block)
                     : shard_cursor_replay(cursor, record, err);
    shard_cursor_close(cursor);
    return status;
}

/* Plays one game again; *difference = NULL if it is the same. */
static Status play_again(const Regeneration *regeneration, uint64_t game, const atomic_bool *stop,
                         char **difference, Error *err)
{
    const Source *source = find_source(regeneration, game);
    const PlaySetup *setup = &source->origin->setup;
    const char *path = dataset_shard_path(source->dataset, source->shard);
    GameRecord stored = {0}, played = {0};
    GameTally tally;
    Player player;
    Status status = player_open(&player, setup->game.engine, setup->weights, setup->hash_mib, err);
    if (status != STATUS_OK)
        return status;
    status = load_game(source, game - source->first, &stored, err);
    if (status == STATUS_OK)
        status = player_play(&player, &setup->game, stored.number, stop, &played, &tally, err);
    const ShardInfo *info = source->origin->info;
    if (status == STATUS_OK)
        status = game_record_round(&played, info->score_steps, info->score_slope, err);
    if (status == STATUS_OK)
        status = compare(setup->game.engine, player.game, path, &stored, &played, difference, err);
    game_record_free(&stored);
    game_record_free(&played);
    player_close(&player);
    return status;
}

/* Ends the games in play after a signal, each with the search that it is in. */
typedef struct Watch {
    atomic_bool stop, done;
    pthread_t thread;
} Watch;

static void *watch_main(void *context)
{
    Watch *watch = context;
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    while (!atomic_load(&watch->done)) {
        if (interrupted())
            atomic_store(&watch->stop, true);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static Status watch_begin(Watch *watch, Error *err)
{
    atomic_init(&watch->stop, false);
    atomic_init(&watch->done, false);
    int code = pthread_create(&watch->thread, NULL, watch_main, watch);
    if (code == 0)
        return STATUS_OK;
    errno = code;
    return error_set_errno(err, "cannot start a thread");
}

static void watch_end(Watch *watch)
{
    atomic_store(&watch->done, true);
    pthread_join(watch->thread, NULL);
}

/* Plays the games of the numbers again; a text for each that differs into `differences`. */
static Status play_all(const Regeneration *regeneration, const uint64_t *numbers, uint64_t count,
                       int threads, char **differences, Error *err)
{
    Watch watch;
    Status status = watch_begin(&watch, err);
    if (status != STATUS_OK)
        return status;
    Progress progress;
    uint64_t done = 0;
    progress_begin(&progress, "games", count, 0);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (uint64_t i = 0; i < count; i++) {
        Error error;
        Status one = STATUS_OK;
        if (!atomic_load(&watch.stop))
            one = play_again(regeneration, numbers[i], &watch.stop, &differences[i], &error);
#pragma omp critical(regeneration)
        {
            if (one != STATUS_OK && one != STATUS_INTERRUPTED && status == STATUS_OK) {
                status = error_set(err, one, "%s", error.message);
                atomic_store(&watch.stop, true);
            }
            progress_update(&progress, ++done, NULL);
        }
    }
    progress_end(&progress);
    watch_end(&watch);
    return status == STATUS_OK && interrupted() ? error_set(err, STATUS_INTERRUPTED, "interrupted")
                                                : status;
}

Status regeneration_run(const Regeneration *regeneration, const RegenerationPlan *plan,
                        json_t *findings, uint64_t *games, Error *err)
{
    uint64_t count = plan->games < regeneration->games ? plan->games : regeneration->games;
    uint64_t *numbers = NULL;
    char **differences = calloc((size_t)count + 1, sizeof *differences);
    Status status =
        differences ? draw_numbers(count, regeneration->games, plan->seed, &numbers, err)
                    : error_set(err, STATUS_NO_MEMORY, "no memory for %" PRIu64 " games", count);
    if (status == STATUS_OK)
        status = play_all(regeneration, numbers, count, plan->threads, differences, err);
    for (uint64_t i = 0; differences && i < count; i++) {
        if (differences[i])
            json_array_append_new(findings, json_string_nocheck(differences[i]));
        free(differences[i]);
    }
    free(differences);
    free(numbers);
    *games = status == STATUS_OK ? count : 0;
    return status;
}
