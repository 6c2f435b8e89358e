/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spill.c - nameless temporary files (see spill.h). */
#include "spill.h"

#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const char *place(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

Status spill_open(Spill *spill, Error *err)
{
    int fd = open(place(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) { /* not every file system has files without names */
        char *path = text_format("%s/campmate-XXXXXX", place());
        if (!path)
            return error_set(err, STATUS_NO_MEMORY, "no memory for a name");
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0)
            unlink(path);
        free(path);
    }
    if (fd < 0)
        return error_set_errno(err, "%s: cannot make a temporary file ($TMPDIR says where)",
                               place());
    *spill = (Spill){fd, true};
    return STATUS_OK;
}

void spill_close(Spill *spill)
{
    if (spill->is_open)
        close(spill->fd);
    *spill = (Spill){0};
}

Status spill_write(const Spill *spill, uint64_t offset, const void *bytes, size_t size, Error *err)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t done = pwrite(spill->fd, at, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_set_errno(err, "%s: cannot write a temporary file", place());
        at += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return STATUS_OK;
}

Status spill_read(const Spill *spill, uint64_t offset, void *bytes, size_t size, Error *err)
{
    char *at = bytes;
    while (size > 0) {
        errno = 0;
        ssize_t done = pread(spill->fd, at, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO;
        if (done <= 0)
            return error_set_errno(err, "%s: cannot read a temporary file", place());
        at += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return STATUS_OK;
}

Status spill_resize(const Spill *spill, uint64_t size, Error *err)
{
    return ftruncate(spill->fd, (off_t)size) == 0
               ? STATUS_OK
               : error_set_errno(err, "%s: cannot make a temporary file of %llu bytes", place(),
                                 (unsigned long long)size);
}
