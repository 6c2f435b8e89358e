/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_client.c - a UCI engine in a child process. */
#include "uci_client.h"

#include "uci_option.h"

#include "support/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INFO_BYTES = 1024,          /* of an info line; the score stands near its head       */
    PONDER_PIPE_BYTES = 1 << 20 /* nobody reads while an engine ponders                   */
};

struct UciClient {
    EngineProcess process;
    const EngineSpec *spec;
    bool pondering; /* a `go ponder` has not been answered */
    double asked_time;
    char info[INFO_BYTES]; /* the last line with a score   */
};

static ClientEvent send_line(UciClient *client, const char *line)
{
    return engine_process_send_line(&client->process, line);
}

static ClientEvent next_line(UciClient *client, double deadline, char **line)
{
    return engine_process_line(&client->process, deadline, line);
}

static ClientEvent wait_for_word(UciClient *client, const char *word, double seconds)
{
    double deadline = clock_seconds() + seconds;
    char *line;
    ClientEvent event;
    while ((event = next_line(client, deadline, &line)) == CLIENT_ANSWER)
        if (line_has_word(line, word))
            break;
    return event;
}

/* --- handshake ------------------------------------------------------------------------------- */

typedef struct Announcement {
    UciOption *options; /* [spec->option_count]: what it says of those that we mean to set */
    bool has_variants, plays_variant, has_ponder;
} Announcement;

/* What the line says about the options that we mean to set. */
static Status read_option_line(const char *line, const EngineSpec *spec,
                               const UciClientSetup *setup, Announcement *announced, Error *err)
{
    UciOption option, *kept = NULL;
    Status status = uci_option_read(&option, line, err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < spec->option_count; i++)
        if (option.name[0] && strcasecmp(spec->options[i].name, option.name) == 0)
            kept = &announced->options[i];
    announced->has_ponder |= strcasecmp(option.name, "Ponder") == 0;
    if (strcasecmp(option.name, "UCI_Variant") == 0) {
        announced->has_variants = true;
        announced->plays_variant |= uci_option_has(&option, setup->variant);
    }
    if (setup->see_option)
        setup->see_option(setup->context, &option);
    uci_option_free(kept ? kept : &option);
    if (kept)
        *kept = option;
    return STATUS_OK;
}

static Status handshake_failed(UciClient *client, ClientEvent event, const char *expected,
                               Error *err)
{
    char fate[64];
    const char *name = client->spec->name;
    switch (event) {
    case CLIENT_STOPPED:
        return error_set(err, STATUS_INTERRUPTED, "interrupted");
    case CLIENT_GONE:
        engine_process_fate(&client->process, fate, sizeof fate);
        return error_set(err, STATUS_IO, "engine %s %s before it said %s", name, fate, expected);
    default:
        return error_set(err, STATUS_IO, "engine %s did not say %s in time", name, expected);
    }
}

static ClientEvent set_option(UciClient *client, const char *name, const char *value)
{
    char line[4000];
    snprintf(line, sizeof line, "setoption name %s%s%s", name, *value ? " value " : "", value);
    return send_line(client, line);
}

/* Is each option of the spec one that the engine has, and in its range? */
static Status check_options(const EngineSpec *spec, const Announcement *announced, Error *err)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < spec->option_count && status == STATUS_OK; i++)
        status = uci_option_check(&announced->options[i], spec->name, spec->options[i].name,
                                  spec->options[i].value, err);
    return status;
}

/* What an engine says while it takes its options, made fit for a terminal. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

Status uci_refusal(const EngineSpec *spec, char *line, Error *err)
{
    if (!line_has_word(line, "info string"))
        return STATUS_OK;
    char *text = line + strlen("info string");
    text += strspn(text, " \t");
    if (strncasecmp(text, "error", strlen("error")) != 0)
        return STATUS_OK;
    make_printable(text);
    text += strlen("error");
    text += strspn(text, ": ");
    for (size_t i = 0; i < spec->option_count; i++)
        if (strcasestr(text, spec->options[i].name))
            return error_set(err, STATUS_IO, "engine %s refuses option '%s': %s", spec->name,
                             spec->options[i].name, text);
    return error_set(err, STATUS_IO, "engine %s refuses an option: %s", spec->name, text);
}

/* Adds a line to the warning, whole or not at all. */
static void add_warning(const EngineSpec *spec, char *text, char *warning, size_t size)
{
    size_t length = strlen(warning);
    make_printable(text);
    int more = snprintf(warning + length, size - length, "%sengine %s: %s", length ? "\n" : "",
                        spec->name, text);
    if (more < 0 || (size_t)more >= size - length)
        warning[length] = '\0';
}

