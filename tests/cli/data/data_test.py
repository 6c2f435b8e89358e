#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""data_test.py - what campmate-data promises, seen from the command line.

    data_test.py PATH/campmate-data PATH/make_games [unittest arguments]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
MAKE_GAMES = ""
COMMANDS = ["stat", "verify", "show", "export", "book", "import", "merge", "filter", "split",
            "dedup", "sample", "rescore", "salvage", "bench"]


def run(*arguments, **options):
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([PROGRAM, *map(str, arguments)], stderr=subprocess.PIPE, text=True,
                          timeout=120, **options)


def make_games(directory, shard, first, count, plies=40, seed=1, *more):
    return subprocess.run([MAKE_GAMES, directory, *map(str, (shard, first, count, plies, seed)),
                           *more], stderr=subprocess.PIPE, text=True, timeout=120)


class DataTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.data = self.path("data")
        self.assertEqual(make_games(self.data, 0, 0, 70).returncode, 0)
        self.assertEqual(make_games(self.data, 1, 70, 30).returncode, 0)

    def tearDown(self):
        self.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def done(self, *arguments, code=0):
        """Runs a command that has to end with `code` (None: with any)."""
        result = run(*arguments)
        self.assertIn(result.returncode, (code,) if code is not None else range(256),
                      result.stderr + result.stdout)
        return result

    def as_json(self, *arguments, code=0):
        return json.loads(self.done(*arguments, "--json", code=code).stdout)

    def assert_usage(self, *arguments, word):
        result = run(*arguments)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn(word, result.stderr)


class CommandLine(DataTest):
    def test_help(self):
        text = self.done("--help").stdout
        for command in COMMANDS:
            self.assertIn(command, text)
            self.assertIn("campmate-data " + command, self.done(command, "--help").stdout)
        self.assertIn("campmate-data", self.done("--version").stdout)

    def test_usage(self):
        self.assert_usage("nonsense", word="stat, verify, show, export, book, import, merge")
        self.assert_usage(word="stat, verify")
        for command in COMMANDS:
            self.assert_usage(command, "--frobnicate", word="--frobnicate")
        self.assert_usage("stat", word="PATH")
        self.assert_usage("verify", word="PATH")
        self.assert_usage("bench", word="PATH")
        self.assert_usage("show", self.data, word="--game")
        self.assert_usage("show", word="paths")
        self.assert_usage("export", self.data, word="--format")
        self.assert_usage("export", self.data, "--format", "xml", word="jsonl, pgn, fen or plain")
        self.assert_usage("merge", self.data, word="--out")
        self.assert_usage("book", "--out", "x", word="--variant")
        self.assert_usage("book", "--variant", "mansindam", word="--out")
        self.assert_usage("book", "--variant", "mansindan", "--out", "x", word="mansindam")
        self.assert_usage("book", "--variant", "mansindam", "--out", "x", "--plies", "8-4",
                          word="--plies")
        self.assertFalse(os.path.exists("x"))

    def test_a_path_that_is_not_there(self):
        for command in (["stat"], ["verify"], ["export", "--format", "fen"]):
            result = self.done(*command, self.path("nowhere"), code=1)
            self.assertIn("nowhere", result.stderr + result.stdout)  # for verify it is a finding
        os.mkdir(self.path("empty"))
        self.assertIn("no shard", self.done("stat", self.path("empty"), code=1).stderr)

    def test_dry_run(self):
        text = self.done("stat", "--dry-run", self.data).stdout
        self.assertIn("threads = 0", text)
        self.assertIn("100 games", text)

    def test_full_disk_at_standard_output(self):
        with open("/dev/full", "w") as full:
            for command in (["stat"], ["export", "--format", "fen"]):
                result = run(*command, self.data, stdout=full)
                self.assertEqual(result.returncode, 1)
                self.assertIn("No space left", result.stderr)


class Bench(DataTest):
    def test_rates(self):
        bench = self.as_json("bench", self.data, "--rounds", "2")
        self.assertEqual(bench["plies"], self.as_json("stat", self.data)["plies"])
        self.assertGreater(bench["slowest"], 0)
        self.assertLessEqual(bench["slowest"], bench["plies_per_second"])
        self.assertLessEqual(bench["plies_per_second"], bench["fastest"])
        self.assertIn("plies a CPU second", self.done("bench", self.data).stdout)


