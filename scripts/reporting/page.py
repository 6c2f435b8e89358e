# SPDX-License-Identifier: GPL-3.0-or-later
"""page.py - one run after the other as one HTML page that needs nothing else.

    text = page.text([(run, games), ...])

The charts are made here; boards, games and heat maps are drawn in the browser from the JSON at the
end of the page by assets/board.js, viewer.js and heat.js.
"""

import json
import re
from html import escape
from pathlib import Path

from reporting import charts, variant, weights
from reporting.charts import Series, number

ASSETS = Path(__file__).with_name("assets")
SCRIPTS = ("board.js", "viewer.js", "heat.js")
PHASES = ("middlegame", "endgame")
REASONS = {"fifty": "fifty moves", "insufficient": "too little material", "count": "counting",
           "promochoice": "only promotions left", "cap": "ply cap"}


BEGINNING, MAKER = "<!doctype html>", "<footer>Made by scripts/report of Campmate."


def is_page(path):
    """Is the file a page of this module, or empty?"""
    content = path.read_bytes()
    return not content or (content.startswith(BEGINNING.encode()) and MAKER.encode() in content)


def text(runs):
    """The page of [(run, games), ...]."""
    games_of = {variant_name: variant.read(variant_name)
                for variant_name in sorted({run.variant for run, _ in runs})}
    sections, data = [], []
    for i, (run, games) in enumerate(runs):
        rules = games_of[run.variant]
        newest = run.newest
        values = weights.read(newest.header) if newest and newest.header else {}
        sections.append(_run(i, run, rules, games, values))
        data.append({"variant": run.variant, "games": games, "tables": _tables(rules, values)})
    title = f"{games_of[runs[0][0].variant].title}: {runs[0][0].key}" if len(runs) == 1 \
        else f"{len(runs)} training runs"
    data = {"variants": {name: rules.as_json() for name, rules in games_of.items()}, "runs": data}
    return "\n".join([
        BEGINNING, '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<link rel="icon" href="data:,">',
        f"<title>{escape(title)}</title>", f"<style>\n{_asset('page.css')}</style></head><body>",
        _overview(runs, games_of) if len(runs) > 1 else "", *sections,
        f"{MAKER} Elo is logistic, losses are cross-entropies "
        "in nats, values are centipawns.</footer>",
        f'<script type="application/json" id="data">{_embedded(data)}</script>',
        *(f"<script>\n{_asset(name)}</script>" for name in SCRIPTS), "</body></html>\n"])


def _asset(name):
    return (ASSETS / name).read_text(encoding="utf-8")


def _embedded(data):
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


# --- all runs ----------------------------------------------------------------------------------


def _overview(runs, games_of):
    rows = []
    for i, (run, _) in enumerate(runs):
        rows.append([f'<a href="#run{i}">{escape(run.key)}</a>',
                     escape(games_of[run.variant].title), escape(_day(run.began) or "–"),
                     _accepted(run), _elo_text(_elo(run, run.newest)[0]),
                     f"{_core_hours(run):.2f}"])
    series = [Series([(each.core_hours, _elo(run, each)[0]) for each in _on_the_way(run)],
                     "accent" if i == len(runs) - 1 else "ink", f"{i + 1}", step=True)
              for i, (run, _) in enumerate(runs)]
    return (f"<header><h1>{len(runs)} training runs</h1></header><main><section>"
            + _table(["run", "game", "began", "accepted", "Elo", "core-hours"], rows, 3)
            + _figure("Elo by core-hour, numbered in the order of the table",
                      charts.plot(series, "core-hours", "Elo above generation 0", zero=True))
            + "</section></main>")


# --- a run -------------------------------------------------------------------------------------


