/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output_directory.c - a directory that is whole or not there (see output_directory.h). */
#include "output_directory.h"

#include "support/files.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

Status output_directory_check(const char *directory, Error *err)
{
    struct stat facts;
    if (!*directory)
        return error_set(err, STATUS_ARGUMENT, "no name for the directory of the new dataset");
    if (lstat(directory, &facts) != 0)
        return errno == ENOENT ? STATUS_OK
                               : error_set_errno(err, "%s: cannot look at it", directory);
    if (!S_ISDIR(facts.st_mode))
        return error_set(err, STATUS_ARGUMENT,
                         "%s is there already, but no directory; this command writes a new dataset",
                         directory);
    DIR *stream = opendir(directory);
    if (!stream)
        return error_set_errno(err, "%s: cannot list the directory", directory);
    bool empty = true;
    for (struct dirent *entry; empty && (entry = readdir(stream));)
        empty = is_dots(entry->d_name);
    closedir(stream);
    return empty ? STATUS_OK
                 : error_set(err, STATUS_ARGUMENT,
                             "%s is there already and not empty; this command writes a new dataset",
                             directory);
}

/* "DIR" of "DIR/" */
static size_t without_slashes(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

/* Removes the files in a directory, those of directories in it down to `depth`, and itself. */
static void remove_all(const char *directory, int depth)
{
    DIR *stream = opendir(directory);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char *path = is_dots(entry->d_name) ? NULL : text_format("%s/%s", directory, entry->d_name);
        if (path && unlink(path) != 0 && depth > 0)
            remove_all(path, depth - 1);
        free(path);
    }
    if (stream)
        closedir(stream);
    rmdir(directory);
}

/* Is the name that of a temporary directory whose process is gone? */
static bool is_stale(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    if (strncmp(name, wanted, length) != 0 || strncmp(name + length, ".tmp.", 5) != 0)
        return false;
    const char *digits = name + length + 5;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 9 || digits[count])
        return false;
    return kill((pid_t)atol(digits), 0) != 0 && errno == ESRCH;
}

/* Removes what killed processes left of the directory that is wanted. */
static void remove_stale(const char *wanted)
{
    char *whole = text_format("%.*s", (int)without_slashes(wanted), wanted);
    char *slash = whole ? strrchr(whole, '/') : NULL;
    const char *name = slash ? slash + 1 : whole;
    char *parent = !whole  ? NULL
                   : slash ? text_format("%.*s", slash == whole ? 1 : (int)(slash - whole), whole)
                           : text_format(".");
    DIR *stream = parent ? opendir(parent) : NULL;
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char *path =
            is_stale(entry->d_name, name) ? text_format("%s/%s", parent, entry->d_name) : NULL;
        if (path)
            remove_all(path, 1);
        free(path);
    }
    if (stream)
        closedir(stream);
    free(parent);
    free(whole);
}

Status output_directory_open(OutputDirectory *output, const char *wanted, Error *err)
{
    *output = (OutputDirectory){.wanted = wanted};
    Status status = output_directory_check(wanted, err);
    if (status != STATUS_OK)
        return status;
    remove_stale(wanted);
    output->temporary =
        text_format("%.*s.tmp.%ld", (int)without_slashes(wanted), wanted, (long)getpid());
    if (!output->temporary)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a name");
    status = directory_make(output->temporary, err);
    if (status != STATUS_OK) {
        free(output->temporary);
        output->temporary = NULL;
    }
    return status;
}

Status output_directory_commit(OutputDirectory *output, Error *err)
{
    /* Replaces an empty directory, and fails on any other. */
    if (rename(output->temporary, output->wanted) != 0)
        return error_set_errno(err, "cannot rename to %s", output->wanted);
    free(output->temporary);
    output->temporary = NULL;
    return STATUS_OK;
}

void output_directory_abandon(OutputDirectory *output)
{
    if (output->temporary)
        remove_all(output->temporary, 1);
    free(output->temporary);
    output->temporary = NULL;
}
