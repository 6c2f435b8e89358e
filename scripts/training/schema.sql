-- SPDX-License-Identifier: GPL-3.0-or-later
-- The ledger's tables, as docs/ledger.md describes them. Keys are names that are the same wherever
-- a line is loaded: a run's name with 8 random digits, its generations as RUN/genNN, and digests of
-- content for weights, datasets and shards. Digests are XXH3-128, times are UTC (ISO 8601), Elo is
-- logistic, columns called json or options hold text for reading on.

CREATE TABLE runs (
    run           TEXT PRIMARY KEY,          -- NAME-xxxxxxxx
    name          TEXT NOT NULL,
    variant       TEXT NOT NULL,
    seed          INTEGER NOT NULL,
    configuration TEXT NOT NULL,             -- the effective one, as an ini file
    directory     TEXT,
    commit_id     TEXT NOT NULL,             -- of the source tree when the run began
    began         TEXT NOT NULL,
    ended         TEXT,                      -- NULL: unfinished
    best          TEXT REFERENCES generations DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE TABLE steps (
    run           TEXT NOT NULL REFERENCES runs DEFERRABLE INITIALLY DEFERRED,
    step          TEXT NOT NULL,             -- 'gen01 self-play', on a cluster also '... task 000003'
    attempt       INTEGER NOT NULL,          -- from 1; only the last one of a step can be done
    generation    TEXT REFERENCES generations DEFERRABLE INITIALLY DEFERRED,
    kind          TEXT NOT NULL,             -- tools weights build book self-play tune match gauntlet
                                             -- rating material
    status        TEXT NOT NULL
                  CHECK (status IN ('running', 'done', 'failed', 'interrupted', 'killed')),
    commit_id     TEXT,                      -- of the programs that did it
    compiler      TEXT,
    host          TEXT,
    began         TEXT NOT NULL,
    cpu_seconds   REAL,                      -- NULL: unknown; killed: at least
    wall_seconds  REAL,
    json          TEXT,                      -- what the step found out
    PRIMARY KEY (run, step, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE weights (
    weights       TEXT PRIMARY KEY,          -- digest of the values
    variant       TEXT,
    source        TEXT,                      -- fit, zero, shipped, material or a path; NULL: unknown
    fit           TEXT REFERENCES fits DEFERRABLE INITIALLY DEFERRED, -- what first made them
    header        TEXT,                      -- path of the header
    header_sha256 TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE datasets (
    dataset       TEXT PRIMARY KEY,          -- digest of the games
    variant       TEXT NOT NULL,
    weights       TEXT REFERENCES weights DEFERRABLE INITIALLY DEFERRED, -- that played them
    seed          INTEGER,
    configuration TEXT,                      -- of campmate-selfplay
    games         INTEGER NOT NULL,
    plies         INTEGER NOT NULL,
    bytes         INTEGER,
    white         INTEGER, black INTEGER, draw INTEGER, unfinished INTEGER,  -- results
    bench         INTEGER,
    commit_id     TEXT,
    compiler      TEXT,
    path          TEXT,
    json          TEXT                       -- campmate-data stat
) STRICT, WITHOUT ROWID;

CREATE TABLE shards (
    shard         TEXT PRIMARY KEY,          -- digest of the games
    variant       TEXT NOT NULL,
    weights       TEXT REFERENCES weights DEFERRABLE INITIALLY DEFERRED,
    seed          INTEGER,
    first_game    INTEGER,
    game_count    INTEGER,
    games         INTEGER NOT NULL,
    plies         INTEGER NOT NULL,
    bytes         INTEGER,
    white         INTEGER, black INTEGER, draw INTEGER, unfinished INTEGER,
    run           TEXT REFERENCES runs DEFERRABLE INITIALLY DEFERRED,
    step          TEXT,                      -- the step or cluster task that wrote it
    host          TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE dataset_shards (
    dataset       TEXT NOT NULL REFERENCES datasets DEFERRABLE INITIALLY DEFERRED,
    number        INTEGER NOT NULL,          -- order in the dataset, from 0
    shard         TEXT NOT NULL REFERENCES shards DEFERRABLE INITIALLY DEFERRED,
    file          TEXT,
    PRIMARY KEY (dataset, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE fits (
    fit           TEXT PRIMARY KEY,          -- RUN/genNN
    run           TEXT NOT NULL REFERENCES runs DEFERRABLE INITIALLY DEFERRED,
    prior         TEXT REFERENCES weights DEFERRABLE INITIALLY DEFERRED, -- NULL: from zero
    weights       TEXT REFERENCES weights DEFERRABLE INITIALLY DEFERRED, -- the result
    options       TEXT,                      -- of campmate-tune
    seed          INTEGER,
    positions     INTEGER,
    k             REAL,
    loss_before   REAL, loss_train REAL, loss_validation REAL, loss_test REAL,  -- nats
    iterations    INTEGER,
    gradient_norm REAL,
    gap_bound     REAL,                      -- nats above the best possible, at most
    json          TEXT                       -- campmate-tune --json: calibration and more
) STRICT, WITHOUT ROWID;

CREATE TABLE fit_datasets (
    fit           TEXT NOT NULL REFERENCES fits DEFERRABLE INITIALLY DEFERRED,
    number        INTEGER NOT NULL,          -- order on the command line, from 0
    dataset       TEXT NOT NULL REFERENCES datasets DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (fit, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE builds (
    build         TEXT PRIMARY KEY,          -- RUN/genNN, RUN/material genNN, RUN/engine NAME
    run           TEXT NOT NULL REFERENCES runs DEFERRABLE INITIALLY DEFERRED,
    kind          TEXT NOT NULL CHECK (kind IN ('campmate', 'external')),
    weights       TEXT REFERENCES weights DEFERRABLE INITIALLY DEFERRED,
    bench         INTEGER,
    commit_id     TEXT,
    compiler      TEXT,
    level         TEXT,                      -- of the instruction set
    preset        TEXT,
    sha256        TEXT,                      -- of the program
    command       TEXT                       -- the program, or how an external engine is started
) STRICT, WITHOUT ROWID;

CREATE TABLE matches (
    match         TEXT PRIMARY KEY,          -- RUN/genNN, RUN/gauntlet NN/NAME, RUN/material genNN
    run           TEXT NOT NULL REFERENCES runs DEFERRABLE INITIALLY DEFERRED,
    kind          TEXT NOT NULL CHECK (kind IN ('gate', 'gauntlet', 'material')),
    generation    TEXT REFERENCES generations DEFERRABLE INITIALLY DEFERRED,
    first         TEXT NOT NULL REFERENCES builds DEFERRABLE INITIALLY DEFERRED,
    second        TEXT NOT NULL REFERENCES builds DEFERRABLE INITIALLY DEFERRED,
    games         INTEGER NOT NULL,
    wins          INTEGER NOT NULL, draws INTEGER NOT NULL, losses INTEGER NOT NULL,  -- of first
    pentanomial   TEXT,                      -- pairs of 0, 1/2, 1, 1 1/2, 2 points, as JSON
    elo           REAL,                      -- NULL: one side won everything
    elo_error     REAL,                      -- half of the 95 % interval
    elo_finite    REAL NOT NULL,             -- with half a game added to each side's wins
    model         TEXT, elo0 REAL, elo1 REAL, alpha REAL, beta REAL,          -- NULL: no SPRT
    llr           REAL, llr_lower REAL, llr_upper REAL,
    verdict       TEXT,
    seed          INTEGER,
    options       TEXT,                      -- of campmate-match
    pgn           TEXT,
    json          TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE generations (
    generation    TEXT PRIMARY KEY,          -- RUN/genNN
    run           TEXT NOT NULL REFERENCES runs DEFERRABLE INITIALLY DEFERRED,
    number        INTEGER NOT NULL,
    parent        TEXT REFERENCES generations DEFERRABLE INITIALLY DEFERRED, -- best when it began
    dataset       TEXT REFERENCES datasets DEFERRABLE INITIALLY DEFERRED,    -- its own games
    fit           TEXT REFERENCES fits DEFERRABLE INITIALLY DEFERRED,
    weights       TEXT REFERENCES weights DEFERRABLE INITIALLY DEFERRED,
    build         TEXT REFERENCES builds DEFERRABLE INITIALLY DEFERRED,
    match         TEXT REFERENCES matches DEFERRABLE INITIALLY DEFERRED,     -- against its parent
    accepted      INTEGER CHECK (accepted IN (0, 1)),                        -- NULL: not decided yet
    installed     TEXT,                      -- VARIANT-gNN-BENCH, of accepted ones
    elo           REAL                       -- above generation 0, by the matches on the way
) STRICT, WITHOUT ROWID;

CREATE TABLE ratings (                       -- of a pool, by maximum likelihood
    run           TEXT NOT NULL REFERENCES runs DEFERRABLE INITIALLY DEFERRED,
    pool          TEXT NOT NULL,             -- 'genNN': the matches up to that generation
    build         TEXT NOT NULL REFERENCES builds DEFERRABLE INITIALLY DEFERRED,
    elo           REAL NOT NULL,             -- above generation 0
    elo_error     REAL,                      -- half of the 95 % interval
    games         INTEGER,
    PRIMARY KEY (run, pool, build)
) STRICT, WITHOUT ROWID;

CREATE INDEX steps_of_generation ON steps (generation);
CREATE INDEX datasets_of_shard ON dataset_shards (shard);
CREATE INDEX fits_of_dataset ON fit_datasets (dataset);

-- CPU time of each generation and of everything up to it, with the Elo it reached.
CREATE VIEW progress AS
    SELECT g.run, g.number, g.generation, g.accepted,
        (SELECT coalesce(sum(s.cpu_seconds), 0) FROM steps s WHERE s.generation = g.generation)
            AS cpu_seconds,
        (SELECT coalesce(sum(s.cpu_seconds), 0) / 3600 FROM steps s
            LEFT JOIN generations e ON e.generation = s.generation
            WHERE s.run = g.run AND coalesce(e.number, 0) <= g.number
                AND s.kind NOT IN ('gauntlet', 'rating', 'material')) AS core_hours,
        g.elo
    FROM generations g;
