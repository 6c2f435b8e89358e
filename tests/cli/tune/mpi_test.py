#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpi_test.py - a fit over several processes of one machine: the same header, one voice.

    mpi_test.py PATH/campmate-tune PATH/make_games PATH/mpirun [unittest arguments]

CAMPMATE_TUNE may name a campmate-tune of the same commit that was built without MPI.
"""

import json
import os
import signal
import subprocess
import time
import unittest

from common import CC as MPIRUN, PROGRAM, Games, main

WORDS = ("--init", "zero", "--seed", "5", "--threads", "1", "--date", "2024-01-01T00:00:00Z")
ENVIRONMENT = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def command(ranks, *words):
    return [MPIRUN, "--oversubscribe", "-n", str(ranks), PROGRAM, *map(str, words)]


class Ranks(Games):
    SHARDS = ((0, 0, 30), (1, 30, 50), (2, 80, 20), (3, 100, 40), (4, 140, 30))

    def ranks(self, ranks, *words, code=0):
        result = subprocess.run(command(ranks, *words), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=300, env=ENVIRONMENT)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def header(self, ranks, *words, name="w.h"):
        out = self.path(name)
        text = self.ranks(ranks, "--data", self.games, *WORDS, *words, "--json", "--out",
                          out).stdout
        self.assertEqual(text.count("\n"), 1, "one of the processes talks")
        return self.read(name), json.loads(text)

    def test_the_same_header(self):
        for words in ((), ("--ridge", 0.1, "--bootstrap", 2, "--learning-curve", "--game-weight",
                           "--scratch", self.scratch.name), ("--max-positions", 3000)):
            self.tune("--data", self.games, *WORDS, *words, "--out", self.path("one.h"))
            alone = self.read("one.h")
            for ranks in (1, 2, 4):
                header, result = self.header(ranks, *words)
                self.assertEqual(header, alone, (ranks, words))
            # Sums of few coefficients are made in other lanes.
            self.assertGreater(result["positions"], 1000)
            if "CAMPMATE_TUNE" in os.environ:
                subprocess.run([os.environ["CAMPMATE_TUNE"], "--data", self.games, *WORDS,
                                *map(str, words), "--out", self.path("plain.h")], check=True,
                               stdout=subprocess.DEVNULL)
                self.assertEqual(self.read("plain.h"), alone)

    def test_few_weights(self):
        """The whole Hessian at once, in lanes of its own."""
        words = ("--terms", "material,tempo")
        self.tune("--data", self.games, *WORDS, *words, "--out", self.path("one.h"))
        self.assertEqual(self.header(3, *words)[0], self.read("one.h"))

    def test_search_and_export(self):
        words = ("--data", self.games, *WORDS, "--search", "--search-lambda", "1",
                 "--search-skip-plies", "4,20")
        alone = self.tune(*words).stdout
        self.assertEqual(self.ranks(2, *words).stdout, alone)
        words = ("--data", self.games, *WORDS, "--export")
        self.tune(*words, self.path("one.txt"))
        self.ranks(2, *words, self.path("two.txt"))
        self.assertEqual(self.read("one.txt"), self.read("two.txt"))

    def test_a_damaged_shard_of_one_process(self):
        os.mkdir(self.path("damaged"))
        for name in os.listdir(self.games):
            with open(os.path.join(self.games, name), "rb") as stream:
                data = bytearray(stream.read())
            if name == "000004.cmpd": # the last process reads it
                data[len(data) // 2] ^= 0x40
            with open(self.path("damaged/" + name), "wb") as stream:
                stream.write(data)
        os.path.exists(self.path("damaged/manifest.json")) and os.remove(
            self.path("damaged/manifest.json"))
        result = self.ranks(3, "--data", self.path("damaged"), *WORDS, "--out", self.path("w.h"),
                            code=1)
        self.assertIn("campmate-tune: process 2: ", result.stderr)
        self.assertIn("000004.cmpd", result.stderr)
        self.assertFalse(os.path.exists(self.path("w.h")))

    def test_usage(self):
        result = self.ranks(2, "--nonsense", code=2)
        self.assertEqual(result.stderr.count("campmate-tune: "), 1)

    def test_interrupted(self):
        self.write("w.h", "precious")
        child = subprocess.Popen(command(2, "--data", self.games, *WORDS, "--ridge", "1e-9",
                                         "--rare", 0, "--check", "--bootstrap", 1000, "--out",
                                         self.path("w.h")), env=ENVIRONMENT,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(3)
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=120)
        self.assertNotEqual(child.returncode, 0)
        self.assertEqual(self.read("w.h"), "precious")


if __name__ == "__main__":
    main()
