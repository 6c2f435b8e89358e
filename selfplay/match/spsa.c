/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spsa.c - better numbers for a search from games: see spsa.h. */
#include "spsa.h"

#include "spec_reader.h"
#include "support/options.h"
#include "support/rng.h"

#include <math.h>
#include <stdio.h>
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

/* Reads "start=..,min=.." into the parameter; what is not there stays as it is. */
static Status read_fields(const char *fields, SpsaParameter *parameter, Error *err)
{
    const struct {
        const char *key;
        double *value;
    } keys[] = {
        {"start", &parameter->start},
        {"min", &parameter->least},
        {"max", &parameter->most},
        {"step", &parameter->step},
    };
    char what[100];
    snprintf(what, sizeof what, "--tune %s", parameter->name);
    SpecReader reader;
    bool end;
    Status status = spec_reader_open(&reader, what, fields, err);
    while (status == STATUS_OK && (status = spec_reader_next(&reader, &end, err)) == STATUS_OK &&
           !end) {
        size_t i = 0, count = sizeof keys / sizeof *keys;
        while (i < count && strcmp(reader.key, keys[i].key) != 0)
            i++;
        if (i == count)
            status = error_set(err, STATUS_ARGUMENT,
                               "%s: unknown key '%s' (expected start, min, max or step)", what,
                               reader.key);
        else if (!decimal_parse(reader.value, keys[i].value) || !(fabs(*keys[i].value) <= 1e9))
            status = spec_bad_value(&reader, "a number from -1e9 to 1e9", err);
    }
    spec_reader_close(&reader);
    return status;
}

/* Fills what is not given (NAN) and checks the whole. */
static Status finish(const SpsaKnown *known, SpsaParameter *parameter, Error *err)
{
    double least = known->least, most = known->most;
    if (!known->has_limits)
        spsa_range(parameter->start, &least, &most);
    if (isnan(parameter->least))
        parameter->least = least;
    if (isnan(parameter->most))
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
    if (isnan(parameter->step))
        parameter->step = fmax((parameter->most - parameter->least) / STEPS_IN_RANGE, 0.5);
    if (!(parameter->step > 0.0))
        return wrong(err, parameter->name, "expected a step above 0");
    parameter->value = parameter->start;
    return STATUS_OK;
}

Status spsa_parameter_parse(const char *text, SpsaKnown (*find)(void *context, const char *name),
                            void *context, SpsaParameter *parameter, Error *err)
{
    const char *comma = strchr(text, ',');
    char *name = comma ? strndup(text, (size_t)(comma - text)) : strdup(text);
    if (!name)
        return error_set(err, STATUS_NO_MEMORY, "--tune: out of memory");
    const SpsaKnown known = find(context, name);
    SpsaParameter read = {
        .name = name, .start = known.standard, .least = NAN, .most = NAN, .step = NAN};
    Status status =
        known.found ? STATUS_OK : wrong(err, name, "the engine has no such option of type spin");
    if (status == STATUS_OK && comma)
        status = read_fields(comma + 1, &read, err);
    if (status == STATUS_OK)
        status = finish(&known, &read, err);
    if (status == STATUS_OK)
        *parameter = read;
    else
        free(name);
    return status;
}
