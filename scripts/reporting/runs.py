# SPDX-License-Identifier: GPL-3.0-or-later
"""runs.py - training runs as a report needs them, from the ledger or from a run's directory.

    for run in runs.from_ledger(path, names): ...
    run = runs.from_directory(path)

Numbers of datasets, fits and matches are kept as the tools print them with --json.
"""

import contextlib
import json
import re
import sqlite3
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from training import ledger
from training.errors import StepFailed
from training.history import read_state
from training.records import records


class RunError(Exception):
    """The message for the user."""


@dataclass
class Generation:
    number: int
    parent: int | None = None
    accepted: bool | None = None        # None: not decided yet
    elo: float | None = None            # above generation 0
    core_hours: float = 0.0             # of the run, up to here
    dataset: dict = field(default_factory=dict)   # of its own games: campmate-data stat
    data: Path | None = None            # where they are
    fit: dict = field(default_factory=dict)       # campmate-tune
    match: dict = field(default_factory=dict)     # campmate-match, against the parent
    pgn: Path | None = None
    header: Path | None = None
    weights: str | None = None          # digest
    bench: int | None = None

    @property
    def name(self):
        return f"gen{self.number:02d}"


@dataclass
class Run:
    key: str
    variant: str
    commit: str
    configuration: str
    directory: Path | None
    began: str | None = None
    ended: str | None = None            # None: unfinished
    best: int | None = None
    generations: list = field(default_factory=list)
    steps: list = field(default_factory=list)     # (kind, CPU seconds, wall seconds)
    others: list = field(default_factory=list)    # matches that decide nothing: (name, match)
    ratings: dict = field(default_factory=dict)   # generation -> (elo, error)

    def generation(self, number):
        return next((each for each in self.generations if each.number == number), None)

    @property
    def newest(self):
        """The best generation; while there is none, the last one that has weights."""
        best = self.generation(self.best) if self.best else None
        fitted = [each for each in self.generations if each.header]
        return best or (fitted[-1] if fitted else None)


# --- from the ledger ---------------------------------------------------------------------------


def from_ledger(path, names=()):
    """The runs of those keys or names, all without any; the oldest first."""
    try:
        with contextlib.closing(ledger.connect(path)) as db:
            rows = db.execute("SELECT * FROM runs ORDER BY began, run").fetchall()
            for name in names:
                if not any(name in (row["run"], row["name"]) for row in rows):
                    known = ", ".join(row["run"] for row in rows) or "none"
                    raise RunError(f"{path}: no run '{name}'; there are: {known}")
            return [_ledger_run(db, row) for row in rows
                    if not names or row["run"] in names or row["name"] in names]
    except ledger.LedgerError as error:
        raise RunError(str(error)) from None
    except sqlite3.Error as error:
        raise RunError(f"{path}: {error}") from None


