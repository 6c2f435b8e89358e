/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rating.c - ratings of a pool of engines from the games between them. */
#include "rating.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two-sided 95 % of a normal distribution. */
static const double Z_95 = 1.959963984540054;

enum { STEPS_MAX = 200 /* a damped Newton method needs about 10 */ };

/* Elo in one unit of the logistic function's argument. */
static double elo_unit(void)
{
    return 400.0 / log(10.0);
}

/* --- the pool -------------------------------------------------------------------------------- */

void rating_pool_free(RatingPool *pool)
{
    for (size_t i = 0; i < pool->player_count; i++)
        free(pool->names[i]);
    free(pool->names);
    free(pool->pairings);
    *pool = (RatingPool){0};
}

size_t rating_pool_find(const RatingPool *pool, const char *name)
{
    size_t i = 0;
    while (i < pool->player_count && strcmp(pool->names[i], name) != 0)
        i++;
    return i;
}

static Status no_memory(Error *err)
{
    return error_set(err, STATUS_NO_MEMORY, "rating: out of memory");
}

/* The number of a player, who is added if new. */
static Status take_player(RatingPool *pool, const char *name, size_t *number, Error *err)
{
    *number = rating_pool_find(pool, name);
    if (*number < pool->player_count)
        return STATUS_OK;
    if (pool->player_count == pool->player_capacity) {
        size_t capacity = pool->player_capacity ? 2 * pool->player_capacity : 32;
        char **grown = realloc(pool->names, capacity * sizeof *grown);
        if (!grown)
            return no_memory(err);
        pool->names = grown;
        pool->player_capacity = capacity;
    }
    if (!(pool->names[pool->player_count] = strdup(name)))
        return no_memory(err);
    pool->player_count++;
    return STATUS_OK;
}

/* The pairing of two players, first < second, which is added if new. */
static RatingPairing *take_pairing(RatingPool *pool, size_t first, size_t second)
{
    for (size_t i = 0; i < pool->pairing_count; i++) {
        size_t at = (pool->last + i) % pool->pairing_count; /* games of two come in a row */
        if (pool->pairings[at].first == first && pool->pairings[at].second == second) {
            pool->last = at;
            return &pool->pairings[at];
        }
    }
    if (pool->pairing_count == pool->pairing_capacity) {
        size_t capacity = pool->pairing_capacity ? 2 * pool->pairing_capacity : 64;
        RatingPairing *grown = realloc(pool->pairings, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        pool->pairings = grown;
        pool->pairing_capacity = capacity;
    }
    pool->last = pool->pairing_count;
    pool->pairings[pool->pairing_count] = (RatingPairing){.first = first, .second = second};
    return &pool->pairings[pool->pairing_count++];
}

Status rating_pool_add(RatingPool *pool, const char *first, const char *second, RatingScore score,
                       Error *err)
{
    size_t a = 0, b = 0;
    if (strcmp(first, second) == 0)
        return error_set(err, STATUS_ARGUMENT, "a game of '%s' against itself", first);
    Status status = take_player(pool, first, &a, err);
    if (status == STATUS_OK)
        status = take_player(pool, second, &b, err);
    if (status != STATUS_OK)
        return status;
    RatingPairing *pairing = a < b ? take_pairing(pool, a, b) : take_pairing(pool, b, a);
    if (!pairing)
        return no_memory(err);
    pairing->score.wins += a < b ? score.wins : score.losses;
    pairing->score.losses += a < b ? score.losses : score.wins;
    pairing->score.draws += score.draws;
    return STATUS_OK;
}

static uint64_t games_of(const RatingPairing *pairing)
{
    return pairing->score.wins + pairing->score.draws + pairing->score.losses;
}

/* --- is there an answer? --------------------------------------------------------------------- */

/* Adds to `reached` all players that took a point from one of them, from those again, and so on;
 * with `both` also those that gave one. Returns how many are reached. */
static size_t spread(const RatingPool *pool, bool both, bool *reached)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < pool->pairing_count; i++) {
            const RatingPairing *p = &pool->pairings[i];
            bool first_took = p->score.wins + p->score.draws > 0,
                 second_took = p->score.losses + p->score.draws > 0;
            if (reached[p->first] != reached[p->second] &&
                ((both && games_of(p) > 0) || (reached[p->second] ? first_took : second_took))) {
                reached[p->first] = reached[p->second] = true;
                changed = true;
            }
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < pool->player_count; i++)
        count += reached[i];
    return count;
}

