/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task_by_hand.c - headers without a fit. */
#include "command.h"

#include "emit.h"

#include <stdlib.h>
#include <string.h>

static const TermGroup *find_group(const Engine *engine, const char *name)
{
    for (int g = 0; g < engine->term_group_count; g++)
        if (!strcmp(engine->term_groups[g].name, name))
            return &engine->term_groups[g];
    return NULL;
}

static int find_item(const TermGroup *group, const char *name, size_t length)
{
    for (int i = 0; group && group->item_names && i < group->items; i++)
        if (strlen(group->item_names[i]) == length && !memcmp(group->item_names[i], name, length))
            return i;
    return -1;
}

static int16_t clamped(long value)
{
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

/* "PAWN=100,KNIGHT=300": the value of a piece on the board, and of each of it in hand. */
static Status set_material(const Engine *engine, const char *list, Weight *weights, Error *err)
{
    const TermGroup *material = find_group(engine, "material"), *hand = find_group(engine, "hand");
    if (!material)
        return error_set(err, STATUS_ARGUMENT, "%s has no weights named material", engine->name);
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        const char *equals = memchr(at, '=', length);
        size_t name_length = equals ? (size_t)(equals - at) : length;
        int item = find_item(material, at, name_length);
        if (item < 0)
            return error_set(err, STATUS_ARGUMENT, "--material: %s has no piece '%.*s'",
                             engine->name, (int)name_length, at);
        char *end = NULL;
        long value = equals ? strtol(equals + 1, &end, 10) : 0;
        if (!equals || end != at + length || end == equals + 1 || value < -30000 || value > 30000)
            return error_set(err, STATUS_ARGUMENT,
                             "--material: '%.*s', expected NAME=CENTIPAWNS from -30000 to 30000",
                             (int)length, at);
        int size = material->rows * material->columns;
        for (int i = 0; i < size; i++)
            weights[material->first + item * size + i] = (Weight){clamped(value), clamped(value)};
        int kind = find_item(hand, at, name_length);
        for (int column = 0; kind >= 0 && column < hand->columns; column++) {
            int w = hand->first + kind * hand->rows * hand->columns + column;
            if (!engine->weight_exists || engine->weight_exists[w])
                weights[w] = (Weight){clamped(value * (column + 1)), clamped(value * (column + 1))};
        }
        at += length + (at[length] == ',');
    }
    return STATUS_OK;
}

int task_by_hand(const TuneOptions *options, const Engine *engine)
{
    Error error = {0};
    Weight *weights = calloc((size_t)engine->weight_count, sizeof *weights);
    char *command = command_text(options);
    Status status = STATUS_OK;
    bool wrong = false;
    if (!weights || !command) {
        status = error_set(&error, STATUS_NO_MEMORY, "no memory for the header");
    } else if (options->emit_material) {
        status = set_material(engine, options->material, weights, &error);
        wrong = status == STATUS_ARGUMENT;
    }
    if (status == STATUS_OK) {
        ProvenanceLine line = {"command", command};
        Provenance provenance = {.summary = options->emit_material ? "material values set by hand"
                                                                   : "all weights 0",
                                 .lines = &line,
                                 .line_count = 1};
        status = emit_file(engine, weights, &provenance, options->out, &error);
    }
    free(weights);
    free(command);
    if (wrong)
        return complain(EXIT_USAGE, error.message);
    return status == STATUS_OK ? EXIT_DONE : fail(status, &error);
}
