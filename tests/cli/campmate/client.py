# SPDX-License-Identifier: GPL-3.0-or-later
"""client.py - campmate in a child process, spoken to through pipes."""

import os
import queue
import re
import subprocess
import threading
import time

CAMPMATE = os.environ["CAMPMATE"]
# Sanitizers cost time and address space; limits that depend on these are loosened then.
SANITIZED = bool(os.environ.get("SANITIZED"))
SLOW = 10 if SANITIZED else 1

START = "rnbakqcnm/9/ppppppppp/9/9/9/PPPPPPPPP/9/MNCQKABNR[] w - - 0 1"


def run(*arguments, text="", **more):
    """One run of campmate to its end, with `text` on standard input."""
    return subprocess.run([CAMPMATE, *arguments], input=text, capture_output=True, text=True,
                          timeout=120, check=False, **more)


class Client:
    """A UCI engine; every line it prints is kept in `lines` as (seconds since start, text)."""

    def __init__(self, **more):
        self.process = subprocess.Popen([CAMPMATE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1, **more)
        self.lines = []
        self.waiting = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), line.rstrip("\n")))
            self.waiting.put(line.rstrip("\n"))
        self.waiting.put(None)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        """The end of input ends the engine in every state, with exit code 0."""
        try:
            self.process.stdin.close()
            code = self.process.wait(5 * SLOW)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self.process.kill()
            code = self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        if kind is None and code != 0:
            raise AssertionError(f"exit code {code} after the end of input")

    def send(self, *commands):
        for command in commands:
            self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def expect(self, pattern, timeout=20):
        """Lines up to the first that matches, that one last."""
        found = []
        end = time.monotonic() + timeout * SLOW
        while True:
            try:
                line = self.waiting.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {pattern!r} after {timeout} s; got {found}") from None
            if line is None:
                raise AssertionError(f"end of output before {pattern!r}; got {found}")
            found.append(line)
            if re.match(pattern, line):
                return found

    def ready(self):
        """What was printed until all commands so far were done."""
        self.send("isready")
        return self.expect("readyok$")[:-1]

    def go(self, arguments, timeout=20):
        """(info lines, bestmove) of a search."""
        self.send("go " + arguments)
        lines = self.expect("bestmove ", timeout)
        return lines[:-1], lines[-1].split()[1]

    def silent(self, seconds, pattern):
        """True if no line that matches comes within `seconds`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                line = self.waiting.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                return True
            if line is None or re.match(pattern, line):
                return False
        return True

    def finish(self, timeout=5):
        """Closes the input; the exit code."""
        self.process.stdin.close()
        return self.process.wait(timeout * SLOW)


def scores(lines):
    """The info lines with a score as dictionaries of their fields."""
    found = []
    for line in lines:
        words = line.split()
        if words[:1] != ["info"] or "score" not in words:
            continue
        fields = {"pv": []}
        if "pv" in words:
            at = words.index("pv")
            fields["pv"] = words[at + 1:]
            words = words[:at]
        at = words.index("score")
        fields["score"] = (words[at + 1], int(words[at + 2]))
        for name in ("depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time"):
            if name in words:
                fields[name] = int(words[words.index(name) + 1])
        if "wdl" in words:
            at = words.index("wdl")
            fields["wdl"] = [int(x) for x in words[at + 1:at + 4]]
        found.append(fields)
    return found
