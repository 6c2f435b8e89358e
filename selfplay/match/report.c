/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.c - the results of matches, tournaments and tests as text and JSON. */
#include "report.h"

#include "command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* How many bytes at `at` are a character of UTF-8; 0: none. */
static size_t utf8_length(const char *at)
{
    for (size_t length = 1; length <= 4; length++) {
        json_t *text = json_stringn(at, length);
        json_decref(text);
        if (text)
            return length;
        if (!at[length])
            break;
    }
    return 0;
}

json_t *json_text(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *value = json_string(text);
    char *valid = value ? NULL : malloc(strlen(text) * (sizeof replacement - 1) + 1);
    if (!valid)
        return value ? value : json_null();
    size_t used = 0;
    while (*text) {
        size_t length = utf8_length(text);
        const char *from = length ? text : replacement;
        text += length ? length : 1;
        for (size_t end = used + (length ? length : sizeof replacement - 1); used < end;)
            valid[used++] = *from++;
    }
    value = json_stringn(valid, used);
    free(valid);
    return value ? value : json_null();
}

json_t *json_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

void json_put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

/* Of the games that were finished; NaN if there is none. */
static double draw_ratio(const MatchTotals *totals)
{
    uint64_t finished = totals->games - totals->unfinished;
    return finished ? (double)totals->draws / (double)finished : NAN;
}

json_t *statistics_json(const MatchTotals *totals, const Sample *sample, const SprtSpec *sprt,
                        double llr, Verdict verdict)
{
    EloEstimate elo = elo_estimate(sample);
    json_t *object = json_object();
    json_put(object, "games", json_integer((json_int_t)totals->games));
    json_put(object, "wins", json_integer((json_int_t)totals->wins));
    json_put(object, "draws", json_integer((json_int_t)totals->draws));
    json_put(object, "losses", json_integer((json_int_t)totals->losses));
    json_t *pairs = json_null();
    if (sample->cells == PENTANOMIAL_CELLS) {
        pairs = json_array();
        for (int i = 0; i < PENTANOMIAL_CELLS; i++)
            json_array_append_new(pairs, json_integer((json_int_t)sample->counts[i]));
    }
    json_put(object, "pentanomial", pairs);
    json_put(object, "score", json_number(elo.score));
    json_put(object, "elo", json_number(elo.elo));
    json_put(object, "elo_error", json_number(elo.elo_error));
    json_put(object, "normalized_elo", json_number(elo.normalized));
    json_put(object, "normalized_elo_error", json_number(elo.normalized_error));
    json_put(object, "los", json_number(elo.los));
    json_put(object, "pair_ratio", json_number(elo.pair_ratio));
    json_put(object, "draw_ratio", json_number(draw_ratio(totals)));
    double lower = NAN, upper = NAN;
    if (sprt)
        sprt_bounds(sprt, &lower, &upper);
    json_put(object, "llr", json_number(sprt ? llr : NAN));
    json_put(object, "llr_lower", json_number(lower));
    json_put(object, "llr_upper", json_number(upper));
    json_put(object, "verdict", json_string(verdict_text(verdict)));
    if (sprt) {
        json_put(object, "elo0", json_real(sprt->elo0));
        json_put(object, "elo1", json_real(sprt->elo1));
        json_put(object, "alpha", json_real(sprt->alpha));
        json_put(object, "beta", json_real(sprt->beta));
        json_put(object, "elo_model", json_string(elo_model_text(sprt->model)));
    }
    return object;
}

int json_print(json_t *object)
{
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
    json_decref(object);
    if (!text) {
        fprintf(stderr, "campmate-match: out of memory\n");
        return EXIT_FAILED;
    }
    puts(text);
    free(text);
    return EXIT_DONE;
}

const char *number_text(double value, const char *format, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "n/a");
    else if (isinf(value))
        snprintf(text, size, value > 0 ? "inf" : "-inf");
    else
        snprintf(text, size, format, value);
    return text;
}