class Stat(DataTest):
    def test_keys(self):
        stat = self.as_json("stat", self.data)
        self.assertEqual(stat["variant"], "mansindam")
        self.assertEqual(stat["games"], 100)
        self.assertEqual(sum(stat["results"].values()), 100)
        self.assertEqual(set(stat["results"]), {"white", "black", "draw", "unfinished"})
        self.assertEqual(stat["results"]["draw"], 0)
        self.assertEqual(sum(stat["reasons"].values()), 100)
        size = sum(os.path.getsize(os.path.join(self.data, name))
                   for name in os.listdir(self.data))
        self.assertEqual(stat["bytes"], size)
        self.assertAlmostEqual(stat["bytes_per_ply"], size / stat["plies"])
        self.assertRegex(stat["digest"], "^[0-9a-f]{32}$")
        for threads in (1, 2):
            self.assertEqual(self.as_json("stat", self.data, "--threads", threads), stat)
        self.assertIn("100", self.done("stat", self.data).stdout)

    def test_several_paths(self):
        other = self.path("other")
        make_games(other, 0, 0, 10, 40, 1, "other-run")
        one, two = self.as_json("stat", self.data), self.as_json("stat", other)
        both = self.as_json("stat", self.data, other)
        self.assertEqual(both["games"], 110)
        self.assertEqual(both["plies"], one["plies"] + two["plies"])
        self.assertNotIn(both["digest"], (one["digest"], two["digest"]))
        # The first ten games are there twice.
        self.assertGreater(both["repeat_share"], 0.05)
        self.assertLess(one["repeat_share"], 0.05)


class Verify(DataTest):
    def test_good(self):
        verdict = self.as_json("verify", self.data)
        self.assertEqual((verdict["ok"], verdict["shards"], verdict["games"], verdict["errors"]),
                         (True, 2, 100, []))
        self.assertFalse(verdict["manifest"])
        self.done("merge", "--out", self.data)
        self.assertTrue(self.as_json("verify", self.data)["manifest"])
        self.assertIn("ok", self.done("verify", os.path.join(self.data, "000001.cmpd")).stdout)

    def test_damage(self):
        path = os.path.join(self.data, "000000.cmpd")
        with open(path, "r+b") as stream:
            stream.seek(2000)
            byte = stream.read(1)[0]
            stream.seek(2000)
            stream.write(bytes([byte ^ 1]))
        verdict = self.as_json("verify", self.data, code=1)
        self.assertFalse(verdict["ok"])
        self.assertEqual(verdict["games"], 30)  # those of the other shard
        self.assertEqual(len(verdict["errors"]), 1)
        self.assertIn(path, verdict["errors"][0])
        self.assertIn("byte ", verdict["errors"][0])
        self.assertEqual(run("stat", self.data).returncode, 1)

    def test_cut(self):
        path = os.path.join(self.data, "000000.cmpd")
        os.truncate(path, os.path.getsize(path) - 1)
        verdict = self.as_json("verify", self.data, code=1)
        self.assertIn("000000.cmpd", verdict["errors"][0])

    def test_an_end_that_is_none(self):
        wrong = self.path("wrong")
        make_games(wrong, 0, 0, 5, 12, 3, "wrong-end")
        verdict = self.as_json("verify", wrong, code=1)
        self.assertEqual(len(verdict["errors"]), 1)
        self.assertIn("game 0", verdict["errors"][0])
        self.assertIn("mate", verdict["errors"][0])

    def test_stale_manifest(self):
        self.done("merge", "--out", self.data)
        make_games(self.data, 2, 500, 5)
        verdict = self.as_json("verify", self.data, code=1)
        self.assertIn("manifest.json", verdict["errors"][0])
        self.done("merge", "--out", self.data)
        self.assertTrue(self.as_json("verify", self.data)["ok"])

    def test_manifest_in_another_layout(self):
        """What counts is what it says."""
        self.done("merge", "--out", self.data)
        path = os.path.join(self.data, "manifest.json")
        with open(path) as stream:
            text = stream.read()
        manifest = json.loads(text)
        self.assertEqual(text, json.dumps(manifest, indent=2, sort_keys=True) + "\n")

        def verdict_on(value):
            with open(path, "w") as stream:
                json.dump(value, stream)
            return self.as_json("verify", self.data, code=None)

        with open(path, "w") as stream:  # one digit is another
            stream.write(text.replace('"games": 100,', '"games": 101,', 1))
        self.assertIn('"games"', self.as_json("verify", self.data, code=1)["errors"][0])
        self.assertTrue(verdict_on(manifest)["ok"])
        for change, word in (({"games": 99}, '"games"'),
                             ({"shards": manifest["shards"][:1]}, "shard"),
                             ({"shards": manifest["shards"] * 2}, '"shards"'),
                             ({"shards": [manifest["shards"][0], {}]}, "entry 1")):
            verdict = verdict_on({**manifest, **change})
            self.assertFalse(verdict["ok"])
            self.assertIn(word, verdict["errors"][0])

    @unittest.skipUnless(shutil.which("zstd"), "no zstd program")
    def test_zstd_agrees(self):
        for name in ("000000.cmpd", "000001.cmpd"):
            path = os.path.join(self.data, name)
            self.assertEqual(subprocess.run(["zstd", "-qt", path]).returncode, 0)


