#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""report_test.py PROGRAMS - scripts/report: what is in the page, runs it is made from, refusals."""

import html.parser
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fixture import SCRIPTS, ledger, make_ledger, replay, runs, tool
from training.history import elo_finite, write_state

PROGRAMS = Path(sys.argv.pop(1))
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Nesting(html.parser.HTMLParser):
    """Each end tag closes what was opened last."""

    def __init__(self):
        super().__init__()
        self.open, self.data, self.words = [], "", []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.is_data = dict(attributes).get("id") == "data"

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.data += text if self.is_data else ""
        elif self.open and self.open[-1] != "style":
            self.words.append(text)


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="campmate-report-test.")
        cls.directory = Path(cls.scratch.name)
        cls.ledger = make_ledger(PROGRAMS, cls.directory, ("shogun", "miniburmese"))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def report(self, *words, code=0):
        out = self.directory / "report.html"
        out.unlink(missing_ok=True)
        done = subprocess.run([str(SCRIPTS / "report"), *map(str, words), "--out", str(out)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        if code:
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertFalse(out.exists())
            return done.stderr
        self.assertEqual(done.stdout, f"{out}\n")
        page = Nesting()
        text = out.read_text(encoding="utf-8")
        page.feed(text)
        self.assertEqual(page.open, [])
        return text, json.loads(page.data), " ".join(" ".join(page.words).split())

    def with_ledger(self, *words, **options):
        return self.report("--ledger", self.ledger, "--tools", PROGRAMS, *words, **options)

    def test_all_runs(self):
        text, data, words = self.with_ledger()
        self.assertEqual([run["variant"] for run in data["runs"]], ["miniburmese", "shogun"])
        self.assertIn("2 training runs", words)
        self.assertEqual(text.count("<article"), 2)
        self.assertEqual(re.findall(r'(?:src|href)="(?!#|data:)', text), [])
        self.assertNotRegex(text, r"https?://(?!www\.w3\.org/)")
        self.assertNotRegex(text, r"@import|url\(")

    def test_one_run(self):
        for name in ("shogun", "shogun-0000abcd"):
            _, data, words = self.with_ledger("--run", name)
            self.assertEqual([run["variant"] for run in data["runs"]], ["shogun"])
        self.assertIn("+120 Elo above generation 0", words)
        self.assertIn("2 of 3 generations accepted", words)
        self.assertIn("2 rejected 0", words)
        for caption in ("Elo by generation", "Elo by core-hour", "Loss by generation",
                        "Loss and penalty by step", "Loss by number of games", "Calibration",
                        "Piece values", "Piece-square tables", "Pieces in hand",
                        "Positions that the last fit", "CPU time", "Weights of generation 3",
                        "Configuration"):
            self.assertIn(caption, words)

    def test_games(self):
        _, data, _ = self.with_ledger("--run", "shogun", "--games", 5)
        games = data["runs"][0]["games"]
        self.assertEqual(len(games), 5)
        self.assertEqual([game.get("white") for game in games],
                         [None, None, None, "gen01", "gen00"])
        self.assertGreater(len({game["reason"] for game in games[:3]}), 1)
        for game in games:
            self.assertEqual([said["fen"] for said in replay(PROGRAMS, "shogun", game)],
                             game["fens"])
        _, data, words = self.with_ledger("--run", "shogun", "--games", 0)
        self.assertEqual(data["runs"][0]["games"], [])
        self.assertIn("no longer there", words)

    def test_tables(self):
        _, data, _ = self.with_ledger("--run", "miniburmese", "--games", 1)
        header = (self.directory / "miniburmese/gen01/include/weights/miniburmese.h").read_text()
        rows = re.search(r"\.piece_square = \{\s+\[QUEEN\] = \{(.*?)\n        \}", header,
                         re.DOTALL)
        pairs = re.findall(r"S\( *(-?\d+), *(-?\d+)\)", rows.group(1))
        queen = data["runs"][0]["tables"][0]
        self.assertEqual(queen["piece"], "Q")
        self.assertEqual(queen["middlegame"], [int(pair[0]) for pair in pairs])
        self.assertEqual(queen["endgame"], [int(pair[1]) for pair in pairs])
        self.assertEqual(data["variants"]["miniburmese"]["shape"][0], "********")
        self.assertEqual("".join(data["variants"]["miniburmese"]["shape"]).count("."), 40)

    def test_data_is_gone(self):
        """A ledger on another machine: no games, no header; the figures are there."""
        path = self.directory / "elsewhere.sqlite"
        with ledger.Writer(path) as book:
            book.add([
                {"table": "runs", "run": "far-00000001", "name": "far", "variant": "sittuyin",
                 "seed": 1, "configuration": "<b>&", "directory": "/nowhere/far",
                 "commit_id": "0", "began": "2026-11-30T06:00:00Z"},
                {"table": "datasets", "dataset": "ab", "variant": "sittuyin", "games": 10,
                 "plies": 100, "path": "/nowhere/far/gen01/data"},
                {"table": "generations", "generation": "far-00000001/gen01", "run": "far-00000001",
                 "number": 1, "dataset": "ab"}])
        text, data, words = self.report("--ledger", path)
        self.assertIn("no longer there", words)
        self.assertIn("unfinished", words)
        self.assertIn("&lt;b&gt;&amp;", text)
        self.assertEqual(data["runs"][0]["tables"], [])

    def test_what_there_is_nothing_to_draw_of(self):
        """A run without generations, as of a cluster alone; a fit that began at its optimum."""
        path = self.directory / "small.sqlite"

        def write(curve, seconds):
            run = {"run": "near-00000001"}
            with ledger.Writer(path) as book:
                book.add([
                    {"table": "runs", **run, "name": "near", "variant": "shogun", "seed": 1,
                     "configuration": "", "commit_id": "0", "began": "2026-11-30T06:00:00Z"},
                    {"table": "steps", **run, "step": "tune", "attempt": 1, "kind": "tune",
                     "status": "done", "began": "2026-11-30T06:00:00Z", "cpu_seconds": seconds},
                    *([{"table": "generations", "generation": "near-00000001/gen01", **run,
                        "number": 1, "fit": "near-00000001/gen01", "dataset": "cd"},
                       {"table": "datasets", "dataset": "cd", "variant": "shogun", "games": 10,
                        "plies": 100},
                       {"table": "fits", "fit": "near-00000001/gen01", **run, "positions": 9,
                        "loss_before": 0.7, "loss_train": 0.6, "json": {"curve": curve}}]
                      if curve else [])])
            return self.report("--ledger", path)[2]

        write([], 1.0)
        caption = "Loss and penalty by step of the fit"
        for curve, is_there in ([0.7, 0.65, 0.6], True), ([0.56960882, 0.56960881], False), \
                ([0.5] * 9, False):
            self.assertEqual(caption in write(curve, 1.0), is_there, curve)
        for seconds, text in (3.0, "tune 3.0 s"), (12.0, "tune 12 s"), (90.0, "tune 1.5 min"), \
                (9000.0, "tune 2.5 h"):
            self.assertIn(text, write([0.5], seconds))

    def test_directory(self):
        """What scripts/train leaves, with and without the lines of the ledger."""
        directory = self.directory / "shogun"
        header = {"path": "gen01/include/weights/shogun.h", "sha256": "0"}
        build = {"weights_digest": "d0", "bench": 5, "commit": "0123456789ab", "compiler": "cc",
                 "level": "x86-64", "sha256": "1", "program": "gen01/bin/campmate"}
        match = {"wins": 3, "draws": 0, "losses": 1, "games": 4, "elo": 190.8, "elo_error": 300.0,
                 "verdict": "H1", "accepted": True, "against": "gen00"}
        state = {"run": "shogun-00000001", "commit": "0123456789ab", "began": "2026-11-30T06:00:00Z",
                 "config": "[train]\nvariant = shogun\nseed = 1\npreset = release\n",
                 "steps": {name: {"result": result, "seconds": 9.0, "cpu_seconds": 18.0}
                           for name, result in (
                               ("gen00 weights", {"header": header, "start": "zero"}),
                               ("gen00 build", build), ("gen01 match", match),
                               ("gen01 tune", {"prior": "zero", "datasets": [], "options": "",
                                               "weights_digest": "d1", "header": header}),
                               ("gen01 build", {**build, "weights_digest": "d1"}))},
                 "attempts": {"gen01 match": [{"status": "done", "began": "2026-11-30T06:00:00Z",
                                               "seconds": 9.0, "cpu_seconds": 18.0}]}}
        path = directory / "state.json"
        write_state(directory, state)
        _, data, words = self.report("--run-dir", directory, "--tools", PROGRAMS)
        self.assertEqual(data["runs"][0]["variant"], "shogun")
        self.assertIn(f"{elo_finite(3, 0, 1):+.0f} Elo above generation 0", words)
        self.assertIn("1 of 1 generations accepted", words)
        path.write_text(path.read_text().replace('"wins": 3', '"wins": 4'))
        self.assertIn("damaged or changed", self.report("--run-dir", directory, code=1))
        path.write_text("[")
        self.assertIn("state.json", self.report("--run-dir", directory, code=1))
        path.unlink()
        self.assertIn("no run of scripts/train", self.report("--run-dir", directory, code=1))
        (directory / "ledger.jsonl").write_text(ledger.lines([
            {"table": "runs", "run": "x-00000001", "name": "x", "variant": "shogun", "seed": 1,
             "configuration": "", "commit_id": "0", "began": "2026-11-30T06:00:00Z"}]))
        self.assertIn("x-00000001", self.report("--run-dir", directory)[2])
        (directory / "ledger.jsonl").unlink()

    def write_to(self, out):
        return subprocess.run([str(SCRIPTS / "report"), "--ledger", str(self.ledger), "--games", "0",
                               "--out", str(out)], capture_output=True, text=True, check=False)

    def test_what_a_page_may_replace(self):
        before = self.ledger.read_bytes()
        done = self.write_to(self.ledger)
        self.assertEqual(done.returncode, 2)
        self.assertIn("that is the ledger", done.stderr)
        self.assertEqual(self.ledger.read_bytes(), before)
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)
        done = self.write_to(pipe)
        self.assertEqual(done.returncode, 1)
        self.assertIn("found something else", done.stderr)
        self.assertTrue(pipe.is_fifo())
        page, link = self.directory / "page.html", self.directory / "link.html"
        self.assertEqual(self.write_to(page).returncode, 0)
        page.write_text(page.read_text().replace("<title>", "<title>old "))
        link.symlink_to(page)
        self.assertEqual(self.write_to(link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertNotIn("<title>old ", page.read_text())
        # No other file is replaced, nor a name taken that the ledger or the run uses.
        for name, content in (("notes.html", "<!doctype html>\nmine"), ("state.json", "{}"),
                              (self.ledger.name + "-wal", None), (self.ledger.name + ".lock", None),
                              ("shogun/state.json", None)):
            path = self.directory / name
            if content:
                path.write_text(content)
            there = path.read_bytes() if path.exists() else None
            done = self.write_to(path)
            self.assertEqual(done.returncode, 2, name)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(f"--out {path}: ", done.stderr)
            self.assertEqual(path.read_bytes() if path.exists() else None, there)
        self.assertEqual(self.write_to("").returncode, 2)

    def test_a_game_that_is_not_here(self):
        """After a look at another branch, say: the other runs are shown."""
        path = self.directory / "other.sqlite"
        shutil.copy(self.ledger, path)
        db = sqlite3.connect(path)
        db.execute("UPDATE runs SET variant = '../x' WHERE variant = 'shogun'")
        db.commit()
        text = self.report("--ledger", path, "--tools", PROGRAMS)[0]
        self.assertIn("Mini", text)
        db.execute("UPDATE runs SET variant = 'gone'")
        db.commit()
        db.close()
        done = subprocess.run([str(SCRIPTS / "report"), "--ledger", str(path), "--out",
                               str(self.directory / "none.html")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no game 'gone' here", done.stderr)
        self.assertIn("no run of a game that is known here", done.stderr)

    def test_a_ledger_that_says_nonsense(self):
        path = self.directory / "nonsense.sqlite"
        shutil.copy(self.ledger, path)
        for text, said in (("{", "json: "), ("[1]", "found list, expected an object"),
                           ("[" * 100000, "json: "), ('{"curve": 5}', "cannot be drawn"),
                           ('{"calibration": [1]}', "cannot be drawn"),
                           ('{"loss_train": 9e999}', "cannot be drawn"),
                           ('{"skipped": [1]}', "cannot be drawn")):
            db = sqlite3.connect(path)
            db.execute("UPDATE fits SET json = ?", (text,))
            db.commit()
            db.close()
            error = self.report("--ledger", path, "--games", "0", code=1)
            self.assertIn(said, error)
            self.assertEqual(error.count("\n"), 1, error)
        # Pipes and devices never end.
        shutil.copy(self.ledger, path)
        os.mkfifo(self.directory / "games.pgn")
        db = sqlite3.connect(path)
        db.execute("UPDATE matches SET pgn = ?", (str(self.directory / "games.pgn"),))
        db.execute("UPDATE weights SET header = '/dev/zero'")
        db.execute("UPDATE datasets SET path = '/dev/zero'")
        db.commit()
        db.close()
        self.report("--ledger", path, "--games", "4")
        damaged = path.read_bytes()
        path.write_bytes(damaged[:4096] + b"\xff" * (len(damaged) - 4096))
        error = self.report("--ledger", path, "--games", "0", code=1)
        self.assertIn("nonsense.sqlite: ", error)
        self.assertEqual(error.count("\n"), 1, error)

    def test_the_last_ratings(self):
        """Those of the last generation, also where its number has a digit more."""
        path = self.directory / "ratings.sqlite"
        run = {"run": "many-00000001"}
        with ledger.Writer(path) as book:
            book.add([
                {"table": "runs", **run, "name": "many", "variant": "shogun", "seed": 1,
                 "configuration": "", "commit_id": "0", "began": "2026-11-30T06:00:00Z"},
                {"table": "builds", "build": "many-00000001/gen01", **run, "kind": "campmate"},
                {"table": "generations", "generation": "many-00000001/gen01", **run, "number": 1,
                 "build": "many-00000001/gen01"},
                *({"table": "ratings", **run, "pool": pool, "build": "many-00000001/gen01", "elo": elo}
                  for pool, elo in (("gen99", 5.0), ("gen100", 7.0)))])
        (found,) = runs.from_ledger(path)
        self.assertEqual(found.ratings, {1: (7.0, None)})

    def test_refusals(self):
        self.assertIn("no ledger there", self.report("--ledger", "/nowhere.sqlite", code=1))
        self.assertIn("no run 'nine'; there are: ", self.with_ledger("--run", "nine", code=1))
        self.assertIn("no campmate-data in /nowhere", self.report(
            "--ledger", self.ledger, "--tools", "/nowhere", code=1))
        self.assertIn("--games", self.with_ledger("--games", -1, code=2))
        self.assertIn("--bogus", self.report("--bogus", code=2))
        self.assertIn("not with them", self.report("--run-dir", "x", "--run", "y", code=2))
        out = subprocess.run([str(SCRIPTS / "report"), "--ledger", str(self.ledger), "--games", "0",
                              "--out", "/nowhere/page.html"], capture_output=True, text=True)
        self.assertEqual(out.returncode, 1)
        self.assertIn("/nowhere/page.html", out.stderr)
        out = subprocess.run([str(SCRIPTS / "report"), "--help"], capture_output=True, text=True)
        self.assertEqual(out.returncode, 0)
        self.assertIn("--run-dir", out.stdout)


if __name__ == "__main__":
    unittest.main()
