#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""damage_test.py - shards that are cut, flipped, mixed up, or no shards at all.

    damage_test.py --bin=DIR --make-games=FILE --kept=DIR [--every=N] [unittest arguments]

Shards are cut at each boundary of their structure and a byte before and behind it, and bits are
flipped in every byte of header and trailer, at every boundary of the blocks, and in between. Each
time every reader refuses with file and offset, what is shown is what was played, and salvage finds
all of the other blocks. --every=N looks with the slower commands at each N-th only.
"""

import json
import os
import random
import re
import shutil
import subprocess

import faults
from anatomy import Shard
from faults import GIVEN, FaultTest, files, read, write

FIRST, GAMES = 1000, 200  # of the shard that is made here, in four blocks


class DamageTest(FaultTest):
    def sources(self):
        """Shards of every format, written now and long ago: (name, bytes)."""
        self.make(self.path("made"), 0, FIRST, GAMES, 30)
        yield "made", read(self.path("made", "000000.cmpd"))
        for name, data in files(GIVEN["kept"], ".cmpd").items():
            yield name, data

    def flips(self, shard, rng):
        places = set(range(shard.header)) | set(range(shard.trailer, shard.size))
        places |= {place + move for place in shard.places for move in (-1, 0, 1)
                   if 0 <= place + move < shard.size}
        for begin, end, *_ in shard.blocks:
            places |= {rng.randrange(begin, end) for _ in range(12)}
        for place in sorted(places):
            data = bytearray(shard.data)
            data[place] ^= 1 << rng.randrange(8)
            yield f"flip{place}", place, bytes(data)

    def cuts(self, shard):
        places = {place + move for place in shard.places for move in (-1, 0, 1)}
        for place in sorted(places & set(range(shard.size))):
            yield f"cut{place}", place, shard.data[:place]

    def selected(self, cases):
        every = int(GIVEN.get("every", 1))
        return cases[random.randrange(min(every, len(cases)))::every]

    def assert_named(self, message, path):
        self.assertIn(path, message)
        self.assertRegex(message, r"byte \d+", message)

    def verify_all(self, paths):
        """What verify says of each of the files."""
        found = dict.fromkeys(paths, "")
        for begin in range(0, len(paths), 500):
            report = self.data_json("verify", *paths[begin:begin + 500], code=1)
            for message in report["errors"]:
                found[message.split(": ")[0]] += message
        return found

    def expected_place(self, shard, case, place, message):
        """The offset that is named is that of the damaged part; where its own size or offset is
        what was damaged, the part is."""
        if case.startswith("cut"):
            return
        part, offsets = shard.part(place), [int(n) for n in re.findall(r"byte (\d+)", message)]
        if part == "header":
            self.assertTrue("header" in message or min(offsets) < shard.header, message)
        elif part == "trailer":
            self.assertTrue("trailer" in message or max(offsets) >= shard.trailer, message)
        else:
            self.assertIn(shard.blocks[part][0], offsets, message)

    def test_every_boundary(self):
        rng = random.Random(5)
        for name, data in self.sources():
            with self.subTest(name):
                self.boundaries(name, data, rng)

    def boundaries(self, name, data, rng):
        shard, folder = Shard(data), self.path(f"damaged-{name}")
        os.mkdir(folder)
        cases = list(self.flips(shard, rng)) + list(self.cuts(shard))
        paths = [os.path.join(folder, f"{case}.cmpd") for case, _, _ in cases]
        for path, (_, _, bad) in zip(paths, cases):
            write(path, bad)
        for path, message in self.verify_all(paths).items():
            self.assert_named(message, path)
            case, place = re.fullmatch(r".*/((?:flip|cut)(\d+))\.cmpd", path).groups()
            self.expected_place(shard, case, int(place), message)
        original = self.path(f"{name}.cmpd")
        write(original, data)
        games = self.games(original)
        self.assertEqual(len(games), sum(count for *_, count in shard.blocks))
        chosen = self.selected(list(zip(paths, cases)))
        for path, (case, place, _) in chosen:
            self.readers(path, shard, case, place, games)
            self.salvaged(path, shard, case, place, games)
        shutil.rmtree(folder)

    def readers(self, path, shard, case, place, games):
        part = shard.part(place) if case.startswith("flip") else "cut"
        out = self.path("out")
        commands = [["stat", path], ["export", "--format", "jsonl", path],
                    ["filter", "--out", out, path], ["dedup", "--out", out, path],
                    ["rescore", "--nodes", 1, "--out", out, path]]
        if isinstance(part, str):  # not even opened
            commands += [["merge", "--out", out, path], ["show", "--game", min(games), path],
                         ["sample", "--count", 5, path]]
        else:
            commands += [["show", "--game", shard.blocks[part][2], path]]
        for command in commands:
            done = faults.run("campmate-data", *command)
            self.assertEqual(done.returncode, 1, (command, done.stderr))
            self.assert_named(done.stderr, path)
            if command[0] == "export":
                for game in map(json.loads, done.stdout.splitlines()):
                    self.assertEqual(game, games[game["number"]])
            else:
                self.assertEqual(done.stdout, "", command)
            self.assertEqual(files(out, ".cmpd"), {}, command)
            shutil.rmtree(out, ignore_errors=True)
        if not isinstance(part, str):  # the other blocks can be seen
            for i, (_, _, first, _) in enumerate(shard.blocks):
                if i != part:
                    shown = self.data_json("show", "--game", first, path)
                    self.assertEqual(shown, {**shown, **games[first]})
        done = faults.run("campmate-tune", "--data", path, "--init", "zero", "--seed", 1, "--out",
                          self.path("weights.h"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_named(done.stderr, path)
        self.assertFalse(os.path.exists(self.path("weights.h")))

    def salvaged(self, path, shard, case, place, games):
        """Exactly the games of the blocks that are whole."""
        whole = [i for i, (begin, end, *_) in enumerate(shard.blocks)
                 if (end <= place if case.startswith("cut") else not begin <= place < end)]
        numbers = sorted(games)
        wanted, at = [], 0
        for i, (*_, count) in enumerate(shard.blocks):
            wanted += numbers[at:at + count] if i in whole else []
            at += count
        out = self.path("saved")
        done = faults.run("campmate-data", "salvage", "--json", "--out", out, path)
        if case.startswith("flip") and shard.part(place) == "header" and done.returncode:
            # A header of old formats may have more than one repair that fits: then it says so.
            self.assertIn("header", done.stdout)
            self.assertLess(shard.version, 3)
            return
        self.assertEqual(done.returncode, 0 if wanted else 1, (path, done.stdout, done.stderr))
        saved = self.games(out) if wanted else {}
        self.assertEqual(saved, {n: games[n] for n in wanted}, path)
        if wanted:
            self.verify(out)
        shutil.rmtree(out, ignore_errors=True)


class OddFiles(FaultTest):
    """What else may lie where a shard should be."""

    def setUp(self):
        super().setUp()
        self.data = self.path("data")
        self.make(self.data, 0, 0, 70)
        self.make(self.data, 1, 70, 130)
        self.done("campmate-data", "merge", "--out", self.data)
        self.shard = self.path("data", "000001.cmpd")

    def refused(self, *words, path=None, place=True):
        path = path or self.data
        report = self.data_json("verify", path, code=1)
        message = "\n".join(report["errors"])
        for word in words:
            self.assertIn(word, message)
        if place:
            self.assertRegex(message, r"byte \d+")
        for command in (["stat", path], ["export", "--format", "jsonl", path],
                        ["merge", "--out", self.path("merged"), path]):
            done = faults.run("campmate-data", *command)
            self.assertEqual(done.returncode, 1, (command, done.stderr))
            self.assertIn(words[0], done.stderr, command)
        done = faults.run("campmate-tune", "--data", path, "--init", "zero", "--out",
                          self.path("w.h"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(words[0], done.stderr)

    def test_zero_records(self):
        """Case B03: zeros in the middle, at the end, all over; a hole of the file system."""
        data = read(self.shard)
        middle = len(data) // 2
        write(self.shard, data[:middle] + bytes(256) + data[middle + 256:])
        report = self.data_json("verify", self.data, code=1)
        self.assertIn("000001.cmpd: byte ", report["errors"][0])
        for bad in (data + bytes(64), data[:-64] + bytes(64), bytes(len(data))):
            write(self.shard, bad)
            self.refused("000001.cmpd")
        with open(self.shard, "wb") as file:
            file.truncate(1 << 30)
        self.refused("000001.cmpd")

    def test_other_content(self):
        """Files of other tools with the name of a shard."""
        text = read(self.path("data", "manifest.json"))
        packed = subprocess.run(["zstd", "-c"], input=text, stdout=subprocess.PIPE, check=True)
        skipped = bytes.fromhex("5c2a4d18") + (40).to_bytes(4, "little") + b"other" * 8
        for bad in (b"", b"x", text, packed.stdout, skipped + packed.stdout, b"BINP" + bytes(800),
                    b"\x7fELF" + bytes(5000), b"\n" * 3000):
            write(self.shard, bad)
            self.refused("000001.cmpd")
            self.refused("000001.cmpd", path=self.shard)

    def test_no_files(self):
        """A directory, a named pipe, a device, a link to nowhere: refused, and nobody waits."""
        def nowhere():
            os.symlink("nowhere", self.shard)
        for make in (lambda: os.mkdir(self.shard), lambda: os.mkfifo(self.shard),
                     lambda: os.symlink("/dev/zero", self.shard), nowhere):
            if os.path.isdir(self.shard):
                os.rmdir(self.shard)
            else:
                os.remove(self.shard)
            make()
            self.refused("000001.cmpd", place=False)
            resume = faults.run("campmate-selfplay", "--variant", "mansindam", "--games", 200,
                                "--shard-games", 100, "--nodes", 10, "--out", self.data, "--resume")
            self.assertEqual(resume.returncode, 1, resume.stderr)

    def test_pipe_as_a_partial(self):
        os.mkfifo(self.path("data", "000002.partial"))
        for more in ([], ["--resume"]):
            done = faults.run("campmate-selfplay", "--variant", "mansindam", "--games", 10, "--nodes",
                              10, "--out", self.data, *more)
            self.assertEqual(done.returncode, 1, done.stderr)

    def test_plain_zstd_reads_shards(self):
        """Case B05: skippable frames and several frames are the format itself."""
        for path in (self.shard, *(os.path.join(GIVEN["kept"], name)
                                   for name in files(GIVEN["kept"], ".cmpd"))):
            subprocess.run(["zstd", "-qt", "--format=zstd", path], check=True,
                           stdin=subprocess.DEVNULL)
        data = bytearray(read(self.shard))
        data[Shard(bytes(data)).blocks[1][0] + 40] ^= 1
        write(self.shard, data)
        self.assertNotEqual(subprocess.run(["zstd", "-qt", "--format=zstd", self.shard],
                                           stderr=subprocess.DEVNULL, check=False).returncode, 0)

    def test_extra_frames(self):
        """Between our frames nothing may stand, not even what zstd skips."""
        data = read(self.shard)
        header = Shard(data).header
        frame = bytes.fromhex("502a4d18") + (4).to_bytes(4, "little") + b"more"
        for bad in (data[:header] + frame + data[header:], frame + data, data + frame, data + data):
            write(self.shard, bad)
            self.refused("000001.cmpd")

    def test_swapped_shard(self):
        """Sound in itself, but of another run: the manifest knows, and --resume."""
        self.make(self.path("other"), 1, 70, 130, 40, 2)
        shutil.copy(self.path("other", "000001.cmpd"), self.shard)
        report = self.data_json("verify", self.data, code=1)
        self.assertIn("manifest.json", report["errors"][0])
        self.assertIn("000001.cmpd", report["errors"][0])

    def test_duplicates(self):
        """A shard under another name in the directory, under another path, as a link."""
        shutil.copy(self.shard, self.path("data", "000009.cmpd"))
        self.refused("000009.cmpd", "000001.cmpd")
        os.remove(self.path("data", "000009.cmpd"))
        os.link(self.shard, self.path("data", "000009.cmpd"))
        self.refused("000009.cmpd", "000001.cmpd")
        os.remove(self.path("data", "000009.cmpd"))
        shutil.copy(self.shard, self.path("copy.cmpd"))
        for command in (["stat"], ["verify"], ["export", "--format", "jsonl"],
                        ["filter", "--out", self.path("out")]):
            done = faults.run("campmate-data", *command, self.data, self.path("copy.cmpd"))
            self.assertEqual(done.returncode, 1, (command, done.stderr, done.stdout))
            self.assertIn("copy.cmpd", done.stderr + done.stdout)


if __name__ == "__main__":
    faults.main()
