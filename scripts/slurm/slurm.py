# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm.py - Slurm's own commands: sbatch, squeue, scancel, scontrol."""

import os
import re
import shutil
import subprocess

from run import RunError

# Jobs of a run that the queue still knows in one of these states are over.
OVER = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
        "PREEMPTED", "TIMEOUT", "REVOKED"}


def environment():
    """A job that is submitted from within a job must not inherit what describes that job."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith("SLURM_") or name == "SLURM_CONF"}


def command(*arguments):
    """Runs a command of Slurm's and returns what it prints."""
    if not shutil.which(arguments[0]):
        raise RunError(f"no {arguments[0]} in PATH: Slurm's commands are needed here")
    done = subprocess.run([str(argument) for argument in arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env=environment())
    if done.returncode != 0:
        reason = done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
        raise RunError(f"{arguments[0]} failed: {reason}")
    return done.stdout


def sbatch(*arguments):
    """Submits and returns the job's number (an array's is that of the whole array)."""
    printed = command("sbatch", "--parsable", *arguments).strip()
    match = re.match(r"\d+", printed)  # NUMBER or NUMBER;CLUSTER
    if not match:
        raise RunError(f"sbatch printed '{printed}', expected a job number")
    return int(match[0])


def most_tasks_of_an_array():
    match = re.search(r"^MaxArraySize\s*=\s*(\d+)", command("scontrol", "show", "config"), re.M)
    size = int(match[1]) if match else 0
    if size < 2:
        raise RunError("this cluster does not allow job arrays (MaxArraySize)")
    return size  # the largest index is one less, and the first is 0


def jobs_of(ids):
    """What the queue holds of these jobs: a list of dicts, an entry for each task or range of
    waiting tasks. Without the job that asks."""
    if not ids:
        return []
    own = os.environ.get("SLURM_JOB_ID")
    jobs = []
    for line in command("squeue", "--noheader", "--me", "--states=all",
                        "--format=%F|%A|%K|%T|%N|%r").splitlines():
        words = line.split("|", 5)
        if len(words) < 6 or not words[0].isdecimal() or not words[1].isdecimal():
            raise RunError(f"squeue printed '{line}', expected ARRAY|JOB|TASK|STATE|NODES|REASON")
        array, job, task, state, nodes, reason = words
        if int(array) in ids and job != own and state not in OVER:
            jobs.append({"job": int(array), "task": None if task == "N/A" else task,
                         "state": state, "nodes": nodes, "reason": reason})
    return jobs
