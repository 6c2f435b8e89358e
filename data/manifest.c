/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest.c - manifest.json: what a dataset holds, for people and scripts.
 *
 * It says nothing that the shards do not say themselves, and can be written again at any time.
 */
#include "dataset.h"

#include "support/files.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MANIFEST_VERSION = 1 };

static const char manifest_name[] = "manifest.json";

/* A text of every shard, or null where they differ. */
static json_t *common_text(const Dataset *dataset, const char *(*text)(const ShardInfo *))
{
    const char *first = text(dataset_shard_info(dataset, 0));
    for (size_t i = 1; i < dataset_shard_count(dataset); i++)
        if (strcmp(text(dataset_shard_info(dataset, i)), first) != 0)
            return json_null();
    return json_string(first);
}

static json_t *common_number(const Dataset *dataset, uint64_t (*number)(const ShardInfo *))
{
    uint64_t first = number(dataset_shard_info(dataset, 0));
    for (size_t i = 1; i < dataset_shard_count(dataset); i++)
        if (number(dataset_shard_info(dataset, i)) != first)
            return json_null();
    return json_integer((json_int_t)first);
}

static const char *info_commit(const ShardInfo *info)
{
    return info->commit;
}
static const char *info_compiler(const ShardInfo *info)
{
    return info->compiler;
}
static const char *info_configuration(const ShardInfo *info)
{
    return info->configuration;
}
static const char *info_weights(const ShardInfo *info)
{
    return info->weights_digest;
}
static uint64_t info_bench(const ShardInfo *info)
{
    return info->bench_nodes;
}
static uint64_t info_seed(const ShardInfo *info)
{
    return info->seed;
}

static json_t *results_json(const uint64_t outcomes[4])
{
    return json_pack("{s:I, s:I, s:I, s:I}", "white", (json_int_t)outcomes[OUTCOME_WHITE], "black",
                     (json_int_t)outcomes[OUTCOME_BLACK], "draw",
                     (json_int_t)outcomes[OUTCOME_DRAW], "unfinished",
                     (json_int_t)outcomes[OUTCOME_NONE]);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static json_t *shard_json(const Dataset *dataset, size_t index)
{
    const ShardInfo *info = dataset_shard_info(dataset, index);
    const ShardStat *stat = dataset_shard_stat(dataset, index);
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:s, s:I, s:I, s:s}", "file",
                     file_name(dataset_shard_path(dataset, index)), "first_game",
                     (json_int_t)info->first_game, "game_count", (json_int_t)info->game_count,
                     "games", (json_int_t)stat->games, "plies", (json_int_t)stat->plies, "bytes",
                     (json_int_t)stat->bytes, "results", results_json(stat->outcomes), "digest",
                     stat->digest, "seed", (json_int_t)info->seed, "bench",
                     (json_int_t)info->bench_nodes, "weights_digest", info->weights_digest);
}

static void add_up(const Dataset *dataset, ShardStat *total)
{
    *total = (ShardStat){0};
    for (size_t i = 0; i < dataset_shard_count(dataset); i++) {
        const ShardStat *stat = dataset_shard_stat(dataset, i);
        total->games += stat->games;
        total->plies += stat->plies;
        total->bytes += stat->bytes;
        for (int j = 0; j < 4; j++)
            total->outcomes[j] += stat->outcomes[j];
    }
    dataset_digest(dataset, total->digest);
}

/* Everything but the entries of the shards, whose list is empty. */
static json_t *head_json(const Dataset *dataset, const ShardStat *total)
{
    return json_pack(
        "{s:i, s:s, s:i, s:I, s:I, s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version",
        MANIFEST_VERSION, "variant", dataset_engine(dataset)->name, "rules_version",
        dataset_engine(dataset)->rules_version, "games", (json_int_t)total->games, "plies",
        (json_int_t)total->plies, "bytes", (json_int_t)total->bytes, "results",
        results_json(total->outcomes), "digest", total->digest, "seed",
        common_number(dataset, info_seed), "bench", common_number(dataset, info_bench),
        "weights_digest", common_text(dataset, info_weights), "commit",
        common_text(dataset, info_commit), "compiler", common_text(dataset, info_compiler),
        "configuration", common_text(dataset, info_configuration), "shards", json_array());
}

/* Takes a piece of the manifest; false ends the writing. */
typedef bool (*Sink)(void *context, const char *text, size_t size);

static bool sink_text(Sink sink, void *context, const char *text)
{
    return sink(context, text, strlen(text));
}

