#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""compliance_test.py - campmate-match --compliance: our engine passes each check, and each check fails
an engine that does what it looks for (broken_engine.py).

Reads the programs from CAMPMATE and CAMPMATE_MATCH.
"""

import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

CAMPMATE = os.environ["CAMPMATE"]
MATCH = os.environ["CAMPMATE_MATCH"]
BROKEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "broken_engine.py")

# What each check has to find. A pair is a breakage with its text.
BREAKAGES = {
    "silence": [("early", "uciok"), ("early", "id name me"), ("early", "bestmove e2e4")],
    "uci": ["no-uciok", "no-name", "two-authors", "crash-on-uci", ("endless", "uci"),
            ("endless", "start")],
    "options": [("option", "option name X " + rest) for rest in (
        "type spin default 5 min 10 max 20", "type spin default 5 min 1", "type spin min 1 max 9",
        "type spin default x min 1 max 9", "type spin default 5 min a max 9",
        "type combo default c var a var b", "type combo var a", "type check default maybe",
        "type check", "type button default 1", "type wheel default 1", "default 1", "type",
        "type check default true min 1", "type spin default 1 default 2 min 1 max 9",
        "type spin typo default 2 min 1 max 9")] + [
        ("option", "option name hash type spin default 1 min 1 max 2"),
        ("option", "option name UCI_Elo type check default true"),
        ("option", "option type check default true")],
    "isready": ["two-readyok", "lost-readyok"],
    "blanks": ["strict"],
    "unknown": ["crash-on-unknown", "talks-back", "answers-each-stop"],
    "setoption": ["refuses", "crash-on-setoption", ("endless", "setoption")],
    "setoption-bad": ["crash-on-bad-value", "crash-on-bad-option"],
    "quit": ["ignores-quit", "quits-with-code"],
    "quit-search": ["ignores-quit-in-search"],
    "eof": ["ignores-eof", "ends-with-code"],
    "eof-search": ["ignores-eof-in-search"],
    "orphans": ["child"],
    "ucinewgame": ["crash-on-newgame"],
    "go-depth": ["ignores-depth", ("endless", "go"), "two-bestmoves", ("bestmove", ""), ("bestmove", "bestmove"),
                 ("bestmove", "bestmove a1a1"), ("bestmove", "bestmove e2e4 e7e5"),
                 ("bestmove", "bestmove e2e4 ponder"), ("bestmove", "bestmove e2e3 ponder a1a1"),
                 ("bestmove", "bestmove (none)")],
    "go-nodes": ["ignores-nodes"],
    "go-movetime": ["ignores-movetime"],
    "go-clock": ["ignores-wtime", "late-clock"],
    "go-no-time": ["ignores-wtime"],
    "go-infinite": ["hasty-infinite", "hasty-when-won", "ignores-stop"],
    "stop": ["ignores-stop", "loses-early-stop", "answers-each-stop"],
    "isready-search": ["deaf-in-search", "stops-for-isready"],
    "ponder": ["hasty-ponder", "ignores-ponderhit", "ignores-stop-of-ponder"],
    "searchmoves": ["ignores-searchmoves"],
    "go-mate": ["ignores-mate"],
    "info": ["no-info"] + [("info", change) for change in (
        "score cp -> score", "score cp -> cp", "depth [0-9]+ -> depth", "depth -> depth x",
        "nodes [0-9]+ -> nodes -1", "hashfull [0-9]+ -> hashfull 1001", " pv -> pv a1a1 ",
        "multipv 1 -> multipv 0", "^info -> info currmove a1a1", "^info -> info wdl 1 2")],
    "score": [("info", "mate 1 -> mate -1"), ("info", "mate 1 -> cp 1000"), ("info", "mate 1 -> mate 2")],
    "multipv": ["no-multipv"],
    "position-moves": ["forgets-moves"],
    "position-fen": ["ignores-fen"],
    "finished": ["a-move-at-the-end", "silent-at-the-end"],
}


def run(command, *arguments, timeout=300):
    return subprocess.run([MATCH, "--compliance=" + command, *arguments], capture_output=True,
                          text=True, timeout=timeout, check=False)


def broken(breakage="", text=""):
    return "%s '%s' '%s' '%s' '%s'" % (sys.executable, BROKEN, CAMPMATE, breakage, text)


def checked(command, *arguments):
    result = run(command, "--json", *arguments)
    return result.returncode, json.loads(result.stdout) if result.stdout else result.stderr


class Ours(unittest.TestCase):
    def test_passes_in_every_game(self):
        code, report = checked(CAMPMATE)
        wrong = [check for check in report["checks"] if check["outcome"] != "ok" or check["note"]]
        self.assertEqual((code, wrong), (0, []))
        games = {check["game"] for check in report["checks"]} - {None}
        version = subprocess.run([CAMPMATE, "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(games, set(re.search("variants +(.*)", version.stdout)[1].split(", ")))
        self.assertEqual(report["ok"], len(report["checks"]))
        self.assertEqual((report["failed"], report["skipped"]), (0, 0))
        for game in games:
            self.assertEqual({check["check"] for check in report["checks"]
                              if check["game"] in (None, game)}, set(BREAKAGES))


class Broken(unittest.TestCase):
    def test_nothing_broken(self):
        code, report = checked(broken(), "--variant=shogun")
        self.assertEqual([check for check in report["checks"] if check["outcome"] != "ok"], [])
        self.assertEqual(code, 0)

    def test_each_check_finds_what_it_looks_for(self):
        listed = json.loads(run(CAMPMATE, "--dry-run", "--json").stdout)
        self.assertEqual([check["check"] for check in listed], list(BREAKAGES))

        def one(case):
            check, breakage = case
            pair = (breakage, "") if isinstance(breakage, str) else breakage
            patience = "4" if breakage in ("late-clock", "lost-readyok") else "2"
            return case, checked(broken(*pair), "--variant=shogun", "--checks=" + check,
                                 "--stall-seconds=" + patience)

        cases = [(check, breakage) for check, list_ in BREAKAGES.items() for breakage in list_]
        missed = []
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for case, (code, report) in pool.map(one, cases):
                found = [check for check in report["checks"] if check["outcome"] == "failed"] \
                    if isinstance(report, dict) else []
                # What comes too early may disturb what is asked first.
                others = {"uci"} if case[0] == "silence" else set()
                if code != 1 or {check["check"] for check in found} - others != {case[0]}:
                    missed.append((case, code, report))
                    continue
                self.assertTrue(found[0]["expected"], case)
                self.assertTrue(found[0]["came"] or found[0]["found"], case)
                self.assertTrue(found[0]["sent"] or case[0] in ("silence", "options", "eof"), case)
        self.assertEqual(missed, [])

    def test_words_of_a_failure(self):
        result = run(broken("bestmove", "bestmove a1a1"), "--variant=shogun", "--checks=go-depth")
        self.assertEqual(result.returncode, 1, result.stderr)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], "^FAILED +go-depth +shogun +go depth: one bestmove, legal$")
        self.assertRegex(lines[1], '^ +sent +"position startpos", "go depth 1"$')
        self.assertRegex(lines[2], "^ +expected +a legal move of shogun$")
        self.assertRegex(lines[3], '^ +came +"info depth 1 .*", "bestmove a1a1"$')
        self.assertRegex(lines[4], "^ +found +'a1a1' in rnb.* w KQkq - 0 1: ")
        self.assertEqual(lines[5:], ["1 checks: 0 ok, 1 failed, 0 skipped"])


class Limits(unittest.TestCase):
    def test_engine_without_games_of_ours(self):
        code, report = checked(broken("no-variants"))
        self.assertEqual(code, 0, report)
        skipped = {check["check"]: check["note"] for check in report["checks"]
                   if check["outcome"] == "skipped"}
        self.assertEqual(set(skipped), {"searchmoves", "go-mate", "score", "position-moves",
                                        "position-fen", "finished"})
        self.assertIn("rules", skipped["score"])
        # It is taken at the user's word.
        code, report = checked(broken("no-variants"), "--variant=mansindam")
        self.assertEqual((code, report["skipped"]), (0, 0), report)

    def test_a_dead_engine_is_not_asked_again(self):
        code, report = checked(broken("crash-on-uci"))
        self.assertEqual((code, report["failed"]), (1, 1), report)
        self.assertEqual(report["skipped"], len(BREAKAGES) - 2)

    def test_options_of_the_engine(self):
        code, report = checked("cmd=%s,option.Hash=2,option.MultiPV=2" % CAMPMATE, "--variant=shogun",
                               "--checks=go-depth,multipv")
        self.assertEqual((code, report["ok"]), (0, 2), report)

    def test_options_that_the_engine_does_not_take(self):
        for option, code, text in (
                ("Foo=1", 2, "has no option 'Foo'"),
                ("Hash=x", 2, "option 'Hash': 'x' is not in its range from 1 to"),
                ("hash=0", 2, "option 'hash': '0' is not in its range from 1 to"),
                ("EvalFile=no-such-file", 1, "refuses option 'EvalFile'")):
            spec = "name=me,cmd=%s,option.%s" % (CAMPMATE, option)
            result = run(spec, "--variant=shogun", "--checks=isready,go-depth")
            self.assertEqual(result.returncode, code, result.stdout)
            self.assertIn(text, result.stderr)
            self.assertNotIn("go-depth", result.stdout)

    def test_variants_of_a_file(self):
        # It offers our games once it has read a file that says what they are.
        spec = "cmd=%s,args=\"'%s' '%s' variants-of-a-file\"" % (sys.executable, BROKEN, CAMPMATE)
        code, report = checked(spec + ",option.VariantPath=games.ini", "--variant=shogun",
                               "--checks=setoption,go-depth")
        self.assertEqual((code, report["ok"]), (0, 2), report)
        result = run(spec, "--variant=shogun", "--checks=go-depth")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("does not play shogun", result.stderr)

    def test_mistakes(self):
        for command, arguments, code, text in (
                (CAMPMATE, ["--checks=go-depth,no-such"], 2, "no check is named 'no-such'"),
                (CAMPMATE, ["--checks="], 2, "expected NAMES, found nothing"),
                (CAMPMATE, ["--checks=uci,"], 2, "no check is named ''"),
                (CAMPMATE, ["--variant=chess"], 2, "expected mansindam"),
                *((CAMPMATE, [option], 2, option.split("=")[0] + " means nothing with --compliance")
                  for option in ("--games=2", "--engine=cmd=x", "--nodes=5", "--depth=3", "--tc=1+1",
                                 "--movetime=9", "--tournament=gauntlet", "--sprt=elo0=0,elo1=5",
                                 "--openings=x", "--pgn=x", "--state=x", "--resume", "--recover",
                                 "--ponder", "--restart=on", "--concurrency=2", "--affinity",
                                 "--order=random", "--resign=1,2", "--draw=1,2", "--max-plies=3",
                                 "--opening-plies=2", "--score-interval=1")),
                *(("cmd=" + CAMPMATE + "," + key, [], 2, key.split("=")[0])
                  for key in ("nodes=5", "depth=3", "movetime=9", "tc=1+1", "ponder=off",
                              "restart=on", "option.UCI_Variant=shogun")),
                ("", [], 2, "--compliance: expected CMD"),
                ("''", [], 2, "expected a program"),
                ("'x", [], 2, "is not closed"),
                ("./no-such-program", [], 2, "No such file"),
                ("no-such-program", [], 1, "cannot run no-such-program")):
            result = run(command, *arguments)
            self.assertEqual((result.returncode, result.stdout), (code, ""), (command, arguments))
            self.assertIn(text, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1)
        result = subprocess.run([MATCH, "--checks=uci", "--variant=shogun"], capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--checks needs --compliance", result.stderr)

    def test_interrupt(self):
        for number, code in (signal.SIGINT, 130), (signal.SIGTERM, 143):
            with subprocess.Popen([MATCH, "--compliance=sleep 60", "--json"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                time.sleep(0.5)
                process.send_signal(number)
                out, err = process.communicate(timeout=10)
                self.assertEqual(process.returncode, code, err)
                self.assertEqual(json.loads(out)["failed"], 0)


if __name__ == "__main__":
    unittest.main()
