# SPDX-License-Identifier: GPL-3.0-or-later
"""uci_test.py - campmate as a UCI engine: cases E01 to E15, and what clients rely on besides."""

import json
import os
import resource
import time
import unittest

from client import SANITIZED, SLOW, START, Client, run, scores

MATE_IN_1 = "k8/3N5/1+P7/9/9/9/9/9/4K4[P] w - - 0 1"
STALEMATE = "k8/2Q6/9/9/9/9/9/9/4K4[] b - - 0 1"
CAMPMATE_DONE = "4k3K/9/9/9/9/9/9/9/9[] b - - 0 1"
EVERY_HAND = "4k4/9/9/9/9/9/9/9/4K4[PNBRCMQApp] w - - 0 1"
ALL_FORBIDDEN = ("fen 1k7/1r1p5/2p6/Q2+p5/9/9/9/9/5K3[] w - - 0 1 "
                 "moves a6d9 b9a8 d9a6 a8b9 a6d9 b9a8 d9a6")
WEIGHTS = os.path.join(os.environ.get("WEIGHTS", ""), "mansindam.h")


def legal(position):
    """Legal moves after `startpos ...` or a FEN with moves."""
    answer = json.loads(run("moves", text=position.removeprefix("fen ") + "\n").stdout)
    return answer["moves"]


def fen_of(client):
    client.send("d")
    lines = client.ready()
    return next(line for line in lines if line.startswith("FEN: "))[5:]