void statistics_print(const MatchTotals *totals, const Sample *sample, const SprtSpec *sprt,
                      double llr, Verdict verdict)
{
    EloEstimate elo = elo_estimate(sample);
    char a[40], b[40], c[40], d[40];
    printf("Games   %" PRIu64 "  W %" PRIu64 "  L %" PRIu64 "  D %" PRIu64, totals->games,
           totals->wins, totals->losses, totals->draws);
    if (totals->unfinished)
        printf("  unfinished %" PRIu64, totals->unfinished);
    if (sample->cells == PENTANOMIAL_CELLS) {
        printf("  penta [");
        for (int i = 0; i < PENTANOMIAL_CELLS; i++)
            printf("%s%" PRIu64, i ? ", " : "", sample->counts[i]);
        printf("]");
    }
    printf("\nElo     %s +/- %s (95 %%, logistic)  normalized %s +/- %s\n",
           number_text(elo.elo, "%.2f", a, sizeof a),
           number_text(elo.elo_error, "%.2f", b, sizeof b),
           number_text(elo.normalized, "%.2f", c, sizeof c),
           number_text(elo.normalized_error, "%.2f", d, sizeof d));
    printf("Score   %s %%  LOS %s %%  pair ratio %s  draws %s %%\n",
           number_text(100.0 * elo.score, "%.2f", a, sizeof a),
           number_text(100.0 * elo.los, "%.1f", b, sizeof b),
           number_text(elo.pair_ratio, "%.2f", c, sizeof c),
           number_text(100.0 * draw_ratio(totals), "%.1f", d, sizeof d));
    if (sprt) {
        double lower, upper;
        sprt_bounds(sprt, &lower, &upper);
        printf("LLR     %.3f (%.3f, %.3f) [%.2f, %.2f] %s Elo: %s\n", llr, lower, upper, sprt->elo0,
               sprt->elo1, elo_model_text(sprt->model), verdict_text(verdict));
    }
}

/* --- matches ---------------------------------------------------------------------------------- */

static json_t *endings_json(const MatchTotals *totals)
{
    json_t *endings = json_object();
    for (int i = 0; i < END_REASON_COUNT; i++)
        if (totals->by_rule[i])
            json_put(endings, end_reason_text((EndReason)i),
                     json_integer((json_int_t)totals->by_rule[i]));
    for (int i = TERMINATION_RULES + 1; i < TERMINATION_COUNT; i++)
        if (totals->endings[i])
            json_put(endings, termination_text((Termination)i),
                     json_integer((json_int_t)totals->endings[i]));
    return endings;
}

/* Games that an engine lost by its own fault, by kind. */
static void engine_faults(const MatchConfig *config, const MatchTotals *totals, size_t engine,
                          uint64_t faults[TERMINATION_COUNT])
{
    for (int k = 0; k < TERMINATION_COUNT; k++)
        faults[k] = 0;
    for (size_t i = 0; i < config->encounter_count; i++)
        for (int k = 0; k < TERMINATION_COUNT; k++) {
            if (config->encounters[i].first == engine)
                faults[k] += totals[i].faults[0][k];
            if (config->encounters[i].second == engine)
                faults[k] += totals[i].faults[1][k];
        }
}

static json_t *faults_json(const MatchConfig *config, const MatchTotals *totals, size_t engine)
{
    uint64_t faults[TERMINATION_COUNT];
    engine_faults(config, totals, engine, faults);
    json_t *object = json_object();
    for (int k = 0; k < TERMINATION_COUNT; k++)
        if (faults[k])
            json_put(object, termination_text((Termination)k), json_count(faults[k]));
    return object;
}

static MatchTotals sum_of(const MatchConfig *config, const MatchSummary *summary)
{
    MatchTotals sum = {0};
    for (size_t i = 0; i < config->encounter_count; i++)
        match_totals_sum(&sum, &summary->totals[i]);
    return sum;
}

/* The keys of one encounter. */
static json_t *encounter_json(const MatchTotals *totals, const SprtSpec *sprt, double llr,
                              Verdict verdict)
{
    Sample sample = match_sample(totals);
    json_t *object = statistics_json(totals, &sample, sprt, llr, verdict);
    if (sample.cells != PENTANOMIAL_CELLS) /* no whole pair yet */
        json_put(object, "pentanomial", json_pack("[i,i,i,i,i]", 0, 0, 0, 0, 0));
    json_put(object, "unfinished", json_count(totals->unfinished));
    return object;
}

static json_t *match_engines_json(const MatchConfig *config, const MatchTotals *totals)
{
    json_t *engines = json_array();
    for (size_t i = 0; i < config->engine_count; i++)
        json_array_append_new(engines,
                              json_pack("{s:o, s:o}", "name", json_text(config->engines[i].name),
                                        "faults", faults_json(config, totals, i)));
    return engines;
}

