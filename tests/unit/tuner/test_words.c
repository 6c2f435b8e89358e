/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of changes: rows written in them say what they said before. */
#include "test.h"

#include "synthetic.h"

#include <math.h>
#include <stdlib.h>

enum { N = 2 * SMALL_WEIGHTS, CHAIN_ROWS = 30 };

/* --- random rows ---------------------------------------------------------------------------------
 */

/* Counts of the weights from `first` on in steps; changes with the same seed come together. */
typedef struct Habit {
    int weights[5];
    int amounts[5];
    int count;
} Habit;

static void make_habits(Habit *habits, int count, int weights, int most)
{
    Rng rng = rng_from(31, 1);
    for (int i = 0; i < count; i++) {
        habits[i].count = 1 + (int)rng_below(&rng, 5);
        for (int k = 0; k < habits[i].count; k++) {
            habits[i].weights[k] = (int)rng_below(&rng, (uint64_t)weights);
            habits[i].amounts[k] = (int)rng_below(&rng, (uint64_t)(2 * most + 1)) - most;
        }
    }
}

/* Rows in which some of a few groups of counts change at a time, or turn back. */
static void add_random_rows(Rows *rows, size_t count, int weights, int most, uint64_t seed)
{
    enum { HABITS = 40 };
    Habit habits[HABITS];
    int *counts = calloc((size_t)weights, sizeof *counts);
    Trace *traces = calloc(2, sizeof *traces);
    Rng rng = rng_from(seed, 5);
    make_habits(habits, HABITS, weights, most);
    for (size_t i = 0; i < count; i++) {
        Trace *before = &traces[i % 2], *trace = &traces[(i + 1) % 2];
        bool begins = i % CHAIN_ROWS == 0;
        if (begins)
            memset(counts, 0, (size_t)weights * sizeof *counts);
        for (uint64_t times = rng_below(&rng, 4); times > 0; times--) {
            const Habit *habit = &habits[rng_below(&rng, HABITS)];
            int sign = rng_below(&rng, 2) ? 1 : -1;
            for (int k = 0; k < habit->count; k++)
                counts[habit->weights[k]] += sign * habit->amounts[k];
        }
        *trace = (Trace){.phase = (int)rng_below(&rng, PHASE_MAX + 1)};
        for (int w = 0; w < weights; w++)
            if (counts[w])
                trace->entries[trace->count++] = (TraceEntry){(uint16_t)w, (int16_t)counts[w]};
        Origin origin = {.key = seed * 1000000 + i,
                         .game = (uint32_t)(i / CHAIN_ROWS),
                         .ply = (uint16_t)(i % CHAIN_ROWS),
                         .half_points = i / CHAIN_ROWS % 2 * 2};
        assert_int_equal(rows_add(rows, begins ? NULL : before, trace, &origin, NULL), STATUS_OK);
    }
    free(counts);
    free(traces);
}

/* Two sets of the same rows, the second one in words. */
static void make_both(Rows *plain, Rows *coded, const char *scratch, size_t count, int weights,
                      int most, int threads)
{
    *plain = (Rows){.scratch = scratch};
    *coded = (Rows){.scratch = scratch};
    add_random_rows(plain, count, weights, most, 1);
    add_random_rows(coded, count, weights, most, 1);
    assert_int_equal(rows_encode(coded, threads, NULL), STATUS_OK);
    assert_non_null(coded->words);
}

static void assert_counts_equal(const Rows *plain, const Rows *coded, int weights)
{
    RowsWalk one, two;
    assert_int_equal(rows_walk_init(&one, plain, weights, 0, 0, 0, NULL), STATUS_OK);
    assert_int_equal(rows_walk_init(&two, coded, weights, 0, 0, 0, NULL), STATUS_OK);
    for (size_t i = 0; i < plain->count; i++) {
        const Row *row = rows_walk_next(&one), *other = rows_walk_next(&two);
        assert_int_equal(row->phase_step, other->phase_step);
        assert_memory_equal(one.counts, two.counts, (size_t)weights * sizeof *one.counts);
    }
    assert_null(rows_walk_next(&one));
    assert_null(rows_walk_next(&two));
    assert_int_equal(two.change, coded->change_count);
    rows_walk_free(&one);
    rows_walk_free(&two);
}

/* --- tests ---------------------------------------------------------------------------------------
 */

