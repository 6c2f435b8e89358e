#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""kill_test.py - campmate-selfplay is killed again and again; the dataset does not show it.

    kill_test.py --bin=DIR --trouble=FILE [--kills=N] [--every=N] [unittest arguments]

After each kill every shard that has its final name is, byte for byte, the shard of a run that
nobody disturbed, and verify passes on it. At the end so is the whole dataset, and no game was made
again that had been in a whole block of an unfinished shard.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import faults
from faults import GIVEN, FaultTest, files, troubled

SHARD_GAMES = 150
GAMES = 8 * SHARD_GAMES
PLAY = ["--variant", "mansindam", "--nodes", "40", "--max-plies", "60", "--seed", "9"]
LONG = PLAY + ["--shard-games", str(SHARD_GAMES), "--games", str(GAMES)]
SHORT = PLAY + ["--shard-games", "70", "--games", "140"]
BLOCK = 64  # games
HARMLESS = "trouble: (unlink|fsync of a directory|flock of a temporary file) fails"


class KillTest(FaultTest):
    def whole(self, play):
        out = self.path("whole")
        summary = json.loads(self.done("campmate-selfplay", *play, "--json", "--out", out).stdout)
        return summary["digest"], files(out, ".cmpd")

    def check_kept(self, out, whole, before):
        """All finished shards are right, and those that were there before still are there."""
        now = files(out, ".cmpd")
        for name in now:
            self.assertEqual(now[name], whole[name], name)
        for name in before:
            self.assertIn(name, now)
        for name in set(now) - set(before):
            self.verify(os.path.join(out, name))
        return sorted(now)

    def kept(self, out):
        """How many games are in finished shards and whole blocks of others, as salvage sees it."""
        total = 0
        names = os.listdir(out) if os.path.isdir(out) else []
        for shard in {name[:6] for name in names if name[:6].isdigit()}:
            best = 0
            for name in names:
                if name.startswith(shard) and not name.endswith(".lock"):
                    done = faults.run("campmate-data", "salvage", "--dry-run", "--json",
                                      os.path.join(out, name))
                    if done.returncode == 0:
                        best = max(best, json.loads(done.stdout)["saved"])
            total += best
        return total

    def check_end(self, out, digest, whole):
        self.assertEqual(files(out, ".cmpd"), whole)
        verdict = self.verify(out)
        self.assertTrue(verdict["manifest"])
        with open(os.path.join(out, "manifest.json"), encoding="utf-8") as stream:
            self.assertEqual(json.load(stream)["digest"], digest)
        rest = [name for name in os.listdir(out) if name not in whole]
        rest = [name for name in rest if not re.fullmatch(r"manifest\.json(\.tmp\.\d+\.\d+)?",
                                                          name)]
        self.assertEqual(rest, [])


