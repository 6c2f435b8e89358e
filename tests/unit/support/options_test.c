/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options_test.c - defaults, configuration file and command line, and what is refused. */
#include "test.h"

#include "support/files.h"
#include "support/options.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEST_OPTIONS(X)                                                                            \
    X(int, nodes, "5000", 1, 10000000, "N", "search limit of each move, in nodes")                 \
    X(int, opening_plies, "8", 0, 100, "N", "random plies at the start of a game")                 \
    X(int, any, NULL, 0, 0, "N", "any whole number")                                               \
    X(real, ridge, "0.001", 0, 10, "X", "strength of the ridge")                                   \
    X(text, out, NULL, 0, 0, "DIR", "directory of the dataset")                                    \
    X(flag, resume, NULL, 0, 0, NULL, "go on with what is in --out")                               \
    X(list, engine, NULL, 0, 0, "SPEC", "an engine")
typedef struct TestOptions {
    COMMON_OPTIONS(OPTION_MEMBER)
    TEST_OPTIONS(OPTION_MEMBER)
} TestOptions;
#define OPTIONS_STRUCT TestOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) TEST_OPTIONS(OPTION_ROW)};

static const char *variants(void)
{
    return "mansindam";
}

static const OptionTable table = {
    .program = "campmate-test",
    .summary = "Tests options.",
    .usage = "FILE...",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .variants = variants,
};

static const char *directory; /* for temporary files */
static TestOptions values;
static OptionList positional;
static Error err;

/* Parses a command line of up to 16 words, NULL-terminated. */
static OptionsVerdict parse(const char *const *words)
{
    char *argv[18] = {"campmate-test"};
    int argc = 1;
    for (; *words; words++)
        argv[argc++] = (char *)(uintptr_t)*words;
    err = (Error){0};
    return options_parse(&table, argc, argv, &values, &positional, &err);
}
#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

static int forget(void **state)
{
    (void)state;
    options_free(&table, &values, &positional);
    return 0;
}

/* A mistake has one message, and it is one line. */
static void assert_wrong(OptionsVerdict verdict, const char *part)
{
    assert_int_equal(verdict, OPTIONS_WRONG);
    if (!strstr(err.message, part))
        fail_msg("'%s' does not say '%s'", err.message, part);
    assert_null(strchr(err.message, '\n'));
}

static char *write_config(const char *text)
{
    char *path = text_format("%s/options-%ld.ini", directory, (long)getpid());
    assert_non_null(path);
    assert_int_equal(file_write_all(path, text, strlen(text), &err), STATUS_OK);
    return path;
}

static OptionsVerdict parse_config(const char *text)
{
    char *path = write_config(text);
    OptionsVerdict verdict = PARSE("--config", path);
    unlink(path);
    free(path);
    return verdict;
}

static void test_defaults(void **state)
{
    (void)state;
    assert_int_equal(parse((const char *const[]){NULL}), OPTIONS_RUN);
    assert_int_equal(values.nodes, 5000);
    assert_int_equal(values.any, 0);
    assert_true(values.ridge > 0.0009999 && values.ridge < 0.0010001);
    assert_null(values.out);
    assert_false(values.resume);
    assert_int_equal(values.engine.count, 0);
    assert_int_equal(positional.count, 0);
}

static void test_both_spellings_and_order(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--nodes=7", "first", "--opening-plies", "0", "--engine", "a", "--out",
                           "--strange", "--engine=b", "--resume", "--", "--nodes"),
                     OPTIONS_RUN);
    assert_int_equal(values.nodes, 7);
    assert_int_equal(values.opening_plies, 0);
    assert_string_equal(values.out, "--strange");
    assert_true(values.resume);
    assert_int_equal(values.engine.count, 2);
    assert_string_equal(values.engine.items[0], "a");
    assert_string_equal(values.engine.items[1], "b");
    assert_int_equal(positional.count, 2);
    assert_string_equal(positional.items[0], "first");
    assert_string_equal(positional.items[1], "--nodes");
}

static void test_flags_take_a_word(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--resume=false", "--json=yes"), OPTIONS_RUN);
    assert_false(values.resume);
    assert_true(values.json);
    assert_wrong(PARSE("--resume=perhaps"), "--resume: 'perhaps'");
}

