/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stat_report.c - what `campmate-data stat` prints (see stat_tally.h). */
#include "stat_tally.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS_MAX = 20, BAR_WIDTH = 40 /* of all */ };

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static uint64_t decided(const Tally *tally)
{
    return tally->outcomes[OUTCOME_WHITE] + tally->outcomes[OUTCOME_BLACK];
}

/* --- distributions --------------------------------------------------------------------------- */

/* How often each value occurs. */
typedef struct Distribution {
    const uint64_t *counts; /* [size] */
    size_t size;
    uint64_t total;
    uint64_t largest; /* the largest value; may lie beyond the counts, whose last is "or more" */
} Distribution;

static Distribution lengths_of(const Tally *tally)
{
    return (Distribution){tally->lengths, TALLY_PLIES + 1, tally->games, tally->longest};
}

static Distribution branching_of(const Tally *tally)
{
    size_t largest = ENGINE_MAX_MOVES;
    while (largest > 0 && !tally->branching[largest])
        largest--;
    return (Distribution){tally->branching, ENGINE_MAX_MOVES + 1, tally->positions, largest};
}

/* The least value that at least `percent` of all do not exceed. */
static uint64_t quantile(const Distribution *all, unsigned percent)
{
    uint64_t below = 0;
    for (size_t i = 0; i < all->size; i++) {
        below += all->counts[i];
        if (all->total && below * 100 >= all->total * percent && below > 0)
            return i;
    }
    return 0;
}

static double mean(const Distribution *all)
{
    double sum = 0;
    for (size_t i = 0; i < all->size; i++)
        sum += (double)i * (double)all->counts[i];
    return all->total ? sum / (double)all->total : 0;
}

/* A round width for at most BINS_MAX bins. */
static size_t bin_width(const Distribution *all)
{
    static const size_t widths[] = {1, 2, 5, 10, 20, 50, 100, 200};
    size_t values = all->largest < all->size ? (size_t)all->largest + 1 : all->size, i = 0;
    while (i + 1 < sizeof widths / sizeof *widths && values > widths[i] * BINS_MAX)
        i++;
    return widths[i];
}

static uint64_t bin_count(const Distribution *all, size_t from, size_t width)
{
    uint64_t count = 0;
    for (size_t i = from; i < from + width && i < all->size; i++)
        count += all->counts[i];
    return count;
}

static json_t *distribution_json(const Distribution *all, const char *noun)
{
    static const struct {
        const char *name;
        unsigned percent;
    } marks[] = {{"min", 0},  {"p10", 10}, {"p25", 25}, {"median", 50},
                 {"p75", 75}, {"p90", 90}, {"p99", 99}};
    json_t *object = json_object(), *histogram = json_array();
    json_object_set_new(object, "mean", json_real(mean(all)));
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        json_object_set_new(object, marks[i].name,
                            json_integer((json_int_t)quantile(all, marks[i].percent)));
    json_object_set_new(object, "max", json_integer((json_int_t)all->largest));
    size_t width = bin_width(all);
    for (size_t from = 0; all->total && from < all->size && from <= all->largest; from += width)
        json_array_append_new(histogram, json_pack("{s:I, s:I, s:I}", "from", (json_int_t)from,
                                                   "to", (json_int_t)(from + width - 1), noun,
                                                   (json_int_t)bin_count(all, from, width)));
    json_object_set_new(object, "histogram", histogram);
    return object;
}

static void print_bar(uint64_t count, uint64_t total)
{
    static const char bar[] = "########################################";
    int length = (int)(BAR_WIDTH * ratio(count, total) + 0.5);
    printf(" %12" PRIu64 "  %5.1f %%%s%.*s\n", count, 100 * ratio(count, total), length ? "  " : "",
           length, bar);
}

static void print_distribution(const char *name, const Distribution *all)
{
    printf("%-16s mean %.1f, median %" PRIu64 ", 10 %% to 90 %% %" PRIu64 "-%" PRIu64
           ", least %" PRIu64 ", most %" PRIu64 "\n",
           name, mean(all), quantile(all, 50), quantile(all, 10), quantile(all, 90),
           quantile(all, 0), all->largest);
    size_t width = bin_width(all);
    bool begun = false;
    for (size_t from = 0; all->total && from < all->size && from <= all->largest; from += width) {
        uint64_t count = bin_count(all, from, width);
        if (!begun && count == 0)
            continue;
        begun = true;
        char label[32];
        if (width == 1)
            snprintf(label, sizeof label, "%zu", from);
        else
            snprintf(label, sizeof label, "%zu-%zu", from, from + width - 1);
        printf("  %-14s", label);
        print_bar(count, all->total);
    }
}

