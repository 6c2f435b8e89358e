/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_stat.c - campmate-data stat: what a dataset holds.
 *
 * The data is cut into units of some thousand games that are read by all threads. Everything that
 * is counted is a sum of whole numbers or does not depend on the order, so the result is the same
 * for any number of threads; and nothing that is kept grows with the number of games.
 */
#include "command.h"

#include "bytes.h"
#include "key_sorter.h"
#include "stat_tally.h"
#include "support/interrupt.h"
#include "support/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define STAT_OPTIONS(X)                                                                            \
    X(flag, brief, NULL, 0, 0, NULL, "no repeats, legal moves and openings: quicker")              \
    X(int, opening_ply, "8", 0, 4095, "N", "openings are the positions after so many plies")       \
    X(int, top, "5", 0, 10000, "N", "how many of the most frequent openings to show")              \
    X(int, memory, "128", 1, 1048576, "MIB", "memory for counting repeats and openings")

typedef struct StatOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    STAT_OPTIONS(OPTION_MEMBER)
} StatOptions;
#define OPTIONS_STRUCT StatOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) STAT_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data stat",
    .summary = "What datasets hold: games, results, lengths, scores, repeats, openings, size.",
    .usage = "PATH...",
    .details =
        "Repeats are positions that stood in the data before, by rule key (board, hands, side to "
        "move, rights; no counters), in the same game or in an earlier one. They are counted "
        "exactly as long as the different positions fit into --memory (about 24,000 a MiB); "
        "beyond that one in 2^k of the different positions is counted, by its key, with all "
        "places where it occurs, and the output says so. The openings are always exact: what does "
        "not fit into memory is sorted in a temporary file in $TMPDIR or /tmp. Memory does not "
        "grow with the dataset.\n\n"
        "Example: campmate-data stat --opening-ply 14 games",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

enum { UNIT_GAMES = 2048, PAIRS_HELD = 512 };

/* Games that one thread reads in a row: a whole shard, or some blocks of a large one. */
typedef struct Unit {
    const Dataset *dataset;
    size_t shard, first_block, block_count;
    bool whole;
    uint64_t base, games; /* games before it in the data, and in it */
} Unit;

typedef struct Counter {
    const StatOptions *options;
    const Engine *engine;
    Unit *units; /* [unit_count] in the order of the data */
    size_t unit_count, unit_capacity;
    uint64_t games;
    Tally tally;
    Repeats *repeats;    /* NULL with --brief */
    KeySorter *openings; /* the same; value = place of the game * 4 + outcome */
    Progress progress;
    uint64_t done;
    size_t failed; /* the first unit that failed, and why */
    Error first;
} Counter;

/* What a thread needs for a unit. */
typedef struct Worker {
    Tally tally;
    Game *game;
    uint64_t *keys; /* [capacity] */
    size_t capacity;
    RepeatsScratch scratch;
    KeyPair pairs[PAIRS_HELD];
    size_t held;
} Worker;

/* --- units ----------------------------------------------------------------------------------- */

static Status add_unit(Counter *counter, Unit unit, Error *err)
{
    if (counter->unit_count == counter->unit_capacity) {
        size_t capacity = counter->unit_capacity ? 2 * counter->unit_capacity : 64;
        Unit *units = realloc(counter->units, capacity * sizeof *units);
        if (!units)
            return error_set(err, STATUS_NO_MEMORY, "no memory for %zu units", capacity);
        counter->units = units;
        counter->unit_capacity = capacity;
    }
    unit.base = counter->games;
    counter->games += unit.games;
    counter->units[counter->unit_count++] = unit;
    return STATUS_OK;
}

