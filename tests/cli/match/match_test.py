#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""match_test.py - campmate-match as a user runs it.

Reads the programs from CAMPMATE, CAMPMATE_MATCH and FAKE_ENGINE.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CAMPMATE = os.environ["CAMPMATE"]
MATCH = os.environ["CAMPMATE_MATCH"]
FAKE = os.environ["FAKE_ENGINE"]
START = "rnbakqcnm/9/ppppppppp/9/9/9/PPPPPPPPP/9/MNCQKABNR[] w - - 0 1"


def run(*arguments, timeout=120):
    return subprocess.run([MATCH, *arguments], capture_output=True, text=True, timeout=timeout,
                          check=False)


def fake(name, args="", more=""):
    return "--engine=name=%s,cmd=%s,args=\"'%s' %s\"%s" % (name, sys.executable, FAKE, args, more)


def campmate(name, more=",option.Hash=1"):
    return "--engine=name=%s,cmd=%s%s" % (name, CAMPMATE, more)


def mover(name, salt, more=""):
    """An engine that plays legal moves chosen by a hash of the position."""
    return fake(name, "--moves=%s --salt=%s %s" % (CAMPMATE, salt, more))


def legal_moves(position):
    result = subprocess.run([CAMPMATE, "moves", "--variant", "mansindam"], text=True, check=True,
                            input=position + "\n", capture_output=True)
    return json.loads(result.stdout)


def make_book(path, count, plies=4):
    """Openings of a few random plies, all different."""
    choose = random.Random(5)
    fens = []
    while len(fens) < count:
        moves = []
        for _ in range(plies):
            moves.append(choose.choice(legal_moves("startpos" + (" moves " + " ".join(moves)
                                                                 if moves else ""))["moves"]))
        fen = legal_moves("startpos moves " + " ".join(moves))["fen"]
        if fen not in fens:
            fens.append(fen)
    with open(path, "w") as file:
        file.writelines(fen + "\n" for fen in fens)
    return fens


