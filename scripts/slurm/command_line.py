# SPDX-License-Identifier: GPL-3.0-or-later
"""command_line.py - what the commands of this directory have in common."""

import argparse
import shlex
import sys
from pathlib import Path

import program
from run import RunError


def parser(text, **options):
    """The first line of a command's documentation is its summary, the rest stands at the end."""
    summary, _, details = text.partition("\n")
    return program.Parser(description=summary.split(" - ", 1)[1], epilog=details,
                          formatter_class=argparse.RawDescriptionHelpFormatter,
                          name=f"scripts/slurm/{Path(sys.argv[0]).name}", **options)


number = program.number
positive = number(int, 1)


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


def run_main(name, main):
    program.run(f"scripts/slurm/{name}", main, (RunError,))
