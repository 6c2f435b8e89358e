/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files_test.c - a file is whole or not there; failures are reported and leave the old one. */
#include "test.h"

#include "support/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *directory;
static Error err;

static char *path_of(const char *name)
{
    char *path = text_format("%s/%s", directory, name);
    assert_non_null(path);
    return path;
}

static size_t entries(void)
{
    DIR *dir = opendir(directory);
    assert_non_null(dir);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void assert_content(const char *path, const char *expected)
{
    char *text;
    size_t size;
    assert_int_equal(file_read_all(path, &text, &size, &err), STATUS_OK);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(text, expected);
    free(text);
}

static int set_up(void **state)
{
    char *parent = directory;
    directory = text_format("%s/files-XXXXXX", parent);
    *state = parent;
    return directory && mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    char *command = text_format("rm -rf '%s'", directory);
    int result = command ? system(command) : -1;
    free(command);
    free(directory);
    directory = *state;
    return result;
}

static void test_write_and_replace(void **state)
{
    (void)state;
    char *path = path_of("a");
    assert_int_equal(file_write_all(path, "old", 3, &err), STATUS_OK);
    assert_content(path, "old");
    assert_int_equal(file_write_all(path, "", 0, &err), STATUS_OK);
    assert_content(path, "");
    assert_int_equal(entries(), 1);
    assert_true(file_exists(path));
    assert_false(file_exists(directory));
    assert_true(directory_exists(directory));
    free(path);
}

static void test_abandoned_file_leaves_the_old_one(void **state)
{
    (void)state;
    char *path = path_of("a");
    assert_int_equal(file_write_all(path, "old", 3, &err), STATUS_OK);
    AtomicFile file;
    assert_int_equal(atomic_file_open(&file, path, &err), STATUS_OK);
    fputs("half of the new", file.stream);
    atomic_file_abandon(&file);
    assert_content(path, "old");
    assert_int_equal(entries(), 1);
    atomic_file_abandon(&file); /* spent: does nothing */
    free(path);
}

/* What killed processes left goes, what a living one has open stays. */
static void test_leftovers_are_removed(void **state)
{
    (void)state;
    static const char *const names[] = {"a.tmp.12.0", "a.tmp.13.1", "a.tmp.1x.0", "a.tmp.12",
                                        "a.tmp.12.",  "b.tmp.12.0", "aa.tmp.1.0"};
    enum { NAMES = sizeof names / sizeof *names };
    char *path = path_of("a"), *paths[NAMES];
    for (int i = 0; i < NAMES; i++) {
        paths[i] = path_of(names[i]);
        assert_int_equal(file_write_all(paths[i], "x", 1, &err), STATUS_OK);
    }
    AtomicFile file, other;
    int held = -1;
    assert_int_equal(file_lock(paths[1], &held, &err), STATUS_OK);
    assert_int_equal(atomic_file_open_tidy(&file, path, &err), STATUS_OK);
    for (int i = 0; i < NAMES; i++)
        assert_int_equal(file_exists(paths[i]), i != 0);
    file_unlock(held);
    assert_int_equal(atomic_file_open_tidy(&other, path, &err), STATUS_OK);
    assert_false(file_exists(paths[1]));
    assert_true(file_exists(file.temporary)); /* the first is at work */
    fputs("new", file.stream);
    assert_int_equal(atomic_file_commit(&file, &err), STATUS_OK);
    assert_content(path, "new");
    fputs("newer", other.stream);
    assert_int_equal(atomic_file_commit(&other, &err), STATUS_OK);
    assert_content(path, "newer");
    for (int i = 0; i < NAMES; i++) {
        unlink(paths[i]);
        free(paths[i]);
    }
    unlink(path);
    free(path);
}

/* A file system without room, played by a limit on the size of files. */
static void test_failed_write_leaves_the_old_one(void **state)
{
    (void)state;
    char *path = path_of("a");
    assert_int_equal(file_write_all(path, "old", 3, &err), STATUS_OK);
    pid_t child = fork();
    if (child == 0) {
        static char large[1 << 16];
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000});
        Status status = file_write_all(path, large, sizeof large, &err);
        _exit(status == STATUS_IO && strstr(err.message, path) ? 0 : 1);
    }
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    assert_content(path, "old");
    assert_int_equal(entries(), 1);
    free(path);
}

/* Neither a device nor more than was asked for, be it a file or what a pipe goes on with. */
static void test_read_up_to(void **state)
{
    (void)state;
    char *path = path_of("a"), *text;
    size_t size;
    assert_int_equal(file_read_up_to("/dev/zero", 100, &text, &size, &err), STATUS_IO);
    assert_non_null(strstr(err.message, "/dev/zero: not a regular file"));
    assert_int_equal(file_write_all(path, "12345", 5, &err), STATUS_OK);
    assert_int_equal(file_read_up_to(path, 5, &text, &size, &err), STATUS_OK);
    assert_int_equal(size, 5);
    free(text);
    assert_int_equal(file_read_up_to(path, 4, &text, &size, &err), STATUS_IO);
    assert_non_null(strstr(err.message, "a: more than 4 bytes"));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        int fd = open(path, O_WRONLY);
        while (write(fd, path, 4) > 0)
            ;
        _exit(1);
    }
    assert_int_equal(file_read_up_to(path, 100000, &text, &size, &err), STATUS_IO);
    assert_non_null(strstr(err.message, "a: more than 100000 bytes"));
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFSIGNALED(code));
    free(path);
}

