/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_book.c - campmate-data book: makes opening books.
 *
 * Candidate number i is a position that depends on the seed and i only: a line of random moves, or
 * a position of the i-th game of a dataset. Candidates are worked on in batches, by all threads,
 * and accepted in their order, so the book is the same for any number of threads.
 */
#include "command.h"

#include "bench.h"
#include "key_table.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/rng.h"
#include "support/version.h"
#include "weights_file.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define BOOK_OPTIONS(X)                                                                            \
    X(text, variant, NULL, 0, 0, "V", "the game; required unless --data says it")                  \
    X(int, count, "1000", 1, 10000000, "N", "positions in the book")                               \
    X(text, plies, "8", 0, 0, "P", "plies from the start position: a number or a range (4-8)")     \
    X(text, data, NULL, 0, 0, "PATH", "take positions from the games of a dataset")                \
    X(int, nodes, "0", 0, 1000000000, "N", "search each candidate with so many nodes, 0 = do not") \
    X(int, max_score, "100", 0, 31000, "CP", "largest score for either side, with --nodes")        \
    X(text, weights, NULL, 0, 0, "FILE",                                                           \
      "weights header for that search instead of the compiled one")                                \
    X(int, hash, "16", 1, 65536, "MIB", "hash table of that search")                               \
    X(text, out, NULL, 0, 0, "FILE", "where to write the book; required (- = standard output)")

typedef struct BookOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    BOOK_OPTIONS(OPTION_MEMBER)
} BookOptions;
#define OPTIONS_STRUCT BookOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) BOOK_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data book",
    .summary = "Makes an opening book: different positions, balanced by a search if wanted.",
    .usage = "",
    .details = "Positions are told apart by rule key (board, hands, side to move). The book begins "
               "with # lines that say how it was made; the same options give the same book. Memory "
               "grows neither with the book nor with --data: positions wait, and keys of more than "
               "262,144 candidates are looked up, in temporary files in $TMPDIR or /tmp.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

enum { BATCH = 256, BARREN_BATCHES = 400 };

typedef struct Candidate {
    bool usable;
    uint64_t key;
    char fen[ENGINE_MAX_FEN];
} Candidate;

/* One for each thread. */
typedef struct Worker {
    Game *game;
    Search *search;
} Worker;

typedef struct Maker {
    const Engine *engine;
    const BookOptions *options;
    int min_plies, max_plies, threads;
    uint64_t seed;
    Weight *weights;       /* NULL = the compiled ones */
    Worker *workers;       /* [threads] */
    Candidate *candidates; /* [BATCH] */
    KeyTable keys;         /* of the candidates before */
    Spill spill;           /* the lines of those that were accepted: */
    FILE *lines;
    size_t accepted;
    uint64_t seen, repeats, unbalanced;
    /* Source of games, NULL for random lines. */
    Dataset *dataset;
    ShardCursor *cursor;
    size_t shard;
    GameRecord record;
} Maker;

/* --- candidates ------------------------------------------------------------------------------ */

static int draw_plies(const Maker *maker, Rng *rng)
{
    uint64_t choices = (uint64_t)(maker->max_plies - maker->min_plies) + 1;
    return maker->min_plies + (int)rng_below(rng, choices);
}

/* Notes the position in `game`, if the game goes on from there. */
static void note_position(const Maker *maker, Game *game, Candidate *candidate)
{
    candidate->usable = maker->engine->game_ending(game).reason == END_NONE;
    candidate->key = maker->engine->game_key(game);
    maker->engine->game_fen(game, candidate->fen);
}

