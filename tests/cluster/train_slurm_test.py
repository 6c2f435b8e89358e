#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""train_slurm_test.py - scripts/train with its games on a real Slurm; killed while it waits.

    train_slurm_test.py SCRIPTS BIN

SCRIPTS is the directory scripts/slurm, BIN that of the programs. Nothing is compiled: a stand-in for
cmake makes builds of the programs in BIN that play with the header of the generation. Without Slurm
the test is skipped (exit code 77), or fails where CAMPMATE_REQUIRE_SLURM is set.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import slurm_cluster  # noqa: E402 (no bytecode beside the sources)

SKIPPED = 77
CMAKE = r"""#!/usr/bin/env python3
import os, shutil, sys
from pathlib import Path
real = Path(os.environ["REAL_BIN"])
if "--build" not in sys.argv:
    build = Path(sys.argv[sys.argv.index("-B") + 1])
    build.mkdir(parents=True, exist_ok=True)
    weights = [word.split("=", 1)[1] for word in sys.argv if "WEIGHTS_DIR=" in word][0]
    (build / "weights").write_text(weights)
else:
    build = Path(sys.argv[sys.argv.index("--build") + 1])
    (build / "bin").mkdir(exist_ok=True)
    weights = (build / "weights").read_text()
    for name in sys.argv[sys.argv.index("--target") + 1:]:
        target = build / "bin" / name
        if name == "campmate-selfplay" and weights:
            target.write_text(f'#!/bin/sh\nexec "{real / name}" "$@" '
                              f'--eval-file "{weights}/weights/mansindam.h"\n')
            target.chmod(0o755)
        else:
            shutil.copy(real / name, target)
"""
CONFIG = """
[train]
variant = mansindam
start = zero
generations = 1
prior = zero
seed = 1
[selfplay]
games = 40
nodes = 100
max-plies = 80
shard-games = 4
[match]
sprt = elo0=0,elo1=20
games = 2
nodes = 20
"""
SLURM = """
[slurm]
shards-per-task = 4
poll = 1
"""


class TrainOnSlurm(unittest.TestCase):
    def train(self, name, **options):
        return subprocess.Popen(
            [sys.executable, str(SCRIPTS.parent / "train"), "--config", str(self.root / f"{name}.ini"),
             "--out", str(self.root / name), "--threads", "1"], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env=self.environment, **options)

    def facts(self, name):
        steps = json.loads((self.root / name / "state.json").read_text())["steps"]
        played, tuned = (steps[f"gen01 {step}"]["result"] for step in ("self-play", "tune"))
        return [played["digest"], played["games"], played["results"], played["weights_digest"],
                tuned["weights_digest"], steps["gen01 match"]["result"]["wins"]]

    def test_games_on_slurm(self):
        with tempfile.TemporaryDirectory(prefix="campmate-train.") as scratch, \
                slurm_cluster.Cluster() as cluster:
            self.root = Path(scratch)
            (self.root / "bin").mkdir()
            (self.root / "bin" / "cmake").write_text(CMAKE)
            (self.root / "bin" / "cmake").chmod(0o755)
            self.environment = {**cluster.environment(), "REAL_BIN": str(BIN)}
            self.environment["PATH"] = f"{self.root / 'bin'}:{self.environment['PATH']}"
            (self.root / "here.ini").write_text(CONFIG)
            (self.root / "there.ini").write_text(CONFIG + SLURM)

            first = self.train("there")
            plan = self.root / "there" / "gen01" / "cluster" / "run.json"
            deadline = time.monotonic() + 200
            while not plan.exists() or not json.loads(plan.read_text())["rounds"]:
                self.assertIsNone(first.poll(), first.stdout.read() if first.poll() else "")
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            first.kill()  # the jobs do not notice
            first.communicate()
            for name in ("there", "here"):
                for _ in range(100):
                    process = self.train(name)
                    said, _ = process.communicate(timeout=250)
                    if "in use" not in said:
                        break
                    time.sleep(0.2)
                self.assertEqual(process.returncode, 0, said)
            self.assertEqual(self.facts("there"), self.facts("here"))
            self.assertEqual(json.loads(plan.read_text())["rounds"][0]["tasks"],
                             3)
            rows = sqlite3.connect(self.root / "ledger.sqlite")
            tasks = rows.execute("SELECT DISTINCT step, status FROM steps WHERE step LIKE '% task %' "
                                 "AND status = 'done' ORDER BY 1").fetchall()
            self.assertEqual(tasks, [(f"gen01 self-play task 00000{n}", "done") for n in range(3)])
            self.assertEqual(rows.execute("SELECT count(*), sum(games) FROM shards").fetchall(),
                             [(10, 40)])
            rows.close()


def main():
    missing = slurm_cluster.missing_programs()
    if missing and not os.environ.get("CAMPMATE_REQUIRE_SLURM"):
        print(f"skipped: no {', '.join(missing)} on this machine")
        sys.exit(SKIPPED)
    unittest.main()


if __name__ == "__main__":
    SCRIPTS, BIN = (Path(argument).resolve() for argument in sys.argv[1:3])
    del sys.argv[1:3]
    main()
