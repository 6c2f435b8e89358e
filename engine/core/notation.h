/* SPDX-License-Identifier: GPL-3.0-or-later */
/* notation.h - moves as text: UCI (drops `P@e4`, promotion `+`) and SAN in PyChess's dialect. */
#pragma once

#include "core/fen.h"

static char *put_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

static char *put_square(char *at, int square)
{
    *at++ = (char)('a' + file_of(square));
    *at++ = (char)('1' + rank_of_square(square));
    return at;
}

static void move_to_uci(Move move, char *text)
{
    char *at = text;
    if (move == MOVE_NONE) {
        memcpy(text, "0000", 5);
        return;
    }
    if (move_is_drop(move)) {
        *at++ = kind_text[move_drop_kind(move)][0];
        *at++ = '@';
    } else {
        at = put_square(at, move_from(move));
    }
    at = put_square(at, move_to(move));
    if (move_promotes(move))
        *at++ = PROMOTION_IS_NAMED ? (char)tolower((unsigned char)kind_text[promoted_kind(NO_KIND, move)][0]) : '+';
    *at = '\0';
}

/* Reads a square at *text and steps over it; -1 if there is none. */
static int read_square(const char **text)
{
    int file = (*text)[0] - 'a';
    if (file < 0 || file >= BOARD_FILES)
        return -1;
    int rank = (*text)[1] - '1';
    if (rank < 0 || rank >= BOARD_RANKS)
        return -1;
    *text += 2;
    return square_at(file, rank);
}

/* The move that a text spells, legal or not; MOVE_NONE if it spells none. */
static Move move_spelt(const char *text)
{
    int origin, promotion = 0;
    if (HAS_HANDS && text[0] && text[1] == '@') {
        Kind kind = kind_from_letter(text[0], false);
        if (kind >= HAND_KINDS || kind_text[kind][0] != text[0])
            return MOVE_NONE;
        origin = SQUARES + (int)kind;
        text += 2;
    } else if ((origin = read_square(&text)) < 0) {
        return MOVE_NONE;
    }
    int to = read_square(&text);
    if (!PROMOTION_IS_NAMED && *text == '+') {
        promotion = MOVE_PROMOTES;
        text++;
    }
    for (int i = 0; PROMOTION_IS_NAMED && promotion == 0 && i < NAMED_PROMOTIONS; i++)
        if (*text == tolower((unsigned char)kind_text[named_promotions[i]][0])) {
            promotion = (i + 1) << PROMOTION_SHIFT;
            text++;
        }
    return to < 0 || *text ? MOVE_NONE : move_make(origin, to, promotion);
}

/* The legal move that a UCI text names; see move_from_uci in engine.h. */
static Status move_parse_uci(const Position *p, const char *text, Move *move, Error *err)
{
    Move spelt = move_spelt(text);
    if (spelt == MOVE_NONE)
        return error_set(err, STATUS_FORMAT, "'%.20s' is not a move, expected e2e4, e2e4+ or P@e4", text);
    Legality legality;
    legality_compute(p, &legality);
    if (!move_is_legal(p, &legality, spelt))
        return error_set(err, STATUS_ARGUMENT, "illegal move '%s'%s", text,
                         is_campmated(p) ? ": the game ended by campmate" : "");
    if (move_repeats(p, spelt))
        return error_set(err, STATUS_ARGUMENT,
                         "illegal move '%s': forbidden repetition, the position would occur for the third time", text);
    *move = spelt;
    return STATUS_OK;
}

/* Which of file and rank tells a move apart from others of its form (promoting or not) that such
 * pieces have to its square. */
static char *put_origin(const Position *p, Move move, char *at)
{
    Move moves[ENGINE_MAX_MOVES];
    size_t count = legal_moves(p, moves);
    int from = move_from(move);
    bool others = false, same_file = false, same_rank = false;
    for (size_t i = 0; i < count; i++) {
        int other = move_from(moves[i]);
        if (move_is_drop(moves[i]) || other == from || move_to(moves[i]) != move_to(move) ||
            p->board[other] != p->board[from] || move_promotion(moves[i]) != move_promotion(move))
            continue;
        others = true;
        same_file = same_file || file_of(other) == file_of(from);
        same_rank = same_rank || rank_of_square(other) == rank_of_square(from);
    }
    if (others && (!same_file || same_rank))
        *at++ = (char)('a' + file_of(from));
    if (others && same_file)
        *at++ = (char)('1' + rank_of_square(from));
    return at;
}

/* The letter of a kind as PGN writes it: promoted kinds have one of their own there. */
static char san_letter(Kind kind) { return kind_alias[kind] ? kind_alias[kind] : kind_text[kind][0]; }

/* SAN of a legal move, check and mate marks included; makes and unmakes it. */
static void move_to_san(Position *p, Move move, char *text)
{
    char *at = text;
    if (move_is_drop(move)) {
        *at++ = kind_text[move_drop_kind(move)][0];
        *at++ = '@';
    } else if (is_castling(KIND_OF(p->board[move_from(move)]), move_from(move), move_to(move))) {
        at = put_text(at, move_to(move) < move_from(move) ? "O-O-O" : "O-O");
    } else {
        Kind kind = KIND_OF(p->board[move_from(move)]);
        bool captures = victim_of(p, move) != NO_PIECE;
        if (kind == PAWN && !PAWN_LETTER_IN_SAN) {
            if (captures)
                *at++ = (char)('a' + file_of(move_from(move)));
            else if (PROMOTION_STYLE == PROMOTE_AS_MOVE && move_promotes(move) && move_from(move) != move_to(move))
                at = put_square(at, move_from(move));
        } else {
            *at++ = san_letter(kind);
            at = put_origin(p, move, at);
        }
        if (captures)
            *at++ = 'x';
    }
    if (at == text || at[-1] != 'O')
        at = put_square(at, move_to(move));
    if (!move_is_drop(move) && move_promotes(move)) {
        *at++ = '=';
        *at++ = san_letter(promoted_kind(KIND_OF(p->board[move_from(move)]), move));
    }
    make_move(p, move);
    if (in_check(p))
        *at++ = count_moves(p) ? '+' : '#';
    unmake_move(p);
    *at = '\0';
}

/* The legal move whose SAN a text is, marks of check and comment aside; see move_from_san. */
static Status move_parse_san(Position *p, const char *text, Move *move, Error *err)
{
    Move moves[ENGINE_MAX_MOVES];
    size_t count = legal_moves(p, moves), length = strcspn(text, "+#!?");
    for (size_t i = 0; i < count; i++) {
        char san[ENGINE_MAX_MOVE_TEXT];
        move_to_san(p, moves[i], san);
        if (strcspn(san, "+#") != length || strncmp(san, text, length) != 0)
            continue;
        if (move_repeats(p, moves[i]))
            return error_set(err, STATUS_ARGUMENT, "illegal move '%s': forbidden repetition", text);
        *move = moves[i];
        return STATUS_OK;
    }
    return error_set(err, STATUS_ARGUMENT, "'%.20s' names no legal move", text);
}
