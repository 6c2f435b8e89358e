/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine.h - the only door to the rules, the evaluation and the search of each variant.
 *
 * core/ is compiled once for each variant (see core/unity.c); what leaves each compilation is one
 * `const Engine`. Calls through it are coarse: a game, a list of moves, a whole search.
 *
 *     const Engine *engine = engine_find("mansindam");
 *     Game *game = engine->game_new(&err);
 *     engine->game_set(game, "startpos", &err);
 *     Move moves[ENGINE_MAX_MOVES];
 *     size_t n = engine->game_moves(game, moves);
 *     engine->game_play(game, moves[0]);
 *
 * Unless said otherwise a Game or a Search belongs to one thread at a time, different objects may
 * be used side by side, and strings returned are static.
 */
#pragma once

#include "support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ENGINE_MAX_MOVES = 1024,   /* room that a list of moves must have                          */
    ENGINE_MAX_MOVE_TEXT = 16, /* bytes for a move in UCI or SAN, NUL included                 */
    ENGINE_MAX_FEN = 320,      /* bytes for a FEN, NUL included                                */
    ENGINE_MAX_DEPTH = 120,    /* plies of iterative deepening                                 */
    ENGINE_MAX_PV = 120,       /* moves in a principal variation                               */
    ENGINE_MAX_MULTI_PV = 256,
    ENGINE_MAX_TRACE = 1024,   /* room that a trace must have                                  */
    ENGINE_MAX_ORDER_TERMS = 16,
    SCORE_MATE = 32000,        /* mate in n plies scores SCORE_MATE - n                        */
    SCORE_MATE_BOUND = 31000,  /* |score| above this is a mate score, below it centipawns      */
    SCORE_NONE = 32767         /* no score                                                     */
};

/* A move. Its bits are private to the core of its variant; MOVE_NONE is no move. */
typedef uint16_t Move;
enum { MOVE_NONE = 0 };

typedef enum Side { SIDE_WHITE, SIDE_BLACK } Side;

/* Why a game has ended by the rules, in the order of RULES: the first that applies. */
#define END_REASONS(X)                                                                             \
    X(END_NONE, "none")                                                                            \
    X(END_MATE, "mate")                                                                            \
    X(END_STALEMATE, "stalemate")                                                                  \
    X(END_CAMPMATE, "campmate")                                                                    \
    X(END_REPETITION, "repetition")                                                                \
    X(END_COUNT, "count")                                                                          \
    X(END_FIFTY, "fifty")                                                                          \
    X(END_PROMOCHOICE, "promochoice")                                                              \
    X(END_INSUFFICIENT, "insufficient")
#define END_REASON_NAME(id, text) id,
typedef enum EndReason { END_REASONS(END_REASON_NAME) END_REASON_COUNT } EndReason;
#undef END_REASON_NAME

typedef enum Outcome { OUTCOME_NONE, OUTCOME_WHITE, OUTCOME_BLACK, OUTCOME_DRAW } Outcome;

/* "mate"; "*", "1-0", "0-1", "1/2-1/2" */
const char *end_reason_text(EndReason reason);
const char *outcome_text(Outcome outcome);
/* The outcome that such a text names; false if none does. */
bool outcome_from_text(const char *text, Outcome *outcome);

typedef struct Ending {
    EndReason reason; /* END_NONE while the game goes on */
    Outcome outcome;
} Ending;

/* One weight: a value for the middlegame and one for the endgame, in centipawns. */
typedef struct Weight {
    int16_t middlegame, endgame;
} Weight;

/*
 * A group of weights, one line of EVAL_TERMS: a table of `rows` x `columns` weights for each of
 * `items` things, stored item by item, row by row, from `first` on in the flat array of weights.
 */
typedef struct TermGroup {
    const char *name;               /* "piece_square"                                          */
    int first;                      /* index of its first weight                               */
    int items, rows, columns;
    const char *const *item_names;  /* [items] "PAWN", ...; NULL when items == 1               */
    int is_board;                   /* 1: rows are ranks, the first the farthest from White    */
} TermGroup;

/* The coefficient of one weight in a position: White's count minus Black's. */
typedef struct TraceEntry {
    uint16_t weight; /* index in the flat array */
    int16_t count;
} TraceEntry;

/*
 * evaluation (White's view, centipawns) =
 *     sum over entries of count * (phase * middlegame + (PHASE_MAX - phase) * endgame) / PHASE_MAX
 * within 1 centipawn of rounding.
 */
enum { PHASE_MAX = 256 };
typedef struct Trace {
    int phase; /* 0 (endgame) .. PHASE_MAX (middlegame) */
    size_t count;
    TraceEntry entries[ENGINE_MAX_TRACE];
} Trace;