/* An entry of the list of shards, four columns in. Line feeds in texts are escaped. */
static bool sink_shard(Sink sink, void *context, const Dataset *dataset, size_t index, bool *memory)
{
    json_t *entry = shard_json(dataset, index);
    char *dump = entry ? json_dumps(entry, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
    *memory = dump != NULL;
    bool going = dump && sink_text(sink, context, index ? ",\n    " : "\n    ");
    for (const char *at = dump; going && at;) {
        size_t length = strcspn(at, "\n");
        going = sink(context, at, length);
        at = at[length] ? at + length + 1 : NULL;
        going = going && (!at || sink_text(sink, context, "\n    "));
    }
    free(dump);
    json_decref(entry);
    return going;
}

/*
 * Gives the manifest's bytes to the sink, shard by shard: there may be very many. STATUS_NO_MEMORY
 * also where a text is not UTF-8; STATUS_OK when the sink has had enough.
 */
static Status manifest_write(const Dataset *dataset, const ShardStat *total, Sink sink,
                             void *context, Error *err)
{
    static const char list[] = "\n  \"shards\": []";
    json_t *root = head_json(dataset, total);
    char *head = root ? json_dumps(root, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
    json_decref(root);
    char *at = head ? strstr(head, list) : NULL;
    bool memory = at != NULL;
    bool going = memory && sink(context, head, (size_t)(at - head) + strlen(list) - 1);
    for (size_t i = 0; going && i < dataset_shard_count(dataset); i++)
        going = sink_shard(sink, context, dataset, i, &memory);
    if (going) {
        sink_text(sink, context, "\n  ");
        sink_text(sink, context, at + strlen(list) - 1);
        sink_text(sink, context, "\n");
    }
    free(head);
    return memory ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "no memory for %s", manifest_name);
}

static bool sink_to_stream(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size;
}

Status dataset_write_manifest(const char *directory, ShardStat *stat, Error *err)
{
    Dataset *dataset = NULL;
    Status status = dataset_open(&dataset, directory, err);
    if (status != STATUS_OK)
        return status;
    ShardStat total;
    add_up(dataset, &total);
    AtomicFile file = {0};
    char *path = text_format("%s/%s", directory, manifest_name);
    status = path ? atomic_file_open_tidy(&file, path, err)
                  : error_set(err, STATUS_NO_MEMORY, "%s: no memory for a name", directory);
    if (status == STATUS_OK)
        status = manifest_write(dataset, &total, sink_to_stream, file.stream, err);
    if (status == STATUS_OK && ferror(file.stream))
        status = error_set_errno(err, "%s: cannot write it", path);
    if (status == STATUS_OK)
        status = atomic_file_commit(&file, err);
    atomic_file_abandon(&file);
    free(path);
    dataset_close(dataset);
    if (status == STATUS_OK && stat)
        *stat = total;
    return status;
}

/* A manifest that is read beside the one there should be. */
typedef struct Comparison {
    FILE *stream;
    bool differs;
} Comparison;

static bool sink_to_comparison(void *context, const char *text, size_t size)
{
    Comparison *comparison = context;
    for (size_t i = 0; i < size && !comparison->differs; i++)
        comparison->differs = getc(comparison->stream) != (unsigned char)text[i];
    return !comparison->differs;
}

/* *same: the file is to the byte what would be written now. */
static Status compare_bytes(const char *path, const Dataset *dataset, bool *same, Error *err)
{
    ShardStat total;
    Comparison comparison = {.stream = fopen(path, "rbe")};
    if (!comparison.stream)
        return error_set_errno(err, "cannot read %s", path);
    add_up(dataset, &total);
    Status status = manifest_write(dataset, &total, sink_to_comparison, &comparison, err);
    *same = !comparison.differs && getc(comparison.stream) == EOF;
    fclose(comparison.stream);
    return status;
}

/* The first key whose value is not the one expected, in `key`; false if there is none. */
static bool find_difference(json_t *expected, json_t *found, const char **key)
{
    json_t *value = NULL;
    json_object_foreach(expected, *key,
                        value) if (!json_equal(value, json_object_get(found, *key))) return true;
    return false;
}

static Status compare(const char *path, const Dataset *dataset, json_t *found, Error *err)
{
    ShardStat total;
    add_up(dataset, &total);
    Status status = STATUS_OK;
    const char *key = NULL;
    json_t *shards = json_object_get(found, "shards");
    for (size_t i = 0; i < dataset_shard_count(dataset) && status == STATUS_OK; i++) {
        json_t *entry = shard_json(dataset, i);
        if (!entry || find_difference(entry, json_array_get(shards, i), &key))
            status =
                error_set(err, STATUS_FORMAT,
                          "%s: entry %zu differs from shard %s in \"%s\": it has to be written "
                          "again (campmate-data merge)",
                          path, i, dataset_shard_path(dataset, i), entry ? key : "?");
        json_decref(entry);
    }
    json_t *expected = head_json(dataset, &total);
    if (!expected)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to compare it", path);
    json_object_del(expected, "shards"); /* those were compared above, but for their number */
    if (status == STATUS_OK && json_array_size(shards) != dataset_shard_count(dataset))
        status = error_set(err, STATUS_FORMAT,
                           "%s: %zu entries in \"shards\", expected %zu: it has to be written "
                           "again (campmate-data merge)",
                           path, json_array_size(shards), dataset_shard_count(dataset));
    if (status == STATUS_OK && find_difference(expected, found, &key))
        status =
            error_set(err, STATUS_FORMAT,
                      "%s: \"%s\" differs from what the shards say: it has to be written again "
                      "(campmate-data merge)",
                      path, key);
    json_decref(expected);
    return status;
}

Status dataset_check_manifest(const char *directory, const Dataset *dataset, bool *present,
                              Error *err)
{
    char *path = text_format("%s/%s", directory, manifest_name);
    if (!path)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for a name", directory);
    Status status = STATUS_OK;
    *present = file_exists(path);
    bool same = true;
    if (*present)
        status = compare_bytes(path, dataset, &same, err);
    if (status == STATUS_OK && !same) { /* what is it, or is it only laid out in another way? */
        char *bytes = NULL;
        size_t size = 0;
        status = file_read_all(path, &bytes, &size, err);
        if (status == STATUS_OK) {
            json_error_t where;
            json_t *found = json_loadb(bytes, size, 0, &where);
            status = found ? compare(path, dataset, found, err)
                           : error_set(err, STATUS_FORMAT, "%s: line %d, byte %d: %s", path,
                                       where.line, where.position, where.text);
            json_decref(found);
        }
        free(bytes);
    }
    free(path);
    return status;
}
