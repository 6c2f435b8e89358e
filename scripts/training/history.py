# SPDX-License-Identifier: GPL-3.0-or-later
"""history.py - a run's state: what was done, and what follows from it.

state.json is the only thing that a run remembers. Summary, --status, ledger and the decision what
comes next are all made from it, so they cannot disagree.

    {"version": 3, "sha256": of the rest, "run": "NAME-xxxxxxxx", "config": text, "commit": ..., "began": ..., "ended": ...,
     "steps": {"gen01 match": {"result": {...}, "seconds": s, "cpu_seconds": s}, ...},
     "attempts": {"gen01 match": [{"status": ..., "began": ..., ...}, ...], ...}}
"""

import hashlib
import json
import math
import re
import time
from dataclasses import dataclass

from slurm.program import read_text

from .errors import StepFailed
from .files import write_atomically

VERSION = 3
UNCHECKED = 2  # had no check
STATE = {"run": str, "commit": str, "config": str, "began": str, "steps": dict, "attempts": dict}


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def check_of(state):
    """What was changed by hand is not what the run has found out."""
    text = json.dumps({key: value for key, value in state.items() if key != "sha256"}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write_state(directory, state):
    state["version"] = VERSION
    state["sha256"] = check_of(state)
    write_atomically(directory / "state.json", json.dumps(state, indent=1) + "\n")


def read_state(directory):
    path = directory / "state.json"

    def damaged(found):
        return StepFailed(f"{path}: damaged or changed: {found}. ledger.jsonl beside it still has what "
                          "was done; choose another --out")

    try:
        state = json.loads(read_text(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StepFailed(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise damaged(error if path.stat().st_size else "it is empty") from None
    if not isinstance(state, dict):
        raise damaged(f"found {type(state).__name__}, expected an object")
    version = state.get("version", 1)
    if version not in (VERSION, UNCHECKED):
        raise StepFailed(f"{path}: version {version}, this program knows {VERSION}: the run is of "
                         "another version of scripts/train; choose another --out")
    for key, kind in STATE.items():
        if not isinstance(state.get(key), kind):
            raise damaged(f"\"{key}\" is {json.dumps(state.get(key))[:40]}, expected {kind.__name__}")
    if version == VERSION and state.get("sha256") != check_of(state):
        raise damaged("its content does not have the \"sha256\" that it names")
    return state


def name_of(number):
    return f"gen{number:02d}"


def setting(state, key, section="train"):
    """A value in the configuration of a run."""
    part = state["config"].partition(f"[{section}]\n")[2].partition("\n[")[0]
    found = re.search(rf"^{re.escape(key)} = (.*)$", part, re.MULTILINE)
    return found.group(1) if found else ""


def elo_finite(wins, draws, losses):
    """Elo with half a game added to the wins of each side: also where one won everything."""
    share = (wins + draws / 2 + 0.5) / (wins + draws + losses + 1)
    return -400 * math.log10(1 / share - 1)


@dataclass
class Generation:
    number: int
    parent: int | None       # the best one when it began
    accepted: bool | None    # None: not decided yet
    elo: float | None        # above generation 0, by the matches on the way

    @property
    def name(self):
        return name_of(self.number)


def generations(state):
    """All generations that were begun, by number; generation 0 has the first weights."""
    begun = (re.match(r"gen(\d+) ", name) for name in [*state["steps"], *state["attempts"]])
    numbers = sorted({int(found[1]) for found in begun if found})
    found, best = [], None
    for number in numbers:
        match = result(state, number, "match")
        if number == 0:
            entry = Generation(0, None, True if result(state, 0, "build") else None, 0.0)
        elif match is None:
            entry = Generation(number, best.number if best else None, None, None)
        else:
            entry = Generation(number, best.number, match["accepted"], best.elo + elo_finite(
                match["wins"], match["draws"], match["losses"]))
        found.append(entry)
        if entry.accepted:
            best = entry
    return found


def best_of(state):
    accepted = [entry for entry in generations(state) if entry.accepted]
    return accepted[-1] if accepted else None


def result(state, number, step):
    """What a step of a generation found out, or None."""
    return state["steps"].get(f"{name_of(number)} {step}", {}).get("result")


def gauntlets(state):
    """[(generation after which it was, opponent, result)] in order."""
    found = []
    for name, done in state["steps"].items():
        match = re.fullmatch(r"gen(\d+) gauntlet (\S+)", name)
        if match:
            found.append((int(match[1]), match[2], done["result"]))
    return found


def last_ratings(state):
    """(generation after which they were made, [player]) of the newest ratings, or None."""
    made = [name for name in state["steps"] if re.fullmatch(r"gen\d+ rating", name)]
    return (made[-1].split()[0], state["steps"][made[-1]]["result"]["players"]) if made else None


def seconds_of(state):
    """Wall seconds of all that was done."""
    return sum(attempt.get("seconds") or 0 for attempts in state["attempts"].values()
               for attempt in attempts)


def installed_name(state, number):
    """VARIANT-gNN-BENCH."""
    return (f"{setting(state, 'variant')}-g{number:02d}-"
            f"{result(state, number, 'build')['bench']}")


def seconds_left(state, generations_to_go, part_done=0.0):
    """An estimate from the generations that are finished: later ones take as long as the last two
    on average. None before the first."""
    spent = {}
    for name, done in state["steps"].items():
        found = re.match(r"gen(\d+) (?!gauntlet|rating)", name)
        if found and int(found[1]) > 0:
            spent.setdefault(int(found[1]), 0.0)
            spent[int(found[1])] += done["seconds"]
    whole = [spent[number] for number in sorted(spent) if result(state, number, "match")]
    if not whole:
        return None
    mean = sum(whole[-2:]) / len(whole[-2:])
    return max(0.0, mean * generations_to_go - part_done)


def duration(seconds):
    """A length of time in words that do not pretend to be exact."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
