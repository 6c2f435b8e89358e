#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""train_test.py - the loop of scripts/train: order of steps, resuming, refusals, signals.

A stand-in for cmake on the PATH "builds" stand-ins for the programs: small scripts that write down
how they were called and print the JSON that the real ones would. What they should say, and how
long they take, is in environment variables.
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
import json, os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends without a traceback
name = os.path.basename(sys.argv[0])
if "--version" in sys.argv:  # a question, no step of the run
    header = os.environ.get("HEADER", "weights/mansindam.h")
    print(f"campmate 1.0\nweights   mansindam: {header}: none")
    sys.exit(0)
with open(os.environ["CALLS"], "a") as calls:
    calls.write(" ".join([name] + sys.argv[1:]) + "\n")

def value(option):
    return sys.argv[sys.argv.index(option) + 1]

if "--dry-run" in sys.argv:
    if "--bogus=1" in sys.argv:
        print(f"seed 1\n{name}: unknown option '--bogus'", file=sys.stderr)
        sys.exit(2)
    sys.exit(0)
if "--material" in sys.argv and value("--material") == "PAWM=1":
    print(f"{name}: --material: no piece 'PAWM'", file=sys.stderr)
    sys.exit(2)
if os.environ.get("FAIL") == name:
    print("first line\nno such luck", file=sys.stderr)
    sys.exit(1)
if os.environ.get("HANG") == name:
    with open(os.environ["CALLS"] + ".pid", "w") as file:
        file.write(str(os.getpid()))
    time.sleep(60)
if name == "campmate":
    print("mansindam: 12 nodes\nTotal: 12 nodes 3 nps")
elif name == "campmate-selfplay":
    os.makedirs(value("--out"), exist_ok=True)
    print(json.dumps({"games": 3, "plies": 100, "digest": "d"}))
elif name == "campmate-data":
    print(json.dumps({"ok": True, "results": {"white": 2, "black": 1}, "digest": "d"}))
elif name == "campmate-tune":
    with open(value("--out"), "w") as file:
        file.write("/* weights */\n")
    few = "FEW" in os.environ
    print(json.dumps({"positions": 90, "weights": 5, "k": 1.0, "loss_before": 0.69,
                      "loss_train": 0.5, "loss_validation": None if few else 0.51,
                      "loss_test": None if few else 0.52,
                      "iterations": 4, "gradient_norm": 1e-9, "gap_bound": 1e-12}))
elif name == "campmate-match":
    verdict = os.environ.get("VERDICT", "H1")
    print(json.dumps({"games": 10, "wins": 7, "draws": 0, "losses": 3, "elo": 147.2,
                      "elo_error": 99.5, "llr": 2.99, "llr_lower": -2.94, "llr_upper": 2.94,
                      "verdict": verdict}))
    sys.exit(3 if verdict == "inconclusive" else 0)
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