class ShowAndExport(DataTest):
    def test_show(self):
        text = self.done("show", self.data, "--game", 75).stdout
        self.assertIn("game 75", text)
        game = self.as_json("show", self.data, "--game", 75, "--ply", 0)
        self.assertEqual(game["number"], 75)
        self.assertEqual(game["fen"], game["start"])
        later = self.as_json("show", self.data, "--game", 75, "--ply", 2)
        self.assertEqual(later["fen"], later["fens"][2])
        self.assertEqual(later["fens"][0], later["start"])
        self.assertEqual(len(later["fens"]), len(later["moves"].split()) + 1)
        self.assertEqual(len(later["san"]), len(later["moves"].split()))
        self.assertIn(f" {later['san'][1]} ", text)
        self.assertIn("no game 100", self.done("show", self.data, "--game", 100, code=1).stderr)
        self.assertIn("--ply", self.done("show", self.data, "--game", 1, "--ply", 999,
                                         code=1).stderr)

    def test_jsonl(self):
        lines = self.done("export", self.data, "--format", "jsonl").stdout.splitlines()
        games = [json.loads(line) for line in lines]
        self.assertEqual([game["number"] for game in games], list(range(100)))
        for game in games:
            self.assertEqual(len(game["moves"].split()), len(game["scores"]))
            self.assertEqual(len(game["flags"]), len(game["scores"]))
            self.assertIn(game["result"], ("*", "1-0", "0-1"))
        plies = self.as_json("stat", self.data)["plies"]
        self.assertEqual(sum(len(game["scores"]) for game in games), plies)

    def test_fen_and_pgn(self):
        out = self.path("games.txt")
        self.done("export", self.data, "--format", "fen", "--out", out)
        with open(out) as stream:
            lines = stream.read().splitlines()
        self.assertEqual(len(lines), self.as_json("stat", self.data)["plies"])
        fen, result, score = lines[0].split(";")
        self.assertEqual(len(fen.split()), 6)
        self.assertIn(result, ("*", "1-0", "0-1"))
        text = self.done("export", self.data, "--format", "pgn").stdout
        self.assertEqual(text.count("[Variant \"Mansindam\"]"), 100)
        self.assertEqual(text.count("[Termination "), 100)

    def test_device_as_file(self):
        result = run("export", self.data, "--format", "fen", "--out", "/dev/full")
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)
        self.assertTrue(os.path.exists("/dev/full"))


class Book(DataTest):
    BOOK = ["book", "--variant", "mansindam", "--count", 300, "--plies", "4-8", "--seed", 9]

    def read(self, path):
        with open(path) as stream:
            return stream.read()

    def test_random(self):
        one, two, other = self.path("1.epd"), self.path("2.epd"), self.path("3.epd")
        self.done(*self.BOOK, "--threads", 1, "--out", one)
        self.done(*self.BOOK, "--threads", 2, "--out", two)
        self.done(*self.BOOK[:-1], 10, "--out", other)
        self.assertEqual(self.read(one), self.read(two))
        self.assertNotEqual(self.read(one), self.read(other))
        lines = self.read(one).splitlines()
        self.assertIn("--seed 9", "".join(line for line in lines if line[0] == "#"))
        positions = [line.rsplit(" ", 2)[0] for line in lines if line[0] != "#"]
        self.assertEqual(len(positions), 300)
        self.assertEqual(len(set(positions)), 300)

    def test_balanced(self):
        one, two = self.path("1.epd"), self.path("2.epd")
        more = ["--nodes", 200, "--max-score", 400, "--hash", 1]
        self.done(*self.BOOK[:3], "--count", 20, *self.BOOK[5:], *more, "--threads", 1, "--out",
                  one)
        self.done(*self.BOOK[:3], "--count", 20, *self.BOOK[5:], *more, "--threads", 2, "--out",
                  two)
        self.assertEqual(self.read(one), self.read(two))

    def test_from_data(self):
        out = self.path("1.epd")
        self.done("book", "--data", self.data, "--count", 50, "--plies", "10", "--seed", 1,
                  "--out", out)
        lines = [line for line in self.read(out).splitlines() if line[0] != "#"]
        self.assertEqual(len(lines), 50)

    def test_the_shipped_book(self):
        path = os.path.join(os.path.dirname(__file__), "../../../data/openings/mansindam.epd")
        lines = [line for line in self.read(path).splitlines() if line[0] != "#"]
        self.assertEqual(len(lines), 1000)
        self.assertEqual(len({line.rsplit(" ", 2)[0] for line in lines}), 1000)

    def test_too_many(self):
        out = self.path("1.epd")
        result = self.done("book", "--variant", "mansindam", "--count", 100, "--plies", 1,
                           "--seed", 1, "--out", out, code=1)
        self.assertIn("of 100 positions", result.stderr)
        self.assertFalse(os.path.exists(out))


