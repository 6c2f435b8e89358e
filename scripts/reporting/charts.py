# SPDX-License-Identifier: GPL-3.0-or-later
"""charts.py - small charts as inline SVG. Colours are classes of page.css, so that they follow the
theme; every point tells its value when pointed at.

    charts.plot([Series([(0, 0), (1, 120)], "accent", "accepted")], "generation", "Elo")
"""

import math
from dataclasses import dataclass, field
from html import escape

SIZE = (440, 270)
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 14, 40


@dataclass
class Series:
    points: list                        # (x, y)
    style: str = "accent"               # a class: accent, ink, faint
    label: str = ""                     # written at its last point
    line: bool = True
    dots: bool = True
    errors: list = field(default_factory=list)   # half an interval, or None, for each point
    titles: list = field(default_factory=list)   # what a point says
    radii: list = field(default_factory=list)
    step: bool = False                  # stays as it is until the next point


def number(value, digits=None):
    """1234567 -> 1,234,567; 0.123456 -> 0.1235"""
    if isinstance(value, int) or (value == int(value) and digits is None and abs(value) < 1e15):
        return f"{int(value):,}"
    return f"{value:,.{digits}f}" if digits is not None else f"{value:.4g}"


def ticks(low, high, about=5):
    """Round numbers from low to high."""
    span = (high - low) / about or 1.0
    unit = 10.0 ** math.floor(math.log10(span))
    unit *= next(factor for factor in (1, 2, 2.5, 5, 10) if factor * unit >= span * 0.999)
    first, last = math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9)
    return [k * unit for k in range(first, last + 1)]


def _tick_texts(values):
    """With as many digits as tell them apart."""
    step = min((b - a for a, b in zip(values, values[1:])), default=1)
    digits = next((n for n in range(12) if abs(round(step, n) - step) < step * 1e-6), 12)
    return [f"{value:,.{digits}f}" for value in values]


def _range(values, given, pad):
    if given:
        return given
    low, high = min(values), max(values)
    space = (high - low or abs(high) or 1) * pad
    return low - space, high + space


def plot(series, x_label, y_label, x_range=None, y_range=None, x_ticks=None, diagonal=False,
         zero=False, size=SIZE):
    """A chart of lines and points."""
    width, height = size
    series = [each for each in series if each.points]
    if not series:
        return ""
    xs = [x for each in series for x, _ in each.points]
    ys = [y + sign * (error or 0) for each in series
          for (_, y), error in zip(each.points, each.errors or [0] * len(each.points))
          for sign in (-1, 1)]
    x_low, x_high = _range(xs, x_range, 0.04)
    y_low, y_high = _range(ys + ([0] if zero else []), y_range, 0.08)
    right = RIGHT + max([7.2 * len(each.label) + 8 for each in series if each.label] + [0])

    def at(x, y):
        return (LEFT + (x - x_low) / (x_high - x_low or 1) * (width - LEFT - right),
                TOP + (y_high - y) / (y_high - y_low or 1) * (height - TOP - BOTTOM))

    out = [f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" '
           f'aria-label="{escape(y_label)} by {escape(x_label)}">']
    heights, places = ticks(y_low, y_high, height // 50), x_ticks or ticks(x_low, x_high)
    for y, text in zip(heights, _tick_texts(heights)):
        _, down = at(x_low, y)
        out.append(f'<path class="grid" d="M{LEFT} {down:.1f}H{width - right:.1f}"/>'
                   f'<text class="end" x="{LEFT - 8}" y="{down + 4:.1f}">{text}</text>')
    for x, text in zip(places, _tick_texts(places)):
        across, _ = at(x, y_low)
        out.append(f'<text class="middle" x="{across:.1f}" y="{height - BOTTOM + 17}">'
                   f'{text}</text>')
    out.append(f'<text class="end" x="{width - right:.1f}" y="{height - 6}">'
               f'{escape(x_label)}</text>')
    if diagonal:
        (x1, y1), (x2, y2) = at(x_low, x_low), at(x_high, x_high)
        out.append(f'<path class="diagonal" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>')
    for each in series:
        out += _series(each, at)
    out += _labels(series, at)
    return "".join(out) + "</svg>"


def _series(series, at):
    places, out = [at(x, y) for x, y in series.points], []
    if series.line and len(places) > 1:
        path = f"M{places[0][0]:.1f} {places[0][1]:.1f}"
        for x, y in places[1:]:
            path += f"H{x:.1f}V{y:.1f}" if series.step else f"L{x:.1f} {y:.1f}"
        out.append(f'<path class="line {series.style}" d="{path}"/>')
    for i, (x, y) in enumerate(places):
        error = series.errors[i] if series.errors else None
        if error:
            (_, low), (_, high) = (at(series.points[i][0], series.points[i][1] + sign * error)
                                   for sign in (-1, 1))
            out.append(f'<path class="error {series.style}" d="M{x:.1f} {low:.1f}V{high:.1f}"/>')
        if series.dots:
            title = f"<title>{escape(series.titles[i])}</title>" if series.titles else ""
            radius = series.radii[i] if series.radii else 3.5
            out.append(f'<circle class="dot {series.style}" cx="{x:.1f}" cy="{y:.1f}" '
                       f'r="{radius:.1f}">{title}</circle>')
    return out


def _labels(series, at):
    """At the right ends, moved apart where they would overlap."""
    ends = sorted(((*at(*each.points[-1]), each) for each in series if each.label),
                  key=lambda end: end[1])
    out, last = [], -100.0
    for x, y, each in ends:
        last = max(y, last + 15)
        out.append(f'<text class="label {each.style}" x="{x + 9:.1f}" y="{last + 4:.1f}">'
                   f'{escape(each.label)}</text>')
    return out


def bars(rows):
    """Rows of (label, value, note): horizontal bars, as HTML."""
    most = max((value for _, value, _ in rows), default=0) or 1
    return '<table class="bars">' + "".join(
        f'<tr><th scope="row">{escape(label)}</th><td><i style="width:{100 * value / most:.1f}%">'
        f'</i></td><td class="number">{escape(note or number(value))}</td></tr>'
        for label, value, note in rows) + "</table>"


def shares(parts):
    """One bar of several parts: (class, label, value)."""
    total = sum(value for _, _, value in parts) or 1
    return '<div class="shares">' + "".join(
        f'<span class="{kind}" style="width:{100 * value / total:.2f}%" '
        f'title="{escape(label)} {number(value)}, {100 * value / total:.1f} %"></span>'
        for kind, label, value in parts if value) + "</div>"
