#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools_test.py - campmate-data filter, split, dedup and sample.

    tools_test.py PATH/campmate-data PATH/make_games [unittest arguments]
"""

import json
import os
import signal
import subprocess
import time

import tools
from tools import ToolTest, tree


class Filter(ToolTest):
    def kept(self, *conditions):
        out = self.path("out" + str(len(os.listdir(self.scratch.name))))
        summary = self.as_json("filter", "--out", out, *conditions, self.data)
        self.assertEqual(self.verified(out)["games"], summary["games"])
        self.assertEqual(summary["read"], summary["games"] + summary["dropped"])
        return self.games(out)

    def test_conditions(self):
        every = self.games(self.data)

        def check(condition, *options):
            expected = [game for game in every if condition(game)]
            self.assertTrue(0 < len(expected) < len(every), options)
            self.assertEqual(self.kept(*options), expected)

        check(lambda g: g["result"] in ("1-0", "0-1"), "--results", "white,black")
        check(lambda g: g["result"] == "*", "--results", "unfinished")
        reasons = sorted({game["reason"] for game in every})
        self.assertGreater(len(reasons), 1)
        for reason in reasons:
            check(lambda g, r=reason: g["reason"] == r, "--reasons", reason)
        check(lambda g: len(g["moves"].split()) >= 41, "--min-plies", 41)
        check(lambda g: len(g["moves"].split()) <= 40, "--max-plies", 40)
        check(lambda g: 20 <= g["number"] <= 99, "--first-game", 20, "--last-game", 99)

        def first_score(game):
            return next((s for s in game["scores"] if s is not None), None)

        check(lambda g: first_score(g) is not None and abs(first_score(g)) <= 200,
              "--max-start-score", 200)
        check(lambda g: g["result"] == "*" and g["number"] < 50,
              "--results", "unfinished", "--last-game", 49)

    def test_threads_do_not_matter(self):
        outs = [self.path(f"t{threads}") for threads in (1, 2, 3)]
        for threads, out in zip((1, 2, 3), outs):
            self.done("filter", "--out", out, "--max-plies", 99, "--threads", threads, self.data)
        self.assertEqual(tree(outs[0]), tree(outs[1]))
        self.assertEqual(tree(outs[0]), tree(outs[2]))
        self.assertEqual(set(tree(outs[0])), {"000000.cmpd", "000003.cmpd", "manifest.json"})

    def test_nothing_left(self):
        result = self.done("filter", "--out", self.path("out"), "--results", "draw", self.data,
                           code=1)
        self.assertIn("none of 200 games", result.stderr)
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertEqual(self.leftovers(), [])

    def test_existing_output(self):
        before = tree(self.data)
        for command in (["filter"], ["split"], ["dedup"]):
            for out in (self.data, self.path("data", "000000.cmpd")):
                result = self.done(*command, "--out", out, self.data, code=1)
                self.assertIn(out, result.stderr)
        self.assertEqual(tree(self.data), before)
        os.mkdir(self.path("empty"))
        self.done("filter", "--out", self.path("empty"), self.data)
        self.verified(self.path("empty"))

    def test_damaged_input(self):
        path = self.path("data", "000003.cmpd")
        with open(path, "r+b") as file:
            file.seek(2000)
            byte = file.read(1)[0]
            file.seek(2000)
            file.write(bytes([byte ^ 4]))
        for command in (["filter"], ["split"], ["dedup"]):
            result = self.done(*command, "--out", self.path("out"), self.data, code=1)
            self.assertIn("000003.cmpd: byte ", result.stderr)
            self.assertFalse(os.path.exists(self.path("out")))
        self.assertEqual(self.leftovers(), [])

    def test_several_paths(self):
        other = self.path("other")
        self.make(other, 0, 0, 50, 40, 2)
        out = self.path("out")
        result = self.done("filter", "--out", out, self.data, other, code=1)
        self.assertIn("--renumber", result.stderr)
        self.done("filter", "--out", out, "--renumber", self.data, other)
        self.verified(out)
        games = self.games(out)
        self.assertEqual([game["number"] for game in games], list(range(250)))
        self.assertEqual([game["moves"] for game in games],
                         [game["moves"] for game in self.games(self.data) + self.games(other)])
        shogun = self.path("shogun")
        self.make(shogun, 0, 1000, 5, 40, 2, "shogun")
        result = self.done("filter", "--out", self.path("mixed"), self.data, shogun, code=1)
        self.assertIn("shogun", result.stderr)

    def test_games_are_not_counted_twice(self):
        out = self.path("out")
        self.done("filter", "--out", out, "--max-plies", 99, self.data)
        self.assertIn("count twice", self.done("stat", self.data, out, code=1).stderr)
        with open(os.path.join(out, "manifest.json")) as file:
            self.assertIn("derived = filter max-plies=99\n", json.load(file)["configuration"])

    def test_usage(self):
        out = self.path("out")
        self.assert_usage("filter", "--out", out, word="PATH")
        self.assert_usage("filter", self.data, word="--out")
        for option, value, word in (("--reasons", "mate,boredom", "boredom"),
                                    ("--results", "win", "win"), ("--results", "", "--results"),
                                    ("--min-plies", "-1", "--min-plies"),
                                    ("--max-start-score", "x", "--max-start-score")):
            self.assert_usage("filter", "--out", out, option, value, self.data, word=word)
        self.assert_usage("filter", "--out", out, "--min-plies", 5, "--max-plies", 4, self.data,
                          word="--max-plies")
        text = self.done("filter", "--out", out, "--dry-run", self.data).stdout
        self.assertIn("200 games", text)
        self.assertFalse(os.path.exists(out))


class Split(ToolTest):
    def test_parts(self):
        out = self.path("out")
        summary = self.as_json("split", "--out", out, "--seed", 7, self.data)
        self.assertEqual(summary["seed"], 7)
        seen = {}
        for part in ("train", "validation", "test"):
            self.verified(self.path("out", part))
            for game in self.games(self.path("out", part)):
                self.assertNotIn(game["number"], seen)
                seen[game["number"]] = (part, game)
        self.assertEqual([seen[number][1] for number in sorted(seen)], self.games(self.data))
        self.assertTrue(120 < summary["parts"]["train"]["games"] < 190, summary)

        # A game goes its way whatever else is there, and whatever the number of threads.
        few = self.path("few")
        self.done("split", "--out", few, "--seed", 7, "--threads", 3,
                  self.path("data", "000003.cmpd"))
        for part in ("train", "validation", "test"):
            self.assertEqual(tree(os.path.join(few, part))["000003.cmpd"],
                             tree(self.path("out", part))["000003.cmpd"])
        self.done("split", "--out", self.path("other"), "--seed", 8, self.data)
        self.assertNotEqual(tree(self.path("other")), tree(out))
        self.done("stat", *[self.path("out", part) for part in ("train", "validation", "test")])
        self.assertIn("count twice",
                      self.done("stat", self.path("out", "train"), self.path("other", "test"),
                                code=1).stderr)

    def test_other_parts(self):
        out = self.path("out")
        self.done("split", "--out", out, "--parts", "a=1,b=1", self.data)
        self.assertEqual(sorted(os.listdir(out)), ["a", "b"])
        self.assertTrue(60 < self.verified(self.path("out", "a"))["games"] < 140)
        one = self.path("one")
        self.done("split", "--out", one, "--parts", "a=1,rare=1000000", "--seed", 1, self.data)
        self.assertEqual(self.verified(self.path("one", "a"))["games"], 0)
        self.assertEqual(self.games(self.path("one", "rare")), self.games(self.data))

    def test_usage(self):
        out = self.path("out")
        self.assert_usage("split", "--out", out, word="PATH")
        self.assert_usage("split", self.data, word="--out")
        for parts in ("", "a", "a=0", "a=-1", "a=1,", "a=1,a=2", "../a=1", "a=1x", "=1", ".=1",
                      "a=99999999999999999999", ",".join(f"p{i}=1" for i in range(17))):
            self.assert_usage("split", "--out", out, "--parts", parts, self.data, word="--parts")
        self.assertFalse(os.path.exists(out))


class Dedup(ToolTest):
    def test_moves(self):
        again = self.path("again")
        self.make(again, 0, 0, 70, 40, 1, "other-run")
        out = self.path("out")
        summary = self.as_json("dedup", "--out", out, "--renumber", self.data, again)
        self.assertEqual((summary["read"], summary["games"], summary["dropped"]), (270, 200, 70))
        self.assertAlmostEqual(summary["dropped_share"], 70 / 270)
        self.verified(out)
        self.assertEqual(self.games(out), self.games(self.data))
        for threads in (1, 3):
            other = self.path(f"t{threads}")
            self.done("dedup", "--out", other, "--renumber", "--threads", threads, self.data,
                      again)
            self.assertEqual(tree(other), tree(out))

    def test_position(self):
        """Games are the same if their positions after the ply are, and the first stays."""
        out = self.path("out")
        summary = self.as_json("dedup", "--out", out, "--by", "position", "--from-ply", 1,
                               self.data)
        first = {}
        positions = self.done("export", "--format", "fen", self.data).stdout.splitlines()
        at = 0
        for game in self.games(self.data):
            board = positions[at + 1].split(";")[0].split()[:-2]  # without its counters
            first.setdefault(" ".join(board), game)
            at += len(game["moves"].split())
        expected = sorted(first.values(), key=lambda game: game["number"])
        self.assertEqual(self.games(out), expected)
        self.assertGreater(summary["dropped"], 5)
        self.verified(out)
        start = self.as_json("dedup", "--out", self.path("start"), "--by", "position",
                             "--from-ply", 0, self.data)
        self.assertEqual(start["games"], len({game["start"].rsplit(" ", 2)[0]
                                              for game in self.games(self.data)}))

    def test_rule_key(self):
        """Case B13: one position in two orders of its hand and with two counters is one."""
        fen = self.games(self.data)[0]["start"]
        board, rest = fen.split(" ", 1)
        counters = rest.rsplit(" ", 1)[0] + " 9"
        lines = [f"{fen};1-0;10", f"{board} {counters};1-0;12"]
        bare = board.split("[")[0]
        for hand in ("[PN]", "[NP]"):
            lines.append(f"{bare}{hand} {rest};0-1;5")
        with open(self.path("lines"), "w") as file:
            file.write("\n".join(lines) + "\n")
        self.done("import", "--variant", "mansindam", "--format", "lines", "--out",
                  self.path("imported"), self.path("lines"))
        self.assertEqual(len(self.games(self.path("imported"))), 4)
        for by in ("moves", "position"):
            out = self.path("by-" + by)
            summary = self.as_json("dedup", "--out", out, "--by", by, "--from-ply", 0,
                                   self.path("imported"))
            self.assertEqual(summary["games"], 2)
            self.assertEqual([game["final_score"] for game in self.games(out)], [10, 5])

    def test_usage(self):
        out = self.path("out")
        self.assert_usage("dedup", "--out", out, word="PATH")
        self.assert_usage("dedup", self.data, word="--out")
        self.assert_usage("dedup", "--out", out, "--by", "feeling", self.data, word="feeling")
        self.assert_usage("dedup", "--out", out, "--from-ply", "x", self.data, word="--from-ply")
        self.assertFalse(os.path.exists(out))


class Sample(ToolTest):
    def test_lines(self):
        every = self.done("export", "--format", "fen", self.data).stdout.splitlines()
        out = self.path("sample.txt")
        summary = self.as_json("sample", "--count", 300, "--seed", 5, "--out", out, self.data)
        with open(out) as file:
            lines = file.read().splitlines()
        self.assertEqual((summary["positions"], summary["of"], summary["seed"]),
                         (300, len(every), 5))
        # Each of the dataset's lines at most once, in their order.
        rest = iter(every)
        self.assertTrue(all(line in rest for line in lines))
        self.assertEqual(len(lines), 300)
        same = self.done("sample", "--count", 300, "--seed", 5, self.data)
        self.assertEqual(same.stdout.splitlines(), lines)
        self.assertIn("seed 5", same.stderr)
        self.assertNotEqual(self.done("sample", "--count", 300, "--seed", 6, self.data).stdout,
                            same.stdout)
        fens = self.done("sample", "--count", 300, "--seed", 5, "--format", "fen", self.data)
        self.assertEqual(fens.stdout.splitlines(), [line.split(";")[0] for line in lines])
        objects = [json.loads(line) for line in
                   self.done("sample", "--count", 300, "--seed", 5, "--format", "jsonl",
                             self.data).stdout.splitlines()]
        games = {game["number"]: game for game in self.games(self.data)}
        for line, position in zip(lines, objects):
            score = position["score"]
            self.assertEqual(line, f"{position['fen']};{position['result']};"
                                   f"{'' if score is None else score}")
            self.assertEqual(games[position["game"]]["scores"][position["ply"]], score)

    def test_all_of_them_and_import(self):
        every = self.done("export", "--format", "fen", self.data).stdout
        self.assertEqual(self.done("sample", "--count", 10 ** 8, self.data).stdout, every)
        with open(self.path("lines"), "w") as file:
            file.write(every)
        imported = self.path("imported")
        self.done("import", "--variant", "mansindam", "--format", "lines", "--out", imported,
                  self.path("lines"))
        again = self.done("sample", "--count", 10 ** 8, imported).stdout.splitlines()
        self.assertEqual([line.split(";")[0] for line in again],
                         [game["start"] for game in self.games(imported)])
        self.assertEqual(set(again) - set(every.splitlines()), set())

    def test_only_what_is_needed_is_read(self):
        large = self.path("large")
        self.make(large, 0, 0, 1500, 60)
        summary = self.as_json("sample", "--count", 3, "--seed", 1, "--out", self.path("s"), large)
        self.assertLessEqual(summary["blocks_read"], 3)
        # Each position is as likely as any other: chi-squared over ten parts of the dataset.
        counts = [0] * 10
        for line in self.done("sample", "--count", 5000, "--seed", 2, "--format", "jsonl",
                              large).stdout.splitlines():
            counts[json.loads(line)["game"] // 150] += 1
        self.assertLess(sum((count - 500) ** 2 / 500 for count in counts), 40, counts)

    def test_usage(self):
        self.assert_usage("sample", "--count", 5, word="PATH")
        self.assert_usage("sample", self.data, word="--count")
        self.assert_usage("sample", "--count", -5, self.data, word="--count")
        self.assert_usage("sample", "--count", 5, "--format", "pgn", self.data, word="pgn")
        self.assert_usage("sample", "--count", 5, "--json", self.data, word="--out")
        self.assertIn("200 games", self.done("sample", "--count", 5, "--dry-run",
                                             self.data).stdout)

    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([tools.PROGRAM, "sample", "--count", "1000", self.data],
                                    stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)


class Robustness(ToolTest):
    def setUp(self):
        super().setUp()
        self.large = self.path("large")
        for shard in range(4):
            self.make(self.large, shard, 2500 * shard, 2500, 60)

    def test_killed_in_the_middle(self):
        before = tree(self.large)
        for number, (command, stop) in enumerate((("filter", signal.SIGKILL),
                                                  ("split", signal.SIGKILL),
                                                  ("dedup", signal.SIGTERM),
                                                  ("filter", signal.SIGINT))):
            out = self.path(f"out{number}")
            child = subprocess.Popen([tools.PROGRAM, command, "--out", out, "--threads", "1",
                                      self.large], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True)
            while not any(name.startswith(f"out{number}.tmp.")
                          for name in os.listdir(self.scratch.name)) and child.poll() is None:
                time.sleep(0.005)
            child.send_signal(stop)
            message = child.communicate(timeout=60)[1]
            self.assertNotEqual(child.returncode, 0, command)
            self.assertFalse(os.path.exists(out))
            if stop != signal.SIGKILL:
                self.assertEqual(child.returncode, 128 + stop)
                self.assertIn("interrupted", message)
                self.assertFalse([n for n in self.leftovers() if n.startswith(f"out{number}.")])
            self.done(command, "--out", out, self.large)
        self.assertEqual(tree(self.large), before)

    def test_memory_does_not_grow(self):
        """What is enough for one shard is enough for four."""
        for command in (["filter"], ["split", "--seed", "1"], ["dedup"]):
            self.assert_same_memory([*command, self.path("large", "000000.cmpd")],
                                    [*command, self.large])


if __name__ == "__main__":
    tools.main()
