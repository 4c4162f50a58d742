# SPDX-License-Identifier: MIT
"""Programs of others that tests run: netCDF-C's tools."""

import os
import subprocess

SECONDS = 120


def run_tool(*words):
    """Runs a program that has nothing of ours in it, and so none of our sanitizers, which such
    programs may not bear. Returns what it prints; fails the test where it fails."""
    environment = {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(
        [str(word) for word in words], env=environment, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