static void test_unknown_and_abbreviated_options(void **state)
{
    (void)state;
    assert_wrong(PARSE("--bogus"), "unknown option '--bogus'");
    assert_wrong(PARSE("--bogus=3"), "unknown option '--bogus'");
    assert_wrong(PARSE("--node", "3"), "unknown option '--node'");
    assert_wrong(PARSE("--opening_plies", "3"), "unknown option '--opening_plies'");
    assert_wrong(PARSE("-x"), "unknown option '-x'");
    assert_wrong(PARSE("--nodes"), "option '--nodes' needs a value");
}

static void test_nothing_for_a_value(void **state)
{
    (void)state;
    assert_wrong(PARSE("--out="), "--out: expected DIR, found nothing");
    assert_wrong(PARSE("--engine", ""), "--engine: expected SPEC, found nothing");
    assert_wrong(parse_config("out =\n"), "out: expected DIR, found nothing");
}

/* Which options were on the command line, and which of them mean nothing there. */
static void test_only_some_options(void **state)
{
    (void)state;
    static const char *const some[] = {"out", "opening_plies", NULL};
    char *path = write_config("ridge = 1\n");
    assert_int_equal(PARSE("--config", path, "--out", "a", "--opening-plies=8", "--seed", "3"),
                     OPTIONS_RUN);
    unlink(path);
    free(path);
    assert_true(options_given(&table, &values, "out"));
    assert_true(options_given(&table, &values, "opening_plies"));
    assert_false(options_given(&table, &values, "ridge"));
    assert_false(options_given(&table, &values, "nodes"));
    assert_int_equal(options_only(&table, &values, some, "with --out", &err), STATUS_OK);
    assert_int_equal(options_only(&table, &values, some + 1, "with --any", &err), STATUS_ARGUMENT);
    assert_string_equal(err.message, "--out means nothing with --any (see --help)");
    assert_int_equal(options_only(&table, &values, NULL, "here", &err), STATUS_ARGUMENT);
    assert_int_equal(PARSE("--json"), OPTIONS_RUN);
    assert_int_equal(options_only(&table, &values, NULL, "here", &err), STATUS_OK);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_wrong(PARSE("--threads", "-1"), "--threads: -1 is out of range, expected 0 to 512");
    assert_wrong(PARSE("--nodes=0"), "expected 1 to 10000000");
    assert_wrong(PARSE("--nodes=10000001"), "expected 1 to 10000000");
    assert_wrong(PARSE("--nodes=99999999999999999999"), "expected 1 to 10000000");
    assert_wrong(PARSE("--any=99999999999999999999"), "too large");
    for (const char *const *bad = (const char *const[]){"", " 5", "5 ", "5x", "0x10", "5.0", "1e3",
                                                        "+", "-", "five", NULL};
         *bad; bad++)
        assert_wrong(PARSE("--nodes", *bad), "not a whole number");
    assert_int_equal(PARSE("--any=-12"), OPTIONS_RUN);
    assert_int_equal(values.any, -12);
    assert_int_equal(PARSE("--seed=9007199254740991"), OPTIONS_RUN);
    assert_int_equal(values.seed, INT64_C(9007199254740991));
    assert_wrong(PARSE("--seed=9007199254740992"), "out of range");

    assert_wrong(PARSE("--ridge=0,5"), "not a comma");
    assert_wrong(PARSE("--ridge=nan"), "not a number");
    assert_wrong(PARSE("--ridge=inf"), "not a number");
    assert_wrong(PARSE("--ridge=0x1p-3"), "not a number");
    assert_wrong(PARSE("--ridge="), "not a number");
    assert_wrong(PARSE("--ridge=1e999"), "too large");
    assert_wrong(PARSE("--ridge=10.5"), "expected 0 to 10");
    assert_int_equal(PARSE("--ridge=2.5e-1"), OPTIONS_RUN);
    assert_true(values.ridge == 0.25);
}

