/* SPDX-License-Identifier: GPL-3.0-or-later */
/* error.c - statuses with a message. */
#include "support/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Status error_set(Error *err, Status status, const char *format, ...)
{
    if (!err)
        return status;
    va_list arguments;
    va_start(arguments, format);
    err->status = status;
    /* A message that is too long is cut; that is better than none. */
    if (vsnprintf(err->message, sizeof err->message, format, arguments) < 0)
        err->message[0] = '\0';
    va_end(arguments);
    return status;
}

Status error_set_errno(Error *err, const char *format, ...)
{
    int number = errno;
    if (!err)
        return STATUS_IO;
    va_list arguments;
    va_start(arguments, format);
    err->status = STATUS_IO;
    int length = vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);

    char reason[128];
    const char *text = strerror_r(number, reason, sizeof reason);
    size_t used = length < 0 ? 0 : (size_t)length;
    if (used < sizeof err->message)
        snprintf(err->message + used, sizeof err->message - used, ": %s", text);
    errno = number;
    return STATUS_IO;
}
