/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_store.c - positions in files: the same sums in little memory; case-by-case failures. */
#include "test.h"

#include "data/random_games.h"
#include "fit.h"
#include "synthetic.h"

#include <dirent.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

static char *directory;

static int make_directory(void **state)
{
    (void)state;
    directory = scratch_make();
    return directory ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    scratch_remove(directory);
    return 0;
}

static int files_in(const char *path)
{
    int count = 0;
    DIR *stream = opendir(path);
    for (struct dirent *entry; stream && (entry = readdir(stream)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static void an_array_grows_and_shrinks(void **state)
{
    (void)state;
    const char *places[] = {NULL, directory};
    for (int place = 0; place < 2; place++) {
        int *array = NULL;
        for (size_t count = 1; count <= 3000000; count *= 7) {
            assert_int_equal(STORE_RESIZE(places[place], array, count, NULL), STATUS_OK);
            for (size_t i = count / 7; i < count; i++)
                array[i] = (int)(i * 3);
        }
        for (size_t i = 0; i < 823543; i++)
            assert_int_equal(array[i], i * 3);
        assert_int_equal(STORE_RESIZE(places[place], array, (size_t)100, NULL), STATUS_OK);
        assert_int_equal(array[99], 297);
        assert_int_equal(STORE_RESIZE(places[place], array, (size_t)100000, NULL), STATUS_OK);
        assert_int_equal(array[99], 297);
        assert_int_equal(files_in(directory), 0); /* it has no name */
        store_free(places[place], array);
        char *zeros = store_zeros(places[place], 100000, NULL);
        for (size_t i = 0; i < 100000; i++)
            assert_int_equal(zeros[i], 0);
        store_free(places[place], zeros);
    }
    store_free(directory, NULL);
}

static void what_cannot_be_stored_is_refused(void **state)
{
    (void)state;
    Error err = {0};
    int *array = NULL;
    assert_int_equal(store_check("/nonexistent", &err), STATUS_IO);
    assert_non_null(strstr(err.message, "/nonexistent: cannot make a file"));
    assert_int_equal(store_check(directory, &err), STATUS_OK);
    assert_int_equal(STORE_RESIZE("/nonexistent", array, (size_t)10, &err), STATUS_IO);
    assert_null(array);
    assert_null(store_zeros("/nonexistent", 10, &err));

    /* More than a file may have: what was there stays. */
    struct rlimit before, small = {1 << 20, 1 << 20};
    assert_int_equal(STORE_RESIZE(directory, array, (size_t)1000, &err), STATUS_OK);
    array[999] = 7;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(STORE_RESIZE(directory, array, (size_t)1 << 20, &err), STATUS_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_non_null(strstr(err.message, "no room for"));
    assert_int_equal(array[999], 7);
    assert_int_equal(STORE_RESIZE(directory, array, (size_t)1 << 20, &err), STATUS_OK);
    assert_int_equal(array[999], 7);
    store_free(directory, array);
}

/* The same bits, wherever rows are. */
static void rows_in_files_fit_the_same(void **state)
{
    (void)state;
    Weight planted[SMALL_WEIGHTS];
    FitResult results[2];
    synthetic_weights(planted, 60, 71);
    for (int place = 0; place < 2; place++) {
        Sample sample = {.engine = &small_engine, .split = true};
        for (int part = 0; part < PART_COUNT; part++)
            sample.parts[part].scratch = place ? directory : NULL;
        synthetic_rows(&sample.parts[PART_TRAIN], 30000, planted, 71, 0);
        synthetic_rows(&sample.parts[PART_TRAIN], 3000, planted, 71, 0); /* duplicates */
        synthetic_rows(&sample.parts[PART_VALIDATION], 3000, planted, 72, 0);
        FitOptions how = {.lambda = 1,
                          .rare = 1,
                          .cross_check = true,
                          .bootstrap = 3,
                          .curve = true,
                          .weighting = {.by_game = true, .early_loss = 0.5, .early_plies = 9},
                          .threads = 2,
                          .optimise = OPTIMISE_DEFAULTS};
        Error err = {0};
        if (fit(&sample, small_zero, &how, &results[place], NULL, NULL, &err) != STATUS_OK)
            fail_msg("%s", err.message);
        sample_free(&sample);
    }
    assert_memory_equal(results[0].weights, results[1].weights, SMALL_WEIGHTS * sizeof(Weight));
    assert_memory_equal(results[0].errors, results[1].errors, 2 * SMALL_WEIGHTS * sizeof(double));
    assert_true(results[0].certificate.value.total == results[1].certificate.value.total);
    assert_true(results[0].curve[1].validation == results[1].curve[1].validation);
    assert_memory_equal(&results[0].losses[PART_VALIDATION], &results[1].losses[PART_VALIDATION],
                        sizeof(FitLosses));
    assert_int_equal(results[0].rows[PART_TRAIN], 30000);
    fit_result_free(&results[0]);
    fit_result_free(&results[1]);
    assert_int_equal(files_in(directory), 0);
}

int main(void)
{
    gsl_set_error_handler_off();
    signal(SIGXFSZ, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_and_shrinks),
        cmocka_unit_test(what_cannot_be_stored_is_refused),
        cmocka_unit_test(rows_in_files_fit_the_same),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
