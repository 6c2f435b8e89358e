/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_stat.c - campmate-data stat: what a dataset holds. */
#include "command.h"

#include "bytes.h"
#include "key_set.h"
#include "support/interrupt.h"
#include "support/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { REASON_SLOTS = 64, REPEATS_FROM_PLY = 12 };

typedef struct StatOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
} StatOptions;
#define OPTIONS_STRUCT StatOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data stat",
    .summary = "Counts, results, size and digest of datasets.",
    .usage = "PATH...",
    .details = "Repeats are positions from ply 12 on that stood in the data before, by rule key "
               "(board, hands, side to move).",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

typedef struct Totals {
    const Engine *engine;
    uint64_t shards, games, plies, bytes, outcomes[4], reasons[REASON_SLOTS], scored, longest;
    KeySet keys;
    Buffer digests; /* 16 bytes for each path */
    char digest[33];
} Totals;

/* Counts one game and replays it for its keys. */
static Status count_game(const Engine *engine, Game *game, const GameRecord *record, Totals *totals,
                         uint64_t **keys, size_t *capacity, Error *err)
{
    size_t count = 0;
    if (*capacity < record->ply_count) {
        uint64_t *more = realloc(*keys, record->ply_count * sizeof *more);
        if (!more)
            return error_set(err, STATUS_NO_MEMORY, "no memory for a game");
        *keys = more;
        *capacity = record->ply_count;
    }
    uint64_t scored = 0;
    Status status = engine->game_set(game, record->start_fen, err);
    for (size_t i = 0; i < record->ply_count && status == STATUS_OK; i++) {
        scored += record->plies[i].score_white_cp != SCORE_NONE;
        status = engine->game_play(game, record->plies[i].move, err);
        if (i + 1 >= REPEATS_FROM_PLY)
            (*keys)[count++] = engine->game_key(game);
    }
    if (status != STATUS_OK)
        return status;
#pragma omp critical(totals)
    {
        totals->games++;
        totals->plies += record->ply_count;
        totals->outcomes[record->outcome]++;
        totals->reasons[record->reason]++;
        totals->scored += scored;
        if (totals->longest < record->ply_count)
            totals->longest = record->ply_count;
        for (size_t i = 0; i < count; i++)
            key_set_add(&totals->keys, (*keys)[i]);
    }
    return STATUS_OK;
}

static Status count_shard(const Dataset *dataset, size_t index, Totals *totals, Error *err)
{
    const Engine *engine = dataset_engine(dataset);
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    uint64_t *keys = NULL;
    size_t capacity = 0;
    bool end = false;
    Game *game = engine->game_new(err);
    Status status = game ? shard_cursor_open(&cursor, dataset, index, err) : STATUS_NO_MEMORY;
    while (status == STATUS_OK && !end) {
        if (interrupted()) {
            status = error_set(err, STATUS_INTERRUPTED, "interrupted");
            break;
        }
        status = shard_cursor_next(cursor, &record, &end, err);
        if (status == STATUS_OK && !end)
            status = count_game(engine, game, &record, totals, &keys, &capacity, err);
    }
    engine->game_free(game);
    free(keys);
    game_record_free(&record);
    shard_cursor_close(cursor);
    return status;
}

static Status count_dataset(const char *path, int threads, Totals *totals, Error *err)
{
    Dataset *dataset = NULL;
    Status status = dataset_open(&dataset, path, err);
    if (status != STATUS_OK)
        return status;
    const Engine *engine = dataset_engine(dataset);
    if (totals->engine && totals->engine != engine) {
        status = error_set(err, STATUS_ARGUMENT, "%s: games of %s among games of %s", path,
                           engine->name, totals->engine->name);
        dataset_close(dataset);
        return status;
    }
    totals->engine = engine;
    size_t shards = dataset_shard_count(dataset), failed = shards, done = 0;
    Progress progress;
    progress_begin(&progress, "shards", shards, 0);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < shards; i++) {
        Error inner = {0};
        Status result = count_shard(dataset, i, totals, &inner);
#pragma omp critical(progress)
        {
            progress_update(&progress, ++done, NULL);
            if (result != STATUS_OK && i < failed) {
                failed = i;
                status = error_set(err, result, "%s", inner.message);
            }
        }
    }
    progress_end(&progress);
    for (size_t i = 0; i < shards; i++)
        totals->bytes += dataset_shard_stat(dataset, i)->bytes;
    totals->shards += shards;
    dataset_digest(dataset, totals->digest);
    uint8_t digest[16] = {0};
    hex_to_digest(totals->digest, digest);
    buffer_put(&totals->digests, digest, sizeof digest);
    dataset_close(dataset);
    return status;
}

