/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_weights_file.c - what the parser of the weights header takes and what it refuses. */
#include "test.h"

#include "small_engine.h"
#include "support/files.h"
#include "weights_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Line numbers count in the tests below. */
static const char good[] =
    "/*\n"                                                        /*  1 */
    " * a comment with S(1, 2), { and = in it\n"                  /*  2 */
    " */\n"                                                       /*  3 */
    "#define WEIGHTS_PROVENANCE \"text with } and \\\" in it\"\n" /*  4 */
    "static const EvalWeights weights = {\n"                      /*  5 */
    "    .material = {\n"                                         /*  6 */
    "        [PAWN] = S(  92, 118),\n"                            /*  7 */
    "        [KNIGHT] = S(-32768, 32767), [KING] = S(0, 0),\n"    /*  8 */
    "    },\n"                                                    /*  9 */
    "    .piece_square = {\n"                                     /* 10 */
    "        [PAWN] = {\n"                                        /* 11 */
    "            { S(1, 2), S(3, 4), S(5, 6) },   /* rank 3 */\n" /* 12 */
    "            { S(7, 8), S(0, 0), S(-9, -10) },\n"             /* 13 */
    "            { S(11, 12), S(13, 14), S(15, 16) },\n"          /* 14 */
    "        },\n"                                                /* 15 */
    "        [KNIGHT] = {{ S(1, 1), S(1, 1), S(1, 1) }, { S(1, 1), S(0, 0), S(1, 1) },\n"
    "                    { S(1, 1), S(1, 1), S(1, 1) }},\n" /* 17 */
    "        [KING] = {{ S(2, 2), S(2, 2), S(2, 2) }, { S(2, 2), S(0, 0), S(2, 2) },\n"
    "                  { S(2, 2), S(2, 2), S(2, 3) }}\n"                  /* 19 */
    "    },\n"                                                            /* 20 */
    "    .hand = { [KNIGHT] = { S(5, 5), S(6, 6), S(7, 7), S(8, 8) },\n"  /* 21 */
    "              [PAWN] = { S(1, 1), S(2, 2), S(3, 3), S(4, 4), } },\n" /* 22 */
    "    .tempo = S(+12, 8), // the side to move\n"                       /* 23 */
    "};\n";                                                               /* 24 */

