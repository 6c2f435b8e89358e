/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.c - all weights of a fit as a table. */
#include "table.h"

#include "coefficients.h"
#include "support/files.h"

#include <inttypes.h>
#include <math.h>

/* Without a decimal point, which a locale might change; centipawns and hundredths. */
static void put_error(FILE *out, double error)
{
    long hundredths = lround(100 * error);
    fprintf(out, ",%ld.%02ld", hundredths / 100, hundredths % 100);
}

Status table_write(const char *path, const Engine *engine, const FitResult *result, Error *err)
{
    AtomicFile file;
    Status status = atomic_file_open(&file, path, err);
    if (status != STATUS_OK)
        return status;
    fputs("weight,middlegame,endgame,middlegame_error,endgame_error,positions\n", file.stream);
    for (int w = 0; w < engine->weight_count; w++) {
        if (engine->weight_exists && !engine->weight_exists[w])
            continue;
        char name[80];
        weight_name(engine, w, name, sizeof name);
        fprintf(file.stream, "%s,%d,%d", name, result->weights[w].middlegame,
                result->weights[w].endgame);
        for (int phase = 0; phase < 2; phase++) {
            if (result->errors)
                put_error(file.stream, result->errors[2 * w + phase]);
            else
                fputc(',', file.stream);
        }
        fprintf(file.stream, ",%" PRIu64 "\n", result->occurred[w]);
    }
    return atomic_file_commit(&file, err);
}
