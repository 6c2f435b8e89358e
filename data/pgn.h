/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pgn.h - games as PGN text in PyChess's dialect, written and read.
 *
 * Tag `Variant` has a capital first letter; `FEN` and `SetUp` stand only where a game does not
 * begin at the variant's start position. Drops are `P@e4`, promotions name the new piece (`Ba6=A`).
 * Move numbers follow the FEN's fullmove field; Black's moves have one ("3...") at the start,
 * after a comment and where Black moves several times in a row.
 *
 * What the writer makes comes back byte for byte when it is read and written again; other files
 * come back in this form.
 */
#pragma once

#include "bytes.h"
#include "dataset.h"
#include "reject.h"

/* --- games of a dataset or match ------------------------------------------------------------- */

typedef struct PgnTags {
    const char *event, *site, *date, *round, *white, *black; /* NULL = "?"                     */
    const char *time_control, *termination;                  /* NULL = tag left out            */
    const char *adjudication;                                /* NULL = tag left out            */
    /* Comment after each move ("+0.31/9 0.12s"), [plies of the game]; NULL = scores and flags if
     * any, as in pgn_comment.h. */
    const char *const *comments;
    const char *remark; /* comment before the first move; NULL = none */
} PgnTags;

/* Writes one game with an empty line after it. `tags` may be NULL. STATUS_IO if the stream fails.
 */
Status pgn_write(FILE *stream, const Engine *engine, const GameRecord *record, const PgnTags *tags,
                 Error *err);

/* --- games that were read -------------------------------------------------------------------- */

/* A text of a PgnGame: where it begins in `texts`. */
typedef size_t PgnText;

typedef struct PgnTag {
    PgnText name, value; /* the value without quotes and escapes */
} PgnTag;

/* A comment or a numeric glyph. */
typedef struct PgnNote {
    size_t ply;    /* behind so many moves                         */
    bool is_glyph; /* $nag, else the comment `text`                */
    int nag;
    PgnText text; /* blanks and line ends in a row are one blank  */
} PgnNote;

/* A game as a PGN has it. Zeroed is empty; memory is reused from game to game. */
typedef struct PgnGame {
    const Engine *engine;
    size_t line;       /* of the file, where the game begins */
    GameRecord record; /* moves; scores, flags and adjudication from comments and tags; outcome and
                          reason as ending_settle has them; number 0 */
    Outcome result;    /* as the text has it                                 */
    bool played_on;    /* the moves go on behind `end`, see pgn_game_cut; outcome and reason of
                          the record are then the text's                     */
    Ending end;        /* by the rules, after `end_ply` moves                */
    size_t end_ply;
    bool unwrapped;    /* the moves are one long line                        */
    size_t variations; /* read over, and not kept                            */
    PgnTag *tags;      /* [tag_count], in order                              */
    size_t tag_count, tag_capacity;
    PgnNote *notes; /* [note_count], in order                             */
    size_t note_count, note_capacity;
    Buffer texts;
} PgnGame;

void pgn_game_free(PgnGame *game);
const char *pgn_game_text(const PgnGame *game, PgnText text);
/* The value of a tag, NULL if the game has no such tag. */
const char *pgn_game_tag(const PgnGame *game, const char *name);

/* Cuts the record of a game that was played on where it ended by the rules: outcome and reason are
 * theirs then. Tags and notes stay. */
void pgn_game_cut(PgnGame *game);

/* Writes a game that was read, with all its tags and notes. */
Status pgn_game_write(FILE *stream, const PgnGame *game, Error *err);

enum {
    PGN_GAME_BYTES_MAX = 16 << 20, /* text of one game                       */
    PGN_TAG_MAX = 4096,            /* bytes of a tag's value                 */
    PGN_NAG_MAX = 255
};

/* The text of one game, as it stands in a file. */
typedef struct PgnSource {
    const char *path;
    size_t line, column; /* of its first byte, from 1 */
    const char *text;
    size_t size;
} PgnSource;

/*
 * Reads one game.
 *
 *   engine   the game played where there is no Variant tag; a tag that says another one is
 *            refused. NULL: the tag has to be there
 *
 * Strict, but takes all that the PGN standard allows: tags in any order, comments {} and ;, NAGs,
 * !? and the like (kept as NAGs), nested variations (read over), % lines, any form of move
 * numbers. A move is SAN, with or without marks of check, or UCI text (pgn_move.h). Moves may go
 * on behind an end by clock, count, claim or material, as programs play that do not know of it,
 * but not behind mate, stalemate or campmate.
 * STATUS_FORMAT names path, line, column, what was found and expected, and the number of
 * an illegal move; *reject says which kind of refusal it is.
 */
Status pgn_parse(const PgnSource *source, const Engine *engine, PgnGame *game, Reject *reject,
                 Error *err);

/* --- files of games -------------------------------------------------------------------------- */

typedef struct PgnReader PgnReader;

/* Opens a file, plain or zstd, "-" = standard input. `path` has to outlive the reader. */
Status pgn_reader_open(PgnReader **reader, const char *path, Error *err);
void pgn_reader_close(PgnReader *reader);

/*
 * The text of the next game; it lives until the next call. *end = true when there is none.
 *
 * A game ends with its result; one that has none ends where the next line begins with [ (after an
 * empty line and with "[Event " inside of a comment that is never closed or a list of tags).
 * STATUS_FORMAT only for what ends the file: damaged compression. A game longer than
 * PGN_GAME_BYTES_MAX is handed out cut: pgn_parse refuses it.
 */
Status pgn_reader_text(PgnReader *reader, PgnSource *source, bool *end, Error *err);

/* Both: the next game. After STATUS_FORMAT from a game the next call goes on with the next one;
 * *reject is REJECT_COUNT if it is the file that failed. */
Status pgn_reader_next(PgnReader *reader, const Engine *engine, PgnGame *game, bool *end,
                       Reject *reject, Error *err);
