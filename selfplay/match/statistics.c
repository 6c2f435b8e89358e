/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statistics.c - what a list of match results says: Elo with its interval, and the SPRT. */
#include "statistics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A cell that was never seen counts as this many observations. */
static const double CELL_FLOOR = 0.001;

/* Two-sided 95 % of a normal distribution. */
static const double Z_95 = 1.959963984540054;

enum {
    ROOT_ITERATIONS = 100, /* safeguarded Newton needs about 5 */
    MODEL_ITERATIONS = 200 /* the normalized model needs about 10 */
};

static double elo_per_deviation(void)
{
    return 800.0 / log(10.0);
}

Sample sample_from_games(uint64_t wins, uint64_t draws, uint64_t losses)
{
    return (Sample){.cells = TRINOMIAL_CELLS, .counts = {losses, draws, wins}};
}

Sample sample_from_pairs(const uint64_t pairs[PENTANOMIAL_CELLS])
{
    Sample sample = {.cells = PENTANOMIAL_CELLS};
    memcpy(sample.counts, pairs, sizeof sample.counts);
    return sample;
}

uint64_t sample_size(const Sample *sample)
{
    uint64_t size = 0;
    for (int i = 0; i < sample->cells; i++)
        size += sample->counts[i];
    return size;
}

#define ELO_MODEL_TEXT(id, text) [id] = text,
static const char *const model_texts[] = {ELO_MODELS(ELO_MODEL_TEXT)};
#undef ELO_MODEL_TEXT

const char *elo_model_text(EloModel model)
{
    return model_texts[model];
}

bool elo_model_from_text(const char *text, EloModel *model)
{
    for (int i = 0; i < ELO_MODEL_COUNT; i++) {
        if (strcmp(text, model_texts[i]) == 0) {
            *model = (EloModel)i;
            return true;
        }
    }
    return false;
}

const char *verdict_text(Verdict verdict)
{
    static const char *const texts[] = {[VERDICT_NONE] = "none",
                                        [VERDICT_H0] = "H0",
                                        [VERDICT_H1] = "H1",
                                        [VERDICT_INCONCLUSIVE] = "inconclusive"};
    return texts[verdict];
}

double score_from_elo(double elo)
{
    return 1.0 / (1.0 + pow(10.0, -elo / 400.0));
}

double elo_from_score(double score)
{
    return 400.0 * log10(score / (1.0 - score));
}

void sprt_bounds(const SprtSpec *spec, double *lower, double *upper)
{
    *lower = log(spec->beta / (1.0 - spec->alpha));
    *upper = log((1.0 - spec->beta) / spec->alpha);
}

/* A distribution of results: `chance[i]` of scoring `score[i]`. */
typedef struct Distribution {
    int cells;
    double score[PENTANOMIAL_CELLS];
    double chance[PENTANOMIAL_CELLS];
} Distribution;

/* What was observed, empty cells floored; returns the number of observations, floors included. */
static double observed(const Sample *sample, Distribution *distribution)
{
    double total = 0.0;
    distribution->cells = sample->cells;
    for (int i = 0; i < sample->cells; i++) {
        double count = (double)sample->counts[i];
        distribution->score[i] = (double)i / (double)(sample->cells - 1);
        distribution->chance[i] = count < CELL_FLOOR ? CELL_FLOOR : count;
        total += distribution->chance[i];
    }
    for (int i = 0; i < sample->cells; i++)
        distribution->chance[i] /= total;
    return total;
}

static void moments(const Distribution *d, double *mean, double *variance)
{
    *mean = 0.0;
    *variance = 0.0;
    for (int i = 0; i < d->cells; i++)
        *mean += d->chance[i] * d->score[i];
    for (int i = 0; i < d->cells; i++)
        *variance += d->chance[i] * (d->score[i] - *mean) * (d->score[i] - *mean);
}

/*
 * The most likely distribution given `seen` among those with sum of chance * g = 0. Lagrange:
 * chance[i] = seen[i] / (1 + theta * g[i]), where theta is the root of the constraint, which
 * falls strictly between its two poles. False if g has only one sign, so that no distribution
 * meets the constraint.
 */
