/* SPDX-License-Identifier: GPL-3.0-or-later */
/* game.h - a position with the memory of its history: what engine.h calls a Game. */
#pragma once

#include "core/perft.h"
#include "core/rank.h"
#include "core/order.h"

#include <stdlib.h>

struct Game {
    Position position;
    Undo *stack;
    size_t capacity;
    uint8_t seen[SEEN_SIZE];
    Order order; /* of the position that order_total measured last */
};

/* A second position to read a FEN into, so that a bad one leaves the game untouched. */
typedef struct SpareGame {
    Position position;
    Undo stack[1];
    uint8_t seen[SEEN_SIZE];
} SpareGame;

enum { GAME_FIRST_CAPACITY = 256 };

static void core_init(void);

static Status game_set(Game *game, const char *fen, Error *err)
{
    SpareGame spare;
    spare.position.first = spare.stack;
    spare.position.seen = spare.seen;
    if (!fen || strcmp(fen, "startpos") == 0)
        fen = START_FEN;
    Status status = position_from_fen(&spare.position, fen, err);
    if (status)
        return status;
    game->position = spare.position;
    game->position.first = game->position.undo = game->stack;
    game->position.seen = game->seen;
    memcpy(game->seen, spare.seen, sizeof game->seen);
    return STATUS_OK;
}

static void game_free(Game *game)
{
    if (game)
        free(game->stack);
    free(game);
}

static Game *game_new(Error *err)
{
    core_init();
    Game *game = calloc(1, sizeof *game);
    Undo *stack = malloc(GAME_FIRST_CAPACITY * sizeof *stack);
    if (!game || !stack) {
        free(game);
        free(stack);
        error_set(err, STATUS_NO_MEMORY, "no memory for a game");
        return NULL;
    }
    game->stack = stack;
    game->capacity = GAME_FIRST_CAPACITY;
    game_set(game, NULL, NULL);
    return game;
}

static size_t game_plies(const Game *game) { return (size_t)(game->position.undo - game->stack); }

/* Makes room for one more move. */
static Status game_reserve(Game *game, size_t plies, Error *err)
{
    size_t used = game_plies(game), capacity = game->capacity;
    if (used + plies <= capacity)
        return STATUS_OK;
    while (used + plies > capacity)
        capacity *= 2;
    Undo *stack = realloc(game->stack, capacity * sizeof *stack);
    if (!stack)
        return error_set(err, STATUS_NO_MEMORY, "no memory for a game of %zu plies", used + plies);
    game->stack = stack;
    game->capacity = capacity;
    game->position.first = stack;
    game->position.undo = stack + used;
    return STATUS_OK;
}

static Status game_copy(Game *to, const Game *from, Error *err)
{
    size_t plies = game_plies(from);
    to->position.undo = to->stack;
    Status status = game_reserve(to, plies + 1, err);
    if (status)
        return status;
    Undo *stack = to->stack;
    to->position = from->position;
    to->position.first = stack;
    to->position.undo = stack + plies;
    to->position.seen = to->seen;
    memcpy(stack, from->stack, plies * sizeof *stack);
    memcpy(to->seen, from->seen, sizeof to->seen);
    return STATUS_OK;
}

static void game_fen(const Game *game, char *fen) { position_to_fen(&game->position, fen); }
static Side game_side(const Game *game) { return (Side)game->position.side; }
static bool game_in_check(const Game *game) { return in_check(&game->position); }
static int game_fullmove(const Game *game) { return game->position.fullmove; }
static uint64_t game_key(const Game *game) { return game->position.key; }
static uint64_t game_key_after(Game *game, Move move) { return key_after(&game->position, move); }
static Ending game_ending(Game *game) { return position_ending(&game->position); }

static size_t game_moves(Game *game, Move *moves)
{
    return drop_forbidden(&game->position, moves, legal_moves(&game->position, moves));
}

static Status game_play(Game *game, Move move, Error *err)
{
    Status status = game_reserve(game, 1, err);
    if (!status)
        make_move(&game->position, move);
    return status;
}

static void game_undo(Game *game) { unmake_move(&game->position); }

static bool game_is_noisy(const Game *game, Move move)
{
    return !move_is_drop(move) && (move_promotes(move) || victim_of(&game->position, move) != NO_PIECE);
}

/* Functions that make and unmake a move need one free entry of the stack. */
static bool game_gives_check(Game *game, Move move)
{
    if (game_reserve(game, 1, NULL))
        return false;
    make_move(&game->position, move);
    bool check = in_check(&game->position);
    unmake_move(&game->position);
    return check;
}

static bool game_is_repetition(Game *game, Move move)
{
    return REPETITION_IS_FORBIDDEN && move_repeats(&game->position, move);
}

static void game_move_uci(const Game *game, Move move, char *text)
{
    (void)game;
    move_to_uci(move, text);
}

static void game_move_san(Game *game, Move move, char *text)
{
    if (game_reserve(game, 1, NULL))
        move_to_uci(move, text);
    else
        move_to_san(&game->position, move, text);
}

static Status game_move_from_uci(Game *game, const char *text, Move *move, Error *err)
{
    return move_parse_uci(&game->position, text, move, err);
}

static Status game_move_from_san(Game *game, const char *text, Move *move, Error *err)
{
    Status status = game_reserve(game, 1, err);
    return status ? status : move_parse_san(&game->position, text, move, err);
}

static uint32_t game_order_total(Game *game, bool even)
{
    order_measure(&game->position, even, &game->order);
    return game->order.total;
}

static MoveShare game_order_share(const Game *game, Move move) { return order_share_of(&game->order, move); }

static Move game_order_move(const Game *game, uint32_t value, MoveShare *share)
{
    return order_move_at(&game->order, value, share);
}

static size_t game_order_terms(const Game *game, Move move, uint16_t *terms)
{
    return order_terms(&game->position, move, terms);
}

static Move game_move_at_rank(Game *game, size_t rank) { return move_of_rank(&game->position, rank); }

static uint64_t game_perft(Game *game, int depth)
{
    if (depth <= 0)
        return 1;
    if (game_reserve(game, (size_t)depth, NULL))
        return 0;
    return perft_count(&game->position, depth);
}

/* One rank of the picture. */
static void picture_rank(const Position *p, int rank, FILE *out)
{
    for (int file = 0; file < BOARD_FILES; file++) {
        int piece = p->board[square_at(file, rank)];
        char text[4] = " .";
        if (piece != NO_PIECE) {
            char *end = fen_put_piece(text, piece);
            *end = '\0';
        }
        fprintf(out, "%3s", text);
    }
}

static char *game_picture(const Game *game)
{
    const Position *p = &game->position;
    char *text = NULL, fen[ENGINE_MAX_FEN], hands[ENGINE_MAX_FEN];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (int rank = BOARD_RANKS - 1; rank >= 0; rank--) {
        fprintf(out, "%2d ", rank + 1);
        picture_rank(p, rank, out);
        fputc('\n', out);
    }
    fputs("   ", out);
    for (int file = 0; file < BOARD_FILES; file++)
        fprintf(out, "  %c", 'a' + file);
    position_to_fen(p, fen);
    fputs("\n\n", out);
    if (HAS_HANDS) {
        *fen_put_hands(p, hands) = '\0';
        fprintf(out, "Hands: %s\n", hands);
    }
    fprintf(out, "FEN: %s\nKey: %016llx\n", fen, (unsigned long long)p->key);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
