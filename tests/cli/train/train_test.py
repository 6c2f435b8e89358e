#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""train_test.py - the loop of scripts/train: order of steps, resuming, refusals, signals, ledger.

    train_test.py scripts/train

With stand-ins for the programs (stand_ins.py): the loop's logic, not the chess.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from stand_ins import CONFIG, TRAIN, Case  # noqa: E402 (no bytecode beside the sources)


class TrainTest(Case):
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

    def test_whole_loop(self):
        result = self.train()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = Path(result.stdout.splitlines()[-1])
        self.assertEqual(report, self.run_dir.resolve() / "summary.txt")
        # The stand-ins' headers cannot be drawn, which is no reason to fail.
        self.assertIn("note: no report.html: scripts/report: ", result.stdout)
        self.assertIn("no weights in it", result.stdout)
        text = report.read_text()
        for part in ("7 wins, 0 draws, 3 losses", "ACCEPTED", "LLR 2.99", "digest ", "bench",
                     "validation 0.51000", "CPU seconds", "Generation 2"):
            self.assertIn(part, text)
        accepted = sorted(p.name for p in (self.run_dir / "accepted").iterdir())
        self.assertEqual(accepted, ["mansindam-g01-12", "mansindam-g01-12.h",
                                    "mansindam-g02-12", "mansindam-g02-12.h"])
        calls = self.called()
        self.assertIn("Against hand-set piece values", text)
        self.assertIn("option.EvalFile=", [c for c in calls if c.startswith("campmate-match")][-1])
        tunes = [c for c in calls if c.startswith("campmate-tune --data") and "/gen0" in c]
        self.assertIn("--init zero", tunes[0])
        self.assertIn("gen01/data", tunes[1])
        self.assertIn("gen02/data", tunes[1])
        self.assertIn("--init " + str(self.run_dir / "gen01"), tunes[1])
        seeds = [c.split("--seed ")[1].split()[0] for c in calls if "selfplay --variant" in c
                 and "--games 1 " not in c and "/logs/" not in c]
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

    def test_parents(self):
        """A rejected generation is kept, and the next one has the same parent."""
        self.assertEqual(self.train(VERDICT="second").returncode, 0)
        status = self.train("--status").stdout
        self.assertIn("2 generations decided, 1 accepted, 1 rejected", status)
        self.assertIn("best     gen02, +132 Elo", status)
        text = (self.run_dir / "summary.txt").read_text()
        self.assertIn("generations 2: 1 accepted, 1 rejected", text)
        self.assertIn("gen02       gen00   accepted", text)
        self.assertEqual(sorted(p.name for p in (self.run_dir / "accepted").iterdir()),
                         ["mansindam-g02-12", "mansindam-g02-12.h"])
        plays = [c for c in self.called() if "selfplay --variant" in c and "--data" not in c
                 and "/data " in c]
        self.assertEqual(len(plays), 2)
        self.assertEqual(self.query("SELECT number, parent, accepted, installed FROM generations"),
                         [(0, None, 1, None), (1, self.key("gen00"), 0, None),
                          (2, self.key("gen00"), 1, "mansindam-g02-12")])

    def test_ledger(self):
        """Which data made these weights, at what cost, and what proved them."""
        self.assertEqual(self.train(FAIL="campmate-match").returncode, 1)
        self.assertEqual(self.train().returncode, 0)
        weights = json.loads((self.run_dir / "state.json").read_text())
        made = weights["steps"]["gen02 build"]["result"]["weights_digest"]
        data = self.query("""SELECT d.dataset, d.games, d.path FROM weights
            JOIN fit_datasets USING (fit) JOIN datasets d USING (dataset)
            WHERE weights.weights = ? ORDER BY number""", made)
        self.assertEqual(data, [
            (weights["steps"][f"gen0{n} self-play"]["result"]["digest"], 3,
             str(self.run_dir.resolve() / f"gen0{n}" / "data")) for n in (1, 2)])
        self.assertEqual(self.query("SELECT status FROM steps WHERE step = 'gen01 match' "
                                    "ORDER BY attempt"), [("failed",), ("done",)])
        self.assertEqual(self.query("SELECT count(*) FROM steps WHERE status = 'done' AND "
                                    "(cpu_seconds IS NULL OR compiler IS NULL OR commit_id IS NULL)"
                                    " AND step NOT LIKE 'tools'"), [(0,)])
        self.assertEqual(self.query("SELECT kind, verdict, wins FROM matches ORDER BY kind, match"),
                         [("gate", "H1", 7), ("gate", "H1", 7), ("material", "H1", 7)])
        elo = self.query("SELECT elo FROM progress WHERE core_hours > 0 ORDER BY core_hours")
        self.assertEqual([round(row[0]) for row in elo], [0, 132, 265])
        self.assertEqual(self.query("PRAGMA foreign_key_check"), [])

        # A lost ledger is made again from the run's own lines.
        before = self.query("SELECT * FROM steps"), self.query("SELECT * FROM generations")
        for path in self.root.glob("ledger.sqlite*"):
            path.unlink()
        done = subprocess.run([sys.executable, str(Path(TRAIN).parent / "ledger"), "load",
                               "--ledger", str(self.root / "ledger.sqlite"),
                               str(self.run_dir / "ledger.jsonl")], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.query("SELECT * FROM steps"),
                          self.query("SELECT * FROM generations")), before)

    def test_ledger_in_other_hands(self):
        """A ledger that cannot be written does not end the run, and is filled later."""
        (self.root / "ledger.sqlite").write_text("these are not the tables you are looking for")
        result = self.train()
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("the ledger is left behind for now", result.stderr)
        (self.root / "ledger.sqlite").unlink()
        self.assertEqual(self.train().returncode, 0)
        self.assertEqual(self.query("SELECT count(*) FROM generations"), [(3,)])

    def test_gauntlet(self):
        self.config.write_text(CONFIG + """
[gauntlet]
every = 1
games = 4
nodes = 77
engine = name=other,cmd=/bin/true
""")
        result = self.train()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        names = [line.split(":")[0] for line in result.stdout.splitlines() if "gauntlet" in line]
        self.assertEqual(names, ["gen01 gauntlet gen00", "gen01 gauntlet other",
                                 "gen02 gauntlet gen00", "gen02 gauntlet gen01",
                                 "gen02 gauntlet other"])
        played = [c for c in self.called() if "gauntlet-other" in c]
        self.assertIn("--engine name=other,cmd=/bin/true", played[0])
        self.assertIn("--nodes=77", played[0])
        self.assertNotIn("--sprt", played[0])
        self.assertIn("gen02 - other", (self.run_dir / "summary.txt").read_text())
        self.assertEqual(self.query("SELECT count(*), sum(verdict = 'none'), sum(llr IS NULL) FROM "
                                    "matches WHERE kind = 'gauntlet'"), [(5, 5, 5)])
        self.assertEqual(self.query("SELECT pool, build, elo FROM ratings"), [
            ("gen01", self.key("engine other"), -10.5), ("gen01", self.key("gen00"), 0.0),
            ("gen02", self.key("engine other"), -21.0), ("gen02", self.key("gen00"), 0.0),
            ("gen02", self.key("gen01"), -10.5)])
        rating = [c for c in self.called() if c.startswith("campmate-match rating")][-1]
        self.assertEqual(rating.count(".pgn"), 7)  # two gates, five matches of gauntlets
        self.assertRegex((self.run_dir / "summary.txt").read_text(), r"other +-21 +5 +8")
        self.assertEqual(self.query("SELECT command FROM builds WHERE kind = 'external'"),
                         [("name=other,cmd=/bin/true",)])

    def test_gauntlet_of_the_same_best_is_not_repeated(self):
        self.config.write_text(CONFIG + "[gauntlet]\ngames = 4\n")
        self.assertEqual(self.train(VERDICT="first").returncode, 0)
        self.assertEqual(self.query("SELECT generation, first, second FROM matches "
                                    "WHERE kind = 'gauntlet'"),
                         [(self.key("gen01"), self.key("gen01"), self.key("gen00"))])

    def test_until(self):
        result = self.train("--until", "elo=130")
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.run_dir / "summary.txt").read_text()
        self.assertIn("stopped at  gen01 is +132 Elo above the first weights", text)
        self.assertFalse((self.run_dir / "gen02").exists())
        # It goes on where it was with another aim.
        result = self.train("--until=elo=1000", "--until=generations=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("stopped at  3 generations", (self.run_dir / "summary.txt").read_text())
        plays = [c for c in self.called() if "selfplay --variant" in c and "--data" not in c
                 and "/data " in c]
        self.assertEqual(len(plays), 3)
        result = self.train("--until=hours=0.0000001")
        self.assertIn("hours", (self.run_dir / "summary.txt").read_text())
        for words, part in (("elo=x", "'x' is no number above 0"), ("moon=1", "expected elo=X"),
                            ("generations=1.5", "no whole number")):
            result = self.train("--until", words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(part, result.stderr)

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

    def test_interrupts(self):
        code, errors = self.interrupt("campmate-selfplay", signal.SIGINT)
        self.assertEqual(code, 130)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        Path(str(self.calls) + ".pid").unlink()
        code, _ = self.interrupt("campmate-match", signal.SIGTERM)
        self.assertEqual(code, 143)
        Path(str(self.calls) + ".pid").unlink()
        code, _ = self.interrupt("campmate-match", signal.SIGHUP)
        self.assertEqual(code, 129)
        Path(str(self.calls) + ".pid").unlink()
        code, _ = self.interrupt("campmate-match", signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.assertEqual(self.train().returncode, 0)

    def test_what_a_killed_step_took(self):
        """Known as far as it was looked at, and counted."""
        process = subprocess.Popen(
            self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(self.environment, BUSY="campmate-match", CAMPMATE_PULSE_SECONDS="0.05"))
        pulse, found = self.run_dir / "pulse.json", {}
        while found.get("step") != "gen01 match" or found["cpu_seconds"] < 0.3:
            self.assertIsNone(process.poll())
            time.sleep(0.02)
            if pulse.exists():
                found = json.loads(pulse.read_text())
        process.kill()
        process.wait()
        while True:  # its child ends by itself
            result = self.train()
            if "in use" not in result.stderr:
                break
            time.sleep(0.1)
        self.assertEqual(result.returncode, 0, result.stderr)
        (killed,), (done,) = (self.query(
            "SELECT cpu_seconds, wall_seconds FROM steps WHERE step = 'gen01 match' AND status = ?",
            status) for status in ("killed", "done"))
        self.assertGreaterEqual(killed[0], 0.3)
        self.assertLessEqual(killed[0], 2 * killed[1] + 1)
        self.assertLess(done[0], killed[0])
        counted = json.loads((self.run_dir / "state.json").read_text())["steps"]["gen01 match"]
        self.assertAlmostEqual(counted["cpu_seconds"], killed[0] + done[0], delta=0.02)

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

    def test_options_that_do_not_go_together(self):
        """Found out with a few games, before those of the first generation."""
        for line, part in (("lambda = 0.5", "[tune]: campmate-tune: --lambda: from all weights 0"),
                           ("search = true", "[tune]: campmate-tune writes no header with --search")):
            self.config.write_text(CONFIG + f"[tune]\n{line}\n")
            result = self.train()
            self.assertEqual(result.returncode, 2)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(part, result.stderr)
            self.assertFalse((self.run_dir / "gen00").exists())
        self.config.write_text(CONFIG)
        self.assertEqual(self.train().returncode, 0)
        self.assertEqual(list((self.run_dir / "logs").glob("probe*/")), [])

    def test_gauntlet_engine_that_is_no_program(self):
        for command in ("/nowhere/engine", str(self.config), "/", "no-such-program", '"/a b"'):
            self.config.write_text(CONFIG + f"[gauntlet]\ngames = 2\nengine = name=x,cmd={command}\n")
            result = self.train("--dry-run")
            self.assertEqual(result.returncode, 2, command)
            self.assertIn("[gauntlet] engine: '", result.stderr)
            self.assertIn("is no program", result.stderr)

    def test_changed_configuration_is_refused(self):
        self.assertEqual(self.train().returncode, 0)
        self.config.write_text(CONFIG.replace("nodes = 10", "nodes = 11").replace("seed = 5", "seed = 6"))
        result = self.train()
        self.assertEqual(result.returncode, 2)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("[train] seed = 6, was 5, [selfplay] nodes = 11, was 10;", result.stderr)
        self.assertIn("choose another --out", result.stderr)

    def test_what_was_not_used_yet_can_be_changed(self):
        self.assertEqual(self.train(FAIL="campmate-tune").returncode, 1)
        self.config.write_text(CONFIG + "[tune]\nbogus = 1\n")  # looked at like the first one
        result = self.train()
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown option '--bogus'", result.stderr)
        self.config.write_text(CONFIG.replace("games = 3", "games = 4"))
        self.assertIn("[selfplay] games = 4, was 3;", self.train().stderr)
        self.config.write_text(CONFIG + "[tune]\nridge = 2\n")
        self.assertEqual(self.train().returncode, 0)
        self.assertIn("ridge = 2", (self.run_dir / "config.ini").read_text())
        self.config.write_text(CONFIG + "[tune]\nridge = 3\n")
        self.assertIn("[tune] ridge = 3, was 2;", self.train().stderr)

    def test_damaged_state(self):
        self.assertEqual(self.train().returncode, 0)
        path = self.run_dir / "state.json"
        whole = json.loads(path.read_text())
        changed = json.loads(json.dumps(whole["steps"]))
        changed["gen01 match"]["result"]["wins"] += 1
        for damage, part in (({"config": None}, '"config" is null, expected str'),
                             ({"steps": 5}, '"steps" is 5, expected dict'),
                             ({"attempts": []}, '"attempts" is [], expected dict'),
                             ({"version": 9}, "version 9"),
                             ({"steps": changed}, "does not have the \"sha256\""),
                             ("", "it is empty"), ("{", "line 1"), ("[]", "expected an object")):
            path.write_text(damage if isinstance(damage, str) else json.dumps({**whole, **damage}))
            for words in (), ("--status",):
                result = self.train(*words)
                self.assertEqual(result.returncode, 1)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn("state.json: ", result.stderr)
                self.assertIn(part, result.stderr)
                self.assertIn("choose another --out", result.stderr)
        # One of before there were checks is taken as it is.
        old = {key: value for key, value in whole.items() if key != "sha256"}
        path.write_text(json.dumps({**old, "version": 2}))
        self.assertEqual(self.train().returncode, 0)
        self.assertEqual(json.loads(path.read_text())["version"], 3)

    def test_the_first_limit_that_is_reached(self):
        """Whatever the number of limits of a kind, and wherever they stand."""
        self.config.write_text(CONFIG.replace("generations = 2", "until = elo=5,elo=100000"))
        for words in (("--until", "elo=5", "--until", "elo=100000"), ("--until", "elo=100000,elo=5"),
                      ("--until=hours=9", "--until", "elo=5,hours=99"),
                      ("--until=generations=9", "--until=generations=1"),
                      ("--until=generations=1", "--generations=9"),
                      ("--until=generations=9", "--generations=1"), ("--generations=1",), ()):
            with self.subTest(words=words):
                self.run_dir = self.root / f"run{'-'.join(words)}".replace(",", "")
                result = self.train(*words)
                self.assertEqual(result.returncode, 0, result.stderr)
                status = self.train("--status").stdout
                self.assertIn("1 generations decided", status)

    def test_file_that_cannot_be_written(self):
        result = subprocess.run(
            self.command(), env=self.environment, capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, f"scripts/train: {self.run_dir}/config.ini: File too large\n")
        self.assertEqual([path.name for path in self.run_dir.iterdir()], ["lock"])
        self.assertEqual(self.train().returncode, 0)

    def test_leftovers_of_killed_processes(self):
        self.assertEqual(self.train(FAIL="campmate-match").returncode, 1)
        left = [self.run_dir / name for name in
                ("state.json.tmp.1", "gen01/bin/campmate.tmp.77",
                 "gen01/include/weights/mansindam.h.tmp.9.0", "tools/campmate-tune.tmp.5")]
        kept = self.run_dir / "my.tmp.notes"
        for path in [*left, kept]:
            path.touch()
        self.assertEqual(self.train().returncode, 0)
        self.assertEqual([path for path in left if path.exists()], [])
        self.assertTrue(kept.exists())

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
            (CONFIG.replace("games = 10", "games = 0"), "[match] games: 0 is out of range"),
            (CONFIG.replace("games = 3", "games = 0"), "[selfplay] games: 0 is out of range"),
            (CONFIG + "[gauntlet]\ngames = 0\n", "[gauntlet] games: 0 is out of range"),
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
        for path, part in (("/dev/zero", "not a regular file"), ("/nowhere", "No such file")):
            result = self.train(f"--config={path}")
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"cannot read {path}: {part}", result.stderr)
        self.config.write_text("\ufeff" + CONFIG)
        self.assertEqual(self.train("--dry-run").returncode, 0)
        for words in ("--out=",), ("--ledger=",), ("--config=",):
            result = self.train(*words)
            self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1), result.stderr)
        self.assertEqual(self.train("--bogus").returncode, 2)
        self.assertEqual(self.train("--threads=-1").returncode, 2)
        self.assertEqual(self.train("--help").returncode, 0)

    def test_weights_shared_with_another_variant(self):
        result = self.train(HEADER="weights/parent.h")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.run_dir / "gen01" / "include" / "weights" / "parent.h").is_file())
        self.assertTrue((self.run_dir / "accepted" / "mansindam-g01-12.h").is_file())

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
        self.assertRegex(result.stdout, r"self-play      2 x \d+ games on \d+ threads, about 0.1 MB\n")
        self.assertFalse(self.run_dir.exists())
        result = self.train("--json")
        self.assertEqual(json.loads(result.stdout)["best"], 2)


if __name__ == "__main__":
    unittest.main()
