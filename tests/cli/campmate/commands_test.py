# SPDX-License-Identifier: GPL-3.0-or-later
"""commands_test.py - the subcommands and the usage of campmate."""

import json
import os
import re
import subprocess
import unittest

from client import CAMPMATE, run

MIDDLEGAME = ("1nb4nm/Ar1k2q2/p2pppp1p/1pp4A1/P8/1PP2Q1cP/N2PP1NP1/9/M1C1K1B1R[Ppp] w - - 0 1")
WEIGHTS = os.path.join(os.environ.get("WEIGHTS", ""), "mansindam.h")


class Usage(unittest.TestCase):
    def test_help_and_version(self):
        for arguments in (["--help"], ["bench", "--help"], ["perft", "--help"],
                          ["moves", "--help"], ["eval", "--help"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
            self.assertIn("Usage: campmate", done.stdout)
        done = run("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^campmate \d+\.\d+")
        for word in ("commit", "compiler", "level", "variants", "weights"):
            self.assertRegex(done.stdout, rf"(?m)^{word} +\S")
        self.assertIn("mansindam", done.stdout)

    def test_usage_mistakes(self):
        for arguments in (["nonsense"], ["--nonsense"], ["bench", "--nonsense"], ["bench", "x"],
                          ["bench", "--variant", "mansindan"], ["bench", "--eval-file", "x"],
                          ["perft"], ["perft", "mansindam"], ["perft", "mansindan", "2"],
                          ["perft", "mansindam", "abc"], ["perft", "mansindam", "-1"],
                          ["perft", "mansindam", "2x"], ["perft", "mansindam", "2", "junk"],
                          ["eval", "--variant", "x"], ["eval", "junk"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, (arguments, done))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertEqual(done.stdout, "", arguments)

    def test_output_that_fails(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            for arguments in (["perft", "mansindam", "1"], ["moves"], ["--version"]):
                done = subprocess.run([CAMPMATE, *arguments], input="startpos\n", stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=20, check=False)
                self.assertEqual(done.returncode, 1, arguments)
                self.assertIn("No space left", done.stderr)


class Perft(unittest.TestCase):
    def test_start(self):
        for depth, nodes in ((0, 1), (1, 31), (2, 961), (3, 32238)):
            done = run("perft", "mansindam", str(depth))
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, rf"(?m)^nodes {nodes}$")
            self.assertRegex(done.stdout, r"(?m)^seconds [0-9.]+$")
            self.assertRegex(done.stdout, r"(?m)^nps \d+$")

    def test_fen_quoted_or_not(self):
        quoted = run("perft", "mansindam", "2", MIDDLEGAME)
        words = run("perft", "mansindam", "2", *MIDDLEGAME.split())
        for done in (quoted, words):
            self.assertRegex(done.stdout, r"(?m)^nodes 2924$")

    def test_divide(self):
        done = run("perft", "--divide", "mansindam", "3", MIDDLEGAME)
        rows = re.findall(r"(?m)^(\S+): (\d+)$", done.stdout)
        self.assertEqual(len(rows), 84)
        self.assertEqual(rows, sorted(rows))
        self.assertEqual(sum(int(n) for _, n in rows), 235902)
        self.assertRegex(done.stdout, r"(?m)^nodes 235902$")

    def test_json(self):
        answer = json.loads(run("perft", "--json", "--divide", "mansindam", "2").stdout)
        self.assertEqual((answer["nodes"], answer["depth"], answer["variant"]),
                         (961, 2, "mansindam"))
        self.assertEqual(sum(answer["divide"].values()), 961)
        self.assertNotIn("divide", json.loads(run("perft", "--json", "mansindam", "2").stdout))

    def test_finished_position(self):
        done = run("perft", "mansindam", "2", "4k3K/9/9/9/9/9/9/9/9[] b - - 0 1")
        self.assertRegex(done.stdout, r"(?m)^nodes 0$")


class Bench(unittest.TestCase):
    def test_signature(self):
        first, second = run("bench"), run("bench")
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        last = first.stdout.splitlines()[-1]
        self.assertRegex(last, r"^Total: [1-9]\d* nodes [1-9]\d* nps$")
        counts = re.findall(r"(\d+) nodes", first.stdout)
        self.assertEqual(counts, re.findall(r"(\d+) nodes", second.stdout))
        self.assertEqual(sum(map(int, counts[:-1])), int(counts[-1]))

    @unittest.skipUnless(os.path.exists(WEIGHTS), "no weights header")
    def test_weights_from_the_header(self):
        compiled = run("bench", "--variant", "mansindam")
        read = run("bench", "--variant", "mansindam", "--eval-file", WEIGHTS)
        self.assertEqual(re.findall(r"(\d+) nodes", compiled.stdout),
                         re.findall(r"(\d+) nodes", read.stdout), read.stderr)

    def test_missing_weights(self):
        done = run("bench", "--variant", "mansindam", "--eval-file", "/nonexistent/w.h")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent/w.h", done.stderr)

    def test_json(self):
        answer = json.loads(run("bench", "--json").stdout)
        self.assertEqual(answer["nodes"], sum(v["nodes"] for v in answer["variants"]))

    def test_perft(self):
        done = run("bench", "--perft")
        self.assertEqual(done.returncode, 0)
        self.assertIn("mansindam: start position 38109695 leaves", done.stdout)
        self.assertRegex(done.stdout.splitlines()[-1], r"^Total: \d+ leaves \d+ leaves/s$")


class Eval(unittest.TestCase):
    def test_table(self):
        done = run("eval", "--variant", "mansindam", MIDDLEGAME)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^evaluation -?\d+$")
        self.assertRegex(done.stdout, r"(?m)^phase \d+ of \d+$")


if __name__ == "__main__":
    unittest.main()