def _run(index, run, rules, games, values):
    newest = run.newest
    parts = [
        _heading(index, run, rules),
        _section("Strength", _strength(run), "Each generation is tested against the best one "
                 "before it; only a pass makes it the best."),
        _section("Games", _viewer(index, games), "Step with the arrow keys, Home and End; F turns "
                 "the board."),
        _section("Learning", _learning(run, newest)),
        _section("What it learnt", _learnt(index, newest, rules, values)),
        _section("Data", _data(run)),
        _section("Where it comes from", _provenance(run, newest)),
    ]
    return f'<article id="run{index}">' + "".join(parts) + "</article>"


def _section(title, body, lead=""):
    if not body:
        return ""
    lead = f'<p class="lead">{lead}</p>' if lead else ""
    return f"<section><h2>{title}</h2>{lead}{body}</section>"


def _figure(caption, body, kind=""):
    return f'<figure class="{kind}"><figcaption>{caption}</figcaption>{body}</figure>' \
        if body else ""


def _table(heads, rows, texts=1):
    """Cells are HTML; the first `texts` columns are texts, the others numbers."""
    def cells(row, tag):
        return "".join(f'<{tag}{"" if i < texts else " class=number"}>{cell}</{tag}>'
                       for i, cell in enumerate(row))
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f'<div class="scroll"><table class="rows"><thead><tr>{cells(heads, "th")}</tr></thead>' \
           f"<tbody>{body}</tbody></table></div>"


def _heading(index, run, rules):
    elo = _elo(run, run.newest)[0] if run.newest else None
    games = sum(each.dataset.get("games", 0) for each in run.generations)
    when = " to ".join(filter(None, (_day(run.began), _day(run.ended)))) if run.began else ""
    state = "" if run.ended else "unfinished"
    line = ", ".join(filter(None, (when, f"commit {run.commit}", state)))
    figures = [("Elo above generation 0", _elo_text(elo)), ("generations accepted", _accepted(run)),
               ("games", number(games)), ("core-hours", f"{_core_hours(run):.2f}")]
    return (f'<header><p class="over">{escape(run.key)}</p><h1>{escape(rules.title)}</h1>'
            f'<p class="lead">{escape(line)}</p><dl class="figures">'
            + "".join(f"<div><dd>{value}</dd><dt>{name}</dt></div>" for name, value in figures)
            + "</dl></header>")


def _day(time):
    return re.sub(r"T(\d\d:\d\d).*", r" \1 UTC", time) if time else None


def _accepted(run):
    tested = [each for each in run.generations if each.number and each.accepted is not None]
    return f"{sum(each.accepted for each in tested)} of {len(tested)}"


def _core_hours(run):
    return sum(cpu for _, cpu, _ in run.steps) / 3600


def _elo(run, generation):
    """(Elo above generation 0, half of a 95 % interval): the rating of the pool if there is one,
    else the sum of the matches on the way with the interval of the last."""
    if generation is None:
        return None, None
    return run.ratings.get(generation.number,
                           (generation.elo, generation.match.get("elo_error")))


def _elo_text(elo):
    return "–" if elo is None else f"{elo:+,.0f}".replace("-", "−") if elo else "0"


def _on_the_way(run):
    """The accepted generations of which an Elo is known."""
    return [each for each in run.generations if each.accepted and _elo(run, each)[0] is not None]


