/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weights_file.c - reads a generated weights header at run time.
 *
 * A recursive descent over the small part of C that `campmate-tune` writes. The shape that is
 * expected comes from the engine's term groups, so a header of another variant or of another
 * list of terms is refused at the first place where it differs.
 */
#include "weights_file.h"

#include "support/files.h"

#include <stdlib.h>
#include <string.h>

typedef enum TokenKind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SIGN } TokenKind;

typedef struct Parser {
    const Engine *engine;
    const char *path;
    const char *at, *end; /* what is still to be read                     */
    int line;
    bool line_begins; /* only blanks so far on this line              */
    TokenKind kind;   /* the current token: text, length, line        */
    const char *token;
    int token_length, token_line;
    Weight *weights; /* [weight_count], being filled                 */
    uint8_t *given;  /* [weight_count]                               */
    Error *err;
} Parser;

static Status wrong(Parser *parser, const char *expected)
{
    if (parser->kind == TOKEN_END)
        return error_set(parser->err, STATUS_FORMAT, "%s:%d: the file ends here, expected %s",
                         parser->path, parser->token_line, expected);
    return error_set(parser->err, STATUS_FORMAT, "%s:%d: found '%.*s', expected %s", parser->path,
                     parser->token_line, parser->token_length > 40 ? 40 : parser->token_length,
                     parser->token, expected);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool looking_at(const Parser *parser, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(parser->end - parser->at) >= length && !memcmp(parser->at, text, length);
}

/* Steps over one character and counts lines. */
static void step(Parser *parser)
{
    if (*parser->at == '\n') {
        parser->line++;
        parser->line_begins = true;
    }
    parser->at++;
}

/* Skips blanks, comments and #define lines. */
static Status skip(Parser *parser)
{
    for (;;) {
        if (parser->at == parser->end)
            return STATUS_OK;
        char c = *parser->at;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            step(parser);
        } else if (looking_at(parser, "/*")) {
            int line = parser->line;
            parser->at += 2;
            while (parser->at < parser->end && !looking_at(parser, "*/"))
                step(parser);
            if (parser->at == parser->end)
                return error_set(parser->err, STATUS_FORMAT, "%s:%d: a comment that never ends",
                                 parser->path, line);
            parser->at += 2;
        } else if (looking_at(parser, "//")) {
            while (parser->at < parser->end && *parser->at != '\n')
                step(parser);
        } else if (c == '#' && parser->line_begins && looking_at(parser, "#define ")) {
            while (parser->at < parser->end && *parser->at != '\n') {
                if (*parser->at == '\\' && parser->at + 1 < parser->end && parser->at[1] == '\n')
                    step(parser);
                step(parser);
            }
        } else {
            return STATUS_OK;
        }
    }
}

/* Makes the next token the current one. */
static Status advance(Parser *parser)
{
    Status status = skip(parser);
    if (status != STATUS_OK)
        return status;
    parser->line_begins = false;
    parser->token = parser->at;
    parser->token_line = parser->line;
    parser->token_length = 0;
    if (parser->at == parser->end) {
        parser->kind = TOKEN_END;
        return STATUS_OK;
    }
    char c = *parser->at;
    if (is_letter(c)) {
        parser->kind = TOKEN_NAME;
        while (parser->at < parser->end && (is_letter(*parser->at) || is_digit(*parser->at)))
            parser->at++;
    } else if (is_digit(c) || c == '-' || c == '+') {
        /* Takes "1.5", "0x10" and "12L" as one token, so that the message shows it whole. */
        parser->kind = TOKEN_NUMBER;
        parser->at++;
        while (parser->at < parser->end &&
               (is_letter(*parser->at) || is_digit(*parser->at) || *parser->at == '.'))
            parser->at++;
    } else {
        parser->kind = TOKEN_SIGN;
        parser->at++;
    }
    parser->token_length = (int)(parser->at - parser->token);
    return STATUS_OK;
}

static bool token_is(const Parser *parser, const char *text)
{
    return parser->kind != TOKEN_END && (int)strlen(text) == parser->token_length &&
           !memcmp(parser->token, text, (size_t)parser->token_length);
}

/* Takes `text`, or reports that `context` needs it. */
static Status expect(Parser *parser, const char *text, const char *context)
{
    if (token_is(parser, text))
        return advance(parser);
    char expected[160];
    Error message;
    error_set(&message, STATUS_FORMAT, "'%s' %s", text, context);
    size_t length = strlen(message.message);
    if (length >= sizeof expected)
        length = sizeof expected - 1;
    memcpy(expected, message.message, length);
    expected[length] = '\0';
    return wrong(parser, expected);
}

