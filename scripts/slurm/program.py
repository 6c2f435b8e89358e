# SPDX-License-Identifier: GPL-3.0-or-later
"""program.py - what all scripts have in common: one line about a mistake, --version, the exit code,
and a standard output that may be full.

It knows nothing else of this directory; scripts/train, scripts/report and scripts/ledger use it, too.
It is here since a run on a cluster takes a copy of the directory along.
"""

import argparse
import contextlib
import errno
import math
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

DONE, FAILED, USAGE = 0, 1, 2
TEXT_MOST, FILE_MOST = 1 << 24, 1 << 32  # bytes: of what somebody writes by hand; of any other
HERE = Path(__file__).resolve().parent


class UsageError(Exception):
    """A mistake of the caller: one line, exit 2."""


class Version(argparse.Action):
    """Looks for the commit only if somebody asks."""

    def __call__(self, parser, *_):
        print(version_of(self.const))
        parser.exit()


class Parser(argparse.ArgumentParser):
    """A mistake is a UsageError; with the `name` of the program there is --version."""

    def __init__(self, *arguments, name=None, **options):
        super().__init__(*arguments, allow_abbrev=False, **options)
        if name:
            self.add_argument("--version", action=Version, nargs=0, const=name,
                              help="show the version and exit")

    def error(self, message):
        raise UsageError(f"{message} (see --help)")


def number(kind, least, most=math.inf, above=False):
    """A parser of numbers from `least` (itself not, with `above`) to `most`; never nan or infinity."""
    def parse(text):
        try:
            value = kind(text)
            good = math.isfinite(value) and least <= value <= most and not (above and value == least)
        except (ValueError, OverflowError):
            good = False
        if not good:
            begin = f"above {least:,}" if above else f"from {least:,}"
            end = f" to {most:,}" if most != math.inf else "" if above else " on"
            raise argparse.ArgumentTypeError(
                f"{text}: expected a {'whole ' if kind is int else ''}number {begin}{end}")
        return value
    return parse


def read_text(path, most=FILE_MOST):
    """A text in UTF-8. OSError names a device, which may never end, and a file of more than `most`
    bytes."""
    with open(path, "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes", str(path))
    return content.decode("utf-8")


def source_commit():
    """Of the tree that these scripts are in; a copy elsewhere, even within a tree, has none."""
    found = []
    for words in (["ls-files", Path(__file__).name], ["rev-parse", "--short=12", "HEAD"]):
        with contextlib.suppress(OSError):
            done = subprocess.run(["git", "-C", str(HERE), *words], capture_output=True, text=True,
                                  check=False)
            found.append(done.stdout.strip() if done.returncode == 0 else "")
    return found[1] if len(found) == 2 and all(found) else "unknown"


def version_of(name):
    """NAME, the version of Campmate and the commit."""
    found = None
    with contextlib.suppress(OSError):
        found = re.search(r"^project\(.*?VERSION ([0-9.]+)",
                          (HERE.parent.parent / "CMakeLists.txt").read_text(encoding="utf-8"),
                          re.MULTILINE | re.DOTALL)
    return f"{name} {found[1] + ', ' if found else ''}commit {source_commit()}"


class Output:
    """Standard output. That it could not be written is said once, at the end, with the reason; the
    work goes on, since it may be worth more than what is said of it."""

    def __init__(self, stream):
        self.stream = stream
        self.error = None
        if stream is None:  # it was closed
            self.error = OSError(errno.EBADF, os.strerror(errno.EBADF))
            os.open(os.devnull, os.O_WRONLY)  # takes its place, so that no other file does

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def isatty(self):
        return self.stream is not None and self.stream.isatty()

    def write(self, text):
        self.attempt("write", text)
        return len(text)

    def flush(self):
        self.attempt("flush")

    def attempt(self, function, *arguments):
        if self.error is None:
            try:
                getattr(self.stream, function)(*arguments)
            except OSError as error:
                self.error = error
                # What is still buffered must not fail again when the interpreter ends.
                os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())


def run(name, main, failures=()):
    """Ends the program: one line on standard error, and the exit code. An exception of `failures`
    may have a `code` of its own, else it is 1."""
    def say(message):
        with contextlib.suppress(OSError):  # the terminal may have gone
            if sys.stderr is None:
                return
            print(f"{name}: {message}", file=sys.stderr)

    output = sys.stdout = Output(sys.stdout)
    try:
        code = main()
    except SystemExit as end:  # --help, --version
        code = end.code or DONE
    except UsageError as error:
        say(error)
        code = USAGE
    except tuple(failures) as error:
        say(error)
        code = getattr(error, "code", FAILED)
    except OSError as error:
        say(f"{error.filename}: {error.strerror}" if error.filename else error)
        code = FAILED
    except KeyboardInterrupt:
        code = 130
    output.flush()
    if output.error is not None:
        say(f"cannot write standard output: {output.error.strerror}")
        code = code or FAILED
    sys.exit(code)
