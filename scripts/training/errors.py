# SPDX-License-Identifier: GPL-3.0-or-later
"""errors.py - how a run ends if it does not end well."""


class UsageError(Exception):
    """A mistake of the caller: one line, exit 2."""


class StepFailed(Exception):
    """A step of the loop did not work: exit 1."""


class Interrupted(Exception):
    """SIGINT or SIGTERM: what is finished is recorded; exit 128 + signal."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number
