/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule.c - a whole match: pairs of games on several threads, saved and counted in order. */
#include "schedule.h"

#include "pgn.h"
#include "support/clock.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/rng.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How often the main thread looks whether a signal has arrived. */
enum { INTERRUPT_POLL_MS = 50 };

typedef struct Match {
    const MatchConfig *config;
    const MatchObserver *observer;
    char (*limits_text)[160]; /* [engine_count]                                       */
    pthread_mutex_t mutex;    /* guards everything below               */
    pthread_cond_t ended;     /* a worker has ended                    */
    int stop_fd;              /* readable once everything has to end   */
    bool stopping;
    bool decided;  /* the SPRT is                           */
    Status status; /* the first failure                     */
    Error error;
    PairList list;
    size_t pair_limit;   /* SIZE_MAX = none                       */
    size_t next;         /* the next pair to look at for a worker */
    size_t counted;      /* pairs before this one are in totals   */
    MatchTotals *totals; /* [encounter_count] */
    double llr;
    StateFile state;
    FILE *pgn;
    uint32_t *order; /* [book->count] shuffled, of one turn through the book */
    uint64_t order_turn;
    bool wrapped;
    bool *warned; /* [engine_count] */
    int workers;  /* running */
    uint64_t plies_now;
    double overhead_seconds;
} Match;

/* --- counting -------------------------------------------------------------------------------- */

static void notice(const Match *match, const char *text)
{
    if (match->observer->notice)
        match->observer->notice(match->observer->context, text);
}

/* The SPRT is of a match of two engines. */
static double totals_llr(const MatchConfig *config, const MatchTotals *totals)
{
    if (!config->has_sprt)
        return 0.0;
    Sample sample = sample_from_pairs(totals->pairs);
    return sprt_llr(&sample, &config->sprt);
}

/* Which encounter a pair belongs to, and which of its pairs it is. */
static size_t encounter_of(const MatchConfig *config, size_t number)
{
    return number % config->encounter_count;
}

static size_t round_of(const MatchConfig *config, size_t number)
{
    return number / config->encounter_count;
}

/* The number of the engine that plays White (in games[1] Black) or the other colour. */
static size_t engine_of(const MatchConfig *config, size_t number, bool second)
{
    const Encounter *encounter = &config->encounters[encounter_of(config, number)];
    return second ? encounter->second : encounter->first;
}

/* "7.2", in a tournament with the encounter's number in between. */
static void game_number(const MatchConfig *config, size_t number, int index, char *text,
                        size_t size)
{
    if (config->encounter_count == 1)
        snprintf(text, size, "%zu.%d", number + 1, index + 1);
    else
        snprintf(text, size, "%zu.%zu.%d", round_of(config, number) + 1,
                 encounter_of(config, number) + 1, index + 1);
}

/* True if that game belongs to the match: with an odd number the last pair has one. */
static bool is_wanted(const MatchConfig *config, size_t number, int index)
{
    return config->games == 0 ||
           2 * (uint64_t)round_of(config, number) + (uint64_t)index < config->games;
}

static bool is_complete(const Match *match, size_t number)
{
    const MatchPair *pair = &match->list.pairs[number];
    for (int i = 0; i < 2; i++)
        if (is_wanted(match->config, number, i) && !pair->games[i].done)
            return false;
    return true;
}

/* --- ending everything ----------------------------------------------------------------------- */

static void stop_all(Match *match)
{
    if (match->stopping)
        return;
    match->stopping = true;
    /* It stays readable, so every poll of every engine returns. */
    uint64_t one = 1;
    ssize_t ignored = write(match->stop_fd, &one, sizeof one);
    (void)ignored;
}

static void fail(Match *match, Status status, const Error *error)
{
    if (match->status == STATUS_OK && !match->decided) {
        match->status = status;
        match->error = *error;
        match->error.status = status;
    }
    stop_all(match);
}

/* Writes the games of a pair to the PGN file and lets go of their text. */
static Status flush_pgn(Match *match, size_t number, Error *err)
{
    for (int i = 0; i < 2; i++) {
        MatchGame *game = &match->list.pairs[number].games[i];
        if (match->pgn && game->done && game->pgn && fputs(game->pgn, match->pgn) == EOF)
            return error_set_errno(err, "cannot write %s", match->config->pgn);
        free(game->pgn);
        game->pgn = NULL;
    }
    if (match->pgn && fflush(match->pgn) != 0)
        return error_set_errno(err, "cannot write %s", match->config->pgn);
    return STATUS_OK;
}