class Moments(KillTest):
    """At random moments, with random numbers of threads, until the dataset is complete."""

    def test_random_moments(self):
        wanted = int(GIVEN.get("kills", 12))
        seed = int(GIVEN.get("seed", random.SystemRandom().randrange(1 << 32)))
        print(f"kill_test: --seed={seed}", flush=True)
        rng = random.Random(seed)
        begun = time.monotonic()
        digest, whole = self.whole(LONG + ["--threads", "2"])
        pace = time.monotonic() - begun
        kills = stops = runs = seen = taken_up = 0
        while kills < wanted:
            out, names, again, runs = self.path(f"run{runs}"), [], 0, runs + 1
            while True:
                process = subprocess.Popen(
                    [faults.program("campmate-selfplay"), *LONG, "--threads",
                     str(rng.randint(1, 5)), "--out", out, "--json", "--resume"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                # Mostly soon, so that restarts and half-loaded partials are met, too.
                delay = rng.choice((0.05, 0.2, 0.6)) * rng.random() * 2 * pace
                number = rng.choice((signal.SIGKILL,) * 6 + (signal.SIGTERM, signal.SIGINT))
                if kills >= wanted:
                    delay = 300
                started = time.monotonic()
                try:
                    stdout, stderr = process.communicate(timeout=delay)
                except subprocess.TimeoutExpired:
                    process.send_signal(number)
                    stdout, stderr = process.communicate(timeout=120)
                names = self.check_kept(out, whole, names)
                if process.returncode == 0:
                    summary = json.loads(stdout)
                    self.assertEqual(summary["digest"], digest)
                    self.assertGreaterEqual(summary["kept_games"], again)
                    if again == 0:  # the machine may have become quicker
                        pace = min(pace, time.monotonic() - started)
                    break
                expected = (-number if number == signal.SIGKILL else 128 + number)
                self.assertIn(process.returncode, (expected, -number), stderr)
                kept = self.kept(out)
                self.assertGreaterEqual(kept, again, "games of whole blocks were lost")
                again = kept
                if number == signal.SIGKILL:
                    kills += 1
                    seen += len(names)
                    taken_up += kept - SHARD_GAMES * len(names)
                else:
                    stops += 1
            self.check_end(out, digest, whole)
            shutil.rmtree(out)
        print(f"kill_test: {kills} kills and {stops} stops in {runs} runs; {seen} times a finished "
              f"shard was there, unchanged; {taken_up} games of unfinished ones after kills",
              flush=True)


class Operations(KillTest):
    """At each operation on a file: kill -9 before it (and in the middle of a write), or a disk
    that is full from then on, or only for a moment."""

    def operations(self, *arguments):
        """Their names, in order."""
        log = self.path("log")
        self.done("campmate-selfplay", *arguments, env=troubled(LOG=log))
        names = faults.read(log).decode().splitlines()
        os.remove(log)
        return names

    def selected(self, names):
        """The numbers of every N-th and of one of each kind; others in each run of the test."""
        every = int(GIVEN.get("every", 1))
        chosen = set(range(1 + random.randrange(every), len(names) + 1, every))
        for kind in set(names):
            chosen.add(random.choice([i + 1 for i, name in enumerate(names) if name == kind]))
        return sorted(chosen)

    def finish(self, out, digest, whole):
        kept = self.kept(out)
        done = self.done("campmate-selfplay", *SHORT, "--resume", "--json", "--out", out)
        self.assertEqual(json.loads(done.stdout)["digest"], digest)
        self.assertGreaterEqual(json.loads(done.stdout)["kept_games"], kept)
        self.check_end(out, digest, whole)
        return kept

    def each(self, trouble, code):
        digest, whole = self.whole(SHORT)
        out = self.path("out")
        names = self.operations(*SHORT, "--threads", 1, "--out", out)
        self.assertGreaterEqual(set(names), {"open", "mkdir", "flock", "flock of a temporary file",
                                             "fwrite", "fsync", "fclose",
                                             "rename", "fsync of a directory", "unlink"})
        shutil.rmtree(out)
        tried = most = 0
        for number in self.selected(names):
            done = faults.run("campmate-selfplay", *SHORT, "--threads", 1, "--out", out,
                              env=troubled(**{trouble: number}))
            where = f"{trouble}={number}: {done.stderr[-300:]}"
            self.assertIn(done.returncode, code, where)
            if done.returncode == 0:  # only where it does no harm
                self.assertRegex(done.stderr, HARMLESS, where)
            if done.returncode == 1:
                self.assertIn("No space left on device", done.stderr, where)
                self.assertIn(out, done.stderr, where)
            self.check_kept(out, whole, [])
            tried += 1
            if number % 3 == 0 and code[0] < 0:  # once more, while it goes on
                faults.run("campmate-selfplay", *SHORT, "--resume", "--threads", 1, "--out", out,
                           env=troubled(**{trouble: 1 + number // 2}))
                self.check_kept(out, whole, [])
            most = max(most, self.finish(out, digest, whole))
            shutil.rmtree(out)
        self.assertGreater(most, BLOCK)
        print(f"kill_test: {trouble} at {tried} of {len(names)} operations", flush=True)

    def test_killed(self):
        self.each("KILL", (-signal.SIGKILL,))

    def test_full_from_then_on(self):
        # Removing a file and syncing a directory may fail without harm.
        self.each("FULL", (1, 0))

    def test_failing_once(self):
        self.each("FAIL", (1, 0))


if __name__ == "__main__":
    faults.main()
