/* SPDX-License-Identifier: GPL-3.0-or-later */
/* book_test.c - opening books in the forms in which people have them. */
#include "test.h"

#include "book.h"
#include "bytes.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define START "rnbakqcnm/9/ppppppppp/9/9/9/PPPPPPPPP/9/MNCQKABNR[]"
#define OTHER "4k4/9/9/9/9/9/9/9/4K3R[]"

static const Engine *engine;
static char path[] = "/tmp/campmate-book-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    engine = engine_find("mansindam");
    int fd = mkstemp(path);
    if (fd >= 0)
        close(fd);
    return !engine || fd < 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static Status read_bytes(const void *bytes, size_t size, Book *book, Error *err)
{
    assert_int_equal(file_write_all(path, bytes, size, NULL), STATUS_OK);
    *book = (Book){0};
    return book_read(engine, path, book, err);
}

static Status read_text(const char *text, Book *book, Error *err)
{
    return read_bytes(text, strlen(text), book, err);
}

static void lines_of_all_kinds(void **state)
{
    (void)state;
    Book book;
    Error err = {0};
    assert_int_equal(read_text("\xef\xbb\xbf# a comment\r\n"
                               "\r\n" START " w - - 0 1\r\n"
                               "  " START " w - - 3 9\n" START " w - - hmvc 3; fmvn 9;\n" START
                               " w - - ; D1 33 ; D2 1089\n" START
                               " w - - bm e3e4; id \"a name; of 5\";\n" OTHER
                               " w - - 0 1 ; legal 20",
                               &book, &err),
                     STATUS_OK);
    assert_int_equal(book.count, 6);
    assert_string_equal(book.fens[0], START " w - - 0 1");
    assert_string_equal(book.fens[1], START " w - - 3 9");
    assert_string_equal(book.fens[2], START " w - - 3 9");
    assert_string_equal(book.fens[3], START " w - - 0 1");
    assert_string_equal(book.fens[4], START " w - - 0 1");
    assert_string_equal(book.fens[5], OTHER " w - - 0 1");
    book_free(&book);
}

/* A book means by a FEN what the engine means by it, and refuses what the engine does. */
static void fens_are_read_as_the_engine_reads_them(void **state)
{
    (void)state;
    static const struct {
        const char *variant, *line;
    } cases[] = {
        {"sittuyin", "4k3/8/8/8/8/8/R7/4K3[] w - 0 1"},
        {"sittuyin", "4k3/8/8/8/8/8/R7/4K3[] w - 7 12"},
        {"sittuyin", "4k3/8/8/8/8/8/R7/4K3[] b 32 5 9"},
        {"shogun", "4k3/8/8/8/8/8/8/4K2R[] w - 0 1"},
        {"shogun", "4k3/8/8/8/8/8/8/4K2R[] w 3 1"},
        {"mansindam", OTHER " w - - garbage"},
        {"mansindam", OTHER " w - - -5 1"},
        {"mansindam", OTHER " w - - 5.5 1"},
        {"mansindam", OTHER " w - - 0 1 0 1"},
        {"mansindam", OTHER " b - - x y"},
        {"mansindam", OTHER " w - - zzz 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Engine *one = engine_find(cases[i].variant);
        Book book = {0};
        Error err = {0}, inner = {0};
        Game *game = one->game_new(&err);
        Status expected = one->game_set(game, cases[i].line, &inner);
        assert_int_equal(file_write_all(path, cases[i].line, strlen(cases[i].line), NULL),
                         STATUS_OK);
        assert_int_equal(book_read(one, path, &book, &err), expected);
        if (expected == STATUS_OK) {
            char fen[ENGINE_MAX_FEN];
            one->game_fen(game, fen);
            assert_string_equal(book.fens[0], fen);
            assert_true(i < 5);
        } else {
            assert_non_null(strstr(err.message, inner.message));
            assert_true(i >= 5);
        }
        one->game_free(game);
        book_free(&book);
    }
}

static void wrong_lines_are_named(void **state)
{
    (void)state;
    Book book;
    Error err = {0};
    assert_int_equal(read_text(START " w - - 0 1\n\n4k4/9/9 w - - 0 1\n", &book, &err),
                     STATUS_FORMAT);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, "line 3"));
    assert_null(book.fens);
    /* White's king stands on its last rank: campmate, nothing to play from here. */
    assert_int_equal(read_text("K8/9/9/9/9/9/9/4k4/9[] b - - 0 1\n", &book, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "campmate"));
    assert_int_equal(read_text("# nothing\n\n", &book, &err), STATUS_FORMAT);
    assert_int_equal(read_text("", &book, &err), STATUS_FORMAT);
    assert_int_equal(read_bytes("\x01\x00\x02", 3, &book, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "binary"));
    assert_int_equal(book_read(engine, "/nonexistent/book", &book, &err), STATUS_IO);
}

/* Two frames with one to be skipped between them. */
static void make_frames(Buffer *out)
{
    static const char line[] = START " w - - 0 1\n";
    for (int i = 0; i < 2; i++) {
        size_t bound = ZSTD_compressBound(sizeof line);
        assert_true(buffer_reserve(out, bound));
        size_t got = ZSTD_compress(out->bytes + out->size, bound, line, sizeof line - 1, 3);
        assert_false(ZSTD_isError(got));
        out->size += got;
        if (i == 0) {
            buffer_put_uint(out, ZSTD_MAGIC_SKIPPABLE_START, 4);
            buffer_put_uint(out, 3, 4);
            buffer_put(out, "xyz", 3);
        }
    }
}

static void compressed_books(void **state)
{
    (void)state;
    Buffer frames = {0};
    Book book;
    Error err = {0};
    make_frames(&frames);
    assert_int_equal(read_bytes(frames.bytes, frames.size, &book, &err), STATUS_OK);
    assert_int_equal(book.count, 2);
    book_free(&book);
    assert_int_equal(read_bytes(frames.bytes, frames.size - 1, &book, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "cut off"));
    size_t whole = frames.size;
    static const char zeros[64] = {0};
    buffer_put(&frames, zeros, sizeof zeros);
    char place[32];
    snprintf(place, sizeof place, "byte %zu", whole);
    assert_int_equal(read_bytes(frames.bytes, frames.size, &book, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.message, place));
    buffer_free(&frames);
}

static void what_never_ends_is_refused(void **state)
{
    (void)state;
    Book book = {0};
    Error err = {0};
    assert_int_equal(book_read(engine, "/dev/zero", &book, &err), STATUS_IO);
    assert_non_null(strstr(err.message, "/dev/zero: cannot read: not a regular file"));
    /* Of one line: a file without blocks stands for a pipe that goes on and on. */
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(path, (off_t)1 << 30), 0);
    assert_int_equal(book_read(engine, path, &book, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.message, "line 1: no end within"));
    assert_int_equal(book.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_all_kinds),
        cmocka_unit_test(fens_are_read_as_the_engine_reads_them),
        cmocka_unit_test(wrong_lines_are_named),
        cmocka_unit_test(compressed_books),
        cmocka_unit_test(what_never_ends_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