static Status read_number(Parser *parser, int16_t *number)
{
    if (parser->kind != TOKEN_NUMBER)
        return wrong(parser, "a whole number");
    const char *digit = parser->token;
    int left = parser->token_length;
    bool negative = *digit == '-';
    if (*digit == '-' || *digit == '+') {
        digit++;
        left--;
    }
    /* A leading 0 would make it octal for the compiler. */
    if (left == 0 || (left > 1 && *digit == '0'))
        return wrong(parser, "a whole number in decimal");
    int32_t value = 0;
    for (; left > 0; left--, digit++) {
        if (!is_digit(*digit))
            return wrong(parser, "a whole number in decimal");
        value = value * 10 + (*digit - '0');
        if (value > 32768)
            break;
    }
    if (negative)
        value = -value;
    if (value < INT16_MIN || value > INT16_MAX)
        return wrong(parser, "a number from -32768 to 32767");
    *number = (int16_t)value;
    return advance(parser);
}

/* S(middlegame, endgame) */
static Status read_weight(Parser *parser, int index)
{
    Status status;
    Weight weight;
    int line = parser->token_line;
    if ((status = expect(parser, "S", "(middlegame, endgame)")) != STATUS_OK ||
        (status = expect(parser, "(", "after S")) != STATUS_OK ||
        (status = read_number(parser, &weight.middlegame)) != STATUS_OK ||
        (status = expect(parser, ",", "between middlegame and endgame")) != STATUS_OK ||
        (status = read_number(parser, &weight.endgame)) != STATUS_OK ||
        (status = expect(parser, ")", "after the two numbers")) != STATUS_OK)
        return status;
    if (parser->engine->weight_exists && !parser->engine->weight_exists[index] &&
        (weight.middlegame || weight.endgame))
        return error_set(parser->err, STATUS_FORMAT,
                         "%s:%d: S(%d, %d) for a square or item that cannot occur in %s, expected "
                         "S(0, 0)",
                         parser->path, line, weight.middlegame, weight.endgame,
                         parser->engine->name);
    parser->weights[index] = weight;
    parser->given[index] = 1;
    return STATUS_OK;
}

static int find_item(const TermGroup *group, const char *name, int length)
{
    for (int i = 0; i < group->items; i++)
        if ((int)strlen(group->item_names[i]) == length &&
            !memcmp(group->item_names[i], name, (size_t)length))
            return i;
    return -1;
}

/*
 * One level of a group: 0 items, 1 rows, 2 columns. A level of extent 1 has no braces; items
 * that have names are designated and may come in any order.
 */
static Status read_level(Parser *parser, const TermGroup *group, int level, int first)
{
    if (level == 3)
        return read_weight(parser, first);
    const int extents[3] = {group->items, group->rows, group->columns};
    int extent = extents[level];
    if (extent == 1)
        return read_level(parser, group, level + 1, first);
    int size = level == 0   ? group->rows * group->columns
               : level == 1 ? group->columns
                            : 1; /* weights below one entry of this level */
    bool named = level == 0 && group->item_names;
    static const char *const nouns[3] = {"items", "rows", "columns"};

    Status status = expect(parser, "{", "at the begin of a table");
    if (status != STATUS_OK)
        return status;
    for (int n = 0;; n++) {
        if (token_is(parser, "}")) {
            if (n == extent)
                return advance(parser);
            return error_set(parser->err, STATUS_FORMAT, "%s:%d: .%s has %d %s here, expected %d",
                             parser->path, parser->token_line, group->name, n, nouns[level],
                             extent);
        }
        int index = n;
        if (named) {
            if ((status = expect(parser, "[", "before the name of an item")) != STATUS_OK)
                return status;
            index = parser->kind == TOKEN_NAME
                        ? find_item(group, parser->token, parser->token_length)
                        : -1;
            if (index < 0)
                return error_set(
                    parser->err, STATUS_FORMAT, "%s:%d: .%s of %s has no item '%.*s'", parser->path,
                    parser->token_line, group->name, parser->engine->name,
                    parser->token_length > 40 ? 40 : parser->token_length, parser->token);
            if (parser->given[first + index * size])
                return error_set(parser->err, STATUS_FORMAT, "%s:%d: .%s[%s] is given twice",
                                 parser->path, parser->token_line, group->name,
                                 group->item_names[index]);
            if ((status = advance(parser)) != STATUS_OK ||
                (status = expect(parser, "]", "after the name of an item")) != STATUS_OK ||
                (status = expect(parser, "=", "after [name]")) != STATUS_OK)
                return status;
        } else if (n == extent) {
            return error_set(parser->err, STATUS_FORMAT,
                             "%s:%d: .%s has more than %d %s here, expected '}'", parser->path,
                             parser->token_line, group->name, extent, nouns[level]);
        }
        if ((status = read_level(parser, group, level + 1, first + index * size)) != STATUS_OK)
            return status;
        if (!token_is(parser, "}") &&
            (status = expect(parser, ",", "or '}' after an entry")) != STATUS_OK)
            return status;
    }
}