static void a_good_header_is_read(void **state)
{
    (void)state;
    Weight weights[SMALL_WEIGHTS];
    Error err = {0};
    if (weights_file_parse(&small_engine, "w.h", good, strlen(good), weights, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(weights[0].middlegame, 92);
    assert_int_equal(weights[0].endgame, 118);
    assert_int_equal(weights[1].middlegame, -32768);
    assert_int_equal(weights[1].endgame, 32767);
    assert_int_equal(weights[SMALL_SQUARES].endgame, 2);
    assert_int_equal(weights[SMALL_SQUARES + 5].middlegame, -9);
    assert_int_equal(weights[SMALL_SQUARES + 26].endgame, 3);
    assert_int_equal(weights[SMALL_HAND].middlegame, 1); /* PAWN, although it comes second */
    assert_int_equal(weights[SMALL_HAND + 7].middlegame, 8);
    assert_int_equal(weights[SMALL_TEMPO].middlegame, 12);
}

/* Each case replaces one piece of the good header and says what the message must hold. */
static void bad_headers_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"S(  92, 118)", "S(92)", "w.h:7: found ')', expected ','"},
        {"S(  92, 118)", "S(92, 118, 3)", "w.h:7: found ','"},
        {"S(  92, 118)", "S(9 2, 118)", "w.h:7"},
        {"S(  92, 118)", "S(92.5, 118)", "w.h:7: found '92.5'"},
        {"S(  92, 118)", "S(0x10, 118)", "w.h:7: found '0x10'"},
        {"S(  92, 118)", "S(012, 118)", "w.h:7: found '012'"},
        {"S(  92, 118)", "S(-, 118)", "w.h:7"},
        {"S(  92, 118)", "S(--2, 118)", "w.h:7"},
        {"S(  92, 118)", "S(99999999999999999999, 118)", "w.h:7"},
        {"S(  92, 118)", "T(92, 118)", "w.h:7: found 'T'"},
        {"S(  92, 118)", "PAWN", "w.h:7"},
        {"S(-32768, 32767)", "S(-32769, 0)", "w.h:8: found '-32769', expected a number from"},
        {"S(-32768, 32767)", "S(0, 32768)", "w.h:8"},
        {"[KNIGHT] = S(", "[QUEEN] = S(", "w.h:8: .material of small has no item 'QUEEN'"},
        {"[KNIGHT] = S(", "[PAWN] = S(", "w.h:8: .material[PAWN] is given twice"},
        {"[KNIGHT] = S(", "S(", "w.h:8: found 'S', expected '['"},
        {"[KING] = S(0, 0),", "", "w.h:9: .material has 2 items here, expected 3"},
        {"[KING] = S(0, 0)", "[KING] = S(0, 1)", "w.h:8: S(0, 1) for a square or item that cannot"},
        {"S(7, 8), S(0, 0)", "S(7, 8), S(1, 0)", "w.h:13"},
        {"{ S(7, 8), S(0, 0), S(-9, -10) }", "{ S(7, 8), S(0, 0) }",
         "w.h:13: .piece_square has 2 columns here, expected 3"},
        {"{ S(7, 8), S(0, 0), S(-9, -10) }", "{ S(7, 8), S(0, 0), S(1, 1), S(2, 2) }",
         "w.h:13: .piece_square has more than 3 columns"},
        {"            { S(11, 12), S(13, 14), S(15, 16) },\n", "",
         "w.h:14: .piece_square has 2 rows here, expected 3"},
        {".tempo = S(+12, 8)", ".tempo = { S(+12, 8) }", "w.h:23: found '{'"},
        {".tempo = S(+12, 8),", "", "the weights end without .tempo"},
        {".tempo", ".material", "w.h:23: .material is given twice"},
        {".tempo", ".mobility", "w.h:23: small has no weights named 'mobility'"},
        {".tempo", "tempo", "w.h:23"},
        {"};\n", "}\n", "the file ends here, expected ';'"},
        {"};\n", "};\nint x;\n", "w.h:25: found 'int', expected the end of the file"},
        {"};\n", "", "the file ends here"},
        {"EvalWeights", "OtherWeights", "w.h:5: found 'OtherWeights'"},
        {"#define", "#include", "w.h:4: found '#'"},
        {" */\n", "\n", "w.h:"},
        {"/* rank 3 */", "/* rank 3", "w.h:12: a comment that never ends"},
        {"S(3, 4), S(5, 6)", "S(3, 4); S(5, 6)", "w.h:12: found ';'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = strstr(good, cases[i].from);
        assert_non_null(at);
        char *text = text_format("%.*s%s%s", (int)(at - good), good, cases[i].to,
                                 at + strlen(cases[i].from));
        assert_non_null(text);
        Weight weights[SMALL_WEIGHTS], untouched[SMALL_WEIGHTS];
        memset(weights, 0x5a, sizeof weights);
        memcpy(untouched, weights, sizeof weights);
        Error err = {0};
        Status status = weights_file_parse(&small_engine, "w.h", text, strlen(text), weights, &err);
        if (status != STATUS_FORMAT || !strstr(err.message, cases[i].message))
            fail_msg("'%s' for '%s': status %d, message '%s', expected '%s'", cases[i].to,
                     cases[i].from, (int)status, err.message, cases[i].message);
        assert_memory_equal(weights, untouched, sizeof weights);
        free(text);
    }
}

/* Cut anywhere, it is refused and nothing beyond its end is read (ASan sees to that). */
static void a_cut_header_is_refused(void **state)
{
    (void)state;
    Weight weights[SMALL_WEIGHTS];
    for (size_t size = 0; size + 1 < strlen(good); size++) {
        char *text = malloc(size ? size : 1);
        memcpy(text, good, size);
        assert_int_equal(weights_file_parse(&small_engine, "w.h", text, size, weights, NULL),
                         STATUS_FORMAT);
        free(text);
    }
}

static void files_are_read_and_missing_ones_named(void **state)
{
    (void)state;
    Weight weights[SMALL_WEIGHTS];
    Error err = {0};
    char path[64];
    snprintf(path, sizeof path, "weights_file_test_%ld.h", (long)getpid());
    assert_int_equal(weights_file_read(&small_engine, path, weights, &err), STATUS_IO);
    assert_non_null(strstr(err.message, path));
    assert_int_equal(file_write_all(path, good, strlen(good), &err), STATUS_OK);
    assert_int_equal(weights_file_read(&small_engine, path, weights, &err), STATUS_OK);
    assert_int_equal(weights[0].middlegame, 92);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_header_is_read),
        cmocka_unit_test(bad_headers_are_refused_with_their_place),
        cmocka_unit_test(a_cut_header_is_refused),
        cmocka_unit_test(files_are_read_and_missing_ones_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
