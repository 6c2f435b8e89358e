/* SPDX-License-Identifier: GPL-3.0-or-later */
/* salvage.c - reads every intact block out of a damaged shard (see salvage.h). */
#include "salvage.h"

#include "block.h"
#include "shard.h"
#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    CHUNK = 256 << 10,
    PAGE = 4096,           /* what is given up around a byte that the disk cannot read */
    MARK = 16,             /* a frame's magic and size, and eight letters              */
    REPAIR_MAX = 64 << 10, /* longer headers are not searched for a flipped bit        */
    HEADER_WHOLE_MAX = SKIPPABLE_PREFIX + SHARD_HEADER_MAX
};

static const uint8_t block_magic[4] = {0x28, 0xB5, 0x2F, 0xFD}; /* RFC 8878, 3.1.1 */

struct Salvage {
    const char *path; /* not owned */
    int fd;
    uint64_t size;          /* of the file                                */
    uint64_t begin, end;    /* where blocks may be                        */
    uint64_t window_offset; /* of the bytes in `window`                   */
    Buffer window;
    ShardInfo info;
    bool header_lost, range_known;
    ShardIndex index; /* of an intact trailer */
    bool *found;      /* [index.count]        */
    ShardStat stat;
    uint64_t at;         /* end of the last intact block                    */
    uint64_t least_game; /* the next number must not be below               */
    Buffer content;
    BlockParser parser;
    Game *game;
    CodeList codes;
    ScoreScale scale;
    GameRecord trial;
    XXH3_state_t *digest;
    SalvageReport report;
};

static void note(Salvage *salvage, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(Salvage *salvage, const char *format, ...)
{
    SalvageReport *report = &salvage->report;
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = length > 0 && report->note_count < SALVAGE_NOTES_MAX ? strdup(text) : NULL;
    if (copy)
        report->notes[report->note_count++] = copy;
    else
        report->more_notes++;
}

/* --- bytes ----------------------------------------------------------------------------------- */

/* Reads the window; what the disk cannot read is zeros, which no checksum takes for anything. */
static Status window_fill(Salvage *salvage, uint64_t offset, size_t want, Error *err)
{
    Buffer *window = &salvage->window;
    buffer_clear(window);
    salvage->window_offset = offset;
    if (!buffer_reserve(window, want))
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for %zu bytes", salvage->path, want);
    while (window->size < want) {
        uint64_t place = offset + window->size;
        ssize_t got =
            pread(salvage->fd, window->bytes + window->size, want - window->size, (off_t)place);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno != EIO)
            return error_set_errno(err, "%s: cannot read at byte %" PRIu64, salvage->path, place);
        if (got < 0) {
            size_t skip = PAGE - (size_t)(place % PAGE);
            skip = skip < want - window->size ? skip : want - window->size;
            note(salvage, "%s: byte %" PRIu64 ": the disk cannot read here", salvage->path, place);
            memset(window->bytes + window->size, 0, skip);
            got = (ssize_t)skip;
        }
        if (got == 0)
            break; /* became shorter */
        window->size += (size_t)got;
    }
    return STATUS_OK;
}

/* Makes the bytes from `offset` on visible: `want` of them, or as many as there are. */
static Status view(Salvage *salvage, uint64_t offset, size_t want, const uint8_t **bytes,
                   size_t *have, Error *err)
{
    uint64_t left = offset < salvage->size ? salvage->size - offset : 0;
    if (want > left)
        want = (size_t)left;
    uint64_t from = salvage->window_offset, to = from + salvage->window.size;
    if (offset < from || offset + want > to) {
        size_t more = want > CHUNK ? want : CHUNK;
        Status status = window_fill(salvage, offset, more < left ? more : (size_t)left, err);
        if (status != STATUS_OK)
            return status;
    }
    size_t skip = (size_t)(offset - salvage->window_offset);
    *bytes = salvage->window.bytes + skip;
    *have = salvage->window.size > skip ? salvage->window.size - skip : 0;
    return STATUS_OK;
}

