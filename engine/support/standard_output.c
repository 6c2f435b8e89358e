/* SPDX-License-Identifier: GPL-3.0-or-later */
/* standard_output.c - see standard_output.h. */
#include "support/standard_output.h"

#include "support/interrupt.h"

#include <errno.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* errno of the first write that failed, 0 = none. stdio calls under the stream's lock. */
static int reason;

/* Writes all or fails; after a failure nothing more is tried. */
static ssize_t write_all(void *context, const char *bytes, size_t size)
{
    (void)context;
    size_t done = 0;
    while (done < size && reason == 0) {
        ssize_t got = write(STDOUT_FILENO, bytes + done, size - done);
        if (got >= 0)
            done += (size_t)got;
        else if (errno != EINTR || interrupted()) /* nobody reads, and the user will not wait */
            reason = errno;
    }
    errno = reason;
    return (ssize_t)done; /* stdio takes less than `size` for a failure */
}

void standard_output_watch(void)
{
    static char buffer[1 << 16];
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_all});
    if (stream == NULL)
        return; /* as good as before: only the reason may be lost */
    setvbuf(stream, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
    stdout = stream;
}

Status standard_output_check(Error *err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    if (reason != 0)
        errno = reason;
    else if (errno == 0)
        errno = EIO; /* not watched, and the write that failed was an earlier one */
    return error_set_errno(err, "cannot write standard output");
}