static Status cut_shard(Counter *counter, const Dataset *dataset, size_t shard, Error *err)
{
    uint64_t games = dataset_shard_stat(dataset, shard)->games;
    if (games <= 2 * UNIT_GAMES)
        return add_unit(counter,
                        (Unit){.dataset = dataset, .shard = shard, .whole = true, .games = games},
                        err);
    ShardCursor *cursor = NULL;
    Status status = shard_cursor_open(&cursor, dataset, shard, err);
    size_t blocks = status == STATUS_OK ? shard_cursor_block_count(cursor) : 0;
    Unit unit = {.dataset = dataset, .shard = shard};
    for (size_t i = 0; i < blocks && status == STATUS_OK; i++) {
        uint64_t in_block, plies;
        shard_cursor_block(cursor, i, &in_block, &plies);
        unit.games += in_block;
        unit.block_count++;
        if (unit.games >= UNIT_GAMES || i + 1 == blocks) {
            status = add_unit(counter, unit, err);
            unit = (Unit){.dataset = dataset, .shard = shard, .first_block = i + 1};
        }
    }
    shard_cursor_close(cursor);
    return status;
}

/* --- counting -------------------------------------------------------------------------------- */

static Status flush_pairs(Counter *counter, Worker *worker, Error *err)
{
    Status status;
#pragma omp critical(stat_openings)
    status = key_sorter_add(counter->openings, worker->pairs, worker->held, err);
    worker->held = 0;
    return status;
}

/* Replays a game for the keys and the numbers of moves of its positions. */
static Status count_positions(Counter *counter, Worker *worker, const GameRecord *record,
                              uint64_t ordinal, Error *err)
{
    const Engine *engine = counter->engine;
    size_t count = record->ply_count + 1, ply = (size_t)counter->options->opening_ply;
    if (worker->capacity < count) {
        uint64_t *keys = realloc(worker->keys, 2 * count * sizeof *keys);
        if (!keys)
            return error_set(err, STATUS_NO_MEMORY, "no memory for a game of %zu plies", count);
        worker->keys = keys;
        worker->capacity = 2 * count;
    }
    Status status = engine->game_set(worker->game, record->start_fen, err);
    for (size_t i = 0; i < record->ply_count && status == STATUS_OK; i++) {
        Move moves[ENGINE_MAX_MOVES];
        worker->keys[i] = engine->game_key(worker->game);
        worker->tally.branching[engine->game_moves(worker->game, moves)]++;
        worker->tally.positions++;
        status = engine->game_play(worker->game, record->plies[i].move, err);
    }
    if (status != STATUS_OK)
        return status;
    worker->keys[record->ply_count] = engine->game_key(worker->game);
    if (record->ply_count >= ply) {
        worker->pairs[worker->held++] =
            (KeyPair){worker->keys[ply], ordinal << 2 | (uint64_t)record->outcome};
        if (worker->held == PAIRS_HELD)
            status = flush_pairs(counter, worker, err);
    }
    if (status == STATUS_OK)
        status = repeats_add(counter->repeats, &worker->scratch, ordinal, worker->keys, count, err);
    return status;
}

/* Takes note of finished games every now and then. */
static Status tick(Counter *counter, uint64_t *fresh, Error *err)
{
#pragma omp critical(stat_progress)
    {
        counter->done += *fresh;
        progress_update(&counter->progress, counter->done, NULL);
    }
    *fresh = 0;
    return interrupted() ? error_set(err, STATUS_INTERRUPTED, "interrupted") : STATUS_OK;
}

static Status read_unit(Counter *counter, Worker *worker, const Unit *unit, Error *err)
{
    enum { GAMES_A_TICK = 64 };
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    uint64_t fresh = 0;
    Status status = shard_cursor_open(&cursor, unit->dataset, unit->shard, err);
    if (status == STATUS_OK && !unit->whole)
        status = shard_cursor_seek(cursor, unit->first_block, err);
    for (uint64_t i = 0; status == STATUS_OK && (unit->whole || i < unit->games); i++) {
        bool end = false;
        status = shard_cursor_next(cursor, &record, &end, err);
        if (status != STATUS_OK || end)
            break;
        tally_game(&worker->tally, counter->engine, &record);
        if (counter->repeats)
            status = count_positions(counter, worker, &record, unit->base + i, err);
        if (status == STATUS_OK && ++fresh == GAMES_A_TICK)
            status = tick(counter, &fresh, err);
    }
    if (status == STATUS_OK)
        status = tick(counter, &fresh, err);
    game_record_free(&record);
    shard_cursor_close(cursor);
    return status;
}

