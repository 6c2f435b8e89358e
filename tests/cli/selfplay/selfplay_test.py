#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""selfplay_test.py - what campmate-selfplay promises, seen from the command line.

    selfplay_test.py PATH/campmate-selfplay [Contract|Edges|unittest arguments]
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
QUICK = ["--variant", "mansindam", "--nodes", "60", "--max-plies", "80", "--shard-games", "5"]


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300, **options)


def shards(directory, ending=".cmpd"):
    if not os.path.isdir(directory):
        return []
    return sorted(name for name in os.listdir(directory) if name.endswith(ending))


def contents(directory):
    """The bytes of all finished shards."""
    result = {}
    for name in shards(directory):
        with open(os.path.join(directory, name), "rb") as stream:
            result[name] = stream.read()
    return result


class Base(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.out = os.path.join(self.scratch.name, "games")

    def tearDown(self):
        self.scratch.cleanup()

    def play(self, out, *arguments, code=0):
        done = run(*QUICK, "--json", "--out", out, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout) if done.stdout else None

    def start(self, out, *arguments):
        """A run that has finished at least one shard and is not near its end."""
        process = subprocess.Popen([PROGRAM, *QUICK, "--json", "--out", out, *map(str, arguments)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while not shards(out):
            self.assertIsNone(process.poll(), "ended before the first shard was there")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)
        return process

    def interrupt_and_resume(self, number, code):
        play = ("--games", "160", "--seed", "9", "--shard-games", "20", "--threads", "2")
        whole = self.play(f"{self.out}-whole", *play)
        process = self.start(self.out, *play)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, stderr)
        if code > 0:
            summary = json.loads(stdout)
            self.assertTrue(summary["interrupted"])
            self.assertLess(summary["games"], 160)
            self.assertIn("--resume", stderr)
        kept = contents(self.out)
        partials = shards(self.out, ".partial")
        # Without --seed: the one that is stored.
        done = self.play(self.out, *play[:2], *play[4:], "--resume", "--threads", "1")
        self.assertEqual(done["digest"], whole["digest"])
        self.assertEqual(done["dataset_games"], 160)
        after = contents(self.out)
        self.assertEqual({name: after[name] for name in kept}, kept)
        self.assertEqual(after, contents(f"{self.out}-whole"))
        self.assertEqual(shards(self.out, ".partial"), [])
        if code > 0: # every game that the summary counted was kept
            self.assertEqual(done["kept_games"], summary["games"])
        else:
            self.assertEqual(partials, [])
            self.assertEqual(done["kept_games"], 20 * len(kept))


class Contract(Base):
    """What everybody relies on; quick."""

    def test_help_and_version(self):
        for option, word in (("--help", "--opening-plies"), ("--version", "campmate-selfplay")):
            done = run(option)
            self.assertEqual(done.returncode, 0)
            self.assertIn(word, done.stdout)
            self.assertEqual(done.stderr, "")

    def test_usage_mistakes_create_nothing(self):
        out = ["--out", self.out]
        cases = [
            (["--variant", "mansindam", "--depth", "4"], "--out"),
            ([*out, "--threads", "-1"], "threads"),
            ([*out, "--games", "-1"], "games"),
            ([*out, "--nodes", "abc"], "nodes"),
            ([*out, "--variant", "mansindan"], "variant"),
            ([*out, "--nods", "5"], "nods"),
            ([*out, "--nodes", "0"], "limit"),
            ([*out, "--nodes", "10", "--nodes-soft", "20"], "nodes-soft"),
            ([*out, "--opening-plies", "8", "--max-plies", "8"], "max-plies"),
            ([*out, "--games", "2000000", "--shard-games", "1"], "shard"),
            ([*out, "--score-steps", "0", "--score-slope", "0.3"], "--score-slope 0.3"),
            ([*out, "--score-steps", "128", "--score-slope", "0.01"], "--score-slope 0.01"),
            ([*out, "--score-steps", "100"], "--score-steps 100"),
        ]
        for arguments, word in cases:
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertFalse(os.path.exists(self.out))

    def test_summary(self):
        summary = self.play(self.out, "--games", "12", "--seed", "3")
        self.assertEqual(summary["games"], 12)
        self.assertEqual(summary["dataset_games"], 12)
        self.assertEqual(summary["plies"], summary["dataset_plies"])
        self.assertEqual(sum(summary["outcomes"].values()), 12)
        self.assertEqual(sum(summary["reasons"].values()), 12)
        outcomes = summary["outcomes"]
        self.assertAlmostEqual(summary["decisive_share"] * 12,
                               outcomes["white"] + outcomes["black"])
        self.assertAlmostEqual(summary["unfinished_share"] * 12, outcomes["unfinished"])
        self.assertAlmostEqual(
            summary["adjudication_error_rate"] * summary["adjudication_checked"],
            summary["adjudication_errors"])
        self.assertEqual(summary["outcomes"]["draw"], 0)
        self.assertEqual(summary["reasons"].get("cap", 0), summary["outcomes"]["unfinished"])
        self.assertEqual(summary["duplicates"], 0)
        self.assertLessEqual(summary["nodes_max"], 60)
        self.assertRegex(summary["digest"], "^[0-9a-f]{32}$")
        rate = summary["searched_plies"] / summary["cpu_seconds"]
        self.assertAlmostEqual(summary["plies_per_cpu_second"], rate, delta=rate * 0.01)
        self.assertEqual(shards(self.out), ["000000.cmpd", "000001.cmpd", "000002.cmpd"])
        self.assertTrue(os.path.exists(os.path.join(self.out, "manifest.json")))
        self.assertEqual(len(os.listdir(self.out)), 4) # nothing temporary is left
        self.assertEqual(shards(self.out, ".partial"), [])

    def test_thread_count_changes_nothing(self):
        plain = self.play(self.out, "--games", "33", "--seed", "5", "--threads", "1")
        for threads in (2, 3, 16):
            out = f"{self.out}-{threads}"
            other = self.play(out, "--games", "33", "--seed", "5", "--threads", threads)
            self.assertEqual(other["digest"], plain["digest"])
            self.assertEqual(contents(out), contents(self.out))
            for key in ("plies", "outcomes", "reasons", "duplicate_openings", "nodes"):
                self.assertEqual(other[key], plain[key], key)

    def test_a_used_directory_is_refused(self):
        self.play(self.out, "--games", "5", "--seed", "5")
        before = contents(self.out)
        done = run(*QUICK, "--games", "10", "--seed", "5", "--out", self.out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--resume", done.stderr)
        self.assertEqual(contents(self.out), before)

    def test_resume_refuses_another_run(self):
        self.play(self.out, "--games", "7", "--seed", "5")
        before = contents(self.out)
        for arguments, words in (
                (["--seed", "6", "--games", "7"], ("000000.cmpd", "seed: stored 5, now 6")),
                (["--seed", "6", "--games", "7", "--nodes", "61", "--hash", "3"],
                 ("seed: stored 5, now 6", "nodes: stored 60, now 61", "hash: stored 2, now 3")),
                (["--seed", "5", "--games", "9"], ("000001", "2 games")),
        ):
            done = run(*QUICK, "--out", self.out, "--resume", *arguments)
            self.assertEqual(done.returncode, 1, arguments)
            for word in words:
                self.assertIn(word, done.stderr)
            self.assertEqual(contents(self.out), before)

    def test_resume_takes_the_stored_seed(self):
        whole = self.play(f"{self.out}-whole", "--games", "10", "--seed", "5")
        self.play(self.out, "--games", "5", "--seed", "5")
        done = run(*QUICK, "--json", "--games", "10", "--resume", "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("seed = 5\n", done.stderr)
        self.assertEqual(json.loads(done.stdout)["digest"], whole["digest"])
        # Nothing there yet: drawn.
        fresh = run(*QUICK, "--json", "--games", "5", "--resume", "--out", f"{self.out}-new")
        self.assertEqual(fresh.returncode, 0, fresh.stderr)
        self.assertNotIn("seed = 0\n", fresh.stderr)

    def test_manifest_pins_the_run(self):
        self.play(self.out, "--games", "5", "--seed", "5")
        with open(os.path.join(self.out, "manifest.json"), encoding="utf-8") as stream:
            manifest = json.load(stream)
        version = run("--version").stdout
        self.assertIn(manifest["commit"], version)
        self.assertIn(manifest["compiler"], version)
        self.assertGreater(manifest["bench"], 0)
        self.assertEqual(manifest["seed"], 5)
        self.assertRegex(manifest["weights_digest"], "^[0-9a-f]{32}$")
        for line in ("nodes = 60", "max-plies = 80", "hash = 2"):
            self.assertIn(line + "\n", manifest["configuration"])

    def test_interrupt(self):
        self.interrupt_and_resume(signal.SIGINT, 130)

    def test_kill(self):
        self.interrupt_and_resume(signal.SIGKILL, -signal.SIGKILL)


class Edges(Base):
    """The rest of it."""

    def test_bad_inputs_create_nothing(self):
        for option in ("--book", "--eval-file"):
            done = run("--out", self.out, option, os.path.join(self.scratch.name, "none"))
            self.assertEqual(done.returncode, 1)
            self.assertIn("none", done.stderr)
            self.assertFalse(os.path.exists(self.out))

    def test_dry_run_creates_nothing(self):
        done = run(*QUICK, "--out", self.out, "--games", "50", "--dry-run", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        estimate = json.loads(done.stdout)
        self.assertGreater(estimate["estimated_seconds"], 0)
        self.assertGreater(estimate["estimated_bytes"], 0)
        self.assertIn("nodes = 60", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_defaults_that_depend_on_others(self):
        def effective(*arguments):
            done = run("--out", self.out, "--dry-run", "--games", "1", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr
        self.assertIn("nodes = 5000", effective())
        self.assertIn("opening_plies = 8", effective().replace("-", "_"))
        self.assertIn("nodes = 0", effective("--depth", "2"))
        self.assertIn("nodes = 400", effective("--nodes-soft", "100"))
        self.assertIn("score-slope = 0\n", effective("--score-steps", "0"))
        self.assertRegex(effective(), "score-slope = 0[.][0-9]+\n")

    def test_cap_is_unfinished(self):
        summary = self.play(self.out, "--games", "6", "--seed", "3", "--max-plies", "20",
                            "--adjudicate", "0")
        self.assertEqual(summary["outcomes"]["draw"], 0)
        self.assertGreater(summary["outcomes"]["unfinished"], 0)
        self.assertEqual(summary["reasons"]["cap"], summary["outcomes"]["unfinished"])

    def test_split_by_range(self):
        self.play(self.out, "--games", "20", "--seed", "5")
        half = f"{self.out}-half"
        self.play(half, "--games", "10", "--first-game", "10", "--seed", "5")
        whole = contents(self.out)
        self.assertEqual(contents(half), {name: whole[name] for name in ("000002.cmpd", "000003.cmpd")})

    def test_seeds(self):
        a = self.play(f"{self.out}-a", "--games", "5", "--seed", "5")
        b = self.play(f"{self.out}-b", "--games", "5", "--seed", "6")
        self.assertNotEqual(a["digest"], b["digest"])
        drawn = []
        for name in "cd":
            done = run(*QUICK, "--json", "--games", "5", "--out", f"{self.out}-{name}")
            self.assertEqual(done.returncode, 0, done.stderr)
            seed = [line for line in done.stderr.splitlines() if line.startswith("seed")]
            self.assertEqual(len(seed), 1)
            drawn.append((seed[0], json.loads(done.stdout)["digest"]))
        self.assertNotEqual(drawn[0][0], drawn[1][0])
        self.assertNotEqual(drawn[0][1], drawn[1][1])
        again = self.play(f"{self.out}-e", "--games", "5", "--seed", drawn[0][0].split()[-1])
        self.assertEqual(again["digest"], drawn[0][1])

    def test_hash_size_is_part_of_the_game(self):
        # Not that it must differ in so few nodes, but that it is written down and compared.
        self.play(self.out, "--games", "5", "--seed", "5")
        done = run(*QUICK, "--games", "5", "--seed", "5", "--hash", "8", "--resume", "--out", self.out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("hash: stored 2, now 8", done.stderr)

    def test_book_is_known_by_its_content(self):
        books = []
        for place, fen in (("one", "4k4/9/9/9/4p4/9/9/9/4K3R[] w - - 0 1"),
                           ("two", "4k4/9/9/9/4p4/9/9/9/4K3R[] w - - 0 1"),
                           ("three", "4k4/9/9/9/4p4/9/9/9/4K3R[N] w - - 0 1")):
            path = os.path.join(self.scratch.name, place)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(fen + "\n")
            books.append(path)
        play = ("--games", "6", "--seed", "5", "--opening-window", "0", "--book")
        first = self.play(self.out, *play, books[0])
        second = self.play(f"{self.out}-2", *play, books[1])
        self.assertEqual(first["digest"], second["digest"])
        self.assertEqual(contents(self.out), contents(f"{self.out}-2"))
        done = run(*QUICK, *play, books[2], "--resume", "--out", self.out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("book_digest", done.stderr)

    def test_resume_extends_and_is_idle_when_done(self):
        whole = self.play(f"{self.out}-whole", "--games", "15", "--seed", "5")
        self.play(self.out, "--games", "5", "--seed", "5")
        more = self.play(self.out, "--games", "15", "--seed", "5", "--resume")
        self.assertEqual((more["games"], more["kept_games"]), (10, 5))
        self.assertEqual(more["digest"], whole["digest"])
        idle = self.play(self.out, "--games", "15", "--seed", "5", "--resume")
        self.assertEqual((idle["games"], idle["kept_games"]), (0, 15))
        self.assertEqual(idle["digest"], whole["digest"])

    def test_terminate(self):
        self.interrupt_and_resume(signal.SIGTERM, 143)

    def test_terminal_goes_away(self):
        self.interrupt_and_resume(signal.SIGHUP, 129)

    def test_interrupted_run_is_not_overwritten(self):
        play = ("--games", "400", "--seed", "9", "--shard-games", "40", "--threads", "2")
        process = self.start(self.out, *play)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        partials = shards(self.out, ".partial")
        if not partials:
            self.skipTest("the signal fell between two shards")
        for name in shards(self.out): # the partial one is all that is left
            os.remove(os.path.join(self.out, name))
        done = run(*QUICK, *play, "--out", self.out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--resume", done.stderr)
        done = run(*QUICK, *play, "--nodes", "61", "--resume", "--out", self.out)
        self.assertEqual(done.returncode, 1)
        self.assertIn(partials[0], done.stderr)
        self.assertEqual(shards(self.out, ".partial"), partials)

    def test_stop_is_prompt_in_a_long_search(self):
        process = subprocess.Popen([PROGRAM, "--variant", "mansindam", "--nodes", "1000000000",
                                    "--out", self.out, "--seed", "1", "--games", "4",
                                    "--threads", "2"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(3)
        self.assertIsNone(process.poll())
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143)
        self.assertLess(time.monotonic() - begun, 2)
        self.assertEqual(shards(self.out), [])

    def test_two_runs_of_one_directory(self):
        # One long game each, so that the first run is in its first shard all the while.
        play = ("--variant", "mansindam", "--nodes", "2000000", "--games", "2", "--seed", "9",
                "--threads", "1", "--out", self.out)
        process = subprocess.Popen([PROGRAM, *play], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 120
            while not os.path.isdir(self.out) or not os.listdir(self.out):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            done = run(*play, "--resume")
        finally:
            process.kill()
            process.wait()
        self.assertEqual(done.returncode, 1)
        self.assertIn("in use", done.stderr)

    def test_full_disk(self):
        limit = 3000 # bytes a file may have

        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = run(*QUICK, "--shard-games", "200", "--games", "200", "--seed", "5", "--out", self.out,
                   preexec_fn=small_files, restore_signals=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(self.out, done.stderr)
        self.assertIn(os.strerror(27), done.stderr) # EFBIG
        self.assertEqual(shards(self.out), [])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