def _strength(run):
    best = _on_the_way(run)
    rejected = [each for each in run.generations
                if each.accepted is False and _elo(run, each)[0] is not None]

    def series(x, step):
        def points(generations):
            return [(x(each), _elo(run, each)[0]) for each in generations]

        def titles(generations, word):
            return [f"generation {each.number}, {word}: {_elo_text(_elo(run, each)[0])} Elo, "
                    f"{each.core_hours:.3f} core-hours" for each in generations]
        return [Series(points(best), "accent", step=step, titles=titles(best, "accepted"),
                       errors=[_elo(run, each)[1] for each in best]),
                Series(points(rejected), "faint", line=False, titles=titles(rejected, "rejected"),
                       errors=[_elo(run, each)[1] for each in rejected])]

    numbers = [each.number for each in best + rejected]
    out = '<div class="pair">'
    if len(numbers) > 1:
        whole = sorted(set(map(int, charts.ticks(min(numbers), max(numbers), 8)))) or None
        out += _figure("Elo by generation", charts.plot(
            series(lambda each: each.number, False), "generation", "Elo above generation 0",
            x_ticks=whole, zero=True))
        out += _figure("Elo by core-hour", charts.plot(
            series(lambda each: each.core_hours, True), "core-hours", "Elo above generation 0",
            zero=True))
    out += "</div>"
    if any(_elo(run, each)[1] for each in best + rejected):
        out += '<p class="note">Bars: 95 % interval ' + (
            "of the rating by all matches.</p>" if run.ratings else
            "of the match against the generation before.</p>")
    rows = [_generation_row(run, each) for each in run.generations]
    out += _table(["generation", "verdict", "against", "won", "drawn", "lost", "Elo of the match",
                   "Elo in all", "core-hours", "bench"], rows, 3)
    if any(each.match and each.match.get("elo") is None for each in run.generations):
        out += ('<p class="note">Where one side won everything there is no estimate; it counts '
                "with half a game added to the wins of each side.</p>")
    others = [[escape(name), *_counts(match), _match_elo(match)] for name, match in run.others]
    if others:
        out += "<h3>Other matches</h3>" + _table(
            ["match", "won", "drawn", "lost", "Elo"], others)
    return out


def _counts(match):
    return [number(match[key]) if match else "–" for key in ("wins", "draws", "losses")]


def _match_elo(match):
    if not match:
        return "–"
    if match.get("elo") is None:
        return "all won" if match["losses"] + match["draws"] == 0 else "all lost"
    error = match.get("elo_error")
    return _elo_text(match["elo"]) + (f" ± {error:.0f}" if error is not None else "")


def _generation_row(run, each):
    verdict = {True: "accepted", False: "rejected", None: "open"}[each.accepted]
    if each.number == 0:
        verdict = "first weights"
    against = "–" if each.parent is None else str(each.parent)
    return [str(each.number), f'<span class="{verdict.split()[0]}">{verdict}</span>', against,
            *_counts(each.match), _match_elo(each.match), _elo_text(_elo(run, each)[0]),
            f"{each.core_hours:.2f}", "–" if each.bench is None else str(each.bench)]


def _viewer(index, games):
    if not games:
        return '<p class="note">The games of this run are no longer there.</p>'
    return f'<div class="viewer" data-run="{index}"></div>'


# --- learning ----------------------------------------------------------------------------------


def _learning(run, newest):
    fitted = [each for each in run.generations if each.fit.get("loss_train") is not None]
    if not fitted:
        return ""

    def losses(key, style, label):
        found = [(each.number, each.fit[key]) for each in fitted if each.fit.get(key) is not None]
        return Series(found, style, label,
                      titles=[f"generation {n}: {loss:.5f}" for n, loss in found])
    out = '<div class="pair">' + _figure("Loss by generation", charts.plot(
        [losses("loss_train", "ink", "training"), losses("loss_validation", "accent", "validation"),
         losses("loss_test", "faint", "test")], "generation", "loss, nats",
        x_ticks=sorted({each.number for each in fitted}) if len(fitted) < 12 else None))
    last = newest if newest in fitted else fitted[-1]
    curve = [(step, loss) for step, loss in enumerate(last.fit.get("curve") or [])]
    # A fit that begins at its optimum has no curve to show.
    falls = max((loss for _, loss in curve), default=0) - min((loss for _, loss in curve), default=0)
    out += _figure(f"Loss and penalty by step of the fit, generation {last.number}", charts.plot(
        [Series(curve, "accent", dots=False)], "step", "nats")
        if len(curve) > 2 and falls > 1e-5 else "")
    out += _figure(f"Loss by number of games, generation {last.number}",
                   _learning_curve(last.fit.get("learning_curve") or []))
    out += _figure(f"Calibration on validation games, generation {last.number}",
                   _calibration(last.fit.get("calibration") or []))
    rows = [[str(each.number), number(each.fit["positions"]), *(
        "–" if each.fit.get(key) is None else f"{each.fit[key]:.5f}" for key in
        ("loss_before", "loss_train", "loss_validation", "loss_test", "k")),
        "–" if each.fit.get("gap_bound") is None else f"{each.fit['gap_bound']:.1e}"]
        for each in fitted]
    return out + "</div>" + _table(["generation", "positions", "before", "training", "validation",
                                    "test", "slope K", "above the optimum"], rows)


