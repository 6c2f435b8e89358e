# SPDX-License-Identifier: GPL-3.0-or-later
"""training - what scripts/train and scripts/ledger are made of.

    command.py      the command line of scripts/train
    loop.py         the steps and their order
    run.py          a run's directory, lock and state; a step is done exactly once
    history.py      what follows from a state; nothing here writes
    config.py, children.py, files.py, errors.py
    cluster.py      self-play on Slurm
    summary.py      texts; records.py: the same for the ledger
    ledger.py       the ledger itself, with schema.sql
"""