/* Reads until readyok. Info strings that refuse no option may say that one did not do what was
 * meant: they are for the user. */
static Status wait_for_ready(UciClient *client, double seconds, char *warning, size_t size,
                             Error *err)
{
    double deadline = clock_seconds() + seconds;
    char *line;
    ClientEvent event;
    while ((event = next_line(client, deadline, &line)) == CLIENT_ANSWER) {
        if (line_has_word(line, "readyok"))
            return STATUS_OK;
        if (uci_refusal(client->spec, line, err) != STATUS_OK)
            return err->status;
        if (!line_has_word(line, "info string"))
            continue;
        line += strlen("info string");
        line += strspn(line, " \t");
        /* What it says of the board it plays on is as it should be. */
        if (*line && size > 0 && !line_has_word(line, "variant"))
            add_warning(client->spec, line, warning, size);
    }
    return handshake_failed(client, event, "readyok", err);
}

static Status handshake(UciClient *client, const UciClientSetup *setup, char *warning, size_t size,
                        Error *err)
{
    const EngineSpec *spec = client->spec;
    const char *variant = setup->variant;
    const double seconds = setup->seconds;
    bool own_variant = false, variant_file = false, own_ponder = false;
    Announcement announced = {.options = calloc(spec->option_count + 1, sizeof(UciOption))};
    if (!announced.options)
        return error_set(err, STATUS_NO_MEMORY, "engine %s: out of memory", spec->name);
    for (size_t i = 0; i < spec->option_count; i++) {
        own_variant |= strcasecmp(spec->options[i].name, "UCI_Variant") == 0;
        variant_file |= strcasecmp(spec->options[i].name, "VariantPath") == 0;
        own_ponder |= strcasecmp(spec->options[i].name, "Ponder") == 0;
    }

    Status status = STATUS_OK;
    double deadline = clock_seconds() + seconds;
    ClientEvent event = send_line(client, "uci");
    char *line;
    while (event == CLIENT_ANSWER &&
           (event = next_line(client, deadline, &line)) == CLIENT_ANSWER) {
        if (line_has_word(line, "uciok"))
            break;
        if (line_has_word(line, "option") &&
            (status = read_option_line(line, spec, setup, &announced, err)) != STATUS_OK)
            goto cleanup;
    }
    if (event != CLIENT_ANSWER) {
        status = handshake_failed(client, event, "uciok", err);
        goto cleanup;
    }
    status = check_options(spec, &announced, err);
    if (status != STATUS_OK)
        goto cleanup;
    if (announced.has_variants && !announced.plays_variant && !own_variant && !variant_file) {
        status = error_set(err, STATUS_ARGUMENT, "engine %s does not play %s", spec->name, variant);
        goto cleanup;
    }
    if (!announced.has_variants && !own_variant)
        snprintf(warning, size, "engine %s has no option UCI_Variant; it is taken to play %s",
                 spec->name, variant);

    /* A file of variants comes before the choice of one, that choice before all else, because
     * engines set other options anew on a change of variant. */
    for (size_t i = 0; i < spec->option_count && event == CLIENT_ANSWER; i++)
        if (strcasecmp(spec->options[i].name, "VariantPath") == 0)
            event = set_option(client, spec->options[i].name, spec->options[i].value);
    if (announced.has_variants && !own_variant && event == CLIENT_ANSWER)
        event = set_option(client, "UCI_Variant", variant);
    for (size_t i = 0; i < spec->option_count && event == CLIENT_ANSWER; i++)
        if (strcasecmp(spec->options[i].name, "UCI_Variant") == 0)
            event = set_option(client, spec->options[i].name, spec->options[i].value);
    if (spec->ponder == SWITCH_ON && announced.has_ponder && !own_ponder && event == CLIENT_ANSWER)
        event = set_option(client, "Ponder", "true");
    for (size_t i = 0; i < spec->option_count && event == CLIENT_ANSWER; i++)
        if (strcasecmp(spec->options[i].name, "VariantPath") != 0 &&
            strcasecmp(spec->options[i].name, "UCI_Variant") != 0)
            event = set_option(client, spec->options[i].name, spec->options[i].value);
    if (event == CLIENT_ANSWER)
        event = send_line(client, "isready");
    if (event == CLIENT_ANSWER)
        status = wait_for_ready(client, seconds, warning, size, err);
    else
        status = handshake_failed(client, event, "readyok", err);

cleanup:
    for (size_t i = 0; i < spec->option_count; i++)
        uci_option_free(&announced.options[i]);
    free(announced.options);
    return status;
}

