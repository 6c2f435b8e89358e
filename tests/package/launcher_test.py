#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""launcher_test.py - bin/campmate of a tarball starts the best build, on real and on older CPUs.

Older CPUs are qemu's (skipped without qemu-x86_64). What the launcher starts under qemu runs on the
real CPU, so there only what it would choose is looked at.
"""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

LAUNCHER = os.environ["LAUNCHER"]
PROGRAMS = Path(os.environ["PROGRAMS"])
LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
QEMU = shutil.which("qemu-x86_64")
SANITIZED = bool(os.environ.get("SANITIZED"))


class Tarball(unittest.TestCase):
    """A tree like that of a tarball, whose programs say which level they are."""

    def setUp(self):
        self.top = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.top / "bin").mkdir()
        shutil.copy(LAUNCHER, self.top / "bin/campmate")
        self.put(*LEVELS)

    def enterContext(self, context):  # unittest has it from Python 3.11 on
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def put(self, *levels):
        shutil.rmtree(self.top / "lib", ignore_errors=True)
        for level in levels:
            program = self.top / "lib/campmate" / level / "campmate"
            program.parent.mkdir(parents=True)
            program.write_text(f'#!/bin/sh\necho {level} "$@"\nexit 7\n')
            program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def start(self, *arguments, level=None, cpu=None, name="bin/campmate"):
        environment = {key: value for key, value in os.environ.items() if key != "CAMPMATE_LEVEL"}
        if level is not None:
            environment["CAMPMATE_LEVEL"] = level
        emulator = [QEMU, "-cpu", cpu] if cpu else []
        return subprocess.run([*emulator, self.top / name, *arguments], env=environment,
                              capture_output=True, text=True, timeout=60, check=False)

    def levels_of(self, **more):
        """{level: what the list says}."""
        run = self.start(level="list", **more)
        return {line.split()[0]: line.split(maxsplit=1)[1] for line in run.stdout.splitlines()}


class Here(Tarball):
    def test_starts_what_the_list_says(self):
        said = self.levels_of()
        self.assertEqual(tuple(said), LEVELS)
        self.assertEqual(list(said.values()).count("chosen"), 1)
        chosen = next(level for level, what in said.items() if what == "chosen")
        run = self.start("perft", "two words")
        self.assertEqual((run.stdout, run.returncode), (f"{chosen} perft two words\n", 7))

    def test_level_by_name(self):
        run = self.start(level="x86-64")
        self.assertEqual((run.stdout, run.returncode), ("x86-64 \n".replace(" \n", "\n"), 7))
        self.assertEqual(self.start(level="").returncode, 7)

    def test_unknown_level(self):
        run = self.start(level="x86-64-v9")
        self.assertEqual((run.stdout, run.returncode), ("", 1))
        self.assertIn("CAMPMATE_LEVEL=x86-64-v9: expected list or one of x86-64 x86-64-v2", run.stderr)

    def test_level_that_is_not_there(self):
        self.put("x86-64-v2", "x86-64-v3")
        run = self.start(level="x86-64")
        self.assertEqual(run.returncode, 1)
        self.assertIn("but there is no", run.stderr)
        self.assertEqual(self.levels_of()["x86-64"], "not there")

    def test_nothing_there(self):
        self.put()
        run = self.start()
        self.assertEqual(run.returncode, 1)
        self.assertIn("campmate: no build of campmate beside this file, expected e.g. ", run.stderr)
        self.assertEqual(self.start(level="list").returncode, 1)

    def test_through_a_link(self):
        (self.top / "elsewhere").mkdir()
        (self.top / "elsewhere/campmate").symlink_to(self.top / "bin/campmate")
        self.assertEqual(self.start(name="elsewhere/campmate").returncode, 7)


@unittest.skipUnless(QEMU and not SANITIZED, "no qemu-x86_64 (package qemu-user), or a sanitized build")
class OlderCpus(Tarball):
    CPUS = {"qemu64": "x86-64", "Nehalem": "x86-64-v2", "Haswell": "x86-64-v3"}

    def test_choice(self):
        for cpu, best in self.CPUS.items():
            said = self.levels_of(cpu=cpu)
            self.assertEqual([level for level in LEVELS if said[level] == "chosen"], [best], cpu)
            for level in LEVELS[LEVELS.index(best) + 1:]:
                self.assertRegex(said[level], "^the CPU has no ")

    def test_level_above_the_cpu(self):
        run = self.start(level="x86-64-v3", cpu="Nehalem")
        self.assertEqual((run.stdout, run.returncode), ("", 1))
        self.assertEqual(run.stderr, "campmate: CAMPMATE_LEVEL=x86-64-v3, but the CPU has no avx\n")

    def test_no_level_low_enough(self):
        self.put("x86-64-v3", "x86-64-v4")
        run = self.start(cpu="Nehalem")
        self.assertEqual((run.stdout, run.returncode), ("", 1))
        self.assertEqual(run.stderr, "campmate: the CPU has no avx, which the slowest build here "
                         "(x86-64-v3) needs; build from source with -DCAMPMATE_LEVEL=x86-64\n")

    @unittest.skipUnless(os.environ["LEVEL"] == "x86-64-v3", "not a build for x86-64-v3")
    def test_programs_themselves(self):
        """A program of a level that the CPU lacks says so, whatever started it."""
        for name in ("campmate", "campmate-selfplay", "campmate-data", "campmate-tune", "campmate-match"):
            for arguments in ([], ["--help"], ["--version"]):
                run = subprocess.run([QEMU, "-cpu", "Nehalem", PROGRAMS / name, *arguments], text=True,
                                     stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
                self.assertEqual((run.stdout, run.returncode), ("", 1), name)
                self.assertEqual(run.stderr, f"{name}: this build is for x86-64-v3, but the CPU has no avx; "
                                 "build with -DCAMPMATE_LEVEL=x86-64\n")


if __name__ == "__main__":
    unittest.main()
