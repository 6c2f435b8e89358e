/* SPDX-License-Identifier: GPL-3.0-or-later */
/* certify.c - checks of an optimum that do not trust what found it. */
#include "certify.h"

#include "support/rng.h"

#include <math.h>
#include <stdlib.h>

static const double START_UNITS = 0.5, STEP_UNITS = 1e-4;

Status certify(Objective *objective, const OptimiseOptions *options, const double *y, uint64_t seed,
               Cross *cross, Error *err)
{
    size_t n = objective->n;
    double *memory = malloc(5 * n * sizeof *memory);
    if (!memory)
        return error_set(err, STATUS_NO_MEMORY, "no memory to check %zu coefficients", n);
    double *start = memory, *point = start + n, *direction = point + n, *gradient = direction + n;
    double *moved = gradient + n;
    Rng rng = rng_from(seed, 2);
    for (size_t j = 0; j < n; j++) {
        double unit = 1 / sqrt(objective->metric[j]);
        start[j] = y[j] + START_UNITS * unit * (2 * rng_real(&rng) - 1);
        direction[j] = unit * (2 * rng_real(&rng) - 1);
        point[j] = (y[j] + start[j]) / 2;
    }
    *cross = (Cross){0};
    ObjectiveValue value, sides[2];
    Status status = objective_evaluate(objective, point, &value, gradient, err);
    for (size_t j = 0; j < n && status == STATUS_OK; j++)
        cross->slope += gradient[j] * direction[j];
    for (int side = 0; side < 2 && status == STATUS_OK; side++) {
        for (size_t j = 0; j < n; j++)
            moved[j] = point[j] + (side ? STEP_UNITS : -STEP_UNITS) * direction[j];
        status = objective_evaluate(objective, moved, &sides[side], gradient, err);
    }
    if (status == STATUS_OK) {
        cross->difference = (sides[1].total - sides[0].total) / (2 * STEP_UNITS);
        Certificate second;
        status = optimise(objective, options, start, &second, NULL, NULL, err);
        cross->other_total = second.value.total;
    }
    for (size_t j = 0; j < n && status == STATUS_OK; j++)
        cross->apart = fmax(cross->apart, fabs(start[j] - y[j]) * sqrt(objective->metric[j]));
    free(memory);
    return status;
}
