/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.c - what campmate-tune tells about a fit, as text, as JSON and in the header. */
#include "report.h"

#include "coefficients.h"
#include "dataset.h"
#include "support/files.h"
#include "support/version.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_names[PART_COUNT] = {"train", "validation", "test"};

static uint64_t all_positions(const FitResult *result)
{
    uint64_t sum = 0;
    for (int part = 0; part < PART_COUNT; part++)
        sum += result->positions[part];
    return sum;
}

/* "0.123456", or "-" where there is nothing to compute it from. */
static const char *loss_text(double loss, char *text, size_t size)
{
    if (isnan(loss))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.6f", loss);
    return text;
}

static void print_curve(FILE *out, const FitResult *result)
{
    if (result->curve_length)
        fputs("\nlearning curve\n   games      train   validation\n", out);
    for (int i = 0; i < result->curve_length; i++)
        fprintf(out, "%8llu   %.6f     %.6f\n", (unsigned long long)result->curve[i].games,
                result->curve[i].train, result->curve[i].validation);
    if (result->curve_length)
        fputc('\n', out);
}

/* The groups, and how large the errors of their weights are. */
static void print_errors(FILE *out, const FitReport *report)
{
    const Engine *engine = report->sample->engine;
    const FitResult *result = report->result;
    if (!result->errors)
        return;
    fputs("standard errors (bootstrap), where a weight occurs\n"
          "  term                  weights   mean |weight|   mean error   beyond 2 errors\n",
          out);
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        double size = 0, error = 0;
        int count = 0, clear = 0;
        for (int w = group->first; w < group->first + group->items * group->rows * group->columns;
             w++) {
            if (!result->occurred[w])
                continue;
            double value = (result->weights[w].middlegame + result->weights[w].endgame) / 2.0;
            double spread = (result->errors[2 * w] + result->errors[2 * w + 1]) / 2;
            size += fabs(value);
            error += spread;
            clear += fabs(value) > 2 * spread;
            count++;
        }
        if (count)
            fprintf(out, "  %-20s %8d %15.1f %12.1f %15.0f %%\n", group->name, count, size / count,
                    error / count, 100.0 * clear / count);
    }
    fputc('\n', out);
}

/* The weights that few positions count, the rarest first. */
static void print_rare(FILE *out, const FitReport *report)
{
    enum { SHOWN = 12 };
    const Engine *engine = report->sample->engine;
    const FitResult *result = report->result;
    int shown = 0;
    for (int seen = 1; seen < result->rare_below && shown < SHOWN; seen++)
        for (int w = 0; w < engine->weight_count && shown < SHOWN; w++)
            if (result->occurred[w] == (uint64_t)seen) {
                char name[80];
                weight_name(engine, w, name, sizeof name);
                fprintf(out, "  %10d  %s\n", seen, name);
                shown++;
            }
    if (result->rarely > shown)
        fprintf(out, "              and %d more (--table, --json)\n", result->rarely - shown);
}

