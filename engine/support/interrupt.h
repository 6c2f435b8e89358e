/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interrupt.h - SIGINT and SIGTERM as a flag that long loops look at.
 *
 * The first signal sets the flag; a second one ends the process at once (default action).
 */
#pragma once

#include <stdbool.h>

/* Installs the handlers and ignores SIGPIPE. Call once, from main. */
void interrupt_install(void);

/* True once a signal has arrived. Async-signal- and thread-safe. */
bool interrupted(void);

/* 130 after SIGINT, 143 after SIGTERM, 0 if nothing arrived. */
int interrupt_exit_code(void);
