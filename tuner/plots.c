/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plots.c - pictures of a fit, by gnuplot. */
#include "plots.h"

#include "coefficients.h"
#include "support/files.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static Status run_gnuplot(const char *argument, Error *err)
{
    pid_t child;
    int status;
    char *words[] = {(char[]){"gnuplot"}, NULL, NULL};
    words[1] = strdup(argument);
    if (!words[1])
        return error_set(err, STATUS_NO_MEMORY, "no memory to run gnuplot");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /* O_WRONLY */, 0);
    int code = posix_spawnp(&child, "gnuplot", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(words[1]);
    if (code)
        return error_set(err, STATUS_IO, "--plots: cannot run gnuplot: %s", strerror(code));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return error_set_errno(err, "--plots: waiting for gnuplot");
    if (status)
        return error_set(err, STATUS_IO, "--plots: gnuplot %s failed", argument);
    return STATUS_OK;
}

Status plots_check(Error *err)
{
    return run_gnuplot("--version", err);
}

/* --- one picture --------------------------------------------------------------------------- */

typedef struct Picture {
    AtomicFile file;
    FILE *out;
    char *script;
} Picture;

static Status picture_begin(Picture *picture, const char *directory, const char *name, int width,
                            int height, Error *err)
{
    picture->script = text_format("%s/%s.gp", directory, name);
    if (!picture->script)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a picture");
    Status status = atomic_file_open(&picture->file, picture->script, err);
    if (status != STATUS_OK) {
        free(picture->script);
        return status;
    }
    picture->out = picture->file.stream;
    fprintf(picture->out,
            "set terminal svg size %d,%d font 'sans-serif,13' background 'white'\n"
            "set output '%s/%s.svg'\n"
            "set border linecolor '#606060'\n"
            "set tics nomirror\n"
            "set grid linecolor '#e0e0e0'\n",
            width, height, directory, name);
    return STATUS_OK;
}

static Status picture_end(Picture *picture, Error *err)
{
    Status status = atomic_file_commit(&picture->file, err);
    if (status == STATUS_OK)
        status = run_gnuplot(picture->script, err);
    free(picture->script);
    return status;
}

/* --- curves -------------------------------------------------------------------------------- */

static Status plot_loss(const char *directory, const FitReport *report, Error *err)
{
    Picture picture;
    Status status = picture_begin(&picture, directory, "loss", 760, 480, err);
    if (status != STATUS_OK)
        return status;
    fputs("$steps << EOD\n", picture.out);
    for (size_t i = 0; i < json_array_size(report->curve); i++)
        fprintf(picture.out, "%zu %.9f\n", i, json_real_value(json_array_get(report->curve, i)));
    fprintf(picture.out,
            "EOD\n"
            "set xlabel 'Newton step, through all ridges'\n"
            "set ylabel 'loss and pull, nats a position'\n"
            "set format y '%%.4f'\n"
            "set title '%s: loss by step'\n"
            "plot $steps with linespoints pointtype 7 pointsize 0.4 linewidth 2 "
            "linecolor '#2060a0' notitle\n",
            report->sample->engine->title);
    return picture_end(&picture, err);
}

static Status plot_learning(const char *directory, const FitReport *report, Error *err)
{
    const FitResult *result = report->result;
    Picture picture;
    Status status = picture_begin(&picture, directory, "learning-curve", 760, 480, err);
    if (status != STATUS_OK)
        return status;
    bool validation = true;
    fputs("$curve << EOD\n", picture.out);
    for (int i = 0; i < result->curve_length; i++) {
        const CurvePoint *point = &result->curve[i];
        validation = validation && isfinite(point->validation);
        if (isfinite(point->train))
            fprintf(picture.out, "%llu %.9f %.9f\n", (unsigned long long)point->games, point->train,
                    point->validation);
    }
    fprintf(picture.out,
            "EOD\n"
            "set logscale x 2\n"
            "set xlabel 'games (each mark twice as many)'\n"
            "set ylabel 'cross-entropy, nats a position'\n"
            "set format y '%%.4f'\n"
            "set title '%s: would more games help?'\n"
            "set key top right\n"
            "set xtics ()\n"
            "stats $curve using 1 nooutput\n"
            "plot $curve using 1:2:xtic(1) with linespoints pointtype 7 linewidth 2 "
            "linecolor '#2060a0' title 'training'%s\n",
            report->sample->engine->title,
            validation ? ", $curve using 1:3 with linespoints pointtype 5 linewidth 2 "
                         "linecolor '#c04020' title 'validation'"
                       : "");
    return picture_end(&picture, err);
}