/* What a search may use. Zero means "no such limit"; with no limit at all it is infinite. */
typedef struct SearchLimits {
    int depth;                     /* plies                                                    */
    int mate;                      /* stop at a mate in this many moves                        */
    uint64_t nodes;                /* hard limit, never exceeded with one thread               */
    uint64_t nodes_soft;           /* no new iteration after this many                         */
    int64_t movetime_ms;           /* with has_movetime                                        */
    int64_t time_ms[2], increment_ms[2]; /* by Side, with has_clock                            */
    int64_t byoyomi_ms;
    int moves_to_go;
    bool has_movetime, has_clock, infinite, ponder;
    int64_t move_overhead_ms;
    int multi_pv;                  /* lines, 0 = 1                                             */
    const Move *search_moves;      /* the only root moves to look at                           */
    size_t search_move_count;      /* 0 = all                                                  */
} SearchLimits;

typedef enum ScoreBound { BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT } ScoreBound;

/* A line of search output. Scores are from the view of the side to move at the root. */
typedef struct SearchLine {
    int depth, selective_depth, multi_pv /* 1-based */, score, hashfull_permille;
    ScoreBound bound;
    uint64_t nodes;
    int64_t time_ms;
    size_t pv_length;
    Move pv[ENGINE_MAX_PV];
} SearchLine;

/* Called by the searching thread for each finished line; `line` is the callee's only for the call. */
typedef void (*SearchReport)(void *context, const SearchLine *line);

typedef struct SearchResult {
    Move best;   /* MOVE_NONE if there is no legal move                                        */
    Move ponder; /* MOVE_NONE if unknown                                                       */
    int score;   /* of `best`, view of the side to move; -SCORE_MATE or 0 without a move       */
    int depth;   /* of the last finished iteration                                             */
    uint64_t nodes;
    size_t line_count;               /* multi-PV: finished lines, best first                   */
    struct { Move move; int score; } lines[ENGINE_MAX_MULTI_PV];
} SearchResult;

/* A move's part of the numbers 0 .. total - 1. */
typedef struct MoveShare {
    uint32_t begin, size, total;
} MoveShare;

typedef struct Game Game;     /* a position and how it came about      */
typedef struct Search Search; /* hash table, histories, weights        */

/* A number of the search that can be changed in this build; `value` is read by running searches. */
typedef struct SearchParameter {
    const char *name; /* NULL ends a list */
    int *value;
    int standard, least, most;
} SearchParameter;

