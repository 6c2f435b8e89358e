# SPDX-License-Identifier: GPL-3.0-or-later
"""games.py - sample games for the board viewer, ply by ply, as campmate-data tells them.

The page has no rules: each game comes with the position at every ply.
"""

import json
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

KEPT = ("number", "fens", "moves", "san", "scores", "flags", "result", "reason", "final_score")


class GamesError(Exception):
    """The message for the user."""


def sample(run, tools, wanted):
    """Up to `wanted` games of a run: of its newest self-play one for each way they ended, and the
    first pair of the match that its best generation won."""
    games = []
    played = [each for each in run.generations if each.pgn and each.accepted]
    if played and wanted > 2:
        games = match_games(played[-1], run.variant, tools, 2)
    recorded = [each for each in run.generations if each.data]
    if recorded:
        games = self_play_games(recorded[-1], tools, wanted - len(games)) + games
    return games


def self_play_games(generation, tools, wanted):
    """From the first shard: the most common endings first, of each a game of middling length."""
    shard = sorted(generation.data.glob("*.cmpd"))[:1] if generation.data.is_dir() \
        else [generation.data]
    if not shard:
        return []
    lines = _run(tools, "export", "--format", "jsonl", shard[0]).splitlines()
    by_reason = {}
    for line in lines:
        game = json.loads(line)
        by_reason.setdefault(game["reason"], []).append((len(game["scores"]), game["number"]))
    chosen, reasons = [], sorted(by_reason.values(), key=len, reverse=True)
    while len(chosen) < wanted and any(reasons):
        for found in reasons:
            if found and len(chosen) < wanted:
                middle = statistics.median_low(sorted(found))
                found.remove(middle)
                chosen.append(middle[1])
    return [_game(tools, shard[0], number, f"Self-play, generation {generation.number}")
            for number in chosen]


def match_games(generation, variant, tools, wanted):
    """The first games of a match, with the names of the engines."""
    text = generation.pgn.read_text(encoding="utf-8", errors="replace")
    games = re.split(r"\n(?=\[Event )", text)[:wanted]
    with tempfile.TemporaryDirectory(prefix="campmate-report.") as scratch:
        found = []
        for number, pgn in enumerate(games):  # one by one: a refused game has no number
            path = Path(scratch) / f"{number}.pgn"
            path.write_text(pgn, encoding="utf-8")
            data = Path(scratch) / str(number)
            _run(tools, "import", "--variant", variant, "--out", data, path)
            if not list(data.glob("*.cmpd")):
                continue
            game = _game(tools, data, 0, f"Match of generation {generation.number}")
            tags = dict(re.findall(r'^\[(\w+) "(.*)"\]', pgn, re.MULTILINE))
            game.update(white=tags.get("White"), black=tags.get("Black"),
                        reason=tags.get("Termination", game["reason"]))
            found.append(game)
        return found


def _game(tools, path, number, title):
    game = json.loads(_run(tools, "show", "--json", "--game", number, path))
    if "fens" not in game:
        raise GamesError(f"{tools / 'campmate-data'} is older than this script: build it again, "
                         "or choose newer programs with --tools")
    return {"title": title, **{key: game[key] for key in KEPT if key in game}}


def _run(tools, *words):
    command = [str(tools / "campmate-data"), *map(str, words)]
    try:
        # Names in an imported PGN may be in any encoding.
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace",
                              check=False)
    except OSError as error:
        raise GamesError(f"cannot run {command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise GamesError(f"{' '.join(command)} failed: {said[-1] if said else done.returncode}")
    return done.stdout
