/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * core_test.c - the parts of the core that engine.h does not show, against slow and plain versions
 * of themselves, in the positions of seeded random games. Built once for each variant: it includes
 * the whole core.
 */
#include "test.h"

#include "core/unity.c"
#include "support/rng.h"

enum { GAMES = 120, PLIES = 90, STRIDE = 6 };

typedef struct Fixture {
    Game *game;
    Rng rng;
    EvalTables eval; /* of random weights */
} Fixture;

/* Fails with the position and the move that it happened in. */
static void fail_in(const Position *p, Move move, const char *what)
{
    char fen[ENGINE_MAX_FEN], text[ENGINE_MAX_MOVE_TEXT];
    position_to_fen(p, fen);
    move_to_uci(move, text);
    fail_msg("%s: %s %s", fen, text, what);
}

#define EXPECT(condition, position, move)                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_in(position, move, #condition);                                                   \
    } while (0)

static void fixture_open(Fixture *f, uint64_t seed)
{
    static Weight flat[WEIGHT_COUNT];
    f->game = game_new(NULL);
    assert_non_null(f->game);
    f->rng = rng_from(seed, 0);
    for (size_t i = 0; i < WEIGHT_COUNT; i++)
        flat[i] = (Weight){(int16_t)((int)rng_below(&f->rng, 601) - 300),
                           (int16_t)((int)rng_below(&f->rng, 601) - 300)};
    eval_prepare(&f->eval, flat);
}

/* A random legal move, every other time one that gives as many checks at once as any: checks,
 * double checks and pins are where mistakes hide. */
static Move random_move(Fixture *f, const Move *moves, size_t count)
{
    Position *p = &f->game->position;
    Move best[ENGINE_MAX_MOVES];
    size_t best_count = 0;
    int most = 0;
    if (rng_below(&f->rng, 2))
        return moves[rng_below(&f->rng, count)];
    for (size_t i = 0; i < count; i++) {
        make_move(p, moves[i]);
        int checks = count_bits(checkers_of(p));
        unmake_move(p);
        if (checks > most)
            best_count = 0;
        most = checks > most ? checks : most;
        if (checks == most)
            best[best_count++] = moves[i];
    }
    return best[rng_below(&f->rng, best_count)];
}

/* Calls `check` in the positions of random games, in every STRIDE-th and in all double checks. */
static void in_random_positions(uint64_t seed, void (*check)(Fixture *f, Position *p))
{
    static Fixture f;
    fixture_open(&f, seed);
    Move moves[ENGINE_MAX_MOVES];
    size_t double_checks = 0;
    for (int game = 0; game < GAMES; game++) {
        game_set(f.game, NULL, NULL);
        size_t first = rng_below(&f.rng, STRIDE);
        for (size_t ply = 0; ply < PLIES; ply++) {
            assert_int_equal(game_reserve(f.game, 8, NULL), STATUS_OK);
            size_t count = game_moves(f.game, moves);
            if (!count)
                break;
            make_move(&f.game->position, random_move(&f, moves, count));
            bool twice = more_than_one(checkers_of(&f.game->position));
            double_checks += twice;
            if (twice || ply % STRIDE == first)
                check(&f, &f.game->position);
        }
    }
    /* Where nothing slides no line is ever opened, and no two pieces check at a time. */
    assert_true(double_checks >= 2 || !(CAPTURE_ATOMS & ALL_SLIDES));
    game_free(f.game);
}

/* --- state ------------------------------------------------------------------------------------ */

/* What a piece's places as seen from the kings are worth, from White's view. */
static Pair offset_value(const Fixture *f, const Position *p, int piece, int square)
{
    size_t kind = KIND_OF(piece), side = SIDE_OF(piece);
    if (kind == KING || !has_king(p, 0) || !has_king(p, 1))
        return 0;
    Pair value = 0;
    for (int whose = 0; whose < 2; whose++) {
        int ranks = rank_of_square(square) - rank_of_square(p->king[whose]), files = file_of(square) - file_of(p->king[whose]);
        int ahead = side == SIDE_WHITE ? ranks : -ranks, column = files < 0 ? -files : files;
        int row = ahead > 6 ? 0 : ahead < -6 ? 12 : 6 - ahead;
        size_t term = (size_t)whose == side ? TERM(own_king_offset) : TERM(enemy_king_offset);
        value += f->eval.weights[term + kind * 13 * 6 + (size_t)(row * 6 + (column < 5 ? column : 5))];
    }
    return side == SIDE_WHITE ? value : -value;
}

