# SPDX-License-Identifier: GPL-3.0-or-later
"""files.py - files that are there as a whole or not at all, and the source tree they come from."""

import contextlib
import hashlib
import os
import re
import shutil
from pathlib import Path

# Where a run writes, within its directory.
LEFTOVERS = ("", "tools/", "logs/", "accepted/", "gen*/", "gen*/bin/", "gen*/include/weights/",
             "material/*/")
REPO = Path(__file__).resolve().parent.parent.parent


def write_atomically(path, text):
    temporary = path.with_name(f"{path.name}.tmp.{os.getpid()}")
    with _named(path, temporary):
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)


@contextlib.contextmanager
def _named(path, temporary):
    """A full disk is an error of `path`, and leaves nothing behind."""
    try:
        yield
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None


def remove_leftovers(directory):
    """Temporary files of processes that were killed; the caller knows that none of them lives."""
    for place in LEFTOVERS:
        for path in directory.glob(f"{place}*.tmp.*"):
            if re.search(r"\.tmp\.\d+(\.\d+)?$", path.name) and path.is_file():
                path.unlink(missing_ok=True)


def copy_atomically(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{target.name}.tmp.{os.getpid()}")
    try:
        shutil.copy2(source, temporary)
        os.replace(temporary, target)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def last_lines(path, count):
    return path.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]


def sha256_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