void report_print(FILE *out, const FitReport *report)
{
    const Sample *sample = report->sample;
    const FitResult *result = report->result;
    const Certificate *certificate = &result->certificate;

    fprintf(out, "%s: %llu games, %llu plies, %llu positions to fit\n", sample->engine->name,
            (unsigned long long)sample->games, (unsigned long long)sample->plies,
            (unsigned long long)all_positions(result));
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        if (sample->skipped[skip]) {
            fprintf(out, "  %10llu  %s\n", (unsigned long long)sample->skipped[skip],
                    skip_text((Skip)skip));
            if (sample->first[skip])
                fprintf(out, "              first: %s\n", sample->first[skip]);
        }
    if (!sample->split)
        fputs("  too few games, or none wanted, to hold out: all are used for training\n", out);
    fprintf(out, "trace compared with the evaluation in %llu positions: equal\n",
            (unsigned long long)sample->checked);
    fprintf(out, "K = %.6f", result->slope);
    if (result->anchor_factor != 1)
        fprintf(out, " after multiplying the weights by %.4f (--anchor)", result->anchor_factor);
    fputs("\n\n", out);

    fputs("cross-entropy   positions   different      before     optimum  as integers\n", out);
    for (int part = 0; part < PART_COUNT; part++) {
        char before[24], exact[24], whole[24];
        const FitLosses *losses = &result->losses[part];
        fprintf(out, "%-12s %12llu %11llu %11s %11s  %11s\n", part_names[part],
                (unsigned long long)result->positions[part], (unsigned long long)result->rows[part],
                loss_text(losses->before, before, sizeof before),
                loss_text(losses->exact, exact, sizeof exact),
                loss_text(losses->rounded, whole, sizeof whole));
    }
    const FitLosses *train = &result->losses[PART_TRAIN];
    fprintf(out, "rounding to integers costs %.2g nats in training\n\n",
            train->rounded - train->exact);

    fprintf(out, "ridge %g%s\n", result->ridge,
            result->path_length ? ", chosen on validation:" : "");
    for (int i = 0; i < result->path_length; i++)
        fprintf(out, "  %10.3g   train %.6f   validation %.6f%s\n", result->path[i].ridge,
                result->path[i].train, result->path[i].validation,
                result->path[i].ridge == result->ridge ? "   <-" : "");
    fprintf(out,
            "\noptimum      at most %.2g nats above the best possible (ridge bound)\n"
            "             gradient %.2g, Newton decrement %.2g, %d steps, %d products, %s\n",
            certificate->gap_bound, certificate->gradient_norm, certificate->decrement,
            certificate->iterations, certificate->products,
            certificate->dense ? "Cholesky" : "conjugate gradients");
    if (result->crossed)
        fprintf(out,
                "             a second start ends %.1e nats away, no coefficient more than %.1e "
                "logits;\n"
                "             gradient %.9f by its formula, %.9f by differences\n",
                fabs(result->cross.other_total - certificate->value.total), result->cross.apart,
                result->cross.slope, result->cross.difference);
    print_curve(out, result);
    print_errors(out, report);
    fprintf(out,
            "weights      %d of %d occur, %d of them in fewer than %d positions; %d clamped; "
            "%d tables centred\n",
            result->seen, result->seen + result->never, result->rarely, result->rare_below,
            result->clamped, result->gauged);
    print_rare(out, report);
    fputc('\n', out);

    fprintf(out, "calibration (%s)\n  predicted   scored   positions\n",
            part_names[result->calibration_part]);
    for (int bin = 0; bin < CALIBRATION_BINS; bin++)
        if (result->calibration.mass[bin] > 0)
            fprintf(out, "  %9.4f %8.4f %11.0f\n", result->calibration.predicted[bin],
                    result->calibration.scored[bin], result->calibration.mass[bin]);
    uint64_t rows = result->rows[0] + result->rows[1] + result->rows[2];
    fprintf(out,
            "\n%.1f s, %.1f CPU s (loading %.1f s, %.1f CPU s), %.0f bytes a position, seed %llu\n",
            report->seconds, report->cpu_seconds, report->load_seconds, report->load_cpu_seconds,
            rows ? (double)result->bytes / (double)rows : 0.0, (unsigned long long)report->seed);
}

/* --- JSON --------------------------------------------------------------------------------------
 */

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *calibration_json(const Calibration *calibration)
{
    json_t *bins = json_array();
    for (int bin = 0; bin < CALIBRATION_BINS; bin++)
        json_array_append_new(
            bins, json_pack("{s:f, s:f, s:f}", "positions", calibration->mass[bin], "predicted",
                            calibration->predicted[bin], "scored", calibration->scored[bin]));
    return bins;
}

static json_t *curve_json(const FitResult *result)
{
    json_t *points = json_array();
    for (int i = 0; i < result->curve_length; i++)
        json_array_append_new(
            points, json_pack("{s:I, s:o, s:o}", "games", (json_int_t)result->curve[i].games,
                              "train", number_or_null(result->curve[i].train), "validation",
                              number_or_null(result->curve[i].validation)));
    return points;
}

static json_t *rare_json(const Engine *engine, const FitResult *result)
{
    json_t *rare = json_object();
    for (int w = 0; w < engine->weight_count; w++)
        if (result->occurred[w] && result->occurred[w] < (uint64_t)result->rare_below) {
            char name[80];
            weight_name(engine, w, name, sizeof name);
            json_object_set_new(rare, name, json_integer((json_int_t)result->occurred[w]));
        }
    return rare;
}

