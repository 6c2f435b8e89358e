# SPDX-License-Identifier: GPL-3.0-or-later
"""common.py - what the tests of campmate-tune share. The programs are the first arguments:

    SOME_test.py PATH/campmate-tune PATH/make_games CC [unittest arguments]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MAKE_GAMES, CC = sys.argv[1:4]

# Quiet positions of Mansindam, some with a check.
QUIET = ["4k4/9/9/9/9/9/9/P8/4K4[] w - - 0 1", "4k4/9/9/9/9/9/9/P7R/4K4[N] w - - 0 1",
         "4k4/7r1/9/9/9/9/9/P8/4K4[q] b - - 0 1", "3k5/9/9/2n6/9/9/2N6/9/5K3[PPp] w - - 0 1",
         "3k5/9/9/9/9/9/2B6/9/5K3[Mm] b - - 0 1"]
CHECKS = ["4k4/9/9/9/9/9/9/9/4KR2r[] w - - 0 1".replace("R2r", "3r"),
          "4k4/9/9/4R4/9/9/9/9/3K5[] b - - 0 1"]


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300, **options)


class Base(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as stream:
            return stream.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)
        return self.path(name)

    def tune(self, *arguments, code=0, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        return result

    def json(self, *arguments):
        return json.loads(self.tune("--json", *arguments).stdout)

    def text_fit(self, lines, *arguments, name="positions.txt"):
        path = self.write(name, "".join(line + "\n" for line in lines))
        return self.json("--variant", "mansindam", "--text", path, "--init", "zero", "--seed", 1,
                         "--out", self.path("w.h"), *arguments)


class Games(Base):
    """Tests on datasets of random games."""
    SHARDS = ((0, 0, 40), (1, 40, 40), (2, 80, 40))  # number, first game, games

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.games = os.path.join(cls.shared.name, "games")
        for shard, first, count in cls.SHARDS:
            subprocess.run([MAKE_GAMES, cls.games, str(shard), str(first), str(count), "300", "3"],
                           check=True)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
