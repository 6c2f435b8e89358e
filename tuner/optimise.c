/* SPDX-License-Identifier: GPL-3.0-or-later */
/* optimise.c - Newton's method on the objective, by conjugate gradients or Cholesky. */
#include "optimise.h"

#include "comm.h"
#include "support/interrupt.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Workspace {
    double *memory;
    double *x, *origin, *gradient, *diagonal, *step; /* [n] */
    double *residual, *solved, *direction, *product; /* [n] of the conjugate gradients */
    double *hessian;                                 /* of what occurs, or NULL */
} Workspace;

static void workspace_free(Workspace *work)
{
    free(work->memory);
    free(work->hessian);
}

static Status workspace_new(const Objective *objective, bool dense, Workspace *work, Error *err)
{
    size_t n = objective->n, active = objective->active_count;
    *work = (Workspace){.memory = malloc(9 * n * sizeof(double)),
                        .hessian = dense ? malloc(active * active * sizeof(double)) : NULL};
    if (!work->memory || (dense && !work->hessian)) {
        workspace_free(work);
        return error_set(err, STATUS_NO_MEMORY, "no memory to fit %zu coefficients", n);
    }
    double **vectors[] = {&work->x,        &work->origin,    &work->gradient,
                          &work->diagonal, &work->step,      &work->residual,
                          &work->solved,   &work->direction, &work->product};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = work->memory + i * n;
    return STATUS_OK;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Preconditioned conjugate gradients for H step = -gradient, until the residual has shrunk to
 * `forcing`. Returns the number of products. */
static int solve_iteratively(const Objective *objective, Workspace *work, double forcing)
{
    size_t n = objective->n;
    for (size_t j = 0; j < n; j++) {
        work->step[j] = 0;
        work->residual[j] = -work->gradient[j];
        work->solved[j] = work->residual[j] / work->diagonal[j];
        work->direction[j] = work->solved[j];
    }
    double rho = dot(work->residual, work->solved, n), goal = rho * forcing * forcing;
    int products = 0, most = n < 1000 ? (int)n + 50 : 1000;
    while (rho > goal && products < most && !comm_any(interrupted())) {
        objective_hessian_times(objective, work->direction, work->product);
        products++;
        double curvature = dot(work->direction, work->product, n);
        if (!(curvature > 0))
            break; /* rounding: the direction is exhausted */
        double alpha = rho / curvature;
        for (size_t j = 0; j < n; j++) {
            work->step[j] += alpha * work->direction[j];
            work->residual[j] -= alpha * work->product[j];
            work->solved[j] = work->residual[j] / work->diagonal[j];
        }
        double next = dot(work->residual, work->solved, n), beta = next / rho;
        for (size_t j = 0; j < n; j++)
            work->direction[j] = work->solved[j] + beta * work->direction[j];
        rho = next;
    }
    return products;
}

/* The same by Cholesky of the Hessian, scaled to a diagonal of ones. False if it is not positive
 * definite in double precision. */
static bool solve_densely(Objective *objective, Workspace *work, Status *status, Error *err)
{
    size_t n = objective->active_count;
    const int *active = objective->active;
    *status = objective_hessian(objective, work->hessian, err);
    if (*status != STATUS_OK)
        return false;
    double *scale = work->solved, *part = work->direction;
    for (size_t j = 0; j < n; j++)
        scale[j] = 1 / sqrt(work->hessian[j * n + j]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            work->hessian[i * n + j] *= scale[i] * scale[j];
    for (size_t j = 0; j < n; j++)
        part[j] = -work->gradient[active[j]] * scale[j];
    gsl_matrix_view matrix = gsl_matrix_view_array(work->hessian, n, n);
    gsl_vector_view vector = gsl_vector_view_array(part, n);
    if (gsl_linalg_cholesky_decomp1(&matrix.matrix) != GSL_SUCCESS ||
        gsl_linalg_cholesky_svx(&matrix.matrix, &vector.vector) != GSL_SUCCESS)
        return false;
    /* What does not occur only feels the pull. */
    for (size_t j = 0; j < objective->n; j++)
        work->step[j] = -work->gradient[j] / (objective->ridge * objective->metric[j]);
    for (size_t j = 0; j < n; j++) {
        work->step[active[j]] = part[j] * scale[j];
        if (!isfinite(part[j] * scale[j]))
            return false;
    }
    return true;
}

/* Norms of the gradient in standardised units. */
static void measure(const Objective *objective, const double *gradient, Certificate *certificate)
{
    double largest = 0, square = 0;
    for (size_t j = 0; j < objective->n; j++) {
        double part = gradient[j] * gradient[j] / objective->metric[j];
        square += part;
        largest = part > largest ? part : largest;
    }
    certificate->gradient_norm = sqrt(largest);
    certificate->gap_bound = square / (2 * objective->ridge);
}

/*
 * Backtracking from the point x, of the given value, along the step: leaves the first point where
 * the value falls enough in work->x, with its value and gradient. `stuck` if no step helps.
 */
static Status line_search(Objective *objective, Workspace *work, double slope,
                          ObjectiveValue *value, bool *stuck, Error *err)
{
    size_t n = objective->n;
    double total = value->total;
    /* What the sums cannot resolve: close to the minimum the full Newton step is right. */
    double noise = 1e-14 * fabs(total);
    memcpy(work->origin, work->x, n * sizeof(double));
    for (double length = 1; length > 1e-10; length /= 2) {
        for (size_t j = 0; j < n; j++)
            work->x[j] = work->origin[j] + length * work->step[j];
        Error reason = {0};
        Status status = objective_evaluate(objective, work->x, value, work->gradient, &reason);
        if (status == STATUS_OK && value->total <= total + 1e-4 * length * slope + noise)
            return STATUS_OK;
        /* A step that leads to no number is infinitely bad. */
        if (status != STATUS_OK && status != STATUS_NOT_FINITE)
            return error_set(err, status, "%s", reason.message);
    }
    *stuck = true;
    return STATUS_OK;
}

Status optimise(Objective *objective, const OptimiseOptions *options, double *x,
                Certificate *certificate, OptimiseReport report, void *context, Error *err)
{
    size_t n = objective->n;
    Workspace work;
    size_t active = objective->active_count;
    Certificate best = {.dense = active && active <= options->dense_limit};
    Status status = workspace_new(objective, best.dense, &work, err);
    if (status != STATUS_OK)
        return status;
    memcpy(work.x, x, n * sizeof *x);

    double first_norm = 0;
    status = objective_evaluate(objective, work.x, &best.value, work.gradient, err);
    while (status == STATUS_OK) {
        measure(objective, work.gradient, &best);
        if (!isfinite(best.gap_bound)) {
            status = error_set(err, STATUS_NOT_FINITE, "the gradient is not finite after %d steps",
                               best.iterations);
            goto cleanup;
        }
        if (report)
            report(context, best.iterations, best.value.total, best.gap_bound);
        if (comm_any(interrupted())) {
            status = error_set(err, STATUS_INTERRUPTED, "stopped after %d steps", best.iterations);
            goto cleanup;
        }
        bool done = best.gap_bound <= options->tolerance;
        if (!done && best.iterations == options->max_iterations)
            break;

        /* Loose far from the minimum, tight close to it: superlinear convergence. At the end one
         * more solve gives the decrement. */
        double norm = sqrt(best.gap_bound);
        if (best.iterations == 0)
            first_norm = norm;
        double forcing = first_norm > 0 ? sqrt(norm / first_norm) : 0;
        forcing = forcing > 0.1 ? 0.1 : forcing < 1e-4 ? 1e-4 : forcing;
        if (!best.dense || !solve_densely(objective, &work, &status, err)) {
            if (status == STATUS_OK)
                status = objective_diagonal(objective, work.diagonal, err);
            if (status != STATUS_OK)
                goto cleanup;
            best.dense = false;
            best.products += solve_iteratively(objective, &work, done ? 1e-2 : forcing);
        }
        double slope = dot(work.gradient, work.step, n);
        best.decrement = slope < 0 ? sqrt(-slope) : 0;
        if (done) {
            memcpy(x, work.x, n * sizeof *x);
            *certificate = best;
            goto cleanup;
        }
        if (comm_any(interrupted()))
            continue; /* the solve was cut short: do not use its step */
        bool stuck = false;
        status = line_search(objective, &work, slope, &best.value, &stuck, err);
        if (stuck)
            break;
        best.iterations++;
    }
    if (status != STATUS_OK)
        goto cleanup;
    status =
        error_set(err, STATUS_ARGUMENT,
                  "no convergence after %d steps: the loss is within %.3g nats of its minimum, "
                  "expected %.3g; a larger ridge than %g helps",
                  best.iterations, best.gap_bound, options->tolerance, objective->ridge);
cleanup:
    workspace_free(&work);
    return status;
}
