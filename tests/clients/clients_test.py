#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clients_test.py - programs of others use campmate: uci2wb plays with it, ffish reads its games.

Environment: CAMPMATE, CAMPMATE_MATCH, UCI2WB (may be empty), NODE, MODULES (ffish is in there).
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from adapter import Adapter

HERE = Path(__file__).resolve().parent
CAMPMATE, MATCH = os.environ["CAMPMATE"], os.environ["CAMPMATE_MATCH"]
UCI2WB, NODE, MODULES = os.environ.get("UCI2WB"), os.environ.get("NODE"), os.environ.get("MODULES")
VARIANTS = ("mansindam", "shogun", "sittuyin", "burmese", "miniburmese")
FFISH_NAME = {"burmese": "sittuyin"}
PLIES = 60  # of a game through the adapter, if it does not end before
# Mini Burmese: CECP lets the sides take turns, so the placement is done in the position.
PLACED = "********/*kqrnbg*/*3ppp*/1ppp4/4PPP1/*PPP3*/*GBNRQK*/******** w - - 0 1"


def ffish(what, variant, *arguments, text=""):
    """The games as ffish sees them, a dictionary each."""
    run = subprocess.run([NODE, HERE / "ffish_client.js", MODULES, what, FFISH_NAME.get(variant, variant),
                          *arguments], input=text, capture_output=True, text=True, timeout=120, check=False)
    if run.returncode:
        raise AssertionError(f"ffish, {variant}: {run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def position_after(variant, fen, moves):
    line = (fen or "startpos") + (" moves " + " ".join(moves) if moves else "")
    run = subprocess.run([CAMPMATE, "moves", "--variant", variant], input=line + "\n",
                         capture_output=True, text=True, timeout=60, check=True)
    return json.loads(run.stdout)


@unittest.skipUnless(UCI2WB, "no uci2wb")
class Uci2wb(unittest.TestCase):
    """Two campmates, each behind its own uci2wb, as XBoard would let them play."""

    def play(self, variant, fen=None):
        players = [Adapter(UCI2WB, CAMPMATE), Adapter(UCI2WB, CAMPMATE)]
        self.addCleanup(lambda: [player.close() for player in players])
        for player in players:
            offered = next(line for line in player.features if "variants=" in line)
            self.assertIn(variant, offered.split('"')[1].split(","))
            setup = player.start_game(variant, depth=4)
            self.assertIn(position_after(variant, None, [])["fen"], setup)
            if fen:
                player.send(f"setboard {fen}")
        moves = [players[0].go()]
        while len(moves) < PLIES and not position_after(variant, fen, moves)["end"]:
            moves.append(players[len(moves) % 2].answer(moves[-1]))
        return moves

    def check(self, variant, fen=None):
        moves = self.play(variant, fen)
        ours = position_after(variant, fen, moves)
        self.assertNotIn("error", ours, "an illegal move was played")
        self.assertTrue(len(moves) == PLIES or ours["end"], moves)
        if NODE:
            game, = ffish("moves", variant, text=f"{fen or ''}\t{' '.join(moves)}\n")
            self.assertEqual(game["plies"], len(moves))

    def test_mansindam(self):
        self.check("mansindam")

    def test_shogun(self):
        self.check("shogun")

    def test_sittuyin(self):
        self.check("sittuyin")

    def test_burmese(self):
        self.check("burmese")

    def test_miniburmese(self):
        self.check("miniburmese", PLACED)


@unittest.skipUnless(NODE, "no node with ffish")
class Pgn(unittest.TestCase):
    """Games of campmate-match, read by ffish: the moves and the results are the same."""

    def check(self, variant):
        with tempfile.TemporaryDirectory() as scratch:
            pgn = Path(scratch) / "games.pgn"
            subprocess.run([MATCH, "--variant", variant, "--engine", f"name=a,cmd={CAMPMATE}",
                            "--engine", f"name=b,cmd={CAMPMATE}", "--games", "4", "--nodes", "300",
                            "--openings", HERE.parents[1] / f"data/openings/{variant}.epd", "--seed", "3",
                            "--order", "random", "--pgn", pgn], check=True, capture_output=True, timeout=300)
            games = ffish("pgn", variant, pgn)
            self.assertEqual(len(games), 4)
            for game, text in zip(games, pgn.read_text().split("\n\n[Event")):
                fen = text.split('[FEN "')[1].split('"')[0]
                ours = position_after(variant, fen, game["moves"].split())
                self.assertEqual(ours["result"], game["written"], ours)
                self.assertGreater(game["plies"], 5)
                self.assertEqual(game["left"] > 0, bool(ours["moves"]), ours)

    def test_mansindam(self):
        self.check("mansindam")

    def test_shogun(self):
        self.check("shogun")

    def test_sittuyin(self):
        self.check("sittuyin")

    def test_miniburmese(self):
        self.check("miniburmese")


if __name__ == "__main__":
    unittest.main()
