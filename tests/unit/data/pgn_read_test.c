/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_read_test.c - PGN read: what comes back, what is refused and where. */
#include "test.h"

#include "pgn.h"
#include "pgn_comment.h"
#include "random_games.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

static char path[] = "/tmp/campmate-pgn-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* --- help ------------------------------------------------------------------------------------ */

typedef struct Text {
    char *bytes;
    size_t size;
    FILE *stream;
} Text;

static FILE *text_begin(Text *text)
{
    text->stream = open_memstream(&text->bytes, &text->size);
    assert_non_null(text->stream);
    return text->stream;
}

static void text_end(Text *text)
{
    assert_int_equal(fclose(text->stream), 0);
}

/* Reads the games of a text and writes them again; fails the test at the first that is refused. */
static char *read_and_write(const char *bytes, size_t size, const Engine *engine, size_t *count)
{
    assert_int_equal(file_write_all(path, bytes, size, NULL), STATUS_OK);
    PgnReader *reader = NULL;
    PgnGame game = {0};
    Text text;
    bool end = false;
    assert_int_equal(pgn_reader_open(&reader, path, NULL), STATUS_OK);
    text_begin(&text);
    for (*count = 0;; ++*count) {
        Error err = {0};
        Reject reject;
        if (pgn_reader_next(reader, engine, &game, &end, &reject, &err) != STATUS_OK)
            fail_msg("%s", err.message);
        if (end)
            break;
        assert_int_equal(pgn_game_write(text.stream, &game, &err), STATUS_OK);
    }
    text_end(&text);
    pgn_game_free(&game);
    pgn_reader_close(reader);
    return text.bytes;
}

static Status parse(const char *bytes, const Engine *engine, PgnGame *game, Reject *reject,
                    Error *err)
{
    PgnSource source = {
        .path = "x.pgn", .line = 1, .column = 1, .text = bytes, .size = strlen(bytes)};
    *reject = REJECT_COUNT;
    return pgn_parse(&source, engine, game, reject, err);
}

/* --- round trips ----------------------------------------------------------------------------- */

static void what_is_written_comes_back(void **state)
{
    (void)state;
    const Engine *engine;
    for (size_t v = 0; (engine = engine_at(v)); v++) {
        Text text;
        GameRecord record = {0};
        text_begin(&text);
        const uint64_t games = 60;
        for (uint64_t i = 0; i < games; i++) {
            random_game(engine, 5, i, i % 4 ? 200 : 12, &record);
            record.has_final_score = i % 5 == 0;
            record.final_score_white_cp = (int16_t)(record.has_final_score ? 3 * (int)i - 50 : 0);
            PgnTags tags = {.event = i % 2 ? "a \"b\" \\ c" : NULL,
                            .site = i % 3 ? "" : NULL,
                            .termination = game_reason_text(record.reason),
                            .time_control = i % 2 ? "-" : NULL,
                            .adjudication = record.adjudication == OUTCOME_NONE
                                                ? NULL
                                                : outcome_text(record.adjudication)};
            assert_int_equal(pgn_write(text.stream, engine, &record, &tags, NULL), STATUS_OK);
        }
        text_end(&text);
        size_t count;
        char *again = read_and_write(text.bytes, text.size, NULL, &count);
        assert_int_equal(count, games);
        assert_string_equal(again, text.bytes);
        free(again);
        free(text.bytes);
        game_record_free(&record);
    }
}

/* Moves, ends, flags and scores of a dataset survive; mates by their number of moves. */
static void records_come_back(void **state)
{
    (void)state;
    const Engine *engine;
    for (size_t v = 0; (engine = engine_at(v)); v++) {
        GameRecord record = {0};
        PgnGame game = {0};
        for (uint64_t i = 0; i < 40; i++) {
            random_game(engine, 6, i, 150, &record);
            for (size_t j = 0; j < record.ply_count; j++)
                if (abs(record.plies[j].score_white_cp) > SCORE_MATE_BOUND &&
                    record.plies[j].score_white_cp != SCORE_NONE)
                    record.plies[j].score_white_cp = (int16_t)(j % 2 ? 310 : -31000);
            record.has_final_score = i % 2 == 0;
            record.final_score_white_cp = (int16_t)(record.has_final_score ? -31000 + (int)i : 0);
            Text text;
            PgnTags tags = {.termination = game_reason_text(record.reason),
                            .adjudication = outcome_text(record.adjudication)};
            assert_int_equal(pgn_write(text_begin(&text), engine, &record, &tags, NULL), STATUS_OK);
            text_end(&text);
            Reject reject;
            Error err = {0};
            if (parse(text.bytes, engine, &game, &reject, &err) != STATUS_OK)
                fail_msg("%s", err.message);
            game.record.number = i;
            assert_records_equal(&game.record, &record);
            assert_int_equal(game.record.has_final_score, record.has_final_score);
            assert_int_equal(game.record.final_score_white_cp, record.final_score_white_cp);
            free(text.bytes);
        }
        pgn_game_free(&game);
        game_record_free(&record);
    }
}

