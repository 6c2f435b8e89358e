/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uci_client.h - a UCI engine in a child process (engine_process.h).
 *
 *     UciClient *client = uci_client_start(&spec, &setup, warning, sizeof warning, &err);
 *     uci_client_new_game(client, seconds);
 *     event = uci_client_go(client, text, length, seconds, &reply);
 *     uci_client_quit(client);
 *     uci_client_free(client, false);
 */
#pragma once

#include "engine.h"
#include "engine_process.h"
#include "uci_option.h"

#include <stdint.h>

typedef struct UciClient UciClient;

/* What all engines of a match start with. */
typedef struct UciClientSetup {
    const char *variant;   /* the value of UCI_Variant, unless the spec sets that option itself  */
    int stop_fd;           /* becomes readable when everything has to end; -1 = none             */
    double seconds;        /* that each step of the handshake may take                           */
    const cpu_set_t *cpus; /* the CPUs that it may use; NULL = those of the caller               */
    /* Is shown each option that the engine announces; may be NULL. */
    void (*see_option)(void *context, const UciOption *option);
    void *context;
} UciClientSetup;

/* The answer to a `go`. */
typedef struct SearchReply {
    char move[32];   /* as written after "bestmove"; "" if nothing was     */
    char ponder[32]; /* the move it expects; "" if none was named          */
    double seconds;  /* from sending `go` to reading the answer            */
    int score;       /* view of the side to move, as in engine.h; SCORE_NONE if none was seen */
    int depth;       /* 0 if none was seen                                 */
} SearchReply;

/*
 * Starts the engine and takes it through uci, setoption (UCI_Variant first; Ponder if the spec says
 * so) and isready.
 *
 *   spec       must stay valid as long as the client
 *   warning    [size] out: what the user should know although it works, as lines without a last
 *              '\n': also the `info string` lines that answer the options; "" if nothing
 *
 * NULL with err if it does not run, does not answer, refuses an option (`info string error ...`
 * before readyok), or with STATUS_ARGUMENT if it has no such option, a number is out of the range
 * it announced or it does not play the variant; STATUS_INTERRUPTED if stop_fd became readable.
 */
UciClient *uci_client_start(const EngineSpec *spec, const UciClientSetup *setup, char *warning,
                            size_t size, Error *err);

/* Does a line that the engine says after its options refuse one, as `info string error ...`? Then
 * it is made fit for a terminal, and STATUS_IO names the option, if the line does. */
Status uci_refusal(const EngineSpec *spec, char *line, Error *err);

/* ucinewgame, isready, and waits for readyok. */
ClientEvent uci_client_new_game(UciClient *client, double seconds);

/*
 * Sends `text` (whole lines, the last one a `go`) and waits for the bestmove for up to `seconds`.
 * What the engine said before is forgotten. `reply` is filled for CLIENT_ANSWER; its `seconds`
 * also for CLIENT_TIMEOUT and CLIENT_GONE.
 */
ClientEvent uci_client_go(UciClient *client, const char *text, size_t length, double seconds,
                          SearchReply *reply);

/* How many lines the engine has sent since it was last asked for readyok or a move. */
uint64_t uci_client_lines(const UciClient *client);

/* Sends `text`, the last line a `go ponder`, and does not wait. */
ClientEvent uci_client_ponder(UciClient *client, const char *text, size_t length);

/* True between uci_client_ponder and uci_client_ponderhit or uci_client_stop. */
bool uci_client_is_pondering(const UciClient *client);

/* The expected move was played: waits for the bestmove for up to `seconds` from now on. */
ClientEvent uci_client_ponderhit(UciClient *client, double seconds, SearchReply *reply);

/* After a CLIENT_TIMEOUT, or when another move was played than the one pondered on: sends `stop`
 * and waits for the bestmove, which is of no use. */
ClientEvent uci_client_stop(UciClient *client, double seconds);

/* "exited with code 3", "was killed by signal 11", "closed its output" or "input", for messages. */
void uci_client_fate(UciClient *client, char *text, size_t size);

/* Asks the engine to go (quit, end of file on stdin) without waiting, so that several can leave
 * at the same time. Nothing else may be asked of the client afterwards. */
void uci_client_quit(UciClient *client);

/* Waits up to half a second for the engine to leave, then SIGTERM, then SIGKILL to its process
 * group; reaps it. With `kill_now` SIGKILL at once. NULL is fine. */
void uci_client_free(UciClient *client, bool kill_now);
