/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fit.c - from a sample of positions to weights: slope, targets, optimum, gauge, rounding. */
#include "fit.h"

#include "coefficients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The ridge on a difference (middlegame minus endgame) against that on the mean. It has the unit
 * of the mean, not what its own small count (at most half) would give: where one phase is hardly
 * seen the other one speaks for it. 4: a difference is expected to be about half of the mean.
 */
static const double DIFFERENCE_STIFFNESS = 4;

bool weights_are_zero(const Engine *engine, const Weight *weights)
{
    for (int w = 0; w < engine->weight_count; w++)
        if (weights[w].middlegame || weights[w].endgame)
            return false;
    return true;
}

void fit_result_free(FitResult *result)
{
    free(result->weights);
    free(result->errors);
    free(result->occurred);
    memset(result, 0, sizeof *result);
}

static const TermGroup *find_group(const Engine *engine, const char *name)
{
    for (int g = 0; g < engine->term_group_count; g++)
        if (!strcmp(engine->term_groups[g].name, name))
            return &engine->term_groups[g];
    return NULL;
}

/* --- gauge ---------------------------------------------------------------------------------------
 */

/* A table of one piece beside the material of that piece. */
typedef struct Pair {
    int material;    /* weight                                          */
    int first, size; /* weights of the table                            */
    bool bound;      /* its coefficients always add up to the material's */
} Pair;

/* All tables whose item has the name of a material item: malloc'ed, *count of them. */
static Pair *find_pairs(const Engine *engine, int *count)
{
    const TermGroup *material = find_group(engine, "material");
    int most = 1;
    for (int g = 0; g < engine->term_group_count; g++)
        most += engine->term_groups[g].items;
    Pair *pairs = calloc((size_t)most, sizeof *pairs);
    *count = 0;
    if (!pairs || !material || !material->item_names || material->rows * material->columns != 1)
        return pairs;
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        int size = group->rows * group->columns;
        if (group == material || !group->item_names || size < 2)
            continue;
        for (int item = 0; item < group->items; item++)
            for (int m = 0; m < material->items; m++)
                if (!strcmp(group->item_names[item], material->item_names[m]))
                    pairs[(*count)++] =
                        (Pair){material->first + m, group->first + item * size, size, true};
    }
    return pairs;
}

/* Finds the pairs whose table adds up to the material in every row. */
static Status bind_pairs(const Engine *engine, const Rows *rows, Pair *pairs, int count, Error *err)
{
    size_t n = (size_t)engine->weight_count;
    int *pair_of = malloc(n * sizeof *pair_of); /* whose table a weight is in, or count */
    int *excess = calloc((size_t)count + 1, sizeof *excess); /* table minus material */
    bool *is_material = calloc(n, sizeof *is_material);
    if (!pair_of || !excess || !is_material) {
        free(pair_of);
        free(excess);
        free(is_material);
        return error_set(err, STATUS_NO_MEMORY, "no memory for the gauge of %zu weights", n);
    }
    for (size_t w = 0; w < n; w++)
        pair_of[w] = count; /* a bin nobody reads */
    for (int p = 0; p < count; p++) {
        is_material[pairs[p].material] = true;
        for (int i = 0; i < pairs[p].size; i++)
            pair_of[pairs[p].first + i] = p;
    }
    const Words *words = rows_words(rows);
    const uint16_t *change = rows->changes;
    Delta deltas[DELTAS_ROOM];
    size_t row = 0;
    for (size_t c = 0; c < rows->chain_count; c++) {
        memset(excess, 0, ((size_t)count + 1) * sizeof *excess);
        for (size_t end = row + rows->chains[c].rows; row < end; row++) {
            do {
                size_t found = read_deltas(words, &change, deltas);
                for (size_t k = 0; k < found; k++) {
                    int w = deltas[k].weight, amount = deltas[k].amount;
                    excess[pair_of[w]] += amount;
                    for (int p = 0; is_material[w] && p < count; p++)
                        excess[p] -= pairs[p].material == w ? amount : 0;
                }
            } while (!(change[-1] & CHANGE_LAST));
            for (int p = 0; p < count; p++)
                pairs[p].bound = pairs[p].bound && excess[p] == 0;
        }
    }
    free(pair_of);
    free(excess);
    free(is_material);
    return STATUS_OK;
}

