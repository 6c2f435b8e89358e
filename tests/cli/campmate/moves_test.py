# SPDX-License-Identifier: GPL-3.0-or-later
"""moves_test.py - campmate moves: legal moves and results of Mansindam as JSON lines."""

import json
import subprocess
import sys
import time
import unittest

from client import CAMPMATE, SANITIZED, START, run


def ask(*lines):
    """The answers to lines of input."""
    done = run("moves", "--variant", "mansindam", text="".join(line + "\n" for line in lines))
    assert done.returncode == 0, done
    assert done.stderr == "", done
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines), (lines, answers)
    return answers


def ask1(line):
    return ask(line)[0]


class Answers(unittest.TestCase):
    """What is said about a position: cases A01 to A13."""

    def test_start(self):
        answer = ask1("startpos")
        self.assertEqual(list(answer), ["fen", "check", "moves", "end", "result"])
        self.assertEqual(answer["fen"], START)
        self.assertEqual((answer["check"], answer["end"], answer["result"]), (False, None, "*"))
        self.assertEqual(len(answer["moves"]), 31)
        self.assertEqual(answer["moves"], sorted(answer["moves"]))
        self.assertEqual(ask1(START), answer)
        self.assertEqual(ask1("startpos moves"), answer)

    def test_a01_third_occurrence_is_illegal(self):
        line = "startpos moves b1d2 b9d8 d2b1 d8b9 b1d2 b9d8 d2b1"
        answer, beyond = ask(line, line + " d8b9")
        self.assertEqual(len(answer["moves"]), 30)
        self.assertNotIn("d8b9", answer["moves"])
        self.assertEqual(list(beyond), ["error"])
        self.assertRegex(beyond["error"], r"move 8\b.*d8b9.*repetition")

    def test_a05_the_first_position_counts(self):
        line = "k8/9/9/9/9/9/9/9/4K3R[] w - - 0 1 moves i1i2 a9b9 i2i1 b9a9 i1i2 a9b9 i2i1"
        answer, beyond = ask(line, line + " b9a9")
        self.assertNotIn("b9a9", answer["moves"])
        self.assertIn("b9b8", answer["moves"])
        self.assertRegex(beyond["error"], r"move 8\b.*b9a9")

    def test_all_moves_forbidden_loses(self):
        answer = ask1("1k7/1r1p5/2p6/Q2+p5/9/9/9/9/5K3[] w - - 0 1 "
                      "moves a6d9 b9a8 d9a6 a8b9 a6d9 b9a8 d9a6")
        self.assertEqual((answer["check"], answer["moves"]), (True, []))
        self.assertEqual((answer["end"], answer["result"]), ("repetition", "1-0"))

    def test_a07_promotion_is_forced(self):
        pawn, knight, drop = ask(
            "4k4/9/9/4P4/9/9/9/9/4K4[] w - - 0 1",
            "k8/4P4/9/6N2/9/9/9/9/4K4[] w - - 0 1",
            "k8/9/9/9/9/9/9/9/4K4[N] w - - 0 1 moves N@e8 a9a8")
        self.assertEqual(len(pawn["moves"]), 6)
        self.assertEqual([m for m in pawn["moves"] if m.startswith("e6")], ["e6e7+"])
        self.assertEqual(len(knight["moves"]), 14)
        self.assertEqual(
            [m for m in knight["moves"] if m[:2] in ("e8", "g6")],
            ["e8e9+", "g6e5", "g6e7+", "g6f4", "g6f8+", "g6h4", "g6h8+", "g6i5", "g6i7+"])
        self.assertEqual([m for m in drop["moves"] if m.startswith("e8")],
                         ["e8c7+", "e8c9+", "e8d6+", "e8f6+", "e8g7+", "e8g9+"])

    def test_a09_pawn_drop_mate_wins(self):
        answer = ask1("k8/3N5/1+P7/9/9/9/9/9/4K4[P] w - - 0 1 moves P@a8")
        self.assertEqual((answer["end"], answer["result"], answer["check"], answer["moves"]),
                         ("mate", "1-0", True, []))

    def test_a11_letters_of_promoted_pieces(self):
        taken, kept, hand = ask("k3r4/9/4G4/9/9/9/9/9/4K4[] b - - 0 1 moves e9e7",
                                "k3r4/9/4G4/9/9/9/9/9/4K4[] b - - 0 1",
                                "k8/9/9/9/9/9/9/9/4K4[G] w - - 0 1")
        self.assertIn("[p]", taken["fen"])
        self.assertIn("4+P4", kept["fen"])
        self.assertIn("'G'", hand["error"])

    def test_a13_hands_in_any_order(self):
        bare = "4k4/9/9/9/9/9/9/9/4K4"
        first, second, dash, none, digits = ask(
            f"{bare}[NBPR] w - - 0 1", f"{bare}[RPBN] w - - 0 1", f"{bare}[-] w - - 0 1",
            f"{bare} w - - 0 1", f"{bare}[2NB] w - - 0 1")
        self.assertEqual(first, second)
        self.assertEqual(len(first["moves"]), 313)
        self.assertEqual(len(dash["moves"]), 5)
        self.assertEqual(dash, none)
        self.assertIn("error", digits)

    def test_a25_many_moves(self):
        answer = ask1("4k4/9/9/9/9/9/9/9/4K4[PNBRCMQApp] w - - 0 1")
        self.assertGreater(len(answer["moves"]), 600)
        self.assertEqual(len(set(answer["moves"])), len(answer["moves"]))

    def test_e07_finished_games(self):
        stale, hand, camp = ask("k8/2Q6/9/9/9/9/9/9/4K4[] b - - 0 1",
                                "k8/2Q6/9/9/9/9/9/9/4K4[p] b - - 0 1",
                                "4k3K/9/9/9/9/9/9/9/9[] b - - 0 1")
        self.assertEqual((stale["end"], stale["result"], stale["moves"]), ("stalemate", "1-0", []))
        self.assertEqual((hand["end"], len(hand["moves"])), (None, 70))
        self.assertEqual((camp["end"], camp["result"], camp["moves"]), ("campmate", "1-0", []))

    def test_no_move_after_the_end(self):
        answer = ask1("9/K8/9/9/9/9/9/4k4/9[] w - - 0 1 moves a8a9 e2e1")
        self.assertRegex(answer["error"], r"move 2\b")

    def test_errors_name_the_place(self):
        answers = ask("startpos moves e3e4 zz e7e6", "startpos moves P@e5",
                      "4k4/9/9/9/9/9/9/9/4K4 x - - 0 1", "4k4/9/9/9/9/9/9/4K4[] w - - 0 1",
                      "moves e3e4", "", "nonsense")
        self.assertRegex(answers[0]["error"], r"move 2\b.*zz")
        self.assertRegex(answers[1]["error"], r"move 1\b.*P@e5")
        for answer in answers:
            self.assertEqual(list(answer), ["error"])
            self.assertTrue(answer["error"])


