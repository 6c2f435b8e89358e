#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""kill_real_test.py - a small training run with the real programs, killed again and again.

    kill_real_test.py scripts/train [OUT [SEED [SECONDS]]]

Runs a tiny configuration twice, OUT/whole without disturbance and OUT/killed with kill -9 of the
loop, and compares what came out: datasets, headers, bench signatures, counts and verdicts of all
matches, installed builds, ratings, the ledger. The loop is killed once inside each step of TARGETS,
in a match after some of its pairs, and besides that after random times of up to SECONDS (60). The
children of a killed loop are left to end by themselves, as after a real kill.
"""

import hashlib
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIG = """
[train]
variant = mansindam
start = zero
generations = 2
window = 2
prior = zero
seed = 1
material = PAWN=100,QUEEN=900
[selfplay]
games = 1000
nodes = 200
shard-games = 100
[tune]
anchor = 300
[match]
sprt = elo0=0,elo1=20
games = 200
nodes = 1000
openings = data/openings/mansindam.epd
[gauntlet]
every = 1
games = 40
"""
# Steps in which the loop is killed, and how soon: after so many seconds at most, or more pairs.
TARGETS = [("gen01 self-play", 2.0), ("gen01 tune", 0.2), ("gen01 build", 2.0), ("gen01 match", 3),
           ("gen01 gauntlet gen00", 2), ("gen02 self-play", 2.0), ("gen02 match", 5),
           ("gen02 gauntlet", 1), ("gen02 rating", 0.0)]
# What may differ between two runs of the same configuration: times and places.
VOLATILE = {"seconds", "cpu_seconds", "load_seconds", "path", "header", "pgn", "program", "sha256",
            "runner_ms_per_ply", "plies_per_cpu_second", "kept_games", "interrupted", "engine",
            "stat"}
# Of campmate-selfplay, which counts since the last interruption; the dataset's own are compared.
SELFPLAY_ONLY = {"searched_plies", "nodes", "nodes_max", "opening_redraws", "duplicates",
                 "duplicate_openings", "adjudication_checked", "adjudication_errors",
                 "adjudication_unresolved", "dataset_games", "dataset_plies", "dataset_bytes",
                 "outcomes", "decisive_share", "unfinished_share", "adjudication_error_rate"}


def outcome(directory):
    """{what: value} that has to be the same however a run got there."""
    state = json.loads((directory / "state.json").read_text())
    found = {}
    for name, step in state["steps"].items():
        for key, value in step["result"].items():
            if key not in VOLATILE | (SELFPLAY_ONLY if "self-play" in name else set()):
                found[f"{name}: {key}"] = value
    for place in ("accepted", "gen*/include/weights"):
        for path in directory.glob(f"{place}/*.h"):
            # The header names the command, which has the run's own paths.
            text = path.read_text().replace(str(directory), "")
            found[str(path.relative_to(directory))] = hashlib.sha256(text.encode()).hexdigest()
    for path in directory.glob("accepted/*"):
        found.setdefault(str(path.relative_to(directory)), "there")
    for path in directory.glob("gen*/*.pgn"):
        games = [line for line in path.read_text().splitlines()
                 if not line.startswith(("[Date", "[UTC", "[Time", "[Site"))]
        found[str(path.relative_to(directory))] = hashlib.sha256(
            "\n".join(games).encode()).hexdigest()
    database = sqlite3.connect(directory.parent / "ledger.sqlite")
    for row in database.execute("SELECT number, dataset, weights, accepted, installed, elo "
                                "FROM generations WHERE run = ?", (state["run"],)):
        found[f"ledger: generation {row[0]}"] = row[1:]
    for row in database.execute("SELECT pool, substr(build, length(run) + 2), elo, elo_error, games "
                                "FROM ratings WHERE run = ?", (state["run"],)):
        found[f"ledger: {row[0]}: rating of {row[1]}"] = row[2:]
    database.close()
    return found


def running(directory):
    """The step that is being done, or None."""
    try:
        attempts = json.loads((directory / "state.json").read_text())["attempts"]
    except (OSError, ValueError):
        return None
    return next((name for name, tries in attempts.items() if tries[-1]["status"] == "running"),
                None)


def moment(step):
    """When a step is done, for comparisons; before all others if there is none."""
    kinds = ("weights", "self-play", "tune", "build", "match", "gauntlet", "rating")
    words = (step or "").split()
    return (words[0], kinds.index(words[1])) if words[1:] else ("", 0)


def pairs(directory, step):
    """Pairs that a match has finished."""
    generation, kind, *name = step.split()
    path = directory / generation / f"{'-'.join([kind, *name])}.state"
    return path.read_bytes().count(b"\n") if path.exists() else 0


class Killer:
    """Decides when the loop has lived long enough."""

    def __init__(self, directory, seed, longest):
        self.directory, self.longest = directory, longest
        self.draw = random.Random(seed)
        self.targets = list(TARGETS)
        self.kills = {}

    def begin(self):
        self.end = time.monotonic() + self.draw.uniform(0.2, self.longest)
        self.seen = None

    def now(self):
        step = running(self.directory)
        self.step = step or "between steps"
        while self.targets and moment(step) > moment(self.targets[0][0]):
            self.targets.pop(0)  # it was too short
        if not (self.targets and step and step.startswith(self.targets[0][0])):
            return time.monotonic() > self.end
        target, patience = self.targets[0]
        if isinstance(patience, int):
            self.seen = pairs(self.directory, step) if self.seen is None else self.seen
            due = pairs(self.directory, step) >= self.seen + patience
        else:
            self.seen = self.seen or time.monotonic() + self.draw.uniform(0, patience)
            due = time.monotonic() >= self.seen
        if due:
            self.targets.pop(0)
        return due

    def killed(self):
        self.kills[self.step] = self.kills.get(self.step, 0) + 1


def main():
    train, *rest = sys.argv[1:]
    scratch = tempfile.TemporaryDirectory(prefix="campmate-train.")
    out = Path(rest[0] if rest else scratch.name).resolve()
    seed = int(rest[1]) if len(rest) > 1 else random.SystemRandom().randrange(2**32)
    longest = float(rest[2]) if len(rest) > 2 else 60.0
    out.mkdir(parents=True, exist_ok=True)
    config = out / "tiny.ini"
    config.write_text(CONFIG)
    command = [sys.executable, train, "--config", str(config), "--threads", "2", "--out"]
    began = time.monotonic()
    subprocess.run([*command, str(out / "whole")], check=True, stdout=subprocess.DEVNULL)
    whole = time.monotonic() - began
    print(f"undisturbed: {whole:.0f} s", flush=True)

    killer, began = Killer(out / "killed", seed, longest), time.monotonic()
    while True:
        process = subprocess.Popen([*command, str(out / "killed")], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        killer.begin()
        while process.poll() is None and not killer.now():
            time.sleep(0.01)
        if process.poll() is None:
            process.kill()
            process.communicate()
            killer.killed()
            continue
        errors = process.communicate()[1]
        if process.returncode == 0:
            break
        if "in use" not in errors:
            sys.exit(f"exit code {process.returncode}: {errors}")
        time.sleep(0.5)  # what the killed loop had started has not ended yet
    kills = killer.kills
    print(f"killed {sum(kills.values())} times (seed {seed}): {time.monotonic() - began:.0f} s; in "
          + ", ".join(f"{name} {count}" for name, count in kills.items()), flush=True)

    expected, found = outcome(out / "whole"), outcome(out / "killed")
    different = [key for key in sorted({*expected, *found}) if expected.get(key) != found.get(key)]
    for key in different:
        print(f"{key}: {found.get(key)}, undisturbed: {expected.get(key)}")
    print(f"compared: {len(expected)} facts, {len(different)} differ")
    missed = [target for target in ("gen01 match", "gen02 match", "gen01 gauntlet")
              if not any(step.startswith(target) for step in kills)]
    if missed:
        print(f"never killed in {', '.join(missed)}")
    if different or missed:
        sys.exit(1)


if __name__ == "__main__":
    main()
