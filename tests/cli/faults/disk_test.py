#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""disk_test.py - full and read-only disks, outputs that nobody can take, several writers, and
clocks that jump.

    disk_test.py --bin=DIR --make-games=FILE --trouble=FILE [unittest arguments]

File systems of their own are mounted in a mount namespace of this test, for which it has to be
root or to be allowed to make user namespaces; where it is neither, those tests are skipped.
"""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

import faults
from faults import GIVEN, FaultTest, files, read, troubled, write

PLAY = ["--variant", "mansindam", "--nodes", "40", "--max-plies", "60", "--seed", "9"]
SHARDS = PLAY + ["--shard-games", "100", "--games", "400"]
FULL = "No space left on device"
TOO_LARGE = "File too large"
READ_ONLY = "Read-only file system"


def with_namespace():
    """Starts the test again where it may mount, if that can be had."""
    if "FAULTS_NAMESPACE" in os.environ:
        return
    for options in (["--mount"], ["--mount", "--map-root-user"]):
        command = ["unshare", *options]
        try:
            can = subprocess.run([*command, "mount", "-t", "tmpfs", "none", "/tmp"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError:
            break
        if can.returncode == 0:
            os.environ["FAULTS_NAMESPACE"] = "private"
            os.execvp("unshare", [*command, sys.executable, *sys.argv])
    os.environ["FAULTS_NAMESPACE"] = "none"


class DiskTest(FaultTest):
    def mount(self, name, size):
        """A file system of its own with so many bytes."""
        if os.environ["FAULTS_NAMESPACE"] == "none":
            self.skipTest("mounting is not allowed here")
        place = self.path(name)
        os.mkdir(place)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", place], check=True)
        return place

    def remount(self, place, options):
        subprocess.run(["mount", "-o", f"remount,{options}", place], check=True)

    def whole(self, play=SHARDS):
        out = self.path("whole")
        summary = json.loads(self.done("campmate-selfplay", *play, "--json", "--out", out).stdout)
        return summary["digest"], files(out, ".cmpd")

    def played(self, games):
        """A dataset of games with results and scores, in one shard."""
        out = self.path("source")
        self.done("campmate-selfplay", *PLAY, "--games", games, "--out", out)
        return out

    def assert_fails(self, result, *words):
        self.assertEqual(result.returncode, 1, (result.args, result.stderr[-500:]))
        for word in words:
            self.assertIn(word, result.stderr.splitlines()[-1], result.args)

    def resume(self, out, digest, whole):
        done = self.done("campmate-selfplay", *SHARDS, "--resume", "--json", "--out", out)
        self.assertEqual(json.loads(done.stdout)["digest"], digest)
        self.assertEqual(files(out, ".cmpd"), whole)
        return json.loads(done.stdout)

    def data_commands(self, source, place):
        """Each command that writes to a file or directory, with what it writes to."""
        damaged = self.path("damaged.cmpd")
        if not os.path.exists(damaged):
            write(damaged, read(os.path.join(source, "000000.cmpd"))[:-20])
            text = self.done("campmate-data", "export", "--format", "pgn", source).stdout
            write(self.path("games.pgn"), text.encode())
        commands = [
            (["merge"], [source]), (["filter", "--min-plies", 1], [source]),
            (["split", "--seed", 1, "--parts", "a=1,b=1"], [source]), (["dedup"], [source]),
            (["rescore", "--nodes", 1, "--threads", 2], [source]), (["salvage"], [damaged]),
            (["import", "--variant", "mansindam"], [self.path("games.pgn")]),
            (["sample", "--seed", 1, "--count", 3000], [source]),
            (["export", "--format", "jsonl"], [source]), (["export", "--format", "pgn"], [source]),
            (["export", "--format", "plain"], [source]),
            (["book", "--seed", 1, "--count", 250, "--plies", 20, "--data", source], []),
        ]
        for number, (words, inputs) in enumerate(commands):
            out = os.path.join(place, f"out{number}")
            yield [*words, "--out", out, *inputs], out


class Full(DiskTest):
    def test_selfplay_on_small_disks(self):
        """Whatever the size: an error in time, finished shards whole, whole blocks kept, and more
        room is all that is needed to go on."""
        digest, whole = self.whole()
        total = sum(map(len, whole.values()))
        for number, size in enumerate((1, 3, 5, total // 4096)):
            place = self.mount(f"small{number}", 4096 * size)
            out = os.path.join(place, "out")
            done = faults.run("campmate-selfplay", *SHARDS, "--threads", number % 3 + 1, "--out",
                              out)
            self.assert_fails(done, FULL, place)
            kept = files(out, ".cmpd")
            for name, data in kept.items():
                self.assertEqual(data, whole[name])
            saved = 0
            for name in files(out, ".partial"):
                saved += self.data_json("salvage", "--dry-run", os.path.join(out, name))["saved"]
            again = faults.run("campmate-selfplay", *SHARDS, "--resume", "--out", out)
            self.assert_fails(again, FULL, place)
            self.remount(place, "size=4m")
            summary = self.resume(out, digest, whole)
            self.assertGreaterEqual(summary["kept_games"], 100 * len(kept) + saved)

    def test_data_commands_on_a_small_disk(self):
        source = self.played(300)
        before = files(source)
        place = self.mount("small", 8192)
        for command, out in self.data_commands(source, place):
            done = faults.run("campmate-data", *command)
            self.assert_fails(done, FULL)
            self.assertIn("out", done.stderr)
            if command[0] == "rescore":  # keeps what it can go on with, and never a wrong shard
                self.assertEqual(files(out, ".cmpd"), {})
                shutil.rmtree(out)
            self.assertEqual(os.listdir(place), [], command)
            self.assertEqual(files(source), before)

    def test_tuner_on_a_full_disk(self):
        place = self.mount("small", 4096)
        write(os.path.join(place, "filler"), b"x" * 4096)
        out = os.path.join(place, "weights.h")
        done = faults.run("campmate-tune", "--emit-zero", "--variant", "mansindam", "--out", out)
        self.assert_fails(done, FULL, out)
        self.assertEqual(os.listdir(place), ["filler"])

    def test_temporary_directory_is_full(self):
        """Keys that do not fit into memory go to a temporary file."""
        source, place = self.path("source"), self.mount("small", 4096)
        self.make(source, 0, 0, 2000, 30)
        self.make(source, 1, 2000, 70000, 1)
        before = files(source)
        done = faults.run("campmate-data", "dedup", "--memory", 1, "--out", self.path("out"), source,
                          env=dict(os.environ, TMPDIR=place))
        self.assert_fails(done, FULL)
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertEqual(files(source), before)

    def assert_not_printed(self, done, reason):
        """Exit code 1, and the reason once."""
        self.assertEqual(done.returncode, 1, (done.args, done.stderr))
        lines = [line for line in done.stderr.splitlines() if "standard output" in line]
        self.assertEqual(len(lines), 1, (done.args, done.stderr))
        self.assertTrue(lines[0].endswith(f": cannot write standard output: {reason}"), done.stderr)
        self.assertEqual(done.stderr.count(reason), 1, (done.args, done.stderr))

    def commands_that_print(self):
        """(program, arguments, what it would write)"""
        source, out = self.played(20), self.path("out")
        shard = os.path.join(source, "000000.cmpd")
        data = [["stat"], ["verify"], ["show", "--game", 3], ["sample", "--out", out, "--count", 5],
                ["stat", "--dry-run"], ["merge", "--out", out], ["filter", "--out", out],
                ["split", "--out", out, "--parts", "a=1,b=1"], ["dedup", "--out", out],
                ["rescore", "--nodes", 1, "--out", out], ["salvage", "--out", out]]
        runs = [("campmate-data", [*words, *more, shard]) for words in data
                for more in ([], ["--json"])]
        runs += [("campmate-data", [*words, shard]) for words in (
            ["export", "--format", "jsonl"], ["export", "--format", "pgn"],
            ["export", "--format", "fen"], ["export", "--format", "plain"],
            ["sample", "--count", 5], ["book", "--out", "-", "--count", 5, "--data"],
            ["book", "--out", out, "--json", "--count", 5, "--data"])]
        runs += [("campmate-data", [command, "--help"]) for command in (
            "stat", "verify", "show", "export", "book", "merge", "import", "filter", "split", "dedup",
            "sample", "rescore", "salvage")]
        runs += [("campmate", [command, "--help"]) for command in ("bench", "perft", "moves", "eval")]
        runs += [("campmate-match", ["sprt", "--help"]),
                 ("campmate-match", ["sprt", "--wld", "10,5,5", "--json"])]
        runs += [(f"campmate{name}", [option]) for name in ("", "-selfplay", "-tune", "-match",
                                                            "-data")
                 for option in ("--help", "--version")]
        play = [*PLAY, "--games", 2, "--out", out]
        runs += [("campmate-selfplay", [*play, *more]) for more in
                 ([], ["--json"], ["--dry-run"], ["--dry-run", "--json"])]
        tune = ["--data", shard, "--dry-run"]
        runs += [("campmate-tune", tune), ("campmate-tune", [*tune, "--json"]),
                 ("campmate-tune", ["compare", "zero", "current", "--data", shard]),
                 ("campmate-tune", ["compare", "zero", "current", "--data", shard, "--json"])]
        runs += [("campmate", arguments) for arguments in (["perft", "mansindam", "1"], ["eval"])]
        for name, arguments in runs:
            yield name, arguments
            shutil.rmtree(out, ignore_errors=True)
            if os.path.exists(out):
                os.remove(out)

    def test_standard_output(self):
        """/dev/full takes nothing."""
        for name, arguments in self.commands_that_print():
            with open("/dev/full", "w", encoding="utf-8") as nowhere:
                self.assert_not_printed(faults.run(name, *arguments, stdout=nowhere), FULL)

    def test_nobody_reads_standard_output(self):
        for name, arguments in self.commands_that_print():
            reader, writer = os.pipe()
            os.close(reader)
            with os.fdopen(writer, "w") as broken:
                self.assert_not_printed(faults.run(name, *arguments, stdout=broken), "Broken pipe")

    def test_a_reader_that_goes_away(self):
        """More than a pipe holds, and no more than needed is read for it."""
        source = self.path("source")
        self.make(source, 0, 0, 2000, 40)
        with subprocess.Popen([faults.program("campmate-data"), "export", "--format", "jsonl", source],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            process.stdout.close()
            stderr = process.stderr.read()
        done = subprocess.CompletedProcess(process.args, process.returncode, None, stderr)
        self.assert_not_printed(done, "Broken pipe")

    def test_limit_of_file_size(self):
        """`ulimit -f`: a message, not a signal."""
        source = self.path("source")
        self.make(source, 0, 0, 600, 40)
        limit = ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh"]
        with open(self.path("text"), "w", encoding="utf-8") as output:
            done = subprocess.run([*limit, faults.program("campmate-data"), "export", "--format",
                                   "jsonl", source], stdout=output, stderr=subprocess.PIPE, text=True)
        self.assert_not_printed(done, TOO_LARGE)
        for number, (name, arguments) in enumerate((
                ("campmate-data", ["export", "--format", "jsonl", source]),
                ("campmate-data", ["filter", source]),
                ("campmate-selfplay", [*PLAY, "--games", 2000, "--nodes", 1]),
                ("campmate-tune", ["--emit-zero", "--variant", "mansindam"]))):
            out = self.path(f"out{number}")
            done = subprocess.run([*limit, faults.program(name), *map(str, arguments), "--out", out],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.assert_fails(done, TOO_LARGE, out)

    def test_dev_full_as_a_file(self):
        source = self.path("source")
        self.make(source, 0, 0, 20, 30)
        for command in (["export", "--format", "jsonl", source], ["sample", "--count", 5, source],
                        ["book", "--count", 5, "--data", source]):
            done = faults.run("campmate-data", *command, "--out", "/dev/full")
            self.assert_fails(done, FULL, "/dev/full")
        self.assert_fails(faults.run("campmate-selfplay", *PLAY, "--out", "/dev/full", "--games", 2),
                          "/dev/full")
        self.assertFalse(os.path.isdir("/dev/full"))


class ReadOnly(DiskTest):
    def test_nothing_can_be_written(self):
        digest, whole = self.whole()
        place = self.mount("fixed", "4m")
        out = os.path.join(place, "out")
        shutil.copytree(self.path("whole"), out)
        os.remove(os.path.join(out, "000002.cmpd"))
        self.remount(place, "ro")
        before = files(out)
        for target, words in ((out, ["--resume"]), (os.path.join(place, "new"), [])):
            done = faults.run("campmate-selfplay", *SHARDS, *words, "--out", target)
            self.assert_fails(done, READ_ONLY, target)
        for command, target in self.data_commands(out, place):
            self.assert_fails(faults.run("campmate-data", *command), READ_ONLY, target)
        self.assertEqual(files(out), before)
        self.assertEqual(self.verify_without_manifest(out), 300)
        self.remount(place, "rw")
        self.resume(out, digest, whole)

    def verify_without_manifest(self, out):
        return self.data_json("verify", *[os.path.join(out, name)
                                          for name in files(out, ".cmpd")])["games"]

    def test_manifest_cannot_be_written(self):
        """All shards are there; the next run writes the manifest."""
        digest, whole = self.whole()
        out = self.path("out")
        os.makedirs(os.path.join(out, "manifest.json"))
        done = faults.run("campmate-selfplay", *SHARDS, "--out", out)
        self.assert_fails(done, "manifest.json")
        self.assertEqual(files(out, ".cmpd"), whole)
        os.rmdir(os.path.join(out, "manifest.json"))
        self.assertEqual(self.resume(out, digest, whole)["games"], 0)


class Writers(DiskTest):
    def start(self, out, *more):
        return subprocess.Popen([faults.program("campmate-selfplay"), *SHARDS, *more, "--out", out],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_all_at_once(self):
        """Of several runs of one directory each finishes, or says which file is in use; all of what
        is there is right, and one more run makes it whole."""
        digest, whole = self.whole()
        out = self.path("out")
        runs = [self.start(out, "--resume", "--threads", threads) for threads in ("1", "2", "3")]
        for process in runs:
            stderr = process.communicate(timeout=300)[1]
            if process.returncode:
                self.assertEqual(process.returncode, 1, stderr)
                self.assertRegex(stderr, r"in use by another process|there already")
        for name, data in files(out, ".cmpd").items():
            self.assertEqual(data, whole[name])
        self.resume(out, digest, whole)

    def test_the_dead_hold_no_lock(self):
        """A lock file alone says nothing: its holder was killed. A stopped one still holds it."""
        digest, whole = self.whole()
        for number in range(20):
            out = self.path(f"out{number}")
            lock = os.path.join(out, "000000.lock")
            first = self.start(out, "--threads", "1")
            while first.poll() is None and not os.path.exists(lock):
                time.sleep(0.002)
            first.send_signal(signal.SIGSTOP)
            if first.poll() is None and os.path.exists(lock):
                break
            first.kill()  # this test was not awake while the shard was open
            first.communicate()
        second = faults.run("campmate-selfplay", *SHARDS, "--resume", "--out", out)
        self.assert_fails(second, "000000.lock", "in use by another process")
        left = files(out)
        first.kill()
        first.communicate()
        self.assertEqual(files(out), left)
        self.resume(out, digest, whole)
        self.assertEqual(sorted(os.listdir(out)), sorted([*whole, "manifest.json"]))


class Clocks(DiskTest):
    def test_jumps_change_nothing(self):
        digest, whole = self.whole()
        for seed, more in ((1, {}), (2, {}), (3, {"CLOCK_BACK": 1})):
            out = self.path(f"out{seed}")
            play = [*SHARDS, "--threads", "2", "--json", "--out", out]
            process = subprocess.Popen([faults.program("campmate-selfplay"), *map(str, play)],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=troubled(CLOCK=seed, **more))
            while not files(out, ".cmpd") and process.poll() is None:
                time.sleep(0.005)
            process.kill()
            process.communicate()
            done = self.done("campmate-selfplay", *play, "--resume",
                             env=troubled(CLOCK=seed + 10, **more))
            summary = json.loads(done.stdout)
            self.assertEqual(summary["digest"], digest)
            self.assertEqual(files(out, ".cmpd"), whole)
            self.assertGreaterEqual(summary["seconds"], 0)
            self.assertGreaterEqual(summary["cpu_seconds"], 0)

    def test_no_negative_time_left(self):
        """What a terminal shows while clocks jump."""
        shown = b""
        for seed, more in ((4, {}), (5, {"CLOCK_BACK": 1})):
            master, slave = pty.openpty()
            process = subprocess.Popen(
                [faults.program("campmate-selfplay"), *SHARDS, "--out", self.path(f"tty{seed}")],
                stdout=subprocess.DEVNULL, stderr=slave, env=troubled(CLOCK=seed, **more))
            os.close(slave)
            while True:
                try:
                    part = os.read(master, 4096)
                except OSError:
                    break
                if not part:
                    break
                shown += part
            os.close(master)
            self.assertEqual(process.wait(timeout=300), 0)
        left = re.findall(rb"ETA +(\S+)", shown)
        self.assertTrue(left)
        for text in left:
            self.assertRegex(text, rb"^(-|(\d+:)?\d+:\d\d)$")
        for rate in re.findall(rb"games +(\S+)/s", shown):
            self.assertRegex(rate, rb"^[\d.]+$")
        for rate in re.findall(rb"  (\S+) plies/s", shown):
            self.assertRegex(rate, rb"^[\d.]+$")

    def test_other_commands(self):
        source = self.path("source")
        self.make(source, 0, 0, 100, 30)
        outs = []
        for number, env in enumerate((None, troubled(CLOCK=6), troubled(CLOCK=7, CLOCK_BACK=1))):
            out = self.path(f"rescored{number}")
            done = self.done("campmate-data", "rescore", "--nodes", 20, "--threads", 2, "--json",
                             "--out", out, source, env=env)
            self.assertGreaterEqual(json.loads(done.stdout)["seconds"], 0)
            outs.append(files(out, ".cmpd"))
        self.assertEqual(outs[1:], outs[:1] * 2)


if __name__ == "__main__":
    with_namespace()
    faults.main()