/* Bitboards, kings, key and sums say what the board says. */
static void expect_consistent(Fixture *f, const Position *p, Move move)
{
    Bitboard sides[2] = {0}, kinds[KINDS] = {0}, atoms[ATOM_COUNT] = {0};
    uint64_t key = p->side ? zobrist.black_to_move : 0;
    if (HAS_CASTLING)
        key ^= zobrist.castling[p->castling];
    if (p->en_passant != NO_SQUARE)
        key ^= zobrist.en_passant[p->en_passant];
    Pair value = 0;
    for (int square = 0; square < SQUARES; square++) {
        int piece = p->board[square];
        if (piece == NO_PIECE)
            continue;
        sides[SIDE_OF(piece)] |= BIT(square);
        kinds[KIND_OF(piece)] |= BIT(square);
        for (int atom = 0; atom < ATOM_COUNT; atom++)
            if (kind_captures[KIND_OF(piece)] >> atom & 1)
                atoms[atom] |= BIT(square);
        key ^= zobrist.board[piece][square];
        value += f->eval.values.board[piece][square] + offset_value(f, p, piece, square);
        if (KIND_OF(piece) == KING)
            EXPECT(p->king[SIDE_OF(piece)] == square, p, move);
    }
    for (int side = 0; side < 2; side++)
        for (int kind = 0; kind < HAND_KINDS; kind++) {
            key ^= zobrist.hand[side][kind][p->hand[side][kind]];
            value += f->eval.values.hand[side][kind][p->hand[side][kind]];
        }
    EXPECT(memcmp(sides, p->sides, sizeof sides) == 0, p, move);
    EXPECT(memcmp(kinds, p->kinds, sizeof kinds) == 0, p, move);
    EXPECT(memcmp(atoms, p->atoms, sizeof atoms) == 0, p, move);
    EXPECT(key == p->key, p, move);
    EXPECT(!p->values || value == p->value, p, move);
}

static void check_make_and_unmake(Fixture *f, Position *p)
{
    static uint8_t seen[SEEN_SIZE];
    Move moves[ENGINE_MAX_MOVES];
    position_set_values(p, &f->eval.values);
    Position before = *p;
    memcpy(seen, p->seen, sizeof seen);
    size_t count = legal_moves(p, moves);
    for (size_t i = 0; i <= count; i++) {
        Move move = i < count ? moves[i] : MOVE_NONE;
        if (move == MOVE_NONE && (in_check(p) || has_placements(p, p->side)))
            continue;
        uint64_t foretold = move ? key_after(p, move) : p->key ^ zobrist.black_to_move;
        if (!move && p->en_passant != NO_SQUARE)
            foretold ^= zobrist.en_passant[p->en_passant];
        move ? make_move(p, move) : make_null_move(p);
        expect_consistent(f, p, move);
        EXPECT(p->key == foretold, p, move);
        EXPECT(p->undo == before.undo + 1, p, move);
        move ? unmake_move(p) : unmake_null_move(p);
        EXPECT(memcmp(p, &before, sizeof before) == 0, &before, move);
        EXPECT(memcmp(p->seen, seen, sizeof seen) == 0, &before, move);
        if (move) {
            make_move_as(p, move, false);
            unmake_move_as(p, false);
            EXPECT(memcmp(p, &before, sizeof before) == 0, &before, move);
        }
    }
    p->values = NULL;
    p->value = 0;
}

static void test_make_and_unmake(void **state)
{
    (void)state;
    in_random_positions(1, check_make_and_unmake);
}

/* --- attacks ---------------------------------------------------------------------------------- */