/* --- adjudication ---------------------------------------------------------------------------- */

static uint64_t resolved(const Tally *tally)
{
    return tally->checked - tally->unresolved;
}

/* The error rate that is exceeded with a chance of 5 % at most: the upper end of E. Wilson's
 * interval (1927); 1 where nothing was checked. */
static double error_upper(const Tally *tally)
{
    const double z = 1.6448536269514722;
    double n = (double)resolved(tally), p = ratio(tally->wrong, resolved(tally));
    if (n == 0)
        return 1;
    return (p + z * z / (2 * n) + z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) /
           (1 + z * z / n);
}

/* --- repeats --------------------------------------------------------------------------------- */

static RepeatCount repeats_from(const RepeatCount *repeats, size_t ply)
{
    RepeatCount sum = {0};
    for (; ply < REPEATS_PLIES; ply++) {
        sum.positions += repeats[ply].positions;
        sum.counted += repeats[ply].counted;
        sum.repeats += repeats[ply].repeats;
        sum.earlier += repeats[ply].earlier;
        sum.distinct += repeats[ply].distinct;
    }
    return sum;
}

static json_t *share_or_null(uint64_t part, uint64_t whole)
{
    return whole ? json_real(ratio(part, whole)) : json_null();
}

static json_t *repeats_json(const StatReport *report)
{
    RepeatCount sum = repeats_from(report->repeats, REPEATS_FROM_PLY);
    RepeatCount all = repeats_from(report->repeats, 0);
    json_t *by_ply = json_array();
    for (size_t ply = 0; ply < REPEATS_PLIES; ply++) {
        const RepeatCount *at = &report->repeats[ply];
        if (at->positions)
            json_array_append_new(by_ply, json_pack("{s:I, s:I, s:o, s:o}", "ply", (json_int_t)ply,
                                                    "positions", (json_int_t)at->positions, "share",
                                                    share_or_null(at->repeats, at->counted),
                                                    "earlier_share",
                                                    share_or_null(at->earlier, at->counted)));
    }
    return json_pack("{s:i, s:f, s:f, s:b, s:i, s:I, s:I, s:o}", "from_ply", REPEATS_FROM_PLY,
                     "share", ratio(sum.repeats, sum.counted), "earlier_share",
                     ratio(sum.earlier, sum.counted), "exact", report->repeats_level == 0,
                     "sample_bits", (int)report->repeats_level, "positions",
                     (json_int_t)all.positions, "distinct",
                     (json_int_t)(all.distinct << report->repeats_level), "by_ply", by_ply);
}

/* The plies whose line is worth printing. */
static bool is_shown(size_t ply)
{
    return ply <= 16 ? ply % 2 == 0 : ply <= 40 ? ply % 8 == 0 : (ply & (ply - 1)) == 0;
}

static void print_repeats(const StatReport *report)
{
    RepeatCount sum = repeats_from(report->repeats, REPEATS_FROM_PLY);
    RepeatCount all = repeats_from(report->repeats, 0);
    const char *about = report->repeats_level ? "about " : "";
    printf("repeats          %s%.2f %% of the positions from ply %d on were there before "
           "(%.2f %% in an earlier game)\n",
           about, 100 * ratio(sum.repeats, sum.counted), REPEATS_FROM_PLY,
           100 * ratio(sum.earlier, sum.counted));
    printf("                 %" PRIu64 " positions, %s%" PRIu64 " different ones", all.positions,
           about, all.distinct << report->repeats_level);
    if (report->repeats_level)
        printf("; of 2^%u different positions one was counted (--memory)", report->repeats_level);
    puts("\n  after ply         positions    there before  in an earlier game");
    for (size_t ply = 0; ply < REPEATS_PLIES; ply++) {
        const RepeatCount *at = &report->repeats[ply];
        if (!is_shown(ply) || !at->positions)
            continue;
        if (at->counted)
            printf("  %-14zu %12" PRIu64 "        %6.2f %%            %6.2f %%\n", ply,
                   at->positions, 100 * ratio(at->repeats, at->counted),
                   100 * ratio(at->earlier, at->counted));
        else
            printf("  %-14zu %12" PRIu64 "             -                   -\n", ply,
                   at->positions);
    }
}

/* --- openings -------------------------------------------------------------------------------- */

static json_t *openings_json(const StatReport *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->opening_count; i++) {
        const Opening *opening = &report->openings[i];
        json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:o, s:I}", "fen", opening->fen,
                                              "games", (json_int_t)opening->games, "share",
                                              ratio(opening->games, report->opening_games),
                                              "results", command_results_json(opening->outcomes),
                                              "first_game", (json_int_t)opening->number));
    }
    return json_pack("{s:I, s:I, s:I, s:o}", "ply", (json_int_t)report->opening_ply, "games",
                     (json_int_t)report->opening_games, "distinct",
                     (json_int_t)report->opening_distinct, "most_frequent", list);
}

