#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""ledger_test.py - scripts/ledger: loading, refusals, one writer, checks; and that docs/ledger.md
describes the schema that is there.

    ledger_test.py scripts/ledger
"""

import fcntl
import hashlib
import json
import math
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(sys.argv.pop(1)).resolve()
REPO = SCRIPT.parent.parent

ELO = -400 * math.log10(1 / (8.5 / 11) - 1)  # of 8 to 2, with half a game more for each

RUN = {"table": "runs", "run": "a-00000001", "name": "a", "variant": "shogun", "seed": 1,
       "configuration": "[train]\n", "commit_id": "abc", "began": "2026-11-30T06:20:00Z"}
STEP = {"table": "steps", "run": "a-00000001", "step": "gen01 self-play task 000003", "attempt": 1,
        "kind": "self-play", "status": "done", "began": "2026-11-30T06:20:00Z",
        "commit_id": "abc", "compiler": "cc 1", "cpu_seconds": 3600.0, "wall_seconds": 1800.0,
        "generation": "a-00000001/gen01"}
DATA = {"table": "datasets", "dataset": "d1", "variant": "shogun", "games": 30, "plies": 900,
        "weights": "w0"}
SHARD = {"table": "shards", "shard": "s1", "variant": "shogun", "games": 30, "plies": 900,
         "weights": "w0", "run": "a-00000001"}
LINK = {"table": "dataset_shards", "dataset": "d1", "number": 0, "shard": "s1"}
FIT = {"table": "fits", "fit": "a-00000001/gen01", "run": "a-00000001", "weights": "w1",
       "prior": "w0", "positions": 500}
USED = {"table": "fit_datasets", "fit": "a-00000001/gen01", "dataset": "d1", "number": 0}
WEIGHTS = {"table": "weights", "weights": "w1", "variant": "shogun", "source": "fit",
           "fit": "a-00000001/gen01"}
BUILDS = [{"table": "builds", "build": f"a-00000001/gen0{n}", "run": "a-00000001",
           "kind": "campmate", "bench": 10 + n} for n in (0, 1)]
MATCH = {"table": "matches", "match": "a-00000001/gen01", "run": "a-00000001", "kind": "gate",
         "first": "a-00000001/gen01", "second": "a-00000001/gen00", "games": 10, "wins": 8,
         "draws": 0, "losses": 2, "elo_finite": ELO, "verdict": "H1",
         "pentanomial": [0, 0, 2, 0, 3]}
FIRST = {"table": "generations", "generation": "a-00000001/gen00", "run": "a-00000001",
         "number": 0, "accepted": 1, "elo": 0.0}
SECOND = {"table": "generations", "generation": "a-00000001/gen01", "run": "a-00000001",
          "number": 1, "parent": "a-00000001/gen00", "dataset": "d1", "fit": "a-00000001/gen01",
          "weights": "w1", "match": "a-00000001/gen01", "accepted": 1, "elo": ELO}
# Children before their parents: the order of lines is free.
ALL = [SECOND, FIRST, STEP, LINK, SHARD, DATA, USED, FIT, WEIGHTS, MATCH, *BUILDS, RUN]


class LedgerTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = Path(self.temporary.name)
        self.database = self.root / "ledger.sqlite"

    def tearDown(self):
        self.temporary.cleanup()

    def ledger(self, command, *words):
        return subprocess.run([sys.executable, str(SCRIPT), command, "--ledger",
                               str(self.database), *map(str, words)], capture_output=True,
                              text=True, timeout=60, check=False)

    def file(self, records, name="lines.jsonl", end=""):
        path = self.root / name
        path.write_text("".join(json.dumps({"ledger": 1, **record}) + "\n"
                                for record in records) + end)
        return path

    def load(self, records, *words, code=0):
        result = self.ledger("load", self.file(records), *words)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def query(self, sql):
        database = sqlite3.connect(self.database)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def dump(self):
        database = sqlite3.connect(self.database)
        try:
            return list(database.iterdump())
        finally:
            database.close()

    def test_load_is_idempotent(self):
        self.assertEqual(self.load(ALL).stdout, "13 new, 0 changed, 0 unchanged\n")
        first = self.dump()
        self.assertEqual(self.load(ALL).stdout, "0 new, 0 changed, 13 unchanged\n")
        self.assertEqual(self.load(reversed(ALL)).stdout, "0 new, 0 changed, 13 unchanged\n")
        self.assertEqual(self.dump(), first)
        self.assertEqual(self.query("PRAGMA journal_mode"), [("wal",)])
        self.assertEqual(self.query("PRAGMA user_version"), [(1,)])
        # The weights that only the dataset names have a row.
        self.assertEqual(self.query("SELECT weights, source FROM weights ORDER BY 1"),
                         [("w0", None), ("w1", "fit")])
        self.assertEqual(self.query("SELECT pentanomial FROM matches"), [("[0,0,2,0,3]",)])

    def test_what_replaces_what(self):
        running = {**STEP, "status": "running", "cpu_seconds": None, "wall_seconds": None}
        self.load([running if record is STEP else record for record in ALL])
        self.assertEqual(self.query("SELECT status, cpu_seconds FROM steps"), [("running", None)])
        self.assertIn("1 changed", self.load([STEP]).stdout)
        self.assertIn("0 changed", self.load([running]).stdout)  # an old copy of the file
        self.assertEqual(self.query("SELECT status, cpu_seconds FROM steps"), [("done", 3600.0)])
        self.load([{**SECOND, "accepted": None}])
        self.assertEqual(self.query("SELECT accepted FROM generations WHERE number = 1"), [(1,)])
        self.load([{**DATA, "path": "here"}])
        self.load([{**DATA, "path": "there"}])
        self.assertEqual(self.query("SELECT path FROM datasets"), [("here",)])

    def test_all_or_nothing(self):
        self.load(ALL)
        before = self.dump()
        other = {**RUN, "run": "b-00000001"}
        cases = [
            ([other, {**SHARD, "shard": "s2", "run": "c"}], "lines.jsonl:2: shards s2: run 'c' is "
             "not in runs"),
            ([other, {**SECOND, "generation": "x", "parent": "y"}], "parent 'y' is not in "
             "generations"),
            ([other, {"table": "steppes"}], "lines.jsonl:2: table \"steppes\", expected one of"),
            ([other, {**RUN, "colour": 1}], "lines.jsonl:2: runs has no column \"colour\""),
            ([other, {"table": "runs", "name": "x"}], "runs needs a value of \"run\""),
            ([other, {"table": "runs", "run": "x"}], "lines.jsonl:2: runs: NOT NULL"),
            ([other, {**STEP, "status": "perhaps"}], "lines.jsonl:2: steps: CHECK"),
            ([other, {**DATA, "games": "many", "dataset": "d2"}], "lines.jsonl:2: datasets: "),
            ([other, {**RUN, "ledger": 2}], "lines.jsonl:2: \"ledger\" is 2, expected 1"),
            ([other, {**RUN, "table": ["runs"]}], "lines.jsonl:2: table [\"runs\"], expected one of"),
            ([other, {**RUN, "run": "c", "seed": 10 ** 30}], "lines.jsonl:2: runs: "),
            ([other, {**RUN, "run": "\ud800"}], "lines.jsonl:2: runs: "),
        ]
        for records, part in cases:
            with self.subTest(part=part):
                result = self.load(records, code=1)
                self.assertIn(part, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1)
                self.assertEqual(self.dump(), before)
        for text, part in (("nonsense\n", "lines.jsonl:1: not JSON"),
                           ("[" * 100000 + "\n", "lines.jsonl:1: not JSON"),
                           ("[1]\n", "lines.jsonl:1: found list, expected an object"),
                           (b"\xff\n", "not UTF-8")):
            path = self.root / "lines.jsonl"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            result = self.ledger("load", path)
            self.assertEqual(result.returncode, 1)
            self.assertIn(part, result.stderr)
        self.assertIn("No such file", self.ledger("load", self.root / "nowhere").stderr)
        self.assertIn("/dev/zero: not a regular file", self.ledger("load", "/dev/zero").stderr)

    def test_mark_at_the_beginning(self):
        path = self.file([RUN])
        path.write_text("\ufeff" + path.read_text())
        self.assertEqual(self.ledger("load", path).returncode, 0)

    def test_line_that_is_still_being_written(self):
        path = self.file([RUN], end='{"ledger":1,"table":"steps","run"')
        result = self.ledger("load", path)
        self.assertEqual((result.returncode, result.stdout),
                         (0, "1 new, 0 changed, 0 unchanged\n"))

    def test_one_writer(self):
        self.load([RUN])
        with open(f"{self.database}.lock", "a+", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            result = self.load([RUN], "--wait", "0.2", code=1)
            self.assertIn("still being written by process", result.stderr)
            self.assertIn("one writer at a time", result.stderr)
            # Who reads does not wait.
            self.assertEqual(self.ledger("show").returncode, 0)
        self.load([RUN], "--wait", "0.2")

    def test_other_databases(self):
        self.database.write_text("no database at all, but long enough to be taken for one" * 9)
        self.assertIn("not a database", self.load([RUN], code=1).stderr)
        self.database.unlink()
        other = sqlite3.connect(self.database)
        other.execute("CREATE TABLE precious (x)")
        other.commit()
        other.close()
        self.assertIn("not a ledger of Campmate", self.load([RUN], code=1).stderr)
        self.assertEqual(self.query("SELECT name FROM sqlite_master"), [("precious",)])
        self.database.unlink()
        self.assertIn("no ledger there", self.ledger("show").stderr)
        self.load([RUN])
        newer = sqlite3.connect(self.database)
        newer.execute("PRAGMA user_version = 99")
        newer.close()
        for result in (self.load([RUN], code=1), self.ledger("show")):
            self.assertIn("schema version 99, this program knows 1", result.stderr)

    def test_check(self):
        header, program = self.root / "w.h", self.root / "campmate"
        header.write_text("weights")
        program.write_text("program")
        self.load([*ALL, {**WEIGHTS, "header": str(header),
                          "header_sha256": hashlib.sha256(b"weights").hexdigest()},
                   {**BUILDS[1], "command": str(program),
                    "sha256": hashlib.sha256(b"program").hexdigest()}])
        result = self.ledger("check")
        self.assertEqual((result.returncode, result.stdout[:4]), (0, "ok: "), result.stdout)
        header.write_text("other weights")
        result = self.ledger("check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("w.h: sha256", result.stdout)
        header.unlink()
        program.unlink()  # gone is not wrong
        games = self.root / "games"
        games.mkdir()
        (games / "manifest.json").write_text('{"digest": "d1"}')
        self.load([{**DATA, "path": str(games)}])
        self.assertEqual(self.ledger("check").returncode, 0)
        (games / "manifest.json").write_text('{"digest": "d2"}')
        self.assertIn("games with the digest d2, expected d1", self.ledger("check").stdout)
        shutil.rmtree(games)
        self.load([{**MATCH, "verdict": "H0"}, {**LINK, "number": 1, "shard": "s2"},
                   {**SHARD, "shard": "s2"}])
        result = self.ledger("check", "--json")
        found = json.loads(result.stdout)
        self.assertFalse(found["ok"])
        self.assertEqual(len(found["errors"]), 2, found)
        self.assertIn("accepted with the verdict H0", found["errors"][0])
        self.assertIn("shards hold 60 games", found["errors"][1])

    def test_what_does_not_hold_together(self):
        second = {**STEP, "attempt": 2}
        first = {**FIRST, "weights": "w0", "build": "a-00000001/gen00"}
        builds = [{**each, "weights": weights} for each, weights in zip(BUILDS, ("w0", "w1"))]
        other = [{**RUN, "run": "b-00000001"},
                 {**FIRST, "generation": "b-00000001/gen00", "run": "b-00000001"}]
        sound = [first, {**SECOND, "build": "a-00000001/gen01"}, STEP, LINK, SHARD, DATA, USED, FIT,
                 WEIGHTS, MATCH, *builds, {**RUN, "best": "a-00000001/gen01"}]
        self.load(sound)
        self.assertEqual(self.ledger("check").returncode, 0, self.ledger("check").stdout)
        cases = (
            ([{**SECOND, "accepted": 0}], "gen01: rejected with the verdict H1"),
            ([*other, {**SECOND, "parent": "b-00000001/gen00"}], "gen01: its parent b-00000001/gen00 is"),
            ([{**FIRST, "accepted": 0}], "gen01: its parent a-00000001/gen00 is no accepted"),
            ([{**MATCH, "second": "a-00000001/gen01"}], "expected the gate against a-00000001/gen00"),
            ([{**RUN, "best": "a-00000001/gen00"}], "best is a-00000001/gen00, expected its last"),
            ([{**SECOND, "weights": "w0"}], "gen01: weights w0, but its fit made w1"),
            ([{**builds[1], "weights": "w0"}], "gen01: weights w1, but its build has w0"),
            ([{**FIRST, "weights": "w1"}], "gen01: its games were played by w0, expected those"),
            ([{**DATA, "white": 9, "black": 9, "draw": 1, "unfinished": 1}],
             "dataset d1: 20 results of 30 games"),
            ([{**SHARD, "white": 9, "black": 9, "draw": 1, "unfinished": 1}],
             "shard s1: 20 results of 30 games"),
            ([{**MATCH, "wins": 9}], "match a-00000001/gen01: 11 results of 10 games"),
            ([{**MATCH, "elo_finite": 200.0}], "elo_finite 200, expected 212.592"),
            ([{**SECOND, "elo": 3.0}], "gen01: Elo 3, expected 212.592"),
            ([second], "attempt 1 is done, but a later one follows"),
            ([{**FIT, "json": "{"}], "fits a-00000001/gen01: json: "),
            ([{**FIT, "json": "[" * 100000}], "fits a-00000001/gen01: json: "),
            ([{**STEP, "attempt": 0}], "attempt 0, expected 1 and more"),
            ([{**STEP, "cpu_seconds": -1.0}], "attempt 1: -1.0 CPU seconds"),
            ([{**STEP, "kind": "dance"}], "kind dance, expected one of tools, weights"),
            ([{**RUN, "ended": "2025-01-01T00:00:00Z"}], "ended 2025-01-01T00:00:00Z, before 2026"),
            ([{**FIRST, "parent": "a-00000001/gen01"}], "gen00: the first one, but its parent is"),
            ([{**SECOND, "installed": "shogun-g01-12"}], "shogun-g01-12, but its build's bench is 11"),
            ([{**WEIGHTS, "weights": "w2", "fit": None}], "weights w2: made by a fit, but by none"),
            ([{**FIT, "fit": "a-00000001/fit"}], "fit a-00000001/fit: of no dataset"),
            ([{**MATCH, "elo": -3.0}], "Elo -3.0, but 8 won and 2 lost"),
            ([{**MATCH, "llr": 1.0, "llr_lower": -2.9, "llr_upper": 2.9}],
             "verdict H1, but LLR 1.0 between -2.9 and 2.9"),
            ([{**MATCH, "pentanomial": [0, 0, 2, 0]}], "pentanomial [0,0,2,0], expected five"),
            ([{**MATCH, "pentanomial": {"a": 1}}], "pentanomial {\"a\":1}, expected five"),
            ([{**MATCH, "pentanomial": [0, 0, 2, 0, 4]}], "[0,0,2,0,4] of 10 games with 8 won"),
            ([{**MATCH, "pentanomial": [0, 0, 3, 0, 2]}], "[0,0,3,0,2] of 10 games with 8 won"),
            ([{**MATCH, "wins": 2**62, "losses": 0, "games": 2**62}], "counts that no match can have"),
        )
        for records, part in cases:
            with self.subTest(part=part):
                self.database.unlink()
                self.load(sound)
                self.load(records)
                result = self.ledger("check")
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertIn(part, result.stdout)
        for sql, part in (
                ("UPDATE generations SET elo = NULL WHERE number = 1", "accepted without elo"),
                ("UPDATE generations SET weights = NULL WHERE number = 1", "accepted without weights"),
                ("UPDATE generations SET fit = NULL WHERE number = 1", "accepted without fit"),
                ("UPDATE generations SET dataset = NULL WHERE number = 1", "accepted without dataset"),
                ("UPDATE generations SET parent = NULL WHERE number = 1", "gen01: no parent"),
                ("UPDATE runs SET best = NULL, ended = '2026-12-01T00:00:00Z'", "a-00000001: no best"),
                ("UPDATE generations SET dataset = CASE number WHEN 1 THEN 'd1' END; INSERT INTO "
                 "generations (generation, run, number, dataset, parent) SELECT 'x', run, 2, 'd2', "
                 "generation FROM generations WHERE number = 1; INSERT INTO datasets (dataset, "
                 "variant, games, plies) VALUES ('d2', 'shogun', 1, 1); INSERT INTO fit_datasets "
                 "VALUES ('a-00000001/gen01', 1, 'd2')", "fitted to dataset d2 of the later x"),
                ("UPDATE matches SET elo_finite = 9e999", "elo_finite inf, expected 212.592"),
                ("UPDATE steps SET cpu_seconds = 9e999", "attempt 1: inf CPU seconds")):
            with self.subTest(sql=sql):
                self.database.unlink()
                self.load(sound)
                database = sqlite3.connect(self.database)
                database.executescript(sql)
                database.close()
                result = self.ledger("check")
                self.assertEqual((result.returncode, result.stderr), (1, ""))
                self.assertIn(part, result.stdout)

    def test_numbers_that_are_none(self):
        for text in ("NaN", "Infinity", "-Infinity", "1e999", "[-1e999]"):
            path = self.file([])
            path.write_text(json.dumps({"ledger": 1, **STEP, "cpu_seconds": 5.25}).replace("5.25", text)
                            + "\n")
            result = self.ledger("load", path)
            self.assertEqual(result.returncode, 1, text)
            self.assertIn("lines.jsonl:1: not JSON: found ", result.stderr)
            self.assertIn("expected a finite number", result.stderr)

    def test_broken_reference_of_a_key_in_other_words(self):
        for attempt in ("2", 2.0):
            result = self.load([RUN, {**STEP, "attempt": attempt, "generation": "nowhere"}], code=1)
            self.assertIn("lines.jsonl:2: steps ", result.stderr)

    def test_closed_output(self):
        self.load(ALL)
        for words in ("ledger show", "ledger check", "ledger --help", "report --help", "train --help",
                      "ledger --version"):
            script, *rest = words.split()
            more = f"--ledger '{self.database}'" if "--" not in words else ""
            result = subprocess.run(f"{sys.executable} {SCRIPT.parent / script} {' '.join(rest)} {more} "
                                    ">&-", shell=True, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 1, words)
            self.assertEqual(result.stderr, f"scripts/{script}: cannot write standard output: Bad file "
                             "descriptor\n")

    def test_show(self):
        self.load(ALL)
        text = self.ledger("show").stdout
        self.assertRegex(text, r"a-00000001 +shogun .* 1 +1 +unfinished")
        text = self.ledger("show", "a").stdout
        self.assertRegex(text, r"\n +1 +0 +30 +900 +500 .*\+8 =0 -2 +H1 +accepted +213 +1\.000 +w1")
        rows = json.loads(self.ledger("show", "a", "--json").stdout)
        self.assertEqual([row["elo"] for row in rows["generations"]], [0.0, ELO])
        self.load([{**RUN, "run": "a-00000002"}])
        result = self.ledger("show", "a")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'a' is one of a-00000001, a-00000002", result.stderr)
        self.assertEqual(self.ledger("show", "b").returncode, 2)

    def test_usage(self):
        for words in ((), ("dance",), ("load",), ("show", "--bogus")):
            done = subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for words in (("--help",), ("load", "--help")):
            self.assertEqual(subprocess.run([sys.executable, str(SCRIPT), *words], check=False,
                                            capture_output=True).returncode, 0)

    def test_documentation(self):
        """Each table is in docs/ledger.md, and what the page names in code exists."""
        page = (REPO / "docs" / "ledger.md").read_text()
        schema = (REPO / "scripts" / "training" / "schema.sql").read_text()
        tables = re.findall(r"^CREATE (?:TABLE|VIEW) (\w+)", schema, re.MULTILINE)
        self.assertEqual(len(tables), 13)
        for table in tables:
            self.assertIn(f"`{table}`", page)
        for table, column in re.findall(r"`(\w+)\.(\w+)`", page):
            if table in tables:
                columns = schema.split(f"TABLE {table} (")[1].split("STRICT")[0]
                self.assertRegex(columns, rf"\b{column} ")


if __name__ == "__main__":
    unittest.main()