class Protocol(unittest.TestCase):
    """How input and output go together."""

    def test_order_and_line_ends(self):
        good, bad = START, "k8"
        done = run("moves", text=f"{good}\r\n{bad}\n\n  startpos \t moves  e3e4  \n{good}")
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(["fen" in a for a in answers], [True, False, False, True, True])
        self.assertEqual(answers[0], answers[4])
        self.assertEqual(done.returncode, 0)

    def test_bytes_that_are_no_text(self):
        data = b"startpos\0 moves\nstartpos moves \xff\xfe\"\\\nstartpos\n"
        done = subprocess.run([CAMPMATE, "moves"], input=data, capture_output=True, timeout=20,
                              check=True)
        nul, odd, good = [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]
        self.assertIn("NUL", nul["error"])
        self.assertIn("column 9", nul["error"])
        self.assertIn("move 1", odd["error"])
        self.assertEqual(good["fen"], START)

    def test_long_lines(self):
        endless = "4k4/9/9/9/9/9/9/9/4K4[] w - - 0 1 moves" + " e1e2" * 100000
        junk = "x" * 1000000
        answers = ask(endless, junk, "startpos")
        self.assertRegex(answers[0]["error"], r"move 2\b")
        self.assertIn("error", answers[1])
        self.assertIn("fen", answers[2])

    def test_a_long_game(self):
        """A game of many plies without a third occurrence: two kings and two knights walk."""
        position = "4k4/9/9/9/9/9/9/9/4K4[NNNn] w - - 0 1"
        moves = []
        for _ in range(300):
            answer = ask1(position + " moves " + " ".join(moves))
            if answer["end"]:
                break
            moves.append(answer["moves"][len(moves) * 7 % len(answer["moves"])])
        else:
            self.assertEqual(len(moves), 300)

    def test_answers_come_at_once(self):
        with subprocess.Popen([CAMPMATE, "moves"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True, bufsize=1) as process:
            for _ in range(3):
                process.stdin.write("startpos\n")
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["fen"], START)
            process.stdin.close()
            self.assertEqual(process.wait(10), 0)

    def test_usage(self):
        for arguments in (["--variant", "mansindan"], ["--nonsense"], ["extra"], ["--variant"]):
            done = run("moves", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Speed(unittest.TestCase):
    """At least 20,000 lines a second (release builds)."""

    def test_lines_per_second(self):
        lines = "startpos moves e3e4 e7e6 b1d2 b9d8 i1i2\n" * 40000
        start = time.monotonic()
        done = run("moves", "--variant", "mansindam", text=lines)
        speed = 40000 / (time.monotonic() - start)
        print(f"{speed:.0f} lines a second", file=sys.stderr)
        self.assertEqual(done.stdout.count("\n"), 40000)
        if not SANITIZED:
            self.assertGreater(speed, 20000)


if __name__ == "__main__":
    unittest.main()
