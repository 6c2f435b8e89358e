# SPDX-License-Identifier: GPL-3.0-or-later
"""files.py - files that are there as a whole or not at all, and the source tree they come from."""

import hashlib
import os
import shutil
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent.parent


def write_atomically(path, text):
    temporary = path.with_name(f"{path.name}.tmp.{os.getpid()}")
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def copy_atomically(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{target.name}.tmp.{os.getpid()}")
    shutil.copy2(source, temporary)
    os.replace(temporary, target)


def last_lines(path, count):
    return path.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]


def sha256_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
