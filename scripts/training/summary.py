# SPDX-License-Identifier: GPL-3.0-or-later
"""summary.py - what a run tells its user in text: a line for each step, --status, summary.txt."""

import re

from .history import (best_of, duration, gauntlets, generations, installed_name, name_of, result,
                      last_ratings, seconds_left, setting)


def headline(found):
    """What is worth knowing of a step in a few words, with a comma after it."""
    if "wins" in found:
        verdict = f"verdict {found['verdict']}, " if "elo0" in found or "accepted" in found else ""
        if "accepted" in found:
            verdict += "accepted, " if found["accepted"] else "rejected, "
        return (f"{found['wins']} wins, {found['draws']} draws, {found['losses']} losses, "
                + verdict)
    if "loss_before" in found:
        held_out = found.get("loss_validation") is not None  # a few games are all trained on
        after = loss_text(found["loss_validation" if held_out else "loss_train"], 4)
        return (f"{found['positions']} positions, loss {loss_text(found['loss_before'], 4)} -> "
                f"{after}{'' if held_out else ' (training)'}, ")
    if "plies" in found:
        return f"{found['games']} games, {found['plies']} plies, "
    if "bench" in found:
        return f"bench {found['bench']}, "
    if "players" in found:
        return "".join(f"{player['name']} {player['elo']:+.0f}, " for player in found["players"])
    return ""


