#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""import_test.py - campmate-data import, and export in the formats that it reads again.

    import_test.py PATH/campmate-data PATH/make_games [unittest arguments]
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
MAKE_GAMES = ""
VARIANTS = ["mansindam", "shogun", "sittuyin", "burmese", "miniburmese"]

# Bare kings and a rook; the rook gives no check.
ROOK = "4k4/9/9/9/9/9/9/9/4K3R"


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120, **options)


def plain(fen, move, score, ply, result):
    return f"fen {fen}\nmove {move}\nscore {score}\nply {ply}\nresult {result}\ne\n"


def can_mount():
    test = "mount -t tmpfs -o size=64k none /mnt"
    return shutil.which("unshare") and os.geteuid() == 0 and subprocess.run(
        ["unshare", "-m", "sh", "-c", test], stderr=subprocess.DEVNULL).returncode == 0


class ImportTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.out = self.path("out")

    def tearDown(self):
        self.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def file(self, name, content):
        mode = {"mode": "wb"} if isinstance(content, bytes) else {"mode": "w", "newline": ""}
        with open(self.path(name), **mode) as stream:
            stream.write(content)
        return self.path(name)

    def read(self, path):
        with open(path) as stream:
            return stream.read()

    def done(self, *arguments, code=0, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        return result

    def load(self, content, *options, name="in.txt", variant="mansindam", code=0, out=None):
        """Imports a text; the result as an object."""
        out = out or self.out
        shutil.rmtree(out, ignore_errors=True)
        result = self.done("import", "--variant", variant, "--out", out, "--json", *options,
                           self.file(name, content), code=code)
        found = json.loads(result.stdout)
        self.assertEqual(os.path.exists(out), code == 0)
        if code == 0:
            self.done("verify", out)
        return found

    def games(self, path=None):
        text = self.done("export", path or self.out, "--format", "jsonl").stdout
        return [json.loads(line) for line in text.splitlines()]

    def assert_rejected(self, found, **counts):
        self.assertEqual({key: value["count"] for key, value in found["rejected"].items()}, counts)
        self.assertEqual(found["rejected_total"], sum(counts.values()))

    def make_games(self, variant="mansindam", *more, count=40, plies=150):
        directory = self.path("games-" + variant)
        shutil.rmtree(directory, ignore_errors=True)
        subprocess.run([MAKE_GAMES, directory, "0", "0", str(count), str(plies), "7", variant,
                        *more], check=True, timeout=60)
        return directory


class Usage(ImportTest):
    def assert_usage(self, *arguments, word):
        result = run("import", *arguments)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn(word, result.stderr)

    def test_usage(self):
        self.assert_usage(word="FILE")
        self.assert_usage("--out", self.out, "x", word="--variant")
        self.assert_usage("--variant", "chess", "--out", self.out, "x", word="mansindam, shogun")
        self.assert_usage("--variant", "shogun", "x", word="--out")
        self.assert_usage("--variant", "shogun", "--out", self.out, word="FILE")
        self.assert_usage("--variant", "shogun", "--out", self.out, "--format", "csv", "x",
                          word="auto, pgn, epd, lines or plain")
        self.assert_usage("--variant", "shogun", "--out", self.out, "-", word="--format")
        self.assert_usage("--variant", "shogun", "--out", "", "x", word="--out")
        self.assertIn("campmate-data import --variant", self.done("import", "--help").stdout)

    def test_dry_run(self):
        text = self.done("import", "--variant", "shogun", "--out", self.out, "--dry-run",
                         self.file("a.pgn", "")).stdout
        self.assertIn("as pgn", text)
        self.assertFalse(os.path.exists(self.out))

    def test_an_output_that_is_there_is_not_touched(self):
        lines = self.file("x.txt", ROOK + " w - - 0 1;1-0\n")
        command = ["import", "--variant", "mansindam", "--out", self.out, lines]
        self.done(*command)
        before = {name: os.stat(os.path.join(self.out, name)).st_mtime_ns
                  for name in os.listdir(self.out)}
        self.assertIn("not empty", self.done(*command, code=1).stderr)
        after = {name: os.stat(os.path.join(self.out, name)).st_mtime_ns
                 for name in os.listdir(self.out)}
        self.assertEqual(before, after)
        self.assertEqual(os.listdir(self.scratch.name).count("out"), 1)
        # An empty one is as good as none; nothing else is left beside it.
        os.mkdir(self.path("empty"))
        self.done(*command[:4], self.path("empty"), lines)
        self.assertEqual(sorted(os.listdir(self.scratch.name)), ["empty", "out", "x.txt"])

    def test_an_output_that_is_no_directory_is_refused_at_once(self):
        command = ["import", "--variant", "mansindam", "--format", "lines", "--out"]
        os.symlink(self.scratch.name, self.path("link"))
        for place in (self.file("taken", ""), self.path("link"), "/dev/null"):
            # Not a line of the input is waited for.
            reader, writer = os.pipe()
            try:
                result = self.done(*command, place, "-", code=1, stdin=reader)
            finally:
                os.close(reader)
                os.close(writer)
            self.assertIn("no directory", result.stderr)
        self.assertEqual(sorted(os.listdir(self.scratch.name)), ["link", "taken"])

    def test_what_killed_imports_left_is_removed(self):
        lines = self.file("x.txt", ROOK + " w - - 0 1;1-0\n")
        dead = subprocess.Popen(["true"])
        dead.wait()
        kept = [f"out.tmp.{os.getpid()}", f"out.tmp.{dead.pid}x", f"other.tmp.{dead.pid}"]
        for name in (f"out.tmp.{dead.pid}", *kept):
            os.mkdir(self.path(name))
            self.file(name + "/000000.cmpd.tmp.1.1", "x")
        self.done("import", "--variant", "mansindam", "--out", self.out + "/", lines)
        self.assertEqual(sorted(os.listdir(self.scratch.name)), sorted(["out", "x.txt", *kept]))

    @unittest.skipUnless(can_mount(), "cannot mount a small file system here")
    def test_a_full_disk_keeps_nothing_and_says_so(self):
        self.done("export", self.make_games(count=3000), "--format", "pgn", "--out",
                  self.path("x.pgn"))
        os.mkdir(self.path("small"))
        script = ('mount -t tmpfs -o size=64k none "$1"; "$2" import --variant mansindam --out '
                  '"$1/out" "$3"; code=$?; find "$1" -mindepth 1; exit $code')
        result = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", self.path("small"),
                                 PROGRAM, self.path("x.pgn")], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)
        self.assertNotIn("kept", result.stderr)
        self.assertNotIn(self.path("small"), result.stdout)  # nothing is left

    def test_files_that_cannot_be_read(self):
        command = ["import", "--variant", "mansindam", "--out", self.out]
        self.assertIn("nowhere", self.done(*command, self.path("nowhere.pgn"), code=1).stderr)
        self.assertIn("nothing to tell", self.done(*command, self.file("e.txt", "\n"),
                                                    code=1).stderr)
        self.assertEqual(sorted(os.listdir(self.scratch.name)), ["e.txt"])

    @unittest.skipUnless(shutil.which("zstd"), "no zstd program")
    def test_compressed_files(self):
        lines = (ROOK + " w - - 0 1;1-0\n") * 3000
        packed = subprocess.run(["zstd", "-qc"], input=lines.encode(), stdout=subprocess.PIPE,
                                check=True).stdout
        self.assertEqual(self.load(packed + packed, name="two.zst")["games"], 6000)
        command = ["import", "--variant", "mansindam", "--out", self.path("bad")]
        for bad, word in ((packed[:-9], "cut off"), (packed + bytes(64), "damaged zstd frame")):
            result = self.done(*command, self.file("bad.txt.zst", bad), code=1)
            self.assertIn(word, result.stderr)
            self.assertIn("byte ", result.stderr)
        self.assertFalse(os.path.exists(self.path("bad")))
        found = self.done(*command[:-1], self.path("pipe"), "--format", "lines", "--json", "-",
                          input=lines)
        self.assertEqual(json.loads(found.stdout)["games"], 3000)