Status report_json(FILE *out, const FitReport *report, Error *err)
{
    const Sample *sample = report->sample;
    const FitResult *result = report->result;
    const Certificate *certificate = &result->certificate;
    const FitLosses *train = &result->losses[PART_TRAIN];
    json_t *skipped = json_object(), *first = json_object();
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        if (sample->skipped[skip])
            json_object_set_new(skipped, skip_text((Skip)skip),
                                json_integer((json_int_t)sample->skipped[skip]));
    for (int skip = 0; skip < SKIP_COUNT; skip++)
        if (sample->first[skip])
            json_object_set_new(first, skip_text((Skip)skip), json_string(sample->first[skip]));
    char digest[33];
    weights_digest(sample->engine, result->weights, digest);
    json_t *object = json_pack(
        "{s:s, s:I, s:I, s:i, s:f, s:o, s:o, s:o, s:o, s:o, s:i, s:f, s:f, s:f, s:f, s:f}",
        "variant", sample->engine->name, "games", (json_int_t)sample->games, "positions",
        (json_int_t)all_positions(result), "weights", result->seen + result->never, "k",
        result->slope, "loss_before", number_or_null(train->before), "loss_train",
        number_or_null(train->rounded), "loss_validation",
        number_or_null(result->losses[PART_VALIDATION].rounded), "loss_test",
        number_or_null(result->losses[PART_TEST].rounded), "loss_validation_before",
        number_or_null(result->losses[PART_VALIDATION].before), "iterations",
        certificate->iterations, "gradient_norm", certificate->gradient_norm, "gap_bound",
        certificate->gap_bound, "newton_decrement", certificate->decrement, "seconds",
        report->seconds, "cpu_seconds", report->cpu_seconds);
    int failed = !object;
    if (object) {
        failed |= json_object_set_new(object, "load_seconds", json_real(report->load_seconds));
        failed |=
            json_object_set_new(object, "load_cpu_seconds", json_real(report->load_cpu_seconds));
        failed |= json_object_set_new(object, "bytes", json_integer((json_int_t)result->bytes));
        if (result->crossed) {
            double away = fabs(result->cross.other_total - certificate->value.total);
            failed |= json_object_set_new(object, "second_start_gap", json_real(away));
            failed |=
                json_object_set_new(object, "second_start_apart", json_real(result->cross.apart));
            failed |= json_object_set_new(
                object, "gradient_check",
                json_real(fabs(result->cross.slope - result->cross.difference)));
        }
        if (result->curve_length)
            failed |= json_object_set_new(object, "learning_curve", curve_json(result));
        failed |= json_object_set_new(object, "ridge", json_real(result->ridge));
        failed |= json_object_set_new(object, "anchor_factor", json_real(result->anchor_factor));
        failed |= json_object_set_new(object, "rounding_cost",
                                      number_or_null(train->rounded - train->exact));
        failed |= json_object_set_new(object, "rarely_seen", json_integer(result->rarely));
        failed |= json_object_set_new(object, "rare", rare_json(sample->engine, result));
        failed |= json_object_set_new(object, "never_seen", json_integer(result->never));
        failed |= json_object_set_new(object, "seed", json_integer((json_int_t)report->seed));
        failed |= json_object_set_new(object, "weights_digest", json_string(digest));
        failed |= json_object_set_new(object, "skipped", json_incref(skipped));
        failed |= json_object_set_new(object, "skipped_first", json_incref(first));
        failed |=
            json_object_set_new(object, "calibration", calibration_json(&result->calibration));
        failed |= json_object_set(object, "curve", report->curve);
        if (report->search)
            failed |= json_object_set(object, "search", report->search);
    }
    Status status = STATUS_OK;
    if (failed)
        status = error_set(err, STATUS_NO_MEMORY, "no memory for JSON");
    else if (json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(12)) ||
             fputc('\n', out) == EOF)
        status = error_set_errno(err, "writing JSON");
    json_decref(skipped);
    json_decref(first);
    json_decref(object);
    return status;
}

/* --- provenance
 * ----------------------------------------------------------------------------------- */

void report_provenance_free(ReportProvenance *made)
{
    for (size_t i = 0; i < made->text_count; i++)
        free(made->texts[i]);
    memset(made, 0, sizeof *made);
}

/* Keeps a text (NULL = out of memory) and makes a line of it; returns false when full or NULL. */
static bool add_line(ReportProvenance *made, const char *label, char *text)
{
    if (!text)
        return false;
    if (made->provenance.line_count == sizeof made->lines / sizeof *made->lines) {
        free(text); /* more datasets than a header needs to list: the digests of the first say it */
        return true;
    }
    made->texts[made->text_count++] = text;
    made->lines[made->provenance.line_count++] = (ProvenanceLine){label, text};
    return true;
}

