/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_client.c - a UCI engine in a child process. */
#include "uci_client.h"

#include "support/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    READ_BUFFER = 1 << 16, /* a line that does not fit is dropped          */
    INFO_BYTES = 1024,     /* of an info line; the score stands near its head */
    DRAIN_READS = 64       /* reads of old output before a search, against endless floods */
};

static const double SEND_SECONDS = 5.0;  /* for an engine to read what we write    */
static const double LEAVE_SECONDS = 0.5; /* after quit, and again after SIGTERM     */

struct UciClient {
    const EngineSpec *spec;
    pid_t pid;
    int to, from; /* its stdin and stdout, -1 once closed */
    int stop_fd;
    bool gone;     /* end of file or a broken pipe         */
    bool skipping; /* inside a line that was too long      */
    double read_time, asked_time;
    uint64_t lines;    /* read since the last question     */
    size_t begin, end; /* unread part of the buffer        */
    char buffer[READ_BUFFER];
    char info[INFO_BYTES]; /* the last line with a score   */
};

/* --- process --------------------------------------------------------------------------------- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The child's side: only async-signal-safe calls, since other threads may hold locks. */
_Noreturn static void run_child(const EngineSpec *spec, int in, int out, int log, int report,
                                pid_t parent)
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

    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0 && (!spec->directory || chdir(spec->directory) == 0))
        execvp(spec->command, spec->arguments);
    int number = errno;
    ssize_t ignored = write(report, &number, sizeof number);
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