/* Each row has an even number of changes, the last one marked, and names words that are there. */
static void assert_well_formed(const Rows *rows)
{
    size_t change = 0, row = 0;
    for (size_t c = 0; c < rows->chain_count; c++) {
        size_t end = change + rows->chains[c].changes, begin = change, found = 0;
        for (; change < end; change++) {
            assert_true(rows->changes[change] / 4U < rows->words->count);
            if (rows->changes[change] & CHANGE_LAST) {
                assert_true(change > begin && (change - begin) % 2);
                begin = change + 1;
                found++;
            }
        }
        assert_int_equal(begin, end);
        assert_int_equal(found, rows->chains[c].rows);
        row += found;
    }
    assert_int_equal(row, rows->count);
    assert_int_equal(change, rows->change_count);
}

static void words_say_what_changes_said(void **state)
{
    (void)state;
    static const struct {
        size_t rows;
        int weights, most;
    } cases[] = {{1, 20, 1},     {30, 20, 1},   {31, 5, 3},      {3000, 60, 2},
                 {5000, 300, 1}, {2000, 40, 9}, {2000, 40, 200}, {40000, 60, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Rows plain, coded;
        make_both(&plain, &coded, NULL, cases[i].rows, cases[i].weights, cases[i].most, 2);
        assert_well_formed(&coded);
        assert_counts_equal(&plain, &coded, cases[i].weights);
        assert_true(coded.change_count <= plain.change_count);
        /* What comes together is found: a row has at most three habits. */
        if (cases[i].rows >= 2000 && cases[i].most == 1) {
            assert_true(coded.words->count > coded.words->singles);
            assert_true(coded.change_count < plain.change_count * 3 / 4);
        }
        rows_free(&plain);
        rows_free(&coded);
    }
}

/* The passes give the same numbers: scores to the bit, sums of doubles but for rounding. */
static void passes_do_not_see_the_difference(void **state)
{
    (void)state;
    Rows plain, coded;
    double x[N], square[N], zero[N] = {0};
    Rng rng = rng_from(3, 3);
    make_both(&plain, &coded, NULL, 40000, SMALL_WEIGHTS, 3, 1);
    rows_widen(&plain, SMALL_WEIGHTS, 0);
    rows_widen(&coded, SMALL_WEIGHTS, 0);
    for (int j = 0; j < N; j++) {
        x[j] = rng_real(&rng) - 0.5;
        square[j] = 1;
    }
    Objective one, two;
    ObjectiveValue value, other;
    double gradient[N], diagonal[N], product[N], again[N];
    Error err = {0};
    assert_int_equal(
        objective_init(&one, &plain, SMALL_WEIGHTS, NULL, 1, 0.1, square, zero, 2, &err),
        STATUS_OK);
    assert_int_equal(
        objective_init(&two, &coded, SMALL_WEIGHTS, NULL, 1, 0.1, square, zero, 2, &err),
        STATUS_OK);
    assert_int_equal(objective_evaluate(&one, x, &value, gradient, NULL), STATUS_OK);
    assert_int_equal(objective_evaluate(&two, x, &other, again, NULL), STATUS_OK);
    assert_true(value.loss == other.loss);
    for (int j = 0; j < N; j++)
        assert_true(fabs(gradient[j] - again[j]) < 1e-13);
    objective_hessian_times(&one, x, product);
    objective_hessian_times(&two, x, again);
    for (int j = 0; j < N; j++)
        assert_true(fabs(product[j] - again[j]) < 1e-13);
    assert_int_equal(objective_diagonal(&one, diagonal, NULL), STATUS_OK);
    assert_int_equal(objective_diagonal(&two, again, NULL), STATUS_OK);
    for (int j = 0; j < N; j++)
        assert_true(fabs(diagonal[j] - again[j]) < 1e-12);
    double *hessian = calloc(2 * (size_t)N * N, sizeof *hessian);
    assert_int_equal(objective_hessian(&one, hessian, NULL), STATUS_OK);
    assert_int_equal(objective_hessian(&two, hessian + N * N, NULL), STATUS_OK);
    assert_memory_equal(hessian, hessian + N * N, (size_t)N * N * sizeof *hessian);
    free(hessian);
    objective_free(&one);
    objective_free(&two);

    Occurrence seen, seen_again;
    assert_int_equal(occurrence_count(&plain, SMALL_WEIGHTS, &seen, NULL), STATUS_OK);
    assert_int_equal(occurrence_count(&coded, SMALL_WEIGHTS, &seen_again, NULL), STATUS_OK);
    for (int w = 0; w < SMALL_WEIGHTS; w++) {
        assert_int_equal(seen.seen[w], seen_again.seen[w]);
        assert_true(seen.total[w] == seen_again.total[w]);
        assert_true(seen.mean_square[2 * w] == seen_again.mean_square[2 * w]);
        assert_true(fabs(seen.mean_square[2 * w + 1] - seen_again.mean_square[2 * w + 1]) < 1e-12);
    }
    occurrence_free(&seen);
    occurrence_free(&seen_again);
    rows_free(&plain);
    rows_free(&coded);
}

/* The dictionary and the changes are the same for any number of threads, and in files. */
static void words_depend_on_the_rows_only(void **state)
{
    (void)state;
    Rows first, plain;
    make_both(&plain, &first, NULL, 60000, 100, 2, 1);
    rows_free(&plain);
    for (int threads = 2; threads <= 4; threads++) {
        Rows again;
        make_both(&plain, &again, threads == 3 ? "." : NULL, 60000, 100, 2, threads);
        assert_int_equal(again.change_count, first.change_count);
        assert_memory_equal(again.changes, first.changes,
                            first.change_count * sizeof *first.changes);
        assert_int_equal(again.words->count, first.words->count);
        rows_free(&plain);
        rows_free(&again);
    }
    rows_free(&first);
}

/* Every weight and amount that a plain change can name gets a word, and there is room for more. */
static void as_many_singles_as_there_are(void **state)
{
    (void)state;
    enum { BLOCK = 256, BLOCKS = ROWS_MAX_WEIGHTS / BLOCK }; /* a trace has no room for all */
    Rows plain = {0}, coded = {0};
    Trace *traces = calloc(2, sizeof *traces);
    for (int i = 0; i < 6 * 4 * BLOCKS; i++) {
        static const int amounts[] = {1, 3, 7, -3, 0, 4};
        Trace *before = &traces[i % 2], *trace = &traces[(i + 1) % 2];
        Origin origin = {.game = (uint32_t)i / 6, .ply = (uint16_t)(i % 6), .key = (uint64_t)i};
        *trace = (Trace){.phase = 100};
        for (int k = 0; k < BLOCK && amounts[i % 6]; k++)
            trace->entries[trace->count++] =
                (TraceEntry){(uint16_t)(i / 6 % BLOCKS * BLOCK + k), (int16_t)amounts[i % 6]};
        assert_int_equal(rows_add(&plain, i % 6 ? before : NULL, trace, &origin, NULL), STATUS_OK);
        assert_int_equal(rows_add(&coded, i % 6 ? before : NULL, trace, &origin, NULL), STATUS_OK);
    }
    assert_int_equal(rows_encode(&coded, 1, NULL), STATUS_OK);
    assert_int_equal(coded.words->singles, 3 * ROWS_MAX_WEIGHTS + 1);
    assert_true(coded.words->count <= WORDS_MOST);
    assert_true(coded.words->count > coded.words->singles);
    assert_well_formed(&coded);
    assert_counts_equal(&plain, &coded, ROWS_MAX_WEIGHTS);
    free(traces);
    rows_free(&plain);
    rows_free(&coded);
}

/* Rows are cut off, and written only once, as they are. */
static void words_are_learned_once(void **state)
{
    (void)state;
    Rows plain, coded, empty = {0};
    make_both(&plain, &coded, NULL, 5000, 60, 1, 1);
    const Words *words = coded.words;
    size_t bytes = rows_bytes(&coded);
    assert_true(coded.change_capacity < plain.change_capacity);
    assert_int_equal(rows_encode(&coded, 1, NULL), STATUS_OK);
    assert_true(coded.words == words && rows_bytes(&coded) == bytes);
    rows_truncate(&plain, 4321);
    rows_truncate(&coded, 4321);
    assert_well_formed(&coded);
    assert_counts_equal(&plain, &coded, 60);
    assert_int_equal(rows_encode(&empty, 1, NULL), STATUS_OK);
    assert_null(empty.words);

    /* Nothing there, nothing changes. */
    Trace *nothing = calloc(1, sizeof *nothing);
    Rows silent = {0};
    Origin origin = {.half_points = 1};
    assert_int_equal(rows_add(&silent, NULL, nothing, &origin, NULL), STATUS_OK);
    assert_int_equal(rows_encode(&silent, 1, NULL), STATUS_OK);
    assert_int_equal(silent.words->count, 1);
    RowsWalk walk;
    assert_int_equal(rows_walk_init(&walk, &silent, 1, 0, 0, 0, NULL), STATUS_OK);
    assert_non_null(rows_walk_next(&walk));
    assert_int_equal(walk.active_count, 0);
    rows_walk_free(&walk);
    rows_free(&silent);
    free(nothing);
    rows_free(&plain);
    rows_free(&coded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_say_what_changes_said),
        cmocka_unit_test(passes_do_not_see_the_difference),
        cmocka_unit_test(words_depend_on_the_rows_only),
        cmocka_unit_test(as_many_singles_as_there_are),
        cmocka_unit_test(words_are_learned_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
