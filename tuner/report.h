/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.h - what campmate-tune tells about a fit, as text, as JSON and in the header. */
#pragma once

#include "emit.h"
#include "fit.h"

#include <jansson.h>
#include <stdio.h>

typedef struct FitReport {
    const Sample *sample;
    const FitResult *result;
    const Weight *prior;
    double seconds, cpu_seconds;           /* of all of it, and of that ... */
    double load_seconds, load_cpu_seconds; /* ... of reading games */
    json_t *curve;  /* values at the steps, through all strengths of the ridge; borrowed */
    json_t *search; /* what --search tried, NULL = nothing; borrowed                     */
    uint64_t seed;
} FitReport;

/* Tables for a reader. */
void report_print(FILE *out, const FitReport *report);

/* The same as one JSON object (DESIGN section 11). STATUS_NO_MEMORY, STATUS_IO. */
Status report_json(FILE *out, const FitReport *report, Error *err);

/* What goes on top of the header. Free with report_provenance_free. */
typedef struct ReportProvenance {
    Provenance provenance; /* borrows from below */
    ProvenanceLine lines[24];
    char *texts[25];
    size_t text_count;
} ReportProvenance;

/* `command` and `date` as they shall stand there; date may be NULL. */
Status report_provenance(ReportProvenance *made, const FitReport *report, const char *command,
                         const char *date, Error *err);
void report_provenance_free(ReportProvenance *made);
