# SPDX-License-Identifier: GPL-3.0-or-later
"""records.py - a run's state as records of the ledger (docs/ledger.md)."""

import re

from .history import (best_of, elo_finite, gauntlets, generations, installed_name, result, setting)

STAT_KEYS = ("white", "black", "draw", "unfinished")


def records(directory, state):
    """All records of the run, the same ones each time."""
    run = state["run"]
    found = [_run(directory, state)]
    for entry in generations(state):
        found += _generation(run, directory, state, entry)
    for number, opponent, played in gauntlets(state):
        found += _gauntlet(run, number, opponent, played)
    found += _ratings(run, state)
    found += _material(run, state)
    for name, attempts in state["attempts"].items():
        found += _steps(run, state, name, attempts)
    return found


def _run(directory, state):
    best = best_of(state)
    return {"table": "runs", "run": state["run"], "name": directory.name,
            "variant": setting(state, "variant"), "seed": int(setting(state, "seed")),
            "configuration": state["config"], "directory": str(directory),
            "commit_id": state["commit"], "began": state["began"], "ended": state.get("ended"),
            "best": f"{state['run']}/{best.name}" if best else None}


def _steps(run, state, name, attempts):
    generation = re.match(r"gen\d+", name)
    kind = name.split()[1] if generation else name.split()[0]
    for number, attempt in enumerate(attempts, 1):
        done = state["steps"].get(name) if attempt["status"] == "done" else None
        yield {"table": "steps", "run": run, "step": name, "attempt": number,
               "generation": f"{run}/{generation[0]}" if generation else None, "kind": kind,
               "status": attempt["status"], "commit_id": attempt.get("commit"),
               "compiler": attempt.get("compiler"), "host": attempt.get("host"),
               "began": attempt["began"], "cpu_seconds": attempt.get("cpu_seconds"),
               "wall_seconds": attempt.get("seconds"),
               "json": _short(done["result"]) if done else None}


def _short(found):
    """Without what has tables of its own."""
    return {key: value for key, value in found.items() if key not in ("shards", "stat")}


def _generation(run, directory, state, entry):
    own = f"{run}/{entry.name}"
    games, tuned, build, match = (result(state, entry.number, step) for step in
                                  ("self-play", "tune", "build", "match"))
    first = result(state, 0, "weights") if entry.number == 0 else None
    found = []
    if games:
        found += _dataset(run, entry, state, games)
    if tuned:
        found += _fit(own, run, state, entry, tuned)
    digest = build["weights_digest"] if build else tuned["weights_digest"] if tuned else None
    if digest:
        header = (tuned or first)["header"]
        found.append({"table": "weights", "weights": digest, "variant": setting(state, "variant"),
                      "source": "fit" if tuned else first["start"], "fit": own if tuned else None,
                      "header": header["path"], "header_sha256": header["sha256"]})
    if build:
        found.append({"table": "builds", "build": own, "run": run, "kind": "campmate",
                      "weights": digest, "bench": build["bench"], "commit_id": build["commit"],
                      "compiler": build["compiler"], "level": build["level"],
                      "preset": setting(state, "preset"), "sha256": build["sha256"],
                      "command": build["program"]})
    if match:
        found.append({**_match(match), "match": own, "run": run, "kind": "gate",
                      "generation": own, "first": own, "second": f"{run}/{match['against']}"})
    found.append({
        "table": "generations", "generation": own, "run": run, "number": entry.number,
        "parent": None if entry.parent is None else f"{run}/gen{entry.parent:02d}",
        "dataset": games["digest"] if games else None, "fit": own if tuned else None,
        "weights": digest, "build": own if build else None, "match": own if match else None,
        "accepted": None if entry.accepted is None else int(entry.accepted),
        "installed": installed_name(state, entry.number) if match and entry.accepted else None,
        "elo": entry.elo if entry.number or build else None})
    return found