/* Takes `amount` of coefficient `which` (0 mean, 1 difference) from the cells that occur. */
static void lower_cells(const Pair *pair, const Occurrence *occurrence, double *x, int which,
                        double amount)
{
    for (int i = 0; i < pair->size; i++)
        if (occurrence->seen[pair->first + i])
            x[2 * (pair->first + i) + which] -= amount;
}

Status gauge(const Engine *engine, const Rows *rows, const Occurrence *occurrence, double *x,
             int *moved, Error *err)
{
    int count, done = 0;
    Pair *pairs = find_pairs(engine, &count);
    if (!pairs)
        return error_set(err, STATUS_NO_MEMORY, "no memory for the gauge");
    Status status = bind_pairs(engine, rows, pairs, count, err);
    for (int p = 0; status == STATUS_OK && p < count; p++) {
        const Pair *pair = &pairs[p];
        if (!pair->bound)
            continue;
        double mass = 0, sum[2] = {0, 0};
        for (int i = 0; i < pair->size; i++) {
            double cell_mass = occurrence->total[pair->first + i];
            mass += cell_mass;
            for (int which = 0; which < 2; which++)
                sum[which] += cell_mass * x[2 * (pair->first + i) + which];
        }
        if (mass <= 0)
            continue;
        /* Material that never counts (both sides always have their king) takes nothing: there the
         * coefficients add up to 0, and the mean of the table means nothing. */
        bool counts = occurrence->seen[pair->material] > 0;
        for (int which = 0; which < 2; which++) {
            lower_cells(pair, occurrence, x, which, sum[which] / mass);
            if (counts)
                x[2 * pair->material + which] += sum[which] / mass;
        }
        done++;
    }
    /* Whole material, once all means are there; the first table of a piece takes the rest. */
    for (int p = 0; status == STATUS_OK && p < count; p++) {
        const Pair *pair = &pairs[p];
        double *material = x + 2 * pair->material;
        if (!pair->bound || !occurrence->seen[pair->material])
            continue;
        double middlegame = floor(material[0] + material[1] / 2 + 0.5);
        double endgame = floor(material[0] - material[1] / 2 + 0.5);
        double whole[2] = {(middlegame + endgame) / 2, middlegame - endgame};
        for (int which = 0; which < 2; which++) {
            lower_cells(pair, occurrence, x, which, whole[which] - material[which]);
            material[which] = whole[which];
        }
    }
    free(pairs);
    if (status == STATUS_OK && moved)
        *moved = done;
    return status;
}

/* --- fit
 * ------------------------------------------------------------------------------------------- */

typedef enum LossKind { LOSS_BEFORE, LOSS_EXACT, LOSS_ROUNDED } LossKind;

static Status part_losses(const Sample *sample, const double *x, double slope, int threads,
                          LossKind kind, FitLosses *losses, Error *err)
{
    for (int part = 0; part < PART_COUNT; part++) {
        double loss = (double)NAN;
        if (sample->parts[part].count) {
            Status status = rows_loss(&sample->parts[part], x, slope, threads, &loss, err);
            if (status != STATUS_OK)
                return status;
        }
        *(kind == LOSS_BEFORE  ? &losses[part].before
          : kind == LOSS_EXACT ? &losses[part].exact
                               : &losses[part].rounded) = loss;
    }
    return STATUS_OK;
}

Status fit_settle(Rows *rows, double lambda, double slope, const Weighting *weighting, int threads,
                  size_t *merged, Error *err)
{
    rows_set_targets(rows, lambda, slope);
    rows_weigh(rows, weighting);
    Status status = rows_merge(rows, merged, err);
    return status == STATUS_OK ? rows_encode(rows, threads, err) : status;
}

static Status settle_rows(Sample *sample, const FitOptions *options, FitResult *result, Error *err)
{
    for (int part = 0; part < PART_COUNT; part++) {
        Rows *rows = &sample->parts[part];
        size_t merged = 0;
        result->positions[part] = rows->count;
        Status status = fit_settle(rows, options->lambda, result->slope, &options->weighting,
                                   options->threads, &merged, err);
        if (status != STATUS_OK)
            return status;
        sample->skipped[SKIP_MERGED] += merged;
        result->rows[part] = rows->count - merged;
        result->bytes += rows_bytes(rows);
    }
    return STATUS_OK;
}

/*
 * The factor that makes the mean piece worth anchor_cp: 1 if pieces came out worthless, less than
 * asked for if a weight would leave the range in which evaluations stay far from mate scores.
 */