static Status random_candidate(const Maker *maker, Game *game, uint64_t number,
                               Candidate *candidate, Error *err)
{
    const Engine *engine = maker->engine;
    Rng rng = rng_from(maker->seed, number);
    int plies = draw_plies(maker, &rng);
    candidate->usable = false;
    Status status = engine->game_set(game, NULL, err);
    for (int i = 0; i < plies && status == STATUS_OK; i++) {
        Move moves[ENGINE_MAX_MOVES];
        size_t count = engine->game_moves(game, moves);
        if (count == 0 || engine->game_ending(game).reason != END_NONE)
            return STATUS_OK;
        status = engine->game_play(game, moves[rng_below(&rng, count)], err);
    }
    if (status == STATUS_OK)
        note_position(maker, game, candidate);
    return status;
}

/* The next game of the dataset into the record; *end when there is none. */
static Status next_game(Maker *maker, bool *end, Error *err)
{
    for (*end = false;;) {
        if (!maker->cursor) {
            if (maker->shard == dataset_shard_count(maker->dataset)) {
                *end = true;
                return STATUS_OK;
            }
            Status status = shard_cursor_open(&maker->cursor, maker->dataset, maker->shard++, err);
            if (status != STATUS_OK)
                return status;
        }
        bool shard_end = false;
        Status status = shard_cursor_next(maker->cursor, &maker->record, &shard_end, err);
        if (status != STATUS_OK || !shard_end)
            return status;
        shard_cursor_close(maker->cursor);
        maker->cursor = NULL;
    }
}

static Status game_candidate(Maker *maker, Game *game, Candidate *candidate, bool *end, Error *err)
{
    Status status = next_game(maker, end, err);
    candidate->usable = false;
    if (status != STATUS_OK || *end)
        return status;
    Rng rng = rng_from(maker->seed, maker->record.number);
    size_t plies = (size_t)draw_plies(maker, &rng);
    if (plies > maker->record.ply_count)
        return STATUS_OK;
    status = maker->engine->game_set(game, maker->record.start_fen, err);
    for (size_t i = 0; i < plies && status == STATUS_OK; i++)
        status = maker->engine->game_play(game, maker->record.plies[i].move, err);
    if (status == STATUS_OK)
        note_position(maker, game, candidate);
    return status;
}

/* Fills the batch; *count candidates, *end when the source has no more. */
static Status make_candidates(Maker *maker, size_t *count, bool *end, Error *err)
{
    Status status = STATUS_OK;
    *end = false;
    *count = BATCH;
    if (maker->dataset) {
        for (size_t i = 0; i < BATCH && status == STATUS_OK; i++) {
            status = game_candidate(maker, maker->workers[0].game, &maker->candidates[i], end, err);
            if (*end) {
                *count = i;
                break;
            }
        }
    } else {
#pragma omp parallel for schedule(dynamic, 8) num_threads(maker->threads)
        for (size_t i = 0; i < BATCH; i++) {
            Error inner = {0};
            Status result = random_candidate(maker, maker->workers[omp_get_thread_num()].game,
                                             maker->seen + i, &maker->candidates[i], &inner);
            if (result != STATUS_OK) {
#pragma omp critical(failure)
                status = error_set(err, result, "%s", inner.message);
            }
        }
    }
    maker->seen += *count;
    return status;
}

/* Marks what was a candidate before as not usable. */
static Status drop_repeats(Maker *maker, size_t count, Error *err)
{
    for (size_t i = 0; i < count; i++) {
        Candidate *candidate = &maker->candidates[i];
        bool fresh = false;
        if (!candidate->usable)
            continue;
        Status status = key_table_add(&maker->keys, candidate->key, &fresh, err);
        if (status != STATUS_OK)
            return status;
        candidate->usable = fresh;
        maker->repeats += !fresh;
    }
    return STATUS_OK;
}

/* Searches one position from an empty table; false if it is not balanced. */
static Status weigh(const Maker *maker, Worker *worker, const Candidate *candidate, bool *balanced,
                    Error *err)
{
    const Engine *engine = maker->engine;
    Status status = engine->game_set(worker->game, candidate->fen, err);
    if (status != STATUS_OK)
        return status;
    SearchLimits limits = {.nodes = (uint64_t)maker->options->nodes};
    engine->search_clear(worker->search);
    SearchResult result = engine->search_run(worker->search, worker->game, &limits, NULL, NULL);
    *balanced = llabs(result.score) <= maker->options->max_score;
    return STATUS_OK;
}

