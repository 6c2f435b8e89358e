#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""salvage_test.py - campmate-data salvage: what is intact comes out, and nothing else.

    salvage_test.py PATH/campmate-data PATH/make_games [unittest arguments]
"""

import os
import random
import shutil
import signal
import subprocess
import time

import tools
from tools import ToolTest, tree

GAMES = 200  # of the shard, in four blocks


class SalvageTest(ToolTest):
    def setUp(self):
        super().setUp()
        shutil.rmtree(self.data)
        self.make(self.data, 3, 1000, GAMES, 30)
        self.make(self.data, 4, 1000 + GAMES, GAMES, 30)
        self.whole = self.read(self.path("data", "000003.cmpd"))
        self.header = 8 + int.from_bytes(self.whole[4:8], "little")  # bytes
        self.sister = self.path("data", "000004.cmpd")
        self.original = {game["number"]: game for game in
                         self.games(self.path("data", "000003.cmpd"))}
        self.count = 0

    @staticmethod
    def read(path):
        with open(path, "rb") as file:
            return file.read()

    def salvage(self, data, *options, name="000003.cmpd", code=0):
        """Salvages a file of these bytes; returns (numbers of the games, report of the file)."""
        self.count += 1
        folder, out = self.path(f"in{self.count}"), self.path(f"out{self.count}")
        os.mkdir(folder)
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        report = self.as_json("salvage", "--out", out, *options, path, code=code)
        self.assertEqual(self.read(path), bytes(data))
        self.assertEqual(self.leftovers(), [])
        self.assertEqual(report["files"][0]["saved"], report["saved"])
        if code:
            self.assertFalse(os.path.exists(out))
            return [], report["files"][0]
        games = self.games(out)
        self.assertEqual(self.verified(out)["games"], report["saved"])
        for game in games:  # never a wrong one
            self.assertEqual(game, self.original[game["number"]])
        return [game["number"] for game in games], report["files"][0]

    def notes(self, report):
        return "\n".join(report["notes"])

    def flipped(self, place, data=None, bit=2):
        data = bytearray(data or self.whole)
        data[place] ^= 1 << bit
        return data

    def last_block_end(self):
        return self.whole.rindex(b"CMPDTAIL") - 8


class Damage(SalvageTest):
    def test_intact(self):
        games, report = self.salvage(self.whole)
        self.assertEqual((len(games), report["of"], report["notes"]), (GAMES, GAMES, []))
        self.assertEqual(self.read(self.path("out1", "000003.cmpd")), self.whole)

    def test_cut(self):
        end = self.last_block_end()
        for cut in (len(self.whole) - 1, end + 40, end + 1, end):
            games, report = self.salvage(self.whole[:cut])
            self.assertEqual((len(games), report["of"]), (GAMES, None))
            self.assertIn("no intact trailer", self.notes(report))
        before = GAMES
        for cut in (end - 1, end * 2 // 3, end // 2):
            games, report = self.salvage(self.whole[:cut])
            self.assertTrue(0 < len(games) < before, (cut, len(games)))
            self.assertIn("damaged: games from", self.notes(report))
            before = len(games) + 1
        for cut in (0, 5, self.header - 1, self.header, self.header + 30):
            self.salvage(self.whole[:cut], code=1)

    def test_flipped_bits(self):
        rng = random.Random(4)
        for place in [self.header, self.header + 4, self.last_block_end() - 1] + [
                rng.randrange(self.header, self.last_block_end()) for _ in range(12)]:
            games, report = self.salvage(self.flipped(place, bit=rng.randrange(8)))
            self.assertTrue(0 < len(games) < GAMES)
            self.assertEqual(report["of"], GAMES)
            self.assertIn("lost: the block of", self.notes(report))
            # Without the trailer the same games are found.
            same, _ = self.salvage(self.flipped(place)[:-9])
            self.assertTrue(0 < len(same) < GAMES)
        for place in range(self.last_block_end(), len(self.whole), 37):
            games, report = self.salvage(self.flipped(place))
            self.assertEqual(len(games), GAMES)
            self.assertIn("no intact trailer", self.notes(report))

    def test_flipped_bit_in_the_header_is_repaired(self):
        for place in (0, 4, 5, 8, 16, 18, 24, 40, 60, 72, 73, 80, self.header - 8, self.header - 1):
            games, report = self.salvage(self.flipped(place))
            self.assertEqual((len(games), report["of"]), (GAMES, GAMES))
            self.assertIn(f"byte {place}: bit 2 of the header", self.notes(report))

    def test_lost_header(self):
        lost = bytearray(self.whole)
        lost[40:60] = b"x" * 20
        _, report = self.salvage(lost, code=1)
        self.assertIn("damaged header", report["error"])
        self.assertIn("--like", report["error"])
        games, report = self.salvage(lost, "--like", self.sister)
        self.assertEqual((len(games), report["of"]), (GAMES, GAMES))
        self.assertIn("--like", self.notes(report))
        games, _ = self.salvage(self.whole[60:], "--like", self.sister)
        self.assertEqual(len(games), GAMES)
        # The first block is lost, too: the numbers of the others come from the index.
        games, _ = self.salvage(self.whole[self.header + 50:], "--like", self.sister)
        self.assertEqual(games, list(range(1064, 1000 + GAMES)))
        # With the trailer gone nobody knows the numbers.
        _, report = self.salvage(lost[:-9], "--like", self.sister, code=1)
        self.assertIn("--first-game", report["error"])
        games, _ = self.salvage(lost[:-9], "--like", self.sister, "--first-game", 1000)
        self.assertEqual(len(games), GAMES)
        self.make(self.path("short"), 0, 5000, 20, 30)
        short = self.path("short", "000000.cmpd")
        games, _ = self.salvage(lost[:-9], "--like", short, "--first-game", 1000, "--game-count",
                                GAMES)
        self.assertEqual(len(games), GAMES)

    def test_wrong_sister(self):
        self.make(self.path("other"), 0, 0, 20, 30, 1, "shogun")
        lost = self.whole[self.header - 20:]
        games, _ = self.salvage(lost, "--like", self.path("other", "000000.cmpd"), code=1)
        self.assertEqual(games, [])

    def test_more_and_fewer_bytes(self):
        other = self.read(self.sister)
        for data, word in ((self.whole + b"hello" * 99, "after the trailer"),
                           (self.whole + other, "another shard begins"),
                           (self.whole[:-9] + other, "another shard begins"),
                           (b"hello" * 99 + self.whole, "before the shard")):
            games, report = self.salvage(data)
            self.assertEqual(len(games), GAMES)
            self.assertIn(word, self.notes(report))
        middle = self.last_block_end() // 2
        for data in (self.whole[:middle] + b"hello" + self.whole[middle:],
                     self.whole[:middle] + self.whole[middle + 7:],
                     self.whole[:middle] + bytes(4096) + self.whole[middle + 4096:]):
            games, report = self.salvage(data)
            self.assertTrue(GAMES // 4 <= len(games) < GAMES)

    def test_partial(self):
        data = self.whole[:self.last_block_end()]
        games, report = self.salvage(data, name="000009.partial")
        self.assertEqual((len(games), report["of"], report["range"]), (GAMES, None, GAMES))
        self.assertIn("000009.cmpd", tree(self.path("out1")))

    def test_nothing_to_save(self):
        for data in (b"", b"nothing of interest", bytes(100000)):
            _, report = self.salvage(data, code=1)
            self.assertIn("byte 0: not a shard", report["error"])

    def test_two_blocks_that_are_the_same(self):
        """A block that is there twice gives its games once, with and without a trailer."""
        end = self.last_block_end()
        second = self.whole.index(bytes.fromhex("28b52ffd"), self.header + 4)
        twice = self.whole[:second] + self.whole[self.header:second] + self.whole[second:]
        for data in (twice, twice[:-9]):
            games, _ = self.salvage(data)
            self.assertEqual(len(games), GAMES)
        self.assertGreater(end, second)

    def test_format_2(self):
        self.make(self.path("two"), 3, 1000, 100, 30, 1, "final-scores")
        self.whole = self.read(self.path("two", "000003.cmpd"))
        self.original = {game["number"]: game for game in self.games(self.path("two"))}
        games, _ = self.salvage(self.whole[:-9])
        self.assertEqual(len(games), 100)
        games, _ = self.salvage(self.whole[:len(self.whole) * 4 // 5])
        self.assertTrue(0 < len(games) < 100)


class Command(SalvageTest):
    def test_several_files(self):
        with open(self.path("data", "000003.cmpd"), "r+b") as file:
            file.truncate(self.last_block_end() - 5)
        with open(self.path("rubbish"), "wb") as file:
            file.write(b"rubbish")
        files = [self.path("data", "000003.cmpd"), self.path("rubbish"), self.sister]
        outs = [self.path("one"), self.path("three")]
        for threads, out in zip((1, 3), outs):
            report = self.as_json("salvage", "--out", out, "--threads", threads, *files)
            self.assertEqual([file["file"] for file in report["files"]], files)
            self.assertEqual(report["files"][2]["saved"], GAMES)
            self.assertIn("not a shard", report["files"][1]["error"])
            self.verified(out)
        self.assertEqual(tree(outs[0]), tree(outs[1]))
        text = self.done("salvage", "--out", self.path("text"), *files).stdout
        self.assertIn(f"000004.cmpd: saved {GAMES} of {GAMES} games", text)
        self.assertIn("rubbish: nothing saved", text)
        result = self.done("salvage", "--out", self.path("twice"), self.sister, self.sister,
                           code=1)
        self.assertIn("overlap", result.stderr)
        self.assertEqual(self.leftovers(), [])

    def test_dry_run(self):
        report = self.as_json("salvage", "--dry-run", self.sister)
        self.assertEqual((report["saved"], report["out"]), (GAMES, None))
        self.assertEqual(self.leftovers(), [])

    def test_usage(self):
        out = self.path("out")
        self.assert_usage("salvage", "--out", out, word="FILE")
        self.assert_usage("salvage", self.sister, word="--out")
        self.assert_usage("salvage", "--out", out, "--first-game", 5, self.sister, word="--like")
        self.assert_usage("salvage", "--out", out, "--game-count", 5, self.sister, word="--like")
        result = self.done("salvage", "--out", out, self.path("nowhere"), code=1)
        self.assertIn("nowhere", result.stderr)
        result = self.done("salvage", "--out", out, "--like", self.path("nowhere"), self.sister,
                           code=1)
        self.assertIn("nowhere", result.stderr)
        result = self.done("salvage", "--out", out, self.data, code=1)
        self.assertIn("not a regular file", result.stdout)
        before = tree(self.data)
        result = self.done("salvage", "--out", self.data, self.sister, code=1)
        self.assertIn("not empty", result.stderr)
        self.assertEqual(tree(self.data), before)
        self.assertFalse(os.path.exists(out))

    def test_kill_and_memory(self):
        self.make(self.path("large"), 0, 0, 5000, 60)
        large = self.path("large", "000000.cmpd")
        for stop in (signal.SIGKILL, signal.SIGTERM):
            out = self.path("killed")
            child = subprocess.Popen([tools.PROGRAM, "salvage", "--out", out, large],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not self.leftovers() and child.poll() is None:
                time.sleep(0.005)
            child.send_signal(stop)
            child.wait(timeout=60)
            self.assertNotEqual(child.returncode, 0)
            self.assertFalse(os.path.exists(out))
            for name in self.leftovers():
                self.assertEqual(stop, signal.SIGKILL)
                shutil.rmtree(self.path(name))

        self.make(self.path("small"), 0, 0, 1500, 60)
        self.make(self.path("huge"), 0, 0, 10000, 60)
        self.assert_same_memory(["salvage", self.path("small", "000000.cmpd")],
                                ["salvage", self.path("huge", "000000.cmpd")])


if __name__ == "__main__":
    tools.main()