static double anchor_factor(const Engine *engine, const Occurrence *occurrence, const double *x,
                            double anchor_cp)
{
    static const double largest_weight_cp = 8000;
    const TermGroup *material = find_group(engine, "material");
    if (!material || !(anchor_cp > 0))
        return 1;
    double mass = 0, sum = 0, largest = 1;
    for (int i = 0; i < material->items; i++) {
        int w = material->first + i * material->rows * material->columns;
        mass += occurrence->total[w];
        sum += occurrence->total[w] * x[2 * w];
    }
    for (int w = 0; w < engine->weight_count; w++)
        largest = fmax(largest, fabs(x[2 * w]) + fabs(x[2 * w + 1]) / 2);
    if (!(mass > 0) || !(sum / mass > anchor_cp / 1000))
        return 1;
    return fmin(anchor_cp * mass / sum, fmax(1, largest_weight_cp / largest));
}

static void count_weights(const Sample *sample, const Occurrence *occurrence, FitResult *result)
{
    const Engine *engine = sample->engine;
    for (int w = 0; w < engine->weight_count; w++) {
        if (engine->weight_exists && !engine->weight_exists[w])
            continue;
        uint64_t seen = occurrence->seen[sample->stands ? sample->stands[w] : w];
        result->occurred[w] = seen;
        result->seen += seen > 0;
        result->never += seen == 0;
        result->rarely += seen > 0 && seen < (uint64_t)result->rare_below;
    }
}

/* Loss of coefficients y on the rows that were held out. */
static Status held_out_loss(const Rows *held, const Objective *objective, const double *y,
                            double *loss, Error *err)
{
    double *x = malloc(objective->n_weights * sizeof *x);
    if (!x)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu weights", objective->n_weights);
    shared_expand(objective->shared, y, x);
    Status status = rows_loss(held, x, objective->slope, objective->threads, loss, err);
    free(x);
    return status;
}

/*
 * Follows the optimum from a strong ridge to a weak one and stops when validation has become worse
 * twice in a row; the ridge with the best validation loss is chosen. From the prior outwards, so a
 * tie goes to the weights that are known. y ends near the chosen optimum.
 */
static Status choose_ridge(const Rows *held, Objective *objective, const FitOptions *options,
                           double *y, FitResult *result, OptimiseReport report, void *context,
                           Error *err)
{
    OptimiseOptions loose = options->optimise;
    loose.tolerance = 1e-6 > loose.tolerance ? 1e-6 : loose.tolerance;
    double *best = malloc(objective->n * sizeof *best);
    if (!best)
        return error_set(err, STATUS_NO_MEMORY, "no memory for %zu coefficients", objective->n);
    double ridge = RIDGE_STRONGEST, best_loss = (double)INFINITY;
    int worse = 0;
    Status status = STATUS_OK;
    for (int step = 0; step < RIDGE_STEPS && worse < 2; step++, ridge *= RIDGE_FACTOR) {
        Certificate certificate;
        double loss;
        objective->ridge = ridge;
        status = optimise(objective, &loose, y, &certificate, report, context, err);
        if (status == STATUS_OK)
            status = held_out_loss(held, objective, y, &loss, err);
        if (status != STATUS_OK)
            break;
        result->path_steps += certificate.iterations;
        result->path[result->path_length].ridge = ridge;
        result->path[result->path_length].train = certificate.value.loss;
        result->path[result->path_length++].validation = loss;
        worse++;
        if (loss < best_loss) {
            best_loss = loss;
            worse = 0;
            result->ridge = ridge;
            memcpy(best, y, objective->n * sizeof *y);
        }
    }
    memcpy(y, best, objective->n * sizeof *y);
    objective->ridge = result->ridge;
    free(best);
    return status;
}

/* --- ties -----------------------------------------------------------------------------------
 */

/* What stands for each weight gives it its value. */
static void untie(const Sample *sample, double *x)
{
    for (int w = 0; sample->stands && w < sample->engine->weight_count; w++)
        for (int which = 0; which < 2; which++)
            x[2 * w + which] = x[2 * sample->stands[w] + which];
}

/* Weights that are tied start from their mean. */
static void tie_prior(const Sample *sample, double *x)
{
    for (int w = 0; sample->stands && w < sample->engine->weight_count; w++)
        for (int which = 0; which < 2 && sample->stands[w] != w; which++)
            x[2 * sample->stands[w] + which] =
                (x[2 * sample->stands[w] + which] + x[2 * w + which]) / 2;
    untie(sample, x);
}

