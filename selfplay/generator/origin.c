/* SPDX-License-Identifier: GPL-3.0-or-later */
/* origin.c - what made a shard: variant, seed, weights, build and configuration. */
#include "generator/origin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_differs(FILE *out, const char *key, const char *stored, const char *now)
{
    if (strcmp(stored != NULL ? stored : "", now != NULL ? now : "") != 0)
        fprintf(out, "    %s: stored %s, now %s\n", key, stored != NULL ? stored : "nothing",
                now != NULL ? now : "nothing");
}

static void number_differs(FILE *out, const char *key, uint64_t stored, uint64_t now)
{
    if (stored != now)
        fprintf(out, "    %s: stored %llu, now %llu\n", key, (unsigned long long)stored,
                (unsigned long long)now);
}

/* A line of a configuration; a line without " = " is all key. */
typedef struct Line {
    const char *text;
    int length, key_length;
} Line;

/* The line at *at, which moves on to the next one; false after the last. */
static bool next_line(const char **at, Line *line)
{
    if (**at == '\0')
        return false;
    line->text = *at;
    line->length = (int)strcspn(*at, "\n");
    line->key_length = 0;
    while (line->key_length < line->length &&
           (line->key_length + 3 > line->length || memcmp(*at + line->key_length, " = ", 3) != 0))
        line->key_length++;
    *at += line->length + ((*at)[line->length] == '\n');
    return true;
}

static bool find_line(const char *text, const Line *wanted, Line *line)
{
    while (next_line(&text, line)) {
        if (line->key_length == wanted->key_length &&
            memcmp(line->text, wanted->text, (size_t)line->key_length) == 0)
            return true;
    }
    return false;
}

static int value_length(const Line *line)
{
    return line->length > line->key_length ? line->length - line->key_length - 3 : 0;
}

static const char *value_of(const Line *line)
{
    return line->text + line->length - value_length(line);
}

/* The seed has a field of its own. */
static bool is_seed(const Line *line)
{
    return line->key_length == 4 && memcmp(line->text, "seed", 4) == 0;
}

/* Lines of `stored` that are not the same in `now`, and then those that only `now` has. */
static void configuration_differs(FILE *out, const char *stored, const char *now)
{
    Line a, b;
    for (const char *at = stored; next_line(&at, &a);) {
        if (is_seed(&a))
            continue;
        if (!find_line(now, &a, &b))
            fprintf(out, "    %.*s: stored %.*s, now nothing\n", a.key_length, a.text,
                    value_length(&a), value_of(&a));
        else if (value_length(&a) != value_length(&b) ||
                 memcmp(value_of(&a), value_of(&b), (size_t)value_length(&a)) != 0)
            fprintf(out, "    %.*s: stored %.*s, now %.*s\n", a.key_length, a.text,
                    value_length(&a), value_of(&a), value_length(&b), value_of(&b));
    }
    for (const char *at = now; next_line(&at, &b);) {
        if (!is_seed(&b) && !find_line(stored, &b, &a))
            fprintf(out, "    %.*s: stored nothing, now %.*s\n", b.key_length, b.text,
                    value_length(&b), value_of(&b));
    }
}

char *origin_difference(const ShardInfo *stored, const ShardInfo *now, OriginScope scope)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    text_differs(out, "variant", stored->engine->name, now->engine->name);
    number_differs(out, "bench signature", stored->bench_nodes, now->bench_nodes);
    if (scope == ORIGIN_ALL) {
        text_differs(out, "commit", stored->commit, now->commit);
        text_differs(out, "compiler", stored->compiler, now->compiler);
    }
    text_differs(out, "weights digest", stored->weights_digest, now->weights_digest);
    number_differs(out, "seed", stored->seed, now->seed);
    const char *a = stored->configuration != NULL ? stored->configuration : "";
    const char *b = now->configuration != NULL ? now->configuration : "";
    if (stored->engine == now->engine) /* else every line may differ */
        configuration_differs(out, a, b);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