/* Counts the pairs that are complete, in order, and ends the match when the SPRT has decided. */
static void advance(Match *match)
{
    Error error;
    while (!match->decided && match->counted < match->list.count &&
           match->counted < match->pair_limit && is_complete(match, match->counted)) {
        Status status = flush_pgn(match, match->counted, &error);
        if (status != STATUS_OK) {
            fail(match, status, &error);
            return; /* count_the_rest counts this pair */
        }
        match_totals_add(&match->totals[encounter_of(match->config, match->counted)],
                         &match->list.pairs[match->counted]);
        match->counted++;
        match->llr = totals_llr(match->config, match->totals);
        if (match->config->has_sprt &&
            sprt_verdict(&match->config->sprt, match->llr) != VERDICT_INCONCLUSIVE) {
            match->decided = true;
            stop_all(match);
        }
        if (match->observer->pair)
            match->observer->pair(match->observer->context, match->totals, match->llr);
    }
}

/* --- openings -------------------------------------------------------------------------------- */

/* The opening of a pair. Pairs come almost in order, so that the shuffle of one turn is kept. */
static Status opening_of(Match *match, size_t number, const char **fen, Error *err)
{
    const Book *book = match->config->book;
    number = round_of(match->config, number);
    if (!book) {
        *fen = match->config->engine->start_fen;
        return STATUS_OK;
    }
    uint64_t turn = number / book->count;
    size_t index = number % book->count;
    if (turn > 0 && !match->wrapped) {
        char text[120];
        match->wrapped = true;
        snprintf(text, sizeof text, "the book has %zu openings: they come again from %s %zu on",
                 book->count, match->config->encounter_count == 1 ? "pair" : "round",
                 book->count + 1);
        notice(match, text);
    }
    if (match->config->random_order) {
        if (!match->order || match->order_turn != turn) {
            if (!match->order && !(match->order = malloc(book->count * sizeof *match->order)))
                return error_set(err, STATUS_NO_MEMORY, "order of openings: out of memory");
            Rng rng = rng_from(match->config->seed, turn);
            for (size_t i = 0; i < book->count; i++)
                match->order[i] = (uint32_t)i;
            for (size_t i = book->count; i > 1; i--) {
                size_t other = (size_t)rng_below(&rng, i);
                uint32_t swap = match->order[i - 1];
                match->order[i - 1] = match->order[other];
                match->order[other] = swap;
            }
            match->order_turn = turn;
        }
        index = match->order[index];
    }
    *fen = book->fens[index];
    return STATUS_OK;
}

/* --- workers --------------------------------------------------------------------------------- */

/* The pair that a worker plays. */
typedef struct Job {
    size_t number;
    const char *fen;
    bool wanted[2];
    MatchPair pair;
} Job;

/* Gives the calling worker the next pair; false when there is nothing left to do. */
static bool take_job(Match *match, Job *job)
{
    Error error;
    bool taken = false;
    pthread_mutex_lock(&match->mutex);
    while (!match->stopping && !taken && match->next < match->pair_limit) {
        size_t number = match->next++;
        MatchPair *pair = pair_list_at(&match->list, number);
        Status status =
            pair ? STATUS_OK : error_set(&error, STATUS_NO_MEMORY, "list of games: out of memory");
        if (status == STATUS_OK && is_complete(match, number))
            continue;
        *job = (Job){.number = number};
        if (status == STATUS_OK)
            status = opening_of(match, number, &job->fen, &error);
        if (status != STATUS_OK) {
            fail(match, status, &error);
            break;
        }
        for (int i = 0; i < 2; i++)
            job->wanted[i] = is_wanted(match->config, number, i) && !pair->games[i].done;
        taken = true;
    }
    pthread_mutex_unlock(&match->mutex);
    return taken;
}

