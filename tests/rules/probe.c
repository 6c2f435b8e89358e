/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probe.c - what must hold in any position of any variant. */
#include "probe.h"

#include "check.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- opening, setting up ---------------------------------------------------------------------- */
bool probe_open(Probe *probe, const char *variant, uint64_t seed)
{
    Error err = {.message = "unknown variant"};
    *probe = (Probe){.engine = engine_find(variant), .rng = rng_from(seed, 0), .place = variant};
    const Engine *engine = probe->engine;
    if (engine) {
        probe->game = engine->game_new(&err);
        probe->fresh = engine->game_new(&err);
        probe->weights = malloc((size_t)engine->weight_count * sizeof *probe->weights);
    }
    if (!probe->game || !probe->fresh || !probe->weights) {
        fprintf(stderr, "%s: %s\n", variant, err.message);
        return false;
    }
    for (int i = 0; i < engine->weight_count; i++) {
        probe->weights[i].middlegame = (int16_t)((int)rng_below(&probe->rng, 601) - 300);
        probe->weights[i].endgame = (int16_t)((int)rng_below(&probe->rng, 601) - 300);
    }
    return true;
}

void probe_close(Probe *probe)
{
    if (probe->engine) {
        probe->engine->game_free(probe->game);
        probe->engine->game_free(probe->fresh);
    }
    free(probe->weights);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The legal moves in UCI, sorted. */
static size_t sorted_moves(const Engine *engine, Game *game, char texts[][ENGINE_MAX_MOVE_TEXT])
{
    Move moves[ENGINE_MAX_MOVES];
    size_t count = engine->game_moves(game, moves);
    for (size_t i = 0; i < count; i++)
        engine->move_uci(game, moves[i], texts[i]);
    qsort(texts, count, sizeof texts[0], compare_texts);
    return count;
}

size_t probe_moves(const Engine *engine, Game *game, char *text)
{
    static char texts[ENGINE_MAX_MOVES][ENGINE_MAX_MOVE_TEXT];
    size_t count = sorted_moves(engine, game, texts);
    char *at = text;
    *at = '\0';
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, i ? " %s" : "%s", texts[i]);
    return count;
}

bool probe_set(Probe *probe, const char *fen, const char *moves)
{
    const Engine *engine = probe->engine;
    Error err;
    Status status = engine->game_set(probe->game, fen, &err);
    if (!CHECK(!status, "%s: %s: %s", probe->place, fen, err.message))
        return false;
    char text[ENGINE_MAX_MOVE_TEXT];
    int used;
    for (; sscanf(moves, "%15s%n", text, &used) == 1; moves += used) {
        Move move;
        status = engine->move_from_uci(probe->game, text, &move, &err);
        if (!status)
            status = engine->game_play(probe->game, move, &err);
        if (!CHECK(!status, "%s: %s after %zu plies: %s", probe->place, fen,
                   engine->game_plies(probe->game), err.message))
            return false;
    }
    return true;
}

/* --- one position ----------------------------------------------------------------------------- */

/* Compares the game with one that is set up from its FEN. */
static void check_against_fresh(Probe *probe, const char *fen, const char *after)
{
    const Engine *engine = probe->engine;
    Game *game = probe->game, *fresh = probe->fresh;
    Error err;
    Status status = engine->game_set(fresh, fen, &err);
    if (!CHECK(!status, "%s: %s after %s: %s", probe->place, fen, after, err.message))
        return;
    CHECK(engine->game_key(game) == engine->game_key(fresh),
          "%s: %s after %s: key %016" PRIx64 ", from scratch %016" PRIx64, probe->place, fen, after,
          engine->game_key(game), engine->game_key(fresh));
    CHECK(engine->game_in_check(game) == engine->game_in_check(fresh), "%s: %s after %s",
          probe->place, fen, after);
    CHECK(engine->game_side(game) == engine->game_side(fresh), "%s: %s after %s", probe->place, fen,
          after);
    int kept = engine->evaluate(game, NULL), scratch = engine->evaluate(fresh, NULL);
    CHECK(kept == scratch, "%s: %s after %s: evaluation %d, from scratch %d", probe->place, fen,
          after, kept, scratch);
}