/* The names of those who are reached, or not: "a, b and 3 more". */
static void group_text(const RatingPool *pool, const bool *reached, bool which, char *text,
                       size_t size)
{
    size_t length = 0, named = 0, left = 0;
    text[0] = '\0';
    for (size_t i = 0; i < pool->player_count; i++) {
        if (reached[i] != which)
            continue;
        if (named == 3) {
            left++;
            continue;
        }
        int more =
            snprintf(text + length, size - length, "%s%.20s", named++ ? ", " : "", pool->names[i]);
        length += more > 0 && (size_t)more < size - length ? (size_t)more : 0;
    }
    if (left)
        snprintf(text + length, size - length, " and %zu more", left);
}

static Status check_pool(const RatingPool *pool, double prior, Error *err)
{
    const size_t n = pool->player_count;
    Status status = STATUS_OK;
    char some[100], others[100];
    bool *reached = calloc(n, sizeof *reached), *least = calloc(n, sizeof *least);
    if (!reached || !least) {
        status = no_memory(err);
        goto cleanup;
    }
    reached[0] = true;
    if (spread(pool, true, reached) < n) {
        group_text(pool, reached, true, some, sizeof some);
        group_text(pool, reached, false, others, sizeof others);
        status = error_set(err, STATUS_ARGUMENT,
                           "no common scale: no game links (%s) to (%s); rate them apart or add "
                           "games between them",
                           some, others);
        goto cleanup;
    }
    if (prior > 0.0)
        goto cleanup;
    /* The smallest group that nobody outside took a point from. */
    size_t fewest = n;
    for (size_t i = 0; i < n; i++) {
        memset(reached, 0, n * sizeof *reached);
        reached[i] = true;
        size_t count = spread(pool, false, reached);
        if (count < fewest) {
            fewest = count;
            memcpy(least, reached, n * sizeof *least);
        }
    }
    if (fewest < n) {
        group_text(pool, least, true, some, sizeof some);
        group_text(pool, least, false, others, sizeof others);
        status = error_set(err, STATUS_ARGUMENT,
                           "no finite ratings: (%s) never lost a point to (%s); --prior 1 adds a "
                           "draw to each pairing",
                           some, others);
    }

cleanup:
    free(reached);
    free(least);
    return status;
}

/* --- the fit --------------------------------------------------------------------------------- */

/* log(1 / (1 + exp(-x))) without overflow. */
static double log_logistic(double x)
{
    return x >= 0.0 ? -log1p(exp(-x)) : x - log1p(exp(x));
}

static double points_of(const RatingPairing *pairing, double prior)
{
    return (double)pairing->score.wins + 0.5 * ((double)pairing->score.draws + prior);
}

static double log_likelihood(const RatingPool *pool, double prior, const gsl_vector *strength)
{
    double sum = 0.0;
    for (size_t i = 0; i < pool->pairing_count; i++) {
        const RatingPairing *p = &pool->pairings[i];
        double x = gsl_vector_get(strength, p->first) - gsl_vector_get(strength, p->second),
               games = (double)games_of(p), points;
        if (games_of(p) == 0)
            continue;
        points = points_of(p, prior);
        sum += points * log_logistic(x) + (games + prior - points) * log_logistic(-x);
    }
    return sum;
}

/* The gradient of the log-likelihood, and its information with a constant added everywhere: that
 * makes it regular without changing the sum of the strengths, which says nothing. */