static bool most_likely(const Distribution *seen, const double *g, double *chance)
{
    double least = g[0], most = g[0];
    for (int i = 1; i < seen->cells; i++) {
        least = fmin(least, g[i]);
        most = fmax(most, g[i]);
    }
    if (!(least < 0.0 && most > 0.0))
        return false;

    double low = -1.0 / most, high = -1.0 / least, theta = 0.0;
    for (int iteration = 0; iteration < ROOT_ITERATIONS; iteration++) {
        double value = 0.0, slope = 0.0;
        for (int i = 0; i < seen->cells; i++) {
            double share = g[i] / (1.0 + theta * g[i]);
            value += seen->chance[i] * share;
            slope -= seen->chance[i] * share * share;
        }
        if (value > 0.0)
            low = theta;
        else
            high = theta;
        double next = theta - value / slope;
        if (!(next > low && next < high)) /* also when it is not a number */
            next = 0.5 * (low + high);
        double step = fabs(next - theta);
        theta = next;
        if (step <= 1e-13 * (1.0 + fabs(theta)))
            break;
    }
    for (int i = 0; i < seen->cells; i++)
        chance[i] = seen->chance[i] / (1.0 + theta * g[i]);
    return true;
}

/* The most likely distribution whose mean is `score`. */
static bool fit_mean(const Distribution *seen, double score, double *chance)
{
    double g[PENTANOMIAL_CELLS] = {0.0};
    for (int i = 0; i < seen->cells; i++)
        g[i] = seen->score[i] - score;
    return most_likely(seen, g, chance);
}

/*
 * The most likely distribution with (mean - 1/2) / deviation = t.
 *
 * With m1 and m2 the first two moments about 1/2 and t > 0 that is m1 = k * sqrt(m2), where
 * k = t / sqrt(1 + t * t). This is not linear in the chances, but by the tangent at m2 = r * r
 * the condition m1 = k * (r / 2 + m2 / (2 * r)) is; what is left is to find the r at which the
 * fitted distribution has m2 = r * r. r = 1/2, the largest that there is, can always be met.
 */
static bool fit_deviations(const Distribution *seen, double t, double *chance)
{
    const double sign = t < 0.0 ? -1.0 : 1.0, k = fabs(t) / sqrt(1.0 + t * t);
    double low = 0.0, high = 0.5, r = 0.5;
    for (int iteration = 0; iteration < MODEL_ITERATIONS; iteration++) {
        double g[PENTANOMIAL_CELLS] = {0.0}, m2 = 0.0;
        for (int i = 0; i < seen->cells; i++) {
            double a = sign * (seen->score[i] - 0.5);
            g[i] = a - k * (0.5 * r + 0.5 * a * a / r);
        }
        double next = 0.0;
        if (most_likely(seen, g, chance)) {
            for (int i = 0; i < seen->cells; i++)
                m2 += chance[i] * (seen->score[i] - 0.5) * (seen->score[i] - 0.5);
            next = sqrt(m2);
            if (fabs(next - r) < 1e-12)
                return true;
        }
        if (next > r || next == 0.0)
            low = r;
        else
            high = r;
        /* Plain iteration creeps where it would converge slowly, so every third step halves. */
        r = next > low && next < high && iteration % 3 != 2 ? next : 0.5 * (low + high);
        if (high - low < 1e-13)
            return next > 0.0;
    }
    return false;
}

double sprt_llr(const Sample *sample, const SprtSpec *spec)
{
    if (sample_size(sample) == 0)
        return 0.0;

    Distribution seen;
    double total = observed(sample, &seen), under0[PENTANOMIAL_CELLS], under1[PENTANOMIAL_CELLS];
    bool fitted;
    if (spec->model == ELO_LOGISTIC) {
        fitted = fit_mean(&seen, score_from_elo(spec->elo0), under0) &&
                 fit_mean(&seen, score_from_elo(spec->elo1), under1);
    } else {
        /* A pair is the mean of two games, so its deviation is smaller by the root of 2. */
        double scale = sqrt(sample->cells == PENTANOMIAL_CELLS ? 2.0 : 1.0) / elo_per_deviation();
        fitted = fit_deviations(&seen, scale * spec->elo0, under0) &&
                 fit_deviations(&seen, scale * spec->elo1, under1);
    }
    double sum = 0.0;
    for (int i = 0; fitted && i < seen.cells; i++)
        sum += seen.chance[i] * log(under1[i] / under0[i]);
    return fitted && isfinite(sum) ? total * sum : 0.0; /* no fit, no evidence */
}

