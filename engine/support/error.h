/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * error.h - how every library of Campmate reports failure.
 *
 * A function that can fail returns a Status and takes an Error as its last argument (NULL if the
 * caller does not care). Libraries report; only a main.c prints or chooses an exit code.
 */
#pragma once

#include <stddef.h>

typedef enum Status {
    STATUS_OK,
    STATUS_ARGUMENT,   /* the caller asked for something that makes no sense          */
    STATUS_FORMAT,     /* input that is not what it should be                         */
    STATUS_IO,         /* the operating system refused; the message carries strerror  */
    STATUS_NO_MEMORY,
    STATUS_NOT_FINITE, /* a NaN or an infinity where a number has to be               */
    STATUS_INTERRUPTED /* stopped by a signal (interrupt.h); what was finished is saved   */
} Status;

typedef struct Error {
    Status status;
    char message[480];
} Error;

/*
 * Fills err (may be NULL) with a status and a printf-style message and returns the status, so
 * that one line reports and leaves. The message names the thing, its place, what was found and
 * what was expected. Thread-safe if each thread has its own Error.
 */
Status error_set(Error *err, Status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with ": " and strerror(errno) appended and status STATUS_IO. */
Status error_set_errno(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