static Status drop_unbalanced(Maker *maker, size_t count, Error *err)
{
    Status status = STATUS_OK;
    uint64_t unbalanced = 0;
#pragma omp parallel for schedule(dynamic) num_threads(maker->threads) reduction(+ : unbalanced)
    for (size_t i = 0; i < count; i++) {
        Candidate *candidate = &maker->candidates[i];
        if (!candidate->usable || interrupted())
            continue;
        Error inner = {0};
        bool balanced = false;
        Status result =
            weigh(maker, &maker->workers[omp_get_thread_num()], candidate, &balanced, &inner);
        candidate->usable = balanced;
        unbalanced += !balanced;
        if (result != STATUS_OK) {
#pragma omp critical(failure)
            status = error_set(err, result, "%s", inner.message);
        }
    }
    maker->unbalanced += unbalanced;
    return status;
}

/* --- the book -------------------------------------------------------------------------------- */

static Status accept(Maker *maker, const Candidate *candidate, Error *err)
{
    maker->accepted++;
    return fprintf(maker->lines, "%s\n", candidate->fen) > 0
               ? STATUS_OK
               : error_set_errno(err, "cannot write a temporary file");
}

static Status fill_book(Maker *maker, Error *err)
{
    size_t wanted = (size_t)maker->options->count, barren = 0;
    Progress progress;
    progress_begin(&progress, "positions", wanted, 0);
    Status status = STATUS_OK;
    bool end = false;
    while (status == STATUS_OK && maker->accepted < wanted && !end && barren < BARREN_BATCHES) {
        size_t count = 0, before = maker->accepted;
        status = make_candidates(maker, &count, &end, err);
        if (status == STATUS_OK)
            status = drop_repeats(maker, count, err);
        if (status == STATUS_OK && maker->options->nodes > 0)
            status = drop_unbalanced(maker, count, err);
        if (status == STATUS_OK && interrupted())
            status = error_set(err, STATUS_INTERRUPTED, "interrupted");
        for (size_t i = 0; status == STATUS_OK && i < count && maker->accepted < wanted; i++)
            if (maker->candidates[i].usable)
                status = accept(maker, &maker->candidates[i], err);
        barren = maker->accepted == before ? barren + 1 : 0;
        progress_update(&progress, maker->accepted, NULL);
    }
    progress_end(&progress);
    if (status == STATUS_OK && maker->accepted < wanted)
        status = error_set(err, STATUS_ARGUMENT,
                           "only %zu of %zu positions found in %" PRIu64 " candidates (%" PRIu64
                           " repeats, %" PRIu64 " unbalanced): ask for fewer, other --plies or a "
                           "larger --max-score",
                           maker->accepted, wanted, maker->seen, maker->repeats, maker->unbalanced);
    return status;
}

static Status write_header(const Maker *maker, FILE *stream, Error *err)
{
    const BookOptions *options = maker->options;
    fprintf(stream, "# %" PRId64 " different positions of %s\n", options->count,
            maker->engine->name);
    fprintf(stream,
            "# made by campmate-data book --variant %s --count %" PRId64 " --plies %s"
            " --seed %" PRIu64,
            maker->engine->name, options->count, options->plies, maker->seed);
    if (options->nodes > 0)
        fprintf(stream, " --nodes %" PRId64 " --max-score %" PRId64 " --hash %" PRId64,
                options->nodes, options->max_score, options->hash);
    fprintf(stream, "\n# campmate-data %s\n", version_number());
    if (options->nodes > 0) {
        uint64_t nodes = bench_nodes(maker->engine, maker->weights, NULL, err);
        if (nodes == 0)
            return STATUS_NO_MEMORY;
        char digest[33];
        weights_digest(maker->engine, maker->weights, digest);
        fprintf(stream, "# searched with bench signature %" PRIu64 ", digest of the weights %s\n",
                nodes, digest);
    }
    if (maker->dataset) {
        char digest[33];
        dataset_digest(maker->dataset, digest);
        fprintf(stream, "# from the games of the dataset with digest %s\n", digest);
    }
    fprintf(stream, "# candidates %" PRIu64 ", repeats %" PRIu64 ", unbalanced %" PRIu64 "\n",
            maker->seen, maker->repeats, maker->unbalanced);
    return STATUS_OK;
}

