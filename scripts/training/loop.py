# SPDX-License-Identifier: GPL-3.0-or-later
"""loop.py - the steps of a run, and their order."""

import functools
import json
import os
import re
import shutil
import subprocess

from slurm.program import DONE, FAILED, USAGE, source_commit

from .cluster import play_on_cluster
from .errors import StepFailed, UsageError
from .files import REPO, copy_atomically, last_lines, sha256_of, write_atomically
from .history import (best_of, duration, gauntlets, generations, installed_name, name_of, now,
                      result, seconds_left, seconds_of)
from .run import UNDECIDED, Run
from .summary import summary

PROGRAMS = ("campmate", "campmate-selfplay", "campmate-data", "campmate-tune", "campmate-match")
# What a dataset's manifest says of all its games, and of each shard.
MANIFEST_KEYS = ("weights_digest", "seed", "configuration", "bench", "commit", "compiler")
SHARD_KEYS = ("file", "digest", "first_game", "game_count", "games", "plies", "bytes", "results")


def quoted(path):
    """A value in an engine specification; spaces and commas are fine in quotes."""
    return f'"{path}"' if re.search(r'[\s,"]', str(path)) else str(path)


def facts_of(program, variant):
    """What a build says of itself: commit, compiler, level, and the header of the weights."""
    text = subprocess.run([program, "--version"], capture_output=True, text=True,
                          check=False).stdout
    facts = dict(re.findall(r"^(commit|compiler|level) +(.*)$", text, re.MULTILINE))
    found = re.search(rf"^weights +{variant}: (\S+):", text, re.MULTILINE)
    if not found:
        raise StepFailed(f"{program} --version does not name the weights of {variant}")
    return {"commit": facts.get("commit"), "compiler": facts.get("compiler"),
            "level": facts.get("level"), "weights_header": found.group(1)}


