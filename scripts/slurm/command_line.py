# SPDX-License-Identifier: GPL-3.0-or-later
"""command_line.py - what the commands of this directory have in common."""

import argparse
import math
import os
import shlex
import sys

from run import RunError, usage_error


class Parser(argparse.ArgumentParser):
    """One line about a mistake, exit code 2."""

    def error(self, message):
        raise usage_error(f"{message} (--help)")


def parser(text, **options):
    """The first line of a command's documentation is its summary, the rest stands at the end."""
    summary, _, details = text.partition("\n")
    return Parser(description=summary.split(" - ", 1)[1], epilog=details,
                  formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
                  **options)


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


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


def sbatch_options(text):
    """Checks that a shell could take the text apart; it is kept as it is."""
    try:
        shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text}: {str(error).lower()}") from None
    return text


def add_job_options(to):
    """Options of submit that repair can change. None = not given."""
    group = to.add_argument_group("jobs")
    group.add_argument("--partition", metavar="NAME", help="of all jobs")
    group.add_argument("--time", metavar="LIMIT",
                       help="of each job, as Slurm writes it (2:00:00); a task that reaches it is "
                       "queued again and goes on")
    group.add_argument("--cpus", metavar="N", type=positive, help="of each job: its threads")
    group.add_argument("--max-running", metavar="N", type=positive,
                       help="tasks that may run at the same time")
    group.add_argument("--sbatch", metavar="OPTIONS", type=sbatch_options,
                       help="more options of sbatch, one text")
    group.add_argument("--finish-sbatch", metavar="OPTIONS", type=sbatch_options,
                       help="the same for the last job only")
    group.add_argument("--rounds", metavar="N", type=positive,
                       help="rounds of submissions until shards that are still missing are an "
                       "error (4)")


def take_job_options(arguments, plan):
    """Into the plan, where they were given."""
    for option, key in (("partition", "partition"), ("time", "time"), ("cpus", "cpus-per-task"),
                        ("max_running", "most_running"), ("sbatch", "options"),
                        ("finish_sbatch", "finish_options")):
        value = getattr(arguments, option)
        if value is not None:
            plan["slurm"][key] = value
    if arguments.rounds is not None:
        plan["rounds_at_most"] = arguments.rounds
    plan["rounds_left"] = plan["rounds_at_most"]


class Output:
    """Standard output. That it could not be written is said once, at the end, with the reason; the
    work goes on, since jobs may have been submitted."""

    def __init__(self, stream):
        self.stream = stream
        self.error = None

    def write(self, text):
        self.attempt(self.stream.write, text)
        return len(text)

    def flush(self):
        self.attempt(self.stream.flush)

    def reconfigure(self, **options):
        self.stream.reconfigure(**options)

    def attempt(self, function, *arguments):
        if self.error is None:
            try:
                function(*arguments)
            except OSError as error:
                self.error = error
                # What is still buffered must not fail again when the interpreter ends.
                os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())


def run_main(name, main):
    """Ends the program: one line on standard error, and the exit code."""
    def say(message):
        print(f"scripts/slurm/{name}: {message}", file=sys.stderr)

    output = sys.stdout = Output(sys.stdout)
    try:
        code = main()
    except SystemExit as end:  # --help
        code = end.code or 0
    except RunError as error:
        say(error)
        code = error.code
    except OSError as error:
        say(error)
        code = 1
    except KeyboardInterrupt:
        code = 130
    output.flush()
    if output.error is not None:
        say(f"cannot write standard output: {output.error.strerror}")
        code = code or 1
    sys.exit(code)
