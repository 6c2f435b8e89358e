# SPDX-License-Identifier: GPL-3.0-or-later
"""rounds.py - submits one round: an array for the missing shards, and the job that depends on it.

The last job starts when all tasks of the round have ended, however they ended (afterany): after
afterok, one lost node among a thousand would leave nobody to look after the rest. It submits the
next round itself if shards are missing.
"""

import contextlib
import shlex
import time

import slurm
from run import RunError


def job_options(plan, kind):
    """The user's options for sbatch. What stands later wins."""
    options = []
    for name in ("partition", "time", "cpus-per-task"):
        if plan["slurm"].get(name):
            options.append(f"--{name}={plan['slurm'][name]}")
    options += shlex.split(plan["slurm"]["options"])
    if kind == "finish":
        options += shlex.split(plan["slurm"]["finish_options"])
    return options


def submit_array(run, name, offset, count):
    limit = f"%{run.plan['slurm']['most_running']}" if run.plan["slurm"]["most_running"] else ""
    return slurm.sbatch("--job-name=campmate-selfplay", *job_options(run.plan, "selfplay"),
                        f"--array=0-{count - 1}{limit}", f"--chdir={run.directory}",
                        "--output=logs/selfplay-%A_%a.log",
                        run.directory / "bin/slurm/selfplay.sbatch", name, offset,
                        *(["verify"] if run.plan["verify_in_tasks"] else []))


def submit_finish(run, arrays):
    """The job that follows the arrays; without any, it can start at once."""
    after = [f"--dependency=afterany:{':'.join(map(str, arrays))}"] if arrays else []
    return slurm.sbatch("--job-name=campmate-finish", *job_options(run.plan, "finish"), *after,
                        f"--chdir={run.directory}", "--output=logs/finish-%j.log",
                        run.directory / "bin/slurm/finish.sbatch")


def submit_round(run, missing):
    """Under the run's lock. Each number is written down as soon as Slurm has given it, so that no
    job is forgotten by a command that is killed; after a failure nothing of the round goes on."""
    tasks = run.tasks(missing)
    entry = {"number": len(run.plan["rounds"]) + 1, "shards": len(missing), "tasks": len(tasks),
             "submitted": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "arrays": [],
             "finish": None}
    name = f"tasks/round-{entry['number']:03d}"
    (run.directory / name).write_text("".join(f"{task}\n" for task in tasks), encoding="utf-8")
    (run.directory / "summary.json").unlink(missing_ok=True)
    size = slurm.most_tasks_of_an_array() if tasks else 1
    run.plan["rounds"].append(entry)
    run.save()
    try:
        for offset in range(0, len(tasks), size):
            entry["arrays"].append(submit_array(run, name, offset, min(size, len(tasks) - offset)))
            run.save()
        entry["finish"] = submit_finish(run, entry["arrays"])
    except RunError:
        for job in entry["arrays"]:
            with contextlib.suppress(RunError):
                slurm.command("scancel", job)
        raise
    finally:
        run.save()
    return entry


def describe(entry):
    if not entry["arrays"]:
        return f"round {entry['number']}: no shard is missing, job {entry['finish']} finishes"
    arrays = ", ".join(map(str, entry["arrays"]))
    return (f"round {entry['number']}: {entry['shards']} shards in {entry['tasks']} tasks "
            f"(array {arrays}), then job {entry['finish']}")
