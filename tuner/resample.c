/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resample.c - the fit again on other samples of the same games. */
#include "resample.h"

#include "support/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- masses --------------------------------------------------------------------------------------
 */

static uint16_t *copy_masses(const Rows *rows)
{
    uint16_t *masses = NULL;
    if (STORE_RESIZE(rows->scratch, masses, rows->count + 1, NULL) != STATUS_OK)
        return NULL;
    for (size_t i = 0; i < rows->count; i++)
        masses[i] = rows->rows[i].mass;
    return masses;
}

/* How often a game was drawn. */
typedef unsigned (*Draw)(Rng *rng, double share);

static unsigned draw_poisson(Rng *rng, double share)
{
    double u = rng_real(rng), p = 0.36787944117144233, sum = p; /* e^-1 */
    unsigned count = 0;
    (void)share;
    while (u >= sum && count < 12)
        sum += p /= ++count;
    return count;
}

static unsigned draw_share(Rng *rng, double share)
{
    return rng_real(rng) < share;
}

/* Sets the masses of all rows to those of `masses`, times what is drawn for their game; returns how
 * many games were. */
static uint64_t draw_games(Objective *objective, Rows *rows, const uint16_t *masses, uint64_t seed,
                           Draw draw, double share)
{
    size_t row = 0;
    uint64_t games = 0, number = 0;
    unsigned count = 0;
    for (size_t c = 0; c < rows->chain_count; c++) {
        const Chain *chain = &rows->chains[c];
        if (!chain_goes_on(rows, c)) {
            Rng rng = rng_from(seed, number++);
            count = draw(&rng, share);
            games += count > 0;
        }
        for (size_t end = row + chain->rows; row < end; row++) {
            unsigned mass = masses[row] * count;
            rows->rows[row].mass = (uint16_t)(mass < UINT16_MAX ? mass : UINT16_MAX);
        }
    }
    objective_weigh(objective);
    return games;
}

static void restore_masses(Objective *objective, Rows *rows, uint16_t *masses)
{
    for (size_t i = 0; i < rows->count; i++)
        rows->rows[i].mass = masses[i];
    objective_weigh(objective);
    store_free(rows->scratch, masses);
}

/* --- bootstrap -----------------------------------------------------------------------------------
 */

/* Nobody reads a standard error to more digits than this gap allows. */
static OptimiseOptions loosened(const OptimiseOptions *options)
{
    OptimiseOptions loose = *options;
    loose.tolerance = 1e-7 > loose.tolerance ? 1e-7 : loose.tolerance;
    return loose;
}

Status bootstrap_errors(Objective *objective, Rows *rows, const OptimiseOptions *options,
                        const double *y, int samples, uint64_t seed, Finish finish, void *context,
                        double *errors, Error *err)
{
    size_t n = objective->n, width = objective->n_weights;
    OptimiseOptions loose = loosened(options);
    uint16_t *masses = copy_masses(rows);
    double *memory = calloc(n + 2 * width, sizeof *memory);
    if (!masses || !memory) {
        store_free(rows->scratch, masses);
        free(memory);
        return error_set(err, STATUS_NO_MEMORY, "no memory for a bootstrap of %zu positions",
                         rows->count);
    }
    double *drawn = memory, *x = drawn + n, *means = x + width;
    Status status = STATUS_OK;
    memset(errors, 0, width * sizeof *errors);
    for (int sample = 0; sample < samples && status == STATUS_OK; sample++) {
        Certificate certificate;
        draw_games(objective, rows, masses, seed + (uint64_t)sample * 2 + 1, draw_poisson, 1);
        memcpy(drawn, y, n * sizeof *y);
        status = optimise(objective, &loose, drawn, &certificate, NULL, NULL, err);
        if (status == STATUS_OK)
            status = finish(context, drawn, x, err);
        for (size_t j = 0; j < width && status == STATUS_OK; j++) {
            double away = x[j] - means[j];
            means[j] += away / (sample + 1);
            errors[j] += away * (x[j] - means[j]);
        }
    }
    for (size_t j = 0; j < width; j++)
        errors[j] = sqrt(errors[j] / (samples - 1));
    restore_masses(objective, rows, masses);
    free(memory);
    return status;
}

/* --- learning curve ------------------------------------------------------------------------------
 */

Status learning_curve(Objective *objective, Rows *rows, const Rows *validation,
                      const OptimiseOptions *options, const double *y, uint64_t seed,
                      CurvePoint points[CURVE_POINTS], Error *err)
{
    size_t n = objective->n;
    OptimiseOptions loose = loosened(options);
    uint16_t *masses = copy_masses(rows);
    double *memory = malloc((n + objective->n_weights) * sizeof *memory);
    if (!masses || !memory) {
        store_free(rows->scratch, masses);
        free(memory);
        return error_set(err, STATUS_NO_MEMORY, "no memory for a learning curve of %zu positions",
                         rows->count);
    }
    double *part = memory, *x = part + n, share = 1;
    Status status = STATUS_OK;
    memcpy(part, y, n * sizeof *y);
    for (int point = CURVE_POINTS - 1; point >= 0 && status == STATUS_OK; point--, share /= 2) {
        CurvePoint *made = &points[point];
        Certificate certificate;
        *made = (CurvePoint){.share = share, .train = (double)NAN, .validation = (double)NAN};
        made->games = draw_games(objective, rows, masses, seed, draw_share, share);
        if (!(objective->mass > 0))
            continue;
        status = optimise(objective, &loose, part, &certificate, NULL, NULL, err);
        made->train = certificate.value.loss;
        if (status == STATUS_OK && validation->count) {
            if (objective->shared)
                shared_expand(objective->shared, part, x);
            else
                memcpy(x, part, objective->n_weights * sizeof *x);
            status = rows_loss(validation, x, objective->slope, objective->threads,
                               &made->validation, err);
        }
    }
    restore_masses(objective, rows, masses);
    free(memory);
    return status;
}
