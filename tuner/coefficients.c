/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coefficients.c - weights as coefficients and by name. */
#include "coefficients.h"

#include <math.h>

void coefficients_from_weights(const Engine *engine, const Weight *weights, double *x)
{
    for (int w = 0; w < engine->weight_count; w++) {
        x[2 * w] = (weights[w].middlegame + weights[w].endgame) / 2.0;
        x[2 * w + 1] = weights[w].middlegame - weights[w].endgame;
    }
}

static int16_t rounded(double value, int *clamped)
{
    double nearest = floor(value + 0.5);
    if (nearest > INT16_MAX || nearest < INT16_MIN)
        ++*clamped;
    return (int16_t)(nearest > INT16_MAX ? INT16_MAX : nearest < INT16_MIN ? INT16_MIN : nearest);
}

int weights_from_coefficients(const Engine *engine, const double *x, Weight *weights)
{
    int clamped = 0;
    for (int w = 0; w < engine->weight_count; w++) {
        if (engine->weight_exists && !engine->weight_exists[w]) {
            weights[w] = (Weight){0, 0};
            continue;
        }
        weights[w].middlegame = rounded(x[2 * w] + x[2 * w + 1] / 2, &clamped);
        weights[w].endgame = rounded(x[2 * w] - x[2 * w + 1] / 2, &clamped);
    }
    return clamped;
}

void weight_name(const Engine *engine, int weight, char *text, size_t size)
{
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        int offset = weight - group->first, cells = group->rows * group->columns;
        if (offset < 0 || offset >= group->items * cells)
            continue;
        const char *item = group->item_names ? group->item_names[offset / cells] : NULL;
        int row = offset % cells / group->columns, column = offset % group->columns;
        char where[32] = "";
        if (group->rows > 1)
            snprintf(where, sizeof where, "[%d][%d]", row, column);
        else if (group->columns > 1)
            snprintf(where, sizeof where, "[%d]", column);
        if (item)
            snprintf(text, size, "%s[%s]%s", group->name, item, where);
        else
            snprintf(text, size, "%s%s", group->name, where);
        return;
    }
    snprintf(text, size, "weight %d", weight);
}