/* The first place of `pattern` in from..to; `to` if there is none. */
static Status search(Salvage *salvage, uint64_t from, uint64_t to, const void *pattern, size_t size,
                     uint64_t *place, Error *err)
{
    *place = to;
    while (from + size <= to) {
        const uint8_t *bytes;
        size_t have;
        Status status = view(salvage, from, size, &bytes, &have, err);
        if (status != STATUS_OK)
            return status;
        if (have > to - from)
            have = (size_t)(to - from);
        if (have < size)
            return STATUS_OK;
        const uint8_t *hit = memmem(bytes, have, pattern, size);
        if (hit) {
            *place = from + (uint64_t)(hit - bytes);
            return STATUS_OK;
        }
        from += have - size + 1;
    }
    return STATUS_OK;
}

/* --- the header ------------------------------------------------------------------------------ */

/* Decodes the header at `offset`, with a flipped bit put right if there is just one. */
static Status find_header(Salvage *salvage, uint64_t offset, bool repair, size_t *header_size,
                          Error *err)
{
    const uint8_t *bytes;
    size_t have;
    Status status = view(salvage, offset, CHUNK, &bytes, &have, err);
    if (status != STATUS_OK)
        return status;
    /* Headers are short; one that is not is read again whole. */
    ByteReader prefix = byte_reader(bytes, have);
    byte_reader_uint(&prefix, 4);
    uint64_t length = SKIPPABLE_PREFIX + byte_reader_uint(&prefix, 4);
    if (length > have && length <= HEADER_WHOLE_MAX)
        status = view(salvage, offset, (size_t)length, &bytes, &have, err);
    if (status != STATUS_OK)
        return status;
    status = shard_header_decode(salvage->path, bytes, have, &salvage->info, header_size, err);
    if (status != STATUS_FORMAT || !repair || have == 0)
        return status;
    uint8_t *copy = malloc(have + 1);
    if (!copy)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory for its header", salvage->path);
    memcpy(copy, bytes, have);
    ByteReader reader = byte_reader(copy, have);
    byte_reader_uint(&reader, 4);
    uint64_t whole = SKIPPABLE_PREFIX + byte_reader_uint(&reader, 4);
    /* If the length itself is what was hit, the bit is in the prefix. */
    size_t limit = whole <= REPAIR_MAX && whole <= have ? (size_t)whole : SKIPPABLE_PREFIX;
    limit = limit < have ? limit : have;
    for (size_t i = 0; i < 8 * limit && status == STATUS_FORMAT; i++) {
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
        shard_info_free(&salvage->info);
        if (shard_header_decode(salvage->path, copy, have, &salvage->info, header_size, NULL) ==
            STATUS_OK) {
            note(salvage, "%s: byte %" PRIu64 ": bit %zu of the header was flipped; repaired",
                 salvage->path, offset + i / 8, i % 8);
            status = STATUS_OK;
        }
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    free(copy);
    if (status != STATUS_OK)
        shard_info_free(&salvage->info);
    return status;
}

/* Finds the shard's header, at the start or behind bytes of something else. */
static Status begin_of_shard(Salvage *salvage, const ShardInfo *like, Error *err)
{
    size_t header_size = 0;
    Error first = {0};
    Status status = find_header(salvage, 0, true, &header_size, &first);
    uint64_t mark = 0;
    while (status == STATUS_FORMAT) {
        status = search(salvage, mark + 1, salvage->size, "CMPDHEAD", 8, &mark, err);
        if (status != STATUS_OK || mark == salvage->size)
            break;
        status =
            mark < 8 ? STATUS_FORMAT : find_header(salvage, mark - 8, false, &header_size, err);
        if (status == STATUS_OK) {
            note(salvage, "%s: byte 0: %" PRIu64 " bytes before the shard are none of it",
                 salvage->path, mark - 8);
            salvage->begin = mark - 8;
        } else if (status == STATUS_FORMAT) {
            shard_info_free(&salvage->info);
        }
    }
    if (status != STATUS_OK)
        return status;
    salvage->range_known = true;
    if (salvage->info.engine) {
        salvage->begin += header_size;
        return STATUS_OK;
    }
    if (!like)
        return error_set(err, STATUS_FORMAT,
                         "%s; without its header nobody knows variant, build and numbers of the "
                         "games: give --like SHARD, another shard of the same run",
                         first.message);
    salvage->header_lost = true;
    salvage->range_known = false;
    note(salvage, "%s; variant and origin are taken from --like", first.message);
    return shard_info_copy(&salvage->info, like, err);
}

/* --- the end --------------------------------------------------------------------------------- */

/* Finds where the shard ends, and its trailer if that is intact. */
static Status end_of_shard(Salvage *salvage, Error *err)
{
    uint64_t mark;
    salvage->end = salvage->size;
    Status status = search(salvage, salvage->begin, salvage->size, "CMPDHEAD", 8, &mark, err);
    if (status == STATUS_OK && mark < salvage->size && mark - 8 >= salvage->begin &&
        !salvage->header_lost) {
        salvage->end = mark - 8;
        note(salvage, "%s: byte %" PRIu64 ": another shard begins; salvage it from its own file",
             salvage->path, salvage->end);
    }
    uint64_t limit = salvage->end;
    for (mark = salvage->begin; status == STATUS_OK && !salvage->report.has_trailer; mark++) {
        status = search(salvage, mark, limit, "CMPDTAIL", 8, &mark, err);
        if (status != STATUS_OK || mark == limit)
            break;
        const uint8_t *bytes;
        size_t have = 0, size = 0;
        if (mark < salvage->begin + 8)
            continue;
        status = view(salvage, mark - 8, MARK, &bytes, &have, err);
        ByteReader reader = byte_reader(bytes, status == STATUS_OK ? have : 0);
        byte_reader_uint(&reader, 4);
        uint64_t whole = SKIPPABLE_PREFIX + byte_reader_uint(&reader, 4);
        if (status == STATUS_OK && whole <= limit - (mark - 8))
            status = view(salvage, mark - 8, (size_t)whole, &bytes, &have, err);
        if (status == STATUS_OK &&
            shard_trailer_read(bytes, have, &salvage->index, &salvage->stat, &size)) {
            salvage->report.has_trailer = true;
            salvage->end = mark - 8;
            if (salvage->end + size < limit)
                note(salvage,
                     "%s: byte %" PRIu64 ": %" PRIu64 " bytes after the trailer are not of the "
                     "shard",
                     salvage->path, salvage->end + size, limit - salvage->end - size);
        } else {
            shard_index_free(&salvage->index);
        }
    }
    if (status == STATUS_OK && !salvage->report.has_trailer)
        note(salvage,
             "%s: byte %" PRIu64 ": no intact trailer: how many games there were is not known",
             salvage->path, limit);
    return status;
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* The length of the frame at `offset`, whose bytes are made visible; 0 if it is none. */
static Status frame_size(Salvage *salvage, uint64_t offset, const uint8_t **bytes, size_t *size,
                         Error *err)
{
    uint64_t room = salvage->end - offset;
    size_t have, most = room < BLOCK_FRAME_MAX ? (size_t)room : BLOCK_FRAME_MAX;
    *size = 0;
    for (size_t want = most < CHUNK ? most : CHUNK;; want = 2 * want < most ? 2 * want : most) {
        Status status = view(salvage, offset, want, bytes, &have, err);
        if (status != STATUS_OK)
            return status;
        size_t length = ZSTD_findFrameCompressedSize(*bytes, want < have ? want : have);
        if (!ZSTD_isError(length)) {
            *size = length;
            return STATUS_OK;
        }
        if (want == most || ZSTD_getErrorCode(length) != ZSTD_error_srcSize_wrong)
            return STATUS_OK;
    }
}

/* The index's entry of a frame, NULL if none has its checksum. */
static IndexEntry *entry_of(Salvage *salvage, const uint8_t *bytes, size_t size)
{
    uint64_t checksum = XXH3_64bits(bytes, size);
    for (size_t i = 0; i < salvage->index.count; i++)
        if (salvage->index.entries[i].checksum == checksum && !salvage->found[i])
            return &salvage->index.entries[i];
    return NULL;
}

static Status parser_open(Salvage *salvage, uint64_t offset, uint64_t first, uint64_t end,
                          Error *err)
{
    score_scale_set(&salvage->scale, salvage->info.score_steps, salvage->info.score_slope);
    return block_parser_open(&salvage->parser, &salvage->content, salvage->path, offset,
                             &salvage->info, &salvage->scale, first, end, err);
}

/* With the header lost: a block counts from the first number of the range, the index from 0. */
static Status find_range(Salvage *salvage, uint64_t offset, const IndexEntry *entry, Error *err)
{
    ShardInfo *info = &salvage->info;
    Status status = parser_open(salvage, offset, 0, UINT64_MAX, err);
    if (status == STATUS_OK)
        status = block_parser_next(&salvage->parser, &salvage->trial, &salvage->codes, err);
    if (status != STATUS_OK)
        return status;
    const IndexEntry *last = &salvage->index.entries[salvage->index.count - 1];
    if (salvage->trial.number > entry->first_game)
        return error_set(err, STATUS_FORMAT, "%s: block at byte %" PRIu64 ": impossible number",
                         salvage->path, offset);
    info->first_game = entry->first_game - salvage->trial.number;
    if (last->first_game + last->games - info->first_game > info->game_count)
        info->game_count = last->first_game + last->games - info->first_game;
    salvage->range_known = true;
    salvage->least_game = info->first_game;
    return STATUS_OK;
}

/* Goes through all games of the decoded block: none is given away if one of them is wrong. */
static Status try_games(Salvage *salvage, uint64_t offset, const IndexEntry *entry, Error *err)
{
    const ShardInfo *info = &salvage->info;
    uint64_t plies = 0, least = salvage->least_game, end = info->first_game + info->game_count;
    Status status = parser_open(salvage, offset, info->first_game, end, err);
    for (bool first = true; status == STATUS_OK && salvage->parser.games_left > 0; first = false) {
        GameRecord *trial = &salvage->trial;
        status = block_parser_next(&salvage->parser, trial, &salvage->codes, err);
        if (status == STATUS_OK &&
            (trial->number < least || (first && entry && trial->number != entry->first_game)))
            status =
                error_set(err, STATUS_FORMAT,
                          "%s: block at byte %" PRIu64 ": game %" PRIu64 " does not belong here",
                          salvage->path, offset, trial->number);
        if (status == STATUS_OK)
            status = block_parser_replay(&salvage->parser, salvage->game, trial, &salvage->codes,
                                         err);
        least = trial->number + 1;
        plies += trial->ply_count;
    }
    if (status == STATUS_OK && entry &&
        (entry->games != salvage->parser.games || entry->plies != plies))
        status = error_set(err, STATUS_FORMAT,
                           "%s: block at byte %" PRIu64 ": not the games that the index names",
                           salvage->path, offset);
    return status == STATUS_OK ? parser_open(salvage, offset, info->first_game, end, err) : status;
}

/* Tries the frame at `offset`: *size = its length if it is an intact block, else 0. */
static Status try_block(Salvage *salvage, uint64_t offset, size_t *size, Error *err)
{
    const uint8_t *bytes;
    size_t length;
    *size = 0;
    Status status = frame_size(salvage, offset, &bytes, &length, err);
    if (status != STATUS_OK || length == 0)
        return status;
    IndexEntry *entry = NULL;
    if (salvage->report.has_trailer && !(entry = entry_of(salvage, bytes, length)))
        return STATUS_OK;
    Error why = {0};
    status = block_decode(bytes, length, salvage->path, offset, &salvage->content, &why);
    if (status == STATUS_FORMAT)
        return STATUS_OK; /* its bytes are damaged, which the gap will say */
    if (status == STATUS_OK && !salvage->range_known && entry)
        status = find_range(salvage, offset, entry, &why);
    if (status == STATUS_OK)
        status = try_games(salvage, offset, entry, &why);
    if (status == STATUS_FORMAT) {
        note(salvage, "%s", why.message);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return error_set(err, status, "%s", why.message);
    if (entry)
        salvage->found[entry - salvage->index.entries] = true;
    *size = length;
    return STATUS_OK;
}

/* Says what is missing between two intact blocks, or at the ends. */
static void note_gap(Salvage *salvage, uint64_t to, uint64_t next_game)
{
    if (to <= salvage->at)
        return;
    if (next_game > salvage->least_game && !salvage->report.has_trailer)
        note(salvage,
             "%s: byte %" PRIu64 ": %" PRIu64 " bytes are damaged: games from %" PRIu64
             " to before %" PRIu64 " are lost as far as they were there",
             salvage->path, salvage->at, to - salvage->at, salvage->least_game, next_game);
    else
        note(salvage, "%s: byte %" PRIu64 ": %" PRIu64 " bytes are no intact block", salvage->path,
             salvage->at, to - salvage->at);
}

/* The next intact block; *found = false if there is none. */
static Status next_block(Salvage *salvage, bool *found, Error *err)
{
    *found = false;
    for (uint64_t from = salvage->at;;) {
        uint64_t place;
        size_t size = 0;
        Status status =
            search(salvage, from, salvage->end, block_magic, sizeof block_magic, &place, err);
        if (status != STATUS_OK || place == salvage->end)
            return status;
        status = try_block(salvage, place, &size, err);
        if (status != STATUS_OK)
            return status;
        if (size > 0) {
            BlockParser ahead = salvage->parser;
            status = block_parser_next(&ahead, &salvage->trial, &salvage->codes, err);
            note_gap(salvage, place, salvage->trial.number);
            salvage->at = place + size;
            *found = true;
            return status;
        }
        from = place + sizeof block_magic;
    }
}

/* --- the whole ------------------------------------------------------------------------------- */

void salvage_close(Salvage *salvage)
{
    if (!salvage)
        return;
    if (salvage->fd >= 0)
        close(salvage->fd);
    if (salvage->game)
        salvage->info.engine->game_free(salvage->game);
    for (size_t i = 0; i < salvage->report.note_count; i++)
        free(salvage->report.notes[i]);
    buffer_free(&salvage->window);
    buffer_free(&salvage->content);
    shard_info_free(&salvage->info);
    shard_index_free(&salvage->index);
    free(salvage->found);
    free(salvage->codes.codes);
    game_record_free(&salvage->trial);
    XXH3_freeState(salvage->digest);
    free(salvage);
}

static Status file_open(Salvage *salvage, const char *path, Error *err)
{
    struct stat facts;
    salvage->path = path;
    salvage->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (salvage->fd < 0)
        return error_set_errno(err, "%s: cannot open", path);
    if (fstat(salvage->fd, &facts) != 0)
        return error_set_errno(err, "%s: cannot read its size", path);
    if (!S_ISREG(facts.st_mode))
        return error_set(err, STATUS_FORMAT, "%s: not a regular file; name the shards in it", path);
    salvage->size = (uint64_t)facts.st_size;
    return STATUS_OK;
}

/* The range of a shard without header, from --first-game or the first block that is in the index.
 */
static Status settle_range(Salvage *salvage, int64_t first_game, Error *err)
{
    if (first_game >= 0) {
        salvage->info.first_game = (uint64_t)first_game;
        salvage->range_known = true;
    } else if (!salvage->report.has_trailer) {
        return error_set(err, STATUS_FORMAT,
                         "%s: neither header nor trailer is intact: the numbers of its games are "
                         "not known; --first-game N says the first of its range",
                         salvage->path);
    }
    salvage->least_game = salvage->info.first_game;
    if (salvage->range_known)
        return STATUS_OK;
    bool found = false;
    size_t notes = salvage->report.note_count;
    Status status = next_block(salvage, &found, err);
    /* That was only a look ahead. */
    while (salvage->report.note_count > notes)
        free(salvage->report.notes[--salvage->report.note_count]);
    memset(salvage->found, 0, salvage->index.count);
    salvage->parser.games_left = 0;
    salvage->at = salvage->begin;
    salvage->least_game = salvage->info.first_game;
    return status;
}

static Status prepare(Salvage *salvage, const char *path, const ShardInfo *like, int64_t first_game,
                      Error *err)
{
    Status status = file_open(salvage, path, err);
    if (status == STATUS_OK)
        status = begin_of_shard(salvage, like, err);
    if (status == STATUS_OK)
        status = end_of_shard(salvage, err);
    if (status != STATUS_OK)
        return status;
    salvage->at = salvage->begin;
    salvage->found = calloc(salvage->index.count + 1, sizeof *salvage->found);
    salvage->digest = XXH3_createState();
    if (!salvage->found || !salvage->digest)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to read it", path);
    XXH3_128bits_reset(salvage->digest);
    salvage->game = salvage->info.engine->game_new(err);
    if (!salvage->game)
        return STATUS_NO_MEMORY;
    salvage->least_game = salvage->info.first_game;
    if (salvage->header_lost)
        status = settle_range(salvage, first_game, err);
    salvage->report.expected =
        salvage->report.has_trailer ? salvage->stat.games : salvage->info.game_count;
    return status;
}

Status salvage_open(Salvage **salvage, const char *path, const ShardInfo *like, int64_t first_game,
                    Error *err)
{
    Salvage *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return error_set(err, STATUS_NO_MEMORY, "%s: no memory to read it", path);
    fresh->fd = -1;
    Status status = prepare(fresh, path, like, first_game, err);
    if (status == STATUS_OK)
        *salvage = fresh;
    else
        salvage_close(fresh);
    return status;
}

const ShardInfo *salvage_info(const Salvage *salvage)
{
    return &salvage->info;
}

const SalvageReport *salvage_report(const Salvage *salvage)
{
    return &salvage->report;
}

/* What the trailer knows of blocks that were not found; and whether all of it fits. */
static Status finish(Salvage *salvage, Error *err)
{
    note_gap(salvage, salvage->end, salvage->info.first_game + salvage->info.game_count);
    salvage->at = salvage->end;
    for (size_t i = 0; i < salvage->index.count; i++) {
        const IndexEntry *entry = &salvage->index.entries[i];
        if (!salvage->found[i])
            note(salvage,
                 "%s: byte %" PRIu64 ": lost: the block of %" PRIu32 " games from number %" PRIu64
                 " on",
                 salvage->path, entry->offset, entry->games, entry->first_game);
    }
    if (!salvage->report.has_trailer || salvage->report.games != salvage->stat.games)
        return STATUS_OK;
    char text[33];
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(salvage->digest));
    hex_from_digest(canonical.digest, text);
    return strcmp(text, salvage->stat.digest) == 0
               ? STATUS_OK
               : error_set(err, STATUS_FORMAT,
                           "%s: all blocks are there, but their digest is %s, the trailer's %s%s",
                           salvage->path, text, salvage->stat.digest,
                           salvage->header_lost ? ": --like is a shard of something else" : "");
}

Status salvage_next(Salvage *salvage, GameRecord *record, bool *end, Error *err)
{
    *end = false;
    if (salvage->parser.games_left == 0) {
        bool found;
        Status status = next_block(salvage, &found, err);
        if (status != STATUS_OK)
            return status;
        if (!found) {
            *end = true;
            return finish(salvage, err);
        }
    }
    Status status = block_parser_next(&salvage->parser, record, &salvage->codes, err);
    if (status == STATUS_OK)
        status =
            block_parser_replay(&salvage->parser, salvage->game, record, &salvage->codes, err);
    if (status != STATUS_OK)
        return status;
    game_record_digest(salvage->digest, record, salvage->codes.codes);
    salvage->least_game = record->number + 1;
    salvage->report.games++;
    return STATUS_OK;
}

Status salvage_read_header(const char *path, ShardInfo *info, Error *err)
{
    Salvage salvage = {.fd = -1};
    size_t size;
    Status status = file_open(&salvage, path, err);
    if (status == STATUS_OK)
        status = find_header(&salvage, 0, false, &size, err);
    if (salvage.fd >= 0)
        close(salvage.fd);
    buffer_free(&salvage.window);
    if (status == STATUS_OK)
        *info = salvage.info;
    else
        shard_info_free(&salvage.info);
    return status;
}
