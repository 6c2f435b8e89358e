/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal.c - what a search has tried so far, in a file. */
#include "journal.h"

#include "comm.h"
#include "support/files.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

json_t *setting_json(const Setting *setting)
{
    return json_pack("{s:f, s:i, s:i, s:f, s:I, s:f, s:f}", "lambda", setting->lambda, "skip_plies",
                     setting->skip_plies, "quiet_margin", setting->quiet_margin, "ridge",
                     setting->ridge, "positions", setting->positions, "loss_train", setting->train,
                     "loss_validation", setting->validation);
}

static bool setting_read(const json_t *object, Setting *setting)
{
    return json_unpack((json_t *)(uintptr_t)object, "{s:F, s:i, s:i, s:F, s:I, s:F, s:F}", "lambda",
                       &setting->lambda, "skip_plies", &setting->skip_plies, "quiet_margin",
                       &setting->quiet_margin, "ridge", &setting->ridge, "positions",
                       &setting->positions, "loss_train", &setting->train, "loss_validation",
                       &setting->validation) == 0;
}

/* Lines of a text as an array. */
static json_t *split_lines(const char *lines)
{
    json_t *array = json_array();
    while (array && *lines) {
        size_t length = strcspn(lines, "\n");
        if (json_array_append_new(array, json_stringn(lines, length))) {
            json_decref(array);
            return NULL;
        }
        lines += length + (lines[length] == '\n');
    }
    return array;
}

static const char *line_at(const json_t *lines, size_t index)
{
    const char *line = json_string_value(json_array_get(lines, index));
    return line ? line : "nothing";
}

static Status check_lines(const char *path, const json_t *found, const json_t *expected, Error *err)
{
    for (size_t i = 0; i < json_array_size(found) || i < json_array_size(expected); i++)
        if (!json_equal(json_array_get(found, i), json_array_get(expected, i)))
            return error_set(err, STATUS_ARGUMENT,
                             "%s belongs to another search: found '%.80s', expected '%.80s'", path,
                             line_at(found, i), line_at(expected, i));
    return STATUS_OK;
}

static Status read_journal(const char *path, const json_t *expected, json_t **root, Error *err)
{
    char *text;
    size_t size;
    Status status = file_read_all(path, &text, &size, err);
    if (status != STATUS_OK)
        return status;
    json_error_t where;
    json_t *read = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
    free(text);
    const json_t *tried = json_object_get(read, "tried");
    const json_t *lines = json_object_get(read, "search_of");
    if (!read) {
        status = error_set(err, STATUS_FORMAT, "%s: line %d: %s; expected the journal of a search",
                           path, where.line, where.text);
    } else if (!json_is_array(tried) || !json_is_array(lines)) {
        status =
            error_set(err, STATUS_FORMAT,
                      "%s: expected the journal of a search, with 'search_of' and 'tried'", path);
    } else {
        status = check_lines(path, lines, expected, err);
    }
    Setting setting;
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(tried); i++)
        if (!setting_read(json_array_get(tried, i), &setting) || setting.positions < 1)
            status = error_set(err, STATUS_FORMAT,
                               "%s: entry %zu of 'tried': expected lambda, filters, ridge, "
                               "positions and losses",
                               path, i);
    if (status == STATUS_OK)
        *root = read;
    else
        json_decref(read);
    return status;
}

Status journal_open(Journal *journal, const char *path, const char *lines, Error *err)
{
    *journal = (Journal){.path = path};
    if (!path)
        return STATUS_OK;
    Status status = STATUS_OK;
    if (!comm_rank()) {
        json_t *expected = split_lines(lines);
        if (!expected)
            status = error_set(err, STATUS_NO_MEMORY, "no memory for %s", path);
        else if (file_exists(path))
            status = read_journal(path, expected, &journal->root, err);
        else if (!(journal->root = json_pack("{s:O, s:[]}", "search_of", expected, "tried")))
            status = error_set(err, STATUS_NO_MEMORY, "no memory for %s", path);
        json_decref(expected);
    }
    return comm_agree(status, err);
}

bool journal_find(const Journal *journal, Setting *setting)
{
    const json_t *tried = json_object_get(journal->root, "tried");
    struct {
        Setting setting;
        bool found;
    } answer = {.found = false};
    for (size_t i = 0; i < json_array_size(tried) && !answer.found; i++)
        answer.found = setting_read(json_array_get(tried, i), &answer.setting) &&
                       answer.setting.lambda == setting->lambda &&
                       answer.setting.skip_plies == setting->skip_plies &&
                       answer.setting.quiet_margin == setting->quiet_margin;
    comm_broadcast(&answer, sizeof answer);
    if (answer.found)
        *setting = answer.setting;
    return answer.found;
}

Status journal_add(Journal *journal, const Setting *setting, Error *err)
{
    if (!journal->path)
        return STATUS_OK;
    Status status = STATUS_OK;
    if (!comm_rank()) {
        AtomicFile file;
        if (json_array_append_new(json_object_get(journal->root, "tried"), setting_json(setting)))
            status = error_set(err, STATUS_NO_MEMORY, "no memory for %s", journal->path);
        else
            status = atomic_file_open_tidy(&file, journal->path, err);
        if (status == STATUS_OK && (json_dumpf(journal->root, file.stream, JSON_INDENT(1)) ||
                                    fputc('\n', file.stream) == EOF)) {
            atomic_file_abandon(&file);
            status = error_set(err, STATUS_IO, "cannot write %s", journal->path);
        } else if (status == STATUS_OK) {
            status = atomic_file_commit(&file, err);
        }
    }
    return comm_agree(status, err);
}

void journal_close(Journal *journal)
{
    json_decref(journal->root);
    memset(journal, 0, sizeof *journal);
}