static Status plot_calibration(const char *directory, const FitReport *report, Error *err)
{
    const Calibration *calibration = &report->result->calibration;
    Picture picture;
    Status status = picture_begin(&picture, directory, "calibration", 560, 560, err);
    if (status != STATUS_OK)
        return status;
    fputs("$bins << EOD\n", picture.out);
    for (int bin = 0; bin < CALIBRATION_BINS; bin++)
        if (calibration->mass[bin] > 0) {
            /* Positions of a game are alike: the bar is for independent ones, so at least so long.
             */
            double scored = calibration->scored[bin];
            fprintf(picture.out, "%.6f %.6f %.6f\n", calibration->predicted[bin], scored,
                    2 * sqrt(fmax(0, scored * (1 - scored)) / calibration->mass[bin]));
        }
    fprintf(picture.out,
            "EOD\n"
            "set size square\n"
            "set xrange [0:1]\nset yrange [0:1]\n"
            "set xlabel 'predicted score'\nset ylabel 'scored'\n"
            "set title '%s: calibration, %s positions'\n"
            "plot x with lines linecolor '#a0a0a0' dashtype 2 notitle, "
            "$bins with yerrorlines pointtype 7 linewidth 2 linecolor '#2060a0' notitle\n",
            report->sample->engine->title,
            report->result->calibration_part == PART_TRAIN ? "training" : "validation");
    return picture_end(&picture, err);
}

/* --- tables on the board --------------------------------------------------------------------- */

static int phase_value(const Weight *weight, int phase)
{
    return phase ? weight->endgame : weight->middlegame;
}

static int compare_size(const void *a, const void *b)
{
    return abs(*(const int *)a) - abs(*(const int *)b);
}

/* The end of the colours: all but the largest fiftieth of the values are inside. */
static int colour_range(const FitReport *report, const TermGroup *group, int phase)
{
    int size = group->items * group->rows * group->columns, range = 10;
    int *values = malloc((size_t)size * sizeof *values);
    for (int i = 0; values && i < size; i++)
        values[i] = phase_value(&report->result->weights[group->first + i], phase);
    if (values) {
        qsort(values, (size_t)size, sizeof *values, compare_size);
        range = abs(values[size - 1 - size / 50]);
    }
    free(values);
    return range > 10 ? range : 10;
}

static void put_table(FILE *out, const FitReport *report, const TermGroup *group, int item,
                      int phase)
{
    const Engine *engine = report->sample->engine;
    fprintf(out, "$table%d << EOD\n", item);
    for (int row = 0; row < group->rows; row++)
        for (int column = 0; column < group->columns; column++) {
            int w = group->first + (item * group->rows + row) * group->columns + column;
            bool exists = !engine->weight_exists || engine->weight_exists[w];
            fprintf(out, "%d %d ", column, group->rows - 1 - row);
            if (exists)
                fprintf(out, "%d\n", phase_value(&report->result->weights[w], phase));
            else
                fputs("-\n", out);
        }
    fputs("EOD\n", out);
}

static Status plot_group(const char *directory, const FitReport *report, const TermGroup *group,
                         int phase, Error *err)
{
    static const char *const phases[] = {"middlegame", "endgame"};
    int across = group->items < 4 ? group->items : 4, down = (group->items + across - 1) / across;
    char *name = text_format("%s-%s", group->name, phases[phase]);
    Picture picture;
    if (!name)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a picture");
    Status status =
        picture_begin(&picture, directory, name, across * (38 * group->columns + 60) + 20,
                      down * (38 * group->rows + 70) + 50, err);
    free(name);
    if (status != STATUS_OK)
        return status;
    FILE *out = picture.out;
    int range = colour_range(report, group, phase);
    for (int item = 0; item < group->items; item++)
        put_table(out, report, group, item, phase);
    fprintf(out,
            "set datafile missing '-'\nunset grid\nunset colorbox\nset tics scale 0\n"
            "set palette defined (-1 '#5b8fd0', 0 '#ffffff', 1 '#e08058')\n"
            "set cbrange [-%d:%d]\nset xrange [-0.5:%d.5]\nset yrange [-0.5:%d.5]\nset xtics (",
            range, range, group->columns - 1, group->rows - 1);
    for (int column = 0; column < group->columns; column++)
        fprintf(out, "%s'%c' %d", column ? ", " : "", 'a' + column, column);
    fputs(")\nset ytics (", out);
    for (int row = 0; row < group->rows; row++)
        fprintf(out, "%s'%d' %d", row ? ", " : "", row + 1, row);
    fprintf(
        out,
        ")\n"
        "set object rectangle from graph 0,0 to graph 1,1 behind fillcolor '#d0d0d0' "
        "fillstyle solid noborder\n"
        "set multiplot layout %d,%d margins screen 0.02,0.99,0.04,%.3f spacing screen 0.03,%.3f "
        "title '%s: %s, %s, centipawns' noenhanced\n",
        down, across, 1 - 70.0 / (down * (38 * group->rows + 70) + 50), 0.2 / down,
        report->sample->engine->title, group->name, phases[phase]);
    for (int item = 0; item < group->items; item++)
        fprintf(out,
                "set title '%s' noenhanced\n"
                "plot $table%d using 1:2:3 with image pixels notitle, $table%d using "
                "1:2:(strcol(3)) with labels font ',11' notitle\n",
                group->item_names ? group->item_names[item] : "", item, item);
    fputs("unset multiplot\n", out);
    return picture_end(&picture, err);
}

