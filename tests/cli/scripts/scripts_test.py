#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts_test.py - every script has --help and refuses nonsense; what cannot be printed is told.

    scripts_test.py SCRIPTS-DIRECTORY
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
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

    def test_help_into_nothing(self):
        for path in PYTHON:
            done = subprocess.run(["sh", "-c", '"$0" --help >&-', str(path)], stderr=subprocess.PIPE,
                                  text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 1, path)
            self.assertRegex(done.stderr, r"^[\w/-]+: cannot write standard output: Bad file "
                             r"descriptor\n$")

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

    def test_quickstart_begins_anew(self):
        """A run that cannot go on is named with the way out, and --fresh moves it aside."""
        with tempfile.TemporaryDirectory() as root:
            root = Path(root)
            old = root / "runs" / "quickstart-20260101-000000"
            for directory in (root / "scripts", old):
                directory.mkdir(parents=True)
            shutil.copy(SCRIPTS / "quickstart", root / "scripts")
            for name in ("setup", "train"):
                (root / "scripts" / name).write_text('#!/bin/sh\necho "$@"\n')
                (root / "scripts" / name).chmod(0o755)
            (old / "state.json").write_text("damaged")
            (old / "lock").touch()
            done = run(root / "scripts" / "quickstart")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"--out runs/{old.name}\n", done.stdout)
            self.assertIn("scripts/quickstart --fresh", done.stdout)
            with open(old / "lock", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                done = run(root / "scripts" / "quickstart", "--fresh")
                self.assertEqual(done.returncode, 1)
                self.assertIn("in use by another process", done.stderr)
            done = run(root / "scripts" / "quickstart", "--fresh")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"--out runs/quickstart-\d+-\d+\n")
            self.assertNotIn(f"--out runs/{old.name}\n", done.stdout)
            self.assertEqual((root / "runs" / f"old-{old.name}" / "state.json").read_text(), "damaged")


if __name__ == "__main__":
    unittest.main()
