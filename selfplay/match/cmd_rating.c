/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_rating.c - campmate-match rating: ratings of a pool of engines. */
#include "command.h"
#include "rating_input.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RATING_OPTIONS(X)                                                                          \
    X(text, anchor, NULL, 0, 0, "NAME[=ELO]",                                                      \
      "whose rating is ELO (0); without it the mean of all is 0")                                  \
    X(real, prior, "0", 0, 1000000, "DRAWS",                                                       \
      "draws added to each pairing that was played, so that all ratings are finite")

typedef struct RatingCommandOptions {
    COMMON_OPTIONS(OPTION_MEMBER) RATING_OPTIONS(OPTION_MEMBER)
} RatingCommandOptions;
#define OPTIONS_STRUCT RatingCommandOptions
static const Option rows[] = {COMMON_OPTIONS(OPTION_ROW) RATING_OPTIONS(OPTION_ROW)};
#undef OPTIONS_STRUCT

static const OptionTable table = {
    .program = "campmate-match rating",
    .summary = "Ratings of a pool of engines from games that were played.",
    .usage = "FILE...",
    .details =
        "A FILE is a PGN (plain or zstd), the state of a match (--state) or the JSON that "
        "campmate-match printed. Players are told apart by their names; give each game once. "
        "Unfinished games (*) do not count.\n\n"
        "The ratings are the most likely ones (Bradley and Terry, a draw is half a win), the "
        "errors "
        "95 % intervals of the difference to the anchor, or to the mean. It is an error if groups "
        "never met, or without --prior if some never lost a point to the others.\n\n"
        "Example: campmate-match rating --anchor gen00 runs/*/match.pgn",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .variants = engine_names,
};

/* Splits NAME=ELO. */
static Status parse_anchor(const char *text, char **name, RatingOptions *options, Error *err)
{
    if (!text)
        return STATUS_OK;
    if (!(*name = strdup(text)))
        return error_set(err, STATUS_NO_MEMORY, "out of memory");
    char *equals = strrchr(*name, '=');
    options->anchor = *name;
    if (!equals)
        return STATUS_OK;
    if (!decimal_parse(equals + 1, &options->anchor_elo) ||
        !(fabs(options->anchor_elo) <= 100000.0))
        return error_set(err, STATUS_ARGUMENT, "--anchor '%s': '%s' is no Elo", text, equals + 1);
    *equals = '\0';
    return STATUS_OK;
}

static double points(const RatingScore *score)
{
    return (double)score->wins + (double)score->draws / 2.0;
}

static uint64_t games(const RatingScore *score)
{
    return score->wins + score->draws + score->losses;
}

static int print_ratings_json(const RatingInput *input, const RatingOptions *options,
                              const RatingFit *fit)
{
    const RatingPool *pool = &input->pool;
    json_t *players = json_array(), *pairings = json_array();
    for (size_t i = 0; i < pool->player_count; i++) {
        const Rating *r = &fit->ratings[i];
        json_t *player = json_pack("{s:o, s:f, s:f}", "name", json_text(pool->names[r->player]),
                                   "elo", r->elo, "elo_error", r->error);
        json_put(player, "los_next", json_number(r->los));
        json_put(player, "games", json_count(games(&r->score)));
        json_put(player, "wins", json_count(r->score.wins));
        json_put(player, "draws", json_count(r->score.draws));
        json_put(player, "losses", json_count(r->score.losses));
        json_put(player, "points", json_real(points(&r->score)));
        json_array_append_new(players, player);
    }
    for (size_t i = 0; i < pool->pairing_count; i++) {
        const RatingPairing *p = &pool->pairings[i];
        json_t *pairing = json_pack("{s:o, s:o}", "first", json_text(pool->names[p->first]),
                                    "second", json_text(pool->names[p->second]));
        json_put(pairing, "wins", json_count(p->score.wins));
        json_put(pairing, "draws", json_count(p->score.draws));
        json_put(pairing, "losses", json_count(p->score.losses));
        json_array_append_new(pairings, pairing);
    }
    json_t *object = json_object();
    json_put(object, "games", json_count(input->games));
    json_put(object, "unfinished", json_count(input->unfinished));
    json_put(object, "players", players);
    json_put(object, "pairings", pairings);
    json_put(object, "anchor", options->anchor ? json_text(options->anchor) : json_null());
    json_put(object, "anchor_elo", json_real(options->anchor_elo));
    json_put(object, "prior", json_real(options->prior));
    json_put(object, "log_likelihood", json_real(fit->log_likelihood));
    return json_print(object);
}

