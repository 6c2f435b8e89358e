#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""browser_test.py PROGRAMS SCREENSHOTS - the report in a headless Chromium.

One page with a run of every variant. In each, a game is stepped through with keys and buttons, and
what is drawn is compared with the positions that `campmate moves` gives. Screenshots are left for
people to look at.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from devtools import Browser, find_program
from fixture import SCRIPTS, VARIANTS, make_ledger, replay

PROGRAMS = Path(sys.argv.pop(1))
SCREENSHOTS = Path(sys.argv.pop(1))

# What is drawn in the viewer number N: pieces, hands, marked squares, ply, lines.
DRAWN = """(() => {
    const viewer = document.querySelectorAll(".viewer")[%d];
    const hands = {};
    for (const e of viewer.querySelectorAll("[data-hand]"))
        hands[e.dataset.hand] = Number(e.dataset.count);
    const pieces = {};
    for (const e of viewer.querySelectorAll(".piece")) pieces[e.dataset.square] = e.dataset.piece;
    return {pieces, hands, ply: Number(viewer.dataset.ply),
            marked: viewer.querySelectorAll(".moved").length,
            checked: [...viewer.querySelectorAll(".check")].map((e) => e.dataset.square),
            squares: viewer.querySelectorAll(".square").length,
            missing: viewer.querySelectorAll(".missing").length,
            current: viewer.querySelector("[aria-current]")?.textContent || "",
            now: viewer.querySelector(".now").textContent};
})()"""


