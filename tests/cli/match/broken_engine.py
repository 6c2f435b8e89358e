#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""broken_engine.py - campmate with one thing broken, for the tests of --compliance.

    broken_engine.py CAMPMATE [BREAKAGE [TEXT]]

Lines go to campmate and come back from it as they are, but for what the breakage changes. Its name
says what the engine then does; see what the functions below do with it.
"""

import os
import re
import subprocess
import sys
import threading
import time

CAMPMATE = sys.argv[1]
BROKEN = sys.argv[2] if len(sys.argv) > 2 else ""
TEXT = sys.argv[3] if len(sys.argv) > 3 else ""

engine = subprocess.Popen([CAMPMATE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          bufsize=1)
writing = threading.Lock()
searching = threading.Event()
state = {"go": "", "position": "", "newgames": 0, "readyok": 0, "go_time": 0.0, "kept": [], "file": False}


def say(line):
    with writing:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def tell(line):
    try:
        engine.stdin.write(line + "\n")
        engine.stdin.flush()
    except (BrokenPipeError, ValueError):
        pass


def leave(code=0):
    engine.kill()
    os._exit(code)


def talk_for_ever():
    while True:
        os.write(1, b"info string nothing to see here\n" * 100)


def answers(line):
    """The lines that become of one that campmate says."""
    word = line.split(" ")[0]
    if line == "uciok":
        if BROKEN == "no-uciok":
            return []
        if BROKEN == "option":
            return [TEXT, line]
        if BROKEN == "two-authors":
            return ["id author somebody else", line]
    if BROKEN == "no-name" and line.startswith("id name"):
        return []
    if BROKEN == "no-variants" and line.startswith("option name UCI_Variant"):
        return []
    if BROKEN == "variants-of-a-file" and line.startswith("option name UCI_Variant"):
        return ["option name VariantPath type string default <empty>",
                line if state["file"] else "option name UCI_Variant type combo default chess var chess"]
    if word == "readyok":
        state["readyok"] += 1
        if BROKEN == "two-readyok":
            return [line, line]
        if BROKEN == "lost-readyok" and state["readyok"] % 3 == 0:
            return []
    if word == "info" and " score " in line:
        if BROKEN == "no-info":
            return []
        if BROKEN == "info":
            return [re.sub(TEXT.split(" -> ")[0], TEXT.split(" -> ")[1], line)]
    if word == "bestmove":
        searching.clear()
        kept, state["kept"] = state["kept"], []
        out = [line, *kept]
        if BROKEN == "bestmove":
            out = TEXT.split("|") if TEXT else []
        elif BROKEN == "two-bestmoves":
            out = [line, line]
        elif BROKEN == "late-clock" and "wtime" in state["go"]:
            time.sleep(2.5)
        elif BROKEN == "a-move-at-the-end" and "(none)" in line:
            out = ["bestmove a1a2"]
        elif BROKEN == "silent-at-the-end" and "(none)" in line:
            out = []
        return out
    return [line]


def from_engine():
    for line in engine.stdout:
        for answer in answers(line.rstrip("\n")):
            say(answer)


def drop(pattern, line):
    return re.sub(pattern, "", line)


def orders(line):
    """The lines that campmate gets for one of the client."""
    words = line.split()
    word = words[0] if words else ""
    known = ("uci", "isready", "setoption", "position", "go", "stop", "ponderhit", "quit", "debug",
             "ucinewgame")
    if BROKEN == "endless" and word == TEXT:
        talk_for_ever()
    if BROKEN == "strict" and line != line.strip():
        return []
    if BROKEN == "crash-on-unknown" and word not in known:
        leave(3)
    if BROKEN == "talks-back" and word not in known:
        say("bestmove e2e4")
    if word == "uci" and BROKEN == "crash-on-uci":
        leave(3)
    if word == "isready" and searching.is_set() and BROKEN == "deaf-in-search":
        state["kept"].append("readyok")
        return []
    if word == "isready" and searching.is_set() and BROKEN == "stops-for-isready":
        return ["stop", line]
    if word == "setoption":
        if words[2:3] == ["VariantPath"]:
            state["file"] |= words[-1] == "games.ini"
            return []
        if BROKEN == "refuses" and words[2:3] == ["Hash"]:
            say("info string error: option Hash: I do not like it")
        if BROKEN == "crash-on-setoption" and words[2:4] == ["Clear", "Hash"]:
            leave(3)
        if BROKEN == "crash-on-bad-value" and words[-1] == "abc":
            leave(3)
        if BROKEN == "crash-on-bad-option" and words[2:3] == ["No"]:
            leave(3)
        if BROKEN == "no-multipv" and words[2:3] == ["MultiPV"]:
            return []
    if word == "ucinewgame":
        state["newgames"] += 1
        if BROKEN == "crash-on-newgame" and state["newgames"] == 3:
            leave(3)
    if word == "position":
        state["position"] = line
        if BROKEN == "forgets-moves":
            return [drop(r" moves .*", line)]
        if BROKEN == "ignores-fen":
            return [re.sub(r" fen .*", " startpos", line)]
    if word == "go":
        state["go"], state["go_time"] = line, time.monotonic()
        searching.set()
        for limit in "nodes", "movetime", "wtime", "mate", "depth":
            if BROKEN == "ignores-" + limit and limit in words:
                return ["go infinite"]
        if BROKEN == "ignores-searchmoves":
            return [drop(r" searchmoves .*", line)]
        if BROKEN == "hasty-infinite" and "infinite" in words:
            return ["go depth 2"]
        if BROKEN == "hasty-when-won" and "infinite" in words and "fen" in state["position"]:
            return ["go depth 2"]
        if BROKEN == "hasty-ponder" and "ponder" in words:
            return ["go depth 2"]
    if word == "stop":
        if BROKEN == "ignores-stop":
            return []
        if BROKEN == "loses-early-stop" and time.monotonic() < state["go_time"] + 0.1:
            return []
        if BROKEN == "answers-each-stop" and not searching.is_set():
            say("bestmove e2e4")
        if BROKEN == "ignores-stop-of-ponder" and "ponder" in state["go"]:
            return []
    if word == "ponderhit" and BROKEN == "ignores-ponderhit":
        return []
    if word == "quit":
        if BROKEN == "ignores-quit" or BROKEN == "ignores-quit-in-search" and searching.is_set():
            return []
        if BROKEN == "quits-with-code":
            leave(3)
        leave()
    return [line]


if BROKEN == "early":
    say(TEXT)
if BROKEN == "endless" and TEXT == "start":
    talk_for_ever()
if BROKEN == "child":
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL)
threading.Thread(target=from_engine, daemon=True).start()
# No text mode: a carriage return has to arrive.
for raw in iter(sys.stdin.buffer.readline, b""):
    for order in orders(raw.decode().rstrip("\n")):
        tell(order)
if BROKEN == "ignores-eof" or BROKEN == "ignores-eof-in-search" and searching.is_set():
    time.sleep(60)
leave(4 if BROKEN == "ends-with-code" else 0)
