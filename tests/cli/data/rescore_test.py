#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""rescore_test.py - campmate-data rescore: new scores, the same games.

    rescore_test.py PATH/campmate-data PATH/make_games PATH/campmate-selfplay PATH/weights
                    [unittest arguments]
"""

import json
import os
import shutil
import signal
import subprocess
import time

import tools
from tools import ToolTest, tree


def without_scores(game):
    return {key: value for key, value in game.items() if key not in ("scores", "final_score")}


FEW = ((0, 0, 12, 20), (1, 12, 9, 20), (7, 30, 3, 60))  # shard, first game, games, plies


class Rescore(ToolTest):
    def setUp(self):
        super().setUp()
        self.few = self.path("few")
        for shard in FEW:
            self.make(self.few, *shard)

    def rescored(self, *arguments, out="out"):
        directory = self.path(out)
        return directory, self.as_json("rescore", "--out", directory, "--nodes", 60, *arguments)

    def test_scores_are_those_of_self_play(self):
        """Self-play's own searches, repeated, give self-play's own dataset."""
        played, out = self.path("played"), self.path("out")
        summary = subprocess.run(
            [tools.MORE["selfplay"], "--variant", "mansindam", "--games", "12", "--shard-games",
             "5", "--nodes", "200", "--sample-plies", "0", "--seed", "5", "--out", played,
             "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=120)
        digest = json.loads(summary.stdout)["digest"]
        result = self.as_json("rescore", "--out", out, "--nodes", 200, "--scored-only", played)
        self.assertEqual(result["digest"], digest)
        other = self.as_json("rescore", "--out", self.path("other"), "--nodes", 150,
                             "--scored-only", played)
        self.assertNotEqual(other["digest"], digest)

    def test_resume_after_a_change_of_the_games(self):
        """The key that differs is named."""
        out = self.path("out")
        for number, (more, words) in enumerate((
                ([], ()), (["--score-slope", "0.5"], ("score-slope: stored 0.36, now 0.5",)),
                (["--score-steps", "256"], ("score-steps: stored 128, now 256",)),
                (["--seed", "6", "--max-plies", "50"],
                 ("seed: stored 5, now 6", "max-plies: stored 60, now 50")))):
            played = self.path(f"played{number}")
            subprocess.run([tools.MORE["selfplay"], "--variant", "mansindam", "--games", "4",
                            "--nodes", "30", "--score-slope", "0.36", "--seed", "5", "--max-plies",
                            "60", *more, "--out", played], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True, timeout=120)
            result = self.done("rescore", "--out", out, "--nodes", 10, "--resume", played,
                               code=1 if words else 0)
            self.assertTrue(all(word in result.stderr for word in words), result.stderr)

    def test_only_scores_change(self):
        out, result = self.rescored(self.few)
        before, after = self.games(self.few), self.games(out)
        self.assertEqual(list(map(without_scores, after)), list(map(without_scores, before)))
        plies = sum(len(game["scores"]) for game in before)
        self.assertEqual((result["games"], result["plies"], result["positions"]),
                         (24, plies, plies))
        self.assertLessEqual(result["nodes"], 60 * plies)
        self.assertTrue(any(None in game["scores"] for game in before))
        for game in after:
            self.assertNotIn(None, game["scores"])
            self.assertTrue(all(abs(score) <= 32000 for score in game["scores"]))
        self.assertNotEqual([g["scores"] for g in after], [g["scores"] for g in before])
        self.verified(out)
        with open(os.path.join(out, "manifest.json")) as file:
            manifest = json.load(file)
        self.assertIn(f"derived = rescore nodes=60 hash=2 bench={result['bench']} "
                      f"weights={result['weights_digest']}\n", manifest["configuration"])
        self.assertEqual((manifest["bench"], manifest["seed"]), (123456, 1))  # who played

        kept, _ = self.rescored("--scored-only", self.few, out="kept")
        for old, new in zip(before, self.games(kept)):
            self.assertEqual([s is None for s in new["scores"]], [s is None for s in old["scores"]])
        self.assertIn("count twice", self.done("stat", self.few, out, code=1).stderr)

    def test_threads_and_shards_do_not_matter(self):
        out, _ = self.rescored(self.few)
        expected = tree(out)
        self.assertEqual(set(expected),
                         {"000000.cmpd", "000001.cmpd", "000007.cmpd", "manifest.json"})
        for threads in (1, 2, 5):
            other, _ = self.rescored("--threads", threads, self.few, out=f"t{threads}")
            self.assertEqual(tree(other), expected)
        for name in ("000001.cmpd", "000007.cmpd"):
            alone, _ = self.rescored(os.path.join(self.few, name), out="alone-" + name)
            self.assertEqual(tree(alone)[name], expected[name])

    def test_weights(self):
        out, result = self.rescored(self.few)
        header = os.path.join(tools.MORE["weights"], "mansindam.h")
        same, other = self.rescored("--eval-file", header, self.few, out="same")
        self.assertEqual(other["weights_digest"], result["weights_digest"])
        self.assertEqual(tree(same), tree(out))
        with open(header) as file:
            lines = file.read().split("S(")
        lines[5] = " 444, 444)" + lines[5].split(")", 1)[1]
        changed = self.path("changed.h")
        with open(changed, "w") as file:
            file.write("S(".join(lines))
        different, other = self.rescored("--eval-file", changed, self.few, out="different")
        self.assertNotEqual(other["weights_digest"], result["weights_digest"])
        result = self.done("rescore", "--out", out, "--nodes", 60, "--resume", "--eval-file",
                           changed, self.few, code=1)
        self.assertIn("000000.cmpd: was made with ", result.stderr)

    def test_mates_and_final_scores(self):
        """Positions without a game around them, with and without a score."""
        lines = []
        with open(self.path("lines"), "w") as file:
            for game in self.games(self.few)[:6]:
                lines.append(f"{game['start']};1-0;77")
            lines.append(f"{self.games(self.few)[7]['start']};0-1")
            file.write("\n".join(lines) + "\n")
        imported = self.path("imported")
        self.done("import", "--variant", "mansindam", "--format", "lines", "--out", imported,
                  self.path("lines"))
        out, result = self.rescored(imported)
        games = self.games(out)
        self.assertEqual(result["positions"], len(games))
        for game in games:
            self.assertIsNotNone(game["final_score"])
        self.assertTrue(any(game["final_score"] != 77 for game in games))
        kept, result = self.rescored("--scored-only", imported, out="kept")
        self.assertEqual(sum(game["final_score"] is None for game in self.games(kept)), 1)
        finals = self.path("finals")
        self.make(finals, 0, 0, 6, 30, 1, "final-scores")
        out, _ = self.rescored(finals, out="finals-out")
        for old, new in zip(self.games(finals), self.games(out)):
            self.assertEqual(old["final_score"] is None, new["final_score"] is None)

    def test_resume(self):
        out, whole = self.rescored(self.few)
        expected = tree(out)
        result = self.done("rescore", "--out", out, "--nodes", 60, self.few, code=1)
        self.assertIn("--resume", result.stderr)
        os.remove(os.path.join(out, "000001.cmpd"))
        os.remove(os.path.join(out, "manifest.json"))
        result = self.as_json("rescore", "--out", out, "--nodes", 60, "--resume", self.few)
        self.assertEqual((result["shards"], result["kept_shards"]), (1, 2))
        self.assertEqual((result["digest"], result["games"]), (whole["digest"], 24))
        self.assertEqual(tree(out), expected)

        def refused(word, *arguments):
            result = self.done("rescore", "--out", out, "--resume", *arguments, code=1)
            self.assertIn(word, result.stderr)
            self.assertEqual(tree(out), expected)

        refused("'nodes=60', but this run has 'nodes=61'", "--nodes", 61, self.few)
        refused("'hash=2', but this run has 'hash=1'", "--nodes", 60, "--hash", 1, self.few)
        refused("scored-only", "--nodes", 60, "--scored-only", self.few)
        refused("shard 000001", "--nodes", 60, os.path.join(self.few, "000000.cmpd"))
        other = self.path("other")  # the same header and numbers, other games
        for shard, first, count, plies in ((0, 0, 12, 21), (1, 12, 9, 20), (7, 30, 3, 60)):
            self.make(other, shard, first, count, plies)
        refused("does not hold the games", "--nodes", 60, other)
        finer = self.path("finer")  # the same games on another scale, which no option names
        for shard, first, count, plies in FEW:
            self.make(finer, shard, first, count, plies, 1, "finer")
        refused("but this run in 256 by 0.3", "--nodes", 60, finer)
        damaged = self.path("damaged")
        shutil.copytree(out, damaged)
        path = os.path.join(damaged, "000000.cmpd")
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) // 2)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1]))
        result = self.done("rescore", "--out", damaged, "--nodes", 60, "--resume", self.few,
                           code=1)
        self.assertIn("000000.cmpd: byte ", result.stderr)

    def test_interruptions(self):
        """Killed or told to end at any time, and resumed: the bytes of an undisturbed run."""
        many = self.path("many")
        for shard in range(8):
            self.make(many, shard, 8 * shard, 8, 40)
        options = ["--nodes", "250", "--threads", "2", many]
        expected = self.path("expected")
        self.done("rescore", "--out", expected, *options)
        for number, stop in enumerate((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)):
            out = self.path(f"out{number}")
            child = subprocess.Popen([tools.PROGRAM, "rescore", "--out", out, *options],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            while child.poll() is None and not (
                    os.path.isdir(out) and
                    sum(name.endswith(".cmpd") for name in os.listdir(out)) > 2 * number):
                time.sleep(0.002)
            child.send_signal(stop)
            message = child.communicate(timeout=60)[1]
            if child.returncode == 0:
                continue  # it was quicker
            if stop != signal.SIGKILL:
                self.assertEqual(child.returncode, 128 + stop)
                self.assertIn("--resume", message)
            result = self.as_json("rescore", "--out", out, "--resume", *options)
            self.assertEqual(result["shards"] + result["kept_shards"], 8)
            # A lock that a killed process held stays as an empty file.
            self.assertEqual({name: bytes for name, bytes in tree(out).items()
                              if not name.endswith(".lock")}, tree(expected))

    def test_source_is_not_touched(self):
        before = tree(self.few)
        self.rescored(self.few)
        for more in ([], ["--resume"]):
            self.done("rescore", "--out", self.few, "--nodes", 60, *more, self.few, code=1)
        self.assertEqual(tree(self.few), before)

    def test_renumber(self):
        other = self.path("other")
        self.make(other, 0, 0, 8, 20, 2)
        out, _ = self.rescored("--renumber", self.few, other)
        games = self.games(out)
        self.assertEqual([game["number"] for game in games], list(range(32)))
        self.assertEqual([game["moves"] for game in games],
                         [game["moves"] for game in self.games(self.few) + self.games(other)])
        again = self.as_json("rescore", "--out", out, "--nodes", 60, "--resume", "--renumber",
                             self.few, other)
        self.assertEqual((again["shards"], again["kept_shards"]), (0, 4))
        self.verified(out)

    def test_damaged_source(self):
        path = os.path.join(self.few, "000007.cmpd")
        os.truncate(path, os.path.getsize(path) - 1)
        result = self.done("rescore", "--out", self.path("out"), "--nodes", 60, self.few, code=1)
        self.assertIn("000007.cmpd", result.stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_usage(self):
        out = self.path("out")
        self.assert_usage("rescore", "--out", out, word="PATH")
        self.assert_usage("rescore", self.few, word="--out")
        self.assert_usage("rescore", "--out", out, "--nodes", 0, self.few, word="--nodes")
        self.assert_usage("rescore", "--out", out, "--nodes", 5, "--nodes-soft", 6, self.few,
                          word="--nodes-soft")
        result = self.done("rescore", "--out", out, "--eval-file", self.path("none.h"), self.few,
                           code=1)
        self.assertIn("none.h", result.stderr)
        self.assertFalse(os.path.exists(out))
        text = self.done("rescore", "--out", out, "--depth", 3, "--dry-run", self.few).stdout
        self.assertIn("24 games", text)
        self.assertIn("depth = 3", text)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    tools.main("selfplay", "weights")