static bool exists(int file, int rank)
{
    return file >= 0 && file < BOARD_FILES && rank >= 0 && rank < BOARD_RANKS &&
           (tables.live >> square_at(file, rank) & 1);
}

/* Walks from a square until the edge or a piece, or for so many steps. */
static Bitboard walked(int square, int files, int ranks, int steps, Bitboard all)
{
    Bitboard reached = 0;
    int file = file_of(square) + files, rank = rank_of_square(square) + ranks;
    for (; steps && exists(file, rank); steps--, file += files, rank += ranks) {
        reached |= BIT(square_at(file, rank));
        if (all >> square_at(file, rank) & 1)
            break;
    }
    return reached;
}

/* How far a kind goes straight or diagonally. */
static int longest(int atoms, int slide, int short_slide, int step)
{
    return atoms & slide ? SQUARES : atoms & short_slide ? SHORT_SLIDE_RANGE : (atoms & step) != 0;
}

static Bitboard slow_attacks(Kind kind, int side, int square, Bitboard all)
{
    Bitboard reached = 0;
    int atoms = kind_captures[kind];
    int ahead = side ? -1 : 1;
    int straight_steps = longest(atoms, SLIDE_ROOK, 1 << ATOM_SHORT_ROOK, STEP_ROOK);
    int diagonal_steps = longest(atoms, SLIDE_BISHOP, 1 << ATOM_SHORT_BISHOP, STEP_BISHOP);
    if (atoms & FORWARD)
        reached |= walked(square, 0, ahead, 1, all);
    if (atoms & FORWARD_DIAGONAL)
        reached |= walked(square, -1, ahead, 1, all) | walked(square, 1, ahead, 1, all);
    for (int files = -2; files <= 2; files++)
        for (int ranks = -2; ranks <= 2; ranks++) {
            bool knight = abs(files) + abs(ranks) == 3;
            bool straight = (files == 0) != (ranks == 0), diagonal = abs(files) == abs(ranks) && files;
            bool far = abs(files) > 1 || abs(ranks) > 1;
            if (knight && (atoms & LEAP_KNIGHT))
                reached |= walked(square, files, ranks, 1, all);
            if (far && straight && (atoms & 1 << ATOM_LEAP_TWO_ROOK))
                reached |= walked(square, files, ranks, 1, all);
            if (far && diagonal && (atoms & 1 << ATOM_LEAP_TWO_BISHOP))
                reached |= walked(square, files, ranks, 1, all);
            if (!far && (straight || diagonal))
                reached |= walked(square, files, ranks, straight ? straight_steps : diagonal_steps, all);
        }
    return reached;
}

static void check_attacks(Fixture *f, Position *p)
{
    (void)f;
    Bitboard all = occupied(p), attackers[2][SQUARES] = {{0}};
    for (int square = 0; square < SQUARES; square++) {
        if (!(tables.live >> square & 1))
            continue;
        for (int kind = 0; kind < KINDS; kind++)
            for (int side = 0; side < 2; side++)
                EXPECT(kind_attacks((Kind)kind, side, square, all) ==
                           slow_attacks((Kind)kind, side, square, all),
                       p, MOVE_NONE);
        if (p->board[square] == NO_PIECE)
            continue;
        int side = (int)SIDE_OF(p->board[square]);
        Bitboard reached = slow_attacks(KIND_OF(p->board[square]), side, square, all);
        while (reached)
            attackers[side][pop_lowest(&reached)] |= BIT(square);
    }
    for (int side = 0; side < 2; side++)
        for (int square = 0; square < SQUARES; square++) {
            if (!(tables.live >> square & 1))
                continue;
            EXPECT(attackers_of(p, square, side, all) == attackers[side][square], p, MOVE_NONE);
            EXPECT(is_attacked(p, square, side, all) == (attackers[side][square] != 0), p,
                   MOVE_NONE);
        }
    Bitboard checkers = has_king(p, p->side) ? attackers[!p->side][p->king[p->side]] : 0;
    EXPECT(checkers_of(p) == checkers, p, MOVE_NONE);
}

static void test_attacks(void **state)
{
    (void)state;
    in_random_positions(2, check_attacks);
}

