/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pgn_scan.h - the text of one PGN game as tokens, each with its line and column.
 *
 * Knows no moves and no tags by name. Blanks, line ends, %-lines and dots behind move numbers are
 * stepped over.
 */
#pragma once

#include "pgn.h"

typedef enum PgnToken {
    PGN_END,     /* of the text                                             */
    PGN_TAG,     /* [Name "value"]: name and value                          */
    PGN_COMMENT, /* value                                                   */
    PGN_GLYPH,   /* nag                                                     */
    PGN_OPEN,    /* ( */
    PGN_CLOSE,   /* ) */
    PGN_NUMBER,  /* a move number with its dots: text                       */
    PGN_RESULT,  /* outcome                                                 */
    PGN_MOVE     /* anything else that begins like a move: text             */
} PgnToken;

enum { PGN_MOVE_MAX = 31 };

typedef struct PgnScanner {
    const PgnSource *source;
    const char *at, *end;
    const char *line_start; /* of the line that `at` is in           */
    size_t line;            /* its number                            */
    /* The last token: */
    size_t token_line, token_column;
    char text[PGN_MOVE_MAX + 1];
    Buffer name, value; /* NUL-terminated */
    int nag;
    Outcome outcome;
    Reject *reject;
} PgnScanner;

void pgn_scanner_init(PgnScanner *scanner, const PgnSource *source, Reject *reject);
void pgn_scanner_free(PgnScanner *scanner);

/* The next token. STATUS_FORMAT with the place for what is none. */
Status pgn_scan(PgnScanner *scanner, PgnToken *token, Error *err);

/* Refuses: "PATH: line L, column C: ..." of the last token. */
Status pgn_scan_refuse(const PgnScanner *scanner, Reject why, Error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
