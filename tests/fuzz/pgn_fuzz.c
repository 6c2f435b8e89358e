/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pgn_fuzz.c - a file of PGN: each game is refused with a place, or what it is written as comes
 * back byte for byte when it is read and written again.
 */
#include "fuzz.h"

#include "pgn.h"

#include <stdlib.h>
#include <string.h>

static char *write_game(const PgnGame *game, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    FUZZ_EXPECT(stream != NULL);
    FUZZ_EXPECT(pgn_game_write(stream, game, NULL) == STATUS_OK);
    FUZZ_EXPECT(fclose(stream) == 0);
    return text;
}

static void write_and_read(const PgnGame *game)
{
    static PgnGame again;
    size_t size, size_again;
    char *text = write_game(game, &size);
    PgnSource source = {.path = "again", .line = 1, .column = 1, .text = text, .size = size};
    Reject reject = REJECT_COUNT;
    Error err = {.message = ""};
    FUZZ_EXPECT(pgn_parse(&source, game->engine, &again, &reject, &err) == STATUS_OK);
    FUZZ_EXPECT(again.record.ply_count == game->record.ply_count);
    FUZZ_EXPECT(again.record.outcome == game->record.outcome);
    FUZZ_EXPECT(again.record.reason == game->record.reason);
    char *text_again = write_game(&again, &size_again);
    FUZZ_EXPECT(size == size_again && memcmp(text, text_again, size) == 0);
    free(text);
    free(text_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static PgnGame game;
    PgnReader *reader = NULL;
    bool end = false;
    FUZZ_EXPECT(pgn_reader_open(&reader, fuzz_file(data, size), NULL) == STATUS_OK);
    for (Status status = STATUS_OK; !end;) {
        Reject reject = REJECT_COUNT;
        Error err = {.message = ""};
        status = pgn_reader_next(reader, engine_at(0), &game, &end, &reject, &err);
        FUZZ_EXPECT(status == STATUS_OK || (status == STATUS_FORMAT && err.message[0]));
        if (status == STATUS_OK && !end)
            write_and_read(&game);
        if (status != STATUS_OK && reject == REJECT_COUNT)
            break; /* the file: damaged compression */
    }
    pgn_reader_close(reader);
    return 0;
}