/* Files in the form in which PyChess has them: its tags, clocks, and the moves in one line. */
static void files_of_pychess_come_back(void **state)
{
    (void)state;
    static const char *const files[] = {
        "[Event \"PyChess rated game\"]\n[Site \"https://pychess.example/abCD1234\"]\n"
        "[Date \"2024.05.01\"]\n[Round \"-\"]\n[White \"one\"]\n[Black \"two?\"]\n"
        "[Result \"1-0\"]\n[TimeControl \"300+5\"]\n[WhiteElo \"1500?\"]\n[BlackElo \"1712\"]\n"
        "[Variant \"Shogun\"]\n"
        "[FEN \"rnb+fkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB+FKBNR[] w KQkq - 0 1\"]\n[SetUp \"1\"]\n\n"
        "1. e4 {[%clk 0:05:00]} 1... e5 {[%clk 0:04:58]} 2. Nf3 {[%clk 0:04:59]} 2... d6 "
        "{[%clk 0:04:50]} 3. d4 $1 exd4 $6 $14 4. Qxd4 1-0\n\n",
        "[Event \"?\"]\n[Variant \"Sittuyin\"]\n[Result \"*\"]\n[Unknown \"kept\"]\n\n"
        "{a word before} 1. F@a2 F@e7 2. K@g2 *\n\n",
        "[Variant \"Mansindam\"]\n[Black \"B\"]\n[White \"A\"]\n[Result \"0-1\"]\n"
        "[Termination \"time forfeit\"]\n\n1. Pa4 $5 Pi6 {x} 2. Pa5 0-1\n\n",
        "[Variant \"Miniburmese\"]\n[Result \"*\"]\n\n"
        "1. R@g3 1. B@f2 {twice} 1. N@c2 1. G@e3 1. K@f3 1. Q@e2 N@f7 1... R@c6 *\n\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t count;
        char *again = read_and_write(files[i], strlen(files[i]), NULL, &count);
        assert_int_equal(count, 1);
        assert_string_equal(again, files[i]);
        free(again);
    }
    /* All in one file, and the whole compressed. */
    char *all = text_format("%s%s%s%s", files[0], files[1], files[2], files[3]);
    size_t size = strlen(all), count;
    char *frame = malloc(ZSTD_compressBound(size));
    size_t packed = ZSTD_compress(frame, ZSTD_compressBound(size), all, size, 3);
    char *again = read_and_write(frame, packed, NULL, &count);
    assert_int_equal(count, 4);
    assert_string_equal(again, all);
    free(again);
    free(frame);
    free(all);
}

