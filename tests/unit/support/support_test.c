/* SPDX-License-Identifier: GPL-3.0-or-later */
/* support_test.c - errors, clock, signals, version, the CPU check. */
#include "test.h"

#include "support/clock.h"
#include "support/cpu.h"
#include "support/error.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/version.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_error(void **state)
{
    (void)state;
    Error err = {0};
    assert_int_equal(error_set(NULL, STATUS_FORMAT, "unheard"), STATUS_FORMAT);
    assert_int_equal(error_set(&err, STATUS_FORMAT, "rank %d", 3), STATUS_FORMAT);
    assert_int_equal(err.status, STATUS_FORMAT);
    assert_string_equal(err.message, "rank 3");
    errno = ENOENT;
    assert_int_equal(error_set_errno(&err, "cannot read %s", "x"), STATUS_IO);
    assert_string_equal(err.message, "cannot read x: No such file or directory");
    char large[1000];
    memset(large, 'a', sizeof large);
    large[sizeof large - 1] = '\0';
    error_set_errno(&err, "%s", large);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

static void test_clock(void **state)
{
    (void)state;
    double wall = clock_seconds(), cpu = clock_cpu_seconds();
    int64_t ms = clock_ms();
    while (clock_cpu_seconds() - cpu < 0.02)
        continue;
    assert_true(clock_seconds() - wall >= 0.015);
    assert_true(clock_ms() - ms >= 15);
    assert_true(clock_seconds_since(wall) >= 0.015);
    assert_true(clock_seconds_since(clock_seconds() + 100) == 0); /* the clock was turned back */
}

/* In a child, since the flag cannot be taken back. */
static int child_exit(int signal_number, int times)
{
    pid_t child = fork();
    if (child == 0) {
        interrupt_install();
        if (interrupted() || interrupt_exit_code() != 0)
            _exit(1);
        for (int i = 0; i < times; i++)
            raise(signal_number);
        _exit(interrupted() ? interrupt_exit_code() : 2);
    }
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -WTERMSIG(code);
}

static void test_interrupt(void **state)
{
    (void)state;
    assert_int_equal(child_exit(SIGINT, 1), 130);
    assert_int_equal(child_exit(SIGTERM, 1), 143);
    assert_int_equal(child_exit(SIGINT, 2), -SIGINT);
    assert_int_equal(child_exit(SIGTERM, 3), 143);
}

static void test_broken_pipe_is_an_error(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        int ends[2];
        interrupt_install();
        if (pipe(ends) != 0)
            _exit(1);
        close(ends[0]);
        _exit(write(ends[1], "x", 1) < 0 && errno == EPIPE ? 0 : 2);
    }
    int code;
    waitpid(child, &code, 0);
    assert_int_equal(code, 0);
}

static void test_version(void **state)
{
    (void)state;
    assert_true(strlen(version_number()) >= 5);
    assert_true(strlen(version_commit()) > 0);
    assert_true(strstr(version_compiler(), "gcc ") || strstr(version_compiler(), "clang "));
    assert_true(strlen(version_level()) > 0);
}

static void test_cpu(void **state)
{
    (void)state;
    Error err = {0};
    /* This very program was built with the flags that are checked, and it runs. */
    assert_int_equal(cpu_check(&err), STATUS_OK);
}

static void test_progress_is_silent_without_a_terminal(void **state)
{
    (void)state;
    int saved = dup(STDERR_FILENO), ends[2];
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    Progress progress;
    progress_begin(&progress, "games", 10, 0);
    progress_update(&progress, 5, "note");
    progress_end(&progress);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_broken_pipe_is_an_error),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_cpu),
        cmocka_unit_test(test_progress_is_silent_without_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