static Status copy_lines(const Maker *maker, FILE *stream, const char *out, Error *err)
{
    char chunk[4096];
    size_t got;
    errno = 0;
    if (fflush(maker->lines) != 0 || fseek(maker->lines, 0, SEEK_SET) != 0)
        return error_set_errno(err, "cannot write a temporary file");
    while ((got = fread(chunk, 1, sizeof chunk, maker->lines)) > 0)
        if (fwrite(chunk, 1, got, stream) != got)
            return error_set_errno(err, "cannot write %s", out);
    return ferror(maker->lines) ? error_set_errno(err, "cannot read a temporary file") : STATUS_OK;
}

static Status write_book(const Maker *maker, const char *out, Error *err)
{
    bool to_stdout = strcmp(out, "-") == 0;
    AtomicFile file = {0};
    Status status = to_stdout ? STATUS_OK : atomic_file_open(&file, out, err);
    if (status != STATUS_OK)
        return status;
    FILE *stream = to_stdout ? stdout : file.stream;
    status = write_header(maker, stream, err);
    if (status == STATUS_OK)
        status = copy_lines(maker, stream, out, err);
    if (status == STATUS_OK && !to_stdout)
        status = atomic_file_commit(&file, err);
    atomic_file_abandon(&file);
    return status;
}

static Status maker_init(Maker *maker, Error *err)
{
    const Engine *engine = maker->engine;
    maker->workers = calloc((size_t)maker->threads, sizeof *maker->workers);
    maker->candidates = calloc(BATCH, sizeof *maker->candidates);
    if (!maker->workers || !maker->candidates)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %d threads", maker->threads);
    Status opened = spill_open(&maker->spill, err);
    if (opened != STATUS_OK)
        return opened;
    maker->lines = fdopen(maker->spill.fd, "r+");
    if (!maker->lines)
        return error_set_errno(err, "cannot make a temporary file");
    if (maker->options->weights) {
        maker->weights = calloc((size_t)engine->weight_count, sizeof *maker->weights);
        if (!maker->weights)
            return error_set(err, STATUS_NO_MEMORY, "no memory for weights");
        Status status = weights_file_read(engine, maker->options->weights, maker->weights, err);
        if (status != STATUS_OK)
            return status;
    }
    for (int i = 0; i < maker->threads; i++) {
        Worker *worker = &maker->workers[i];
        if (!(worker->game = engine->game_new(err)))
            return STATUS_NO_MEMORY;
        if (maker->options->nodes > 0 &&
            !(worker->search = engine->search_new((size_t)maker->options->hash, 1, err)))
            return STATUS_NO_MEMORY;
        if (worker->search && maker->weights)
            engine->search_set_weights(worker->search, maker->weights);
    }
    return STATUS_OK;
}

static void maker_free(Maker *maker)
{
    for (int i = 0; maker->workers && i < maker->threads; i++) {
        maker->engine->game_free(maker->workers[i].game);
        if (maker->workers[i].search)
            maker->engine->search_free(maker->workers[i].search);
    }
    free(maker->workers);
    free(maker->weights);
    free(maker->candidates);
    key_table_free(&maker->keys);
    if (maker->lines) {
        fclose(maker->lines); /* with the descriptor */
        maker->spill.is_open = false;
    }
    spill_close(&maker->spill);
    game_record_free(&maker->record);
    shard_cursor_close(maker->cursor);
    dataset_close(maker->dataset);
}

