/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eval_table_test.c - the table names every group of terms and adds up to the evaluation. */
#include "test.h"

#include "eval_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last number of the line that begins with `name`. */
static double last_number(const char *table, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = table; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) != 0 || line[length] != ' ')
            continue;
        char text[256];
        size_t width = strcspn(line, "\n");
        assert_true(width < sizeof text);
        memcpy(text, line, width);
        text[width] = '\0';
        return strtod(strrchr(text, ' ') + 1, NULL);
    }
    fail_msg("no line for %s in\n%s", name, table);
    return 0;
}

static void check(const Engine *engine, Game *game, const Weight *weights)
{
    char *table = eval_table(engine, game, weights);
    assert_non_null(table);
    double sum = 0;
    for (int i = 0; i < engine->term_group_count; i++)
        sum += last_number(table, engine->term_groups[i].name);
    assert_true(fabs(sum - last_number(table, "sum")) < 0.1);
    assert_true(fabs(sum - last_number(table, "evaluation")) <= 1.1);
    assert_int_equal((int)last_number(table, "evaluation"), engine->evaluate(game, weights));
    free(table);
}

static void test_adds_up(void **state)
{
    (void)state;
    for (size_t i = 0; engine_at(i); i++) {
        const Engine *engine = engine_at(i);
        Error err;
        Game *game = engine->game_new(&err);
        assert_non_null(game);
        Weight *weights = malloc(sizeof *weights * (size_t)engine->weight_count);
        for (int w = 0; w < engine->weight_count; w++)
            weights[w] = (Weight){(int16_t)(w % 61 - 20), (int16_t)(w % 47 - 30)};
        for (int ply = 0; ply < 60; ply++) {
            Move moves[ENGINE_MAX_MOVES];
            size_t count = engine->game_moves(game, moves);
            check(engine, game, NULL);
            check(engine, game, weights);
            if (count == 0)
                break;
            engine->game_play(game, moves[(size_t)(ply * 7 + 3) % count], &err);
        }
        free(weights);
        engine->game_free(game);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_adds_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
