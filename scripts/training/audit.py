# SPDX-License-Identifier: GPL-3.0-or-later
"""audit.py - does a ledger hold together, and are the files that it names as they were?

    for text in audit.findings(db, path): ...

What docs/ledger.md and schema.sql say of the tables, row by row. A file that is gone is no finding.
"""

import contextlib
import hashlib
import json
from pathlib import Path

from .history import elo_finite
from .ledger import TABLES, broken_references

STEP_KINDS = ("tools", "weights", "build", "book", "self-play", "tune", "match", "gauntlet",
              "rating", "material")
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
    ("SELECT run, step, attempt FROM steps WHERE attempt < 1",
     "{run}, {step}: attempt {attempt}, expected 1 and more"),
    ("""SELECT run, step, attempt, cpu_seconds, wall_seconds FROM steps
        WHERE min(coalesce(cpu_seconds, 0), coalesce(wall_seconds, 0)) < 0
        OR max(coalesce(cpu_seconds, 0), coalesce(wall_seconds, 0)) > 1e15""",
     "{run}, {step}, attempt {attempt}: {cpu_seconds} CPU seconds, {wall_seconds} by the clock"),
    (f"SELECT run, step, kind FROM steps WHERE kind NOT IN ({', '.join(map(repr, STEP_KINDS))})",
     "{run}, {step}: kind {kind}, expected one of " + ", ".join(STEP_KINDS)),
    ("SELECT run, began, ended FROM runs WHERE ended < began",
     "{run}: ended {ended}, before {began}"),
    ("""SELECT run FROM runs r WHERE best IS NULL AND ended IS NOT NULL AND EXISTS (
            SELECT 1 FROM generations g WHERE g.run = r.run AND g.accepted = 1)""",
     "{run}: no best, though generations were accepted"),
    ("""SELECT generation FROM generations
        WHERE number > 0 AND parent IS NULL AND accepted IS NOT NULL""",
     "{generation}: no parent, though it was decided"),
    ("SELECT generation, parent FROM generations WHERE number = 0 AND parent IS NOT NULL",
     "{generation}: the first one, but its parent is {parent}"),
    *(("SELECT generation FROM generations WHERE accepted = 1 AND number > 0 AND "
       f"{column} IS NULL", "{generation}: accepted without " + column)
      for column in ("elo", "weights", "fit", "dataset", "match")),
    ("""SELECT g.generation, g.installed, b.bench FROM generations g JOIN builds b USING (build)
        WHERE g.installed NOT LIKE '%-' || b.bench""",
     "{generation}: installed as {installed}, but its build's bench is {bench}"),
    ("SELECT weights FROM weights WHERE source = 'fit' AND fit IS NULL",
     "weights {weights}: made by a fit, but by none that is named"),
    ("""SELECT fit FROM fits f WHERE weights IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM fit_datasets u WHERE u.fit = f.fit)""", "fit {fit}: of no dataset"),
    ("""SELECT g.generation, later.generation AS other, u.dataset FROM generations g
        JOIN fit_datasets u USING (fit) JOIN generations later ON later.run = g.run
        AND later.dataset = u.dataset AND later.number > g.number
        WHERE NOT EXISTS (SELECT 1 FROM generations own WHERE own.run = g.run
            AND own.dataset = u.dataset AND own.number <= g.number)""",
     "{generation}: fitted to dataset {dataset} of the later {other}"),
    ("""SELECT match, elo, wins, losses FROM matches
        WHERE (wins > losses AND elo < 0) OR (wins < losses AND elo > 0)""",
     "match {match}: Elo {elo}, but {wins} won and {losses} lost"),
    ("""SELECT match, verdict, llr, llr_lower, llr_upper FROM matches
        WHERE (verdict = 'H1' AND llr < llr_upper - 1e-6)
        OR (verdict = 'H0' AND llr > llr_lower + 1e-6) OR (verdict = 'inconclusive'
            AND (llr < llr_lower - 1e-6 OR llr > llr_upper + 1e-6))""",
     "match {match}: verdict {verdict}, but LLR {llr} between {llr_lower} and {llr_upper}"),
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
    yield from _wrong_pairs(db)
    yield from _changed_files(db)
    yield from _changed_datasets(db)


def _wrong_elo(db):
    """elo_finite by the counts, and a generation's Elo by its parent's."""
    for row in db.execute("SELECT * FROM matches WHERE wins + draws + losses <= games "
                          "AND min(wins, draws, losses) >= 0"):
        try:
            expected = elo_finite(row["wins"], row["draws"], row["losses"])
        except (ArithmeticError, ValueError):
            yield f"match {row['match']}: counts that no match can have"
            continue
        if not abs(row["elo_finite"] - expected) <= 1e-6 * max(1, abs(expected)):
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
                except (ValueError, RecursionError) as error:
                    yield f"{table} {row[0]}: {column}: {error}"


def _wrong_pairs(db):
    """pentanomial: five counts of pairs, which are no more games than were played, and whose points
    are those of the results."""
    for row in db.execute("SELECT * FROM matches WHERE pentanomial IS NOT NULL"):
        with contextlib.suppress(ValueError, RecursionError):  # no JSON: said already
            pairs = json.loads(row["pentanomial"])
            if not (isinstance(pairs, list) and len(pairs) == 5 and
                    all(type(count) is int and count >= 0 for count in pairs)):
                yield (f"match {row['match']}: pentanomial {row['pentanomial'][:60]}, expected five "
                       "counts of pairs")
                continue
            # A half pair at the end counts in none; unfinished games are half a point.
            single = row["games"] - 2 * sum(pairs)
            points = sum(half * count for half, count in enumerate(pairs)) / 2
            scored = row["wins"] + (row["games"] - row["wins"] - row["losses"]) / 2
            if single < 0 or not 0 <= scored - points <= single:
                yield (f"match {row['match']}: pentanomial {row['pentanomial']} of {row['games']} games "
                       f"with {row['wins']} won, {row['draws']} drawn, {row['losses']} lost")


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
        except (ValueError, AttributeError, RecursionError) as error:
            yield f"{manifest}: {error}"
            continue
        if digest != row["dataset"]:
            yield f"{row['path']}: games with the digest {digest}, expected {row['dataset']}"