static void all_that_the_standard_allows(void **state)
{
    (void)state;
    static const char file[] =
        "\xef\xbb\xbf; a word about the file\r\n% an escape [Event \"no\"]\r\n\r\n"
        "  [ Variant\t\"mansindam\" ]\r\n[Black \"a \\\"b\\\" \\\\\"] [White \"w\"]\r\n"
        "[Site\r\n\"split\"]\r\n\r\n"
        "1.a4!i6?{ comment\r\n over  lines } 2 . a5 ( 2. b4 {(} (2. c4 $3 ; )\r\n) b6 ) "
        "2...h6?!\r\n"
        "% 1-0 [\r\n3.b1d2 ; to the end {\r\n 3... b9d8 $139 1-0 1. a4 *\r\n"
        "[Variant \"Shogun\"]\r\n1.e4 1/2-1/2";
    assert_int_equal(file_write_all(path, file, sizeof file - 1, NULL), STATUS_OK);
    PgnReader *reader = NULL;
    PgnGame game = {0};
    bool end = false;
    Reject reject;
    Error err = {0};
    assert_int_equal(pgn_reader_open(&reader, path, &err), STATUS_OK);
    if (pgn_reader_next(reader, NULL, &game, &end, &reject, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_string_equal(game.engine->name, "mansindam");
    assert_string_equal(pgn_game_tag(&game, "Black"), "a \"b\" \\");
    assert_string_equal(pgn_game_tag(&game, "Site"), "split");
    assert_null(pgn_game_tag(&game, "Event"));
    assert_int_equal(game.record.ply_count, 6);
    assert_int_equal(game.variations, 1);
    assert_int_equal(game.record.outcome, OUTCOME_WHITE);
    assert_int_equal(game.record.reason, REASON_UNKNOWN);
    Text text;
    assert_int_equal(pgn_game_write(text_begin(&text), &game, &err), STATUS_OK);
    text_end(&text);
    assert_string_equal(
        text.bytes, "[Variant \"mansindam\"]\n[Black \"a \\\"b\\\" \\\\\"]\n[White \"w\"]\n"
                    "[Site \"split\"]\n\n"
                    "1. Pa4 $1 Pi6 $2 { comment over lines } 2. Pa5 Ph6 $6 3. Nd2 { to the end (}\n"
                    "3... Nd8 $139 1-0\n\n");
    free(text.bytes);
    /* The second has no tags: the game has to be known. */
    assert_int_equal(pgn_reader_next(reader, NULL, &game, &end, &reject, &err), STATUS_FORMAT);
    assert_int_equal(reject, REJECT_VARIANT);
    if (pgn_reader_next(reader, engine_find("shogun"), &game, &end, &reject, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(game.record.outcome, OUTCOME_DRAW);
    assert_int_equal(pgn_reader_next(reader, NULL, &game, &end, &reject, &err), STATUS_OK);
    assert_true(end);
    pgn_reader_close(reader);
    pgn_game_free(&game);
}

/* Letters and origins that the engine leaves out, or the other way round. */
static void moves_as_other_programs_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *same; /* NULL = refused */
    } cases[] = {
        {"[Variant \"Mansindam\"]\n\n1. Pa4 Pi6 2. Nb1d2 Nb9-d8 *", NULL},
        {"[Variant \"Mansindam\"]\n\n1. a4 i6 2. Nb1d2 Nbd8 *",
         "[Variant \"Mansindam\"]\n\n1. Pa4 Pi6 2. Nd2 Nd8 *\n\n"},
        {"[Variant \"Shogun\"]\n[FEN \"4k3/8/5p2/2P1P1P1/8/8/8/4K3[] w - - 0 1\"]\n\n"
         "1. Pexf6=C Kd8 2. Pc6=C *",
         "[Variant \"Shogun\"]\n[FEN \"4k3/8/5p2/2P1P1P1/8/8/8/4K3[] w - - 0 1\"]\n\n"
         "1. exf6=C Kd8 2. c6=C *\n\n"},
        {"[Variant \"Shogun\"]\n[FEN \"4k3/8/5p2/4P1P1/8/8/8/4K3[] w - - 0 1\"]\n\n1. Pxf6 *",
         NULL},
        {"[Variant \"Shogun\"]\n[FEN \"4k3/8/5p2/4P3/8/8/8/4K3[] w - - 0 1\"]\n\n1. gxf6 *", NULL},
        {"[Variant \"Shogun\"]\n[FEN \"4k3/8/5p2/4P3/8/8/8/4K3[] w - - 0 1\"]\n\n1. f6 *", NULL},
        {"[Variant \"Sittuyin\"]\n\n1. F@e7 *", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PgnGame game = {0};
        Reject reject;
        Error err = {0};
        Status status = parse(cases[i].text, NULL, &game, &reject, &err);
        if (!cases[i].same) {
            if (status != STATUS_FORMAT || reject != REJECT_MOVE)
                fail_msg("case %zu: status %d: %s", i, (int)status, err.message);
        } else {
            if (status != STATUS_OK)
                fail_msg("case %zu: %s", i, err.message);
            Text text;
            assert_int_equal(pgn_game_write(text_begin(&text), &game, &err), STATUS_OK);
            text_end(&text);
            assert_string_equal(text.bytes, cases[i].same);
            free(text.bytes);
        }
        pgn_game_free(&game);
    }
}

/* --- refusals -------------------------------------------------------------------------------- */

static void what_is_wrong_is_named(void **state)
{
    (void)state;
#define TAGS  "[Variant \"Mansindam\"]\n"
#define MATED "[FEN \"k8/3N5/1+P7/9/9/9/9/9/4K4[P] w - - 0 1\"]\n[SetUp \"1\"]\n\n1. P@a8# "
    static const struct {
        const char *text;
        Reject reject;
        const char *place, *word;
    } cases[] = {
        {TAGS "\n1. a4 a5 *", REJECT_MOVE, "line 3, column 7", "move 1..."},
        {TAGS "\n1. a4 i6\n2. a5 Pz9 *", REJECT_MOVE, "line 4, column 7", "move 2..."},
        {TAGS "\n1. a4 i6 2. a9 *", REJECT_MOVE, "line 3, column 13", "move 2.: 'a9'"},
        {TAGS "\n1. a4 i6", REJECT_TRUNCATED, "line 3", "without a result"},
        {TAGS "\n1. a4 {open *", REJECT_TRUNCATED, "line 3, column 7", "}"},
        {TAGS "\n1. a4 (1. b4 *", REJECT_TRUNCATED, "line 3", "line 3, column 7"},
        {TAGS "\n1. a4 ) *", REJECT_SYNTAX, "line 3, column 7", "')'"},
        {TAGS "\n1. a4 $256 *", REJECT_SYNTAX, "line 3, column 7", "$255"},
        {TAGS "\n1. a4??? *", REJECT_SYNTAX, "line 3, column 6", "marks"},
        {TAGS "\n1. a4 < *", REJECT_SYNTAX, "line 3, column 7", "'<'"},
        {TAGS "\n1. a4 \xc3\xa9 *", REJECT_SYNTAX, "line 3, column 7", "0xc3"},
        {TAGS "\n1. a4 [Event \"x\"] *", REJECT_SYNTAX, "line 3, column 7", "tag"},
        {TAGS "\n1. aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa *", REJECT_SYNTAX,
         "line 3, column 4", "word of 45 bytes"},
        {TAGS "[White \"x]\n\n*", REJECT_SYNTAX, "line 2, column 11", "expected \""},
        {TAGS "[White x]\n\n*", REJECT_SYNTAX, "line 2, column 8", "expected \""},
        {TAGS "[White \"x\"\n\n*", REJECT_SYNTAX, "line 4, column 1", "expected ]"},
        {TAGS "[\"x\"]\n\n*", REJECT_SYNTAX, "line 2, column 2", "name"},
        {TAGS "[White", REJECT_TRUNCATED, "line 2", "the game ends"},
        {TAGS TAGS "\n*", REJECT_SYNTAX, "line 2, column 1", "second time"},
        {"[Variant \"Chess\"]\n\n*", REJECT_VARIANT, "line 3", "mansindam, shogun"},
        {"[Variant \"Shogun\"]\n\n*", REJECT_VARIANT, "line 3", "expected Mansindam"},
        {TAGS "[FEN \"9/9\"]\n\n*", REJECT_POSITION, "line 4", "tag FEN"},
        {TAGS "[SetUp \"1\"]\n\n*", REJECT_POSITION, "line 4", "no tag FEN"},
        {TAGS "\n1. a4 1/2-1/2", REJECT_DRAW, "line 3, column 7", "no draws"},
        {TAGS "[Result \"1-0\"]\n\n1. a4 0-1", REJECT_CONTRADICTION, "line 4, column 7", "Result"},
        {TAGS "[Result \"won\"]\n\n1. a4 1-0", REJECT_RESULT, "line 4", "'won'"},
        {TAGS "[Termination \"mate\"]\n\n1. a4 1-0", REJECT_CONTRADICTION, "line 4", "goes on"},
        {TAGS "[Termination \"ply cap\"]\n\n1. a4 1-0", REJECT_CONTRADICTION, "line 4", "cap"},
        {TAGS MATED "0-1", REJECT_CONTRADICTION, "line 5, column 10", "by the rules it is 1-0"},
        {TAGS MATED "Kb9 1-0", REJECT_AFTER_END, "line 5, column 10", "mate"},
    };
    const Engine *engine = engine_find("mansindam");
    PgnGame game = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Error err = {0};
        Reject reject;
        Status status = parse(cases[i].text, engine, &game, &reject, &err);
        if (status != STATUS_FORMAT || reject != cases[i].reject ||
            strncmp(err.message, "x.pgn: line ", 12) != 0 || !strstr(err.message, cases[i].place) ||
            !strstr(err.message, cases[i].word))
            fail_msg("case %zu: status %d, reject %d: %s", i, (int)status, (int)reject,
                     err.message);
    }
    pgn_game_free(&game);
}

/* A refused game does not take the next one with it. */
static void reading_goes_on_behind_a_refused_game(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "[Event \"1\"]\n" TAGS "\n1. a4 zz *\n\n",
        "[Event \"1\"]\n" TAGS "\n1. a4 {never closed\n\n",
        "[Event \"1\"]\n" TAGS "\n1. a4 i6\n\n",
        "[Event \"1\"]\n" TAGS "\n1. a4 (1. b4\n\n",
        "[Event \"1\n" TAGS "\n1. a4 *\n\n",
        "[Event \"1\"]\n[White \"x\"\n\n",
        "[Event \"1\"]\n" TAGS "\n\n",
    };
    static const char good[] = "[Event \"2\"]\n" TAGS "\n1. a4 {fine} *\n\n";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = text_format("%s%s", bad[i], good);
        assert_int_equal(file_write_all(path, text, strlen(text), NULL), STATUS_OK);
        PgnReader *reader = NULL;
        PgnGame game = {0};
        bool end = false;
        Reject reject;
        Error err = {0};
        assert_int_equal(pgn_reader_open(&reader, path, NULL), STATUS_OK);
        assert_int_equal(pgn_reader_next(reader, NULL, &game, &end, &reject, &err), STATUS_FORMAT);
        assert_int_not_equal(reject, REJECT_COUNT);
        if (pgn_reader_next(reader, NULL, &game, &end, &reject, &err) != STATUS_OK)
            fail_msg("case %zu: %s", i, err.message);
        assert_false(end);
        assert_string_equal(pgn_game_tag(&game, "Event"), "2");
        pgn_reader_close(reader);
        pgn_game_free(&game);
        free(text);
    }
}