/* --- moves ------------------------------------------------------------------------------------ */
static bool listed[1 << 16];

static void list_moves(const Move *moves, size_t count, bool value)
{
    for (size_t i = 0; i < count; i++)
        listed[moves[i]] = value;
}

/* Of all 65536 texts of bits exactly the legal moves pass for legal, so that whatever comes out of
 * a hash table may be asked. */
static void check_any_bits(Fixture *f, Position *p)
{
    (void)f;
    Move moves[ENGINE_MAX_MOVES];
    Legality legality;
    size_t count = legal_moves(p, moves);
    legality_compute(p, &legality);
    list_moves(moves, count, true);
    for (unsigned bits = 0; bits < 1 << 16; bits++)
        EXPECT(move_is_legal(p, &legality, (Move)bits) == listed[bits], p, (Move)bits);
    list_moves(moves, count, false);
}

/* Noisy and quiet moves make up all moves, and counting counts them. */
static void check_classes(Fixture *f, Position *p)
{
    (void)f;
    Move moves[ENGINE_MAX_MOVES], some[ENGINE_MAX_MOVES];
    Legality legality;
    size_t count = legal_moves(p, moves), found = 0;
    legality_compute(p, &legality);
    EXPECT(count_moves(p) == count, p, MOVE_NONE);
    list_moves(moves, count, true);
    for (MoveClass wanted = MOVES_NOISY; wanted <= MOVES_QUIET; wanted++) {
        size_t part = generate_moves(p, &legality, wanted, some);
        found += part;
        for (size_t i = 0; i < part; i++) {
            EXPECT(listed[some[i]], p, some[i]);
            EXPECT(is_noisy(p, some[i]) == (wanted == MOVES_NOISY), p, some[i]);
        }
        list_moves(some, part, false);
    }
    EXPECT(found == count, p, MOVE_NONE);
}

static void check_checks(Fixture *f, Position *p)
{
    (void)f;
    Move moves[ENGINE_MAX_MOVES];
    CheckInfo info;
    check_info_compute(p, &info);
    size_t count = legal_moves(p, moves);
    for (size_t i = 0; i < count; i++) {
        bool foretold = gives_check(p, &info, moves[i]);
        make_move(p, moves[i]);
        bool check = in_check(p);
        unmake_move(p);
        EXPECT(foretold == check, p, moves[i]);
    }
}

/* Puts a piece and the kings on an empty board, White to move; false if that is no position. */
static bool set_lone_piece(Position *p, Kind kind, int square, int enemy)
{
    int king = 0;
    while (king < SQUARES && (king == square || !(tables.live >> king & 1) || tables.distance[king][enemy] < 2))
        king++;
    if (square == enemy || king == SQUARES || !(tables.live >> square & 1) || !(tables.live >> enemy & 1))
        return false;
    position_clear(p);
    put_piece(p, PIECE(KING, SIDE_WHITE), king, false);
    put_piece(p, PIECE(KING, SIDE_BLACK), enemy, false);
    put_piece(p, PIECE(kind, SIDE_WHITE), square, false);
    p->king[SIDE_WHITE] = (uint8_t)king;
    p->king[SIDE_BLACK] = (uint8_t)enemy;
    position_restart(p);
    return !is_attacked(p, enemy, SIDE_WHITE, occupied(p));
}

/* Each piece alone on each square against a king on each square: games seldom come to where a piece
 * checks through the square that it has left. */
static void test_checks_of_lone_pieces(void **state)
{
    (void)state;
    static Fixture f;
    fixture_open(&f, 7);
    Position *p = &f.game->position;
    assert_int_equal(game_reserve(f.game, 8, NULL), STATUS_OK);
    size_t positions = 0;
    for (int kind = 0; kind < ARMY; kind++)
        for (int square = 0; square < SQUARES; square++)
            for (int enemy = 0; enemy < SQUARES; enemy++)
                if (set_lone_piece(p, (Kind)kind, square, enemy)) {
                    check_checks(&f, p);
                    positions++;
                }
    assert_true(positions > ARMY * SQUARES);
    game_free(f.game);
}