class Loop(Run):
    def header(self, number):
        return self.generation(number) / "include" / self.tools["weights_header"]

    @functools.cached_property
    def tools(self):
        """Facts of the programs that all generations use."""
        return facts_of(self.program("campmate"), self.variant)

    def header_facts(self, path):
        return {"path": str(path), "sha256": sha256_of(path)}

    # -- builds --

    def configure(self, weights_dir, log):
        self.make(["cmake", "--preset", self.config.train["preset"], "-B",
                   str(self.directory / "build"), "-DCAMPMATE_TESTS=OFF",
                   f"-DCAMPMATE_WEIGHTS_DIR={weights_dir}"], log)

    def compile(self, targets, log):
        words = ["cmake", "--build", str(self.directory / "build")]
        if self.threads:
            words += ["--parallel", str(self.threads)]
        self.make(words + ["--target", *targets], log)

    def built(self, name):
        return self.directory / "build" / "bin" / name

    def make_tools(self):
        logs = self.directory / "logs"
        logs.mkdir(exist_ok=True)
        self.configure("", logs / "configure.log")
        self.compile(PROGRAMS, logs / "build.log")
        for name in PROGRAMS:
            copy_atomically(self.built(name), self.directory / "tools" / name)
        self.check_options(logs)
        return {"commit": source_commit(), "compiler": self.tools["compiler"]}

    def check_options(self, logs):
        """Each tool reads its section and does nothing: a mistake ends the run here, before any
        game, and not hours later."""
        nothing, engine = logs / "unused", quoted(self.program("campmate"))
        pair = ["campmate-match", "--engine", f"name=a,cmd={engine}",
                "--engine", f"name=b,cmd={engine}", "--dry-run"]
        words = {
            "selfplay": ["campmate-selfplay", "--out", str(nothing), "--dry-run"],
            # Without --emit-zero it would want data, which there is none of yet.
            "tune": ["campmate-tune", "--emit-zero", "--out", str(nothing), "--dry-run"],
            "match": pair,
        }
        if "openings" not in self.config.tools["match"]:
            words["book"] = ["campmate-data", "book", "--out", str(nothing), "--dry-run"]
        if self.config.gauntlet:
            words["gauntlet"] = pair
        checks = [(f"[{section}]", [*command, "--variant", self.variant,
                                    *self.config.flags(section)], section)
                  for section, command in words.items()]
        if self.config.gauntlet and self.config.gauntlet["engine"]:
            checks.append(("[gauntlet] engine", [*pair[:3], "--engine",
                                                 self.config.gauntlet["engine"], "--dry-run",
                                                 "--variant", self.variant,
                                                 *self.config.flags("gauntlet")], "engine"))
        if self.config.train["material"]:
            checks.append(("[train] material", self.emit_material(logs / "material.h"), "material"))
        for where, command, name in checks:
            self.check(where, [self.program(command[0]), *command[1:]], logs / f"check-{name}.log")
        self.check_fit(logs)

    def check(self, where, command, log):
        """Runs a program that only looks at its options."""
        code = self.children.run(command, log.with_suffix(".out"), log)
        if code in (FAILED, USAGE):
            raise UsageError(": ".join([f"{self.config.path}: {where}", *last_lines(log, 1)]))
        if code != DONE:
            raise StepFailed(f"{' '.join(command)} failed with exit code {code}, see {log}")

    def check_fit(self, logs):
        """Whether options of the fit go together is found out only with games: a few."""
        probe, header = logs / "probe", logs / "probe.h"
        shutil.rmtree(probe, ignore_errors=True)
        header.unlink(missing_ok=True)
        self.make([self.program("campmate-selfplay"), "--variant", self.variant, "--games", "20",
                   "--nodes", "1", "--seed", "1", "--threads", "1", "--score-slope", "0.38",
                   "--out", str(probe)], logs / "probe.log")
        self.check("[tune]", self.tune_words([probe], self.first_prior(), header),
                   logs / "check-fit.log")
        if not header.exists():
            raise UsageError(f"{self.config.path}: [tune]: campmate-tune writes no header with "
                             f"{' '.join(self.config.flags('tune'))}")
        shutil.rmtree(probe, ignore_errors=True)
        header.unlink(missing_ok=True)

    def first_prior(self):
        """What the first fit starts from."""
        if self.config.train["start"] == "zero" or self.config.train["prior"] == "zero":
            return "zero"
        return str(self.first_header())

    def first_header(self):
        return self.config.start() or REPO / "engine" / self.tools["weights_header"]

    def build(self, number):
        directory = self.generation(number)
        self.configure(directory / "include", directory / "configure.log")
        self.compile(("campmate", "campmate-selfplay"), directory / "build.log")
        for name in ("campmate", "campmate-selfplay"):
            copy_atomically(self.built(name), directory / "bin" / name)
        program, bench = directory / "bin" / "campmate", directory / "bench.txt"
        self.make([str(program), "bench"], bench)
        total = re.search(r"^Total: ([0-9]+) nodes", bench.read_text(encoding="utf-8"),
                          re.MULTILINE)
        if not total:
            raise StepFailed(f"campmate bench printed no signature; see {bench}")
        digest = self.weights_digest(directory / "bin" / "campmate-selfplay", directory)
        tuned = result(self.state, number, "tune")
        if tuned and tuned["weights_digest"] != digest:
            raise StepFailed(f"{program}: built with weights {digest}, expected "
                             f"{tuned['weights_digest']} as in {self.header(number)}")
        facts = facts_of(str(program), self.variant)
        return {"bench": int(total.group(1)), "weights_digest": digest, "commit": facts["commit"],
                "compiler": facts["compiler"], "level": facts["level"], "program": str(program),
                "sha256": sha256_of(program)}

    def weights_digest(self, program, directory, *options):
        """The digest of the weights that a build plays with: a dataset of one game names it."""
        data = directory / "probe"
        shutil.rmtree(data, ignore_errors=True)
        self.make([str(program), "--variant", self.variant, "--games", "1", "--nodes", "1",
                   "--seed", "1", "--threads", "1", "--score-slope", "0.38", "--out", str(data),
                   *options],
                  directory / "probe.log")
        digest = self.manifest(data)["weights_digest"]
        shutil.rmtree(data)
        return digest

    @staticmethod
    def manifest(data):
        path = data / "manifest.json"
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise StepFailed(f"{path}: {error}") from None

    # -- weights --

    def first_weights(self):
        start, header = self.config.train["start"], self.header(0)
        header.parent.mkdir(parents=True, exist_ok=True)
        if start == "zero":
            self.make([self.program("campmate-tune"), "--emit-zero", "--variant", self.variant,
                       "--out", str(header)], self.generation(0) / "weights.log")
        else:
            source = self.first_header()
            try:
                copy_atomically(source, header)
            except OSError as error:
                raise StepFailed(f"cannot copy {source}: {error.strerror}") from None
        return {"start": start, "header": self.header_facts(header)}

    def emit_material(self, header):
        return ["campmate-tune", "--emit-material", "--variant", self.variant,
                "--material", self.config.train["material"], "--out", str(header)]

    def tune_words(self, datasets, prior, header):
        words = [self.program("campmate-tune"), *self.config.flags("tune")]
        for data in datasets:
            words += ["--data", str(data)]
        return words + ["--init", prior, "--out", str(header), "--threads", str(self.threads)]

    def tune(self, number, best):
        directory, header = self.generation(number), self.header(number)
        header.parent.mkdir(parents=True, exist_ok=True)
        window = range(max(1, number - self.config.train["window"] + 1), number + 1)
        from_zero = self.config.train["start"] == "zero" and best == 0
        prior = "zero" if from_zero or self.config.train["prior"] == "zero" else name_of(best)
        words = [*self.tune_words([self.generation(past) / "data" for past in window],
                                  "zero" if prior == "zero" else str(self.header(best)), header),
                 "--seed", str(self.seed(number, 2)), "--json"]
        tuned = self.tool(words, directory / "tune.json")
        return {**tuned, "prior": prior, "seed": self.seed(number, 2),
                "options": self.config.options("tune"), "header": self.header_facts(header),
                "datasets": [result(self.state, past, "self-play")["digest"] for past in window]}

    # -- games --

    def book(self):
        path = self.directory / "openings.epd"
        return self.tool([self.program("campmate-data"), "book", "--variant", self.variant,
                          *self.config.flags("book"), "--threads", str(self.threads),
                          "--seed", str(self.seed(0, 4)), "--out", str(path), "--json"],
                         self.directory / "logs" / "book.json")

    def self_play(self, number, best):
        directory = self.generation(number)
        data = directory / "data"
        if self.config.slurm is not None and not data.exists():
            play_on_cluster(self, number, best, data)
            played = {}
        else:
            words = [str(self.generation(best) / "bin" / "campmate-selfplay"),
                     "--variant", self.variant, *self.config.flags("selfplay"),
                     "--threads", str(self.threads), "--seed", str(self.seed(number, 1)),
                     "--out", str(data), "--json"]
            if data.exists():
                words.append("--resume")
            played = self.tool(words, directory / "selfplay.json")
        verified = self.tool([self.program("campmate-data"), "verify", "--json", str(data)],
                             directory / "verify.json")
        if not verified.get("ok"):
            raise StepFailed(f"{data}: the dataset is not what was played; "
                             f"see {directory / 'verify.json'}")
        stat = self.tool([self.program("campmate-data"), "stat", "--json", str(data)],
                         directory / "stat.json")
        # Of the whole dataset: the tool itself speaks of the games since the last interruption.
        for key in ("games", "plies", "results", "bytes", "bytes_per_ply", "reasons", "digest"):
            if key in stat:
                played[key] = stat[key]
        manifest = self.manifest(data)
        return {**played, **{key: manifest.get(key) for key in MANIFEST_KEYS}, "path": str(data),
                "shards": [{key: shard.get(key) for key in SHARD_KEYS}
                           for shard in manifest["shards"]], "stat": stat}

    def play(self, directory, stem, section, seed, first, second):
        """A match under the conditions of a section; it goes on where it was."""
        saved, pgn = directory / f"{stem}.state", directory / f"{stem}.pgn"
        words = [self.program("campmate-match"), "--variant", self.variant,
                 *self.config.flags(section), "--engine", first, "--engine", second,
                 "--concurrency", str(self.threads or len(os.sched_getaffinity(0))),
                 "--seed", str(self.seed(*seed)), "--pgn", str(pgn),
                 "--state", str(saved), "--json"]
        if "openings" not in self.config.tools[section]:
            words += ["--openings", str(self.directory / "openings.epd")]
        if saved.exists():
            words.append("--resume")
        played = self.tool(words, directory / f"{stem}.json", accept=(DONE, UNDECIDED))
        return {**played, "seed": self.seed(*seed), "pgn": str(pgn),
                "options": self.config.options(section)}

    def engine(self, number):
        program = self.generation(number) / "bin" / "campmate"
        return f"name={name_of(number)},cmd={quoted(program)}"

    def match(self, number, best):
        played = self.play(self.generation(number), "match", "match", (number, 3),
                           self.engine(number), self.engine(best))
        return {**played, "accepted": played.get("verdict") == "H1", "against": name_of(best)}

    def gauntlet_opponents(self, best):
        """Older accepted generations: the first one, the newest ones and some between."""
        older = [entry.number for entry in generations(self.state)
                 if entry.accepted and entry.number < best]
        most = self.config.gauntlet["opponents"]
        if len(older) > most:
            step = (len(older) - 1) / max(1, most - 1)
            older = sorted({older[round(i * step)] for i in range(most)})
        return older

    def gauntlet(self, number, best):
        """The best build against older ones and perhaps another engine, after `number`; not twice
        the same one."""
        if any(after < number and played["player"] == name_of(best)
               for after, _, played in gauntlets(self.state)):
            return
        for index, older in enumerate(self.gauntlet_opponents(best)):
            self.step(f"{name_of(number)} gauntlet {name_of(older)}",
                      functools.partial(self.gauntlet_match, number, best, name_of(older),
                                        self.engine(older), 100 + index), self.tools)
        if self.config.gauntlet["engine"]:
            spec, name = self.config.gauntlet["engine"], self.config.engine_name()
            self.step(f"{name_of(number)} gauntlet {name}",
                      functools.partial(self.gauntlet_match, number, best, name, spec, 99),
                      self.tools)

        self.step(f"{name_of(number)} rating", lambda: self.rating(number), self.tools)

    def rating(self, number):
        """Elo of all players so far, from all matches between them."""
        pgns = [match["pgn"] for entry in generations(self.state) if entry.number <= number
                for match in [result(self.state, entry.number, "match")] if match]
        pgns += [match["pgn"] for after, _, match in gauntlets(self.state) if after <= number]
        rated = self.tool([self.program("campmate-match"), "rating", "--json", "--anchor", "gen00",
                           "--prior", "1", *pgns], self.generation(number) / "rating.json")
        return {"players": rated["players"]}

    def gauntlet_match(self, number, best, name, engine, seed):
        played = self.play(self.generation(number), f"gauntlet-{name}", "gauntlet", (number, seed),
                           self.engine(best), engine)
        return {**played, "player": name_of(best), "engine": engine}

    def material(self, best):
        """The best build against hand-set piece values: how far the run has come from nothing."""
        directory = self.directory / "material" / name_of(best)
        directory.mkdir(parents=True, exist_ok=True)
        header = directory / f"{self.variant}.h"
        command = self.emit_material(header)
        self.make([self.program(command[0]), *command[1:]], directory / "emit.log")
        mine = self.generation(best) / "bin" / "campmate"
        played = self.play(directory, "match", "match", (best, 5), self.engine(best),
                           f"name=material,cmd={quoted(mine)},option.EvalFile={quoted(header)}")
        return {**played, "header": self.header_facts(header),
                "weights_digest": self.weights_digest(self.program("campmate-selfplay"), directory,
                                                      "--eval-file", str(header))}

    # -- the loop --

    def install(self, number):
        """An accepted build and its header under the name that tells them from all others."""
        accepted, name = self.directory / "accepted", installed_name(self.state, number)
        for source, target in ((self.generation(number) / "bin" / "campmate", accepted / name),
                               (self.header(number), accepted / f"{name}.h")):
            if not target.exists() or sha256_of(target) != sha256_of(source):
                copy_atomically(source, target)

    def begun(self, number):
        return any(name.startswith(f"{name_of(number)} ") for name in self.state["steps"])

    def reached(self, number):
        """Why no further generation begins, or None."""
        limits, best = self.config.limits, best_of(self.state)
        if number > self.config.train["generations"]:
            return f"{number - 1} generations"
        if "elo" in limits and best.elo >= limits["elo"]:
            return f"{best.name} is {best.elo:+.0f} Elo above the first weights (matches added up)"
        if "hours" in limits and seconds_of(self.state) >= 3600 * limits["hours"]:
            return f"{seconds_of(self.state) / 3600:.2f} hours"
        return None

    def one_generation(self, number, best):
        name, builder = name_of(number), result(self.state, best, "build")
        self.step(f"{name} self-play", lambda: self.self_play(number, best), builder)
        self.step(f"{name} tune", lambda: self.tune(number, best), self.tools)
        self.step(f"{name} build", lambda: self.build(number))
        match = self.step(f"{name} match", lambda: self.match(number, best), self.tools)
        if match["accepted"]:
            self.install(number)
            best = number
        rules = self.config.gauntlet
        if rules and number % rules["every"] == 0 and best > 0:
            self.gauntlet(number, best)
        return best

    def loop(self):
        self.step("tools", self.make_tools)
        if self.state["config"] != self.config.text():  # of sections whose turn is still to come
            self.check_options(self.directory / "logs")
            self.take_config()
        self.step("gen00 weights", self.first_weights, self.tools)
        self.step("gen00 build", lambda: self.build(0))
        if "openings" not in self.config.tools["match"]:
            self.step("book", self.book, self.tools)
        best, number = 0, 1
        while self.begun(number) or not (why := self.reached(number)):
            was_there = result(self.state, number, "match") is not None
            best = self.one_generation(number, best)
            if not was_there:
                self.tell_time_left(number)
            number += 1
        if self.config.train["material"]:
            self.step(f"{name_of(best)} material", lambda: self.material(best), self.tools)
        if "ended" not in self.state:
            self.state.update(ended=now(), why=why)
            self.save()
            self.record()
        write_atomically(self.directory / "summary.txt", summary(self.directory, self.state))
        self.page()
        return best

    def page(self):
        """The report for a browser. It can be made at any time: a run without it has not failed."""
        page, log = self.directory / "report.html", self.directory / "logs" / "report.log"
        words = [str(REPO / "scripts" / "report"), "--run-dir", str(self.directory),
                 "--tools", str(self.directory / "tools"), "--out", str(page)]
        if self.children.run(words, log, log) == DONE:
            self.say(str(page))
        else:
            self.say(f"note: no {page.name}: {' '.join(last_lines(log, 1))}")

    def tell_time_left(self, number):
        left = seconds_left(self.state, self.config.train["generations"] - number)
        if left and self.config.train["generations"] < 1000:
            self.say(f"{name_of(number)} is finished; about {duration(left)} to go")