/* Cut anywhere, and with a zero byte anywhere: an error with a place or fewer games, no more. */
static void cut_and_holed_files(void **state)
{
    (void)state;
    static const char file[] = "[Event \"1\"]\n[Variant \"Shogun\"]\n[White \"\\\\\"]\n\n"
                               "1. e4 {+0.31/9} 1... e5 $1 (1... d5) 2. Nf3 ; x\n 2... d6 1-0\n\n";
    PgnGame game = {0};
    for (size_t i = 0; i + 2 < sizeof file - 1; i++) {
        for (int holed = 0; holed < 2; holed++) {
            char copy[sizeof file];
            memcpy(copy, file, sizeof file);
            if (holed)
                copy[i] = 0;
            PgnSource source = {.path = "x",
                                .line = 1,
                                .column = 1,
                                .text = copy,
                                .size = holed ? sizeof file - 1 : i};
            Reject reject = REJECT_COUNT;
            Error err = {0};
            Status status = pgn_parse(&source, NULL, &game, &reject, &err);
            if (i < sizeof file - 3 && status != STATUS_FORMAT)
                fail_msg("%s at %zu: status %d", holed ? "hole" : "cut", i, (int)status);
            assert_true(reject < REJECT_COUNT);
            assert_non_null(strstr(err.message, "x: line "));
        }
    }
    pgn_game_free(&game);
}