def is_alive(pid):
    """True if the process is there and no zombie."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def all_gone(pids, seconds):
    deadline = time.monotonic() + seconds
    while any(is_alive(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def tags(pgn):
    """The tags of each game of a PGN."""
    games = []
    for line in pgn.splitlines():
        found = re.match(r'\[(\w+) "(.*)"\]', line)
        if found:
            if found[1] == "Event":
                games.append({})
            games[-1][found[1]] = found[2]
    return games


class Directory(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def match(self, *arguments, code=0, timeout=120, variant="mansindam"):
        """A match; returns its JSON."""
        result = run("--variant=" + variant, "--json", *arguments, timeout=timeout)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.stderr = result.stderr
        return json.loads(result.stdout)


class Usage(Directory):
    def wrong(self, expected, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(expected, result.stderr)

    def test_help_and_version(self):
        for arguments in (["--help"], ["--version"], ["sprt", "--help"]):
            result = run(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("logistic", run("--help").stdout)

    def test_mistakes(self):
        two = [fake("a"), fake("b")]
        good = ["--variant=mansindam", *two]
        self.wrong("--variant is needed", *two, "--games=2", "--nodes=1")
        self.wrong("expected mansindam", "--variant=chess", *two, "--games=2", "--nodes=1")
        self.wrong("two --engine", "--variant=mansindam", fake("a"), "--games=2", "--nodes=1")
        self.wrong("two --engine", *good, fake("c"), "--games=2", "--nodes=1")
        self.wrong("--games or --sprt", *good, "--nodes=1")
        self.wrong("engine a has no limit", *good, "--games=2")
        self.wrong("both engines", "--variant=mansindam", fake("a"), fake("a"), "--games=2",
                   "--nodes=1")
        self.wrong("unknown key 'elo2'", *good, "--sprt=elo0=0,elo2=1", "--nodes=1")
        self.wrong("time control '1x'", *good, "--games=2", "--tc=1x")
        self.wrong("there are no draws", *good, "--games=2", "--nodes=1", "--draw=10,10")
        self.wrong("sequential or random", *good, "--games=2", "--nodes=1", "--order=other")
        self.wrong("--resume needs", *good, "--games=2", "--nodes=1", "--resume")
        self.wrong("--pgn and --state are one file", *good, "--games=2", "--nodes=1",
                   "--pgn=" + self.path("x"), "--state=" + self.path("x"))
        self.write("y", "")
        os.link(self.path("y"), self.path("z"))
        self.wrong("--pgn and --state are one file", *good, "--games=2", "--nodes=1",
                   "--pgn=" + self.path("y"), "--state=" + self.path("z"), "--resume")
        self.wrong("--pgn -: expected a file", *good, "--games=2", "--nodes=1", "--pgn=-")
        self.wrong("--opening-plies needs --openings", *good, "--games=2", "--nodes=1",
                   "--opening-plies=3")
        self.wrong("--order needs --openings", *good, "--games=2", "--nodes=1", "--order=random")
        self.wrong("a tab or line break in a name", "--variant=mansindam",
                   "--engine=name='a\nb',cmd=%s" % CAMPMATE, fake("b"), "--games=2", "--nodes=1")
        self.wrong("column 1", "--variant=mansindam", "--engine=nothing", fake("b"), "--games=2",
                   "--nodes=1")

    def test_statistics_of_counts(self):
        result = json.loads(run("sprt", "--wld=220,180,0", "--sprt=elo0=0,elo1=10", "--json").stdout)
        self.assertAlmostEqual(result["llr"], 0.986, delta=0.001)
        self.assertAlmostEqual(result["elo"], 34.86, delta=0.01)
        self.assertAlmostEqual(result["elo_error"], 34.33, delta=0.01)
        self.assertEqual((result["games"], result["verdict"]), (400, "inconclusive"))
        result = json.loads(run("sprt", "--wld=520,450,1030", "--json",
                                "--sprt=elo0=0,elo1=5,alpha=0.05,beta=0.10").stdout)
        self.assertAlmostEqual(result["llr"], 1.651, delta=0.001)
        self.assertAlmostEqual(result["llr_lower"], -2.251, delta=0.001)
        self.assertAlmostEqual(result["llr_upper"], 2.890, delta=0.001)
        result = json.loads(run("sprt", "--penta=0,0,0,0,900", "--json",
                                "--sprt=elo0=0,elo1=10").stdout)
        self.assertEqual((result["verdict"], result["elo"]), ("H1", None))
        self.assertNotIn("nan", run("sprt", "--wld=20,0,0", "--sprt=elo0=0,elo1=10").stdout)
        for arguments in (["--wld=1,2"], ["--wld=1,2,x"], ["--penta=1,2,3"], [],
                          ["--wld=1,2,3", "--penta=1,2,3,4,5"]):
            self.wrong("", "sprt", *arguments)

    def test_dry_run_starts_nothing(self):
        pids = self.path("pids")
        result = run("--variant=mansindam", fake("a", "--pid-file=" + pids), fake("b"), "--games=10",
                     "--nodes=1", "--dry-run", "--pgn=" + self.path("x.pgn"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("games = 10", result.stdout)
        self.assertIn("# 10 games: about", result.stdout)
        self.assertEqual(os.listdir(self.directory.name), [])

    def test_dry_run_of_each_command(self):
        """It says what would be done with, and does nothing."""
        for key, words in (("wld", ["sprt", "--wld=1,2,3"]), ("elo", ["plan", "--elo=5",
                           "--sprt=elo0=0,elo1=5"]), ("prior", ["rating", "no-such-file"]),
                           ("plies", ["bench", "--games=100000"])):
            result = run(*words, "--dry-run")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("\n%s = " % key, result.stdout)
            self.assertIn(key, json.loads(run(*words, "--dry-run", "--json").stdout)["configuration"])

    def test_first_example_of_the_documentation(self):
        """As it is typed at the top of a clone, with fewer games."""
        top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
        with open(os.path.join(top, "docs", "matches.md")) as file:
            block = re.search(r"\n\n((?: {4}.*\n)+)", file.read())[1]
        os.makedirs(self.path("build/release/bin"))
        for program in CAMPMATE, MATCH:
            os.symlink(program, self.path(os.path.join("build/release/bin", os.path.basename(program))))
        os.symlink(os.path.join(top, "data"), self.path("data"))
        result = subprocess.run(["sh", "-c", "set -e\n" + block.rstrip() + " --games 2"], text=True,
                                cwd=self.directory.name, capture_output=True, check=False)
        self.assertIn(result.returncode, (0, 3), result.stderr)
        self.assertEqual(len(tags(self.read("runs/match.pgn"))), 2)

    def test_dry_run_as_json(self):
        result = self.match(fake("a"), fake("b"), "--games=10", "--nodes=1000", "--dry-run")
        self.assertEqual((result["games"], result["variant"]), (10, "mansindam"))
        self.assertEqual(result["configuration"]["nodes"], "1000")
        self.assertEqual(len(result["configuration"]["engine"]), 2)
        self.assertGreater(result["estimated_seconds"], 0)

    def test_dry_run_guesses_no_number_of_games(self):
        test = [fake("a"), fake("b"), "--games=0", "--sprt=elo0=0,elo1=5", "--nodes=1", "--dry-run"]
        result = run("--variant=mansindam", *test)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("# no limit of games: the SPRT decides", result.stdout)
        self.assertNotIn("2000", result.stdout)
        result = self.match(*test)
        self.assertEqual((result["games"], result["estimated_seconds"], result["estimated_bytes"]),
                         (None, None, None))
        self.assertGreater(result["estimated_bytes_per_game"], 0)

    def test_a_link_keeps_its_name(self):
        """Some programs look at what they are called: links in a relative path are not resolved."""
        script = self.path("by-name")
        with open(script, "w") as file:
            file.write('#!/bin/sh\ncase "$0" in */engine-x) exec "%s" ;; esac\nexit 9\n' % CAMPMATE)
        os.chmod(script, 0o755)
        os.symlink("by-name", self.path("engine-x"))
        os.mkdir(self.path("elsewhere"))
        for more in "", ",dir=elsewhere":
            done = subprocess.run([MATCH, "--variant=mansindam", "--engine=name=a,cmd=./engine-x" + more,
                                   "--engine=name=b,cmd=" + CAMPMATE, "--games=2", "--nodes=1", "--max-plies=2"],
                                  cwd=self.directory.name, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_commands_that_are_no_programs(self):
        for command in "./nothing", self.path("nothing"), os.path.abspath(__file__) + "/x":
            done = run("--variant=mansindam", "--games=2", "--dry-run", "--engine=name=a,cmd=" + command,
                       "--engine=name=b,cmd=" + CAMPMATE)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("cmd='%s'" % command, done.stderr)


class Games(Directory):
    def test_concurrency_changes_nothing(self):
        make_book(self.path("book"), 5)
        found = []
        for concurrency in 1, 3:
            pgn = "%d.pgn" % concurrency
            result = self.match(campmate("a"), campmate("b", ",option.Hash=1,nodes=60"),
                                "--nodes=200", "--games=8", "--openings=" + self.path("book"),
                                "--pgn=" + self.path(pgn), "--order=random", "--seed=3",
                                "--concurrency=%d" % concurrency)
            self.assertEqual(result["games"], 8)
            self.assertEqual(result["wins"] + result["losses"] + result["draws"], 8)
            self.assertEqual(sum(result["pentanomial"]), 4)
            found.append((self.read(pgn), result["wins"], result["pentanomial"]))
        self.assertEqual(found[0], found[1])
        games = tags(found[0][0])
        self.assertEqual([game["Round"] for game in games],
                         ["%d.%d" % (i // 2 + 1, i % 2 + 1) for i in range(8)])
        for first, second in zip(games[::2], games[1::2]):
            self.assertEqual(first["FEN"], second["FEN"])
            self.assertEqual((first["White"], first["Black"]), ("a", "b"))
            self.assertEqual((second["White"], second["Black"]), ("b", "a"))
        self.assertEqual(games[0]["Variant"], "Mansindam")
        self.assertIn(games[0]["Termination"], ["mate", "campmate", "stalemate", "repetition"])

    def test_sprt_decides_by_pair_number(self):
        # The second engine loses at once, but in one game of the first pair, which takes longest.
        make_book(self.path("book"), 3)
        common = ["--nodes=1", "--openings=" + self.path("book"), "--recover",
                  "--sprt=elo0=0,elo1=400"]
        found = []
        for concurrency in 1, 4:
            result = self.match(mover("a", "x"), fake("b", "--script=a1a1"), *common,
                                "--concurrency=%d" % concurrency)
            self.assertEqual(result["verdict"], "H1")
            self.assertEqual(result["losses"], 0)
            self.assertGreaterEqual(result["llr"], result["llr_upper"])
            found.append([result[key] for key in ("games", "wins", "pentanomial", "llr")])
        self.assertEqual(found[0], found[1])

    def test_sprt_has_no_default_limit_and_a_limit_leaves_it_undecided(self):
        result = self.match(mover("a", "x"), fake("b", "--script=a1a1"), "--nodes=1", "--games=10",
                            "--sprt=elo0=0,elo1=5", code=3)
        self.assertEqual((result["games"], result["verdict"]), (10, "inconclusive"))
        result = self.match(mover("a", "x"), fake("b", "--script=a1a1"), "--nodes=1",
                            "--sprt=elo0=0,elo1=300,model=normalized")
        self.assertGreater(result["games"], 2)
        self.assertEqual((result["verdict"], result["elo_model"]), ("H1", "normalized"))

    def test_book_sizes(self):
        quick = [fake("a", "--script=a1a1"), fake("b", "--script=a1a1"), "--nodes=1"]
        fens = make_book(self.path("book"), 8, 2)
        for size, games in (1, 6), (8, 14), (8, 16), (8, 18), (7, 32):
            book = self.write("some", "".join(fen + "\n" for fen in fens[:size]))
            for order in "sequential", "random":
                pgn = self.path("%d-%d-%s.pgn" % (size, games, order))
                result = self.match(*quick, "--games=%d" % games, "--openings=" + book,
                                    "--order=" + order, "--pgn=" + pgn, "--concurrency=2")
                self.assertEqual(result["games"], games)
                self.assertEqual("they come again" in self.stderr, games > 2 * size)
                played = [game["FEN"] for game in tags(self.read(pgn))][::2]
                if order == "sequential":
                    self.assertEqual(played, [fens[i % size] for i in range(games // 2)])
                # Each turn through the book has every opening once.
                for turn in range(0, len(played), size):
                    self.assertEqual(len(set(played[turn:turn + size])),
                                     len(played[turn:turn + size]))

    def test_empty_or_bad_book_starts_nothing(self):
        pids = self.path("pids")
        for text in "", "# nothing\n\n", "this is no position\n", "\x28\xb5\x2f\xfd\0\0":
            book = self.write("bad", text)
            result = run("--variant=mansindam", fake("a", "--pid-file=" + pids), fake("b"),
                         "--games=2", "--nodes=1", "--openings=" + book)
            self.assertEqual(result.returncode, 1)
            self.assertIn("bad", result.stderr)
        result = run("--variant=mansindam", fake("a", "--pid-file=" + pids), fake("b"), "--games=2",
                     "--nodes=1", "--openings=/dev/zero")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/dev/zero: cannot read: not a regular file", result.stderr)
        self.assertFalse(os.path.exists(pids))

    def test_black_begins(self):
        fen = legal_moves("startpos moves e3e4")["fen"]
        book = self.write("book", fen + "\r\n")
        self.match(campmate("a"), campmate("b"), "--nodes=50", "--games=2", "--openings=" + book,
                   "--pgn=" + self.path("x.pgn"))
        self.assertEqual(tags(self.read("x.pgn"))[0]["FEN"], fen)
        self.assertIn("\n1... ", self.read("x.pgn"))

    def test_book_of_another_program(self):
        # Opcodes in place of counters, CRLF, an e.p. square; plain and packed, through a match.
        line = "4k3/8/8/3pP3/8/8/8/4K3[] w - d6 hmvc 0; fmvn 1;"
        fen = "4k3/8/8/3pP3/8/8/8/4K3[] w - d6 0 1"
        plain = self.write("book.epd", "")
        with open(plain, "wb") as file:
            file.write(line.encode() + b"\r\n")
        subprocess.run(["zstd", "-q", plain], check=True)
        players = [fake(name, "--script=e5d6 --variant=shogun --log=%s" % self.path(name + ".log"))
                   for name in ("a", "b")]
        for book in plain, plain + ".zst":
            pgn = os.path.basename(book) + ".pgn"
            result = self.match(*players, "--nodes=1", "--games=2", "--openings=" + book,
                                "--pgn=" + self.path(pgn), "--max-plies=1", variant="shogun")
            # En passant, and it is legal.
            self.assertEqual((result["games"], result["unfinished"], result["plies"]), (2, 2, 2))
            for game in tags(self.read(pgn)):
                self.assertEqual((game["FEN"], game["SetUp"]), (fen, "1"))
            self.assertEqual(self.read(pgn).count("exd6"), 2)
            self.assertNotIn("fmvn", self.read(pgn))
            self.assertIn("position fen %s\n" % fen, self.read("a.log"))
        result = self.match(campmate("a"), campmate("b"), "--nodes=100", "--games=2", "--openings=" + plain +
                            ".zst", "--pgn=" + self.path("whole.pgn"), variant="shogun")
        self.assertEqual((result["games"], result["unfinished"]), (2, 0))
        self.assertEqual({game["FEN"] for game in tags(self.read("whole.pgn"))}, {fen})
        # Packed, and damaged or cut off.
        with open(plain + ".zst", "rb") as file:
            packed = file.read()
        for name, content in ("cut", packed[:-5]), ("bad", packed + b"rubbish"):
            with open(self.path(name + ".epd.zst"), "wb") as file:
                file.write(content)
            result = run("--variant=shogun", *players, "--nodes=1", "--games=2",
                         "--openings=" + self.path(name + ".epd.zst"))
            self.assertEqual((result.returncode, result.stdout), (1, ""), name)
            self.assertIn(name + ".epd.zst", result.stderr)

    def test_clocks(self):
        for limit in "--tc=0.3+0.01", "--tc=3/0.2+0", "--tc=0+0.05b", "--movetime=20":
            log = self.path("log" + limit.replace("/", "-"))
            result = self.match(campmate("a"), mover("b", "x", "--log='%s'" % log), limit,
                                "--games=2", "--time-margin=2000", "--max-plies=24")
            self.assertEqual(result["games"], 2)
            goes = [line for line in self.read("log" + limit.replace("/", "-")).splitlines() if line.startswith("go")]
            expected = {"--tc=0.3+0.01": r"go wtime \d+ btime \d+ winc 10 binc 10$",
                        "--tc=3/0.2+0": r"go wtime \d+ btime \d+ winc 0 binc 0 movestogo [123]$",
                        "--tc=0+0.05b": r"go wtime 0 btime 0 winc 0 binc 0 byoyomi 50$",
                        "--movetime=20": r"go movetime 20$"}[limit]
            for go in goes:
                self.assertRegex(go, expected)

    def test_names_that_are_no_text(self):
        for more in [], ["--tournament=roundrobin"]:
            result = subprocess.run(
                [MATCH, "--variant=mansindam", "--json", "--games=2", "--nodes=1", "--max-plies=2", *more,
                 mover("a", "x").replace("name=a", "name=a\udcff\udcc3b"), mover("\u00e9\u4e2d", "y")],
                capture_output=True, timeout=120, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            names = [engine["name"] for engine in json.loads(result.stdout)["engines"]]
            self.assertEqual(sorted(names), sorted(["a\ufffd\ufffdb", "\u00e9\u4e2d"]))

    def test_limits_of_an_engine_go_first(self):
        log = self.path("log")
        self.match(fake("a", "--script=a1a1 --log=" + log, ",depth=3,nodes=77"),
                   fake("b", "--script=a1a1"), "--nodes=5", "--games=1")
        self.assertIn("go depth 3 nodes 77\n", self.read("log"))

    def test_adjudication(self):
        result = self.match(mover("a", "x", "--score=700"), mover("b", "y", "--score=-700"),
                            "--nodes=1", "--games=2", "--resign=600,6",
                            "--pgn=" + self.path("x.pgn"))
        self.assertEqual((result["wins"], result["plies"]), (2, 12))
        self.assertEqual(result["endings"], {"adjudication": 2})
        # They have to agree.
        result = self.match(mover("a", "x", "--score=700"), mover("b", "y", "--score=700"),
                            "--nodes=1", "--games=2", "--resign=600,6", "--max-plies=20")
        self.assertEqual((result["endings"], result["unfinished"]), ({"ply cap": 2}, 2))
        # Neither won, drawn nor lost; half a point each in the statistics.
        self.assertEqual([result[key] for key in ("wins", "draws", "losses")], [0, 0, 0])
        self.assertEqual((result["elo"], result["draw_ratio"]), (0, None))
        self.assertEqual(result["pentanomial"], [0, 0, 1, 0, 0])


class Faults(Directory):
    def one_game(self, first, second, *arguments, code=0, fen=None, games=1, variant="mansindam"):
        if fen:
            arguments += ("--openings=" + self.write("book", fen + "\n"),)
        self.pgn = "fault%d.pgn" % len(os.listdir(self.directory.name))
        result = self.match(first, second, "--nodes=1000", "--games=%d" % games,
                            "--pgn=" + self.path(self.pgn), *arguments, code=code,
                            variant=variant)
        self.game = tags(self.read(self.pgn))[0]
        return result

    def test_illegal_moves(self):
        pawn = "4k4/9/9/9/9/9/9/9/4K4[P] w - - 0 1"
        for move in "P@a9", "p@a5", "e1e3", "e3e4", "0000", "(none)", "{bad}", "e1e2+":
            result = self.one_game(fake("a", "'--script=%s'" % move), fake("b"), fen=pawn)
            self.assertEqual((result["losses"], self.game["Result"]), (1, "0-1"), move)
            self.assertEqual(self.game["Termination"], "illegal move")
            self.assertEqual(result["endings"], {"illegal move": 1})
            self.assertEqual(result["engines"][0]["faults"], {"illegal move": 1})
            self.assertEqual(result["engines"][1]["faults"], {})
            self.assertRegex(self.stderr, r"game 1\.1: a \(White\) loses by illegal move.* in "
                             r"4k4/9/9/9/9/9/9/9/4K4\[P\] w - - 0 1; legal: .*P@a8")

    def test_illegal_drops(self):
        # On the last rank; in Shogun a knight may be dropped on the first five ranks.
        for variant, fen, move, legal in (
                ("mansindam", "4k4/9/9/9/9/9/9/9/4K4[P] w - - 0 1", "P@e9", "P@e8"),
                ("mansindam", "4k4/9/9/9/9/9/9/9/4K4[p] b - - 0 1", "P@e1", "P@e2"),
                ("shogun", "4k3/8/8/8/8/8/8/4K3[N] w - - 0 1", "N@d6", "N@d5"),
                ("shogun", "4k3/8/8/8/8/8/8/4K3[n] b - - 0 1", "N@d3", "N@d4")):
            black = " b " in fen
            players = [fake("a", "--script=%s --variant=%s" % (move, variant)),
                       fake("b", "--script=%s --variant=%s" % (move, variant))]
            result = self.one_game(*players, fen=fen, variant=variant)
            # Engine a has White: who moves first loses.
            self.assertEqual((result["losses"], result["wins"]), (0, 1) if black else (1, 0))
            self.assertEqual(self.game["Result"], "1-0" if black else "0-1")
            self.assertEqual((self.game["Termination"], self.game["Variant"]),
                             ("illegal move", variant.capitalize()))
            self.assertEqual(result["engines"][black]["faults"], {"illegal move": 1})
            self.assertEqual(result["engines"][not black]["faults"], {})
            loser = "b (Black)" if black else "a (White)"
            self.assertIn("game 1.1: %s loses by illegal move '%s' in %s; legal: " % (loser, move, fen),
                          self.stderr)
            self.assertRegex(self.stderr, "legal: .*" + legal)
            text = " ".join(self.read(self.pgn).split())
            self.assertIn("illegal move '%s' in %s" % (move, fen), text)
            self.assertRegex(text, "legal: .*" + legal)

    def test_no_move_at_all(self):
        self.one_game(fake("a", "--empty"), fake("b"))
        self.assertEqual(self.game["Termination"], "illegal move")

    def test_illegal_answer_stands_in_the_pgn(self):
        self.one_game(fake("a", "--script=e3e4"), fake("b", "--script=e3e4"))
        text = " ".join(self.read(self.pgn).split())
        self.assertIn("illegal move 'e3e4'", text)
        self.assertIn("legal: ", text)

    def test_forbidden_repetition(self):
        result = self.one_game(fake("a", "--script=i1h1,h1i1,i1h1,h1i1"),
                               fake("b", "--script=e9d9,d9e9,e9d9,d9e9"),
                               fen="4k4/9/9/9/9/9/9/9/4K3R[] w - - 0 1")
        self.assertEqual((result["wins"], result["plies"]), (1, 7))
        self.assertEqual(self.game["Termination"], "illegal move")
        self.assertRegex(self.stderr, "(?i)repetition|third")

    def test_the_board_decides_not_the_variation(self):
        result = self.one_game(fake("a", "--script=a8a9 --pv='a8a9 e9e8 a9a8'"), fake("b"),
                               fen="4k4/K8/9/9/9/9/9/9/9[] w - - 0 1")
        self.assertEqual((result["wins"], self.game["Termination"]), (1, "campmate"))

    def test_crash(self):
        result = self.one_game(mover("a", "x"), mover("b", "y", "--crash=3"), "--concurrency=1", code=1,
                               games=4)
        self.assertEqual((result["games"], result["wins"], result["plies"]), (1, 1, 5))
        self.assertEqual(self.game["Termination"], "disconnect")
        self.assertIn("exited with code 3", self.stderr)
        self.assertIn("--recover", self.stderr)
        self.one_game(mover("a", "x"), mover("b", "y", "--kill=3"), "--concurrency=1", code=1, games=4)
        self.assertIn("the engine was killed by signal 9", self.stderr)
        result = self.one_game(mover("a", "x"), mover("b", "y", "--crash=3"), "--recover", games=4)
        self.assertEqual((result["games"], result["wins"]), (4, 4))
        self.assertEqual(result["engines"][1]["faults"], {"disconnect": 4})

    def test_closed_pipes(self):
        # The process lives on; its output or its input is gone.
        for kind, plies, text in ("close", 5, "closed its output"), ("deaf", 6, "closed its input"):
            pids = self.path(kind)
            engines = [mover("a", "x"), mover("b", "y", "--%s=3 --pid-file=%s" % (kind, pids))]
            began = time.monotonic()
            result = self.one_game(*engines, "--concurrency=1", code=1, games=4)
            self.assertLess(time.monotonic() - began, 8, "the stall clock was waited for")
            self.assertEqual((result["games"], result["wins"]), (1, 1), kind)
            self.assertIn(result["plies"], (plies, plies + 1))
            self.assertEqual((self.game["Termination"], self.game["Result"]), ("disconnect", "1-0"))
            self.assertEqual(result["engines"][1]["faults"], {"disconnect": 1})
            self.assertIn(text, self.stderr)
            self.assertIn(text, " ".join(self.read(self.pgn).split()))
            result = self.one_game(*engines, "--recover", games=4)
            self.assertEqual((result["games"], result["wins"]), (4, 4))
            self.assertEqual(result["engines"][1]["faults"], {"disconnect": 4})
            self.assertTrue(all_gone([int(pid) for pid in self.read(kind).split()], 1))

    def test_stall(self):
        # By default within 10 seconds of silence, here with the start and the end of the match.
        for kind, more in ("stall", ["--stall-seconds=0.5"]), ("endless", ["--stall-seconds=0.5"]), \
                ("freeze", []):
            began = time.monotonic()
            result = self.one_game(mover("a", "x"), mover("b", "y", "--%s=2" % kind), *more,
                                   "--concurrency=1", code=1, games=2)
            self.assertEqual((result["wins"], self.game["Termination"]), (1, "stall"))
            self.assertLess(time.monotonic() - began, 12)
            if kind == "endless":
                self.assertRegex(self.stderr, r"the engine sent \d+ lines without a move")
            else:
                self.assertIn("the engine is silent", self.stderr)
        result = self.one_game(mover("a", "x"), mover("b", "y", "--freeze=2"), "--recover",
                               "--stall-seconds=0.5", games=4)
        self.assertEqual(result["wins"], 4)

    def test_silence_before_the_game(self):
        result = run("--variant=mansindam", fake("a", "--no-uciok"), fake("b"), "--games=2",
                     "--nodes=1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("did not say uciok", result.stderr)

    def test_time(self):
        result = self.one_game(mover("a", "x"), mover("b", "y", "--late=4 --late-at=2"),
                               "--tc=2+0", "--time-margin=1000", "--max-plies=20", games=1)
        self.assertEqual((result["wins"], self.game["Termination"]), (1, "time forfeit"))
        self.assertIn("out of time", self.stderr)
        # An engine that is late lives; one that never answers is a stall.
        result = self.one_game(mover("a", "x"), mover("b", "y", "--freeze=2"), "--tc=2+0",
                               "--time-margin=1000", "--stall-seconds=3", "--concurrency=1",
                               games=2, code=1)
        self.assertEqual((result["wins"], self.game["Termination"]), (1, "stall"))
        # 3 s of its clock and margin, 3 s of patience: all of that is the engine's time.
        self.assertGreater(float(re.search(r"no move after (\S+) s", self.stderr)[1]), 5.5)
        self.assertLess(result["runner_ms_per_ply"], 1000)

    def test_noise_is_harmless(self):
        for noise in "--flood=2000", "--long", "--garbage", "--double":
            result = self.one_game(mover("a", "x", noise), mover("b", "y", noise), games=2,
                                   *["--max-plies=8"])
            self.assertEqual(result["endings"], {"ply cap": 2}, noise)

    def test_engines_that_do_not_run(self):
        for engine, code, text in ((fake("a", "", ",option.No Such=1"), 2, "no option 'No Such'"),
                                   (fake("a", "", ",option.Hash=4096"), 2,
                                    "engine a, option 'Hash': '4096' is not in its range from 1 to "
                                    "1024"),
                                   (fake("a", "'--says=info string error: option Hash: no such file'",
                                         ",option.Hash=2"), 1,
                                    "engine a refuses option 'Hash': option Hash: no such file"),
                                   (fake("a", "", ",option.Long=" + "x" * 3990), 2, "option 'Long': "
                                    "3994 bytes of name and value, at most 3900"),
                                   (fake("a", "--variant=shogi"), 2, "does not play mansindam"),
                                   ("--engine=name=a,cmd=no-such-engine", 1, "No such file"),
                                   ("--engine=name=a,cmd=true", 1, "before it said uciok")):
            result = run("--variant=mansindam", engine, fake("b"), "--games=2", "--nodes=1",
                         "--pgn=" + self.path("x.pgn"))
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(text, result.stderr)
            self.assertEqual(result.stdout, "", "a summary of nothing")
            self.assertFalse(os.path.exists(self.path("x.pgn")) and self.read("x.pgn"))

    def test_words_about_options_are_shown_once(self):
        self.one_game(mover("a", "x", "'--says=info string Hash is small'"), mover("b", "y"),
                      "--concurrency=2", "--max-plies=4", games=4)
        self.assertEqual(self.stderr.count("engine a: Hash is small\n"), 1, self.stderr)


class Ends(Directory):
    """No orphans, whatever ends the runner."""

    def start(self, *arguments, args=""):
        self.pids = self.path("pids")
        return subprocess.Popen([MATCH, "--variant=mansindam", *arguments,
                                 mover("a", "x", "--pid-file=%s %s" % (self.pids, args)),
                                 mover("b", "y", "--pid-file=%s %s" % (self.pids, args))],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for_engines(self, count):
        for _ in range(500):
            if os.path.exists(self.pids):
                found = [int(line) for line in self.read("pids").split()]
                if len(found) >= count:
                    return found
            time.sleep(0.02)
        self.fail("the engines did not start")

    def test_signals(self):
        for number, code in (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129):
            for args in "", "--stubborn":
                runner = self.start("--movetime=60000", "--games=100", "--concurrency=4", "--json",
                                    args="--late=60 " + args)
                pids = self.wait_for_engines(8)
                time.sleep(0.5)
                began = time.monotonic()
                runner.send_signal(number)
                out, err = runner.communicate(timeout=10)
                self.assertLess(time.monotonic() - began, 3)
                self.assertEqual(runner.returncode, code, err)
                self.assertEqual(json.loads(out)["games"], 0)
                self.assertTrue(all_gone(pids, 0.5))
                os.unlink(self.pids)

    def test_kill(self):
        runner = self.start("--movetime=60000", "--games=100", "--concurrency=4", args="--late=60")
        pids = self.wait_for_engines(8)
        time.sleep(0.3)
        runner.kill()
        runner.communicate()
        self.assertTrue(all_gone(pids, 3))

    def test_children_of_engines(self):
        runner = self.start("--nodes=1", "--games=2", "--max-plies=4", "--concurrency=1",
                            args="--child")
        pids = self.wait_for_engines(4)
        runner.communicate(timeout=30)
        self.assertEqual(runner.returncode, 0)
        self.assertTrue(all_gone(pids, 1))

    def test_crash_leaves_nobody(self):
        runner = self.start("--nodes=1", "--games=20", "--concurrency=3", args="--crash=4 --stubborn")
        runner.communicate(timeout=30)
        self.assertEqual(runner.returncode, 1)
        self.assertTrue(all_gone(self.wait_for_engines(2), 0.5))


class Resume(Directory):
    def arguments(self, pgn):
        return ["--variant=mansindam", campmate("a"), campmate("b", ",option.Hash=1,nodes=300"),
                "--nodes=1000", "--games=24", "--openings=" + self.path("book"), "--seed=9",
                "--order=random", "--pgn=" + self.path(pgn), "--json"]

    def test_pgn_that_cannot_be_written(self):
        """Each pair is counted once, and no state is written over what is none."""
        make_book(self.path("book"), 3)
        result = self.match(campmate("a"), campmate("b"), "--nodes=5", "--max-plies=10", "--games=2",
                            "--openings=" + self.path("book"), "--pgn=/dev/full", "--concurrency=1",
                            "--seed=1", code=1)
        self.assertEqual((result["games"], sum(result["pentanomial"])), (2, 1))
        for text in "hello\n", "hello", '{"campmate-match":"other"}\n':
            path = self.write("mine.txt", text)
            done = run("--variant=mansindam", campmate("a"), campmate("b"), "--nodes=5", "--games=2",
                       "--state=" + path)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is there already", done.stderr)
            self.assertEqual(self.read("mine.txt"), text)

    def test_kill_and_go_on(self):
        make_book(self.path("book"), 7)
        result = run(*self.arguments("whole.pgn"), "--concurrency=2")
        self.assertEqual(result.returncode, 0, result.stderr)
        whole = json.loads(result.stdout)
        self.assertEqual(whole["games"], 24)

        arguments = self.arguments("parts.pgn")
        arguments.remove("--seed=9") # it stands in the state
        kills = 0
        for attempt, number in enumerate([signal.SIGKILL, signal.SIGINT, signal.SIGKILL,
                                          signal.SIGTERM] + [None]):
            seed = ["--seed=9"] if attempt == 0 else ["--resume"]
            runner = subprocess.Popen([MATCH, *arguments, *seed, "--concurrency=2"], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if number:
                before = self.lines()
                deadline = time.monotonic() + 60
                while runner.poll() is None and self.lines() < before + 3:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.005)
                if runner.poll() is None:
                    runner.send_signal(number)
                    kills += 1
            out, err = runner.communicate(timeout=60)
        self.assertGreaterEqual(kills, 2)
        self.assertEqual(runner.returncode, 0, err)
        parts = json.loads(out)
        for key in "games", "wins", "losses", "pentanomial", "plies", "endings", "elo", "seed":
            self.assertEqual(parts[key], whole[key], key)
        self.assertEqual(self.read("parts.pgn"), self.read("whole.pgn"))

        # Once more: nothing left to do.
        again = run(*arguments, "--resume")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout)["pentanomial"], whole["pentanomial"])
        self.assertEqual(self.read("parts.pgn"), self.read("whole.pgn"))
        # More games of the same match.
        arguments[arguments.index("--games=24")] = "--games=26"
        more = json.loads(run(*arguments, "--resume").stdout)
        self.assertEqual(more["games"], 26)
        self.assertTrue(self.read("parts.pgn").startswith(self.read("whole.pgn")))

    def lines(self):
        try:
            return self.read("parts.pgn.state").count("\n")
        except FileNotFoundError:
            return 0

    def test_nothing_is_overwritten(self):
        quick = ["--variant=mansindam", fake("a", "--script=a1a1"), fake("b", "--script=a1a1"),
                 "--games=2", "--nodes=1", "--pgn=" + self.path("x.pgn")]
        self.assertEqual(run(*quick).returncode, 0)
        before = self.read("x.pgn")
        result = run(*quick)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--resume", result.stderr)
        # Another match does not go on with it, and says why not.
        result = run(*quick[:4], "--nodes=2", "--resume", quick[5])
        self.assertEqual(result.returncode, 2)
        self.assertIn("limits was", result.stderr)
        # What was changed by hand is not believed; without the line the game is played again.
        state = self.read("x.pgn.state")
        self.write("x.pgn.state", state.replace('"result":"0-1"', '"result":"1-0"', 1))
        result = run(*quick, "--resume")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("line 2", result.stderr)
        self.assertIn("remove the line, and the game is played again", result.stderr)
        self.write("x.pgn.state", "".join(state.splitlines(keepends=True)[::2]))
        self.assertEqual(run(*quick, "--resume").returncode, 0)
        self.assertEqual(self.read("x.pgn"), before)
        # The PGN of something else stays, whatever it holds.
        other = self.path("other.pgn")
        self.assertEqual(run(*quick[:3], "--games=4", "--nodes=1", "--pgn=" + other).returncode, 0)
        state = "--state=" + self.path("x.pgn.state")
        for text in self.read("other.pgn"), "my thesis", before + "my thesis", before[:-9] + "\n":
            self.write("other.pgn", text)
            result = run(*quick[:5], "--pgn=" + other, state, "--resume")
            self.assertEqual(result.returncode, 2)
            self.assertIn("cannot resume: " + other + " is not the PGN of " + state[8:],
                          result.stderr)
            self.assertEqual(self.read("other.pgn"), text)
        self.write("other.pgn", before[:-9])  # killed while it was written
        self.assertEqual(run(*quick[:5], "--pgn=" + other, state, "--resume").returncode, 0)
        self.assertEqual(self.read("other.pgn"), before)
        # Games that no state knows are not written over.
        self.write("x.pgn.state", "")
        result = run(*quick, "--resume")
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot resume", result.stderr)
        self.assertEqual(self.read("x.pgn"), before)
        os.unlink(self.path("x.pgn.state"))
        self.assertEqual(run(*quick, "--resume").returncode, 2)
        self.assertEqual(self.read("x.pgn"), before)

    def test_half_a_pair_is_kept(self):
        # The crash ends the match after one game; the pair is finished later.
        arguments = ["--variant=mansindam", mover("a", "x"), "--games=2", "--nodes=1", "--json",
                     "--pgn=" + self.path("x.pgn"), "--max-plies=6"]
        crash = self.write("crash", "1")
        engine = ("--engine=name=b,cmd=/bin/sh,args=\"-c 'exec %s %s --moves=%s --salt=y "
                  "$(test ! -e %s || echo --crash=2)'\"" % (sys.executable, FAKE, CAMPMATE, crash))
        result = run(*arguments, engine)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(json.loads(result.stdout)["games"], 1)
        self.assertEqual(len(tags(self.read("x.pgn"))), 1)
        os.unlink(crash)
        result = run(*arguments, engine, "--resume")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = json.loads(result.stdout)
        self.assertEqual((result["games"], result["wins"], result["draws"], result["unfinished"]),
                         (2, 1, 0, 1))
        self.assertEqual([game["Termination"] for game in tags(self.read("x.pgn"))],
                         ["disconnect", "ply cap"])


class Overhead(Directory):
    def test_overhead_of_a_ply(self):
        # Two rooks and two kings go in a circle of 36 plies; no position comes a third time.
        fen = "r3k4/9/9/9/9/9/9/9/4K3R[] w - - 0 1"
        cycle = self.cycle(fen, 400)
        # The engine that `campmate-match bench` plays with: it answers at once.
        engine = "cmd=%s,args=\"bench engine %s\"" % (MATCH, " ".join(cycle))
        book = self.write("book", fen + "\n")
        began = time.monotonic()
        result = self.match("--engine=name=a," + engine, "--engine=name=b," + engine, "--nodes=1",
                            "--games=100", "--openings=" + book, "--concurrency=1",
                            "--max-plies=%d" % len(cycle))
        took = time.monotonic() - began
        self.assertEqual(result["endings"], {"ply cap": 100})
        print("%d plies, %.4f ms each in all, %.4f ms of them the runner's"
              % (result["plies"], 1000 * took / result["plies"], result["runner_ms_per_ply"]))
        self.assertLess(1000 * took / result["plies"], 0.2)

    def cycle(self, fen, plies):
        """Legal moves without a forbidden repetition, by trying."""
        choose = random.Random(1)
        moves = []
        seen = {}
        for _ in range(plies):
            answer = legal_moves(fen + (" moves " + " ".join(moves) if moves else ""))
            # No captures, campmates and drops: keep the game going.
            options = [move for move in answer["moves"] if "@" not in move and "+" not in move]
            choose.shuffle(options)
            for move in options:
                after = legal_moves(fen + " moves " + " ".join(moves + [move]))
                pieces = sum(letter.isalpha() for letter in after["fen"].split()[0])
                if after["end"] is None and pieces == 4:
                    moves.append(move)
                    break
            else:
                break
        return moves


if __name__ == "__main__":
    unittest.main(verbosity=2)
