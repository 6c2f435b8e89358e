# SPDX-License-Identifier: GPL-3.0-or-later
"""audit.py - does a ledger hold together, and are the files that it names as they were?

    for text in audit.findings(db, path): ...

What docs/ledger.md and schema.sql say of the tables, row by row. A file that is gone is no finding.
"""

import hashlib
import json
from pathlib import Path

from .history import elo_finite
from .ledger import TABLES, broken_references

# Each query gives a row for each mistake; the text is filled with its columns.
QUERIES = (
    ("""SELECT g.generation, m.verdict FROM generations g LEFT JOIN matches m USING (match)
        WHERE g.accepted = 1 AND g.number > 0 AND m.verdict IS NOT 'H1'""",
     "{generation}: accepted with the verdict {verdict}, expected H1"),
    ("""SELECT g.generation FROM generations g JOIN matches m USING (match)
        WHERE g.accepted = 0 AND m.verdict = 'H1'""",
     "{generation}: rejected with the verdict H1"),
    ("""SELECT g.generation, g.parent FROM generations g JOIN generations p
        ON p.generation = g.parent
        WHERE p.run != g.run OR p.number >= g.number OR p.accepted IS NOT 1""",
     "{generation}: its parent {parent} is no accepted earlier generation of the same run"),
    ("""SELECT g.generation, m.match, m.second, p.build FROM generations g
        JOIN matches m USING (match) JOIN generations p ON p.generation = g.parent
        WHERE m.kind != 'gate' OR m.second != p.build""",
     "{generation}: its match {match} is against {second}, expected the gate against {build}"),
    ("""SELECT r.run, r.best FROM runs r JOIN generations g ON g.generation = r.best
        WHERE g.run != r.run OR g.accepted IS NOT 1 OR EXISTS (SELECT 1 FROM generations other
            WHERE other.run = r.run AND other.accepted = 1 AND other.number > g.number)""",
     "{run}: best is {best}, expected its last accepted generation"),
    ("""SELECT g.generation, g.weights, f.weights AS other FROM generations g JOIN fits f USING (fit)
        WHERE g.weights != f.weights""",
     "{generation}: weights {weights}, but its fit made {other}"),
    ("""SELECT g.generation, g.weights, b.weights AS other FROM generations g JOIN builds b USING (build)
        WHERE g.weights != b.weights""",
     "{generation}: weights {weights}, but its build has {other}"),
    ("""SELECT g.generation, d.weights, p.weights AS other FROM generations g
        JOIN datasets d USING (dataset) JOIN generations p ON p.generation = g.parent
        WHERE d.weights != p.weights""",
     "{generation}: its games were played by {weights}, expected those of its parent, {other}"),
    ("""SELECT d.dataset, d.games, d.plies, sum(s.games) AS shard_games, sum(s.plies) AS shard_plies
        FROM datasets d JOIN dataset_shards USING (dataset) JOIN shards s USING (shard)
        GROUP BY d.dataset HAVING d.games != shard_games OR d.plies != shard_plies""",
     "dataset {dataset}: its shards hold {shard_games} games and {shard_plies} plies, expected "
     "{games} and {plies}"),
    ("""SELECT 'dataset' AS kind, dataset AS name, games, white + black + draw + unfinished AS results
        FROM datasets WHERE games != white + black + draw + unfinished
        UNION ALL SELECT 'shard', shard, games, white + black + draw + unfinished
        FROM shards WHERE games != white + black + draw + unfinished""",
     "{kind} {name}: {results} results of {games} games"),
    ("""SELECT match, games, wins + draws + losses AS ended FROM matches
        WHERE min(wins, draws, losses) < 0 OR wins + draws + losses > games""",
     "match {match}: {ended} results of {games} games"),
    ("""SELECT run, step, attempt, status FROM steps s WHERE status IN ('done', 'running') AND EXISTS (
            SELECT 1 FROM steps later WHERE later.run = s.run AND later.step = s.step
            AND later.attempt > s.attempt)""",
     "{run}, {step}: attempt {attempt} is {status}, but a later one follows"),
)


def findings(db, path):
    """A text for each thing that is wrong."""
    for row in db.execute("PRAGMA integrity_check"):
        if row[0] != "ok":
            yield f"{path}: {row[0]}"
    for _, _, text in broken_references(db):
        yield text
    for query, text in QUERIES:
        for row in db.execute(query):
            yield text.format(**row)
    yield from _wrong_elo(db)
    yield from _wrong_json(db)
    yield from _changed_files(db)
    yield from _changed_datasets(db)


def _wrong_elo(db):
    """elo_finite by the counts, and a generation's Elo by its parent's."""
    for row in db.execute("SELECT * FROM matches WHERE wins + draws + losses <= games "
                          "AND min(wins, draws, losses) >= 0"):
        expected = elo_finite(row["wins"], row["draws"], row["losses"])
        if abs(row["elo_finite"] - expected) > 1e-6 * max(1, abs(expected)):
            yield (f"match {row['match']}: elo_finite {row['elo_finite']:g}, expected {expected:g} by "
                   "its results")
    for row in db.execute("""
            SELECT g.generation, g.elo, p.elo + m.elo_finite AS expected FROM generations g
            JOIN generations p ON p.generation = g.parent JOIN matches m ON m.match = g.match
            WHERE abs(g.elo - p.elo - m.elo_finite) > 1e-6 * max(1, abs(g.elo))"""):
        yield (f"{row['generation']}: Elo {row['elo']:g}, expected {row['expected']:g} by its parent "
               "and its match")


def _wrong_json(db):
    for table in TABLES:
        columns = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
        for column in columns & {"json", "pentanomial"}:
            for row in db.execute(f"SELECT * FROM {table} WHERE {column} IS NOT NULL"):
                try:
                    json.loads(row[column])
                except ValueError as error:
                    yield f"{table} {row[0]}: {column}: {error}"


def _changed_files(db):
    for query in ("SELECT header AS file, header_sha256 AS sum FROM weights",
                  "SELECT command AS file, sha256 AS sum FROM builds"):
        for row in db.execute(query):
            if row["file"] and row["sum"] and Path(row["file"]).is_file():
                found = hashlib.sha256(Path(row["file"]).read_bytes()).hexdigest()
                if found != row["sum"]:
                    yield f"{row['file']}: sha256 {found}, expected {row['sum']}"


def _changed_datasets(db):
    """By their manifests; campmate-data verify reads the games."""
    for row in db.execute("SELECT dataset, path FROM datasets WHERE path IS NOT NULL"):
        manifest = Path(row["path"]) / "manifest.json"
        if not manifest.is_file():
            continue
        try:
            digest = json.loads(manifest.read_text(encoding="utf-8")).get("digest")
        except (ValueError, AttributeError) as error:
            yield f"{manifest}: {error}"
            continue
        if digest != row["dataset"]:
            yield f"{row['path']}: games with the digest {digest}, expected {row['dataset']}"