/* --- trust ---------------------------------------------------------------------------------------
 */

typedef struct Finishing {
    const Sample *sample;
    const Engine *engine;
    const Shared *shared;
    const Rows *rows;
    const Occurrence *occurrence;
    double factor;
} Finishing;

/* Weights from coefficients as the fit makes them: means moved, scaled. */
static Status finish_weights(const Finishing *how, const double *y, double *x, int *gauged,
                             Error *err)
{
    shared_expand(how->shared, y, x);
    Status status = gauge(how->engine, how->rows, how->occurrence, x, gauged, err);
    if (status != STATUS_OK)
        return status;
    for (size_t j = 0; j < 2 * (size_t)how->engine->weight_count; j++)
        x[j] *= how->factor;
    /* Material is to be whole in the units that are written. */
    status = gauge(how->engine, how->rows, how->occurrence, x, gauged, err);
    if (status == STATUS_OK)
        untie(how->sample, x);
    return status;
}

/* The same as middlegame and endgame, for the bootstrap. */
static Status finish_phases(void *context, const double *y, double *x, Error *err)
{
    const Finishing *how = context;
    Status status = finish_weights(how, y, x, NULL, err);
    for (size_t w = 0; w < (size_t)how->engine->weight_count && status == STATUS_OK; w++) {
        double mean = x[2 * w], difference = x[2 * w + 1];
        x[2 * w] = mean + difference / 2;
        x[2 * w + 1] = mean - difference / 2;
    }
    return status;
}

static Status judge(Sample *sample, Objective *objective, const FitOptions *options, Finishing *how,
                    const double *y, FitResult *result, Error *err)
{
    Rows *train = &sample->parts[PART_TRAIN];
    Status status = STATUS_OK;
    if (options->cross_check)
        status = certify(objective, &options->optimise, y, options->seed, &result->cross, err);
    result->crossed = options->cross_check;
    if (status == STATUS_OK && options->curve) {
        status = learning_curve(objective, train, &sample->parts[PART_VALIDATION],
                                &options->optimise, y, options->seed, result->curve, err);
        result->curve_length = CURVE_POINTS;
    }
    if (status != STATUS_OK || options->bootstrap < 2)
        return status;
    result->errors = calloc(objective->n_weights, sizeof *result->errors);
    if (!result->errors)
        return error_set(err, STATUS_NO_MEMORY, "no memory for standard errors");
    return bootstrap_errors(objective, train, &options->optimise, y, options->bootstrap,
                            options->seed, finish_phases, how, result->errors, err);
}

/* Says what took most positions away. */
static Status nothing_left(const Sample *sample, Error *err)
{
    Skip most = (Skip)0;
    for (int skip = 1; skip < SKIP_COUNT; skip++)
        if (sample->skipped[skip] > sample->skipped[most])
            most = (Skip)skip;
    return error_set(err, STATUS_ARGUMENT,
                     "no position is left to fit: of %llu plies all were filtered out or went to "
                     "the other parts, %llu as '%s'",
                     (unsigned long long)sample->plies, (unsigned long long)sample->skipped[most],
                     skip_text(most));
}