def _ledger_run(db, row):
    directory = Path(row["directory"]) if row["directory"] else None
    run = Run(row["run"], row["variant"], row["commit_id"], row["configuration"], directory,
              row["began"], row["ended"], _number(row["best"]))
    for each in db.execute("""
            SELECT g.*, p.core_hours, d.path AS data, d.json AS dataset_json, d.games, d.plies,
                d.bytes, d.white, d.black, d.draw, d.unfinished, w.header, f.json AS fit_json,
                f.positions, f.k, f.loss_before, f.loss_train, f.loss_validation, f.loss_test,
                f.iterations, f.gap_bound, m.games AS match_games, m.wins, m.draws, m.losses,
                m.elo AS match_elo, m.elo_error, m.llr, m.verdict, m.pgn, b.bench
            FROM generations g JOIN progress p USING (generation)
            LEFT JOIN datasets d USING (dataset) LEFT JOIN fits f ON f.fit = g.fit
            LEFT JOIN weights w ON w.weights = g.weights LEFT JOIN builds b ON b.build = g.build
            LEFT JOIN matches m ON m.match = g.match
            WHERE g.run = ? ORDER BY g.number""", (run.key,)):
        dataset, match = {}, {}
        if each["games"] is not None:
            dataset = {"games": each["games"], "plies": each["plies"], "bytes": each["bytes"],
                       "results": {key: each[key] or 0 for key in
                                   ("white", "draw", "black", "unfinished")},
                       "digest": each["dataset"],
                       **_json(each["dataset_json"], f"datasets {each['dataset']}")}
        fit = {key: each[key] for key in
               ("positions", "k", "loss_before", "loss_train", "loss_validation", "loss_test",
                "iterations", "gap_bound")} if each["fit"] else {}
        if each["match"]:
            match = {"games": each["match_games"], "elo": each["match_elo"],
                     **{key: each[key] for key in
                        ("wins", "draws", "losses", "elo_error", "llr", "verdict")}}
        accepted = each["accepted"]
        generation = Generation(
            each["number"], _number(each["parent"]), None if accepted is None else bool(accepted),
            each["elo"], each["core_hours"] or 0.0, dataset, _file(directory, each["data"]),
            {**fit, **_json(each["fit_json"], f"fits {each['fit']}")}, match,
            _file(directory, each["pgn"], only_file=True),
            _file(directory, each["header"], only_file=True), each["weights"], each["bench"])
        generation.header = _header(directory, generation.name) or generation.header
        run.generations.append(generation)
    run.steps = [tuple(step) for step in db.execute(
        "SELECT kind, coalesce(cpu_seconds, 0), coalesce(wall_seconds, 0) FROM steps "
        "WHERE run = ?", (run.key,))]
    for match in db.execute("SELECT * FROM matches WHERE run = ? AND kind <> 'gate' "
                            "ORDER BY generation, match", (run.key,)):
        run.others.append((match["match"].partition("/")[2], dict(match)))
    for rating in db.execute("""
            SELECT build, elo, elo_error FROM ratings WHERE run = ?1 AND pool = (SELECT pool
                FROM ratings WHERE run = ?1 ORDER BY length(pool) DESC, pool DESC LIMIT 1)""",
                             (run.key,)):  # gen100 is after gen99
        number = _number(rating["build"])
        if number is not None:
            run.ratings[number] = (rating["elo"], rating["elo_error"])
    return run


def _number(key):
    """RUN/gen07 -> 7"""
    found = re.search(r"/gen(\d+)$", key or "")
    return int(found.group(1)) if found else None


def _json(text, where):
    """The object in a column `json`; what it says goes before what the other columns say."""
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise RunError(f"{where}: json: {error}") from None
    if not isinstance(found, dict):
        raise RunError(f"{where}: json: found {type(found).__name__}, expected an object")
    return found


def _file(directory, name, only_file=False):
    """A path that the ledger names, if it is still there: no device or pipe, which never ends."""
    if not name:
        return None
    for path in (Path(name), *([directory / name] if directory else [])):
        with contextlib.suppress(OSError, ValueError):  # too long, say
            if path.is_file() or (path.is_dir() and not only_file):
                return path
    return None


def _header(directory, name):
    found = sorted(path for path in directory.glob(f"{name}/include/weights/*.h")
                   if path.is_file()) if directory else []
    return found[0] if found else None


# --- from a directory --------------------------------------------------------------------------


def from_directory(directory):
    """A run of scripts/train by its own files: without the ledger, or ahead of it."""
    directory = Path(directory).resolve()
    lines = directory / "ledger.jsonl"
    try:
        with tempfile.TemporaryDirectory(prefix="campmate-report.") as scratch:
            path = Path(scratch) / "ledger.sqlite"
            with ledger.Writer(path) as book:
                if lines.exists():
                    book.load([lines])
                else:
                    book.add(records(directory, _state(directory)))
            found = from_ledger(path)
    except (ledger.LedgerError, StepFailed) as error:
        raise RunError(str(error)) from None
    if len(found) != 1:
        raise RunError(f"{lines}: {len(found)} runs in it, expected one")
    found[0].directory = directory
    return found[0]


def _state(directory):
    state = read_state(directory)
    if state is None:
        raise RunError(f"{directory}: no run of scripts/train there "
                       "(neither ledger.jsonl nor state.json)")
    return state
