/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ending.c - how games from texts ended (see ending.h). */
#include "ending.h"

#include <string.h>
#include <strings.h>

/* Words for reasons that are not their names. */
static const struct {
    const char *text;
    int reason;
} words[] = {
    /* campmate-match (selfplay/match/arbiter.h) */
    {"illegal move", REASON_ILLEGAL},
    {"time forfeit", REASON_TIME},
    {"adjudication", REASON_ADJUDICATED},
    {"ply cap", REASON_CAP},
    {"disconnect", REASON_UNKNOWN},
    {"stall", REASON_UNKNOWN},
    /* PGN standard, 9.8.1 */
    {"rules infraction", REASON_ILLEGAL},
    {"unterminated", END_NONE},
};

int ending_reason_from_text(const char *text, Outcome outcome)
{
    if (!text || strcasecmp(text, "normal") == 0)
        return outcome == OUTCOME_NONE ? (int)END_NONE : (int)REASON_UNKNOWN;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i].text) == 0)
            return words[i].reason;
    char name[32];
    size_t length = strlen(text);
    for (size_t i = 0; i <= length && length < sizeof name; i++)
        name[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    int reason;
    return length < sizeof name && game_reason_from_text(name, &reason) ? reason
                                                                        : (int)REASON_UNKNOWN;
}

Status ending_settle(const Engine *engine, Game *game, GameRecord *record, Outcome outcome,
                     int reason, Reject *reject, Error *err)
{
    Ending ending = engine->game_ending(game);
    const char *said = outcome_text(outcome), *why = game_reason_text(reason);
    if (outcome == OUTCOME_DRAW && !engine->has_draws)
        return reject_set(reject, REJECT_DRAW, err, "a draw, but %s has no draws", engine->name);
    if (ending.reason != END_NONE) {
        if (outcome != OUTCOME_NONE && outcome != ending.outcome)
            return reject_set(reject, REJECT_CONTRADICTION, err,
                              "the result is %s, but by the rules it is %s (%s)", said,
                              outcome_text(ending.outcome), end_reason_text(ending.reason));
        record->outcome = ending.outcome;
        record->reason = (int)ending.reason;
        return STATUS_OK;
    }
    bool open = reason == END_NONE || reason == REASON_CAP;
    if (reason != END_NONE && reason < END_REASON_COUNT)
        return reject_set(reject, REJECT_CONTRADICTION, err,
                          "ended by '%s', but by the rules the game goes on", why);
    if (open && outcome != OUTCOME_NONE)
        return reject_set(reject, REJECT_CONTRADICTION, err,
                          "the result is %s, but the reason is '%s'", said, why);
    record->outcome = outcome;
    record->reason = reason;
    return STATUS_OK;
}