static void print_openings(const StatReport *report)
{
    printf("openings         %" PRIu64 " different positions after ply %zu in %" PRIu64
           " games that got so far\n",
           report->opening_distinct, report->opening_ply, report->opening_games);
    if (report->opening_count && report->openings[0].games > 1)
        puts("         games            white   black    draw  first game and position");
    for (size_t i = 0; i < report->opening_count && report->openings[i].games > 1; i++) {
        const Opening *opening = &report->openings[i];
        printf("  %12" PRIu64 "  %5.1f %% %5.1f %% %5.1f %% %5.1f %%  %" PRIu64 "  %s\n",
               opening->games, 100 * ratio(opening->games, report->opening_games),
               100 * ratio(opening->outcomes[OUTCOME_WHITE], opening->games),
               100 * ratio(opening->outcomes[OUTCOME_BLACK], opening->games),
               100 * ratio(opening->outcomes[OUTCOME_DRAW], opening->games), opening->number,
               opening->fen);
    }
}

/* --- scores ---------------------------------------------------------------------------------- */

static json_t *scores_json(const Tally *tally)
{
    json_t *histogram = json_array();
    for (int i = 0; i < SCORE_BINS; i++) {
        int from = (i - 1) * SCORE_BIN_CP - SCORE_TAIL_CP;
        json_array_append_new(
            histogram,
            json_pack("{s:o, s:o, s:I}", "from", i > 0 ? json_integer(from) : json_null(), "below",
                      i + 1 < SCORE_BINS ? json_integer(from + SCORE_BIN_CP) : json_null(), "plies",
                      (json_int_t)tally->scores[i]));
    }
    return json_pack("{s:I, s:I, s:I, s:f, s:o}", "scored", (json_int_t)tally->scored, "mate_white",
                     (json_int_t)tally->mates[0], "mate_black", (json_int_t)tally->mates[1],
                     "slope", tally_score_slope(tally), "histogram", histogram);
}

static void print_scores(const Tally *tally)
{
    printf("scores           %" PRIu64 " plies (%.1f %%), centipawns, White's view\n",
           tally->scored, 100 * ratio(tally->scored, tally->plies));
    if (!tally->scored)
        return;
    printf("  %-14s", "Black mates");
    print_bar(tally->mates[1], tally->scored);
    for (int i = 0; i < SCORE_BINS; i++) {
        int from = (i - 1) * SCORE_BIN_CP - SCORE_TAIL_CP;
        char label[32];
        if (i == 0)
            snprintf(label, sizeof label, "below %d", -SCORE_TAIL_CP);
        else if (i + 1 == SCORE_BINS)
            snprintf(label, sizeof label, "%d or more", SCORE_TAIL_CP);
        else
            snprintf(label, sizeof label, "%d to %d", from, from + SCORE_BIN_CP - 1);
        printf("  %-14s", label);
        print_bar(tally->scores[i], tally->scored);
    }
    printf("  %-14s", "White mates");
    print_bar(tally->mates[0], tally->scored);
    double slope = tally_score_slope(tally);
    if (slope > 0)
        printf("score slope      %.3f: the chance to win is 1/(1+10^(-%.3f*s/400)) for s "
               "centipawns\n",
               slope, slope);
}

