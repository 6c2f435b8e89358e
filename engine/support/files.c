/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files.c - whole files, directories, locks. */
#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *text_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

Status atomic_file_open(AtomicFile *file, const char *path, Error *err)
{
    static atomic_uint serial;
    *file = (AtomicFile){0};

    /* Follow links: what is replaced is the file that a link points to, not the link. */
    char *final = realpath(path, NULL);
    if (!final)
        final = strdup(path);
    if (!final)
        return error_set(err, STATUS_NO_MEMORY, "%s: out of memory", path);

    struct stat info;
    bool present = stat(final, &info) == 0;
    int fd;
    char *temporary = NULL;
    if (present && !S_ISREG(info.st_mode)) {
        /* A device or a pipe cannot be replaced by renaming; it is written directly. */
        fd = open(final, O_WRONLY | O_CLOEXEC);
    } else {
        temporary = text_format("%s.tmp.%ld.%u", final, (long)getpid(), atomic_fetch_add(&serial, 1));
        if (!temporary) {
            free(final);
            return error_set(err, STATUS_NO_MEMORY, "%s: out of memory", path);
        }
        fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!stream) {
        error_set_errno(err, "cannot write %s", path);
        if (fd >= 0)
            close(fd);
        if (fd >= 0 && temporary)
            unlink(temporary);
        free(temporary);
        free(final);
        return STATUS_IO;
    }
    *file = (AtomicFile){.stream = stream, .path = final, .temporary = temporary};
    return STATUS_OK;
}

/* Makes a rename survive a power cut. Some file systems cannot sync a directory: not an error. */
static void sync_directory_of(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return;
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(copy);
}

Status atomic_file_commit(AtomicFile *file, Error *err)
{
    Status status = STATUS_OK;
    if (ferror(file->stream) || fflush(file->stream) != 0)
        status = error_set_errno(err, "cannot write %s", file->path);
    else if (file->temporary && fsync(fileno(file->stream)) != 0)
        status = error_set_errno(err, "cannot write %s", file->path);
    /* Closed in any case, but the first failure is the one to tell. */
    if (fclose(file->stream) != 0 && status == STATUS_OK)
        status = error_set_errno(err, "cannot write %s", file->path);
    file->stream = NULL;

    if (status == STATUS_OK && file->temporary && rename(file->temporary, file->path) != 0)
        status = error_set_errno(err, "cannot rename to %s", file->path);
    if (status == STATUS_OK && file->temporary)
        sync_directory_of(file->path);
    if (status != STATUS_OK && file->temporary)
        unlink(file->temporary);
    free(file->path);
    free(file->temporary);
    *file = (AtomicFile){0};
    return status;
}

void atomic_file_abandon(AtomicFile *file)
{
    if (file->stream)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    free(file->path);
    free(file->temporary);
    *file = (AtomicFile){0};
}

Status file_write_all(const char *path, const void *bytes, size_t size, Error *err)
{
    AtomicFile file;
    Status status = atomic_file_open(&file, path, err);
    if (status != STATUS_OK)
        return status;
    if (size > 0 && fwrite(bytes, 1, size, file.stream) != size) {
        status = error_set_errno(err, "cannot write %s", path);
        atomic_file_abandon(&file);
        return status;
    }
    return atomic_file_commit(&file, err);
}

Status file_read_all(const char *path, char **bytes, size_t *size, Error *err)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rbe");
    if (!stream)
        return error_set_errno(err, "cannot read %s", path);
    struct stat info;
    if (!standard && fstat(fileno(stream), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
        fclose(stream); /* a device may never end */
        return error_set(err, STATUS_IO, "cannot read %s: not a regular file", path);
    }

    Status status = STATUS_OK;
    char *content = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (capacity - used < 2) { /* at least one byte and the NUL */
            size_t larger = capacity ? capacity * 2 : 65536;
            char *grown = realloc(content, larger);
            if (!grown) {
                status = error_set(err, STATUS_NO_MEMORY, "%s: out of memory", path);
                goto cleanup;
            }
            content = grown;
            capacity = larger;
        }
        size_t got = fread(content + used, 1, capacity - used - 1, stream);
        used += got;
        if (got == 0)
            break;
    }
    if (ferror(stream)) {
        status = error_set_errno(err, "cannot read %s", path);
        goto cleanup;
    }
    content[used] = '\0';
    *bytes = content;
    *size = used;
    content = NULL;

cleanup:
    free(content);
    if (!standard)
        fclose(stream);
    return status;
}

Status directory_make(const char *path, Error *err)
{
    char *copy = strdup(path);
    if (!copy)
        return error_set(err, STATUS_NO_MEMORY, "%s: out of memory", path);
    Status status = STATUS_OK;
    /* Parents first: each slash after the first character ends one. */
    for (char *end = copy + (*copy != '\0');; end++) {
        char saved = *end;
        if (saved != '/' && saved != '\0')
            continue;
        *end = '\0';
        if (mkdir(copy, 0777) != 0 && !(errno == EEXIST && directory_exists(copy))) {
            status = error_set_errno(err, "cannot make directory %s", copy);
            break;
        }
        *end = saved;
        if (saved == '\0')
            break;
    }
    free(copy);
    return status;
}

bool file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool directory_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

Status file_lock(const char *path, int *fd, Error *err)
{
    int opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0)
        return error_set_errno(err, "cannot open %s", path);
    if (flock(opened, LOCK_EX | LOCK_NB) != 0) {
        Status status = errno == EWOULDBLOCK
                            ? error_set(err, STATUS_IO, "%s: in use by another process", path)
                            : error_set_errno(err, "cannot lock %s", path);
        close(opened);
        return status;
    }
    *fd = opened;
    return STATUS_OK;
}

void file_unlock(int fd)
{
    /* Closing releases the lock. The file stays: removing it would let two processes hold locks
     * on different files of one name. */
    if (fd >= 0)
        close(fd);
}