/* --- comments -------------------------------------------------------------------------------- */

static void comments_say_scores(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int white, black, eval_white; /* score if White or Black moved; eval if White is to move */
        uint8_t flags;
    } cases[] = {
        {"+0.31", 31, -31, SCORE_NONE, 0},
        {"-1.05/9 0.120s", -105, 105, SCORE_NONE, 0},
        {"0.00/15 0.01s", 0, 0, SCORE_NONE, 0},
        {"+M3", SCORE_MATE - 5, 5 - SCORE_MATE, SCORE_NONE, 0},
        {"-M3/7 1s, Black mates", 6 - SCORE_MATE, SCORE_MATE - 6, SCORE_NONE, 0},
        {"+0.5 sampled played-out", 50, -50, SCORE_NONE, PLY_SAMPLED | PLY_PLAYED_OUT},
        {"book", SCORE_NONE, SCORE_NONE, SCORE_NONE, PLY_BOOK},
        {"a random book", SCORE_NONE, SCORE_NONE, SCORE_NONE, 0},
        {"0.31", SCORE_NONE, SCORE_NONE, SCORE_NONE, 0},
        {"+400.00", SCORE_NONE, SCORE_NONE, SCORE_NONE, 0},
        {"+M99999", SCORE_NONE, SCORE_NONE, SCORE_NONE, 0},
        {"-", SCORE_NONE, SCORE_NONE, SCORE_NONE, 0},
        {"M3", SCORE_NONE, SCORE_NONE, SCORE_NONE, 0},
        {"[%eval -1.25] [%clk 0:01:00]", SCORE_NONE, SCORE_NONE, -125, 0},
        {"[%eval 0.305,12]", SCORE_NONE, SCORE_NONE, 31, 0},
        {"[%eval #2]", SCORE_NONE, SCORE_NONE, SCORE_MATE - 3, 0},
        {"[%eval #-2]", SCORE_NONE, SCORE_NONE, 4 - SCORE_MATE, 0},
        {"[%eval x]", SCORE_NONE, SCORE_NONE, SCORE_NONE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PgnFacts white = pgn_comment_read(cases[i].text, SIDE_WHITE, SIDE_WHITE);
        PgnFacts black = pgn_comment_read(cases[i].text, SIDE_BLACK, SIDE_WHITE);
        if (white.score_white_cp != cases[i].white || black.score_white_cp != cases[i].black ||
            white.eval_white_cp != cases[i].eval_white || white.flags != cases[i].flags)
            fail_msg("'%s': %d, %d, %d, flags %d", cases[i].text, white.score_white_cp,
                     black.score_white_cp, white.eval_white_cp, white.flags);
    }
}

