#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tournament_test.py - round robins and gauntlets, pondering, restarts, pinning, openings from PGN.

Reads the same variables as match_test.py.
"""

import json
import math
import os
import signal
import subprocess
import unittest

from match_test import (CAMPMATE, MATCH, Directory, campmate, fake, legal_moves, make_book, mover,
                        run, tags)

QUICK = "--script=a1a1"  # loses at once


class Tournaments(Directory):
    def engines(self):
        return [campmate(name, ",option.Hash=1,nodes=%d" % nodes)
                for name, nodes in (("a", 60), ("b", 200), ("c", 600), ("d", 200))]

    def test_round_robin(self):
        make_book(self.path("book"), 3)
        found = []
        for concurrency in 1, 3:
            pgn = "%d.pgn" % concurrency
            result = self.match(*self.engines(), "--tournament=roundrobin", "--games=6",
                                "--openings=" + self.path("book"), "--pgn=" + self.path(pgn),
                                "--seed=3", "--concurrency=%d" % concurrency)
            for key in "seconds", "runner_ms_per_ply":
                del result[key]
            found.append((result, self.read(pgn)))
        self.assertEqual(found[0], found[1])
        result, games = found[0][0], tags(found[0][1])
        self.assertEqual((result["tournament"], result["games"]), ("roundrobin", 36))
        met = [(e["first"], e["second"]) for e in result["encounters"]]
        self.assertEqual(met, [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"),
                               ("c", "d")])
        self.assertEqual(len(games), 36)
        for number, encounter in enumerate(result["encounters"]):
            mine = [game for game in games if {game["White"], game["Black"]} == set(met[number])]
            self.assertEqual((len(mine), encounter["games"]), (6, 6))
            self.assertEqual(sum(encounter["pentanomial"]), 3)
            wins = sum(game["Result"] == ("1-0" if game["White"] == encounter["first"] else "0-1")
                       for game in mine)
            self.assertEqual(wins, encounter["wins"])
            for first, second in zip(mine[::2], mine[1::2]):
                self.assertEqual(first["FEN"], second["FEN"])
                self.assertEqual((first["White"], second["White"]), met[number])
        # In a round all have the same opening, in the next another one.
        fens = [game["FEN"] for game in games]
        self.assertEqual([len(set(fens[i:i + 12])) for i in (0, 12, 24)], [1, 1, 1])
        self.assertEqual(len(set(fens)), 3)
        # The table is sorted, and adds up.
        table = result["engines"]
        self.assertEqual(sorted(e["name"] for e in table), ["a", "b", "c", "d"])
        points = [e["points"] for e in table]
        self.assertEqual(points, sorted(points, reverse=True))
        self.assertEqual((sum(points), {e["games"] for e in table}), (36, {18}))
        self.assertEqual(sum(e["wins"] for e in table), sum(e["losses"] for e in table))

    def test_gauntlet_and_its_text(self):
        arguments = [fake("a", QUICK), mover("b", "x"), mover("c", "y"), "--tournament=gauntlet",
                     "--nodes=1", "--games=3", "--max-plies=8"]
        result = run("--variant=mansindam", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^Gauntlet of 3 engines, mansindam, 6 games")
        self.assertRegex(result.stdout, r"(?m)^  1  b  +3 +3 +0 +0 +0 +3\.0 +100\.0 %  +- +\. +3\.0$")
        self.assertRegex(result.stdout, r"(?m)^a - c  W 0  L 3  D 0  penta \[1, 0, 0, 0, 0\]")
        self.assertIn("Faults  a lost 6 by illegal move", result.stdout)
        self.assertRegex(result.stderr, r"game 1\.1\.1: a \(White\) loses by illegal move")
        self.assertRegex(result.stderr, r"game 2\.2\.1: a \(White\) loses")
        result = self.match(*arguments)
        self.assertEqual([(e["first"], e["second"], e["losses"]) for e in result["encounters"]],
                         [("a", "b", 3), ("a", "c", 3)])
        faults = {engine["name"]: engine["faults"] for engine in result["engines"]}
        self.assertEqual(faults, {"a": {"illegal move": 6}, "b": {}, "c": {}})

    def test_unfinished_games_stand_apart(self):
        result = self.match(mover("a", "x"), mover("b", "y"), mover("c", "z"),
                            "--tournament=roundrobin", "--nodes=1", "--games=2", "--max-plies=4")
        self.assertEqual((result["games"], result["unfinished"]), (6, 6))
        for engine in result["engines"]:
            self.assertEqual((engine["draws"], engine["unfinished"], engine["points"]), (0, 4, 2))

    def test_mistakes(self):
        for expected, *arguments in (
                ("expected match, roundrobin or gauntlet", "--tournament=swiss"),
                ("--sprt is for a match", "--tournament=roundrobin", "--sprt=elo0=0,elo1=5"),
                ("for more there is --tournament",),
                ("--games or --sprt is needed", "--tournament=gauntlet", "--games=0"),
                ("expected on, off or auto", "--tournament=gauntlet", "--restart=maybe"),
                ("ponder='x': expected on or off", "--tournament=gauntlet",
                 fake("d", QUICK, ",ponder=x"))):
            result = run("--variant=mansindam", fake("a"), fake("b"), fake("c"), "--games=2",
                         "--nodes=1", *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(expected, result.stderr)
        result = run("--variant=mansindam", fake("a"), fake("b"), fake("a"), "--games=2", "--nodes=1",
                     "--tournament=gauntlet")
        self.assertEqual(result.returncode, 2)
        self.assertIn("two engines have the name 'a'", result.stderr)

    def test_kill_and_go_on(self):
        make_book(self.path("book"), 5)
        common = ["--variant=mansindam", *self.engines(), "--tournament=roundrobin", "--games=10",
                  "--openings=" + self.path("book"), "--seed=3", "--json", "--concurrency=2"]
        whole = json.loads(run(*common, "--pgn=" + self.path("whole.pgn")).stdout)
        self.assertEqual(whole["games"], 60)
        kills = 0
        for number in signal.SIGKILL, signal.SIGINT, signal.SIGKILL, None:
            before = self.lines()
            runner = subprocess.Popen([MATCH, *common, "--pgn=" + self.path("parts.pgn"),
                                       *(["--resume"] if before else [])],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while number and runner.poll() is None and self.lines() < before + 5:
                pass
            if number and runner.poll() is None:
                runner.send_signal(number)
                kills += 1
            out, err = runner.communicate(timeout=60)
        self.assertEqual(runner.returncode, 0, err)
        self.assertGreater(kills, 0)
        parts = json.loads(out)
        for key in "games", "engines", "encounters", "plies", "endings":
            self.assertEqual(parts[key], whole[key])
        self.assertEqual(self.read("parts.pgn"), self.read("whole.pgn"))
        # The state of a tournament is not that of a match of its engines, nor of another kind.
        for arguments, text in ((["--tournament=gauntlet"], "tournament was"),
                                (["--nodes=7", "--tournament=roundrobin"], None)):
            result = run("--variant=mansindam", *self.engines(), *arguments, "--games=10",
                         "--openings=" + self.path("book"), "--seed=3", "--resume",
                         "--pgn=" + self.path("parts.pgn"))
            self.assertEqual(result.returncode, 2 if text else 0, result.stderr)
            self.assertIn(text or "", result.stderr)

    def lines(self):
        try:
            return self.read("parts.pgn.state").count("\n")
        except FileNotFoundError:
            return 0


class Processes(Directory):
    def started(self):
        return len(self.read("pids").split())

    def play(self, second, *arguments, games=4, **keywords):
        pids = "--pid-file=" + self.path("pids")
        if os.path.exists(self.path("pids")):
            os.unlink(self.path("pids"))
        return self.match(mover("a", "x"), second % pids, "--games=%d" % games, "--max-plies=6",
                          "--concurrency=1", *arguments, **keywords)

    def test_restart(self):
        good = mover("b", "y", "%s")
        for args, expected in (([], 1), (["--restart=auto"], 1), (["--restart=off"], 1),
                               (["--restart=on"], 4)):
            self.play(good, "--nodes=1", *args)
            self.assertEqual(self.started(), expected, args)
        # The engine's own word goes first.
        self.play(mover("b", "y", "%s").replace("--engine=", "--engine=restart=on,"), "--nodes=1")
        self.assertEqual(self.started(), 4)
        # What was late may not be trusted; `off` does.
        late = mover("b", "y", "--late=1.5 --late-at=2 %s")
        for word, least, most in ("auto", 2, 4), ("off", 1, 1):
            result = self.play(late, "--tc=0.5+0", "--restart=" + word, "--time-margin=300", games=3)
            self.assertEqual(result["engines"][1]["faults"].get("time forfeit", 0) > 0, True)
            self.assertTrue(least <= self.started() <= most, self.started())
        # One that died has to be.
        result = self.play(mover("b", "y", "--crash=2 %s"), "--nodes=1", "--restart=off", "--recover")
        self.assertEqual((result["wins"], self.started()), (4, 4))

    def cpus(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return [line for line in self.read("cpus").splitlines() if line]

    def asks_for_cpus(self, name):
        command = ("grep Cpus_allowed_list /proc/self/status >> %s; exec %s"
                   % (self.path("cpus"), CAMPMATE))
        return "--engine=name=%s,cmd=/bin/sh,args=\"-c '%s'\"" % (name, command)

    def test_affinity(self):
        allowed = sorted(os.sched_getaffinity(0))
        match = [MATCH, "--variant=mansindam", self.asks_for_cpus("a"), self.asks_for_cpus("b"),
                 "--games=8", "--nodes=10", "--max-plies=4"]
        # Without it the engines may use what the runner may.
        one = {allowed[0]}
        result = subprocess.run([*match, "--concurrency=1"], capture_output=True, text=True,
                                preexec_fn=lambda: os.sched_setaffinity(0, one))
        self.assertEqual({line.split()[-1] for line in self.cpus(result)}, {str(allowed[0])})
        os.unlink(self.path("cpus"))
        # Too few: nothing starts.
        result = subprocess.run([*match, "--concurrency=2", "--affinity"], capture_output=True,
                                text=True, preexec_fn=lambda: os.sched_setaffinity(0, one))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(result.stderr, "2 games .* need 2, but only 1 CPU may be used")
        self.assertFalse(os.path.exists(self.path("cpus")))
        # Pondering and threads need more.
        for more, need in (["--ponder"], 2), ([], 3):
            engines = match[:4] if not need == 3 else \
                [*match[:3], self.asks_for_cpus("b") + ",option.Threads=3"]
            result = subprocess.run([*engines, *match[4:], "--concurrency=1", "--affinity", *more],
                                    capture_output=True, text=True,
                                    preexec_fn=lambda: os.sched_setaffinity(0, one))
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("need %d, but only 1" % need, result.stderr)
        if len(allowed) < 2:
            self.skipTest("one CPU")
        result = subprocess.run([*match, "--concurrency=2", "--affinity"], capture_output=True,
                                text=True)
        found = [line.split()[-1] for line in self.cpus(result)]
        self.assertEqual(sorted(set(found)), sorted(str(cpu) for cpu in allowed[:2]))


class Ponder(Directory):
    def log(self, name):
        return [line for line in self.read(name).splitlines()
                if line.split()[0] in ("go", "ponderhit", "stop", "setoption", "position")]

    def play(self, first, second, *arguments, **keywords):
        return self.match(first, second, "--games=1", "--nodes=7", "--max-plies=6",
                          "--concurrency=1", "--pgn=" + self.path("x.pgn"), *arguments, **keywords)

    def test_hit_and_miss(self):
        # a expects e7e6 (played), i7i6 (not played: d7d6) and something illegal.
        log = self.path("log")
        self.play(fake("a", "--script=e3e4,a3a4,b3b4 --ponder=e7e6,i7i6,a1a1 --log='%s'" % log),
                  fake("b", "--script=e7e6,d7d6,c7c6"), "--ponder")
        found = self.log("log")
        self.assertEqual([line for line in found if not line.startswith("position")], [
            "setoption name UCI_Variant value mansindam", "setoption name Ponder value true",
            "go nodes 7", "go ponder nodes 7", "ponderhit", "go ponder nodes 7", "stop",
            "go nodes 7", "stop"])
        self.assertIn("position startpos moves e3e4 e7e6", found)
        self.assertIn("position startpos moves e3e4 e7e6 a3a4 i7i6", found)
        self.assertEqual(found[-3:-1], ["position startpos moves e3e4 e7e6 a3a4 d7d6", "go nodes 7"])
        moves = self.read("x.pgn")
        for move in "b4", "c6":
            self.assertIn(move, moves)

    def test_off_by_default_and_for_one_engine(self):
        for arguments, word in ([], ""), (["--ponder"], ",ponder=off"):
            if os.path.exists(self.path("x.pgn")):
                os.unlink(self.path("x.pgn"))
                os.unlink(self.path("x.pgn.state"))
            log = self.path("log" + word)
            self.play(fake("a", "--script=e3e4,a3a4 --ponder=e7e6,i7i6 --log='%s'" % log, word),
                      fake("b", "--script=e7e6,d7d6"), *arguments)
            self.assertNotIn("ponder", self.read("log" + word).lower())

    def test_answer_before_the_hit(self):
        # Against the protocol, but it is an answer.
        result = self.play(fake("a", "--script=e3e4,a3a4,b3b4 --ponder=e7e6,d7d6 --hasty"),
                           fake("b", "--script=e7e6,d7d6,c7c6"), "--ponder")
        self.assertEqual((result["plies"], result["endings"]), (6, {"ply cap": 1}))

    def test_crash_while_pondering(self):
        result = self.play(fake("a", "--script=e3e4,a3a4 --ponder=e7e6 --hasty --crash=2"),
                           fake("b", "--script=e7e6,d7d6,c7c6"), "--ponder", code=1)
        self.assertEqual((result["losses"], result["endings"]), (1, {"disconnect": 1}))

    def test_end_of_a_game(self):
        # The game ends while one still ponders; the next one has to begin as always.
        for clock in "--nodes=1", "--tc=5+0.1":
            result = self.match(campmate("a", ",option.Hash=1"), campmate("b", ",option.Hash=1"),
                                "--games=6", "--ponder", clock, "--max-plies=9", "--concurrency=1",
                                "--time-margin=3000")
            self.assertEqual(result["endings"], {"ply cap": 6})


class PgnBooks(Directory):
    def test_pgn_and_compressed(self):
        log = self.path("x.pgn")
        self.match(mover("a", "x"), mover("b", "y"), "--nodes=1", "--games=6", "--max-plies=9",
                   "--pgn=" + log, "--openings=" + self.write("b.epd", "\n".join(
                       make_book(self.path("three"), 3))))
        subprocess.run(["zstd", "-q", log], check=True)
        played = []
        for book in log, log + ".zst":
            out = self.path("out%d.pgn" % len(played))
            self.match(fake("a", QUICK), fake("b", QUICK), "--nodes=1", "--games=12",
                       "--openings=" + book, "--pgn=" + out, "--opening-plies=3")
            played.append([game["FEN"] for game in tags(self.read(os.path.basename(out)))][::2])
        self.assertEqual(played[0], played[1])
        self.assertEqual(len(played[0]), 6)
        # After three plies of each game.
        for fen in played[0]:
            self.assertIn(" b ", fen)  # books have four plies, here White began: 4 + 3
        # More plies than the games have: all of them.
        out = self.path("all.pgn")
        self.match(fake("a", QUICK), fake("b", QUICK), "--nodes=1", "--games=2",
                   "--openings=" + log, "--pgn=" + out, "--opening-plies=50")
        first = tags(self.read("x.pgn"))[0]["FEN"]
        self.assertNotEqual(tags(self.read("all.pgn"))[0]["FEN"], first)

    def test_bad_ones(self):
        fens = make_book(self.path("book"), 1)
        self.match(fake("a", "--script=a8a9"), fake("b"), "--nodes=1", "--games=1",
                   "--pgn=" + self.path("over.pgn"),
                   "--openings=" + self.write("end.epd", "4k4/K8/9/9/9/9/9/9/9[] w - - 0 1\n"))
        self.write("none.pgn", "\n\n")
        self.write("bad.pgn", '[Event "x"]\n[Variant "Mansindam"]\n[Result "*"]\n\n1. e9 *\n')
        for name, code, text in (("over.pgn", 1, "is over after 1 plies (campmate)"),
                                 ("none.pgn", 1, "no game in it"),
                                 ("bad.pgn", 1, "bad.pgn: line"),
                                 ("book", 2, "--opening-plies is for a PGN")):
            more = ["--opening-plies=3"] if name == "book" else []
            result = run("--variant=mansindam", fake("a"), fake("b"), "--games=2", "--nodes=1",
                         "--openings=" + self.path(name), *more)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(text, result.stderr)
        self.assertTrue(fens)


class Ratings(Directory):
    def rating(self, *arguments, code=0):
        result = run("rating", "--json", *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.stderr = result.stderr
        return json.loads(result.stdout) if code == 0 else None

    def result(self, name, *encounters):
        """The JSON of a tournament."""
        keys = "first", "second", "wins", "draws", "losses"
        return self.write(name, json.dumps({"encounters": [dict(zip(keys, e)) for e in encounters]}))

    def test_two_players_are_the_plain_formula(self):
        found = self.rating(self.result("r.json", ("a", "b", 60, 20, 20)), "--anchor=b=100")
        a, b = found["players"]
        self.assertEqual((a["name"], b["name"], b["elo"], b["elo_error"]), ("a", "b", 100, 0))
        self.assertAlmostEqual(a["elo"], 100 + 400 * math.log10(0.7 / 0.3), delta=1e-6)
        self.assertAlmostEqual(a["elo_error"],
                               1.959964 * 400 / math.log(10) / math.sqrt(100 * .7 * .3), delta=1e-3)
        self.assertEqual((a["points"], b["points"], found["games"]), (70, 30, 100))

    def test_chain_adds_up(self):
        found = self.rating(self.result("r.json", ("a", "b", 30, 0, 10), ("b", "c", 30, 0, 10)))
        elo = {player["name"]: player["elo"] for player in found["players"]}
        step = 400 * math.log10(3)
        self.assertAlmostEqual(elo["a"] - elo["b"], step, delta=1e-6)
        self.assertAlmostEqual(elo["b"] - elo["c"], step, delta=1e-6)
        self.assertAlmostEqual(sum(elo.values()), 0, delta=1e-6)

    def pgn(self, *games):
        with open(self.path("names.pgn"), "wb") as file:
            for white, black in games:
                file.write(b'[Event "x"]\n[White "%s"]\n[Black "%s"]\n[Result "1-0"]\n\n1-0\n\n'
                           % (white, black))
        return self.path("names.pgn")

    def test_names_that_are_no_text(self):
        found = self.rating(self.pgn((b"a\xff", b"b"), (b"b", b"a\xff")))
        self.assertEqual(sorted(player["name"] for player in found["players"]), ["a\ufffd", "b"])
        self.assertEqual({found["pairings"][0][key] for key in ("first", "second")}, {"a\ufffd", "b"})

    def test_long_names_are_not_taken_for_each_other(self):
        long = b"x" * 255
        found = self.rating(self.pgn((long, b"b"), (b"b", long)))
        self.assertEqual(len(found["players"]), 2)
        self.rating(self.pgn((long + b"1", b"b"), (b"b", long + b"2")), code=1)
        self.assertIn("names.pgn: line 1: a name or result of more than 255 bytes", self.stderr)

    def test_a_file_is_given_once(self):
        path = self.result("r.json", ("a", "b", 3, 2, 1))
        os.symlink(path, self.path("other"))
        for again in path, self.path("other"):
            self.rating(path, again, code=2)
            self.assertIn("would count twice", self.stderr)

    def test_no_answer(self):
        self.rating(self.result("r", ("a", "b", 1, 1, 1), ("c", "d", 1, 1, 1)), code=1)
        self.assertRegex(self.stderr, r"no game links \(a, b\) to \(c, d\)")
        self.rating(self.result("r", ("a", "b", 5, 0, 0), ("b", "c", 3, 0, 3)), code=1)
        self.assertRegex(self.stderr, r"\(a\) never lost a point to \(b, c\); --prior 1")
        found = self.rating(self.path("r"), "--prior=1")
        self.assertEqual(found["players"][0]["name"], "a")
        self.assertLess(abs(found["players"][0]["elo"]), 1000)
        # A draw is enough.
        self.rating(self.result("r", ("a", "b", 5, 1, 0), ("b", "c", 3, 0, 3)))
        for arguments, text in (([], "no FILE"), (["--anchor=a=x", self.path("r")], "'x' is no Elo"),
                                (["--prior=-1", self.path("r")], "prior")):
            result = run("rating", *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(text, result.stderr)
        self.rating("--anchor=z", self.path("r"), code=1)
        self.assertIn("'z' has played no game", self.stderr)
        for text in "", "nothing", "{}", "[1]", '{"engines":[]}', '{"wins":1}':
            self.rating(self.write("bad", text), code=1)
            self.assertIn("bad", self.stderr)

    def test_what_a_match_leaves_behind(self):
        """PGN, compressed PGN, state and JSON of one tournament say the same."""
        make_book(self.path("book"), 4)
        pgn = self.path("x.pgn")
        result = run("--variant=mansindam", "--json", "--tournament=roundrobin", "--games=8",
                     *(campmate(name, ",option.Hash=1,nodes=%d" % n)
                       for name, n in (("a\u00e9", 100), ("b", 130), ("c", 170))),
                     "--openings=" + self.path("book"), "--pgn=" + pgn, "--max-plies=150")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.write("x.json", result.stdout)
        subprocess.run(["zstd", "-q", pgn], check=True)
        with open(pgn) as file:
            self.write("other name", file.read())
        found = [self.rating(self.path(name), "--prior=1")
                 for name in ("x.pgn", "x.pgn.zst", "x.pgn.state", "x.json", "other name")]
        for other in found[1:]:
            self.assertEqual(other["players"], found[0]["players"])
        self.assertEqual(found[0]["games"], 24)
        # Two files are added up; a state that a kill cut off says what is whole in it.
        both = self.rating(pgn, self.path("x.json"), "--prior=1")
        self.assertEqual(both["games"], 48)
        with open(self.path("x.pgn.state"), "a") as file:
            file.write('{"pair":12,"game":0,"res')
        self.assertEqual(self.rating(self.path("x.pgn.state"), "--prior=1")["games"], 24)
        text = run("rating", "--prior=1", pgn).stdout
        self.assertIn("Ratings 3 engines, 24 games", text)

    def test_match_of_two(self):
        result = run("--variant=mansindam", "--json", fake("a", QUICK), mover("b", "y"), "--nodes=1",
                     "--games=4", "--max-plies=4")
        self.write("m.json", result.stdout)
        found = self.rating(self.path("m.json"), "--prior=1")
        self.assertEqual([(p["name"], p["wins"]) for p in found["players"]], [("b", 4), ("a", 0)])


class Plans(Directory):
    def test_plan(self):
        found = json.loads(run("plan", "--sprt=elo0=0,elo1=10", "--json").stdout)
        rows = {row["elo"]: row for row in found["rows"]}
        self.assertEqual(sorted(rows), [-5, 0, 5, 10, 15])
        self.assertAlmostEqual(rows[5]["accept_h1"], 0.5, delta=1e-3)
        self.assertLess(rows[0]["accept_h1"], 0.05)
        self.assertGreater(rows[10]["accept_h1"], 0.95)
        self.assertGreater(rows[5]["games"], rows[0]["games"])
        # Four times the games for half of the width; fewer where much is drawn.
        half = json.loads(run("plan", "--sprt=elo0=0,elo1=5", "--elo=0", "--json").stdout)
        self.assertAlmostEqual(half["rows"][0]["games"] / rows[0]["games"], 4, delta=0.1)
        drawn = json.loads(run("plan", "--sprt=elo0=0,elo1=10", "--elo=0", "--draws=0.5",
                               "--json").stdout)
        self.assertAlmostEqual(drawn["rows"][0]["games"] / rows[0]["games"], 0.5, delta=0.05)
        # The pairs of independent games without draws have that deviation.
        penta = json.loads(run("plan", "--sprt=elo0=0,elo1=10", "--elo=0", "--penta=25,0,50,0,25",
                               "--json").stdout)
        self.assertAlmostEqual(penta["rows"][0]["games"], rows[0]["games"], delta=1e-6)
        self.assertIn("says H1", run("plan", "--sprt=elo0=0,elo1=10").stdout)
        for arguments in ([], ["--sprt=elo0=0"], ["--sprt=elo0=0,elo1=1", "--penta=0,0,5,0,0"],
                          ["--sprt=elo0=0,elo1=1", "--elo=x"], ["--sprt=elo0=0,elo1=1", "--draws=1"],
                          ["--sprt=elo0=0,elo1=1", "--draws=0", "--penta=25,0,50,0,25"]):
            self.assertEqual(run("plan", *arguments).returncode, 2, arguments)
        self.assertEqual(run("plan", "--help").stdout.count("may be given"), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