/* Takes over what a worker has played of its pair. */
static void deliver(Match *match, Job *job)
{
    Error error;
    pthread_mutex_lock(&match->mutex);
    MatchPair *pair = &match->list.pairs[job->number];
    bool any = false;
    for (int i = 0; i < 2; i++) {
        MatchGame *game = &job->pair.games[i];
        if (!game->done)
            continue;
        any = true;
        pair->games[i] = *game;
    }
    /* After a decision only the pairs before it are part of the match. */
    if (any && !match->decided) {
        Status status = state_file_add(&match->state, job->number, &job->pair, &error);
        if (status != STATUS_OK)
            fail(match, status, &error);
        else
            advance(match);
    }
    pthread_mutex_unlock(&match->mutex);
}

static char *game_pgn(const Match *match, size_t number, int index, const GameResult *result,
                      const MatchGame *game, Error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) {
        error_set(err, STATUS_NO_MEMORY, "PGN: out of memory");
        return NULL;
    }
    const MatchConfig *config = match->config;
    const size_t first = engine_of(config, number, index == 1),
                 second = engine_of(config, number, index == 0);
    const char *white = match->limits_text[first], *black = match->limits_text[second];
    char round[80], limits[340];
    game_number(config, number, index, round, sizeof round);
    if (strcmp(white, black) == 0)
        snprintf(limits, sizeof limits, "%s", white);
    else
        snprintf(limits, sizeof limits, "%s | %s", white, black);
    /* No date: the file of a match at fixed nodes is the same whenever it is played. */
    PgnTags tags = {.event = "campmate-match",
                    .date = "????.??.??",
                    .round = round,
                    .white = config->engines[first].name,
                    .black = config->engines[second].name,
                    .time_control = limits,
                    .termination = match_game_ending(game),
                    .comments = result->comments,
                    /* What went wrong before the first move has no move to stand behind. */
                    .remark =
                        !result->record->ply_count && *result->detail ? result->detail : NULL};
    Status status = pgn_write(stream, config->engine, result->record, &tags, err);
    if (fclose(stream) != 0 && status == STATUS_OK)
        status = error_set(err, STATUS_NO_MEMORY, "PGN: out of memory");
    if (status == STATUS_OK)
        return text;
    free(text);
    return NULL;
}

/* A thread that plays pairs, with processes of the two engines of its pair. */
typedef struct Worker {
    Match *match;
    const cpu_set_t *cpus; /* of its engines, NULL = those of the process */
    pthread_t thread;
    UciClient *clients[2]; /* of the pair's first and second engine; NULL = does not run */
    size_t engines[2];     /* which those are                                            */
} Worker;

/* Ends the processes of engines that do not play in the pair, and puts the others in order. */
static void change_engines(Worker *worker, size_t number)
{
    const MatchConfig *config = worker->match->config;
    const size_t wanted[2] = {engine_of(config, number, false), engine_of(config, number, true)};
    if (worker->engines[0] == wanted[1] || worker->engines[1] == wanted[0]) {
        UciClient *client = worker->clients[0];
        size_t engine = worker->engines[0];
        worker->clients[0] = worker->clients[1];
        worker->engines[0] = worker->engines[1];
        worker->clients[1] = client;
        worker->engines[1] = engine;
    }
    for (int i = 0; i < 2; i++) {
        if (worker->engines[i] == wanted[i])
            continue;
        uci_client_quit(worker->clients[i]);
        uci_client_free(worker->clients[i], false);
        worker->clients[i] = NULL;
        worker->engines[i] = wanted[i];
    }
}

/* Starts the engines of a worker that do not run. */
static Status start_engines(Worker *worker, Error *err)
{
    Match *match = worker->match;
    const MatchConfig *config = match->config;
    const UciClientSetup setup = {.variant = config->engine->name,
                                  .stop_fd = match->stop_fd,
                                  .seconds = config->start_seconds,
                                  .cpus = worker->cpus};
    for (int i = 0; i < 2; i++) {
        char warning[2000];
        const size_t engine = worker->engines[i];
        if (worker->clients[i])
            continue;
        worker->clients[i] =
            uci_client_start(&config->engines[engine], &setup, warning, sizeof warning, err);
        if (!worker->clients[i])
            return err->status;
        if (!*warning)
            continue;
        pthread_mutex_lock(&match->mutex);
        if (!match->warned[engine])
            for (char *at = warning, *line; (line = strsep(&at, "\n"));)
                notice(match, line);
        match->warned[engine] = true;
        pthread_mutex_unlock(&match->mutex);
    }
    return STATUS_OK;
}

