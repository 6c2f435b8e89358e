/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * launcher.c - starts the build of a program that suits the CPU best; only release tarballs have it.
 *
 * In a tarball bin/campmate and its sisters are this program. It looks up what the CPU can do and
 * becomes lib/campmate/LEVEL/NAME, where NAME is the name that it was called by and LEVEL the
 * highest x86-64 level that the CPU has and the tarball, too. Links to bin/campmate work, since the
 * place is that of the file itself; the build it starts has the same process id and arguments.
 *
 *     CAMPMATE_LEVEL=x86-64-v2 campmate bench     that level, or an error if the CPU lacks it
 *     CAMPMATE_LEVEL=list campmate                the levels, which of them there are, and the choice
 *
 * Exit codes: 1 with a message if there is no build that can run, else those of the program.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* X(name, what it needs beyond the level before), best last. What else a level promises (LZCNT,
 * MOVBE, F16C ...) no CPU with the listed sets lacks. */
#define LEVELS(X)                                                                                  \
    X("x86-64", HAS("sse2"))                                                                       \
    X("x86-64-v2", HAS("sse3") HAS("ssse3") HAS("sse4.1") HAS("sse4.2") HAS("popcnt"))             \
    X("x86-64-v3", HAS("avx") HAS("avx2") HAS("bmi") HAS("bmi2") HAS("fma"))                       \
    X("x86-64-v4", HAS("avx512f") HAS("avx512bw") HAS("avx512cd") HAS("avx512dq") HAS("avx512vl"))

#define LEVEL_NAME(name, needs) name,
static const char *const level_names[] = {LEVELS(LEVEL_NAME)};
enum { LEVEL_COUNT = sizeof level_names / sizeof level_names[0] };

typedef struct Level {
    const char *missing; /* the first instruction set that the CPU lacks for it, NULL if none */
    char path[PATH_MAX]; /* of the program's build                                           */
    bool is_there;
} Level;

/* Fills in what the CPU lacks for each level; a level includes those before it. */
static void look_at_cpu(Level levels[LEVEL_COUNT])
{
    const char *missing = NULL;
    int at = 0;
    __builtin_cpu_init();
#define HAS(set)                                                                                   \
    if (!missing && !__builtin_cpu_supports(set))                                                  \
        missing = set;
#define LEVEL_MISSING(name, needs)                                                                 \
    needs levels[at++].missing = missing;
    LEVELS(LEVEL_MISSING)
#undef LEVEL_MISSING
#undef HAS
}

/* Fills in where the builds of `program` are, from the place of this file: BIN/../lib/campmate.
 * False with errno set if the place cannot be found out. */
static bool look_at_builds(Level levels[LEVEL_COUNT], const char *program)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (length < 0 || length == (ssize_t)sizeof self) {
        errno = length < 0 ? errno : ENAMETOOLONG;
        return false;
    }
    self[length] = '\0';
    for (int up = 0; up < 2; up++) { /* the file's name, then bin */
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    for (int at = 0; at < LEVEL_COUNT; at++) {
        int printed = snprintf(levels[at].path, sizeof levels[at].path, "%s/lib/campmate/%s/%s", self,
                               level_names[at], program);
        if (printed < 0 || (size_t)printed >= sizeof levels[at].path) {
            errno = ENAMETOOLONG;
            return false;
        }
        levels[at].is_there = access(levels[at].path, X_OK) == 0;
    }
    return true;
}

/* The best level that runs here, -1 if none. */
static int best_level(const Level levels[LEVEL_COUNT])
{
    for (int at = LEVEL_COUNT; at-- > 0;)
        if (levels[at].is_there && !levels[at].missing)
            return at;
    return -1;
}

static int list_levels(const Level levels[LEVEL_COUNT])
{
    int best = best_level(levels);
    for (int at = 0; at < LEVEL_COUNT; at++) {
        printf("%-10s  ", level_names[at]);
        if (levels[at].missing)
            printf("the CPU has no %s\n", levels[at].missing);
        else
            printf("%s\n", at == best ? "chosen" : levels[at].is_there ? "there" : "not there");
    }
    return fflush(stdout) == 0 && best >= 0 ? 0 : 1;
}

/* The level that CAMPMATE_LEVEL asks for, or the best; -1 after a message. */
static int choose_level(const Level levels[LEVEL_COUNT], const char *program, const char *wanted)
{
    if (!wanted || !*wanted) {
        int best = best_level(levels);
        int least = 0;
        while (least + 1 < LEVEL_COUNT && !levels[least].is_there)
            least++;
        if (best < 0 && levels[least].is_there)
            fprintf(stderr, "%s: the CPU has no %s, which the slowest build here (%s) needs; build from "
                            "source with -DCAMPMATE_LEVEL=x86-64\n",
                    program, levels[least].missing, level_names[least]);
        else if (best < 0)
            fprintf(stderr, "%s: no build of %s beside this file, expected e.g. %s\n", program, program,
                    levels[0].path);
        return best;
    }
    for (int at = 0; at < LEVEL_COUNT; at++) {
        if (strcmp(wanted, level_names[at]) != 0)
            continue;
        if (levels[at].missing)
            fprintf(stderr, "%s: CAMPMATE_LEVEL=%s, but the CPU has no %s\n", program, wanted,
                    levels[at].missing);
        else if (!levels[at].is_there)
            fprintf(stderr, "%s: CAMPMATE_LEVEL=%s, but there is no %s\n", program, wanted,
                    levels[at].path);
        else
            return at;
        return -1;
    }
    fprintf(stderr, "%s: CAMPMATE_LEVEL=%s: expected list or one of", program, wanted);
    for (int at = 0; at < LEVEL_COUNT; at++)
        fprintf(stderr, " %s", level_names[at]);
    fputc('\n', stderr);
    return -1;
}

int main(int argc, char **argv)
{
    static Level levels[LEVEL_COUNT];
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *program = slash ? slash + 1 : argc > 0 ? argv[0] : "campmate";
    const char *wanted = getenv("CAMPMATE_LEVEL");
    look_at_cpu(levels);
    if (!look_at_builds(levels, program)) {
        fprintf(stderr, "%s: where this file is: %s\n", program, strerror(errno));
        return 1;
    }
    if (wanted && strcmp(wanted, "list") == 0)
        return list_levels(levels);
    int level = choose_level(levels, program, wanted);
    if (level < 0)
        return 1;
    execv(levels[level].path, argv);
    fprintf(stderr, "%s: %s: %s\n", program, levels[level].path, strerror(errno));
    return 1;
}
