/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine_process.c - an engine as a child process that lines are sent to and read from. */
#include "engine_process.h"

#include "support/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DRAIN_READS = 64 /* reads of old output before a search, against endless floods */ };

static const double SEND_SECONDS = 5.0;  /* for an engine to read what we write    */
static const double LEAVE_SECONDS = 0.5; /* after quit, and again after SIGTERM     */

/* --- process --------------------------------------------------------------------------------- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* What a child reports that could not become the engine. */
typedef struct Failure {
    int number;   /* errno                */
    bool pinning; /* not to those CPUs    */
} Failure;

/* The child's side: only async-signal-safe calls, since other threads may hold locks. */
_Noreturn static void run_child(const EngineSpec *spec, const cpu_set_t *cpus, int in, int out,
                                int log, int report, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before the line above */
        _exit(127);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    Failure failure = {.pinning = cpus && sched_setaffinity(0, sizeof *cpus, cpus) != 0};
    if (!failure.pinning && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0 && (!spec->directory || chdir(spec->directory) == 0))
        execvp(spec->command, spec->arguments);
    failure.number = errno;
    ssize_t ignored = write(report, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

/* A pipe whose ends are above the standard descriptors, so that dup2 in the child is simple. */
static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        if (ends[i] > STDERR_FILENO)
            continue;
        int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (moved < 0) {
            close_fd(&ends[0]);
            close_fd(&ends[1]);
            return false;
        }
        close(ends[i]);
        ends[i] = moved;
    }
    return true;
}

