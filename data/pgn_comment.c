/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_comment.c - scores and flags as comments (see pgn_comment.h). */
#include "pgn_comment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint8_t flag;
    const char *word;
} flag_words[] = {
    {PLY_RANDOM, "random"},
    {PLY_BOOK, "book"},
    {PLY_SAMPLED, "sampled"},
    {PLY_PLAYED_OUT, "played-out"},
};
enum { FLAG_WORDS = sizeof flag_words / sizeof *flag_words };

/* --- writing --------------------------------------------------------------------------------- */

static bool is_mate(int score)
{
    return score > SCORE_MATE_BOUND || score < -SCORE_MATE_BOUND;
}

static int mate_moves(int score)
{
    return (SCORE_MATE - abs(score) + 1) / 2;
}

void pgn_comment_write(char text[PGN_COMMENT_SIZE], const PlyRecord *ply, Side mover)
{
    int score = mover == SIDE_WHITE ? ply->score_white_cp : -ply->score_white_cp, length = 0;
    text[0] = 0;
    if (ply->score_white_cp != SCORE_NONE)
        length = is_mate(score)
                     ? snprintf(text, PGN_COMMENT_SIZE, "%cM%d", score < 0 ? '-' : '+',
                                mate_moves(score))
                     : snprintf(text, PGN_COMMENT_SIZE, "%c%d.%02d", score < 0 ? '-' : '+',
                                abs(score) / 100, abs(score) % 100);
    for (int i = 0; i < FLAG_WORDS; i++)
        if (ply->flags & flag_words[i].flag)
            length += snprintf(text + length, PGN_COMMENT_SIZE - (size_t)length, "%s%s",
                               length ? " " : "", flag_words[i].word);
}

void pgn_comment_write_eval(char text[PGN_COMMENT_SIZE], int score_white_cp)
{
    const char *sign = score_white_cp < 0 ? "-" : "";
    if (is_mate(score_white_cp))
        snprintf(text, PGN_COMMENT_SIZE, "[%%eval #%s%d]", sign, mate_moves(score_white_cp));
    else
        snprintf(text, PGN_COMMENT_SIZE, "[%%eval %s%d.%02d]", sign, abs(score_white_cp) / 100,
                 abs(score_white_cp) % 100);
}

/* --- reading --------------------------------------------------------------------------------- */

/* Digits at *at, which steps over them; -1 if there are none or too many. */
static int take_number(const char **at, const char *end)
{
    int value = 0, digits = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at, digits++)
        if (digits < 6)
            value = 10 * value + (**at - '0');
    return digits >= 1 && digits <= 6 ? value : -1;
}

/* The score of a side that is mated, or mates, in so many moves; SCORE_NONE beyond all bounds. */
static int score_of_mate(bool negative, int moves)
{
    int plies = negative ? 2 * moves : moves > 0 ? 2 * moves - 1 : 0;
    if (moves < 0 || plies >= SCORE_MATE - SCORE_MATE_BOUND)
        return SCORE_NONE;
    return negative ? plies - SCORE_MATE : SCORE_MATE - plies;
}

/* "12.34" at *at in hundredths; -1 if there is none. */
static int take_hundredths(const char **at, const char *end)
{
    int whole = take_number(at, end);
    if (whole < 0 || *at == end || **at != '.')
        return -1;
    const char *digits = ++*at;
    int fraction = take_number(at, end);
    ptrdiff_t count = *at - digits;
    if (fraction < 0 || count > 3)
        return -1;
    fraction = count == 1 ? 10 * fraction : count == 3 ? (fraction + 5) / 10 : fraction;
    return 100 * whole + fraction;
}

static int within_bound(int score, bool negative)
{
    return score < 0 || score > SCORE_MATE_BOUND ? SCORE_NONE : negative ? -score : score;
}

/* "+0.31", "+0.31/9", "0.00/15", "-M3/7", a comma behind it or not; SCORE_NONE if it is none. */
static int word_score(const char *word, const char *end)
{
    const char *at = word;
    bool negative = *at == '-', is_signed = *at == '-' || *at == '+';
    at += is_signed;
    int score;
    if (at < end && *at == 'M' && is_signed) {
        at++;
        score = score_of_mate(negative, take_number(&at, end));
    } else {
        score = within_bound(take_hundredths(&at, end), negative);
    }
    bool has_depth = at < end && *at == '/';
    if (has_depth) {
        at++;
        if (take_number(&at, end) < 0)
            return SCORE_NONE;
    }
    if (at < end && (*at == ',' || *at == ';'))
        at++;
    return at == end && (is_signed || has_depth) ? score : SCORE_NONE;
}

/* "0.120s" */
static bool is_time(const char *word, const char *end)
{
    if (end - word < 2 || end[-1] != 's')
        return false;
    size_t length = (size_t)(end - word) - 1;
    return strspn(word, "0123456789.") == length;
}

static int eval_after(const char *text, Side side)
{
    static const char mark[] = "[%eval ";
    const char *at = strstr(text, mark);
    if (!at)
        return SCORE_NONE;
    at += strlen(mark);
    const char *end = at + strcspn(at, ",]");
    bool is_mate_in = *at == '#';
    at += is_mate_in;
    bool negative = *at == '-';
    at += negative || *at == '+';
    if (is_mate_in) {
        int moves = take_number(&at, end);
        /* Of White's point of view; the plies depend on who is to move. */
        bool mover_loses = negative == (side == SIDE_WHITE);
        int score = score_of_mate(mover_loses, moves);
        return at != end || score == SCORE_NONE ? SCORE_NONE : side == SIDE_WHITE ? score : -score;
    }
    int score = within_bound(take_hundredths(&at, end), negative);
    return at == end ? score : SCORE_NONE;
}

PgnFacts pgn_comment_read(const char *text, Side mover, Side side)
{
    PgnFacts facts = {.score_white_cp = SCORE_NONE, .eval_white_cp = eval_after(text, side)};
    uint8_t flags = 0;
    bool only_ours = true; /* flags are words that people use, too */
    size_t number = 0;
    for (const char *word = text + strspn(text, " "), *end; *word; word = end + strspn(end, " ")) {
        end = word + strcspn(word, " ");
        size_t length = (size_t)(end - word);
        int score = number++ == 0 ? word_score(word, end) : SCORE_NONE;
        if (score != SCORE_NONE) {
            facts.score_white_cp = mover == SIDE_WHITE ? score : -score;
            continue;
        }
        bool known = is_time(word, end);
        for (int i = 0; i < FLAG_WORDS; i++)
            if (strlen(flag_words[i].word) == length &&
                memcmp(flag_words[i].word, word, length) == 0) {
                flags |= flag_words[i].flag;
                known = true;
            }
        only_ours = only_ours && known;
    }
    if (only_ours)
        facts.flags = flags;
    return facts;
}
