/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz.c - what the fuzz targets share. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_broken(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
    abort();
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd >= 0)
        close(fd);
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_EXPECT(fd >= 0);
    for (size_t done = 0; done < size;) {
        ssize_t written = write(fd, data + done, size - done);
        FUZZ_EXPECT(written > 0);
        done += (size_t)written;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_EXPECT(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}
