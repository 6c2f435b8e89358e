#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""regenerate_test.py - the same games wherever and in whatever order they are made: shards of
many places, and campmate-data verify --regenerate.

    regenerate_test.py PATH/campmate-selfplay PATH/campmate-data WEIGHTS_HEADER [unittest arguments]
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SELFPLAY = DATA = HEADER = ""
QUICK = ["--variant", "mansindam", "--nodes", "60", "--max-plies", "80", "--shard-games", "6"]


def call(*arguments):
    return subprocess.run([*map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=300)


class Regenerate(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.scratch.cleanup()

    def path(self, *names):
        return os.path.join(self.scratch.name, *names)

    def play(self, out, games, seed, *more):
        done = call(SELFPLAY, *QUICK, "--json", "--out", out, "--games", games, "--seed", seed,
                    *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def regenerate(self, *arguments, code=0):
        done = call(DATA, "verify", "--json", "--regenerate", *arguments)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def refused(self, *arguments):
        done = call(DATA, "verify", "--regenerate", 3, *arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        return done.stderr

    def test_shards_of_many_places(self):
        whole = self.play(self.path("whole"), 24, 5)
        parts = []
        # Last first, other numbers of threads, a directory each.
        for first, threads in ((18, 3), (0, 1), (12, 2), (6, 16)):
            parts.append(self.path(f"host{first}"))
            self.play(parts[-1], 6, 5, "--first-game", first, "--threads", threads)
        merged = self.path("merged")
        done = call(DATA, "merge", "--json", "--out", merged, *parts)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["digest"], whole["digest"])
        for name in sorted(os.listdir(self.path("whole"))):
            with open(self.path("whole", name), "rb") as one, \
                    open(os.path.join(merged, name), "rb") as two:
                self.assertEqual(one.read(), two.read(), name)

    def test_games_come_out_again(self):
        games = self.path("games")
        self.play(games, 20, 5)
        for threads in (1, 3):
            verdict = self.regenerate(7, "--seed", 3, "--threads", threads, games)
            self.assertTrue(verdict["ok"])
            self.assertEqual((verdict["regenerated"], verdict["seed"]), (7, 3))

    def test_interrupt(self):
        games = self.path("games")
        self.play(games, 300, 5, "--shard-games", 300)
        process = subprocess.Popen([DATA, "verify", "--regenerate", "300", "--threads", "1", games],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.9)  # the games take seconds after the bench signature
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual((process.returncode, stdout), (130, ""), stderr)
        self.assertIn("interrupted", stderr)

    def test_all_games_of_a_small_dataset(self):
        games = self.path("games")
        self.play(games, 8, 5)
        verdict = self.regenerate(1000, games)
        self.assertEqual(verdict["regenerated"], 8)
        self.assertGreater(verdict["seed"], 0)

    def test_altered_games_are_reported(self):
        """A shard of another seed whose header claims the seed of the dataset."""
        right, wrong = self.path("right"), self.path("wrong")
        self.play(right, 12, 51)
        size = self.header_size(self.path("right", "000001.cmpd"))
        for seed in range(52, 82):  # the index has offsets from the start of the file
            self.play(wrong, 12, seed)
            if self.header_size(self.path("wrong", "000001.cmpd")) == size:
                break
            shutil.rmtree(wrong)
        self.forge(self.path("wrong", "000001.cmpd"), self.path("right", "000001.cmpd"))
        shutil.copy(self.path("wrong", "000001.cmpd"), self.path("right", "000001.cmpd"))
        os.remove(self.path("right", "manifest.json"))
        verdict = call(DATA, "verify", "--json", right)
        self.assertEqual(verdict.returncode, 0, verdict.stdout)  # nothing else shows it
        verdict = self.regenerate(12, "--seed", 1, right, code=1)
        self.assertFalse(verdict["ok"])
        self.assertEqual(verdict["regenerated"], 12)
        self.assertEqual(len(verdict["errors"]), 6)
        for number, text in zip(range(6, 12), verdict["errors"]):
            self.assertRegex(text, rf"000001\.cmpd: game {number}, ply [0-9]+: .* stored, .* again")

    @staticmethod
    def header_size(path):
        with open(path, "rb") as stream:
            return 8 + int.from_bytes(stream.read(8)[4:], "little")

    def forge(self, wrong, right):
        """Puts the header of one shard before the games of another."""
        with open(right, "rb") as stream:
            header = stream.read()
        with open(wrong, "rb") as stream:
            rest = stream.read()
        size = self.header_size(right)
        self.assertEqual(size, self.header_size(wrong))
        self.assertNotEqual(header[:size], rest[:size])
        with open(wrong, "wb") as stream:
            stream.write(header[:size] + rest[size:])

    def test_what_cannot_be_played_again_is_refused(self):
        games = self.path("games")
        self.play(games, 6, 5)
        shard = self.path("games", "000000.cmpd")
        split = self.path("split")
        done = call(DATA, "split", "--parts", "all=1", "--out", split, games)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("another dataset", self.refused(os.path.join(split, "all")))

        lines = self.path("lines.txt")
        with open(lines, "w", encoding="utf-8") as stream:
            stream.write("4k4/9/9/9/4p4/9/9/9/4K3R[] w - - 0 1;1-0\n")
        imported = self.path("imported")
        done = call(DATA, "import", "--variant", "mansindam", "--format", "lines", "--out",
                    imported, lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("imported", self.refused(imported))

        done = call(DATA, "verify", "--eval-file", HEADER, shard)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--regenerate", done.stderr)

    def test_weights_and_book_are_checked(self):
        header, book, other = self.path("other.h"), self.path("book.epd"), self.path("other.epd")
        with open(HEADER, encoding="utf-8") as stream:
            text = stream.read()
        changed = re.sub(r"S\( *(-?\d+),", lambda m: f"S({int(m.group(1)) + 1},", text, count=1)
        self.assertNotEqual(text, changed)
        with open(header, "w", encoding="utf-8") as stream:
            stream.write(changed)
        for path, hand in ((book, ""), (other, "N")):
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(f"4k4/9/9/9/4p4/9/9/9/4K3R[{hand}] w - - 0 1\n")
        games = self.path("games")
        self.play(games, 6, 5, "--eval-file", header, "--book", book, "--opening-window", 0)
        verdict = self.regenerate(6, "--eval-file", header, "--book", book, games)
        self.assertEqual(verdict["regenerated"], 6)
        self.assertIn("--book", self.refused("--eval-file", header, games))
        self.assertIn("book_digest: stored ", self.refused("--eval-file", header, "--book", other,
                                                           games))
        self.assertIn("weights digest: stored ", self.refused("--book", book, games))


if __name__ == "__main__":
    SELFPLAY, DATA, HEADER = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
    unittest.main()
