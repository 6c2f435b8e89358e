# SPDX-License-Identifier: GPL-3.0-or-later
"""fixture.py - a small run of every variant in a ledger, without building any engine.

The games, the fit and the match of a run are real, but small; its generations 2 and 3 repeat the
numbers of the first, so that there is something to plot.
"""

import json
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS))

from training import ledger  # noqa: E402
from reporting import runs  # noqa: E402

VARIANTS = ("mansindam", "shogun", "sittuyin", "burmese", "miniburmese")


def tool(programs, name, *words):
    done = subprocess.run([str(programs / name), *map(str, words)], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{name} {words}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def replay(programs, variant, game):
    """What `campmate moves` says before each move of a game and at its end."""
    moves = game["moves"].split()
    lines = [game["fens"][0] + (f" moves {' '.join(moves[:n])}" if n else "")
             for n in range(len(moves) + 1)]
    said = subprocess.run([str(programs / "campmate"), "moves", "--variant", variant],
                          input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [json.loads(line) for line in said.stdout.splitlines()]


def make_run(programs, directory, variant):
    """Records of a run in `directory`."""
    generation = directory / "gen01"
    header = generation / "include" / "weights" / f"{variant}.h"
    header.parent.mkdir(parents=True)
    data = generation / "data"
    tool(programs, "campmate-selfplay", "--variant", variant, "--games", 60, "--nodes", 60,
         "--max-plies", 160, "--seed", 7, "--threads", 2, "--out", data)
    stat = json.loads(tool(programs, "campmate-data", "stat", "--json", data))
    fit = json.loads(tool(programs, "campmate-tune", "--data", data, "--init", "zero", "--seed", 1,
                          "--threads", 2, "--learning-curve", "--out", header, "--json"))
    pgn = generation / "match.pgn"
    engine = f"cmd={programs / 'campmate'}"
    match = json.loads(tool(programs, "campmate-match", "--variant", variant, "--engine",
                            f"name=gen01,{engine}", "--engine", f"name=gen00,{engine}", "--games",
                            2, "--nodes", 50, "--seed", 1, "--pgn", pgn, "--json"))
    counts = {key: match[key] for key in ("games", "wins", "draws", "losses")}
    run = f"{variant}-0000abcd"
    records = [
        {"table": "runs", "run": run, "name": variant, "variant": variant, "seed": 7,
         "configuration": f"[train]\nvariant = {variant}\n", "directory": str(directory),
         "commit_id": "0123456789ab", "began": "2026-11-30T06:00:00Z",
         "ended": "2026-11-30T07:00:00Z", "best": f"{run}/gen03"},
        {"table": "weights", "weights": fit["weights_digest"], "variant": variant, "source": "fit",
         "header": str(header)},
        {"table": "datasets", "dataset": stat["digest"], "variant": variant, "games": stat["games"],
         "plies": stat["plies"], "bytes": stat["bytes"], **stat["results"], "path": str(data),
         "json": stat},
        {"table": "builds", "build": f"{run}/gen00", "run": run, "kind": "campmate", "bench": 1000},
        {"table": "generations", "generation": f"{run}/gen00", "run": run, "number": 0,
         "accepted": 1, "elo": 0.0, "build": f"{run}/gen00"},
        {"table": "steps", "run": run, "step": "tools", "attempt": 1, "kind": "tools",
         "status": "done", "began": "2026-11-30T06:00:00Z", "cpu_seconds": 90.0,
         "wall_seconds": 60.0},
    ]
    for number, accepted in ((1, 1), (2, 0), (3, 1)):
        name, parent = f"{run}/gen{number:02d}", f"{run}/gen{1 if number == 3 else 0:02d}"
        loss = {key: fit[key] for key in ("loss_before", "loss_train", "loss_validation",
                                          "loss_test", "positions", "k", "iterations", "gap_bound")}
        loss["loss_train"] -= 0.01 * number
        records += [
            {"table": "builds", "build": name, "run": run, "kind": "campmate",
             "weights": fit["weights_digest"], "bench": 1000 + number},
            {"table": "fits", "fit": name, "run": run, "weights": fit["weights_digest"], **loss,
             "json": {**fit, "loss_train": loss["loss_train"]}},
            {"table": "matches", "match": name, "run": run, "kind": "gate", "generation": name,
             "first": name, "second": parent, **counts, "elo": 60.0 * accepted, "elo_error": 25.0,
             "elo_finite": 60.0 * accepted, "verdict": "H1" if accepted else "H0", "pgn": str(pgn)},
            {"table": "generations", "generation": name, "run": run, "number": number,
             "parent": parent, "dataset": stat["digest"], "fit": name,
             "weights": fit["weights_digest"], "build": name, "match": name, "accepted": accepted,
             "elo": {1: 60.0, 2: 0.0, 3: 120.0}[number]},
            {"table": "steps", "run": run, "step": f"gen{number:02d} self-play", "attempt": 1,
             "generation": name, "kind": "self-play", "status": "done",
             "began": "2026-11-30T06:10:00Z", "cpu_seconds": 300.0, "wall_seconds": 150.0},
        ]
    return records


def make_ledger(programs, directory, variants=VARIANTS):
    """The ledger's path."""
    path = Path(directory) / "ledger.sqlite"
    with ledger.Writer(path) as book:
        for variant in variants:
            book.add(make_run(Path(programs), Path(directory) / variant, variant))
    return path


__all__ = ["SCRIPTS", "VARIANTS", "ledger", "make_ledger", "replay", "runs", "tool"]
