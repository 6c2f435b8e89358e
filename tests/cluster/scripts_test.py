#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts_test.py - scripts/slurm with stand-ins for Slurm's commands: what is submitted, and when.

    scripts_test.py SCRIPTS BIN

SCRIPTS is the directory scripts/slurm, BIN that of the (real) programs. The stand-in of sbatch
writes down its arguments; jobs are "executed" by the tests.
"""

import fcntl
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

SCRIPTS, BIN = (Path(argument).resolve() for argument in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS))
import run  # noqa: E402 pylint: disable=wrong-import-position

STAND_IN = r"""#!/usr/bin/env python3
import json, os, sys
from pathlib import Path
here = Path(__file__).resolve().parent
name = os.path.basename(sys.argv[0])
with open(here / "calls", "a") as calls:
    calls.write(json.dumps([name, *sys.argv[1:]]) + "\n")
if name == "sbatch":
    count = sum(json.loads(line)[0] == "sbatch" for line in open(here / "calls"))
    if count == int(os.environ.get("REFUSE", 0)):
        print("sbatch: error: Batch job submission failed: no more jobs for you", file=sys.stderr)
        sys.exit(1)
    print(100 + count)
elif name == "scontrol":
    print("MaxArraySize            = " + os.environ.get("ARRAY", "1001"))
elif name == "squeue" and (here / "queue").exists():
    print((here / "queue").read_text(), end="")