Status fit(Sample *sample, const Weight *prior, const FitOptions *options, FitResult *out,
           OptimiseReport report, void *context, Error *err)
{
    const Engine *engine = sample->engine;
    Rows *train = &sample->parts[PART_TRAIN];
    const Rows *held = options->judge ? options->judge : &sample->parts[PART_VALIDATION];
    FitResult result = {.slope = options->slope,
                        .ridge = options->ridge,
                        .judged = (double)NAN,
                        .rare_below = options->rare_below > 0 ? options->rare_below : RARELY};
    Occurrence occurrence = {0};
    Objective objective = {0};
    Shared shared;
    Status status = shared_new(&shared, engine, err);
    if (status != STATUS_OK)
        return status;
    /* y: coefficients; x: weights; both as pairs (mean, difference). */
    size_t n = 2 * ((size_t)shared.weights + (size_t)shared.count);
    double *x = malloc(n * sizeof *x), *y = calloc(n, sizeof *y), *start = calloc(n, sizeof *start);
    double *square = malloc(n * sizeof *square), *units = malloc(n * sizeof *units);
    result.weights = calloc((size_t)engine->weight_count, sizeof *result.weights);
    result.occurred = calloc((size_t)engine->weight_count, sizeof *result.occurred);
    if (!result.occurred || !x || !y || !start || !square || !units || !result.weights) {
        status = error_set(err, STATUS_NO_MEMORY, "no memory for %zu coefficients", n);
        goto cleanup;
    }
    if (!train->count) {
        status = nothing_left(sample, err);
        goto cleanup;
    }
    /* The prior's weights are each coefficient's own; nothing is shared yet. */
    coefficients_from_weights(engine, prior, start);
    tie_prior(sample, start);
    memcpy(y, start, n * sizeof *y);
    shared_expand(&shared, y, x);
    if (!(result.slope > 0)) {
        /* From nothing there is no scale to find: K = 1 defines the centipawn. */
        result.slope = 1;
        if (!weights_are_zero(engine, prior) &&
            (status = slope_fit(train, x, options->threads, &result.slope, err)) != STATUS_OK)
            goto cleanup;
    }
    if ((status = settle_rows(sample, options, &result, err)) != STATUS_OK ||
        (status = part_losses(sample, x, result.slope, options->threads, LOSS_BEFORE, result.losses,
                              err)) != STATUS_OK ||
        (status = occurrence_count(train, engine->weight_count, &occurrence, err)) != STATUS_OK)
        goto cleanup;
    count_weights(sample, &occurrence, &result);

    if ((status = shared_mean_square(&shared, train, square, err)) != STATUS_OK)
        goto cleanup;
    for (size_t c = 0; c < n / 2; c++) {
        double unit = square[c] > 0 ? (square[c] + options->rare) * shared.ease[c] : 0;
        units[2 * c] = unit;
        units[2 * c + 1] = unit * DIFFERENCE_STIFFNESS;
    }
    bool choose = !(result.ridge > 0) && held->count;
    if (!(result.ridge > 0))
        result.ridge = RIDGE_DEFAULT;
    if ((status = objective_init(&objective, train, engine->weight_count, &shared, result.slope,
                                 result.ridge, units, start, options->threads, err)) != STATUS_OK ||
        (choose && (status = choose_ridge(held, &objective, options, y, &result, report, context,
                                          err)) != STATUS_OK) ||
        (status = optimise(&objective, &options->optimise, y, &result.certificate, report, context,
                           err)) != STATUS_OK ||
        (held->count &&
         (status = held_out_loss(held, &objective, y, &result.judged, err)) != STATUS_OK))
        goto cleanup;
    result.certificate.iterations += result.path_steps;
    shared_expand(&shared, y, x);
    Finishing how = {sample, engine, &shared, train, &occurrence, 1};
    if ((status = gauge(engine, train, &occurrence, x, NULL, err)) != STATUS_OK)
        goto cleanup;
    how.factor = result.anchor_factor = anchor_factor(engine, &occurrence, x, options->anchor_cp);
    if ((status = judge(sample, &objective, options, &how, y, &result, err)) != STATUS_OK)
        goto cleanup;
    result.slope /= result.anchor_factor;
    if ((status = finish_weights(&how, y, x, &result.gauged, err)) != STATUS_OK ||
        (status = part_losses(sample, x, result.slope, options->threads, LOSS_EXACT, result.losses,
                              err)) != STATUS_OK)
        goto cleanup;
    for (size_t j = 0; j < 2 * (size_t)engine->weight_count; j++)
        if (!isfinite(x[j])) {
            char name[80];
            weight_name(engine, (int)(j / 2), name, sizeof name);
            status = error_set(err, STATUS_NOT_FINITE, "%s came out as %g", name, x[j]);
            goto cleanup;
        }
    result.clamped = weights_from_coefficients(engine, x, result.weights);
    coefficients_from_weights(engine, result.weights, x);
    if ((status = part_losses(sample, x, result.slope, options->threads, LOSS_ROUNDED,
                              result.losses, err)) != STATUS_OK)
        goto cleanup;
    result.calibration_part = sample->parts[PART_VALIDATION].count ? PART_VALIDATION : PART_TRAIN;
    rows_calibration(&sample->parts[result.calibration_part], x, result.slope, &result.calibration);

cleanup:
    objective_free(&objective);
    occurrence_free(&occurrence);
    shared_free(&shared);
    free(x);
    free(y);
    free(start);
    free(square);
    free(units);
    if (status == STATUS_OK)
        *out = result;
    else
        fit_result_free(&result);
    return status;
}