/* Which engine of the pair has lost a game by its own fault: the second? */
static bool second_lost(const GameResult *result, int index)
{
    return (result->loser == SIDE_BLACK) != (index == 1);
}

/* Tells the user about a game that an engine lost by its own fault. */
static void report_fault(Match *match, const Job *job, int index, const GameResult *result)
{
    const MatchConfig *config = match->config;
    char number[80];
    game_number(config, job->number, index, number, sizeof number);
    /* "loses by illegal move 'e3e9' in ..." */
    const char *how = termination_text(result->termination), *detail = result->detail;
    if (strncmp(detail, how, strlen(how)) == 0)
        how = "";
    char *text = text_format(
        "game %s: %s (%s) loses by %s%s%s", number,
        config->engines[engine_of(config, job->number, second_lost(result, index))].name,
        result->loser == SIDE_WHITE ? "White" : "Black", how, *how ? ": " : "", detail);
    pthread_mutex_lock(&match->mutex);
    if (text)
        notice(match, text);
    pthread_mutex_unlock(&match->mutex);
    free(text);
}

static const MoveLimits *limits_of(const MatchConfig *config, size_t engine)
{
    return engine_limits(&config->engines[engine], &config->limits);
}

/* After a game: ends processes that shall not, or cannot, play another one. */
static void end_engines(Worker *worker, int index, const GameResult *result)
{
    const EngineSpec *engines = worker->match->config->engines;
    for (int i = 0; i < 2; i++) {
        const Restart restart = engines[worker->engines[i]].restart;
        const bool lost = result->engine_lost && second_lost(result, index) == i,
                   dead = lost && (result->termination == TERMINATION_DISCONNECT ||
                                   result->termination == TERMINATION_STALL),
                   late = lost && result->termination == TERMINATION_TIME;
        if (!dead && restart != RESTART_ON && !(late && restart != RESTART_OFF))
            continue;
        if (!dead)
            uci_client_quit(worker->clients[i]);
        uci_client_free(worker->clients[i], dead);
        worker->clients[i] = NULL;
    }
}

/* Plays one game of a pair. With STATUS_IO the game is done, but an engine is dead and the match
 * has to end. */
static Status play_game(Worker *worker, Arbiter *arbiter, Job *job, int index, Error *err)
{
    Match *match = worker->match;
    const MatchConfig *config = match->config;
    Status status = start_engines(worker, err);
    if (status != STATUS_OK)
        return status;
    ArbiterPlayer players[2];
    for (int side = 0; side < 2; side++) {
        const int slot = side == index ? 0 : 1;
        const size_t engine = worker->engines[slot];
        players[side] = (ArbiterPlayer){.client = worker->clients[slot],
                                        .limits = limits_of(config, engine),
                                        .ponder = config->engines[engine].ponder == SWITCH_ON};
    }
    GameResult result;
    status = arbiter_play(arbiter, &config->rules, job->fen, players, &result, err);
    if (status != STATUS_OK)
        return status;

    MatchGame *game = &job->pair.games[index];
    *game = (MatchGame){.outcome = result.outcome,
                        .termination = result.termination,
                        .reason = result.reason,
                        .engine_lost = result.engine_lost,
                        .loser = result.loser,
                        .plies = result.record->ply_count};
    game->pgn = game_pgn(match, job->number, index, &result, game, err);
    if (!game->pgn)
        return err->status;
    game->done = true;

    pthread_mutex_lock(&match->mutex);
    match->plies_now += game->plies;
    match->overhead_seconds += result.seconds - result.engine_seconds;
    pthread_mutex_unlock(&match->mutex);
    if (result.engine_lost)
        report_fault(match, job, index, &result);
    end_engines(worker, index, &result);
    if (result.termination != TERMINATION_DISCONNECT && result.termination != TERMINATION_STALL)
        return STATUS_OK;
    if (config->recover)
        return STATUS_OK;
    const size_t dead = engine_of(config, job->number, second_lost(&result, index));
    return error_set(err, STATUS_IO, "engine %s: %s; --recover would go on",
                     config->engines[dead].name, result.detail);
}

