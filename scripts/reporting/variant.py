# SPDX-License-Identifier: GPL-3.0-or-later
"""variant.py - what a page has to know of a game to draw it, read from engine/variants/NAME.h.

    variant = variant.read("mansindam")    # board, missing squares, pieces and how they move
    variant.as_json()                      # the same for board.js
"""

import re
from dataclasses import dataclass
from pathlib import Path

HEADERS = Path(__file__).resolve().parents[2] / "engine" / "variants"

ORTHOGONAL = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIAGONAL = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
KNIGHT = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
# Moves of the headers -> (how it is drawn, directions from White's side).
MOVES = {
    "STEP_ROOK": ("step", ORTHOGONAL),
    "STEP_BISHOP": ("step", DIAGONAL),
    "STEP_KING": ("step", ORTHOGONAL + DIAGONAL),
    "FORWARD": ("step", [(0, 1)]),
    "FORWARD_DIAGONAL": ("step", [(1, 1), (-1, 1)]),
    "SLIDE_ROOK": ("slide", ORTHOGONAL),
    "SLIDE_BISHOP": ("slide", DIAGONAL),
    "SLIDE_QUEEN": ("slide", ORTHOGONAL + DIAGONAL),
    "SHORT_SLIDE_QUEEN": ("slide", ORTHOGONAL + DIAGONAL),
    "LEAP_KNIGHT": ("leap", KNIGHT),
    "LEAP_TWO": ("leap", ORTHOGONAL + DIAGONAL),
}


class VariantError(Exception):
    """The message for the user."""


@dataclass(eq=False)
class Piece:
    kind: str       # "PAWN", as in the weights headers
    fen: str        # "P", "+P"
    letter: str     # what is drawn: a promoted piece has its own where it has one
    marks: list     # [[how, dx, dy], ...]: one for each direction it moves in

    @property
    def name(self):
        return self.kind.replace("_", " ").capitalize()


@dataclass
class Variant:
    name: str
    title: str
    files: int
    ranks: int
    shape: list        # rows of the board from the top; "*" in a row is a missing square
    zone: int          # ranks of the promotion zone, 0 = none
    diagonals: bool    # the two long diagonals are drawn: pawns promote on them
    pieces: list
    start: str         # FEN of the first position
    captures_to_hand: bool

    def piece(self, kind):
        return next((piece for piece in self.pieces if piece.kind == kind), None)

    def most_in_hand(self, piece):
        """How many of a kind one hand can hold."""
        placement = self.start.split()[0]
        if self.captures_to_hand:
            return placement.upper().count(piece.fen)
        return placement.partition("[")[2].count(piece.fen)

    def as_json(self):
        return {"title": self.title, "files": self.files, "ranks": self.ranks,
                "shape": self.shape, "zone": self.zone, "diagonals": self.diagonals,
                "pieces": [{"name": piece.name, "fen": piece.fen, "letter": piece.letter,
                            "marks": piece.marks} for piece in self.pieces]}


def read(name):
    text = _text(name)
    constants = {}
    for key, value in re.findall(r'^#define (\w+) +("[^"]*"|\w+)', text, re.MULTILINE):
        constants.setdefault(key, value.strip('"'))  # the first one counts, as in burmese.h
    try:
        files, ranks = int(constants["BOARD_FILES"]), int(constants["BOARD_RANKS"])
        style, zone = constants["PROMOTION_STYLE"], int(constants["PROMOTION_RANKS"])
        shape, title = constants["BOARD_SHAPE"], constants["VARIANT_TITLE"]
        start, to_hand = constants["START_FEN"], constants["CAPTURES_GO_TO_HAND"] == "1"
    except (KeyError, ValueError) as error:
        raise VariantError(f"{HEADERS / name}.h: cannot read its board: {error}") from None
    rows = [_squares(row) for row in shape.split("/")] if shape else ["." * files] * ranks
    return Variant(name, title, files, ranks, rows, zone, style == "PROMOTE_AS_MOVE",
                   _pieces(text), start, to_hand)


def is_known(name):
    """Is it a game of this tree?"""
    return re.fullmatch(r"\w+", name) is not None and (HEADERS / f"{name}.h").is_file()


def _text(name):
    """The header with what it includes."""
    path = HEADERS / f"{name}.h"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise VariantError(f"{path}: {error.strerror}") from None
    return re.sub(r'^#include "variants/(\w+)\.h"', lambda found: _text(found.group(1)), text,
                  flags=re.MULTILINE)


def _squares(row):
    """A row of a FEN board: "*6*" -> "*......*"."""
    return re.sub(r"\d+", lambda found: "." * int(found.group()), row)


def _pieces(text):
    found = re.search(r"^#define PIECES\(X\)(?:.*\\\n)+.*", text, re.MULTILINE)
    rows = re.findall(r"""X\((\w+), *"([^"]+)", *(0|'\w'), *([^,]+), *([^,]+),""",
                      found.group() if found else "")
    return [Piece(kind, fen, alias.strip("'") if alias != "0" else fen[-1],
                  _marks(f"{captures}|{quiets}"))
            for kind, fen, alias, captures, quiets in rows]


def _marks(moves):
    marks = []
    for move in re.findall(r"\w+", moves):
        how, directions = MOVES.get(move, ("", []))
        marks += [[how, dx, dy] for dx, dy in directions if [how, dx, dy] not in marks]
    # A slide says more than a step in the same direction.
    return [mark for mark in marks if mark[0] != "step" or ["slide", *mark[1:]] not in marks]
