/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_fuzz.c - a file in each format that can be imported: every record is counted, as a game
 * that a shard takes or as rejected.
 */
#include "fuzz.h"

#include "block.h"
#include "import.h"

static void check_harvest(const Engine *engine, const Harvest *harvest, ImportFormat format)
{
    uint64_t records = reject_tally_total(&harvest->rejects);
    for (size_t i = 0; i < harvest->count; i++) {
        const GameRecord *game = &harvest->games[i];
        Error err = {.message = ""};
        FUZZ_EXPECT(game_record_check(engine, game, "fuzz", &err) == STATUS_OK);
        records += format == IMPORT_PLAIN ? game->ply_count : 1;
    }
    FUZZ_EXPECT(records == harvest->records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Drops and promotions, and a set-up phase. */
    static const char *const variants[] = {"mansindam", "sittuyin"};
    for (int f = 0; f < 2 * IMPORT_FORMAT_COUNT; f++) {
        ImportFormat format = (ImportFormat)(f / 2);
        ImportRules rules = {.engine = engine_find(variants[f % 2]), .pawn = 208};
        ImportSource *source = NULL;
        ImportWorker worker;
        ImportUnit unit = {0};
        Error err = {.message = ""};
        bool end = false;
        FUZZ_EXPECT(import_worker_init(&worker, &rules, &err) == STATUS_OK);
        FUZZ_EXPECT(import_source_open(&source, fuzz_file(data, size), format, &err) == STATUS_OK);
        while (!end) {
            Harvest harvest = {0};
            if (import_source_next(source, &unit, &end, &err) != STATUS_OK)
                break; /* damaged compression */
            if (!end) {
                FUZZ_EXPECT(import_unit(&worker, &unit, &harvest, &err) == STATUS_OK);
                check_harvest(rules.engine, &harvest, format);
            }
            harvest_free(&harvest);
        }
        import_source_close(source);
        import_worker_free(&worker);
        buffer_free(&unit.text);
    }
    return 0;
}
