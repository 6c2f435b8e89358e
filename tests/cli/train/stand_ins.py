# SPDX-License-Identifier: GPL-3.0-or-later
"""stand_ins.py - a tree of stand-ins for the programs, in which scripts/train runs.

A stand-in for cmake on the PATH "builds" stand-ins for the programs: small scripts that write down
how they were called and print the JSON that the real ones would. What they should say, how long
they take, and when they kill the loop, is in environment variables.
"""

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TRAIN = sys.argv.pop(1)

CMAKE = r"""#!/usr/bin/env python3
import os, shutil, subprocess, sys, time
if os.environ.get("HANG") == "cmake":  # as ninja, which outlives its parent
    ninja = subprocess.Popen(["sleep", "60"], close_fds=False)
    with open(os.environ["CALLS"] + ".pid", "w") as file:
        file.write(str(ninja.pid))
    time.sleep(60)
here = os.path.dirname(os.path.abspath(__file__))
if "--build" in sys.argv:
    build = sys.argv[sys.argv.index("--build") + 1]
    os.makedirs(build + "/bin", exist_ok=True)
    for name in sys.argv[sys.argv.index("--target") + 1:]:
        shutil.copy(here + "/stand-in", build + "/bin/" + name)
"""

STAND_IN = r"""#!/usr/bin/env python3
import hashlib, json, os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends without a traceback
name = os.path.basename(sys.argv[0])
header = os.environ.get("HEADER", "weights/mansindam.h")
if "--version" in sys.argv:  # a question, no step of the run
    print("campmate 1.0\ncommit    abc\ncompiler  cc 1.2\nlevel     x86-64-v3")
    print(f"weights   mansindam: {header}: none")
    sys.exit(0)
with open(os.environ["CALLS"], "a") as calls:
    calls.write(" ".join([name] + sys.argv[1:]) + "\n")

def value(option):
    return sys.argv[sys.argv.index(option) + 1]

def digest(text):
    return hashlib.md5(text.encode()).hexdigest()

def weights():
    own = os.path.join(os.path.dirname(sys.argv[0]), "..", "include", header)
    path = value("--eval-file") if "--eval-file" in sys.argv else own
    return digest(open(path).read()) if os.path.exists(path) else "shipped"

def kill_the_loop(moment):  # KILL: before N or after N, counted from the start of the loop
    kill = os.environ.get("KILL", "never 0").split()
    if kill[0] == moment and int(kill[1]) == sum(
            "--dry-run" not in call for call in open(os.environ["CALLS"])):
        os.kill(os.getppid(), signal.SIGKILL)

if "--dry-run" in sys.argv:
    if "--bogus=1" in sys.argv:
        print(f"seed 1\n{name}: unknown option '--bogus'", file=sys.stderr)
        sys.exit(2)
    sys.exit(0)
probing = "/logs/" in " ".join(sys.argv)  # a question, too: which options go together
if "/logs/probe" in " ".join(sys.argv) and name == "campmate-tune":
    if "--lambda=0.5" in sys.argv and value("--init") == "zero":
        print(f"{name}: --lambda: from all weights 0 only results are targets", file=sys.stderr)
        sys.exit(2)
    if "--search=true" in sys.argv:
        sys.exit(0)
if "--material" in sys.argv and value("--material") == "PAWM=1":
    print(f"{name}: --material: no piece 'PAWM'", file=sys.stderr)
    sys.exit(2)
kill_the_loop("before")
asked = probing or "--emit-zero" in sys.argv or "--games 1 " in " ".join(sys.argv)
if os.environ.get("FAIL") == name and not asked:
    print("first line\nno such luck", file=sys.stderr)
    sys.exit(1)
if os.environ.get("HANG") == name and not asked:
    with open(os.environ["CALLS"] + ".pid", "w") as file:
        file.write(str(os.getpid()))
    time.sleep(60)
if os.environ.get("BUSY") == name:  # by a child in a group of its own, as engines are
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        while os.getppid() != 1 and time.process_time() < 30:
            pass
        os._exit(0)
    os.waitpid(child, 0)
if name == "campmate":
    print("mansindam: 12 nodes\nTotal: 12 nodes 3 nps")
elif name == "campmate-selfplay":
    games = digest(weights() + value("--seed"))
    os.makedirs(value("--out"), exist_ok=True)
    count = {"games": 3, "plies": 100, "bytes": 90, "results": {"white": 2, "black": 1}}
    with open(value("--out") + "/manifest.json", "w") as file:
        json.dump({"weights_digest": weights(), "seed": int(value("--seed")), "bench": 12,
                   "configuration": "nodes = 10\n", "commit": "abc", "compiler": "cc 1.2",
                   "digest": games, "shards": [{"file": "000000.cmpd", "digest": "s" + games,
                                                "first_game": 0, "game_count": 3, **count}],
                   **count}, file)
    print(json.dumps({"games": 3, "plies": 100, "digest": games}))
elif name == "campmate-data" and sys.argv[1] == "book":
    print(json.dumps({"positions": 5}))
elif name == "campmate-data":
    with open(sys.argv[-1] + "/manifest.json") as file:
        manifest = json.load(file)
    print(json.dumps({"ok": True, **{key: manifest[key] for key in
                                     ("games", "plies", "bytes", "results", "digest")}}))
elif name == "campmate-tune":
    with open(value("--out"), "w") as file:
        file.write("/* weights */\n" + value("--seed") + "\n" if "--seed" in sys.argv else "0")
    few = "FEW" in os.environ
    print(json.dumps({"positions": 90, "weights": 5, "k": 1.0, "loss_before": 0.69,
                      "weights_digest": digest(open(value("--out")).read()),
                      "loss_train": 0.5, "loss_validation": None if few else 0.51,
                      "loss_test": None if few else 0.52,
                      "iterations": 4, "gradient_norm": 1e-9, "gap_bound": 1e-12}))
elif name == "campmate-match" and sys.argv[1] == "rating":
    names = sorted({word.split("gauntlet-")[1][:-4] for word in sys.argv if "gauntlet-" in word})
    print(json.dumps({"players": [{"name": player, "elo": -10.5 * i, "elo_error": 5.0, "games": 8}
                                  for i, player in enumerate(names)]}))
elif name == "campmate-match":
    with open(value("--state"), "w") as file:
        file.write("saved")
    verdict = os.environ.get("VERDICT", "H1")
    if verdict in ("first", "second"):  # of the two generations the one that is accepted
        verdict = "H1" if ("gen01/" in value("--pgn")) == (verdict == "first") else "H0"
    sprt = any(word.startswith("--sprt") for word in sys.argv)
    print(json.dumps({"games": 10, "wins": 7, "draws": 0, "losses": 3, "elo": 147.2,
                      "elo_error": 99.5, "pentanomial": [0, 0, 3, 2, 0],
                      **({"elo0": 0.0, "elo1": 20.0, "alpha": 0.05, "beta": 0.05,
                          "elo_model": "logistic", "llr": 2.99, "llr_lower": -2.94,
                          "llr_upper": 2.94, "verdict": verdict} if sprt
                         else {"verdict": "none"})}))
    kill_the_loop("after")
    sys.exit(3 if verdict == "inconclusive" else 0)
kill_the_loop("after")
"""

