#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""install_test.py - what `cmake --install` puts in place: programs, pages, completion, documents.

Pages and completion must say what the programs say: every option of every command is looked for.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = os.environ["BUILD"]
PROGRAMS = ("campmate", "campmate-selfplay", "campmate-data", "campmate-tune", "campmate-match")
FILES = ("doc/campmate/README.md", "doc/campmate/LICENSE", "doc/campmate/CHANGELOG.md",
         "doc/campmate/CONTRIBUTING.md", "doc/campmate/docs/glossary.md", "doc/campmate/data/FORMAT.md",
         "campmate/openings/mansindam.epd", "campmate/configs/train/quick.ini",
         "campmate/weights/shogun.h", "zsh/site-functions/_campmate")

scratch = tempfile.TemporaryDirectory()
TOP = Path(scratch.name)


def setUpModule():
    subprocess.run(["cmake", "--install", BUILD, "--prefix", TOP], check=True, capture_output=True)


def tearDownModule():
    scratch.cleanup()


def output(*command, **more):
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **more)
    if run.returncode:
        raise AssertionError(f"{command}: exit {run.returncode}: {run.stderr}")
    return run.stdout


def helps():
    """{(program, command...): its --help}."""
    found = {}
    for program in PROGRAMS:
        text = output(TOP / "bin" / program, "--help")
        found[(program,)] = text
        for command in re.findall(r"^  ([a-z]+)  +[a-z]", text, re.MULTILINE):
            found[(program, command)] = output(TOP / "bin" / program, command, "--help")
    return found


def options(text):
    return sorted(set(re.findall(r"^ {2,8}(?:-\w, )?(--[a-z0-9-]+)", text, re.MULTILINE)))


class Installed(unittest.TestCase):
    def test_files(self):
        for program in PROGRAMS:
            self.assertTrue(os.access(TOP / "bin" / program, os.X_OK), program)
        for name in FILES:
            self.assertTrue((TOP / "share" / name).is_file(), name)

    def test_enough_commands(self):
        self.assertGreater(len(helps()), 20)

    def test_help_is_readable(self):
        """Every --help begins with its usage and what the thing does, and has no line that is too long."""
        for words, text in helps().items():
            lines = text.splitlines()
            self.assertTrue(lines[0].startswith("Usage: " + " ".join(words)), words)
            self.assertRegex(lines[1], "^[A-Z]", words)
            for line in lines:
                if not line.strip().startswith("name="):  # one word that cannot be broken
                    self.assertLessEqual(len(line), 100, (words, line))

    def test_pages_say_what_help_says(self):
        for words, text in helps().items():
            page = (TOP / f"share/man/man1/{words[0]}.1").read_text()
            plain = re.sub(r"\\f[BIR]", "", page.replace("\\-", "-").replace("\\&", "")).replace("\\e", "\\")
            for option in options(text):
                self.assertRegex(plain, re.escape(option) + r"\b", words)
            if len(words) > 1:
                self.assertIn(f'.SH "COMMAND {words[1].upper()}"\n', plain)
                for line in text.splitlines():
                    self.assertIn(line.strip(), plain, words)

    @unittest.skipUnless(shutil.which("man"), "no man")
    def test_pages_are_well_formed(self):
        for program in PROGRAMS:
            run = subprocess.run(["man", "--warnings", "-l", TOP / f"share/man/man1/{program}.1"],
                                 env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"},
                                 capture_output=True, text=True, timeout=60, check=False)
            # A word that is longer than a line cannot be helped.
            said = [line for line in run.stderr.splitlines() if "cannot adjust line" not in line]
            self.assertEqual((said, run.returncode), ([], 0), program)
            self.assertIn("COMMAND" if program == "campmate-data" else "NAME", run.stdout)


class Completion(unittest.TestCase):
    def bash(self, *words):
        script = f"""
            PATH={TOP}/bin:$PATH
            . {TOP}/share/bash-completion/completions/{words[0]}
            COMP_WORDS=({' '.join(f"'{word}'" for word in words)})
            COMP_CWORD={len(words) - 1}
            _campmate {words[0]}
            printf '%s\\n' "${{COMPREPLY[@]}}" """
        return sorted(output("bash", "-c", script).split())

    def zsh(self, *words):
        script = f"""
            PATH={TOP}/bin:$PATH
            compadd() {{ print -rl -- "${{(P)2[@]}}" }}
            _files() {{ print FILES }}
            complete_it() {{
                local CURRENT={len(words)}
                local -a words
                words=({' '.join(f"'{word}'" for word in words)})
                . {TOP}/share/zsh/site-functions/_campmate
            }}
            complete_it"""
        return sorted(output("zsh", "-f", "-c", script).split())

    def check(self, complete, filters):
        for words, text in helps().items():
            self.assertEqual(complete(*words, "-"), options(text), words)
            listed = re.findall(r"^  ([a-z]+)  +[a-z]", text, re.MULTILINE)
            if len(words) == 1 and listed:
                self.assertEqual(complete(*words, ""), sorted(listed))
        variants = output(TOP / "bin/campmate", "--version").split("variants  ")[1].split("\n")[0]
        self.assertEqual(complete("campmate-selfplay", "--variant", ""), sorted(variants.split(", ")))
        self.assertEqual(complete("campmate-match", "--tournament", ""),
                         ["gauntlet", "match", "roundrobin"])
        self.assertEqual(complete("campmate-match", "--order", ""), ["random", "sequential"])
        self.assertEqual(complete("campmate-data", "export", "--format", ""),
                         ["fen", "jsonl", "pgn", "plain"])
        if filters:
            self.assertEqual(complete("campmate-match", "--tournament", "=", "g"), ["gauntlet"])
            self.assertEqual(complete("campmate-match", "--tournament", "="),
                             ["gauntlet", "match", "roundrobin"])
            self.assertEqual(complete("campmate-data", "s"), ["salvage", "sample", "show", "split", "stat"])

    def test_bash(self):
        self.check(self.bash, True)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        self.check(self.zsh, False)  # zsh itself picks what fits
        self.assertEqual(self.zsh("campmate-data", "stat", ""), ["FILES"])


if __name__ == "__main__":
    unittest.main()