static Status spawn(UciClient *client, Error *err)
{
    const EngineSpec *spec = client->spec;
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
        run_child(spec, in[0], out[1], log, report[1], parent);
    setpgid(pid, pid); /* in both, so that neither has to wait for the other */

    client->pid = pid;
    client->to = in[1];
    client->from = out[0];
    in[1] = out[0] = -1;
    fcntl(client->to, F_SETFL, O_NONBLOCK);
    fcntl(client->from, F_SETFL, O_NONBLOCK);

    /* The other end closes by itself when exec works. */
    close_fd(&report[1]);
    int number;
    ssize_t got;
    do
        got = read(report[0], &number, sizeof number);
    while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof number) {
        client->gone = true;
        status = error_set(err, STATUS_IO, "engine %s: cannot run %s%s%s: %s", spec->name,
                           spec->command, spec->directory ? " in " : "",
                           spec->directory ? spec->directory : "", strerror(number));
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
static bool has_ended(const UciClient *client, siginfo_t *info)
{
    *info = (siginfo_t){0};
    int result;
    do
        result = waitid(P_PID, (id_t)client->pid, info, WEXITED | WNOHANG | WNOWAIT);
    while (result != 0 && errno == EINTR);
    return result != 0 || info->si_pid == client->pid;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Waits for the child to end, reading and dropping what it still says, since an engine that is
 * blocked in a full pipe cannot leave. */
static bool wait_for_end(UciClient *client, double seconds)
{
    siginfo_t info;
    double deadline = clock_seconds() + seconds;
    while (!has_ended(client, &info)) {
        if (clock_seconds() >= deadline)
            return false;
        ssize_t got = client->from < 0 ? 0 : read(client->from, client->buffer, READ_BUFFER);
        if (got <= 0)
            sleep_ms(1);
    }
    return true;
}

void uci_client_fate(UciClient *client, char *text, size_t size)
{
    /* Its pipe closes a moment before the process has ended. */
    siginfo_t info;
    if (!wait_for_end(client, 0.2) || !has_ended(client, &info) || info.si_pid != client->pid)
        snprintf(text, size, "closed its output");
    else if (info.si_code == CLD_EXITED)
        snprintf(text, size, "exited with code %d", info.si_status);
    else
        snprintf(text, size, "killed by signal %d", info.si_status);
}

void uci_client_free(UciClient *client, bool kill_now)
{
    if (!client)
        return;
    if (client->pid > 0) {
        close_fd(&client->to);
        if (!kill_now && !wait_for_end(client, LEAVE_SECONDS)) {
            kill(-client->pid, SIGTERM);
            wait_for_end(client, LEAVE_SECONDS);
        }
        /* Also when the engine has left: it may have children of its own. */
        kill(-client->pid, SIGKILL);
        kill(client->pid, SIGKILL);
        while (waitpid(client->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close_fd(&client->to);
    close_fd(&client->from);
    free(client);
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
static bool fill(UciClient *client)
{
    if (client->begin == client->end) {
        client->begin = client->end = 0;
    } else if (client->end == READ_BUFFER) {
        if (client->begin > 0) {
            client->end -= client->begin;
            memmove(client->buffer, client->buffer + client->begin, client->end);
            client->begin = 0;
        } else {
            client->skipping = true;
            client->end = 0;
        }
    }
    ssize_t got;
    do
        got = read(client->from, client->buffer + client->end, READ_BUFFER - client->end);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        client->end += (size_t)got;
        client->read_time = clock_seconds();
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
        client->gone = true;
    return false;
}

/* The next whole line of the buffer, without its end and leading blanks; NULL if there is none. */
static char *buffered_line(UciClient *client)
{
    while (client->begin < client->end) {
        char *line = client->buffer + client->begin;
        char *end = memchr(line, '\n', client->end - client->begin);
        if (!end)
            return NULL;
        client->begin = (size_t)(end - client->buffer) + 1;
        client->lines++;
        if (client->skipping) { /* the tail of a line that was too long */
            client->skipping = false;
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

static ClientEvent next_line(UciClient *client, double deadline, char **line)
{
    for (;;) {
        if ((*line = buffered_line(client)))
            return CLIENT_ANSWER;
        if (client->gone)
            return CLIENT_GONE;
        struct pollfd fds[] = {{.fd = client->from, .events = POLLIN},
                               {.fd = client->stop_fd, .events = POLLIN}};
        struct timespec left = until(deadline);
        if (left.tv_sec == 0 && left.tv_nsec == 0)
            return CLIENT_TIMEOUT;
        int ready = ppoll(fds, 2, &left, NULL);
        if (ready < 0 && errno != EINTR)
            return CLIENT_GONE;
        if (ready > 0 && fds[1].revents)
            return CLIENT_STOPPED;
        if (ready > 0 && fds[0].revents)
            fill(client);
    }
}

static ClientEvent send_text(UciClient *client, const char *text, size_t length)
{
    double deadline = 0.0;
    while (length > 0) {
        ssize_t sent = write(client->to, text, length);
        if (sent > 0) {
            text += sent;
            length -= (size_t)sent;
            continue;
        }
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
            client->gone = true;
            return CLIENT_GONE;
        }
        /* The pipe is full. The engine may be unable to read because it cannot write. */
        double now = clock_seconds();
        if (deadline == 0.0)
            deadline = now + SEND_SECONDS;
        if (now >= deadline)
            return CLIENT_TIMEOUT;
        struct pollfd fds[] = {{.fd = client->to, .events = POLLOUT},
                               {.fd = client->stop_fd, .events = POLLIN},
                               {.fd = client->from, .events = POLLIN}};
        struct timespec left = until(deadline);
        int ready = ppoll(fds, 3, &left, NULL);
        if (ready > 0 && fds[1].revents)
            return CLIENT_STOPPED;
        if (ready > 0 && fds[2].revents) {
            fill(client);
            if (client->gone)
                return CLIENT_GONE;
        }
    }
    return CLIENT_ANSWER;
}

static ClientEvent send_line(UciClient *client, const char *line)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "%s\n", line);
    if (length < 0 || (size_t)length >= sizeof text)
        return CLIENT_GONE;
    return send_text(client, text, (size_t)length);
}

/* True if the line begins with the word. */
static bool is_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 &&
           (line[length] == '\0' || line[length] == ' ' || line[length] == '\t');
}

static ClientEvent wait_for_word(UciClient *client, const char *word, double seconds)
{
    double deadline = clock_seconds() + seconds;
    char *line;
    ClientEvent event;
    while ((event = next_line(client, deadline, &line)) == CLIENT_ANSWER)
        if (is_word(line, word))
            break;
    return event;
}

/* --- handshake ------------------------------------------------------------------------------- */

/* What the engine announced about an option that we mean to set. */
typedef struct KnownOption {
    bool there, is_spin;
    long long min, max;
} KnownOption;

typedef struct Announcement {
    KnownOption *options; /* [spec->option_count] */
    bool has_variants, plays_variant;
} Announcement;

/* The number after " word " of an option line, `fallback` if there is none. */
static long long option_bound(const char *line, const char *word, long long fallback)
{
    const char *at = strstr(line, word);
    char *end;
    if (!at)
        return fallback;
    at += strlen(word);
    long long number = strtoll(at, &end, 10);
    return end == at ? fallback : number;
}

/* The words after "option": "name <words> type <word> ...". */
static void read_option_line(char *line, const EngineSpec *spec, const char *variant,
                             Announcement *announced)
{
    char *name = strstr(line, "name ");
    char *type = name ? strstr(name, " type ") : NULL;
    if (!type)
        return;
    name += strlen("name ");
    name += strspn(name, " ");
    char *end = type;
    while (end > name && end[-1] == ' ')
        end--;
    *end = '\0';
    type += strlen(" type ");
    type += strspn(type, " ");
    KnownOption known = {.there = true,
                         .is_spin = is_word(type, "spin"),
                         .min = option_bound(type, " min ", LLONG_MIN),
                         .max = option_bound(type, " max ", LLONG_MAX)};
    for (size_t i = 0; i < spec->option_count; i++)
        if (strcasecmp(spec->options[i].name, name) == 0)
            announced->options[i] = known;

    if (strcasecmp(name, "UCI_Variant") != 0)
        return;
    announced->has_variants = true;
    for (char *var = type; (var = strstr(var, " var "));) {
        var += strlen(" var ");
        size_t length = strcspn(var, " \t");
        if (length == strlen(variant) && strncmp(var, variant, length) == 0)
            announced->plays_variant = true;
        var += length; /* the blank before the next "var" may be the one that ended this */
    }
}

static Status handshake_failed(UciClient *client, ClientEvent event, const char *expected,
                               Error *err)
{
    char fate[64];
    const char *name = client->spec->name;
    switch (event) {
    case CLIENT_STOPPED:
        return error_set(err, STATUS_INTERRUPTED, "interrupted");
    case CLIENT_GONE:
        uci_client_fate(client, fate, sizeof fate);
        return error_set(err, STATUS_IO, "engine %s %s before it said %s", name, fate, expected);
    default:
        return error_set(err, STATUS_IO, "engine %s did not say %s in time", name, expected);
    }
}

static ClientEvent set_option(UciClient *client, const char *name, const char *value)
{
    char line[4000];
    snprintf(line, sizeof line, "setoption name %s%s%s", name, *value ? " value " : "", value);
    return send_line(client, line);
}

/* Is each option of the spec one that the engine has, and in its range? */
static Status check_options(const EngineSpec *spec, const Announcement *announced, Error *err)
{
    for (size_t i = 0; i < spec->option_count; i++) {
        const KnownOption *known = &announced->options[i];
        const char *name = spec->options[i].name, *value = spec->options[i].value;
        if (!known->there)
            return error_set(err, STATUS_ARGUMENT, "engine %s has no option '%s'", spec->name,
                             name);
        if (!known->is_spin)
            continue;
        char *end;
        errno = 0;
        long long number = strtoll(value, &end, 10);
        if (errno == 0 && end != value && !*end && number >= known->min && number <= known->max)
            continue;
        if (known->min == LLONG_MIN && known->max == LLONG_MAX)
            return error_set(err, STATUS_ARGUMENT, "engine %s, option '%s': '%s' is no number",
                             spec->name, name, value);
        return error_set(err, STATUS_ARGUMENT,
                         "engine %s, option '%s': '%s' is not in its range from %lld to %lld",
                         spec->name, name, value, known->min, known->max);
    }
    return STATUS_OK;
}

/* What an engine says while it takes its options, made fit for a terminal. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

/* "error: option EvalFile: no such file" of an engine. If the name of an option that was set stands
 * in it, that is the one. */
static Status option_refused(const EngineSpec *spec, char *text, Error *err)
{
    make_printable(text);
    text += strlen("error");
    text += strspn(text, ": ");
    for (size_t i = 0; i < spec->option_count; i++)
        if (strcasestr(text, spec->options[i].name))
            return error_set(err, STATUS_IO, "engine %s refuses option '%s': %s", spec->name,
                             spec->options[i].name, text);
    return error_set(err, STATUS_IO, "engine %s refuses an option: %s", spec->name, text);
}

/* Adds a line to the warning, whole or not at all. */
static void add_warning(const EngineSpec *spec, char *text, char *warning, size_t size)
{
    size_t length = strlen(warning);
    make_printable(text);
    int more = snprintf(warning + length, size - length, "%sengine %s: %s", length ? "\n" : "",
                        spec->name, text);
    if (more < 0 || (size_t)more >= size - length)
        warning[length] = '\0';
}

/* Reads until readyok. An `info string error` is a refused option; other info strings, which may
 * say that an option did not do what was meant, are for the user. */
static Status wait_for_ready(UciClient *client, double seconds, char *warning, size_t size,
                             Error *err)
{
    double deadline = clock_seconds() + seconds;
    char *line;
    ClientEvent event;
    while ((event = next_line(client, deadline, &line)) == CLIENT_ANSWER) {
        if (is_word(line, "readyok"))
            return STATUS_OK;
        if (!is_word(line, "info string"))
            continue;
        line += strlen("info string");
        line += strspn(line, " \t");
        if (strncasecmp(line, "error", strlen("error")) == 0)
            return option_refused(client->spec, line, err);
        if (*line && size > 0)
            add_warning(client->spec, line, warning, size);
    }
    return handshake_failed(client, event, "readyok", err);
}

static Status handshake(UciClient *client, const char *variant, double seconds, char *warning,
                        size_t size, Error *err)
{
    const EngineSpec *spec = client->spec;
    bool own_variant = false, variant_file = false;
    Announcement announced = {.options = calloc(spec->option_count + 1, sizeof(KnownOption))};
    if (!announced.options)
        return error_set(err, STATUS_NO_MEMORY, "engine %s: out of memory", spec->name);
    for (size_t i = 0; i < spec->option_count; i++) {
        own_variant |= strcasecmp(spec->options[i].name, "UCI_Variant") == 0;
        variant_file |= strcasecmp(spec->options[i].name, "VariantPath") == 0;
    }

    Status status = STATUS_OK;
    double deadline = clock_seconds() + seconds;
    ClientEvent event = send_line(client, "uci");
    char *line;
    while (event == CLIENT_ANSWER &&
           (event = next_line(client, deadline, &line)) == CLIENT_ANSWER) {
        if (is_word(line, "uciok"))
            break;
        if (is_word(line, "option"))
            read_option_line(line, spec, variant, &announced);
    }
    if (event != CLIENT_ANSWER) {
        status = handshake_failed(client, event, "uciok", err);
        goto cleanup;
    }
    status = check_options(spec, &announced, err);
    if (status != STATUS_OK)
        goto cleanup;
    if (announced.has_variants && !announced.plays_variant && !own_variant && !variant_file) {
        status = error_set(err, STATUS_ARGUMENT, "engine %s does not play %s", spec->name, variant);
        goto cleanup;
    }
    if (!announced.has_variants && !own_variant)
        snprintf(warning, size, "engine %s has no option UCI_Variant; it is taken to play %s",
                 spec->name, variant);

    /* A file of variants comes before the choice of one, that choice before all else, because
     * engines set other options anew on a change of variant. */
    for (size_t i = 0; i < spec->option_count && event == CLIENT_ANSWER; i++)
        if (strcasecmp(spec->options[i].name, "VariantPath") == 0)
            event = set_option(client, spec->options[i].name, spec->options[i].value);
    if (announced.has_variants && !own_variant && event == CLIENT_ANSWER)
        event = set_option(client, "UCI_Variant", variant);
    for (size_t i = 0; i < spec->option_count && event == CLIENT_ANSWER; i++)
        if (strcasecmp(spec->options[i].name, "UCI_Variant") == 0)
            event = set_option(client, spec->options[i].name, spec->options[i].value);
    for (size_t i = 0; i < spec->option_count && event == CLIENT_ANSWER; i++)
        if (strcasecmp(spec->options[i].name, "VariantPath") != 0 &&
            strcasecmp(spec->options[i].name, "UCI_Variant") != 0)
            event = set_option(client, spec->options[i].name, spec->options[i].value);
    if (event == CLIENT_ANSWER)
        event = send_line(client, "isready");
    if (event == CLIENT_ANSWER)
        status = wait_for_ready(client, seconds, warning, size, err);
    else
        status = handshake_failed(client, event, "readyok", err);

cleanup:
    free(announced.options);
    return status;
}

UciClient *uci_client_start(const EngineSpec *spec, const char *variant, int stop_fd,
                            double seconds, char *warning, size_t size, Error *err)
{
    if (size > 0)
        warning[0] = '\0';
    UciClient *client = malloc(sizeof *client);
    if (!client) {
        error_set(err, STATUS_NO_MEMORY, "engine %s: out of memory", spec->name);
        return NULL;
    }
    client->spec = spec;
    client->pid = 0;
    client->to = client->from = -1;
    client->stop_fd = stop_fd;
    client->gone = client->skipping = false;
    client->read_time = 0.0;
    client->asked_time = 0.0;
    client->lines = 0;
    client->begin = client->end = 0;
    client->info[0] = '\0';

    if (spawn(client, err) == STATUS_OK &&
        handshake(client, variant, seconds, warning, size, err) == STATUS_OK)
        return client;
    uci_client_free(client, true);
    return NULL;
}

/* --- games ----------------------------------------------------------------------------------- */

/* Forgets what the engine has said. A line that is only half there will be skipped. */
static void drain(UciClient *client)
{
    for (int i = 0; i < DRAIN_READS; i++) {
        if (client->begin < client->end)
            client->skipping = client->buffer[client->end - 1] != '\n';
        client->begin = client->end = 0;
        if (!fill(client))
            return;
    }
    client->skipping = client->begin < client->end && client->buffer[client->end - 1] != '\n';
    client->begin = client->end = 0;
}

ClientEvent uci_client_new_game(UciClient *client, double seconds)
{
    drain(client);
    if (client->gone)
        return CLIENT_GONE;
    client->asked_time = clock_seconds();
    client->lines = 0;
    ClientEvent event = send_text(client, "ucinewgame\nisready\n", 19);
    return event == CLIENT_ANSWER ? wait_for_word(client, "readyok", seconds) : event;
}

/* The number after a word of an info line; false if there is none. */
static bool info_number(const char *info, const char *word, long *number)
{
    const char *at = strstr(info, word);
    if (!at)
        return false;
    at += strlen(word);
    char *end;
    *number = strtol(at, &end, 10);
    return end != at;
}

static void parse_info(const char *info, SearchReply *reply)
{
    long number;
    reply->score = SCORE_NONE;
    reply->depth = 0;
    if (info_number(info, " depth ", &number) && number > 0 && number < 10000)
        reply->depth = (int)number;
    if (info_number(info, " score mate ", &number)) {
        /* In moves of the winner; 0 is mated already. */
        const long most = (SCORE_MATE - SCORE_MATE_BOUND) / 2 - 1;
        number = number > most ? most : number < -most ? -most : number;
        long plies = number > 0 ? 2 * number - 1 : -2 * number;
        reply->score = number > 0 ? SCORE_MATE - (int)plies : -SCORE_MATE + (int)plies;
    } else if (info_number(info, " score cp ", &number)) {
        if (number > SCORE_MATE_BOUND)
            number = SCORE_MATE_BOUND;
        if (number < -SCORE_MATE_BOUND)
            number = -SCORE_MATE_BOUND;
        reply->score = (int)number;
    }
}

/* Keeps the head of an info line that has a score of the best line. */
static void keep_info(UciClient *client, const char *line)
{
    if (!strstr(line, " score ") || strncmp(line, "info string", strlen("info string")) == 0)
        return;
    const char *rank = strstr(line, " multipv ");
    if (rank && strtol(rank + strlen(" multipv "), NULL, 10) != 1)
        return;
    const char *pv = strstr(line, " pv ");
    size_t length = pv ? (size_t)(pv - line) : strlen(line);
    if (length >= INFO_BYTES)
        length = INFO_BYTES - 1;
    memcpy(client->info, line, length);
    client->info[length] = '\0';
}

static ClientEvent wait_for_move(UciClient *client, double deadline, SearchReply *reply)
{
    char *line;
    ClientEvent event;
    while ((event = next_line(client, deadline, &line)) == CLIENT_ANSWER) {
        if (is_word(line, "info")) {
            keep_info(client, line);
        } else if (is_word(line, "bestmove")) {
            const char *move = line + strlen("bestmove");
            move += strspn(move, " \t");
            size_t length = strcspn(move, " \t");
            if (length >= sizeof reply->move)
                length = sizeof reply->move - 1;
            memcpy(reply->move, move, length);
            reply->move[length] = '\0';
            return CLIENT_ANSWER;
        }
    }
    return event;
}

ClientEvent uci_client_go(UciClient *client, const char *text, size_t length, double seconds,
                          SearchReply *reply)
{
    *reply = (SearchReply){.score = SCORE_NONE};
    drain(client);
    client->info[0] = '\0';
    if (client->gone)
        return CLIENT_GONE;
    double sent = clock_seconds();
    client->asked_time = sent;
    client->lines = 0;
    ClientEvent event = send_text(client, text, length);
    if (event == CLIENT_ANSWER)
        event = wait_for_move(client, sent + seconds, reply);
    if (event != CLIENT_ANSWER) {
        reply->seconds = clock_seconds() - sent;
        return event;
    }
    reply->seconds = client->read_time - sent;
    if (client->info[0])
        parse_info(client->info, reply);
    return CLIENT_ANSWER;
}

uint64_t uci_client_lines(const UciClient *client)
{
    /* One without an end, however long, is also something that was sent. */
    bool unfinished = client->read_time >= client->asked_time &&
                      (client->skipping || client->begin < client->end);
    return client->lines + unfinished;
}

ClientEvent uci_client_stop(UciClient *client, double seconds)
{
    SearchReply late;
    ClientEvent event = send_text(client, "stop\n", 5);
    return event == CLIENT_ANSWER ? wait_for_move(client, clock_seconds() + seconds, &late) : event;
}

void uci_client_quit(UciClient *client)
{
    if (!client || client->to < 0)
        return;
    client->stop_fd = -1; /* it is readable for ever when we are stopping */
    /* If the pipe is full, end of file has to do. */
    ssize_t ignored = write(client->to, "stop\nquit\n", 10);
    (void)ignored;
    close_fd(&client->to);
}
