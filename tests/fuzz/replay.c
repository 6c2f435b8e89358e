/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay.c - runs a fuzz target without libFuzzer: on every file of the directories (or files) that
 * are named, and on copies of it that are cut, overwritten or spliced, the same ones every time.
 *
 *     NAME_replay COPIES PATH...
 */
#include "fuzz.h"

#include "support/files.h"
#include "support/rng.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t inputs;

/* A damaged copy of `bytes`: its size, and itself in `copy` (room for `size`). */
static size_t damage(Rng *rng, const char *bytes, size_t size, uint8_t *copy)
{
    memcpy(copy, bytes, size);
    switch (rng_below(rng, 4)) {
    case 0: /* cut off */
        return rng_below(rng, size);
    case 1: { /* a piece of it somewhere else */
        size_t length = 1 + rng_below(rng, size < 64 ? size : 64);
        memmove(copy + rng_below(rng, size - length + 1), bytes + rng_below(rng, size - length + 1),
                length);
        return size;
    }
    default: /* some bytes changed */
        for (uint64_t n = 1 + rng_below(rng, 4); n; n--) {
            uint8_t *byte = &copy[rng_below(rng, size)];
            *byte = (uint8_t)(rng_below(rng, 2) ? rng_next(rng) : *byte ^ 1u << rng_below(rng, 8));
        }
        return size;
    }
}

static int replay_file(const char *path, long copies)
{
    char *bytes = NULL;
    size_t size;
    Error err;
    if (file_read_all(path, &bytes, &size, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    /* An exact copy, so that the address sanitizer sees what reads behind the end. */
    uint8_t *exact = malloc(size ? size : 1);
    FUZZ_EXPECT(exact != NULL);
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    inputs++;
    Rng rng = rng_from(1, size);
    for (long i = 0; size && i < copies; i++) {
        size_t length = damage(&rng, bytes, size, exact);
        uint8_t *input = malloc(length ? length : 1);
        FUZZ_EXPECT(input != NULL);
        memcpy(input, exact, length);
        LLVMFuzzerTestOneInput(input, length);
        free(input);
        inputs++;
    }
    free(exact);
    free(bytes);
    return 0;
}

static int replay_directory(const char *path, long copies)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort), failed = count < 0;
    if (failed)
        perror(path);
    for (int i = 0; i < count; i++) {
        char *name = text_format("%s/%s", path, entries[i]->d_name);
        FUZZ_EXPECT(name != NULL);
        if (entries[i]->d_name[0] != '.')
            failed |= replay_file(name, copies);
        free(name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s COPIES PATH...\n", argv[0]);
        return 2;
    }
    int failed = 0;
    long copies = strtol(argv[1], NULL, 10);
    for (int i = 2; i < argc; i++)
        failed |= directory_exists(argv[i]) ? replay_directory(argv[i], copies)
                                            : replay_file(argv[i], copies);
    printf("%zu inputs\n", inputs);
    return failed || !inputs;
}