static Status count_unit(Counter *counter, const Unit *unit, Error *err)
{
    Worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return error_set(err, STATUS_NO_MEMORY, "no memory to count");
    worker->game = counter->engine->game_new(err);
    Status status = worker->game ? read_unit(counter, worker, unit, err) : STATUS_NO_MEMORY;
    if (status == STATUS_OK && worker->held)
        status = flush_pairs(counter, worker, err);
    if (status == STATUS_OK) {
#pragma omp critical(stat_totals)
        tally_add(&counter->tally, &worker->tally);
    }
    counter->engine->game_free(worker->game);
    repeats_scratch_free(&worker->scratch);
    free(worker->keys);
    free(worker);
    return status;
}

static Status count_all(Counter *counter, int threads, Error *err)
{
    counter->failed = counter->unit_count;
    progress_begin(&counter->progress, "games", counter->games, 0);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < counter->unit_count; i++) {
        Error own = {0};
        bool skip;
#pragma omp critical(stat_failure)
        skip = counter->failed < i; /* what comes first in the data is reported */
        Status status = skip ? STATUS_OK : count_unit(counter, &counter->units[i], &own);
        if (status != STATUS_OK) {
#pragma omp critical(stat_failure)
            if (i < counter->failed) {
                counter->failed = i;
                counter->first = own;
                counter->first.status = status;
            }
        }
    }
    progress_end(&counter->progress);
    return counter->failed < counter->unit_count
               ? error_set(err, counter->first.status, "%s", counter->first.message)
               : STATUS_OK;
}

/* --- openings -------------------------------------------------------------------------------- */

/* Puts an opening into the list of the most frequent, if it belongs there. */
static void rank_opening(StatReport *report, size_t top, const Opening *opening)
{
    size_t at = report->opening_count;
    if (opening->games == 0)
        return;
    report->opening_distinct++;
    while (at > 0 && (report->openings[at - 1].games < opening->games ||
                      (report->openings[at - 1].games == opening->games &&
                       report->openings[at - 1].first > opening->first)))
        at--;
    if (at == top)
        return;
    if (report->opening_count < top)
        report->opening_count++;
    memmove(&report->openings[at + 1], &report->openings[at],
            (report->opening_count - at - 1) * sizeof *opening);
    report->openings[at] = *opening;
}

/* Finds the position of an opening in the first game that reached it. */
static Status name_opening(const Counter *counter, Opening *opening, size_t ply, Error *err)
{
    const Unit *unit = counter->units;
    while (opening->first - unit->base >= unit->games)
        unit++;
    uint64_t skip = opening->first - unit->base, games = 0, plies;
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    Game *game = counter->engine->game_new(err);
    Status status =
        game ? shard_cursor_open(&cursor, unit->dataset, unit->shard, err) : STATUS_NO_MEMORY;
    size_t block = unit->first_block;
    if (status == STATUS_OK) {
        for (;; block++, skip -= games) {
            shard_cursor_block(cursor, block, &games, &plies);
            if (skip < games)
                break;
        }
        status = shard_cursor_seek(cursor, block, err);
    }
    for (bool end = false; status == STATUS_OK && !end; skip--) {
        status = shard_cursor_next(cursor, &record, &end, err);
        if (skip == 0)
            break;
    }
    if (status == STATUS_OK)
        status = counter->engine->game_set(game, record.start_fen, err);
    for (size_t i = 0; i < ply && i < record.ply_count && status == STATUS_OK; i++)
        status = counter->engine->game_play(game, record.plies[i].move, err);
    if (status == STATUS_OK)
        counter->engine->game_fen(game, opening->fen);
    opening->number = record.number;
    game_record_free(&record);
    shard_cursor_close(cursor);
    counter->engine->game_free(game);
    return status;
}

static Status find_openings(Counter *counter, StatReport *report, Error *err)
{
    size_t top = (size_t)counter->options->top;
    report->openings = calloc(top + 1, sizeof *report->openings);
    if (!report->openings)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu openings", top);
    report->opening_ply = (size_t)counter->options->opening_ply;
    report->opening_games = key_sorter_count(counter->openings);
    Status status = key_sorter_sort(counter->openings, err);
    Opening opening = {0};
    uint64_t key = 0;
    for (bool end = false; status == STATUS_OK;) {
        KeyPair pair;
        status = key_sorter_next(counter->openings, &pair, &end, err);
        if (status != STATUS_OK || end)
            break;
        if (opening.games == 0 || pair.key != key) {
            rank_opening(report, top, &opening);
            opening = (Opening){.first = pair.value >> 2};
            key = pair.key;
        }
        opening.games++;
        opening.outcomes[pair.value & 3]++;
    }
    rank_opening(report, top, &opening);
    for (size_t i = 0; i < report->opening_count && status == STATUS_OK; i++)
        status = name_opening(counter, &report->openings[i], report->opening_ply, err);
    return status;
}