def _learning_curve(points):
    """Of fits to parts of the games, if [tune] asked for it with learning-curve."""
    return charts.plot(
        [Series([(each["games"], each[key]) for each in points if each[key] is not None], style,
                label) for key, style, label in (("train", "ink", "training"),
                                                 ("validation", "accent", "validation"))],
        "games", "loss, nats")


def _calibration(bins):
    bins = [each for each in bins if each["positions"]]
    if not bins:
        return ""
    most = max(each["positions"] for each in bins)
    points = [(each["predicted"], each["scored"]) for each in bins]
    return charts.plot(
        [Series(points, "accent", line=False,
                radii=[2.5 + 5 * (each["positions"] / most) ** 0.5 for each in bins],
                titles=[f"predicted {each['predicted']:.3f}, scored {each['scored']:.3f}, "
                        f"{number(round(each['positions']))} positions" for each in bins])],
        "predicted score", "score", x_range=(0, 1), y_range=(0, 1), diagonal=True)


# --- what it learnt ----------------------------------------------------------------------------


def _learnt(index, newest, rules, values):
    if not values:
        return ""
    out = f"<h3>Piece values of generation {newest.number}</h3>" + _material(rules, values)
    if any("piece_square" == term for term in values):
        out += ('<h3>Piece-square tables</h3><p class="lead">As the owner sees the board, own side '
                'below. In colour: worth more there; in grey: worth less. Point at a square.</p>'
                f'<div class="heat" data-run="{index}"></div>')
    hands = _hands(rules, values)
    if hands:
        out += ('<h3>Pieces in hand</h3><p class="lead">What having one, two, ... of a piece in '
                'hand is worth: <span class="key accent">middlegame</span>, '
                f'<span class="key ink">endgame</span>.</p><div class="hands">{hands}</div>')
    return out


def _material(rules, values):
    rows = [(kind, table[0][0]) for kind, table in values.get("material", {}).items()]
    most = max((abs(value) for _, pair in rows for value in pair), default=0) or 1
    out = '<table class="bars material">'
    for kind, pair in sorted(rows, key=lambda row: -sum(row[1])):
        piece = rules.piece(kind)
        name = piece.name if piece else kind
        bars = "".join(f'<i class="{style}" style="width:{max(0, 100 * value / most):.1f}%"></i>'
                       for style, value in zip(("accent", "ink"), pair))
        out += (f'<tr><th scope="row">{escape(name)}</th><td>{bars}</td><td class="number">'
                f"{pair[0]}</td><td class=number>{pair[1]}</td></tr>")
    return (out + '</table><p class="note"><span class="key accent">middlegame</span>, '
            '<span class="key ink">endgame</span>; without what squares and surroundings add.</p>')


