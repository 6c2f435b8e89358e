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
    ledger.jsonl        lines for the ledger, of a run that is none of scripts/train's
    summary.json        written last
"""

import contextlib
import fcntl
import json
import os
import re
import shlex
import time
from pathlib import Path

import program

SHARD_NAME = re.compile(r"(\d{6})\.(cmpd|partial)")
VERIFIED = re.compile(r"(\d{6}\.cmpd) (\d+) (\d+)\.(\d+)")  # name, size, time
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


def read_text(path):
    try:
        return program.read_text(path)
    except UnicodeDecodeError as error:
        raise RunError(f"{path}: byte {error.start}: not a text in UTF-8") from None


def read_json(path):
    """The object in a file."""
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise RunError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise RunError(f"{path}: nested too deeply") from None
    if not isinstance(content, dict):
        raise RunError(f"{path}: found {shown(content)}, expected an object")
    return content


def shown(value):
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


# --- what run.json has to say -------------------------------------------------------------------

def whole(least):
    """A number, which true is not."""
    return (f"a whole number from {least} on",
            lambda value: type(value) is int and value >= least)  # pylint: disable=C0123


def or_null(kind):
    return f"{kind[0]} or null", lambda value: value is None or kind[1](value)


def of_type(words, kind):
    return words, lambda value: isinstance(value, kind)


def can_be_split(value):
    try:
        return isinstance(value, str) and shlex.split(value) is not None
    except ValueError:
        return False


TEXT = of_type("a text", str)
SBATCH_OPTIONS = ("a text that a shell could take apart", can_be_split)
PLAN = {
    "version": ("1", lambda value: value == 1 and value is not True),
    "variant": TEXT, "seed": whole(0), "games": whole(1), "shard_games": whole(1),
    "shards_per_task": whole(1), "verify_in_tasks": of_type("true or false", bool),
    "regenerate": whole(0), "tune": of_type("true or false", bool),
    "ledger": or_null(of_type("an object", dict)),
    "slurm": of_type("an object", dict), "rounds_at_most": whole(1), "rounds_left": whole(0),
    "rounds": of_type("a list", list),
}
PLAN_SLURM = {
    "partition": or_null(TEXT), "time": or_null(TEXT), "cpus-per-task": or_null(whole(1)),
    "most_running": or_null(whole(1)), "options": SBATCH_OPTIONS, "finish_options": SBATCH_OPTIONS,
}
PLAN_LEDGER = {"run": TEXT, "generation": or_null(TEXT), "step": TEXT, "commit_id": or_null(TEXT),
               "compiler": or_null(TEXT)}
PLAN_ROUND = {
    "number": whole(1), "shards": whole(0), "tasks": whole(0), "submitted": TEXT,
    "arrays": ("a list of job numbers", lambda value: isinstance(value, list)
               and all(whole(1)[1](job) for job in value)),
    "finish": or_null(whole(1)),
}


def check_object(path, place, value, keys):
    if not isinstance(value, dict):
        raise RunError(f"{path}: {place or 'all'}: found {shown(value)}, expected an object")
    for key, (expected, is_good) in keys.items():
        name = f"{place}.{key}" if place else key
        if key not in value:
            raise RunError(f"{path}: no {name}, expected {expected}")
        if not is_good(value[key]):
            raise RunError(f"{path}: {name}: found {shown(value[key])}, expected {expected}")


def check_plan(path, plan):
    check_object(path, "", plan, PLAN)
    check_object(path, "slurm", plan["slurm"], PLAN_SLURM)
    if plan["ledger"] is not None:
        check_object(path, "ledger", plan["ledger"], PLAN_LEDGER)
    for number, entry in enumerate(plan["rounds"]):
        check_object(path, f"rounds[{number}]", entry, PLAN_ROUND)


class Run:
    """A run's directory. `plan` is the content of run.json and is saved by save()."""

    def __init__(self, directory, plan=None):
        self.directory = Path(directory).resolve()
        self.plan = plan
        if plan is None:
            path = self.directory / "run.json"
            try:
                self.plan = read_json(path)
            except FileNotFoundError:
                raise usage_error(f"{directory}: no run of scripts/slurm/submit there "
                                  "(no run.json)") from None
            check_plan(path, self.plan)

    def save(self):
        write_atomically(self.directory / "run.json", json.dumps(self.plan, indent=2) + "\n")

    @contextlib.contextmanager
    def locked(self, patience=0):
        """One command at a time changes a run; waits `patience` seconds for another one."""
        until = time.monotonic() + patience
        with open(self.directory / ".lock", "w", encoding="utf-8") as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= until:
                        raise RunError(f"{self.directory}: in use by another command") from None
                    time.sleep(0.1)
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
            for line in record.read_text(encoding="utf-8", errors="replace").splitlines():
                match = VERIFIED.fullmatch(line)
                if not match:  # cut off, or not from a task: verified once more
                    continue
                name, size, seconds, fraction = match.groups()
                path = record.parent / name
                with contextlib.suppress(FileNotFoundError):
                    facts = path.stat()
                    if (facts.st_size, facts.st_mtime_ns) == (
                            int(size), int(seconds + (fraction + "0" * 9)[:9])):
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