def _dataset(run, entry, state, games):
    common = {"variant": setting(state, "variant"), "weights": games["weights_digest"],
              "seed": games["seed"]}
    yield {"table": "datasets", "dataset": games["digest"], **common,
           "configuration": games["configuration"], "games": games["games"],
           "plies": games["plies"], "bytes": games.get("bytes"),
           **{key: games["results"].get(key, 0) for key in STAT_KEYS}, "bench": games["bench"],
           "commit_id": games["commit"], "compiler": games["compiler"], "path": games["path"],
           "json": games.get("stat")}
    for number, shard in enumerate(games["shards"]):
        yield {"table": "shards", "shard": shard["digest"], **common,
               "first_game": shard["first_game"], "game_count": shard["game_count"],
               "games": shard["games"], "plies": shard["plies"], "bytes": shard["bytes"],
               **{key: shard["results"].get(key, 0) for key in STAT_KEYS}, "run": run,
               "step": f"{entry.name} self-play"}
        yield {"table": "dataset_shards", "dataset": games["digest"], "number": number,
               "shard": shard["digest"], "file": shard["file"]}


def _fit(own, run, state, entry, tuned):
    columns = ("seed", "positions", "k", "loss_before", "loss_train", "loss_validation",
               "loss_test", "iterations", "gradient_norm", "gap_bound")
    prior = tuned["prior"]
    yield {"table": "fits", "fit": own, "run": run,
           "prior": None if prior == "zero"
           else result(state, int(prior[3:]), "build")["weights_digest"],
           "weights": tuned["weights_digest"], "options": tuned["options"],
           **{key: tuned.get(key) for key in columns}, "json": _without(tuned, "header")}
    for number, dataset in enumerate(tuned["datasets"]):
        yield {"table": "fit_datasets", "fit": own, "number": number, "dataset": dataset}


def _without(found, *keys):
    return {key: value for key, value in found.items() if key not in keys}


def _match(played):
    sprt = {key: played.get(key) for key in ("elo0", "elo1", "alpha", "beta", "llr", "llr_lower",
                                             "llr_upper")} if "elo0" in played else {}
    return {"table": "matches", "games": played["games"], "wins": played["wins"],
            "draws": played["draws"], "losses": played["losses"],
            "pentanomial": played.get("pentanomial"), "elo": played.get("elo"),
            "elo_error": played.get("elo_error"),
            "elo_finite": elo_finite(played["wins"], played["draws"], played["losses"]),
            **sprt, "model": played.get("elo_model") if sprt else None,
            "verdict": played.get("verdict"), "seed": played.get("seed"),
            "options": played.get("options"), "pgn": played.get("pgn"), "json": played}


def _gauntlet(run, number, opponent, played):
    own = bool(re.fullmatch(r"gen\d+", opponent))
    second = f"{run}/{opponent}" if own else f"{run}/engine {opponent}"
    if not own:
        yield {"table": "builds", "build": second, "run": run, "kind": "external",
               "command": played["engine"]}
    yield {**_match(played), "match": f"{run}/gauntlet {number:02d}/{opponent}", "run": run,
           "kind": "gauntlet", "generation": f"{run}/gen{number:02d}",
           "first": f"{run}/{played['player']}", "second": second}


def _ratings(run, state):
    for name, done in state["steps"].items():
        found = re.fullmatch(r"(gen\d+) rating", name)
        for player in done["result"]["players"] if found else ():
            own = bool(re.fullmatch(r"gen\d+", player["name"]))
            yield {"table": "ratings", "run": run, "pool": found[1],
                   "build": f"{run}/{'' if own else 'engine '}{player['name']}",
                   "elo": player["elo"], "elo_error": player.get("elo_error"),
                   "games": player.get("games")}


def _material(run, state):
    for name, done in state["steps"].items():
        found = re.fullmatch(r"(gen\d+) material", name)
        if not found:
            continue
        played, own = done["result"], f"{run}/material"
        best = result(state, int(found[1][3:]), "build")
        yield {"table": "weights", "weights": played["weights_digest"],
               "variant": setting(state, "variant"), "source": "material",
               "header": played["header"]["path"], "header_sha256": played["header"]["sha256"]}
        yield {"table": "builds", "build": f"{own} {found[1]}", "run": run, "kind": "campmate",
               "weights": played["weights_digest"], "commit_id": best["commit"],
               "compiler": best["compiler"], "level": best["level"],
               "preset": setting(state, "preset"), "command": best["program"]}
        yield {**_match(played), "match": f"{own} {found[1]}", "run": run, "kind": "material",
               "generation": f"{run}/{found[1]}", "first": f"{run}/{found[1]}",
               "second": f"{own} {found[1]}"}