typedef struct Engine {
    /* --- facts --- */
    const char *name;      /* UCI_Variant, lower case                                           */
    const char *title;     /* PGN's Variant tag: first letter capital                           */
    const char *start_fen; /* canonical                                                         */
    int files, ranks;
    int hand_kinds;        /* kinds of piece that can be in hand, 0 = no hands                  */
    int rules_version;     /* rises when the rules, or the frozen order of moves, change        */
    bool has_draws;        /* false: no game can be drawn                                       */
    const char *board_template; /* what UCI clients draw it like: "shogi"; NULL = "fairy"       */

    /* --- games: rules with history ------------------------------------------------------- */
    Game *(*game_new)(Error *err); /* at the start position; NULL when out of memory            */
    void (*game_free)(Game *game);
    /* Makes `to` an independent copy of `from`. */
    Status (*game_copy)(Game *to, const Game *from, Error *err);
    /* Sets a FEN ("startpos" or NULL: the start position), which becomes occurrence 1. Strict:
     * STATUS_FORMAT names field and place; the game is untouched then. Trailing blanks are fine;
     * anything else after the counters is refused. */
    Status (*game_set)(Game *game, const char *fen, Error *err);
    /* Canonical FEN into a buffer of ENGINE_MAX_FEN bytes. */
    void (*game_fen)(const Game *game, char *fen);
    Side (*game_side)(const Game *game);
    bool (*game_in_check)(const Game *game);
    int (*game_fullmove)(const Game *game);  /* as in the FEN                                   */
    size_t (*game_plies)(const Game *game);  /* played since game_set                           */
    uint64_t (*game_key)(const Game *game);  /* rule key: board, hands, side, rights; no clocks */
    uint64_t (*game_key_after)(Game *game, Move move); /* that key after a legal move           */

    /* The legal moves, without forbidden repetitions, into room for ENGINE_MAX_MOVES. None after
     * mate, stalemate and campmate; still there where a clock, count, claim or material ended
     * the game. */
    size_t (*game_moves)(Game *game, Move *moves);
    Ending (*game_ending)(Game *game);
    /* Plays a legal move (not checked). STATUS_NO_MEMORY leaves the game as it was. */
    Status (*game_play)(Game *game, Move move, Error *err);
    void (*game_undo)(Game *game); /* takes the last one back; game_plies > 0 */
    bool (*game_is_noisy)(const Game *game, Move move);  /* capture or promotion of a legal move */
    bool (*game_gives_check)(Game *game, Move move);     /* of a legal move                      */
    bool (*game_is_repetition)(Game *game, Move move);   /* of a history-free legal move: it is
                                                            forbidden as a repetition            */

    /* Text of a legal move into ENGINE_MAX_MOVE_TEXT bytes. */
    void (*move_uci)(const Game *game, Move move, char *text);
    void (*move_san)(Game *game, Move move, char *text);
    /* The legal move that a text names. STATUS_FORMAT if it is malformed; STATUS_ARGUMENT if it
     * is not legal here, with the reason where it is a forbidden repetition. */
    Status (*move_from_uci)(Game *game, const char *text, Move *move, Error *err);
    Status (*move_from_san)(Game *game, const char *text, Move *move, Error *err);

    /*
     * Datasets code a move by its share of a frozen, versioned measure of the history-free legal
     * moves (core/order.h). `order_total` measures the position and remembers it in the game for
     * the other two, until a move is made or taken back; 0 = there is no legal move. With `even`
     * all moves weigh the same.
     */
    uint32_t (*order_total)(Game *game, bool even);
    MoveShare (*order_share)(const Game *game, Move move);             /* size 0: not legal     */
    Move (*order_move)(const Game *game, uint32_t value, MoveShare *share); /* value < total    */
    /* The entries of the table that a legal move's weight 2^(sum / 16) adds up, into room for
     * ENGINE_MAX_ORDER_TERMS; their number. */
    size_t (*order_terms)(const Game *game, Move move, uint16_t *terms);
    size_t order_entries;                            /* of the table                            */
    const int8_t *order_table;                       /* [order_entries], in 1/16 bit            */
    const char *order_header;                        /* "orders/sittuyin.h"                     */
    /* Format 1 and 2 stored the move's rank in another frozen order (core/rank.h). */
    Move (*move_at_rank)(Game *game, size_t rank);   /* MOVE_NONE if there is no such rank      */

    /* Leaves at `depth`, history-free: bulk counting, no hash. */
    uint64_t (*perft)(Game *game, int depth);

    /* A picture of the board with hands, FEN and key: malloc'ed text. */
    char *(*game_picture)(const Game *game);

    /* --- evaluation ------------------------------------------------------------------------ */
    int weight_count;
    const TermGroup *term_groups;
    int term_group_count;
    const Weight *default_weights;       /* [weight_count], the compiled header                 */
    const char *weights_header;          /* "weights/sittuyin.h": variants may share one        */
    const char *weights_provenance;      /* "dataset ... loss ..." of the compiled header       */
    uint32_t score_slope;                /* of the search's scores with these weights, millionths:
                                            1 / (1 + 10^(-slope * centipawns / 400)) is the chance
                                            to win                                              */
    /* 1 where the weight belongs to a square or item that can occur, [weight_count]. */
    const uint8_t *weight_exists;
    /* Static evaluation with `weights` ([weight_count], NULL = default), centipawns, White's view. */
    int (*evaluate)(Game *game, const Weight *weights);
    /* Coefficients of the same evaluation. Does not depend on any weights. */
    void (*trace)(Game *game, Trace *trace);

    /* --- search ------------------------------------------------------------------------------ */
    /* A searcher with a hash table of hash_mib MiB for `threads` threads and default weights;
     * NULL with err when there is no memory. */
    Search *(*search_new)(size_t hash_mib, int threads, Error *err);
    void (*search_free)(Search *search);
    /* Forgets everything learnt (ucinewgame): the next search is that of a new one. */
    void (*search_clear)(Search *search);
    /* On failure the old table and thread count stay in force. */
    Status (*search_resize)(Search *search, size_t hash_mib, int threads, Error *err);
    /* Copies weights ([weight_count], NULL = default). Forgets what was learnt with the old ones. */
    void (*search_set_weights)(Search *search, const Weight *weights);
    /* Optional, before search_run with the same limits, from the thread that may call search_stop:
     * a stop or ponderhit after it is not lost, even if search_run has not begun yet. */
    void (*search_arm)(Search *search, const SearchLimits *limits);
    /* Searches. `report` may be NULL. With one thread the result is a pure function of build,
     * weights, hash size, what was searched since the last clear, game and limits, as long as no
     * limit of time is in force. It forgets stops and ponderhits that came before it began. */
    SearchResult (*search_run)(Search *search, const Game *game, const SearchLimits *limits,
                               SearchReport report, void *context);
    /* From any thread: ends the running search soon; ends pondering (time counts from now). */
    void (*search_stop)(Search *search);
    void (*search_ponderhit)(Search *search);
    /* Quiescence score of the position, view of the side to move, and the leaf's static score if
     * `leaf` is not NULL. */
    int (*quiescence)(Search *search, Game *game);
    /* Only in builds with -DCAMPMATE_TUNE=ON (else the list is empty), and while nothing searches:
     * write through `value`, then call `search_parameters_changed`. */
    const SearchParameter *search_parameters;
    void (*search_parameters_changed)(void);
} Engine;

/* The engine of a variant by its UCI name, NULL if unknown; and all of them in order. What they
 * return is ready to use. Thread-safe. */
const Engine *engine_find(const char *name);
const Engine *engine_at(size_t index); /* NULL past the end */
/* "mansindam, shogun": for messages. */
const char *engine_names(void);