static void derivatives(const RatingPool *pool, double prior, const gsl_vector *strength,
                        gsl_vector *gradient, gsl_matrix *information)
{
    gsl_vector_set_zero(gradient);
    gsl_matrix_set_all(information, 1.0 / (double)pool->player_count);
    for (size_t i = 0; i < pool->pairing_count; i++) {
        const RatingPairing *p = &pool->pairings[i];
        if (games_of(p) == 0)
            continue;
        double x = gsl_vector_get(strength, p->first) - gsl_vector_get(strength, p->second),
               games = (double)games_of(p) + prior, expected = 1.0 / (1.0 + exp(-x)),
               slope = points_of(p, prior) - games * expected,
               weight = games * expected * (1.0 - expected);
        *gsl_vector_ptr(gradient, p->first) += slope;
        *gsl_vector_ptr(gradient, p->second) -= slope;
        *gsl_matrix_ptr(information, p->first, p->first) += weight;
        *gsl_matrix_ptr(information, p->second, p->second) += weight;
        *gsl_matrix_ptr(information, p->first, p->second) -= weight;
        *gsl_matrix_ptr(information, p->second, p->first) -= weight;
    }
}

typedef struct Workspace {
    gsl_vector *strength, *gradient, *step, *trial;
    gsl_matrix *information;
} Workspace;

static void workspace_free(Workspace *w)
{
    gsl_vector_free(w->strength);
    gsl_vector_free(w->gradient);
    gsl_vector_free(w->step);
    gsl_vector_free(w->trial);
    gsl_matrix_free(w->information);
}

static bool workspace_make(Workspace *w, size_t n)
{
    *w = (Workspace){gsl_vector_calloc(n), gsl_vector_calloc(n), gsl_vector_calloc(n),
                     gsl_vector_calloc(n), gsl_matrix_calloc(n, n)};
    return w->strength && w->gradient && w->step && w->trial && w->information;
}

/* Newton's method, halving steps that do not improve. Leaves the information's Cholesky factor. */
static Status maximise(const RatingPool *pool, double prior, Workspace *w, RatingFit *fit,
                       Error *err)
{
    double games = 0.0;
    for (size_t i = 0; i < pool->pairing_count; i++)
        games += (double)games_of(&pool->pairings[i]);
    double here = log_likelihood(pool, prior, w->strength);
    for (fit->steps = 0;; fit->steps++) {
        derivatives(pool, prior, w->strength, w->gradient, w->information);
        fit->gradient = fabs(gsl_vector_get(w->gradient, gsl_blas_idamax(w->gradient)));
        if (gsl_linalg_cholesky_decomp1(w->information) != GSL_SUCCESS)
            return error_set(err, STATUS_NOT_FINITE,
                             "rating: the information of the games is not positive definite");
        if (fit->gradient < 1e-12 * (1.0 + games) || fit->steps == STEPS_MAX)
            break;
        if (gsl_linalg_cholesky_solve(w->information, w->gradient, w->step) != GSL_SUCCESS)
            return error_set(err, STATUS_NOT_FINITE, "rating: a step cannot be computed");
        /* Near the optimum a better point is no longer seen in the likelihood: what doubles cannot
         * tell apart is no reason to go less far. */
        const double blur = 1e-14 * (1.0 + fabs(here));
        double share = 1.0, there = here;
        for (int half = 0; half < 60; half++, share *= 0.5) {
            gsl_vector_memcpy(w->trial, w->strength);
            gsl_blas_daxpy(share, w->step, w->trial);
            there = log_likelihood(pool, prior, w->trial);
            if (there >= here - blur)
                break;
        }
        gsl_vector_memcpy(w->strength, w->trial);
        here = there;
    }
    fit->log_likelihood = here;
    /* Points that are off: nothing anybody could see. */
    if (!isfinite(here) || fit->gradient > 1e-3)
        return error_set(err, STATUS_NOT_FINITE, "rating: no optimum found in %d steps (%g left)",
                         fit->steps, fit->gradient);
    return STATUS_OK;
}

/* Variance of the difference of two strengths; player n = the mean of all. `covariance` is that of
 * strengths whose mean is 0. */