static void *run_worker(void *context)
{
    Worker *worker = context;
    Match *match = worker->match;
    Error error = {STATUS_OK, ""};
    Job job;
    Arbiter *arbiter = arbiter_new(match->config->engine, &error);
    Status status = arbiter ? STATUS_OK : error.status;
    while (status == STATUS_OK && take_job(match, &job)) {
        change_engines(worker, job.number);
        for (int i = 0; i < 2 && status == STATUS_OK; i++)
            if (job.wanted[i])
                status = play_game(worker, arbiter, &job, i, &error);
        deliver(match, &job);
    }
    if (status != STATUS_OK && status != STATUS_INTERRUPTED) {
        pthread_mutex_lock(&match->mutex);
        fail(match, status, &error);
        pthread_mutex_unlock(&match->mutex);
    }
    for (int i = 0; i < 2; i++)
        uci_client_quit(worker->clients[i]);
    for (int i = 0; i < 2; i++)
        uci_client_free(worker->clients[i], false);
    arbiter_free(arbiter);

    pthread_mutex_lock(&match->mutex);
    match->workers--;
    pthread_cond_signal(&match->ended);
    pthread_mutex_unlock(&match->mutex);
    return NULL;
}

/* Runs the workers until all have ended. */
static void run_workers(Match *match)
{
    const MatchConfig *config = match->config;
    size_t wanted = (size_t)config->concurrency;
    if (match->pair_limit != SIZE_MAX && wanted > match->pair_limit - match->counted)
        wanted = match->pair_limit - match->counted;
    Worker *workers = calloc(wanted + 1, sizeof *workers);
    Error error;
    size_t started = 0;
    pthread_mutex_lock(&match->mutex);
    if (!workers)
        fail(match, error_set(&error, STATUS_NO_MEMORY, "threads: out of memory"), &error);
    while (workers && started < wanted) {
        Worker *worker = &workers[started];
        worker->match = match;
        worker->cpus = config->cpus ? &config->cpus[started] : NULL;
        worker->engines[0] = worker->engines[1] = SIZE_MAX;
        match->workers++;
        if (pthread_create(&worker->thread, NULL, run_worker, worker) != 0) {
            match->workers--;
            fail(match, error_set(&error, STATUS_IO, "cannot start thread %zu", started + 1),
                 &error);
            break;
        }
        started++;
    }
    while (match->workers > 0) {
        if (interrupted())
            stop_all(match);
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += INTERRUPT_POLL_MS * 1000000L;
        if (until.tv_nsec >= 1000000000L) {
            until.tv_nsec -= 1000000000L;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&match->ended, &match->mutex, &until);
    }
    pthread_mutex_unlock(&match->mutex);
    for (size_t i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    free(workers);
}

/* --- the match ------------------------------------------------------------------------------- */

/* FNV-1a of the openings: is it still the same book? */
uint64_t book_hash(const Book *book)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; book && i < book->count; i++)
        for (const char *at = book->fens[i];; at++) {
            hash = (hash ^ (uint64_t)(unsigned char)*at) * UINT64_C(1099511628211);
            if (!*at)
                break;
        }
    return hash;
}

/* What makes the games of this match what they are, as one line of JSON. */
static char *state_head(const Match *match)
{
    const MatchConfig *config = match->config;
    const ArbiterRules *rules = &config->rules;
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, book_hash(config->book));
    json_t *engines = json_array(), *limits = json_array();
    for (size_t i = 0; i < config->engine_count; i++) {
        char *spec = engine_spec_text(&config->engines[i]);
        json_array_append_new(engines, json_string(spec ? spec : ""));
        json_array_append_new(limits, json_string(match->limits_text[i]));
        free(spec);
    }
    json_t *head = json_pack(
        "{s:s, s:i, s:s, s:i, s:o, s:o, s:I, s:s, s:s, s:[i,i], s:[i,i,i], s:i, s:f}",
        "campmate-match", "state", "version", 1, "variant", config->engine->name, "rules version",
        config->engine->rules_version, "engines", engines, "limits", limits, "seed",
        (json_int_t)config->seed, "order", config->random_order ? "random" : "sequential",
        "openings", hash, "resign", rules->resign.centipawns, rules->resign.plies, "draw",
        rules->draw.centipawns, rules->draw.plies, rules->draw.after, "max plies", rules->max_plies,
        "time margin", rules->time_margin_seconds);
    if (head && config->tournament != TOURNAMENT_MATCH)
        json_object_set_new(head, "tournament", json_string(tournament_text(config->tournament)));
    char *text = head && json_array_size(engines) == config->engine_count
                     ? json_dumps(head, JSON_COMPACT)
                     : NULL;
    json_decref(head);
    return text;
}