/* What is taken for surely answered leaves the other side a move, or in check. */
static void check_sure_answers(Fixture *f, Position *p)
{
    (void)f;
    Move moves[ENGINE_MAX_MOVES];
    size_t count = HAS_CAMPMATE || has_placements(p, p->side) ? 0 : legal_moves(p, moves);
    Bitboard sure = sure_movers(p);
    for (size_t i = 0; i < count; i++)
        EXPECT(!is_surely_answered(sure, moves[i]) || !move_stalemates(p, moves[i]), p, moves[i]);
}

static void check_moves(Fixture *f, Position *p)
{
    check_sure_answers(f, p);
    check_any_bits(f, p);
    check_classes(f, p);
    check_checks(f, p);
}

static void test_moves(void **state)
{
    (void)state;
    in_random_positions(3, check_moves);
}

/* A random legal quiet move, or none. */
static Move random_quiet(Fixture *f, const Position *p, const Move *moves, size_t count)
{
    Move move = moves[rng_below(&f->rng, count)];
    return is_noisy(p, move) ? MOVE_NONE : move;
}

/* A picker of a position, before its first move; what it borrows is the same for all. */
static Picker *new_picker(const Fixture *f, const Position *p)
{
    static const Histories histories;
    static PieceToHistory continuation;
    static Legality legality;
    static CheckInfo checks;
    static Picker picker;
    legality_compute(p, &legality);
    check_info_compute(p, &checks);
    picker = (Picker){.position = p,
                      .legality = &legality,
                      .checks = &checks,
                      .eval = &f->eval,
                      .histories = &histories,
                      .continuation = {&continuation, &continuation, &continuation}};
    return &picker;
}

/* With any hash move and killers every legal move comes exactly once. */
static void check_picker(Fixture *f, Position *p)
{
    Move moves[ENGINE_MAX_MOVES], move;
    size_t count = legal_moves(p, moves), found = 0;
    if (!count)
        return;
    Picker *picker = new_picker(f, p);
    if (rng_below(&f->rng, 2))
        picker->hash_move = moves[rng_below(&f->rng, count)];
    for (int i = 0; i < 3 && !in_check(p); i++) {
        move = random_quiet(f, p, moves, count);
        if (move != picker->hash_move && !is_special(picker, move))
            picker->special[i] = move;
    }
    list_moves(moves, count, true);
    while ((move = pick_next(picker, false)) != MOVE_NONE) {
        EXPECT(listed[move], p, move);
        listed[move] = false;
        found++;
    }
    EXPECT(found == count, p, MOVE_NONE);
    list_moves(moves, count, false);
}

/* Quiescence's first ply: besides noisy moves each quiet check that does not lose, once. */
static void check_quiet_checks(Fixture *f, Position *p)
{
    Move moves[ENGINE_MAX_MOVES], move;
    size_t count = legal_moves(p, moves), wanted = 0, found = 0;
    if (!count || in_check(p))
        return;
    Picker *picker = new_picker(f, p);
    picker->noisy_only = picker->with_checks = true;
    for (size_t i = 0; i < count; i++)
        wanted += !is_noisy(p, moves[i]) && gives_check(p, picker->checks, moves[i]) && see_ge(p, &f->eval, moves[i], 0);
    list_moves(moves, count, true);
    while ((move = pick_next(picker, false)) != MOVE_NONE) {
        EXPECT(listed[move], p, move);
        listed[move] = false;
        found += !is_noisy(p, move);
        EXPECT(is_noisy(p, move) || gives_check(p, picker->checks, move), p, move);
    }
    EXPECT(found == wanted, p, MOVE_NONE);
    list_moves(moves, count, false);
}

static void test_picker(void **state)
{
    (void)state;
    in_random_positions(4, check_picker);
    in_random_positions(4, check_quiet_checks);
}

/* --- corrections ---------------------------------------------------------------------------------- */