void probe_position(Probe *probe)
{
    const Engine *engine = probe->engine;
    char fen[ENGINE_MAX_FEN], again[ENGINE_MAX_FEN];
    engine->game_fen(probe->game, fen);
    check_against_fresh(probe, fen, "no move");
    engine->game_fen(probe->fresh, again);
    CHECK(strcmp(fen, again) == 0, "%s: %s comes back as %s", probe->place, fen, again);
}

/* How many pieces a side has on the board by a FEN. */
static int pieces_on_board(const char *fen, Side side)
{
    int count = 0;
    for (const char *at = fen; *at && *at != '[' && *at != ' '; at++)
        count += side == SIDE_WHITE ? isupper((unsigned char)*at) != 0
                                    : islower((unsigned char)*at) != 0;
    return count;
}

static void check_child(Probe *probe, Move move, const char *fen)
{
    const Engine *engine = probe->engine;
    Game *game = probe->game;
    char text[ENGINE_MAX_MOVE_TEXT], after[ENGINE_MAX_FEN], back[ENGINE_MAX_FEN];
    Side side = engine->game_side(game);
    uint64_t key = engine->game_key(game), foretold = engine->game_key_after(game, move);
    int value = engine->evaluate(game, NULL);
    bool noisy = engine->game_is_noisy(game, move), checks = engine->game_gives_check(game, move);
    size_t plies = engine->game_plies(game);
    engine->move_uci(game, move, text);

    Error err;
    Status status = engine->game_play(game, move, &err);
    if (!CHECK(!status, "%s: %s %s: %s", probe->place, fen, text, err.message))
        return;
    engine->game_fen(game, after);
    check_against_fresh(probe, after, text);
    CHECK(engine->game_key(game) == foretold, "%s: %s %s", probe->place, fen, text);
    CHECK(engine->game_in_check(game) == checks, "%s: %s %s", probe->place, fen, text);
    CHECK(engine->game_plies(game) == plies + 1, "%s: %s %s", probe->place, fen, text);
    bool promotes = text[4] != '\0';
    Side other = side == SIDE_WHITE ? SIDE_BLACK : SIDE_WHITE;
    bool captures = pieces_on_board(after, other) < pieces_on_board(fen, other);
    CHECK(noisy == (promotes || captures), "%s: %s %s", probe->place, fen, text);

    engine->game_undo(game);
    engine->game_fen(game, back);
    CHECK(strcmp(back, fen) == 0, "%s: %s, %s taken back, is %s", probe->place, fen, text, back);
    CHECK(engine->game_key(game) == key, "%s: %s %s", probe->place, fen, text);
    CHECK(engine->evaluate(game, NULL) == value, "%s: %s %s", probe->place, fen, text);
    CHECK(engine->game_side(game) == side, "%s: %s %s", probe->place, fen, text);
}

void probe_children(Probe *probe)
{
    char fen[ENGINE_MAX_FEN];
    Move moves[ENGINE_MAX_MOVES];
    probe->engine->game_fen(probe->game, fen);
    size_t count = probe->engine->game_moves(probe->game, moves);
    for (size_t i = 0; i < count; i++)
        check_child(probe, moves[i], fen);
}

