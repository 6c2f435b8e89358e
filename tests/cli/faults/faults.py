# SPDX-License-Identifier: GPL-3.0-or-later
"""faults.py - what the tests share that damage, kill and starve.

Each test is started with --NAME=VALUE for what it needs: --bin (the directory of the programs),
--make-games, --trouble (the library of trouble.c), --kept (shards of earlier formats).
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

GIVEN = {}
SANITIZED = False


def program(name):
    return os.path.join(GIVEN["bin"], name)


def troubled(**settings):
    """The environment in which trouble.c has a say: troubled(KILL=7)."""
    environment = dict(os.environ, LD_PRELOAD=GIVEN["trouble"])
    if SANITIZED:
        environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:" + os.environ.get(
            "ASAN_OPTIONS", "")
    environment.update({f"TROUBLE_{name}": str(value) for name, value in settings.items()})
    return environment


def run(name, *arguments, **options):
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([program(name), *map(str, arguments)], stderr=subprocess.PIPE, text=True,
                          timeout=300, **options)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def files(directory, ending=""):
    """The regular files of a directory with their bytes."""
    if not os.path.isdir(directory):
        return {}
    found = {}
    for name in sorted(os.listdir(directory)):
        if name.endswith(ending):
            try:
                found[name] = read(os.path.join(directory, name))
            except OSError:  # gone meanwhile, or no file
                pass
    return found


class FaultTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def path(self, *names):
        return os.path.join(self.scratch.name, *names)

    def make(self, directory, shard, first, count, plies=40, seed=1, *more):
        subprocess.run([GIVEN["make-games"], directory, *map(str, (shard, first, count, plies,
                                                                 seed)), *more],
                       check=True, timeout=120)

    def done(self, name, *arguments, code=0, **options):
        result = run(name, *arguments, **options)
        self.assertEqual(result.returncode, code,
                         (name, arguments, result.stderr[-500:], (result.stdout or "")[-500:]))
        return result

    def data_json(self, *arguments, code=0):
        return json.loads(self.done("campmate-data", *arguments, "--json", code=code).stdout)

    def games(self, *paths):
        """All games by their numbers."""
        text = self.done("campmate-data", "export", "--format", "jsonl", *paths).stdout
        return {game["number"]: game for game in map(json.loads, text.splitlines())}

    def verify(self, path):
        verdict = self.data_json("verify", path)
        self.assertTrue(verdict["ok"], verdict)
        return verdict


def main():
    global SANITIZED
    arguments = [sys.argv[0]]
    for argument in sys.argv[1:]:
        name, equals, value = argument.removeprefix("--").partition("=")
        if argument.startswith("--") and equals:
            GIVEN[name] = value
        else:
            arguments.append(argument)
    SANITIZED = b"__asan_init" in read(program("campmate-data"))
    unittest.main(module="__main__", argv=arguments)
