/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interrupt.h - SIGINT, SIGTERM and SIGHUP as a flag that long loops look at.
 *
 * The first signal sets the flag. After it, SIGINT ends the process at once (default action), for
 * somebody at a keyboard who will not wait; SIGTERM and SIGHUP only ask again, since batch systems
 * send the first more than once and mean the same. SIGHUP stays ignored where it was (nohup).
 */
#pragma once

#include <stdbool.h>

/* Installs the handlers and calls failed_writes_are_errors. Call once, from main. */
void interrupt_install(void);

/* Ignores SIGPIPE and SIGXFSZ (`ulimit -f`), so that a write fails with EPIPE or EFBIG and is
 * reported like any other. */
void failed_writes_are_errors(void);

/* True once a signal has arrived. Async-signal- and thread-safe. */
bool interrupted(void);

/* 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP, 0 if nothing arrived. */
int interrupt_exit_code(void);
