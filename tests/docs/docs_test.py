#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs_test.py - runs the examples of a page and compares what they print.

    docs_test.py PAGE.md --build DIR     examples run in a scratch tree with the programs of a build
    docs_test.py PAGE.md --clone         ... in a fresh copy of the source tree, where they may build
    docs_test.py PAGE.md --clone --long  only those that take minutes

A comment in the page, on a line of its own, says what becomes of the block of code below it:

    <!-- test: run -->         lines behind "$ " are commands (all lines, where there is no "$ "), the
                               lines below each are what it prints
    <!-- test: stdin -->       the block is a dialogue: the first line is the command, then what is
                               typed up to a line "...", then what is printed
    <!-- test: long -->        as run, but only with --long
    <!-- test: skip, WHY -->   not run

Each block of a page that holds a command must have such a comment, or the test fails. Blocks run in
order, the directory stays from one to the next, and a command that does not end with exit code 0
fails, unless its comment ends in "exit N" (`<!-- test: run, exit 1 -->`).

In expected output a line "..." stands for any lines and "..." in a line for any text; times,
speeds and CPU seconds may differ. Everything else has to be as printed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PROGRAMS = ("campmate", "campmate-selfplay", "campmate-data", "campmate-tune", "campmate-match")
MARK = re.compile(r"<!-- test: (run|stdin|long|skip)(?:, (.*?))? -->$")
TIMEOUT = 3600
DIALOGUE_TIMEOUT = 60  # then a program that never said the last line is told that this was all

# Texts that differ from run to run and machine to machine; the first group is kept.
VARYING = [
    r"\d+(?:\.\d+)?(?= s\b)", r"\d+(?:\.\d+)?(?= CPU s\b)", r"\d+(?= searched plies per CPU second)",
    r"\d+\.\d+(?= ms of our own)", r"(?<=seconds )\d+\.\d+", r"(?<=nps )\d+", r"\d+(?= nps)",
    r"(?<=build: bench )\d+", # of all games: new weights of any of them change it; see golden_bench
    r"\d+(?= bytes, digest)", # a shard names the commit that made it
    r"(?<=time )\d+(?= )", r"\d+(?=-dirty)", r"(?<=commit )[0-9a-f]{12}",
]


class Mistake(Exception):
    """The page or what it promises is wrong."""


class Block:
    """A block of code: where it begins, its lines, and what the comment above it says."""

    def __init__(self, line, action, note):
        self.line, self.action, self.note, self.lines = line, action, note or "", []

    def has_command(self):
        return any(re.match(r"\$ |\./|(?:cmake|ctest|git|cp|cd|sed|scripts/\w+|campmate[-\w]*) ", x)
                   for x in self.lines)

    def exit_code(self):
        found = re.search(r"exit (\d+)$", self.note)
        return int(found.group(1)) if found else 0


def read_blocks(path):
    """The code blocks of a page, fenced or indented by four blanks."""
    blocks, mark, block, fence = [], None, None, False
    previous = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        found = MARK.match(line)
        if found:
            mark, block = found.groups(), None
        elif line.startswith("```"):
            fence = not fence
            block = None
            if fence:
                block = Block(number, *(mark or (None, "")))
                blocks.append(block)
                mark = None
        elif fence:
            block.lines.append(line)
        elif line.startswith("    ") and (block or not previous.strip() or MARK.match(previous)):
            if not block:
                block = Block(number, *(mark or (None, "")))
                blocks.append(block)
                mark = None
            block.lines.append(line[4:])
        elif line.strip():
            block = None
        elif block:
            block.lines.append("")
        previous = line
    for block in blocks:
        while block.lines and not block.lines[-1]:
            block.lines.pop()
    return blocks


def split_commands(lines):
    """[(command, expected lines)]; without a prompt all lines are commands without expectation."""
    prompted = any(line.startswith("$ ") for line in lines)
    commands, open_line = [], False
    for line in lines:
        if open_line:
            commands[-1][0] += "\n" + line
        elif not prompted:
            if line.strip():
                commands.append([line, None])
        elif line.startswith("$ "):
            commands.append([line[2:], []])
        elif commands:
            commands[-1][1].append(line)
        open_line = line.endswith("\\") and bool(commands) and not (prompted and commands[-1][1])
    return commands


def pattern_of(line):
    """A regular expression for one line of expected output."""
    marked = line
    for varying in VARYING:
        marked = re.sub(varying, "\0", marked)
    return "".join(".*" if part == "..." else r"[\d.]+" if part == "\0" else
                   r" +" if part.isspace() else re.escape(part)
                   for part in re.split(r"(\.\.\.|\0| +)", marked) if part)


