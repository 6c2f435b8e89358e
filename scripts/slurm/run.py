# SPDX-License-Identifier: GPL-3.0-or-later
"""run.py - what a run on a cluster is: its directory, its shards, what of them is there.

    run.json            the plan and the rounds that were submitted
    selfplay.ini        the effective options of the generator
    inputs/             copies of the files that the options name (book, weights, tuner's options)
    bin/                copies of the programs and of these scripts: what the jobs execute
    parts/PPPPPP/       the shards of one task, a directory that only its task writes to
    tasks/              for each round a file with one line for each task
    logs/               what the jobs print
    damaged/            shards that failed the verification
    games/              the finished dataset: the shards of all parts, and their manifest
    weights/VARIANT.h   the tuned weights
    summary.json        written last
"""

import contextlib
import fcntl
import json
import os
import re
from pathlib import Path

SHARD_NAME = re.compile(r"(\d{6})\.(cmpd|partial)")
MOST_PARTS = 50_000  # their names fit on one command line


class RunError(Exception):
    """The message for the user; the program ends with `code`."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def usage_error(message):
    return RunError(message, code=2)


def write_atomically(path, text):
    temporary = path.with_name(f"{path.name}.tmp.{os.getpid()}")
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


class Run:
    """A run's directory. `plan` is the content of run.json and is saved by save()."""

    def __init__(self, directory, plan=None):
        self.directory = Path(directory).resolve()
        self.plan = plan
        if plan is None:
            path = self.directory / "run.json"
            try:
                self.plan = json.loads(path.read_text(encoding="utf-8"))
            except FileNotFoundError:
                raise usage_error(f"{directory}: no run of scripts/slurm/submit there "
                                  "(no run.json)") from None
            except (OSError, ValueError) as error:
                raise RunError(f"{path}: {error}") from None

    def save(self):
        write_atomically(self.directory / "run.json", json.dumps(self.plan, indent=2) + "\n")

    @contextlib.contextmanager
    def locked(self):
        """One command at a time changes a run."""
        with open(self.directory / ".lock", "w", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RunError(f"{self.directory}: in use by another command") from None
            yield

    # --- shards --------------------------------------------------------------------------------

    @property
    def shard_count(self):
        return -(-self.plan["games"] // self.plan["shard_games"])

    def part_of(self, shard):
        return f"{shard // self.plan['shards_per_task']:06d}"

    def games_of(self, first, last):
        """First game and number of games of a range of shards."""
        size = self.plan["shard_games"]
        return first * size, min((last + 1) * size, self.plan["games"]) - first * size

    def files(self, ending):
        """{shard: [paths relative to the directory]}; those in parts/ come first."""
        found = {}
        places = sorted((self.directory / "parts").glob("*/")) + [self.directory / "games"]
        for place in places:
            with contextlib.suppress(FileNotFoundError), os.scandir(place) as entries:
                for entry in entries:
                    match = SHARD_NAME.fullmatch(entry.name)
                    if match and match[2] == ending:
                        path = os.path.relpath(entry.path, self.directory)
                        found.setdefault(int(match[1]), []).append(path)
        return found

    def verified(self):
        """Paths of the shards that a task has verified and nobody has touched since."""
        paths = set()
        for record in (self.directory / "parts").glob("*/verified"):
            for line in record.read_text(encoding="utf-8").splitlines():
                name, size, seconds = line.split()
                whole, _, fraction = seconds.partition(".")
                path = record.parent / name
                with contextlib.suppress(FileNotFoundError):
                    facts = path.stat()
                    if (facts.st_size, facts.st_mtime_ns) == (
                            int(size), int(whole + (fraction + "0" * 9)[:9])):
                        paths.add(os.path.relpath(path, self.directory))
        return paths

    def missing(self, found):
        return [shard for shard in range(self.shard_count) if shard not in found]

    def tasks(self, shards):
        """One line for each part that lacks one of the (ascending) shards: the part, and the
        ranges of games to play as FIRST+COUNT. A part is never given to two tasks."""
        ranges = {}
        for shard in shards:
            last = ranges.setdefault(self.part_of(shard), [])
            if last and last[-1][1] == shard - 1:
                last[-1][1] = shard
            else:
                last.append([shard, shard])
        return [" ".join([part, *("%d+%d" % self.games_of(*span) for span in spans)])
                for part, spans in ranges.items()]

    # --- rounds --------------------------------------------------------------------------------

    def job_ids(self):
        """The jobs of all rounds, arrays as one."""
        ids = set()
        for entry in self.plan["rounds"]:
            ids.update(entry["arrays"])
            if entry["finish"]:
                ids.add(entry["finish"])
        return ids

    def is_complete(self):
        return (self.directory / "summary.json").exists()
