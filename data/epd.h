/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * epd.h - positions as lines: FEN, or EPD with operations.
 *
 *     rnbq.../... w - - hmvc 3; fmvn 9; id "a name; of 5"; c9 "1-0";
 *
 * A line has operations if it has a semicolon or a quotation mark. Its fields go up to the first
 * of them: a word behind the side to move that begins with a letter and is no castling or en
 * passant field. All that is not an operation is the engine's to judge.
 */
#pragma once

#include "engine.h"

/*
 * The FEN of a line. Without operations it is the line, whole and unchanged, and so are the fields
 * before the operations; hmvc and fmvn set the counters where the fields have none.
 *
 *   operations   the rest of the line, for epd_operand; "" if there are none; may be NULL
 *
 * STATUS_FORMAT, without a place, for a line of nothing or too long for a position, and for hmvc
 * and fmvn that are no numbers, stand twice or contradict the fields.
 */
Status epd_fen(const char *line, char fen[ENGINE_MAX_FEN], const char **operations, Error *err);

enum { EPD_OPERAND_MAX = 64 };

/*
 * What an operation says: all up to its semicolon, without the blanks around it, and without its
 * quotation marks if it is one text. *found = false if there is no such operation. STATUS_FORMAT
 * if it is there twice or too long, or a quotation is never closed.
 */
Status epd_operand(const char *operations, const char *name, char operand[EPD_OPERAND_MAX],
                   bool *found, Error *err);
