/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * openings_test.c - the books in data/openings/: VARIANT.epd and VARIANT-WHAT.epd hold different
 * positions of their variant that can be played on, and there is a book for each variant.
 */
#include "test.h"

#include "book.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BOOKS = 64 };

static char (*names)[256];
static size_t name_count;

static int find_books(void **state)
{
    (void)state;
    names = calloc(MAX_BOOKS, sizeof *names);
    DIR *directory = opendir(OPENINGS);
    if (!directory || !names)
        return 1;
    const struct dirent *entry;
    while ((entry = readdir(directory)) && name_count < MAX_BOOKS)
        if (strstr(entry->d_name, ".epd"))
            snprintf(names[name_count++], sizeof *names, "%s", entry->d_name);
    closedir(directory);
    return 0;
}

static int forget_books(void **state)
{
    (void)state;
    free(names);
    return 0;
}

/* The variant that a book's name begins with. */
static const Engine *engine_of(const char *name)
{
    char variant[256];
    snprintf(variant, sizeof variant, "%.*s", (int)strcspn(name, "-."), name);
    return engine_find(variant);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* True while somebody has pieces in hand: in games with a placement it is not over then. */
static bool has_hands(const char *fen)
{
    const char *hand = strchr(fen, '[');
    return hand && hand[1] != ']';
}

static void books_hold_different_positions(void **state)
{
    (void)state;
    assert_true(name_count > 0);
    for (size_t i = 0; i < name_count; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", OPENINGS, names[i]);
        const Engine *engine = engine_of(names[i]);
        if (!engine)
            fail_msg("%s: no variant of that name", names[i]);
        Book book;
        Error err = {0};
        if (book_read(engine, path, &book, &err) != STATUS_OK)
            fail_msg("%s", err.message);
        bool in_placement = strstr(names[i], "-placement") != NULL;
        bool has_placement = has_hands(engine->start_fen);
        Game *game = engine->game_new(&err);
        uint64_t *keys = malloc(book.count * sizeof *keys);
        assert_non_null(game);
        assert_non_null(keys);
        for (size_t j = 0; j < book.count; j++) {
            assert_int_equal(engine->game_set(game, book.fens[j], &err), STATUS_OK);
            keys[j] = engine->game_key(game);
            if (has_placement && has_hands(book.fens[j]) != in_placement)
                fail_msg("%s: %s: expected a placement %s", names[i], book.fens[j],
                         in_placement ? "under way" : "that is over");
        }
        qsort(keys, book.count, sizeof *keys, compare_keys);
        for (size_t j = 1; j < book.count; j++)
            if (keys[j] == keys[j - 1])
                fail_msg("%s: a position is there twice", names[i]);
        engine->game_free(game);
        free(keys);
        book_free(&book);
    }
}

static void each_variant_has_a_book(void **state)
{
    (void)state;
    const Engine *engine;
    for (size_t i = 0; (engine = engine_at(i)); i++) {
        bool found = false, placement = false;
        for (size_t j = 0; j < name_count; j++) {
            bool mine = engine_of(names[j]) == engine;
            found = found || (mine && strchr(names[j], '-') == NULL);
            placement = placement || (mine && strstr(names[j], "-placement"));
        }
        if (!found)
            fail_msg("no book %s.epd", engine->name);
        if (has_hands(engine->start_fen) && !placement)
            fail_msg("no book %s-placement.epd", engine->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(books_hold_different_positions),
        cmocka_unit_test(each_variant_has_a_book),
    };
    return cmocka_run_group_tests(tests, find_books, forget_books);
}
