/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interrupt.c - SIGINT, SIGTERM and SIGHUP as a flag. */
#include "support/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* The first signal that arrived, 0 if none. A lock-free atomic may be used in a handler. */
static atomic_int arrived;

static void on_signal(int number)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&arrived, &none, number))
        return;
    if (number != SIGINT)
        return;
    /* It is blocked while we are here and takes effect on return. */
    signal(number, SIG_DFL);
    raise(number);
}

void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    /* Without SA_RESTART a blocked read returns, so that a loop gets to look at the flag. */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
    failed_writes_are_errors();
}

void failed_writes_are_errors(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

bool interrupted(void)
{
    return atomic_load_explicit(&arrived, memory_order_relaxed) != 0;
}

int interrupt_exit_code(void)
{
    int number = atomic_load(&arrived);
    return number ? 128 + number : 0;
}