def number_text(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def loss_text(value, digits):
    return "none" if value is None else f"{value:.{digits}f}"


def row_writer(lines):
    return lambda label, text: lines.append(f"  {label:<12}{text}")


def elo_text(match):
    elo, error = match.get("elo"), match.get("elo_error")
    return "one side won everything: no estimate" if elo is None else \
        f"{elo:+.1f}" + ("" if error is None else f" +- {error:.1f} (95 %)")


def match_rows(row, match, against):
    row("match", f"against {against}: {match['wins']} wins, {match['draws']} draws, "
                 f"{match['losses']} losses in {match['games']} games")
    row("elo", elo_text(match))
    verdict = match["verdict"]
    if "accepted" in match:
        verdict += ": ACCEPTED" if match["accepted"] else ": rejected"
    row("sprt", f"LLR {number_text(match.get('llr'))} in [{number_text(match.get('llr_lower'))}, "
                f"{number_text(match.get('llr_upper'))}], verdict {verdict}")


def generation_lines(state, number):
    """The lines of one generation in the summary."""
    lines = []
    row = row_writer(lines)
    games, tuned, build, match = (result(state, number, step)
                                  for step in ("self-play", "tune", "build", "match"))
    if games:
        row("games", f"{games['games']}, {games['plies']} plies, "
                     f"{games.get('bytes_per_ply', 0):.2f} bytes a ply")
        if "results" in games:
            row("results", ", ".join(f"{key} {value}" for key, value in games["results"].items()))
        row("dataset", f"digest {games['digest']}, verified")
    if tuned:
        row("positions", f"{tuned['positions']} for {tuned['weights']} weights")
        row("loss", ", ".join(f"{name} {loss_text(tuned.get('loss_' + key), 5)}" for name, key in
                              (("before", "before"), ("training", "train"),
                               ("validation", "validation"), ("test", "test"))))
        row("optimum", ", ".join(f"{key} {number_text(tuned[key])}" for key in
                                 ("k", "iterations", "gradient_norm", "gap_bound")
                                 if tuned.get(key) is not None))
    if build:
        row("weights", f"digest {build['weights_digest']}")
        row("bench", str(build["bench"]))
    if match:
        match_rows(row, match, match["against"])
    return lines


def gauntlet_lines(state):
    """A table of the matches against older generations and other engines."""
    lines = []
    for _, opponent, match in gauntlets(state):
        lines.append(f"  {match['player'] + ' - ' + opponent:<22}{match['wins']:>6}"
                     f"{match['draws']:>6}{match['losses']:>6}  {elo_text(match)}")
    if lines:
        lines[:0] = ["", "Gauntlets", f"  {'':<22}{'won':>6}{'drawn':>6}{'lost':>6}  Elo"]
    rated = last_ratings(state)
    if rated:
        lines += ["", f"Ratings after {rated[0]}, from all matches (a draw added to each pairing)",
                  f"  {'player':<16}{'Elo':>8}{'+-':>6}{'games':>8}"]
        lines += [f"  {player['name']:<16}{player['elo']:>8.0f}{player['elo_error']:>6.0f}"
                  f"{player['games']:>8}" for player in rated[1]]
    return lines


def elo_lines(state):
    """Elo of the generations by the matches on the way."""
    lines = ["", "Elo above the first weights, by the matches on the way (half a game added to each "
             "side)", f"  {'generation':<12}{'parent':<8}{'':<10}{'Elo':>8}"]
    for entry in generations(state):
        if entry.elo is None or entry.number == 0:
            continue
        lines.append(f"  {entry.name:<12}{name_of(entry.parent):<8}"
                     f"{'accepted' if entry.accepted else 'rejected':<10}{entry.elo:>+8.0f}")
    return lines


def counts(state):
    decided = [entry for entry in generations(state)
               if entry.number and entry.accepted is not None]
    accepted = sum(entry.accepted for entry in decided)
    return len(decided), accepted, len(decided) - accepted


def summary(directory, state):
    steps, best = state["steps"], best_of(state).number
    lines = [f"Training run {directory.name}", "", f"  run         {state['run']}",
             f"  commit      {state['commit']}", ""]
    lines += ["Configuration"] + [f"  {line}".rstrip() for line in state["config"].splitlines()]
    for entry in generations(state):
        lines += ["", f"Generation {entry.number}" if entry.number else "First weights"]
        lines += generation_lines(state, entry.number)
    for name, done in steps.items():
        found = re.fullmatch(r"(gen\d+) material", name)
        if found:
            lines += ["", f"Against hand-set piece values: {found[1]}"]
            match_rows(row_writer(lines), done["result"], "material")
    lines += elo_lines(state) + gauntlet_lines(state)
    lines += ["", "Time", f"  {'step':<22}{'seconds':>9}{'CPU seconds':>13}"]
    for name, done in steps.items():
        lines.append(f"  {name:<22}{done['seconds']:>9.1f}{done['cpu_seconds']:>13.1f}")
    lines.append(f"  {'all':<22}{sum(s['seconds'] for s in steps.values()):>9.1f}"
                 f"{sum(s['cpu_seconds'] for s in steps.values()):>13.1f}")
    decided, accepted, rejected = counts(state)
    lines += ["", "Result", f"  stopped at  {state.get('why', '')}",
              f"  generations {decided}: {accepted} accepted, {rejected} rejected"]
    if best:
        name = f"{directory}/accepted/{installed_name(state, best)}"
        lines += [f"  build       {name}", f"  weights     {name}.h"]
    else:
        lines.append("  no generation was accepted; the first weights are still the best ones")
    return "\n".join(lines) + "\n"


def status(directory, state, running, seconds_since):
    """`seconds_since` says how long ago a moment of the ledger's form was."""
    lines = [f"run      {directory}", f"variant  {setting(state, 'variant')}",
             f"commit   {state['commit']}"]
    for name, done in state["steps"].items():
        lines.append(f"{name:<22}{done['seconds']:>8.1f} s  {headline(done['result'])}"
                     .rstrip(" ,"))
    part_done = 0.0
    for name, attempts in state["attempts"].items():
        if name in state["steps"]:
            continue
        last = attempts[-1]
        if last["status"] == "running" and running:
            part_done = seconds_since(last["began"])
            lines.append(f"{name:<22}{'':>8}    running for {duration(part_done)}")
        else:
            stopped = "killed" if last["status"] == "running" else last["status"]
            lines.append(f"{name:<22}{'':>8}    {stopped}, attempt {len(attempts)}")
    decided, accepted, rejected = counts(state)
    lines.append(f"{decided} generations decided, {accepted} accepted, {rejected} rejected")
    best = best_of(state)
    if best and best.number:
        lines.append(f"best     {best.name}, {best.elo:+.0f} Elo above the first weights (matches added up)")
    if "ended" in state:
        lines.append(f"finished at {state['why']}: {directory / 'summary.txt'}")
        return "\n".join(lines)
    planned = int(setting(state, "generations"))
    left = seconds_left(state, planned - decided, part_done)
    until = setting(state, "until")
    plan = (f"{planned} generations" if planned < 1000 else "") + \
        (f"{' or ' if planned < 1000 else ''}{until}" if until else "")
    lines.append(f"unfinished, {'running' if running else 'not running'}; until {plan}"
                 + (f"; about {duration(left)} of work left" if left and planned < 1000 else ""))
    if not running:
        lines.append("the same command goes on with it")
    return "\n".join(lines)
