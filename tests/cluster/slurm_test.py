#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_test.py - scripts/slurm on a real Slurm with two nodes, while tasks and a node are killed.

    slurm_test.py SCRIPTS BIN

SCRIPTS is the directory scripts/slurm, BIN that of the programs. Without Slurm the test is skipped
(exit code 77), or fails where CAMPMATE_REQUIRE_SLURM is set.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import slurm_cluster

SCRIPTS, BIN = Path(), Path()
SKIPPED = 77
SEED = "11"
GAMES, SHARD_GAMES, SHARDS_PER_TASK = 160, 8, 4   # 20 shards, 5 tasks
MORE_GAMES = 192                                  # one more task
OPTIONS = ["--variant", "mansindam", "--shard-games", str(SHARD_GAMES), "--nodes", "2000"]


def shards_of(part):
    return sorted(path.name for path in part.glob("*.cmpd"))


class SlurmTest(unittest.TestCase):
    def script(self, name, *arguments, code=0):
        done = subprocess.run([str(SCRIPTS / name), *map(str, arguments)], text=True,
                              env=self.cluster.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def status(self):
        return json.loads(self.script("status", "--json", self.run_directory))

    def until(self, what, condition, seconds=120):
        deadline = time.monotonic() + seconds
        while not (found := condition()):
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)
        return found

    def task(self, index, node=None, with_games=True, part=None):
        """A running task of the array that has finished a shard but not all of them. In the first
        round a task has the number of its part."""
        part = self.run_directory / f"parts/{index if part is None else part:06d}"
        if len(shards_of(part)) >= SHARDS_PER_TASK:
            self.fail(f"task {index} was too quick to be disturbed")
        if with_games and not shards_of(part):
            return None
        for job, task, where, pids in self.cluster.jobs():
            players = [pid for pid in pids
                       if slurm_cluster.name_of(pid).startswith("campmate-self")]
            if task == str(index) and players and node in (None, where):
                return job, where, players
        return None

    def log_of(self, index):
        return "".join(path.read_text(encoding="utf-8")
                       for path in self.run_directory.glob(f"logs/selfplay-*_{index}.log"))

    def test_run(self):
        with tempfile.TemporaryDirectory(prefix="campmate-run.") as scratch, \
                slurm_cluster.Cluster() as self.cluster:
            self.run_directory = Path(scratch, "run")
            self.began = time.monotonic()
            try:
                self.disturbed_run(Path(scratch))
                self.damaged_shard()
                self.stopped_extension()
            except BaseException:
                for path in sorted(self.run_directory.glob("logs/*")):
                    print(f"--- {path.name}", path.read_text(encoding="utf-8"), sep="\n")
                raise

    def local_run(self, out):
        """The same games without a cluster, undisturbed."""
        local = subprocess.Popen([BIN / "campmate-selfplay", *OPTIONS, "--seed", SEED, "--games",
                                  str(GAMES), "--out", out, "--json"], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(local.kill)
        return local

    def note(self, text):
        print(f"{time.monotonic() - self.began:5.1f} s  {text}", flush=True)

    def disturbed_run(self, scratch):
        self.script("submit", "--games", GAMES, "--seed", SEED, "--out", self.run_directory,
                    "--shards-per-task", SHARDS_PER_TASK, "--verify-in-tasks", "--bin", BIN, "--",
                    *OPTIONS)
        self.note("submitted")

        # The program of the first task dies.
        _, _, players = self.until("the first task", lambda: self.task(0))
        slurm_cluster.kill(players[0])
        self.note("killed the program of task 0")

        # The second node dies, with what runs on it.
        lost = self.until("a task on n2", lambda: next(
            (index for index in (1, 2) if self.task(index, node="n2", with_games=False)), None))
        self.until("its first shard", lambda: self.task(lost, node="n2"))
        kept = shards_of(self.run_directory / f"parts/{lost:06d}")
        self.cluster.kill_node("n2")
        self.note(f"killed node n2 with task {lost}")

        # Somebody puts a task into the queue again, and one is near its time limit.
        left = [index for index in range(1, 5) if index != lost]
        job, _, _ = self.until("a task to requeue", lambda: self.task(left[0]))
        self.cluster.command("scontrol", "requeue", job)
        self.note(f"requeued task {left[0]}")
        job, _, _ = self.until("a task near its time limit", lambda: self.task(left[1]))
        self.cluster.command("scancel", "--batch", "--signal=USR1", job)
        self.note(f"signalled task {left[1]}")

        self.assertEqual(self.status()["state"], "submitted")
        local = self.local_run(scratch / "local")
        summary_path = self.run_directory / "summary.json"
        self.until("the result", summary_path.exists)
        summary = json.loads(summary_path.read_text(encoding="utf-8"))
        self.note("finished")

        self.digest = json.loads(local.communicate(timeout=300)[0])["digest"]
        self.assertEqual(summary["digest"], self.digest)
        self.assertEqual(summary["games"], GAMES)
        self.assertEqual(summary["shards"], GAMES // SHARD_GAMES)
        for name in ["manifest.json", *(f"{shard:06d}.cmpd" for shard in range(summary["shards"]))]:
            self.assertTrue((self.run_directory / "games" / name).is_file(), name)
        header = (self.run_directory / "weights/mansindam.h").read_text(encoding="utf-8")
        self.assertIn("EvalWeights", header)

        # Only the killed program left shards to a second round; the others went on by themselves.
        plan = json.loads((self.run_directory / "run.json").read_text(encoding="utf-8"))
        self.assertEqual(len(plan["rounds"]), 2)
        self.assertEqual(plan["rounds"][1]["tasks"], 1)
        self.assertLess(plan["rounds"][1]["shards"], SHARDS_PER_TASK)
        self.assertIn("exit code 137", self.log_of(0))
        self.assertIn("restart 1", self.log_of(lost))
        self.assertIn("exit code 143, stopped: asked", self.log_of(left[0]))
        self.assertIn("restart 1", self.log_of(left[0]))
        self.assertIn("exit code 143, stopped: limit", self.log_of(left[1]))
        for index in left[:2]:
            self.assertIn("interrupted; finished games are kept", self.log_of(index))
        self.assertIn("restart 1", self.log_of(left[1]))
        # What was there before was not played again.
        self.assertRegex(self.log_of(0), r"first-game = [1-9]")
        for index in (lost, *left[:2]):
            self.assertRegex(self.log_of(index), r"\d+ games were there already")
        self.assertTrue(kept)
        self.assertEqual(list(self.run_directory.glob("parts/*/*.partial")), [])
        self.script("submit", "--games", GAMES, "--seed", "12", "--out", self.run_directory,
                    "--bin", BIN, "--", *OPTIONS, code=2)

    def damaged_shard(self):
        """One flipped bit in a finished dataset: exactly this shard is made again."""
        self.script("repair", self.run_directory)  # nothing to do
        shard = self.run_directory / "parts/000002/000009.cmpd"
        content = bytearray(shard.read_bytes())
        content[len(content) // 2] ^= 1
        shard.write_bytes(content)
        self.script("repair", "--force", self.run_directory)
        summary = self.run_directory / "summary.json"
        self.until("the repaired result", summary.exists)
        self.assertEqual(json.loads(summary.read_text(encoding="utf-8"))["digest"], self.digest)
        plan = json.loads((self.run_directory / "run.json").read_text(encoding="utf-8"))
        self.assertEqual([entry["shards"] for entry in plan["rounds"][2:]], [0, 1])
        self.assertEqual((self.run_directory / "damaged/000009.cmpd").read_bytes(), content)
        self.note("repaired a damaged shard")

    def stopped_extension(self):
        self.script("submit", "--games", MORE_GAMES, "--seed", SEED, "--out", self.run_directory,
                    "--bin", BIN, "--", *OPTIONS)
        # A job that is cancelled while it is being started can stay in the queue for a minute.
        self.until("the new task", lambda: self.task(
            0, with_games=False, part=GAMES // SHARD_GAMES // SHARDS_PER_TASK))
        self.script("repair", self.run_directory, code=1)  # jobs are in the queue
        self.script("stop", self.run_directory)
        self.until("the end of the jobs", lambda: not self.status()["jobs"])
        facts = self.status()
        self.assertEqual(facts["state"], "stopped")
        self.assertEqual(facts["shards"], MORE_GAMES // SHARD_GAMES)
        self.assertGreaterEqual(facts["present"], GAMES // SHARD_GAMES)
        self.note("stopped an extension")


def main():
    global SCRIPTS, BIN
    if len(sys.argv) != 3:
        sys.exit("usage: slurm_test.py SCRIPTS BIN")
    SCRIPTS, BIN = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    missing = slurm_cluster.missing_programs()
    if missing:
        print(f"slurm_test.py: no {', '.join(missing)}: not tested (scripts/setup --all)")
        sys.exit(1 if os.environ.get("CAMPMATE_REQUIRE_SLURM") else SKIPPED)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the daemons are stopped on the way
    unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