/* --- all of it ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int bit;
} flag_names[] = {{"random", 0}, {"book", 1}, {"sampled", 2}, {"played_out", 3}};
enum { FLAG_COUNT = sizeof flag_names / sizeof *flag_names };

json_t *stat_report_json(const StatReport *report)
{
    const Tally *tally = &report->tally;
    json_t *reasons = json_object(), *flags = json_object();
    for (int i = 0; i < TALLY_REASONS; i++)
        if (tally->reasons[i])
            json_object_set_new(reasons, game_reason_text(i),
                                json_integer((json_int_t)tally->reasons[i]));
    for (int i = 0; i < FLAG_COUNT; i++)
        json_object_set_new(flags, flag_names[i].name,
                            json_integer((json_int_t)tally->flags[flag_names[i].bit]));
    Distribution lengths = lengths_of(tally), branching = branching_of(tally);
    json_t *root =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:f, s:o, s:f, s:f, s:o, s:s}",
                  "variant", report->engine->name, "shards", (json_int_t)report->shards, "games",
                  (json_int_t)tally->games, "plies", (json_int_t)tally->plies, "bytes",
                  (json_int_t)report->bytes, "bytes_per_ply", ratio(report->bytes, tally->plies),
                  "mean_plies", ratio(tally->plies, tally->games), "longest_plies",
                  (json_int_t)tally->longest, "scored_share", ratio(tally->scored, tally->plies),
                  "results", command_results_json(tally->outcomes), "decisive_share",
                  ratio(decided(tally), tally->games), "unfinished_share",
                  ratio(tally->outcomes[OUTCOME_NONE], tally->games), "reasons", reasons, "digest",
                  report->digest);
    if (!root)
        return NULL;
    json_object_set_new(root, "own_starts", json_integer((json_int_t)tally->own_starts));
    json_object_set_new(root, "flags", flags);
    json_object_set_new(root, "lengths", distribution_json(&lengths, "games"));
    json_object_set_new(root, "scores", scores_json(tally));
    json_object_set_new(root, "adjudication",
                        json_pack("{s:I, s:I, s:I, s:I, s:o, s:f}", "adjudicated",
                                  (json_int_t)tally->adjudicated, "checked",
                                  (json_int_t)tally->checked, "wrong", (json_int_t)tally->wrong,
                                  "unresolved", (json_int_t)tally->unresolved, "error_rate",
                                  share_or_null(tally->wrong, resolved(tally)),
                                  "error_rate_upper95", error_upper(tally)));
    if (report->brief)
        return root;
    RepeatCount sum = repeats_from(report->repeats, REPEATS_FROM_PLY);
    json_object_set_new(root, "repeat_share", json_real(ratio(sum.repeats, sum.counted)));
    json_object_set_new(root, "repeat_from_ply", json_integer(REPEATS_FROM_PLY));
    json_object_set_new(root, "repeat_exact", json_boolean(report->repeats_level == 0));
    json_object_set_new(root, "repeats", repeats_json(report));
    json_object_set_new(root, "branching", distribution_json(&branching, "positions"));
    json_object_set_new(root, "openings", openings_json(report));
    return root;
}

static void print_share(const char *name, uint64_t part, uint64_t whole)
{
    printf("  %-14s %12" PRIu64 "  %5.1f %%\n", name, part, 100 * ratio(part, whole));
}

static void print_adjudication(const Tally *tally)
{
    printf("adjudication     %" PRIu64 " games decided by score", tally->adjudicated);
    if (tally->checked) {
        printf("; %" PRIu64 " played on to check it: %" PRIu64 " wrong, %" PRIu64 " unfinished",
               tally->checked, tally->wrong, tally->unresolved);
        if (resolved(tally))
            printf("\n                 error rate %.2f %% (below %.2f %% with 95 %% confidence)",
                   100 * ratio(tally->wrong, resolved(tally)), 100 * error_upper(tally));
    }
    putchar('\n');
}

void stat_report_print(const StatReport *report)
{
    const Tally *tally = &report->tally;
    printf("variant          %s\n", report->engine->name);
    printf("shards           %" PRIu64 "\n", report->shards);
    printf("games            %" PRIu64 "  (%" PRIu64 " from a position of their own)\n",
           tally->games, tally->own_starts);
    printf("plies            %" PRIu64 "  (with score %.1f %%", tally->plies,
           100 * ratio(tally->scored, tally->plies));
    for (int i = 0; i < FLAG_COUNT; i++)
        if (tally->flags[flag_names[i].bit])
            printf(", %s %.1f %%",
                   flag_names[i].bit == 3 ? "played on to check" : flag_names[i].name,
                   100 * ratio(tally->flags[flag_names[i].bit], tally->plies));
    printf(")\nbytes            %" PRIu64 "  (%.3f a ply)\n", report->bytes,
           ratio(report->bytes, tally->plies));
    printf("results          decisive %.1f %%, unfinished %.1f %%\n",
           100 * ratio(decided(tally), tally->games),
           100 * ratio(tally->outcomes[OUTCOME_NONE], tally->games));
    print_share("white", tally->outcomes[OUTCOME_WHITE], tally->games);
    print_share("black", tally->outcomes[OUTCOME_BLACK], tally->games);
    if (report->engine->has_draws)
        print_share("draw", tally->outcomes[OUTCOME_DRAW], tally->games);
    print_share("unfinished", tally->outcomes[OUTCOME_NONE], tally->games);
    puts("reasons");
    for (int i = 0; i < TALLY_REASONS; i++)
        if (tally->reasons[i])
            print_share(game_reason_text(i), tally->reasons[i], tally->games);
    print_adjudication(tally);
    Distribution lengths = lengths_of(tally), branching = branching_of(tally);
    print_distribution("plies a game", &lengths);
    print_scores(tally);
    if (!report->brief) {
        print_distribution("legal moves", &branching);
        print_repeats(report);
        print_openings(report);
    }
    printf("digest           %s\n", report->digest);
}