class TrainTest(unittest.TestCase):
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

    def test_whole_loop(self):
        result = self.train()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = Path(result.stdout.splitlines()[-1])
        self.assertEqual(report, self.run_dir.resolve() / "summary.txt")
        text = report.read_text()
        for part in ("7 wins, 0 draws, 3 losses", "ACCEPTED", "LLR 2.99", "digest d", "bench",
                     "validation 0.51000", "CPU seconds", "Generation 2"):
            self.assertIn(part, text)
        accepted = sorted(p.name for p in (self.run_dir / "accepted").iterdir())
        self.assertEqual(accepted, ["campmate-mansindam-gen01-12", "campmate-mansindam-gen02-12",
                                    "mansindam-gen01.h", "mansindam-gen02.h"])
        calls = self.called()
        self.assertIn("Against hand-set piece values", text)
        self.assertIn("option.EvalFile=", calls[-1])
        tunes = [c for c in calls if c.startswith("campmate-tune --data")]
        self.assertIn("--init zero", tunes[0])
        self.assertIn("gen01/data", tunes[1])
        self.assertIn("gen02/data", tunes[1])
        self.assertIn("--init " + str(self.run_dir / "gen01"), tunes[1])
        seeds = [c.split("--seed ")[1].split()[0] for c in calls if "selfplay --variant" in c]
        self.assertEqual(seeds, ["1006", "2006"])

        # Again: everything is done, nothing is called.
        again = self.train()
        self.assertEqual(again.returncode, 0)
        self.assertEqual(self.called(), calls)
        self.assertIn("finished", self.train("--status").stdout)

    def test_rejected_generation(self):
        for verdict in ("H0", "inconclusive"):
            with self.subTest(verdict=verdict):
                self.run_dir = self.root / verdict
                result = self.train(VERDICT=verdict)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("no generation was accepted", (self.run_dir / "summary.txt").read_text())
                self.assertFalse((self.run_dir / "accepted").exists())
                last = [c for c in self.called() if "match" in c][-1]
                self.assertIn("gen00/bin/campmate", last)

    def test_failed_step_is_repeated(self):
        result = self.train(FAIL="campmate-match")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("campmate-match failed with exit code 1: no such luck;", result.stderr)
        before = len(self.called())
        self.assertIn("unfinished", self.train("--status").stdout)
        self.assertEqual(self.train().returncode, 0)
        self.assertTrue(self.called()[before].startswith("campmate-match"))

    def test_few_games(self):
        result = self.train(FEW="1")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("loss 0.6900 -> 0.5000 (training)", result.stdout)
        self.assertIn("validation none, test none", (self.run_dir / "summary.txt").read_text())
        self.assertEqual(self.train("--status").returncode, 0)

    def interrupt(self, program, number):
        process = subprocess.Popen(self.command(), env=dict(self.environment, HANG=program),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        pid_file = Path(str(self.calls) + ".pid")
        while not pid_file.exists() or not pid_file.read_text():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        child = int(pid_file.read_text())
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
        for _ in range(200):  # the child ends too, also when the loop could not tell it
            try:
                os.kill(child, 0)
            except ProcessLookupError:
                return process.returncode, errors
            time.sleep(0.02)
        self.fail("the child is still running")

    def test_interrupts(self):
        code, errors = self.interrupt("campmate-selfplay", signal.SIGINT)
        self.assertEqual(code, 130)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        Path(str(self.calls) + ".pid").unlink()
        code, _ = self.interrupt("campmate-match", signal.SIGTERM)
        self.assertEqual(code, 143)
        Path(str(self.calls) + ".pid").unlink()
        code, _ = self.interrupt("campmate-match", signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.assertEqual(self.train().returncode, 0)

    def test_run_is_in_use_until_its_children_have_ended(self):
        process = subprocess.Popen(self.command(), env=dict(self.environment, HANG="cmake"),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pid_file = Path(str(self.calls) + ".pid")
        while not pid_file.exists() or not pid_file.read_text():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.kill()
        process.wait()
        result = self.train()
        self.assertEqual(result.returncode, 1)
        self.assertIn("in use", result.stderr)
        os.kill(int(pid_file.read_text()), signal.SIGKILL)
        for _ in range(100):
            result = self.train()
            if "in use" not in result.stderr:
                break
            time.sleep(0.1)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_options_are_checked_before_any_game(self):
        for section in ("selfplay", "tune", "match", "book"):
            with self.subTest(section=section):
                text = CONFIG if f"[{section}]" in CONFIG else CONFIG + f"[{section}]\n"
                self.config.write_text(text.replace(f"[{section}]", f"[{section}]\nbogus = 1"))
                result = self.train()
                self.assertEqual(result.returncode, 2)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn(f"test.ini: [{section}]: campmate-", result.stderr)
                self.assertIn("unknown option '--bogus'", result.stderr)
        self.config.write_text(CONFIG.replace("PAWN=100", "PAWM=1"))
        result = self.train()
        self.assertEqual(result.returncode, 2)
        self.assertIn("test.ini: [train] material: campmate-tune: --material", result.stderr)
        self.assertFalse((self.run_dir / "gen00").exists())
        self.config.write_text(CONFIG)  # corrected
        self.assertEqual(self.train().returncode, 0)
        self.assertEqual((self.run_dir / "config.ini").read_text().count("bogus"), 0)

    def test_changed_configuration_is_refused(self):
        self.assertEqual(self.train().returncode, 0)
        self.config.write_text(CONFIG.replace("nodes = 10", "nodes = 11"))
        result = self.train()
        self.assertEqual(result.returncode, 2)
        self.assertIn("-nodes = 10", result.stderr)
        self.assertIn("+nodes = 11", result.stderr)

    def test_drawn_seed_stays(self):
        self.config.write_text(CONFIG.replace("seed = 5", "seed = 0"))
        self.assertEqual(self.train(FAIL="campmate-match").returncode, 1)
        kept = json.loads((self.run_dir / "state.json").read_text())["config"]
        self.assertNotIn("seed = 0", kept)
        self.assertEqual(self.train().returncode, 0)

    def test_mistakes(self):
        cases = [
            (CONFIG.replace("seed = 5", "seed = five"), "'five' is not a whole number"),
            (CONFIG.replace("generations = 2", "generations = 0"), "out of range"),
            (CONFIG.replace("[selfplay]", "[self-play]"), "unknown section [self-play]"),
            (CONFIG.replace("start = zero", "begin = zero"), "no key 'begin'"),
            (CONFIG.replace("nodes = 10", "out = x"), "set by the loop itself"),
            (CONFIG.replace("games = 10", ""), "needs sprt"),
            ("nonsense\n", "test.ini"),
            (CONFIG.replace("[train]", "[train]\nvariant = ches"), "test.ini: [train] variant: "),
            (CONFIG.replace("[train]", "[train]\npreset = base"), "test.ini: [train] preset: "),
            (CONFIG.replace("start = zero", "start = a.h"), "test.ini: [train] start: "),
            (CONFIG.replace("games = 3", "games = ten"), "test.ini: [selfplay] games: "),
            (CONFIG.replace("games = 10", "games = 1\nopenings = a"),
             "test.ini: [match] openings: "),
        ]
        for text, part in cases:
            with self.subTest(part=part):
                self.config.write_text(text)
                for words in ((), ("--dry-run",)):
                    result = self.train(*words)
                    self.assertEqual(result.returncode, 2)
                    self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                    self.assertIn(part, result.stderr)
                    self.assertFalse(self.run_dir.exists())
        self.assertEqual(self.train("--bogus").returncode, 2)
        self.assertEqual(self.train("--threads=-1").returncode, 2)
        self.assertEqual(self.train("--help").returncode, 0)

    def test_weights_shared_with_another_variant(self):
        result = self.train(HEADER="weights/parent.h")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.run_dir / "gen01" / "include" / "weights" / "parent.h").is_file())
        self.assertTrue((self.run_dir / "accepted" / "mansindam-gen01.h").is_file())

    def test_foreign_directory_is_left_alone(self):
        self.run_dir.mkdir()
        (self.run_dir / "thesis.txt").write_text("precious")
        result = self.train()
        self.assertEqual(result.returncode, 1)
        self.assertIn("not a run of this script", result.stderr)

    def test_dry_run_and_json(self):
        result = self.train("--dry-run")
        self.assertEqual(result.returncode, 0)
        self.assertIn("generations = 2", result.stdout)
        self.assertFalse(self.run_dir.exists())
        result = self.train("--json")
        self.assertEqual(json.loads(result.stdout)["best"], 2)


if __name__ == "__main__":
    unittest.main()