/* One path: the dataset's own digest; several: one over theirs in the order given. */
static void join_digests(Totals *totals)
{
    if (totals->digests.size <= 16)
        return;
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(totals->digests.bytes, totals->digests.size));
    hex_from_digest(canonical.digest, totals->digest);
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static json_t *totals_json(const Totals *totals)
{
    json_t *reasons = json_object();
    for (int i = 0; i < REASON_SLOTS; i++)
        if (totals->reasons[i])
            json_object_set_new(reasons, game_reason_text(i),
                                json_integer((json_int_t)totals->reasons[i]));
    uint64_t decided = totals->outcomes[OUTCOME_WHITE] + totals->outcomes[OUTCOME_BLACK];
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:f, s:o, s:f, s:o, s:f, s:i, s:b, s:s}",
        "variant", totals->engine->name, "shards", (json_int_t)totals->shards, "games",
        (json_int_t)totals->games, "plies", (json_int_t)totals->plies, "bytes",
        (json_int_t)totals->bytes, "bytes_per_ply", ratio(totals->bytes, totals->plies),
        "mean_plies", ratio(totals->plies, totals->games), "longest_plies",
        (json_int_t)totals->longest, "scored_share", ratio(totals->scored, totals->plies),
        "results", command_results_json(totals->outcomes), "decisive_share",
        ratio(decided, totals->games), "reasons", reasons, "repeat_share",
        key_set_repeats(&totals->keys), "repeat_from_ply", REPEATS_FROM_PLY, "repeat_exact",
        totals->keys.level == 0, "digest", totals->digest);
}

static void print_share(const char *name, uint64_t part, uint64_t whole)
{
    printf("  %-14s %12" PRIu64 "  %5.1f %%\n", name, part, 100 * ratio(part, whole));
}

static void print_totals(const Totals *totals)
{
    printf("variant          %s\n", totals->engine->name);
    printf("shards           %" PRIu64 "\n", totals->shards);
    printf("games            %" PRIu64 "\n", totals->games);
    printf("plies            %" PRIu64 "  (mean %.1f, longest %" PRIu64 ", with score %.1f %%)\n",
           totals->plies, ratio(totals->plies, totals->games), totals->longest,
           100 * ratio(totals->scored, totals->plies));
    printf("bytes            %" PRIu64 "  (%.3f a ply)\n", totals->bytes,
           ratio(totals->bytes, totals->plies));
    puts("results");
    print_share("white", totals->outcomes[OUTCOME_WHITE], totals->games);
    print_share("black", totals->outcomes[OUTCOME_BLACK], totals->games);
    if (totals->engine->has_draws)
        print_share("draw", totals->outcomes[OUTCOME_DRAW], totals->games);
    print_share("unfinished", totals->outcomes[OUTCOME_NONE], totals->games);
    puts("reasons");
    for (int i = 0; i < REASON_SLOTS; i++)
        if (totals->reasons[i])
            print_share(game_reason_text(i), totals->reasons[i], totals->games);
    printf("decisive         %.1f %%\n",
           100 * ratio(totals->outcomes[OUTCOME_WHITE] + totals->outcomes[OUTCOME_BLACK],
                       totals->games));
    printf("repeats          %s%.2f %% of the positions from ply %d on\n",
           totals->keys.level ? "about " : "", 100 * key_set_repeats(&totals->keys),
           REPEATS_FROM_PLY);
    printf("digest           %s\n", totals->digest);
}

int command_stat(int argc, char **argv, Error *err)
{
    StatOptions options;
    OptionList paths = {0};
    OptionsVerdict verdict = options_parse(&table, argc, argv, &options, &paths, err);
    if (verdict != OPTIONS_RUN)
        return verdict == OPTIONS_DONE ? EXIT_DONE : EXIT_USAGE;
    Totals totals = {0};
    int code = EXIT_DONE;
    if (paths.count == 0) {
        code = command_usage(err, "no PATH given: a dataset directory or a .cmpd file");
    } else if (options.dry_run) {
        code = command_dry_run(&table, &options, &paths, err);
    } else {
        Status status = key_set_init(&totals.keys)
                            ? STATUS_OK
                            : error_set(err, STATUS_NO_MEMORY, "no memory to count repeats");
        if (status == STATUS_OK)
            status = command_check_inputs(&paths, err);
        for (size_t i = 0; i < paths.count && status == STATUS_OK; i++)
            status = count_dataset(paths.items[i], options_threads(options.threads), &totals, err);
        if (status == STATUS_OK) {
            join_digests(&totals);
            if (options.json)
                status = command_print_json(totals_json(&totals), err);
            else
                print_totals(&totals);
        }
        code = command_exit_code(status);
    }
    key_set_free(&totals.keys);
    buffer_free(&totals.digests);
    options_free(&table, &options, &paths);
    return code;
}
