/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pgn_move.c - the move that a word of a PGN names (see pgn_move.h). */
#include "pgn_move.h"

#include <string.h>

/* "Nb1xd2=G" taken apart; 0 where a part is not there. */
typedef struct Spelling {
    char piece; /* P for none: a pawn */
    char from_file, from_rank;
    bool captures;
    char to[2];
    char promotion;
} Spelling;

static bool is_file(char c)
{
    return c >= 'a' && c <= 'z' && c != 'x';
}

static bool is_rank(char c)
{
    return c >= '1' && c <= '9';
}

static bool is_letter(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* False if the text is no move of a piece on the board. */
static bool take_apart(const char *text, Spelling *spelling)
{
    const char *end = text + strcspn(text, "+#");
    *spelling = (Spelling){.piece = 'P'};
    if (end - text >= 4 && end[-2] == '=' && is_letter(end[-1])) {
        spelling->promotion = end[-1];
        end -= 2;
    }
    if (is_letter(*text))
        spelling->piece = *text++;
    if (end - text < 2 || !is_file(end[-2]) || !is_rank(end[-1]))
        return false;
    memcpy(spelling->to, end - 2, 2);
    end -= 2;
    if (end > text && end[-1] == 'x') {
        spelling->captures = true;
        end--;
    }
    if (text < end && is_file(*text))
        spelling->from_file = *text++;
    if (text < end && is_rank(*text))
        spelling->from_rank = *text++;
    return text == end;
}

static bool fits(const Engine *engine, Game *game, Move move, const Spelling *wanted)
{
    char uci[ENGINE_MAX_MOVE_TEXT], san[ENGINE_MAX_MOVE_TEXT];
    Spelling own;
    engine->move_uci(game, move, uci);
    if (uci[1] == '@' || memcmp(uci + 2, wanted->to, 2) != 0 ||
        (wanted->from_file && uci[0] != wanted->from_file) ||
        (wanted->from_rank && uci[1] != wanted->from_rank))
        return false;
    engine->move_san(game, move, san);
    return take_apart(san, &own) && own.piece == wanted->piece &&
           own.captures == wanted->captures && own.promotion == wanted->promotion;
}

/* The only legal move that fits, if there is one: *count tells. */
static Move find_fitting(const Engine *engine, Game *game, const Spelling *wanted, size_t *count)
{
    Move moves[ENGINE_MAX_MOVES], found = MOVE_NONE;
    size_t all = engine->game_moves(game, moves);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (fits(engine, game, moves[i], wanted)) {
            found = moves[i];
            ++*count;
        }
    return found;
}

Status pgn_move_read(const Engine *engine, Game *game, const char *text, Move *move, Error *err)
{
    Error san = {0}, uci = {0};
    Status status = engine->move_from_san(game, text, move, &san);
    if (status == STATUS_OK)
        return STATUS_OK;
    status = engine->move_from_uci(game, text, move, &uci);
    if (status == STATUS_OK)
        return STATUS_OK;
    Spelling wanted;
    size_t count = 0;
    if (take_apart(text, &wanted)) {
        *move = find_fitting(engine, game, &wanted, &count);
        if (count == 1)
            return STATUS_OK;
    }
    if (count > 1)
        return error_set(err, STATUS_ARGUMENT, "'%.20s' names %zu legal moves, expected one", text,
                         count);
    return error_set(err, STATUS_ARGUMENT, "%s",
                     status == STATUS_ARGUMENT ? uci.message : san.message);
}