/* Digits with commas: 3912004 -> "3,912,004". */
static const char *grouped(uint64_t number, char *text, size_t size)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

Status report_provenance(ReportProvenance *made, const FitReport *report, const char *command,
                         const char *date, Error *err)
{
    const Sample *sample = report->sample;
    const FitResult *result = report->result;
    const FitLosses *losses = result->losses;
    const Certificate *certificate = &result->certificate;
    char a[32], b[32], c[32], d[32], digest[33];
    bool ok = true;
    memset(made, 0, sizeof *made);

    ok = ok && add_line(made, "command", text_format("%s", command));
    for (size_t i = 0; i < sample->source_count && i < 12; i++)
        ok = ok && add_line(made, i ? "" : "dataset",
                            text_format("%s  %s games  xxh3-128 %s", sample->sources[i].name,
                                        grouped(sample->sources[i].games, a, sizeof a),
                                        sample->sources[i].digest));
    ok = ok && add_line(made, "positions",
                        text_format("%s  (train %s, validation %s, test %s)",
                                    grouped(all_positions(result), a, sizeof a),
                                    grouped(result->positions[PART_TRAIN], b, sizeof b),
                                    grouped(result->positions[PART_VALIDATION], c, sizeof c),
                                    grouped(result->positions[PART_TEST], d, sizeof d)));
    ok = ok &&
         add_line(made, "loss",
                  text_format("train %s  validation %s  test %s  (before: %s)   "
                              "cross-entropy in nats, K = %.6f",
                              loss_text(losses[PART_TRAIN].rounded, a, sizeof a),
                              loss_text(losses[PART_VALIDATION].rounded, b, sizeof b),
                              loss_text(losses[PART_TEST].rounded, c, sizeof c),
                              loss_text(losses[PART_TRAIN].before, d, sizeof d), result->slope));
    ok = ok && add_line(made, "optimum",
                        text_format("within %.1e nats  gradient %.1e  decrement %.1e  %d steps; "
                                    "ridge %.3g; rounding costs %.1e nats",
                                    certificate->gap_bound, certificate->gradient_norm,
                                    certificate->decrement, certificate->iterations, result->ridge,
                                    losses[PART_TRAIN].rounded - losses[PART_TRAIN].exact));
    if (ok && result->crossed)
        ok = add_line(made, "",
                      text_format("a second start ended %.1e nats away, coefficients within %.1e "
                                  "logits",
                                  fabs(result->cross.other_total - certificate->value.total),
                                  result->cross.apart));
    ok = ok && add_line(made, "weights",
                        text_format("%d, of which %d were never seen and %d in fewer than %d "
                                    "positions",
                                    result->seen + result->never, result->never, result->rarely,
                                    result->rare_below));
    made->provenance.slope = result->slope;
    weights_digest(sample->engine, report->prior, digest);
    ok = ok && add_line(made, "parent",
                        weights_are_zero(sample->engine, report->prior)
                            ? text_format("all weights 0")
                            : text_format("weights xxh3-128 %s", digest));
    ok = ok &&
         add_line(made, "built by",
                  text_format("campmate-tune %s, commit %s", version_number(), version_commit()));
    if (date)
        ok = ok && add_line(made, "date", text_format("%s", date));

    const char *source = sample->source_count ? sample->sources[0].name : "nothing";
    char *summary =
        text_format("%s positions of %s%s (xxh3-128 %.8s), loss %s, validation %s, K = %.4f",
                    grouped(all_positions(result), a, sizeof a), source,
                    sample->source_count > 1 ? " and others" : "",
                    sample->source_count ? sample->sources[0].digest : "",
                    loss_text(losses[PART_TRAIN].rounded, b, sizeof b),
                    loss_text(losses[PART_VALIDATION].rounded, c, sizeof c), result->slope);
    if (!ok || !summary) {
        free(summary);
        report_provenance_free(made);
        return error_set(err, STATUS_NO_MEMORY, "no memory for the header");
    }
    made->texts[made->text_count++] = summary;
    made->provenance.summary = summary;
    made->provenance.lines = made->lines;
    return STATUS_OK;
}
