# SPDX-License-Identifier: GPL-3.0-or-later
"""config.py - the configuration of a run: one ini file, checked before anything is done.

[train] is the loop's own, [gauntlet] and [slurm] partly; the rest of the sections are options of
the tools, which check them themselves as soon as they are built.
"""

import configparser
import contextlib
import json
import os
import re
import shutil

from slurm.program import TEXT_MOST, read_text

from .errors import StepFailed, UsageError
from .files import REPO

# The keys of [train]: name -> (type, default, help). The other sections are handed to the tools.
TRAIN_KEYS = {
    "variant": (str, "mansindam", "the game"),
    "generations": (int, 1, "how many times round the loop"),
    "until": (str, "", "elo=X,hours=X,generations=N: stop at the first of them, too"),
    "start": (str, "shipped", "first weights: zero, shipped, or the path of a header"),
    "material": (str, "", "PAWN=100,...: at the end, a match with these piece values alone"),
    "window": (int, 3, "tune on the games of this many generations"),
    "prior": (str, "best", "what a fit starts from and stays close to: best (build) or zero"),
    "seed": (int, 0, "random seed, 0 = drawn and kept in the run"),
    "preset": (str, "release", "CMake preset of the builds"),
}
STOPS = ("generations", "until")  # may be changed when a run goes on
MOST_GENERATIONS = 1000
MOST_GAMES = 1000000000
# Keys of [gauntlet] that are the loop's own.
GAUNTLET_KEYS = {
    "every": (int, 1, "a gauntlet after each so many generations"),
    "opponents": (int, 3, "so many older accepted generations at most; the first is one of them"),
    "engine": (str, "", "a UCI engine that plays too: name=...,cmd=... as for campmate-match"),
}
# Options of scripts/slurm/submit.
SLURM_KEYS = {
    "partition": "", "time": "", "cpus": "", "max-running": "", "shards-per-task": "", "rounds": "",
    "sbatch": "", "finish-sbatch": "", "poll": "seconds between two looks (10)",
}
# Options of the tools that the loop sets itself.
RESERVED = {
    "selfplay": {"out", "variant", "seed", "threads", "json", "resume", "eval-file", "config",
                 "dry-run"},
    "tune": {"out", "data", "variant", "seed", "threads", "json", "init", "prior", "config",
             "emit-zero", "emit-material", "dry-run"},
    "book": {"out", "variant", "data", "seed", "threads", "json", "config", "dry-run"},
    "match": {"engine", "variant", "seed", "concurrency", "threads", "json", "resume", "pgn",
              "state", "config", "dry-run"},
    "gauntlet": {"variant", "seed", "concurrency", "threads", "json", "resume", "pgn", "state",
                 "config", "dry-run", "sprt"},
}


def from_top(name):
    """A path in a configuration is meant from the top of the source tree."""
    return REPO / name  # an absolute one stays as it is


def cmake_presets():
    """The names of the presets that can be configured."""
    names = []
    for file in ("CMakePresets.json", "CMakeUserPresets.json"):
        with contextlib.suppress(FileNotFoundError):
            try:
                presets = json.loads((REPO / file).read_text(encoding="utf-8"))
            except ValueError as error:
                raise StepFailed(f"{REPO / file}: {error}") from None
            names += [preset["name"] for preset in presets.get("configurePresets", [])
                      if not preset.get("hidden")]
    return names


def parse_until(text, where):
    """{"elo": X, "hours": X, "generations": N}, only what was given."""
    limits = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, _, value = part.partition("=")
        if key not in ("elo", "hours", "generations"):
            raise UsageError(f"{where}: '{part}', expected elo=X, hours=X or generations=N")
        whole = key == "generations"
        if not re.fullmatch(r"[0-9]+" if whole else r"[0-9]+(\.[0-9]+)?", value) or \
                float(value) <= 0:
            raise UsageError(f"{where}: '{value}' is no {'whole ' if whole else ''}number "
                             f"above 0")
        limit = int(value) if whole else float(value)
        limits[key] = min(limit, limits.get(key, limit))  # the first that is reached
    return limits