static double variance_of(const gsl_matrix *covariance, size_t a, size_t b)
{
    const size_t n = covariance->size1;
    if (b == n)
        return gsl_matrix_get(covariance, a, a);
    return gsl_matrix_get(covariance, a, a) + gsl_matrix_get(covariance, b, b) -
           2.0 * gsl_matrix_get(covariance, a, b);
}

static int compare_ratings(const void *a, const void *b)
{
    const Rating *first = a, *second = b;
    if (first->elo < second->elo || first->elo > second->elo)
        return first->elo > second->elo ? -1 : 1;
    return first->player < second->player ? -1 : 1;
}

/* Elo, errors and scores, the best first. */
static void fill_ratings(const RatingPool *pool, const RatingOptions *options, size_t anchor,
                         const Workspace *w, RatingFit *fit)
{
    const size_t n = pool->player_count;
    double mean = 0.0;
    for (size_t i = 0; i < n; i++)
        mean += gsl_vector_get(w->strength, i) / (double)n;
    double origin = anchor < n ? gsl_vector_get(w->strength, anchor) : mean;
    for (size_t i = 0; i < n; i++) {
        double variance = i == anchor ? 0.0 : variance_of(w->information, i, anchor);
        fit->ratings[i] = (Rating){.player = i,
                                   .elo = options->anchor_elo +
                                          elo_unit() * (gsl_vector_get(w->strength, i) - origin),
                                   .error = elo_unit() * Z_95 * sqrt(fmax(variance, 0.0)),
                                   .los = NAN};
    }
    for (size_t i = 0; i < pool->pairing_count; i++) {
        const RatingPairing *p = &pool->pairings[i];
        RatingScore *first = &fit->ratings[p->first].score,
                    *second = &fit->ratings[p->second].score;
        first->wins += p->score.wins;
        first->draws += p->score.draws;
        first->losses += p->score.losses;
        second->wins += p->score.losses;
        second->draws += p->score.draws;
        second->losses += p->score.wins;
    }
    qsort(fit->ratings, n, sizeof *fit->ratings, compare_ratings);
    for (size_t i = 0; i + 1 < n; i++) {
        Rating *r = &fit->ratings[i];
        double variance = variance_of(w->information, r->player, fit->ratings[i + 1].player);
        r->los = 0.5 * erfc(-(r->elo - fit->ratings[i + 1].elo) / elo_unit() /
                            sqrt(2.0 * fmax(variance, 1e-300)));
    }
}

void rating_fit_free(RatingFit *fit)
{
    free(fit->ratings);
    *fit = (RatingFit){0};
}

Status rating_fit(const RatingPool *pool, const RatingOptions *options, RatingFit *fit, Error *err)
{
    const size_t n = pool->player_count;
    if (n < 2)
        return error_set(err, STATUS_ARGUMENT, "rating: no games of two players, found %zu players",
                         n);
    size_t anchor = options->anchor ? rating_pool_find(pool, options->anchor) : n;
    if (options->anchor && anchor == n)
        return error_set(err, STATUS_ARGUMENT, "rating: the anchor '%s' has played no game",
                         options->anchor);
    Status status = check_pool(pool, options->prior, err);
    if (status != STATUS_OK)
        return status;

    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    RatingFit fresh = {0};
    Workspace w;
    bool made = workspace_make(&w, n);
    fresh.ratings = calloc(n, sizeof *fresh.ratings);
    if (!made || !fresh.ratings)
        status = no_memory(err);
    if (status == STATUS_OK)
        status = maximise(pool, options->prior, &w, &fresh, err);
    if (status == STATUS_OK && gsl_linalg_cholesky_invert(w.information) != GSL_SUCCESS)
        status = error_set(err, STATUS_NOT_FINITE, "rating: errors cannot be computed");
    if (status == STATUS_OK) {
        /* The inverse has the variance of the mean in it, of the constant that was added. */
        gsl_matrix_add_constant(w.information, -1.0 / (double)n);
        fill_ratings(pool, options, anchor, &w, &fresh);
        *fit = fresh;
    } else {
        rating_fit_free(&fresh);
    }
    workspace_free(&w);
    gsl_set_error_handler(handler);
    return status;
}