/* The game of the match that a Round tag names; false if there is none. */
static bool round_from_text(const MatchConfig *config, const char *text, size_t *number, int *index)
{
    size_t round, encounter = 1;
    int game, used = 0;
    bool good = config->encounter_count == 1
                    ? sscanf(text, "%zu.%d%n", &round, &game, &used) == 2
                    : sscanf(text, "%zu.%zu.%d%n", &round, &encounter, &game, &used) == 3;
    if (!good || text[used] != '"' || !round || round > SIZE_MAX / config->encounter_count ||
        !encounter || encounter > config->encounter_count || game < 1 || game > 2)
        return false;
    *number = (round - 1) * config->encounter_count + encounter - 1;
    *index = game - 1;
    return true;
}

/* Is `text` a game of this match? One that the state has must be the same, of the last one perhaps
 * only the beginning; of one that it lacks (its line was removed) the players must be. */
static bool is_our_game(const Match *match, const char *text, size_t length, bool last)
{
    static const char event[] = "[Event \"campmate-match\"]\n", round[] = "\n[Round \"";
    const MatchConfig *config = match->config;
    const size_t known = sizeof event - 1;
    if (strncmp(text, event, length < known ? length : known) != 0)
        return false;
    const char *tag = memmem(text, length, round, sizeof round - 1);
    const char *end = tag ? memchr(tag + 1, '\n', length - (size_t)(tag + 1 - text)) : NULL;
    if (!end)
        return last;
    size_t number;
    int index;
    if (!round_from_text(config, tag + sizeof round - 1, &number, &index))
        return false;
    if (number >= match->list.count)
        return false;
    const MatchGame *game = &match->list.pairs[number].games[index];
    if (game->done && game->pgn) {
        size_t whole = strlen(game->pgn);
        return (length == whole || (last && length < whole)) &&
               memcmp(text, game->pgn, length) == 0;
    }
    char *players = text_format("\n[White \"%s\"]\n[Black \"%s\"]\n",
                                config->engines[engine_of(config, number, index == 1)].name,
                                config->engines[engine_of(config, number, index == 0)].name);
    bool ours = players && (last || memmem(text, length, players, strlen(players)));
    free(players);
    return ours;
}

/* The PGN that is there is written anew from the state: it may hold nothing else. */
static Status check_pgn(const Match *match, Error *err)
{
    const char *path = match->config->pgn;
    char *bytes;
    size_t size;
    Status status = file_read_all(path, &bytes, &size, err);
    if (status != STATUS_OK)
        return status;
    for (size_t at = 0, next, count = 1; at < size && status == STATUS_OK; at = next, count++) {
        const char *following = memmem(bytes + at + 1, size - at - 1, "\n[Event ", 8);
        next = following ? (size_t)(following - bytes) + 1 : size;
        if (!is_our_game(match, bytes + at, next - at, next == size))
            status = error_set(err, STATUS_ARGUMENT,
                               "cannot resume: %s is not the PGN of %s: its game %zu is another, "
                               "expected those of that match: choose another --pgn",
                               path, match->config->state, count);
    }
    free(bytes);
    return status;
}

static Status open_files(Match *match, Error *err)
{
    const MatchConfig *config = match->config;
    Status status = STATUS_OK;
    struct stat pgn;
    bool games = config->pgn && stat(config->pgn, &pgn) == 0 && S_ISREG(pgn.st_mode) && pgn.st_size;
    if (games && !config->resume)
        return error_set(err, STATUS_ARGUMENT,
                         "%s is there already: go on with --resume, or choose another name",
                         config->pgn);
    if (config->state) {
        if (config->pgn && config->resume && file_exists(config->pgn) &&
            !file_exists(config->state))
            return error_set(err, STATUS_ARGUMENT, "cannot resume: %s is there, but not %s",
                             config->pgn, config->state);
        char *head = state_head(match);
        status = head ? state_file_open(&match->state, config->state, head, config->resume,
                                        &match->list, err)
                      : error_set(err, STATUS_ARGUMENT,
                                  "cannot write the match's description (names must be UTF-8)");
        free(head);
    }
    if (status == STATUS_OK && games && match->list.count == 0)
        status = error_set(err, STATUS_ARGUMENT,
                           "cannot resume: %s has games and %s has none: choose another --pgn",
                           config->pgn, config->state ? config->state : "no state");
    if (status == STATUS_OK && games)
        status = check_pgn(match, err);
    if (status == STATUS_OK && config->pgn && !(match->pgn = fopen(config->pgn, "we")))
        status = error_set_errno(err, "cannot write %s", config->pgn);
    return status;
}

