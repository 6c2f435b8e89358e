#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""stat_test.py - campmate-data stat against the same figures counted here from exported text.

    stat_test.py PATH/campmate-data PATH/make_games PATH/campmate [unittest arguments]
"""

import json
import math
import subprocess

import tools
from tools import ToolTest


def quantile(values, percent):
    """The least value that at least so many percent do not exceed."""
    values = sorted(values)
    return values[max(0, -(-len(values) * percent // 100) - 1)]


class Counted(ToolTest):
    """Figures that are counted a second time, by other means."""

    def setUp(self):
        super().setUp()
        self.stat = self.as_json("stat", "--opening-ply", 2, "--top", 1000, self.data)
        self.every = self.games(self.data)

    def positions(self):
        """The FENs of each game, before each of its plies and at its end."""
        requests, found = [], []
        for game in self.every:
            moves = game["moves"].split()
            for ply in range(len(moves) + 1):
                requests.append(game["start"] + (" moves " + " ".join(moves[:ply]) if ply else ""))
        answers = subprocess.run([tools.MORE["campmate"], "moves", "--variant", "mansindam"],
                                 input="\n".join(requests) + "\n", stdout=subprocess.PIPE,
                                 text=True, check=True, timeout=120).stdout.splitlines()
        answers = iter(map(json.loads, answers))
        for game in self.every:
            found.append([next(answers) for _ in range(len(game["scores"]) + 1)])
        return found

    def test_records(self):
        self.make(self.data, 9, 300, 30, 500)  # some of these come to an end
        stat = self.as_json("stat", "--opening-ply", 2, "--top", 1000, self.data)
        every = self.games(self.data)
        plies = sum(len(game["scores"]) for game in every)
        self.assertEqual((stat["games"], stat["plies"]), (230, plies))
        for name, result in (("white", "1-0"), ("black", "0-1"), ("unfinished", "*")):
            self.assertEqual(stat["results"][name], sum(g["result"] == result for g in every))
        self.assertAlmostEqual(stat["unfinished_share"],
                               sum(g["result"] == "*" for g in every) / 230)
        self.assertAlmostEqual(stat["decisive_share"] + stat["unfinished_share"], 1)
        for reason in {game["reason"] for game in every}:
            self.assertEqual(stat["reasons"][reason], sum(g["reason"] == reason for g in every))
        ordinary = self.as_json("stat", self.data, "--brief")
        self.assertNotIn("repeats", ordinary)
        self.assertEqual({key: stat[key] for key in ordinary}, ordinary)

        lengths = [len(game["scores"]) for game in every]
        self.assertEqual((stat["longest_plies"], stat["lengths"]["max"], stat["lengths"]["min"]),
                         (max(lengths), max(lengths), min(lengths)))
        for name, percent in (("p10", 10), ("p25", 25), ("median", 50), ("p90", 90), ("p99", 99)):
            self.assertEqual(stat["lengths"][name], quantile(lengths, percent), name)
        for row in stat["lengths"]["histogram"]:
            self.assertEqual(row["games"],
                             sum(row["from"] <= length <= row["to"] for length in lengths))
        self.assertEqual(sum(row["games"] for row in stat["lengths"]["histogram"]), 230)

        scores = [s for game in every for s in game["scores"] if s is not None]
        self.assertEqual(stat["scores"]["scored"], len(scores))
        self.assertAlmostEqual(stat["scored_share"], len(scores) / plies)
        self.assertEqual(stat["scores"]["mate_white"], sum(s > 31000 for s in scores))
        self.assertEqual(stat["scores"]["mate_black"], sum(s < -31000 for s in scores))
        for row in stat["scores"]["histogram"]:
            low = -31000 if row["from"] is None else row["from"]
            high = 31001 if row["below"] is None else row["below"]
            self.assertEqual(row["plies"], sum(low <= s < high for s in scores), row)

        for name, bit in (("random", 1), ("book", 2), ("sampled", 4), ("played_out", 8)):
            self.assertEqual(stat["flags"][name],
                             sum(flag & bit > 0 for game in every for flag in game["flags"]))
        checked = [game for game in every if game["adjudication"] != "*"]
        resolved = [game for game in checked if game["result"] != "*"]
        wrong = [game for game in resolved if game["result"] != game["adjudication"]]
        self.assertGreater(len(wrong), 0)
        self.assertEqual([stat["adjudication"][key] for key in ("checked", "wrong", "unresolved")],
                         [len(checked), len(wrong), len(checked) - len(resolved)])
        self.assertAlmostEqual(stat["adjudication"]["error_rate"], len(wrong) / len(resolved))
        self.assertGreater(stat["adjudication"]["error_rate_upper95"],
                           stat["adjudication"]["error_rate"])

    def test_positions(self):
        """Legal moves, repeats by ply and openings, from the positions that campmate tells."""
        stat, games = self.stat, self.positions()
        moves = [len(position["moves"]) for game in games for position in game[:-1]]
        self.assertEqual(sum(row["positions"] for row in stat["branching"]["histogram"]),
                         len(moves))
        self.assertAlmostEqual(stat["branching"]["mean"], sum(moves) / len(moves))
        for name, percent in (("p10", 10), ("median", 50), ("p90", 90)):
            self.assertEqual(stat["branching"][name], quantile(moves, percent))
        self.assertEqual(stat["branching"]["max"], max(moves))

        first, counts = {}, {}
        for number, game in enumerate(games):
            for ply, position in enumerate(game):
                key = position["fen"].rsplit(" ", 2)[0]  # without counters
                count = counts.setdefault(ply, [0, 0, 0])
                count[0] += 1
                count[1] += key in first
                count[2] += first.setdefault(key, number) != number and key not in {
                    other["fen"].rsplit(" ", 2)[0] for other in game[:ply]}
        rows = stat["repeats"]["by_ply"]
        self.assertEqual([row["ply"] for row in rows], sorted(counts))
        for row in rows:
            positions, repeats, earlier = counts[row["ply"]]
            self.assertEqual(row["positions"], positions)
            self.assertAlmostEqual(row["share"], repeats / positions)
            self.assertAlmostEqual(row["earlier_share"], earlier / positions)
        late = [count for ply, count in counts.items() if ply >= 12]
        self.assertAlmostEqual(stat["repeats"]["share"],
                               sum(c[1] for c in late) / sum(c[0] for c in late))
        self.assertEqual(stat["repeat_share"], stat["repeats"]["share"])
        self.assertEqual((stat["repeats"]["exact"], stat["repeats"]["distinct"]),
                         (True, len(first)))

        openings = {}
        for number, game in enumerate(games):
            if len(game) > 2:
                entry = openings.setdefault(game[2]["fen"].rsplit(" ", 2)[0],
                                            [0, number, game[2]["fen"]])
                entry[0] += 1
        expected = sorted(openings.values(), key=lambda entry: (-entry[0], entry[1]))
        self.assertEqual(stat["openings"]["distinct"], len(openings))
        self.assertEqual([[o["games"], o["first_game"], o["fen"]]
                          for o in stat["openings"]["most_frequent"]], expected)
        self.assertGreater(expected[0][0], 1)
        for opening in stat["openings"]["most_frequent"]:
            self.assertEqual(sum(opening["results"].values()), opening["games"])


class Bounded(ToolTest):
    def test_text_and_threads(self):
        expected = self.done("stat", self.data).stdout
        for words in ("repeats ", "after ply", "openings ", "legal moves ", "adjudication ",
                      "error rate", "scores ", "decisive"):
            self.assertIn(words, expected)
        for threads in (1, 2, 3, 16):
            self.assertEqual(self.done("stat", "--threads", threads, self.data).stdout, expected)

    def test_large_shards_are_shared_among_threads(self):
        """A shard is read in parts: the same figures as from small shards, in any case."""
        one, many = self.path("one"), self.path("many")
        self.make(one, 0, 0, 6000, 12)
        for shard in range(6):
            self.make(many, shard, 1000 * shard, 1000, 12)
        whole = self.as_json("stat", one, "--threads", 3)
        self.assertEqual(self.as_json("stat", one, "--threads", 1), whole)
        parts = self.as_json("stat", many)
        for key in ("shards", "bytes", "bytes_per_ply", "digest"):
            whole.pop(key)
            parts.pop(key)
        self.assertEqual(parts, whole)

    def test_sampled_repeats(self):
        """With little memory repeats are estimated, by whole keys, and it is said."""
        one, two = self.path("one"), self.path("two")
        self.make(one, 0, 0, 2000, 60)
        self.make(two, 0, 0, 2000, 60, 1, "other-run")  # the same games once more
        exact = self.as_json("stat", one, two)
        self.assertEqual((exact["repeats"]["exact"], exact["repeats"]["sample_bits"]), (True, 0))
        few = self.as_json("stat", "--memory", 1, one, two)
        self.assertEqual(self.as_json("stat", "--memory", 1, "--threads", 1, one, two), few)
        self.assertFalse(few["repeats"]["exact"])
        self.assertGreater(few["repeats"]["sample_bits"], 0)
        self.assertAlmostEqual(few["repeats"]["share"], exact["repeats"]["share"], delta=0.02)
        self.assertAlmostEqual(few["repeats"]["distinct"] / exact["repeats"]["distinct"], 1,
                               delta=0.05)
        self.assertEqual(few["openings"], exact["openings"])
        self.assertIn("one was counted", self.done("stat", "--memory", 1, one, two).stdout)

    def test_score_slope(self):
        """Scores of 200 centipawns win 3 of 4 games: 10^(K/2) = 3."""
        games = []
        for white in (True, False):
            for i in range(40):
                won = white if i % 4 else not white
                games.append(f'[Variant "Mansindam"]\n[Result "{"1-0" if won else "0-1"}"]\n'
                             f'[Termination "adjudication"]\n\n'
                             f'1. Pe4 {{{"+" if white else "-"}2.00/9 0.1s}} '
                             f'{"1-0" if won else "0-1"}\n\n')
        path = self.path("slope.pgn")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(games))
        self.as_json("import", "--variant", "mansindam", "--out", self.path("slope"), path)
        stat = self.as_json("stat", self.path("slope"))
        self.assertEqual((stat["games"], stat["scores"]["scored"]), (80, 80))
        self.assertAlmostEqual(stat["scores"]["slope"], 2 * math.log10(3), places=4)
        # No slope where no better score wins more often.
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(games[::4]))
        self.as_json("import", "--variant", "mansindam", "--out", self.path("none"), path)
        self.assertEqual(self.as_json("stat", self.path("none"))["scores"]["slope"], 0)

    def test_usage(self):
        self.assert_usage("stat", word="PATH")
        self.assert_usage("stat", "--memory", 0, self.data, word="--memory")
        self.assert_usage("stat", "--opening-ply", -1, self.data, word="--opening-ply")


if __name__ == "__main__":
    tools.main("campmate")