class Config:
    """The effective configuration: defaults, then the file, then the command line."""

    def __init__(self, path, overrides):
        parser = configparser.ConfigParser(
            interpolation=None, strict=True, empty_lines_in_values=False,
            delimiters=("=",), comment_prefixes=("#", ";"))
        try:
            # Some editors begin UTF-8 with a mark.
            parser.read_string(read_text(path, TEXT_MOST).removeprefix("\ufeff"), str(path))
        except OSError as error:  # as the other programs: the command is right, the file is not
            raise StepFailed(f"cannot read {path}: {error.strerror}") from None
        except (configparser.Error, UnicodeDecodeError) as error:
            raise UsageError(f"{path}: {' '.join(str(error).split())}") from None

        known = {"train", "slurm", *RESERVED}
        for section in parser.sections():
            if section not in known:
                raise UsageError(f"{path}: unknown section [{section}], "
                                 f"expected {', '.join(sorted(known))}")
        self.path = path
        self.train = self._own(parser, "train", TRAIN_KEYS, only=True)
        self._take_overrides(overrides)
        self._check_train()

        self.tools = {}
        for section, reserved in RESERVED.items():
            self.tools[section] = dict(self._items(parser, section))
            for key in self.tools[section]:
                if key in reserved:
                    raise UsageError(f"{path}: [{section}] {key} is set by the loop itself")
        self.gauntlet = None
        if parser.has_section("gauntlet"):
            self.gauntlet = self._own(parser, "gauntlet", GAUNTLET_KEYS, only=False)
            for key in GAUNTLET_KEYS:
                self.tools["gauntlet"].pop(key, None)
            self._check_gauntlet()
        self.slurm = None
        if parser.has_section("slurm"):
            self.slurm = dict(self._items(parser, "slurm"))
            self._check_slurm()
        self._check_tools()

    # -- checks --

    def _own(self, parser, section, keys, only):
        """The loop's own keys of a section, with defaults; `only`: it has no others."""
        values = {key: default for key, (_, default, _) in keys.items()}
        for key, text in self._items(parser, section):
            if key in keys:
                values[key] = self._value(section, keys[key][0], key, text)
            elif only:
                raise UsageError(f"{self.path}: [{section}] has no key '{key}'")
        return values

    def _value(self, section, kind, key, text):
        if kind is int and not re.fullmatch(r"-?[0-9]+", text):
            raise UsageError(f"{self.path}: [{section}] {key}: '{text}' is not a whole number")
        return kind(text)

    def _take_overrides(self, overrides):
        values = self.train
        values.update({key: value for key, value in overrides.items() if value is not None})
        limits = parse_until(values["until"], "--until" if overrides.get("until") else
                             f"{self.path}: [train] until")
        if overrides.get("generations") is not None and not overrides.get("until"):
            pass  # the command line's number goes before the file's
        elif "generations" in limits:
            asked = overrides.get("generations")
            values["generations"] = min(limits["generations"], asked or MOST_GENERATIONS)
        elif overrides.get("until") and overrides.get("generations") is None:
            values["generations"] = MOST_GENERATIONS  # asked to stop at something else
        self.limits = limits
        for key, low, high in (("generations", 1, MOST_GENERATIONS), ("window", 1, 1000),
                               ("seed", 0, 2**53 - 1)):
            if not low <= values[key] <= high:
                where = f"{self.path}: [train] {key}" if overrides.get(key) is None else f"--{key}"
                raise UsageError(f"{where}: {values[key]} is out of range, "
                                 f"expected {low} to {high}")

    def _check_train(self):
        """What would otherwise be found out only in the middle of the run."""
        variants = sorted(file.stem for file in (REPO / "engine" / "variants").glob("*.h"))
        presets = cmake_presets()
        for key, known in (("variant", variants), ("preset", presets), ("prior", ("best", "zero"))):
            if self.train[key] not in known:
                raise UsageError(f"{self.path}: [train] {key}: '{self.train[key]}' is none of "
                                 f"{', '.join(known)}")
        start = self.start()
        if start is not None and not start.is_file():
            raise UsageError(f"{self.path}: [train] start: '{self.train['start']}' is neither "
                             f"zero nor shipped, and there is no file {start}")

    def _check_gauntlet(self):
        for key in ("every", "opponents"):
            if not 1 <= self.gauntlet[key] <= 1000:
                raise UsageError(f"{self.path}: [gauntlet] {key}: {self.gauntlet[key]} is out of "
                                 "range, expected 1 to 1000")
        engine = self.gauntlet["engine"]
        if engine and not self.engine_name():
            raise UsageError(f"{self.path}: [gauntlet] engine: '{engine}' has no name=NAME, of "
                             "letters, digits, '.', '_' and '-' and other than genNN")
        if engine:
            self._check_command(engine)
        items = self.tools["gauntlet"]
        if "games" not in items:
            raise UsageError(f"{self.path}: [gauntlet] needs games, for each opponent")
        for key, value in self.tools["match"].items():  # the same conditions, if not said otherwise
            limits = {"nodes", "depth", "movetime", "tc"}
            if key != "sprt" and not (key in limits and limits & set(items)):
                items.setdefault(key, value)

    def _check_command(self, engine):
        """Can what cmd= names be run? As campmate-match starts it: from the top, or from dir=."""
        found = re.search(r'(?:^|,)cmd=("?)(.*?)\1(?:,|$)', engine)
        if not found:
            return
        command = found.group(2)
        path = from_top(command) if "/" in command else shutil.which(command)
        elsewhere = re.search(r"(?:^|,)dir=", engine) and not command.startswith("/")
        if not elsewhere and not (path and os.path.isfile(path) and os.access(path, os.X_OK)):
            raise UsageError(f"{self.path}: [gauntlet] engine: '{command}' is no program that can be "
                             "run")

    def engine_name(self):
        found = re.search(r"(?:^|,)name=([A-Za-z0-9._-]+)(?:,|$)", self.gauntlet["engine"])
        name = found.group(1) if found else ""
        return "" if re.fullmatch(r"gen[0-9]+", name) else name

    def _check_slurm(self):
        for key, text in self.slurm.items():
            if key not in SLURM_KEYS:
                raise UsageError(f"{self.path}: [slurm] has no key '{key}', expected "
                                 f"{', '.join(SLURM_KEYS)}")
            if key in ("cpus", "max-running", "shards-per-task", "rounds", "poll") and \
                    not re.fullmatch(r"[1-9][0-9]{0,8}", text):
                raise UsageError(f"{self.path}: [slurm] {key}: '{text}' is not a whole number "
                                 "above 0")

    def _check_tools(self):
        path, match, book = self.path, self.tools["match"], self.tools["book"]
        if not {"games", "sprt"} <= set(match):
            raise UsageError(f"{path}: [match] needs sprt and, as its limit, games")
        if book and "openings" in match:
            raise UsageError(f"{path}: [book] makes the openings, so [match] cannot name them")
        for section in ("selfplay", "match", "gauntlet"):
            text = self.tools[section].get("games", "1")
            if not re.fullmatch(r"[0-9]+", text):
                raise UsageError(f"{path}: [{section}] games: '{text}' is not a whole number")
            if not 1 <= int(text) <= MOST_GAMES:
                raise UsageError(f"{path}: [{section}] games: {text} is out of range, expected 1 to "
                                 f"{MOST_GAMES}")
        if "openings" not in match:
            # An opening for each pair: a repeated one would be a repeated game at fixed nodes.
            games = max(int(match["games"]), int(self.tools["gauntlet"].get("games", 0)))
            book.setdefault("count", str(max(1, (games + 1) // 2)))
        for section, key in (("selfplay", "book"), ("match", "openings"),
                             ("gauntlet", "openings")):
            name = self.tools[section].get(key)
            if name is not None and not from_top(name).is_file():
                raise UsageError(f"{path}: [{section}] {key}: no file {from_top(name)}")

    # -- use --

    def start(self):
        """The path of the first weights; None: all zero, or those of the source tree."""
        start = self.train["start"]
        return None if start in ("zero", "shipped") else from_top(start)

    @staticmethod
    def _items(parser, section):
        if not parser.has_section(section):
            return []
        return [(key.replace("_", "-"), value) for key, value in parser.items(section)]

    def text(self):
        sections = {"train": self.train, **self.tools}
        if self.gauntlet is None:
            del sections["gauntlet"]
        else:
            sections["gauntlet"] = {**self.gauntlet, **self.tools["gauntlet"]}
        if self.slurm is not None:
            sections["slurm"] = self.slurm
        return "\n".join(
            "".join(f"{line}\n" for line in
                    [f"[{name}]", *(f"{key} = {value}".rstrip() for key, value in items.items())])
            for name, items in sections.items())

    def flags(self, section):
        """The options of a tool, as words of its command line."""
        return [f"--{key}={from_top(value) if key in ('openings', 'book') else value}"
                for key, value in self.tools[section].items()]

    def options(self, section):
        """The same as lines, for the ledger."""
        return "".join(f"{key} = {value}\n" for key, value in self.tools[section].items())


def changes(old, new):
    """[(section, "[section] key = value, was value")] of two effective configurations, without what
    may be changed when a run goes on: when to stop, and where the games are played."""
    before, after = _values(old), _values(new)
    found = []
    for section, key in dict.fromkeys([*before, *after]):
        was, now = before.get((section, key)), after.get((section, key))
        if was != now and section != "slurm" and not (section == "train" and key in STOPS):
            text = f"{key} = {now}" if now is not None else f"no {key}"
            was = "none" if was is None else was or "empty"
            found.append((section, f"[{section}] {text}, was {was}"))
    return found


def _values(text):
    found, section = {}, ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line:
            key, _, value = line.partition("=")
            found[section, key.strip()] = value.strip()
    return found
