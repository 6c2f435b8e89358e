# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster.py - self-play of a generation on a Slurm cluster, by scripts/slurm.

The games are the same as those of the best build on this machine, so everything else of the loop
does not notice. The run's directory has to be on a file system that all nodes share.
"""

import json
import shutil

from .errors import StepFailed
from .files import REPO, copy_atomically, last_lines, write_atomically
from .history import name_of

SCRIPTS = REPO / "scripts" / "slurm"
OPTIONS = {"partition": "--partition", "time": "--time", "cpus": "--cpus",
           "max-running": "--max-running", "shards-per-task": "--shards-per-task",
           "rounds": "--rounds", "sbatch": "--sbatch", "finish-sbatch": "--finish-sbatch"}
POLL_SECONDS = 10


def play_on_cluster(run, number, best, data):
    """Submits the games of a generation, or waits for those that were submitted before, and puts
    the dataset at `data`."""
    place = run.generation(number) / "cluster"
    logs = run.generation(number)
    if not (place / "run.json").exists():
        shutil.rmtree(place, ignore_errors=True)  # killed before anything was submitted
        _call(run, ["submit", *_submit_words(run, number, best, place)], logs / "submit.log")
    repaired = False
    while not (place / "summary.json").exists():
        facts = _status(run, place, logs / "status.log")
        if not facts["jobs"] and not (place / "summary.json").exists():
            # Ended without a result: killed while it was submitted, stopped, or out of rounds.
            if repaired:
                raise StepFailed(f"{place}: the jobs ended without a dataset: "
                                 f"{facts.get('missing', '?')} shards are missing; see {place}/logs")
            _call(run, ["repair", str(place)], logs / "repair.log")
            repaired = True
        elif facts["jobs"]:
            repaired = False
        run.children.sleep(int(run.config.slurm.get("poll", POLL_SECONDS)))
    _collect_lines(place, run.generation(number) / "tasks.jsonl")
    fresh = data.with_name(f"{data.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(place / "games", fresh)
    fresh.rename(data)


def _submit_words(run, number, best, place):
    settings = run.generation(number) / "selfplay.ini"
    write_atomically(settings, f"variant = {run.variant}\n" + "".join(
        f"{flag[2:].replace('=', ' = ', 1)}\n" for flag in run.config.flags("selfplay")
        if not flag.startswith("--games=")))
    programs = run.generation(number) / "programs"
    build = run.generation(best) / "bin" / "campmate-selfplay"
    for source in (build, run.directory / "tools" / "campmate-data",
                   run.directory / "tools" / "campmate-tune"):
        copy_atomically(source, programs / source.name)
    words = ["--config", str(settings), "--games",
             run.config.tools["selfplay"].get("games", "1000"), "--seed", str(run.seed(number, 1)),
             "--out", str(place), "--bin", str(programs), "--no-tune",
             "--ledger", f"{run.state['run']}/{name_of(number)}"]
    return words + [f"{OPTIONS[key]}={value}" for key, value in run.config.slurm.items()
                    if key in OPTIONS]


def _call(run, words, log):
    code = run.children.run([str(SCRIPTS / words[0]), *words[1:]], log, log)
    if code != 0:
        raise StepFailed(f"scripts/slurm/{words[0]} failed with exit code {code}: "
                         + "; ".join(last_lines(log, 1)))


def _status(run, place, log):
    out = log.with_suffix(".json")
    code = run.children.run([str(SCRIPTS / "status"), "--json", str(place)], out, log)
    if code != 0:
        raise StepFailed(f"scripts/slurm/status failed with exit code {code}: "
                         + "; ".join(last_lines(log, 1)))
    return json.loads(out.read_text(encoding="utf-8"))


def _collect_lines(place, target):
    """The lines of all jobs for the ledger, in one file."""
    paths = [*sorted((place / "parts").glob("*/ledger.jsonl")), *place.glob("finish.jsonl")]
    write_atomically(target, "".join(path.read_text(encoding="utf-8") for path in paths))
