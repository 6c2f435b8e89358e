/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * simulation_test.c - the error rates of the SPRT, by playing synthetic matches.
 *
 *     match_simulation TESTS ELO1
 *
 * For both Elo models, with and without draws, with openings that favour one colour or not, TESTS
 * sequential tests of [0, ELO1] are run with the truth at each bound. Neither error rate may
 * exceed its nominal 0.05 by more than three standard errors.
 */
#include "statistics.h"
#include "support/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* How the games of a pair go: both have this chance of a draw, and White's chance to win what is
 * not drawn is shifted by `bias`, up or down with the opening. */
typedef struct Model {
    double draws, bias;
} Model;

/* Chances of the first engine's result in one game, 0, 1/2, 1. */
static void game_chances(const Model *model, double score, double shift, double chance[3])
{
    double decided = 1.0 - model->draws;
    double won = (score - model->draws / 2) / decided + shift;
    chance[0] = decided * (1.0 - won);
    chance[1] = model->draws;
    chance[2] = decided * won;
}

/* Chances of the five scores of a pair. */
static void pair_chances(const Model *model, double score, double chance[5])
{
    double first[3], second[3];
    game_chances(model, score, model->bias, first);
    game_chances(model, score, -model->bias, second);
    for (int i = 0; i < 5; i++)
        chance[i] = 0.0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            chance[a + b] += first[a] * second[b];
}

static double normalized_elo(const double chance[5])
{
    double mean = 0.0, variance = 0.0;
    for (int i = 0; i < 5; i++)
        mean += chance[i] * i / 4.0;
    for (int i = 0; i < 5; i++)
        variance += chance[i] * (i / 4.0 - mean) * (i / 4.0 - mean);
    return 800.0 / log(10.0) * (mean - 0.5) / sqrt(2.0 * variance);
}

/* The score at which the truth is `elo` in the model of the test. */
static double true_score(const Model *model, EloModel elo_model, double elo)
{
    if (elo_model == ELO_LOGISTIC)
        return score_from_elo(elo);
    double low = 0.3, high = 0.7;
    for (int i = 0; i < 60; i++) {
        double chance[5], middle = (low + high) / 2;
        pair_chances(model, middle, chance);
        if (normalized_elo(chance) < elo)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* One test; returns its verdict and adds its length. */
static Verdict run_test(const SprtSpec *spec, const double chance[5], Rng *rng, uint64_t *pairs)
{
    Sample sample = {.cells = PENTANOMIAL_CELLS};
    for (;;) {
        double at = rng_real(rng);
        int cell = 0;
        while (cell < 4 && (at -= chance[cell]) >= 0.0)
            cell++;
        sample.counts[cell]++;
        ++*pairs;
        Verdict verdict = sprt_verdict(spec, sprt_llr(&sample, spec));
        if (verdict != VERDICT_INCONCLUSIVE)
            return verdict;
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: match_simulation TESTS ELO1\n");
        return 2;
    }
    const long tests = strtol(argv[1], NULL, 10);
    const double elo1 = strtod(argv[2], NULL), nominal = 0.05;
    const double limit = nominal + 3.0 * sqrt(nominal * (1.0 - nominal) / (double)tests);
    const Model models[] = {{0.0, 0.0}, {0.0, 0.2}, {0.5, 0.1}, {0.9, 0.0}};
    int failures = 0;
    uint64_t stream = 0;
    printf("%ld tests of [0, %g], alpha = beta = 0.05, at most %.4f allowed\n", tests, elo1, limit);
    printf("model       draws  bias   truth  error rate  pairs on average\n");
    for (int elo_model = 0; elo_model < ELO_MODEL_COUNT; elo_model++) {
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            for (int truth = 0; truth < 2; truth++) {
                /* Where nearly all is drawn, a difference in logistic Elo is far more visible. */
                SprtSpec spec = {0.0, elo1, nominal, nominal, (EloModel)elo_model};
                double chance[5];
                uint64_t pairs = 0;
                long wrong = 0;
                double score = true_score(&models[m], spec.model, truth ? spec.elo1 : spec.elo0);
                pair_chances(&models[m], score, chance);
                for (long i = 0; i < tests; i++) {
                    Rng rng = rng_from(2024, stream++);
                    Verdict verdict = run_test(&spec, chance, &rng, &pairs);
                    wrong += verdict != (truth ? VERDICT_H1 : VERDICT_H0);
                }
                double rate = (double)wrong / (double)tests;
                bool bad = rate > limit;
                failures += bad;
                printf("%-10s  %.2f   %.2f   %s   %.4f%s     %.0f\n", elo_model_text(spec.model),
                       models[m].draws, models[m].bias, truth ? "elo1" : "elo0", rate,
                       bad ? " !" : "  ", (double)pairs / (double)tests);
                fflush(stdout);
            }
        }
    }
    return failures ? 1 : 0;
}
