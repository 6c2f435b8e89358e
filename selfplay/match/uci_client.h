/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uci_client.h - a UCI engine in a child process.
 *
 *     UciClient *client = uci_client_start(&spec, "mansindam", stop_fd, &err);
 *     uci_client_new_game(client);
 *     event = uci_client_go(client, text, length, seconds, &reply);
 *     uci_client_quit(client);
 *     uci_client_free(client);
 *
 * The child runs in its own process group, gets SIGKILL when the thread that started it dies, and
 * sees end of file on its stdin when this process dies in whatever way. Nothing an engine does
 * (silence, floods, endless lines, closing its pipes, dying) blocks or kills the caller. A client
 * belongs to the thread that started it; SIGPIPE must be ignored (interrupt_install does it).
 */
#pragma once

#include "engine.h"
#include "specification.h"

#include <stdint.h>

typedef struct UciClient UciClient;

/* What came of waiting for an engine. */
typedef enum ClientEvent {
    CLIENT_ANSWER,  /* it did what was asked                                   */
    CLIENT_TIMEOUT, /* not in time; it may still answer                        */
    CLIENT_GONE,    /* it closed its pipes or died                             */
    CLIENT_STOPPED  /* stop_fd became readable: the caller wants to end        */
} ClientEvent;

/* The answer to a `go`. */
typedef struct SearchReply {
    char move[32];  /* as written after "bestmove"; "" if nothing was     */
    double seconds; /* from sending `go` to reading the answer            */
    int score;      /* view of the side to move, as in engine.h; SCORE_NONE if none was seen */
    int depth;      /* 0 if none was seen                                 */
} SearchReply;

/*
 * Starts the engine and takes it through uci, setoption (UCI_Variant first) and isready.
 *
 *   spec       must stay valid as long as the client
 *   variant    the value of UCI_Variant, unless the spec sets that option itself
 *   stop_fd    a descriptor that becomes readable when everything has to end; -1 = none
 *   seconds    that each step of the handshake may take
 *   warning    [size] out: what the user should know although it works, as lines without a last
 *              '\n': also the `info string` lines that answer the options; "" if nothing
 *
 * NULL with err if it does not run, does not answer, refuses an option (`info string error ...`
 * before readyok), or with STATUS_ARGUMENT if it has no such option, a number is out of the range
 * it announced or it does not play the variant; STATUS_INTERRUPTED if stop_fd became readable.
 */
UciClient *uci_client_start(const EngineSpec *spec, const char *variant, int stop_fd,
                            double seconds, char *warning, size_t size, Error *err);

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

/* After a CLIENT_TIMEOUT: sends `stop` and waits for the late bestmove. */
ClientEvent uci_client_stop(UciClient *client, double seconds);

/* "exited with code 3", "killed by signal 11", "closed its output", for messages. */
void uci_client_fate(UciClient *client, char *text, size_t size);

/* Asks the engine to go (quit, end of file on stdin) without waiting, so that several can leave
 * at the same time. Nothing else may be asked of the client afterwards. */
void uci_client_quit(UciClient *client);

/* Waits up to half a second for the engine to leave, then SIGTERM, then SIGKILL to its process
 * group; reaps it. With `kill` SIGKILL at once. NULL is fine. */
void uci_client_free(UciClient *client, bool kill);