/* A draw by the clock at once, and the moves go on. Nothing is lost, until it is cut. */
static void games_played_on_behind_their_end(void **state)
{
    (void)state;
    static const char text[] =
        "[Event \"?\"]\n[Variant \"Shogun\"]\n"
        "[FEN \"4k3/8/8/8/8/8/8/4K2R[] w - - 99 70\"]\n[SetUp \"1\"]\n"
        "[Result \"0-1\"]\n[Termination \"time forfeit\"]\n\n"
        "70. Rh2 {+0.01} 70... Kd7 {[%eval 0.00]} 71. Rh3 {[%eval 0.50]} 0-1\n\n";
    size_t count;
    char *again = read_and_write(text, strlen(text), NULL, &count);
    assert_string_equal(again, text);
    free(again);
    PgnGame game = {0};
    Reject reject;
    Error err = {0};
    if (parse(text, NULL, &game, &reject, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_true(game.played_on);
    assert_int_equal(game.record.ply_count, 3);
    assert_int_equal(game.record.outcome, OUTCOME_BLACK);
    assert_int_equal(game.record.reason, REASON_TIME);
    pgn_game_cut(&game);
    assert_int_equal(game.record.ply_count, 1);
    assert_int_equal(game.record.outcome, OUTCOME_DRAW);
    assert_int_equal(game.record.reason, (int)END_FIFTY);
    assert_false(game.record.has_final_score);
    pgn_game_free(&game);
}

/* [%eval] behind a move judges the position before the next one, or the final one. */
static void evals_belong_to_the_next_position(void **state)
{
    (void)state;
    PgnGame game = {0};
    Reject reject;
    Error err = {0};
    static const char text[] = TAGS "\n{[%eval 0.10]} 1. a4 {[%eval 0.20]} i6 {-0.30} 2. a5 "
                                    "{[%eval -0.40]} *";
    if (parse(text, NULL, &game, &reject, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(game.record.plies[0].score_white_cp, 10);
    assert_int_equal(game.record.plies[1].score_white_cp, 30);
    assert_int_equal(game.record.plies[2].score_white_cp, SCORE_NONE);
    assert_true(game.record.has_final_score);
    assert_int_equal(game.record.final_score_white_cp, -40);
    pgn_game_free(&game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(files_of_pychess_come_back),
        cmocka_unit_test(all_that_the_standard_allows),
        cmocka_unit_test(moves_as_other_programs_write_them),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(reading_goes_on_behind_a_refused_game),
        cmocka_unit_test(cut_and_holed_files),
        cmocka_unit_test(comments_say_scores),
        cmocka_unit_test(games_played_on_behind_their_end),
        cmocka_unit_test(evals_belong_to_the_next_position),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