class Pgn(ImportTest):
    def test_a_dataset_comes_back(self):
        for variant in VARIANTS:
            source = self.make_games(variant, "final-scores")
            # Mate scores come back by their number of moves, so once through PGN comes first.
            self.done("export", source, "--format", "pgn", "--out", self.path("1.pgn"))
            for threads in (1, 2):
                found = self.load(self.read(self.path("1.pgn")), "--threads", threads,
                                  name="copy.pgn", variant=variant)
            self.assert_rejected(found)
            self.assertEqual(found["games"], 40)
            self.done("export", self.out, "--format", "pgn", "--out", self.path("2.pgn"))
            # Who played is not in a dataset, so an export of imported games does not say it.
            expected = (self.read(self.path("1.pgn")).replace('"self-play"', '"imported"'))
            for name in ("White", "Black"):
                expected = re.sub(rf'\[{name} "campmate .*"]', f'[{name} "?"]', expected)
            self.assertEqual(self.read(self.path("2.pgn")), expected)
            again = self.load(self.read(self.path("2.pgn")), name="2.pgn", variant=variant,
                              out=self.path("again"))
            self.assertEqual(again["digest"], found["digest"])
            for one, two in zip(self.games(source), self.games()):
                for key in ("number", "start", "moves", "result", "reason", "adjudication",
                            "flags"):
                    self.assertEqual(one[key], two[key])

    def test_tags_of_the_export(self):
        text = self.done("export", self.make_games(), "--format", "pgn").stdout
        self.assertEqual(text.count('[TimeControl "-"]'), 40)
        self.assertEqual(text.count("[Termination "), 40)

    def test_rejects(self):
        head = '[Variant "Mansindam"]\n'
        games = [head + "\n1. a4 *", head + "\n1. a4 zz *", '[Variant "Shogun"]\n\n1. e4 *',
                 head + "\n1. a4 1/2-1/2", head + "\n1. a4 {", head + '[FEN "x"]\n\n*',
                 head + '[Result "1-0"]\n\n*', head + "\n1. a4 i6 1-0",
                 head + '[FEN "k8/3N5/1+P7/9/9/9/9/9/4K4[P] w - - 0 1"]\n\n1. P@a8 0-1']
        found = self.load("".join(f'[Event "{i}"]\n{game}\n\n' for i, game in enumerate(games)),
                          name="x.pgn")
        self.assertEqual((found["records"], found["games"]), (9, 2))
        self.assert_rejected(found, illegal_move=1, variant=1, draw=1, truncated=1, position=1,
                             contradiction=2)
        self.assertIn("x.pgn: line 9, column 7: move 1...: 'zz'",
                      found["rejected"]["illegal_move"]["first"])
        self.assertEqual([game["reason"] for game in self.games()], ["none", "unknown"])


    def test_games_that_were_played_on_are_cut(self):
        """Where the rules ended them first; only mate and its kind let no move follow."""
        head = '[Variant "Shogun"]\n[Termination "time forfeit"]\n[FEN "{}"]\n\n'
        fifty = head.format("4k3/8/8/8/8/8/8/4K2R[] w - - 99 70")
        found = self.load(f"{fifty}70. h1h2 e8e7 71. h2h3 e7e8 1-0\n\n{fifty}70. Rh3 Kd7 0-1\n\n"
                          f"{fifty}70. h1h2 1/2-1/2\n\n{fifty}70. h1h2 1-0\n\n"
                          f"{head.format('4k3/8/8/8/8/8/8/4K3[] w - - 0 1')}1. e1e2 *\n\n",
                          name="x.pgn", variant="shogun")
        self.assertEqual((found["games"], found["cut"]), (4, 3))
        self.assert_rejected(found, contradiction=1)
        games = self.games()
        self.assertEqual([(game["moves"], game["reason"]) for game in games],
                         [("h1h2", "fifty"), ("h1h3", "fifty"), ("h1h2", "fifty"),
                          ("", "insufficient")])
        self.assertEqual({game["result"] for game in games}, {"1/2-1/2"})
        result = self.done("import", "--variant", "shogun", "--out", self.path("text"),
                           self.path("x.pgn"))
        self.assertIn("cut        3", result.stdout)


