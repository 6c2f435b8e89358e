#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""kill_test.py - kill -9 of scripts/train at many moments, with stand-ins for the programs.

    kill_test.py scripts/train

What comes out has to be what an uninterrupted run makes. train_killer.py does the same with the
real programs.
"""

import random
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from stand_ins import CONFIG, Case  # noqa: E402 (no bytecode beside the sources)


class KillTest(Case):
    def test_killed_at_each_call(self):
        """The loop is killed before and after calls of the tools; then, by the clock, anywhere."""
        self.config.write_text(CONFIG + "[gauntlet]\ngames = 4\n")
        self.run_dir = self.root / "whole"
        self.assertEqual(self.train(VERDICT="second").returncode, 0)
        expected, calls = self.outcome(), len(self.called())
        self.run_dir = self.root / "killed"
        kills = 0
        for moment in (1, 2, 3, 4, 5, 6, 4, 5, 1, 2, 4, 6):
            self.calls.unlink()
            result = self.train(VERDICT="second",
                                KILL=f"{'before' if kills % 2 else 'after'} {moment}")
            self.assertIn(result.returncode, (0, -signal.SIGKILL, 1), result.stderr)
            if result.returncode == 0:
                break
            self.assertEqual(result.returncode == 1, "in use" in result.stderr, result.stderr)
            kills += result.returncode == -signal.SIGKILL
        self.assertGreater(kills, 6)
        draw = random.Random(7)
        while True:
            process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True,
                                       env=dict(self.environment, VERDICT="second"))
            try:
                _, errors = process.communicate(timeout=draw.uniform(0.3, 3.0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                kills += 1
                continue
            if process.returncode == 0:
                break
            self.assertIn("in use", errors)
            time.sleep(0.1)
        self.assertEqual(self.outcome()[:3], expected[:3])
        self.assertGreater(calls, 20)
        self.assertIn(("killed",), self.query("SELECT DISTINCT status FROM steps"))


if __name__ == "__main__":
    unittest.main()