/* A program that follows the user's locale reads and writes the same numbers. */
static void test_decimal_comma_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    assert_string_equal(localeconv()->decimal_point, ",");
    assert_int_equal(PARSE("--ridge=0.5"), OPTIONS_RUN);
    assert_true(values.ridge == 0.5);
    char *text = options_effective(&table, &values, NULL);
    setlocale(LC_ALL, "C");
    assert_non_null(strstr(text, "ridge = 0.5\n"));
    free(text);
}

static void test_decimals(void **state)
{
    (void)state;
    double value = 7;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1.5", 1.5}, {"-2", -2}, {".25", 0.25}, {"1e3", 1000}, {"0", 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(decimal_parse(good[i].text, &value));
        assert_true(value == good[i].value);
    }
    assert_true(decimal_parse("1e999", &value) && value > 1e308);
    static const char *const bad[] = {"",    " 1", "1 ", "1,5", "0x10",  "nan",
                                      "inf", "-",  "e",  "+1",  "1.2.3", "1x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (decimal_parse(bad[i], &value))
            fail_msg("'%s' is taken for a number", bad[i]);
}

static void test_config_and_authority(void **state)
{
    (void)state;
    char *path = write_config("# a comment\n"
                              "nodes = 100\n"
                              "[opening]\n"
                              "  opening_plies = 4\n"
                              "ridge=0.25\n"
                              "engine = name=a,args=\"x ;y\"\n"
                              "engine = b\n"
                              "out = some where\n"
                              "resume = yes\n");
    assert_int_equal(PARSE("--config", path, "--nodes", "200"), OPTIONS_RUN);
    assert_int_equal(values.nodes, 200);
    assert_int_equal(values.opening_plies, 4);
    assert_true(values.ridge == 0.25);
    assert_int_equal(values.engine.count, 2);
    assert_string_equal(values.engine.items[0], "name=a,args=\"x ;y\"");
    assert_string_equal(values.out, "some where");
    assert_true(values.resume);

    assert_int_equal(PARSE("--engine", "c", "--config", path, "--resume=no"), OPTIONS_RUN);
    assert_int_equal(values.engine.count, 1);
    assert_string_equal(values.engine.items[0], "c");
    assert_false(values.resume);
    unlink(path);
    free(path);
}

static void test_config_mistakes(void **state)
{
    (void)state;
    assert_wrong(parse_config("nodes = 5\nbogus = 1\n"), ".ini:2: unknown key 'bogus'");
    assert_wrong(parse_config("\n\nnodes = many\n"), ".ini:3: nodes: 'many' is not a whole");
    assert_wrong(parse_config("ridge = 0,5\n"), ":1: ridge: '0,5' is not a number");
    assert_wrong(parse_config("nodes = 5\nnodes = 6\n"), ":2: key 'nodes' is given twice");
    assert_wrong(parse_config("nodes\n"), ":1: expected 'key = value'");
    assert_wrong(parse_config("config = x.ini\n"), "command line");
    assert_wrong(PARSE("--config", "/nonexistent/x.ini"), "cannot read /nonexistent/x.ini");
}

static void test_long_config_line(void **state)
{
    (void)state;
    enum { LENGTH = 5000 };
    char text[LENGTH + 16] = "out = ";
    memset(text + 6, 'x', LENGTH);
    text[LENGTH + 6] = '\n';
    assert_int_equal(parse_config(text), OPTIONS_RUN);
    assert_int_equal(strlen(values.out), LENGTH);
}

static void test_effective_configuration_reads_back(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--ridge=0.1", "--engine=a", "--engine=b c", "--seed=7"), OPTIONS_RUN);
    const char *const omit[] = {"threads", "json", "dry-run", NULL};
    char *text = options_effective(&table, &values, omit);
    assert_string_equal(text, "seed = 7\nnodes = 5000\nopening-plies = 8\nany = 0\nridge = 0.1\n"
                              "resume = false\nengine = a\nengine = b c\n");
    assert_int_equal(parse_config(text), OPTIONS_RUN);
    char *again = options_effective(&table, &values, omit);
    assert_string_equal(text, again);
    free(again);
    free(text);
}