/* --- the whole ------------------------------------------------------------------------------- */

/* One path: the dataset's own digest; several: one over theirs in the order given. */
static Status join_digests(Dataset *const *datasets, size_t count, char digest[33], Error *err)
{
    Buffer bytes = {0};
    for (size_t i = 0; i < count; i++) {
        uint8_t own[16] = {0};
        dataset_digest(datasets[i], digest);
        hex_to_digest(digest, own);
        buffer_put(&bytes, own, sizeof own);
    }
    bool failed = bytes.failed;
    if (!failed && count > 1) {
        XXH128_canonical_t canonical;
        XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.bytes, bytes.size));
        hex_from_digest(canonical.digest, digest);
    }
    buffer_free(&bytes);
    return failed ? error_set(err, STATUS_NO_MEMORY, "no memory for digests") : STATUS_OK;
}

static Status prepare(Counter *counter, Dataset *const *datasets, const OptionList *paths,
                      StatReport *report, Error *err)
{
    Status status = datasets_check_distinct(datasets, paths->count, err);
    counter->engine = dataset_engine(datasets[0]);
    for (size_t i = 0; i < paths->count && status == STATUS_OK; i++) {
        if (dataset_engine(datasets[i]) != counter->engine)
            return error_set(err, STATUS_ARGUMENT, "%s: games of %s among games of %s",
                             paths->items[i], dataset_engine(datasets[i])->name,
                             counter->engine->name);
        for (size_t j = 0; j < dataset_shard_count(datasets[i]) && status == STATUS_OK; j++) {
            report->bytes += dataset_shard_stat(datasets[i], j)->bytes;
            report->shards++;
            status = cut_shard(counter, datasets[i], j, err);
        }
    }
    size_t memory = (size_t)counter->options->memory << 20;
    if (status == STATUS_OK && !counter->options->brief)
        status = repeats_new(&counter->repeats, memory / 2, err);
    if (status == STATUS_OK && !counter->options->brief)
        status = key_sorter_new(&counter->openings, memory / 4, err);
    return status == STATUS_OK ? join_digests(datasets, paths->count, report->digest, err) : status;
}

static Status run(const StatOptions *options, const OptionList *paths, Error *err)
{
    Dataset **datasets = NULL;
    Counter counter = {.options = options};
    StatReport report = {.brief = options->brief};
    Status status = command_open(paths, &datasets, err);
    if (status == STATUS_OK)
        status = prepare(&counter, datasets, paths, &report, err);
    if (status == STATUS_OK)
        status = count_all(&counter, options_threads(options->threads), err);
    report.engine = counter.engine;
    report.tally = counter.tally;
    if (status == STATUS_OK && !options->brief) {
        report.repeats = calloc(REPEATS_PLIES, sizeof *report.repeats);
        if (report.repeats)
            repeats_count(counter.repeats, report.repeats, &report.repeats_level);
        else
            status = error_set(err, STATUS_NO_MEMORY, "no memory to count repeats");
        if (status == STATUS_OK)
            status = find_openings(&counter, &report, err);
    }
    if (status == STATUS_OK && options->json)
        status = command_print_json(stat_report_json(&report), err);
    else if (status == STATUS_OK)
        stat_report_print(&report);
    repeats_free(counter.repeats);
    key_sorter_free(counter.openings);
    free(counter.units);
    free(report.repeats);
    free(report.openings);
    command_close(paths, datasets);
    return status;
}

static int run_command(void *options, const OptionList *inputs, Error *err)
{
    return command_exit_code(run(options, inputs, err));
}

int command_stat(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {.table = &table, .inputs = INPUT_PATHS, .run = run_command};
    StatOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