class Options(unittest.TestCase):
    def test_uci(self):
        with Client() as client:
            client.send("uci")
            lines = client.expect("uciok$")
            self.assertRegex(lines[0], r"^id name Campmate")
            self.assertRegex(lines[1], r"^id author ")
            for name in ("Hash type spin default 16 min 1 max 65536", "Threads type spin default 1",
                         "MultiPV type spin default 1 min 1 max 256",
                         "Ponder type check default false", "Move Overhead type spin default 10",
                         "Clear Hash type button",
                         "UCI_Variant type combo default mansindam var mansindam",
                         "UCI_ShowWDL type check default false",
                         "EvalFile type string default <internal>"):
                self.assertTrue(any(line.startswith("option name " + name) for line in lines),
                                name)

    def test_variant(self):
        with Client() as client:
            client.send("setoption name uci_variant value Mansindam")
            self.assertEqual(client.ready(), [
                "info string variant mansindam files 9 ranks 9 pocket 8 template shogi startpos "
                + START])
            client.send("setoption name UCI_Variant value chess")
            lines = client.ready()
            self.assertEqual(len(lines), 1)
            self.assertIn("unknown variant", lines[0])

    def test_nonsense(self):
        with Client() as client:
            client.send("setoption", "setoption name", "setoption name Nope value 3",
                        "setoption name Hash", "setoption name Hash value x12",
                        "setoption name UCI_ShowWDL value perhaps", "hello", "help", "",
                        "   ", "setoption name Ponder value true", "debug on")
            lines = client.ready()
            self.assertTrue(all(line.startswith("info string ") for line in lines), lines)
            self.assertEqual(client.go("depth 1")[1] in legal("startpos"), True)

    def test_e11_hash(self):
        """Refused sizes leave the old table in force."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (2000000 * 1024, 2000000 * 1024))

        with Client(preexec_fn=None if SANITIZED else limit) as client:
            for value in ("1048576", "-5", "0", "") + (() if SANITIZED else ("4096",)):
                client.send(f"setoption name Hash value {value}")
                lines = client.ready()
                self.assertEqual(len(lines), 1, (value, lines))
                self.assertTrue(lines[0].startswith("info string "), lines)
                if value == "4096":
                    self.assertIn("Hash 16 MiB", lines[0])
                self.assertIn(client.go("depth 4")[1], legal("startpos"))
            for value in ("16", "1", "32"):
                client.send(f"setoption name Hash value {value}")
                self.assertEqual(client.ready(), [])
                self.assertIn(client.go("depth 4")[1], legal("startpos"))

    def test_clear(self):
        """After ucinewgame or Clear Hash a search repeats its node count."""
        with Client() as client:
            client.send("position startpos")
            first = scores(client.go("depth 5")[0])[-1]["nodes"]
            for command in ("ucinewgame", "setoption name Clear Hash"):
                client.send(command)
                self.assertEqual(scores(client.go("depth 5")[0])[-1]["nodes"], first, command)

    def test_threads_and_multi_pv(self):
        with Client() as client:
            client.send("setoption name Threads value 2", "setoption name MultiPV value 3")
            self.assertEqual(client.ready(), [])
            lines, best = client.go("depth 4")
            found = scores(lines)
            self.assertEqual({line["multipv"] for line in found}, {1, 2, 3})
            last = {line["multipv"]: line for line in found}
            self.assertEqual(last[1]["pv"][0], best)
            self.assertEqual(len({line["pv"][0] for line in last.values()}), 3)

    def test_wdl(self):
        with Client() as client:
            self.assertNotIn("wdl", scores(client.go("depth 2")[0])[-1])
            client.send("setoption name UCI_ShowWDL value true")
            win, draw, loss = scores(client.go("depth 2")[0])[-1]["wdl"]
            self.assertEqual((win + draw + loss, draw), (1000, 0))

    def test_eval_file(self):
        with Client() as client:
            client.send("setoption name EvalFile value /nonexistent/a b.h")
            lines = client.ready()
            self.assertEqual(len(lines), 1)
            self.assertIn("/nonexistent/a b.h", lines[0])
            self.assertIn("<internal> stay in force", lines[0])
            client.send("setoption name EvalFile value <internal>")
            self.assertEqual(client.ready(), [])

    @unittest.skipUnless(os.path.exists(WEIGHTS), "no weights header")
    def test_eval_file_is_the_compiled_header(self):
        with Client() as client:
            nodes = scores(client.go("depth 5")[0])[-1]["nodes"]
            client.send(f"setoption name EvalFile value {WEIGHTS}")
            self.assertIn("are in force", client.ready()[0])
            client.send("ucinewgame")
            self.assertEqual(scores(client.go("depth 5")[0])[-1]["nodes"], nodes)


class Positions(unittest.TestCase):
    def test_e13_odd_move_lists(self):
        after = START.replace("PPPPPPPPP/9/MNC", "PPPP1PPPP/9/MNC").replace("9/9/9/PPPP1", "9/9/4P4/PPPP1")
        with Client() as client:
            client.send("position startpos moves")
            self.assertEqual(client.ready(), [])
            self.assertEqual(fen_of(client), START)
            client.send("position startpos moves e3e4 zz e7e6")
            lines = client.ready()
            self.assertEqual(len(lines), 1)
            self.assertRegex(lines[0], r"^info string .*move 2\b.*zz")
            self.assertEqual(fen_of(client).split()[:2], [after.split()[0], "b"])
            for move in ("P@e5", "p@e5", "e3e5", "0000", "e3e4+"):
                client.send(f"position startpos moves {move}")
                lines = client.ready()
                self.assertEqual(len(lines), 1)
                self.assertRegex(lines[0], r"^info string .*move 1\b")
                self.assertEqual(fen_of(client), START)

    def test_bad_positions_change_nothing(self):
        with Client() as client:
            client.send("position startpos moves e3e4")
            before = fen_of(client)
            for text in ("position", "position fen", "position nonsense", "position fen 8/8 w",
                         "position fen k8/9/9/9/9/9/9/9/4K4[G] w - - 0 1 moves e1e2",
                         "position fen k8/9/9/9/9/9/9/9/4K4[2NB] w - - 0 1",
                         "position startpos e3e4"):
                client.send(text)
                lines = client.ready()
                self.assertEqual(len(lines), 1, text)
                self.assertTrue(lines[0].startswith("info string position unchanged"), lines)
                self.assertEqual(fen_of(client), before)

    def test_a01_a05_forbidden_repetitions(self):
        with Client() as client:
            for position, last, count in (
                    ("startpos moves b1d2 b9d8 d2b1 d8b9 b1d2 b9d8 d2b1", "d8b9", 30),
                    ("fen k8/9/9/9/9/9/9/9/4K3R[] w - - 0 1 moves i1i2 a9b9 i2i1 b9a9 i1i2 a9b9 "
                     "i2i1", "b9a9", 4)):
                client.send("position " + position)
                self.assertEqual(client.ready(), [])
                before = fen_of(client)
                client.send("d")
                self.assertIn(f"Legal moves: {count}", client.ready())
                client.send(f"position {position} {last}")
                lines = client.ready()
                self.assertEqual(len(lines), 1)
                self.assertRegex(lines[0], rf"^info string .*move 8\b.*{last}.*repetition")
                self.assertEqual(fen_of(client), before)
                for depth in (1, 3):
                    self.assertNotEqual(client.go(f"depth {depth}")[1], last)

    def test_a11_a13_hands(self):
        with Client() as client:
            client.send("position fen k3r4/9/4G4/9/9/9/9/9/4K4[] b - - 0 1 moves e9e7")
            self.assertIn("[p]", fen_of(client))
            keys = set()
            for hand in ("[NBPR]", "[RPBN]"):
                client.send(f"position fen 4k4/9/9/9/9/9/9/9/4K4{hand} w - - 0 1", "d")
                lines = client.ready()
                keys.add(next(line for line in lines if line.startswith("Key: ")))
                self.assertIn("Legal moves: 313", lines)
            self.assertEqual(len(keys), 1)

    def test_perft(self):
        with Client() as client:
            client.send("position startpos moves b1d2 b9d8 d2b1 d8b9 b1d2 b9d8 d2b1", "go perft 1")
            lines = client.expect("Nodes searched: ")
            self.assertEqual(lines[-1], "Nodes searched: 31")  # history plays no part
            self.assertEqual(sum(": 1" in line for line in lines), 31)
            client.send("position startpos", "go perft 3")
            self.assertEqual(client.expect("Nodes searched: ")[-1], "Nodes searched: 32238")

    def test_d_and_eval(self):
        with Client() as client:
            client.send("position fen " + MATE_IN_1, "d", "eval")
            lines = client.ready()
            for start in ("FEN: ", "Key: ", "Check: no", "Legal moves: ", "evaluation "):
                self.assertTrue(any(line.startswith(start) for line in lines), start)

    def test_nul_and_long_lines(self):
        with Client() as client:
            client.send("position startpos\0 moves e3e4")
            self.assertIn("NUL", client.ready()[0])
            client.send("position startpos moves " + "e3e4 " * 50000, "x" * 300000)
            self.assertEqual(len(client.ready()), 2)


class Searches(unittest.TestCase):
    def assert_good(self, lines, best, position="startpos"):
        """E15: a full info line whose first move is the bestmove, and legal lines throughout."""
        found = scores(lines)
        self.assertTrue(found, lines)
        for name in ("depth", "seldepth", "nodes", "nps", "hashfull", "time"):
            self.assertIn(name, found[-1])
        self.assertEqual(found[-1]["pv"][0], best)
        moves = legal(position)
        self.assertIn(best, moves)
        if "moves" not in position:
            position += " moves"
        for line in found:
            answer = json.loads(run("moves", text=position.removeprefix("fen ") + " "
                                    + " ".join(line["pv"]) + "\n").stdout)
            self.assertNotIn("error", answer, line)

    def test_e15_short_searches(self):
        with Client() as client:
            for position in ("startpos", "fen " + MATE_IN_1, "fen " + EVERY_HAND,
                             "fen 4k4/K7r/9/9/9/9/9/9/9[] w - - 0 1"):
                client.send("position " + position)
                for limits in ("nodes 1", "movetime 1", "depth 1", "depth 3", "nodes 2000",
                               "movetime 50"):
                    self.assert_good(*client.go(limits), position)

    def test_one_legal_move(self):
        """The only evasion of a check: with any limit it is played and explained."""
        position = "fen k8/9/9/9/9/9/9/7r1/r7K[] w - - 0 1"
        self.assertEqual(legal(position), ["i1h2"])
        with Client() as client:
            client.send("position " + position)
            for limits in ("nodes 1", "depth 2", "wtime 2000 btime 2000"):
                lines, best = client.go(limits)
                self.assertEqual(best, "i1h2")
                self.assert_good(lines, best, position)

    def test_mates_are_seen(self):
        with Client() as client:
            for fen, in_moves in ((MATE_IN_1, 1), ("4k4/K8/9/9/9/9/9/9/9[] w - - 0 1", 1)):
                client.send("position fen " + fen)
                lines, best = client.go("depth 3")
                self.assertEqual(scores(lines)[-1]["score"], ("mate", in_moves))
                answer = json.loads(run("moves", text=f"{fen} moves {best}\n").stdout)
                self.assertEqual(answer["result"], "1-0")
                lines, best = client.go("mate 1")
                self.assertEqual(scores(lines)[-1]["score"], ("mate", in_moves))

    def test_search_moves(self):
        with Client() as client:
            client.send("position startpos")
            lines, best = client.go("depth 3 searchmoves b1d2")
            self.assertEqual(best, "b1d2")
            lines, best = client.go("depth 3 searchmoves i1i2 a1a9 b1d2")
            self.assertTrue(any("a1a9" in line and line.startswith("info string")
                                for line in lines))
            self.assertIn(best, ("i1i2", "b1d2"))

    def test_nodes_are_a_hard_limit(self):
        with Client() as client:
            for nodes in (1, 100, 5000):
                client.send("ucinewgame")
                lines, _ = client.go(f"nodes {nodes}")
                self.assertLessEqual(scores(lines)[-1]["nodes"], nodes)

    def test_e09_odd_values(self):
        with Client() as client:
            moves = legal("startpos")
            for limits in ("movetime 0", "movetime -7", "wtime -50 btime -50",
                           "wtime 0 btime 0 winc 0 binc 0", "movestogo 0 wtime 100 btime 100",
                           "depth 0", "depth -3", "nodes 0", "depth abc", "nodes", "movetime x"):
                client.send("position startpos")
                client.ready()
                start = time.monotonic()
                lines, best = client.go(limits)
                spent = time.monotonic() - start
                self.assertIn(best, moves, limits)
                self.assertLess(spent, 0.2 * SLOW, limits)
                self.assertTrue(scores(lines), limits)
            client.send("go wtime 99999999999999999999")
            client.ready()
            client.send("stop")
            self.assertIn(client.expect("bestmove ")[-1].split()[1], moves)
            lines, best = client.go("blah 12 depth 2 foo")
            self.assertIn(best, moves)

    def test_clock_is_kept(self):
        with Client() as client:
            for limits in ("wtime 300 btime 300", "wtime 300 btime 300 winc 20 binc 20",
                           "movetime 300", "wtime 0 btime 0 byoyomi 300"):
                start = time.monotonic()
                client.go(limits)
                self.assertLess(time.monotonic() - start, 0.35 * SLOW, limits)

    def test_e03_isready_while_searching(self):
        with Client() as client:
            client.send("position startpos", "go infinite")
            time.sleep(0.5)
            start = time.monotonic()
            client.send("isready")
            client.expect("readyok$")
            self.assertLess(time.monotonic() - start, 0.1 * SLOW)
            self.assertTrue(scores([client.expect("info depth ")[-1]]))  # the search goes on
            client.send("stop")
            client.expect("bestmove ")
            self.assertTrue(client.silent(0.2, "bestmove"))

    def test_stop_at_once(self):
        """A stop right behind go is not lost, however often."""
        with Client() as client:
            for _ in range(50):
                client.send("go infinite", "stop")
                client.expect("bestmove ", 5)
            client.send("stop", "ponderhit", "stop")
            self.assertEqual(client.ready(), [])

    def test_e05_ponder(self):
        with Client() as client:
            for fen in (MATE_IN_1, START):
                for word in ("stop", "ponderhit"):
                    client.send("position fen " + fen, "go ponder wtime 1000 btime 1000")
                    self.assertTrue(client.silent(1.5, "bestmove"), (fen, word))
                    start = time.monotonic()
                    client.send(word)
                    client.expect("bestmove ")
                    self.assertLess(time.monotonic() - start, 1 * SLOW)
                    self.assertTrue(client.silent(0.2, "bestmove"))

    def test_ponderhit_at_once(self):
        with Client() as client:
            for _ in range(20):
                client.send("go ponder wtime 100 btime 100", "ponderhit")
                client.expect("bestmove ", 5)

    def test_infinite_waits(self):
        """An infinite search that has nothing left to do still waits for stop."""
        with Client() as client:
            for position in ("fen " + MATE_IN_1, "fen " + STALEMATE):
                client.send("position " + position, "go infinite depth 2")
                self.assertTrue(client.silent(0.5, "bestmove"))
                client.send("stop")
                client.expect("bestmove ")

    def test_commands_during_a_search(self):
        """A command that needs the searcher ends the search first: one bestmove for each go."""
        with Client() as client:
            client.send("position startpos", "go infinite", "d", "eval")
            client.expect("evaluation ")
            self.assertTrue(client.silent(0.2, "bestmove"))
            for command in ("setoption name Hash value 8", "position startpos moves e3e4",
                            "ucinewgame", "go depth 1"):
                client.send(command)
                self.assertIn("bestmove ", "\n".join(client.ready()))
                if not command.startswith("go"):
                    client.send("go infinite")
            client.send("stop")
            client.ready()
            self.assertEqual(sum(text.startswith("bestmove") for _, text in client.lines), 5)

    def test_ponder_move(self):
        with Client() as client:
            client.send("position startpos", "go depth 5")
            words = client.expect("bestmove ")[-1].split()
            if len(words) > 2:
                self.assertEqual(words[2], "ponder")
                self.assertIn(words[3], legal(f"startpos moves {words[1]}"))


class Endings(unittest.TestCase):
    def test_e01_end_of_input(self):
        start = time.monotonic()
        for text in ("uci\n", "", "uci", "position startpos\n", "quit\n", "go depth 1\nquit\n"):
            done = run(text=text)
            self.assertEqual((done.returncode, done.stderr), (0, ""), text)
        self.assertLess(time.monotonic() - start, 6 * SLOW)
        for text in ("go infinite\n", "go ponder wtime 100 btime 100\n", "go depth 100\n",
                     "go infinite\nquit\n"):
            start = time.monotonic()
            done = run(text=text)
            self.assertEqual(done.returncode, 0, text)
            self.assertEqual(done.stdout.count("bestmove "), 1, text)
            self.assertLess(time.monotonic() - start, 1 * SLOW, text)

    def test_perft_is_finished_first(self):
        self.assertIn("Nodes searched: 32238", run(text="go perft 3\n").stdout)

    def test_e07_no_legal_move(self):
        with Client() as client:
            for position in (f"fen {STALEMATE}", f"fen {CAMPMATE_DONE}", ALL_FORBIDDEN,
                             f"fen {MATE_IN_1} moves P@a8"):
                client.send("position " + position)
                for limits in ("depth 3", "movetime 100", "nodes 1"):
                    lines, best = client.go(limits)
                    self.assertEqual(best, "(none)", position)
                    self.assertIn("info depth 0 score mate 0", lines)
            client.send("position fen k8/2Q6/9/9/9/9/9/9/4K4[p] b - - 0 1")
            _, best = client.go("depth 3")
            self.assertIn(best, legal("k8/2Q6/9/9/9/9/9/9/4K4[p] b - - 0 1"))

    def test_a_game(self):
        """A whole game by clocks that a client carries on as the engine proposes."""
        moves, result = [], "*"
        with Client() as client:
            client.send("ucinewgame")
            while result == "*" and len(moves) < 120:
                client.send("position startpos moves " + " ".join(moves))
                lines, best = client.go("nodes 300")
                self.assertTrue(scores(lines))
                moves.append(best)
                answer = json.loads(run("moves", text="startpos moves " + " ".join(moves)
                                        + "\n").stdout)
                self.assertNotIn("error", answer, moves)
                result = answer["result"]
            if result != "*":
                client.send("position startpos moves " + " ".join(moves))
                self.assertEqual(client.go("depth 2")[1], "(none)")


class Endurance(unittest.TestCase):
    def test_a25_many_moves_and_a_small_table(self):
        """A minute with every kind in hand, over 600 legal moves, and 1 MiB of hash. There is a
        mate in one, so many lines are asked for to keep the search busy."""
        with Client() as client:
            client.send("setoption name Hash value 1", "setoption name Threads value 2",
                        "setoption name MultiPV value 256", "position fen " + EVERY_HAND,
                        "go infinite")
            self.assertTrue(client.silent(60, "bestmove"))
            client.send("stop")
            best = client.expect("bestmove ")[-1].split()[1]
            self.assertIn(best, legal(EVERY_HAND))


if __name__ == "__main__":
    unittest.main()
