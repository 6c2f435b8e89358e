# SPDX-License-Identifier: GPL-3.0-or-later
"""ledger.py - the ledger of all runs: a SQLite database and the JSON lines that are loaded into it.

    with ledger.Writer(path) as book:      # creates it; one writer at a time
        book.load([file, ...])             # JSON lines
        book.add(records)                  # the same as dicts
    db = ledger.connect(path)              # for reading; rows by column name

The tables are in schema.sql; docs/ledger.md explains them. A record is {"ledger": 1, "table": NAME,
column: value, ...}; its line is the unit of what is loaded. Loading is idempotent: a record is
found again by its table's primary key.
"""

import contextlib
import fcntl
import json
import math
import os
import sqlite3
import time
from pathlib import Path

from slurm.program import read_text

VERSION = 1                    # of the schema and of the lines
APPLICATION_ID = 0x434D4C47    # "CMLG"
SCHEMA = Path(__file__).with_name("schema.sql")
MIGRATIONS = {}                # version -> SQL that leads to the next one
# Named by the digest of what they are: where two lines differ, as in the path, the first stays.
CONTENT = ("weights", "datasets", "shards")
TABLES = ("runs", "steps", "weights", "datasets", "shards", "dataset_shards", "fits",
          "fit_datasets", "builds", "matches", "generations", "ratings")


class LedgerError(Exception):
    """The message for the user."""


def lines(records):
    """The text of a file of records."""
    return "".join(json.dumps({"ledger": VERSION, **record}, separators=(",", ":")) + "\n"
                   for record in records)


def read(path):
    """[(place, record)] of a file of JSON lines. A last line without its end is what a writer that
    was killed left of it, and is not a record yet."""
    try:
        text = read_text(path)
    except OSError as error:
        raise LedgerError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LedgerError(f"{path}: not UTF-8 text, expected JSON lines") from None
    found = []
    rows = text.removeprefix("\ufeff").split("\n")
    for number, row in enumerate(rows[:-1], 1):
        if not row.strip():
            continue
        place = f"{path}:{number}"
        try:
            record = json.loads(row, parse_constant=_not_finite, parse_float=_finite)
        except (ValueError, RecursionError) as error:
            raise LedgerError(f"{place}: not JSON: {error}") from None
        if not isinstance(record, dict):
            raise LedgerError(f"{place}: found {type(record).__name__}, expected an object")
        version = record.pop("ledger", None)
        if version != VERSION:
            raise LedgerError(f"{place}: \"ledger\" is {json.dumps(version)}, expected {VERSION}")
        found.append((place, record))
    return found


def _not_finite(text):
    raise ValueError(f"found {text}, expected a finite number")


def _finite(text):
    return float(text) if math.isfinite(float(text)) else _not_finite(text)


def connect(path):
    """A connection for reading."""
    if not Path(path).is_file():
        raise LedgerError(f"{path}: no ledger there")
    try:
        db = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True, timeout=10)
        db.row_factory = sqlite3.Row
        _check_version(db, path, exact=True)
    except sqlite3.Error as error:
        raise LedgerError(f"{path}: {error}") from None
    return db


def _quoted(path):
    text = str(Path(path).resolve())
    for letter in "%?#":
        text = text.replace(letter, f"%{ord(letter):02x}")
    return text


def _check_version(db, path, exact):
    """The version of the schema; 0: an empty database."""
    owner = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    empty = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if empty and not exact:
        return 0
    if owner != APPLICATION_ID:
        raise LedgerError(f"{path}: a database, but not a ledger of Campmate")
    if version > VERSION or (exact and version != VERSION):
        raise LedgerError(f"{path}: schema version {version}, this program knows {VERSION}"
                          + ("; scripts/ledger load brings it up to date" if version < VERSION
                             else ""))
    return version


