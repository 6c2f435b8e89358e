#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""field_cases_test.py - what broke in other generators and readers of training data.

    field_cases_test.py --bin=DIR --make-games=FILE [unittest arguments]

The numbers are those of the table in docs/testing.md, which also says where the other cases of the
group are tested.
"""

import json
import os
import shutil
import subprocess
import unittest

import faults
from faults import FaultTest, files, read, write

PLAY = ["--variant", "mansindam", "--nodes", "40", "--max-plies", "60"]
SKIPPABLE = bytes.fromhex("502a4d18") + (11).to_bytes(4, "little") + b"not a frame"


class FieldCases(FaultTest):
    def test_b01_two_workers_of_the_same_second(self):
        """Without --seed no game is played twice; with it all files are the same."""
        outs = [self.path(name) for name in ("a", "b")]
        runs = [subprocess.Popen([faults.program("campmate-selfplay"), *PLAY, "--games", "50",
                                  "--out", out], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True) for out in outs]
        seeds = []
        for process in runs:
            stderr = process.communicate(timeout=300)[1]
            self.assertEqual(process.returncode, 0, stderr)
            seeds += [line for line in stderr.splitlines() if line.startswith("seed = ")]
        self.assertEqual(len(set(seeds)), 2, seeds)
        games = [{game["moves"] for game in self.games(out).values()} for out in outs]
        self.assertEqual([len(moves) for moves in games], [50, 50])
        self.assertFalse(games[0] & games[1])
        for out, seed in zip(outs, seeds):  # the header has the seed that was printed
            with open(os.path.join(out, "manifest.json"), encoding="utf-8") as stream:
                self.assertEqual(f"seed = {json.load(stream)['seed']}", seed)
        again = []
        for name in ("c", "d"):
            self.done("campmate-selfplay", *PLAY, "--games", 50, "--seed", 7, "--out",
                      self.path(name))
            again.append(files(self.path(name)))
        self.assertEqual(again[0], again[1])

    def lines(self, count):
        """So many different positions with a result."""
        self.make(self.path("some"), 0, 0, 20, 30)
        text = self.done("campmate-data", "sample", "--count", count, "--seed", 3, "--format", "fen",
                         self.path("some")).stdout
        return [f"{fen};1-0;15" for fen in text.splitlines()]

    def load(self, data, code=0):
        path = self.path("lines.txt.zst")
        write(path, data)
        shutil.rmtree(self.path("out"), ignore_errors=True)
        done = self.done("campmate-data", "import", "--variant", "mansindam", "--format", "lines",
                         "--json", "--out", self.path("out"), path, code=code)
        return json.loads(done.stdout) if code == 0 else done.stderr

    @unittest.skipUnless(shutil.which("zstd"), "no zstd program")
    def test_b03_b05_frames_of_text(self):
        """Several frames are one file, frames to be skipped are skipped, zeros at the end are no
        records."""
        lines = self.lines(40)
        text = "".join(line + "\n" for line in lines).encode()
        packed = subprocess.run(["zstd", "-qc"], input=text, stdout=subprocess.PIPE,
                                check=True).stdout
        once = self.load(packed)
        self.assertGreater(once["games"], 30)  # positions in check are of no use
        for data in (packed + packed, packed + SKIPPABLE + packed,
                     SKIPPABLE + packed + packed + SKIPPABLE):
            self.assertEqual(self.load(data)["games"], 2 * once["games"])
        message = self.load(packed + bytes(64), code=1)
        self.assertIn("lines.txt.zst", message)
        self.assertIn(f"byte {len(packed)}", message)
        self.assertIn("line 40", message)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_b15_nodes_bound_a_move(self):
        """Over 600 legal moves: no search goes beyond its nodes, and the header has the limit."""
        book = self.path("book.epd")
        write(book, b"4k4/9/9/9/9/9/9/9/4K4[PNBRCMQApp] w - - 0 1\n")
        done = self.done("campmate-selfplay", "--variant", "mansindam", "--nodes", 5000, "--games", 2,
                         "--seed", 1, "--opening-plies", 0, "--opening-window", 0, "--max-plies", 12,
                         "--book", book, "--json", "--out", self.path("out"))
        summary = json.loads(done.stdout)
        self.assertGreater(summary["searched_plies"], 1)
        self.assertLessEqual(summary["nodes_max"], 5000)
        self.assertGreater(summary["nodes_max"], 600)
        with open(self.path("out", "manifest.json"), encoding="utf-8") as stream:
            self.assertIn("nodes = 5000\n", json.load(stream)["configuration"])

    def test_b17_a_cap_is_no_draw(self):
        """Capped games are counted, have no result, and no draw is taken from anywhere."""
        done = self.done("campmate-selfplay", *PLAY[:-1], 40, "--games", 20, "--seed", 1, "--json",
                         "--out", self.path("out"))
        summary = json.loads(done.stdout)
        self.assertGreater(summary["outcomes"]["unfinished"], 0)
        self.assertEqual(summary["outcomes"]["draw"], 0)
        self.assertEqual(summary["reasons"]["cap"], summary["outcomes"]["unfinished"])
        results = [game["result"] for game in self.games(self.path("out")).values()]
        self.assertEqual(results.count("*"), summary["outcomes"]["unfinished"])
        self.assertNotIn("1/2-1/2", results)
        write(self.path("draw.txt"), b"4k4/9/9/9/9/9/9/9/4K3R[] w - - 0 1;0.5;5\n")
        done = faults.run("campmate-data", "import", "--variant", "mansindam", "--format", "lines",
                          "--json", "--out", self.path("in"), self.path("draw.txt"))
        self.assertEqual(json.loads(done.stdout)["rejected"]["draw"]["count"], 1)


if __name__ == "__main__":
    faults.main()