"""

OPTIONS = ["--variant", "mansindam", "--nodes", "30", "--max-plies", "60", "--shard-games", "2"]


def without_objects(value):
    """Leaves out what is marked with `object`."""
    if isinstance(value, dict):
        return {key: without_objects(item) for key, item in value.items() if item is not object}
    return [without_objects(item) for item in value] if isinstance(value, list) else value


class ScriptsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        self.stand_ins = self.scratch / "stand-ins"
        self.stand_ins.mkdir()
        for name in ("sbatch", "squeue", "scontrol", "scancel"):
            path = self.stand_ins / name
            path.write_text(STAND_IN, encoding="utf-8")
            path.chmod(0o755)
        self.directory = self.scratch / "a run"

    def script(self, name, *arguments, code=0, stdout=subprocess.PIPE, **environment):
        path = f"{self.stand_ins}:{os.environ['PATH']}"
        done = subprocess.run([str(SCRIPTS / name), *map(str, arguments)], text=True,
                              env={**os.environ, "PATH": path, **environment},
                              stdout=stdout, stderr=subprocess.PIPE, check=False,
                              timeout=120)
        self.printed = done.stdout or ""
        self.assertEqual(done.returncode, code, self.printed + done.stderr)
        if code:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith(f"scripts/slurm/{name}: "), done.stderr)
        return done.stderr if code else done.stdout

    def submit(self, *arguments, games=14, code=0, more=(), **environment):
        return self.script("submit", "--games", games, "--seed", 5, "--out", self.directory,
                           "--bin", BIN, "--shards-per-task", 2, *arguments, "--", *OPTIONS,
                           *more, code=code, **environment)

    def calls(self, name):
        """Arguments of all calls so far."""
        with open(self.stand_ins / "calls", encoding="utf-8") as lines:
            calls = [json.loads(line) for line in lines]
        return [call[1:] for call in calls if call[0] == name]

    def plan(self):
        return json.loads((self.directory / "run.json").read_text(encoding="utf-8"))

    def tasks(self, number):
        return (self.directory / f"tasks/round-{number:03d}").read_text(encoding="utf-8").split("\n")

    def play(self, number, *lines, more=()):
        """What the batch script does for these lines of a round."""
        for line in lines:
            name = self.directory / f"tasks/round-{number:03d}"
            done = subprocess.run(
                ["bash", str(self.directory / "bin/slurm/selfplay.sbatch"), str(name), "0",
                 *more],
                cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env={**os.environ, "SLURM_ARRAY_TASK_ID": str(line), "SLURM_CPUS_ON_NODE": "1"},
                check=False, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout)

    def queue(self, *lines):
        (self.stand_ins / "queue").write_text("".join(f"{line}\n" for line in lines),
                                              encoding="utf-8")

    def test_the_last_job_waits_for_who_submitted_it(self):
        self.submit()
        with open(self.directory / ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("in use", self.script("finish", self.directory, code=1,
                                                CAMPMATE_LOCK_SECONDS="0.2"))
            threading.Timer(1, fcntl.flock, (lock, fcntl.LOCK_UN)).start()
            self.assertIn("missing", self.script("finish", self.directory))

    # --- lines for the ledger ------------------------------------------------------------------

    def test_lines_for_the_ledger(self):
        self.submit("--ledger", "quick-0000abcd/gen02")
        self.play(1, 0)
        self.play(1, 1)
        lost = self.directory / "parts/000001/ledger.jsonl"  # its node vanished the first time
        lost.write_text(lost.read_text().replace('"done"', '"running"'))
        self.play(1, 1)
        database = self.scratch / "ledger.sqlite"
        parents = self.scratch / "run.jsonl"
        parents.write_text("".join(json.dumps({"ledger": 1, **line}) + "\n" for line in (
            {"table": "runs", "run": "quick-0000abcd", "name": "quick", "variant": "mansindam",
             "seed": 5, "configuration": "", "commit_id": "x", "began": "2026-11-30T06:20:00Z"},
            {"table": "generations", "generation": "quick-0000abcd/gen02", "number": 2,
             "run": "quick-0000abcd"})))
        done = subprocess.run([str(SCRIPTS.parent / "ledger"), "load", "--ledger", str(database),
                               str(parents), *map(str, self.directory.glob("parts/*/ledger.jsonl"))],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = sqlite3.connect(database)
        self.assertEqual(rows.execute("SELECT step, attempt, status, generation, "
                                      "cpu_seconds IS NOT NULL AND compiler IS NOT NULL "
                                      "FROM steps").fetchall(),
                         [("gen02 self-play task 000000", 1, "done", "quick-0000abcd/gen02", 1),
                          ("gen02 self-play task 000001", 1, "killed", "quick-0000abcd/gen02", 1),
                          ("gen02 self-play task 000001", 2, "done", "quick-0000abcd/gen02", 1)])
        self.assertEqual(rows.execute("SELECT first_game, game_count, step FROM shards ORDER BY 1")
                         .fetchall(), [(0, 2, "gen02 self-play task 000000"),
                                       (2, 2, "gen02 self-play task 000000"),
                                       (4, 2, "gen02 self-play task 000001"),
                                       (6, 2, "gen02 self-play task 000001")])
        rows.close()
        self.directory = self.scratch / "other"
        self.assertIn("expected RUN/genNN", self.submit("--ledger", "quick", code=2))

    def test_a_run_of_its_own_in_the_ledger(self):
        options = self.scratch / "tune.ini"
        options.write_text("# the initial weights are those that played\nlambda = 1\n")
        self.submit("--tune-config", options)
        self.play(1, 0, 1)
        self.script("finish", self.directory)  # shards are missing
        self.assertFalse((self.directory / "ledger.jsonl").exists())
        self.play(2, 0, 1)
        self.script("finish", self.directory)
        summary = json.loads((self.directory / "summary.json").read_text(encoding="utf-8"))
        database = self.scratch / "ledger.sqlite"
        for _ in range(2):  # again without harm
            done = subprocess.run([str(SCRIPTS.parent / "ledger"), "load", "--ledger", str(database),
                                   str(self.directory / "ledger.jsonl")],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        for command in ["check"], ["show"], ["show", "a run"]:
            done = subprocess.run([str(SCRIPTS.parent / "ledger"), *command, "--ledger",
                                   str(database)], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        rows = sqlite3.connect(database)

        def ask(question):
            return rows.execute(question).fetchall()

        run_, = ask("SELECT run FROM runs WHERE ended NOT NULL AND variant = 'mansindam' AND seed = 5 "
                    "AND configuration LIKE '%shard-games = 2%'")
        self.assertRegex(run_[0], "^a run-[0-9a-f]{8}$")
        self.assertEqual(ask("SELECT step, attempt, status, kind FROM steps WHERE generation IS NULL "
                             "AND cpu_seconds NOT NULL AND commit_id NOT NULL AND run = "
                             f"'{run_[0]}' ORDER BY step"),
                         [("self-play finish 1", 1, "done", "self-play"),
                          ("self-play finish 2", 1, "done", "self-play"),
                          *((f"self-play task {part:06d}", 1, "done", "self-play") for part in range(4)),
                          ("tune", 1, "done", "tune")])
        # From the weights back to the bytes that they were fitted on.
        self.assertEqual(ask("SELECT dataset, file, first_game, step FROM weights JOIN fits USING (fit) "
                             "JOIN fit_datasets USING (fit) JOIN dataset_shards USING (dataset) "
                             "JOIN shards USING (shard) ORDER BY dataset_shards.number"),
                         [(summary["digest"], f"{number:06d}.cmpd", 2 * number,
                           f"self-play task {number // 2:06d}") for number in range(7)])
        self.assertEqual(ask("SELECT games, plies, white + black + draw + unfinished FROM datasets"),
                         [(14, summary["plies"], 14)])
        self.assertEqual(ask("SELECT weights, positions FROM fits WHERE prior NOT NULL"),
                         [(summary["tune"]["weights_digest"], summary["tune"]["positions"])])
        rows.close()

    # --- submit --------------------------------------------------------------------------------

    def test_an_array_and_the_job_after_it(self):
        printed = self.submit("--partition", "batch", "--time", "10", "--cpus", "4",
                              "--max-running", "3", "--sbatch", "--mem=1G --account=me",
                              "--finish-sbatch=--time=20")
        self.assertIn("7 shards of 2 games, 2 to a task, 4 tasks", printed)
        self.assertIn("round 1: 7 shards in 4 tasks (array 101), then job 102", printed)
        array, finish = self.calls("sbatch")
        self.assertIn("--array=0-3%3", array)
        for option in ("--partition=batch", "--time=10", "--cpus-per-task=4", "--mem=1G",
                       "--account=me", f"--chdir={self.directory}"):
            self.assertIn(option, array)
        self.assertEqual(array[-3:], [f"{self.directory}/bin/slurm/selfplay.sbatch",
                                      "tasks/round-001", "0"])
        self.assertIn("--dependency=afterany:101", finish)
        self.assertLess(finish.index("--time=10"), finish.index("--time=20"))
        self.assertEqual(self.tasks(1), ["000000 0+4", "000001 4+4", "000002 8+4", "000003 12+2",
                                         ""])

    def test_arrays_are_cut_where_slurm_ends_them(self):
        self.submit(ARRAY="3")
        arrays = self.calls("sbatch")[:-1]
        self.assertEqual([next(word for word in call if word.startswith("--array")) for call in
                          arrays], ["--array=0-2", "--array=0-0"])
        self.assertEqual([call[-1] for call in arrays], ["0", "3"])
        self.assertIn("--dependency=afterany:101:102", self.calls("sbatch")[-1])

    def test_a_refused_round_leaves_no_job(self):
        self.assertIn("no more jobs for you", self.submit(code=1, ARRAY="3", REFUSE="3"))
        self.assertEqual(self.calls("scancel"), [["101"], ["102"]])
        self.assertIn("stopped", self.script("status", self.directory))
        self.assertIn("round 2: 7 shards", self.script("repair", self.directory))

    def test_inputs_are_copied(self):
        book = self.scratch / "openings.epd"
        shutil.copy(SCRIPTS.parent.parent / "data/openings/mansindam.epd", book)
        self.submit(more=["--book", book])
        book.unlink()
        self.assertIn("book = inputs/book.epd\n",
                      (self.directory / "selfplay.ini").read_text(encoding="utf-8"))
        self.play(1, 3)

    def test_mistakes(self):
        def refused(word, *arguments, code=2, **options):
            self.assertIn(word, self.submit(*arguments, code=code, **options))
            self.assertFalse(self.directory.exists())

        bare = self.scratch / "bare"
        bare.mkdir()
        (bare / "python3").symlink_to(sys.executable)
        refused("no sbatch in PATH", code=1, PATH=str(bare))
        refused("--gamse", "--gamse", "5")
        refused("variant", more=["--variant", "mansindan"])
        for option in ("--first-game", "--seed", "--resume", "--help"):
            refused(option, more=[option, "2"])
        refused("no closing quotation", "--sbatch", "'--mem=1G")
        refused("no campmate-selfplay in", "--bin", self.scratch, code=1)
        refused("no file", "--tune-config", self.scratch / "none.ini")
        refused("--cpus", "--cpus", "0")
        refused("at most 50000", "--shards-per-task", 1, games=200_000)
        (self.scratch / "full").mkdir()
        (self.scratch / "full/file").touch()
        self.directory = self.scratch / "full"
        self.assertIn("is there and is not a run", self.submit(code=2))
        self.assertIn("no run.json", self.script("status", self.directory, code=2))

    def test_another_run_is_refused_with_the_difference(self):
        self.submit()
        self.assertIn("seed = 5, now 6", self.submit("--seed", 6, code=2))
        self.assertIn("nodes = 30, now 31", self.submit(code=2, more=["--nodes", "31"]))
        self.assertIn("holds this run already", self.submit(code=2))
        self.assertIn("--games 12", self.submit(games=12, code=2))
        self.assertIn("--shards-per-task 3", self.submit("--shards-per-task", 3, games=20, code=2))
        self.queue("101|101|0|RUNNING|n1|None")
        self.assertIn("still in the queue", self.submit(games=20, code=1))
        self.assertEqual(len(self.plan()["rounds"]), 1)

    def test_extension(self):
        self.submit("--no-tune")
        self.play(1, 0, 1, 2, 3)
        self.script("finish", self.directory)
        self.submit(games=20)
        self.assertEqual(self.tasks(2), ["000003 14+2", "000004 16+4", ""])
        self.submit(games=21)
        self.assertIn("not full", self.submit(games=30, code=2))

    def test_dry_run(self):
        self.assertIn("4 tasks", self.submit("--dry-run"))
        self.assertFalse(self.directory.exists())

    # --- repair, finish, status, stop ----------------------------------------------------------

    def test_only_what_is_missing_is_submitted_again(self):
        self.submit("--no-tune")
        self.play(1, 0, 1, 2, 3)
        for shard in ("000000/000000", "000002/000005"):
            (self.directory / f"parts/{shard}.cmpd").unlink()
        self.assertIn("2 of 7 shards are missing", self.script("repair", "--dry-run",
                                                               self.directory))
        self.script("repair", self.directory)
        self.assertEqual(self.tasks(2), ["000000 0+2", "000002 10+2", ""])
        self.play(2, 0, 1)
        self.script("finish", self.directory)
        self.assertIn("complete", self.script("status", self.directory))
        self.assertIn("nothing to repair", self.script("repair", self.directory))

    def test_a_gap_in_a_part_is_one_task(self):
        self.submit("--no-tune", "--shards-per-task", 7)
        self.play(1, 0)
        for shard in (0, 3, 4, 6):
            (self.directory / f"parts/000000/{shard:06d}.cmpd").unlink()
        self.script("repair", self.directory)
        self.assertEqual(self.tasks(2), ["000000 0+2 6+4 12+2", ""])
        self.play(2, 0)
        self.script("finish", self.directory)

    def test_rounds_end(self):
        self.submit("--rounds", 2)
        self.assertIn("round 2: 7 shards", self.script("finish", self.directory))
        self.assertIn("7 shards are missing after 2 rounds",
                      self.script("finish", self.directory, code=1))
        self.assertEqual(len(self.calls("sbatch")), 4)
        self.script("repair", self.directory)
        self.assertEqual(self.plan()["rounds_left"], 1)

    def test_same_digest_as_one_process(self):
        self.submit("--no-tune")
        self.play(1, 2, 0, 3, 1)
        self.script("finish", self.directory)
        done = subprocess.run([BIN / "campmate-selfplay", *OPTIONS, "--games", "14", "--seed", "5",
                               "--out", self.scratch / "local", "--json"], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
        summary = json.loads((self.directory / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual(summary["digest"], json.loads(done.stdout)["digest"])

    def test_damage_is_moved_away_and_submitted(self):
        self.submit("--no-tune")
        self.play(1, 0, 1, 2, 3)
        self.script("finish", self.directory)
        digest = json.loads((self.directory / "summary.json").read_text(encoding="utf-8"))["digest"]
        flipped = self.directory / "games/000002.cmpd"  # the same file as that in parts/000001
        content = bytearray(flipped.read_bytes())
        content[-40] ^= 1
        flipped.write_bytes(content)
        cut = self.directory / "parts/000003/000006.cmpd"
        os.truncate(cut, 100)
        self.script("repair", "--force", self.directory)
        printed = self.script("finish", self.directory)
        self.assertIn("missing: 2 of 7 shards: 000002, 000006", printed)
        self.assertEqual((self.directory / "damaged/000002.cmpd").read_bytes(), content)
        self.assertEqual(self.tasks(3), ["000001 4+2", "000003 12+2", ""])
        self.play(3, 0, 1)
        self.script("finish", self.directory)
        summary = json.loads((self.directory / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual(summary["digest"], digest)

    def test_tasks_verify(self):
        self.submit("--no-tune", "--verify-in-tasks", "--regenerate", "0")
        self.assertEqual(self.calls("sbatch")[0][-1], "verify")
        self.play(1, 0, 1, 2, 3, more=["verify"])
        shard = self.directory / "parts/000001/000003.cmpd"
        content = bytearray(shard.read_bytes())
        content[-40] ^= 1
        shard.write_bytes(content)  # and so its time is another one
        self.assertIn("missing: 1 of 7 shards: 000003", self.script("finish", self.directory))
        self.play(2, 0, more=["verify"])
        shard = self.directory / "parts/000003/000006.cmpd"
        then = shard.stat()
        content = bytearray(shard.read_bytes())
        content[10] ^= 1  # in the header, which the merge reads
        shard.write_bytes(content)
        os.utime(shard, ns=(then.st_atime_ns, then.st_mtime_ns))
        self.assertIn("missing: 1 of 7 shards: 000006", self.script("finish", self.directory))
        self.play(3, 0, more=["verify"])
        self.assertIn("verified: 7 shards, 7 of them by their tasks",
                      self.script("finish", self.directory))

    def test_a_shard_of_another_run_is_noticed(self):
        self.submit("--no-tune")
        self.play(1, 0, 1, 2, 3)
        shard = self.directory / "parts/000001/000002.cmpd"
        shard.unlink()
        subprocess.run([BIN / "campmate-selfplay", *OPTIONS, "--games", "2", "--first-game", "4",
                        "--seed", "6", "--out", self.scratch / "other"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        shutil.copy(self.scratch / "other/000002.cmpd", shard)
        self.assertIn('differ in "seed"', self.script("finish", self.directory, code=1))
        self.assertFalse((self.directory / "games").exists())

    def test_a_finish_that_was_ended_while_it_submitted(self):
        self.submit()
        plan = self.plan()
        plan["rounds"][0]["finish"] = None
        (self.directory / "run.json").write_text(json.dumps(plan), encoding="utf-8")
        self.queue("101|101|0-3|PENDING||Priority", "7|7|N/A|RUNNING|n1|None")
        self.assertIn("left to job 103", self.script("finish", self.directory))
        self.assertIn("--dependency=afterany:101", self.calls("sbatch")[-1])
        self.assertIn("left to job 103", self.script("finish", self.directory))

    def test_status_and_stop(self):
        self.submit()
        self.queue("101|103|0|RUNNING|n1|None", "101|101|1-3|PENDING||Priority",
                   "102|102|N/A|PENDING||Dependency", "99|99|N/A|RUNNING|n2|None")
        facts = json.loads(self.script("status", "--json", self.directory))
        self.assertEqual((facts["state"], facts["shards"], facts["present"], len(facts["jobs"])),
                         ("submitted", 7, 0, 3))
        self.assertIn("jobs 101, 102 of this run", self.script("repair", self.directory, code=1))
        self.script("stop", self.directory)
        self.assertEqual(self.calls("scancel"), [["102"], ["101"]])

    def test_damaged_plans_are_refused(self):
        self.submit()
        path = self.directory / "run.json"
        good = self.plan()
        self.assertEqual(good["version"], 1)
        cases = [("{}", "no version, expected 1"), ("[]", "found [], expected an object"),
                 ("7", "found 7"), ("", "line 1, column 1"), ("{", "line 1, column 2"),
                 ('"' + "x" * 500 + '"', "..."), ("[" * 100_000, "nested")]
        for key, value in good.items():
            cases.append(({**good, key: object}, f"no {key}, expected"))
            for wrong in (-1, 0.5, True, "x y'", None, [], {}, [{}], [7]):
                if key == "ledger" and wrong is None:
                    continue  # a plan of earlier times, whose jobs write no lines
                if type(wrong) is not type(value) or (type(value) is int and wrong < 0) or (
                        key in ("rounds", "ledger") and wrong):
                    cases.append(({**good, key: wrong}, key))
        for key in good["slurm"]:
            for wrong in (object, 0, -1, 1.5, True, [], {}, "'unclosed"):
                if wrong != "'unclosed" or "options" in key:
                    cases.append(({**good, "slurm": {**good["slurm"], key: wrong}}, f"slurm.{key}"))
        for key in good["ledger"]:
            for wrong in (object, 7, True, [], {}):
                cases.append(({**good, "ledger": {**good["ledger"], key: wrong}}, f"ledger.{key}"))
        for key in good["rounds"][0]:
            for wrong in (object, -1, True, {}, ["1"]):
                cases.append(({**good, "rounds": [{**good["rounds"][0], key: wrong}]},
                              f"rounds[0].{key}"))
        # Every command reads the plan in the same way; starting one for each case takes minutes.
        for number, (plan, word) in enumerate(cases):
            text = plan if isinstance(plan, str) else json.dumps(without_objects(plan))
            path.write_text(text, encoding="utf-8")
            if number % 25 == 0:
                for name in ("status", "repair", "stop", "finish"):
                    self.assertIn(word, self.script(name, self.directory, code=1))
            with self.assertRaises(run.RunError, msg=text[:200]) as refused:
                run.Run(self.directory)
            self.assertTrue(str(refused.exception).startswith(f"{path}: "), refused.exception)
            self.assertIn(word, str(refused.exception))
        path.write_bytes(b'{"version": "\xff"}')
        self.assertIn("byte 13: not a text", self.script("status", self.directory, code=1))
        path.write_text(json.dumps(good), encoding="utf-8")
        self.assertIn("stopped", self.script("status", self.directory))

    def test_other_damaged_files_of_a_run(self):
        self.submit("--no-tune", "--verify-in-tasks")
        self.play(1, 0, 1, 2, 3, more=["verify"])
        with open(self.directory / "parts/000001/verified", "a", encoding="utf-8") as record:
            record.write("000002.cmpd 12\n000002.cmpd x y\n../../run.json 1 2.3\n\n000003.cm")
        self.assertIn("verified: 7 shards, 7 of them by their tasks",
                      self.script("finish", self.directory))
        (self.directory / "summary.json").write_text("{}", encoding="utf-8")
        self.assertIn("summary.json: no games", self.script("status", self.directory, code=1))
        (self.directory / "selfplay.ini").write_text("seed\n", encoding="utf-8")
        self.assertIn("holds another run", self.submit(games=20, code=2))

    def test_nothing_is_announced_before_it_is_refused(self):
        self.submit()
        for arguments, options in ((("--seed", 6), {}), (("--seed", 6, "--dry-run"), {}),
                                   ((), {"games": 12})):
            self.submit(*arguments, code=2, **options)
            self.assertEqual(self.printed, "")
        (self.scratch / "full").mkdir()
        (self.scratch / "full/file").touch()
        self.directory = self.scratch / "full"
        self.submit(code=2)
        self.assertEqual(self.printed, "")

    def test_standard_output_that_takes_nothing(self):
        self.submit()
        for name, arguments in (("submit", ["--help"]), ("simulate", ["--help"]),
                                ("simulate", ["--games", "1000", "--shard-games", "100"]),
                                ("finish", ["--help"]), ("status", [self.directory]),
                                ("status", ["--json", self.directory]),
                                ("repair", ["--dry-run", self.directory])):
            with open("/dev/full", "w", encoding="utf-8") as full:
                message = self.script(name, *arguments, code=1, stdout=full)
            self.assertEqual(message, f"scripts/slurm/{name}: cannot write standard output: No space "
                                      "left on device\n")

    def test_values_of_the_simulation(self):
        for option in ("nodes", "cores", "games", "shard-games", "shards-per-task", "plies-per-game",
                       "plies-per-second", "bytes-per-ply", "starts-per-second", "verify-rate"):
            self.assertIn(f"--{option}", self.script("simulate", f"--{option}=0", code=2))
        for value in ("-1", "nan", "inf", "1e999", "x"):
            self.assertIn("--cores", self.script("simulate", f"--cores={value}", code=2))
            self.assertIn("--latency", self.script("simulate", f"--latency={value}", code=2))
        for option, value in (("kills", "1"), ("kills", "-0.1"), ("startup", "-1"), ("spread", "2"),
                              ("latency", "nan"), ("node-mtbf", "-5")):
            self.assertIn(f"--{option}", self.script("simulate", f"--{option}={value}", code=2))
        self.assertIn("at most 1,000,000", self.script("simulate", "--shard-games=1", code=2))
        self.assertIn("given up", self.script("simulate", "--games=1000000", "--node-mtbf=0.0001",
                                              "--shards-per-task=100", code=1))

    def test_simulation(self):
        def again(*arguments):
            printed = self.script("simulate", "--nodes=10", "--games=20000000", "--shard-games=65536",
                                  *arguments)
            self.assertRegex(printed, r"(?m)^self-play +[0-9.]+ h in [0-9]+ rounds")
            return int(re.search(r"([0-9,]+) games played again", printed)[1].replace(",", ""))

        never = ["--node-mtbf=0", "--preempt-mtbf=0", "--kills=0"]
        self.assertEqual(again(*never), 0)
        self.assertEqual(again(*never[:1], "--preempt-mtbf=0.5", "--kills=0"), 0)
        # Of a killed program only what is in no whole block: never a whole shard.
        lost = again(*never[:2], "--kills=0.2")
        self.assertTrue(0 < lost < 65536, lost)

    def test_task_without_its_directory(self):
        done = subprocess.run(["bash", str(SCRIPTS / "selfplay.sbatch"), "tasks/round-001", "0"],
                              cwd=self.scratch, stderr=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "SLURM_ARRAY_TASK_ID": "0"}, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is the file system shared?", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