/* The engines by their place, and who scored what against whom. */
static void put_tournament(json_t *object, const MatchConfig *config, const MatchTotals *totals,
                           const Standing *standings)
{
    json_t *engines = json_array(), *encounters = json_array();
    for (size_t i = 0; i < config->engine_count; i++) {
        const Standing *s = &standings[i];
        json_t *engine = json_object();
        json_put(engine, "name", json_text(config->engines[s->engine].name));
        json_put(engine, "games", json_count(s->games));
        json_put(engine, "wins", json_count(s->wins));
        json_put(engine, "draws", json_count(s->draws));
        json_put(engine, "losses", json_count(s->losses));
        json_put(engine, "unfinished", json_count(s->unfinished));
        json_put(engine, "points", json_real((double)s->points / 2.0));
        json_put(engine, "score",
                 json_number(s->games ? (double)s->points / (2.0 * (double)s->games) : NAN));
        json_put(engine, "faults", faults_json(config, totals, s->engine));
        json_array_append_new(engines, engine);
    }
    for (size_t i = 0; i < config->encounter_count; i++) {
        json_t *encounter = encounter_json(&totals[i], NULL, NAN, VERDICT_NONE);
        json_put(encounter, "first", json_text(config->engines[config->encounters[i].first].name));
        json_put(encounter, "second",
                 json_text(config->engines[config->encounters[i].second].name));
        json_array_append_new(encounters, encounter);
    }
    json_put(object, "engines", engines);
    json_put(object, "encounters", encounters);
}

static Standing *standings_of(const MatchConfig *config, const MatchSummary *summary)
{
    Standing *standings = calloc(config->engine_count, sizeof *standings);
    if (standings)
        tournament_standings(config->encounters, summary->totals, config->encounter_count,
                             standings, config->engine_count);
    return standings;
}

int summary_json(const MatchConfig *config, const MatchSummary *summary)
{
    const MatchTotals sum = sum_of(config, summary);
    json_t *object;
    if (config->tournament == TOURNAMENT_MATCH) {
        object = encounter_json(summary->totals, config->has_sprt ? &config->sprt : NULL,
                                summary->llr, summary->verdict);
        json_put(object, "engines", match_engines_json(config, summary->totals));
    } else {
        Standing *standings = standings_of(config, summary);
        object = standings ? json_object() : NULL;
        if (standings) {
            put_tournament(object, config, summary->totals, standings);
            json_put(object, "games", json_count(sum.games));
            json_put(object, "unfinished", json_count(sum.unfinished));
        }
        free(standings);
    }
    json_put(object, "tournament", json_string(tournament_text(config->tournament)));
    json_put(object, "variant", json_string(config->engine->name));
    json_put(object, "seed", json_count(config->seed));
    json_put(object, "plies", json_count(sum.plies));
    json_put(object, "endings", endings_json(&sum));
    json_put(object, "seconds", json_real(summary->seconds));
    json_put(object, "runner_ms_per_ply",
             summary->plies_now ? json_real(summary->overhead_ms) : json_null());
    return json_print(object);
}

/* Points of one engine against another; false if they do not meet. */
static bool points_against(const MatchConfig *config, const MatchTotals *totals, size_t engine,
                           size_t other, double *points)
{
    for (size_t i = 0; i < config->encounter_count; i++) {
        const Encounter *encounter = &config->encounters[i];
        const double first = (double)match_totals_points(&totals[i]) / 2.0;
        if (encounter->first == engine && encounter->second == other) {
            *points = first;
            return true;
        }
        if (encounter->first == other && encounter->second == engine) {
            *points = (double)totals[i].games - first;
            return true;
        }
    }
    return false;
}

