/* SPDX-License-Identifier: GPL-3.0-or-later */
/* damage_test.c - a cut or damaged shard is refused with its place and never gives a wrong game. */
#include "test.h"

#include "random_games.h"
#include "support/files.h"
#include "support/rng.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 11, GAMES = 70, PLIES = 24 };

static const Engine *engine;
static char *directory, *path, *bytes;
static size_t size;
static GameRecord expected[GAMES];

static int set_up(void **state)
{
    (void)state;
    engine = engine_at(0);
    directory = scratch_make();
    if (write_random_shard(engine, directory, 0, SEED, 0, GAMES, PLIES, NULL) != STATUS_OK)
        return 1;
    for (uint64_t i = 0; i < GAMES; i++)
        random_game(engine, SEED, i, PLIES, &expected[i]);
    path = text_format("%s/000000.cmpd", directory);
    return !path || file_read_all(path, &bytes, &size, NULL) != STATUS_OK;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < GAMES; i++)
        game_record_free(&expected[i]);
    free(path);
    free(bytes);
    scratch_remove(directory);
    return 0;
}

/* Written over in place: thousands of new or synced files would take minutes. */
static void put(const char *content, size_t length)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, length), (ssize_t)length);
    assert_int_equal(ftruncate(fd, (off_t)length), 0);
    assert_int_equal(close(fd), 0);
}

/* Reads all that can be read and compares every game; the status of the first failure. */
static Status read_all(Error *err)
{
    Dataset *dataset = NULL;
    ShardCursor *cursor = NULL;
    GameRecord record = {0};
    bool end = false;
    uint64_t count = 0;
    Status status = dataset_open(&dataset, path, err);
    if (status == STATUS_OK)
        status = shard_cursor_open(&cursor, dataset, 0, err);
    while (status == STATUS_OK) {
        status = shard_cursor_next(cursor, &record, &end, err);
        if (status != STATUS_OK || end)
            break;
        assert_records_equal(&record, &expected[count++]);
    }
    if (status == STATUS_OK)
        assert_int_equal(count, GAMES);
    game_record_free(&record);
    shard_cursor_close(cursor);
    dataset_close(dataset);
    return status;
}

static uint64_t little_endian(const char *from, int width)
{
    uint64_t value = 0;
    for (int i = width; i-- > 0;)
        value = value << 8 | (uint8_t)from[i];
    return value;
}

/* Refused, with the place, and in these words. */
static void assert_refused(const char *words)
{
    Error err = {0};
    assert_int_equal(read_all(&err), STATUS_FORMAT);
    if (!strstr(err.message, words))
        fail_msg("'%s' is not in: %s", words, err.message);
    assert_int_equal(err.status, STATUS_FORMAT);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, "byte "));
}

static void every_length_is_refused(void **state)
{
    (void)state;
    for (size_t length = size; length-- > 0;) {
        put(bytes, length);
        assert_refused("");
    }
    put(bytes, size);
    assert_int_equal(read_all(NULL), STATUS_OK);
}

/* Which check has to find damage at this byte: the checksum of the piece it belongs to, where
 * nothing else comes before it. A test that only asked for a refusal would not notice that one of
 * several checks is gone. */
static const char *expected_words(size_t at)
{
    enum { VARIABLE_HEADER = 18, END_SIZE = 32 };
    size_t header = 8 + (size_t)little_endian(bytes + 4, 4);
    size_t trailer = (size_t)little_endian(bytes + size - END_SIZE, 8);
    if (at < VARIABLE_HEADER)
        return "byte ";
    if (at < header)
        return "damaged header (its checksum";
    if (at < trailer)
        return "damaged block (checksum";
    if (at < size - END_SIZE)
        return "damaged trailer (its checksum";
    return "byte ";
}

static void every_flipped_bit_is_found(void **state)
{
    (void)state;
    Rng rng = rng_from(1, 1);
    for (size_t at = 0; at < size; at++) {
        char bit = (char)(1 << rng_below(&rng, 8));
        const char *words = expected_words(at);
        bytes[at] ^= bit;
        put(bytes, size);
        assert_refused(words);
        bytes[at] ^= bit;
    }
}

static void more_bytes_are_refused(void **state)
{
    (void)state;
    char *longer = calloc(1, 2 * size);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    put(longer, size + 64); /* zeros */
    assert_refused("");
    memcpy(longer + size, bytes, size);
    put(longer, 2 * size); /* the shard twice */
    assert_refused("");
    free(longer);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    static const char text[] = "rnbakqcnm/9/ppppppppp/9/9/9/PPPPPPPPP/9/MNCQKABNR[] w - - 0 1\n";
    put(text, sizeof text - 1);
    assert_refused("");
    put("", 0);
    assert_refused("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_is_refused),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(more_bytes_are_refused),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
