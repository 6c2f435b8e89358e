/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unity.c - one compilation of the core for one variant (VARIANT_HEADER). The includes stand in
 * the order of the layers: each file uses only what is above it. One symbol leaves the object.
 */
#include "core/variant.h"
#include "core/bitboard.h"
#include "core/attacks.h"
#include "core/position.h"
#include "core/movegen.h"
#include "core/perft.h"
#include "core/fen.h"
#include "core/notation.h"
#include "core/ending.h"
#include "core/rank.h"
#include "core/order.h"
#include "core/game.h"
#include "core/eval.h"
#include "core/see.h"
#include "core/tt.h"
#include "core/history.h"
#include "core/parameters.h"
#include "core/movepick.h"
#include "core/search.h"
#include "core/searcher.h"

static void core_fill(void)
{
    attacks_fill();
    zobrist_fill();
    order_fill();
    weight_exists_fill();
    reductions_fill();
    eval_prepare(&default_tables, (const Weight *)(const void *)&weights);
}

/* Fills every table once, whoever comes first. Thread-safe. */
static void core_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, core_fill);
}

#define PASTE(a, b) a##b
#define PASTE_EXPANDED(a, b) PASTE(a, b)
#define VARIANT_SYMBOL(prefix) PASTE_EXPANDED(prefix, VARIANT_NAME)

extern const Engine VARIANT_SYMBOL(engine_);
const Engine VARIANT_SYMBOL(engine_) = {
    .name = VARIANT_UCI_NAME,
    .title = VARIANT_TITLE,
    .start_fen = START_FEN,
    .files = BOARD_FILES,
    .ranks = BOARD_RANKS,
    .hand_kinds = HAND_KINDS,
    .rules_version = RULES_VERSION,
    .has_draws = HAS_DRAWS,
    .board_template = BOARD_TEMPLATE,

    .game_new = game_new,
    .game_free = game_free,
    .game_copy = game_copy,
    .game_set = game_set,
    .game_fen = game_fen,
    .game_side = game_side,
    .game_in_check = game_in_check,
    .game_fullmove = game_fullmove,
    .game_plies = game_plies,
    .game_key = game_key,
    .game_key_after = game_key_after,
    .game_moves = game_moves,
    .game_ending = game_ending,
    .game_play = game_play,
    .game_undo = game_undo,
    .game_is_noisy = game_is_noisy,
    .game_gives_check = game_gives_check,
    .game_is_repetition = game_is_repetition,
    .move_uci = game_move_uci,
    .move_san = game_move_san,
    .move_from_uci = game_move_from_uci,
    .move_from_san = game_move_from_san,
    .order_total = game_order_total,
    .order_share = game_order_share,
    .order_move = game_order_move,
    .order_terms = game_order_terms,
    .order_entries = ORDER_ENTRIES,
    .order_table = order_table,
    .order_header = ORDER_HEADER,
    .move_at_rank = game_move_at_rank,
    .perft = game_perft,
    .game_picture = game_picture,

    .weight_count = WEIGHT_COUNT,
    .term_groups = term_groups,
    .term_group_count = TERM_GROUP_COUNT,
    .default_weights = (const Weight *)(const void *)&weights,
    .weights_header = WEIGHTS_HEADER,
    .weights_provenance = WEIGHTS_PROVENANCE,
    .score_slope = WEIGHTS_SCORE_SLOPE * 1000,
    .weight_exists = weight_exists,
    .evaluate = game_evaluate,
    .trace = game_trace,

    .search_new = search_new,
    .search_free = search_free,
    .search_clear = search_clear,
    .search_resize = search_resize,
    .search_set_weights = search_set_weights,
    .search_arm = search_arm,
    .search_run = search_arm_and_run,
    .search_stop = search_stop,
    .search_ponderhit = search_ponderhit,
    .quiescence = search_quiescence_score,
    .search_parameters = search_parameters,
    .search_parameters_changed = reductions_fill,
};