/* What a search finds moves the evaluation of that position towards it, and of no other. */
static void check_corrections(Fixture *f, Position *p)
{
    (void)f;
    static Corrections corrections;
    static Worker worker;
    worker.eval = &default_tables; /* of a scale that is known */
    memset(&corrections, 0, sizeof corrections);
    const int error = 100;
    CorrectionCells cells = correction_cells(&corrections, p, MOVE_NONE);
    EXPECT(corrected(cells, 20) == 20, p, MOVE_NONE);
    int before = 20;
    for (int i = 0; i < 100; i++) {
        correct(&worker, cells, 20, 20 - error, 8);
        int now = corrected(cells, 20);
        EXPECT(now <= before && now >= 20 - 2 * error, p, MOVE_NONE);
        before = now;
    }
    EXPECT(before < 20 - error / 2, p, MOVE_NONE);
    Position other = *p;
    position_clear(&other);
    EXPECT(corrected(correction_cells(&corrections, &other, MOVE_NONE), 20) > before, p, MOVE_NONE);
}

static void test_corrections(void **state)
{
    (void)state;
    in_random_positions(8, check_corrections);
}

/* --- exchanges -------------------------------------------------------------------------------- */

/* What the side to take on `to` wins at most there, `victim` standing on it. */
static int slow_exchange(const Position *p, const EvalTables *eval, int to, int side, int victim,
                         Bitboard all)
{
    Bitboard takers = attackers_of(p, to, side, all) & all;
    for (int i = 0; takers && i < KINDS; i++) {
        Kind kind = (Kind)eval->by_exchange[i];
        Bitboard candidates = takers & p->kinds[kind];
        if (!candidates)
            continue;
        Bitboard left = all ^ BIT(lowest(candidates));
        if (kind == KING && (attackers_of(p, to, !side, left) & left))
            return 0;
        int won = victim - slow_exchange(p, eval, to, !side, eval->exchange[kind], left);
        return won > 0 ? won : 0;
    }
    return 0;
}

static int slow_see(const Position *p, const EvalTables *eval, Move move)
{
    const int *exchange = eval->exchange;
    int to = move_to(move), side = p->side;
    if (move_is_drop(move))
        return -slow_exchange(p, eval, to, !side, exchange[move_drop_kind(move)],
                              occupied(p) | BIT(to));
    Kind kind = KIND_OF(p->board[move_from(move)]);
    int victim = victim_of(p, move), won = victim == NO_PIECE ? 0 : exchange[KIND_OF(victim)];
    Kind placed = move_promotes(move) ? promoted_kind(kind, move) : kind;
    won += exchange[placed] - exchange[kind];
    Bitboard all = (occupied(p) ^ BIT(move_from(move))) | BIT(to);
    return won - slow_exchange(p, eval, to, !side, exchange[placed], all);
}

static void check_exchanges(Fixture *f, Position *p)
{
    Move moves[ENGINE_MAX_MOVES];
    size_t count = legal_moves(p, moves);
    for (size_t i = 0; i < count; i++) {
        int exact = slow_see(p, &f->eval, moves[i]);
        EXPECT(see_ge(p, &f->eval, moves[i], exact), p, moves[i]);
        EXPECT(!see_ge(p, &f->eval, moves[i], exact + 1), p, moves[i]);
        EXPECT(see_ge(p, &f->eval, moves[i], 0) == (exact >= 0), p, moves[i]);
    }
}

static void test_exchanges(void **state)
{
    (void)state;
    in_random_positions(5, check_exchanges);
}

/* --- transposition table ---------------------------------------------------------------------- */
static Table table;

/* Every move comes back out of the table, with scores and depths up to their limits. */
static void check_table(Fixture *f, Position *p)
{
    static const int scores[] = {0, 1, -1, 30999, -30999, SCORE_MATE - 3, -SCORE_MATE + 5};
    Move moves[ENGINE_MAX_MOVES];
    size_t count = legal_moves(p, moves);
    for (size_t i = 0; i < count; i++) {
        uint64_t key = key_after(p, moves[i]);
        int score = scores[rng_below(&f->rng, sizeof scores / sizeof *scores)];
        int ply = (int)rng_below(&f->rng, 100);
        int depth = (int)rng_below(&f->rng, ENGINE_MAX_DEPTH + 8) - 8;
        TableEntry entry = {.move = moves[i],
                            .score = score_to_table(score, ply),
                            .eval = -score / 3,
                            .depth = depth,
                            .bound = BOUND_EXACT},
                   back = {.move = MOVE_NONE};
        table_store(&table, key, entry);
        EXPECT(table_probe(&table, key, &back), p, moves[i]);
        EXPECT(back.move == moves[i] && back.eval == entry.eval, p, moves[i]);
        EXPECT(back.depth == depth && back.bound == BOUND_EXACT, p, moves[i]);
        EXPECT(score_from_table(back.score, ply) == score, p, moves[i]);
    }
}