static void print_ratings(const RatingInput *input, const RatingOptions *options,
                          const RatingFit *fit)
{
    const RatingPool *pool = &input->pool;
    int width = 6;
    for (size_t i = 0; i < pool->player_count; i++) {
        int length = (int)strlen(pool->names[i]);
        width = length > width ? length : width;
    }
    printf("Ratings %zu engines, %" PRIu64 " games", pool->player_count, input->games);
    if (input->unfinished)
        printf(" (%" PRIu64 " unfinished, not counted)", input->unfinished);
    if (options->anchor)
        printf(", %s = %g\n", options->anchor, options->anchor_elo);
    else
        printf(", the mean is 0\n");
    printf("     %-*s      Elo     +/-   games   score     W     L     D   better than the next\n",
           width, "engine");
    for (size_t i = 0; i < pool->player_count; i++) {
        const Rating *r = &fit->ratings[i];
        printf("%3zu  %-*s  %7.1f  %6.1f  %6" PRIu64 "  %5.1f %% %5" PRIu64 " %5" PRIu64
               " %5" PRIu64,
               i + 1, width, pool->names[r->player], r->elo, r->error, games(&r->score),
               100.0 * points(&r->score) / (double)games(&r->score), r->score.wins, r->score.losses,
               r->score.draws);
        if (!isnan(r->los))
            printf("   %5.1f %%", 100.0 * r->los);
        printf("\n");
    }
}

/* Are the names those of one file? Its games would count twice. */
static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static Status check_paths(const OptionList *paths, Error *err)
{
    if (paths->count == 0)
        return error_set(err, STATUS_ARGUMENT, "no FILE given");
    for (size_t i = 0; i < paths->count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_file(paths->items[k], paths->items[i]))
                return error_set(err, STATUS_ARGUMENT,
                                 "%s and %s are one file: its games would "
                                 "count twice",
                                 paths->items[k], paths->items[i]);
    return STATUS_OK;
}

static int run_rating(const void *given, const OptionList *paths)
{
    const RatingCommandOptions *options = given;
    Error error = {STATUS_OK, ""};
    RatingInput input = {0};
    RatingFit fit = {0};
    RatingOptions rating = {.prior = options->prior};
    char *anchor = NULL;
    int code = EXIT_DONE;
    Status status = check_paths(paths, &error);
    if (status == STATUS_OK)
        status = parse_anchor(options->anchor, &anchor, &rating, &error);
    if (status != STATUS_OK) {
        code = command_failed("campmate-match rating", &error);
        goto cleanup;
    }
    if (options->dry_run) {
        code = command_dry_run(&table, options, options->json);
        goto cleanup;
    }
    for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
        status = rating_input_read(&input, paths->items[i], &error);
    if (status == STATUS_OK)
        status = rating_fit(&input.pool, &rating, &fit, &error);
    if (status != STATUS_OK) {
        /* What the games do not tell is no mistake of the command line. */
        fprintf(stderr, "campmate-match rating: %s\n", error.message);
        code = EXIT_FAILED;
        goto cleanup;
    }
    if (options->json)
        code = print_ratings_json(&input, &rating, &fit);
    else
        print_ratings(&input, &rating, &fit);

cleanup:
    rating_fit_free(&fit);
    rating_pool_free(&input.pool);
    free(anchor);
    return code;
}

int command_rating(int argc, char **argv)
{
    RatingCommandOptions options;
    OptionList paths = {0};
    return command_main(&table, argc, argv, &options, &paths, run_rating);
}
