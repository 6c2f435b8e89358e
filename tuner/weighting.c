/* SPDX-License-Identifier: GPL-3.0-or-later */
/* weighting.c - positions that count more or less than others. */
#include "weighting.h"

enum { UNIT = 64, WEIGHT_MOST = 16 };

static double ply_weight(const Weighting *weighting, unsigned ply)
{
    if (ply >= (unsigned)weighting->early_plies)
        return 1;
    return 1 -
           weighting->early_loss * (weighting->early_plies - (double)ply) / weighting->early_plies;
}

/* Of a chain whose first row is `first`, by ply. */
static double chain_weight(const Rows *rows, size_t c, size_t first, const Weighting *weighting)
{
    double sum = 0;
    unsigned ply = rows->chains[c].ply;
    for (size_t i = first; i < first + rows->chains[c].rows; i++) {
        ply += row_step(&rows->rows[i]);
        sum += ply_weight(weighting, ply);
    }
    return sum;
}

static void set_masses(Rows *rows, size_t c, size_t first, const Weighting *weighting,
                       double factor)
{
    unsigned ply = rows->chains[c].ply;
    for (size_t i = first; i < first + rows->chains[c].rows; i++) {
        ply += row_step(&rows->rows[i]);
        double weight = factor * ply_weight(weighting, ply);
        int mass = weight < WEIGHT_MOST ? (int)(weight * UNIT + 0.5) : WEIGHT_MOST * UNIT;
        rows->rows[i].mass = (uint16_t)(mass > 0 ? mass : 1);
    }
}

void rows_weigh(Rows *rows, const Weighting *weighting)
{
    if (!weighting->by_game && !(weighting->early_loss > 0))
        return;
    rows->unit = UNIT;
    double all = 0;
    size_t row = 0, games = 0;
    for (size_t c = 0; c < rows->chain_count; c++) {
        all += chain_weight(rows, c, row, weighting);
        row += rows->chains[c].rows;
        games += !chain_goes_on(rows, c);
    }
    row = 0;
    for (size_t c = 0; c < rows->chain_count;) {
        /* The chains of one game. */
        size_t end = c, end_row = row;
        double sum = 0;
        do {
            sum += chain_weight(rows, end, end_row, weighting);
            end_row += rows->chains[end++].rows;
        } while (end < rows->chain_count && chain_goes_on(rows, end));
        double factor = weighting->by_game ? all / (double)games / sum : 1;
        for (; c < end; row += rows->chains[c++].rows)
            set_masses(rows, c, row, weighting, factor);
    }
}
