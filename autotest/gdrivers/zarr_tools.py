# SPDX-License-Identifier: MIT
"""Programs that tests run: GDAL's, which load the driver, and netCDF-C's, which do not."""

import os
import subprocess

SECONDS = 120


def run_gdal(*words):
    """Runs a program of GDAL with the environment of the tests, and so with the sanitizer's
    runtime that the driver may need. Returns its output; fails the test where it fails."""
    return _run(words, os.environ)


def run_tool(*words):
    """Runs a program that loads none of our code, without our sanitizers, which such programs
    may not bear. Returns its output; fails the test where it fails."""
    return _run(words, {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"})


def _run(words, environment):
    done = subprocess.run(
        [str(word) for word in words], env=environment, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
