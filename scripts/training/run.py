# SPDX-License-Identifier: GPL-3.0-or-later
"""run.py - a run's directory: its lock, its state, and how a step is done exactly once.

A step is recorded in state.json when it is finished; all that is done in it can be done again from
its beginning or goes on where it was. So a run may be stopped or killed at any time.
"""

import contextlib
import fcntl
import json
import os
import re
import sys
import time
from pathlib import Path

from slurm.program import DONE, source_commit

from . import ledger
from .children import Children
from .config import changes
from .errors import Interrupted, StepFailed, UsageError
from .files import last_lines, remove_leftovers, write_atomically
from .history import VERSION, name_of, now, read_state, write_state
from .records import records
from .summary import headline

UNDECIDED = 3  # of campmate-match
LEDGER_WAIT = 10  # seconds for another writer
# Section -> which steps use it: a fit that failed left nothing, the others have begun something.
USED_BY = {"selfplay": ("attempts", "self-play"), "tune": ("steps", "tune"),
           "match": ("attempts", "match"), "book": ("attempts", "book"),
           "gauntlet": ("attempts", "gauntlet")}


class Run:
    def __init__(self, directory, config, ledger_path, threads=0, quiet=False):
        self.directory = directory
        self.config = config
        self.ledger_path = ledger_path
        self.threads = threads
        self.quiet = quiet
        self.children = Children()
        self.variant = config.train["variant"]
        self.state = {}
        self.ledger_trouble = None

    # -- state --

    def open(self):
        """Takes the run's lock and reads its state, or begins one."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self.lock = open(self.directory / "lock", "a+", encoding="utf-8")
        except OSError as error:
            raise StepFailed(f"{self.directory}: {error.strerror}") from None
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StepFailed(f"{self.directory}: in use by another process") from None
        # Should this script be killed, compilers and games may go on for a while: they hold the
        # lock too, and the next run does not start beside them in the same files.
        self.children.inherited = (self.lock.fileno(),)
        remove_leftovers(self.directory)
        state = read_state(self.directory)
        if state is None:
            self._begin()
        else:
            self._go_on(state)
        self.record()

    def _begin(self):
        others = [p.name for p in self.directory.iterdir()
                  if p.name != "lock" and not re.fullmatch(r"(state\.json|config\.ini)\.tmp\.\d+|"
                                                           r"config\.ini", p.name)]
        if others:
            raise StepFailed(f"{self.directory}: not empty and not a run of this script")
        if self.config.train["seed"] == 0:
            self.config.train["seed"] = 1 + int.from_bytes(os.urandom(6), "big")
        self.state = {"version": VERSION, "run": f"{self.directory.name}-{os.urandom(4).hex()}",
                      "config": self.config.text(), "commit": source_commit(), "began": now(),
                      "steps": {}, "attempts": {}}
        self._save_config()

    def _go_on(self, state):
        self.state = state
        if self.config.train["seed"] == 0:  # drawn when the run began
            drawn = re.search(r"^seed = ([0-9]+)$", state["config"], re.MULTILINE)
            self.config.train["seed"] = int(drawn.group(1))
        pulse = self._last_pulse()
        for name, attempts in state["attempts"].items():
            for attempt in attempts:
                if attempt["status"] == "running":  # its process is gone: we have its lock
                    attempt["status"] = "killed"
                    if (pulse.get("step"), pulse.get("attempt")) == (name, len(attempts)):
                        attempt.update(seconds=pulse["seconds"], cpu_seconds=pulse["cpu_seconds"])
        asked = self.config.text()
        if state["steps"]:  # nothing done yet: a corrected configuration is welcome
            changed = changes(state["config"], asked)
            fixed = [text for section, text in changed if self._is_used(section)]
            if fixed:
                raise UsageError(f"{self.directory} was begun with another configuration: "
                                 f"{', '.join(fixed)}; go on with the old one, which is "
                                 f"{self.directory}/config.ini, or choose another --out")
            if not changed:
                self.take_config()
        else:
            self.take_config()
        if state["commit"] != source_commit():
            self.say(f"note: the run began with commit {state['commit']}, "
                     f"this is {source_commit()}; later steps use the new sources")

    def _is_used(self, section):
        """Has anything been done with the options of that section?"""
        if section not in USED_BY:
            return True
        where, kind = USED_BY[section]
        return any(kind in name.split() for name in self.state[where])

    def take_config(self):
        self.state["config"] = self.config.text()
        self._save_config()

    def _last_pulse(self):
        """What a step had taken when it was last looked at: all that is known of a killed one."""
        with contextlib.suppress(OSError, ValueError):
            found = json.loads((self.directory / "pulse.json").read_text(encoding="utf-8"))
            if isinstance(found, dict) and {"seconds", "cpu_seconds"} <= found.keys():
                return found
        return {}

    def _save_config(self):
        write_atomically(self.directory / "config.ini", self.state["config"])
        self.save()

    def save(self):
        write_state(self.directory, self.state)

    def record(self):
        """The run's own lines, and what is new of them into the ledger."""
        lines = [*records(self.directory, self.state), *self.cluster_records()]
        write_atomically(self.directory / "ledger.jsonl", ledger.lines(lines))
        try:
            with ledger.Writer(self.ledger_path, LEDGER_WAIT) as book:
                book.add(lines)
            self.ledger_trouble = None
        except ledger.LedgerError as error:  # not worth a night of games
            if str(error) != self.ledger_trouble:
                print(f"scripts/train: the ledger is left behind for now: {error}; the lines are "
                      f"in {self.directory / 'ledger.jsonl'}", file=sys.stderr)
            self.ledger_trouble = str(error)

    def cluster_records(self):
        """What tasks on a cluster have written down."""
        return [record for path in sorted(self.directory.glob("gen*/tasks.jsonl"))
                for _, record in ledger.read(path)]

    def say(self, text):
        if not self.quiet:
            print(text, flush=True)

    def step(self, name, work, built_by=None):
        """The result of a step: from the state if it is done already, else by doing it. `built_by`
        has commit and compiler of the programs that do it."""
        done = self.state["steps"].get(name)
        if done is not None:
            return done["result"]
        self.children.check()
        if sys.stdout.isatty():
            self.say(f"{name} ...")
        attempt = {"status": "running", "began": now(), "host": os.uname().nodename,
                   **{key: (built_by or {}).get(key) for key in ("commit", "compiler")}}
        self.state["attempts"].setdefault(name, []).append(attempt)
        self.state.pop("ended", None)
        self.save()
        self.record()
        began, cpu = time.monotonic(), self.children.cpu_seconds
        status, number = "failed", len(self.state["attempts"][name])
        self.children.pulse = lambda cpu_now: write_atomically(
            self.directory / "pulse.json", json.dumps(
                {"step": name, "attempt": number, "seconds": round(time.monotonic() - began, 2),
                 "cpu_seconds": round(cpu_now - cpu, 2)}) + "\n")
        try:
            result = work()
            status = "done"
        except Interrupted:
            status = "interrupted"
            raise
        finally:
            attempt.update(status=status, seconds=round(time.monotonic() - began, 2),
                           cpu_seconds=round(self.children.cpu_seconds - cpu, 2))
            if status == "done":
                for key in ("commit", "compiler"):
                    attempt[key] = attempt[key] or result.get(key)
                self.state["steps"][name] = self._sum(name, result)
            self.save()
            self.record()
        self.say(f"{name}: {headline(result)}{self.state['steps'][name]['seconds']:.0f} s")
        return result

    def _sum(self, name, result):
        """Of all attempts, as far as their time is known."""
        attempts = self.state["attempts"][name]
        return {"result": result,
                **{key: round(sum(attempt.get(key) or 0 for attempt in attempts), 2)
                   for key in ("seconds", "cpu_seconds")}}

    # -- places --

    def generation(self, number):
        path = self.directory / name_of(number)
        path.mkdir(exist_ok=True)
        return path

    def program(self, name):
        return str(self.directory / "tools" / name)

    def seed(self, generation, step):
        """Different for each use, the same in each repetition of the run."""
        return (self.config.train["seed"] + 1000 * generation + step) % 2**53

    # -- commands --

    def tool(self, words, out, accept=(DONE,)):
        """Runs one of our programs with --json; its result."""
        # On a terminal the tool's own progress is worth seeing; elsewhere it prints none.
        log = None if sys.stderr.isatty() else out.with_suffix(".log")
        code = self.children.run(words, out, log)
        if code not in accept:
            said = "" if log is None else "".join(f": {line}" for line in last_lines(log, 1))
            raise StepFailed(f"{Path(words[0]).name} failed with exit code {code}{said}; "
                             f"the command was: {' '.join(words)}")
        try:
            return json.loads(out.read_text(encoding="utf-8"))
        except ValueError:
            raise StepFailed(f"{Path(words[0]).name} printed no JSON; see {out}") from None

    def make(self, words, log):
        if self.children.run(words, log, log) != 0:
            raise StepFailed("\n".join([f"{words[0]} failed, see {log}:"] + last_lines(log, 25)))


def is_running(directory):
    """Does a process hold the run's lock?"""
    with contextlib.suppress(OSError), open(directory / "lock", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