static void test_full_device(void **state)
{
    (void)state;
    err.message[0] = '\0';
    assert_int_equal(file_write_all("/dev/full", "x", 1, &err), STATUS_IO);
    assert_non_null(strstr(err.message, "/dev/full: No space left on device"));
    assert_int_equal(file_write_all("/dev/null", "x", 1, &err), STATUS_OK);
    assert_false(file_exists("/dev/null")); /* still a device */
}

static void test_link_stays_a_link(void **state)
{
    (void)state;
    char *path = path_of("a"), *link = path_of("link");
    assert_int_equal(file_write_all(path, "old", 3, &err), STATUS_OK);
    assert_int_equal(symlink("a", link), 0);
    assert_int_equal(file_write_all(link, "new", 3, &err), STATUS_OK);
    assert_content(path, "new");
    char target[8];
    assert_int_equal(readlink(link, target, sizeof target), 1);
    free(link);
    free(path);
}

static void test_bad_paths(void **state)
{
    (void)state;
    AtomicFile file;
    char *path = path_of("missing/a");
    assert_int_equal(atomic_file_open(&file, path, &err), STATUS_IO);
    assert_non_null(strstr(err.message, path));
    atomic_file_abandon(&file);
    assert_int_equal(atomic_file_open(&file, directory, &err), STATUS_IO);
    char *text = NULL;
    size_t size = 7;
    assert_int_equal(file_read_all(path, &text, &size, &err), STATUS_IO);
    assert_null(text);
    assert_int_equal(size, 7);
    assert_int_equal(file_read_all(directory, &text, &size, &err), STATUS_IO);
    free(path);
}

static void test_large_file_and_zero_bytes(void **state)
{
    (void)state;
    enum { SIZE = 300000 };
    char *path = path_of("large"), *content = malloc(SIZE);
    assert_non_null(content);
    for (int i = 0; i < SIZE; i++)
        content[i] = (char)(i % 251);
    assert_int_equal(file_write_all(path, content, SIZE, &err), STATUS_OK);
    char *text;
    size_t size;
    assert_int_equal(file_read_all(path, &text, &size, &err), STATUS_OK);
    assert_int_equal(size, SIZE);
    assert_memory_equal(text, content, SIZE);
    assert_int_equal(text[SIZE], 0);
    free(text);
    free(content);
    free(path);
}

static void test_directories(void **state)
{
    (void)state;
    char *path = path_of("x/y//z/");
    assert_int_equal(directory_make(path, &err), STATUS_OK);
    assert_int_equal(directory_make(path, &err), STATUS_OK);
    assert_true(directory_exists(path));
    free(path);
    path = path_of("file");
    assert_int_equal(file_write_all(path, "x", 1, &err), STATUS_OK);
    assert_int_equal(directory_make(path, &err), STATUS_IO);
    free(path);
}

static void test_lock(void **state)
{
    (void)state;
    char *path = path_of("lock");
    int first, second;
    assert_int_equal(file_lock(path, &first, &err), STATUS_OK);
    assert_int_equal(file_lock(path, &second, &err), STATUS_IO);
    assert_non_null(strstr(err.message, "in use by another process"));
    file_unlock(first);
    assert_int_equal(file_lock(path, &second, &err), STATUS_OK);
    file_unlock(second);
    free(path);
}

/* What a process that is killed while it starts another leaves for a moment. */
static void test_lock_of_one_that_is_going(void **state)
{
    (void)state;
    char *path = path_of("going");
    int fd, ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        Status status = file_lock(path, &fd, &err);
        if (write(ready[1], &status, sizeof status) == (ssize_t)sizeof status)
            usleep(200000);
        _exit(0);
    }
    Status status;
    assert_int_equal(read(ready[0], &status, sizeof status), sizeof status);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(file_lock(path, &fd, &err), STATUS_OK);
    file_unlock(fd);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ready[0]);
    close(ready[1]);
    free(path);
}

int main(int argc, char **argv)
{
    directory = argc > 1 ? argv[1] : ".";
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_write_and_replace),
        TEST(test_abandoned_file_leaves_the_old_one),
        TEST(test_leftovers_are_removed),
        TEST(test_failed_write_leaves_the_old_one),
        TEST(test_read_up_to),
        TEST(test_full_device),
        TEST(test_link_stays_a_link),
        TEST(test_bad_paths),
        TEST(test_large_file_and_zero_bytes),
        TEST(test_directories),
        TEST(test_lock),
        TEST(test_lock_of_one_that_is_going),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
