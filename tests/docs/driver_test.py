#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""driver_test.py - docs_test.py notices pages that are wrong."""

import tempfile
import unittest
import unittest.mock
from pathlib import Path

import docs_test


def outcome(text):
    """None if a page's examples are right, else what is said about it."""
    with tempfile.TemporaryDirectory() as scratch:
        page = Path(scratch) / "page.md"
        page.write_text(text)
        shell = docs_test.Shell(scratch, {"PATH": "/usr/bin:/bin"})
        try:
            for block in docs_test.read_blocks(page):
                if block.action is None and block.has_command():
                    return "no comment"
                if block.action in ("run", "stdin"):
                    docs_test.run_block(shell, block)
        except docs_test.Mistake as mistake:
            return str(mistake)
    return None


RUN = "<!-- test: run -->\n\n"


class Driver(unittest.TestCase):
    def test_right_output(self):
        self.assertIsNone(outcome(RUN + "    $ printf 'a\\nb 7\\n'\n    a\n    b 7\n"))
        self.assertIsNone(outcome(RUN + "    $ seq 5\n    1\n    ...\n    5\n"))
        self.assertIsNone(outcome(RUN + "    $ seq 5\n    ...\n"))
        self.assertIsNone(outcome(RUN + "    $ echo one two three\n    one ... three\n"))
        self.assertIsNone(outcome(RUN + "    $ echo time 12.5 s, 3 CPU s\n    time 1.1 s, 4 CPU s\n"))

    def test_wrong_output(self):
        for printed, expected in (("seq 2", "1"), ("seq 2", "1\n    2\n    3"), ("seq 2", "2\n    1"),
                                  ("echo digest 12ab", "digest 12ac"), ("echo 5 games", "6 games"),
                                  ("seq 3", "...\n    4")):
            self.assertIn("expected", outcome(RUN + f"    $ {printed}\n    {expected}\n"))

    def test_exit_codes(self):
        self.assertIn("exit code 1", outcome(RUN + "    $ false\n"))
        self.assertIsNone(outcome("<!-- test: run, exit 1 -->\n\n    $ false\n"))
        self.assertIn("exit code 0", outcome("<!-- test: run, exit 1 -->\n\n    $ true\n"))

    def test_directory_stays(self):
        self.assertIsNone(outcome(RUN + "    mkdir inner\n    cd inner\n\ntext\n\n" + RUN +
                                  "    $ basename \"$PWD\"\n    inner\n"))

    def test_several_lines(self):
        self.assertIsNone(outcome(RUN + "    $ echo a \\\n        b\n    a b\n"))

    def test_dialogue(self):
        page = "<!-- test: stdin -->\n\n    $ cat\n    hello\n    ...\n    {}\n"
        self.assertIsNone(outcome(page.format("hello")))
        with unittest.mock.patch.object(docs_test, "DIALOGUE_TIMEOUT", 0.2):
            self.assertIn("expected  goodbye", outcome(page.format("goodbye")))  # which never comes

    def test_unmarked_example(self):
        self.assertEqual(outcome("    $ rm -r everything\n"), "no comment")
        self.assertEqual(outcome("```\n./run\n```\n"), "no comment")
        self.assertIsNone(outcome("    no command, just a figure\n"))
        self.assertIsNone(outcome("<!-- test: skip, why -->\n\n    $ rm -r everything\n"))


if __name__ == "__main__":
    unittest.main()
