# SPDX-License-Identifier: GPL-3.0-or-later
"""bench_test.py - the bench signature is the one on record, variant by variant.

usage: bench_test.py CAMPMATE bench.txt

After a change that is meant to alter play: `campmate bench`, then write its counts to bench.txt
(`variant nodes` a line, `total nodes` last) and quote the total in the commit as `Bench: <nodes>`.
"""

import re
import subprocess
import sys


def main():
    program, golden = sys.argv[1:]
    with open(golden, encoding="ascii") as lines:
        rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    expected = {name: int(nodes) for name, nodes in rows}
    done = subprocess.run([program, "bench"], capture_output=True, text=True, check=True)
    found = {name.lower(): int(nodes)
             for name, nodes in re.findall(r"(?m)^(\w+): (\d+) nodes", done.stdout)}
    wrong = [f"{name}: expected {expected.get(name)}, found {found.get(name)}"
             for name in sorted(expected.keys() | found.keys())
             if expected.get(name) != found.get(name)]
    print("\n".join(wrong) or done.stdout.strip())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
