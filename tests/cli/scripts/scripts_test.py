#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts_test.py - every script has --help and refuses nonsense; what cannot be printed is told.

    scripts_test.py SCRIPTS-DIRECTORY
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SCRIPTS = Path(sys.argv.pop(1)).resolve()
ALL = sorted(path for place in (SCRIPTS, SCRIPTS / "slurm") for path in place.iterdir()
             if path.is_file() and os.access(path, os.X_OK) and path.suffix != ".sbatch")
PYTHON = [path for path in ALL if path.read_text(encoding="utf-8").startswith("#!/usr/bin/env python3")]


def run(path, *words, **more):
    more = {"stdout": subprocess.PIPE, **more}
    return subprocess.run([str(path), *words], stderr=subprocess.PIPE, text=True, timeout=120,
                          check=False, **more)


class Scripts(unittest.TestCase):
    def test_all_are_here(self):
        self.assertGreaterEqual({path.name for path in ALL},
                                {"train", "report", "ledger", "quickstart", "setup", "test", "submit"})

    def test_help(self):
        for path in ALL:
            done = run(path, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)
            self.assertIn(path.name, done.stdout)

    def test_help_that_cannot_be_printed(self):
        for path in ALL:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = run(path, "--help", stdout=full)
            self.assertEqual(done.returncode, 1, path)
            self.assertIn("No space left on device", done.stderr, path)

    def test_version(self):
        for path in PYTHON:
            done = run(path, "--version")
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)
            self.assertRegex(done.stdout, rf"^scripts/(slurm/)?{re.escape(path.name)} \d+\.\d+\.\d+, "
                             r"commit (unknown|[0-9a-f]{12})\n$")

    def test_nonsense(self):
        for path in ALL:
            done = run(path, "--nonsense")
            self.assertEqual((done.returncode, done.stdout), (2, ""), path)
            self.assertEqual(done.stderr.count("\n"), 1, (path, done.stderr))


if __name__ == "__main__":
    unittest.main()
