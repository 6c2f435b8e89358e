# SPDX-License-Identifier: GPL-3.0-or-later
"""ledger_lines.py - what the jobs of a run tell the ledger, as JSON lines (docs/ledger.md).

run.json says in "ledger" what the lines belong to: a generation of scripts/train, or the run itself,
which then has all its lines in ledger.jsonl when it is complete."""

import calendar
import contextlib
import hashlib
import json
import os
import re
import resource
import time

from run import read_json, read_text, write_atomically

RESULTS = ("white", "black", "draw", "unfinished")
FIT_COLUMNS = ("seed", "positions", "k", "loss_before", "loss_train", "loss_validation", "loss_test",
               "iterations", "gradient_norm", "gap_bound")
TIME = "%Y-%m-%dT%H:%M:%SZ"


def now():
    return time.strftime(TIME, time.gmtime())


def write(path, records):
    write_atomically(path, "".join(json.dumps({"ledger": 1, **record}) + "\n"
                                   for record in records))


def read(path):
    """The records of a file of ours; none if there is no file."""
    return [json.loads(line) for line in read_text(path).splitlines()] if path.exists() else []


# --- steps --------------------------------------------------------------------------------------

def steps_of(path):
    return [record for record in read(path) if record["table"] == "steps"]


def begin(steps, facts, step, kind):
    """Adds an attempt of a step. One that left no end was killed with its node."""
    tried = 0
    for record in steps:
        if record["step"] == step:
            tried += 1
            if record["status"] == "running":
                record["status"] = "killed"
    steps.append({"ledger": 1, "table": "steps", "run": facts["run"], "step": step,
                  "attempt": tried + 1, "generation": facts["generation"], "kind": kind,
                  "status": "running", "commit_id": facts["commit_id"],
                  "compiler": facts["compiler"], "host": os.uname().nodename, "began": now()})
    return steps[-1]


def end(record, status, cpu_seconds):
    began = calendar.timegm(time.strptime(record["began"], TIME))
    record.update(status=status, cpu_seconds=round(cpu_seconds, 2),
                  wall_seconds=time.time() // 1 - began)


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextlib.contextmanager
def attempt(run, step, kind, interruption):
    """Work of the last job as an attempt of a step, in finish.jsonl."""
    facts, path = run.plan["ledger"], run.directory / "finish.jsonl"
    if not facts:
        yield
        return
    prefix = facts["step"].removesuffix("self-play task")  # "gen01 " in a run of scripts/train
    steps = steps_of(path)
    record = begin(steps, facts, f"{prefix}{step}", kind)
    write(path, steps)
    cpu, status = children_seconds(), "failed"
    try:
        yield
        status = "done"
    except interruption:
        status = "interrupted"
        raise
    finally:
        end(record, status, children_seconds() - cpu)
        write(path, steps)


# --- the whole run ------------------------------------------------------------------------------

def shards(manifest, **more):
    for shard in manifest["shards"]:
        yield {"table": "shards", "shard": shard["digest"], "variant": manifest["variant"],
               "weights": shard["weights_digest"],
               **{key: shard[key] for key in ("seed", "first_game", "game_count", "games", "plies",
                                              "bytes")},
               **{key: shard["results"].get(key, 0) for key in RESULTS}, **more}


def _run(run, facts):
    return {"table": "runs", "run": facts["run"], "name": run.directory.name,
            "variant": run.plan["variant"], "seed": run.plan["seed"],
            "configuration": read_text(run.directory / "selfplay.ini"),
            "directory": str(run.directory), "commit_id": facts["commit_id"] or "unknown",
            "began": run.plan["rounds"][0]["submitted"] if run.plan["rounds"] else now(),
            "ended": now()}


def _dataset(run, manifest):
    yield {"table": "datasets", "dataset": manifest["digest"], "variant": manifest["variant"],
           "weights": manifest["weights_digest"], "seed": manifest["seed"],
           "configuration": manifest["configuration"], "games": manifest["games"],
           "plies": manifest["plies"], "bytes": manifest["bytes"],
           **{key: manifest["results"].get(key, 0) for key in RESULTS},
           "bench": manifest["bench"], "commit_id": manifest["commit"],
           "compiler": manifest["compiler"], "path": str(run.directory / "games")}
    for number, shard in enumerate(manifest["shards"]):
        yield {"table": "dataset_shards", "dataset": manifest["digest"], "number": number,
               "shard": shard["digest"], "file": shard["file"]}


def _fit(run, facts, manifest, header, tuned):
    fit, options, path = f"{facts['run']}/fit", run.directory / "inputs/tune.ini", \
        run.directory / header
    text = read_text(options) if options.exists() else ""
    # Without --init the prior is what the programs have built in, and what they have played with.
    own = re.search(r"^\s*init\s*=", text, re.MULTILINE) or any((run.directory / "inputs").glob("eval-file*"))
    yield {"table": "fits", "fit": fit, "run": facts["run"], "weights": tuned["weights_digest"],
           "prior": None if own else manifest["weights_digest"], "options": text,
           **{key: tuned.get(key) for key in FIT_COLUMNS}, "json": tuned}
    yield {"table": "fit_datasets", "fit": fit, "number": 0, "dataset": manifest["digest"]}
    yield {"table": "weights", "weights": tuned["weights_digest"], "variant": run.plan["variant"],
           "source": "fit", "fit": fit, "header": str(path),
           "header_sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def write_run(run, summary):
    """ledger.jsonl: all lines of a run that belongs to no other, which is complete."""
    facts = run.plan["ledger"]
    if not facts or facts["generation"]:
        return
    manifest = read_json(run.directory / "games/manifest.json")
    records = [_run(run, facts)]
    for path in sorted((run.directory / "parts").glob("*/ledger.jsonl")):
        records += read(path)
    records += read(run.directory / "finish.jsonl")
    records += shards(manifest, run=facts["run"])
    records += _dataset(run, manifest)
    if "tune" in summary:
        records += _fit(run, facts, manifest, summary["weights"], summary["tune"])
    write(run.directory / "ledger.jsonl", records)
