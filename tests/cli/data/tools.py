# SPDX-License-Identifier: GPL-3.0-or-later
"""tools.py - what the tests of the tools for datasets share."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
MAKE_GAMES = ""
SANITIZED = False
MORE = {}


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120, **options)


def tree(directory):
    """All files of a directory with their bytes."""
    found = {}
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, directory)] = file.read()
    return found


class ToolTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.data = self.path("data")
        self.make(self.data, 0, 0, 70)
        self.make(self.data, 3, 70, 130, 100)

    def tearDown(self):
        self.scratch.cleanup()

    def path(self, *names):
        return os.path.join(self.scratch.name, *names)

    def make(self, directory, shard, first, count, plies=40, seed=1, *more):
        subprocess.run([MAKE_GAMES, directory, *map(str, (shard, first, count, plies, seed)),
                        *more], check=True, timeout=120)

    def done(self, *arguments, code=0, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        return result

    def as_json(self, *arguments, code=0):
        return json.loads(self.done(*arguments, "--json", code=code).stdout)

    def games(self, *paths):
        return [json.loads(line)
                for line in self.done("export", "--format", "jsonl", *paths).stdout.splitlines()]

    def verified(self, path):
        verdict = self.as_json("verify", path)
        self.assertTrue(verdict["ok"] and verdict["manifest"], verdict)
        return verdict

    def assert_usage(self, *arguments, word):
        result = run(*arguments)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertEqual((result.stdout, result.stderr.count("\n")), ("", 1), result.stderr)
        self.assertIn(word, result.stderr)

    def passes(self, arguments, mib):
        """Whether a command succeeds in so much address space."""
        out = self.path("memory")
        result = subprocess.run(["sh", "-c", f'ulimit -v {mib * 1024}; exec "$@"', "sh", PROGRAM,
                                 *map(str, arguments), "--threads", "1", "--out", out],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        shutil.rmtree(out, ignore_errors=True)
        return result.returncode == 0

    def assert_same_memory(self, small, large):
        """The least address space that is enough for one command is, but for 1 MiB, enough for
        the other. (Not the resident size: what wait4 says of that begins with this program's.)"""
        if SANITIZED:
            self.assertTrue(self.passes(large, 1 << 40))
            return
        enough, less = 512, 1
        self.assertTrue(self.passes(small, enough))
        while enough - less > 1:
            middle = (enough + less) // 2
            if self.passes(small, middle):
                enough = middle
            else:
                less = middle
        self.assertTrue(self.passes(large, enough + 1), (large, enough))

    def leftovers(self):
        return [name for name in os.listdir(self.scratch.name) if ".tmp." in name]


def main(*more):
    """Runs the tests; `more` names further programs that the command line gives."""
    global PROGRAM, MAKE_GAMES, SANITIZED
    PROGRAM, MAKE_GAMES = sys.argv[1:3]
    MORE.update(zip(more, sys.argv[3:]))
    with open(PROGRAM, "rb") as binary:
        SANITIZED = b"__asan_init" in binary.read()
    unittest.main(argv=[sys.argv[0]] + sys.argv[3 + len(more):])
