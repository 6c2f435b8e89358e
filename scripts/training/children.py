# SPDX-License-Identifier: GPL-3.0-or-later
"""children.py - the programs that a run starts: one at a time, and none is left behind."""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import time

from .errors import Interrupted, StepFailed
from .files import REPO


PULSE_SECONDS = float(os.environ.get("CAMPMATE_PULSE_SECONDS", 2))


def session_seconds(leader):
    """CPU seconds so far of all processes of a session: a child and whatever it has started."""
    ticks = 0
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, IndexError, ValueError):
            with open(f"/proc/{entry.name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            if int(fields[3]) == leader:
                ticks += sum(map(int, fields[11:15]))  # its own, and of children that have ended
    return ticks / os.sysconf("SC_CLK_TCK")


class Children:
    """Runs one child at a time, passes signals on to it, and never leaves it behind.
    `cpu_seconds` is what all of them took so far. While a child runs, `pulse` is called now and
    then with that and what the child has taken until then."""

    def __init__(self):
        self.child = None
        self.signal = 0
        self.cpu_seconds = 0.0
        self.inherited = ()  # file descriptors that every child keeps open
        self.pulse = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN or number != signal.SIGHUP:  # nohup
                signal.signal(number, self._on_signal)
        self.libc = ctypes.CDLL(None, use_errno=True)

    def _on_signal(self, number, _frame):
        again = self.signal != 0
        self.signal = self.signal or number
        if self.child is not None:
            try:  # the first signal lets the child save; the second one does not wait for that
                os.killpg(self.child, signal.SIGKILL if again else number)
            except ProcessLookupError:
                pass
        elif again:
            os._exit(128 + number)

    def _prepare(self):
        pr_set_pdeathsig = 1  # should this script be killed, the child is told to stop
        self.libc.prctl(pr_set_pdeathsig, signal.SIGTERM)

    def check(self):
        if self.signal:
            raise Interrupted(self.signal)

    def sleep(self, seconds):
        """Waits, but not after a signal."""
        end = time.monotonic() + seconds
        while not self.signal and time.monotonic() < end:
            time.sleep(min(0.2, seconds))
        self.check()

    def _feel_pulse(self, pid):
        """Returns when the child has ended."""
        with contextlib.suppress(OSError):  # no such call here: then nobody learns how it goes
            descriptor = os.pidfd_open(pid)
            try:
                while not select.select([descriptor], [], [], PULSE_SECONDS)[0]:
                    if self.pulse:
                        self.pulse(self.cpu_seconds + session_seconds(pid))
            finally:
                os.close(descriptor)

    def run(self, words, out, log=None):
        """Runs a command with standard output in the file `out` and standard error in `log` (None:
        where ours goes); its exit code."""
        self.check()
        with contextlib.ExitStack() as files:
            stdout = files.enter_context(open(out, "wb"))
            if log is None:
                stderr = None
            else:
                stderr = stdout if log == out else files.enter_context(open(log, "wb"))
            try:
                process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, cwd=REPO,
                    start_new_session=True, preexec_fn=self._prepare,
                    pass_fds=self.inherited)
            except OSError as error:
                raise StepFailed(f"cannot run {words[0]}: {error.strerror}") from None
            self.child = process.pid
            if self.signal:  # arrived while the child was being started
                os.killpg(process.pid, self.signal)
            self._feel_pulse(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            self.child = None
            process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu_seconds += usage.ru_utime + usage.ru_stime
        self.check()
        return process.returncode
