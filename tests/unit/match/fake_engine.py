#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fake_engine.py - a UCI engine that misbehaves on request.

    fake_engine.py [--name=value ...]

    --moves=PATH     legal moves from `PATH moves` (campmate); without it every answer is e3e4
    --variant=V      for --moves
    --salt=TEXT      the move is chosen by a hash of this and the position
    --script=A,B,..  play these moves, whatever the position
    --crash=N        exit with code 3 in place of the Nth answer
    --kill=N         SIGKILL to itself in place of the Nth answer
    --stall=N        never answer the Nth go (stop and quit are still obeyed)
    --freeze=N       the same, but nothing is read any more either
    --close=N        close stdout in place of the Nth answer, and live on
    --deaf=N         close stdin after the Nth answer, and live on
    --late=SECONDS   wait before each answer
    --late-at=N      ... only before the Nth
    --flood=N        print N lines of 100 bytes before each answer
    --endless        print for ever in place of an answer
    --long           print a line of one megabyte before each answer
    --garbage        print bytes that are no text before each answer
    --double         answer each go twice
    --empty          answer `bestmove` and nothing else
    --ponder=A,B,..  expect these moves of the opponent; a `go ponder` is answered after ponderhit or
                     stop only
    --hasty          answer `go ponder` at once
    --pv=MOVES       as principal variation
    --score=CP       as score
    --says=TEXT      say that before readyok, `|` between lines
    --no-uciok, --no-readyok   leave that out
    --stubborn       ignore quit, end of file and SIGTERM
    --child          start a child that sleeps for a minute
    --pid-file=FILE  append the process number to FILE
    --log=FILE       append what is read to FILE
"""

import os
import signal
import subprocess
import sys
import time
import zlib

options = {}
for argument in sys.argv[1:]:
    name, _, value = argument.lstrip("-").partition("=")
    options[name] = value or "1"


def number(name):
    return int(options.get(name, 0))


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def sleep_for_ever():
    while True:
        time.sleep(60)


class Rules:
    """The legal moves of a position, asked of `campmate moves`."""

    def __init__(self, path, variant):
        self.process = subprocess.Popen([path, "moves", "--variant", variant], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def moves(self, position):
        import json
        position = position.removeprefix("position ").removeprefix("fen ")
        self.process.stdin.write(position + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["moves"]


def answer(position, count, rules, script):
    if number("crash") == count:
        os._exit(3)
    if number("kill") == count:
        os.kill(os.getpid(), signal.SIGKILL)
    if number("close") == count:
        os.close(1)
        sleep_for_ever()
    if number("freeze") == count:
        sleep_for_ever()
    if number("stall") == count:
        return
    if number("late-at") in (0, count):
        time.sleep(float(options.get("late", 0)))
    if "endless" in options:
        while True:
            os.write(1, b"info string nothing to see here\n" * 100)
    if number("flood"):
        line = "info depth 1 score cp 1 nodes 1 pv e3e4".ljust(99) + "\n"
        sys.stdout.write(line * number("flood"))
    if "long" in options:
        sys.stdout.write("info string " + "x" * 1000000 + "\n")
    if "garbage" in options:
        sys.stdout.flush()
        os.write(1, bytes(range(256)) + b"\xff\xfe\nbestmov\nbestmoves e3e4\n\r\n \n")
    if "pv" in options or "score" in options:
        say("info depth 7 seldepth 9 multipv 1 score cp %s nodes 10 pv %s"
            % (options.get("score", "0"), options.get("pv", "e3e4")))
        say("info depth 7 seldepth 9 multipv 2 score cp -999 nodes 10 pv a3a4")
    move = "e3e4"
    if script:
        move = script[min(count, len(script)) - 1]
    elif rules:
        legal = rules.moves(position)
        move = legal[zlib.crc32((options.get("salt", "") + position).encode()) % len(legal)]
    if "empty" in options:
        move = ""
    expected = options.get("ponder", "").split(",")
    expected = expected[min(count, len(expected)) - 1]
    if number("deaf") == count:
        os.close(0) # before the answer, so that nothing more can be sent
    say(("bestmove " + move).rstrip() + (" ponder " + expected if expected else ""))
    if number("deaf") == count:
        sleep_for_ever()
    if "double" in options:
        say("bestmove " + move)


def main():
    if "pid-file" in options:
        with open(options["pid-file"], "a") as file:
            file.write("%d\n" % os.getpid())
    if "stubborn" in options:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "child" in options:
        child = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
        if "pid-file" in options:
            with open(options["pid-file"], "a") as file:
                file.write("%d\n" % child.pid)
    rules = None
    if "moves" in options:
        rules = Rules(options["moves"], options.get("variant", "mansindam"))
    script = options["script"].split(",") if "script" in options else None
    position, count, pondering = "position startpos", 0, False
    log = open(options["log"], "a") if "log" in options else None
    for line in sys.stdin:
        line = line.rstrip("\n")
        if log:
            log.write(line + "\n")
            log.flush()
        if line == "uci":
            say("id name fake")
            say("option name Hash type spin default 1 min 1 max 1024")
            say("option name Move Overhead type spin default 1 min 1 max 1024")
            if "ponder" in options:
                say("option name Ponder type check default false")
            say("option name UCI_Variant type combo default chess var chess var %s var sittuyin"
                % options.get("variant", "mansindam"))
            if "no-uciok" not in options:
                say("uciok")
        elif line == "isready":
            if "says" in options:
                say(options["says"].replace("|", "\n"))
            if "no-readyok" not in options:
                say("readyok")
        elif line.startswith("position"):
            position = line
        elif line.startswith("go ponder") and "hasty" not in options:
            pondering = True
        elif line.startswith("go") or line in ("ponderhit", "stop") and pondering:
            # After a miss this answer is dropped, so it does not count.
            pondering = False
            if line == "stop":
                say("bestmove e3e4")
                continue
            count += 1
            answer(position, count, rules, script)
        elif line == "stop" and number("stall") == count and count:
            say("bestmove e3e4")
        elif line == "quit" and "stubborn" not in options:
            return
    if "stubborn" in options:
        sleep_for_ever()


main()
