/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine_process.h - an engine as a child process that lines are sent to and read from. It knows
 * nothing of UCI; see uci_client.h.
 *
 * The child runs in its own process group, gets SIGKILL when the thread that started it dies, and
 * sees end of file on its stdin when this process dies in whatever way. Nothing an engine does
 * (silence, floods, endless lines, closing its pipes, dying) blocks or kills the caller. A process
 * belongs to the thread that started it; SIGPIPE must be ignored (interrupt_install does it).
 */
#pragma once

#include "specification.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What came of waiting for an engine. */
typedef enum ClientEvent {
    CLIENT_ANSWER,  /* it did what was asked                                   */
    CLIENT_TIMEOUT, /* not in time; it may still answer                        */
    CLIENT_GONE,    /* it closed its pipes or died                             */
    CLIENT_STUCK,   /* it does not even obey `stop`                            */
    CLIENT_STOPPED  /* stop_fd became readable: the caller wants to end        */
} ClientEvent;

enum { ENGINE_READ_BUFFER = 1 << 16 /* a line that does not fit is dropped */ };

typedef struct EngineProcess {
    const EngineSpec *spec;
    pid_t pid;
    int to, from;      /* its stdin and stdout, -1 once closed                     */
    int stop_fd;       /* becomes readable when everything has to end; -1 = none   */
    bool gone;         /* end of file or a broken pipe                             */
    bool deaf;         /* it was its stdin that broke                              */
    bool skipping;     /* inside a line that was too long                          */
    double read_time;  /* when something was read for the last time            */
    uint64_t lines;    /* read so far; set it to 0 at will                     */
    size_t begin, end; /* unread part of the buffer                            */
    char buffer[ENGINE_READ_BUFFER];
} EngineProcess;

/*
 * Starts the program.
 *
 *   spec   must stay valid as long as the process
 *   cpus   the CPUs that it may use; NULL = those of the caller
 *
 * STATUS_IO if it cannot be run. `process` has to be given to engine_process_end in any case.
 */
Status engine_process_start(EngineProcess *process, const EngineSpec *spec, const cpu_set_t *cpus,
                            int stop_fd, Error *err);

/* The next line, without its end and leading blanks; it lives until the next call. */
ClientEvent engine_process_line(EngineProcess *process, double deadline, char **line);

/* Sends bytes, and a line of less than 4,000. */
ClientEvent engine_process_send(EngineProcess *process, const char *text, size_t length);
ClientEvent engine_process_send_line(EngineProcess *process, const char *line);

/* Forgets what the engine has said. A line that is only half there will be skipped. */
void engine_process_drain(EngineProcess *process);

/* Waits for the engine to end by itself, reading and dropping what it still says; *code is its exit
 * code, -1 if a signal ended it. False if it has not ended in time. */
bool engine_process_wait(EngineProcess *process, double seconds, int *code);

/* "exited with code 3", "was killed by signal 11", "closed its output" or "input", for messages. */
void engine_process_fate(EngineProcess *process, char *text, size_t size);

/* After it has ended: do processes of its group live on? */
bool engine_process_orphans(EngineProcess *process);

/* Closes the engine's stdin. */
void engine_process_close(EngineProcess *process);

/* The last words, if the pipe has room for them, and the end of file; does not wait. */
void engine_process_farewell(EngineProcess *process, const char *text);

/* Waits up to half a second for the engine to leave, then SIGTERM, then SIGKILL to its process
 * group; reaps it. With `kill_now` SIGKILL at once. */
void engine_process_end(EngineProcess *process, bool kill_now);

/* True if the line begins with the word. */
bool line_has_word(const char *line, const char *word);
