#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tarball_test.py - two clones of a commit give the same release tarball, and it works. Takes long."""

import hashlib
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
PROGRAMS = ("campmate", "campmate-selfplay", "campmate-data", "campmate-tune", "campmate-match")


def run(*command, **more):
    ran = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if ran.returncode:
        raise AssertionError(f"{command}: exit {ran.returncode}\n{ran.stdout[-3000:]}{ran.stderr[-3000:]}")
    return ran.stdout


def tarball(directory):
    """The tarball of the commit, built in a clone in this directory."""
    environment = {k: v for k, v in os.environ.items() if k not in ("SOURCE_DATE_EPOCH", "CAMPMATE_LEVEL")}
    run("git", "clone", "-q", SOURCE, directory)
    run("cmake", "--preset", "package", cwd=directory, env=environment)
    run("cmake", "--build", "--preset", "package", cwd=directory, env=environment)
    run("cpack", "--config", "build/package/CPackConfig.cmake", "-B", "build/package", cwd=directory,
        env=environment)
    found, = (directory / "build/package").glob("*.tar.xz")
    return found


class Tarball(unittest.TestCase):
    def test_tarball(self):
        with tempfile.TemporaryDirectory() as scratch:
            first = tarball(Path(scratch) / "a")
            os.umask(0o077)
            second = tarball(Path(scratch) / "another-directory")
            digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second)}
            self.assertEqual(len(digests), 1, "the same commit, other bytes")

            top = Path(scratch) / "unpacked"
            top.mkdir()
            run("tar", "-xJf", first, "-C", top)
            top, = top.iterdir()
            expected = (SOURCE / "tests/golden/bench.txt").read_text().split("total ")[1].split()[0]
            said = run(top / "bin/campmate", env={**os.environ, "CAMPMATE_LEVEL": "list"})
            here = [line.split()[0] for line in said.splitlines() if "CPU has no" not in line]
            for level in LEVELS:
                for program in PROGRAMS:
                    file = top / "lib/campmate" / level / program
                    self.assertNotIn(b"NEEDED", run("objdump", "-p", file).encode(), file)
                if level in here:
                    bench = run(top / "bin/campmate", "bench", env={**os.environ, "CAMPMATE_LEVEL": level})
                    self.assertIn(f"Total: {expected} nodes", bench, level)
            for program in PROGRAMS:
                self.assertIn(program, run(top / "bin" / program, "--version"))


if __name__ == "__main__":
    unittest.main()