def board_of(fen):
    """{square: piece}, {piece: count} of a FEN."""
    placement = fen.split()[0]
    rows, _, pocket = placement.partition("[")
    pieces, hands = {}, {}
    rows = rows.split("/")
    for r, row in enumerate(rows):
        file = 0
        for text in re.findall(r"\d+|\+?[A-Za-z]|\*", row):
            if text.isdigit():
                file += int(text)
                continue
            if text != "*":
                pieces[f"{'abcdefghi'[file]}{len(rows) - r}"] = text
            file += 1
    for letter in pocket.rstrip("]"):
        hands[letter] = hands.get(letter, 0) + 1
    return pieces, hands


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="campmate-browser-test.")
        directory = Path(cls.scratch.name)
        cls.file = directory / "report.html"
        subprocess.run([str(SCRIPTS / "report"), "--ledger", str(make_ledger(PROGRAMS, directory)),
                        "--tools", str(PROGRAMS), "--games", "4", "--out", str(cls.file)],
                       check=True, stdout=subprocess.DEVNULL)
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>',
                         cls.file.read_text(encoding="utf-8"), re.DOTALL).group(1)
        cls.runs = json.loads(data)["runs"]
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        cls.browser = Browser(find_program()).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.scratch.cleanup()

    def page(self, width=1100, height=900, **options):
        return self.browser.page(self.file.as_uri(), width, height, **options)

    def compare(self, page, index, said):
        """The board of a viewer against a position."""
        drawn = page.value(DRAWN % index)
        pieces, hands = board_of(said["fen"])
        self.assertEqual(drawn["pieces"], pieces, said["fen"])
        self.assertEqual(drawn["hands"], hands, said["fen"])
        king = "K" if said["fen"].split()[1] == "w" else "k"
        self.assertEqual(drawn["checked"], [square for square, piece in pieces.items()
                                            if piece == king and said["check"]], said["fen"])
        return drawn

    def test_every_variant(self):
        self.assertEqual({run["variant"] for run in self.runs}, set(VARIANTS))
        page = self.page()
        for index, run in enumerate(self.runs):
            with self.subTest(variant=run["variant"]):
                self.step_through(page, index, run["variant"], run["games"][0])
        self.assertEqual(page.complaints, [])

    def step_through(self, page, index, variant, game):
        said = replay(PROGRAMS, variant, game)
        plies = len(said) - 1
        viewer = f"#run{index} .viewer"
        self.assertEqual(self.compare(page, index, said[0])["marked"], 0)
        page.click(f"{viewer} .now")  # the keys are this viewer's now
        for ply in range(1, plies + 1):
            page.press("ArrowRight")
            drawn = self.compare(page, index, said[ply])
            self.assertEqual(drawn["ply"], ply)
            self.assertGreater(drawn["marked"], 0)
            self.assertEqual(drawn["current"], game["san"][ply - 1])
        self.assertIn(game["result"], drawn["now"])
        page.press("ArrowRight")  # there is no further
        self.assertEqual(page.value(DRAWN % index), drawn)
        page.press("ArrowLeft")
        self.compare(page, index, said[plies - 1])
        page.press("Home")
        self.assertEqual(self.compare(page, index, said[0])["ply"], 0)
        page.press("End")
        self.assertEqual(self.compare(page, index, said[plies])["ply"], plies)

        for button, ply in (("first", 0), ("next", 1), ("next", 2), ("back", 1), ("last", plies)):
            page.click(f"{viewer} [data-do={button}]")
            self.assertEqual(self.compare(page, index, said[ply])["ply"], ply)
        middle = plies // 2
        page.value(f"document.querySelector('{viewer} .moves [data-ply=\"{middle}\"]').click()")
        self.assertEqual(self.compare(page, index, said[middle])["ply"], middle)
        for share in (0.25, 0.75):
            page.click(f"{viewer} .graph", x=share)
            ply = page.value(DRAWN % index)["ply"]
            self.assertLessEqual(abs(ply - share * plies), 1)
            self.compare(page, index, said[ply])
        self.flip(page, index, viewer)
        if variant == "miniburmese":
            drawn = page.value(DRAWN % index)
            self.assertEqual((drawn["squares"], drawn["missing"]), (40, 24))

    def flip(self, page, index, viewer):
        where = "[...document.querySelectorAll('%s .piece')].map((e) => [e.dataset.square, " \
                "e.getAttribute('transform')]).sort().join(' ')" % viewer
        before, position = page.value(where), page.value(DRAWN % index)
        near = f"document.querySelector('{viewer} .near').innerHTML"
        hand = page.value(near)
        page.press("f")
        self.assertNotEqual(page.value(where), before)
        self.assertEqual(page.value(DRAWN % index), position)
        self.assertEqual(page.value(near.replace(".near", ".far")), hand)
        page.click(f"{viewer} [data-do=flip]")
        self.assertEqual(page.value(where), before)

    def test_choice_of_games(self):
        page = self.page()
        game = self.runs[0]["games"][2]
        page.value("(() => { const s = document.querySelector('.viewer select'); s.value = '2'; "
                   "s.dispatchEvent(new Event('change')); })()")
        page.press("End")
        self.compare(page, 0, replay(PROGRAMS, self.runs[0]["variant"], game)[-1])
        self.assertEqual(page.complaints, [])

    def test_heat_maps(self):
        page = self.page()
        for index, run in enumerate(self.runs):
            for phase in ("endgame", "middlegame"):
                page.click(f"#run{index} .heat [data-phase={phase}]")
                shown = page.value(
                    f"[...document.querySelectorAll('#run{index} .heat figure')].map((f) => "
                    "[...f.querySelectorAll('[data-square]')].map((e) => Number(e.dataset.value)))")
                present = [square != "*" for row in self.shape(run["variant"]) for square in row]
                self.assertEqual(shown, [[value for value, there in zip(table[phase], present)
                                          if there] for table in run["tables"]])
        self.assertEqual(page.complaints, [])

    def shape(self, variant):
        return {"mansindam": ["." * 9] * 9,
                "miniburmese": ["*" * 8, *["*......*"] * 2, *["." * 8] * 2, *["*......*"] * 2,
                                "*" * 8]}.get(variant, ["." * 8] * 8)

    def test_looks(self):
        """Light and dark differ, nothing is wider than a phone; pictures for people."""
        grounds = {}
        for dark in (False, True):
            for phone in (False, True):
                page = self.page(*((390, 844) if phone else (1100, 900)), dark=dark, phone=phone)
                name = f"{'dark' if dark else 'light'}-{'phone' if phone else 'desktop'}"
                grounds[dark] = page.value("getComputedStyle(document.body).backgroundColor")
                self.assertEqual(page.value("document.documentElement.scrollWidth"),
                                 page.value("innerWidth"))
                for index, run in enumerate(self.runs):
                    viewer = f"#run{index} .viewer"
                    page.click(f"{viewer} .now")
                    for _ in range(24):
                        page.press("ArrowRight")
                    page.value(f"document.querySelector('{viewer}').scrollIntoView()")
                    page.screenshot(SCREENSHOTS / f"{run['variant']}-{name}.png")
                page.screenshot(SCREENSHOTS / f"page-{name}.png", whole=True)
                self.assertEqual(page.complaints, [])
        self.assertNotEqual(grounds[False], grounds[True])


if __name__ == "__main__":
    if find_program() is None:
        print("browser_test.py: no Chromium (scripts/setup --all)", file=sys.stderr)
        sys.exit(1 if os.environ.get("CAMPMATE_REQUIRE_BROWSER") else 77)
    unittest.main()
