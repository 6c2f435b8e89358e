/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spsa.c - better numbers for a search from games: see spsa.h. */
#include "spsa.h"

#include "support/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Spall's exponents, and his offset as a share of all iterations. */
static const double GAIN_POWER = 0.602, STEP_POWER = 0.101, OFFSET_SHARE = 0.1;

enum { NARROWEST = 12, STEPS_IN_RANGE = 20 };

void spsa_range(double start, double *least, double *most)
{
    double width = fmax(2.0 * fabs(start), NARROWEST);
    *least = start > 0.0 ? 0.0 : start < 0.0 ? -width : -width / 2.0;
    *most = *least + width;
}

static double clamped(double value, const SpsaParameter *parameter)
{
    return fmin(fmax(value, parameter->least), parameter->most);
}

/* c(k): the distance of both versions from the value. */
static double step_at(const SpsaParameter *parameter, const SpsaGains *gains, uint64_t iteration)
{
    return parameter->step * pow((double)gains->iterations / (double)iteration, STEP_POWER);
}

void spsa_try(const SpsaParameter *parameters, size_t count, const SpsaGains *gains, uint64_t seed,
              uint64_t iteration, SpsaTrial *trials)
{
    Rng rng = rng_from(seed, iteration);
    for (size_t i = 0; i < count; i++) {
        const SpsaParameter *parameter = &parameters[i];
        int sign = rng_below(&rng, 2) ? 1 : -1;
        double step = sign * step_at(parameter, gains, iteration);
        trials[i] = (SpsaTrial){.sign = sign,
                                .first = llround(clamped(parameter->value + step, parameter)),
                                .second = llround(clamped(parameter->value - step, parameter))};
    }
}

void spsa_learn(SpsaParameter *parameters, size_t count, const SpsaGains *gains, uint64_t iteration,
                const SpsaTrial *trials, double score)
{
    const double offset = OFFSET_SHARE * (double)gains->iterations,
                 last = (double)gains->iterations;
    for (size_t i = 0; i < count; i++) {
        SpsaParameter *parameter = &parameters[i];
        if (trials[i].first == trials[i].second) {
            parameter->alike++;
            continue;
        }
        double at_end = gains->rate * parameter->step * parameter->step;
        double gain = at_end * pow((offset + last) / (offset + (double)iteration), GAIN_POWER);
        parameter->value = clamped(parameter->value + gain / step_at(parameter, gains, iteration) *
                                                          trials[i].sign * score,
                                   parameter);
    }
}

/* --- reading a parameter -------------------------------------------------------------------------
 */

static Status wrong(Error *err, const char *name, const char *what)
{
    return error_set(err, STATUS_ARGUMENT, "--tune %s: %s", name, what);
}

/* Reads the fields behind the name, cutting `fields` up. */
static Status read_fields(char *fields, SpsaParameter *parameter, bool *has_least, bool *has_most,
                          bool *has_step, Error *err)
{
    const struct {
        const char *key;
        double *value;
        bool *given;
    } keys[] = {
        {"start", &parameter->start, NULL},
        {"min", &parameter->least, has_least},
        {"max", &parameter->most, has_most},
        {"step", &parameter->step, has_step},
    };
    for (char *field; (field = strsep(&fields, ","));) {
        char *text = strchr(field, '=');
        size_t length = text ? (size_t)(text - field) : 0, at = 0;
        while (at < 4 && !(text && strlen(keys[at].key) == length &&
                           strncmp(keys[at].key, field, length) == 0))
            at++;
        if (at == 4)
            return error_set(err, STATUS_ARGUMENT,
                             "--tune %s: '%s', expected start=, min=, max= or step= with a number",
                             parameter->name, field);
        char *end;
        double value = strtod(text + 1, &end);
        if (end == text + 1 || *end || !(fabs(value) <= 1e9))
            return error_set(err, STATUS_ARGUMENT, "--tune %s: %s '%s' is no number",
                             parameter->name, keys[at].key, text + 1);
        *keys[at].value = value;
        if (keys[at].given)
            *keys[at].given = true;
    }
    return STATUS_OK;
}

static Status finish(const SpsaKnown *known, bool has_least, bool has_most, bool has_step,
                     SpsaParameter *parameter, Error *err)
{
    double least, most;
    if (known->has_limits) {
        least = known->least;
        most = known->most;
    } else {
        spsa_range(parameter->start, &least, &most);
    }
    if (!has_least)
        parameter->least = least;
    if (!has_most)
        parameter->most = most;
    if (known->has_limits && (parameter->least < known->least || parameter->most > known->most))
        return error_set(err, STATUS_ARGUMENT,
                         "--tune %s: the range %g to %g is not within the engine's, %g to %g",
                         parameter->name, parameter->least, parameter->most, known->least,
                         known->most);
    if (!(parameter->least < parameter->most))
        return wrong(err, parameter->name, "the range is empty: expected min below max");
    if (parameter->start < parameter->least || parameter->start > parameter->most)
        return error_set(err, STATUS_ARGUMENT,
                         "--tune %s: the start %g is not in the range from %g to %g",
                         parameter->name, parameter->start, parameter->least, parameter->most);
    if (!has_step)
        parameter->step = fmax((parameter->most - parameter->least) / STEPS_IN_RANGE, 0.5);
    if (!(parameter->step > 0.0))
        return wrong(err, parameter->name, "expected a step above 0");
    parameter->value = parameter->start;
    return STATUS_OK;
}

Status spsa_parameter_parse(const char *text, SpsaKnown (*find)(void *context, const char *name),
                            void *context, SpsaParameter *parameter, Error *err)
{
    char *copy = strdup(text), *fields = copy;
    if (!copy)
        return error_set(err, STATUS_NO_MEMORY, "--tune: out of memory");
    parameter->name = strsep(&fields, ",");
    SpsaKnown known = find(context, parameter->name);
    bool has_least = false, has_most = false, has_step = false;
    Status status = STATUS_OK;
    if (!known.found)
        status =
            error_set(err, STATUS_ARGUMENT, "--tune %s: the engine has no such option of type spin",
                      parameter->name);
    parameter->start = known.standard;
    if (status == STATUS_OK && fields)
        status = read_fields(fields, parameter, &has_least, &has_most, &has_step, err);
    if (status == STATUS_OK)
        status = finish(&known, has_least, has_most, has_step, parameter, err);
    if (status == STATUS_OK && !(parameter->name = strdup(parameter->name)))
        status = error_set(err, STATUS_NO_MEMORY, "--tune: out of memory");
    if (status != STATUS_OK)
        parameter->name = NULL;
    free(copy);
    return status;
}