static Status spawn(EngineProcess *process, const cpu_set_t *cpus, Error *err)
{
    const EngineSpec *spec = process->spec;
    int in[2] = {-1, -1}, out[2] = {-1, -1}, report[2] = {-1, -1}, log = -1;
    Status status = STATUS_OK;
    log = spec->log ? open(spec->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                    : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (log < 0) {
        status = error_set_errno(err, "engine %s: cannot write %s", spec->name,
                                 spec->log ? spec->log : "/dev/null");
        goto cleanup;
    }
    if (!make_pipe(in) || !make_pipe(out) || !make_pipe(report)) {
        status = error_set_errno(err, "engine %s: no pipe", spec->name);
        goto cleanup;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        status = error_set_errno(err, "engine %s: no process", spec->name);
        goto cleanup;
    }
    if (pid == 0)
        run_child(spec, cpus, in[0], out[1], log, report[1], parent);
    setpgid(pid, pid); /* in both, so that neither has to wait for the other */

    process->pid = pid;
    process->to = in[1];
    process->from = out[0];
    in[1] = out[0] = -1;
    fcntl(process->to, F_SETFL, O_NONBLOCK);
    fcntl(process->from, F_SETFL, O_NONBLOCK);

    /* The other end closes by itself when exec works. */
    close_fd(&report[1]);
    Failure failure;
    ssize_t got;
    do
        got = read(report[0], &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof failure) {
        process->gone = true;
        status = failure.pinning
                     ? error_set(err, STATUS_IO, "engine %s: cannot be bound to its CPUs: %s",
                                 spec->name, strerror(failure.number))
                     : error_set(err, STATUS_IO, "engine %s: cannot run %s%s%s: %s", spec->name,
                                 spec->command, spec->directory ? " in " : "",
                                 spec->directory ? spec->directory : "", strerror(failure.number));
    }

cleanup:
    for (int i = 0; i < 2; i++) {
        close_fd(&in[i]);
        close_fd(&out[i]);
        close_fd(&report[i]);
    }
    close_fd(&log);
    return status;
}

/* True once the child has ended; it is not reaped, so its number stays ours. */
static bool has_ended(const EngineProcess *process, siginfo_t *info)
{
    *info = (siginfo_t){0};
    int result;
    do
        result = waitid(P_PID, (id_t)process->pid, info, WEXITED | WNOHANG | WNOWAIT);
    while (result != 0 && errno == EINTR);
    return result != 0 || info->si_pid == process->pid;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Waits for the child to end, reading and dropping what it still says, since an engine that is
 * blocked in a full pipe cannot leave. */
static bool wait_for_end(EngineProcess *process, double seconds)
{
    siginfo_t info;
    double deadline = clock_seconds() + seconds;
    while (!has_ended(process, &info)) {
        if (clock_seconds() >= deadline)
            return false;
        ssize_t got =
            process->from < 0 ? 0 : read(process->from, process->buffer, ENGINE_READ_BUFFER);
        if (got <= 0)
            sleep_ms(1);
    }
    return true;
}

void engine_process_fate(EngineProcess *process, char *text, size_t size)
{
    /* Its pipe closes a moment before the process has ended. */
    siginfo_t info;
    if (!wait_for_end(process, 0.2) || !has_ended(process, &info) || info.si_pid != process->pid)
        snprintf(text, size, "closed its %s", process->deaf ? "input" : "output");
    else if (info.si_code == CLD_EXITED)
        snprintf(text, size, "exited with code %d", info.si_status);
    else
        snprintf(text, size, "was killed by signal %d", info.si_status);
}

bool engine_process_wait(EngineProcess *process, double seconds, int *code)
{
    siginfo_t info;
    if (!wait_for_end(process, seconds) || !has_ended(process, &info))
        return false;
    *code = info.si_pid == process->pid && info.si_code == CLD_EXITED ? info.si_status : -1;
    return true;
}

/* Is somebody of the group alive? One that has ended and is not reaped does not count. */
static bool group_lives(pid_t group)
{
    if (kill(-group, 0) != 0)
        return false;
    DIR *processes = opendir("/proc");
    bool lives = !processes; /* then it is not known better */
    struct dirent *entry;
    while (!lives && processes && (entry = readdir(processes))) {
        char path[300], text[512];
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? fopen(path, "re") : NULL;
        if (!file)
            continue;
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        /* "pid (name) state parent group ..."; a name may have anything in it. */
        const char *at = strrchr(text, ')');
        char state;
        long parent, its_group;
        lives = at && sscanf(at + 1, " %c %ld %ld", &state, &parent, &its_group) == 3 &&
                its_group == group && state != 'Z' && state != 'X';
    }
    if (processes)
        closedir(processes);
    return lives;
}

bool engine_process_orphans(EngineProcess *process)
{
    siginfo_t info;
    if (process->pid <= 0 || !has_ended(process, &info))
        return false;
    const pid_t group = process->pid;
    while (waitpid(group, NULL, 0) < 0 && errno == EINTR)
        ;
    process->pid = 0;
    /* Those that it took along may need a moment. */
    bool lives = true;
    for (int i = 0; i < 50 && (lives = group_lives(group)); i++)
        sleep_ms(10);
    if (lives)
        kill(-group, SIGKILL);
    return lives;
}

void engine_process_close(EngineProcess *process)
{
    close_fd(&process->to);
}

void engine_process_farewell(EngineProcess *process, const char *text)
{
    if (process->to < 0)
        return;
    process->stop_fd = -1; /* it is readable for ever when we are stopping */
    ssize_t ignored = write(process->to, text, strlen(text));
    (void)ignored;
    close_fd(&process->to);
}

void engine_process_end(EngineProcess *process, bool kill_now)
{
    if (process->pid > 0) {
        close_fd(&process->to);
        if (!kill_now && !wait_for_end(process, LEAVE_SECONDS)) {
            kill(-process->pid, SIGTERM);
            wait_for_end(process, LEAVE_SECONDS);
        }
        /* Also when the engine has left: it may have children of its own. */
        kill(-process->pid, SIGKILL);
        kill(process->pid, SIGKILL);
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        process->pid = 0;
    }
    close_fd(&process->to);
    close_fd(&process->from);
}

Status engine_process_start(EngineProcess *process, const EngineSpec *spec, const cpu_set_t *cpus,
                            int stop_fd, Error *err)
{
    process->spec = spec;
    process->pid = 0;
    process->to = process->from = -1;
    process->stop_fd = stop_fd;
    process->gone = process->deaf = process->skipping = false;
    process->read_time = 0.0;
    process->lines = 0;
    process->begin = process->end = 0;
    return spawn(process, cpus, err);
}

/* --- lines ----------------------------------------------------------------------------------- */

static struct timespec until(double deadline)
{
    double left = deadline - clock_seconds();
    if (left < 0.0)
        left = 0.0;
    if (left > 1e6)
        left = 1e6;
    time_t whole = (time_t)left;
    return (struct timespec){.tv_sec = whole, .tv_nsec = (long)((left - (double)whole) * 1e9)};
}

/* Reads what there is into the buffer. False if there was nothing. */
static bool fill(EngineProcess *process)
{
    if (process->begin == process->end) {
        process->begin = process->end = 0;
    } else if (process->end == ENGINE_READ_BUFFER) {
        if (process->begin > 0) {
            process->end -= process->begin;
            memmove(process->buffer, process->buffer + process->begin, process->end);
            process->begin = 0;
        } else {
            process->skipping = true;
            process->end = 0;
        }
    }
    ssize_t got;
    do
        got =
            read(process->from, process->buffer + process->end, ENGINE_READ_BUFFER - process->end);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        process->end += (size_t)got;
        process->read_time = clock_seconds();
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
        process->gone = true;
    return false;
}

/* The next whole line of the buffer, without its end and leading blanks; NULL if there is none. */
static char *buffered_line(EngineProcess *process)
{
    while (process->begin < process->end) {
        char *line = process->buffer + process->begin;
        char *end = memchr(line, '\n', process->end - process->begin);
        if (!end)
            return NULL;
        process->begin = (size_t)(end - process->buffer) + 1;
        process->lines++;
        if (process->skipping) { /* the tail of a line that was too long */
            process->skipping = false;
            continue;
        }
        if (end > line && end[-1] == '\r')
            end--;
        *end = '\0';
        while (*line == ' ' || *line == '\t')
            line++;
        return line;
    }
    return NULL;
}

ClientEvent engine_process_line(EngineProcess *process, double deadline, char **line)
{
    for (;;) {
        if ((*line = buffered_line(process)))
            return CLIENT_ANSWER;
        if (process->gone)
            return CLIENT_GONE;
        struct pollfd fds[] = {{.fd = process->from, .events = POLLIN},
                               {.fd = process->stop_fd, .events = POLLIN}};
        struct timespec left = until(deadline);
        if (left.tv_sec == 0 && left.tv_nsec == 0)
            return CLIENT_TIMEOUT;
        int ready = ppoll(fds, 2, &left, NULL);
        if (ready < 0 && errno != EINTR)
            return CLIENT_GONE;
        if (ready > 0 && fds[1].revents)
            return CLIENT_STOPPED;
        if (ready > 0 && fds[0].revents)
            fill(process);
    }
}

ClientEvent engine_process_send(EngineProcess *process, const char *text, size_t length)
{
    double deadline = 0.0;
    while (length > 0) {
        ssize_t sent = write(process->to, text, length);
        if (sent > 0) {
            text += sent;
            length -= (size_t)sent;
            continue;
        }
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
            process->gone = process->deaf = true;
            return CLIENT_GONE;
        }
        /* The pipe is full. The engine may be unable to read because it cannot write. */
        double now = clock_seconds();
        if (deadline == 0.0)
            deadline = now + SEND_SECONDS;
        if (now >= deadline)
            return CLIENT_TIMEOUT;
        struct pollfd fds[] = {{.fd = process->to, .events = POLLOUT},
                               {.fd = process->stop_fd, .events = POLLIN},
                               {.fd = process->from, .events = POLLIN}};
        struct timespec left = until(deadline);
        int ready = ppoll(fds, 3, &left, NULL);
        if (ready > 0 && fds[1].revents)
            return CLIENT_STOPPED;
        if (ready > 0 && fds[2].revents) {
            fill(process);
            if (process->gone)
                return CLIENT_GONE;
        }
    }
    return CLIENT_ANSWER;
}

ClientEvent engine_process_send_line(EngineProcess *process, const char *line)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "%s\n", line);
    if (length < 0 || (size_t)length >= sizeof text)
        return CLIENT_GONE;
    return engine_process_send(process, text, (size_t)length);
}

bool line_has_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 &&
           (line[length] == '\0' || line[length] == ' ' || line[length] == '\t');
}

void engine_process_drain(EngineProcess *process)
{
    for (int i = 0; i < DRAIN_READS; i++) {
        if (process->begin < process->end)
            process->skipping = process->buffer[process->end - 1] != '\n';
        process->begin = process->end = 0;
        if (!fill(process))
            return;
    }
    process->skipping = process->begin < process->end && process->buffer[process->end - 1] != '\n';
    process->begin = process->end = 0;
}
