#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""packing_test.py - cmake/Tarball.cmake alone: the same files give the same bytes, whoever packs them.

tarball_test.py does it with whole builds, which takes long.
"""

import os
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "cmake/Tarball.cmake"


def pack(directory, umask):
    """Packs some files that were written under a umask; the tarball."""
    before = os.umask(umask)
    try:
        top = directory / "staged"
        for name, mode in ("lib/v3/campmate", 0o755), ("share/doc/README.md", 0o644):
            path = top / name
            path.parent.mkdir(parents=True)
            path.write_text(name)
            path.chmod(mode)  # as cmake --install does
        subprocess.run(["cmake", f"-DCPACK_PACKAGE_DIRECTORY={directory}",
                        "-DCPACK_PACKAGE_FILE_NAME=campmate-1", "-DCPACK_CAMPMATE_DATE=1700000000",
                        f"-DCPACK_TEMPORARY_DIRECTORY={top}", "-P", SCRIPT], check=True)
    finally:
        os.umask(before)
    return directory / "campmate-1.tar.xz"


class Packing(unittest.TestCase):
    def test_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as scratch:
            packed = []
            for name, umask in ("a", 0o022), ("another", 0o077), ("third", 0o002):
                (Path(scratch) / name).mkdir()
                packed.append(pack(Path(scratch) / name, umask))
            self.assertEqual(len({path.read_bytes() for path in packed}), 1)
            with tarfile.open(packed[1]) as archive:
                modes = {member.name: oct(member.mode) for member in archive}
            self.assertEqual(modes, {
                "campmate-1": "0o755", "campmate-1/lib": "0o755", "campmate-1/lib/v3": "0o755",
                "campmate-1/lib/v3/campmate": "0o755", "campmate-1/share": "0o755",
                "campmate-1/share/doc": "0o755", "campmate-1/share/doc/README.md": "0o644"})


if __name__ == "__main__":
    unittest.main()