class Lines(ImportTest):
    def test_good_lines(self):
        found = self.load("# comment\n\n"
                          f"{ROOK}[Pp] w - - 0 1;1-0;31\r\n{ROOK} b - - 3 9; 0 ; -250 \n"
                          f"{ROOK} w - - 0 1;*\n{ROOK}[N] w - - 0 1;[1.0];\n"
                          f"{ROOK}[] b - - 0 1;0-1;-32000\n")
        self.assertEqual((found["records"], found["games"], found["plies"]), (5, 5, 0))
        self.assert_rejected(found)
        games = self.games()
        self.assertEqual([game["result"] for game in games], ["1-0", "0-1", "*", "1-0", "0-1"])
        self.assertEqual([game["final_score"] for game in games], [31, -250, None, None, -32000])
        self.assertEqual(games[0]["start"], ROOK + "[Pp] w - - 0 1")
        self.assertTrue(all(game["moves"] == "" for game in games))
        found = self.load("8/8/4k3/8/8/3K3R/8/8[] w - - 0 1;0.5;0\n", variant="sittuyin")
        self.assertEqual(found["results"]["draw"], 1)

    def test_each_bad_line_has_its_reason(self):
        fen = ROOK + "[] w - - 0 1"
        mate = "k8/P8/2N6/9/9/9/9/1R7/4K4[] b - - 0 1"
        bad = [f"{fen};1-0;32001", f"{fen};1-0;-40000", "4k4/4R4/9/9/9/9/9/9/4K4[] b - - 0 1;1-0;5",
               "9/9/9/9/9/9/9/9/4K4[] w - - 0 1;1-0;5", f"{fen};1/2-1/2;5", f"{fen};won;5",
               f"{fen};1-0;much", f"{mate};0-1", f"{fen}", f"{fen};1-0;5;6", "\0\0\0", "x" * 5000]
        found = self.load("\n".join([f"{fen};1-0;5", *bad, f"{mate};*", f"{fen};0-1;7"]))
        self.assertEqual((found["records"], found["games"]), (len(bad) + 3, 3))
        self.assert_rejected(found, score_above=1, score_below=1, in_check=1, position=1, draw=1,
                             result=2, score=2, contradiction=1, zero_byte=1, syntax=1)
        self.assertIn("in.txt: line 5: ", found["rejected"]["position"]["first"])
        self.assertEqual([(game["result"], game["reason"]) for game in self.games()],
                         [("1-0", "unknown"), ("1-0", "mate"), ("0-1", "unknown")])

    def test_fens_are_the_engines(self):
        """No field is made up or dropped: what the engine reads is read, and nothing else."""
        rook = "4k3/8/8/8/8/8/R7/4K3[]"
        self.load(f"{rook} w - 0 1;1-0\n{rook} w - 7 12;1-0\n{rook} b 32 5 9;1-0\n",
                  "--strict", variant="sittuyin")
        self.assertEqual([game["start"].split("] ")[1] for game in self.games()],
                         ["w - - 0 1", "w - - 7 12", "b - 32 5 9"])
        bad = ["-5 1", "5.5 1", "garbage", "0 1 0 1", "x y", "hmvc 3", 'id "x"']
        found = self.load("".join(f"{ROOK} b - - {end};1-0;5\n" for end in bad), code=1)
        self.assert_rejected(found, position=len(bad))
        found = self.load(f";1-0\n{ROOK} w - - 0 1;1-0\n")
        self.assertIn("no position", found["rejected"]["position"]["first"])

    def test_bytes_of_no_text(self):
        """Whatever a bad line holds, the report can be read, and is JSON."""
        good = ROOK + " w - - 0 1"
        for bad in (b"\xff\xfe", b"\x1b[2J", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"):
            found = self.load(good.encode() + b";1-0\n" + good.encode() + b";" + bad + b"\n",
                              name="b\u00fccher.txt")
            first = found["rejected"]["result"]["first"]
            self.assertIn("b\u00fccher.txt: line 2: result '?", first)
            self.assertTrue(first.isprintable())
        found = self.load(f'{good};1-0\n{good};"\u00fc"\n')
        self.assertIn("result '\"\u00fc\"'", found["rejected"]["result"]["first"])

    def test_strict_and_nothing_left(self):
        good, bad = ROOK + " w - - 0 1;1-0\n", "x;1-0\n"
        found = self.load(good + bad, "--strict", code=1)
        self.assert_rejected(found, position=1)
        self.assertIsNone(found["digest"])
        self.assert_rejected(self.load(good + bad), position=1)
        self.load(good, "--strict")
        self.assert_rejected(self.load(bad, code=1), position=1)

    def test_dedup(self):
        """The same position, with its hands in another order and other counters, is one."""
        text = (f"{ROOK}[PN] w - - 0 1;1-0;5\n{ROOK}[NP] w - - 4 7;1-0;6\n"
                f"{ROOK}[NP] b - - 4 7;1-0;6\n{ROOK}[NPP] w - - 4 7;1-0;6\n")
        found = self.load(text, "--dedup")
        self.assertEqual((found["games"], found["duplicates"]), (3, 1))
        self.assertEqual(self.games()[0]["final_score"], 5)
        self.assertEqual(self.load(text)["games"], 4)

    def test_export_fen_comes_back(self):
        source = self.make_games("shogun")
        text = self.done("export", source, "--format", "fen").stdout
        found = self.load(text, variant="shogun")
        self.assertEqual(found["records"], text.count("\n"))
        # Positions in check are of no use without their move.
        self.assertEqual(found["games"], found["records"] - found["rejected_total"])
        self.assertEqual(set(found["rejected"]), {"in_check"})
        self.done("export", self.out, "--format", "fen", "--out", self.path("again"))
        self.assertLess(set(line for line in self.read(self.path("again")).splitlines()
                            if not line.endswith(";")), set(text.splitlines()))


class Epd(ImportTest):
    def test_epd(self):
        found = self.load(f'{ROOK} b - - hmvc 3; fmvn 9; c9 "1-0"; ce 31;\n'
                          f'{ROOK} w - - id "a; result 0"; result "0-1"; ce -7;\n'
                          f'{ROOK} w - - bm i1i2; c9 "1-0"; result "1-0";\n'
                          f'{ROOK} w - - c9 "1-0"; result "0-1";\n'
                          f'{ROOK} w - - c9 "1/2-1/2";\n{ROOK} w - - bm i1i2;\n'
                          f'{ROOK} w - - c9 "good";\n', name="x.epd")
        self.assertEqual((found["records"], found["games"]), (7, 3))
        self.assert_rejected(found, contradiction=1, draw=1, result=2)
        games = self.games()
        self.assertEqual([(game["result"], game["final_score"]) for game in games],
                         [("1-0", -31), ("0-1", -7), ("1-0", None)])
        self.assertEqual(games[0]["start"], ROOK + "[] b - - 3 9")
        # By content, without the extension.
        self.assertEqual(self.load(f'{ROOK} w - - c9 "1-0";\n')["games"], 1)


    def test_fields_and_operations(self):
        """A FEN of any length before the operations; counters from either, not from both."""
        found = self.load(f'{ROOK}[] w - - 3 9 c9 "1-0"; ce 5;\n{ROOK}[] b c9 "1-0";\n'
                          f'{ROOK}[] w - - 3 9 hmvc 3; c9 "1-0";\n'
                          f'{ROOK} w - - c9 "1-0"; c9 "0-1";\n'
                          f'{ROOK} w - - hmvc -4; c9 "1-0";\n{ROOK} w - - fmvn x; c9 "1-0";\n'
                          f'{ROOK} w - - 3 9 hmvc 4; c9 "1-0";\n'
                          f'{ROOK} w - - -5 1; c9 "1-0";\n{ROOK} w - - 0 1 0 1 c9 "1-0";\n',
                          name="x.epd")
        self.assert_rejected(found, contradiction=1, position=5)
        self.assertEqual([game["start"] for game in self.games()],
                         [ROOK + "[] w - - 3 9", ROOK + "[] b - - 0 1", ROOK + "[] w - - 3 9"])


class Plain(ImportTest):
    def test_a_dataset_comes_back(self):
        """Every game of at least one ply, from its first scored ply on."""
        for variant in VARIANTS:
            source = self.make_games(variant, count=12, plies=2000)
            # Fill the holes in the scores: then games come back whole.
            text = self.done("export", source, "--format", "pgn").stdout
            once = self.path("once")
            self.load(self.scored(text), name="x.pgn", variant=variant, out=once)
            result = self.done("export", once, "--format", "plain")
            finished = [game for game in self.games(once) if game["result"] != "*"]
            self.assertGreater(len(finished), 6)
            self.assertEqual(result.stdout.count("\ne\n"),
                             sum(len(game["scores"]) for game in finished))
            for threads in (1, 2):
                found = self.load(result.stdout, "--threads", threads, name="x.plain",
                                  variant=variant)
            self.assert_rejected(found)
            rules = ("mate", "stalemate", "campmate", "repetition", "count", "fifty",
                     "promochoice", "insufficient")
            expected = [game for game in finished if game["moves"]]
            games = self.games()
            self.assertEqual(len(games), len(expected))
            for one, two in zip(expected, games):
                for key in ("start", "moves", "scores", "result"):
                    self.assertEqual(one[key], two[key])
                self.assertEqual(two["reason"],
                                 one["reason"] if one["reason"] in rules else "unknown")

    @staticmethod
    def scored(pgn):
        """Scores for all moves of a PGN: what stands in comments goes, +0.01 comes."""
        games = []
        for game in pgn.split("\n\n[Event "):
            tags, moves = game.rstrip("\n").split("\n\n")
            words, comment = [], False
            for word in moves.split():
                comment = comment or word.startswith("{")
                if not comment:
                    words.append(word)
                comment = comment and not word.endswith("}")
            moves = " ".join(word if word[-1] == "." or word in ("*", "1-0", "0-1", "1/2-1/2")
                             else word + " {+0.01}" for word in words)
            games.append(tags + "\n\n" + moves)
        return "\n\n[Event ".join(games) + "\n\n"

    # a6a7 promotes, b9a9 answers, ...: a game of three plies that White wins.
    GAME = [("1k7/9/9/R8/9/9/9/9/4K4[] w - - 0 1", "a6a7+", 120, 0, 1),
            ("1k7/9/+R8/9/9/9/9/9/4K4[] b - - 0 1", "b9c9", -130, 1, -1),
            ("2k6/9/+R8/9/9/9/9/9/4K4[] w - - 1 2", "a7b7", 140, 2, 1)]

    def test_chains(self):
        text = "".join(plain(*record) for record in self.GAME)
        found = self.load(text + text)
        self.assertEqual((found["records"], found["games"], found["plies"]), (6, 2, 6))
        self.assertEqual(self.games()[0]["scores"], [120, 130, 140])
        self.assertEqual(self.games()[0]["moves"], "a6a7+ b9c9 a7b7")
        self.assertEqual(self.games()[0]["result"], "1-0")
        # One record missing: two games.
        text = plain(*self.GAME[0]) + plain(*self.GAME[2])
        self.assertEqual(self.load(text)["games"], 2)
        # Another result: not the same game.
        text = plain(*self.GAME[0]) + plain(*self.GAME[1][:4], 1)
        self.assertEqual(self.load(text)["games"], 2)
        # Scores in another unit.
        self.load(plain(*self.GAME[0]), "--pawn", 208)
        self.assertEqual(self.games()[0]["scores"], [58])

    def test_each_bad_record_has_its_reason(self):
        fen, move, _, ply, result = self.GAME[0]
        bad = [plain(fen, move, 32001, ply, result), plain(fen, move, -40000, ply, result),
               plain(fen, move, "x", ply, result), plain(fen, "a6a7", 5, ply, result),
               plain(fen.replace("k", "1"), move, 5, ply, result),
               plain(fen, move, 5, ply, 0), plain(fen, move, 5, ply, 2),
               plain("4k4/4R4/9/9/9/9/9/9/4K4[] b - - 0 1", "e9e8", 5, ply, -1),
               "fen " + fen + "\nresult 1\ne\n", "nonsense\ne\n", "\0\0\0\ne\n",
               plain("k8/P8/2N6/9/9/9/9/1R7/4K4[] b - - 0 1", "a9b9", 5, 0, -1)]
        good = plain(*self.GAME[0])
        found = self.load("".join(good + text for text in bad), name="x.plain")
        self.assertEqual((found["records"], found["games"]), (2 * len(bad), len(bad)))
        self.assert_rejected(found, score_above=1, score_below=1, score=1, illegal_move=1,
                             position=1, draw=1, result=1, in_check=1, truncated=1, syntax=1,
                             zero_byte=1, after_end=1)
        self.assertIn("x.plain: line 7: score 32001", found["rejected"]["score_above"]["first"])

    def test_a_cut_file(self):
        found = self.load(plain(*self.GAME[0]) + plain(*self.GAME[1])[:-2], name="x.plain")
        self.assert_rejected(found, truncated=1)
        # A record without its end in the middle.
        found = self.load(plain(*self.GAME[0])[:-2] + plain(*self.GAME[1]), name="x.plain")
        self.assert_rejected(found, truncated=1)
        self.assertEqual(found["games"], 1)

    def test_lost_hands(self):
        """White takes a pawn; the records after that have forgotten it."""
        start = "4k4/9/9/9/9/9/9/p8/R3K4[] w - - 0 1"
        text = (plain(start, "a1a2", 500, 0, 1) +
                plain("4k4/9/9/9/9/9/9/R8/4K4[] b - - 0 1", "e9e8", -500, 1, -1) +
                plain("9/4k4/9/9/9/9/9/R8/4K4[] w - - 1 2", "a2a3", 500, 2, 1))
        found = self.load(text)
        self.assert_rejected(found, hands=2)
        self.assertIn("expected 4k4/9/9/9/9/9/9/R8/4K4[P] b",
                      found["rejected"]["hands"]["first"])
        self.assertEqual((found["games"], found["plies"]), (1, 1))

    def test_the_board_decides(self):
        mate = ("k8/9/2N6/9/9/9/9/1R7/4K4[P] w - - 0 1", "P@a8", 500, 0)
        self.load(plain(*mate, 1))
        self.assertEqual(self.games()[0]["reason"], "mate")
        self.assert_rejected(self.load(plain(*mate, -1), code=1), contradiction=1)

    def test_a_forbidden_repetition_begins_another_game(self):
        """Records know no history: what it forbids is played in a game of its own."""
        fens = [(ROOK + "[] w - - 0 1", "i1h1"), ("4k4/9/9/9/9/9/9/9/4K2R1[] b - - 1 1", "e9d9"),
                ("3k5/9/9/9/9/9/9/9/4K2R1[] w - - 2 2", "h1i1"),
                ("3k5/9/9/9/9/9/9/9/4K3R[] b - - 3 2", "d9e9")]
        text = "".join(plain(*fens[i % 4], 0, i, 1 - 2 * (i % 2)) for i in range(12))
        found = self.load(text)
        self.assert_rejected(found)
        self.assertEqual(found["plies"], 12)
        self.assertGreater(found["games"], 1)


class Export(ImportTest):
    def test_positions_without_a_score(self):
        """They are written, or counted among what is left out."""
        lines = f"{ROOK}[] w - - 0 1;1-0;\n{ROOK}[] b - - 3 9;0-1;7\n{ROOK}[P] w - - 0 1;*;\n"
        self.load(lines)
        result = self.done("export", self.out, "--format", "fen")
        self.assertEqual((result.stdout, result.stderr), (lines, ""))
        result = self.done("export", self.out, "--format", "plain")
        self.assertEqual(result.stdout, "")
        self.assertIn("1 unfinished games, 0 plies without a score, 2 positions without a move",
                      result.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_is_named(self):
        source = self.make_games(count=300)
        for format in ("jsonl", "pgn", "fen", "plain"):
            with open("/dev/full", "w") as full:
                result = subprocess.run([PROGRAM, "export", source, "--format", format],
                                        stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(result.returncode, 1)
            self.assertIn("standard output", result.stderr)
            self.assertIn("No space left", result.stderr)

    @unittest.skipUnless(can_mount(), "cannot mount a small file system here")
    def test_a_full_disk_is_named_with_its_file(self):
        source = self.make_games(count=300)
        os.mkdir(self.path("small"))
        script = 'mount -t tmpfs -o size=16k none "$1"; "$2" export "$3" --format $4 --out "$1/x"'
        for format in ("jsonl", "pgn", "fen", "plain"):
            result = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", self.path("small"),
                                     PROGRAM, source, format], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, timeout=120)
            self.assertEqual(result.returncode, 1)
            self.assertIn(self.path("small/x"), result.stderr)
            self.assertIn("No space left", result.stderr)

    def test_plain_leaves_out_what_it_cannot_say(self):
        source = self.make_games(plies=30)
        result = self.done("export", source, "--format", "plain")
        games = self.games(source)
        unfinished = sum(game["result"] == "*" for game in games)
        self.assertGreater(unfinished, 0)
        self.assertIn(f"{unfinished} unfinished games", result.stderr)
        scored = sum(score is not None for game in games if game["result"] != "*"
                     for score in game["scores"])
        self.assertEqual(result.stdout.count("fen "), scored)


if __name__ == "__main__":
    PROGRAM, MAKE_GAMES = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