/* After the last game: what is finished beyond the first gap belongs to the summary too. */
static void count_the_rest(Match *match)
{
    Error error;
    for (size_t i = match->counted; !match->decided && i < match->list.count; i++) {
        if (i >= match->pair_limit)
            break;
        match_totals_add(&match->totals[encounter_of(match->config, i)], &match->list.pairs[i]);
        Status status = flush_pgn(match, i, &error);
        if (status != STATUS_OK)
            fail(match, status, &error);
    }
    match->llr = totals_llr(match->config, match->totals);
    if (match->pgn && fclose(match->pgn) != 0) {
        error_set_errno(&error, "cannot write %s", match->config->pgn);
        fail(match, STATUS_IO, &error);
    }
    match->pgn = NULL;
}

Status match_run(const MatchConfig *config, const MatchObserver *observer, MatchSummary *summary,
                 Error *err)
{
    static const MatchObserver nobody;
    double began = clock_seconds();
    Match match = {.config = config,
                   .observer = observer ? observer : &nobody,
                   .mutex = PTHREAD_MUTEX_INITIALIZER,
                   .stop_fd = -1,
                   .status = STATUS_OK,
                   .state = {.fd = -1},
                   .pair_limit = config->games
                                     ? (size_t)((config->games + 1) / 2) * config->encounter_count
                                     : SIZE_MAX};
    *summary = (MatchSummary){.verdict = VERDICT_NONE};
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&match.ended, &attributes);
    pthread_condattr_destroy(&attributes);

    Status status = STATUS_OK;
    match.limits_text = calloc(config->engine_count, sizeof *match.limits_text);
    match.warned = calloc(config->engine_count, sizeof *match.warned);
    match.totals = calloc(config->encounter_count, sizeof *match.totals);
    if (!match.limits_text || !match.warned || !match.totals) {
        status = error_set(err, STATUS_NO_MEMORY, "match: out of memory");
        goto cleanup;
    }
    for (size_t i = 0; i < config->engine_count; i++)
        move_limits_text(limits_of(config, i), match.limits_text[i], sizeof match.limits_text[i]);
    status = open_files(&match, err);
    if (status != STATUS_OK)
        goto cleanup;
    match.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (match.stop_fd < 0) {
        status = error_set_errno(err, "no event descriptor");
        goto cleanup;
    }
    advance(&match); /* what was read back */
    if (!match.decided && match.status == STATUS_OK && match.counted < match.pair_limit)
        run_workers(&match);
    count_the_rest(&match);
    status = match.status;
    if (status != STATUS_OK && err)
        *err = match.error;
    if (status == STATUS_OK && !match.decided && match.counted < match.pair_limit)
        status = error_set(err, STATUS_INTERRUPTED, "interrupted");

cleanup:
    summary->totals = match.totals; /* the caller's now */
    summary->seconds = clock_seconds_since(began);
    summary->plies_now = match.plies_now;
    summary->overhead_ms =
        match.plies_now ? 1000.0 * match.overhead_seconds / (double)match.plies_now : 0.0;
    if (config->has_sprt) {
        summary->llr = match.llr;
        sprt_bounds(&config->sprt, &summary->llr_lower, &summary->llr_upper);
        summary->verdict =
            match.decided ? sprt_verdict(&config->sprt, match.llr) : VERDICT_INCONCLUSIVE;
    }
    if (match.pgn)
        fclose(match.pgn);
    state_file_close(&match.state);
    pair_list_free(&match.list);
    free(match.order);
    free(match.limits_text);
    free(match.warned);
    if (match.stop_fd >= 0)
        close(match.stop_fd);
    pthread_cond_destroy(&match.ended);
    pthread_mutex_destroy(&match.mutex);
    return status;
}
