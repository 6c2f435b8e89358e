/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uci_client_test.c - engines that behave and engines that do not (fake_engine.py). */
#include "../test.h"

#include "support/clock.h"
#include "uci_client.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *python, *fake_engine;
static const char go[] = "position startpos\ngo nodes 10\n";

static EngineSpec spec;

static UciClient *try_start(const char *args, const char *more, int stop_fd, double seconds,
                            Error *error)
{
    char text[1024], warning[100];
    snprintf(text, sizeof text, "name=fake,cmd=%s,args=\"'%s' %s\"%s", python, fake_engine, args,
             more);
    assert_int_equal(engine_spec_parse(text, &spec, error), STATUS_OK);
    UciClientSetup setup = {.variant = "mansindam", .stop_fd = stop_fd, .seconds = seconds};
    return uci_client_start(&spec, &setup, warning, sizeof warning, error);
}

static UciClient *start(const char *args)
{
    Error error = {STATUS_OK, ""};
    UciClient *client = try_start(args, "", -1, 10.0, &error);
    if (!client)
        fail_msg("%s", error.message);
    assert_int_equal(uci_client_new_game(client, 5.0), CLIENT_ANSWER);
    return client;
}

/* Ends the client and checks that nothing is left to reap. */
static void end(UciClient *client, bool now)
{
    uci_client_quit(client);
    uci_client_free(client, now);
    engine_spec_free(&spec);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static ClientEvent ask(UciClient *client, double seconds, SearchReply *reply)
{
    return uci_client_go(client, go, strlen(go), seconds, reply);
}

static void answers(void **state)
{
    (void)state;
    UciClient *client = start("--score=31 --pv=e3e4");
    SearchReply reply;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ask(client, 5.0, &reply), CLIENT_ANSWER);
        assert_string_equal(reply.move, "e3e4");
        assert_int_equal(reply.score, 31); /* of the first line, not of the second */
        assert_int_equal(reply.depth, 7);
        assert_true(reply.seconds > 0.0 && reply.seconds < 5.0);
    }
    end(client, false);
}

/* Whatever is printed before it, the answer is found, and a second answer is not taken for that
 * of the next move. */
static void noise(void **state)
{
    (void)state;
    static const char *const noises[] = {"--flood=20000", "--long", "--garbage", "--double"};
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
        char args[80];
        snprintf(args, sizeof args, "%s --script=a1,b2,c3", noises[i]);
        UciClient *client = start(args);
        SearchReply reply;
        static const char *const expected[] = {"a1", "b2", "c3"};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(ask(client, 10.0, &reply), CLIENT_ANSWER);
            assert_string_equal(reply.move, expected[k]);
            usleep(20000); /* lets the second answer arrive */
        }
        end(client, false);
    }
    UciClient *client = start("--empty");
    SearchReply reply;
    assert_int_equal(ask(client, 5.0, &reply), CLIENT_ANSWER);
    assert_string_equal(reply.move, "");
    assert_int_equal(reply.score, SCORE_NONE);
    end(client, false);
}

static void crash(void **state)
{
    (void)state;
    char fate[64];
    SearchReply reply;
    UciClient *client = start("--crash=2");
    assert_int_equal(ask(client, 5.0, &reply), CLIENT_ANSWER);
    assert_int_equal(ask(client, 5.0, &reply), CLIENT_GONE);
    uci_client_fate(client, fate, sizeof fate);
    assert_string_equal(fate, "exited with code 3");
    assert_int_equal(ask(client, 5.0, &reply), CLIENT_GONE); /* and stays so */
    assert_int_equal(uci_client_new_game(client, 5.0), CLIENT_GONE);
    end(client, true);

    client = start("--close=1");
    assert_int_equal(ask(client, 5.0, &reply), CLIENT_GONE);
    uci_client_fate(client, fate, sizeof fate);
    assert_string_equal(fate, "closed its output");
    end(client, true);
}