UciClient *uci_client_start(const EngineSpec *spec, const UciClientSetup *setup, char *warning,
                            size_t size, Error *err)
{
    if (size > 0)
        warning[0] = '\0';
    UciClient *client = malloc(sizeof *client);
    if (!client) {
        error_set(err, STATUS_NO_MEMORY, "engine %s: out of memory", spec->name);
        return NULL;
    }
    client->spec = spec;
    client->pondering = false;
    client->asked_time = 0.0;
    client->info[0] = '\0';
    if (engine_process_start(&client->process, spec, setup->cpus, setup->stop_fd, err) ==
            STATUS_OK &&
        handshake(client, setup, warning, size, err) == STATUS_OK)
        return client;
    uci_client_free(client, true);
    return NULL;
}

/* --- games ----------------------------------------------------------------------------------- */

/* Sends a question; what the engine says from now on is its answer. */
static ClientEvent ask(UciClient *client, const char *text, size_t length)
{
    if (client->process.gone)
        return CLIENT_GONE;
    client->asked_time = clock_seconds();
    client->process.lines = 0;
    return engine_process_send(&client->process, text, length);
}

ClientEvent uci_client_new_game(UciClient *client, double seconds)
{
    engine_process_drain(&client->process);
    ClientEvent event = ask(client, "ucinewgame\nisready\n", 19);
    return event == CLIENT_ANSWER ? wait_for_word(client, "readyok", seconds) : event;
}

/* The number after a word of an info line; false if there is none. */
static bool info_number(const char *info, const char *word, long *number)
{
    const char *at = strstr(info, word);
    if (!at)
        return false;
    at += strlen(word);
    char *end;
    *number = strtol(at, &end, 10);
    return end != at;
}

static void parse_info(const char *info, SearchReply *reply)
{
    long number;
    reply->score = SCORE_NONE;
    reply->depth = 0;
    if (info_number(info, " depth ", &number) && number > 0 && number < 10000)
        reply->depth = (int)number;
    if (info_number(info, " score mate ", &number)) {
        /* In moves of the winner; 0 is mated already. */
        const long most = (SCORE_MATE - SCORE_MATE_BOUND) / 2 - 1;
        number = number > most ? most : number < -most ? -most : number;
        long plies = number > 0 ? 2 * number - 1 : -2 * number;
        reply->score = number > 0 ? SCORE_MATE - (int)plies : -SCORE_MATE + (int)plies;
    } else if (info_number(info, " score cp ", &number)) {
        if (number > SCORE_MATE_BOUND)
            number = SCORE_MATE_BOUND;
        if (number < -SCORE_MATE_BOUND)
            number = -SCORE_MATE_BOUND;
        reply->score = (int)number;
    }
}

/* Keeps the head of an info line that has a score of the best line. */
static void keep_info(UciClient *client, const char *line)
{
    if (!strstr(line, " score ") || strncmp(line, "info string", strlen("info string")) == 0)
        return;
    const char *rank = strstr(line, " multipv ");
    if (rank && strtol(rank + strlen(" multipv "), NULL, 10) != 1)
        return;
    const char *pv = strstr(line, " pv ");
    size_t length = pv ? (size_t)(pv - line) : strlen(line);
    if (length >= INFO_BYTES)
        length = INFO_BYTES - 1;
    memcpy(client->info, line, length);
    client->info[length] = '\0';
}

