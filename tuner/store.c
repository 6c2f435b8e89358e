/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.c - arrays that may be larger than memory. */
#include "store.h"

#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What stands before the array in its file; the array begins at the next page. */
typedef struct Header {
    size_t mapped; /* bytes, with this page */
    int fd;
} Header;

enum { PAGE = 4096 };

static Header *header_of(void *array)
{
    return (Header *)(void *)((char *)array - PAGE);
}

/* A file without a name: where the file system has none, one whose name is taken away at once. */
static int open_nameless(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return fd;
    char *path = text_format("%s/campmate-XXXXXX", directory);
    if (!path)
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

static Status no_room(const char *directory, size_t bytes, int code, Error *err)
{
    return error_set(err, STATUS_IO, "%s: no room for %zu bytes of positions: %s", directory, bytes,
                     strerror(code));
}

static Status file_make(const char *directory, void **array, size_t bytes, Error *err)
{
    size_t size = bytes + PAGE;
    int fd = open_nameless(directory);
    if (fd < 0)
        return error_set(err, STATUS_IO, "%s: cannot make a file for positions: %s", directory,
                         strerror(errno));
    int code = posix_fallocate(fd, 0, (off_t)size);
    if (code) {
        close(fd);
        return no_room(directory, size, code, err);
    }
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        Status status = no_room(directory, size, errno, err);
        close(fd);
        return status;
    }
    *(Header *)map = (Header){size, fd};
    *array = (char *)map + PAGE;
    return STATUS_OK;
}

static Status file_resize(const char *directory, void **array, size_t bytes, Error *err)
{
    Header *header = header_of(*array);
    size_t old = header->mapped, size = bytes + PAGE;
    int fd = header->fd;
    if (size > old) {
        int code = posix_fallocate(fd, (off_t)old, (off_t)(size - old));
        if (code)
            return no_room(directory, size, code, err);
    }
    void *map = mremap(header, old, size, MREMAP_MAYMOVE);
    if (map == MAP_FAILED)
        return no_room(directory, size, errno, err);
    if (size < old && ftruncate(fd, (off_t)size))
        return no_room(directory, size, errno, err);
    ((Header *)map)->mapped = size;
    *array = (char *)map + PAGE;
    return STATUS_OK;
}

Status store_resize(const char *directory, void **array, size_t bytes, Error *err)
{
    if (directory)
        return *array ? file_resize(directory, array, bytes, err)
                      : file_make(directory, array, bytes, err);
    void *grown = realloc(*array, bytes ? bytes : 1);
    if (!grown)
        return error_set(err, STATUS_NO_MEMORY,
                         "no memory for %zu bytes of positions; --scratch keeps them in files",
                         bytes);
    *array = grown;
    return STATUS_OK;
}

void store_free(const char *directory, void *array)
{
    if (!directory) {
        free(array);
    } else if (array) {
        Header *header = header_of(array);
        int fd = header->fd;
        munmap(header, header->mapped);
        close(fd);
    }
}

void *store_zeros(const char *directory, size_t bytes, Error *err)
{
    void *array = NULL;
    if (directory)
        file_make(directory, &array, bytes, err);
    else if (!(array = calloc(bytes ? bytes : 1, 1)))
        error_set(err, STATUS_NO_MEMORY,
                  "no memory for %zu bytes of positions; --scratch keeps them in files", bytes);
    return array;
}

Status store_check(const char *directory, Error *err)
{
    void *array = NULL;
    Status status = file_make(directory, &array, PAGE, err);
    if (status == STATUS_OK)
        store_free(directory, array);
    return status;
}