static void print_table(const MatchConfig *config, const MatchTotals *totals,
                        const Standing *standings)
{
    int width = 6;
    for (size_t i = 0; i < config->engine_count; i++) {
        int length = (int)strlen(config->engines[i].name);
        width = length > width ? length : width;
    }
    printf("     %-*s  games     W     L     D  unfinished  points    score ", width, "engine");
    for (size_t i = 0; i < config->engine_count; i++)
        printf(" %7zu", i + 1);
    printf("\n");
    for (size_t i = 0; i < config->engine_count; i++) {
        const Standing *s = &standings[i];
        char score[24];
        printf("%3zu  %-*s  %5" PRIu64 " %5" PRIu64 " %5" PRIu64 " %5" PRIu64 "  %10" PRIu64
               " %7.1f  %5s %% ",
               i + 1, width, config->engines[s->engine].name, s->games, s->wins, s->losses,
               s->draws, s->unfinished, (double)s->points / 2.0,
               number_text(s->games ? 50.0 * (double)s->points / (double)s->games : NAN, "%.1f",
                           score, sizeof score));
        for (size_t k = 0; k < config->engine_count; k++) {
            double points;
            if (k == i)
                printf("       -");
            else if (points_against(config, totals, s->engine, standings[k].engine, &points))
                printf(" %7.1f", points);
            else
                printf("       .");
        }
        printf("\n");
    }
}

static void print_encounters(const MatchConfig *config, const MatchTotals *totals)
{
    for (size_t i = 0; i < config->encounter_count; i++) {
        const MatchTotals *t = &totals[i];
        Sample sample = match_sample(t);
        EloEstimate elo = elo_estimate(&sample);
        char a[40], b[40], c[40];
        printf("%s - %s  W %" PRIu64 "  L %" PRIu64 "  D %" PRIu64,
               config->engines[config->encounters[i].first].name,
               config->engines[config->encounters[i].second].name, t->wins, t->losses, t->draws);
        if (t->unfinished)
            printf("  unfinished %" PRIu64, t->unfinished);
        printf("  penta [%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64
               "]  Elo %s +/- %s  LOS %s %%\n",
               t->pairs[0], t->pairs[1], t->pairs[2], t->pairs[3], t->pairs[4],
               number_text(elo.elo, "%.2f", a, sizeof a),
               number_text(elo.elo_error, "%.2f", b, sizeof b),
               number_text(100.0 * elo.los, "%.1f", c, sizeof c));
    }
}

static void print_endings(const MatchTotals *totals)
{
    printf("Ends   ");
    const char *separator = " ";
    for (int i = 0; i < END_REASON_COUNT; i++) {
        if (totals->by_rule[i]) {
            printf("%s%s %" PRIu64, separator, end_reason_text((EndReason)i), totals->by_rule[i]);
            separator = ", ";
        }
    }
    for (int i = TERMINATION_RULES + 1; i < TERMINATION_COUNT; i++) {
        if (totals->endings[i]) {
            printf("%s%s %" PRIu64, separator, termination_text((Termination)i),
                   totals->endings[i]);
            separator = ", ";
        }
    }
    printf("\n");
}

void summary_print(const MatchConfig *config, const MatchSummary *summary)
{
    const MatchTotals sum = sum_of(config, summary);
    if (config->tournament == TOURNAMENT_MATCH) {
        Sample sample = match_sample(summary->totals);
        printf("Match   %s against %s, %s, seed %" PRIu64 "\n", config->engines[0].name,
               config->engines[1].name, config->engine->name, config->seed);
        statistics_print(summary->totals, &sample, config->has_sprt ? &config->sprt : NULL,
                         summary->llr, summary->verdict);
    } else {
        Standing *standings = standings_of(config, summary);
        printf("%s of %zu engines, %s, %" PRIu64 " games, seed %" PRIu64 "\n",
               config->tournament == TOURNAMENT_GAUNTLET ? "Gauntlet" : "Round robin",
               config->engine_count, config->engine->name, sum.games, config->seed);
        if (standings)
            print_table(config, summary->totals, standings);
        print_encounters(config, summary->totals);
        free(standings);
    }
    print_endings(&sum);
    for (size_t i = 0; i < config->engine_count; i++) {
        uint64_t faults[TERMINATION_COUNT];
        engine_faults(config, summary->totals, i, faults);
        for (int k = 0; k < TERMINATION_COUNT; k++)
            if (faults[k])
                printf("Faults  %s lost %" PRIu64 " by %s\n", config->engines[i].name, faults[k],
                       termination_text((Termination)k));
    }
    printf("Time    %.1f s, %" PRIu64 " plies", summary->seconds, sum.plies);
    if (summary->plies_now)
        printf(", %.3f ms of our own for each ply", summary->overhead_ms);
    printf("\n");
}