class Writer:
    """The ledger open for writing. While it is open it holds the lock PATH.lock."""

    def __init__(self, path, wait=30):
        self.path, self.wait, self.db = Path(path), wait, None

    def __enter__(self):
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.lock = open(f"{self.path}.lock", "a+", encoding="utf-8")
        except OSError as error:
            raise LedgerError(f"{self.path}: {error.strerror}") from None
        try:
            self._take_lock()
            self._open()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.db is not None:
            self.db.close()
        self.lock.close()  # and with it the lock

    def _take_lock(self):
        deadline = time.monotonic() + self.wait
        while True:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    self.lock.seek(0)
                    who = self.lock.read().strip() or "another process"
                    raise LedgerError(f"{self.path}: still being written by {who} after "
                                      f"{self.wait:g} s; one writer at a time") from None
                time.sleep(0.05)
        self.lock.seek(0)
        self.lock.truncate()
        self.lock.write(f"process {os.getpid()} on {os.uname().nodename}")
        self.lock.flush()

    def _open(self):
        try:
            self.db = sqlite3.connect(self.path, timeout=self.wait, isolation_level=None)
            version = _check_version(self.db, self.path, exact=False)
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = NORMAL")
            self.db.execute("PRAGMA foreign_keys = ON")
            with self._transaction():
                if version == 0:
                    self._run(SCHEMA.read_text(encoding="utf-8"))
                    self.db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                for old in range(max(1, version), VERSION):
                    self._run(MIGRATIONS[old])
                self.db.execute(f"PRAGMA user_version = {VERSION}")
        except sqlite3.Error as error:
            raise LedgerError(f"{self.path}: {error}") from None
        self.columns, self.keys = {}, {}
        for table in TABLES:
            rows = self.db.execute(f"PRAGMA table_info({table})").fetchall()
            self.columns[table] = [row[1] for row in rows]
            self.keys[table] = [row[1] for row in sorted(rows, key=lambda row: row[5]) if row[5]]

    def _run(self, script):
        """As executescript, but within the transaction."""
        statement = ""
        for line in script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                self.db.execute(statement)
                statement = ""

    @contextlib.contextmanager
    def _transaction(self):
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise

    # -- records --

    def load(self, paths):
        """All of it or, if a line is wrong, nothing: {"new", "changed", "unchanged"}."""
        return self._load([item for path in paths for item in read(path)])

    def add(self, records):
        return self._load([("a record", record) for record in records])

    def _load(self, items):
        counts = {"new": 0, "changed": 0, "unchanged": 0}
        self.places = {}
        try:
            with self._transaction():
                for place, record in items:
                    counts[self._put(place, dict(record))] += 1
                self._name_unknown_weights()
                self._check_references()
        except sqlite3.Error as error:
            raise LedgerError(f"{self.path}: {error}") from None
        return counts

    def _put(self, place, record):
        table = record.pop("table", None)
        if not isinstance(table, str) or table not in self.columns:
            raise LedgerError(f"{place}: table {json.dumps(table)}, expected one of "
                              f"{', '.join(TABLES)}")
        for column, value in record.items():
            if column not in self.columns[table]:
                raise LedgerError(f"{place}: {table} has no column {json.dumps(column)}, expected "
                                  f"{', '.join(self.columns[table])}")
            if isinstance(value, (dict, list)):
                record[column] = json.dumps(value, separators=(",", ":"))
            elif isinstance(value, bool):
                record[column] = int(value)
        key = self.keys[table]
        for column in key:
            if record.get(column) is None:
                raise LedgerError(f"{place}: {table} needs a value of \"{column}\"")
        where = " AND ".join(f"{column} = ?" for column in key)
        identity = tuple(record[column] for column in key)
        self.places[table, _named(identity)] = place
        record = {column: value for column, value in record.items() if value is not None}
        names = list(record)
        try:
            old = self.db.execute(f"SELECT {', '.join(names)} FROM {table} WHERE {where}",
                                  identity).fetchone()
            if old is None:
                self.db.execute(f"INSERT INTO {table} ({', '.join(names)}) "
                                f"VALUES ({', '.join('?' * len(names))})", list(record.values()))
                return "new"
            old = dict(zip(names, old))
            if table == "steps" and record.get("status") == "running" != old["status"]:
                return "unchanged"  # an old copy of the file: the step has ended since
            changed = {column: value for column, value in record.items()
                       if old[column] != value and not (table in CONTENT and
                                                        old[column] is not None)}
            if not changed:
                return "unchanged"
            self.db.execute(f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in changed)} "
                            f"WHERE {where}", [*changed.values(), *identity])
            return "changed"
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            raise LedgerError(f"{place}: {table}: {error}") from None

    def _name_unknown_weights(self):
        """Datasets and fits may come from weights that no run here has made: they get a row."""
        for table, column in (("datasets", "weights"), ("shards", "weights"), ("fits", "prior")):
            self.db.execute(
                f"INSERT INTO weights (weights) SELECT DISTINCT {column} FROM {table} "
                f"WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT weights FROM weights)")

    def _check_references(self):
        problem = next(broken_references(self.db), None)
        if problem:
            table, identity, text = problem
            place = self.places.get((table, _named(identity)))
            raise LedgerError(f"{place or self.path}: {text}")


def _named(identity):
    """A key as the ledger holds it: "2" and 2.0 become 2 in a column of whole numbers."""
    def one(value):
        with contextlib.suppress(ValueError):
            if float(value).is_integer():
                return str(int(float(value)))
        return str(value)
    return tuple(map(one, identity))


def broken_references(db):
    """(table, key, message) of each row that names another which is not there."""
    for table in TABLES:
        keys = [row[1] for row in sorted(db.execute(f"PRAGMA table_info({table})").fetchall(),
                                         key=lambda row: row[5]) if row[5]]
        for reference in db.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            target, column = reference[2], reference[3]
            target_key = next(row[1] for row in db.execute(f"PRAGMA table_info({target})")
                              if row[5] == 1)
            for row in db.execute(
                    f"SELECT {column}, {', '.join(keys)} FROM {table} WHERE {column} IS NOT NULL "
                    f"AND {column} NOT IN (SELECT {target_key} FROM {target})"):
                identity = tuple(row[1:])
                yield (table, identity, f"{table} {' '.join(map(str, identity))}: {column} "
                       f"'{row[0]}' is not in {target}")