/* Copies the word at `text` and returns what stands behind it and the blanks after it. */
static const char *copy_word(const char *text, char *word, size_t size)
{
    size_t length = strcspn(text, " \t"), kept = length < size ? length : size - 1;
    memcpy(word, text, kept);
    word[kept] = '\0';
    return text + length + strspn(text + length, " \t");
}

/* Waits for the answer to what was asked last. */
static ClientEvent wait_for_move(UciClient *client, double seconds, SearchReply *reply)
{
    char *line;
    ClientEvent event;
    *reply = (SearchReply){.score = SCORE_NONE};
    while ((event = next_line(client, client->asked_time + seconds, &line)) == CLIENT_ANSWER) {
        if (line_has_word(line, "info")) {
            keep_info(client, line);
        } else if (line_has_word(line, "bestmove")) {
            const char *at = line + strlen("bestmove");
            at = copy_word(at + strspn(at, " \t"), reply->move, sizeof reply->move);
            if (line_has_word(at, "ponder"))
                copy_word(at + strlen("ponder") + strspn(at + strlen("ponder"), " \t"),
                          reply->ponder, sizeof reply->ponder);
            break;
        }
    }
    if (event != CLIENT_ANSWER) {
        reply->seconds = clock_seconds() - client->asked_time;
        return event;
    }
    /* A bestmove that came while it should have pondered is an answer in no time at all. */
    double answered = client->process.read_time - client->asked_time;
    reply->seconds = answered > 0.0 ? answered : 0.0;
    if (client->info[0])
        parse_info(client->info, reply);
    return CLIENT_ANSWER;
}

ClientEvent uci_client_go(UciClient *client, const char *text, size_t length, double seconds,
                          SearchReply *reply)
{
    *reply = (SearchReply){.score = SCORE_NONE};
    engine_process_drain(&client->process);
    client->info[0] = '\0';
    ClientEvent event = ask(client, text, length);
    if (event == CLIENT_ANSWER)
        return wait_for_move(client, seconds, reply);
    reply->seconds = client->process.gone ? 0.0 : clock_seconds() - client->asked_time;
    return event;
}

ClientEvent uci_client_ponder(UciClient *client, const char *text, size_t length)
{
    /* If the system refuses, an engine that says much waits until its turn. */
    fcntl(client->process.from, F_SETPIPE_SZ, (int)PONDER_PIPE_BYTES);
    engine_process_drain(&client->process);
    client->info[0] = '\0';
    client->pondering = true;
    return ask(client, text, length);
}

bool uci_client_is_pondering(const UciClient *client)
{
    return client->pondering;
}

ClientEvent uci_client_ponderhit(UciClient *client, double seconds, SearchReply *reply)
{
    *reply = (SearchReply){.score = SCORE_NONE};
    client->pondering = false;
    ClientEvent event = ask(client, "ponderhit\n", 10);
    return event == CLIENT_ANSWER ? wait_for_move(client, seconds, reply) : event;
}

uint64_t uci_client_lines(const UciClient *client)
{
    /* One without an end, however long, is also something that was sent. */
    const EngineProcess *process = &client->process;
    bool unfinished = process->read_time >= client->asked_time &&
                      (process->skipping || process->begin < process->end);
    return process->lines + unfinished;
}

ClientEvent uci_client_stop(UciClient *client, double seconds)
{
    SearchReply late;
    client->pondering = false;
    ClientEvent event = ask(client, "stop\n", 5);
    return event == CLIENT_ANSWER ? wait_for_move(client, seconds, &late) : event;
}

void uci_client_fate(UciClient *client, char *text, size_t size)
{
    engine_process_fate(&client->process, text, size);
}

void uci_client_quit(UciClient *client)
{
    if (client)
        engine_process_farewell(&client->process, "stop\nquit\n");
}

void uci_client_free(UciClient *client, bool kill_now)
{
    if (!client)
        return;
    engine_process_end(&client->process, kill_now);
    free(client);
}