static void stall(void **state)
{
    (void)state;
    SearchReply reply;
    UciClient *client = start("--stall=1");
    assert_int_equal(ask(client, 0.2, &reply), CLIENT_TIMEOUT);
    assert_true(reply.seconds >= 0.2 && reply.seconds < 3.0);
    assert_int_equal(uci_client_lines(client), 0);
    assert_int_equal(uci_client_stop(client, 5.0), CLIENT_ANSWER); /* only late */
    assert_int_equal(ask(client, 5.0, &reply), CLIENT_ANSWER);
    end(client, false);

    client = start("--freeze=1");
    assert_int_equal(ask(client, 0.2, &reply), CLIENT_TIMEOUT);
    assert_int_equal(uci_client_stop(client, 0.2), CLIENT_TIMEOUT);
    end(client, true);

    /* Output without end is no answer either. */
    client = start("--endless");
    double began = clock_seconds();
    assert_int_equal(ask(client, 0.3, &reply), CLIENT_TIMEOUT);
    assert_true(uci_client_lines(client) > 0);
    assert_true(clock_seconds() - began < 3.0);
    end(client, false);
}

/* An engine that does not read must not block us, however much we write. */
static void full_pipe(void **state)
{
    (void)state;
    UciClient *client = start("--freeze=1");
    SearchReply reply;
    assert_int_equal(ask(client, 0.1, &reply), CLIENT_TIMEOUT);
    size_t size = 300000;
    char *text = malloc(size);
    memset(text, ' ', size);
    double began = clock_seconds();
    assert_int_equal(uci_client_go(client, text, size, 1.0, &reply), CLIENT_TIMEOUT);
    assert_true(clock_seconds() - began < 10.0);
    free(text);
    end(client, true);
}

static void stopped(void **state)
{
    (void)state;
    int fd = eventfd(0, EFD_CLOEXEC);
    Error error;
    UciClient *client = try_start("--freeze=1", "", fd, 10.0, &error);
    assert_non_null(client);
    uint64_t one = 1;
    assert_int_equal(write(fd, &one, sizeof one), sizeof one);
    SearchReply reply;
    double began = clock_seconds();
    assert_int_equal(ask(client, 60.0, &reply), CLIENT_STOPPED);
    end(client, false);
    assert_true(clock_seconds() - began < 3.0);
    assert_null(try_start("", "", fd, 10.0, &error)); /* nor does anything start */
    assert_int_equal(error.status, STATUS_INTERRUPTED);
    engine_spec_free(&spec);
    close(fd);
}

/* quit, end of file and SIGTERM ignored, and a child of its own: gone all the same. */
static void stubborn(void **state)
{
    (void)state;
    char path[] = "/tmp/campmate-pids-XXXXXX", args[160];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(args, sizeof args, "--stubborn --child --pid-file=%s", path);
    UciClient *client = start(args);
    double began = clock_seconds();
    end(client, false);
    double took = clock_seconds() - began;
    assert_true(took < 3.0);

    FILE *pids = fdopen(fd, "r");
    long pid;
    int count = 0;
    while (fscanf(pids, "%ld", &pid) == 1) {
        count++;
        /* The orphan is reaped by somebody else: that takes a moment, or never happens where
         * process 1 does not reap; a zombie is as dead. */
        char name[64], stat[256] = "";
        for (int i = 0; i < 100 && kill((pid_t)pid, 0) == 0; i++) {
            snprintf(name, sizeof name, "/proc/%ld/stat", pid);
            FILE *file = fopen(name, "r");
            const char *paren = file && fgets(stat, sizeof stat, file) ? strrchr(stat, ')') : NULL;
            if (file)
                fclose(file);
            if (paren && paren[2] == 'Z')
                break;
            if (i == 99)
                fail_msg("process %ld lives on: %s", pid, stat);
            usleep(10000);
        }
    }
    assert_int_equal(count, 2);
    fclose(pids);
    unlink(path);
}