void probe_order(Probe *probe)
{
    const Engine *engine = probe->engine;
    Game *game = probe->fresh;
    char fen[ENGINE_MAX_FEN];
    Move moves[ENGINE_MAX_MOVES];
    bool taken[ENGINE_MAX_MOVES] = {false};
    engine->game_fen(probe->game, fen);
    /* History-free moves: of the position set up afresh, where nothing has been played. */
    engine->game_set(game, fen, NULL);
    size_t count = engine->game_moves(game, moves);
    for (int even = 0; even < 2; even++) {
        uint32_t total = engine->order_total(game, even), sum = 0;
        for (size_t i = 0; i < count; i++) {
            MoveShare share = engine->order_share(game, moves[i]), found;
            if (!CHECK(share.size > 0 && share.total == total && share.begin < total &&
                           share.size <= total - share.begin,
                       "%s: %s: move %zu has the share %u + %u of %u", probe->place, fen, i,
                       share.begin, share.size, total))
                return;
            sum += share.size;
            for (int last = 0; last < 2; last++) {
                uint32_t value = share.begin + (last ? share.size - 1 : 0);
                CHECK(engine->order_move(game, value, &found) == moves[i] &&
                          found.begin == share.begin && found.size == share.size,
                      "%s: %s: move %zu is not found by its share", probe->place, fen, i);
            }
            uint16_t terms[ENGINE_MAX_ORDER_TERMS];
            size_t term_count = engine->order_terms(game, moves[i], terms);
            int exponent = 0;
            for (size_t k = 0; k < term_count; k++)
                exponent += engine->order_table[terms[k]];
            exponent = exponent < -160 ? -160 : exponent > 160 ? 160 : exponent;
            double weight = even ? 1 : exp2(10 + exponent / 16.0);
            CHECK(share.size >= weight - 0.501 && share.size <= weight + 0.501,
                  "%s: %s: move %zu weighs %u, its terms say %f", probe->place, fen, i, share.size,
                  weight);
        }
        CHECK(sum == total, "%s: %s: shares add up to %u of %u", probe->place, fen, sum, total);
    }
    for (size_t rank = 0; rank < count; rank++) {
        Move move = engine->move_at_rank(game, rank);
        size_t at = 0;
        while (at < count && moves[at] != move)
            at++;
        if (!CHECK(at < count && !taken[at], "%s: %s: rank %zu of %zu", probe->place, fen, rank,
                   count))
            return;
        taken[at] = true;
    }
    CHECK(engine->move_at_rank(game, count) == MOVE_NONE, "%s: %s", probe->place, fen);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* A text that looks like a move: a legal one with one character changed, cut or added, or letters,
 * squares and signs at random. */
static void random_text(Probe *probe, char texts[][ENGINE_MAX_MOVE_TEXT], size_t count, char *text)
{
    static const char alphabet[] = "abcdefghi123456789@+PNBRCMQAKpnGfqx0-= ";
    Rng *rng = &probe->rng;
    size_t length;
    if (count && rng_below(rng, 4)) {
        strcpy(text, texts[rng_below(rng, count)]);
        length = strlen(text);
        size_t at = rng_below(rng, length);
        switch (rng_below(rng, 4)) {
        case 0:
            text[length - 1] = '\0';
            break;
        case 1:
            strcpy(text + length, "+");
            break;
        default:
            text[at] = alphabet[rng_below(rng, sizeof alphabet - 1)];
        }
        return;
    }
    length = rng_below(rng, 3) ? 4 + rng_below(rng, 2) : rng_below(rng, 9);
    for (size_t i = 0; i < length; i++)
        text[i] = i == 4              ? '+'
                  : rng_below(rng, 8) ? alphabet[rng_below(rng, 9) + (i & 1 ? 9 : 0)]
                                      : alphabet[rng_below(rng, sizeof alphabet - 1)];
    text[length] = '\0';
}

void probe_random_texts(Probe *probe, int tries)
{
    const Engine *engine = probe->engine;
    static char texts[ENGINE_MAX_MOVES][ENGINE_MAX_MOVE_TEXT];
    char fen[ENGINE_MAX_FEN], text[ENGINE_MAX_MOVE_TEXT], again[ENGINE_MAX_MOVE_TEXT];
    size_t count = sorted_moves(engine, probe->game, texts);
    engine->game_fen(probe->game, fen);
    for (int i = 0; i < tries; i++) {
        random_text(probe, texts, count, text);
        bool legal = bsearch(text, texts, count, sizeof texts[0], compare_texts) != NULL;
        Move move = MOVE_NONE;
        Error err = {.status = STATUS_OK};
        Status status = engine->move_from_uci(probe->game, text, &move, &err);
        CHECK((status == STATUS_OK) == legal, "%s: %s '%s'", probe->place, fen, text);
        if (status) {
            CHECK(move == MOVE_NONE && err.status == status && *err.message, "%s: %s '%s'",
                  probe->place, fen, text);
            CHECK(status == STATUS_FORMAT || status == STATUS_ARGUMENT, "%s: %s '%s'", probe->place,
                  fen, text);
        } else {
            engine->move_uci(probe->game, move, again);
            CHECK(strcmp(text, again) == 0, "%s: %s '%s' came back as '%s'", probe->place, fen,
                  text, again);
        }
    }
}

void probe_san(Probe *probe, size_t index)
{
    const Engine *engine = probe->engine;
    Move moves[ENGINE_MAX_MOVES], back = MOVE_NONE;
    char fen[ENGINE_MAX_FEN], san[ENGINE_MAX_MOVE_TEXT];
    size_t count = engine->game_moves(probe->game, moves);
    if (index >= count)
        return;
    engine->game_fen(probe->game, fen);
    engine->move_san(probe->game, moves[index], san);
    Error err = {.message = ""};
    Status status = engine->move_from_san(probe->game, san, &back, &err);
    CHECK(!status && back == moves[index], "%s: %s %s: %s", probe->place, fen, san, err.message);
}

void probe_san_is_unique(Probe *probe)
{
    const Engine *engine = probe->engine;
    static char sans[ENGINE_MAX_MOVES][ENGINE_MAX_MOVE_TEXT];
    Move moves[ENGINE_MAX_MOVES];
    char fen[ENGINE_MAX_FEN];
    size_t count = engine->game_moves(probe->game, moves);
    engine->game_fen(probe->game, fen);
    for (size_t i = 0; i < count; i++)
        engine->move_san(probe->game, moves[i], sans[i]);
    qsort(sans, count, sizeof sans[0], compare_texts);
    for (size_t i = 1; i < count; i++)
        CHECK(strcmp(sans[i - 1], sans[i]) != 0, "%s: %s: two moves are %s", probe->place, fen,
              sans[i]);
}

/* --- the other side --------------------------------------------------------------------------- */

static char swapped_case(char letter)
{
    unsigned char c = (unsigned char)letter;
    return (char)(isupper(c) ? tolower(c) : toupper(c));
}

/* Writes a FEN's board from its last square to its first, or rank by rank from the last to the
 * first, with the colours swapped. `end` is the end of the board. */
static char *put_other_board(const char *board, const char *end, bool half_turn, char *at)
{
    const char *rank_end = end;
    while (rank_end > board) {
        const char *rank = rank_end;
        while (rank > board && rank[-1] != '/')
            rank--;
        for (const char *read = half_turn ? rank_end - 1 : rank;
             half_turn ? read >= rank : read < rank_end; read += half_turn ? -1 : 1) {
            if (half_turn && *read == '+')
                continue; /* written before its piece */
            if (half_turn && read > rank && read[-1] == '+')
                *at++ = '+';
            *at++ = swapped_case(*read);
        }
        if (rank > board)
            *at++ = '/';
        rank_end = rank > board ? rank - 1 : board;
    }
    return at;
}

/* The position as the other side sees it, on a board of `ranks`. Hands and castling rights swap by
 * their letters; a square for taking in passing changes its rank (such boards are not turned). */
static void other_side(const char *fen, int ranks, bool half_turn, char *out)
{
    const char *end = fen + strcspn(fen, "[ ");
    char *at = put_other_board(fen, end, half_turn, out);
    for (; *end && *end != ' '; end++)
        *at++ = swapped_case(*end);
    at += sprintf(at, " %c ", end[1] == 'w' ? 'b' : 'w');
    for (end += 3; *end && *end != ' '; end++)
        *at++ = swapped_case(*end);
    if (isalpha((unsigned char)end[1])) {
        at += sprintf(at, " %c%d", end[1], ranks + 1 - (end[2] - '0'));
        end += 3;
    }
    strcpy(at, end);
}

/* How the sides of a variant mirror each other shows in its start position. */
static bool turns_by_half(const Engine *engine)
{
    char turned[2 * ENGINE_MAX_FEN];
    other_side(engine->start_fen, engine->ranks, true, turned);
    return strncmp(turned, engine->start_fen, strcspn(turned, "[ ")) == 0;
}

void probe_mirrored(Probe *probe)
{
    const Engine *engine = probe->engine;
    char fen[ENGINE_MAX_FEN], other[2 * ENGINE_MAX_FEN];
    Error err;
    engine->game_fen(probe->game, fen);
    other_side(fen, engine->ranks, turns_by_half(engine), other);
    Status status = engine->game_set(probe->fresh, other, &err);
    if (status && (strstr(err.message, "to place first") || strstr(err.message, "place in turn")))
        return; /* a placement in which one side is the first by rule has no mirror image */
    if (!CHECK(!status, "%s: %s from %s: %s", probe->place, other, fen, err.message))
        return;
    CHECK(engine->perft(probe->game, 1) == engine->perft(probe->fresh, 1), "%s: %s and %s",
          probe->place, fen, other);
    CHECK(engine->game_in_check(probe->game) == engine->game_in_check(probe->fresh),
          "%s: %s and %s", probe->place, fen, other);
    const Weight *const weights[] = {NULL, probe->weights};
    for (size_t i = 0; i < 2; i++) {
        int here = engine->evaluate(probe->game, weights[i]);
        int there = engine->evaluate(probe->fresh, weights[i]);
        CHECK(here == -there, "%s: %s is worth %d, %s %d", probe->place, fen, here, other, there);
    }
}

/* --- evaluation ------------------------------------------------------------------------------- */
void probe_trace(Probe *probe)
{
    const Engine *engine = probe->engine;
    static Trace trace;
    char fen[ENGINE_MAX_FEN];
    engine->game_fen(probe->game, fen);
    engine->trace(probe->game, &trace);
    CHECK(trace.phase >= 0 && trace.phase <= PHASE_MAX, "%s: %s: phase %d", probe->place, fen,
          trace.phase);
    if (!CHECK(trace.count <= ENGINE_MAX_TRACE, "%s: %s: %zu entries", probe->place, fen,
               trace.count))
        return;
    const Weight *const sets[] = {probe->weights, engine->default_weights};
    for (size_t set = 0; set < 2; set++) {
        int64_t sum = 0;
        for (size_t i = 0; i < trace.count; i++) {
            TraceEntry entry = trace.entries[i];
            if (!CHECK(entry.weight < engine->weight_count && engine->weight_exists[entry.weight],
                       "%s: %s: weight %d", probe->place, fen, entry.weight))
                return;
            Weight weight = sets[set][entry.weight];
            sum += (int64_t)entry.count *
                   (trace.phase * weight.middlegame + (PHASE_MAX - trace.phase) * weight.endgame);
        }
        double exact = (double)sum / PHASE_MAX;
        int value = engine->evaluate(probe->game, sets[set]);
        CHECK(value - exact <= 1 && exact - value <= 1, "%s: %s: evaluation %d, trace %.3f",
              probe->place, fen, value, exact);
    }
}

/* --- repetition ------------------------------------------------------------------------------- */
enum { SEEN_BUCKETS = 1 << 12 };

typedef struct SeenEntry {
    struct SeenEntry *next;
    int count;
    char text[ENGINE_MAX_FEN];
} SeenEntry;

struct Seen {
    SeenEntry *buckets[SEEN_BUCKETS];
};

Seen *seen_new(void)
{
    return calloc(1, sizeof(Seen));
}

void seen_free(Seen *seen)
{
    for (size_t i = 0; seen && i < SEEN_BUCKETS; i++)
        for (SeenEntry *entry = seen->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            free(entry);
        }
    free(seen);
}

/* The part of a FEN that repetition is about, in `text`, and its bucket. */
static size_t seen_key(const Engine *engine, const Game *game, char *text)
{
    engine->game_fen(game, text);
    char *end = text + strlen(text);
    for (int counters = 0; counters < 2; counters++)
        while (*--end != ' ')
            ;
    *end = '\0';
    size_t hash = 5381;
    for (const char *at = text; *at; at++)
        hash = hash * 33 + (unsigned char)*at;
    return hash % SEEN_BUCKETS;
}

static SeenEntry *seen_find(const Seen *seen, size_t bucket, const char *text)
{
    SeenEntry *entry = seen->buckets[bucket];
    while (entry && strcmp(entry->text, text) != 0)
        entry = entry->next;
    return entry;
}

void seen_change(Seen *seen, const Probe *probe, int change)
{
    char text[ENGINE_MAX_FEN];
    size_t bucket = seen_key(probe->engine, probe->game, text);
    SeenEntry *entry = seen_find(seen, bucket, text);
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!CHECK(entry != NULL, "%s: no memory", probe->place))
            return;
        strcpy(entry->text, text);
        entry->next = seen->buckets[bucket];
        seen->buckets[bucket] = entry;
    }
    entry->count += change;
}

