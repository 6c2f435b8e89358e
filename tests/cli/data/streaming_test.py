#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""streaming_test.py - every command of campmate-data on more data than it may have memory.

    streaming_test.py PATH/campmate-data PATH/make_games SCALE [unittest arguments]

SCALE `decoded`: what the games take when decoded is more than the limit of address space.
SCALE `files`: the compressed files already are. That takes minutes.
"""

import os
import subprocess
import tempfile

import tools
from tools import ToolTest, tree

MIB = 1 << 20
LIMIT, RESCORE_LIMIT = 24, 40  # MiB; rescore plays the bench, whose hash table takes 16
DECODED_BYTES = 376            # of a GameRecord without plies


class Streaming(ToolTest):
    @classmethod
    def setUpClass(cls):
        """A dataset of positions, made of a text that is made of games."""
        cls.shared = tempfile.TemporaryDirectory()
        cls.files = tools.MORE["scale"] == "files"
        cls.games_dir = os.path.join(cls.shared.name, "games")
        cls.text = os.path.join(cls.shared.name, "text")
        cls.large = os.path.join(cls.shared.name, "large")
        for shard in range(20 if cls.files else 1):
            subprocess.run([tools.MAKE_GAMES, cls.games_dir, str(shard), str(2500 * shard), "2500",
                            "60" if cls.files else "36", str(shard + 1)], check=True, timeout=600)
        cls.under(LIMIT, "export", "--format", "fen", "--out", cls.text, cls.games_dir)
        cls.under(LIMIT, "import", "--variant", "mansindam", "--format", "lines", "--shard-games",
                  "400000" if cls.files else "40000", "--out", cls.large, "--threads", "1",
                  cls.text)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()

    @classmethod
    def under(cls, mib, *arguments, code=0):
        """Runs a command in so much address space."""
        limit = "unlimited" if tools.SANITIZED else str(mib * 1024)
        result = subprocess.run(["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", tools.PROGRAM,
                                 *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=5400)
        assert result.returncode == code, (arguments, result.stderr[-500:])
        return result.stdout

    def kept(self, *arguments):
        out = self.path("out")
        self.under(LIMIT, *arguments, "--threads", 1, "--out", out)
        return self.as_json("stat", "--brief", out)["games"]

    def test_the_data_is_larger_than_the_limit(self):
        stat = self.as_json("stat", "--brief", self.large)
        self.assertGreater(stat["games"] * DECODED_BYTES, LIMIT * MIB)
        if self.files:
            self.assertGreater(stat["bytes"], RESCORE_LIMIT * MIB)
        if not tools.SANITIZED:
            with self.assertRaises(AssertionError):
                self.under(2, "stat", self.large)  # the limit is in force

    def test_reading(self):
        games = self.as_json("stat", "--brief", self.large)["games"]
        self.under(LIMIT, "stat", "--memory", 8, "--threads", 1, self.large)
        self.under(LIMIT, "stat", "--memory", 8, "--threads", 1, self.games_dir)
        self.under(LIMIT, "verify", "--threads", 1, self.large)
        self.under(LIMIT, "show", "--game", games - 1, self.large)
        for form in ("jsonl", "pgn", "fen", "plain"):
            self.under(LIMIT, "export", "--format", form, "--out", "/dev/null", self.large)
        self.under(LIMIT, "sample", "--count", 5000, "--seed", 1, "--out", "/dev/null", self.large)
        self.under(LIMIT, "book", "--data", self.large, "--plies", 0, "--count", games // 2,
                   "--threads", 1, "--seed", 1, "--out", "/dev/null")

    def test_import_without_repeats(self):
        self.assertGreater(self.kept("import", "--variant", "mansindam", "--dedup", "--format",
                                     "lines", self.text), 1000)

    def test_merge(self):
        self.assertEqual(self.kept("merge", self.large),
                         self.as_json("stat", "--brief", self.large)["games"])

    def test_filter(self):
        self.assertGreater(self.kept("filter", "--results", "white,black", self.large), 100)

    def test_split(self):
        out = self.path("parts")
        self.under(LIMIT, "split", "--seed", 1, "--threads", 1, "--out", out, self.large)

    def test_dedup(self):
        """The keys do not fit into 1 MiB: sorted in a file, they say the same."""
        options = ["--by", "position", "--from-ply", 0, self.large]
        few, many = self.path("few"), self.path("many")
        self.under(LIMIT, "dedup", "--memory", 1, *options, "--threads", 1, "--out", few)
        self.done("dedup", *options, "--out", many)
        self.assertEqual(tree(few), tree(many))
        self.assertLess(self.as_json("stat", "--brief", few)["games"],
                        self.as_json("stat", "--brief", self.large)["games"])

    def test_salvage(self):
        shards = [os.path.join(self.large, name) for name in sorted(os.listdir(self.large))
                  if name.endswith(".cmpd")]
        self.assertEqual(self.kept("salvage", *shards),
                         self.as_json("stat", "--brief", self.large)["games"])

    def test_rescore(self):
        data, out = self.large, self.path("out")
        if not self.files:  # searching takes its time
            self.as_json("filter", "--out", self.path("some"), "--last-game", 19999, self.large)
            data = self.path("some")
        self.under(RESCORE_LIMIT, "rescore", "--nodes", 1, "--hash", 1, "--threads", 1, "--out",
                   out, data)


class ManyShards(ToolTest):
    def test_manifests_are_streamed(self):
        """What a shard costs is its header, not its entry in the manifest as an object."""
        many, few = self.path("many"), self.path("few")
        for shard in range(400):
            self.make(many, shard, shard, 1, 4)
        for shard in range(2):
            self.make(few, shard, shard, 1, 4)
        self.assert_same_memory(["merge", few], ["merge", many])


if __name__ == "__main__":
    tools.main("scale")
