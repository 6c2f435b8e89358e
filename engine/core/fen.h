/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fen.h - positions as text: strict reading with errors that name the place, canonical writing.
 */
#pragma once

#include "core/movegen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

enum { FEN_MAX_COUNTER = 60000 };

/* A FEN being read: `at` moves along `text`, `position` fills up. */
typedef struct FenReader {
    const char *text, *at;
    Position *position;
    Error *err;
} FenReader;

__attribute__((format(printf, 2, 3))) static Status fen_error(FenReader *reader, const char *format, ...)
{
    char detail[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return error_set(reader->err, STATUS_FORMAT, "FEN, character %d: %s",
                     (int)(reader->at - reader->text) + 1, detail);
}

/* A character as an error message shows it: itself, or its code where it cannot be printed. */
static const char *fen_shown(char c, char buffer[16])
{
    if (c == '\0')
        return "the end";
    if (isprint((unsigned char)c))
        snprintf(buffer, 16, "'%c'", c);
    else
        snprintf(buffer, 16, "byte 0x%02x", (unsigned)(unsigned char)c);
    return buffer;
}

/* The kind whose FEN text is `letter` (upper case), with `plus` its promoted form; NO_KIND if none. */
static Kind kind_from_letter(char letter, bool plus)
{
    for (int kind = 0; kind < KINDS; kind++) {
        const char *text = kind_text[kind];
        if (plus ? text[0] == '+' && text[1] == letter : text[0] == letter)
            return (Kind)kind;
        if (!plus && kind_alias[kind] == letter)
            return (Kind)kind;
    }
    return NO_KIND;
}

static Status fen_read_piece(FenReader *reader, int file, int rank)
{
    char shown[16];
    bool plus = *reader->at == '+';
    char letter = reader->at[plus];
    Kind kind = isalpha((unsigned char)letter)
                    ? kind_from_letter((char)toupper((unsigned char)letter), plus) : NO_KIND;
    if (kind == NO_KIND && plus)
        return fen_error(reader, "'+' before %s, which has no promoted form", fen_shown(letter, shown));
    if (kind == NO_KIND)
        return fen_error(reader, "%s is no piece, run of empty squares or '/'", fen_shown(letter, shown));
    int side = islower((unsigned char)letter) ? SIDE_BLACK : SIDE_WHITE, square = square_at(file, rank);
    if (kind == KING) {
        if (reader->position->king[side] != NO_SQUARE)
            return fen_error(reader, "a second king of %s", side ? "Black" : "White");
        reader->position->king[side] = (uint8_t)square;
    }
    if (kind == PAWN && (tables.last_ranks[side][PAWN_FORBIDDEN_RANKS] >> square & 1))
        return fen_error(reader, "a pawn of %s on its %s rank", side ? "Black" : "White",
                         PROMOTION_STYLE == PROMOTE_TO_NAMED ? "promotion" : "last");
    put_piece(reader->position, PIECE(kind, side), square, false);
    reader->at += plus + 1;
    return STATUS_OK;
}

/* Steps over a run of empty squares, all of which must exist. */
static Status fen_read_run(FenReader *reader, int *file, int rank)
{
    int run = *reader->at - '0';
    if (run == 0 || *file + run > BOARD_FILES)
        return fen_error(reader, "rank %d has more than %d files", rank + 1, BOARD_FILES);
    for (int end = *file + run; *file < end; ++*file)
        if (!(tables.live >> square_at(*file, rank) & 1))
            return fen_error(reader, "%c%d does not exist, expected '*'", 'a' + *file, rank + 1);
    reader->at++;
    return STATUS_OK;
}

static Status fen_read_board(FenReader *reader)
{
    char shown[16];
    for (int rank = BOARD_RANKS - 1; rank >= 0; rank--) {
        int file = 0;
        while (*reader->at && *reader->at != '/' && *reader->at != ' ' && *reader->at != '[') {
            if (isdigit((unsigned char)*reader->at)) {
                Status status = fen_read_run(reader, &file, rank);
                if (status)
                    return status;
                continue;
            }
            if (file >= BOARD_FILES)
                return fen_error(reader, "rank %d has more than %d files", rank + 1, BOARD_FILES);
            if (HAS_MISSING_SQUARES && (*reader->at == '*') != !(tables.live >> square_at(file, rank) & 1))
                return fen_error(reader, "%s on %c%d, which %s", fen_shown(*reader->at, shown), 'a' + file, rank + 1,
                                 *reader->at == '*' ? "exists" : "does not exist, expected '*'");
            if (HAS_MISSING_SQUARES && *reader->at == '*') {
                reader->at++;
                file++;
                continue;
            }
            Status status = fen_read_piece(reader, file, rank);
            if (status)
                return status;
            file++;
        }
        if (file != BOARD_FILES)
            return fen_error(reader, "rank %d has %d files, expected %d", rank + 1, file, BOARD_FILES);
        if (rank > 0) {
            if (*reader->at != '/')
                return fen_error(reader, "%s after rank %d, expected '/' and %d more ranks",
                                 fen_shown(*reader->at, shown), rank + 1, rank);
            reader->at++;
        }
    }
    if (*reader->at == '/')
        return fen_error(reader, "more than %d ranks", BOARD_RANKS);
    return STATUS_OK;
}

static Status fen_read_hands(FenReader *reader)
{
    char shown[16];
    if (*reader->at != '[')
        return STATUS_OK;
    if (!HAS_HANDS)
        return fen_error(reader, "pieces in hand, but this game has none");
    reader->at++;
    if (reader->at[0] == '-' && reader->at[1] == ']')
        reader->at++;
    for (; *reader->at != ']'; reader->at++) {
        char letter = *reader->at;
        Kind kind = isalpha((unsigned char)letter) ? kind_from_letter((char)toupper((unsigned char)letter), false)
                                                   : NO_KIND;
        if (kind >= HAND_KINDS || kind_text[kind][0] != toupper((unsigned char)letter) ||
            !strchr(HAND_ORDER, toupper((unsigned char)letter)))
            return fen_error(reader, "%s in hand, expected one of %s or ']'", fen_shown(letter, shown), HAND_ORDER);
        uint8_t *held = &reader->position->hand[islower((unsigned char)letter) ? SIDE_BLACK : SIDE_WHITE][kind];
        if (*held >= MAX_PIECES)
            return fen_error(reader, "more than %d of %s in hand", MAX_PIECES, fen_shown(letter, shown));
        ++*held;
    }
    reader->at++;
    return STATUS_OK;
}

/* Steps over the blanks before a field; false at the end of the text. */
static bool fen_next_field(FenReader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t')
        reader->at++;
    return *reader->at && *reader->at != '\r' && *reader->at != '\n';
}

/* A counter field; `value` keeps its default at the end of the text, and for '-'. */
static Status fen_read_counter(FenReader *reader, const char *what, long least, long *value)
{
    char shown[16];
    if (!fen_next_field(reader))
        return STATUS_OK;
    if (*reader->at == '-' && (reader->at[1] == ' ' || !reader->at[1])) {
        reader->at++;
        return STATUS_OK;
    }
    if (!isdigit((unsigned char)*reader->at))
        return fen_error(reader, "%s as the %s, expected a number", fen_shown(*reader->at, shown), what);
    long number = 0;
    const char *start = reader->at;
    for (; isdigit((unsigned char)*reader->at); reader->at++)
        if (number <= FEN_MAX_COUNTER)
            number = number * 10 + (*reader->at - '0');
    if (*reader->at && !isspace((unsigned char)*reader->at))
        return fen_error(reader, "%s in the %s, expected a number", fen_shown(*reader->at, shown), what);
    reader->at = number > FEN_MAX_COUNTER ? start : reader->at;
    if (number > FEN_MAX_COUNTER)
        return fen_error(reader, "the %s is above %d", what, FEN_MAX_COUNTER);
    *value = number < least ? least : number;
    return STATUS_OK;
}

/* True at a field that is "-", which is stepped over. */
static bool fen_skip_dash(FenReader *reader)
{
    if (*reader->at != '-' || (reader->at[1] && !isspace((unsigned char)reader->at[1])))
        return false;
    reader->at++;
    return true;
}

/* Rights are kept only where king and rook stand at home. The field may be missing. */
static Status fen_read_castling(FenReader *reader)
{
    char shown[16];
    Position *p = reader->position;
    if (!fen_next_field(reader) || isdigit((unsigned char)*reader->at) || fen_skip_dash(reader))
        return STATUS_OK;
    static const char letters[] = "KQkq"; /* in the order of the rights' bits */
    for (; *reader->at && !isspace((unsigned char)*reader->at); reader->at++) {
        const char *letter = HAS_CASTLING ? strchr(letters, *reader->at) : NULL;
        if (!letter)
            return fen_error(reader, "%s as the castling field, expected %s", fen_shown(*reader->at, shown),
                             HAS_CASTLING ? "letters of KQkq or '-'" : "'-'");
        int side = letter - letters >= 2, is_long = (letter - letters) & 1;
        if (p->king[side] == castle_home(side, KING_FILE) &&
            p->board[castle_rook_from(side, is_long)] == PIECE(ROOK, side))
            p->castling |= (uint8_t)castle_right(side, is_long);
    }
    return STATUS_OK;
}

/* The square is kept only where a pawn stands ready to capture there. The field may be missing. */
static Status fen_read_en_passant(FenReader *reader)
{
    char shown[16];
    Position *p = reader->position;
    if (!fen_next_field(reader) || isdigit((unsigned char)*reader->at) || fen_skip_dash(reader))
        return STATUS_OK;
    int file = reader->at[0] - 'a', rank = reader->at[0] ? reader->at[1] - '1' : -1;
    if (!HAS_DOUBLE_STEP || file < 0 || file >= BOARD_FILES || rank < 0 || rank >= BOARD_RANKS)
        return fen_error(reader, "%s as the en passant field, expected %s'-'", fen_shown(*reader->at, shown),
                         HAS_DOUBLE_STEP ? "a square or " : "");
    reader->at += 2;
    int square = square_at(file, rank), enemy = !p->side;
    if (relative_rank(enemy, square) != 2)
        return STATUS_OK;
    int stepped = square + (enemy ? -BOARD_FILES : BOARD_FILES), from = square + (enemy ? BOARD_FILES : -BOARD_FILES);
    if (p->board[stepped] == PIECE(PAWN, enemy) && p->board[square] == NO_PIECE && p->board[from] == NO_PIECE &&
        (tables.leaps[ATOM_FORWARD_DIAGONAL][enemy][square] & pieces_of(p, p->side, PAWN)))
        p->en_passant = (uint8_t)square;
    return STATUS_OK;
}

/* True if three numbers come next: the first is the limit of a running count, in the place of the
 * en passant field. */
static bool fen_counts(const FenReader *reader)
{
    int numbers = 0;
    for (const char *at = reader->at;; numbers++) {
        while (isspace((unsigned char)*at))
            at++;
        if (!isdigit((unsigned char)*at))
            break;
        while (isdigit((unsigned char)*at))
            at++;
    }
    return HAS_COUNTING && numbers >= 3;
}

/* The fields after the hands. Castling, e.p. and counters may be missing. */
static Status fen_read_fields(FenReader *reader)
{
    char shown[16];
    Position *p = reader->position;
    if (!fen_next_field(reader))
        return fen_error(reader, "no side to move");
    if ((*reader->at != 'w' && *reader->at != 'b') || (reader->at[1] && !isspace((unsigned char)reader->at[1])))
        return fen_error(reader, "%s as side to move, expected 'w' or 'b'", fen_shown(*reader->at, shown));
    p->side = *reader->at++ == 'b' ? SIDE_BLACK : SIDE_WHITE;
    Status status = fen_read_castling(reader);
    fen_next_field(reader);
    const char *after_castling = reader->at;
    if (!status)
        status = fen_read_en_passant(reader);
    if (status)
        return status;
    long clock = 0, fullmove = 1, count = 0;
    if (reader->at == after_castling && fen_counts(reader))
        status = fen_read_counter(reader, "count's limit", 0, &count); /* 0 = there is no count */
    if (!status && count > UINT8_MAX)
        return fen_error(reader, "a count's limit of %ld, expected at most %d", count, UINT8_MAX);
    if (!status)
        status = fen_read_counter(reader, count ? "count" : "halfmove clock", 0, &clock);
    if (!status)
        status = fen_read_counter(reader, "fullmove number", 1, &fullmove);
    if (status)
        return status;
    p->count_limit = (uint8_t)count;
    p->clock = (uint16_t)clock;
    p->fullmove = (int)fullmove;
    while (isspace((unsigned char)*reader->at))
        reader->at++;
    if (*reader->at)
        return fen_error(reader, "%s after the end of the FEN", fen_shown(*reader->at, shown));
    return STATUS_OK;
}

/* No hand can ever hold more than MAX_PIECES then, whatever is captured. */
static Status fen_check_material(const Position *p, Error *err)
{
    int total = count_bits(occupied(p));
    for (int kind = 0; kind < HAND_KINDS; kind++)
        total += p->hand[SIDE_WHITE][kind] + p->hand[SIDE_BLACK][kind];
    if (total > MAX_PIECES)
        return error_set(err, STATUS_FORMAT, "FEN: %d pieces on the board and in the hands, expected at most %d", total,
                         MAX_PIECES);
    return STATUS_OK;
}

/* What a placement allows: room for what is in hand, and the side to move that its order says. */
static Status fen_check_placement(const Position *p, Error *err)
{
    if (!HAS_SETUP)
        return STATUS_OK;
    for (int side = 0; side < 2; side++) {
        const char *name = side ? "Black" : "White";
        Bitboard region = drop_region(p, side);
        int held = 0, rooks = p->hand[side][ROOK], free = count_bits(region);
        for (int kind = 0; kind < HAND_KINDS; kind++)
            held += p->hand[side][kind];
        if (held > free)
            return error_set(err, STATUS_FORMAT, "FEN: %s has %d pieces in hand and %d squares for them", name, held, free);
        int rook_squares = count_bits(region & tables.first_ranks[side][ROOK_DROP_RANKS]);
        if (rooks > rook_squares)
            return error_set(err, STATUS_FORMAT, "FEN: %s has %d rooks in hand and %d squares for them", name, rooks, rook_squares);
    }
    if (SETUP_PHASE == SETUP_ALTERNATING && has_placements(p, SIDE_WHITE) && has_placements(p, SIDE_BLACK)) {
        int white = count_bits(p->sides[SIDE_WHITE] & ~p->kinds[PAWN]), black = count_bits(p->sides[SIDE_BLACK] & ~p->kinds[PAWN]);
        if (white - black != (p->side == SIDE_BLACK))
            return error_set(err, STATUS_FORMAT, "FEN: %s to move, but the sides place in turn and White has placed %d, Black %d",
                             p->side ? "Black" : "White", white, black);
    }
    int expected = has_placements(p, SIDE_WHITE) ? SIDE_WHITE : has_placements(p, SIDE_BLACK) ? SIDE_BLACK : p->side;
    if (SETUP_PHASE == SETUP_IN_TURN && p->side != expected)
        return error_set(err, STATUS_FORMAT, "FEN: %s to move, but %s has pieces to place first",
                         p->side ? "Black" : "White", expected ? "Black" : "White");
    return STATUS_OK;
}

static Status fen_check_position(const Position *p, Error *err)
{
    for (int side = 0; side < 2; side++) {
        const char *name = side ? "Black" : "White";
        int in_hand = HAND_KINDS > KING ? p->hand[side][HAND_KINDS > KING ? KING : 0] : 0;
        if (p->king[side] == NO_SQUARE && !in_hand)
            return error_set(err, STATUS_FORMAT, "FEN: %s has no king", name);
        if (in_hand + (p->king[side] != NO_SQUARE) > 1)
            return error_set(err, STATUS_FORMAT, "FEN: a second king of %s in hand", name);
    }
    Status status = fen_check_placement(p, err);
    if (status)
        return status;
    if (!has_king(p, SIDE_WHITE) || !has_king(p, SIDE_BLACK))
        return STATUS_OK;
    int white = p->king[SIDE_WHITE], black = p->king[SIDE_BLACK];
    if (tables.distance[white][black] <= 1)
        return error_set(err, STATUS_FORMAT, "FEN: the kings on %c%d and %c%d stand next to each other",
                         'a' + file_of(white), rank_of_square(white) + 1, 'a' + file_of(black), rank_of_square(black) + 1);
    int king = p->king[!p->side];
    if (SETUP_PHASE == SETUP_IN_TURN && has_placements(p, p->side))
        return STATUS_OK; /* who is in check will answer when the other side has placed everything */
    if (is_attacked(p, king, p->side, occupied(p)))
        return error_set(err, STATUS_FORMAT, "FEN: %s, who is not to move, is in check on %c%d",
                         p->side ? "White" : "Black", 'a' + file_of(king), rank_of_square(king) + 1);
    return STATUS_OK;
}

/*
 * Reads a FEN into a position whose `first` and `seen` are set. On failure the position is
 * spoilt, so callers read into a spare one. `values` is left NULL.
 */
static Status position_from_fen(Position *p, const char *text, Error *err)
{
    FenReader reader = {.text = text, .at = text, .position = p, .err = err};
    position_clear(p);
    while (*reader.at == ' ')
        reader.at++;
    Status status = fen_read_board(&reader);
    if (!status)
        status = fen_read_hands(&reader);
    if (!status)
        status = fen_read_fields(&reader);
    if (!status)
        status = fen_check_position(p, err);
    if (!status)
        status = fen_check_material(p, err);
    if (!status)
        position_restart(p);
    return status;
}

static char *fen_put_piece(char *at, int piece)
{
    for (const char *text = kind_text[KIND_OF(piece)]; *text; text++)
        *at++ = (char)(SIDE_OF(piece) ? tolower((unsigned char)*text) : *text);
    return at;
}

static char *fen_put_hands(const Position *p, char *at)
{
    *at++ = '[';
    for (int side = 0; side < 2; side++)
        for (const char *letter = HAND_ORDER; *letter; letter++)
            for (int n = p->hand[side][kind_from_letter(*letter, false)]; n > 0; n--)
                *at++ = (char)(side ? tolower((unsigned char)*letter) : *letter);
    *at++ = ']';
    return at;
}

/* Canonical FEN into a buffer of ENGINE_MAX_FEN bytes. */
static void position_to_fen(const Position *p, char *fen)
{
    char *at = fen;
    for (int rank = BOARD_RANKS - 1; rank >= 0; rank--) {
        int empty = 0;
        for (int file = 0; file < BOARD_FILES; file++) {
            int square = square_at(file, rank), piece = p->board[square];
            bool live = tables.live >> square & 1;
            if (piece == NO_PIECE && live) {
                empty++;
                continue;
            }
            if (empty)
                *at++ = (char)('0' + empty);
            empty = 0;
            if (live)
                at = fen_put_piece(at, piece);
            else
                *at++ = '*';
        }
        if (empty)
            *at++ = (char)('0' + empty);
        if (rank)
            *at++ = '/';
    }
    if (HAS_HANDS && (SETUP_PHASE != SETUP_IN_TURN || has_placements(p, SIDE_WHITE) || has_placements(p, SIDE_BLACK)))
        at = fen_put_hands(p, at);
    *at++ = ' ';
    *at++ = p->side ? 'b' : 'w';
    *at++ = ' ';
    for (int right = 0; right < CASTLE_RIGHTS; right++)
        if (p->castling >> right & 1)
            *at++ = "KQkq"[right];
    if (!p->castling)
        *at++ = '-';
    *at++ = ' ';
    if (p->count_limit) {
        at += snprintf(at, 4, "%d", p->count_limit);
    } else if (p->en_passant == NO_SQUARE) {
        *at++ = '-';
    } else {
        *at++ = (char)('a' + file_of(p->en_passant));
        *at++ = (char)('1' + rank_of_square(p->en_passant));
    }
    snprintf(at, (size_t)(fen + ENGINE_MAX_FEN - at), " %d %d", p->clock, p->fullmove);
}