/* Where a third occurrence is a draw no move is forbidden, and the game ends with it. */
static void check_repetition_draw(Probe *probe, const Seen *seen)
{
    const Engine *engine = probe->engine;
    char text[ENGINE_MAX_FEN];
    size_t bucket = seen_key(engine, probe->game, text);
    const SeenEntry *entry = seen_find(seen, bucket, text);
    Ending ending = engine->game_ending(probe->game);
    bool mated = ending.reason == END_MATE || ending.reason == END_STALEMATE;
    CHECK(mated || (ending.reason == END_REPETITION) == (entry && entry->count >= 3),
          "%s: %s occurs %d times and ends by %s", probe->place, text, entry ? entry->count : 0,
          end_reason_text(ending.reason));
}

void probe_ban(Probe *probe, const Seen *seen)
{
    const Engine *engine = probe->engine;
    static char expected[MOVES_TEXT], found[MOVES_TEXT];
    static char texts[ENGINE_MAX_MOVES][ENGINE_MAX_MOVE_TEXT];
    char fen[ENGINE_MAX_FEN], child[ENGINE_MAX_FEN], *at = expected;
    if (engine->has_draws) {
        check_repetition_draw(probe, seen);
        return;
    }
    engine->game_fen(probe->game, fen);
    engine->game_set(probe->fresh, fen, NULL);
    size_t count = sorted_moves(engine, probe->fresh, texts), left = 0;
    *at = '\0';
    for (size_t i = 0; i < count; i++) {
        Move move = MOVE_NONE;
        engine->move_from_uci(probe->fresh, texts[i], &move, NULL);
        engine->game_play(probe->fresh, move, NULL);
        size_t bucket = seen_key(engine, probe->fresh, child);
        const SeenEntry *entry = seen_find(seen, bucket, child);
        engine->game_undo(probe->fresh);
        if (!entry || entry->count < 2)
            at += sprintf(at, left++ ? " %s" : "%s", texts[i]);
    }
    probe_moves(engine, probe->game, found);
    CHECK(strcmp(expected, found) == 0, "%s: %s: moves '%s', expected '%s'", probe->place, fen,
          found, expected);
    Ending ending = engine->game_ending(probe->game);
    if (count && !left)
        CHECK(ending.reason == END_REPETITION, "%s: %s: ends by %s", probe->place, fen,
              end_reason_text(ending.reason));
}