/* Runs the parser with standard output in a file and gives back what it wrote. */
static char *captured(const char *word)
{
    char *path = text_format("%s/stdout-%ld", directory, (long)getpid());
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    assert_non_null(freopen(path, "w", stdout));
    OptionsVerdict verdict = PARSE("--nodes=3", word);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    clearerr(stdout);
    char *text = NULL;
    size_t size;
    assert_int_equal(file_read_all(path, &text, &size, &err), STATUS_OK);
    unlink(path);
    free(path);
    assert_int_equal(verdict, OPTIONS_DONE);
    return text;
}

static void test_help_and_version(void **state)
{
    (void)state;
    char *help = captured("--help");
    assert_non_null(strstr(help, "Usage: campmate-test [OPTION...] FILE..."));
    assert_non_null(strstr(help, "--opening-plies=N"));
    assert_non_null(strstr(help, "default 5000;")); /* the range may be on the next line */
    assert_non_null(strstr(help, "1 to 10000000)"));
    assert_non_null(strstr(help, "--version"));
    /* In the order of the table. */
    assert_true(strstr(help, "--threads") < strstr(help, "--nodes"));
    assert_true(strstr(help, "--nodes") < strstr(help, "--any"));
    free(help);
    char *version = captured("--version");
    assert_non_null(strstr(version, "campmate-test 0."));
    assert_non_null(strstr(version, "variants  mansindam"));
    free(version);
}

static void test_unwanted_arguments(void **state)
{
    (void)state;
    char *argv[] = {"campmate-test", "surprise", NULL};
    assert_wrong(options_parse(&table, 2, argv, &values, NULL, &err),
                 "unexpected argument 'surprise'");
}

static void test_threads(void **state)
{
    (void)state;
    assert_int_equal(options_threads(3), 3);
    assert_true(options_threads(0) >= 1);
}

static void text_of_values_reads_back(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--nodes", "70", "--ridge", "0.5", "--out", "a = b", "--engine", "x",
                           "--engine", "y", "--resume"),
                     OPTIONS_RUN);
    char *text = options_effective(&table, &values, NULL);
    assert_non_null(text);
    TestOptions again = {0};
    assert_int_equal(options_from_text(&table, text, &again, &err), STATUS_OK);
    char *second = options_effective(&table, &again, NULL);
    assert_string_equal(second, text);
    free(second);
    free(text);
    /* Unknown keys are left out, defaults stay, the last line needs no end. */
    assert_int_equal(
        options_from_text(&table, "new-key = 5\nno value\nopening-plies = 3", &again, &err),
        STATUS_OK);
    assert_int_equal(again.opening_plies, 3);
    assert_int_equal(again.nodes, 5000);
    assert_null(again.out);
    assert_int_equal(options_from_text(&table, "nodes = 0\n", &again, &err), STATUS_ARGUMENT);
    assert_non_null(strstr(err.message, "nodes: 0 is out of range"));
    options_free(&table, &again, NULL);
}

int main(int argc, char **argv)
{
    directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_defaults, forget),
        cmocka_unit_test_teardown(test_both_spellings_and_order, forget),
        cmocka_unit_test_teardown(test_flags_take_a_word, forget),
        cmocka_unit_test_teardown(test_unknown_and_abbreviated_options, forget),
        cmocka_unit_test_teardown(test_nothing_for_a_value, forget),
        cmocka_unit_test_teardown(test_only_some_options, forget),
        cmocka_unit_test_teardown(test_numbers, forget),
        cmocka_unit_test_teardown(test_decimal_comma_locale, forget),
        cmocka_unit_test_teardown(test_decimals, forget),
        cmocka_unit_test_teardown(test_config_and_authority, forget),
        cmocka_unit_test_teardown(test_config_mistakes, forget),
        cmocka_unit_test_teardown(test_long_config_line, forget),
        cmocka_unit_test_teardown(test_effective_configuration_reads_back, forget),
        cmocka_unit_test_teardown(test_help_and_version, forget),
        cmocka_unit_test_teardown(test_unwanted_arguments, forget),
        cmocka_unit_test_teardown(test_threads, forget),
        cmocka_unit_test_teardown(text_of_values_reads_back, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