class Merge(DataTest):
    def test_merge(self):
        other, out = self.path("other"), self.path("out")
        make_games(other, 0, 1000, 10)
        merged = self.as_json("merge", "--out", out, self.data, other)
        self.assertEqual((merged["shards"], merged["games"]), (3, 110))
        self.assertTrue(self.as_json("verify", out)["ok"])
        self.assertEqual(self.as_json("stat", out)["digest"], merged["digest"])
        with open(os.path.join(out, "manifest.json")) as stream:
            manifest = json.load(stream)
        self.assertEqual(manifest["games"], 110)
        self.assertEqual([shard["first_game"] for shard in manifest["shards"]], [0, 70, 1000])
        self.assertEqual(manifest["digest"], merged["digest"])
        # Once more: nothing to do, nothing changed; what a killed one left of the manifest goes.
        with open(os.path.join(out, "manifest.json.tmp.7.0"), "w"):
            pass
        self.assertEqual(self.as_json("merge", "--out", out, self.data, other), merged)
        self.assertEqual(sorted(os.listdir(out)), ["000000.cmpd", "000001.cmpd", "000002.cmpd",
                                                   "manifest.json"])
        # Links are the same files, whatever they are called.
        os.link(os.path.join(out, "000002.cmpd"), self.path("another.cmpd"))
        self.assertEqual(self.as_json("merge", "--out", out, self.path("another.cmpd")), merged)

    def test_overlap(self):
        other, out = self.path("other"), self.path("out")
        make_games(other, 0, 99, 10, 40, 1, "other-run")
        result = self.done("merge", "--out", out, self.data, other, code=1)
        self.assertIn("overlap", result.stderr)
        self.assertFalse(os.path.exists(out))
        # One that was there stays.
        os.mkdir(out)
        self.done("merge", "--out", out, self.data, other, code=1)
        self.assertEqual(os.listdir(out), [])


class Twice(DataTest):
    """Games must not count twice because a path is named twice."""

    COMMANDS = (["stat"], ["verify"], ["export", "--format", "fen"], ["merge", "--out"])

    def assert_refused(self, word, *paths):
        for command in self.COMMANDS:
            more = [self.path("merged")] if command[-1] == "--out" else []
            result = self.done(*command, *more, *paths, code=1)
            self.assertIn(word, result.stderr)
            self.assertEqual(result.stdout, "")
        self.assertFalse(os.path.exists(self.path("merged")))

    def test_the_same_directory_or_file(self):
        link = self.path("link")
        os.symlink(self.data, link)
        shard = os.path.join(self.data, "000001.cmpd")
        for second in (self.data, self.data + "/.", link, shard):
            self.assert_refused("same shard", self.data, second)
        hard = self.path("000009.cmpd")
        os.link(shard, hard)
        self.assert_refused("same shard", self.data, hard)

    def test_a_copy(self):
        copy = self.path("copy")
        shutil.copytree(self.data, copy)
        self.assert_refused("same games of one run", self.data, copy)

    def test_other_runs_may_overlap(self):
        other = self.path("other")
        make_games(other, 0, 99, 10, 40, 1, "other-run")
        self.assertEqual(self.as_json("stat", self.data, other)["games"], 110)


def can_mount():
    test = "mount -t tmpfs -o size=64k none /mnt"
    return shutil.which("unshare") and os.geteuid() == 0 and subprocess.run(
        ["unshare", "-m", "sh", "-c", test], stderr=subprocess.DEVNULL).returncode == 0


class FullDisk(DataTest):
    @unittest.skipUnless(can_mount(), "cannot mount a small file system here")
    def test_finished_blocks_are_kept(self):
        script = ('mount -t tmpfs -o size=64k none "$1"; "$2" "$1" 0 0 100000 60 1; code=$?; '
                  'ls "$1"; exit $code')
        os.mkdir(self.path("small"))
        result = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", self.path("small"),
                                 MAKE_GAMES], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, timeout=120)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)
        self.assertIn("000000.cmpd", result.stderr)  # the path is named
        self.assertEqual(result.stdout.split(), ["000000.partial"])


if __name__ == "__main__":
    PROGRAM, MAKE_GAMES = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