static const TermGroup *find_group(const Engine *engine, const char *name, int length)
{
    for (int i = 0; i < engine->term_group_count; i++)
        if ((int)strlen(engine->term_groups[i].name) == length &&
            !memcmp(engine->term_groups[i].name, name, (size_t)length))
            return &engine->term_groups[i];
    return NULL;
}

static Status read_file(Parser *parser)
{
    static const char *const opening[] = {"static", "const", "EvalWeights", "weights", "=", "{"};
    const Engine *engine = parser->engine;
    Status status = advance(parser);
    for (size_t i = 0; status == STATUS_OK && i < sizeof opening / sizeof *opening; i++)
        status = expect(parser, opening[i], "of 'static const EvalWeights weights = {'");
    while (status == STATUS_OK && !token_is(parser, "}")) {
        if ((status = expect(parser, ".", "before the name of a group")) != STATUS_OK)
            break;
        const TermGroup *group = parser->kind == TOKEN_NAME
                                     ? find_group(engine, parser->token, parser->token_length)
                                     : NULL;
        if (!group)
            return error_set(parser->err, STATUS_FORMAT, "%s:%d: %s has no weights named '%.*s'",
                             parser->path, parser->token_line, engine->name,
                             parser->token_length > 40 ? 40 : parser->token_length, parser->token);
        if (parser->given[group->first])
            return error_set(parser->err, STATUS_FORMAT, "%s:%d: .%s is given twice", parser->path,
                             parser->token_line, group->name);
        if ((status = advance(parser)) != STATUS_OK ||
            (status = expect(parser, "=", "after the name of a group")) != STATUS_OK ||
            (status = read_level(parser, group, 0, group->first)) != STATUS_OK)
            break;
        if (!token_is(parser, "}"))
            status = expect(parser, ",", "or '}' after a group");
    }
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < engine->term_group_count; i++)
        if (!parser->given[engine->term_groups[i].first])
            return error_set(parser->err, STATUS_FORMAT, "%s:%d: the weights end without .%s",
                             parser->path, parser->token_line, engine->term_groups[i].name);
    if ((status = expect(parser, "}", "at the end of the weights")) != STATUS_OK ||
        (status = expect(parser, ";", "at the end of the weights")) != STATUS_OK)
        return status;
    return parser->kind == TOKEN_END ? STATUS_OK : wrong(parser, "the end of the file");
}

Status weights_file_parse(const Engine *engine, const char *name, const char *text, size_t size,
                          Weight *weights, Error *err)
{
    size_t count = (size_t)engine->weight_count;
    Parser parser = {.engine = engine,
                     .path = name,
                     .at = text,
                     .end = text + size,
                     .line = 1,
                     .line_begins = true,
                     .weights = calloc(count, sizeof(Weight)),
                     .given = calloc(count, 1),
                     .err = err};
    Status status;
    if (!parser.weights || !parser.given)
        status = error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu weights", name, count);
    else
        status = read_file(&parser);
    if (status == STATUS_OK)
        memcpy(weights, parser.weights, count * sizeof(Weight));
    free(parser.weights);
    free(parser.given);
    return status;
}

Status weights_file_read(const Engine *engine, const char *path, Weight *weights, Error *err)
{
    char *text = NULL;
    size_t size = 0;
    Status status = file_read_up_to(path, FILE_TEXT_MOST, &text, &size, err);
    if (status != STATUS_OK)
        return status;
    status = weights_file_parse(engine, path, text, size, weights, err);
    free(text);
    return status;
}
