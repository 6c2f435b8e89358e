/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_split.c - campmate-data split: parts for training, validation and testing, by whole games. */
#include "command.h"

#include "derive.h"
#include "support/files.h"
#include "support/rng.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT_OPTIONS(X)                                                                           \
    X(text, out, NULL, 0, 0, "DIR", "directory of the parts; required")                            \
    X(text, parts, "train=80,validation=10,test=10", 0, 0, "LIST",                                 \
      "names of the parts with their shares, in any unit")                                         \
    X(flag, renumber, NULL, 0, 0, NULL, "count the games of the paths anew, from 0")

typedef struct SplitOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    SPLIT_OPTIONS(OPTION_MEMBER)
} SplitOptions;
#define OPTIONS_STRUCT SplitOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) SPLIT_OPTIONS(OPTION_ROW)};
static const OptionTable table = {
    .program = "campmate-data split",
    .summary = "Deals the games of datasets out to parts, each a dataset of its own in DIR.",
    .usage = "PATH...",
    .details =
        "A game goes to a part as a whole, by its number and --seed alone: the same game goes the "
        "same way in every run and on every machine, and more games later do not move the others. "
        "The shares are met on average.\n\n"
        "Games keep their numbers, and shards their ranges; several paths must have different "
        "numbers, or --renumber. --out must not be there, or be empty; it appears when everything "
        "is written. Memory does not grow with the dataset.\n\n"
        "Example: campmate-data split --out parts --parts train=80,validation=10,test=10 --seed 7 "
        "games",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

enum { PARTS_MAX = 16, NAME_MAX_BYTES = 32 };

typedef struct Split {
    uint64_t seed, shares[PARTS_MAX], sum;
    char names[PARTS_MAX][NAME_MAX_BYTES];
    char *notes[PARTS_MAX];
    DerivePart parts[PARTS_MAX];
    size_t count;
} Split;

static bool name_is_fine(const Split *split, const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            return false;
    for (size_t i = 0; i < split->count; i++)
        if (strcmp(name, split->names[i]) == 0)
            return false;
    return *name != 0;
}

/* Reads "train=80,test=20"; false with a usage mistake. */
static bool read_parts(Split *split, const char *list, Error *err)
{
    for (const char *at = list; at;) {
        char item[2 * NAME_MAX_BYTES];
        size_t length = strcspn(at, ",");
        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item), at);
        char *equals = strchr(item, '=');
        uint64_t share = 0;
        if (equals) {
            char *end;
            *equals++ = 0;
            share = isdigit((unsigned char)*equals) ? strtoull(equals, &end, 10) : 0;
            if (share > 1000000000 || (share && *end))
                share = 0;
        }
        if (length >= sizeof item || share == 0 || strlen(item) >= NAME_MAX_BYTES ||
            !name_is_fine(split, item) || split->count == PARTS_MAX) {
            command_usage(err,
                          "--parts: '%.*s', expected NAME=SHARE, at most %d different names of "
                          "letters, digits, - and _, shares from 1 to 1000000000",
                          (int)(length < 60 ? length : 60), at, PARTS_MAX);
            return false;
        }
        strcpy(split->names[split->count], item);
        split->sum += split->shares[split->count++] = share;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

/* The part of a game: a function of its number and the seed. */
static Status choose(void *context, int thread, uint64_t ordinal, const GameRecord *record,
                     int *part, Error *err)
{
    const Split *split = context;
    (void)thread, (void)ordinal, (void)err;
    Rng rng = rng_from(split->seed, record->number);
    uint64_t value = rng_below(&rng, split->sum);
    for (*part = 0; value >= split->shares[*part]; ++*part)
        value -= split->shares[*part];
    return STATUS_OK;
}

static Status print_result(const Split *split, const SplitOptions *options, Error *err)
{
    if (!options->json) {
        for (size_t i = 0; i < split->count; i++)
            printf("%s/%s: %" PRIu64 " games, %" PRIu64 " plies, %" PRIu64 " bytes, digest %s\n",
                   options->out, split->names[i], split->parts[i].stat.games,
                   split->parts[i].stat.plies, split->parts[i].stat.bytes,
                   split->parts[i].stat.digest);
        printf("seed %" PRIu64 "\n", split->seed);
        return STATUS_OK;
    }
    json_t *parts = json_object();
    for (size_t i = 0; i < split->count; i++) {
        const ShardStat *stat = &split->parts[i].stat;
        json_object_set_new(parts, split->names[i],
                            json_pack("{s:I, s:I, s:I, s:s}", "games", (json_int_t)stat->games,
                                      "plies", (json_int_t)stat->plies, "bytes",
                                      (json_int_t)stat->bytes, "digest", stat->digest));
    }
    return command_print_json(json_pack("{s:s, s:I, s:o}", "out", options->out, "seed",
                                        (json_int_t)split->seed, "parts", parts),
                              err);
}

static Status split_games(Split *split, SplitOptions *options, const OptionList *paths, Error *err)
{
    DeriveInput input;
    if (options->seed == 0)
        options->seed = (option_int)rng_seed_from_os();
    split->seed = (uint64_t)options->seed;
    char *note = derive_note("split", &table, options);
    Status status =
        note ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "no memory for the options");
    for (size_t i = 0; i < split->count && status == STATUS_OK; i++) {
        /* datasets_check_distinct knows by this form that parts do not overlap. */
        split->notes[i] = text_format("%s: part %s", note, split->names[i]);
        split->parts[i] = (DerivePart){.name = split->names[i], .note = split->notes[i]};
        if (!split->notes[i])
            status = error_set(err, STATUS_NO_MEMORY, "no memory for the options");
    }
    if (status == STATUS_OK) {
        status = derive_open(&input, paths, options->renumber, err);
        if (status == STATUS_OK)
            status = derive_write(&input, options_threads(options->threads), options->out,
                                  split->parts, split->count, choose, split, err);
        derive_close(&input);
    }
    for (size_t i = 0; i < split->count; i++)
        free(split->notes[i]);
    free(note);
    return status == STATUS_OK ? print_result(split, options, err) : status;
}

static bool check(void *context, const OptionList *inputs, Error *err)
{
    const SplitOptions *options = context;
    Split split = {0};
    (void)inputs;
    if (!read_parts(&split, options->parts, err))
        return false;
    return true;
}

static int run_command(void *context, const OptionList *inputs, Error *err)
{
    SplitOptions *options = context;
    Split split = {0};
    if (!read_parts(&split, options->parts, err))
        return EXIT_USAGE;
    return command_exit_code(split_games(&split, options, inputs, err));
}

int command_split(int argc, char **argv, Error *err)
{
    static const CommandPlan plan = {.table = &table,
                                     .inputs = INPUT_PATHS,
                                     .out = "the directory of the parts",
                                     .check = check,
                                     .run = run_command};
    SplitOptions options;
    return command_main(&plan, argc, argv, &options, err);
}
