/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statistics.h - what a list of match results says: Elo with its interval, and the SPRT.
 *
 * The unit of observation is the pair of games from one opening with colours swapped
 * (pentanomial), since the two games of a pair are not independent; plain wins, draws and losses
 * (trinomial) are accepted where pairs are not known. All functions are pure and thread-safe.
 *
 * Sources: M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value
 * of a distribution" and "Normalized Elo" (the GSPRT and its Elo models); A. Wald, "Sequential
 * Tests of Statistical Hypotheses" (the bounds).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TRINOMIAL_CELLS = 3, PENTANOMIAL_CELLS = 5 };

/* counts[i] observations scored i / (cells - 1), as the first engine sees it. */
typedef struct Sample {
    int cells; /* TRINOMIAL_CELLS (games) or PENTANOMIAL_CELLS (pairs) */
    uint64_t counts[PENTANOMIAL_CELLS];
} Sample;

Sample sample_from_games(uint64_t wins, uint64_t draws, uint64_t losses);
Sample sample_from_pairs(const uint64_t pairs[PENTANOMIAL_CELLS]);
uint64_t sample_size(const Sample *sample);

/*
 * What the two hypotheses of an SPRT are stated in.
 *   logistic     the usual Elo: score = 1 / (1 + 10^(-elo / 400))
 *   normalized   Elo per standard deviation of one game: 800 / ln 10 * (score - 1/2) / deviation,
 *                so that the length of a test does not depend on how many games are drawn
 */
#define ELO_MODELS(X)            X(ELO_LOGISTIC, "logistic") X(ELO_NORMALIZED, "normalized")
#define ELO_MODEL_NAME(id, text) id,
typedef enum EloModel { ELO_MODELS(ELO_MODEL_NAME) ELO_MODEL_COUNT } EloModel;
#undef ELO_MODEL_NAME
const char *elo_model_text(EloModel model);
bool elo_model_from_text(const char *text, EloModel *model);

typedef struct SprtSpec {
    double elo0, elo1;  /* H0: elo = elo0, H1: elo = elo1; elo0 < elo1    */
    double alpha, beta; /* chance to accept H1 under H0, and H0 under H1  */
    EloModel model;
} SprtSpec;

typedef enum Verdict { VERDICT_NONE, VERDICT_H0, VERDICT_H1, VERDICT_INCONCLUSIVE } Verdict;
const char *verdict_text(Verdict verdict); /* "none", "H0", "H1", "inconclusive" */

/* The bounds of the log-likelihood ratio: ln(beta / (1 - alpha)) and ln((1 - beta) / alpha). */
void sprt_bounds(const SprtSpec *spec, double *lower, double *upper);

/*
 * The log-likelihood ratio of H1 against H0, each hypothesis taking its most likely distribution
 * of results (GSPRT). Cells seen less than 0.001 times count as 0.001, so that the ratio is
 * finite for every sample: without draws, with wins only, with pairs that are all alike.
 * 0 for an empty sample.
 */
double sprt_llr(const Sample *sample, const SprtSpec *spec);

Verdict sprt_verdict(const SprtSpec *spec, double llr);

/*
 * What an SPRT can be expected to do, by Wald's formulas for a random walk with normal steps, with
 * Siegmund's correction for the step that leads beyond a bound.
 *
 *   truth       the true Elo in the test's model
 *   deviation   of the score of one pair, 0..1; sqrt((1 - draws) / 8) for independent games
 */
typedef struct SprtOutlook {
    double accept; /* chance that the test accepts H1    */
    double pairs;  /* that it takes on average           */
} SprtOutlook;
SprtOutlook sprt_outlook(const SprtSpec *spec, double truth, double deviation);

/* The deviation of the score of a pair in a sample of pairs. */
double sample_deviation(const Sample *sample);

/* Numbers that do not exist for a sample (the Elo of wins only, say) are NaN or infinite. */
typedef struct EloEstimate {
    double score;          /* mean, 0..1                                            */
    double elo, elo_error; /* logistic, and half of its 95 % interval               */
    double normalized, normalized_error;
    double los;        /* likelihood that the first engine is the stronger, 0..1 */
    double pair_ratio; /* pairs won : pairs lost; NaN for games                 */
} EloEstimate;

EloEstimate elo_estimate(const Sample *sample);

/* The score that a logistic Elo difference expects, and back. */
double score_from_elo(double elo);
double elo_from_score(double score);
