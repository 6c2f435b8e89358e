/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eval_table.c - the static evaluation of a position as a table. */
#include "eval_table.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Sums {
    int64_t middlegame, endgame;
} Sums;

static Sums group_sums(const TermGroup *group, const Trace *trace, const Weight *weights)
{
    Sums sums = {0, 0};
    int end = group->first + group->items * group->rows * group->columns;
    for (size_t i = 0; i < trace->count; i++) {
        TraceEntry entry = trace->entries[i];
        if (entry.weight < group->first || entry.weight >= end)
            continue;
        sums.middlegame += (int64_t)entry.count * weights[entry.weight].middlegame;
        sums.endgame += (int64_t)entry.count * weights[entry.weight].endgame;
    }
    return sums;
}

static double blend(Sums sums, int phase)
{
    return ((double)sums.middlegame * phase + (double)sums.endgame * (PHASE_MAX - phase)) /
           PHASE_MAX;
}

char *eval_table(const Engine *engine, Game *game, const Weight *weights)
{
    char *text = NULL;
    size_t size = 0;
    Trace *trace = malloc(sizeof *trace);
    FILE *out = trace ? open_memstream(&text, &size) : NULL;
    if (!out)
        goto cleanup;
    engine->trace(game, trace);
    const Weight *used = weights ? weights : engine->default_weights;
    Sums total = {0, 0};
    fprintf(out, "%-24s %11s %11s %11s\n", "centipawns, White's view", "middlegame", "endgame",
            "blended");
    for (int i = 0; i < engine->term_group_count; i++) {
        const TermGroup *group = &engine->term_groups[i];
        Sums sums = group_sums(group, trace, used);
        total.middlegame += sums.middlegame;
        total.endgame += sums.endgame;
        fprintf(out, "%-24s %11lld %11lld %11.2f\n", group->name, (long long)sums.middlegame,
                (long long)sums.endgame, blend(sums, trace->phase));
    }
    fprintf(out, "%-24s %11lld %11lld %11.2f\n", "sum", (long long)total.middlegame,
            (long long)total.endgame, blend(total, trace->phase));
    fprintf(out, "phase %d of %d\n", trace->phase, PHASE_MAX);
    fprintf(out, "evaluation %d\n", engine->evaluate(game, weights));
    int failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        text = NULL;
    }
cleanup:
    free(trace);
    return text;
}