/* "8" or "4-8" */
static bool parse_plies(const char *text, int *least, int *most)
{
    int used = 0;
    if (sscanf(text, "%4d%n", least, &used) != 1 || *least < 0)
        return false;
    *most = *least;
    if (text[used] == '-') {
        int more = 0;
        if (sscanf(text + used + 1, "%4d%n", most, &more) != 1)
            return false;
        used += 1 + more;
    }
    return text[used] == 0 && *most >= *least;
}

static Status make_book(Maker *maker, bool json, Error *err)
{
    const BookOptions *options = maker->options;
    Status status = maker_init(maker, err);
    if (status == STATUS_OK)
        status = fill_book(maker, err);
    if (status == STATUS_OK)
        status = write_book(maker, options->out, err);
    if (status != STATUS_OK)
        return status;
    FILE *report = strcmp(options->out, "-") == 0 ? stderr : stdout;
    if (json && report == stdout)
        return command_print_json(
            json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "out", options->out, "variant",
                      maker->engine->name, "seed", (json_int_t)maker->seed, "positions",
                      (json_int_t)maker->accepted, "candidates", (json_int_t)maker->seen, "repeats",
                      (json_int_t)maker->repeats, "unbalanced", (json_int_t)maker->unbalanced),
            err);
    fprintf(report,
            "%s: %zu positions, seed %" PRIu64 " (%" PRIu64 " candidates, %" PRIu64
            " repeats, %" PRIu64 " unbalanced)\n",
            options->out, maker->accepted, maker->seed, maker->seen, maker->repeats,
            maker->unbalanced);
    return STATUS_OK;
}

static int book(const BookOptions *options, Error *err)
{
    Maker maker = {.options = options, .threads = options_threads(options->threads)};
    if (!options->out)
        return command_usage(err, "--out is required: the file to write");
    if (!options->variant && !options->data)
        return command_usage(err, "--variant is required: one of %s", engine_names());
    if (!parse_plies(options->plies, &maker.min_plies, &maker.max_plies))
        return command_usage(err, "--plies: '%s', expected a number or a range like 4-8",
                             options->plies);
    if (options->variant && !(maker.engine = engine_find(options->variant)))
        return command_usage(err, "--variant: '%s', expected one of: %s", options->variant,
                             engine_names());
    if (options->dry_run) {
        printf("# up to %" PRId64 " nodes for each candidate, %" PRId64 " positions wanted\n",
               options->nodes, options->count);
        OptionList none = {0};
        return command_dry_run(&table, options, &none, err);
    }
    Status status = options->data ? dataset_open(&maker.dataset, options->data, err) : STATUS_OK;
    if (status != STATUS_OK)
        return command_exit_code(status);
    if (maker.dataset && maker.engine && maker.engine != dataset_engine(maker.dataset)) {
        int code =
            command_usage(err, "--variant: %s, but the games in %s are of %s", maker.engine->name,
                          options->data, dataset_engine(maker.dataset)->name);
        dataset_close(maker.dataset);
        return code;
    }
    if (maker.dataset)
        maker.engine = dataset_engine(maker.dataset);
    maker.seed = options->seed ? (uint64_t)options->seed : rng_seed_from_os();
    status = make_book(&maker, options->json, err);
    maker_free(&maker);
    return command_exit_code(status);
}

int command_book(int argc, char **argv, Error *err)
{
    BookOptions options;
    OptionsVerdict verdict = options_parse(&table, argc, argv, &options, NULL, err);
    if (verdict != OPTIONS_RUN)
        return options_exit_code(verdict, err);
    int code = book(&options, err);
    options_free(&table, &options, NULL);
    return code;
}
