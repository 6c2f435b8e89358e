#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""settings_test.py - campmate-tune's search, weights of positions, scratch files, export, ties.

    settings_test.py PATH/campmate-tune PATH/make_games CC [unittest arguments]
"""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from common import CC, MAKE_GAMES, PROGRAM, QUIET, Base, Games, main

LEGAL_COUNTS = os.path.join(os.path.dirname(__file__), "../../rules/mansindam/legal_counts.epd")
HEADER = ("--init", "zero", "--seed", 5, "--ridge", 1)


class Lines(Base):
    def test_every_trace_equals_the_evaluation(self):
        """Case C03: all positions, those in check and with full hands too."""
        with open(LEGAL_COUNTS, encoding="ascii") as stream:
            fens = [line.split(";")[0] for line in stream if not line.startswith("#")]
        self.assertEqual(len(fens), 596)
        self.assertGreater(max(len(fen.split("[")[1].split("]")[0]) for fen in fens), 8)
        # Line 318 is a win for Black by campmate.
        path = self.write("cases.txt", "".join(f"{fen} 0 1;{'0-1' if number == 318 else '1-0'}\n"
                                               for number, fen in enumerate(fens, 1)))
        words = ("--variant", "mansindam", "--text", path, "--seed", 1)
        checked = self.json(*words, "--check")
        self.assertEqual(checked, {"checked": 596, "violations": 0})
        # Without it only what is fitted is compared.
        fitted = self.json(*words, "--init", "zero", "--ridge", 1, "--out", self.path("w.h"))
        self.assertEqual(fitted["skipped"], {"game over": 5, "in check": 63})

    def test_the_token_of_a_draw_inside_a_fen(self):
        """Case C01: the result is a field of its own, whatever the position looks like."""
        fen = "4k4/7p1/2N6/9/9/9/9/9/4K4[] w - - 0 1"
        self.assertIn("p1/2", fen)
        for result, positions in (("0-1", 2), ("1-0", 2), ("1/2-1/2", 1), ("*", 1)):
            made = self.text_fit([f"{fen};{result}", f"{QUIET[1]};1-0"], "--ridge", 1)
            self.assertEqual(made["positions"], positions, result)
        self.tune("--variant", "mansindam", "--text", self.write("a.txt", f"{fen};0-1\n"),
                  "--init", "zero", "--seed", 1, "--export", self.path("e.txt"))
        self.assertTrue(self.read("e.txt").startswith("0.000000 1.000000 "))
        self.tune("--variant", "mansindam", "--text", self.write("a.txt", f"{fen};1-0\n"),
                  "--init", "zero", "--seed", 1, "--export", self.path("e.txt"))
        self.assertTrue(self.read("e.txt").startswith("1.000000 1.000000 "))
        draws = self.write("d.txt", "8/8/4k3/8/8/3R4/4K3/8[] b - - 0 1;1/2-1/2\n")
        self.tune("--variant", "sittuyin", "--text", draws, "--init", "zero", "--seed", 1,
                  "--export", self.path("e.txt"))
        self.assertTrue(self.read("e.txt").startswith("0.500000 1.000000 "))

    def test_half_of_the_records_filtered(self):
        """Case C17: the mean is over the 50 that are used."""
        used = [f"4k4/9/9/9/9/9/9/{rank}/4K4[{'P' * hand}] w - - 0 1;{'1-0' if hand % 3 else '0-1'}"
                for hand in range(1, 6) for rank in ("P8", "1P7", "2P6", "3P5", "4P4", "5P3", "6P2",
                                                     "7P1", "8P", "PP7")]
        checks = [f"4k4/9/9/4R4/9/9/9/{rank}/3K5[{'P' * hand}] b - - 0 1;1-0"
                  for hand in range(5) for rank in ("P8", "1P7", "2P6", "3P5", "4P4", "5P3", "6P2",
                                                    "7P1", "8P", "PP7")]
        alone = self.text_fit(used, "--ridge", 0.1, "--validation", 0, "--test", 0, name="50.txt")
        both = self.text_fit([line for pair in zip(used, checks) for line in pair], "--ridge", 0.1,
                             "--validation", 0, "--test", 0, name="100.txt")
        self.assertEqual((alone["positions"], both["positions"]), (50, 50))
        self.assertEqual(both["skipped"]["in check"], 50)
        self.assertLess(abs(alone["loss_train"] - both["loss_train"]), 1e-12)
        self.assertEqual(alone["weights_digest"], both["weights_digest"])

    def test_nothing_but_draws(self):
        """Case C05: results all 0.5 give weights 0."""
        fens = ["8/8/4k3/8/8/3R4/4K3/8[] b - - 0 1", "8/8/4k3/8/8/3N4/4K3/8[] b - - 0 1",
                "8/8/4k3/8/4n3/3N4/4K3/8[] w - - 0 1"]
        path = self.write("d.txt", "".join(f"{fen};1/2-1/2\n" for fen in fens))
        result = self.json("--variant", "sittuyin", "--text", path, "--init", "zero", "--seed", 1,
                           "--out", self.path("w.h"))
        self.assertAlmostEqual(result["loss_train"], 0.693147, places=6)
        self.assertFalse(re.search(r"S\(\s*-?[1-9]", self.read("w.h")))
        # With weights that say something there is no slope: the best one would be 0.
        self.tune("--variant", "sittuyin", "--emit-material", "--material", "ROOK=500,KNIGHT=300",
                  "--out", self.path("m.h"))
        refused = self.tune("--variant", "sittuyin", "--text", path, "--init", self.path("m.h"),
                            "--seed", 1, "--out", self.path("w2.h"), code=1)
        self.assertIn("slope K has no best value", refused.stderr)
        self.assertFalse(os.path.exists(self.path("w2.h")))

    def test_one_game(self):
        result = self.text_fit([f"{QUIET[0]};1-0"])
        self.assertEqual(result["positions"], 1)
        self.assertGreater(result["rarely_seen"], 0)
        self.assertIsNone(result["loss_validation"])
        report = self.tune("--variant", "mansindam", "--text", self.path("positions.txt"), "--init",
                           "zero", "--seed", 1, "--out", self.path("w.h")).stdout
        self.assertIn("too few games", report)

    def test_no_tie_where_the_start_is_no_mirror_image(self):
        path = self.write("p.txt", f"{QUIET[0]};1-0\n")
        refused = self.tune("--variant", "mansindam", "--text", path, "--init", "zero", "--seed", 1,
                            "--tie", "--out", self.path("w.h"), code=2)
        self.assertIn("rank 9 of the start position of mansindam", refused.stderr)

    def test_a_locale_with_a_comma(self):
        """Case C09: a decimal comma, also where something sets the locale behind our back."""
        locale = self.path("de_DE.UTF-8")
        try:
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", locale], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("no localedef or no de_DE")
        self.write("set.c", "#include <locale.h>\n#include <stdio.h>\n"
                   "__attribute__((constructor)) static void set(void) {"
                   " if (setlocale(LC_ALL, \"\")) fprintf(stderr, \"%.1f\\n\", 1.5); }\n")
        library = self.path("set.so")
        subprocess.run([CC, "-shared", "-fPIC", "-o", library, self.path("set.c")], check=True)
        german = dict(os.environ, LC_ALL="de_DE.UTF-8", LOCPATH=self.scratch.name,
                      LD_PRELOAD=library)
        if os.environ.get("CAMPMATE_SANITIZED"):
            del german["LD_PRELOAD"] # the sanitizer wants to be the first library
        self.write("p.txt", "".join(f"{fen};{r}\n" for fen, r in
                                    zip(QUIET, ("1-0", "0-1", "1-0", "1-0", "0-1"))))
        outputs = {}
        for name, environment in (("de", german), ("c", dict(os.environ, LC_ALL="C"))):
            words = ("--variant", "mansindam", "--text", self.path("p.txt"), "--init", "zero",
                     "--seed", 1, "--ridge", "0.25", "--k", "1.35", "--out",
                     self.path(name + ".h"))
            report = self.tune(*words, "--table", self.path(name + ".csv"), "--bootstrap", 2,
                               env=environment)
            if "LD_PRELOAD" in environment:
                self.assertEqual(report.stderr, "1,5\n") # it is a locale with a comma
            self.tune(*words[:6], "--seed", 1, "--export", self.path(name + ".txt"),
                      env=environment)
            text = re.sub(r"[\d.]+ s, [\d.]+ CPU s .*", "", report.stdout)
            json_text = self.tune(*words, "--json", env=environment).stdout
            outputs[name] = [text, json.loads(json_text)["loss_train"]] + [
                self.read(name + end) for end in (".h", ".csv", ".txt")]
        self.assertEqual(outputs["de"], outputs["c"])
        self.assertIn("K = 1.35", self.read("de.h"))
        self.assertIn("ridge 0.25", self.read("de.h"))
        self.assertNotRegex(self.read("de.csv"), r"\d,\d\d,\d\d,\d\d,")
        refused = self.tune("--variant", "mansindam", "--text", self.path("p.txt"), "--k", "1,35",
                            "--out", self.path("no.h"), env=german, code=2)
        self.assertIn("write a decimal point", refused.stderr)


class Settings(Games):
    def test_search(self):
        words = ("--data", self.games, "--seed", 5, "--search-skip-plies", "4,40")
        self.tune("--data", self.games, *HEADER, "--out", self.path("first.h"))
        result = self.json("--search", *words, "--init", self.path("first.h"), "--k", 1,
                           "--search-lambda", "1,0.5")
        tried = result["search"]
        self.assertEqual([(each["skip_plies"], each["lambda"]) for each in tried],
                         [(4, 1), (4, 0.5), (40, 1), (40, 0.5)])
        best = min(tried, key=lambda each: each["loss_validation"])
        self.assertEqual({key: best[key] for key in result["best"]}, result["best"])
        self.assertGreater(tried[0]["positions"], tried[2]["positions"])

        # With --out it fits with them, and the header's command does the same without a search.
        fitted = self.json("--search", *words, "--init", self.path("first.h"), "--k", 1,
                           "--search-lambda", "1,0.5", "--out", self.path("w.h"))
        self.assertEqual(fitted["search"], tried)
        self.assertEqual(fitted["ridge"], best["ridge"])
        command = re.search(r"command    campmate-tune (.*)", self.read("w.h")).group(1).split()
        for word, value in (("--data", self.games), ("--init", self.path("first.h"))):
            command[command.index(word) + 1] = value
        self.tune(*command, "--out", self.path("again.h"))
        self.assertEqual(self.read("w.h"), self.read("again.h"))
        # The yardstick does not move with the filter: what is tried alone gets the same figure.
        alone = self.json("--search", *words[:-1], "40", "--init", self.path("first.h"), "--k", 1,
                          "--search-lambda", "0.5")
        self.assertEqual(alone["search"][0], tried[3])

        text = self.tune("--search", *words, "--init", "zero", "--search-lambda", "1").stdout
        self.assertIn("best: --lambda 1 --skip-plies", text)
        for wrong in ("1;2", "2", "", "0.5,", "-1", "nan"):
            refused = self.tune("--search", *words, "--search-lambda", wrong, code=2)
            self.assertIn("--search-lambda", refused.stderr)
        self.assertIn("only results are targets",
                      self.tune("--search", *words, "--init", "zero", code=2).stderr)
        few = self.tune("--search", *words, "--validation", 0, "--init", "zero", "--search-lambda",
                        "1", code=1)
        self.assertIn("no validation games", few.stderr)

    def test_search_journal(self):
        """Killed at any moment, a search goes on where it was, to the same table and header."""
        words = ("--data", self.games, "--seed", 5, "--init", "zero", "--search", "--search-lambda", 1,
                 "--search-skip-plies", "4,10,20,30,40", "--threads", 1, "--json")
        alone = self.json(*words[:-1], "--out", self.path("alone.h"))
        journal = self.path("journal.json")
        again = (*words, "--search-journal", journal, "--out", self.path("w.h"))
        killed = 0
        for _ in range(40):
            before = self.read("journal.json") if os.path.exists(journal) else None
            process = subprocess.Popen([PROGRAM, *map(str, again)], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            while process.poll() is None:
                if os.path.exists(journal) and self.read("journal.json") != before:
                    process.kill()
                    break
                time.sleep(0.001)
            output, errors = process.communicate()
            self.assertIn(process.returncode, (0, -signal.SIGKILL), errors)
            if process.returncode == 0:
                break
            killed += 1
        self.assertGreater(killed, 0)
        tried = json.loads(self.read("journal.json"))["tried"]
        self.assertEqual(len(tried), len(alone["search"]))
        for kept, printed in zip(tried, alone["search"]):  # printed with fewer digits
            self.assertAlmostEqual(kept["loss_validation"], printed["loss_validation"], delta=1e-10)
        finished = self.json(*again[:-1], self.path("w.h"))
        self.assertEqual(finished["search"], alone["search"])
        self.assertEqual(self.read("w.h"), self.read("alone.h"))
        self.assertEqual([name for name in os.listdir(self.scratch.name) if ".tmp." in name], [])

        # What stands there is believed: nothing is tried twice, also in a longer list.
        edited = json.loads(self.read("journal.json"))
        edited["tried"][2]["loss_validation"] = 0.125
        self.write("journal.json", json.dumps(edited))
        words = (*words[:-3], "--search-journal", journal)
        longer = self.json(*words, "--search-skip-plies", "4,20,50")
        self.assertEqual([each["loss_validation"] for each in longer["search"][:2]],
                         [alone["search"][0]["loss_validation"], 0.125])
        self.assertEqual(longer["best"]["skip_plies"], 20)
        self.assertEqual(len(json.loads(self.read("journal.json"))["tried"]), 6)

        # Another search, other data, other weights, no journal at all.
        self.tune("--variant", "mansindam", "--emit-material", "--material", "PAWN=100", "--out",
                  self.path("pawn.h"))
        subprocess.run([MAKE_GAMES, self.path("other"), "3", "120", "40", "300", "3"], check=True)
        for more, found in ((("--seed", 6), "seed = "), (("--ridge", 1), "ridge = "),
                            (("--init", self.path("pawn.h")), "weights = "),
                            (("--data", self.path("other")), "data = ")):
            refused = self.tune(*words, *more, code=1)
            self.assertIn("journal.json belongs to another search: found '", refused.stderr)
            self.assertRegex(refused.stderr, f"expected '[^']*{found}")
        for text, message in (("", "expected the journal of a search"), ("{}", "'search_of' and 'tr"),
                              (json.dumps({**edited, "tried": [{}]}), "entry 0 of 'tried'")):
            self.write("journal.json", text)
            self.assertIn(message, self.tune(*words, code=1).stderr)
            self.assertEqual(self.read("journal.json"), text)
        refused = self.tune(*words[:-1], self.path("no/journal.json"), code=1)
        self.assertIn("no/journal.json", refused.stderr)
        self.tune("--data", self.games, "--out", self.path("w.h"), "--search-journal", journal, code=2)

    def test_scratch_changes_nothing(self):
        directory = self.path("scratch")
        os.mkdir(directory)
        self.tune("--data", self.games, *HEADER, "--out", self.path("a.h"))
        self.tune("--data", self.games, *HEADER, "--scratch", directory, "--bootstrap", 2,
                  "--learning-curve", "--out", self.path("b.h"))
        self.assertEqual(self.read("a.h"), self.read("b.h"))
        self.assertEqual(os.listdir(directory), [])
        refused = self.tune("--data", self.games, *HEADER, "--scratch", self.path("missing"),
                            "--out", self.path("c.h"), code=1)
        self.assertIn("missing: cannot make a file", refused.stderr)

    def test_weights_of_positions(self):
        results = {name: self.json("--data", self.games, *HEADER, "--out", self.path(name + ".h"),
                                   *words)
                   for name, words in (("plain", ()), ("game", ("--game-weight",)),
                                       ("early", ("--early-weight", 0, "--early-plies", 60)))}
        digests = {result["weights_digest"] for result in results.values()}
        self.assertEqual(len(digests), 3)
        counts = {result["positions"] for result in results.values()}
        self.assertEqual(len(counts), 1)
        self.assertIn("--game-weight", self.read("game.h"))
        self.assertIn("--early-weight 0", self.read("early.h"))

    def test_rare_weights_are_listed(self):
        words = ("--data", self.games, *HEADER, "--rare-below", 20, "--out", self.path("w.h"),
                 "--table", self.path("t.csv"))
        result = self.json(*words)
        rows = [line.split(",") for line in self.read("t.csv").splitlines()[1:]]
        rare = {row[0]: int(row[-1]) for row in rows if 0 < int(row[-1]) < 20}
        self.assertEqual(result["rare"], rare)
        self.assertEqual(len(rare), result["rarely_seen"])
        self.assertIn("in fewer than 20", self.tune(*words).stdout)
        self.assertIn("fewer than 20 positions", self.read("w.h"))

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_plots(self):
        self.tune("--data", self.games, *HEADER, "--out", self.path("first.h"))
        pictures = self.path("pictures")
        self.tune("--data", self.games, "--seed", 5, "--ridge", 1, "--init", self.path("first.h"),
                  "--k", 1, "--learning-curve", "--plots", pictures, "--out", self.path("w.h"))
        names = {name[:-4] for name in os.listdir(pictures) if name.endswith(".svg")}
        self.assertEqual(names, {"loss", "learning-curve", "calibration", "piece_square-middlegame",
                                 "piece_square-endgame", "hand", "before-after"})
        for name in names:
            with open(os.path.join(pictures, name + ".svg"), encoding="utf-8") as stream:
                picture = xml.etree.ElementTree.parse(stream)
            texts = [text.strip() for text in picture.getroot().itertext() if text.strip()]
            self.assertTrue(any(text.startswith("Mansindam: ") for text in texts), name)
            self.assertNotIn("NaN", texts)
        # The tables have the header's values, a pawn's last rank none.
        with open(os.path.join(pictures, "piece_square-endgame.gp"), encoding="utf-8") as stream:
            script = stream.read()
        pawn = re.search(r"\$table0 << EOD\n(.*?)EOD", script, re.S).group(1).split("\n")
        self.assertEqual(pawn[0], "0 8 -")
        rank = re.search(r"piece_square = \{\s*\[PAWN\] = \{\n.*\n(.*)", self.read("w.h")).group(1)
        values = re.findall(r"S\( *-?\d+, *(-?\d+)\)", rank)
        self.assertEqual([line.split()[2] for line in pawn[9:18]], values)

        os.mkdir(self.path("empty"))
        refused = self.tune("--data", self.games, *HEADER, "--plots", pictures, "--out",
                            self.path("no.h"), code=1, env=dict(os.environ, PATH=self.path("empty")))
        self.assertIn("cannot run gnuplot", refused.stderr)
        self.assertFalse(os.path.exists(self.path("no.h")))

    def test_export(self):
        self.tune("--data", self.games, "--init", "zero", "--seed", 5, "--export",
                  self.path("e.txt"))
        names = self.read("e.txt.names").splitlines()
        self.assertEqual(names[0], "material[PAWN]")
        for more in ["--out", self.path("w.h")], ["--search"]:
            self.assertIn("expected neither --out nor --search", self.tune(
                "--data", self.games, "--init", "zero", "--seed", 5, "--export", self.path("e.txt"),
                *more, code=2).stderr)
        result = self.json("--data", self.games, *HEADER, "--out", self.path("w.h"))
        mass = 0
        for line in self.read("e.txt").splitlines():
            target, weight, phase, *counts = line.split()
            self.assertIn(float(target), (0, 0.5, 1)) if float(weight) == 1 else None
            self.assertTrue(0 <= int(phase) <= 256)
            mass += float(weight)
            indices = [int(each.split(":")[0]) for each in counts]
            self.assertEqual(indices, sorted(set(indices)))
            self.assertLess(indices[-1], len(names))
            self.assertNotIn(0, [int(each.split(":")[1]) for each in counts])
        whole = self.json("--data", self.games, *HEADER, "--out", self.path("w.h"), "--validation",
                          0, "--test", 0)["positions"]
        self.assertTrue(0.6 * whole < mass < 0.95 * whole)
        self.assertGreater(result["positions"], mass)


@unittest.skipIf(os.environ.get("CAMPMATE_SANITIZED"), "a sanitizer needs memory of its own")
class More(Games):
    """More positions than memory: with RLIMIT_DATA, which is what a process has to itself."""
    SHARDS = ((0, 0, 1000), (1, 1000, 1000), (2, 2000, 1000))

    def test_more_than_memory(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (10 << 20, 10 << 20))

        words = ("--data", self.games, *HEADER, "--skip-plies", 0, "--threads", 1,
                 "--cross-check=false")
        free = self.json(*words, "--out", self.path("free.h"))
        self.assertGreater(free["positions"], 150000)
        refused = self.tune(*words, "--out", self.path("no.h"), code=1, preexec_fn=limit)
        self.assertIn("--scratch keeps them in files", refused.stderr)
        self.assertFalse(os.path.exists(self.path("no.h")))
        held = json.loads(self.tune("--json", *words, "--scratch", self.scratch.name, "--out",
                                    self.path("held.h"), preexec_fn=limit).stdout)
        self.assertEqual(self.read("free.h"), self.read("held.h"))
        self.assertEqual(free["positions"], held["positions"])


if __name__ == "__main__":
    main()
