# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-play, merge and tuning on a Slurm cluster: programs for the shell, and what they share."""
