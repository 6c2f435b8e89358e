/* SPDX-License-Identifier: GPL-3.0-or-later */
/* results_test.c - the state of a match survives a kill at every byte. */
#include "../test.h"

#include "results.h"
#include "support/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[512];
static const char head[] = "{\"variant\":\"mansindam\",\"seed\":7}";

static MatchPair make_pair(int n)
{
    MatchPair pair = {{{.done = true,
                        .outcome = OUTCOME_WHITE,
                        .termination = TERMINATION_RULES,
                        .reason = END_CAMPMATE,
                        .plies = (size_t)(10 + n),
                        .pgn = text_format("[Round \"%d.1\"]\n\n1-0\n\n", n + 1)},
                       {.done = true,
                        .outcome = OUTCOME_WHITE,
                        .termination = TERMINATION_STALL,
                        .engine_lost = true,
                        .loser = SIDE_BLACK,
                        .plies = 3,
                        .pgn = text_format("[Round \"%d.2\"]\n\n1-0\n\n", n + 1)}}};
    return pair;
}

static void free_pair(MatchPair *pair)
{
    free(pair->games[0].pgn);
    free(pair->games[1].pgn);
}

/* The first bytes of the file, as a kill leaves them. */
static void cut_at(const char *bytes, size_t size)
{
    unlink(path); /* truncating makes some file systems wait for the disk */
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void write_and_read(void **state)
{
    (void)state;
    unlink(path);
    StateFile file;
    PairList list = {0};
    Error error;
    assert_int_equal(state_file_open(&file, path, head, false, &list, &error), STATUS_OK);
    /* Out of order, as they are finished; the last one half. */
    static const int order[] = {1, 0, 3};
    for (int i = 0; i < 3; i++) {
        MatchPair pair = make_pair(order[i]);
        if (order[i] == 3)
            pair.games[1].done = false;
        assert_int_equal(state_file_add(&file, (size_t)order[i], &pair, &error), STATUS_OK);
        free_pair(&pair);
    }
    /* Two processes never write one file. */
    StateFile other;
    PairList nothing = {0};
    assert_int_equal(state_file_open(&other, path, head, true, &nothing, &error), STATUS_IO);
    state_file_close(&file);
    /* Nothing is overwritten without being asked. */
    assert_int_equal(state_file_open(&other, path, head, false, &nothing, &error), STATUS_ARGUMENT);
    assert_non_null(strstr(error.message, "--resume"));
    /* Nor mixed with another match. */
    assert_int_equal(state_file_open(&other, path, "{\"variant\":\"mansindam\",\"seed\":8}", true,
                                     &nothing, &error),
                     STATUS_ARGUMENT);
    assert_non_null(strstr(error.message, "seed was 7 and is now 8"));
    assert_int_equal(nothing.count, 0);
    assert_int_equal(state_file_number(path, "seed", 0), 7);

    char *bytes;
    size_t size;
    assert_int_equal(file_read_all(path, &bytes, &size, NULL), STATUS_OK);
    for (size_t cut = 0; cut <= size; cut++) {
        cut_at(bytes, cut);
        size_t games = 0, found = 0;
        for (size_t i = 0; i < cut; i++)
            games += bytes[i] == '\n';
        games = games > 0 ? games - 1 : 0;
        PairList again = {0};
        if (state_file_open(&file, path, head, true, &again, &error) != STATUS_OK)
            fail_msg("cut at %zu: %s", cut, error.message);
        for (size_t i = 0; i < again.count; i++)
            found += (size_t)again.pairs[i].games[0].done + (size_t)again.pairs[i].games[1].done;
        assert_int_equal(found, games);
        /* It goes on where the file was whole. */
        MatchPair pair = make_pair(5);
        assert_int_equal(state_file_add(&file, 5, &pair, &error), STATUS_OK);
        state_file_close(&file);
        pair_list_free(&again);
        assert_int_equal(state_file_open(&file, path, head, true, &again, &error), STATUS_OK);
        assert_int_equal(again.count, 6);
        assert_string_equal(again.pairs[5].games[1].pgn, pair.games[1].pgn);
        assert_int_equal(again.pairs[5].games[0].reason, END_CAMPMATE);
        assert_int_equal(again.pairs[5].games[0].plies, 15);
        assert_true(again.pairs[5].games[1].engine_lost);
        assert_int_equal(again.pairs[5].games[1].loser, SIDE_BLACK);
        assert_int_equal(match_game_points(&again.pairs[5].games[0], 0), 2);
        assert_int_equal(match_game_points(&again.pairs[5].games[1], 1), 0);
        state_file_close(&file);
        pair_list_free(&again);
        free_pair(&pair);
    }

    /* Damage elsewhere than at the end is no cut, and a line that was changed is none of ours, even
     * if it could be one. */
    char *second = strchr(bytes, '\n') + 1, *result = strstr(second, "1-0");
    for (int change = 0; change < 3; change++) {
        char *at = change == 0   ? second + 3
                   : change == 1 ? result
                                 : strstr(second, "plies\":1") + 7;
        const char before = *at;
        if (change == 1) /* "1-0" -> "0-1" */
            result[2] = '1';
        *at = change == 0 ? '!' : change == 1 ? '0' : '2';
        cut_at(bytes, size);
        assert_int_equal(state_file_open(&file, path, head, true, &nothing, &error), STATUS_FORMAT);
        assert_non_null(strstr(error.message, "line 2"));
        assert_non_null(strstr(error.message, "remove the line"));
        *at = before;
        if (change == 1)
            result[2] = '0';
        pair_list_free(&nothing);
    }
    /* Nor is one of another match. */
    char *other_head = text_format("{\"variant\":\"mansindam\",\"seed\":8}%s", second - 1);
    cut_at(other_head, strlen(other_head));
    assert_int_equal(state_file_open(&file, path, "{\"variant\":\"mansindam\",\"seed\":8}", true,
                                     &nothing, &error),
                     STATUS_FORMAT);
    free(other_head);
    pair_list_free(&nothing);
    pair_list_free(&list);
    free(bytes);
    unlink(path);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    snprintf(path, sizeof path, "%s/results_test.state", argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(write_and_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