CONFIG = """
[train]
start = zero
generations = 2
seed = 5
material = PAWN=100
[selfplay]
games = 3
nodes = 10
[match]
games = 10
sprt = elo0=0,elo1=20
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = Path(self.temporary.name)
        (self.root / "bin").mkdir()
        for name, text in (("cmake", CMAKE), ("stand-in", STAND_IN)):
            path = self.root / "bin" / name
            path.write_text(text)
            path.chmod(0o755)
        self.config = self.root / "test.ini"
        self.config.write_text(CONFIG)
        self.run_dir = self.root / "run"
        self.calls = self.root / "calls"
        self.environment = dict(os.environ, CALLS=str(self.calls),
                                PATH=f"{self.root / 'bin'}:{os.environ['PATH']}")

    def tearDown(self):
        self.temporary.cleanup()

    def command(self, *words):
        return [sys.executable, TRAIN, "--config", str(self.config), "--out", str(self.run_dir),
                "--threads", "2", *words]

    def train(self, *words, **environment):
        return subprocess.run(self.command(*words), env=dict(self.environment, **environment),
                              capture_output=True, text=True, timeout=100, check=False)

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def query(self, sql, *values):
        database = sqlite3.connect(self.root / "ledger.sqlite")
        try:
            return database.execute(sql, values).fetchall()
        finally:
            database.close()

    def key(self, name):
        return f"{json.loads((self.run_dir / 'state.json').read_text())['run']}/{name}"

    # What has to be the same however a run got there; not times, attempts and the run's key.
    def outcome(self):
        state = json.loads((self.run_dir / "state.json").read_text())
        text = json.dumps([state["config"], sorted((name, step["result"]) for name, step in
                                                   state["steps"].items())], sort_keys=True)
        files = sorted((str(path.relative_to(self.run_dir)),
                        hashlib.md5(path.read_bytes()).hexdigest())
                       for place in ("accepted", "gen*/include/weights", "gen*/bin")
                       for path in self.run_dir.glob(f"{place}/*") if path.is_file())
        run = state["run"]
        rows = [self.query(f"SELECT {columns} FROM {table} WHERE run = ? ORDER BY 1, 2, 3", run)
                for table, columns in (
                    ("generations", "number, dataset, weights, accepted, installed, elo"),
                    ("fits", "weights, positions, seed"), ("matches", "kind, wins, verdict"),
                    ("steps", "step, kind, status"))]
        rows[-1] = [row for row in rows[-1] if row[2] == "done"]
        leftovers = [path.name for path in self.run_dir.rglob("*.tmp.*")]
        return text.replace(str(self.run_dir), ""), files, rows, leftovers
