/* SPDX-License-Identifier: GPL-3.0-or-later */
/* results.c - the games of a match as they are kept, in memory and in the state file. */
#include "results.h"

#include "support/clock.h"
#include "support/files.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* Seconds between two syncs to disk. What is written survives a kill without; this is for the
 * day the power fails. */
static const double SYNC_SECONDS = 2.0;

int match_game_points(const MatchGame *game, int index)
{
    const Outcome won = index == 0 ? OUTCOME_WHITE : OUTCOME_BLACK;
    if (game->outcome == OUTCOME_NONE || game->outcome == OUTCOME_DRAW)
        return 1;
    return game->outcome == won ? 2 : 0;
}

const char *match_game_ending(const MatchGame *game)
{
    return game->termination == TERMINATION_RULES ? end_reason_text(game->reason)
                                                  : termination_text(game->termination);
}

void pair_list_free(PairList *list)
{
    for (size_t i = 0; i < list->count; i++)
        for (int k = 0; k < 2; k++)
            free(list->pairs[i].games[k].pgn);
    free(list->pairs);
    *list = (PairList){0};
}

MatchPair *pair_list_at(PairList *list, size_t number)
{
    if (number >= list->capacity) {
        size_t capacity = list->capacity ? list->capacity : 256;
        while (capacity <= number)
            capacity *= 2;
        MatchPair *grown = realloc(list->pairs, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        list->pairs = grown;
        list->capacity = capacity;
    }
    while (list->count <= number)
        list->pairs[list->count++] = (MatchPair){0};
    return &list->pairs[number];
}

/* --- a line and its check ------------------------------------------------------------------------
 *
 * Each line of a game ends with ,"check":"<16 hexadecimal digits>"}: XXH3 of the line before that
 * member, seeded with that of the head. A line that was changed, or comes from another match, does
 * not have it.
 */

static const char CHECK_KEY[] = ",\"check\":\"";
enum { CHECK_DIGITS = 16, CHECK_BYTES = sizeof CHECK_KEY - 1 + CHECK_DIGITS + 2 };

static uint64_t check_of(uint64_t head, const char *line, size_t length)
{
    return XXH3_64bits_withSeed(line, length, head);
}

/* Where the check of a line begins; NULL if it is not the line that was written. */
static const char *find_check(uint64_t head, const char *line)
{
    const size_t length = strlen(line);
    if (length <= CHECK_BYTES)
        return NULL;
    char expected[CHECK_BYTES + 1];
    const char *at = line + length - CHECK_BYTES;
    snprintf(expected, sizeof expected, "%s%016" PRIx64 "\"}", CHECK_KEY,
             check_of(head, line, length - CHECK_BYTES));
    return strcmp(at, expected) == 0 ? at : NULL;
}

/* --- reading --------------------------------------------------------------------------------- */

static bool reason_from_text(const char *text, EndReason *reason)
{
    for (int i = 0; i < END_REASON_COUNT; i++) {
        if (strcmp(text, end_reason_text((EndReason)i)) == 0) {
            *reason = (EndReason)i;
            return true;
        }
    }
    return false;
}

/* One line of a game. False if it is not one. */
static bool read_game(const json_t *line, PairList *list, bool *no_memory)
{
    json_int_t number, index, plies;
    const char *result, *ending, *loser = NULL, *pgn;
    if (json_unpack((json_t *)line, "{s:I, s:I, s:s, s:s, s?s, s:I, s:s}", "pair", &number, "game",
                    &index, "result", &result, "ending", &ending, "loser", &loser, "plies", &plies,
                    "pgn", &pgn) != 0)
        return false;
    MatchGame game = {.done = true, .plies = (size_t)plies};
    if (number < 0 || number > 100000000 || index < 0 || index > 1 || plies < 0 ||
        !outcome_from_text(result, &game.outcome))
        return false;
    if (termination_from_text(ending, &game.termination)) {
        game.engine_lost = loser != NULL;
        game.loser = loser && strcmp(loser, "black") == 0 ? SIDE_BLACK : SIDE_WHITE;
    } else if (reason_from_text(ending, &game.reason)) {
        game.termination = TERMINATION_RULES;
    } else {
        return false;
    }
    MatchPair *pair = pair_list_at(list, (size_t)number);
    game.pgn = pair ? strdup(pgn) : NULL;
    if (!game.pgn) {
        *no_memory = true;
        return false;
    }
    free(pair->games[index].pgn);
    pair->games[index] = game;
    return true;
}

/* Says in which key two heads differ. */
static Status compare_heads(const char *path, const char *found, const char *wanted, Error *err)
{
    Status status = STATUS_OK;
    json_t *there = json_loads(found, 0, NULL), *here = json_loads(wanted, 0, NULL);
    const char *key;
    json_t *value;
    if (!json_is_object(there) || !json_is_object(here)) {
        status =
            error_set(err, STATUS_FORMAT,
                      "%s: line 1: not the head of a match's state: choose another name", path);
        goto cleanup;
    }
    json_object_foreach(here, key, value)
    {
        const json_t *other = json_object_get(there, key);
        if (json_equal(value, other))
            continue;
        char *was = other ? json_dumps(other, JSON_ENCODE_ANY) : NULL;
        char *is = json_dumps(value, JSON_ENCODE_ANY);
        status = error_set(err, STATUS_ARGUMENT,
                           "%s is the state of another match: %s was %.150s and is now %.150s",
                           path, key, was ? was : "not there", is ? is : "?");
        free(was);
        free(is);
        goto cleanup;
    }

cleanup:
    json_decref(there);
    json_decref(here);
    return status;
}

/* Reads the text of a state file; *used = bytes of whole lines. */
static Status read_state(const char *path, char *text, size_t size, const char *head,
                         PairList *list, size_t *used, Error *err)
{
    size_t line_number = 0;
    uint64_t seed = 0;
    *used = 0;
    for (char *line = text, *end; (end = memchr(line, '\n', size - (size_t)(line - text)));
         line = end + 1) {
        *end = '\0';
        line_number++;
        if (line_number == 1) {
            Status status = compare_heads(path, line, head, err);
            if (status != STATUS_OK)
                return status;
            seed = check_of(0, line, strlen(line));
        } else {
            json_t *game = find_check(seed, line) ? json_loads(line, 0, NULL) : NULL;
            bool no_memory = false,
                 fine = json_is_object(game) && read_game(game, list, &no_memory);
            json_decref(game);
            if (no_memory)
                return error_set(err, STATUS_NO_MEMORY, "%s: out of memory", path);
            if (!fine)
                return error_set(err, STATUS_FORMAT,
                                 "%s: line %zu: not a game as this match has written it (damaged, "
                                 "changed or of an older campmate-match): remove the line, and the "
                                 "game is played again",
                                 path, line_number);
        }
        *used = (size_t)(end + 1 - text);
    }
    return STATUS_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

static Status write_all(const StateFile *state, const char *text, size_t length, Error *err)
{
    while (length > 0) {
        ssize_t written = write(state->fd, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_set_errno(err, "cannot write %s", state->path);
        text += written;
        length -= (size_t)written;
    }
    return STATUS_OK;
}

/* How the head of each state begins. */
static const char STATE_BEGIN[] = "{\"campmate-match\":\"state\"";

Status state_file_open(StateFile *state, const char *path, const char *head, bool resume,
                       PairList *list, Error *err)
{
    *state = (StateFile){.fd = -1, .synced = clock_seconds()};
    char *text = NULL;
    size_t size = 0, used = 0;
    Status status = file_lock(path, &state->fd, err);
    if (status == STATUS_OK && !(state->path = strdup(path)))
        status = error_set(err, STATUS_NO_MEMORY, "%s: out of memory", path);
    if (status == STATUS_OK)
        status = file_read_all(path, &text, &size, err);
    if (status == STATUS_OK && !resume) {
        /* A match that ended before its first game, for want of an engine say, is no loss. */
        const char *first = memchr(text, '\n', size);
        bool ours = size == 0 || strncmp(text, STATE_BEGIN, strlen(STATE_BEGIN)) == 0;
        if (!ours || (first && first[1]))
            status =
                error_set(err, STATUS_ARGUMENT,
                          "%s is there already: go on with --resume, or choose another name", path);
        size = 0;
    }
    if (status == STATUS_OK)
        status = read_state(path, text, size, head, list, &used, err);
    if (status == STATUS_OK &&
        (ftruncate(state->fd, (off_t)used) != 0 || lseek(state->fd, 0, SEEK_END) < 0))
        status = error_set_errno(err, "cannot write %s", path);
    if (status == STATUS_OK)
        state->head = check_of(0, used ? text : head, strlen(used ? text : head));
    if (status == STATUS_OK && used == 0) {
        status = write_all(state, head, strlen(head), err);
        if (status == STATUS_OK)
            status = write_all(state, "\n", 1, err);
    }
    free(text);
    if (status != STATUS_OK)
        state_file_close(state);
    return status;
}

Status state_file_add(StateFile *state, size_t number, const MatchPair *pair, Error *err)
{
    if (state->fd < 0)
        return STATUS_OK;
    /* Both games in one write, so that a kill between two writes cannot part them. */
    char *lines = NULL;
    for (int i = 0; i < 2; i++) {
        const MatchGame *game = &pair->games[i];
        if (!game->done)
            continue;
        json_t *line =
            json_pack("{s:I, s:i, s:s, s:s, s:I, s:s}", "pair", (json_int_t)number, "game", i,
                      "result", outcome_text(game->outcome), "ending", match_game_ending(game),
                      "plies", (json_int_t)game->plies, "pgn", game->pgn);
        if (line && game->engine_lost)
            json_object_set_new(line, "loser",
                                json_string(game->loser == SIDE_WHITE ? "white" : "black"));
        char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
        json_decref(line);
        size_t length = text ? strlen(text) - 1 : 0; /* without the last brace */
        char *longer =
            text ? text_format("%s%.*s%s%016" PRIx64 "\"}\n", lines ? lines : "", (int)length, text,
                               CHECK_KEY, check_of(state->head, text, length))
                 : NULL;
        free(text);
        free(lines);
        lines = longer;
        if (!lines)
            return error_set(err, STATUS_NO_MEMORY,
                             "%s: a game cannot be kept (memory, or bytes that are no UTF-8)",
                             state->path);
    }
    Status status = lines ? write_all(state, lines, strlen(lines), err) : STATUS_OK;
    free(lines);
    double now = clock_seconds();
    if (status == STATUS_OK && now - state->synced > SYNC_SECONDS) {
        state->synced = now;
        if (fdatasync(state->fd) != 0 && errno != EINVAL && errno != EROFS)
            status = error_set_errno(err, "cannot write %s", state->path);
    }
    return status;
}

void state_file_close(StateFile *state)
{
    file_unlock(state->fd);
    free(state->path);
    *state = (StateFile){.fd = -1};
}

uint64_t state_file_number(const char *path, const char *key, uint64_t fallback)
{
    char *text;
    size_t size;
    if (!file_exists(path) || file_read_all(path, &text, &size, NULL) != STATUS_OK)
        return fallback;
    text[strcspn(text, "\n")] = '\0';
    json_t *head = json_loads(text, 0, NULL);
    const json_t *value = json_object_get(head, key);
    uint64_t number = json_is_integer(value) ? (uint64_t)json_integer_value(value) : fallback;
    json_decref(head);
    free(text);
    return number;
}