/* --- hands, and before and after ------------------------------------------------------------- */

static Status plot_hand(const char *directory, const FitReport *report, const TermGroup *hand,
                        Error *err)
{
    static const char *const phases[] = {"middlegame", "endgame"};
    const FitResult *result = report->result;
    Picture picture;
    Status status = picture_begin(&picture, directory, "hand", 1100, 520, err);
    if (status != STATUS_OK)
        return status;
    FILE *out = picture.out;
    for (int item = 0; item < hand->items; item++) {
        fprintf(out, "$hand%d << EOD\n0 0 0\n", item);
        for (int c = 0; c < hand->columns; c++) {
            int w = hand->first + item * hand->rows * hand->columns + c;
            if (result->occurred[w])
                fprintf(out, "%d %d %d\n", c + 1, result->weights[w].middlegame,
                        result->weights[w].endgame);
        }
        fputs("EOD\n", out);
    }
    fprintf(out,
            "set xtics 1\nset key outside bottom center horizontal\nset xlabel 'pieces of one kind "
            "in hand'\n"
            "set multiplot layout 1,2 title '%s: what a hand is worth (where it occurs)'\n",
            report->sample->engine->title);
    for (int phase = 0; phase < 2; phase++) {
        fprintf(out, "set title '%s'\nset ylabel 'centipawns'\nplot ", phases[phase]);
        for (int item = 0; item < hand->items; item++)
            fprintf(out,
                    "%s$hand%d using 1:%d with linespoints linewidth 2 pointtype %d linetype %d "
                    "title '%s' noenhanced",
                    item ? ", " : "", item, phase + 2, item % 8 + 4, item + 1,
                    hand->item_names ? hand->item_names[item] : "");
        fputc('\n', out);
    }
    fputs("unset multiplot\n", out);
    return picture_end(&picture, err);
}

static Status plot_before_after(const char *directory, const FitReport *report, Error *err)
{
    const Engine *engine = report->sample->engine;
    const FitResult *result = report->result;
    Picture picture;
    Status status = picture_begin(&picture, directory, "before-after", 900, 640, err);
    if (status != STATUS_OK)
        return status;
    FILE *out = picture.out;
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        int size = group->items * group->rows * group->columns;
        fprintf(out, "$group%d << EOD\n", g);
        for (int w = group->first; w < group->first + size; w++)
            if (result->occurred[w])
                for (int phase = 0; phase < 2; phase++)
                    fprintf(out, "%d %d\n", phase_value(&report->prior[w], phase),
                            phase_value(&result->weights[w], phase));
        fputs("0 0\nEOD\n", out);
    }
    fprintf(out,
            "set xlabel 'before, centipawns'\nset ylabel 'after, centipawns'\n"
            "set title '%s: weights before and after, middlegame and endgame'\n"
            "set key outside right\nplot x with lines linecolor '#a0a0a0' dashtype 2 notitle",
            engine->title);
    for (int g = 0; g < engine->term_group_count; g++)
        fprintf(
            out,
            ", $group%d with points pointtype %d pointsize 0.6 linetype %d title '%s' noenhanced",
            g, g % 13 + 1, g + 1, engine->term_groups[g].name);
    fputc('\n', out);
    return picture_end(&picture, err);
}

Status plots_write(const char *directory, const FitReport *report, Error *err)
{
    const Engine *engine = report->sample->engine;
    Status status = directory_make(directory, err);
    if (status == STATUS_OK)
        status = plot_loss(directory, report, err);
    if (status == STATUS_OK && report->result->curve_length)
        status = plot_learning(directory, report, err);
    if (status == STATUS_OK)
        status = plot_calibration(directory, report, err);
    for (int g = 0; g < engine->term_group_count; g++) {
        const TermGroup *group = &engine->term_groups[g];
        for (int phase = 0; phase < 2 && group->is_board && status == STATUS_OK; phase++)
            status = plot_group(directory, report, group, phase, err);
        if (status == STATUS_OK && !strcmp(group->name, "hand") && group->rows == 1)
            status = plot_hand(directory, report, group, err);
    }
    if (status == STATUS_OK && !weights_are_zero(engine, report->prior))
        status = plot_before_after(directory, report, err);
    return status;
}
