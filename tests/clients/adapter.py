# SPDX-License-Identifier: GPL-3.0-or-later
"""adapter.py - campmate behind uci2wb (Debian), as XBoard would talk to it: CECP, protocol 2."""

import queue
import re
import subprocess
import threading
import time


class Adapter:
    """One uci2wb with one campmate. uci2wb knows no rules: it passes on what both sides say."""

    def __init__(self, uci2wb, campmate):
        self.process = subprocess.Popen([uci2wb, campmate], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, bufsize=1)
        self.waiting = queue.Queue()
        self.pings = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.send("xboard", "protover 2")
        self.features = self.expect("feature .*done=1")

    def _read(self):
        for line in self.process.stdout:
            self.waiting.put(line.rstrip("\n"))
        self.waiting.put(None)

    def send(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            time.sleep(0.01)  # as from a person: uci2wb takes lines one at a time

    def expect(self, pattern, timeout=60):
        """Lines up to the first that matches, that one last."""
        found = []
        end = time.monotonic() + timeout
        while True:
            try:
                line = self.waiting.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {pattern!r} after {timeout} s; got {found}") from None
            if line is None:
                raise AssertionError(f"uci2wb ended before {pattern!r}; got {found}")
            found.append(line)
            if re.match(pattern, line):
                return found

    def sync(self):
        """What was said until all so far is done."""
        self.pings += 1
        self.send(f"ping {self.pings}")
        return self.expect(f"pong {self.pings}$")[:-1]

    def start_game(self, variant, depth):
        """The `setup` line by which the client learns the board."""
        self.send("new", f"variant {variant}")
        setup = [line for line in self.sync() if line.startswith("setup ")]
        self.send("st 1", f"sd {depth}")
        return setup[-1] if setup else None

    def go(self):
        """The engine's own move, and it goes on playing that side."""
        self.send("go")
        return self._own_move()

    def answer(self, move):
        """Plays the opponent's move; the engine's answer."""
        self.send(f"usermove {move}")
        return self._own_move()

    def _own_move(self):
        return self.expect("move |resign|1-0|0-1|1/2")[-1].removeprefix("move ")

    def close(self):
        self.send("quit")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
