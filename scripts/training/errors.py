# SPDX-License-Identifier: GPL-3.0-or-later
"""errors.py - how a run ends if it does not end well."""


from slurm.program import UsageError  # noqa: F401 (a mistake of the caller: exit 2)


class StepFailed(Exception):
    """A step of the loop did not work: exit 1."""


class Interrupted(Exception):
    """A signal to stop: what is finished is recorded; exit 128 + signal."""

    def __init__(self, number):
        super().__init__("interrupted; the same command goes on with this run")
        self.code = 128 + number
