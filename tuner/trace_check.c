/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_check.c - is the trace the evaluation? */
#include "trace_check.h"

#include "support/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double trace_score(const Trace *trace, const Weight *weights)
{
    int64_t sum = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const Weight *weight = &weights[trace->entries[i].weight];
        sum += (int64_t)trace->entries[i].count *
               (trace->phase * weight->middlegame + (PHASE_MAX - trace->phase) * weight->endgame);
    }
    return (double)sum / PHASE_MAX;
}

struct TraceCheck {
    const Engine *engine;
    Weight *given, *arbitrary, *probe; /* [weight_count] */
    Trace trace;
};

void trace_check_free(TraceCheck *check)
{
    if (!check)
        return;
    free(check->given);
    free(check->arbitrary);
    free(check->probe);
    free(check);
}

Status trace_check_new(TraceCheck **out, const Engine *engine, const Weight *weights, Error *err)
{
    size_t n = (size_t)engine->weight_count;
    TraceCheck *check = calloc(1, sizeof *check);
    if (check) {
        check->engine = engine;
        check->given = calloc(n, sizeof(Weight));
        check->arbitrary = calloc(n, sizeof(Weight));
        check->probe = calloc(n, sizeof(Weight));
    }
    if (!check || !check->given || !check->arbitrary || !check->probe) {
        trace_check_free(check);
        return error_set(err, STATUS_NO_MEMORY, "no memory to check the trace");
    }
    memcpy(check->given, weights, n * sizeof(Weight));
    /* All weights 0 would prove nothing, so a second set is drawn: small enough for the sum of a
     * position to stay far from the limits of a score. */
    Rng rng = rng_from(20, 26);
    for (size_t w = 0; w < n; w++) {
        if (engine->weight_exists && !engine->weight_exists[w])
            continue;
        check->arbitrary[w].middlegame = (int16_t)((int)rng_below(&rng, 121) - 60);
        check->arbitrary[w].endgame = (int16_t)((int)rng_below(&rng, 121) - 60);
    }
    *out = check;
    return STATUS_OK;
}

static bool differs(TraceCheck *check, Game *game, const Weight *weights, int *evaluation,
                    double *dot)
{
    *evaluation = check->engine->evaluate(game, weights);
    *dot = trace_score(&check->trace, weights);
    return !(fabs(*dot - *evaluation) <= 1.0);
}

/* The names of the groups that differ when only they have weights. */
static void blame(TraceCheck *check, Game *game, char *names, size_t size)
{
    const Engine *engine = check->engine;
    size_t used = 0;
    names[0] = '\0';
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        int cells = group->rows * group->columns;
        for (int item = 0; item < group->items; item++) {
            int first = group->first + item * cells;
            memset(check->probe, 0, (size_t)engine->weight_count * sizeof(Weight));
            memcpy(check->probe + first, check->arbitrary + first, (size_t)cells * sizeof(Weight));
            int evaluation;
            double dot;
            if (!differs(check, game, check->probe, &evaluation, &dot) || used >= size)
                continue;
            const char *name = group->item_names ? group->item_names[item] : NULL;
            int length = snprintf(names + used, size - used, "%s%s%s%s%s (%.2f, not %d)",
                                  used ? ", " : "", group->name, name ? "[" : "", name ? name : "",
                                  name ? "]" : "", dot, evaluation);
            used += length > 0 ? (size_t)length : 0;
        }
    }
    if (!names[0])
        snprintf(names, size, "the sum of all terms");
}

Status trace_check(TraceCheck *check, Game *game, const char *record, Error *err)
{
    const Engine *engine = check->engine;
    engine->trace(game, &check->trace);
    if (check->trace.phase < 0 || check->trace.phase > PHASE_MAX)
        return error_set(err, STATUS_FORMAT, "%s: the trace has phase %d, expected 0 to %d", record,
                         check->trace.phase, PHASE_MAX);
    for (size_t i = 0; i < check->trace.count; i++) {
        int w = check->trace.entries[i].weight;
        if (w >= engine->weight_count || (engine->weight_exists && !engine->weight_exists[w]))
            return error_set(err, STATUS_FORMAT,
                             "%s: the trace names weight %d, which cannot occur", record, w);
    }
    int evaluation;
    double dot;
    if (!differs(check, game, check->given, &evaluation, &dot) &&
        !differs(check, game, check->arbitrary, &evaluation, &dot))
        return STATUS_OK;
    char fen[ENGINE_MAX_FEN], names[160];
    engine->game_fen(game, fen);
    blame(check, game, names, sizeof names);
    return error_set(err, STATUS_FORMAT,
                     "%s: trace times weights is %.2f, the evaluation %d; terms: %s; %s", record,
                     dot, evaluation, names, fen);
}
