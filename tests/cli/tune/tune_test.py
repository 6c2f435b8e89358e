#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tune_test.py - what campmate-tune promises, seen from the command line.

    tune_test.py PATH/campmate-tune PATH/make_games CC [unittest arguments]
"""

import os
import re
import signal
import subprocess
import time

from common import CC, CHECKS, PROGRAM, QUIET, Base, Games, main

class WithoutFit(Base):
    def test_zero_header(self):
        for name in ("a.h", "b.h"):
            self.tune("--variant", "mansindam", "--emit-zero", "--out", self.path(name))
        text = self.read("a.h")
        self.assertEqual(text, self.read("b.h"))
        self.assertIn("[PAWN] = S(   0,    0)", text)
        self.assertFalse(re.search(r"S\(\s*-?[1-9]", text))
        self.assertIn("weights/mansindam.h", text)

    def test_started_by_the_dynamic_linker(self):
        """Then the linker is the executable, and starting that once more is not starting us."""
        environment = {key: value for key, value in os.environ.items() if key != "OMP_WAIT_POLICY"}
        direct = subprocess.run([PROGRAM, "--version"], env=environment, capture_output=True, text=True, check=True)
        (linker,) = re.findall(rb"/lib[\w./-]*/ld-linux[\w.-]+", open(PROGRAM, "rb").read(4096))
        linked = subprocess.run([linker.decode(), os.path.abspath(PROGRAM), "--version"], env=environment,
                                capture_output=True, text=True)
        self.assertEqual((linked.returncode, linked.stdout), (0, direct.stdout), linked.stderr)

    def test_material_header(self):
        self.tune("--variant", "mansindam", "--emit-material", "--material",
                  "PAWN=100,KNIGHT=-300,SHIP=1000", "--out", self.path("m.h"))
        text = self.read("m.h")
        self.assertIn("[PAWN] = S( 100,  100)", text)
        self.assertIn("[SHIP] = S(1000, 1000)", text)
        self.assertRegex(text, r"hand = \{\s*\[PAWN\] = \{ S\( 100,  100\), S\( 200,  200\)")
        self.assertIn("S(-600, -600)", text)
        self.assertIn("[QUEEN] = S(   0,    0)", text)
        for wrong in ("PAWN", "PAWN=", "PAWN=1.5", "DRAGON=5", "PAWN=99999", "PAWN=1,,"):
            result = self.tune("--variant", "mansindam", "--emit-material", "--material", wrong,
                               "--out", self.path("no.h"), code=2)
            self.assertEqual(result.stderr.count("\n"), 1)
        self.assertFalse(os.path.exists(self.path("no.h")))

    def test_header_compiles(self):
        self.tune("--variant", "mansindam", "--emit-zero", "--out", self.path("w.h"))
        text = self.read("w.h")
        groups = []
        for name, body in re.findall(r"^    \.(\w+) = (.*?)^(?=    \.|\};)", text, re.M | re.S):
            items = re.findall(r"^        \[(\w+)\]", body, re.M)
            rows = body.count("/* rank") // max(1, len(items))
            lines = len(re.findall(r"\{ S\(", body)) // max(1, len(items))
            rows = rows or (lines if lines > 1 else 0)
            total = body.count("S(")
            shape = [n for n in (len(items), rows) if n > 1]
            product = 1
            for n in shape:
                product *= n
            if total // product > 1:
                shape.append(total // product)
            groups.append((name, shape, items))
        enums = []  # names that share a table count from 0 together: kinds, hands, ...
        for _, _, items in groups:
            names = next((e for e in enums if set(e) & set(items)), None)
            if names is None:
                enums.append(names := [])
            names += [item for item in items if item not in names]
        source = ["#define S(m, e) {(m), (e)}", "typedef struct { short m, e; } W;"]
        source += ["enum { " + ", ".join(names) + " };" for names in enums if names]
        source += ["typedef struct {"]
        source += [f"W {name}{''.join(f'[{n}]' for n in shape)};" for name, shape, _ in groups]
        source += ["} EvalWeights;", f'#include "{self.path("w.h")}"',
                   "int main(void) { return weights.tempo.m + !*WEIGHTS_PROVENANCE; }"]
        self.write("t.c", "\n".join(source) + "\n")
        result = subprocess.run([CC, "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                                 self.path("t.c")], stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_usage(self):
        out = self.path("w.h")
        wrong = [[], ["--out", out], ["--variant", "chess", "--emit-zero", "--out", out],
                 ["--emit-zero", "--out", out], ["--variant", "mansindam", "--emit-zero"],
                 ["--variant", "mansindam", "--emit-material", "--out", out], ["--nonsense"],
                 ["nonsense"], ["compare", "a.h", "--variant", "mansindam", "--text", "x"],
                 ["--data", "x", "--out", out, "--k", "1,35"],
                 ["--data", "x", "--out", out, "--ridge", "-1"],
                 ["--data", "x", "--out", out, "--validation", "0.6", "--test", "0.5"],
                 ["--variant", "mansindam", "--text", os.devnull, "--init", "zero", "--lambda",
                  "0.5", "--out", out],
                 ["--data", "x", "--out", out, "--search-lambda", "1,0.5"],
                 ["--data", "x", "--out", out, "--search-skip-plies", "4"],
                 ["--data", "x", "--search", "--lambda", "0.5"],
                 ["--data", "x", "--out", out, "--material", "PAWN=100"],
                 ["--data", "x", "--out", out, "--scratch="],
                 ["--variant", "mansindam", "--text", "x", "--out", out, "--tie"],
                 ["--variant", "mansindam", "--text", "x", "--out", out, "--init", "zero",
                  "--terms", "foo"]]
        for arguments in wrong:
            result = self.tune(*arguments, code=2)
            self.assertEqual(result.stdout, "", arguments)
            lines = [line for line in result.stderr.splitlines() if " seed " not in line]
            self.assertEqual(len(lines), 1, (arguments, result.stderr))
        self.assertFalse(os.path.exists(out))
        self.assertIn("--data", self.tune("--help").stdout)
        self.assertIn("mansindam", self.tune("--version").stdout)


class Text(Base):
    def test_results_are_a_field_of_their_own(self):
        fen = QUIET[0]
        lines = [f"{fen};{result}" for result in
                 ("1-0", "0-1", "1", "0", "1.0", "[0.0]", "*", "1/2-1/2", "0.5", "[0.5]", "1-00",
                  "", "1-0;120", "0-1;31990", "0-1;-31990", "1-0;12x")]
        result = self.text_fit(lines + ["", "# a comment"])
        self.assertEqual(result["positions"], 7)
        skipped = result["skipped"]
        self.assertEqual(skipped["text line without a readable result"], 3)
        self.assertEqual(skipped["drawn, but this game knows no draw"], 3)
        self.assertEqual(skipped["mate score"], 2)
        self.assertEqual(skipped["no readable score"], 1)
        self.assertEqual(skipped["same position as another"], 6)

    def test_one_pawn_more(self):
        """Case C05 through the whole program: all that a lone pawn adds is worth 191 at K = 1."""
        result = self.text_fit([f"{QUIET[0]};{r}" for r in ("1-0", "1-0", "1-0", "0-1")],
                               "--ridge", "1e-9")
        self.assertEqual(result["k"], 1)
        self.assertAlmostEqual(result["loss_train"], 0.562335, delta=2e-5)
        self.assertAlmostEqual(result["loss_before"], 0.693147, places=6)

    def test_filtered_positions_do_not_dilute(self):
        results = ["1-0", "0-1", "1-0", "1-0", "0-1"]
        good = [f"{fen};{r}" for fen, r in zip(QUIET, results)]
        bad = [f"{fen};1-0" for fen in CHECKS * 3]
        alone = self.text_fit(good, "--ridge", "0.01", name="alone.txt")
        mixed = self.text_fit(good + bad, "--ridge", "0.01", name="mixed.txt")
        self.assertEqual(mixed["positions"], 5)
        self.assertEqual(mixed["skipped"]["in check"], 6)
        self.assertEqual(alone["loss_train"], mixed["loss_train"])
        self.assertEqual(alone["weights_digest"], mixed["weights_digest"])

    def test_broken_fen_is_counted(self):
        # Case B11: four bad records, four reasons, and the run goes on.
        bad = ["4k4/9;1-0", f"{QUIET[1]};maybe", f"{QUIET[1]};1/2-1/2", f"{QUIET[1]};1-0;32001"]
        result = self.text_fit([f"{QUIET[0]};1-0"] + bad, "--ridge", "0.01", name="bad.txt")
        self.assertEqual(result["positions"], 1)
        self.assertEqual({reason: count for reason, count in result["skipped"].items() if count},
                         {"text line without a position of the game": 1,
                          "text line without a readable result": 1,
                          "drawn, but this game knows no draw": 1,
                          "mate score": 1})

    def test_bad_lines_are_named(self):
        """As campmate-data import judges them: one reader of FEN;result;score."""
        mate = "k8/P8/2N6/9/9/9/9/1R7/4K4[] b - - 0 1"
        lines = ["# a comment", f"{QUIET[0]};1-0", f"{QUIET[1].split(' ')[0]} w - - 0 1 0 1;1-0",
                 "x;1-0", f"{QUIET[1]};maybe", f"{mate};0-1", f"{mate};1-0", "a\x01;1-0"]
        result = self.text_fit(lines, "--ridge", "0.01", name="bad.txt")
        self.assertEqual(result["positions"], 1)
        self.assertEqual({reason: count for reason, count in result["skipped"].items() if count},
                         {"text line without a position of the game": 3,
                          "text line without a readable result": 1, "game over": 1,
                          "text line whose result contradicts the board": 1})
        first = result["skipped_first"]
        self.assertEqual(sorted(first), sorted(set(result["skipped"]) - {"game over"}))
        self.assertIn("bad.txt:3: FEN, character ",
                      first["text line without a position of the game"])
        self.assertIn("bad.txt:5: result 'maybe'", first["text line without a readable result"])

    def test_nothing_left(self):
        self.write("w.h", "precious")
        path = self.write("checks.txt", "".join(f"{fen};1-0\n" for fen in CHECKS))
        result = self.tune("--variant", "mansindam", "--text", path, "--init", "zero", "--out",
                           self.path("w.h"), code=1)
        self.assertIn("no position is left", result.stderr)
        self.assertIn("2 as 'in check'", result.stderr)
        self.assertEqual(self.read("w.h"), "precious")

    def test_separable_data(self):
        result = self.text_fit([f"{fen};1-0" for fen in QUIET])
        self.assertLess(result["loss_train"], 0.6)

    def test_scores_as_targets(self):
        first = self.write("first.txt", "".join(f"{fen};{r}\n" for fen, r in
                                                zip(QUIET, ("1-0", "1-0", "0-1", "1-0", "0-1"))))
        self.tune("--variant", "mansindam", "--text", first, "--init", "zero", "--seed", 1,
                  "--out", self.path("first.h"))
        scored = self.write("scored.txt", "".join(f"{fen};1-0;{100 * i - 200}\n"
                                                  for i, fen in enumerate(QUIET)))
        result = self.json("--variant", "mansindam", "--text", scored, "--init",
                           self.path("first.h"), "--lambda", "0", "--k", "1", "--ridge", "1e-6",
                           "--seed", 1, "--out", self.path("w.h"))
        entropy = 0
        from math import log
        for i in range(5):
            p = 1 / (1 + 10 ** (-(100 * i - 200) / 400))
            entropy -= (p * log(p) + (1 - p) * log(1 - p)) / 5
        self.assertAlmostEqual(result["loss_train"], entropy, delta=1e-3)


class Fits(Games):
    def test_threads_do_not_change_a_byte(self):
        headers, results = [], []
        for threads in (1, 2, 3):
            name = f"w{threads}.h"
            results.append(self.json("--data", self.games, "--init", "zero", "--seed", 5,
                                     "--threads", threads, "--out", self.path(name), "--date",
                                     "2024-01-01T00:00:00Z"))
            headers.append(self.read(name))
        self.assertEqual(headers[0], headers[1])
        self.assertEqual(headers[0], headers[2])
        result = results[0]
        for key in ("positions", "weights", "k", "loss_before", "loss_train", "loss_validation",
                    "loss_test", "iterations", "gradient_norm", "gap_bound", "seconds",
                    "cpu_seconds"):
            self.assertIsInstance(result[key], (int, float), key)
        self.assertEqual(result["k"], 1)
        self.assertLess(result["gap_bound"], 1e-10)
        self.assertLess(result["loss_train"], result["loss_before"])
        self.assertIn("2024-01-01", headers[0])
        self.assertNotIn(self.shared.name, headers[0])
        self.assertNotRegex(headers[0], r"S\([^)]*\.")

        # Fitted from its own result, it starts there.
        again = self.json("--data", self.games, "--init", self.path("w1.h"), "--seed", 5,
                          "--ridge", "10", "--out", self.path("again.h"), "--k", "1")
        self.assertAlmostEqual(again["loss_before"], result["loss_train"], places=9)
        self.assertLessEqual(again["loss_train"], again["loss_before"] + 1e-6)

        # compare sees the same losses.
        compared = self.json("compare", "zero", self.path("w1.h"), "--data", self.games, "--k",
                             "1", "--seed", "5")
        self.assertAlmostEqual(compared["headers"][0]["loss"], 0.693147, places=5)
        self.assertLess(compared["headers"][1]["loss"], 0.693)

    def test_text_report(self):
        out = self.tune("--data", self.games, "--init", "zero", "--seed", 5, "--anchor", "300",
                        "--out", self.path("w.h")).stdout
        for word in ("calibration", "validation", "optimum", "rounding", "ridge", "CPU s"):
            self.assertIn(word, out)

    def test_trust(self):
        table = self.path("weights.csv")
        with_trust = ("--data", self.games, "--init", "zero", "--seed", 5, "--ridge", 1,
                      "--bootstrap", 3, "--learning-curve", "--table", table, "--out",
                      self.path("w.h"))
        result = self.json(*with_trust)
        self.assertLess(result["second_start_gap"], 2e-10)
        self.assertLess(result["second_start_apart"], 1e-3)
        self.assertLess(result["gradient_check"], 1e-6)
        games = [point["games"] for point in result["learning_curve"]]
        self.assertEqual(games, sorted(games))
        lines = self.read("weights.csv").splitlines()
        self.assertEqual(lines[0], "weight,middlegame,endgame,middlegame_error,endgame_error,"
                                   "positions")
        self.assertEqual(len(lines) - 1, result["weights"])
        pawn = dict(zip(lines[0].split(","), lines[1].split(",")))
        self.assertEqual(pawn["weight"], "material[PAWN]")
        self.assertGreater(float(pawn["middlegame_error"]), 0)
        self.assertGreater(int(pawn["positions"]), 100)
        self.assertIn("standard errors", self.tune(*with_trust).stdout)
        self.assertIn("expected 0 or 2", self.tune("--data", self.games, "--bootstrap", 1, "--out",
                                                   self.path("w.h"), code=2).stderr)

    def test_check(self):
        result = self.tune("--data", self.games, "--check")
        self.assertRegex(result.stdout, r"equals the evaluation in \d{4,} of")
        self.assertEqual(result.stderr, "")

    def test_limits(self):
        everything = self.json("--data", self.games, "--init", "zero", "--seed", 5, "--ridge", 1,
                               "--out", self.path("w.h"))["positions"]
        some = [self.json("--data", self.games, "--init", "zero", "--seed", 5, "--ridge", 1,
                          "--max-positions", 1000, "--threads", threads, "--out",
                          self.path("w.h")) for threads in (1, 3)]
        self.assertTrue(990 <= some[0]["positions"] <= 1000)
        for key in ("positions", "games", "weights_digest", "skipped"):
            self.assertEqual(some[0][key], some[1][key])
        half = self.json("--data", self.games, "--init", "zero", "--seed", 5, "--ridge", 1,
                         "--share", 0.5, "--out", self.path("w.h"))["positions"]
        self.assertTrue(0.4 * everything < half < 0.6 * everything)
        quiet = self.json("--data", self.games, "--init", self.path("w.h"), "--seed", 5, "--k", 1,
                          "--ridge", 1, "--quiet-margin", 1, "--share", 0.1, "--out",
                          self.path("q.h"))
        self.assertGreater(quiet["skipped"]["quiescence differs from the evaluation"], 0)

    def test_unconverged_leaves_the_header_alone(self):
        self.write("w.h", "precious")
        result = self.tune("--data", self.games, "--init", "zero", "--seed", 5, "--ridge", "1e-5",
                           "--iterations", 1, "--out", self.path("w.h"), code=1)
        self.assertIn("no convergence", result.stderr)
        self.assertEqual(self.read("w.h"), "precious")
        self.assertEqual(os.listdir(self.scratch.name), ["w.h"])

    def test_interrupt_leaves_the_header_alone(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            self.write("w.h", "precious")
            child = subprocess.Popen([PROGRAM, "--data", self.games, "--init", "zero", "--ridge",
                                      "1e-9", "--rare", "0", "--check", "--out", self.path("w.h")],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(0.3)
            child.send_signal(number)
            child.communicate(timeout=60)
            if child.returncode == 0:
                self.skipTest("too fast to be interrupted")
            self.assertEqual(child.returncode, code)
            self.assertEqual(self.read("w.h"), "precious")

    def test_damaged_data(self):
        with open(os.path.join(self.games, "000001.cmpd"), "rb") as stream:
            whole = bytearray(stream.read())
        os.mkdir(self.path("damaged"))
        whole[len(whole) // 2] ^= 0x40
        with open(self.path("damaged/000001.cmpd"), "wb") as stream:
            stream.write(whole)
        result = self.tune("--data", self.path("damaged"), "--init", "zero", "--out",
                           self.path("w.h"), code=1)
        self.assertIn("000001.cmpd", result.stderr)
        self.assertFalse(os.path.exists(self.path("w.h")))
        self.tune("--data", self.path("missing"), "--init", "zero", "--out", self.path("w.h"),
                  code=1)

    def test_the_same_games_twice(self):
        shard = os.path.join(self.games, "000001.cmpd")
        for again in (self.games, shard):
            result = self.tune("--data", self.games, "--data", again, "--init", "zero", "--out",
                               self.path("w.h"), code=1)
            self.assertIn("count twice", result.stderr)
            self.assertFalse(os.path.exists(self.path("w.h")))

    def test_dry_run(self):
        out = self.tune("--data", self.games, "--init", "zero", "--seed", 5, "--dry-run", "--out",
                        self.path("w.h")).stdout
        self.assertIn("init = zero", out)
        self.assertIn("120 games", out)
        self.assertFalse(os.path.exists(self.path("w.h")))


if __name__ == "__main__":
    main()
