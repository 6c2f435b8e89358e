# SPDX-License-Identifier: GPL-3.0-or-later
"""weights.py - the numbers of a generated weights header.

    table = weights.read(path)["piece_square"]["KNIGHT"]   # rows of (middlegame, endgame)
"""

import re

from slurm.program import TEXT_MOST, read_text


class WeightsError(Exception):
    """The message for the user."""


def read(path):
    """{term: {item: rows}}; a term without items has the one item None. A row is a list of
    (middlegame, endgame) in centipawns; what has no rows is one row."""
    try:
        text = read_text(path, TEXT_MOST)
    except (OSError, UnicodeDecodeError) as error:
        raise WeightsError(f"{path}: {error}") from None
    start = text.find("static const EvalWeights weights")
    if start < 0:
        raise WeightsError(f"{path}: no weights in it, expected a header of campmate-tune")
    text = re.sub(r"/\*.*?\*/", "", text[start:], flags=re.DOTALL)
    terms = {}
    for name, body in re.findall(r"^    \.(\w+) = (.*?),\n(?=    \.|\};)", text,
                                 re.MULTILINE | re.DOTALL):
        items = re.split(r"\[(\w+)\] = ", body)
        if len(items) == 1:
            terms[name] = {None: _rows(body)}
        else:
            terms[name] = {item: _rows(values) for item, values in zip(items[1::2], items[2::2])}
    return terms


def _rows(text):
    rows = [_pairs(row) for row in re.findall(r"\{([^{}]*)\}", text)]
    return rows or [_pairs(text)]


def _pairs(text):
    return [(int(middlegame), int(endgame)) for middlegame, endgame in
            re.findall(r"S\( *(-?\d+), *(-?\d+)\)", text)]