def first_difference(expected, printed):
    """None if the printed lines fit the expected ones, else a text about the first that does not."""
    at, anything = 0, False
    for line in expected:
        if line == "...":
            anything = True
            continue
        pattern = re.compile(pattern_of(line) + " *$")
        start = at
        while at < len(printed) and anything and not pattern.match(printed[at]):
            at += 1
        if at == len(printed) or not pattern.match(printed[at]):
            got = printed[start] if start < len(printed) else "(nothing more)"
            return f"expected  {line}\nprinted   {got}"
        at, anything = at + 1, False
    if at < len(printed) and not anything:
        return f"expected  (nothing more)\nprinted   {printed[at]}"
    return None


class Shell:
    """Runs commands one after the other; the directory stays."""

    def __init__(self, directory, environment):
        self.directory, self.environment = directory, environment

    def run(self, command, typed="", last=None):
        """(exit code, lines printed on both outputs). What is typed comes to its end when a line
        that fits the pattern `last` was printed, at once without one."""
        with tempfile.NamedTemporaryFile("r") as place:
            script = f'cd "$DOCS_TEST_DIR" && {{ {command}\n}}; code=$?; pwd >"$DOCS_TEST_PWD"; exit $code'
            with subprocess.Popen(
                    ["bash", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True,
                    env={**self.environment, "DOCS_TEST_DIR": str(self.directory),
                         "DOCS_TEST_PWD": place.name}) as process:
                watchdog = threading.Timer(TIMEOUT, process.kill)
                patience = threading.Timer(DIALOGUE_TIMEOUT, process.stdin.close)
                watchdog.start()
                process.stdin.write(typed)
                process.stdin.flush()
                if last:
                    patience.start()
                else:
                    process.stdin.close()
                printed = []
                for line in process.stdout:
                    printed.append(line.rstrip("\n"))
                    if last and not process.stdin.closed and re.match(last, printed[-1]):
                        process.stdin.close()
                code = process.wait()
                watchdog.cancel()
                patience.cancel()
            self.directory = place.read().strip() or self.directory
        return code, printed


def run_block(shell, block):
    if block.action == "stdin":
        rest = block.lines[1:]
        if "..." not in rest:
            raise Mistake(f"line {block.line}: a dialogue needs a line ... before what is printed")
        split = rest.index("...")
        typed = "".join(line + "\n" for line in rest[:split])
        commands = [(block.lines[0].removeprefix("$ "), rest[split:], typed)]
    else:
        commands = [(*command, "") for command in split_commands(block.lines)]
    for command, expected, typed in commands:
        print(f"line {block.line}: {command}", flush=True)
        code, printed = shell.run(command, typed, pattern_of(expected[-1]) if typed else None)
        problem = None
        if code != block.exit_code():
            problem = f"exit code {code}, expected {block.exit_code()}"
        elif expected:
            problem = first_difference(expected, printed)
        if problem:
            shown = "\n".join("    " + line for line in printed[-60:])
            raise Mistake(f"line {block.line}: {command}\n{problem}\nit printed:\n{shown}")


def scratch_tree(directory, build):
    """What the examples name by relative paths: the programs, books, configurations, scripts."""
    programs = directory / "build/release/bin"
    programs.mkdir(parents=True)
    for program in PROGRAMS:
        (programs / program).symlink_to((build / "bin" / program).resolve())
    for name in ("data", "configs", "engine", "scripts", "docs"):
        (directory / name).symlink_to(SOURCE / name)


def copy_tree(directory):
    """A fresh clone of the commit with what is changed and not committed yet on top."""
    subprocess.run(["git", "clone", "-q", str(SOURCE), str(directory)], check=True)
    listed = subprocess.run(["git", "-C", str(SOURCE), "ls-files", "-z", "--others", "--modified",
                             "--exclude-standard"], check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (SOURCE / name).is_file():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, directory / name)
    for key, value in (("user.name", "Docs Test"), ("user.email", "docs-test@example.org")):
        subprocess.run(["git", "-C", str(directory), "config", key, value], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--clone", action="store_true")
    parser.add_argument("--long", action="store_true")
    asked = parser.parse_args()
    blocks = read_blocks(asked.page)
    for block in blocks:
        if block.action is None and block.has_command():
            raise Mistake(f"line {block.line}: no <!-- test: ... --> above an example")
    with tempfile.TemporaryDirectory(prefix="docs-test-") as scratch:
        top = Path(scratch) / "campmate"
        if asked.clone:
            copy_tree(top)
        else:
            scratch_tree(top, asked.build)
        shell = Shell(top, {**os.environ, "LC_ALL": "C", "COLUMNS": "100"})
        ran = 0
        for block in blocks:
            if block.action in (("long",) if asked.long else ("run", "stdin")):
                run_block(shell, block)
                ran += 1
        if not ran:
            raise Mistake("nothing to run")
        marked = sum(block.action is not None for block in blocks)
        print(f"{asked.page.name}: {ran} of {marked} examples ran")


if __name__ == "__main__":
    try:
        main()
    except Mistake as mistake:
        sys.exit(f"{sys.argv[1]}: {mistake}")
