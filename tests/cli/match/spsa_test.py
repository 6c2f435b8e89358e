#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""spsa_test.py - campmate-match spsa: steps, the file of the numbers, resume after a kill, refusals.

Reads the same variables as match_test.py. The number that is tuned is one that any build has.
"""

import json
import os
import signal
import subprocess
import time
import unittest

from match_test import CAMPMATE, MATCH, Directory, make_book


class Spsa(Directory):
    def setUp(self):
        super().setUp()
        make_book(self.path("book"), 4)

    def command(self, *more, out="out.json", tune="MultiPV,start=9,min=1,max=17,step=6", pairs=1, nodes=150):
        return [MATCH, "spsa", "--variant=mansindam", "--engine=cmd=%s,option.Hash=1" % CAMPMATE, "--nodes=%d" % nodes,
                "--pairs=%d" % pairs, "--rate=0.1", "--seed=5", "--iterations=4", "--openings=" + self.path("book"),
                "--out=" + self.path(out), "--max-plies=150"] + (["--tune=" + tune] if tune else []) + list(more)

    def spsa(self, *more, code=0, **named):
        done = subprocess.run(self.command(*more, **named), capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def saved(self, out="out.json"):
        with open(self.path(out)) as file:
            return json.load(file)

    def test_steps(self):
        """The direction is judged by games that differ and are long enough to tell, whatever the weights."""
        make_book(self.path("book"), 32)
        strong = {"pairs": 4, "nodes": 1000}
        result = json.loads(self.spsa("--json", **strong).stdout)
        saved = self.saved()
        self.assertAlmostEqual(result["values"][0].pop("value"), saved["values"][0]["value"])
        self.assertEqual((result["iteration"], result["games"]), (4, 32))
        self.assertLessEqual(result["wins"] + result["draws"] + result["losses"], 32)
        (value,) = saved["values"]
        self.assertEqual((value["name"], value["start"], value["rounded"]), ("MultiPV", 9, round(value["value"])))
        self.assertLess(value["value"], 5)  # one line is searched best
        # Any number of games at the same time gives the same.
        self.spsa("--concurrency=3", out="again.json", **strong)
        self.assertEqual(self.saved("again.json"), saved)
        # A whole run that is resumed has nothing left to do.
        self.assertIn("4 of 4 steps, 32 games", self.spsa("--resume", **strong).stdout)

    def test_killed_and_resumed(self):
        self.spsa(out="whole.json")
        for number in signal.SIGKILL, signal.SIGINT, signal.SIGTERM:
            if os.path.exists(self.path("out.json")):
                os.remove(self.path("out.json"))
            process = subprocess.Popen(self.command("--concurrency=1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            end = time.monotonic() + 60
            while not os.path.exists(self.path("out.json")) and time.monotonic() < end:
                time.sleep(0.005)
            process.send_signal(number)
            process.communicate(timeout=60)
            if self.saved()["iteration"] < 4:
                self.assertEqual(process.returncode, {signal.SIGINT: 130, signal.SIGTERM: 143}.get(number, -number))
            self.spsa("--resume")
            self.assertEqual(self.saved(), self.saved("whole.json"))

    def test_small_steps_are_told(self):
        done = self.spsa(tune="MultiPV,start=3,step=0.1")
        self.assertIn("MultiPV: in 4 of 4 steps both versions had the same number", done.stderr)
        self.assertEqual(self.saved()["values"][0]["alike"], 4)
        self.assertEqual(self.saved()["values"][0]["value"], 3)

    def test_refusals(self):
        self.assertIn("no option whose name begins with 'Tune '", self.spsa(tune=None, code=2).stderr)
        self.assertIn("--tune Depth: the engine has no such option of type spin", self.spsa(tune="Depth", code=2).stderr)
        self.assertIn("--tune MultiPV: given twice", self.spsa("--tune=multipv", code=2).stderr)
        self.assertIn("--engine: option.Hash is tuned: expected --tune Hash,start=1",
                      self.spsa("--tune=Hash,start=4,min=1,max=9,step=1", code=2).stderr)
        self.assertFalse(os.path.exists(self.path("out.json")))
        self.spsa()
        before = self.saved()
        self.assertIn("--resume goes on", self.spsa(code=2).stderr)
        self.assertIn("rate is 0.1 there and 0.2 here", self.spsa("--resume", "--rate=0.2", code=2).stderr)
        self.assertEqual(self.saved(), before)
        changed = dict(before, values=[dict(row, value=row["value"] - 0.5) for row in before["values"]])
        for text, message in (("", "line 1"), ("[]", 'no "head"'), (json.dumps(changed), "it was changed"),
                              (json.dumps({key: before[key] for key in before if key != "check"}),
                               "it was changed")):
            with open(self.path("out.json"), "w") as file:
                file.write(text)
            error = self.spsa("--resume", code=1).stderr
            self.assertIn(message, error)
            self.assertIn("choose another --out", error)
        with open(self.path("out.json"), "w") as file:
            json.dump(dict(sorted(before.items())), file)  # other blanks, another order
        self.spsa("--resume")

    def test_dry_run(self):
        done = self.spsa("--dry-run")
        self.assertIn("iterations = 4", done.stdout)
        self.assertIn("# 8 games", done.stdout)
        self.assertFalse(os.path.exists(self.path("out.json")))


if __name__ == "__main__":
    unittest.main()
