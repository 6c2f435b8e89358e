/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trouble.c - loaded into a program before all else (LD_PRELOAD), makes its life hard.
 *
 *     TROUBLE_LOG=FILE     appends the name of each file operation, a line each
 *     TROUBLE_KILL=N       kill -9 before the N-th file operation; of a write the first half is
 * made TROUBLE_FAIL=N       the N-th file operation fails: no space left on the device
 *     TROUBLE_FULL=N       so do it and all later writes
 *     TROUBLE_CLOCK=SEED   clocks jump at random, by up to eleven days: the wall clock back and
 *                          forth, the monotonic one forwards only
 *     TROUBLE_CLOCK_BACK=1 the monotonic clock, too, goes backwards, as it never should
 *
 * File operations are those that change a directory or a file: opening to create, writing (not to
 * the standard streams), cutting, syncing, closing, locking, renaming, removing.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* POSIX promises what ISO C does not, that a pointer from dlsym can be a function. */
#define NEXT(type, name) (__extension__(type) dlsym(RTLD_NEXT, name))

static atomic_ulong operations, clock_calls;
static atomic_llong wall_offset, monotonic_offset; /* nanoseconds */

static unsigned long setting(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

typedef enum Fate { FATE_PASS, FATE_FAIL, FATE_KILL } Fate;

static void log_operation(const char *name)
{
    const char *path = getenv("TROUBLE_LOG");
    if (!path)
        return;
    int fd =
        NEXT(int (*)(const char *, int, ...), "open")(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || dprintf(fd, "%s\n", name) < 0)
        abort();
    close(fd);
}

/* What becomes of the operation that is about to happen. One that fails is named on standard
 * error. */
static Fate fate(const char *name, bool is_write)
{
    unsigned long number = atomic_fetch_add(&operations, 1) + 1;
    unsigned long full = setting("TROUBLE_FULL");
    log_operation(name);
    if (number == setting("TROUBLE_KILL"))
        return FATE_KILL;
    if (number == setting("TROUBLE_FAIL") || number == full ||
        (full > 0 && number > full && is_write)) {
        dprintf(STDERR_FILENO, "trouble: %s fails\n", name);
        errno = ENOSPC;
        return FATE_FAIL;
    }
    return FATE_PASS;
}

static void die(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* True if the operation is to fail; a kill does not return. */
static bool fails(const char *name)
{
    Fate what = fate(name, false);
    if (what == FATE_KILL)
        die();
    return what == FATE_FAIL;
}

/* --- file operations ------------------------------------------------------------------------- */

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
    size_t (*next)(const void *, size_t, size_t, FILE *) =
        NEXT(size_t(*)(const void *, size_t, size_t, FILE *), "fwrite");
    if (fileno(stream) <= STDERR_FILENO)
        return next(bytes, size, count, stream);
    Fate what = fate("fwrite", true);
    if (what == FATE_PASS)
        return next(bytes, size, count, stream);
    size_t half = next(bytes, 1, size * count / 2, stream);
    fflush(stream);
    if (what == FATE_KILL)
        die();
    /* The stream has to see the failure itself, to remember it. */
    int fd = fileno(stream), kept = dup(fd);
    int full = NEXT(int (*)(const char *, int, ...), "open")("/dev/full", O_WRONLY);
    dup2(full, fd);
    next((const char *)bytes + half, 1, size * count - half, stream);
    fflush(stream);
    dup2(kept, fd);
    close(kept);
    close(full);
    errno = ENOSPC;
    return size ? half / size : 0;
}

static int open_next(const char *name, const char *path, int flags, mode_t mode)
{
    if ((flags & O_CREAT) && fails("open"))
        return -1;
    return NEXT(int (*)(const char *, int, ...), name)(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_next("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_next("open64", path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    return fails("mkdir") ? -1 : NEXT(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

int fsync(int fd)
{
    struct stat facts;
    bool directory = fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode);
    return fails(directory ? "fsync of a directory" : "fsync") ? -1
                                                               : NEXT(int (*)(int), "fsync")(fd);
}

int ftruncate(int fd, off_t length)
{
    return fails("ftruncate") ? -1 : NEXT(int (*)(int, off_t), "ftruncate")(fd, length);
}

int ftruncate64(int fd, off64_t length)
{
    return fails("ftruncate") ? -1 : NEXT(int (*)(int, off64_t), "ftruncate64")(fd, length);
}

int flock(int fd, int operation)
{
    /* Of a file of one's own, before others look at it: without locks they leave it alone, too. */
    const char *name = operation & LOCK_NB ? "flock" : "flock of a temporary file";
    return fails(name) ? -1 : NEXT(int (*)(int, int), "flock")(fd, operation);
}

int rename(const char *from, const char *to)
{
    return fails("rename") ? -1 : NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

int unlink(const char *path)
{
    return fails("unlink") ? -1 : NEXT(int (*)(const char *), "unlink")(path);
}

int fclose(FILE *stream)
{
    int fd = fileno(stream); /* -1: memory */
    bool counts = fd > STDERR_FILENO && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    bool failed = counts && fails("fclose");
    int result = NEXT(int (*)(FILE *), "fclose")(stream);
    if (!failed)
        return result;
    errno = ENOSPC;
    return EOF;
}

/* --- clocks ---------------------------------------------------------------------------------- */

enum { NANO = 1000000000 };

/* A well mixed number from the seed and a counter (splitmix64). */
static uint64_t mixed(uint64_t seed)
{
    uint64_t x = seed * 1000003 + atomic_fetch_add(&clock_calls, 1) * 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

/* Moves an instant by the jumps so far, and now and then by another one. */
static void jump(struct timespec *t, bool wall)
{
    unsigned long seed = setting("TROUBLE_CLOCK");
    if (seed == 0)
        return;
    atomic_llong *offset = wall ? &wall_offset : &monotonic_offset;
    uint64_t random = mixed(seed);
    if (random % 8 == 0) {
        long long by = (long long)(random >> 8) % (1000000LL * NANO);
        if ((random & 16) && (wall || setting("TROUBLE_CLOCK_BACK")))
            by = -by;
        atomic_fetch_add(offset, by);
    }
    int64_t nanoseconds = (int64_t)t->tv_sec * NANO + t->tv_nsec + atomic_load(offset);
    t->tv_sec = (time_t)(nanoseconds / NANO);
    t->tv_nsec = (long)(nanoseconds % NANO);
    if (t->tv_nsec < 0) {
        t->tv_nsec += NANO;
        t->tv_sec--;
    }
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    int result = NEXT(int (*)(clockid_t, struct timespec *), "clock_gettime")(clock, t);
    bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    bool monotonic = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
                     clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
    if (result == 0 && (wall || monotonic))
        jump(t, wall);
    return result;
}

time_t time(time_t *result)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (result)
        *result = t.tv_sec;
    return t.tv_sec;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone)
{
    struct timespec t;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &t);
    result->tv_sec = t.tv_sec;
    result->tv_usec = t.tv_nsec / 1000;
    return 0;
}
