/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_scan.c - PGN text as tokens (see pgn_scan.h). */
#include "pgn_scan.h"

#include <stdarg.h>
#include <string.h>

void pgn_scanner_init(PgnScanner *scanner, const PgnSource *source, Reject *reject)
{
    *scanner = (PgnScanner){.source = source,
                            .at = source->text,
                            .end = source->text + source->size,
                            .line_start = source->text,
                            .line = source->line,
                            .token_line = source->line,
                            .token_column = source->column,
                            .reject = reject};
}

void pgn_scanner_free(PgnScanner *scanner)
{
    buffer_free(&scanner->name);
    buffer_free(&scanner->value);
}

/* --- places ---------------------------------------------------------------------------------- */

/* From 1; the text may begin in the middle of a line. */
static size_t column(const PgnScanner *scanner)
{
    size_t before = scanner->line == scanner->source->line ? scanner->source->column - 1 : 0;
    return (size_t)(scanner->at - scanner->line_start) + before + 1;
}

Status pgn_scan_refuse(const PgnScanner *scanner, Reject why, Error *err, const char *format, ...)
{
    char message[sizeof err->message];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(message, sizeof message, format, arguments) < 0)
        message[0] = 0;
    va_end(arguments);
    return reject_set(scanner->reject, why, err, "%s: line %zu, column %zu: %s",
                      scanner->source->path, scanner->token_line, scanner->token_column, message);
}

/* Marks the current place as that of the token. */
static void begin_token(PgnScanner *scanner)
{
    scanner->token_line = scanner->line;
    scanner->token_column = column(scanner);
}

static Status refuse_char(const PgnScanner *scanner, unsigned char c, const char *expected,
                          Error *err)
{
    if (c == 0)
        return pgn_scan_refuse(scanner, REJECT_ZERO, err, "a zero byte, expected %s", expected);
    if (c < ' ' || c >= 0x7f)
        return pgn_scan_refuse(scanner, REJECT_SYNTAX, err, "byte 0x%02x, expected %s", c,
                               expected);
    return pgn_scan_refuse(scanner, REJECT_SYNTAX, err, "'%c', expected %s", c, expected);
}

/* The end of the text where there should be more; a text that was cut says so. */
static Status refuse_end(PgnScanner *scanner, const char *expected, Error *err)
{
    if (scanner->source->size > PGN_GAME_BYTES_MAX)
        return pgn_scan_refuse(scanner, REJECT_SYNTAX, err,
                               "a game of more than %d bytes, expected %s", PGN_GAME_BYTES_MAX,
                               expected);
    return pgn_scan_refuse(scanner, REJECT_TRUNCATED, err, "the game ends, expected %s", expected);
}

/* --- characters ------------------------------------------------------------------------------ */