static void bad_starts(void **state)
{
    (void)state;
    Error error;
    const struct {
        double seconds; /* enough for the engine to start on a busy machine */
        const char *args, *more, *message;
    } rows[] = {
        {0.5, "--no-uciok", "", "did not say uciok in time"},
        {3.0, "--no-readyok", "", "did not say readyok in time"},
        {10.0, "", ",option.Ponder=true", "has no option 'Ponder'"},
        {10.0, "", ",option.Hash=1025",
         "fake, option 'Hash': '1025' is not in its range from 1 to"},
        {10.0, "", ",option.Move Overhead=0", "'0' is not in its range from 1 to 1024"},
        {10.0, "", ",option.Hash=7x", "option 'Hash': '7x' is not in its range"},
        {10.0, "'--says=info string error: option Hash: too much'", ",option.hash=9",
         "engine fake refuses option 'hash': option Hash: too much"},
        {10.0, "'--says=info string ERROR: what now'", ",option.Hash=9",
         "engine fake refuses an option: what now"},
        {10.0, "--variant=shogun", "", "does not play mansindam"},
        {10.0, "", ",dir=/nonexistent-directory", "No such file or directory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(try_start(rows[i].args, rows[i].more, -1, rows[i].seconds, &error));
        if (!strstr(error.message, rows[i].message))
            fail_msg("'%s', expected '%s'", error.message, rows[i].message);
        engine_spec_free(&spec);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    }
    char warning[100];
    const UciClientSetup setup = {.variant = "mansindam", .stop_fd = -1, .seconds = 1.0};
    assert_int_equal(engine_spec_parse("cmd=no-such-engine-anywhere", &spec, &error), STATUS_OK);
    assert_null(uci_client_start(&spec, &setup, warning, sizeof warning, &error));
    assert_non_null(strstr(error.message, "cannot run no-such-engine-anywhere: No such file"));
    engine_spec_free(&spec);
    /* A program that is no engine. */
    assert_int_equal(engine_spec_parse("cmd=true", &spec, &error), STATUS_OK);
    assert_null(uci_client_start(&spec, &setup, warning, sizeof warning, &error));
    assert_non_null(strstr(error.message, "exited with code 0 before it said uciok"));
    engine_spec_free(&spec);
}

/* What the engine says about its options is passed on, but does not stop anything. */
static void words_before_ready(void **state)
{
    (void)state;
    char text[1024], warning[60];
    const UciClientSetup setup = {.variant = "mansindam", .stop_fd = -1, .seconds = 10.0};
    Error error;
    snprintf(text, sizeof text,
             "name=fake,cmd=%s,args=\"'%s' '--says=info string one|info depth 1|info string "
             "this line is much too long to find a place here|info string last'\"",
             python, fake_engine);
    assert_int_equal(engine_spec_parse(text, &spec, &error), STATUS_OK);
    UciClient *client = uci_client_start(&spec, &setup, warning, sizeof warning, &error);
    if (!client)
        fail_msg("%s", error.message);
    assert_non_null(strstr(warning, "engine fake: one"));
    assert_null(strstr(warning, "depth"));
    assert_null(strstr(warning, "much too long"));
    assert_non_null(strstr(warning, "\nengine fake: last"));
    end(client, false);
}

/* The choice of a variant comes before all other options. */
static void order_of_options(void **state)
{
    (void)state;
    char path[] = "/tmp/campmate-log-XXXXXX", args[160], text[512] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(args, sizeof args, "--log=%s", path);
    Error error;
    UciClient *client = try_start(args, ",option.hash=7,option.Move Overhead=5", -1, 10.0, &error);
    assert_non_null(client);
    assert_int_equal(uci_client_new_game(client, 5.0), CLIENT_ANSWER);
    end(client, false);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    assert_string_equal(text, "uci\nsetoption name UCI_Variant value mansindam\n"
                              "setoption name hash value 7\nsetoption name Move Overhead value 5\n"
                              "isready\nucinewgame\nisready\nstop\nquit\n");
    close(fd);
    unlink(path);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    python = argv[1];
    fake_engine = argv[2];
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),
        cmocka_unit_test(noise),
        cmocka_unit_test(crash),
        cmocka_unit_test(stall),
        cmocka_unit_test(full_pipe),
        cmocka_unit_test(stopped),
        cmocka_unit_test(stubborn),
        cmocka_unit_test(bad_starts),
        cmocka_unit_test(words_before_ready),
        cmocka_unit_test(order_of_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
