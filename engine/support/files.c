/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files.c - whole files, directories, locks. */
#include "support/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
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

/* True if `fd` is the file of that name, which somebody may have removed meanwhile. */
static bool is_file_of_name(int fd, const char *path)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

/* Is the name that of a temporary file of `wanted`? */
static bool is_temporary_of(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    if (strncmp(name, wanted, length) != 0 || strncmp(name + length, ".tmp.", 5) != 0)
        return false;
    const char *pid = name + length + 5;
    size_t digits = strspn(pid, "0123456789");
    const char *serial = pid + digits + 1;
    return digits > 0 && pid[digits] == '.' && *serial && !serial[strspn(serial, "0123456789")];
}

/* Removes a temporary file that nobody holds. */
static void remove_if_free(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_file_of_name(fd, path))
        unlink(path);
    close(fd);
}

static void remove_leftovers(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *directory = slash ? text_format("%.*s", (int)(slash - path) + 1, path) : text_format("./");
    DIR *stream = directory ? opendir(directory) : NULL;
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        if (!is_temporary_of(entry->d_name, name))
            continue;
        char *leftover = text_format("%s%s", directory, entry->d_name);
        if (leftover)
            remove_if_free(leftover);
        free(leftover);
    }
    if (stream)
        closedir(stream);
    free(directory);
}

Status atomic_file_open_tidy(AtomicFile *file, const char *path, Error *err)
{
    enum { TURNS = 100 };
    remove_leftovers(path);
    for (int turn = 0; turn < TURNS; turn++) {
        Status status = atomic_file_open(file, path, err);
        if (status != STATUS_OK || !file->temporary)
            return status;
        /* Others may look at it, and one may have taken it for a leftover just before. */
        while (flock(fileno(file->stream), LOCK_EX) != 0 && errno == EINTR)
            continue;
        if (is_file_of_name(fileno(file->stream), file->temporary))
            return STATUS_OK;
        atomic_file_abandon(file);
    }
    return error_set(err, STATUS_IO, "cannot write %s: others remove its temporary files", path);
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

Status file_read_up_to(const char *path, uint64_t most, char **bytes, size_t *size, Error *err)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rbe");
    if (!stream)
        return error_set_errno(err, "cannot read %s", path);
    struct stat info = {0};
    if (!standard && fstat(fileno(stream), &info) == 0 && !S_ISREG(info.st_mode) &&
        !S_ISFIFO(info.st_mode)) {
        fclose(stream); /* a device may never end */
        return error_set(err, STATUS_IO, "cannot read %s: not a regular file", path);
    }

    Status status = STATUS_OK;
    char *content = NULL;
    size_t used = 0, capacity = 0;
    bool too_large = !standard && S_ISREG(info.st_mode) && (uint64_t)info.st_size > most;
    while (!too_large) {
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
        too_large = used > most;
    }
    if (too_large) {
        status = error_set(err, STATUS_IO, "cannot read %s: more than %" PRIu64 " bytes", path, most);
        goto cleanup;
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

Status file_read_all(const char *path, char **bytes, size_t *size, Error *err)
{
    return file_read_up_to(path, FILE_BYTES_MOST, bytes, size, err);
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

/* flock, for up to LOCK_PATIENCE_MS: a process that was killed while it started another keeps its
 * locks until that one has begun to run, too. */
static int lock_soon(int fd)
{
    enum { LOCK_PATIENCE_MS = 1000, STEP_MS = 10 };
    for (int waited = 0;; waited += STEP_MS) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK || waited >= LOCK_PATIENCE_MS)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
    }
}

Status file_lock(const char *path, int *fd, Error *err)
{
    int opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0)
        return error_set_errno(err, "cannot open %s", path);
    if (lock_soon(opened) != 0) {
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
