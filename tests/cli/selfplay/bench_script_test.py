#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bench_script_test.py - scripts/bench-selfplay: what it refuses, and that it measures something.

    bench_script_test.py SCRIPT PATH/campmate-selfplay
"""

import subprocess
import sys
import unittest

SCRIPT, PROGRAM = sys.argv[1:3]


def run(*arguments):
    return subprocess.run([SCRIPT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=120, check=False)


class BenchScript(unittest.TestCase):
    def test_mistakes(self):
        program = ["--program", PROGRAM]
        cases = [([option, value], option)
                 for option in ("--rounds", "--games", "--seconds", "--peer-count", "--seed")
                 for value in ("0", "-1", "nan", "inf", "x")]
        cases += [([*program, "--peer", "/nowhere/at/all"], "/nowhere/at/all"),
                  (["--program", "/nowhere/at/all"], "/nowhere/at/all")]
        for arguments, word in cases:
            done = run("rate", *program, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (arguments, done.stderr))
            self.assertIn(word, done.stderr.splitlines()[-1])

    def test_rate(self):
        done = run("rate", "--program", PROGRAM, "--rounds", "1", "--games", "2", "--", "--nodes",
                   "20", "--max-plies", "30")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^mansindam: [1-9]\d* plies per CPU second\n$")

    def test_options_that_the_program_refuses(self):
        done = run("rate", "--program", PROGRAM, "--rounds", "1", "--", "--nodes", "x")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--nodes", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