Verdict sprt_verdict(const SprtSpec *spec, double llr)
{
    double lower, upper;
    sprt_bounds(spec, &lower, &upper);
    return llr >= upper ? VERDICT_H1 : llr <= lower ? VERDICT_H0 : VERDICT_INCONCLUSIVE;
}

EloEstimate elo_estimate(const Sample *sample)
{
    EloEstimate estimate = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    uint64_t size = sample_size(sample);
    if (size == 0)
        return estimate;

    /* The plain frequencies: an estimate of what was seen must not be shrunk by the floor. */
    Distribution seen;
    observed(sample, &seen);
    for (int i = 0; i < seen.cells; i++)
        seen.chance[i] = (double)sample->counts[i] / (double)size;
    double mean, variance;
    moments(&seen, &mean, &variance);
    double deviation = sqrt(variance), error = deviation / sqrt((double)size);
    double games = sample->cells == PENTANOMIAL_CELLS ? 2.0 : 1.0;

    estimate.score = mean;
    estimate.elo = elo_from_score(mean); /* infinite at 0 and 1 */
    if (variance > 0.0) {
        double low = mean - Z_95 * error, high = mean + Z_95 * error;
        if (low > 0.0 && high < 1.0)
            estimate.elo_error = 0.5 * (elo_from_score(high) - elo_from_score(low));
        double scale = elo_per_deviation() / sqrt(games);
        estimate.normalized = scale * (mean - 0.5) / deviation;
        estimate.normalized_error = scale * Z_95 / sqrt((double)size);
        estimate.los = 0.5 * erfc(-(mean - 0.5) / error / sqrt(2.0));
    } else {
        estimate.los = mean > 0.5 ? 1.0 : mean < 0.5 ? 0.0 : 0.5;
    }
    if (sample->cells == PENTANOMIAL_CELLS && sample->counts[0] + sample->counts[1] > 0)
        estimate.pair_ratio = (double)(sample->counts[3] + sample->counts[4]) /
                              (double)(sample->counts[0] + sample->counts[1]);
    return estimate;
}

double sample_deviation(const Sample *sample)
{
    double mean = 0.0, variance = 0.0, size = (double)sample_size(sample);
    for (int i = 0; i < sample->cells; i++)
        mean += (double)sample->counts[i] * i / (sample->cells - 1) / size;
    for (int i = 0; i < sample->cells; i++) {
        double off = (double)i / (sample->cells - 1) - mean;
        variance += (double)sample->counts[i] * off * off / size;
    }
    return sqrt(variance);
}

/* By how many deviations of a pair the mean of its score is above 1/2. */
static double elo_in_deviations(EloModel model, double elo, double deviation)
{
    return model == ELO_LOGISTIC ? (score_from_elo(elo) - 0.5) / deviation
                                 : elo * sqrt(2.0) / elo_per_deviation();
}

SprtOutlook sprt_outlook(const SprtSpec *spec, double truth, double deviation)
{
    /* How far a normal walk leads beyond a bound on average, in deviations of a step:
     * -zeta(1/2) / sqrt(2 pi). D. Siegmund, "Sequential Analysis", chapter X. */
    const double overshoot = 0.5826;
    const double t0 = elo_in_deviations(spec->model, spec->elo0, deviation),
                 t1 = elo_in_deviations(spec->model, spec->elo1, deviation),
                 t = elo_in_deviations(spec->model, truth, deviation);
    const double step = t1 - t0, drift = step * (t - 0.5 * (t0 + t1));
    double lower, upper;
    sprt_bounds(spec, &lower, &upper);
    lower -= overshoot * step;
    upper += overshoot * step;
    const double h = 2.0 * drift / (step * step);
    SprtOutlook outlook;
    if (fabs(h) * (upper - lower) < 1e-6) {
        outlook.accept = -lower / (upper - lower);
        outlook.pairs = -lower * upper / (step * step);
    } else {
        /* (e^(-h lower) - 1) / (e^(-h lower) - e^(-h upper)), without overflow */
        outlook.accept = h > 0.0 ? expm1(h * lower) / expm1(h * (lower - upper))
                                 : exp(h * upper) * expm1(-h * lower) / expm1(h * (upper - lower));
        outlook.pairs = (outlook.accept * upper + (1.0 - outlook.accept) * lower) / drift;
    }
    return outlook;
}