static void step(PgnScanner *scanner)
{
    if (*scanner->at++ == '\n') {
        scanner->line++;
        scanner->line_start = scanner->at;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What a move, a number or a result may be made of. */
static bool is_symbol(char c)
{
    return is_letter(c) || is_digit(c) || (c != 0 && strchr("_+#=:@/-", c));
}

static void skip_blanks(PgnScanner *scanner)
{
    while (scanner->at < scanner->end) {
        if (*scanner->at == '%' && column(scanner) == 1)
            while (scanner->at < scanner->end && *scanner->at != '\n')
                step(scanner);
        else if (is_blank(*scanner->at))
            step(scanner);
        else
            return;
    }
}

static Status no_memory(const PgnScanner *scanner, Error *err)
{
    return error_set(err, STATUS_NO_MEMORY, "%s: line %zu: no memory for a game",
                     scanner->source->path, scanner->line);
}

/* --- tokens ---------------------------------------------------------------------------------- */

/* Steps over blanks and one character that has to be there. */
static Status expect(PgnScanner *scanner, char c, const char *expected, Error *err)
{
    skip_blanks(scanner);
    begin_token(scanner);
    if (scanner->at == scanner->end)
        return refuse_end(scanner, expected, err);
    if (*scanner->at != c)
        return refuse_char(scanner, (unsigned char)*scanner->at, expected, err);
    step(scanner);
    return STATUS_OK;
}

/* The text of a tag's value up to the closing quote. */
static Status scan_value(PgnScanner *scanner, Error *err)
{
    static const char expected[] = "\" at the end of the tag's value";
    while (scanner->at < scanner->end && *scanner->at != '"') {
        char c = *scanner->at;
        begin_token(scanner);
        if (c == '\\' && scanner->at + 1 < scanner->end &&
            (scanner->at[1] == '"' || scanner->at[1] == '\\')) {
            step(scanner);
            c = *scanner->at;
        } else if ((unsigned char)c < ' ') {
            return refuse_char(scanner, (unsigned char)c, expected, err);
        }
        if (scanner->value.size == PGN_TAG_MAX)
            return pgn_scan_refuse(scanner, REJECT_SYNTAX, err,
                                   "a tag's value of more than %d bytes", PGN_TAG_MAX);
        buffer_put(&scanner->value, &c, 1);
        step(scanner);
    }
    if (scanner->at == scanner->end)
        return refuse_end(scanner, expected, err);
    step(scanner);
    return STATUS_OK;
}

static Status scan_tag(PgnScanner *scanner, Error *err)
{
    size_t line = scanner->token_line, place = scanner->token_column;
    step(scanner);
    skip_blanks(scanner);
    begin_token(scanner);
    while (scanner->at < scanner->end &&
           (is_letter(*scanner->at) || is_digit(*scanner->at) || *scanner->at == '_')) {
        if (scanner->name.size == PGN_TAG_MAX)
            return pgn_scan_refuse(scanner, REJECT_SYNTAX, err,
                                   "a tag's name of more than %d bytes", PGN_TAG_MAX);
        buffer_put(&scanner->name, scanner->at, 1);
        step(scanner);
    }
    if (scanner->at == scanner->end)
        return refuse_end(scanner, "the name of a tag", err);
    if (scanner->name.size == 0)
        return refuse_char(scanner, (unsigned char)*scanner->at, "the name of a tag", err);
    Status status = expect(scanner, '"', "\" before the tag's value", err);
    if (status == STATUS_OK)
        status = scan_value(scanner, err);
    if (status == STATUS_OK)
        status = expect(scanner, ']', "] at the end of the tag", err);
    scanner->token_line = line;
    scanner->token_column = place;
    return status;
}

/* Appends a character of a comment: blanks in a row are one. */
static void put_comment_char(PgnScanner *scanner, char c)
{
    Buffer *value = &scanner->value;
    if (!is_blank(c))
        buffer_put(value, &c, 1);
    else if (value->size == 0 || value->bytes[value->size - 1] != ' ')
        buffer_put(value, " ", 1);
}

/* { ... }, or ; and the rest of the line. */
static Status scan_comment(PgnScanner *scanner, Error *err)
{
    char close = *scanner->at == '{' ? '}' : '\n';
    step(scanner);
    while (scanner->at < scanner->end && *scanner->at != close) {
        if ((unsigned char)*scanner->at < ' ' && !is_blank(*scanner->at)) {
            begin_token(scanner);
            return refuse_char(scanner, (unsigned char)*scanner->at, "a comment's text", err);
        }
        put_comment_char(scanner, *scanner->at);
        step(scanner);
    }
    if (scanner->at == scanner->end && close == '}')
        return refuse_end(scanner, "} after the comment that begins here", err);
    if (scanner->at < scanner->end)
        step(scanner);
    return STATUS_OK;
}

/* $n */
static Status scan_nag(PgnScanner *scanner, Error *err)
{
    int digits = 0;
    scanner->nag = 0;
    for (step(scanner); scanner->at < scanner->end && is_digit(*scanner->at); step(scanner))
        if (digits++ < 4)
            scanner->nag = 10 * scanner->nag + (*scanner->at - '0');
    if (digits == 0 || digits > 4 || scanner->nag > PGN_NAG_MAX)
        return pgn_scan_refuse(scanner, REJECT_SYNTAX, err,
                               "a glyph that is none, expected $0 to $%d", PGN_NAG_MAX);
    return STATUS_OK;
}

/* ! ? !! ?? !? ?! as the glyphs 1 to 6 (PGN standard, 8.2.3.8) */
static Status scan_suffix(PgnScanner *scanner, Error *err)
{
    static const char *const suffixes[] = {"!", "?", "!!", "??", "!?", "?!"};
    char text[3] = "";
    size_t length = 0;
    for (; scanner->at < scanner->end && (*scanner->at == '!' || *scanner->at == '?');
         step(scanner), length++)
        if (length < 2)
            text[length] = *scanner->at;
    for (int i = 0; i < 6 && length <= 2; i++)
        if (strcmp(text, suffixes[i]) == 0)
            scanner->nag = i + 1;
    return length <= 2
               ? STATUS_OK
               : pgn_scan_refuse(scanner, REJECT_SYNTAX, err,
                                 "%zu marks in a row, expected !, ?, !!, ??, !? or ?!", length);
}

static void skip_dots(PgnScanner *scanner)
{
    for (;;) {
        skip_blanks(scanner);
        if (scanner->at == scanner->end || *scanner->at != '.')
            return;
        step(scanner);
    }
}

static Status scan_symbol(PgnScanner *scanner, PgnToken *token, Error *err)
{
    size_t length = 0, digits = 0;
    for (; scanner->at < scanner->end && is_symbol(*scanner->at); step(scanner), length++) {
        digits += is_digit(*scanner->at);
        if (length < PGN_MOVE_MAX)
            scanner->text[length] = *scanner->at;
    }
    scanner->text[length < PGN_MOVE_MAX ? length : PGN_MOVE_MAX] = 0;
    if (length > PGN_MOVE_MAX)
        return pgn_scan_refuse(scanner, REJECT_SYNTAX, err,
                               "a word of %zu bytes ('%.16s...'), expected a move", length,
                               scanner->text);
    *token = outcome_from_text(scanner->text, &scanner->outcome) ? PGN_RESULT
             : digits == length                                  ? PGN_NUMBER
                                                                 : PGN_MOVE;
    if (*token == PGN_NUMBER)
        skip_dots(scanner);
    return STATUS_OK;
}

Status pgn_scan(PgnScanner *scanner, PgnToken *token, Error *err)
{
    Status status = STATUS_OK;
    skip_blanks(scanner);
    begin_token(scanner);
    buffer_clear(&scanner->name);
    buffer_clear(&scanner->value);
    if (scanner->at == scanner->end) {
        *token = PGN_END;
        return STATUS_OK;
    }
    char c = *scanner->at;
    if (c == '[') {
        *token = PGN_TAG;
        status = scan_tag(scanner, err);
    } else if (c == '{' || c == ';') {
        *token = PGN_COMMENT;
        status = scan_comment(scanner, err);
    } else if (c == '$') {
        *token = PGN_GLYPH;
        status = scan_nag(scanner, err);
    } else if (c == '!' || c == '?') {
        *token = PGN_GLYPH;
        status = scan_suffix(scanner, err);
    } else if (c == '(' || c == ')') {
        *token = c == '(' ? PGN_OPEN : PGN_CLOSE;
        step(scanner);
    } else if (c == '*') {
        *token = PGN_RESULT;
        scanner->outcome = OUTCOME_NONE;
        step(scanner);
    } else if (is_symbol(c)) {
        status = scan_symbol(scanner, token, err);
    } else {
        status = refuse_char(scanner, (unsigned char)c, "a move, a comment or the result", err);
    }
    buffer_put(&scanner->name, "", 1);
    buffer_put(&scanner->value, "", 1);
    if (status == STATUS_OK && (scanner->name.failed || scanner->value.failed))
        status = no_memory(scanner, err);
    return status;
}