static void test_table(void **state)
{
    (void)state;
    assert_true(table_resize(&table, 1));
    in_random_positions(6, check_table);
    table_clear(&table);
    TableEntry entry;
    assert_false(table_probe(&table, 1, &entry));
    memory_large_free(table.buckets, table.count * sizeof(Bucket));
}

/* --- small things ----------------------------------------------------------------------------- */
/* The table's key: the rule key where no clock ends games; else what stands close to a draw by
 * count or clock is told from what does not, and the limits from each other. */
static void test_table_keys(void **state)
{
    (void)state;
    static const uint8_t limits[] = {0, 32, 40, 88, 128};
    enum { LIMITS = sizeof limits, STEPS = 140 };
    static uint64_t keys[LIMITS][STEPS];
    Game *game = game_new(NULL);
    assert_non_null(game);
    Position *p = &game->position;
    for (int i = 0; i < LIMITS; i++)
        for (int clock = 0; clock < STEPS; clock++) {
            p->count_limit = HAS_COUNTING ? limits[i] : 0;
            p->clock = (uint16_t)clock;
            keys[i][clock] = table_key(p);
        }
    const bool has_clock = HAS_FIFTY_MOVE_RULE || HAS_COUNTING;
    for (int i = 0; i < (HAS_COUNTING ? LIMITS : 1); i++) {
        assert_true((keys[i][0] == p->key) == (limits[i] == 0));
        assert_true((keys[i][0] == keys[i][30]) == !has_clock);
        assert_true((keys[i][31] == keys[i][99]) == !has_clock);
        for (int j = 0; j < i; j++)
            for (int clock = 0; clock < STEPS; clock++)
                assert_true(keys[i][clock] != keys[j][clock]);
    }
    game_free(game);
}

static void test_moves_have_distinct_histories(void **state)
{
    (void)state;
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        Move drop = move_drop(kind, SQUARES - 1);
        assert_true(move_is_drop(drop));
        assert_int_equal(move_drop_kind(drop), kind);
        assert_int_equal(move_to(drop), SQUARES - 1);
        assert_true(move_from(drop) < ORIGINS);
    }
    int16_t cell = 0;
    for (int i = 0; i < 10000; i++) {
        history_update(&cell, HISTORY_MAX);
        assert_in_range(cell, 0, HISTORY_MAX);
    }
    for (int i = 0; i < 10000; i++) {
        history_update(&cell, -HISTORY_MAX);
        assert_true(cell >= -HISTORY_MAX && cell <= HISTORY_MAX);
    }
}

static void test_pairs(void **state)
{
    (void)state;
    static const int values[] = {0, 1, -1, 300, -300, 32767, -32768, 1000000, -1000000};
    enum { COUNT = sizeof values / sizeof *values };
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            Pair pair = PAIR(values[i], values[j]), sum = pair * 3 - PAIR(7, -5);
            assert_int_equal(pair_middlegame(pair), values[i]);
            assert_int_equal(pair_endgame(pair), values[j]);
            assert_int_equal(pair_middlegame(sum), 3 * values[i] - 7);
            assert_int_equal(pair_endgame(sum), 3 * values[j] + 5);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make_and_unmake),
        cmocka_unit_test(test_attacks),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_checks_of_lone_pieces),
        cmocka_unit_test(test_picker),
        cmocka_unit_test(test_corrections),
        cmocka_unit_test(test_exchanges),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_table_keys),
        cmocka_unit_test(test_moves_have_distinct_histories),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
