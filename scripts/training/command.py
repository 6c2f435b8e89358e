# SPDX-License-Identifier: GPL-3.0-or-later
"""command.py - the command line of scripts/train."""

import argparse
import calendar
import json
import os
import sys
import time
from pathlib import Path

from slurm import program

from .config import GAUNTLET_KEYS, SLURM_KEYS, TRAIN_KEYS, Config
from .errors import Interrupted, StepFailed, UsageError
from .files import REPO
from .history import best_of, read_state
from .loop import Loop
from .run import is_running
from .summary import status

BYTES_PER_GAME = 80  # of a dataset; 40 to 80 in the five games


def keys_text(keys):
    return "\n".join(f"  {key:<12} {text}" + (f" (default {default})" if default != "" else "")
                     for key, (_, default, text) in keys.items())


def parse_arguments(argv):
    parser = program.Parser(
        prog="scripts/train", name="scripts/train",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="The closed loop: self-play, tune, rebuild, match, accept or reject.",
        epilog=f"keys of [train] in the configuration:\n{keys_text(TRAIN_KEYS)}\n\n"
               f"keys of [gauntlet], beside options of campmate-match:\n{keys_text(GAUNTLET_KEYS)}"
               "\n\n[slurm] plays the games on a cluster; its keys are options of "
               f"scripts/slurm/submit:\n  {', '.join(SLURM_KEYS)}\n\n"
               "[selfplay], [tune], [match] hold options of campmate-selfplay, campmate-tune and\n"
               "campmate-match, [book] those of `campmate-data book`, which makes the openings of\n"
               "the matches unless [match] names a file. A run that was stopped goes on when the\n"
               "command is repeated, also with more --generations or another --until.\n\n"
               "exit codes: 0 done, 1 failed, 2 usage, 129, 130 or 143 interrupted")
    add = parser.add_argument
    add("--config", metavar="FILE", help="configuration (see configs/train/)")
    add("--out", metavar="DIR", help="directory of the run (default runs/NAME-OF-CONFIG)")
    add("--resume", action="store_true", help="only go on with a run that is there already")
    add("--status", action="store_true", help="show how far the run is, and do nothing")
    add("--dry-run", action="store_true", help="print the effective configuration and the work")
    add("--seed", type=int, metavar="N", help="random seed, 0 = drawn")
    add("--generations", type=int, metavar="N", help="how many times round the loop")
    add("--until", metavar="WHAT", action="append",
        help="elo=X: the best build is X Elo above the first weights; hours=X: of work; "
             "generations=N; may be given more than once, the first that is reached ends the run "
             "after its generation")
    add("--threads", type=program.number(int, 0, 512), default=0, metavar="N",
        help="threads, 0 = all cores (default 0); does not change the games")
    add("--ledger", metavar="FILE", help="the ledger (default ledger.sqlite beside the run)")
    add("--json", action="store_true", help="print the result as JSON on standard output")
    arguments = parser.parse_args(argv)
    if not arguments.config and not (arguments.status and arguments.out):
        parser.error("--config is missing")
    if "" in (arguments.out, arguments.config, arguments.ledger):
        parser.error("an empty name, expected a path")
    if arguments.out is None:
        arguments.out = str(REPO / "runs" / Path(arguments.config).stem)
    arguments.until = ",".join(arguments.until) if arguments.until else None
    return arguments


def seconds_since(moment):
    return time.time() - calendar.timegm(time.strptime(moment, "%Y-%m-%dT%H:%M:%SZ"))


def show_status(directory, as_json):
    state = read_state(directory)
    if state is None:
        raise UsageError(f"{directory}: no run here")
    running = is_running(directory)
    if as_json:
        best = best_of(state)
        print(json.dumps({"running": running, "finished": "ended" in state,
                          "best": best.number if best else None, **state}))
    else:
        print(status(directory, state, running, seconds_since))


def size_text(size):
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(size, 1e5) / 1e6:.1f} MB"


def dry_run(directory, config, threads):
    print(config.text(), end="")
    generations = config.train["generations"]
    games = int(config.tools["selfplay"].get("games", 1000))
    limit = config.tools["match"]["games"]
    cores = threads or len(os.sched_getaffinity(0))
    print(f"\nrun directory  {directory}\n"
          f"builds         {generations + 2} (all programs once, then the engine for each header)\n"
          f"self-play      {generations} x {games} games "
          + ("on the cluster" if config.slurm is not None else f"on {cores} threads")
          + f", about {size_text(generations * games * BYTES_PER_GAME)}\n"
          f"matches        {generations}, at most {limit} games each")
    if config.gauntlet:
        print(f"gauntlets      {generations // config.gauntlet['every']}, "
              f"{config.tools['gauntlet']['games']} games for each of up to "
              f"{config.gauntlet['opponents'] + bool(config.gauntlet['engine'])} opponents")


def run(argv):
    arguments = parse_arguments(argv)
    directory = Path(arguments.out).resolve()
    if arguments.status:
        show_status(directory, arguments.json)
        return program.DONE
    config = Config(arguments.config, {"seed": arguments.seed, "until": arguments.until,
                                       "generations": arguments.generations})
    if arguments.dry_run:
        dry_run(directory, config, arguments.threads)
        return program.DONE
    if arguments.resume and read_state(directory) is None:
        raise UsageError(f"--resume: no run in {directory}")
    ledger = Path(arguments.ledger).resolve() if arguments.ledger else \
        directory.parent / "ledger.sqlite"
    loop = Loop(directory, config, ledger, arguments.threads, arguments.json)
    loop.open()
    loop.say(f"run directory {directory}")
    best = loop.loop()
    report = directory / "summary.txt"
    if arguments.json:
        print(json.dumps({"best": best, "summary": str(report), **loop.state}))
    else:
        print(report)
    return program.DONE


def main():
    program.run("scripts/train", lambda: run(sys.argv[1:]), (StepFailed, Interrupted))