def _hands(rules, values):
    """A small chart for each kind that hands can hold, all with one scale."""
    tables = {}
    for kind, table in values.get("hand", {}).items():
        piece = rules.piece(kind)
        most = min(len(table[0]), rules.most_in_hand(piece)) if piece else 0
        if any(any(pair) for pair in table[0][:most]):
            tables[piece] = table[0][:most]
    every = [value for row in tables.values() for pair in row for value in pair] + [0]
    out = []
    for piece, row in tables.items():
        lines = [Series([(0, 0)] + [(n, pair[phase]) for n, pair in enumerate(row, 1)], style,
                        titles=["none"] + [f"{n}: {pair[phase]} in the {PHASES[phase]}"
                                           for n, pair in enumerate(row, 1)])
                 for phase, style in ((1, "ink"), (0, "accent"))]
        out.append(_figure(escape(piece.name), charts.plot(
            lines, "in hand", "centipawns", y_range=(min(every), max(every)),
            x_ticks=range(len(row) + 1), size=(240, 170))))
    return "".join(out)


def _tables(rules, values):
    """The piece-square tables for heat.js: values of both phases, row by row from the top."""
    return [{"piece": piece.fen,
             **{phase: [pair[i] for row in table for pair in row]
                for i, phase in enumerate(PHASES)}}
            for kind, table in values.get("piece_square", {}).items()
            if (piece := rules.piece(kind)) and len(table) == rules.ranks]


# --- data, provenance --------------------------------------------------------------------------


def _data(run):
    played = [each for each in run.generations if each.dataset]
    if not played:
        return ""
    rows = []
    for each in played:
        data, results = each.dataset, each.dataset.get("results", {})
        parts = [(kind, word, results.get(kind, 0)) for kind, word in
                 (("white", "White wins"), ("draw", "draws"), ("black", "Black wins"),
                  ("unfinished", "unfinished"))]
        rows.append([str(each.number), charts.shares(parts), number(data["games"]),
                     number(data["plies"]), f"{data['plies'] / max(1, data['games']):.1f}",
                     f"{(data.get('bytes') or 0) / max(1, data['plies']):.2f}"])
    out = _table(["generation", "White wins, draws, Black wins", "games", "plies", "plies a game",
                  "bytes a ply"], rows, 2)
    last = played[-1]
    reasons = sorted(last.dataset.get("reasons", {}).items(), key=lambda item: -item[1])
    skipped = sorted((run.newest.fit.get("skipped") or {}).items(), key=lambda item: -item[1]) \
        if run.newest else []
    by_kind = {}
    for kind, cpu, _ in run.steps:
        by_kind[kind] = by_kind.get(kind, 0) + cpu
    kinds = sorted(by_kind.items(), key=lambda item: -item[1])
    return out + '<div class="pair">' + "".join(_figure(caption, body) for caption, body in (
        (f"How games of generation {last.number} ended",
         charts.bars([(REASONS.get(name, name), count, "") for name, count in reasons])),
        ("Positions that the last fit left out",
         charts.bars([(name, count, "") for name, count in skipped]) if skipped else ""),
        ("CPU time by kind of step", charts.bars(
            [(kind, cpu, _duration(cpu)) for kind, cpu in kinds if cpu >= 0.05])),
    )) + "</div>"


def _duration(seconds):
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    return f"{seconds / 60:,.1f} min" if seconds < 2 * 3600 else f"{seconds / 3600:,.1f} h"


def _provenance(run, newest):
    out = ""
    if newest and newest.header:
        head = re.search(r"/\*\n \* weights/.*?\*/", newest.header.read_text(encoding="utf-8"),
                         re.DOTALL)
        if head:
            comment = re.sub(r"^ ?\*/?[ ]?", "", head.group()[3:], flags=re.MULTILINE).strip()
            out += f"<details open><summary>Weights of generation {newest.number}</summary>" \
                   f"<pre>{escape(comment)}</pre></details>"
    digests = [[str(each.number), f"<code>{escape(each.dataset['digest'])}</code>",
                f"<code>{escape(each.weights or '–')}</code>"]
               for each in run.generations if each.dataset.get("digest")]
    if digests:
        out += "<details><summary>Digests</summary>" + _table(
            ["generation", "games", "weights"], digests, 3) + "</details>"
    return (out + "<details><summary>Configuration</summary>"
            f"<pre>{escape(run.configuration)}</pre></details>")
